"""Forward dynamics in logarithmic time: divide and conquer (Featherstone, 1999).

A span of links whose inner joints are free is described by the response of its two ends to forces
on them, and by their accelerations without: a = Φ f + b. Two spans that meet in a joint are
combined into one: the constraint force of the joint follows from the forces at the ends, and is
eliminated. When all are one span, with the base before and nothing beyond, forces are passed back
to the halves, down to every joint.

A massless link has no Φ and is an error. Vectors are 6-D, angular part first; the near end of a
span is in the frame of its first body, the far end in that of the body after it, both rotated so
that a joint's directions are coordinates. Symbols: docs/concepts/notation.md.
"""

from typing import NamedTuple

from ..robots.branching import require_chain
from ..robots.equal.upright import upright
from ..scalar import mark
from .linear.dense import dot, minus, plus, times, transposed
from .linear.pivot_block import PivotBlock, marked_pivot, minus_columns, minus_rows
from .parts.angular_velocities import biases, drifts, logarithmic
from .parts.joint_split import JointSplit, splits
from .parts.mobility import mobilities
from .parts.two_joint_link import joint_mobility, two_joint_links

NAME = "divide_and_conquer"
ZEROS = [0.0] * 6


def forward_dynamics(robot, q, qd, tau):
    """Return the accelerations of the joints under the torques tau."""
    require_chain(robot, NAME)
    robot = upright(robot, NAME)
    X = [robot.transform(i, q) for i in range(robot.n)]
    ω = logarithmic(robot, X, qd)
    p, c = biases(robot, ω), drifts(robot, X, ω, qd)
    drives = [Drive(i, joint, tau, c[i].scalars()) for i, joint in enumerate(splits(robot))]
    whole = assembled(single_links(robot, X, p), drives)
    return handed_back(whole, ZEROS, ZEROS)


class Span(NamedTuple):
    """Adjacent links; the matrices are those of two_joint_link.py."""

    near: list
    across: list
    far: list
    b_near: list  # acceleration of an end without forces on either
    b_far: list


class Drive(NamedTuple):
    """A joint, and its torque."""

    number: int
    split: JointSplit
    tau: list  # of all rows
    drift: tuple


class Glued(NamedTuple):
    """Two spans as one, with the data of their joint for when the forces at the ends are known.

    The links at the joint accelerate apart by gap + acrossᵀ f: of this, and of the mobility of the
    joint, the constrained part is eliminated.
    """

    span: Span
    left: object  # Glued or Span
    right: object
    drive: Drive
    mobility: list
    gap: list
    pivot: PivotBlock
    gap_half: list
    near_halves: list
    far_halves: list


def single_links(robot, X, p):
    """The base, which rises, and every link by itself."""
    K = mobilities(robot, NAME)
    a = [-(mobility @ bias) for mobility, bias in zip(K, p, strict=True)]
    b_near = [ZEROS, *(list(each.scalars()) for each in a)]
    before = [robot.base_acceleration, *a[:-1]]
    b_far = [*(list((X[i] @ each).scalars()) for i, each in enumerate(before)), ZEROS]
    links = zip(two_joint_links(K, X), b_near, b_far, strict=True)
    return [Span(*link, *b) for link, *b in links]


def assembled(spans, drives):
    """All spans as one, each half first; `drives` are the joints between them."""
    if not drives:
        return spans[0]
    middle = len(drives) // 2
    left = assembled(spans[: middle + 1], drives[:middle])
    right = assembled(spans[middle + 1 :], drives[middle + 1 :])
    return glued(left, right, drives[middle])


def glued(left, right, drive):
    """Two spans that meet in a joint."""
    A, B = _span(left), _span(right)
    number, joint, tau, drift = drive
    mobility, driven = joint_mobility(A, B), joint.driven(tau)
    gap = plus(times(mobility, driven), minus(minus(B.b_near, A.b_far), drift))
    pivot = marked_pivot(number, joint.mobility(mobility))
    (gap_half,) = pivot.halves([joint.held_part(gap)])
    near_halves = pivot.halves([joint.held_part(row) for row in A.across])
    far_halves = pivot.halves([joint.held_part(column) for column in transposed(B.across)])
    driven_near = minus(A.b_near, times(A.across, driven))
    driven_far = plus(B.b_far, times(transposed(B.across), driven))
    span = Span(
        minus_rows(A.near, pivot.square(near_halves)),
        pivot.between(near_halves, far_halves),
        minus_rows(B.far, pivot.square(far_halves)),
        plus(driven_near, pivot.applied(near_halves, gap_half)),
        minus(driven_far, pivot.applied(far_halves, gap_half)),
    )
    halves = gap_half, near_halves, far_halves
    return Glued(span, left, right, drive, mobility, gap, pivot, *halves)


def handed_back(tree, f_near, f_far):
    """The accelerations of all joints in a span, under forces at its ends."""
    if isinstance(tree, Span):
        return []
    number, joint, tau, _ = tree.drive
    half = minus_columns(tree.gap_half, tree.near_halves, f_near)
    half = minus_columns(half, tree.far_halves, [-f for f in f_far])
    F_S = mark("constraint_force", number, [-x for x in tree.pivot.solve(half)])
    A, B = _span(tree.left), _span(tree.right)
    qdd = []
    for _, k in joint.directions:
        ends = dot(B.across[k], f_far) - dot([row[k] for row in A.across], f_near)
        qdd.append(tree.gap[k] + ends + dot(tree.mobility[k], joint.held(F_S)))
    f = list(mark("force", number, joint.force(tau, F_S)).scalars())
    return [
        *handed_back(tree.left, f_near, [-x for x in f]),
        *qdd,
        *handed_back(tree.right, f, f_far),
    ]


def _span(tree):
    return tree if isinstance(tree, Span) else tree.span
