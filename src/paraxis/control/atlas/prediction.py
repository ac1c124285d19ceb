"""The stability boundary predicted by a linear loop, for many loops at once.

The boundary is that of `px.control.safe_period` over a periodic motion, computed faster: the loop
is linearised at some control steps of a cycle, each of which represents its neighbours.
"""

import numpy as np

from ..controller import Motion
from ..linear_loop import LinearLoop

POINTS = 12  # per cycle
FEWEST_STEPS = 4  # per cycle, so that long periods also sample all parts of it
SCANNED = 12  # periods that bracket a boundary
PRECISION = 0.005  # of a boundary, relative
NOTHING = 1e-100  # relative to 1


class CycleRadii:
    """The factors by which errors of loops grow per control step, over a cycle; one loop per row.

    reference: the motion at speed 1, which repeats after `cycle` seconds.
    """

    def __init__(self, robot, controller, reference, cycle, speeds, parameters):
        self.linear = LinearLoop(robot, controller, parameters)
        self.reference, self.speeds, self.cycles = reference, speeds, cycle / speeds
        self._units = None  # shared by all points and loops, so that maps can be multiplied

    def __call__(self, period):
        """The spectral radii (rows,) at periods (rows,)."""
        steps = np.maximum(np.rint(self.cycles / period), FEWEST_STEPS).astype(int)
        ends = steps * np.arange(POINTS + 1)[:, None] // POINTS
        counts = np.diff(ends, axis=0)  # of control steps represented by each point
        middles = ends[:-1] + np.maximum(counts - 1, 0) / 2
        maps = self._maps(middles * (self.cycles / steps), period)
        finite = np.isfinite(maps).all((0, 2, 3))
        maps[:, ~finite] = 0.0
        product, size = _product(*_powers(maps, counts))
        with np.errstate(divide="ignore"):
            grown = np.log(np.abs(np.linalg.eigvals(product)).max(-1)) + size
        return np.where(finite, np.exp(grown / steps), np.inf)

    def _maps(self, t, period):
        """The maps of single control steps at times (points, rows)."""
        linear, entries = self.linear, self.linear.controller.entries
        desired, middle, ahead = (self._desired(t + part * period) for part in (0.0, 0.5, 1.0))
        between = self._state(middle)
        tau, _ = linear.exact(between, middle)
        past = np.empty((*t.shape, len(entries)))
        for age in sorted({entry.age for entry in entries}):
            earlier = self._desired(t - age * period)
            _, values = linear.exact(self._state(earlier), earlier)
            columns = [k for k, entry in enumerate(entries) if entry.age == age]
            past[..., columns] = values[..., columns]
        slopes = linear.linearised(between, tau, self._state(desired), desired, ahead, past)
        if self._units is None:
            self._units = slopes.balancing_units()
        return slopes.in_units(self._units).steps(period, 0.0, False)[0]

    def _desired(self, t):
        speeds = self.speeds
        powers = np.stack([np.ones_like(speeds), speeds, speeds**2], -1)
        sampled = self.reference.sampled(t * speeds)
        return sampled * np.repeat(powers, self.reference.sizes, axis=-1)

    def _state(self, motion):
        return Motion.of(self.linear.robot, motion)[:2]


def boundaries(radii, rows, periods):
    """The end (rows,) of the first interval of stable periods.

    It is 0 if the shortest is unstable, infinite if all are stable.
    """
    safe, unsafe = np.zeros(rows), np.full(rows, np.inf)
    scanned = np.geomspace(periods[0], periods[-1], SCANNED)
    for period in scanned.tolist():
        open_, stable = np.isinf(unsafe), radii(np.full(rows, period)) < 1
        safe[open_ & stable], unsafe[open_ & ~stable] = period, period
        if not np.isinf(unsafe).any():
            break
    bracketed = (safe > 0) & np.isfinite(unsafe)
    while (unsafe[bracketed] > safe[bracketed] * (1 + PRECISION)).any():
        middle = np.where(bracketed, np.sqrt(safe * np.where(bracketed, unsafe, 1.0)), periods[0])
        stable = radii(middle) < 1
        safe[bracketed & stable] = middle[bracketed & stable]
        unsafe[bracketed & ~stable] = middle[bracketed & ~stable]
    return np.where(np.isinf(unsafe), np.inf, safe)


# -- products that do not overflow: a matrix of size 1, and the logarithm of its size -------------


def _sized(matrices, sizes):
    largest = np.maximum(matrices.max((-2, -1)), -matrices.min((-2, -1)))
    largest[largest == 0] = 1.0
    unit = matrices / largest[..., None, None]
    unit[np.abs(unit) < NOTHING] = 0.0  # otherwise products fill with slow subnormal numbers
    return unit, sizes + np.log(largest)


def _powers(maps, counts):
    """Each map to the power of its count."""
    power = np.broadcast_to(np.eye(maps.shape[-1]), maps.shape).copy()
    power_size = np.zeros(counts.shape)
    square, size = _sized(maps, 0.0)
    while True:
        odd = counts % 2 == 1
        power[odd] = square[odd] @ power[odd]  # a dozen factors of size 1 do not overflow
        power_size[odd] += size[odd]
        counts = counts // 2
        if not counts.any():
            return _sized(power, power_size)
        square, size = _sized(square @ square, 2 * size)


def _product(maps, sizes):
    """The product of maps (points, rows, m, m) over the points."""
    product, size = maps[0], sizes[0]
    for each, own in zip(maps[1:], sizes[1:], strict=True):
        product, size = _sized(each @ product, size + own)
    return product, size
