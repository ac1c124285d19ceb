"""Divide and conquer by spans of links (Featherstone, 1999): what a scan along a chain is made of.

As constraint_spans.py, but a span answers to any forces on its two ends, in all six directions, and
what a joint holds is sorted out when two spans are glued there. The unknown at an end is the whole
force through its joint. Symbols: docs/concepts/notation.md.
"""

from ...physics.linear.dense import (
    minus,
    plus,
    product,
    symmetric,
    times,
    transposed,
    unit,
    upper_triangle,
)
from ...physics.linear.pivot_block import PivotBlock
from ...spatial import Spatial, Vector
from .constraint_spans import Holding, mobility
from .link import PRISMATIC, REVOLUTE, Link


def single_link(link, beyond, beyond_angle, q_beyond, qd_beyond, ω, tau, tau_beyond, kinds, rotors):
    """A link by itself, between its own joint and the one beyond it."""
    own, after = Link.of(link, kinds), Link.of(beyond, kinds)
    X, K, ω = after.transform(beyond_angle, q_beyond), mobility(own), Vector(*ω)
    near, units = K.rows(), [unit(k, 6) for k in range(6)]
    far = [K @ (X.T @ Spatial.of(force)) for force in units]
    a = K @ -own.gyroscopic(ω)
    return {
        "near": upper_triangle(near),
        "across": transposed([[-y for y in column.scalars()] for column in far]),
        "far": upper_triangle([(X @ column).scalars() for column in far]),
        "b_near": a.scalars(),
        "b_far": (X @ a + after.drift(X, ω, qd_beyond)).scalars(),
        "joint": [tau, own.turns, own.rotor],
    }


def base(link, angle, q, qd, rise, kinds, rotors):
    """The base, which rises and which nothing moves."""
    first = Link.of(link, kinds)
    X = first.transform(angle, q)
    a = X @ Spatial.of(rise) + first.drift(X, Vector(0.0, 0.0, 0.0), qd)
    return {
        "near": [0.0] * 21,
        "across": [[0.0] * 6 for _ in range(6)],
        "far": [0.0] * 21,
        "b_near": [0.0] * 6,
        "b_far": a.scalars(),
        "joint": [0.0] * 3,
    }


def glue(left, right, kinds, rotors):
    """Two spans as one, and the force F of the joint between: F = g - P F_near - Q F_far."""
    joint = Joint(*right["joint"], kinds)
    W = Holding(joint, rotors)
    mobility_ = symmetric(plus(left["far"], right["near"]), 6)
    held = [times(mobility_, column) for column in W.columns]
    pivot_rows = [W.part(column) for column in held]
    for j, more in enumerate(W.yields):
        pivot_rows[j][j] = pivot_rows[j][j] + more
    pivot = PivotBlock.of(pivot_rows)
    driven = (joint.subspace * joint.tau).scalars()
    gap = plus(minus(right["b_near"], left["b_far"]), times(mobility_, driven))
    before = pivot.halves([W.part(row) for row in left["across"]])
    after = pivot.halves([W.part(column) for column in transposed(right["across"])])
    (rest,) = pivot.halves([W.part(gap)])
    columns = transposed(W.columns)
    force = minus(driven, times(columns, pivot.solve(rest)))
    span = {
        "near": minus(left["near"], upper_triangle(pivot.square(before))),
        "across": [[-y for y in row] for row in pivot.between(before, after)],
        "far": minus(right["far"], upper_triangle(pivot.square(after))),
        "b_near": plus(left["b_near"], times(left["across"], force)),
        "b_far": minus(right["b_far"], times(transposed(right["across"]), force)),
        "joint": left["joint"],
    }
    P, Q = (transposed([pivot.solve(half) for half in halves]) for halves in (before, after))
    return span, {"P": product(columns, P), "Q": product(columns, Q), "g": force}


def middle(P, Q, g, x_near, x_far):
    """The force through the joint inside a glued span, from those at its ends."""
    return {"x": minus(g, plus(times(P, x_near), times(Q, x_far)))}


def acceleration(
    link, beyond, beyond_angle, q_beyond, ω, tau, tau_beyond, x, x_beyond, kinds, rotors
):
    """How a link accelerates under the forces through both of its joints."""
    own, after = Link.of(link, kinds), Link.of(beyond, kinds)
    X = after.transform(beyond_angle, q_beyond)
    passed_on = X.T @ Spatial.of(x_beyond)
    a = mobility(own) @ (Spatial.of(x) - passed_on - own.gyroscopic(Vector(*ω)))
    return {"a": a.scalars()}


class Joint:
    """What gluing needs of the joint between two spans."""

    def __init__(self, tau, turns, rotor, kinds):
        fixed = {REVOLUTE: 1.0, PRISMATIC: 0.0}.get(kinds)
        self.tau, self.rotor = tau, rotor
        self.turns = turns if fixed is None else fixed
        self.slides = 1.0 - self.turns

    @property
    def subspace(self):
        return Spatial(Vector(0.0, 0.0, self.turns), Vector(0.0, 0.0, self.slides))
