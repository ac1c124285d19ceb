"""The pieces of a trajectory within which accelerations and torques are smooth.

Accelerations jump at the knots of a profile, and dry friction jumps where a joint reverses, so that
each has two values there: one seen from the piece before and one from the piece after.
Static friction, and rates themselves, peak where a joint is slowest or quickest. Curves of a path
are short where it bends most, next to a singularity. All these places are ends of pieces.
"""

from typing import NamedTuple

import numpy as np

CREEP = 1e-100  # a rate with a direction and no size
BISECTIONS = 60  # to find the time of a place
SAME = 1e-11  # of a leg's duration: times so close are one


class Motion(NamedTuple):
    """Positions, rates and accelerations of the joints, each (..., n)."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


class SmoothPieces:
    """All pieces of a trajectory, in order; times are counted from the start of a piece's leg."""

    def __init__(self, trajectory):
        self.legs, self.n = trajectory.legs, trajectory.n
        times = [_ends_of_pieces(leg) for leg in self.legs]
        self.leg = np.repeat(np.arange(len(times)), [len(each) - 1 for each in times])
        self.begin = np.concatenate([each[:-1] for each in times])
        self.end = np.concatenate([each[1:] for each in times])
        middles = (self.begin + self.end) / 2
        self.of_profile = np.empty(len(self.leg), int)
        for k, leg in enumerate(self.legs):
            here = self.leg == k
            self.of_profile[here] = np.searchsorted(leg.profile.knots, middles[here]) - 1
        self.since = trajectory.starts[self.leg]
        self.direction = np.zeros((len(self.leg), self.n))
        every = np.arange(len(self.leg))
        self.direction = np.sign(self.motion(every, np.full((len(every), 1), 0.5)).qd[:, 0])

    def __len__(self):
        return len(self.leg)

    def times(self, which, share):
        """The times (k, samples) since the trajectory's start."""
        return self.since[which, None] + self._local(which, share)

    def motion(self, which, share):
        """The Motion at shares `(k, samples)`, from 0 to 1, of the pieces `which` `(k,)`.

        At its ends it is what comes out as they are approached from inside.
        """
        motion = np.empty((3, *share.shape, self.n))
        times = self._local(which, share)
        for k, leg in enumerate(self.legs):
            here = self.leg[which] == k
            if here.any():
                motion[:, here] = leg.inside(self.of_profile[which[here], None], times[here])
        q, qd, qdd = motion
        way = self.direction[which, None]
        return Motion(q, np.where(way == 0, qd, way * np.maximum(way * qd, CREEP)), qdd)

    def _local(self, which, share):
        begin, end = self.begin[which, None], self.end[which, None]
        return np.where(share == 1, end, begin + share * (end - begin))


def _ends_of_pieces(leg):
    """In time: knots of the profile and of the path, and where a rate is zero or extreme."""
    path, profile = leg
    turning, extreme = path.turns()
    ends = profile.knots
    for places in (turning, path.knots[1:-1], extreme):  # what matters most comes first
        more, apart = np.unique(_times_of(profile, places)), SAME * profile.length
        more = more[np.diff(more, prepend=-np.inf) > apart]
        after = np.clip(np.searchsorted(ends, more), 1, len(ends) - 1)
        near = np.minimum(abs(more - ends[after - 1]), abs(ends[after] - more))
        ends = np.union1d(ends, more[near > apart])
    return ends


def _times_of(profile, places):
    """When a profile, which does not fall, reaches them."""
    reached = profile.of_piece(np.arange(len(profile.knots) - 1), profile.knots[:-1])[0][:, 0]
    piece = np.clip(np.searchsorted(reached, places, "right") - 1, 0, len(reached) - 1)
    low, high = profile.knots[piece], profile.knots[piece + 1]
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        before = profile.of_piece(piece, middle)[0][:, 0] < places
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return high
