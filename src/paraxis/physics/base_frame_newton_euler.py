"""Inverse dynamics in base coordinates (Lee and Chang, 1988, equations 15 to 31).

All vectors are along the axes of the root frame. Nothing is then transformed from link to link:
rotations follow by a product and everything else by a sum, each a homogeneous linear recurrence
x[i] = x[p] ∘ b[i], whose terms b are computed for all links at once. A machine solves the
recurrences and evaluates the local equations of every link: one link after another here, on several
processors in parallel/networks/p_fold_machine.py. Body frames are at their joints' axes here, at
the far end of the link in the paper. Symbols: docs/concepts/notation.md.
"""

from functools import reduce
from operator import add, matmul

from ..robots.joint import WORLD
from ..scalar import mark
from ..spatial import IDENTITY, ZERO3, cross


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques that make the robot move as (q, qd, qdd)."""
    return torques(LinkByLink(robot), robot, q, qd, qdd)


def torques(machine, robot, q, qd, qdd):
    """The same on a machine. A recurrence has an operator, a first value and terms."""
    each, outward, inward = machine.each, machine.outward, machine.inward
    base, out = robot.base_acceleration, robot.external_force
    X, children = {i: robot.transform(i, q) for i, _ in robot.outward}, _children(robot)

    def turn(i):
        return z[i] if robot.is_revolute[i] else ZERO3

    def slide(i):
        return ZERO3 if robot.is_revolute[i] else z[i]

    R = outward("R", matmul, IDENTITY, lambda i, p: X[i].turn.matrix())  # 15
    r = each("r", lambda i, p: R[p] @ X[i].origin)  # 16
    z = each("z", lambda i, p: R[i] @ robot.axis[i])

    def b(i, p):  # 17, with the rate instead of the acceleration
        return turn(i) * qd[i]

    ω = outward("ω", add, robot.base_velocity.angular, b)  # 18

    def b(i, p):  # 19
        return turn(i) * qdd[i] + cross(ω[p], turn(i) * qd[i])

    α = outward("α", add, base.angular, b)  # 20

    def b(i, p):  # 21
        carried = cross(α[p], r[i]) + cross(ω[p], cross(ω[p], r[i]))
        return carried + slide(i) * qdd[i] + cross(ω[p], slide(i) * (qd[i] + qd[i]))

    a = outward("a", add, base.linear, b)  # 22
    s = each("s", lambda i, p: R[i] @ robot.inertia[i].com)  # 16

    def force(i, p):  # 23, 24
        mark("omega", i, ω[i]), mark("alpha", i, α[i]), mark("acceleration", i, a[i])
        return (a[i] + cross(α[i], s[i]) + cross(ω[i], cross(ω[i], s[i]))) * robot.inertia[i].mass

    F = each("F", force)

    def moment(i, p):
        I = robot.inertia[i].about_com
        ωi, αi = R[i].T @ ω[i], R[i].T @ α[i]  # 26: the inertia is constant in the body's frame
        Ni = I @ αi + cross(ωi, I @ ωi)  # 27
        return R[i] @ (Ni - out[i].angular) + cross(s[i], F[i])

    N = each("N", moment)
    f = inward("f", lambda i, p: F[i] - R[i] @ out[i].linear)  # 28

    def b(i, p):  # 29
        return reduce(add, (cross(r[c], f[c]) for c in children[i]), N[i])

    n = inward("n", b)  # 30

    def torque(i, p):
        mark("force", i, f[i]), mark("moment", i, n[i])
        along = z[i] @ (n[i] if robot.is_revolute[i] else f[i])  # 31
        return along + robot.rotor_inertia[i] * qdd[i]

    tau = each("τ", torque)
    return [tau[i] for i, _ in robot.outward]


def _children(robot):
    """The children of each body."""
    children = {i: [] for i in (WORLD, *range(robot.n))}
    for i, p in robot.outward:
        children[p].append(i)
    return children


class LinkByLink:
    """A machine with one processor, which takes the links in order."""

    def __init__(self, robot):
        self.robot = robot

    def each(self, name, value):
        """The local values of every link: value(i, p) for each link i and its parent p."""
        return {i: value(i, p) for i, p in self.robot.outward}

    def outward(self, name, combine, first, term):
        """Solve x[i] = combine(x[p], term(i, p)), where x of the base is `first`."""
        x, terms = {WORLD: first}, self.each(name, term)
        for i, p in self.robot.outward:  # parents first
            x[i] = combine(x[p], terms[i])
        return x

    def inward(self, name, term):
        """Sum the terms of every link and of all beyond it."""
        x = self.each(name, term)
        for i, p in self.robot.inward:  # children first
            if p != WORLD:
                x[p] = x[p] + x[i]
        return x
