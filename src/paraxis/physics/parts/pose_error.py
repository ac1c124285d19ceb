"""The error between two poses: a motion that would take the first to the second.

The rotation is measured by the chord 2 sin(θ/2) along its axis: within θ³/24 of the rotation
vector, without inverse functions, and growing up to the half turn, where sin θ is zero again.
"""

from ...scalar import less, maximum, select, sqrt
from ...spatial import ZERO3, Vector, cross

HALF_TURN = 1e-12  # cos² of half the angle, below which the axis is lost in rounding


def pose_error(pose, goal):
    """The chord and the vector from `pose` to `goal`, both 4x4, along the axes of the world."""
    turn, half = _turn(pose, goal)
    return turn * (0.5 / sqrt(maximum(half, HALF_TURN))), _column(goal, 3) - _column(pose, 3)


def pose_distance(pose, goal):
    """The lengths of chord and vector, as the distance of the poses.

    Near a half turn the axis of the chord is inaccurate, but not its length, from the cosine; near
    zero the cosine is useless.
    """
    chord, way = pose_error(pose, goal)
    _, half = _turn(pose, goal)
    square = select(less(half, 0.5), 4.0 - 4.0 * half, chord @ chord)
    return sqrt(square), sqrt(way @ way)


def _turn(pose, goal):
    """2 sin θ along the axis of the turn from pose to goal, and cos² of θ/2."""
    twice_sine, trace = ZERO3, 0.0
    for k in range(3):
        a, b = _column(pose, k), _column(goal, k)
        twice_sine, trace = twice_sine + cross(a, b), trace + a @ b
    return twice_sine, (trace + 1.0) * 0.25


def _column(pose, k):
    return Vector(pose[0][k], pose[1][k], pose[2][k])
