"""In which coordinates the blocks A and B and the factors of M⁻¹ cost the fewest flops.

The paper has all of joint i in frame i, which stands before the joint with its z along the axis, so
that W selects rows there, and says that any other choice costs significantly more. Two others are
counted: the frame of link i, which stands behind the joint with the same z, so that W selects rows
there too; and one frame for all, in which W is dense. All are traced for a revolute joint of a
general arm: what is constant in the frames that are used is known, and what is symmetric computed
once.
"""

from functools import cache

import numpy as np

from paraxis.parallel.two_arrays import links
from paraxis.parallel.two_arrays.blocks import symmetric
from paraxis.parallel.two_arrays.flops import dense, symmetric_pattern, traced
from paraxis.parallel.two_arrays.joints import ABOUT_Z, TURNING

from ..document import Row, Table

PAPER = "Fijany 1994"
BEFORE, LINK = "the frame before the joint, the paper's", "the frame of the link"
COMMON = "one frame for all"
BLOCKS, PRODUCT = "A and B", "M⁻¹ times a vector, without the solution"
NOTE = {
    BEFORE: "I⁻¹ of the link is turned by a whole rotation, that of the link before is constant",
    LINK: "I⁻¹ of the link is constant, that of the link before is turned about z alone",
    COMMON: "all of I⁻¹ and W is turned, but nothing in the products",
}
W, H = TURNING.W, TURNING.H
NO_YIELDS = TURNING.yields
SCALAR, THREE, TURN, SIX = dense(), dense(3), dense(3, 3), dense(6, 6)
INERTIA, SPATIAL = symmetric_pattern(3), symmetric_pattern(6)
HELD, RATE = dense(5), dense(1)


def both(rotation):
    """The rotation of both halves of a six-vector."""
    nothing = 0.0 * rotation
    return np.block([[rotation, nothing], [nothing, rotation]])


def joined(*arrays):
    return np.concatenate([np.ravel(array) for array in arrays])


# -- A of joint i, and B of it and the next --------------------------------------------------------


def blocks_before(rotation, seat, com, about_com, per_mass, inner, across, W, yields):
    """By the plan's own functions; `across` is I⁻¹ P̂ W of the next joint, in its frame."""
    turn = links.turn(rotation, seat)
    own = links.inverse_inertia(turn, com, about_com, per_mass)
    A = links.diagonal_block(own, inner, W, yields)
    return joined(A, links.held_rows(turn, across, W))


def blocks_of_link(rotation, next_rotation, own, inner, across, W, yields):
    """`across` is I⁻¹ P̂: to this link's frame from that before the next joint."""
    inner = symmetric(both(rotation).T @ inner, both(rotation))
    A = links.diagonal_block(own, inner, W, yields)
    return joined(A, W.T @ across @ both(next_rotation) @ W)


def blocks_in_one(turn, next_turn, com, arm, about_com, per_mass, inner, W, yields):
    """`turn` takes frame i to the common one; the rotations and `inner` are there already."""
    own = links.inverse_inertia(next_turn, com, about_com, per_mass)
    dense_W, next_W = both(turn) @ W, both(next_turn) @ W
    A = links.diagonal_block(own, inner, dense_W, yields)
    shift = _shift(next_turn @ arm)
    B = dense_W.T @ own @ shift @ next_W
    return joined(A, B, symmetric(shift.T @ own, shift))  # the last one is the next one's inner


def _shift(way):
    zero = 0.0 * way[0]
    cross = np.array([[zero, -way[2], way[1]], [way[2], zero, -way[0]], [-way[1], way[0], zero]])
    one, nothing = np.where(np.eye(3), 1.0, 0.0 * way[0]), 0.0 * cross
    return np.block([[one, cross], [nothing, one]])


# -- X¹, X², X⁵ and q̈ of one joint, X³ being given -------------------------------------------------


def product_turned(own, turn, arm, W, H, tau, next_tau, handed, held, next_held, along):
    """The same before the joint and on the link: what passes to a neighbour is turned once."""
    X1 = links.free_acceleration(own, turn, arm, H, tau, H, next_tau)
    X2 = links.gap(X1, handed, W)
    X5 = links.held_acceleration(own, turn, arm, X1, W, held, W, next_held)
    qdd = links.joint_acceleration(X5, along, H)
    to_next = links.carried_out(turn, arm, X1), links.along_next(turn, arm, X5, H)
    return joined(X2, qdd, *to_next)


def product_in_one(own, arm, W, H, next_W, next_H, tau, next_tau, handed, held, next_held, along):
    """In one frame; W and H are dense, the arm is turned already."""
    shift = _shift(arm)
    X1 = own @ (H @ tau - shift @ (next_H @ next_tau))
    X2 = W.T @ (X1 - handed)
    X5 = X1 - own @ (W @ held - shift @ (next_W @ next_held))
    qdd = H.T @ X5 - along
    return joined(X2, qdd, shift.T @ X1, next_H.T @ (shift.T @ X5))


@cache
def flops():
    """frame -> part -> flops per link."""
    dense_W = both_pattern(W)
    dense_H = both_pattern(H)
    turned = [SPATIAL, TURN, THREE, W, H, RATE, RATE, dense(6), HELD, HELD, RATE]
    one = [SPATIAL, THREE, dense_W, dense_H, dense_W, dense_H]
    one += [RATE, RATE, dense(6), HELD, HELD, RATE]
    product = count(product_turned, turned)
    before = [ABOUT_Z, TURN, THREE, INERTIA, SCALAR, SPATIAL, dense(6, 5), W, NO_YIELDS]
    of_link = [ABOUT_Z, ABOUT_Z, SPATIAL, SPATIAL, SIX, W, NO_YIELDS]
    in_one = [TURN, TURN, THREE, THREE, INERTIA, SCALAR, SPATIAL, W, NO_YIELDS]
    turn = count(links.turn, [ABOUT_Z, TURN])  # the blocks of the link's frame do without
    return {
        BEFORE: {BLOCKS: count(blocks_before, before), PRODUCT: product},
        LINK: {BLOCKS: count(blocks_of_link, of_link), PRODUCT: product + turn},
        COMMON: {BLOCKS: count(blocks_in_one, in_one), PRODUCT: count(product_in_one, one)},
    }


def both_pattern(selection):
    """The pattern of a selection in a frame that is turned: dense in the halves it selects from."""
    _, pattern = traced(lambda turn, chosen: both(turn) @ chosen, [TURN, selection])
    return pattern


def count(function, patterns):
    return traced(function, patterns)[0]


def totals():
    """frame -> flops per link of both parts."""
    return {frame: sum(parts.values()) for frame, parts in flops().items()}


def projection_table():
    found, whole = flops(), totals()
    rows = []
    for frame, parts in found.items():
        for part, number in parts.items():
            rows.append(Row(PAPER, f"{part}, {frame}", None, number, ""))
        note = f"{whole[frame] / whole[BEFORE]:.2f} times the paper's; {NOTE[frame]}"
        rows.append(Row(PAPER, f"both, {frame}", None, whole[frame], note))
    lead = (
        "Flops per link of a general arm of revolute joints to make the blocks A and B, and to "
        "apply the factors of M⁻¹ to a vector once, without the solution with A, which is the same "
        "in all frames. In one frame for all the rotations to it come besides, by a recurrence."
    )
    return Table("Which frames to project on", lead, rows)
