"""What a transmission takes for itself (Dhanaraj's Table 3.2), on the side of the joint.

The motor gives `at_joint`, what the joint needs, and the friction here. Of a joint that moves:

    at_joint along the motion      at_joint / efficiency, and break_away along the motion
    at_joint against it (braking)  at_joint * efficiency, and break_away along the motion

So friction always has the direction of motion. A joint that sticks is held by any torque between
the one that would just let it run back and the one that would just drive it. The least of them is
given: zero while break_away holds efficiency * |at_joint| by itself, else what it leaves over.
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

    `direction` is -1 or 1, or a smooth value between that a simulation has in their place: with
    it the friction goes through zero without a jump.
    """
    return direction * loss_in_motion(transmission, at_joint, direction)


def loss_in_motion(transmission, at_joint, direction):
    """Return how much it takes, whether the joint drives its load or is driven by it."""
    load, share = abs(at_joint), efficiency(transmission, at_joint)
    driving, braking = load * (1.0 / share - 1.0), load * (1.0 - share)
    lost = select(less(0.0, at_joint * direction), driving, braking)
    return lost + transmission.break_away


def friction_at_rest(transmission, at_joint):
    """Return the friction, against the load it helps to hold, of a joint that sticks."""
    load, share = abs(at_joint), efficiency(transmission, at_joint)
    return -sign(at_joint) * minimum(load * (1.0 - share) + transmission.break_away, load)
