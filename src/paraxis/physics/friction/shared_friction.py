"""Friction that several joints feel: along tendons, and of joints that follow others.

A follower turns as fast as its leader times a ratio g: viscous friction is felt g² times, dry
friction |g| times. A follower of several leaders, and a tendon, move at a sum of rates: what
friction takes there is felt by every one of them, times its share in the sum. All that needs
constant ratios, and friction that depends on nothing else.
"""

from dataclasses import dataclass, replace

from ...checks import quoted
from ...errors import ArgumentError
from ...robots.friction import Friction
from ...robots.rows import rows_of
from ..springs import tendon_arms
from .joint_friction import stribeck


@dataclass(frozen=True)
class SharedFriction:
    """Friction along a sum of velocities; `arms` are (degree of freedom, factor in the sum)."""

    name: str
    arms: tuple[tuple[int, float], ...]
    friction: Friction

    def rate(self, qd):
        return sum((arm * qd[j] for j, arm in self.arms), 0.0)

    def force(self, rate, direction):
        """What overcomes friction at that rate, in that direction: -1, 0 or 1, or between."""
        return direction * stribeck(self.friction, rate) + rate * self.friction.viscous

    @property
    def is_dry(self):
        return bool(self.friction.static)


def felt(shared, forces, nv):
    """What each degree of freedom feels of these forces along sums of velocities."""
    torques = [0.0] * nv
    for each, force in zip(shared, forces, strict=True):
        for j, arm in each.arms:
            torques[j] = torques[j] + arm * force
    return torques


def driven_rows(robot):
    """A single joint for each degree of freedom, with the friction of those that follow it only."""
    rows = rows_of(robot)
    joints, columns = dict(enumerate(rows.joints)), _columns(rows)
    for k, terms in rows.followers.items():
        follower = joints.pop(k)
        if follower.has_losses and len(terms) == 1:
            _require_simple(follower, terms)
            ((leader, polynomial),) = terms
            joints[leader] = _burdened(joints[leader], follower.friction, _ratio(polynomial))
    return [joints[k] for k in columns]


def shared_friction(robot):
    """The friction of tendons, and of joints that follow several."""
    rows = rows_of(robot)
    columns, found = _columns(rows), []
    for k, terms in rows.followers.items():
        joint = rows.joints[k]
        if joint.has_losses and len(terms) > 1:
            _require_simple(joint, terms)
            arms = tuple((columns[leader], factor) for leader, (_, factor) in terms)
            found.append(SharedFriction(joint.name, arms, joint.friction))
    for tendon, arms in zip(robot.tendons, tendon_arms(rows), strict=True):
        if not tendon.has_losses:
            continue
        shares = {}
        for k, arm in arms:
            own = ((k, (0.0, 1.0)),)
            for leader, polynomial in rows.followers.get(k, own):
                if len(polynomial) > 2:
                    raise ArgumentError(
                        f"tendon {quoted(tendon.name)} has friction and runs over a joint that "
                        "follows another by no constant ratio, which is not supported; "
                        "robot.without_friction() leaves out friction"
                    )
                share = shares.get(columns[leader], 0.0)
                shares[columns[leader]] = share + arm * _ratio(polynomial)
        found.append(SharedFriction(tendon.name, tuple(shares.items()), tendon.friction))
    return found


def _columns(rows):
    """{row: the degree of freedom that it is} of those that follow none."""
    return {k: j for j, k in enumerate(k for k in range(rows.n) if k not in rows.followers)}


def _ratio(polynomial):
    """How fast a follower moves per rate of its leader; not at all, if it is held in place."""
    return polynomial[1] if len(polynomial) > 1 else 0.0


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


def _require_simple(joint, terms):
    friction = joint.friction
    simple = friction.static == friction.coulomb and not friction.bearings
    curved = any(len(polynomial) > 2 for _, polynomial in terms)
    if curved or not simple or not joint.transmission.is_ideal:
        raise ArgumentError(
            f"joint {quoted(joint.name)} follows another, and has losses that its leader cannot "
            "feel by a constant ratio; robot.without_friction() leaves them out"
        )
