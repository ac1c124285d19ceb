"""The joint angles that bring the hand of a PUMA to a pose, in closed form.

Lee and Chang 1988, appendix A, with its misprints corrected, and with an offset a1 from axis 1 to
axis 2 that many arms have but not the PUMA. Angles are those of Craig's link frames
(robots/puma_geometry.py). Three signs choose among the eight solutions:

    arm     1: the wrist's centre is in front of axis 1, along x of frame 1; -1: behind
    elbow   1 or -1: the two ways of bending it
    wrist   -1: flipped, joint 4 half a turn away

A pose out of reach gives the angles of an arm that is stretched or folded as far as possible, so
callers must check the resulting pose. Symbols: docs/concepts/notation.md.
"""

import math

from ...scalar import atan2, cos, maximum, sin, sqrt
from ...spatial import Rotation, Vector


def joint_angles(geometry, pose, arm, elbow, wrist):
    """Return θ1 ... θ6 for a pose in the world, a 4x4 matrix by rows."""
    o, a, p = hand(geometry, pose)
    θ1, θ2, θ3 = arm_angles(geometry, p, arm, elbow)
    S1, C1, S23, C23 = sin(θ1), cos(θ1), sin(θ2 + θ3), cos(θ2 + θ3)
    f11o, f12o = o.x * C1 + o.y * S1, o.y * C1 - o.x * S1
    f11a, f12a = a.x * C1 + a.y * S1, a.y * C1 - a.x * S1
    # a and o along the axes of frame 4 at θ4 = 0
    a4 = Vector(C23 * f11a - S23 * a.z, f12a, S23 * f11a + C23 * a.z)
    o4 = Vector(C23 * f11o - S23 * o.z, f12o, S23 * f11o + C23 * o.z)
    θ4 = atan2(a4.y, a4.x)
    S4, C4 = sin(θ4), cos(θ4)
    θ5 = atan2(C4 * a4.x + S4 * a4.y, a4.z)
    S5, C5 = sin(θ5), cos(θ5)
    θ6 = atan2(S5 * o4.z - C5 * (C4 * o4.x + S4 * o4.y), C4 * o4.y - S4 * o4.x)
    if wrist < 0:
        θ4, θ5, θ6 = θ4 + math.pi, -θ5, θ6 + math.pi
    return θ1, θ2, θ3, θ4, θ5, θ6


def arm_angles(geometry, p, arm, elbow):
    """Return θ1, θ2, θ3 that bring the wrist's centre to p, a point in frame 0."""
    a1, a2, a3 = geometry.a1, geometry.a2, geometry.a3
    d2, d4, l = geometry.d2, geometry.d4, geometry.forearm  # l² = a3² + d4²
    r2 = p.x * p.x + p.y * p.y
    along = arm * root(r2 - d2 * d2)  # p in frame 1 is (along, d2, p.z)
    θ1 = atan2(p.y, p.x) - atan2(d2, along)
    f11p = along - a1
    s2 = f11p * f11p + p.z * p.z  # squared distance of the wrist's centre from axis 2
    d = s2 - (a2 * a2 + l * l)
    # e - d² with e = (2 a2 l)², factored: a folded arm would lose half its digits in the difference
    e_less_d2 = ((a2 + l) * (a2 + l) - s2) * (s2 - (a2 - l) * (a2 - l))
    bend = elbow * root(e_less_d2)
    θ3 = atan2(d, bend) - math.atan2(a3, d4)
    # from axis 2 the wrist's centre is seen along (d + 2 a2², bend) of the upper arm
    θ2 = atan2(bend, s2 + (a2 + l) * (a2 - l)) - atan2(p.z, f11p)
    return θ1, θ2, θ3


def hand(geometry, pose):
    """The axes o and a (y and z) of frame 6 and its origin p, all in frame 0."""
    before, beyond = geometry.base.inverse(), geometry.tool.inverse()
    rows = Rotation(*(row[:3] for row in pose[:3]))
    turn = Rotation(*before.rotation) @ rows
    origin = Rotation(*before.rotation) @ Vector(*(row[3] for row in pose[:3]))
    p = Vector(*before.translation) + origin + turn @ Vector(*beyond.translation)
    _, o, a = (turn @ Rotation(*beyond.rotation)).T
    return o, a, p


def arm_singularity(geometry, θ2, θ3):
    """Return two numbers, 0 at a singularity of the arm and about 1 far from it.

    Shoulder: the wrist's centre is next to axis 1, where the two arm solutions meet. Elbow: it is
    stretched or folded, where the two elbow solutions meet. That of the wrist is sin θ5: joints 4
    and 6 in line.
    """
    a1, a2, a3, d4 = geometry.a1, geometry.a2, geometry.a3, geometry.d4
    θ23 = θ2 + θ3
    reach = a1 + a2 * cos(θ2) + a3 * cos(θ23) + d4 * sin(θ23)
    bend = d4 * cos(θ3) - a3 * sin(θ3)
    return abs(reach) / (a2 + geometry.forearm), abs(bend) / geometry.forearm


def root(x):
    """The square root; 0 for negative x, because of rounding or because p is out of reach."""
    return sqrt(maximum(x, 0.0))
