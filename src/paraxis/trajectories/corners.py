"""The profile of a frame along a path with rounded corners: slow around them, and fast between.

The total acceleration is p' s̈ + p'' ṡ², a vector along the path and across it, and its magnitude is
limited. In the plane of p' and p'' the limit is a disc; a polygon in it gives lines in the plane of
x = ṡ² and u = s̈, and the sweeps of the quickest profile do the rest.
"""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np

from .time_optimal import profile, sweeps

INTERVALS = 200  # between two breaks of the path
SIDES = 64  # of the polygon
NOTHING = 1e-12  # of the largest p' on the way: rounding has no direction
INSIDE = np.array([[0.25], [0.5], [0.75]])  # of an interval: between places it may be greater


def rounded(line, velocity, acceleration):
    """The quickest profile with ṡ up to `velocity`, from rest to rest.

    The acceleration is that of the frame's origin; also that of its turning where a line only
    turns.
    """
    pieces = [np.linspace(a, b, INTERVALS + 1)[:-1] for a, b in pairwise(line.breaks)]
    s = np.concatenate([*pieces, [line.length]])
    step = np.diff(s)
    of_u, of_x = _lines(*_derivatives(line, s))
    grid = SimpleNamespace(
        s=s,
        step=step,
        skipped=np.zeros(len(s)),
        steady=np.zeros(len(step), bool),
        starts_at_rest=False,  # p' is not 0 there
        ends_at_rest=False,
    )
    lines = SimpleNamespace(
        # at the end of an interval x is x + 2 u Δs
        A=np.hstack([of_u[:-1], of_u[1:] + 2 * step[:, None] * of_x[1:]]),
        B=np.hstack([of_x[:-1], of_x[1:]]),
        C=np.full((len(step), 2 * of_u.shape[1]), acceleration),
        most=np.full(len(s), velocity**2),
    )
    x, u = sweeps(grid, lines)
    most = max(
        _largest_acceleration(line, s[:-1] + h, x[:-1] + 2 * u * h, u) for h in INSIDE * step
    )
    return profile(grid, x, u).stretched(max(1.0, np.sqrt(most / acceleration)))


def _largest_acceleration(line, places, x, u):
    along, across = _derivatives(line, places)
    whole = along * u[:, None, None] + across * x[:, None, None]
    return np.linalg.norm(whole, axis=-1).max()


def _derivatives(line, places):
    """p' and p'' (places, parts, 3): of the origin, and of the turn where a line only turns."""
    _, parts = line.limited_parts
    both = np.array([line(s)[1:] for s in places]).reshape(-1, 2, 2, 3)[:, :, list(parts)]
    return both[:, 0], both[:, 1]


def _lines(along, across):
    """Of a polygon in the disc of radius 1, a corner of it along p': the factors of u and of x."""
    size = np.linalg.norm(along, axis=-1, keepdims=True)
    moves = size > NOTHING * size.max(axis=0)
    way = np.divide(along, size, out=np.zeros_like(along), where=moves)
    onward = (across * way).sum(-1, keepdims=True)
    sideways = np.linalg.norm(across - onward * way, axis=-1, keepdims=True)
    angles = 2 * np.pi * (np.arange(SIDES) + 0.5) / SIDES
    ahead, aside = np.array([np.cos(angles), np.sin(angles)]) / np.cos(np.pi / SIDES)
    of_u, of_x = size * ahead, onward * ahead + sideways * aside
    return of_u.reshape(len(along), -1), of_x.reshape(len(along), -1)
