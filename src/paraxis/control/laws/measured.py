"""Measurements for a controller: the state with noise, bias, quantisation and delay."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import quoted
from ...counter_random import WORD, random_normal
from ...drivers.iterate import integer_like
from ...errors import ArgumentError
from ...robots.joint import LIMITED
from ...robots.robot import Robot, a_robot
from ...scalar import floor, rint
from .filters import DelayLine
from .goal import numbers_of_entries
from .law import Law, Part, joined
from .rates import title_of

KINDS = ("noise", "bias", "quantisation")


def measured(
    robot: Robot,
    controller: Callable,
    *,
    noise: ArrayLike | None = None,
    rate_noise: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    rate_bias: ArrayLike | None = None,
    quantisation: ArrayLike | None = None,
    rate_quantisation: ArrayLike | None = None,
    delay: int = 0,
    seed: int = 0,
) -> Law:
    """Return a controller that gets measurements of the state instead of the state.

    Positions are rint((q + bias + noise) / quantisation) * quantisation, `delay` samples old, and
    likewise rates. The noise is normally distributed and independent from sample to sample. It only
    depends on the seed, the robot's number in the batch (the setting `robot_number`) and the
    sample.

    **Arguments:**

    - `robot`: the robot.
    - `controller`: a function of (t, q, qd), or a controller with memory.
    - `noise`, `rate_noise`: standard deviations of positions and rates, rad or m, and per second.
    - `bias`, `rate_bias`: constant offsets of positions and rates.
    - `quantisation`, `rate_quantisation`: the steps to which they are rounded, such as 2π/4096.
    - `delay`: samples between a measurement and its use; until then, the first one is used.
    - `seed`: the seed of the noise, an integer.

    All except the last two are one number, one per entry, or `(..., n)` for one set per robot, and
    are settings: `px.simulate(..., noise=...)` replaces them.

    **Returns:** a controller, with memory if there is noise or a delay.

    **Raises:** `px.ArgumentError` if numbers are out of range, or positions of planar, spherical or
    free joints are to be disturbed.

    **Example:**

    >>> robot = px.robots.planar(1)
    >>> law = px.control.PID(robot, kp=100.0, ki=100.0, kd=20.0, goal=[0.5])
    >>> real = px.control.measured(robot, law, noise=0.001, quantisation=2 * np.pi / 4096)
    >>> run = px.simulate(robot, [0.5], [0.0], controller=real, dt=2e-3, steps=4000)
    >>> abs(run.q[-1] - 0.5) < 0.01
    array([ True])
    """
    part, delay, seed = Part(controller), integer_like(delay, "delay"), integer_like(seed, "seed")
    asked = {"noise": noise, "bias": bias, "quantisation": quantisation}
    asked |= {"rate_noise": rate_noise, "rate_bias": rate_bias}
    asked |= {"rate_quantisation": rate_quantisation}
    settings, shapes = {}, {}
    sizes = {True: a_robot(robot).nv, False: robot.nq}
    for name, value in asked.items():
        if value is None:
            continue
        size = sizes[name.startswith("rate_")]
        settings[name] = array = numbers_of_entries(value, size, name)
        shapes[name] = (size,)
        low = 0.0 if name.endswith("noise") else -math.inf
        if (array < low).any() or (name.endswith("quantisation") and (array <= 0).any()):
            raise ArgumentError(f"{name}: expected numbers > 0, found {value!r}")
    others = [joint for joint in robot.joints if joint.kind not in LIMITED]
    if others and any(name in settings for name in KINDS):
        raise ArgumentError(
            f"measured: positions of joint {quoted(others[0].name)} ({others[0].kind}) cannot be "
            f"disturbed, because no sensor reads them directly; disturb only rates"
        )
    noisy = "noise" in settings or "rate_noise" in settings
    entries = robot.nq + robot.nv
    line = DelayLine(delay, entries)
    initial: dict[str, Any] = {"samples": np.zeros(1)} if noisy else {}
    initial |= {"line": line.structure} if delay else {}
    if noisy:
        settings["robot_number"] = robot_numbers

    def sense(t, q, qd, memory, dt, given):
        following = {}
        if noisy:
            count = memory["samples"][..., 0]
            high = floor(count * (1 / WORD))
            following["samples"] = memory["samples"] + 1.0
        state = []
        for k, (value, prefix) in enumerate(((q, ""), (qd, "rate_"))):
            if f"{prefix}bias" in settings:
                value = value + given[f"{prefix}bias"]
            if f"{prefix}noise" in settings:
                sample = count - high * WORD, 2.0 * high + k  # independent streams
                size = value.shape[-1]
                drawn = random_normal(seed, given["robot_number"], *sample, size=size)
                value = value + given[f"{prefix}noise"] * drawn
            if f"{prefix}quantisation" in settings:
                grain = given[f"{prefix}quantisation"]
                value = rint(value / grain) * grain
            state.append(value)
        if delay:
            both, following["line"] = line(np.concatenate(state, axis=-1), memory["line"])
            state = [both[..., : robot.nq], both[..., robot.nq :]]
        result, after = part(t, *state, memory.get("inner"), dt, given)
        if part.structure:
            following["inner"] = after
        return result, following

    title = f"{title_of(controller)} with measurements"
    return joined(sense, title, {"inner": part}, initial, settings, shapes)


def robot_numbers(batch):
    """The number of each robot of a batch."""
    return np.arange(float(math.prod(batch))).reshape(batch)
