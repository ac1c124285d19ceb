"""Which directions of closed loops are independent of those before them.

That is a matter of geometry and not of masses: a rod may weigh a millionth of what it moves. So
rows of the Jacobian are compared, with lengths in place of metres, so that units do not matter.
"""

from typing import NamedTuple

from ...robots.scales import built_length
from ..linear.dense import dot
from ..linear.ranked_elimination import Span, counting
from . import loop_motion
from .typical_mobility import typical_mobility


class Geometry(NamedTuple):
    """What forces along the directions of all loops do to the joints."""

    rows: list
    sizes: list  # squares of what is usual for each of them
    weights: list  # of each joint

    def span(self, tolerance):
        least = [size * tolerance for size in self.sizes]
        return Span(self.rows, self.weights, counting(self.rows, self.weights, least, tolerance))


def geometry(robot, loops):
    """Return the Geometry of loops, each of which comes with its J by the rates of joints."""
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
