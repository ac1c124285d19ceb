"""The task "balance": a cart keeps a pole upright, or a pole on a pole."""

from __future__ import annotations

import numpy as np

from ..checks import integer
from ..robots.frame import Frame
from ..robots.inertia import Inertia
from ..robots.joint import Joint
from ..robots.pose import Pose
from ..robots.robot import Robot
from ..simulation.limits import Limits
from .task import Task

FORCE, TRACK, TILT = 10.0, 2.4, 0.25  # N, m, rad
CART, POLES, LENGTH = 1.0, 0.1, 1.0  # kg, kg and m, all poles together


def balance(poles: int = 1, swing_up: bool = False) -> Task:
    """Return the task to keep a pole upright on a cart that is pushed left and right.

    The action is a force of up to 10 N. Observed are the position and rate of the cart, sines and
    cosines of the angles of the poles and their rates. The reward is about 1 per step while the
    pole is upright and the cart near the middle. It is terminated when the cart is off its track of
    2.4 m to each side, or, unless `swing_up`, when a pole is tilted by more than 0.25 rad.

    **Arguments:**

    - `poles`: how many, one hinged to the end of the other; together they are 1 m long.
    - `swing_up`: begin with the poles hanging down.

    **Returns:** a `px.gym.Task`, for `px.gym.make` and others.

    **Raises:** `px.ArgumentError` if `poles` is not an integer >= 1.

    **Example:**

    >>> task = px.gym.balance(poles=2, swing_up=True)
    >>> task.robot.joint_names, task.actions
    (['slide', 'hinge1', 'hinge2'], 1)
    """
    integer("poles", poles)
    robot = cart_and_poles(poles)

    def push(t, q, qd, u):
        return np.array([FORCE * u[0]] + [0.0] * poles)

    def start(draws):
        q = draws.uniform(-0.05, 0.05, poles + 1)
        if swing_up:
            q = q + np.pi * np.eye(poles + 1)[1]
        return {"q": q, "qd": draws.uniform(-0.05, 0.05, poles + 1)}

    def observe(now):
        angles = now.q[1:]
        ends = np.concatenate([now.q[:1], np.sin(angles), np.cos(angles)])
        return np.concatenate([ends, now.qd])

    def reward(now):
        tilts = np.cumsum(now.q[1:])
        upright = np.sum(1.0 + np.cos(tilts)) / (2.0 * poles)
        return upright - 0.1 * (now.q[0] / TRACK) ** 2 - 0.01 * now.action[0] ** 2

    def terminated(now):
        off = np.abs(now.q[0]) > TRACK
        return off if swing_up else off | np.any(np.abs(np.cumsum(now.q[1:])) > TILT)

    return Task(
        robot,
        0.02,
        push,
        1,
        start,
        observe,
        reward,
        terminated,
        max_steps=500,
        limits=Limits(),
        name="swing_up" if swing_up else "balance",
    )


def cart_and_poles(poles: int) -> Robot:
    """A cart that slides along x, and slender rods that turn about y; upright at q = 0."""
    length, mass = LENGTH / poles, POLES / poles
    joints = [Joint("slide", "prismatic", -1, Pose(), (1.0, 0.0, 0.0))]
    links, frames = [Inertia.of(CART, (0, 0, 0), (0, 0, 0))], [Frame("cart", 0)]
    across = mass * length**2 / 12
    for k in range(poles):
        seat = Pose(translation=(0.0, 0.0, length if k else 0.0))
        joints.append(Joint(f"hinge{k + 1}", "revolute", k, seat, (0.0, 1.0, 0.0)))
        links.append(Inertia.of(mass, (0, 0, length / 2), (across, across, 0)))
        frames.append(Frame(f"pole{k + 1}", k + 1))
    return Robot(f"cart_and_{poles}_poles", joints, links, frames, warn=False)
