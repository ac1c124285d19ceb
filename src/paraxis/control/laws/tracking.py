"""The control laws of `px.control.closed_loop` as controllers of `px.simulate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from ...body import Body
from ...checks import quoted
from ...errors import ArgumentError
from ...graph.arrays import traced_array
from ...graph.splice import splice, traced_value
from ...graph.trace import trace
from ...targets.target import CPU
from ...trajectories.trajectory import Trajectory
from ..controller import Controller, Motion
from ..stale_policies import EXACT
from .goal import Goal
from .law import Law, joined

ARGUMENTS = ("q", "qd", "desired", "kp", "kd")


def tracking(
    controller: Controller,
    goal: ArrayLike | Trajectory | Callable | None = None,
    *,
    goal_rate: ArrayLike | None = None,
    per_step: str | Sequence[str] = (),
) -> Law:
    """Return a control law that follows a goal, as a controller for `px.simulate`.

    The law has no memory: by itself it is evaluated at every stage of a step, as in continuous
    time. Use `px.control.sampled` for a sampled one.

    **Arguments:**

    - `controller`: a result of `px.control.computed_torque`, `px.control.feed_forward` or
      `px.control.pd` with the policy `"exact"`. Its gains are the settings `kp` and `kd`.
    - `goal`, `goal_rate`, `per_step`: as for `px.control.PID`; rates and accelerations that a goal
      does not have are zero.

    **Returns:** a controller.

    **Raises:** `px.ArgumentError` if the controller uses stale data, which requires
    `px.control.closed_loop`.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> move = px.trajectories.quintic([0.0, 0.0], [1.0, 0.5], duration=1.0)
    >>> law = px.control.tracking(px.control.computed_torque(robot, kp=100.0, kd=20.0), move)
    >>> run = px.simulate(robot, [0.1, 0.0], [0.0, 0.0], controller=law, dt=1e-3, steps=1500)
    >>> run.q[-1]  # started 0.1 rad off, ends at the goal
    array([1. , 0.5])
    """
    if not isinstance(controller, Controller):
        raise ArgumentError(
            f"controller: expected one of px.control.computed_torque, feed_forward or pd, found "
            f"{quoted(controller)}"
        )
    if controller.policy is not EXACT and controller.policy.cuts:
        raise ArgumentError(
            f"controller: its policy {quoted(controller.policy.name)} uses stale data; use the "
            f"policy 'exact', or px.control.closed_loop"
        )
    robot = controller.robot
    names = (per_step,) if isinstance(per_step, str) else tuple(per_step)
    target = Goal(robot, goal, goal_rate, names)
    settings = {"kp": controller.kp, "kd": controller.kd} | target.settings
    shapes = {"kp": (robot.nv,), "kd": (robot.nv,)} | target.shapes
    parts = {"goal": target.part} if target.part else {}
    body = Body(torque_graph, controller)

    def law(t, q, qd, memory, dt, given):
        desired, after = target.at(t, q, qd, memory.get("goal"), dt, given)
        still = np.zeros(robot.nv)
        filled = Motion(desired.q, *(still if each is None else each for each in desired[1:]))
        values = q, qd, _row(filled), given["kp"], given["kd"]
        following = {"goal": after} if target.part is not None and target.part.structure else {}
        if traced_value(list(values)) is None:
            return _kernel(body)(*values), following
        (tau,) = splice(body.graph, values)
        return traced_array(tau), following

    further = [name for name in target.names if name not in target.settings]
    options = {"settings": settings, "shapes": shapes, "per_step": names, "names": further}
    return joined(law, f"{controller.law} tracking", parts, **options)


def torque_graph(controller):
    """Motor torques as a graph, from the state, the desired motion and the gains."""
    robot = controller.robot
    shapes = {"q": (robot.nq,), "qd": (robot.nv,), "desired": (robot.nq + 2 * robot.nv,)}
    shapes |= {"kp": (robot.nv,), "kd": (robot.nv,)}

    def torques(q, qd, desired, kp, kd):
        wanted = Motion.of(robot, desired)
        return controller.first(q[0].builder, (q, qd), wanted, (kp, kd))[0]

    return trace(torques, shapes, controller.law)


@lru_cache(maxsize=16)
def _kernel(body):
    return CPU.map(body)


def _row(motion):
    shape = np.broadcast_shapes(*(np.shape(each)[:-1] for each in motion))
    each = [np.broadcast_to(part, (*shape, np.shape(part)[-1])) for part in motion]
    return np.concatenate(each, axis=-1)
