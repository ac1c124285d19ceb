"""Fijany's forward dynamics by spans of links: what a scan along a long chain is made of.

A link is an element between two joints, whose constraint forces x move both of its ends (one joint
of constraint_force.py at each): along the directions that the joints hold,

    a_near = near x_near + across x_far + b_near
    a_far  = -acrossᵀ x_near - far x_far + b_far.

Two spans that meet in a joint may not come apart there: a_near of the right is a_far of the left.
So x of that joint can be eliminated, one step of the solution of A F_S = -B F_T. In which order
joints are eliminated is left to the driver: one after another it is block L D Lᵀ, in pairs it is
odd-even reduction. Each link keeps its own bias, as in constraint_force.py.
Symbols: docs/concepts/notation.md.
"""

from ...physics.linear.dense import minus, plus, symmetric, times, transposed, unit, upper_triangle
from ...physics.linear.pivot_block import PivotBlock
from ...physics.parts.mobility import Mobility
from ...scalar import sqrt
from ...spatial import Spatial, Vector
from .link import Link


class Holding:
    """The directions W that a joint holds, by columns; with rotors also √ρ along its axis, which
    gives way by as much as it is pulled (joint_split.py)."""

    def __init__(self, link, rotors):
        turns, slides = link.turns, link.slides
        third = [0.0, 0.0, slides, 0.0, 0.0, turns]  # z of what the joint does not do
        self.columns = [*(unit(k, 6) for k in (0, 1, 3, 4)), third]
        self.yields = [0.0] * 5
        if rotors:
            root = sqrt(link.rotor)
            self.columns.append([entry * root for entry in link.subspace.scalars()])
            self.yields.append(1.0)

    def part(self, motion):
        """Wᵀ motion."""
        return times(self.columns, motion)

    def force(self, x):
        """W x."""
        return times(transposed(self.columns), x)


def own_spin(link, q, qd, kinds):
    """How a link turns by itself."""
    link = Link.of(link, kinds)
    angle = link.angle(q)
    W = link.transform(angle, q).turn.matrix()
    return {"angle": angle, "W": [list(row) for row in W], "ω": [0.0, 0.0, qd * link.turns]}


def single_link(link, beyond, beyond_angle, q_beyond, qd_beyond, ω, tau, tau_beyond, kinds, rotors):
    """A link by itself, between its own joint and the one beyond it."""
    own, after = Link.of(link, kinds), Link.of(beyond, kinds)
    X = after.transform(beyond_angle, q_beyond)
    W, W_after = Holding(own, rotors), Holding(after, rotors)
    K, ω = mobility(own), Vector(*ω)
    columns = [K @ Spatial.of(force) for force in W.columns]
    far = [K @ (X.T @ Spatial.of(force)) for force in W_after.columns]
    driven = own.subspace * tau - X.T @ (after.subspace * tau_beyond) - own.gyroscopic(ω)
    a = K @ driven
    a_far = X @ a + after.drift(X, ω, qd_beyond)
    return {
        "near": upper_triangle([W.part(column.scalars()) for column in columns]),
        "across": transposed([[-y for y in W.part(column.scalars())] for column in far]),
        "far": upper_triangle([W_after.part((X @ column).scalars()) for column in far]),
        "b_near": W.part(a.scalars()),
        "b_far": W_after.part(a_far.scalars()),
    }


def base(link, angle, q, qd, rise, kinds, rotors):
    """The base, which rises and which nothing moves."""
    first = Link.of(link, kinds)
    X = first.transform(angle, q)
    W = Holding(first, rotors)
    k = len(W.columns)
    still = Vector(0.0, 0.0, 0.0)
    a = X @ Spatial.of(rise) + first.drift(X, still, qd)
    return {
        "near": [0.0] * (k * (k + 1) // 2),
        "across": [[0.0] * k for _ in range(k)],
        "far": [0.0] * (k * (k + 1) // 2),
        "b_near": [0.0] * k,
        "b_far": W.part(a.scalars()),
    }


def glue(left, right, kinds, rotors):
    """Two spans as one, and the x of the joint between: x = -(P x_near + Q x_far + g)."""
    k = len(left["b_near"])
    far, near = symmetric(left["far"], k), symmetric(right["near"], k)
    pivot_rows = [plus(*rows) for rows in zip(far, near, strict=True)]
    for j in range(5, k):
        pivot_rows[j][j] = pivot_rows[j][j] + 1.0  # what a rotor yields
    pivot = PivotBlock.of(pivot_rows)
    before = pivot.halves(left["across"])  # columns of acrossᵀ
    after = pivot.halves(transposed(right["across"]))
    (rest,) = pivot.halves([minus(right["b_near"], left["b_far"])])
    kept = {
        "near": minus(left["near"], upper_triangle(pivot.square(before))),
        "across": [[-y for y in row] for row in pivot.between(before, after)],
        "far": minus(right["far"], upper_triangle(pivot.square(after))),
        "b_near": minus(left["b_near"], pivot.applied(before, rest)),
        "b_far": plus(right["b_far"], pivot.applied(after, rest)),
    }
    return kept, {
        "P": transposed([pivot.solve(half) for half in before]),
        "Q": transposed([pivot.solve(half) for half in after]),
        "g": pivot.solve(rest),
    }


def middle(P, Q, g, x_near, x_far):
    """The x of the joint inside a glued span, from those at its ends."""
    found = plus(plus(times(P, x_near), times(Q, x_far)), g)
    return {"x": [-y for y in found]}


def acceleration(
    link, beyond, beyond_angle, q_beyond, ω, tau, tau_beyond, x, x_beyond, kinds, rotors
):
    """How a link accelerates under the forces through both of its joints."""
    own, after = Link.of(link, kinds), Link.of(beyond, kinds)
    X = after.transform(beyond_angle, q_beyond)
    W, W_after = Holding(own, rotors), Holding(after, rotors)
    F = own.subspace * tau + Spatial.of(W.force(x))
    F_after = after.subspace * tau_beyond + Spatial.of(W_after.force(x_beyond))
    a = mobility(own) @ (F - X.T @ F_after - own.gyroscopic(Vector(*ω)))
    return {"a": a.scalars()}


def joint_acceleration(link, angle, q, qd, ω_before, a_before, a, kinds):
    """How a joint accelerates, from the links on both sides."""
    own = Link.of(link, kinds)
    X = own.transform(angle, q)
    gap = Spatial.of(a) - X @ Spatial.of(a_before) - own.drift(X, Vector(*ω_before), qd)
    return {"qdd": own.subspace @ gap}


def mobility(link):
    """How the link gives way to a force: the inverse of its inertia."""
    I, h = link.inertia, link.inertia.moment
    com = h * (1.0 / I.mass)
    xx, yy, zz, xy, xz, yz = I.about_origin.scalars()
    J = [
        [xx - (h.y * com.y + h.z * com.z), xy + h.x * com.y, xz + h.x * com.z],
        [0.0, yy - (h.x * com.x + h.z * com.z), yz + h.y * com.z],
        [0.0, 0.0, zz - (h.x * com.x + h.y * com.y)],
    ]
    for i in range(3):
        for j in range(i):
            J[i][j] = J[j][i]
    return Mobility.of(I.mass, com, J)
