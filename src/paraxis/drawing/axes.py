"""Axes: values to pixels, and the round numbers beside them."""

import math
from numbers import Integral


class LinearAxis:
    """Pixels from `start` to `stop` stand for values from `low` to `high`."""

    def __init__(self, low, high, start, stop, ticks):
        self.low, self.high, self.start, self.stop, self.ticks = low, high, start, stop, ticks

    @classmethod
    def from_zero(cls, values, start, stop, most):
        """From zero, or a round number below it, to a round number above all values."""
        low, high = min(*values, 0), max(*values, 0)
        step = _step(high - low or 1, most)
        first = math.floor(low / step)
        last = max(math.ceil(high / step), first + 1)
        ticks = [k * step for k in range(first, last + 1)]
        return cls(ticks[0], ticks[-1], start, stop, ticks)

    @classmethod
    def tight(cls, values, start, stop, most):
        """From the least value to the largest, with ticks where round numbers fall between.

        Between integers, only integers.
        """
        low, high = min(values), max(values)
        if low == high:
            return cls(low - 1, high + 1, start, stop, [low])
        step = _step(high - low, most)
        if all(isinstance(value, int) for value in values):
            step = max(1, step)
        ticks = [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
        return cls(low, high, start, stop, ticks)

    def __call__(self, value):
        share = (value - self.low) / (self.high - self.low)
        return self.start + (self.stop - self.start) * share


class LogAxis:
    """From a round number below all values to one above: powers of two where both ends are."""

    def __init__(self, values, start, stop, most=9):
        self.start, self.stop = start, stop
        self.low, self.high = min(values), max(values)
        doublings = math.log2(self.low).is_integer() and math.log2(self.high).is_integer()
        base = 2 if doublings else 10
        if not doublings:
            self.low, self.high = _round_down(self.low), _round_up(self.high)
        if self.high <= self.low:
            self.high = base * self.low
        first, last = math.floor(math.log(self.low, base)), math.ceil(math.log(self.high, base))
        powers = [float(base) ** k for k in range(first, last + 1, 1 + (last - first) // most)]
        narrow = not doublings and last - first <= most // 3  # room for ticks between decades
        ticks = [step * power for power in powers for step in ((1, 2, 5) if narrow else (1,))]
        self.ticks = [tick for tick in ticks if self.low <= tick <= self.high]

    def __call__(self, value):
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + (self.stop - self.start) * share


def number_text(value):
    """Integers in full, others with four digits; thousands apart."""
    if isinstance(value, Integral):
        text = f"{int(value):,}"
    else:
        text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value + 0.0:.4g}"  # no -0
    return text.replace("-", "−")


def _step(length, most):
    """The smallest of ... 0.5, 1, 2, 5, 10, ... of which `most` cover the length."""
    least = length / most
    decade = 10.0 ** math.floor(math.log10(least))
    step = next(k * decade for k in (1, 2, 5, 10) if k * decade >= least * (1 - 1e-12))
    return round(step) if step >= 1 else step


def _round_down(value):
    decade = 10.0 ** math.floor(math.log10(value))
    return max(step * decade for step in (1, 2, 5) if step * decade <= value * (1 + 1e-12))


def _round_up(value):
    decade = 10.0 ** math.floor(math.log10(value))
    return min(step * decade for step in (1, 2, 5, 10) if step * decade >= value * (1 - 1e-12))
