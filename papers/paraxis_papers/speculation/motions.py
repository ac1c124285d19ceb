"""Motions from rest to rest between postures that are drawn at random."""

from functools import cache

import numpy as np

from .arms import arm

MOTIONS = 12  # of each arm
REACH = {"revolute": (-1.5, 1.5), "prismatic": (0.2, 0.8)}  # rad and m; of all joints alike


@cache
def postures(name, count):
    """(count, n), at random."""
    ends = np.array([REACH[joint.kind] for joint in arm(name).joints])
    return np.random.default_rng(1986).uniform(*ends.T, (count, arm(name).n))


def ends(name):
    """Where each motion begins and ends."""
    found = postures(name, 2 * MOTIONS)
    return {"begin": found[:MOTIONS], "end": found[MOTIONS:]}


def quintic(t, begin, end, length):
    """Positions, rates and accelerations at t of a motion that takes `length` s: the fifth-order
    polynomial that is at rest at its ends. Over numbers, arrays and traced scalars."""
    s, way = t * (1 / length), end - begin
    rate = 1 / length
    return (
        begin + way * (s * s * s * (10 - s * (15 - 6 * s))),
        way * (30 * s * s * (1 - s) * (1 - s) * rate),
        way * (60 * s * (1 - s) * (1 - 2 * s) * rate * rate),
    )
