"""The task "reach": an arm moves its tool to a point."""

from __future__ import annotations

import numpy as np

from ..api import forward_kinematics, gravity_torques, mass_matrix
from ..errors import ArgumentError
from ..robots.loading import load
from ..robots.robot import Robot
from ..simulation.limits import Limits
from .task import Task

SPEED = 1.5  # rad/s of an action of 1
RATE = 20.0  # 1/s, at which rates come to those that are asked for
POSTURE = (0.0, -1.2, 1.4, -0.8, -1.5, 0.0)  # of a UR5
SPREAD = 0.6  # rad, of joints about the posture


def reach(
    robot: str | Robot = "ur5", frame: str | None = None, posture: tuple[float, ...] | None = None
) -> Task:
    """Return the task to move the tool of an arm to a random point.

    Actions are the rates of the joints, up to 1.5 rad/s, which a controller with gravity
    compensation follows. Observed are positions and rates of the joints, where the tool is, and how
    far and in which direction the goal is. The reward is minus the distance to the goal, and a
    little less for fast motion. Episodes last 2 s and are never terminated.

    **Arguments:**

    - `robot`: an arm with joints of one degree of freedom each, or its name.
    - `frame`: the frame of its tool, by default the last one.
    - `posture`: joint positions in the middle of those where episodes begin and goals are; by
      default all 0, except of a UR5.

    **Returns:** a `px.gym.Task`, for `px.gym.make` and others.

    **Raises:** `px.RobotError` if there is no such robot, and, once it is made, if there is no such
    frame.

    **Example:**

    >>> task = px.gym.reach("ur5")
    >>> task.actions, task.dt * task.decimation  # rates of six joints; seconds per action
    (6, 0.02)
    """
    arm = load(robot) if isinstance(robot, str) else robot
    n = arm.n
    if arm.nq != n or arm.nv != n:
        raise ArgumentError("reach: expected an arm whose joints have one degree of freedom each")
    if posture is None:
        posture = POSTURE if arm.name == "ur5" else (0.0,) * n
    middle = np.asarray(posture, float)
    if middle.shape != (n,):
        raise ArgumentError(f"posture: expected {n} numbers, found shape {middle.shape}")
    gains = RATE * np.diagonal(mass_matrix(arm, middle))

    def tool(q):
        return forward_kinematics(arm, q, frame)[:3, 3]

    def follow(t, q, qd, u):
        return gravity_torques(arm, q) + gains * (SPEED * u - qd)

    def start(draws):
        q = middle + draws.uniform(-SPREAD, SPREAD, n)
        return {"q": q, "goal": tool(middle + draws.uniform(-SPREAD, SPREAD, n))}

    def observe(now):
        place = tool(now.q)
        return np.concatenate([now.q, now.qd, place, now.goal - place])

    def reward(now):
        away = now.goal - tool(now.q)
        return -np.sqrt(away @ away) - 0.01 * (now.action @ now.action)

    return Task(
        arm,
        0.005,
        follow,
        n,
        start,
        observe,
        reward,
        lambda now: False,
        decimation=4,
        max_steps=100,
        method="semi_implicit_euler",
        limits=Limits(),
        name="reach",
    )
