"""How times and errors are taken."""

import time

import numpy as np


def best_time(fn, repeat: int = 7, min_seconds: float = 0.02) -> float:
    """Seconds a call of fn: the best of `repeat` runs, each at least `min_seconds` long."""
    fn()  # warm caches, threads and allocations
    start = time.perf_counter()
    fn()
    calls = 1 + int(min_seconds / (time.perf_counter() - start))
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(calls):
            fn()
        best = min(best, time.perf_counter() - start)
    return best / calls


def relative_error(x, reference) -> float:
    """The project's error measure: max|d| / max(1, max|reference|) per state, worst state."""
    x, reference = (np.reshape(array, (len(array), -1)) for array in (x, reference))
    return float((abs(x - reference).max(-1) / np.maximum(1, abs(reference).max(-1))).max())
