"""Angular velocities of a chain's bodies: all that a link needs to know of the others.

Accelerations paired with forces are here those of points, not of 6-D motions. Nothing then depends
on how fast a body moves, which for the far end of a long chain is very fast, but only on how fast
it spins.
"""

from typing import NamedTuple

from ...scalar import mark
from ...spatial import IDENTITY, Matrix, Spatial, Vector, cross
from .orders import prefixes


def serial(robot, X, qd):
    """ω of the base and of every body, one after another."""
    ω = [robot.base_velocity.angular]
    for i in range(robot.n):
        ω.append(mark("omega", i, X[i].turn.T @ ω[-1] + _own(robot, i, qd)))
    return ω


def logarithmic(robot, X, qd):
    """The same in ⌈log₂(n+1)⌉ steps: spans of bodies are combined, as by Lathrop."""
    base = Spin(IDENTITY, robot.base_velocity.angular)
    own = [Spin(X[i].turn.matrix(), _own(robot, i, qd)) for i in range(robot.n)]
    spins = prefixes(glue_spins, [base, *own])
    return [spins[0].ω, *(mark("omega", i, spin.ω) for i, spin in enumerate(spins[1:]))]


class Spin(NamedTuple):
    """The spin of the last body of a span relative to the body before the span."""

    W: Matrix  # the last body's coordinates to those of the body before the span
    ω: Vector  # along the last body's axes


def glue_spins(left, right):
    """Two adjacent spans as one."""
    return Spin(left.W @ right.W, right.W.T @ left.ω + right.ω)


def _own(robot, i, qd):
    return robot.along(i, qd).angular


def drifts(robot, X, ω, qd):
    """The accelerations relative to the previous bodies that are not due to the joints' rows."""
    coasting = robot.rows.coast(qd)
    return [
        _drift(X[i], ω[i], ω[i + 1], robot.along(i, qd)) - robot.along(i, coasting)
        for i in range(robot.n)
    ]


def _drift(X, ω_before, ω, own):
    """`own`: the velocity of the joint, along axes that turn with the body after it."""
    swept = X.turn.T @ cross(ω_before, cross(ω_before, X.origin))
    carried = cross(ω - own.angular, own.linear)
    pushed = (carried + carried) + cross(own.angular, own.linear)
    return Spatial(cross(ω, own.angular), swept + pushed)


def biases(robot, ω):
    """The forces that keep spinning bodies under gravity from accelerating."""
    return [_bias(robot, i, ω[i + 1]) for i in range(robot.n)]


def _bias(robot, i, ω):
    I, h = robot.inertia[i].about_origin, robot.inertia[i].moment
    return Spatial(cross(ω, I @ ω), cross(ω, cross(ω, h))) - robot.external_force[i]
