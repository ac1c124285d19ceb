"""A reading of the recursion of 1980 that meets its count: 150n-48 products, 131n-48 sums.

Lathrop's Table 2 has the equations of Luh, Walker and Paul, with each link's frame at its far end;
his Table 4 says that z qd and z qdd come in as vectors. The velocities, which no torque depends
on, and the sum p + s are not from there: they were fitted to the count, and other choices fit too
(see lathrop.py). This file is for counting; compute with `algorithms.newton_euler`.
"""

from dataclasses import dataclass

from paraxis.math import mark
from paraxis.robots.model import Model
from paraxis.spatial import IDENTITY, ZERO3, Rotation, Symmetric, Vector, cross

from .plain_count import Ledger, some_state

HAND = Vector(0.3, 0.4, 0.5)  # the far end of the last link; any place will do


@dataclass(frozen=True)
class Link:
    """A link and how its joint moves, all in a frame at its far end."""

    A: Rotation  # its coordinates to those of the link before
    z: Vector
    spin: Vector  # z qd
    rise: Vector  # z qdd
    p: Vector  # from the joint to the far end
    s: Vector  # from the far end to the centre of mass
    m: object
    J: Symmetric  # about the centre of mass


FREE = (IDENTITY, ZERO3, ZERO3)  # nothing hangs on the hand


def torques(links, velocity, acceleration):
    """The torques of revolute links on a base that moves so but does not turn."""
    ω = α = ZERO3
    v, a = velocity, acceleration
    F, N = {}, {}
    for i, link in enumerate(links):
        back = link.A.T
        turned = back @ ω
        ω = mark("omega", i, turned + link.spin)
        α = mark("alpha", i, back @ α + link.rise + cross(turned, link.spin))
        v = mark("velocity", i, cross(ω, link.p) + back @ v)
        a = acceleration_at_the_far_end(i, link, ω, α, a)
        mark("com_velocity", i, cross(ω, link.s) + v)
        F[i], N[i] = inertial_load(i, link, ω, α, a)
    loads = transmitted_loads(links, F, N, FREE)
    return [mark("torque", i, n @ links[i].z) for i, (_, n) in enumerate(loads)]


def acceleration_at_the_far_end(i, link, ω, α, a):
    """Of link i, from that of the link before."""
    p = link.p
    return mark("acceleration", i, cross(α, p) + cross(ω, cross(ω, p)) + link.A.T @ a)


def inertial_load(i, link, ω, α, a):
    """The force and the moment that accelerate link i."""
    s, J = link.s, link.J
    at_com = mark("com_acceleration", i, cross(α, s) + cross(ω, cross(ω, s)) + a)
    F = mark("inertial_force", i, at_com * link.m)
    return F, mark("inertial_moment", i, J @ α + cross(ω, J @ ω))


def transmitted_loads(links, F, N, hand):
    """The force and the moment at each joint. The hand is how it is turned, its force, its moment.

    Bracketed as in Lathrop's Table 4, so that what comes from the next link is added last.
    """
    loads = {}
    A, f, n = hand
    for i, link in reversed(list(enumerate(links))):
        carried = A @ f
        f = mark("force", i, F[i] + carried)
        own = cross(link.p + link.s, F[i]) + N[i]
        n = mark("moment", i, A @ n + (cross(link.p, carried) + own))
        loads[i] = (f, n)
        A = link.A
    return [loads[i] for i in range(len(links))]


def general_links(robot, ledger):
    """A chain's links with every number in them a number of run time, be it a zero."""
    model, (q, qd, qdd) = Model(robot), some_state(robot)
    X = [model.transform(i, q) for i in range(robot.n)]
    ends = [*(x.origin for x in X[1:]), HAND]
    for i, (I, z, p) in enumerate(zip(model.inertia, model.axis, ends, strict=True)):
        vectors = (z, z * qd[i], z * qdd[i], p, I.com - p)
        yield Link(
            Rotation(*(map(ledger.number, row) for row in X[i].turn.matrix())),
            *(Vector(*map(ledger.number, vector)) for vector in vectors),
            I.mass,
            I.about_com,
        )


def count(robot):
    """The Ledger of one run for a chain of revolute joints, and the torques."""
    ledger = Ledger()
    links = list(general_links(robot, ledger))
    base = (Vector(0.1, 0.2, 0.3), Model(robot).base_acceleration.linear)
    moving = (Vector(*map(ledger.number, vector)) for vector in base)
    return ledger, [tau.value for tau in torques(links, *moving)]
