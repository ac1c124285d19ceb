"""Robots without the friction that has no slope at rest: what a linear loop can be made of.

Dry friction jumps where a joint reverses. Smoothed, as in a simulation, its slope at rest is so
steep that it would dominate a linear loop; beyond the smoothing, a thousandth of a radian per
second, it has next to none. So it is left out of the linear loop, which then describes joints that
slip.
"""

from dataclasses import replace

from ..robots.friction import Friction
from ..robots.tendon import Tendon


def has_dry_friction(robot):
    """Does any joint or tendon have other losses than viscous friction?"""
    return any(part != _without(part) for part in (*robot.joints, *robot.tendons))


def without_dry_friction(robot):
    """With viscous friction, ratios and rotors, but no Coulomb or static friction, no friction of
    bearings and no losses in gears."""
    if not has_dry_friction(robot):
        return robot
    joints, tendons = (tuple(map(_without, parts)) for parts in (robot.joints, robot.tendons))
    return replace(robot, joints=joints, tendons=tendons, warn=False)


def _without(part):
    """A joint or a tendon."""
    if not part.has_losses:
        return part
    viscous = Friction(viscous=part.friction.viscous)
    if isinstance(part, Tendon):
        return replace(part, friction=viscous)
    ideal = replace(part.transmission, efficiency=1.0, break_away=0.0)
    return replace(part, friction=viscous, transmission=ideal)
