"""`px.control.PID`: proportional, integral and derivative control of the joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ... import api
from ...checks import quoted
from ...errors import ArgumentError
from ...robots.robot import Robot, a_robot
from ...robots.rows import rows_of
from ...scalar import less, maximum, minimum, select
from ...simulation.simulator import positive
from ...trajectories.trajectory import Trajectory
from ..checks import is_number
from ..controller import gains_of, limit_of
from .goal import Goal
from .law import Law, joined

FEED_FORWARD = (None, "gravity", "inverse_dynamics")
CLAMP = "clamp"


def PID(
    robot: Robot,
    kp: ArrayLike,
    ki: ArrayLike = 0.0,
    kd: ArrayLike = 0.0,
    *,
    goal: ArrayLike | Trajectory | Callable | None = None,
    goal_rate: ArrayLike | None = None,
    limit: ArrayLike | str | None = None,
    anti_windup: str | float | None = CLAMP,
    derivative_filter: float | None = None,
    feed_forward: str | None = None,
    per_step: str | Sequence[str] = (),
) -> Law:
    """Return proportional-integral-derivative control of the joints, with memory.

    At each sample, dt seconds before the next (Åström and Murray, Feedback Systems, on PID
    control)::

        v = kp e + i + kd d + feed-forward,   tau = v within ±limit,   i ← i + ki e dt

    where e = goal - q (`px.difference` for joints of several degrees of freedom) and d is the
    desired rate minus qd, optionally filtered. The integral i, in N m or N, is itself a torque, so
    that it does not jump when gains change.

    **Arguments:**

    - `robot`: the robot, which determines the degrees of freedom, the limits, and the model of a
      feed-forward term.
    - `kp`, `ki`, `kd`: gains, in N m/rad, N m/(rad s) and N m s/rad (N/m, ... for prismatic
      joints): one number, one per degree of freedom, or `(..., nv)` for one set per robot. They are
      settings: `px.simulate(..., kp=...)` replaces them without recompiling.
    - `goal`: positions `(..., nq)`; a `px.trajectories.Trajectory`, evaluated inside the loop; a
      function of t, written with px functions, that returns q, qd and qdd; or another controller
      that returns nq positions: a function of (t, q, qd), optionally with the command `u` of
      `px.Simulator.step`, or `px.control.sampled(planner, 0.01, size=robot.nq)`. By default it is a
      setting, which is passed to `px.simulate` as `goal=...`.
    - `goal_rate`: desired rates `(..., nv)`, if the goal is an array; zero by default.
    - `limit`: the largest torque: one number, one per degree of freedom, or `"robot"` for the
      limits in its description. A setting.
    - `anti_windup`: what happens to the integral while the torque is at its limit: with `"clamp"`,
      it does not grow further in that direction; with a number of seconds, it tracks the applied
      torque with this time constant (back-calculation); with None, nothing.
    - `derivative_filter`: the time constant in seconds of a first-order filter of d.
    - `feed_forward`: `"gravity"` adds the gravity torques at q; `"inverse_dynamics"` those of the
      desired motion.
    - `per_step`: `"goal"`, `"goal_rate"`, or both, to pass them per step, with the steps as the
      first axis, as in `px.simulate(..., goal=...)`.

    **Returns:** a controller for `px.simulate`, `px.control.sampled` and others, which takes `dt`.
    Within the law, torques are at the joint side of transmissions; the returned ones are at the
    motors.

    **Raises:** `px.ArgumentError` if a gain, goal or limit has a wrong shape.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> controller = px.control.PID(robot, kp=200.0, ki=100.0, kd=40.0, goal=[0.5, -0.3])
    >>> start = np.zeros(2)
    >>> run = px.simulate(robot, start, start, controller=controller, dt=2e-3, steps=5000)
    >>> run.q[-1]
    array([ 0.5, -0.3])
    """
    a_robot(robot)
    names = (per_step,) if isinstance(per_step, str) else tuple(per_step)
    target = Goal(robot, goal, goal_rate, names)
    settings = {"kp": gains_of(robot, kp, "kp"), "ki": gains_of(robot, ki, "ki")}
    settings["kd"] = gains_of(robot, kd, "kd")
    bound = limit_of(robot, limit, "limit")
    settings |= {"limit": bound} if bound is not None else {}
    shapes = dict.fromkeys(settings, (robot.nv,)) | target.shapes
    tracking = _tracking_time(anti_windup)
    filtered = (
        None if derivative_filter is None else positive(derivative_filter, "derivative_filter")
    )
    if feed_forward not in FEED_FORWARD:
        raise ArgumentError(
            f"feed_forward: expected 'gravity', 'inverse_dynamics' or None, found "
            f"{quoted(feed_forward)}"
        )
    initial = {"integral": np.zeros(robot.nv)}
    initial |= {"derivative": np.zeros(robot.nv)} if filtered else {}
    parts = {"goal": target.part} if target.part else {}
    to_motors = 1.0 / np.array(rows_of(robot).ratios)
    single = robot.nq == robot.nv == robot.n

    def law(t, q, qd, memory, dt, given):
        desired, goal_memory = target.at(t, q, qd, memory.get("goal"), dt, given)
        error = desired.q - q if single else api.difference(robot, q, desired.q)
        slow = -qd if desired.qd is None else desired.qd - qd
        following = {}
        if filtered:
            slow = memory["derivative"] + (slow - memory["derivative"]) * (dt / (filtered + dt))
            following["derivative"] = slow
        asked = given["kp"] * error + memory["integral"] + given["kd"] * slow
        if feed_forward is not None:
            asked = asked + _model(robot, feed_forward, q, desired)
        tau, more = asked, given["ki"] * error * dt
        if bound is not None:
            most = given["limit"]
            tau = maximum(minimum(asked, most), -most)
            if tracking is CLAMP:
                out = select(less(most, asked), more, select(less(asked, -most), -more, -1.0))
                more = select(less(0.0, out), 0.0, more)
            elif tracking is not None:
                more = more + (tau - asked) * (dt / tracking)
        following["integral"] = memory["integral"] + more
        if target.part is not None and target.part.structure:
            following["goal"] = goal_memory
        return (tau if (to_motors == 1.0).all() else tau * to_motors), following

    options = {"memory": initial, "settings": settings | target.settings, "shapes": shapes}
    further = [name for name in target.names if name not in target.settings]
    made = joined(law, "PID", parts, per_step=names, dt=True, names=further, **options)
    return made


def _model(robot, which, q, desired):
    if which == "gravity":
        return api.gravity_torques(robot, q)
    still = np.zeros(robot.nv)
    qd = still if desired.qd is None else desired.qd
    qdd = still if desired.qdd is None else desired.qdd
    return api.inverse_dynamics(robot, desired.q, qd, qdd)


def _tracking_time(anti_windup):
    if anti_windup is None:
        return None
    if isinstance(anti_windup, str) and anti_windup == CLAMP:
        return CLAMP
    if not is_number(anti_windup) or not 0 < anti_windup < np.inf:
        raise ArgumentError(
            f"anti_windup: expected 'clamp', a time constant > 0 in seconds, or None, found "
            f"{quoted(anti_windup)}"
        )
    return float(anti_windup)
