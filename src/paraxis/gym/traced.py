"""The functions of a task as two Programs: how an episode starts, and what a moment is worth."""

from __future__ import annotations

import inspect
import math

import numpy as np

from ..api import trace
from ..checks import quoted
from ..counter_random import random_uniform
from ..errors import ArgumentError
from ..graph.fingerprint import read
from ..robots.model import PARAMETERS
from ..scalar import select
from ..simulation.memory import has_memory, memory_shapes
from ..simulation.names import memory_input
from ..simulation.plant import finite
from ..simulation.settings import WITH_MEMORY
from ..simulation.simulator import COMMAND, OF_GROUND
from .draws import Draws
from .task import STATE, Task

TERMINATED, FAILED = 1.0, 2.0  # values of the output `ended`
FUNCTIONS = ("start", "observe", "reward", "terminated")  # that are traced once


class Traced:
    """A task with its Programs.

    - `shapes`: name -> shape of what `start` returns.
    - `simulated`: those of them, besides q and qd, that are parameters of the simulation.
    - `start`: from uniform numbers `row` to those. `seeded`: from `seed` and `episode` to those.
    - `look`: from a moment to `observation`, `reward` and `ended`: 0, TERMINATED or FAILED. Its
      inputs are those of `moment_shapes` that the functions of the task read.
    """

    def __init__(self, task: Task):
        self.task, counting = task, Draws()
        self.shapes = {name: array.shape for name, array in task.begin(counting).items()}
        self.draws = counting.taken
        taken = {*inspect.signature(task.controller).parameters} - {*WITH_MEMORY, COMMAND}
        known = {*PARAMETERS, *(OF_GROUND if task.ground else ()), *taken}
        self.simulated = tuple(x for x in self.shapes if x in known and x not in STATE)
        self.moment_shapes = self._moment_shapes()
        self.start = traced_alike(self._start, "start", row=max(self.draws, 1))
        self.seeded = trace(self._seeded, seed=(), episode=())
        self.look = self._look()
        self.observations = self.look.outputs["observation"][0]
        self._readings = self._read()  # after tracing, which may change what functions count

    def _read(self):
        """What the functions of the task read; None of one for which that is unknown."""
        return {name: read(getattr(self.task, name)) for name in FUNCTIONS}

    def outdated(self):
        """The functions of the task that read other values by now than those that are compiled."""
        return [
            name
            for name, now in self._read().items()
            if now is not None and not _same(now, self._readings[name])
        ]

    def _moment_shapes(self):
        task = self.task
        shapes = self.shapes | {"t": ()} | dict.fromkeys(("action", "last_action"), (task.actions,))
        if has_memory(task.controller):
            for name, shape in memory_shapes(task.controller, task.robot).items():
                shapes[memory_input(name)] = shape
        return shapes

    def _start(self, row):
        return self.task.begin(Draws(row))

    def _seeded(self, seed, episode):
        return self._start(random_uniform(seed, episode, size=max(self.draws, 1)))

    def _look(self):
        """Traced twice: the first time to find out which inputs are read."""
        read = {*STATE}  # always: whether they are finite

        def look(**arrays):
            now = Moment(arrays, read)
            observation = _numbers(self.task.observe(now), "observe")
            reward = _number(self.task.reward(now), "reward")
            terminated = _number(self.task.terminated(now), "terminated")
            fine = finite([*arrays["q"], *arrays["qd"], *observation, reward])
            return {
                "observation": [select(fine, x, 0.0) for x in observation],
                "reward": select(fine, reward, 0.0),
                "ended": select(fine, select(terminated, TERMINATED, 0.0), FAILED),
            }

        trace(look, **self.moment_shapes)
        shapes = {name: shape for name, shape in self.moment_shapes.items() if name in read}
        return traced_alike(look, "observe, reward, terminated", **shapes)


def traced_alike(function, what, **shapes):
    """The Program of a function that computes the same whenever it is called."""
    program = trace(function, **shapes)
    if trace(function, **shapes).text() != program.text():
        raise ArgumentError(
            f"{what}: it returns something different when called again, and would be compiled as "
            f"it was once; take random numbers from the draws of start"
        )
    return program


def _same(reading, before):
    if before is None:
        return True
    return (reading.structure, reading.numbers) == (before.structure, before.numbers)


class Moment:
    """What functions of a task see; `read` collects the names of what they read."""

    def __init__(self, arrays, read):
        self._arrays, self._read = arrays, read

    def __getattr__(self, name):
        if name == "memory":
            prefix = memory_input("")
            found = {key: key[len(prefix) :] for key in self._arrays if key.startswith(prefix)}
            self._read.update(found)
            return {name: self._arrays[key] for key, name in found.items()}
        if name not in self._arrays:
            has = ", ".join(key for key in self._arrays)
            raise AttributeError(f"a moment has no {name!r}, only {has}")
        self._read.add(name)
        return self._arrays[name]


def _numbers(value, what):
    array = np.asarray(value)
    if array.ndim > 1 or not array.size:
        raise ArgumentError(f"{what}: expected an array of one axis, found shape {array.shape}")
    return [_scalar(x, what) for x in array.reshape(math.prod(array.shape)).tolist()]


def _number(value, what):
    if np.shape(value) != ():
        raise ArgumentError(f"{what}: expected a single number, found shape {np.shape(value)}")
    return _scalar(np.asarray(value).item(), what)


def _scalar(value, what):
    """A float or a traced scalar."""
    if value is None or isinstance(value, str | bytes | complex | dict):
        raise ArgumentError(f"{what}: expected numbers, found {quoted(value)}")
    return value
