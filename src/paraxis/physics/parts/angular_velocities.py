"""Angular velocities of a chain's bodies and their effects: all a link depends on of the others.

Accelerations go with forces here as those of points, not of 6-D motions: then nothing depends on
how fast a body moves, which for the far end of a long chain is very fast, only on how it spins.
"""

from typing import NamedTuple

from ...scalar import mark
from ...spatial import IDENTITY, ZERO3, Matrix, Spatial, Vector, cross
from .orders import prefixes


def serial(robot, X, qd):
    """ω of the base and of every body, one after another."""
    ω = [robot.base_velocity.angular]
    for i in range(robot.n):
        ω.append(mark("omega", i, X[i].turn.T @ ω[-1] + _own(robot, i, qd)))
    return ω


def logarithmic(robot, X, qd):
    """The same in ⌈log₂(n+1)⌉ steps: spans of bodies are glued, as Lathrop does."""
    base = Spin(IDENTITY, robot.base_velocity.angular)
    own = [Spin(X[i].turn.matrix(), _own(robot, i, qd)) for i in range(robot.n)]
    spins = prefixes(glue_spins, [base, *own])
    return [spins[0].ω, *(mark("omega", i, spin.ω) for i, spin in enumerate(spins[1:]))]


class Spin(NamedTuple):
    """How the last body of a span spins, seen from the body before the span."""

    W: Matrix  # the last body's coordinates to those of the body before the span
    ω: Vector  # along the last body's axes


def glue_spins(left, right):
    """Two adjacent spans as one."""
    return Spin(left.W @ right.W, right.W.T @ left.ω + right.ω)


def _own(robot, i, qd):
    return robot.axis[i] * qd[i] if robot.is_revolute[i] else ZERO3


def drifts(robot, X, ω, qd):
    """The accelerations over the bodies before that the joints' own do not explain."""
    return [_drift(robot, i, X[i], ω[i], ω[i + 1], qd[i]) for i in range(robot.n)]


def _drift(robot, i, X, ω_before, ω, qd):
    swept = X.turn.T @ cross(ω_before, cross(ω_before, X.origin))
    turned = cross(ω, robot.axis[i] * qd)
    if robot.is_revolute[i]:
        return Spatial(turned, swept)
    return Spatial(ZERO3, swept + (turned + turned))


def biases(robot, ω):
    """The forces that keep the bodies from accelerating, as they spin and are pulled at."""
    return [_bias(robot, i, ω[i + 1]) for i in range(robot.n)]


def _bias(robot, i, ω):
    I, h = robot.inertia[i].about_origin, robot.inertia[i].moment
    return Spatial(cross(ω, I @ ω), cross(ω, cross(ω, h))) - robot.external_force[i]
