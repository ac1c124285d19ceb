"""Lee and Chang's equations 15 to 31 for revolute joints, on processors that do the same at once.

Every equation is one step for all joints at once, or a recurrence along them. They are bracketed as
printed; each link's frame stands at its far end. This file is for counting; compute with
`algorithms.base_frame_newton_euler`.
"""

from dataclasses import dataclass
from operator import add, matmul

from paraxis.robots.model import Model
from paraxis.spatial import Rotation, Symmetric, Vector, cross

from ..counts.luh_walker_paul import HAND
from ..counts.plain_count import some_state

ROTATIONS = ("15",)
SUMS = ("18", "20", "22", "28", "30")
OTHERS = ("16", "17", "19", "21", "23", "24", "26", "27", "29", "31")


@dataclass(frozen=True)
class Link:
    """A link, in its own frame at its far end."""

    A: Rotation  # its coordinates to those of the link before
    z: Vector  # the axis of its joint
    p: Vector  # from the joint to the far end
    s: Vector  # from the far end to the centre of mass
    m: object
    J: Symmetric  # about the centre of mass


def general_links(robot, ledger):
    """A chain's links at some state. The axis z is known, so that R z is a column of R; every
    other number is one of run time, be it a zero."""
    model, (q, _, _) = Model(robot), some_state(robot)
    X = [model.transform(i, q) for i in range(robot.n)]
    ends = [*(x.origin for x in X[1:]), HAND]
    for x, I, z, p in zip(X, model.inertia, model.axis, ends, strict=True):
        yield Link(
            Rotation(*(map(ledger.number, row) for row in x.turn.matrix())),
            z,
            Vector(*map(ledger.number, p)),
            Vector(*map(ledger.number, I.com - p)),
            ledger.number(I.mass),
            Symmetric(*map(ledger.number, I.about_com.scalars())),
        )


def torques(machine, robot):
    """The torques of a chain of revolute joints at `some_state`.

    The sums 22, 28 and 30 start from a given value, the others from the first joint's own.
    """
    number = machine.ledger.number
    links = list(general_links(robot, machine.ledger))
    _, qd, qdd = ([number(x) for x in row] for row in some_state(robot))
    rise = Vector(*map(number, Model(robot).base_acceleration.linear))
    zero = Vector(
        number(0.0), number(0.0), number(0.0)
    )  # the base might turn, the hand hold a load
    each, outward, inward = machine.each, machine.outward, machine.inward

    R = outward("15", matmul, [link.A for link in links])
    z = [Ri @ link.z for Ri, link in zip(R, links, strict=True)]
    p = each("16", lambda i: R[i] @ links[i].p)
    s = each("16", lambda i: R[i] @ links[i].s)
    spin = each("17", lambda i: z[i] * qd[i])
    ω = outward("18", add, spin)
    before = [zero, *ω]
    b = each("19", lambda i: z[i] * qdd[i] + cross(before[i], spin[i]))
    α = outward("20", add, b)
    b = each("21", lambda i: cross(α[i], p[i]) + cross(ω[i], cross(ω[i], p[i])))
    a = outward("22", add, b, rise)
    r = each("23", lambda i: cross(α[i], s[i]) + cross(ω[i], cross(ω[i], s[i])) + a[i])
    F = each("24", lambda i: r[i] * links[i].m)
    ωi = each("26", lambda i: R[i].T @ ω[i])
    αi = each("26", lambda i: R[i].T @ α[i])
    Ni = each("27", lambda i: links[i].J @ αi[i] + cross(ωi[i], links[i].J @ ωi[i]))
    N = each("27", lambda i: R[i] @ Ni[i])
    f = inward("28", add, F, zero)
    beyond = [*f[1:], zero]
    b = each("29", lambda i: N[i] + cross(p[i] + s[i], F[i]) + cross(p[i], beyond[i]))
    n = inward("30", add, b, zero)
    return [torque.value for torque in each("31", lambda i: n[i] @ z[i])]
