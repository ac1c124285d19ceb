"""Which directions of closed loops are independent of the previous ones.

This is a question of geometry rather than of masses: a rod may weigh a millionth of what it moves.
Rows of the Jacobian are therefore compared, with lengths relative to the robot, so that units do
not matter.
"""

from typing import NamedTuple

from ...robots.scales import built_length
from ..linear.dense import dot
from ..linear.ranked_elimination import Span, counting
from . import loop_motion
from .typical_mobility import typical_mobility


class Geometry(NamedTuple):
    """The effect of forces along the directions of all loops on the joints."""

    rows: list
    sizes: list  # squares of typical sizes for each of them
    weights: list  # of each joint

    def span(self, tolerance):
        least = [size * tolerance for size in self.sizes]
        return Span(self.rows, self.weights, counting(self.rows, self.weights, least, tolerance))


def geometry(robot, loops):
    """Return the Geometry of loops, each of which is given with its J by the rates of joints."""
    length = built_length(robot.robot)
    squares = [1.0 if revolute else length * length for revolute in robot.is_revolute]
    rows, sizes = [], []
    for loop, J in loops:
        joints = [i for way in loop_motion.between(robot, loop) for i in way]
        typical = typical_mobility(robot, joints, (loop.first, loop.second), squares)
        for direction in loop_motion.along(loop):
            rows.append([dot(direction, column) for column in zip(*J, strict=True)])
            parts = direction[:3], direction[3:]
            sizes.append(
                sum(dot(part, part) * each for part, each in zip(parts, typical, strict=True))
            )
    weights = [1.0 if row.is_revolute else length * length for row in robot.robot.own_rows]
    return Geometry(rows, sizes, weights)
