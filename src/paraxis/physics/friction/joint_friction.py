"""The friction of one joint (Dhanaraj's Table 3.1, with its journal made rotationally symmetric).

It has the direction of motion: it is the additional torque of the drive. A bearing is centred on
the origin of the body's frame, its two supports half its length away along the axis; with the slide
of a prismatic joint it moves.
"""

from ...robots.friction import JournalBearing, LinearBearing
from ...robots.seat import align_z
from ...scalar import equal, select, sqrt
from ...spatial import Rotation, Spatial


def joint_friction(joint, reaction, rate, direction):
    """Return the torque, or the force where the joint slides, that overcomes friction.

    `reaction` is the Spatial that the joint transmits, in the body's frame; it is not used without
    bearings. `direction` is -1, 0 (the joint sticks, and nothing needs to be overcome) or 1, or a
    smooth value in between in a simulation.
    """
    return direction * dry_friction(joint, reaction, rate) + rate * joint.friction.viscous


def dry_friction(joint, reaction, rate):
    """The part in the direction of motion, for either direction."""
    friction = joint.friction
    dry = stribeck(friction, rate)
    if friction.bearings:
        own = along_joint(joint, reaction)
        dry = dry + sum(resistance(bearing, own) for bearing in friction.bearings)
    return dry


def stribeck(friction, rate):
    """The part that is independent of loads: from `static` at rest down to `coulomb`."""
    excess = friction.static - friction.coulomb
    if excess == 0:
        return friction.coulomb
    swift = rate * (1 / friction.stribeck_velocity)
    return friction.coulomb + excess / (1.0 + swift * swift)


def along_joint(joint, reaction):
    """The reaction along the joint's own axes, z along the joint's."""
    turn = Rotation(*align_z(joint.axis).T.tolist())
    return Spatial(turn @ reaction.angular, turn @ reaction.linear)


def resistance(bearing, reaction):
    """The resistance of one bearing, for either direction."""
    f, n = reaction.linear, reaction.angular
    if isinstance(bearing, JournalBearing):
        loads = sum(length(x, y) for x, y in supports(bearing, f, n))
        return loads * (bearing.coefficient * bearing.radius)
    if isinstance(bearing, LinearBearing):
        return sum(abs(x) + abs(y) for x, y in supports(bearing, f, n)) * bearing.coefficient
    return abs(f.z) * (bearing.coefficient * bearing.radius)  # a ThrustBearing


def length(x, y):
    """The length of a vector; zero is handled separately so that its slope is 0 there, like abs."""
    square = x * x + y * y
    return select(equal(square, 0.0), 0.0, sqrt(square))


def supports(bearing, f, n):
    """The force across the axis, (x, y), on each of a bearing's two supports."""
    half_x, half_y = f.x * 0.5, f.y * 0.5
    tilt_x, tilt_y = n.x * (1 / bearing.length), n.y * (1 / bearing.length)
    return (half_x - tilt_y, half_y + tilt_x), (half_x + tilt_y, half_y - tilt_x)
