"""A task as gymnasium's VectorEnv: all robots in one compiled simulation.

Robot k of `reset(seed=s)` has the seed s + k, as in gymnasium's SyncVectorEnv, and how it starts
depends on that and on how often it has started since, whatever other robots do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import DTypeLike

from ..checks import integer, quoted
from ..errors import ArgumentError, SimulationWarning, warn
from ..simulation.names import memory_input
from ..targets.target import target_of
from .task import Task
from .traced import FAILED, Traced

LAST_SEED = 2**52 - 1
SELDOM = 100  # actions, between looks at what functions of the task read
MODES = {mode.value: mode for mode in AutoresetMode}


class VectorEnvironment(VectorEnv):
    """Robots at a task; `px.gym.make` makes them.

    `env.simulator` is their `px.Simulator`. `infos["failed"]`, if there is such an entry, marks
    robots whose state, observation or reward became infinite or NaN: they are terminated and
    observe zeros.
    """

    def __init__(
        self,
        task: Task,
        num_envs: int,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        like: Any = None,
        dtype: DTypeLike = "float64",
    ):
        self.task, self.num_envs = task, integer("num_envs", num_envs)
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode}
        self._traced = traced = Traced(task)
        self._target = target_of({} if like is None else {"like": like})
        self.simulator = task.simulator(dtype)
        self._start = self._target.map(traced.seeded)  # float64, of which seeds have all digits
        self._look = self._target.map(traced.look, dtype)
        bounds = np.full(traced.observations, np.inf, np.float32)
        self.single_observation_space = Box(-bounds, bounds, dtype=np.float32)
        self.single_action_space = Box(-1.0, 1.0, (task.actions,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seeds: np.ndarray | None = None  # until the first reset
        self._episodes = np.zeros(num_envs)
        self._acted = 0  # how often
        self._said: set[str] = set()  # what has been warned of
        with self._target.stream():
            self._make_arrays()

    def _make_arrays(self):
        xp, dtype, robots = self._target.arrays, self.simulator.dtype, (self.num_envs,)
        self._begun = {
            name: xp.zeros((*robots, *shape), dtype) for name, shape in self._traced.shapes.items()
        }
        self._actions = {
            name: xp.zeros((*robots, self.task.actions), dtype)
            for name in ("action", "last_action")
        }
        self._steps, self._over = xp.zeros(robots, dtype), xp.zeros(robots, bool)

    # -- gymnasium's functions --------------------------------------------------------------------

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start all episodes, or those where `options["reset_mask"]` is True."""
        mask = self._mask(options)
        self._warn_if_outdated()
        self._take_seeds(seed, mask)
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
        with self._target.stream():
            self._restart(mask)
            self._over[self._target.put(mask)] = False
            observation, _, ended = self._looked()
            infos = self._failures(ended)
            return self._target.given_back(observation), infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Act, and return observations, rewards, terminations, truncations and infos."""
        if self._seeds is None:
            raise ArgumentError("step: episodes have not started yet; call reset first")
        target, mode, back = self._target, self.autoreset_mode, self._target.given_back
        with target.stream():
            xp = target.arrays
            over = target.in_main_memory(self._over)
            if mode is AutoresetMode.DISABLED and over.any():
                raise ArgumentError(_ended(over))
            self._act(target.array(actions, "actions", (self.task.actions,)))
            new = over.any() and mode is AutoresetMode.NEXT_STEP
            if new:
                self._restart(over)
            observation, reward, ended = self._looked()
            terminated, truncated = ended > 0.0, self._truncated()
            if new:
                reward = xp.where(self._over, 0.0, reward)
                terminated, truncated = terminated & ~self._over, truncated & ~self._over
            infos = self._failures(ended)
            self._over = terminated | truncated
            if mode is AutoresetMode.SAME_STEP:
                over = target.in_main_memory(self._over)
                if over.any():
                    infos = self._final(observation, over, infos)
                    observation = self._begin_again(observation, over)
            return back(observation), back(reward), back(terminated), back(truncated), infos

    # -- the parts of a step ----------------------------------------------------------------------

    def _act(self, actions):
        expected = (self.num_envs, self.task.actions)
        if actions.shape != expected:
            raise ArgumentError(f"actions: expected shape {expected}, found {actions.shape}")
        dtype = self.simulator.dtype
        action = self._target.arrays.clip(actions, -1.0, 1.0).astype(dtype, copy=False)
        self._actions = {"action": action, "last_action": self._actions["action"]}
        self.simulator.step(action, self.task.decimation)
        self._steps += 1.0
        self._acted += 1
        if self._acted % SELDOM == 0 or self._acted & (self._acted - 1) == 0:  # 1, 2, 4, 8, ...
            self._warn_if_outdated()

    def _truncated(self):
        most = self.task.max_steps
        return self._steps >= (np.inf if most is None else most)

    def _looked(self, rows=None):
        """Observations, rewards and ends, of all robots or of some."""
        q, qd, _ = self.simulator.arrays_now
        have = {**self._begun, **self._actions, "q": q, "qd": qd}
        if "t" in self._look.inputs:
            have["t"] = self._steps * (self.task.decimation * self.task.dt)
        have |= {memory_input(name): x for name, x in self.simulator.memory.items()}
        given = [have[name] if rows is None else have[name][rows] for name in self._look.inputs]
        observation, reward, ended = self._look(*given)  # by position: several times as fast
        return observation.astype(np.float32, order="C"), reward, ended

    def _restart(self, mask):
        """New episodes of robots; the mask is in main memory."""
        target, rows = self._target, np.flatnonzero(mask)
        seeds, episodes = self._seeds[rows], self._episodes[rows]
        self._episodes[rows] += 1.0
        found = self._start(target.put(seeds), target.put(episodes))  # seed, episode
        rows = target.put(rows)
        for name, array in zip(self._traced.seeded.outputs, _several(found), strict=True):
            self._begun[name][rows] = array
        for array in self._actions.values():
            array[rows] = 0.0
        self._steps[rows] = 0.0
        given = {name: self._begun[name] for name in self._traced.simulated}
        some = None if self.simulator.batch is None else target.put(mask)
        self.simulator.reset(self._begun["q"], self._begun["qd"], some, **given)

    def _begin_again(self, observation, over):
        """Observations in which those robots that are over have started anew."""
        self._restart(over)
        rows = self._target.put(np.flatnonzero(over))
        observation[rows] = self._looked(rows)[0]
        return observation

    def _final(self, observation, over, infos):
        """gymnasium's infos about the last moments of episodes."""
        last = np.full(self.num_envs, None, object)
        for k in np.flatnonzero(over):
            last[k] = self._target.given_back(observation[k].copy())
        return {
            "final_obs": last,
            "_final_obs": over.copy(),
            "final_info": infos,
            "_final_info": over.copy(),
        }

    def _failures(self, ended):
        failed = self._target.in_main_memory(ended == FAILED)
        if not failed.any():
            return {}
        self._warn_of_functions(failed)
        return {"failed": failed, "_failed": failed.copy()}

    # -- what is wrong with the task, said once ---------------------------------------------------

    def _warn_of_functions(self, failed):
        """Robots that move on, but of which an observation or reward is not finite."""
        if "failed" in self._said:
            return
        fetched = self._target.in_main_memory
        q, qd, _ = self.simulator.arrays_now
        moving = np.isfinite(fetched(q)).all(axis=-1) & np.isfinite(fetched(qd)).all(axis=-1)
        some = failed & moving
        if some.any():
            self._said.add("failed")
            warn(
                f"task {quoted(self.task.name)}: the observation or reward of {some.sum()} of "
                f"{some.size} robots is not finite; their episodes end (infos['failed'])",
                SimulationWarning,
            )

    def _warn_if_outdated(self):
        """Functions of the task whose values were changed, which nothing here notices."""
        if "outdated" in self._said:
            return
        names = self._traced.outdated()
        if names:
            self._said.add("outdated")
            warn(
                f"task {quoted(self.task.name)}: something that {' and '.join(names)} read has "
                f"changed since the environment was made, and has no effect: they are compiled "
                f"with the values they had; make a new environment, or draw the value in start",
                SimulationWarning,
            )

    # -- seeds and masks --------------------------------------------------------------------------

    def _mask(self, options):
        others = [name for name in options or {} if name != "reset_mask"]
        if others:
            raise ArgumentError(f"options: expected only 'reset_mask', found {others[0]!r}")
        given = (options or {}).get("reset_mask")
        if given is None:
            return np.ones(self.num_envs, bool)
        mask = np.asarray(self._target.fetched(given))
        if mask.dtype != bool or mask.shape != (self.num_envs,) or not mask.any():
            raise ArgumentError(
                f"reset_mask: expected bool of shape {(self.num_envs,)}, not all of them False, "
                f"found {mask.dtype} of shape {mask.shape}"
            )
        if self._seeds is None and not mask.all():
            raise ArgumentError("reset_mask: the first reset must be of all environments")
        return mask

    def _take_seeds(self, seed, mask):
        """The seeds of robots in the mask; those that get none keep the one they have."""
        count = self.num_envs
        if self._seeds is None:
            base = np.random.SeedSequence().generate_state(1)[0] if seed is None else 0
            self._seeds = float(base) + np.arange(float(count))
        if seed is None:
            return
        if isinstance(seed, int | np.integer):
            seed = [int(seed) + k for k in range(count)]
        if not isinstance(seed, list | tuple | np.ndarray):
            raise ArgumentError(f"seed: expected an integer or a list, found {quoted(seed)}")
        if len(seed) != count:
            raise ArgumentError(f"seed: expected {count} seeds, found {len(seed)}")
        for k in np.flatnonzero(mask):
            if seed[k] is not None:
                if not isinstance(seed[k], int | np.integer) or not 0 <= seed[k] <= LAST_SEED:
                    raise ArgumentError(
                        f"seed: expected integers from 0 to 2**52 - 1, found {seed[k]!r}"
                    )
                self._seeds[k], self._episodes[k] = seed[k], 0.0


def _mode(given):
    if isinstance(given, AutoresetMode):
        return given
    if given in MODES:
        return MODES[given]
    raise ArgumentError(
        f"autoreset_mode: expected one of {', '.join(map(repr, MODES))}, found {given!r}"
    )


def _ended(over):
    rows = np.flatnonzero(over)
    some = ", ".join([*map(str, rows[:5]), *(["..."] if len(rows) > 5 else [])])
    return (
        f"step: episodes have ended ({some}) and are not reset by themselves; call "
        f"reset(options={{'reset_mask': terminated | truncated}}) first"
    )


def _several(found):
    return found if isinstance(found, tuple) else (found,)
