"""The task "walk": a robot with four legs walks ahead on flat ground."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import ArgumentError
from ..math import minimum
from ..robots.loading import load
from ..robots.model import parameter_values
from ..robots.robot import Robot
from ..simulation.ground.ground import Ground
from ..simulation.ground.points import ContactPoint
from ..simulation.limits import Limits
from .task import Task

FEET = ("FL_foot", "FR_foot", "RL_foot", "RR_foot")  # of a Go2
STANCE = (0.0, 0.8, -1.5) * 4
HEIGHT, RADIUS = 0.335, 0.022  # m, of the base in that stance, and of the feet
STIFFNESS, DAMPING, SWING = 40.0, 0.8, 0.4  # N m/rad, N m s/rad, rad
LOW, TILTED = 0.18, 0.5  # m of the base; cosine of its tilt
FASTEST = 1.0  # m/s that are rewarded
STRIDES = 2.0  # Hz, of the clock that is observed


def walk(
    robot: str | Robot = "go2",
    feet: Sequence[str] = FEET,
    stance: Sequence[float] = STANCE,
    height: float = HEIGHT,
    radius: float = RADIUS,
    stiffness: float = STIFFNESS,
    damping: float = DAMPING,
    randomize: bool = False,
) -> Task:
    """Return the task to walk ahead on flat ground.

    Actions are angles of the joints about a stance, up to 0.4 rad, which motors with stiffness and
    damping follow at 200 Hz; a policy acts at 50 Hz. Observed are the direction of gravity,
    velocities of the base (both along its axes), joint angles from the stance, joint rates (times
    0.05), the action, and sine and cosine of a clock of 2 Hz. The reward has twice the speed ahead,
    up to 1 m/s, and a little for being upright, minus speeds in other directions and a cost of
    torques. It is terminated when the base is low or tilted.

    **Arguments:**

    - `robot`: a robot with a free base and one frame per foot, or its name.
    - `feet`, `radius`: frames of its feet, and the radius of the spheres that they are, m.
    - `stance`, `height`: joint positions, and the height of the base above the ground in them, m.
    - `stiffness`, `damping`: of the motors, N m/rad and N m s/rad.
    - `randomize`: draw friction, from 0.5 to 1.1, and all masses, up to 15 % off, in each episode.

    **Returns:** a `px.gym.Task`, for `px.gym.make` and others.

    **Raises:** `px.ArgumentError` if the robot does not have a free base and the joints of the
    stance.

    **Example:**

    >>> task = px.gym.walk()
    >>> task.robot.nv, task.actions, task.dt * task.decimation  # 18, with the base
    (18, 12, 0.02)
    """
    legged = load(robot, floating_base=True) if isinstance(robot, str) else robot
    rest = np.asarray(stance, float)
    n = len(rest)
    if legged.nq != n + 7 or legged.joints[0].kind != "free":
        raise ArgumentError(
            f"walk: expected a robot with a free base and the {n} joints of the stance, found "
            f"nq = {legged.nq}"
        )
    ground = Ground([ContactPoint(foot, radius=radius) for foot in feet])
    masses = np.array(parameter_values(legged, "mass"))

    def servo(t, q, qd, u):
        tau = stiffness * (rest + SWING * u - q[7:]) - damping * qd[6:]
        return np.concatenate([np.zeros(6), tau])

    def start(draws):
        joints = rest + draws.uniform(-0.1, 0.1, n)
        begun = {"q": np.concatenate([[0.0, 0.0, height, 0.0, 0.0, 0.0, 1.0], joints])}
        begun["qd"] = draws.uniform(-0.1, 0.1, n + 6)
        if randomize:
            begun["mass"] = masses * draws.uniform(0.85, 1.15, len(masses))
            begun["friction"] = np.tile(draws.uniform(0.5, 1.1), len(feet))
        return begun

    def observe(now):
        joints, phase = now.q[7:] - rest, 2.0 * np.pi * STRIDES * now.t
        body = np.concatenate([down(now.q), now.qd[:6], joints, 0.05 * now.qd[6:]])
        return np.concatenate([body, now.action, [np.sin(phase), np.cos(phase)]])

    def reward(now):
        v, turning = now.qd[:3], now.qd[3:6]
        upright = -down(now.q)[2]
        torques = servo(now.t, now.q, now.qd, now.action)
        change = now.action - now.last_action
        others = 0.5 * v[1] ** 2 + 0.5 * v[2] ** 2 + 0.05 * (turning @ turning)
        effort = 2e-4 * (torques @ torques) + 0.01 * (change @ change)
        return 2.0 * minimum(v[0], FASTEST) + 0.2 * upright - others - effort

    def terminated(now):
        return (now.q[2] < LOW) | (-down(now.q)[2] < TILTED)

    return Task(
        legged,
        0.005,
        servo,
        n,
        start,
        observe,
        reward,
        terminated,
        decimation=4,
        max_steps=500,
        ground=ground,
        limits=Limits(),
        name="walk",
    )


def down(q):
    """The direction of gravity along the axes of the base."""
    x, y, z, w = q[3:7]
    return np.array([2 * (w * y - x * z), -2 * (w * x + y * z), 2 * (x * x + y * y) - 1.0])
