"""How easily a frame moves, roughly: what tells a mobility from a rounding error."""

from ...scalar import sqrt
from ..linear.dense import dot


def typical_mobility(robot, path, frames, reciprocal):
    """How easily a unit moment turns a frame, and a unit force at arm's length moves it, roughly.

    It tells a mobility from a rounding error, whatever cancels in the Jacobian. `path` are the
    joints that move it, of whose inertias `reciprocal` has the reciprocals.
    """
    places = [robot.robot.joints[i].placement for i in path] + [frame.pose for frame in frames]
    length = sum(sqrt(dot(place.translation, place.translation)) for place in places)
    turning = sum((reciprocal[i] for i in path if robot.is_revolute[i]), 0.0)
    sliding = sum((reciprocal[i] for i in path if not robot.is_revolute[i]), 0.0)
    return turning, turning * length**2 + sliding
