"""Where a controlled robot comes to rest: at the posture, if its controller's model is right."""

import numpy as np

from ..errors import ArgumentError
from ..physics.configuration import integrate
from ..physics.parts.ties import ties_of
from ..physics.parts.torque_sizes import torque_sizes
from ..robots.model import Model
from ..robots.rows import rows_of
from ..robots.scales import SMALLEST, joint_scales
from .controller import Motion

STEPS = 500
ROUNDING = 1e-12  # relative to accelerations that balance, and to rates of that scale
FIRST_STEP = 1e-2  # s


def resting_place(linear, posture):
    """The q `(nq,)` with zero acceleration. `linear` is a LinearLoop.

    With a wrong payload, or without a model, gravity moves the robot off the posture until the
    torques due to errors hold it. The robot is followed there by implicit Euler steps of exact
    control in continuous time, which grow as it comes to rest until they are Newton steps.
    """
    n = linear.robot.nv
    still, unit = np.zeros(n), np.eye(2 * n)
    desired = Motion(posture, still, still).row
    weights, ways = _weights(linear, posture), joint_scales(rows_of(linear.robot))
    q, qd, dt, before = posture.copy(), still, FIRST_STEP, None
    for _ in range(STEPS):
        tau, past = linear.exact((q, qd), desired)
        here = linear.linearised((q, qd), tau, (q, qd), desired, desired, past)
        off = linear.accelerations((q, qd), tau)
        slope = here.rates(here.A + here.B @ here.settled())
        pulls = np.maximum(abs(here.B) @ (weights + abs(tau)), SMALLEST)  # that balance each other
        # Steps grow as accelerations decrease; rates would not do, as they rise at first.
        speed = np.maximum(abs(off) / pulls, ROUNDING).max()
        moves = (abs(qd) / np.sqrt(pulls * ways)).max()
        if not np.isfinite(speed) or not np.isfinite(slope).all():
            break
        if max(speed, moves) <= ROUNDING:
            return q
        dt *= 1.0 if before is None else np.clip(before / speed, 0.3, 3.0)
        try:
            step = np.linalg.solve(unit / dt - slope, np.concatenate([qd, off]))
        except np.linalg.LinAlgError:
            break
        q = np.array(integrate(linear.robot, q.tolist(), step[:n].tolist()))
        qd, before = qd + step[n:], speed
    raise ArgumentError(
        f"controller: it cannot hold the robot: the robot does not come to rest at or near the "
        f"posture {posture.tolist()}"
    )


def _weights(linear, posture):
    """An upper scale of the motor torques (n,) that loads at rest need, before any cancellation."""
    rows, q = rows_of(linear.robot), posture.tolist()
    model = Model(rows, {name: array.tolist() for name, array in linear.parameters.items()})
    ties, still = ties_of(model, q), [0.0] * rows.n
    sizes = torque_sizes(model, ties.q, still, still)
    G = np.abs(ties.columns(np.eye(rows.n).tolist()))  # opposite directions count the same
    return sizes @ G / np.abs(rows.ratios)
