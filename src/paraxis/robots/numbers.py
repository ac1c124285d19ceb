"""Numbers of many joints or bodies as one array: what is done to a million is done in NumPy."""

from itertools import chain

import numpy as np

flat = chain.from_iterable


def array_of(rows, *shape):
    """Rows of numbers as an array of that shape; much faster than np.array on tuples."""
    return np.fromiter(flat(rows), float, np.prod(shape)).reshape(shape)


def rotations(poses):
    """The rotations of poses, (n, 3, 3)."""
    return array_of((flat(pose.rotation) for pose in poses), len(poses), 3, 3)
