"""A law: what a controller computes, what it remembers, and its arguments by name.

Laws follow the protocol of simulation/memory.py. Their functions act on the last axis, so that they
work on traced arrays (n,) and, if something cannot be traced, on arrays (..., n).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...checks import quoted
from ...errors import ArgumentError
from ...simulation.memory import (
    Memory,
    WrongMemory,
    flat_memory,
    flat_names,
    flatten,
    has_memory,
    leaves,
    nest,
    returned,
    structure,
    takes_dt,
)
from ...simulation.settings import require_callable

STATE = ("t", "q", "qd")
BY_NAME = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Law:
    """A controller; created by functions of `px.control`.

    `settings`: name -> default of the arguments that it takes by name. `per_step`: names of those
    with a value for each step. `takes_dt`: whether it takes `dt`, the time from this call to the
    next.

    **Example:**

    >>> law = px.control.PID(px.robots.planar(2), kp=100.0, kd=20.0)
    >>> sorted(law.settings), law.takes_dt  # arguments of px.simulate
    (['kd', 'ki', 'kp'], True)
    """

    structure: ClassVar[dict[str, Any]] = {}  # nested memory

    def __init__(
        self,
        function: Callable,
        title: str,
        names: tuple[str, ...] | None = None,
        settings: dict[str, Any] | None = None,
        setting_shapes: dict[str, tuple[int, ...]] | None = None,
        per_step: tuple[str, ...] = (),
        needs_dt: bool = False,
        optional: tuple[str, ...] = (),
    ):
        self._function, self._title = function, title
        self.settings = dict(settings or {})
        self.setting_shapes = dict(setting_shapes or {})
        self.per_step, self.takes_dt = tuple(per_step), needs_dt
        self.names = names  # of all arguments by name; None if it takes any
        self.optional = tuple(optional)  # those with a default in its function
        for name in (*self.settings, *self.per_step):
            if names is not None and name not in names:
                raise ArgumentError(
                    f"{name}: {title} takes no argument of this name, only "
                    f"{', '.join(names) or 'none'}"
                )
        self.__signature__ = self._made_signature()

    def _made_signature(self):
        kinds = inspect.Parameter
        first = [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in self._first]
        known = {*self.settings, *self.optional}
        others = [
            kinds(name, kinds.KEYWORD_ONLY, default=None if name in known else kinds.empty)
            for name in dict.fromkeys((*(self.names or ()), *self.settings, *self.per_step))
        ]
        others += [kinds("dt", kinds.KEYWORD_ONLY, default=None)] if self.takes_dt else []
        others += [kinds("others", kinds.VAR_KEYWORD)] if self.names is None else []
        return inspect.Signature(first + others)

    @property
    def _first(self):
        return STATE

    def _given(self, q, given):
        """Its arguments by name: defaults where nothing is given."""
        batch = np.shape(q)[:-1]
        defaults = {
            name: value(batch) if callable(value) else value
            for name, value in self.settings.items()
            if name not in given
        }
        if self.takes_dt and given.get("dt") is None:
            raise ArgumentError(f"{self._title}: it needs dt, the time between calls in seconds")
        return defaults | given

    def __call__(self, t: Any, q: Any, qd: Any, **given: Any) -> Any:
        return self._function(t, q, qd, **self._given(q, given))

    def __repr__(self):
        names = flat_names(self.structure)
        kept = f", remembers {', '.join(names)}" if names else ""
        return f"<{self._title}{kept}>"


class LawWithMemory(Law):
    """A controller with memory, evaluated once per step.

    `memory`: name -> initial array for one robot, or a function of the robot that returns these.
    """

    def __init__(self, function, title, memory, **options):
        self.structure = structure(memory)  # type: ignore[misc]
        super().__init__(function, title, **options)

    @property
    def memory(self) -> Any:
        if any(callable(value) for value in leaves(self.structure)):
            return lambda robot: flat_memory(self.structure, robot)
        return flat_memory(self.structure, None)

    @property
    def _first(self):
        return (*STATE, "memory")

    def __call__(self, t: Any, q: Any, qd: Any, memory: Any = None, **given: Any) -> Any:  # type: ignore[override]
        if memory is None:
            raise ArgumentError(
                f"{self._title}: it has memory, so it is called as (t, q, qd, memory), and states "
                f"alone do not determine its torques; px.control.closed_loop(..., record='tau') "
                f"records them"
            )
        own = nest(self.structure, memory)
        tau, after = returned(self._function(t, q, qd, own, **self._given(q, given)))
        return tau, flatten(self.structure, after, memory)


class Part:
    """A controller, with or without memory, as a part of another law."""

    def __init__(self, controller, what="controller"):
        require_callable(controller, what)
        self.controller = controller
        self.remembers = has_memory(controller)
        self.structure = {}
        if self.remembers:
            own = getattr(controller, "structure", None) or controller.memory
            if callable(own):
                raise WrongMemory(f"{what}: a part's memory must be a dict, found a function")
            self.structure = structure(own)
        self.settings = dict(getattr(controller, "settings", None) or {})
        self.setting_shapes = dict(getattr(controller, "setting_shapes", None) or {})
        self.per_step = tuple(getattr(controller, "per_step", ()))
        self.takes_dt = takes_dt(controller)
        self.names = names_of(controller, 3 + self.remembers)
        self.optional = optional_of(controller, 3 + self.remembers)
        if self.names is not None and "dt" in self.names and not isinstance(controller, Law):
            self.takes_dt = True  # a function with this argument
            self.names = tuple(name for name in self.names if name != "dt")

    def __call__(self, t, q, qd, memory, dt, given):
        """Its result, and its nested memory; {} if it has none."""
        own = {name: given[name] for name in given if self.names is None or name in self.names}
        own |= {"dt": dt} if self.takes_dt else {}
        if not self.remembers:
            return self.controller(t, q, qd, **own), Memory()
        before = flatten(self.structure, memory)
        result, after = returned(self.controller(t, q, qd, before, **own))
        return result, nest(self.structure, after)


def names_of(function, count):
    """Its arguments by name, besides the first ones; None if it takes any."""
    if isinstance(function, Law):
        return function.names
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters):
        return None
    return tuple(each.name for each in parameters[count:] if each.kind in BY_NAME)


def optional_of(function, count):
    """Its optional arguments."""
    if isinstance(function, Law):
        return function.optional
    try:
        parameters = list(inspect.signature(function).parameters.values())[count:]
    except (TypeError, ValueError):
        return ()
    return tuple(each.name for each in parameters if each.default is not inspect.Parameter.empty)


def joined(
    function, title, parts, memory=None, settings=None, shapes=None, per_step=(), dt=False, names=()
):
    """A law made of parts. It has memory if any of them, or the law itself, has.

    function(t, q, qd, memory, dt, given) -> (result, memory), where `memory` has that of each part
    under its name. parts: name -> Part. memory, settings, shapes, names: those of the law itself.
    """
    nested = dict(memory or {}) | {
        name: part.structure for name, part in parts.items() if part.structure
    }
    settings, shapes = dict(settings or {}), dict(shapes or {})
    per_step, names = tuple(per_step), (*settings, *names, *per_step)
    for part in parts.values():
        for key, value in part.settings.items():
            if key in settings and not _equal(settings[key], value):
                raise ArgumentError(
                    f"{key}: two parts of {title} have settings of this name with different values"
                )
        settings |= part.settings
        shapes |= part.setting_shapes
        per_step += part.per_step
        names = None if names is None or part.names is None else names + part.names
    needs_dt = dt or any(part.takes_dt for part in parts.values())
    options = {
        "names": names if names is None else tuple(dict.fromkeys(names)),
        "settings": settings,
        "setting_shapes": shapes,
        "per_step": tuple(dict.fromkeys(per_step)),
        "needs_dt": needs_dt,
        "optional": tuple(name for part in parts.values() for name in part.optional),
    }

    def with_memory(t, q, qd, memory, dt=None, **given):
        return function(t, q, qd, memory, dt, given)

    def without(t, q, qd, dt=None, **given):
        return function(t, q, qd, Memory(), dt, given)[0]

    if not nested:
        return Law(without, title, **options)
    return LawWithMemory(with_memory, title, nested, **options)


def _equal(a, b):
    return a is b or (not callable(a) and not callable(b) and np.array_equal(a, b))


def with_memory(function: Callable, **initial: Any) -> LawWithMemory:
    """Return a controller with memory, from a function that takes and returns its memory.

    The function is called once per step, as function(t, q, qd, memory), and returns `(tau,
    memory)`: the torques are applied until the next call, which gets the memory. Written with px
    functions or array arithmetic, it is compiled together with the physics.

    **Arguments:**

    - `function`: a function of (t, q, qd, memory), where `memory` is a dict whose entries are also
      attributes (`memory["total"]`, `memory.total`). It may take `dt`, the time to its next call in
      seconds, and settings by name.
    - `initial`: the memory before the first step, by name: arrays for one robot; or parts with
      memory of their own, such as filters and other controllers, which get a dict each.

    **Returns:** a controller for `px.simulate`, `px.control.sampled` and others. Its memory always
    has the names and shapes of `initial`.

    **Raises:** `px.ArgumentError` if an initial value is not an array of numbers; later, if the
    function returns other names or shapes.

    **Example:**

    >>> def integral(t, q, qd, memory, dt):
    ...     total = memory.total + (0.5 - q) * dt
    ...     return 40.0 * (0.5 - q) + 20.0 * total - 8.0 * qd, {"total": total}
    ...
    >>> controller = px.control.with_memory(integral, total=np.zeros(1))
    >>> robot = px.robots.planar(1)
    >>> run = px.simulate(robot, [0.0], [0.0], controller=controller, dt=2e-3, steps=5000)
    >>> run.q[-1]  # reaches the goal despite gravity
    array([0.5])
    """
    if not callable(function):
        raise ArgumentError(
            f"function: expected one of (t, q, qd, memory), found {quoted(function)}"
        )
    if not initial:
        raise ArgumentError("with_memory: expected initial values by name, found none")
    names = names_of(function, 4)
    needs_dt = names is not None and "dt" in names
    own = names if names is None else tuple(name for name in names if name != "dt")
    title = getattr(function, "__name__", type(function).__name__)
    optional = optional_of(function, 4)
    law = LawWithMemory(function, title, initial, names=own, needs_dt=needs_dt, optional=optional)
    flat_names(law.structure)
    if not any(callable(value) for value in leaves(law.structure)):
        flat_memory(law.structure, None)  # raises if an entry is not a number
    return law


def with_data(controller: Callable, *per_step: str, **settings: ArrayLike) -> Law:
    """Return a controller with arguments that have a value for each step, or a default.

    **Arguments:**

    - `controller`: a function of (t, q, qd), or a controller with memory, that takes these
      arguments by name.
    - `per_step`: names of arguments whose values, passed to `px.simulate`, have the steps as their
      first axis, such as references or disturbances.
    - `settings`: defaults of other arguments, for one robot. They are inputs of the compiled code,
      so that new values do not recompile.

    **Returns:** a controller.

    **Raises:** `px.ArgumentError` if the controller does not take an argument of that name.

    **Example:**

    >>> def follow(t, q, qd, goal, stiffness):
    ...     return stiffness * (goal - q) - 8.0 * qd
    ...
    >>> controller = px.control.with_data(follow, "goal", stiffness=100.0)
    >>> robot = px.robots.planar(1).with_gravity([0, 0, 0])
    >>> goals = np.linspace(0.0, 1.0, 1000)[:, None]  # one for each step
    >>> run = px.simulate(
    ...     robot, [0.0], [0.0], controller=controller, dt=2e-3, steps=1000, goal=goals
    ... )
    >>> run.q[[500, 1000]]
    array([[0.46],
           [0.96]])
    """
    part = Part(controller)
    title = getattr(controller, "_title", getattr(controller, "__name__", "controller"))
    for name in (*per_step, *settings):
        if part.names is not None and name not in part.names:
            raise ArgumentError(
                f"{name}: the controller takes no argument of this name, only "
                f"{', '.join(part.names) or 'the state'}"
            )
    part.settings |= {name: np.asarray(value, float) for name, value in settings.items()}
    for name in settings:
        part.setting_shapes.pop(name, None)

    def same(t, q, qd, memory, dt, given):
        result, after = part(t, q, qd, memory, dt, given)
        return result, after

    return _only(part, same, title, per_step)


def _only(part, function, title, per_step=()):
    """A law with a single part, whose memory is its own."""
    options = {
        "names": part.names,
        "settings": part.settings,
        "setting_shapes": part.setting_shapes,
        "per_step": tuple(dict.fromkeys((*part.per_step, *per_step))),
        "needs_dt": part.takes_dt,
        "optional": part.optional,
    }
    if part.remembers:
        return LawWithMemory(
            lambda t, q, qd, memory, dt=None, **given: function(t, q, qd, memory, dt, given),
            title,
            part.structure,
            **options,
        )
    return Law(
        lambda t, q, qd, dt=None, **given: function(t, q, qd, Memory(), dt, given)[0],
        title,
        **options,
    )
