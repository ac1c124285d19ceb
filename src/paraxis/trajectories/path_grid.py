"""A grid of places along a path of the joints."""

from itertools import pairwise

import numpy as np

from ..errors import ArgumentError

INTERVALS = 1000  # over a path, at least
GRADE, NEAREST = 0.02, 1e-4  # steps from the ends: of the distance; the first, of a piece
BISECTIONS, SAME = 50, 1e-12  # to find a turn; places so close, of the length, are one


class Grid:
    """Places on the path, and its derivatives at both ends of each interval between them."""

    def __init__(self, path):
        self.path = path
        knots = path.knots if len(path.knots) > 2 else np.array([0.0, 0.5, 1.0]) * path.length
        speed = abs(path((knots[:-1] + knots[1:]) / 2)[1]).max()
        if speed == 0:
            raise ArgumentError("trajectory: expected one that moves, found one that stands still")
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
        self.steady = np.zeros(len(self.step), bool)  # intervals with u = 0
        self.steady[0], self.steady[-1] = self.starts_at_rest, self.ends_at_rest


def _with_turns(path, places):
    """The places, and between them those where a joint turns back: friction jumps there."""
    rates = path(places)[1]
    rates[[0, -1]] = 0.0  # where it is at rest the sign is rounding
    interval, joint = np.nonzero(rates[:-1] * rates[1:] < 0)
    low, high, way = places[interval], places[interval + 1], rates[interval, joint]
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        onward = path(middle)[1][np.arange(len(joint)), joint] * way > 0
        low, high = np.where(onward, middle, low), np.where(onward, high, middle)
    places = np.union1d(places, low)
    return places[np.append(np.diff(places) > SAME * path.length, True)]


def _graded(count):
    """From 0 to 1 in steps that are short near 0, where x changes most in proportion."""
    places = [0.0, NEAREST]
    while places[-1] < 1:
        places.append(places[-1] + min(GRADE * places[-1], 1 / count))
    return np.array(places) / places[-1]
