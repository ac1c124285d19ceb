"""Poses of links by Denavit and Hartenberg's rows, from elementary turns and shifts."""

import math

import numpy as np


def elementary(axis, angle=0.0, along=0.0):
    """A turn about a coordinate axis and a step along it, as a 4x4 matrix."""
    c, s, m = math.cos(angle), math.sin(angle), np.eye(4)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    m[j, j], m[j, k], m[k, j], m[k, k] = c, -s, s, c
    m[axis, 3] = along
    return m


def link_frames(rows, kinds, q, standard):
    """The link frames of a table in the world, multiplied as textbooks print it."""
    here, frames = np.eye(4), []
    for (alpha, a, d, theta), kind, x in zip(rows, kinds, q, strict=True):
        turned, slid = (theta, d + x) if kind == "prismatic" else (theta + x, d)
        screw, twist = elementary(2, turned, slid), elementary(0, alpha, a)
        here = here @ (screw @ twist if standard else twist @ screw)
        frames.append(here)
    return frames
