"""Whether a motion returns to its start."""

import numpy as np

from ..physics.configuration import difference, single_positions
from ..robots.rows import rows_of
from ..robots.scales import joint_scales
from .controller import Motion

RETURNS = 1e-6  # relative distance within which a motion has returned


def gaps_after(robot, begin, end, duration):
    """The differences of positions and rates `(..., 2, nv)` after `duration` s; 0 if they return.

    `begin` and `end` are Motions in a row, as in a Reference.

    Revolute joints may return after full turns. Differences are relative to the positions and rates
    themselves; if these are small, to a radian or the robot's length, and to that per duration.
    """
    begin, end, rows = Motion.of(robot, begin), Motion.of(robot, end), rows_of(robot)
    apart = _interpreted(difference, robot, begin.q, end.q)
    whole = 2 * np.pi * np.rint(apart / (2 * np.pi))
    apart -= np.where([joint.is_revolute for joint in rows.own_rows], whole, 0.0)
    gaps = np.stack([apart, end.qd - begin.qd], axis=-2)
    large = np.stack([_interpreted(single_positions, robot, begin.q), begin.qd], axis=-2)
    least = joint_scales(rows) * np.array([[1.0], [1.0 / duration]])
    back = abs(gaps) <= RETURNS * np.maximum(abs(large), least)
    return np.where(back, 0.0, gaps)


def _interpreted(rule, robot, *positions):
    """A rule of physics/configuration.py, interpreted at a few positions (..., nq)."""
    flat = (each.reshape(-1, robot.nq).tolist() for each in positions)
    found = [rule(robot, *each) for each in zip(*flat, strict=True)]
    return np.array(found).reshape(*positions[0].shape[:-1], robot.nv)
