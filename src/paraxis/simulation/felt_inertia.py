"""The inertia that the stop of a joint feels: 1 / (M⁻¹)ᵢᵢ, all other joints free to give way.

It depends on the posture. So a stop takes what is typical of random postures within the limits,
kept near the least that was found; and steps must be short enough for the stiffest of these
postures, with all joints at their stops at once. Loops are open in these postures, and masses are
those of the description.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .. import api
from ..robots.within_limits import random_states

POSTURES = 32
MOST = 4.0  # of the least inertia that was found: more would need shorter steps
DIGITS = 3  # of inertias, so that they are the same on every machine


class FeltInertia(NamedTuple):
    """Of some degrees of freedom."""

    typical: tuple[float, ...]  # kg m² or kg
    stiffest: float  # the largest eigenvalue of √m M⁻¹ √m, m these inertias; 1 for a single joint


@lru_cache(maxsize=64)
def felt_inertia(robot, rows):
    """What stops at these entries of qd feel."""
    if not rows:
        return FeltInertia((), 1.0)
    rows = list(rows)
    tree = robot.without_loops() if robot.loops else robot
    q, _ = random_states(tree, POSTURES, seed=0)
    M = api.program(tree, "mass_matrix", algorithm="composite_body").evaluate(q=q)
    try:
        inverse = np.linalg.inv(M)[:, rows][:, :, rows]
    except np.linalg.LinAlgError:  # forward dynamics has an error of its own for this
        return FeltInertia((1.0,) * len(rows), 1.0)
    felt = 1.0 / np.diagonal(inverse, axis1=-2, axis2=-1)
    typical = np.minimum(np.exp(np.log(felt).mean(0)), MOST * felt.min(0))
    typical = [float(f"{each:.{DIGITS}g}") for each in typical]
    root = np.sqrt(typical)
    stiffest = np.linalg.eigvalsh(root[:, None] * inverse * root).max()
    return FeltInertia(tuple(typical), float(f"{stiffest:.{DIGITS}g}"))
