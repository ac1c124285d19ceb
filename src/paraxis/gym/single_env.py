"""A task as gymnasium's Env: one robot."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import DTypeLike

from .task import Task
from .vector_env import VectorEnvironment


class SingleEnvironment(gymnasium.Env):
    """A robot at a task; `px.gym.make_single` makes them. `env.vector` has this one robot."""

    def __init__(self, task: Task, dtype: DTypeLike = "float64"):
        self.vector = VectorEnvironment(task, 1, AutoresetMode.DISABLED, dtype=dtype)
        self.metadata = {"render_modes": []}
        self.observation_space = self.vector.single_observation_space
        self.action_space = self.vector.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        observation, infos = self.vector.reset(seed=seed, options=options)
        return observation[0], _of_one(infos)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        found = self.vector.step(np.asarray(action)[None])
        observation, reward, terminated, truncated, infos = found
        ends = bool(terminated[0]), bool(truncated[0])
        return observation[0], float(reward[0]), *ends, _of_one(infos)


def _of_one(infos):
    return {name: bool(value[0]) for name, value in infos.items() if name[0] != "_"}
