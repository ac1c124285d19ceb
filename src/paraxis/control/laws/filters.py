"""Filters for controllers with memory, called once per sample: filter(x, memory) -> (y, memory).

A filter is part of a controller's memory: with `px.control.with_memory(function,
speed=px.control.LowPass(0.01))`, the function computes `smooth, memory["speed"] = low_pass(qd,
memory["speed"], dt)`. Signals are arrays along their last axis.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import quoted
from ...drivers.iterate import integer_like
from ...errors import ArgumentError
from ...scalar import exp, select
from ...simulation.memory import flat_memory, leaves
from ...simulation.simulator import positive
from .rates import through_line


class Filter:
    """The base of filters. `size`: entries of the signal; None for one per degree of freedom."""

    structure: dict[str, Any]

    def __init__(self, size: int | None, **initial: Any):
        self._size = None if size is None else integer_like(size, "size", least=1)
        self.structure = initial

    @property
    def memory(self) -> Any:
        """Its memory before the first sample, by name, or a function of the robot for it."""
        if any(callable(value) for value in leaves(self.structure)):
            return lambda robot: flat_memory(self.structure, robot)
        return flat_memory(self.structure, None)

    def _shaped(self, value, *before):
        """An initial value for each entry."""
        value = np.asarray(value, float)
        if self._size is None:
            return lambda robot: np.broadcast_to(value, (*before, robot.nv))
        return np.broadcast_to(value, (*before, self._size))

    def __repr__(self):
        return f"<px.control.{type(self).__name__}>"


class LowPass(Filter):
    """A first-order low-pass filter: y ← y + (1 - exp(-dt / time_constant)) (x - y).

    This is exact for a signal that is held between samples. Its cutoff frequency in Hz is 1 / (2π
    time_constant).

    **Arguments:**

    - `time_constant`: the time constant in seconds, > 0.
    - `size`: entries of the signal; by default one per degree of freedom of the robot.
    - `initial`: the initial output; by default the first sample.

    Call it as `y, memory = low_pass(x, memory, dt)`; y includes this sample.

    **Example:**

    >>> low_pass = px.control.LowPass(time_constant=0.1, size=1, initial=[0.0])
    >>> def smooth(t, q, qd, memory, dt, u):
    ...     command, state = low_pass(u, memory.filter, dt)
    ...     return command, {"filter": state}
    ...
    >>> controller = px.control.with_memory(smooth, filter=low_pass)
    >>> robot = px.robots.planar(1).with_gravity([0, 0, 0])
    >>> run = px.simulate(
    ...     robot, [0.0], [0.0], controller=controller, u=[1.0], dt=1e-3, steps=300
    ... )
    >>> np.diff(run.qd[[0, 100, 200, 300], 0])  # rad/s per 0.1 s: the torque rises
    array([0.111, 0.231, 0.274])
    """

    def __init__(
        self, time_constant: float, size: int | None = None, initial: ArrayLike | None = None
    ):
        self.time_constant = positive(time_constant, "time_constant")
        super().__init__(size)
        self._begins = initial is None
        self.structure = {"value": self._shaped(0.0 if initial is None else initial)}
        if self._begins:
            self.structure["begun"] = np.zeros(1)

    def __call__(self, x: Any, memory: dict, dt: Any) -> tuple[Any, dict]:
        before = memory["value"]
        value = before + (x - before) * (1.0 - exp(dt * (-1.0 / self.time_constant)))
        following = {"value": value}
        if self._begins:
            following = {
                "value": select(memory["begun"], value, x),
                "begun": memory["begun"] * 0 + 1.0,
            }
        return following["value"], following


class LinearFilter(Filter):
    """A linear filter of any order from its coefficients, like `scipy.signal.lfilter(b, a, x)`.

    a₀ yₖ = b₀ xₖ + b₁ xₖ₋₁ + ... - a₁ yₖ₋₁ - ..., in the transposed direct form II. With three
    coefficients each it is a biquad.

    **Arguments:**

    - `b`, `a`: coefficients of the numerator and the denominator, those of the newest sample first.
    - `size`: entries of the signal; by default one per degree of freedom of the robot.

    **Raises:** `px.ArgumentError` if they are not finite numbers, or a[0] is 0.

    Call it as `y, memory = filter(x, memory)`.

    **Example:**

    >>> smooth = px.control.LinearFilter.second_order_low_pass(cutoff=5.0, period=0.01, size=1)
    >>> def law(t, q, qd, memory):
    ...     rate, state = smooth(qd, memory.filter)
    ...     return 50.0 * (0.5 - q) - 8.0 * rate, {"filter": state}
    ...
    >>> controller = px.control.with_memory(law, filter=smooth)
    >>> robot = px.robots.planar(1).with_gravity([0, 0, 0])
    >>> run = px.simulate(robot, [0.0], [0.0], controller=controller, dt=0.01, steps=400)
    >>> run.q[-1]
    array([0.501])
    """

    def __init__(self, b: ArrayLike, a: ArrayLike = (1.0,), size: int | None = None):
        top, bottom = _coefficients(b, "b"), _coefficients(a, "a")
        if bottom[0] == 0:
            raise ArgumentError("a: expected a nonzero first coefficient")
        order = max(len(top), len(bottom)) - 1
        self.b = np.pad(top / bottom[0], (0, order + 1 - len(top)))
        self.a = np.pad(bottom / bottom[0], (0, order + 1 - len(bottom)))
        super().__init__(size)
        if order:
            self.structure = {"line": self._shaped(0.0, order)}

    @classmethod
    def second_order_low_pass(
        cls, cutoff: float, period: float, damping: float = math.sqrt(0.5), size: int | None = None
    ) -> LinearFilter:
        """A second-order low-pass filter, by the bilinear transform, exact at its cutoff.

        `cutoff`: in Hz, below half the sampling rate; `period`: seconds between samples; `damping`:
        the damping ratio, by default Butterworth's.
        """
        cutoff, period = positive(cutoff, "cutoff"), positive(period, "period")
        if cutoff * period >= 0.5:
            raise ArgumentError(
                f"cutoff: expected less than half the sampling rate, {0.5 / period:g} Hz, found "
                f"{cutoff:g}"
            )
        w, z = math.tan(math.pi * cutoff * period), positive(damping, "damping")
        b = np.array([1.0, 2.0, 1.0]) * w * w
        a = [1.0 + 2.0 * z * w + w * w, 2.0 * (w * w - 1.0), 1.0 - 2.0 * z * w + w * w]
        return cls(b, a, size)

    def __call__(self, x: Any, memory: dict) -> tuple[Any, dict]:
        if "line" not in memory:
            return x * self.b[0], {}
        rows = [memory["line"][..., k, :] for k in range(len(self.b) - 1)]
        y = x * self.b[0] + rows[0]
        following = [
            x * b - y * a + (rows[k + 1] if k + 1 < len(rows) else 0.0)
            for k, (b, a) in enumerate(zip(self.b[1:], self.a[1:], strict=True))
        ]
        return y, {"line": np.stack(following, axis=-2)}


class Derivative(Filter):
    """The rate of a signal by filtered differences: y ← (T y + x - previous x) / (T + dt).

    This is a difference with a first-order filter of time constant T, by backward Euler. The first
    rate is 0.

    **Arguments:**

    - `time_constant`: T in seconds, >= 0; 0 for plain differences.
    - `size`: entries of the signal; by default one per degree of freedom of the robot.

    Call it as `y, memory = derivative(x, memory, dt)`.

    **Example:**

    >>> rate_of = px.control.Derivative(time_constant=0.01, size=1)
    >>> def law(t, q, qd, memory, dt):
    ...     rate, state = rate_of(q, memory.rate, dt)  # from positions alone
    ...     return 50.0 * (0.5 - q) - 8.0 * rate, {"rate": state}
    ...
    >>> controller = px.control.with_memory(law, rate=rate_of)
    >>> robot = px.robots.planar(1).with_gravity([0, 0, 0])
    >>> run = px.simulate(robot, [0.0], [0.0], controller=controller, dt=1e-3, steps=4000)
    >>> run.q[-1]
    array([0.5])
    """

    def __init__(self, time_constant: float = 0.0, size: int | None = None):
        zero = time_constant == 0
        self.time_constant = 0.0 if zero else positive(time_constant, "time_constant")
        super().__init__(size)
        self.structure = {"before": self._shaped(0.0), "begun": np.zeros(1)}
        if self.time_constant:
            self.structure["rate"] = self._shaped(0.0)

    def __call__(self, x: Any, memory: dict, dt: Any) -> tuple[Any, dict]:
        change = select(memory["begun"], x - memory["before"], 0.0)
        following = {"before": x, "begun": memory["begun"] * 0 + 1.0}
        if not self.time_constant:
            return change / dt, following
        rate = (memory["rate"] * self.time_constant + change) / (dt + self.time_constant)
        return rate, following | {"rate": rate}


class DelayLine(Filter):
    """A signal delayed by some samples.

    **Arguments:**

    - `samples`: the number of samples of delay, >= 0.
    - `size`: entries of the signal; by default one per degree of freedom of the robot.
    - `initial`: the output before the first delayed sample; by default the first sample.

    Call it as `y, memory = line(x, memory)`.

    **Example:**

    >>> line = px.control.DelayLine(samples=5, size=1)
    >>> def law(t, q, qd, memory):
    ...     late, state = line(q, memory.line)  # the position of 5 ms ago
    ...     return 50.0 * (0.5 - late) - 8.0 * qd, {"line": state}
    ...
    >>> controller = px.control.with_memory(law, line=line)
    >>> robot = px.robots.planar(1).with_gravity([0, 0, 0])
    >>> run = px.simulate(robot, [0.0], [0.0], controller=controller, dt=1e-3, steps=3000)
    >>> run.q[-1]
    array([0.5])
    """

    def __init__(self, samples: int = 1, size: int | None = None, initial: ArrayLike | None = None):
        self.samples = integer_like(samples, "samples")
        super().__init__(size)
        self._begins = initial is None
        if self.samples:
            start = 0.0 if initial is None else initial
            self.structure = {"line": self._shaped(start, self.samples)}
            if self._begins:
                self.structure["begun"] = np.zeros(1)

    def __call__(self, x: Any, memory: dict) -> tuple[Any, dict]:
        if not self.samples:
            return x, {}
        line, following = memory["line"], {}
        if self._begins:
            begun = memory["begun"]
            full = np.stack(
                [np.broadcast_to(np.asanyarray(x), np.shape(line[..., 0, :]))] * self.samples, -2
            )
            line = select(begun[..., None], line, full)
            following["begun"] = begun * 0 + 1.0
        out, following["line"] = through_line(x, line)
        return out, following


def _coefficients(given, name):
    try:
        array = np.asarray(given, float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise ArgumentError(f"{name}: expected a list of finite numbers, found {quoted(given)}")
    return array
