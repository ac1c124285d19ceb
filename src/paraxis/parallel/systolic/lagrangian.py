"""Lagrange's equations as an array: Hollerbach's recursion on 3x3 matrices (1980), node by node.

Lathrop only says that this formulation attains about the same times with much more hardware. The
programs are therefore written like his, from physics/lagrange_recursive_3x3.py: W, V and B are a
link's rotation in the base frame and its first and second derivative; D is ∫ r dFᵀ, of positions r
in a link and the forces dF there along the base axes. Gravity enters as a rising base.
"""

from ...spatial import IDENTITY, ZERO3, Matrix, Vector
from .node_program import steps
from .wiring import Constant, Site, Wiring, wire

TURNING = steps("""
    W = before.W @@ A
    T1 = before.V @@ A
    T2 = W @@ spin
    V = T1 ++ T2
    T3 = T1 @@ twice_spin
    T4 = W @@ own_rate
    T5 = T3 ++ T4
    T6 = before.B @@ A
    B = T6 ++ T5
    T7 = before.B @ o
    a = before.a + T7
""")

SLIDING = steps("""
    W = before.W @@ A
    V = before.V @@ A
    B = before.B @@ A
    T7 = before.B @ o
    T8 = V @ twice_rate
    T9 = W @ rise
    T10 = T8 + T9
    T11 = T10 + T7
    a = before.a + T11
""")

BODY = steps("""
    T12 = a * m
    T13 = B @ c
    F = T12 + T13
    T14 = K @@ B.T
    T15 = c ⊗ a
    E = T14 ++ T15
""")

INWARD = steps("""
    f = F + after.f
    T16 = after.o ⊗ after.f
    T17 = E ++ T16
    T18 = after.A @@ after.D
    D = T18 ++ T17
""")

TURNING_TORQUE = """
    U = W @@ Z
    T19 = U ⁞ D
    {} = T19 · ones
"""
SLIDING_TORQUE = """
    T19 = W @ z
    {} = f · T19
"""
ROTOR = "τ = T20 + rotor_torque"

ONES = Constant(Vector(1.0, 1.0, 1.0))
NO_MATRIX = Constant(Matrix(*[(0.0, 0.0, 0.0)] * 3))


def torque(model, i):
    """Turns the load of joint i into its torque."""
    along = TURNING_TORQUE if model.is_revolute[i] else SLIDING_TORQUE
    if model.rotor_inertia[i]:
        return steps(along.format("T20")) + steps(ROTOR)
    return steps(along.format("τ"))


def lagrangian(links):
    """The wiring for a chain on a base at rest, with a free tip."""
    model, operations, done = links.model, [], []
    still = {"W": Constant(IDENTITY), "V": NO_MATRIX, "B": NO_MATRIX}
    before = still | {"a": Constant(model.base_acceleration.linear)}
    for i in range(model.n):
        site = Site("outward", f"outward {i + 1}", "outward", "propagated")
        program = TURNING if model.is_revolute[i] else SLIDING
        before = wire(program, site, links.scopes[i] | {"before": before}, operations)
        before = wire(BODY, site._replace(part="body"), before, operations)
        done.append(before)
    after = {"f": Constant(ZERO3), "D": NO_MATRIX, "A": Constant(IDENTITY), "o": Constant(ZERO3)}
    torques = []
    for i in reversed(range(model.n)):
        site = Site("inward", f"inward {i + 1}", "inward", "propagated")
        after = wire(INWARD, site, done[i] | {"after": after, "ones": ONES}, operations)
        after = wire(torque(model, i), site._replace(part="torque"), after, operations)
        torques.append(after["τ"])
    return Wiring(operations, torques[::-1])
