"""NumPy in, NumPy out: what a call costs whose arrays are not on the GPU, each part apart."""

import time

import numpy as np
from gpu_functions import load

import paraxis as px

STATES = 1 << 20
REPEAT = 5
FUNCTION = "inverse_dynamics"


def measure(gpu, robot, path, dtype):
    """Seconds to the GPU, there, and back, for arrays in memory that is pinned or not."""
    states = STATES
    model = load(path)
    arrays = np.random.default_rng(7).uniform(-2, 2, (3, states, model.n)).astype(dtype)
    row = {"robot": robot, "function": FUNCTION, "dtype": dtype, "states": states}
    for kind in ("pageable", "pinned"):
        source, target = arrays, np.empty_like(arrays[0])
        if kind == "pinned":
            source, target = gpu.pinned(arrays), gpu.pinned(target)
        parts = []
        for _ in range(REPEAT + 1):  # the first compiles and allocates
            marks = [time.perf_counter()]
            there = [gpu.to_device(array) for array in source]
            marks.append(_done(gpu))
            result = px.inverse_dynamics(model, *there)
            marks.append(_done(gpu))
            gpu.to_host_into(result, target)
            marks.append(_done(gpu))
            parts.append(np.diff(marks))
        to, on, back = np.median(parts[1:], axis=0).tolist()
        row[kind] = {
            "to_s": to,
            "on_s": on,
            "back_s": back,
            "states_per_s": states / (to + on + back),
        }
    gpu.free()
    return row


def _done(gpu):
    gpu.wait()
    return time.perf_counter()
