"""Lathrop's linear form: a node for every link outward, and one inward.

The programs are his Table 4, including the numbers of partial results; T1, T3 are the inputs z q̇,
z q̈. For sliding joints, which he leaves to the reader, they are written in the same way. Symbols:
docs/concepts/notation.md.
"""

from ...spatial import IDENTITY, ZERO3
from .node_program import steps
from .wiring import Constant, Site, Wiring, wire

TURNING = steps("""
    T2 = before.ω + rate_before
    ω = A.T @ T2
    T4 = before.ω × rate_before
    T5 = T4 + rise_before
    T6 = T5 + before.α
    α = A.T @ T6
    T7 = ω × p
    T8 = ω × T7
    T9 = α × p
    T10 = T8 + T9
    T11 = A.T @ before.a
    a = T11 + T10
""")

SLIDING = steps("""
    ω = A.T @ before.ω
    α = A.T @ before.α
    T7 = ω × p
    T8 = ω × T7
    T9 = α × p
    T10 = T8 + T9
    T2 = ω × twice_rate
    T4 = T2 + rise
    T5 = T10 + T4
    T11 = A.T @ before.a
    a = T11 + T5
""")

BODY = steps("""
    T12 = ω × r
    T13 = ω × T12
    T14 = α × r
    T15 = T13 + T14
    c = T15 + a
    F = c * m
    T16 = J @ ω
    T17 = ω × T16
    T18 = J @ α
    N = T18 + T17
""")

INWARD = steps("""
    T19 = after.A @ after.f
    f = F + T19
    T20 = s × F
    T21 = T20 + N
    T22 = p × T19
    T23 = T21 + T22
    T24 = after.A @ after.n
    n = T24 + T23
""")

TURNING_TORQUE = steps("τ = n · z")
SLIDING_TORQUE = steps("τ = f · z")
TURNING_TORQUE_WITH_ROTOR = steps("""
    T25 = n · z
    τ = T25 + rotor_torque
""")
SLIDING_TORQUE_WITH_ROTOR = steps("""
    T25 = f · z
    τ = T25 + rotor_torque
""")

NOTHING = Constant(ZERO3)


def torque(model, i):
    """Turns the load of joint i into its torque."""
    if model.rotor_inertia[i]:
        return TURNING_TORQUE_WITH_ROTOR if model.is_revolute[i] else SLIDING_TORQUE_WITH_ROTOR
    return TURNING_TORQUE if model.is_revolute[i] else SLIDING_TORQUE


def linear(links):
    """The wiring for a chain on a base at rest, with a free tip."""
    model, operations, done = links.model, [], []
    before = {"ω": NOTHING, "α": NOTHING, "a": Constant(model.base_acceleration.linear)}
    for i in range(model.n):
        site = Site("outward", f"outward {i + 1}", "outward", "propagated")
        program = TURNING if model.is_revolute[i] else SLIDING
        before = wire(program, site, links.scopes[i] | {"before": before}, operations)
        before = wire(BODY, site._replace(part="body"), before, operations)
        done.append(before)
    after = {"f": NOTHING, "n": NOTHING, "A": Constant(IDENTITY)}
    torques = []
    for i in reversed(range(model.n)):
        site = Site("inward", f"inward {i + 1}", "inward", "propagated")
        after = wire(INWARD, site, done[i] | {"after": after}, operations)
        after = wire(torque(model, i), site._replace(part="torque"), after, operations)
        torques.append(after["τ"])
    return Wiring(operations, torques[::-1])
