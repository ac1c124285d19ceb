"""A grid of points along a path of the joints."""

from itertools import pairwise

import numpy as np

from ..errors import ArgumentError

INTERVALS = 1000  # over a path, at least
GRADE, NEAREST = 0.02, 1e-4  # steps from the ends: of the distance; the first, of a piece
SAME = 1e-12  # of the length: places so close are one
ROUNDING = 4e-13  # of the length: so close to a turn, rounding decides which way a joint moves


class Grid:
    """Places on the path, and its derivatives at both ends of each interval between them."""

    def __init__(self, path):
        self.path = path
        knots = path.knots if len(path.knots) > 2 else np.array([0.0, 0.5, 1.0]) * path.length
        speed = abs(path((knots[:-1] + knots[1:]) / 2)[1]).max()
        if speed == 0:
            raise ArgumentError("the trajectory does not move, so its time cannot be optimised")
        # where the path itself begins or ends at rest, ṡ need not be 0 for the joints to be
        ends = abs(path(knots[[0, -1]])[1]).max(-1)
        self.starts_at_rest, self.ends_at_rest = ends < 1e-9 * speed
        count = max(2, -(-INTERVALS // (len(knots) - 1)))
        shares = [np.linspace(0.0, 1.0, count + 1)] * (len(knots) - 1)
        shares[0], shares[-1] = _graded(count), 1 - _graded(count)[::-1]
        pieces = [
            (a + (b - a) * share)[:-1]
            for (a, b), share in zip(pairwise(knots), shares, strict=True)
        ]
        self.s = _with_turns(path, np.concatenate([*pieces, knots[-1:]]))
        self.step = np.diff(self.s)
        inside = np.stack([np.nextafter(self.s[:-1], self.s[1:]), np.nextafter(self.s[1:], 0)])
        self.q, self.dq, self.ddq = path(inside)  # (2, intervals, n)
        self.direction = np.sign(path(self.s[:-1] + self.step / 2)[1])  # in the whole interval
        turns = (self.direction[:-1] * self.direction[1:] < 0).any(-1)
        # what a profile leaves out on either side of a place
        self.skipped = ROUNDING * path.length * np.concatenate([[0.0], turns, [0.0]])
        self.steady = np.zeros(len(self.step), bool)  # intervals with u = 0
        self.steady[0], self.steady[-1] = self.starts_at_rest, self.ends_at_rest


def _with_turns(path, places):
    """The places and those where a joint turns back: friction jumps there."""
    apart = SAME * path.length
    turning = path.turns()[0]
    turning = turning[np.diff(turning, prepend=-np.inf) > apart]
    turning = turning[(turning > apart) & (turning < path.length - apart)]
    fenced = np.concatenate([[-np.inf], turning, [np.inf]])
    after = np.searchsorted(fenced, places)
    near = np.minimum(places - fenced[after - 1], fenced[after] - places)
    return np.union1d(places[near > apart], turning)


def _graded(count):
    """From 0 to 1 in steps that are short near 0, where x changes most in proportion."""
    places = [0.0, NEAREST]
    while places[-1] < 1:
        places.append(places[-1] + min(GRADE * places[-1], 1 / count))
    return np.array(places) / places[-1]
