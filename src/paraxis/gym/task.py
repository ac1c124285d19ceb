"""`px.gym.Task`: what a robot is to do, as functions that can be traced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from ..checks import integer
from ..errors import ArgumentError
from ..robots.robot import Robot, a_robot
from ..simulation.ground.ground import Ground
from ..simulation.limits import Limits
from ..simulation.simulator import Simulator, positive
from .draws import Draws

STATE = ("q", "qd")
OF_MOMENT = ("q", "qd", "t", "action", "last_action", "memory")


@dataclass(frozen=True, eq=False)
class Task:
    """A task for learning: a robot, what actions do, observations, rewards and termination.

    `observe`, `reward` and `terminated` are functions of one argument, the moment `now` after an
    action, with the attributes `now.q`, `now.qd`, `now.t` (seconds since the start), `now.action`,
    `now.last_action` (the one before; 0 at first), `now.memory` (of a controller that has one, by
    name) and whatever `start` returned, by name. They are traced, as functions of `px.trace` are,
    and compiled together, with the values that they read when an environment is made.

    **Arguments:**

    - `robot`, `dt`, `method`, `ground`, `limits`: as of `px.Simulator`.
    - `controller`: what turns actions into torques, `controller(t, q, qd, u)`, or one with memory;
      `u` are the actions, each from -1 to 1. It also gets what `start` returns under the names of
      its other arguments.
    - `actions`: the number of entries of an action.
    - `start`: a function of `draws` that returns a dict with `"q"` and, if robots do not begin at
      rest, `"qd"`; `draws.uniform(low, high, size)` are random numbers. Further entries are scalars
      or arrays: parameters of the robot or the ground, such as `"mass"` or `"friction"`, which are
      set in the simulation, and any others, such as a goal. It is traced, too.
    - `observe`: a function of `now` that returns an array.
    - `reward`: a function of `now` that returns a number.
    - `terminated`: a function of `now` that returns a condition.
    - `decimation`: how many steps of `dt` an action lasts.
    - `max_steps`: after how many actions an episode is truncated; None for never.
    - `name`: of the task.

    **Raises:** `px.ArgumentError` if arguments are not valid.

    **Example:**

    >>> def start(draws):
    ...     return {"q": draws.uniform(-0.1, 0.1, 1), "goal": draws.uniform(-1.0, 1.0, 1)}
    ...
    >>> task = px.gym.Task(
    ...     px.robots.planar(1),
    ...     dt=0.01,
    ...     controller=lambda t, q, qd, u: 10.0 * u,
    ...     actions=1,
    ...     start=start,
    ...     observe=lambda now: np.concatenate([now.q, now.qd, now.goal]),
    ...     reward=lambda now: -abs(now.q - now.goal)[0],
    ...     terminated=lambda now: abs(now.q[0]) > 3.0,
    ... )
    >>> env = px.gym.make(task, num_envs=8)
    >>> env.reset(seed=0)[0].shape
    (8, 3)
    """

    robot: Robot
    dt: float
    controller: Callable
    actions: int
    start: Callable
    observe: Callable
    reward: Callable
    terminated: Callable
    decimation: int = 1
    max_steps: int | None = 1000
    method: str | None = None
    ground: Ground | None = None
    limits: bool | Limits = True
    name: str = "task"

    def __post_init__(self):
        a_robot(self.robot)
        positive(self.dt, "dt")
        if self.method == "adaptive":
            raise ArgumentError("method: tasks have fixed steps; use 'rk4' instead of 'adaptive'")
        integer("actions", self.actions)
        integer("decimation", self.decimation)
        if self.max_steps is not None:
            integer("max_steps", self.max_steps)
        for name in ("controller", "start", "observe", "reward", "terminated"):
            if not callable(getattr(self, name)):
                found = type(getattr(self, name)).__name__
                raise ArgumentError(f"{name}: expected a function, found {found}")

    def simulator(self, dtype: DTypeLike = "float64") -> Simulator:
        """A new Simulator of its robot, in which nothing is reset yet."""
        return Simulator(
            self.robot,
            dt=self.dt,
            controller=self.controller,
            method=self.method,
            ground=self.ground,
            limits=self.limits,
            dtype=dtype,
        )

    def begin(self, draws: Draws) -> dict[str, np.ndarray]:
        """What `start` returns, with "qd" in any case, as arrays."""
        found = self.start(draws)
        if not isinstance(found, dict) or "q" not in found:
            raise ArgumentError(
                'start: expected a dict with the positions "q", and further entries by name'
            )
        taken = [name for name in found if name in OF_MOMENT and name not in STATE]
        if taken:
            raise ArgumentError(f"start: {taken[0]} has a meaning of its own; choose another name")
        begun = {"qd": np.zeros(self.robot.nv)} | found
        arrays = {name: np.asarray(value) for name, value in begun.items()}
        for name, size in (("q", self.robot.nq), ("qd", self.robot.nv)):
            if arrays[name].shape != (size,):
                raise ArgumentError(
                    f"start: expected {name} of shape {(size,)}, found {arrays[name].shape}"
                )
        return arrays
