"""`px.gym.functional`: a task as pure functions of JAX arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import ArgumentError
from ..later import imported
from ..simulation.names import setting_input
from ..simulation.simulator import COMMAND
from .making import task_of
from .task import STATE, Task
from .traced import Traced


class Episode(NamedTuple):
    """Where a robot at a task is; a pytree of JAX arrays.

    - `carried`: by name, what a step carries: `q`, `qd`, memory of the controller, impulses.
    - `begun`: by name, what the task's `start` returned.
    - `action`, `last_action`: the action that led here, and the one before.
    - `steps`: how many actions there were.
    - `terminated`: whether the task is terminated here.
    """

    carried: dict[str, Any]
    begun: dict[str, Any]
    action: Any
    last_action: Any
    steps: Any
    terminated: Any


class Functions:
    """`reset`, `step` and `observe` of a task, for one robot; `jax.vmap` makes them for many.

    `actions` and `observations` are the numbers of numbers in an action and in an observation.
    """

    def __init__(self, task: Task, function: Any, stepped: Any):
        traced = Traced(task)
        self.task, self._traced = task, traced
        self.actions, self.observations = task.actions, traced.observations
        self._start, self._look = function(traced.start), function(traced.look)
        simulator = task.simulator()
        first = traced.start.evaluate(row=np.full(traced.start.inputs["row"], 0.5))
        first = first if isinstance(first, dict) else {"q": first}
        given = {name: first[name] for name in traced.simulated}
        simulator.reset(first["q"], first["qd"], **given)
        step, carried, self._held = simulator.commanded(np.zeros(task.actions))
        self._first = {name: array[0] for name, array in carried.items() if name not in STATE}
        self._becomes = {name: step.carried[name] for name in carried}
        self._inputs = {
            name: setting_input(name) if name in simulator.settings else name
            for name in traced.simulated
        }
        self._simulated = stepped(step.body)

    def reset(self, key: Any) -> Episode:
        """A new episode, from a key of `jax.random`."""
        import jax

        jnp = jax.numpy
        row = jax.random.uniform(key, self._traced.start.inputs["row"])
        begun = dict(zip(self._traced.start.outputs, self._start(row), strict=True))
        first = {name: jnp.asarray(x, row.dtype) for name, x in self._first.items()}
        carried = {name: begun[name] for name in STATE} | first
        still = jnp.zeros(self.actions, row.dtype)
        count, false = jnp.zeros((), row.dtype), jnp.asarray(False)
        return Episode(carried, begun, still, still, count, false)

    def observe(self, state: Episode) -> Any:
        """The observation."""
        return self._seen(state)[0]

    def step(self, state: Episode, action: Any) -> tuple[Episode, Any, Any, Any]:
        """(state, observation, reward, done) after an action; done when terminated or truncated.

        Nothing is reset.
        """
        import jax

        jnp = jax.numpy
        action = jnp.clip(jnp.asarray(action, state.action.dtype), -1.0, 1.0)
        if action.shape != (self.actions,):
            raise ArgumentError(f"action: expected shape {(self.actions,)}, found {action.shape}")
        held = {name: jnp.asarray(x, action.dtype) for name, x in self._held.items()}
        held |= {self._inputs[name]: state.begun[name] for name in self._inputs}
        held[setting_input(COMMAND)] = action

        def once(carried, _):
            made = self._simulated(**carried, **held)
            return {name: made[output] for name, output in self._becomes.items()}, None

        carried, _ = jax.lax.scan(once, state.carried, None, length=self.task.decimation)
        steps = state.steps + 1.0
        after = Episode(carried, state.begun, action, state.action, steps, state.terminated)
        observation, reward, ended = self._seen(after)
        terminated = ended > 0.0
        most = jnp.inf if self.task.max_steps is None else self.task.max_steps
        after = after._replace(terminated=terminated)
        return after, observation, reward, terminated | (steps >= most)

    def _seen(self, state):
        have = {**state.begun, **state.carried}
        have |= {"action": state.action, "last_action": state.last_action}
        have["t"] = state.steps * (self.task.decimation * self.task.dt)
        return self._look(**{name: have[name] for name in self._traced.look.inputs})

    def __repr__(self):
        return (
            f"<functions of the task {self.task.name!r}: {self.actions} actions, "
            f"{self.observations} observations>"
        )


def functional(task: str | Task, **options: Any) -> Functions:
    """Return a task as pure functions of JAX arrays, for `jax.jit`, `jax.vmap` and `jax.lax.scan`.

    `functions.reset(key)` returns the state of one robot, `functions.step(state, action)` returns
    (state, observation, reward, done), and `functions.observe(state)` an observation. States are
    pytrees; nothing is reset by itself. float32, or float64 where `jax_enable_x64` is set.

    Derivatives in both directions work without ground; on the ground only forward ones
    (`jax.jvp`) do, as the number of sweeps is not known in advance.

    **Arguments:**

    - `task`: `"balance"`, `"reach"` or `"walk"`, or a `px.gym.Task`.
    - `options`: of the task, as of `px.gym.make`.

    **Returns:** the functions, as attributes `reset`, `step` and `observe`.

    **Raises:** `px.MissingPackageError` if JAX is not installed.

    **Example:**

    >>> import jax
    >>> functions = px.gym.functional("balance")
    >>> state = functions.reset(jax.random.key(0))
    >>> state, observation, reward, done = jax.jit(functions.step)(state, jax.numpy.zeros(1))
    >>> observation.shape
    (5,)
    """
    module = imported("..jax", __package__)  # says what to install
    stepped = imported("..jax.stepped", __package__).stepped
    return Functions(task_of(task, options), module.function, stepped)
