"""Joint limits for inverse kinematics: which joints are bounded, and which can turn freely."""

import math
from copy import copy

import numpy as np

TURN = 2 * math.pi


class Limits:
    """The limits of a robot's joints, each (n,).

    A revolute joint that may make a whole turn `goes_round`: it is moved freely, and whole turns
    are taken off at the end. All others are kept between their bounds at every step. `low` to
    `high` is where to look for solutions: within limits, and finite.
    """

    def __init__(self, robot, length=1.0):
        joints = robot.joints
        self.lower = np.array([joint.lower for joint in joints], float)
        self.upper = np.array([joint.upper for joint in joints], float)
        revolute = np.array([joint.is_revolute for joint in joints])
        self.goes_round = revolute & (self.upper - self.lower >= TURN)
        self.low, self.high = self._where_to_start(revolute, length)
        self._arrays = np

    def at(self, target):
        """The same with arrays on a target, for positions that are there."""
        other = copy(self)
        other._arrays = target.arrays
        for name in ("lower", "upper", "goes_round", "low", "high"):
            setattr(other, name, target.put(getattr(self, name)))
        return other

    @property
    def bounds(self):
        """(lower, upper) of each joint while it is moved: infinite for those that go round."""
        lower = np.where(self.goes_round, -np.inf, self.lower)
        upper = np.where(self.goes_round, np.inf, self.upper)
        return list(zip(lower.tolist(), upper.tolist(), strict=True))

    def _where_to_start(self, revolute, length):
        """The limits, one turn of joints that go round, two lengths of those that slide freely."""
        wide = np.where(revolute, TURN, 2 * length)
        low, high = np.isfinite(self.lower), np.isfinite(self.upper)
        lower = np.where(low, self.lower, np.where(high, self.upper - wide, -wide / 2))
        upper = np.where(high, self.upper, np.where(low, self.lower + wide, wide / 2))
        middle = (lower + upper) / 2
        lower = np.where(self.goes_round, middle - math.pi, lower)
        upper = np.where(self.goes_round, middle + math.pi, upper)
        return lower, upper

    @property
    def neutral(self):
        """Zero, or the middle of the range where zero is beyond the limits."""
        allowed = (self.lower <= 0) & (self.upper >= 0)
        return np.where(allowed, 0.0, (self.low + self.high) / 2)

    def unwound(self, q, near=None):
        """q (..., n) with whole turns taken off, to be within limits and, if that leaves a choice,
        closest to `near`, by default the middle of the limits."""
        xp = self._arrays
        near = (self.low + self.high) / 2 if near is None else xp.clip(near, self.lower, self.upper)
        unwound = q + xp.rint((near - q) / TURN) * TURN  # within half a turn of a position that is
        unwound -= TURN * (unwound > self.upper)
        unwound += TURN * (unwound < self.lower)
        unwound = xp.clip(unwound, self.lower, self.upper)  # of a whole turn, rounding has passed
        return xp.where(self.goes_round, unwound, q)

    def at_bound(self, q):
        """Which joints of q (..., n) are at a bound."""
        return ~self.goes_round & ((q <= self.lower) | (q >= self.upper))

    def within(self, q):
        """q (..., n) with joints that do not go round brought between their bounds."""
        xp = self._arrays
        return xp.where(self.goes_round, q, xp.clip(q, self.lower, self.upper))
