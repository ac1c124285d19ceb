"""Robots without dry friction, which a linear loop cannot represent.

Dry friction jumps where a joint reverses. Smoothed, as in a simulation, its slope at rest is so
steep that it would dominate a linear loop, and beyond the smoothing, a thousandth of a radian per
second, it has almost none. It is therefore left out of the linear loop, which then describes
sliding joints.
"""

from dataclasses import replace

from ..robots.friction import Friction
from ..robots.tendon import Tendon


def has_dry_friction(robot):
    """Whether any joint or tendon has losses other than viscous friction."""
    return any(part != _without(part) for part in (*robot.joints, *robot.tendons))


def without_dry_friction(robot):
    """The robot with viscous friction, ratios and rotors, but no other losses.

    Coulomb and static friction, friction of bearings and losses in gears are removed.
    """
    if not has_dry_friction(robot):
        return robot
    joints, tendons = (tuple(map(_without, parts)) for parts in (robot.joints, robot.tendons))
    return replace(robot, joints=joints, tendons=tendons, warn=False)


def _without(part):
    """A joint or tendon without dry friction."""
    if not part.has_losses:
        return part
    viscous = Friction(viscous=part.friction.viscous)
    if isinstance(part, Tendon):
        return replace(part, friction=viscous)
    ideal = replace(part.transmission, efficiency=1.0, break_away=0.0)
    return replace(part, friction=viscous, transmission=ideal)
