"""The checked arguments of a closed loop: an array for every number that may differ by run."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..checks import quoted
from ..drivers.map import as_array, broadcast_shapes
from ..errors import ArgumentError
from ..robot_functions import check_parameters, input_shapes
from ..robots.joint import LIMITED
from ..robots.model import PARAMETERS
from ..robots.refusals import open_tree
from ..robots.robot import Robot
from ..simulation.memory import has_memory
from ..simulation.settings import as_settings, require_takes
from ..simulation.simulator import positive
from ..targets.target import Target
from .checks import LATER, check_controller
from .controller import Controller
from .law_in_loop import GivenLaw, LawInLoop
from .reference import Reference

TIMES = ("period", "delay", "jitter", "missed")  # used to cut periods into steps, in main memory
WIDEST_LINE = 1.0  # rad or m, of an encoder: a larger number is probably lines per turn

# name -> (condition, its description)
EXPECTED = {
    "period": (lambda x: (x > 0) & (x < math.inf), "seconds > 0"),
    "delay": (lambda x: x >= 0, "seconds >= 0"),
    "jitter": (lambda x: (x >= 0) & (x < 1), "a share of the period in [0, 1)"),
    "missed": (lambda x: (x >= 0) & (x <= 1), "a probability"),
    "bound": (lambda x: x > 0, "an error > 0"),
    "encoder": (
        lambda x: (x > 0) & (x <= WIDEST_LINE),
        f"a resolution > 0 and <= {WIDEST_LINE:g}, such as 2π/4096 for 4096 lines per turn",
    ),
    "switch_at": (lambda x: ~np.isnan(x), "seconds"),
}


@dataclass(frozen=True, eq=False)
class Scenarios:
    """Runs of a robot under a controller. The first axis of arrays is the runs, or 1 if shared.

    - `arrays`: gains, times and other arguments of px.control.closed_loop by name, and parameters
      of the robot.
    - `settings`: those of the trajectory, including its own numbers; `law_settings`: of a law.
    - `numbers`: the flat index of each run in the batch; `index`: the numbers on which its random
      numbers depend, by default the same.
    - `missed_steps`: `(samples, runs)`, if they are given one by one.

    All except TIMES, numbers and missed_steps are on the `target` where the loop is computed.
    """

    target: Target
    robot: Robot
    controller: Controller | LawInLoop
    reference: Reference
    parameters: tuple[str, ...]
    duration: float
    batch: tuple[int, ...]
    numbers: np.ndarray
    index: np.ndarray
    arrays: dict[str, Any]
    settings: dict[str, Any]
    law_settings: dict[str, Any]
    missed_steps: np.ndarray | None

    def part(self, numbers):
        """Some of the runs."""

        there = self.target.put(numbers)

        def rows(array, axis=0, which=there):
            return array if array.shape[axis] == 1 else array.take(which, axis)

        missed = self.missed_steps
        return replace(
            self,
            numbers=self.numbers[numbers],
            index=self.index[numbers],
            arrays={
                name: rows(array, which=numbers if name in TIMES else there)
                for name, array in self.arrays.items()
            },
            settings={name: rows(array) for name, array in self.settings.items()},
            law_settings={name: rows(array) for name, array in self.law_settings.items()},
            missed_steps=None if missed is None else rows(missed, 1, numbers),
        )


def scenarios(robot, controller, trajectory, duration, given, keywords, target, index=None):
    """The Scenarios of a call of px.control.closed_loop; `given` has its numbers by name."""
    open_tree(robot, "control")
    law = None
    if callable(controller) and not isinstance(controller, Controller):
        law = GivenLaw(robot, controller)
    else:
        check_controller(robot, controller)
    parameters = {name: keywords[name] for name in PARAMETERS if name in keywords}
    check_parameters("forward_dynamics", tuple(parameters))
    settings = {
        name: target.brought(value, name, ())
        for name, value in keywords.items()
        if name not in parameters and name != "payload"
    }
    of_law = {name: settings.pop(name) for name in (*settings,) if law and law.takes(name)}
    if "payload" in keywords:
        raise ArgumentError(
            "payload: pass it as parameters of the plant, **px.payload(robot, 1.0), instead of "
            f"{keywords['payload']!r}"
        )
    reference = Reference(trajectory, robot, settings)
    duration = _duration(duration, reference)
    given = given | {name: target.fetched(given[name]) for name in TIMES}
    missed_steps, given = _missed_steps(given)
    given |= parameters | ({} if law else {"kp": controller.kp, "kd": controller.kd})
    if given["encoder"] is not None:
        _check_encoders(robot)
        line = target.brought(given["encoder"], "encoder", ())
        given["encoder"] = line if line.ndim else target.arrays.tile(line, robot.nq)
    shapes = input_shapes(robot, "forward_dynamics", tuple(parameters))
    shapes |= dict.fromkeys(("kp", "kd", "qd0"), (robot.nv,))
    shapes |= dict.fromkeys(("q0", "encoder"), (robot.nq,))
    arrays, batches = {}, {}
    for name, value in given.items():
        if value is None:
            continue
        shape = shapes.get(name, ())
        array = (as_array if name in TIMES else target.brought)(value, name, shape)
        arrays[name] = array = array.astype(float)
        batches[name] = array.shape[: array.ndim - len(shape)]
        _check_numbers(name, array, target)
    if missed_steps is not None:
        batches["missed"] = missed_steps.shape[1:]
    defaults = {} if law is None else law.defaults
    for name, (value, shape) in defaults.items():
        if shape is not None:
            array = target.brought(of_law.get(name, value), name, shape)
            of_law[name], batches[name] = array, array.shape[: array.ndim - len(shape)]
    batch, settings = _with_settings(broadcast_shapes(batches), settings, target)
    batch, of_law = _with_law_settings(batch, of_law, defaults, target)
    runs = math.prod(batch)
    if not runs:
        raise ArgumentError(f"batch: expected at least one run, found {batch}")
    _check_period(arrays["period"], duration)
    _check_delay(arrays)
    batches |= {name: array.shape[: len(batch)] for name, array in (settings | of_law).items()}
    if missed_steps is not None:
        flat = np.broadcast_to(missed_steps, (len(missed_steps), *batch))
        missed_steps = flat.reshape(len(missed_steps), runs)

    def by_run(some):
        return {name: _by_run(array, batches[name], batch, target) for name, array in some.items()}

    own = {name: target.put(array[None]) for name, array in reference.numbers.items()}
    of_law = by_run(of_law)
    if law is not None:
        besides = ("t", "q", "qd", "memory") if has_memory(controller) else ("t", "q", "qd")
        named = (*of_law, *law.desired, *(["dt"] if law.takes_dt else []))
        require_takes(controller, named, "controller", besides)
        controller = law.traced({name: array.shape[1:] for name, array in of_law.items()})
    return Scenarios(
        target=target,
        robot=robot,
        controller=controller,
        reference=reference,
        parameters=tuple(parameters),
        duration=duration,
        batch=batch,
        numbers=np.arange(runs),
        index=_index(index, batch),
        arrays=by_run(arrays),
        settings=by_run(settings) | own,
        law_settings=of_law,
        missed_steps=missed_steps,
    )


def _index(index, batch):
    """The index of each run: as given, or its flat index in the batch."""
    if index is None:
        return np.arange(math.prod(batch))
    numbers = as_array(index, "index", ())
    if numbers.dtype.kind not in "iu" or (numbers < 0).any():
        raise ArgumentError(f"index: expected integers >= 0, found {index!r}")
    broadcast_shapes({"index": numbers.shape, "the runs": batch})
    if np.broadcast_shapes(numbers.shape, batch) != batch:
        raise ArgumentError(f"index: expected shape {batch}, one per run, found {numbers.shape}")
    return np.broadcast_to(numbers, batch).reshape(-1).astype(np.int64)


def _missed_steps(given):
    """The missed control steps (samples, ...), if listed, and the other arguments."""
    try:
        value = np.asarray(given["missed"])
    except (TypeError, ValueError):  # reported later, as an array of probabilities
        return None, given
    if value.dtype != bool:
        return None, given
    if not value.ndim:
        raise ArgumentError("missed: expected bools of shape (samples, ...), found a single bool")
    return value, given | {"missed": None}


def _check_numbers(name, array, target):
    test, expected = EXPECTED.get(name, (np.isfinite, "finite numbers"))
    good = test(array)
    if not good.all():
        found = target.fetched(array[~good]).flat[0]
        raise ArgumentError(f"{name}: expected {expected}, found {found}")


def _check_encoders(robot):
    for joint in robot.joints:
        if joint.kind not in LIMITED:
            raise ArgumentError(
                f"encoder: encoders do not read the position of joint {quoted(joint.name)} "
                f"({joint.kind}); leave encoder out for this robot"
            )


def _check_period(period, duration):
    longest = period.max()
    if longest > duration:
        raise ArgumentError(
            f"period: expected at most the duration, {duration:g} s, found {longest:g}"
        )


def _check_delay(arrays):
    shortest = arrays["period"] * (1 - arrays["jitter"])
    delay, shortest = np.broadcast_arrays(arrays["delay"], shortest)
    late = delay > shortest
    if late.any():
        raise ArgumentError(
            f"delay: expected at most the shortest period, {shortest[late].flat[0]:g} s, found "
            f"{delay[late].flat[0]:g}{LATER}"
        )


def _with_settings(batch, settings, target):
    """The batch of all, and the settings with it as first axes, or ones if they have no batch."""
    if not settings:
        return batch, {}
    axes = len(batch) or 1
    batches = {name: value.shape[:axes] for name, value in settings.items() if value.ndim}
    batch = broadcast_shapes(batches | {"the others": batch})
    return batch, as_settings(settings, batch, target, "trajectory", ("t",))


def _with_law_settings(batch, settings, defaults, target):
    """The batch, and the settings of a law with it, or ones, as first axes."""
    for name, (value, shape) in defaults.items():
        if shape is not None:
            array = settings[name]
            before = len(batch) - (array.ndim - len(shape))
            settings[name] = array.reshape(*[1] * before, *array.shape)
        elif name not in settings:
            settings[name] = target.put(np.asarray(value(batch), float))
    axes = len(batch) or 1
    batches = {
        name: value.shape[:axes]
        for name, value in settings.items()
        if value.ndim and name not in defaults
    }
    batch = broadcast_shapes(batches | {"the others": batch})
    return batch, as_settings(settings, batch, target)


def _duration(given, reference):
    if given is None:
        given = reference.duration
    if given is None:
        raise ArgumentError("duration: give it in seconds, because the trajectory has no end")
    return positive(given, "duration")


def _by_run(array, own, batch, target):
    """(runs, ...), or (1, ...) if all share it; `own` is the batch part of its shape."""
    entry = array.shape[len(own) :]
    if math.prod(own) == 1:
        return array.reshape(1, *entry)
    xp = target.arrays if isinstance(array, target.arrays.ndarray) else np
    return xp.broadcast_to(array, batch + entry).reshape(-1, *entry)
