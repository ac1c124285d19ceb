"""The first three joints of a PUMA from the motion of the point they carry, in closed form.

Dhanaraj's thesis, appendix D.1.3, for any arm with such a shoulder and elbow. The angles are Lee
and Chang's; rates and accelerations follow from the point's coordinates along the axes of frame 1,
(x + a1, d2, z): there the arm moves in a plane that turns about z.
Symbols: docs/concepts/notation.md.
"""

from ...scalar import cos, sin
from ...spatial import Rotation, Vector
from .puma import arm_angles


def positioning(geometry, position, velocity, acceleration, arm, elbow):
    """Return θ, θ̇, θ̈ of three joints for a point's motion in the world; signs select the arm.

    Arguments that are None are not used: the acceleration, or it and the velocity.
    """
    before = geometry.base.inverse()
    turn = Rotation(*before.rotation)
    θ = arm_angles(geometry, Vector(*before.translation) + turn @ Vector(*position), arm, elbow)
    if velocity is None:
        return θ, None, None
    plane = _Plane(geometry, θ)
    θd, xd = _rates(geometry, plane, turn @ Vector(*velocity))
    if acceleration is None:
        return θ, θd, None
    return θ, θd, _accelerations(geometry, plane, θd, xd, turn @ Vector(*acceleration))


class _Plane:
    """The upper arm and the forearm as vectors (x, z) of the plane that they move in."""

    def __init__(self, geometry, θ):
        θ1, θ2, θ3 = θ
        θ23 = θ2 + θ3
        S23, C23 = sin(θ23), cos(θ23)
        self.S1, self.C1 = sin(θ1), cos(θ1)
        self.ux, self.uz = geometry.a2 * cos(θ2), -geometry.a2 * sin(θ2)
        self.fx = geometry.a3 * C23 + geometry.d4 * S23
        self.fz = geometry.d4 * C23 - geometry.a3 * S23
        self.reach = geometry.a1 + self.ux + self.fx  # of the point from axis 1

    def turned(self, v):
        """A vector of frame 0 along the axes of frame 1."""
        return Vector(v.x * self.C1 + v.y * self.S1, v.y * self.C1 - v.x * self.S1, v.z)

    def solve(self, x, z):
        """The rates of θ2 and of θ2 + θ3 that move the end of the forearm by (x, z)."""
        area = self.ux * self.fz - self.uz * self.fx  # 0 for an arm that is stretched or folded
        return -(self.fx * x + self.fz * z) / area, (self.ux * x + self.uz * z) / area


def _rates(geometry, plane, velocity):
    """θ̇, and the rate of x."""
    v = plane.turned(velocity)  # (ẋ - d2 θ̇1, (x + a1) θ̇1, ż)
    θd1 = v.y / plane.reach
    xd = v.x + geometry.d2 * θd1
    θd2, θd23 = plane.solve(xd, v.z)
    return (θd1, θd2, θd23 - θd2), xd


def _accelerations(geometry, plane, θd, xd, acceleration):
    """θ̈: the derivatives of the above, minus the terms of the rates themselves."""
    a = plane.turned(acceleration)
    θd1, θd2, θd3 = θd
    square1, square2, square23 = θd1 * θd1, θd2 * θd2, (θd2 + θd3) * (θd2 + θd3)
    θdd1 = (a.y - 2.0 * xd * θd1 + geometry.d2 * square1) / plane.reach
    x = a.x + plane.reach * square1 + geometry.d2 * θdd1
    θdd2, θdd23 = plane.solve(
        x + plane.ux * square2 + plane.fx * square23,
        a.z + plane.uz * square2 + plane.fz * square23,
    )
    return θdd1, θdd2, θdd23 - θdd2
