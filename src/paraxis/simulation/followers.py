"""The friction of joints that follow others, as their leaders feel it.

A follower turns as fast as its leader times a ratio g: viscous friction is felt g² times, dry
friction |g| times. That needs a constant ratio, and friction that depends on nothing else.
"""

from dataclasses import replace

from ..checks import quoted
from ..errors import ArgumentError
from ..robots.rows import rows_of


def driven_rows(robot):
    """A single joint for each degree of freedom, with the friction of its followers."""
    rows = rows_of(robot)
    if not getattr(rows, "followers", None):
        return rows.own_rows
    joints = dict(enumerate(rows.joints))
    for k, (leader, coefficients) in rows.followers.items():
        follower = joints.pop(k)
        if follower.has_losses:
            _require_simple(follower, coefficients)
            joints[leader] = _burdened(joints[leader], follower.friction, coefficients[1])
    return list(joints.values())


def _burdened(leader, friction, ratio):
    own, share = leader.friction, abs(ratio)
    dry = own.coulomb or own.static
    return replace(
        leader,
        friction=replace(
            own,
            viscous=own.viscous + share * share * friction.viscous,
            coulomb=own.coulomb + share * friction.coulomb,
            static=own.static + share * friction.static,
            smoothing=own.smoothing if dry or not share else friction.smoothing / share,
        ),
    )


def _require_simple(joint, coefficients):
    friction = joint.friction
    simple = friction.static == friction.coulomb and not friction.bearings
    if len(coefficients) > 2 or not simple or not joint.transmission.is_ideal:
        raise ArgumentError(
            f"joint {quoted(joint.name)} follows another, and has losses that its leader cannot "
            "feel by a constant ratio; without them (robot.without_friction()) it can be simulated"
        )
