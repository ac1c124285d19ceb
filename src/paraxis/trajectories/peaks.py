"""The largest values of a function of time: samples, then a closer look around the best ones."""

import numpy as np

DENSE = 2000  # samples over a trajectory, at least
INSIDE = 1e-7  # of a piece: from there on rates, which may fall as its square, are no rounding
ROUNDS, POINTS = 12, 9  # of closer looks, each 4 times as close as the one before


def times_between(knots):
    """Times (pieces, samples), the ends of each piece seen from inside: accelerations may jump.

    From so far inside that the rate of a joint which starts or stops there has the right sign.
    """
    count = max(9, -(-DENSE // (len(knots) - 1)))
    inside = INSIDE * np.diff(knots)
    start, stop = knots[:-1] + inside, knots[1:] - inside
    return np.linspace(start, stop, count, axis=-1)


def peaks(values, knots):
    """Where each of the values(t) (..., m) of times (...) is largest, and that value: (m,), (m,).

    `values` is smooth between knots, or nearly so.
    """
    t = times_between(knots)
    sampled = values(t)  # (pieces, samples, m)
    largest = sampled.max(axis=(0, 1))
    before, after = (
        np.pad(sampled, ((0, 0), side, (0, 0)), constant_values=-np.inf)[:, cut]
        for side, cut in (((1, 0), slice(-1)), ((0, 1), slice(1, None)))
    )
    rounding = 1e-12 * abs(largest)  # so that of a plateau only the first sample is a maximum
    local = (sampled > before + rounding) & (sampled >= after - rounding)
    local.reshape(-1, len(largest))[
        sampled.reshape(-1, len(largest)).argmax(0), np.arange(len(largest))
    ] = True
    # between samples it may rise about as much as it does from one to the next
    gain = np.maximum(
        np.where(np.isfinite(before), sampled - before, 0.0),
        np.where(np.isfinite(after), sampled - after, 0.0),
    )
    piece, place, channel = np.nonzero(local & (sampled + gain >= largest))
    low, high = t[piece, np.maximum(place - 1, 0)], t[piece, np.minimum(place + 1, t.shape[1] - 1)]
    row = np.arange(len(channel))
    for _ in range(ROUNDS):
        closer = np.linspace(low, high, POINTS, axis=-1)
        found = values(closer)[row[:, None], np.arange(POINTS), channel[:, None]]
        best = found.argmax(-1)
        low = closer[row, np.maximum(best - 1, 0)]
        high = closer[row, np.minimum(best + 1, POINTS - 1)]
    at, value = closer[row, best], found[row, best]
    best = [np.flatnonzero(channel == k)[value[channel == k].argmax()] for k in range(len(largest))]
    return at[best], value[best]
