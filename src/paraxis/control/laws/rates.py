"""Controllers with a sampling period of their own, or whose results are applied samples later."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ...checks import quoted
from ...drivers.iterate import integer_like
from ...errors import ArgumentError
from ...scalar import floor, less, select
from ...simulation.simulator import positive
from .law import Law, Part, joined

EARLY = 1e-6  # of a period: a step that begins this close before an instant counts as at it


def sampled(controller: Callable, period: float, *, size: int | None = None) -> Law:
    """Return a controller that is evaluated at multiples of a period, with its output held between.

    The controller is called at the first step that begins at or after each instant 0, `period`, 2
    `period`, ...; until the next call its result is held and its memory is unchanged. Periods that
    are not multiples of the simulation's `dt` are kept on average. Controllers can be nested: an
    inner loop at 1 kHz may take its goal from `px.control.sampled(planner, 0.01)`.

    **Arguments:**

    - `controller`: a function of (t, q, qd), or a controller with memory. Its argument `dt`, if it
      has one, is the time since the previous sample, a multiple of the period.
    - `period`: seconds between samples.
    - `size`: how many numbers it returns; by default one per degree of freedom of the robot.

    **Returns:** a controller with memory.

    **Raises:** `px.ArgumentError` if the period is not a number > 0.

    The whole loop is straight-line code, so a controller costs its operations at every step,
    sampled or not; only its result is held.

    **Example:**

    >>> robot = px.robots.planar(1).with_gravity([0, 0, 0])
    >>> fast = px.control.PID(robot, kp=100.0, kd=20.0, goal=[1.0])
    >>> slow = px.control.sampled(fast, 0.02)  # at 50 Hz
    >>> run = px.simulate(robot, [0.0], [0.0], controller=slow, dt=1e-3, steps=1000, every=250)
    >>> run.q[:, 0]
    array([0.   , 0.735, 0.933, 0.983, 0.996])
    """
    part, period = Part(controller), positive(period, "period")
    initial = {"held": of_size(size), "sample": np.full(1, -1.0)}

    def hold(t, q, qd, memory, dt, given):
        now = floor(t / period + EARLY)
        before = memory["sample"]
        due = less(before, now)
        elapsed = (now - before)[..., 0] * period if part.takes_dt else None
        result, after = part(t, q, qd, memory.get("inner"), elapsed, given)
        following = {
            "held": select(due, result, memory["held"]),
            "sample": select(due, now, before),
        }
        if part.structure:
            following["inner"] = chosen(due, after, memory["inner"])
        return following["held"], following

    return joined(hold, f"sampled {title_of(controller)}", {"inner": part}, initial)


def delayed(
    controller: Callable, samples: int = 1, *, initial: ArrayLike = 0.0, size: int | None = None
) -> Law:
    """Return a controller whose results are applied `samples` calls late.

    Inside `px.control.sampled`, these are samples of that period: a torque that is computed during
    a control period and applied at the beginning of the next is
    `px.control.sampled(px.control.delayed(controller), period)`.

    **Arguments:**

    - `controller`: a function of (t, q, qd), or a controller with memory.
    - `samples`: the number of calls of delay, an integer >= 0.
    - `initial`: the output before the first result arrives: a number, or one per entry.
    - `size`: how many numbers it returns; by default one per degree of freedom of the robot.

    **Returns:** a controller with memory.

    **Raises:** `px.ArgumentError` if `samples` is not an integer >= 0.

    **Example:**

    >>> robot = px.robots.planar(1).with_gravity([0, 0, 0])
    >>> law = px.control.PID(robot, kp=100.0, kd=10.0, goal=[1.0])
    >>> late = px.control.sampled(px.control.delayed(law), 0.02)  # applied 20 ms later
    >>> run = px.simulate(robot, [0.0], [0.0], controller=late, dt=1e-3, steps=1000, every=250)
    >>> run.q[:, 0]
    array([0.   , 0.937, 1.005, 0.999, 1.   ])
    """
    part, samples = Part(controller), integer_like(samples, "samples")
    if samples == 0:
        return joined(
            lambda t, q, qd, memory, dt, given: _same(part, t, q, qd, memory, dt, given),
            title_of(controller),
            {"inner": part},
        )

    def line(robot):
        first, entries = _numbers(initial, "initial"), size or robot.nv
        if first.shape not in ((), (1,), (entries,)):
            raise ArgumentError(
                f"initial: expected a number or {entries} of them, found shape {first.shape}"
            )
        return np.broadcast_to(first, (samples, entries))

    def delay(t, q, qd, memory, dt, given):
        result, after = part(t, q, qd, memory.get("inner"), dt, given)
        applied, following = through_line(result, memory["line"])
        following = {"line": following}
        if part.structure:
            following["inner"] = after
        return applied, following

    late = "1 sample" if samples == 1 else f"{samples} samples"
    return joined(
        delay, f"{title_of(controller)} delayed by {late}", {"inner": part}, {"line": line}
    )


def _same(part, t, q, qd, memory, dt, given):
    result, after = part(t, q, qd, memory.get("inner"), dt, given)
    return result, {"inner": after} if part.structure else {}


def through_line(new, line):
    """The oldest entry of a delay line, (..., samples, n), and the line with a new one appended."""
    rows = [line[..., k, :] for k in range(line.shape[-2])]
    new = np.broadcast_to(np.asanyarray(new), np.shape(rows[0]))
    return rows[0], np.stack([*rows[1:], new], axis=-2)


def chosen(condition, new, old):
    """Selects one of two nested memories; the condition has a last axis of length 1."""
    if isinstance(old, dict):
        return {name: chosen(condition, new[name], each) for name, each in old.items()}
    if np.shape(old) == np.shape(condition)[:-1]:  # a single number per robot
        return select(condition[..., 0], new, old)
    wide = condition.reshape(*condition.shape[:-1], *[1] * (np.ndim(old) - np.ndim(condition) + 1))
    return select(wide, new, old)


def of_size(size):
    """Initial zeros: this many, or one per degree of freedom."""
    if size is None:
        return lambda robot: np.zeros(robot.nv)
    return np.zeros(integer_like(size, "size", least=1))


def title_of(controller):
    own = getattr(controller, "_title", None) or getattr(controller, "__name__", None)
    return own or type(controller).__name__


def _numbers(value, name):
    try:
        return np.asarray(value, float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected numbers, found {quoted(value)}") from None
