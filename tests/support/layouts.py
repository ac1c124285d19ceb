"""Arrays that hold the same numbers in other places of memory."""

import numpy as np
import pytest


def in_columns(array):
    """The same numbers, states side by side."""
    return np.ascontiguousarray(array.T).T


def aliases():
    """Ways for `out` and q to share memory: name -> (q, out) of 40 states in one field."""
    rng = np.random.default_rng(14)

    def field(*shape):
        return rng.normal(size=shape)

    def pair(name, array, q, out):
        return pytest.param(array, q, out, id=name)

    return [
        pair("the same array", field(40, 6), np.s_[:], np.s_[:]),
        pair("the same, reversed", field(40, 6), np.s_[::-1], np.s_[::-1]),
        pair("the same, apart", field(80, 12), np.s_[::2, ::2], np.s_[::2, ::2]),
        pair("one state later", field(41, 6), np.s_[:-1], np.s_[1:]),
        pair("one state earlier", field(41, 6), np.s_[1:], np.s_[:-1]),
        pair("many states later", field(57, 6), np.s_[:-17], np.s_[17:]),
        pair("one entry on", field(40, 7), np.s_[:, :6], np.s_[:, 1:]),
        pair("one entry back", field(40, 7), np.s_[:, 1:], np.s_[:, :6]),
        pair("states backwards", field(40, 6), np.s_[:], np.s_[::-1]),
        pair("entries backwards", field(40, 6), np.s_[:], np.s_[:, ::-1]),
        pair("interleaved", field(80, 6), np.s_[::2], np.s_[1::2]),
        pair("neighbours", field(40, 12), np.s_[:, :6], np.s_[:, 6:]),
        pair("one state of the result", field(40, 6), np.s_[17], np.s_[:]),
        pair("the first state of the result", field(40, 6), np.s_[:1], np.s_[:]),
    ]


def filled(view, values):
    view[...] = values
    return view
