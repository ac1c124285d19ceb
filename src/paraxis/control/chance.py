"""Random numbers of closed loops, which depend only on the seed, the run and the control step.

A run therefore gets the same numbers whatever its length, the other runs of the batch, and the
pieces in which the loop is computed. They are hashes (the finaliser of SplitMix64, twice), which
are good enough for jitter and missed steps.
"""

import numpy as np

JITTER, MISSED, AGE = range(3)  # independent streams


def uniform(seed, stream, samples, runs, each=1, xp=np):
    """Numbers in [0, 1) for control steps `samples` `(k,)` of `runs` (r,): `(k, r, each)`.

    `xp` is the array module of all of them.
    """
    samples, runs = (xp.asarray(each).astype(np.uint64) for each in (samples, runs))
    places = runs[:, None] * np.uint64(each) + xp.arange(each, dtype=np.uint64)
    with np.errstate(over="ignore"):  # arithmetic modulo 2^64
        start = _mixed(np.uint64(seed % 2**64) + _spread(np.uint64(stream)))
        bits = _mixed(_mixed(start + _spread(places)) + _spread(samples)[:, None, None])
    return (bits >> np.uint64(11)) * 2.0**-53


def _spread(x):
    return (x + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)


def _mixed(x):
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
