"""Robots without the friction that has no slope at rest: what a linear loop can be made of.

Dry friction jumps where a joint reverses. Smoothed, as in a simulation, its slope at rest is so
steep that it would dominate a linear loop; beyond the smoothing, a thousandth of a radian per
second, it has next to none. So it is left out of the linear loop, which then describes joints that
slip.
"""

from dataclasses import replace

from ..robots.friction import Friction


def has_dry_friction(robot):
    """Does any joint have other losses than viscous friction?"""
    return any(joint != _without(joint) for joint in robot.joints)


def without_dry_friction(robot):
    """With viscous friction, ratios and rotors, but no Coulomb or static friction, no friction of
    bearings and no losses in gears."""
    if not has_dry_friction(robot):
        return robot
    return replace(robot, joints=tuple(map(_without, robot.joints)), warn=False)


def _without(joint):
    if not joint.has_losses:
        return joint
    viscous = Friction(viscous=joint.friction.viscous)
    ideal = replace(joint.transmission, efficiency=1.0, break_away=0.0)
    return replace(joint, friction=viscous, transmission=ideal)
