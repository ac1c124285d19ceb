"""Friction of a joint and its drive (Dhanaraj's Tables 3.1 and 3.2), in the steps of subtasks.

`step(extra=...)` is called before the operations of each. Scalars are generic; selecting among them
is free. The torques are those of physics/friction/motor_torques.py. There bearings carry forces;
here, as in his tables, their moments, which takes fewer products and allows the parts to be
computed simultaneously.
"""

from ...physics.friction.efficiency import efficiency
from ...physics.friction.joint_friction import along_joint, stribeck
from ...robots.friction import JournalBearing, LinearBearing, ThrustBearing
from ...scalar import equal, known, less, maximum, minimum, select, sqrt


def motor_torque(joint, torque, reaction, rate, direction, step):
    """The torque on the motor's shaft, given the joint's torque and the load it transmits."""
    torque = at_joint(joint, torque, reaction, rate, direction, step)
    return at_motor(joint.transmission, torque, direction, step)


def at_joint(joint, torque, reaction, rate, direction, step):
    """The torque that moves the robot and overcomes the friction of the joint."""
    friction = joint.friction
    step(extra="friction of speed")
    torque = torque + rate * friction.viscous
    dry = [stribeck(friction, rate)]
    step(extra="reaction along the joint's axes")
    own = along_joint(joint, reaction)
    f, n = own.linear, own.angular
    carried = [LOADS[type(bearing)](bearing, f, n, step) for bearing in friction.bearings]
    step(extra="torque at the joint")
    dry += [sum(loads) * factor for factor, loads in carried]
    return torque + along(direction, sum(dry))


def at_motor(transmission, torque, direction, step):
    """The motor torque for this joint torque, by the four cases; and a fifth, at rest.

    A sticking joint is held as if it were braked, unless the break-away torque alone holds it.
    """
    step(extra="torque of the motor")
    if not transmission.is_ideal:
        share, rests = efficiency(transmission, torque), equal(direction, 0.0)
        drives = select(less(torque, 0.0), less(direction, 0.0), less(0.0, direction))
        needed = torque * select(drives, 1.0 / share, share)
        way = select(rests, -torque, direction)
        given = needed + along(way, transmission.break_away)
        least = select(less(torque, 0.0), minimum(given, 0.0), maximum(given, 0.0))
        torque = select(rests, least, given)
    return torque * (1 / transmission.ratio)


def along(direction, size):
    """A torque of that size in that direction; zero without a direction (and NaN stays NaN)."""
    if known(size) == 0:
        return 0.0
    return select(less(0.0, direction), size, select(less(direction, 0.0), -size, direction))


def journal(bearing, f, n, step):
    """A factor, and the moment that each end carries: friction is the factor times their sum."""
    x, y = _levers(bearing, f, step)
    step(extra="load on one end of the bearing")
    one = _length(x - n.y, y + n.x)
    step(extra="load on its other end")
    other = _length(x + n.y, y - n.x)
    return bearing.coefficient * bearing.radius / bearing.length, (one, other)


def linear(bearing, f, n, step):
    """Likewise, with the moments that the faces across each axis carry at both ends."""
    x, y = _levers(bearing, f, step)
    step(extra="load on the faces along x and y")
    faces = abs(x - n.y) + abs(x + n.y), abs(y + n.x) + abs(y - n.x)
    return bearing.coefficient / bearing.length, faces


def thrust(bearing, f, n, step):
    """Likewise, with the force along the axis."""
    return bearing.coefficient * bearing.radius, (abs(f.z),)


LOADS = {JournalBearing: journal, LinearBearing: linear, ThrustBearing: thrust}


def _levers(bearing, f, step):
    """The moment of the force on one end about the other."""
    step(extra="levers of the force on a bearing")
    half = bearing.length * 0.5
    return half * f.x, half * f.y


def _length(x, y):
    return sqrt(x * x + y * y)
