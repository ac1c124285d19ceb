"""The largest values that a function of the motion takes along a trajectory.

Every limit is checked by these. Both ends of each smooth piece are examined from inside (that is,
both sides of every jump and of every reversal of a joint), then samples between, then ever closer
around those that may lead to the largest value.
"""

from typing import NamedTuple

import numpy as np

from .smooth_pieces import Motion

DENSE = 2000  # samples over a trajectory, at least
LEAST = 9  # samples of a piece
ROUNDS, POINTS = 12, 9  # of closer looks, each 4 times as close as the one before


class Peaks(NamedTuple):
    """Of m values: where each is largest, the Motion (m, n) there, and that value."""

    t: np.ndarray  # (m,)
    motion: Motion
    value: np.ndarray  # (m,)


def samples_of(trajectory):
    """Times (pieces, samples) and the Motion there."""
    pieces = trajectory.smooth_pieces
    which, share = np.arange(len(pieces)), _shares(pieces)
    return pieces.times(which, share), pieces.motion(which, share)


def peaks(values, trajectory):
    """The Peaks of values(Motion), (..., m) for a Motion (..., n)."""
    pieces = trajectory.smooth_pieces
    share = _shares(pieces)
    sampled = values(pieces.motion(np.arange(len(pieces)), share))  # (pieces, samples, m)
    channels = np.arange(sampled.shape[-1])
    largest = sampled.max(axis=(0, 1))
    before, after = (
        np.pad(sampled, ((0, 0), side, (0, 0)), constant_values=-np.inf)[:, cut]
        for side, cut in (((1, 0), slice(-1)), ((0, 1), slice(1, None)))
    )
    rounding = 1e-12 * abs(largest)  # so that of a plateau only the first sample is a maximum
    local = (sampled > before + rounding) & (sampled >= after - rounding)
    flat = sampled.reshape(-1, len(channels))
    local.reshape(flat.shape)[flat.argmax(0), channels] = True
    # Between samples it may rise as much as it does from one to the next, and an eighth of what it
    # bends by from one to the next but one: all of that, to be on the safe side.
    gain = np.maximum(
        np.where(np.isfinite(before), sampled - before, 0.0),
        np.where(np.isfinite(after), sampled - after, 0.0),
    )
    bend = abs(np.diff(sampled, 2, axis=1))[:, [0, *range(sampled.shape[1] - 2), -1]]
    bend[:, 1:-1] = np.maximum(bend[:, 1:-1], np.maximum(bend[:, :-2], bend[:, 2:]))
    gain = np.maximum(gain, bend)
    piece, place, channel = np.nonzero(local & (sampled + gain >= largest))
    low = share[piece, np.maximum(place - 1, 0)]
    high = share[piece, np.minimum(place + 1, share.shape[1] - 1)]
    row = np.arange(len(channel))
    for _ in range(ROUNDS):
        closer = np.linspace(low, high, POINTS, axis=-1)
        motion = pieces.motion(piece, closer)
        found = values(motion)[row[:, None], np.arange(POINTS), channel[:, None]]
        best = found.argmax(-1)
        low = closer[row, np.maximum(best - 1, 0)]
        high = closer[row, np.minimum(best + 1, POINTS - 1)]
    value = found[row, best]
    top = np.array([np.flatnonzero(channel == k)[value[channel == k].argmax()] for k in channels])
    there = Motion(*(part[top, best[top]] for part in motion))
    return Peaks(pieces.times(piece, closer)[top, best[top]], there, value[top])


def _shares(pieces):
    """(pieces, samples): where each is looked at first."""
    count = max(LEAST, -(-DENSE // len(pieces)))
    return np.tile(np.linspace(0.0, 1.0, count), (len(pieces), 1))
