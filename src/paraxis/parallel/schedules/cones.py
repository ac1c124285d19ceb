"""Which values each processor should compute if it computes everything that they need.

The cone of a value is all the work on which it depends. Processors whose values have little of
their cones in common duplicate little work.
"""

import numpy as np

WALK = 60  # steps towards the order in which neighbours have much in common


def share_out(weights, cones, handicaps, twice=1.0):
    """For each target the number of the part that computes it.

    `cones[t]` is a row of booleans: which of the weighted units target t needs; `handicaps[k]` is
    the additional work of part k. The function minimises the largest work that a part has to do
    alone, plus the work that several parts need, times `twice`: 1 if each does it for itself, less
    if they divide that too.
    """
    place, parts = np.zeros(len(cones), int), len(handicaps)
    if parts > 1 and len(cones) > 1:
        middle = (parts + 1) // 2
        groups = [handicaps[:middle], handicaps[middle:]]
        side = _halved(_Halves(weights, cones, groups, twice))
        for k, first in enumerate((0, middle)):
            here = np.flatnonzero(side == k)
            place[here] = first + share_out(weights, cones[here], groups[k], twice)
    return place


class _Halves:
    """The costs of dividing targets between two groups of parts."""

    def __init__(self, weights, cones, groups, twice):
        self.weights, self.cones, self.twice = weights, cones, twice
        self._counts = [len(group) for group in groups]
        self._before = [sum(group) for group in groups]

    def cost(self, alone, both):
        each = [(a + b) / n for a, b, n in zip(alone, self._before, self._counts, strict=True)]
        return np.maximum(*each) + self.twice * both


def _halved(halves):
    """0 or 1 for each target: ordered in several ways, and divided at the best position."""
    weights, cones = halves.weights, halves.cones
    best = None
    for order in _orders(weights, cones):
        first, last = _extent(cones[order])
        by_first = np.bincount(first, weights, len(cones) + 1)
        by_last = np.bincount(last, weights, len(cones) + 1)
        before = np.cumsum(by_last)[:-1]  # [k]: work that only targets 0..k need
        after = by_first[:-1].sum() - np.cumsum(by_first)[:-1]  # work that only k+1.. need
        both = by_first[:-1].sum() - before - after
        for near, alone in ((0, (before, after)), (1, (after, before))):
            cost = halves.cost(alone, both)
            k = int(cost.argmin())
            if best is None or cost[k] < best[0]:
                best = cost[k], near, order[: k + 1]
    _, near, those = best
    side = np.full(len(cones), 1 - near)
    side[those] = near
    return _moved(halves, side)


def _extent(cones):
    """For each unit the first and the last target that need it; beyond all if none does."""
    needed = cones.any(axis=0)
    first = np.where(needed, cones.argmax(axis=0), len(cones))
    last = np.where(needed, len(cones) - 1 - cones[::-1].argmax(axis=0), len(cones))
    return first, last


def _orders(weights, cones):
    """As given, by the sizes of their cones, and with similar ones next to each other."""
    yield np.arange(len(cones))
    sizes = cones @ weights
    yield np.argsort(sizes, kind="stable")
    common = (cones * weights) @ cones.T.astype(float)
    length = np.sqrt(np.maximum(sizes, 1e-300))
    yield np.argsort(_slowest(common / np.outer(length, length)), kind="stable")


def _slowest(alike):
    """The slowest direction of a random walk between similar targets (Fiedler's)."""
    degree = np.maximum(alike.sum(axis=1), 1e-300)
    x = np.arange(len(alike), dtype=float)
    for _ in range(WALK):
        x = x - (degree @ x) / degree.sum()
        x = (x + alike @ x / degree) / 2
        x /= max(abs(x).max(), 1e-300)
    return x


def _moved(halves, side):
    """Moves single targets to the other side as long as that helps."""
    weights, cones = halves.weights, halves.cones
    counts = np.array([cones[side == k].sum(axis=0) for k in (0, 1)])
    while True:
        alone = [weights[(counts[k] > 0) & (counts[1 - k] == 0)].sum() for k in (0, 1)]
        both = weights[(counts > 0).all(axis=0)].sum()
        cost, best = halves.cost(alone, both), None
        for k in (0, 1):  # from side k to the other
            here = np.flatnonzero(side == k)
            last, unknown = counts[k] == 1, counts[1 - k] == 0
            mine = cones[here]
            goes = mine @ (weights * (last & unknown))  # then needed only there, not here
            parts = mine @ (weights * (last & ~unknown))  # then only there, not in both
            joins = mine @ (weights * (~last & unknown))  # then in both, not only here
            then = [alone[k] - goes - joins, alone[1 - k] + goes + parts]
            costs = halves.cost(then if k == 0 else then[::-1], both - parts + joins)
            j = int(costs.argmin()) if len(here) else 0
            if len(here) and costs[j] < cost * (1 - 1e-12) and (not best or costs[j] < best[0]):
                best = costs[j], here[j], k
        if best is None:
            return side
        _, target, k = best
        counts[k] -= cones[target]
        counts[1 - k] += cones[target]
        side[target] = 1 - k
