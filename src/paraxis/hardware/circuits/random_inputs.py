"""Random inputs within their ranges, and the largest values that occur with them."""

import math

import numpy as np

from ..tasks.tasks import Input

ANY_ANGLE = (-math.pi, math.pi)
STATES = 2000  # that are simulated


def random_inputs(tasks, ranges, rng, count, at_ends=False):
    """name -> array. `ranges` has those of the Inputs that are numbers; angles are unrestricted.

    Numbers are uniform within their ranges, or all at one end or the other with `at_ends`.
    """
    arrays = {}
    for name, shape in tasks.inputs.items():
        entries = [Input(name, k) for k in range(math.prod(shape))]
        low, high = np.array([ranges.get(entry, ANY_ANGLE) for entry in entries]).T
        part = rng.random((count, len(entries)))
        if at_ends:
            numbers = [entry in ranges for entry in entries]
            part[:, numbers] = part[:, numbers].round()
        arrays[name] = (low + (high - low) * part).reshape(count, *shape)
    return arrays


def largest_seen(tasks, ranges):
    """Result -> its largest |value| in simulation."""
    rng, seen = np.random.default_rng(0), {}
    for at_ends in (False, True):
        given = tasks.given(random_inputs(tasks, ranges, rng, STATES // 2, at_ends))
        for source, values in tasks.results(given).items():
            seen[source] = max(seen.get(source, 0.0), float(abs(values).max()))
    return seen
