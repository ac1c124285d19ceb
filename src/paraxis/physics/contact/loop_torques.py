"""Torques behind a motion that closed loops allow.

Loops take part in a motion: with forces F in them, the torques are those of the open tree plus
Jᵀ F, for any F. Of all these, joints that are not driven have none, and those of the others have
the least norm. Symbols: docs/notation.md.
"""

from ...scalar import equal, select, sqrt
from ..linear.dense import dot
from ..linear.ranked_elimination import Span
from ..parts.ties import ties_of
from . import loop_motion
from .constrained_dynamics import typical_mobility


def loop_torques(robot, q, tau, driven, tolerance):
    """Return the torques; tau are those of the tree, `driven` says of each whether it may act.

    They are NaN where joints that are not driven could move by themselves.
    """
    rows, least = _rows(robot, q, tolerance)
    idle = [float(not each) for each in driven]
    alone = sum(idle)
    spoil = 0.0
    if alone:
        span = Span(rows, idle, least, tolerance)
        tau, _ = span.without(tau)
        spoil = sqrt(select(equal(span.rank, alone), 0.0, -1.0))
        rows = [  # forces in loops that driven joints alone feel
            [select(counts, 0.0, entry) for entry in row]
            for counts, row in zip(span.counts, span.left, strict=True)
        ]
    tau, _ = Span(rows, [1.0 - each for each in idle], least, tolerance).without(tau)
    return [torque + spoil if acts else spoil for torque, acts in zip(tau, driven, strict=True)]


def _rows(robot, q, tolerance):
    """What forces along the directions of loops do to the joints, and how little is nothing."""
    ties, rows, least = ties_of(robot, q), [], []
    for loop in robot.robot.loops:
        joints = [i for way in loop_motion.between(robot, loop) for i in way]
        J = ties.columns(
            loop_motion.jacobian(robot, loop_motion.seen_from_second(robot, ties.q, loop))
        )
        turning, sliding = typical_mobility(
            robot, joints, (loop.first, loop.second), [1.0] * robot.n
        )
        for direction in loop_motion.along(loop):
            rows.append([dot(direction, column) for column in zip(*J, strict=True)])
            angular, linear = direction[:3], direction[3:]
            size = dot(angular, angular) * turning + dot(linear, linear) * sliding
            least.append(size * tolerance)
    return rows, least
