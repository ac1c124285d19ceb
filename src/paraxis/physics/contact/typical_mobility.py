"""A typical mobility of a frame, to distinguish a mobility from a rounding error."""

from ...scalar import sqrt
from ..linear.dense import dot


def typical_mobility(robot, path, frames, reciprocal):
    """A typical response of a frame to a unit moment, and to a unit force at arm's length.

    It distinguishes a mobility from a rounding error, whatever cancels in the Jacobian. `path` are
    the joints that move the frame, and `reciprocal` has the reciprocals of their inertias.
    """
    places = [robot.robot.joints[i].placement for i in path] + [frame.pose for frame in frames]
    length = sum(sqrt(dot(place.translation, place.translation)) for place in places)
    turning = sum((reciprocal[i] for i in path if robot.is_revolute[i]), 0.0)
    sliding = sum((reciprocal[i] for i in path if not robot.is_revolute[i]), 0.0)
    return turning, turning * length**2 + sliding
