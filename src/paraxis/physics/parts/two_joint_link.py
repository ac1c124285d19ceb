"""A rigid link between its two joints: the response of both ends to a force at either.

The near end is the link's own joint, in its frame; the far end is at the next joint's body, in that
body's frame. Matrices are 6x6, by rows.
"""

from typing import NamedTuple

from ...spatial import ZERO3, Spatial, Transform, Turn
from ..linear.dense import plus


class TwoJointLink(NamedTuple):
    near: list  # motion at the near end under a force there
    across: list  # at one end under a force at the other: near end by rows, far end by columns
    far: list


NONE = [[0.0] * 6 for _ in range(6)]
BASE = TwoJointLink(NONE, NONE, NONE)  # not moved by any force
NOTHING = Transform(Turn(), ZERO3)  # beyond the last link


def two_joint_links(mobilities, X):
    """The base and every link of a chain, from its mobility and the positions of the bodies."""
    beyond = [*X[1:], NOTHING]
    return [BASE, *(_link(K, next_X) for K, next_X in zip(mobilities, beyond, strict=True))]


def _link(K, X):
    near = K.rows()  # and columns: it is symmetric
    across = [list((X @ Spatial.of(column)).scalars()) for column in near]
    return TwoJointLink(near, across, K.rows_seen_from(X))


def joint_mobility(before, link):
    """The response of an unconstrained joint between two links to a force through it."""
    return [plus(*rows) for rows in zip(link.near, before.far, strict=True)]
