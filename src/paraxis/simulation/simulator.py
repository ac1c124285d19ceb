"""`px.Simulator`: robots that are stepped, looked at and stepped again, compiled once."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import lru_cache
from threading import RLock
from types import MethodType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ..checks import did_you_mean, integer, one_of, quoted
from ..compiling import one_call
from ..drivers.iterate import MOST, integer_like
from ..drivers.map import broadcast_shapes
from ..dynamics.contacts.contact import Contact
from ..errors import ArgumentError, RobotError, TraceError
from ..graph.fingerprint import read
from ..robot_functions import check_parameters, parameter_shapes
from ..robots.model import PARAMETERS
from ..robots.quaternions import require_unit_quaternions
from ..robots.refusals import single_joints
from ..robots.robot import Robot, a_robot
from ..targets.number import checked_dtype
from ..targets.target import CPU, target_of
from .adaptive import MOST_ATTEMPTS, require_enough_attempts
from .bodies import ALWAYS, PER_STEP, Step, plain_step
from .called_controller import CalledController
from .ground.drag import Drag
from .ground.ground import Ground, require_coefficients, require_in_range
from .ground.step import GroundStep
from .kept import Kept
from .laws import Law
from .limits import Limits, warn_of_limits
from .limits_acted import limits_acted, mention_limits
from .memory import has_memory, initial_memory, samples, takes_dt
from .names import memory_input, setting_input
from .recorded import RecordedRun
from .run import (
    UNSOLVED,
    Run,
    interruption,
    warn_about,
    warn_of_failed,
    warn_of_missing,
    warn_of_singular,
    warn_of_unsolved,
)
from .settings import (
    STATE,
    WITH_MEMORY,
    as_settings,
    default_settings,
    per_step_names,
    require_callable,
    require_takes,
)
from .state import State
from .steps import RULES
from .stiffness import warn_if_stiff
from .stops import stops_of
from .touch import Touch

METHODS = (*RULES, "adaptive")
ON_GROUND = "semi_implicit_euler"
OF_GROUND = ("friction", "restitution")  # of the ground, that may differ from robot to robot
EXACT_IN_FLOAT32 = 2**24  # counts up to this
COMMAND = "u"  # the setting that `step` gives to a controller
OF_STEPS = ("_kept", "_read", "_reading", "_lock")  # what no copy of a simulator has


class Drive(NamedTuple):
    """What drives robots in a run: a controller with its settings, or torques, or neither."""

    controller: Callable | None
    settings: dict[str, Any]
    changing: dict[str, Any]  # settings that have a value per step
    tau: Any


class Simulator:
    """A simulation that is compiled once and stepped as often as you like.

    `reset` sets the states of robots, `step` advances them, `run` takes many steps and records
    them. Arrays stay on the device of those given to `reset`, CPU or GPU, and are written in place.

    **Arguments:**

    - `robot`: the robot. Its friction, transmissions, springs and closed loops take part.
    - `dt`: seconds per step.
    - `controller`: what turns the command `u` of `step` into torques, if `u` is not torques: a
      function `controller(t, q, qd, u)`, or without `u`. It must be traceable, and may have memory
      (`px.control.with_memory`).
    - `method`: `"rk4"`, `"semi_implicit_euler"` or `"adaptive"`, as in `px.simulate`. On the ground
      it is `"semi_implicit_euler"`.
    - `ground`: a `px.simulation.Ground`: contact that opens and closes, with friction.
    - `limits`: whether joints and motors keep to the limits of the robot's description, or
      `px.simulation.Limits(...)`, which says how.
    - `contact`: a `px.Contact`, or a list of them, that robots are in all the time.
    - `dtype`: `"float64"`, or `"float32"` for half the memory and, on a GPU, much more speed.
    - `randomize`: parameters of the robot, or settings of the controller, that are drawn again for
      each robot that is reset: a dict from names to functions `draw(rng, count)`, which return
      `(count, ...)` values. `px.simulation.scaled` makes such functions. What robot k gets depends
      only on `seed`, on k and on how often `reset` was called.
    - `seed`: of `randomize`.
    - `tolerance`, `max_step`, `max_attempts`: of adaptive steps, as in `px.simulate`.

    **Raises:** `px.ArgumentError` if arguments do not fit together.

    **Example:**

    >>> def servo(t, q, qd, u):
    ...     return 80.0 * (u - q) - 8.0 * qd
    ...
    >>> robot = px.robots.planar(2).with_gravity([0, 0, 0])
    >>> simulator = px.Simulator(robot, dt=0.005, controller=servo)
    >>> state = simulator.reset(np.zeros((3, 2)))
    >>> for _ in range(20):
    ...     simulator.step(np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 0.5]]), n=10)
    ...
    >>> state.t
    array([1., 1., 1.])
    >>> state.q
    array([[ 0.   ,  0.   ],
           [ 0.492, -0.003],
           [-0.006,  0.498]])
    """

    def __init__(
        self,
        robot: Robot,
        *,
        dt: float,
        controller: Callable | None = None,
        method: str | None = None,
        ground: Ground | None = None,
        limits: bool | Limits = True,
        contact: Contact | Sequence[Contact] | None = None,
        dtype: DTypeLike = "float64",
        randomize: dict[str, Callable] | None = None,
        seed: int = 0,
        tolerance: float = 1e-9,
        max_step: float | None = None,
        max_attempts: int = MOST_ATTEMPTS,
    ):
        if a_robot(robot).has_bearings and any(joint.coupling for joint in robot.joints):
            single_joints(robot, "a simulation of bearings")
        if method is None:
            method = "rk4" if ground is None else ON_GROUND
        one_of(method, METHODS, "method")
        self.robot, self.method, self.controller = robot, method, controller
        if ground is not None:
            require_fit(robot, ground, method, contact)
            Drag(robot), ground_step(robot, ground, ())  # raise where robots or frames do not fit
        self.ground, self.limits, self.stops = ground, limits, stops_of(robot, limits)
        self.dt, self.tolerance = positive(dt, "dt"), positive(tolerance, "tolerance")
        self.dtype = np.dtype(checked_dtype(dtype))
        self._contact = contact
        self._limit_attempts(max_step, max_attempts)
        if self.stops is not None:
            self._require_stops()
        if randomize is not None and not isinstance(randomize, dict):
            found = type(randomize).__name__
            raise ArgumentError(
                f"randomize: expected a dict from names to functions draw(rng, count), found "
                f"{found}"
            )
        self._draws, self._resets = dict(randomize or {}), 0
        self._seed = integer("seed", seed, least=0)
        for name, draw in self._draws.items():
            if not callable(draw):
                raise ArgumentError(
                    f"randomize: expected a function draw(rng, count) for {name}, found "
                    f"{quoted(draw)}"
                )
        self.batch: tuple[int, ...] | None = None  # before robots are reset
        self.touch: Touch | None = None
        self.given: dict[str, Any] = {}  # parameters of the robot
        self.of_ground: dict[str, Any] = {}  # its numbers that robots have of their own
        self.tallies: dict[str, Any] = {}  # what steps carry besides the state
        self.settings: dict[str, Any] = {}  # of the controller
        self.memory: dict[str, Any] = {}
        self._remembers: Callable | None = None  # whose memory that is
        self._kept: dict[Any, Kept] = {}
        self._read: tuple | None = None  # what the controller read when steps were made
        self._reading: Any = None  # which keeps alive what that knows by identity
        self._lock = RLock()
        self._calls, self._next_look = 0, 1  # of `step`
        self._said: set[str] = set()  # what calls of `step` have mentioned
        self._since = 0  # the most steps that a robot may have made since it was reset
        self._countable = EXACT_IN_FLOAT32 if self.dtype == np.float32 else MOST
        if controller is not None:
            require_callable(controller)

    def _limit_attempts(self, max_step, max_attempts):
        """How many adaptive steps there may be in a dt, and how long each."""
        if max_step is not None and self.method != "adaptive":
            raise ArgumentError(
                f"max_step is for method 'adaptive' only; all steps of {self.method!r} are dt long"
            )
        self.max_attempts = integer_like(max_attempts, "max_attempts", least=1)
        unbounded = max_step is None or max_step == math.inf
        self.max_step = math.inf if unbounded else positive(max_step, "max_step")
        require_enough_attempts(self.dt, self.max_step, self.max_attempts)

    def _require_stops(self):
        """Raise where limits cannot be kept with these steps."""
        if self.stops.hard and (self.method == "adaptive" or self.ground is not None):
            where = "on the ground" if self.ground is not None else "with method 'adaptive'"
            raise ArgumentError(f"limits: hard stops do not work {where}; use stops='soft'")
        if self.stops.hard and self.robot.loops:
            raise ArgumentError(
                "limits: hard stops do not work with closed loops; use stops='soft'"
            )
        if self.method != "adaptive":
            self.stops.require_stable(self.dt)

    # -- where robots are -------------------------------------------------------------------------

    def reset(
        self,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        mask: ArrayLike | None = None,
        **parameters: ArrayLike,
    ) -> State:
        """Put robots at positions `q` and rates `qd`, at time 0.

        **Arguments:**

        - `q`, `qd`: `(..., nq)` and `(..., nv)`; at rest without `qd`. Without a mask they decide
          how many robots there are, and on which device.
        - `mask`: `(...)` of bool: only these robots are reset, to their rows of `q` and `qd`,
          which have a row for every robot.
        - `parameters`: of the robot, as `mass=(..., n)`; `friction=(..., k)` of the k contacts and
          `restitution=(...)` on the ground; others are settings of the controller. A reset with a
          mask keeps those that are not given; a reset of all robots begins without any.

        **Returns:** the State, whose arrays are written in place from now on.
        """
        with self._lock:
            if mask is not None:
                return self._reset_some(q, qd, mask, parameters)
            before = dict(self.__dict__)
            try:
                self._reset_all(q, qd, parameters)
            except BaseException:
                self.__dict__.clear()
                self.__dict__.update(before)
                raise
            return self.state

    def _reset_all(self, q, qd, parameters):
        qd = np.zeros(self.robot.nv) if qd is None else qd
        self.target = target_of({"q": q, "qd": qd} | parameters)
        if self.target is not CPU and isinstance(qd, np.ndarray):
            qd = self.target.put(qd)
        with one_call(f"simulation of {quoted(self.robot.name)}"), self.target.stream():
            self._begin(q, qd, parameters)
            for group in (self.given, self.of_ground, self.settings):  # the caller's may change
                group.update({k: x.copy() for k, x in group.items() if x is not None})
            self._put(self._drawn())
            if self.controller is not None:
                self._remember(self.controller)

    def _begin(self, q, qd, parameters, names=("q", "qd")):
        """The states to start from, as whole arrays."""
        robot, target = self.robot, self.target
        (nq, nv), (q_name, qd_name) = (robot.nq, robot.nv), names
        q, qd = target.array(q, q_name, (nq,)), target.array(qd, qd_name, (nv,))
        if target is CPU:
            require_unit_quaternions(robot, q, q_name)
        given = {name: parameters[name] for name in PARAMETERS if name in parameters}
        check_parameters("forward_dynamics", tuple(given))
        shapes = parameter_shapes(robot, given)
        given = {name: target.array(value, name, shapes[name]) for name, value in given.items()}
        self.touch = None
        if self._contact is not None or robot.loops:
            self.touch = Touch(robot, self._contact, self.method, given, target)
            shapes |= self.touch.shapes
        self.of_ground = {name: parameters[name] for name in OF_GROUND if name in parameters}
        if self.of_ground:
            self._begin_ground(shapes)
        given_all = given | self.of_ground | (self.touch.arrays if self.touch else {})
        batches = {q_name: q.shape[:-1], qd_name: qd.shape[:-1]}
        for name, array in given_all.items():
            batches[name] = array.shape[: array.ndim - len(shapes[name])]
        batch = broadcast_shapes(batches)
        taken = (*PARAMETERS, *(OF_GROUND if self.ground is not None else ()))
        others = {name: parameters[name] for name in parameters if name not in taken}
        settings = as_settings(others, batch, target)  # nothing changes if any of it is refused
        self.batch, self.given, self.settings, self._kept = batch, given, settings, {}
        for name in self._draws:  # what `_draw` fills in
            if name in PARAMETERS:
                self.given.setdefault(name, None)
            elif name in OF_GROUND and self.ground is not None:
                self.of_ground.setdefault(name, None)
        self._q, self._qd = self._own(q, (nq,)), self._own(qd, (nv,))
        self._count = target.arrays.zeros((1, *self.batch), self.dtype)
        self.memory, self._remembers, self._warned = {}, None, False
        self.tallies, self._since = {}, 0
        if self.touch:
            self.touch.hold(self._q[0], self._qd[0])

    def _begin_ground(self, shapes):
        """Numbers of the ground as arrays; they are inputs of steps."""
        if self.ground is None:
            name = next(iter(self.of_ground))
            raise ArgumentError(f"{name}: there is no ground; give it to the Simulator")
        known = ground_step(self.robot, self.ground, tuple(self.given)).inputs
        for name, value in self.of_ground.items():
            shapes[name] = known[name]
            array = self.target.array(value, name, ())
            self._require_of_ground(name, array)
            self.of_ground[name] = array

    def _require_of_ground(self, name, array):
        """Raise where numbers of the ground that robots have of their own are not valid."""
        contacts = ground_step(self.robot, self.ground, tuple(self.given)).inputs["friction"][0]
        require_coefficients(self.ground, name, array.shape, contacts)
        if self.target is CPU:
            require_in_range(name, array)

    def _shape_of(self, name):
        """The shape of a parameter of the robot or of the ground."""
        if name in PARAMETERS:
            return parameter_shapes(self.robot, [name])[name]
        return ground_step(self.robot, self.ground, tuple(self.given)).inputs[name]

    def _group(self, name):
        """The arrays among which a parameter or a setting is."""
        if name in PARAMETERS:
            return self.given
        if name in OF_GROUND and self.ground is not None:
            return self.of_ground
        return self.settings

    def _own(self, array, shape):
        own = self.target.empty((1,), self.batch, shape, self.dtype)
        own[...] = array
        return own

    def _reset_some(self, q, qd, mask, parameters):
        self._require_robots("reset(mask=...)")
        if self.touch is not None and self.touch.contacts:
            raise ArgumentError(
                "mask: robots in contact are anchored where all of them begin; reset all of them"
            )
        target, xp = self.target, self.target.arrays
        with target.stream():
            mask = target.taken(mask, "mask") if target is not CPU else np.asarray(mask)
            if mask.dtype != bool or mask.shape != self.batch:
                raise ArgumentError(
                    f"mask: expected bool of shape {self.batch}, found {mask.dtype} of shape "
                    f"{mask.shape}"
                )
            rows, places = mask[..., None], []
            for name, own, value in (("q", self._q, q), ("qd", self._qd, qd)):
                size = own.shape[-1:]
                new = xp.zeros(size) if value is None else target.array(value, name, size)
                if not spreads(new.shape[:-1], self.batch):
                    raise ArgumentError(
                        f"{name}: expected a row for each of the robots, {(*self.batch, *size)}, "
                        f"of which the mask takes some, found {new.shape}"
                    )
                places.append(xp.where(rows, new, own[0]))
            if target is CPU:  # of these robots; those that move are off by rounding
                require_unit_quaternions(self.robot, places[0][mask], "q")
            # nothing is changed before everything is known to be right
            changed, first_memory = self._changed(parameters, mask), self._first_memory()
            drawn = self._drawn(mask, changed)
            self._q[0], self._qd[0] = places
            self._count[0] = xp.where(mask, 0.0, self._count[0])
            for array in self.tallies.values():
                some = mask.reshape((*mask.shape, *[1] * (array.ndim - 1 - mask.ndim)))
                array[0] = xp.where(some, 0.0, array[0])
            for name, first in first_memory.items():
                array = self.memory[name]
                some = mask.reshape((*mask.shape, *[1] * (array.ndim - mask.ndim)))
                array[...] = xp.where(some, first, array)
            self._put(changed | drawn)
        return self.state

    def _some(self, mask, name, value, own, axes, shared=False):
        """An array of all robots in which some have another value, of so many axes each."""
        xp, axes = self.target.arrays, max(axes, 0)
        entry = own.shape[own.ndim - axes :]
        new = self.target.array(value, name, () if shared else entry)
        whole = (*self.batch, *entry)
        if broadcast_shapes({name: new.shape, "the robots": whole}) != whole:
            raise ArgumentError(f"{name}: expected shape {whole}, found {new.shape}")
        some = mask.reshape((*self.batch, *[1] * axes))
        return xp.where(some, new, xp.broadcast_to(own, whole))

    def _changed(self, parameters, mask):
        """Other parameters of some robots, as arrays of all."""
        changed = {}
        for name, value in parameters.items():
            known = self._group(name)
            if known.get(name) is None:
                raise ArgumentError(
                    f"{name}: give it for all robots first, in a reset without a mask"
                )
            own, of_settings = known[name], known is self.settings
            axes = own.ndim - len(self.batch) if of_settings else len(self._shape_of(name))
            if of_settings:
                value = as_settings({name: value}, self.batch, self.target)[name]
            single = of_settings and value.ndim == 0
            if of_settings and not single and value.ndim - len(self.batch) != max(axes, 0):
                expected = (*self.batch, *own.shape[len(self.batch) :])
                raise ArgumentError(f"{name}: expected shape {expected}, found {value.shape}")
            if known is self.of_ground:
                self._require_of_ground(name, self.target.array(value, name, ()))
            changed[name] = self._some(mask, name, value, own, axes, single)
        return changed

    def _drawn(self, mask=None, changed=None):
        """What is random of robots that are reset, all of them without a mask."""
        xp, count, drawn = self.target.arrays, math.prod(self.batch), {}
        for k, (name, draw) in enumerate(self._draws.items()):
            rng = np.random.default_rng([self._seed, self._resets, k])
            values = np.asarray(draw(rng, count), float)
            if values.shape[:1] != (count,):
                raise ArgumentError(
                    f"randomize: expected {count} values of {name} as first axis, found shape "
                    f"{values.shape}"
                )
            known = self._group(name)
            if known is self.of_ground:
                self._require_of_ground(name, values)
            entry = values.shape[1:] if known is self.settings else self._shape_of(name)
            if values.shape[1:] != entry:
                raise ArgumentError(
                    f"randomize: expected {name} of shape {(count, *entry)}, found {values.shape}"
                )
            new = self.target.put(values.reshape((*self.batch, *entry)))
            if mask is not None:
                before = (changed or {}).get(name, known[name])
                new = xp.where(mask.reshape((*self.batch, *[1] * len(entry))), new, before)
            drawn[name] = new
        return drawn

    def _put(self, arrays):
        """Read these parameters and settings from now on."""
        for name, array in arrays.items():
            self._group(name)[name] = array
            self._replaced(name, array)
        self._resets += 1

    @property
    def state(self) -> State:
        """Where robots are now, in arrays that each step writes in place."""
        self._require_robots("state")
        back = self.target.given_back
        memory = {name: back(array) for name, array in self.memory.items()}
        q, qd = back(self._q[0]), back(self._qd[0])
        impulses = None
        if self.ground is not None:
            shape = ground_step(self.robot, self.ground, tuple(self.given)).inputs["impulses"]
            impulses = back(self._tally("impulses", shape)[0])
        return State(q, qd, self._count[0], self.dt, memory, self.target, impulses)

    @property
    def arrays_now(self):
        """q, qd and the number of steps since robots were reset, as the target has them."""
        return self._q[0], self._qd[0], self._count[0]

    def arrive(self, q, qd, count):
        """Be where a run ended."""
        self._q[0], self._qd[0], self._count[0] = q, qd, count

    def _require_robots(self, what):
        if self.batch is None:
            raise ArgumentError(f"{what}: there are no robots yet; call reset(q, qd) first")

    # -- step by step -----------------------------------------------------------------------------

    def step(self, u: ArrayLike | None = None, n: int = 1) -> None:
        """Move all robots by `n` steps of `dt`, in place.

        **Arguments:**

        - `u`: torques of the motors, `(..., nv)`, or, with a controller, its command `u`, with the
          batch as first axes. It is held during all `n` steps.
        - `n`: number of steps.

        Nothing is checked but the arguments: `state` has NaN where a robot failed. Whether that
        happened, limits acted or contacts were not solved is looked at now and then, ever more
        seldom, to mention it once.
        """
        n = n if n.__class__ is int and 0 <= n <= MOST else integer_like(n, "n")
        with self._lock:
            kept = self._kept.get(u is not None)
            if kept is None or (self.controller is not None and self._has_changed()):
                kept = self._keep(u)
            self._count_on(n)
            with self.target.stream():
                if u is not None:
                    kept.replace(self._command, self._commanded(u))
                kept.advance(n)
            self._calls += 1
            if self._calls == self._next_look:
                self._next_look *= 2  # seldom, so that it costs nothing
                if self.target is CPU:  # elsewhere it would have to be waited for
                    self._mention_limits()
                    self._mention_failures()

    def _count_on(self, n):
        """Raise where numbers cannot count n further steps, so that time would stand still."""
        if self._since + n > self._countable:
            with self.target.stream():
                counts = self.target.arrays.nan_to_num(self._count)  # NaN where a robot failed
                self._since = int(counts.max()) if counts.size else 0
            if self._since + n > self._countable:
                raise ArgumentError(
                    f"{self.dtype} counts at most {self._countable:,} steps of a robot, and one "
                    f"would have made {self._since + n:,}: reset it in between, or use 'float64'"
                )
        self._since += n

    def _mention_limits(self):
        """Say once per robot that limits which nobody asked for acted in steps."""
        if self.limits is not True or "acted" not in self.tallies:
            return
        counts = self.tallies["acted"][0]
        steps = int(np.nan_to_num(self._count).max(initial=0.0))
        mention_limits(self.stops, limits_acted(self.stops, counts, steps), counted="")

    def _mention_failures(self):
        """Say once if robots are no longer finite, and once if contacts were not solved."""
        q, qd, count = self.arrays_now
        failed = ~(np.isfinite(q).all(axis=-1) & np.isfinite(qd).all(axis=-1))
        if failed.any() and "failed" not in self._said:
            self._said.add("failed")
            warn_of_failed(failed, count, self.method, self.dt)
        worst = self.tallies["worst"][0] if "worst" in self.tallies else np.zeros(())
        if (worst > UNSOLVED).any() and "unsolved" not in self._said:
            self._said.add("unsolved")
            warn_of_unsolved(self.ground, worst, "")

    def _has_changed(self):
        """Whether the controller may do something else than when steps were last made."""
        reading = read(self.controller)
        return reading is None or (reading.structure, reading.numbers) != self._read

    def _look_at_controller(self):
        """Know its values by now, and make steps anew that were made when it had others."""
        reading = None if self.controller is None else read(self.controller)
        found = None if reading is None else (reading.structure, reading.numbers)
        if found is None or found != self._read:
            self._kept, self._read, self._reading = {}, found, reading

    def _keep(self, u):
        """The steps of these robots, with a command or without."""
        self._require_robots("step")
        if self.method == "adaptive":
            raise ArgumentError("step: adaptive steps can only be recorded; use run")
        with one_call(f"simulation of {quoted(self.robot.name)}"), self.target.stream():
            self._look_at_controller()
            step, carried, held = self.commanded(u)
            kernel = self.kernel(step)
            self._warn_of_stiffness(adaptive=False)
            self._command_shape = kernel.plan.inputs[self._command] if u is not None else None
            kept = Kept(kernel, self.target, self.batch, carried, held)
        self._kept[u is not None] = kept
        return kept

    def commanded(self, u):
        """The Step with a command or without, and its arrays by name: those that it carries, with
        an axis of length 1 in front, and the others."""
        settings = as_settings(
            self._defaults(self.controller, {COMMAND: u}, ()), self.batch, self.target
        )
        settings |= self.settings
        if u is not None:
            command = self.target.array(u, COMMAND, ())
            self._command = "tau" if self.controller is None else setting_input(COMMAND)
            if self.controller is not None:
                settings |= as_settings({COMMAND: command}, self.batch, self.target)
        torques = u is not None and self.controller is None
        step = self._kept_step(settings, ALWAYS if torques else None)
        carried = {"q": self._q, "qd": self._qd, "step": self._count}
        carried |= {memory_input(name): x[None] for name, x in self.memory.items()}
        carried |= self._tallies_of(step)
        held = self.given | self.of_ground | {"dt": self.target.put(np.float64(self.dt))}
        held |= {setting_input(name): array for name, array in settings.items()}
        held |= self.touch.arrays if self.touch else {}
        for name, array in (step.law.constants if step.law else {}).items():
            held[name] = self.target.put(array)
        if torques:
            held["tau"] = self._torques(command)
        return step, carried, held

    def _kept_step(self, settings, tau):
        """The Step of `step`, whose controller must be traceable."""
        controller = self.controller
        self._require_takes(controller, settings)
        try:
            return self._step(controller, settings, (), tau)
        except TraceError as reason:
            if controller is None:
                raise
            raise ArgumentError(
                f"controller: it cannot be traced, so it cannot be stepped, only run: {reason}"
            ) from reason

    def _tallies_of(self, step):
        """The arrays of what steps carry besides the state, made when first needed."""
        return {name: self._tally(name, shape) for name, shape in step.tallies.items()}

    def _tally(self, name, shape):
        if name not in self.tallies:
            zeros = self.target.arrays.zeros((1, *self.batch, *shape), self.dtype)
            self.tallies[name] = zeros
        return self.tallies[name]

    def _commanded(self, u):
        expected = (*self.batch, *self._command_shape)
        if u.__class__ is np.ndarray and u.shape == expected and self.target is CPU:
            if u.dtype == self.dtype:
                return u
            if u.dtype.kind in "fiu":
                return u.astype(self.dtype)
        array = self.target.array(u, COMMAND, self._command_shape)
        if broadcast_shapes({COMMAND: array.shape, "the robots": expected}) != expected:
            raise ArgumentError(f"u: expected shape {expected}, found {array.shape}")
        return array

    def _replaced(self, name, array):
        """Kept steps read another array from now on."""
        for kept in self._kept.values():
            kept.replace(setting_input(name) if name in self.settings else name, array)

    # -- many steps, recorded ---------------------------------------------------------------------

    def run(
        self,
        controller: Callable | None = None,
        steps: int = 1,
        *,
        tau: ArrayLike | None = None,
        every: int = 1,
        per_step: dict[str, ArrayLike] | None = None,
        **settings: ArrayLike,
    ) -> Run:
        """Move all robots by `steps` steps and record them, from where they are.

        **Arguments:**

        - `controller`: a function `controller(t, q, qd, **settings)` that returns torques, or one
          with memory; by default that of the Simulator. Without any, `tau` holds the torques.
        - `steps`: number of steps.
        - `every`: record the state after every `every`-th step; a divisor of `steps`.
        - `tau`: torques, `(..., nv)`, or per step, `(steps, ..., nv)`.
        - `per_step`: settings that have a value per step, by name, with the steps as first axis and
          the batch (or 1) as the next ones: references, disturbances.
        - `settings`: of the controller, with the batch (or 1) as first axes.

        **Returns:** a `px.simulation.Run`.

        **Raises:** `px.ArgumentError` if arguments do not fit together. Ctrl-C raises
        `px.Interrupted`, whose `.partial` is the Run so far.
        """
        self._require_robots("run")
        controller = self.controller if controller is None and tau is None else controller
        with self._lock:
            return self._run(controller, steps, tau, every, per_step or {}, settings)

    def once(self, q0, qd0, parameters, controller, steps, tau, every, per_step, settings):
        """`reset` and `run` in one, as `px.simulate` calls them."""
        given = {"q0": q0, "qd0": qd0, "tau": tau} | parameters | settings
        self.target = target_of(given | per_step)
        with one_call(f"simulate of {quoted(self.robot.name)}"), self.target.stream():
            self._begin(q0, qd0, parameters, ("q0", "qd0"))
        return self._run(controller, steps, tau, every, per_step, settings)

    def _run(self, controller, steps, tau, every, per_step, settings):
        robot, target = self.robot, self.target
        steps, every = integer_like(steps, "steps"), integer_like(every, "every", least=1)
        if steps % every:
            raise ArgumentError(f"every: expected a divisor of the {steps} steps, found {every}")
        self._count_on(steps)
        with one_call(f"simulate of {quoted(robot.name)}"), target.stream():
            drive = self.driven_by(controller, tau, steps, per_step, settings)
            self._warn_of_stiffness(adaptive=not samples(drive.controller))
            arrays = drive.settings | drive.changing
            recorded = RecordedRun(self, steps, every, arrays, drive.tau, tuple(drive.changing))
            try:
                run = recorded.compiled(self.step_under(drive))
            except TraceError as reason:
                run = recorded.in_python(self._called(drive, reason))
            if run.interrupted:
                raise interruption(run.given_back(target), steps * self.dt)
            self._warn(run, recorded)
            return run.given_back(target)

    def driven_by(self, controller, tau, steps, per_step, settings):
        """The Drive of a run, from arguments that are checked here."""
        per_step = self._moved_per_step(controller, settings, per_step)
        settings = self._defaults(controller, settings, per_step) | settings
        settings = as_settings(settings, self.batch, self.target)
        if tau is not None and controller is not None:
            raise ArgumentError("tau and controller cannot be combined; give one of them")
        if controller is None and settings:
            raise ArgumentError(
                f"{next(iter(settings))}: settings are for a controller, and there is none in a "
                f"run under torques"
            )
        if controller is not None:
            require_callable(controller)
            settings = self.settings | settings
        changing = self._changing(controller, per_step, steps)
        # torques may stand in for the simulator's controller, whose settings stay
        idle = self.settings if self.controller is None and controller is None else {}
        self._require_takes(controller, settings | changing | idle)
        tau = None if tau is None else self._torques(tau, steps)
        return Drive(controller, settings, changing, tau)

    def _require_takes(self, controller, settings):
        """Raise where there are settings that nothing takes."""
        if controller is not None:
            named = settings | ({"dt": None} if takes_dt(controller) else {})
            besides = WITH_MEMORY if has_memory(controller) else STATE
            require_takes(controller, named, besides=besides)
        elif settings:
            name = next(iter(settings))
            raise ArgumentError(
                f"{name}: without a controller, keywords must be parameters of the robot: "
                f"{', '.join(PARAMETERS)}{did_you_mean(name, PARAMETERS)}"
            )

    def step_under(self, drive):
        """The Step under a Drive; raises TraceError where its controller cannot be traced."""
        given = None
        if drive.tau is not None:
            given = ALWAYS if drive.tau.ndim - 1 <= len(self.batch) else PER_STEP
        changing = tuple(drive.changing)
        return self._step(drive.controller, drive.settings | drive.changing, changing, given)

    def _called(self, drive, reason):
        """A controller that cannot be traced, to be called with floats."""
        controller = drive.controller
        if controller is None:
            raise RobotError(
                f"the dynamics of robot {quoted(self.robot.name)} cannot be compiled: {reason}; "
                f"look for a mass, inertia or length that is far too small or too large"
            ) from reason
        if self.target is not CPU:
            raise ArgumentError(
                f"controller: on a GPU it must be traceable, but tracing it failed: {reason}"
            ) from reason
        hard = self.stops is not None and self.stops.hard
        if self.ground is not None or hard or self.dtype != np.float64:
            raise ArgumentError(
                "controller: on the ground, with hard stops and in float32 it must be traceable, "
                f"but tracing it failed: {reason}"
            ) from reason
        given = controller, self.batch, self.robot.nv, drive.settings, reason
        memory = dict(self.memory) if has_memory(controller) else None
        return CalledController(*given, memory, self.dt)

    def _warn(self, run, recorded):
        target = self.target
        if target is CPU or self.robot.has_bearings:
            warn_of_missing(*map(target.in_main_memory, (recorded.missing, recorded.when)))
        if self.touch and self.touch.contacts:
            warn_of_singular(run, recorded.rank, self.touch.unknowns, target)
        if target is CPU:
            warn_about(run, self.method, self.dt, self.max_attempts)
            if run.limits is not None and self.limits is True:
                mention_limits(self.stops, run.limits)
            if self.stops is None or self.stops.limits.stops is None:
                warn_of_limits(self.robot, run)
            if run.residual is not None:
                warn_of_unsolved(self.ground, recorded.worst)

    def _warn_of_stiffness(self, adaptive):
        if self.robot.has_losses and self.method == "rk4" and not self._warned:
            # with loops open joints come to rest sooner, so that it errs on the safe side
            tree = self.robot.without_loops()
            warn_if_stiff(tree, self._q[0], self.dt, self.given, self.target, adaptive)
            self._warned = True

    def _torques(self, tau, steps=None):
        """Torques of a run as an array (..., nv), or (steps, ..., nv); of a step without steps."""
        what = COMMAND if steps is None else "tau"
        tau = self.target.array(tau, what, (self.robot.nv,))
        own = tau.shape[:-1]
        changing = steps is not None and len(own) == len(self.batch) + 1
        if not spreads(own[changing:], self.batch):
            also = "" if steps is None else ", or one axis more for torques per step"
            raise ArgumentError(
                f"{what}: expected shape {(*self.batch, self.robot.nv)}{also}, found {tau.shape}"
            )
        if changing and own[0] != steps:
            raise ArgumentError(f"tau: expected torques for {steps} steps, found {own[0]}")
        return tau

    def _moved_per_step(self, controller, settings, per_step):
        """Settings that have a value per step, those that the controller names taken from the
        others."""
        named = per_step_names(controller) if controller is not None else ()
        return per_step | {name: settings.pop(name) for name in named if name in settings}

    def _defaults(self, controller, given, per_step):
        """The settings that a controller brings and that are not given."""
        if controller is None:
            return {}
        taken = {*given, *per_step, *self.settings}
        return default_settings(controller, self.batch, taken)

    def _changing(self, controller, per_step, steps):
        """Settings that have a value per step, as arrays."""
        if per_step and controller is None:
            raise ArgumentError("per_step: only a controller takes values per step")
        if per_step and self.method == "adaptive":
            raise ArgumentError("per_step: adaptive steps have no values per step; use 'rk4'")
        return as_settings(per_step, self.batch, self.target, steps=steps)

    # -- what is compiled -------------------------------------------------------------------------

    def _step(self, controller, settings, changing, tau):
        """The Step under a controller with these settings, or under torques."""
        names = tuple(self.given)
        ground = self.ground and ground_step(self.robot, self.ground, names)
        if controller is None and self.touch is None:
            given = self.robot, self.method, names, tau, None, None
            return plain_step(*given, self.stops, ground, tuple(self.of_ground))
        law = None
        if controller is not None:
            skipped = len(self.batch), len(self.batch) + 1
            shapes = {
                name: array.shape[skipped[name in changing] :] for name, array in settings.items()
            }
            self._remember(controller)
            memory = None
            if has_memory(controller):
                memory = {name: x.shape[len(self.batch) :] for name, x in self.memory.items()}
            if self.method == "adaptive" and samples(controller):
                raise ArgumentError(
                    "controller: one with memory samples at every dt; use 'rk4' or "
                    "'semi_implicit_euler' instead of 'adaptive'"
                )
            law = Law(self.robot, controller, shapes, changing, memory)
            if self.dtype != np.float64 and law.draws:
                raise ArgumentError(
                    "controller: its random numbers, such as noise, need dtype='float64'; in "
                    "float32 they would be NaN"
                )
        given = self.robot, self.method, names, tau, law, self.touch
        given = *given, self.stops, ground, tuple(self.of_ground)
        if self.touch is not None:
            return Step(*given)
        return plain_step(*given).under(law)

    def kernel(self, step):
        """The compiled step: from this process, from disk, or made."""
        return self.target.iterate(*step.on(self.target), self.dtype, states=math.prod(self.batch))

    def _remember(self, controller):
        """What this controller remembered when it was last used, or its first values."""
        if _is_same(controller, self._remembers):
            return
        self._remembers, self.memory = controller, {}
        for name, first in self._first_memory().items():
            self.memory[name] = first.copy()
        self._kept = {}

    def _first_memory(self):
        """The memory of the controller that was used last, as it begins, for the whole batch."""
        if self._remembers is None or not has_memory(self._remembers):
            return {}
        first = initial_memory(self._remembers, self.robot, self.batch)
        return {name: self.target.put(x.astype(self.dtype)) for name, x in first.items()}

    # -- copies -----------------------------------------------------------------------------------

    def __getstate__(self):
        """All but what is made again when it is needed."""
        state = {name: value for name, value in self.__dict__.items() if name not in OF_STEPS}
        if state.get("target") is CPU:
            state["target"] = None
        return state

    def __setstate__(self, state):
        self.__dict__.update(state, _kept={}, _read=None, _reading=None, _lock=RLock())
        if "target" in state and state["target"] is None:
            self.target = CPU

    def __copy__(self):
        """A simulator with robots of its own, which are where these are."""
        return deepcopy(self)

    def __repr__(self):
        robots = "no robots yet" if self.batch is None else f"robots {self.batch}"
        return (
            f"<Simulator of {quoted(self.robot.name)}: {robots}, dt {self.dt:g} s, {self.method}>"
        )


@lru_cache(maxsize=64)
def ground_step(robot, ground, parameters):
    """The GroundStep of a robot, which is the same in call after call."""
    return GroundStep(robot, ground, parameters)


def require_fit(robot, ground, method, contact):
    """Raise where a simulation on the ground does not support what else is asked for."""
    if not isinstance(ground, Ground):
        found = type(ground).__name__
        raise ArgumentError(f"ground: expected a px.simulation.Ground, found {found}")
    if method != ON_GROUND:
        raise ArgumentError(
            f"method: a simulation on the ground has steps of {ON_GROUND!r}, found {method!r}"
        )
    if contact is not None:
        raise ArgumentError("contact and ground cannot be combined; give one of them")
    if robot.has_bearings:
        raise ArgumentError(
            f"robot {quoted(robot.name)} has bearings, whose friction would depend on the forces "
            f"of the ground; simulating both together is not supported"
        )


def spreads(shape, batch):
    """Does it broadcast to the whole batch, and no further?"""
    try:
        return np.broadcast_shapes(shape, batch) == tuple(batch)
    except ValueError:
        return False


def _is_same(one, other):
    """Are they one object? Of a method a new one is made whenever it is asked for."""
    if type(one) is MethodType and type(other) is MethodType:
        return one.__func__ is other.__func__ and one.__self__ is other.__self__
    return one is other


def positive(value, what):
    """A finite number above zero."""
    good = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not good or not 0 < value <= sys.float_info.max:
        raise ArgumentError(f"{what}: expected a number > 0, found {quoted(value)}")
    return float(value)
