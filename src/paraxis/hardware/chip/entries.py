"""The quantities of an array as words: shapes, and the entries of inputs."""

import numpy as np

from ..tasks.tasks import Input

SHAPES = {1: (), 3: (3,), 9: (3, 3)}  # words of a quantity -> its shape


def entries(source):
    """The words of an input of the array; those of link i follow those of link i - 1."""
    first = source.link * source.words
    return [Input(source.quantity, first + k) for k in range(source.words)]


def in_each_state(truths, source):
    """Whether the condition holds for all numbers of a vector or a matrix, in each state."""
    rank = len(SHAPES[source.words])
    return np.asarray(truths).all(axis=tuple(range(-rank, 0)))
