"""Weights as integer multiples of a unit, for integer solvers."""

import math
from dataclasses import dataclass
from fractions import Fraction

from ...tasks.task_graph import TaskGraph

LARGEST = 2**50  # in units; sums over processors must stay far below 2**63


@dataclass(frozen=True)
class WholeTasks:
    """`tasks` are the given ones, with weights and messages counted in `unit`.

    Floats count as the decimals that represent them. If no unit divides all of them, or it is too
    small, they are rounded up to a unit small enough not to matter (`rounded`).
    """

    given: TaskGraph
    tasks: TaskGraph
    unit: Fraction
    rounded: bool

    def least_time(self, units):
        """A bound in units as a bound for the given tasks."""
        if self.rounded:  # a path has at most all tasks, and as many messages
            units = max(0, units - 2 * len(self.given))
        time = units * self.unit
        return math.ceil(time) if self.given.whole else float(time)


def whole_tasks(tasks):
    sizes = (*tasks.weights, *tasks.messages.values())
    if tasks.whole and math.gcd(*sizes) == 1 and sum(sizes) <= LARGEST:
        return WholeTasks(tasks, tasks, Fraction(1), rounded=False)
    sizes = [_as_printed(size) for size in sizes]
    whole = math.lcm(*(size.denominator for size in sizes))
    unit = Fraction(math.gcd(*(int(size * whole) for size in sizes)) or 1, whole)
    rounded = sum(sizes) > LARGEST * unit
    if rounded:
        unit = sum(sizes) / LARGEST
    units = [math.ceil(size / unit) for size in sizes]
    weights = dict(zip(tasks.names, units, strict=False))
    messages = dict(zip(tasks.messages, units[len(tasks) :], strict=True))
    edges = (
        (tasks.names[first], tasks.names[then], messages.get((first, then), 0))
        for then, before in enumerate(tasks.predecessors)
        for first in before
    )
    return WholeTasks(tasks, TaskGraph(weights, edges, tasks.name), unit, rounded)


def _as_printed(size):
    return Fraction(size) if isinstance(size, int) else Fraction(repr(size))
