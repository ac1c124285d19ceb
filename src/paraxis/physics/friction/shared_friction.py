"""Friction that acts on several joints: along tendons, and of joints that follow others.

A follower turns as fast as its leader times a ratio g: viscous friction acts with g², dry friction
with |g|. A follower of several leaders, and a tendon, move at a sum of rates: their friction acts
on each of them, times its factor in the sum. This requires constant ratios, and friction that
depends on nothing else.
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
        """The force that overcomes friction at a rate and a direction from -1 to 1."""
        return direction * stribeck(self.friction, rate) + rate * self.friction.viscous

    @property
    def is_dry(self):
        return bool(self.friction.static)


def felt(shared, forces, nv):
    """The torque on each degree of freedom due to these forces along sums of velocities."""
    torques = [0.0] * nv
    for each, force in zip(shared, forces, strict=True):
        for j, arm in each.arms:
            torques[j] = torques[j] + arm * force
    return torques


def driven_rows(robot):
    """A single joint per degree of freedom, with the friction of its exclusive followers."""
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
                        "follows another with a variable ratio, which is not supported; "
                        "robot.without_friction() removes friction"
                    )
                share = shares.get(columns[leader], 0.0)
                shares[columns[leader]] = share + arm * _ratio(polynomial)
        found.append(SharedFriction(tendon.name, tuple(shares.items()), tendon.friction))
    return found


def _columns(rows):
    """{row: its degree of freedom} of rows that do not follow others."""
    return {k: j for j, k in enumerate(k for k in range(rows.n) if k not in rows.followers)}


def _ratio(polynomial):
    """The rate of a follower per rate of its leader; zero if it is held in place."""
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
            f"joint {quoted(joint.name)} follows another with a variable ratio, and its losses "
            "cannot be attributed to its leader; robot.without_friction() removes them"
        )
