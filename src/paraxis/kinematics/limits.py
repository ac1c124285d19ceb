"""Joint limits for inverse kinematics: which joints are bounded, and which can turn freely."""

import math
from copy import copy

import numpy as np

from ..robots.joint import REVOLUTE
from ..robots.joint_pose import neutral_position
from ..robots.quaternions import quaternion_places

TURN = 2 * math.pi


class Limits:
    """The limits of a robot's positions, each `(nq,)`.

    An angle that may make a whole turn `goes_round`: it is moved freely, and whole turns are taken
    off at the end. All others are kept between their bounds at every step. `low` to `high` is where
    to look for solutions: within limits, and finite.
    """

    def __init__(self, robot, length=1.0):
        self.lower, self.upper = robot.lower, robot.upper
        turns, slides = _angles_and_lengths(robot)
        self.goes_round = turns & (self.upper - self.lower >= TURN)
        self.low, self.high = self._where_to_start(~slides, length)
        self._quaternions = [place for _, place in quaternion_places(robot)]
        zero = [number for joint in robot.joints if joint.nq for number in neutral_position(joint)]
        allowed = (self.lower <= zero) & (self.upper >= zero)
        self.neutral = np.where(allowed, zero, (self.low + self.high) / 2)
        self._arrays = np

    def at(self, target):
        """The same with arrays on a target, for positions that are there."""
        other = copy(self)
        other._arrays = target.arrays
        for name in ("lower", "upper", "goes_round", "low", "high", "neutral"):
            setattr(other, name, target.put(getattr(self, name)))
        return other

    @property
    def bounds(self):
        """(lower, upper) of each number while it is moved: infinite for those that go round."""
        lower = np.where(self.goes_round, -np.inf, self.lower)
        upper = np.where(self.goes_round, np.inf, self.upper)
        return list(zip(lower.tolist(), upper.tolist(), strict=True))

    def _where_to_start(self, turns, length):
        """The limits, one turn of joints that go round, two lengths of those that slide freely."""
        wide = np.where(turns, TURN, 2 * length)
        low, high = np.isfinite(self.lower), np.isfinite(self.upper)
        lower = np.where(low, self.lower, np.where(high, self.upper - wide, -wide / 2))
        upper = np.where(high, self.upper, np.where(low, self.lower + wide, wide / 2))
        middle = (lower + upper) / 2
        lower = np.where(self.goes_round, middle - math.pi, lower)
        upper = np.where(self.goes_round, middle + math.pi, upper)
        return lower, upper

    def positions(self, points):
        """Positions (..., nq) for points (..., nv) of the unit cube, spread as evenly as those."""
        for place in self._quaternions:  # three of its numbers become four
            before, turn, after = np.split(points, [place.start, place.start + 3], axis=-1)
            points = np.concatenate((before, _quaternion(turn), after), axis=-1)
        q = self.low + (self.high - self.low) * points
        for place in self._quaternions:
            q[..., place] = points[..., place]
        return q

    def unwound(self, q, near=None):
        """q (..., nq) with whole turns taken off, to be within limits and, if that leaves a choice,
        closest to `near`, by default the middle of the limits."""
        xp = self._arrays
        near = (self.low + self.high) / 2 if near is None else xp.clip(near, self.lower, self.upper)
        unwound = q + xp.rint((near - q) / TURN) * TURN  # within half a turn of a position that is
        unwound -= TURN * (unwound > self.upper)
        unwound += TURN * (unwound < self.lower)
        unwound = xp.clip(unwound, self.lower, self.upper)  # of a whole turn, rounding has passed
        return xp.where(self.goes_round, unwound, q)

    def at_bound(self, q):
        """Which numbers of q (..., nq) are at a bound."""
        return ~self.goes_round & ((q <= self.lower) | (q >= self.upper))

    def within(self, q):
        """q (..., nq) with joints that do not go round brought between their bounds, and with
        quaternions of unit length."""
        xp = self._arrays
        q = xp.where(self.goes_round, q, xp.clip(q, self.lower, self.upper))
        for place in self._quaternions:
            q[..., place] /= xp.sqrt((q[..., place] ** 2).sum(-1, keepdims=True))
        return q


def _quaternion(points):
    """Rotations as evenly spread as points (..., 3) of the unit cube (Shoemake, 1992)."""
    a, b, c = np.moveaxis(points, -1, 0)
    b, c = TURN * b, TURN * c
    parts = [
        *(np.sqrt(1 - a) * np.sin(b), np.sqrt(1 - a) * np.cos(b)),
        *(np.sqrt(a) * np.sin(c), np.sqrt(a) * np.cos(c)),
    ]
    return np.stack(parts, axis=-1)


def _angles_and_lengths(robot):
    """Which numbers of q are angles whose whole turns change nothing, and which are lengths."""
    couplings = [joint.coupling for joint in robot.joints if joint.coupling is not None]
    leaders = {name for coupling in couplings for name in coupling.leaders}
    turns, slides = [], []
    for joint in robot.joints:
        if not joint.nq:
            continue
        round_again = joint.kind in REVOLUTE and joint.name not in leaders
        turns += {"planar": [False, False, True], "universal": [True, True]}.get(
            joint.kind, [round_again] * joint.nq
        )
        lengths = {"prismatic": 1, "planar": 2, "free": 3}.get(joint.kind, 0)
        slides += [k < lengths for k in range(joint.nq)]
    return np.array(turns), np.array(slides)
