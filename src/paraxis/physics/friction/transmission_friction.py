"""The losses of a transmission (Dhanaraj's Table 3.2), on the joint side.

The motor supplies `at_joint`, the torque at the joint, and the friction here. For a moving joint:

    at_joint along the motion      at_joint / efficiency, and break_away along the motion
    at_joint against it (braking)  at_joint * efficiency, and break_away along the motion

Friction thus always has the direction of motion. A sticking joint is held by any torque between the
one that would just let it run back and the one that would just drive it. The least of them is
returned: zero if break_away alone holds efficiency * |at_joint|, otherwise the remainder.
"""

from ...scalar import equal, less, minimum, select, sign
from .efficiency import efficiency


def transmission_friction(transmission, at_joint, direction):
    """Return the friction of a joint that moves in `direction`, -1 or 1, or sticks, 0."""
    if transmission.is_ideal:
        return 0.0
    moving = friction_in_motion(transmission, at_joint, direction)
    return select(equal(direction, 0.0), friction_at_rest(transmission, at_joint), moving)


def friction_in_motion(transmission, at_joint, direction):
    """Return the friction of a joint that moves.

    `direction` is -1 or 1, or a smooth value in between in a simulation, with which the friction
    passes through zero without a jump.
    """
    return direction * loss_in_motion(transmission, at_joint, direction)


def loss_in_motion(transmission, at_joint, direction):
    """Return the loss, whether the joint drives its load or is driven by it."""
    load, share = abs(at_joint), efficiency(transmission, at_joint)
    driving, braking = load * (1.0 / share - 1.0), load * (1.0 - share)
    lost = select(less(0.0, at_joint * direction), driving, braking)
    return lost + transmission.break_away


def friction_at_rest(transmission, at_joint):
    """Return the friction of a sticking joint, in the direction opposite to the load it holds."""
    load, share = abs(at_joint), efficiency(transmission, at_joint)
    return -sign(at_joint) * minimum(load * (1.0 - share) + transmission.break_away, load)
