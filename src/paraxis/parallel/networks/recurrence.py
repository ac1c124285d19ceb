"""Linear recurrences x(k) = x(k-1) ∘ a(k) on several processors: steps, operations, messages.

∘ is any associative operator. The orders in which it may be applied are in physics/parts/orders.py.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ...checks import integer, one_of
from ...errors import ArgumentError
from ...physics.parts.order import Order
from ...physics.parts.orders import ORDERS
from .network import Delivery, Network
from .optimal_order import least_steps, optimal

BY_NAME = ORDERS | {"optimal": optimal}


class Glue(NamedTuple):
    """One application of the operator, by `processor`. Spans are (first, last) element.

    `left_from` and `right_from` are the processors that hold the spans before the step.
    """

    processor: int
    left: tuple[int, int]
    right: tuple[int, int]
    left_from: int
    right_from: int


@dataclass(frozen=True, eq=False)
class Recurrence:
    """A solved recurrence, created by `px.parallel.recurrence`.

    - `results`: x(0), x(1), ...
    - `order`: which processor combined which spans at which step.

    **Example:**

    >>> def add(a, b):
    ...     return a + b
    ...
    >>> sums = px.parallel.recurrence(add, range(8), order="p_fold", processors=2)
    >>> sums.steps, sums.bound, sums.operations
    (6, 5, 10)
    >>> sums.on(px.parallel.network("hypercube", 2)).hops
    3
    """

    results: list
    order: Order

    @property
    def processors(self) -> int:
        """The number of processors."""
        return self.order.processors

    @property
    def elements(self) -> int:
        """The number of terms, and one more if the recurrence starts from a given value."""
        return len(self.order.homes)

    @property
    def steps(self) -> int:
        """The number of time steps: in each, every processor applies the operator at most once."""
        return len(self.order.steps)

    @property
    def operations(self) -> int:
        """The total number of applications of the operator."""
        return sum(len(step.glues) for step in self.order.steps)

    @property
    def bound(self) -> int:
        """A lower bound of the steps of any order; see `least_steps`."""
        return least_steps(self.elements, self.processors)

    @cached_property
    def record(self) -> list[list[Glue]]:
        """For each step a list of `Glue`: who combined which spans."""
        return record(self.order)

    @cached_property
    def messages(self) -> list[list[tuple[int, int, tuple[int, int]]]]:
        """For each step the messages (from, to, span) sent before it; the last list returns the
        results to their processors."""
        return messages(self.order)

    def on(self, network: Network, per_hop: float = 1.0, startup: float = 0.0) -> Delivery:
        """Send the messages through a network: the `Delivery` of all steps together.

        `per_hop` and `startup` are times, as for `Network.deliver`.
        """
        return delivered(network, self.processors, self.messages, per_hop, startup)

    def __repr__(self):
        return (
            f"<Recurrence of {self.elements} elements by {self.order.name} on {self.processors}: "
            f"{self.steps} steps, {self.operations} operations>"
        )


def recurrence(
    operator: Callable[[Any, Any], Any],
    terms: Iterable,
    start: Any = None,
    order: str = "doubling",
    processors: int | None = None,
) -> Recurrence:
    """Solve x(k) = operator(x(k-1), terms[k]) for all k, in a given order on several processors.

    **Arguments:**

    - `operator`: an associative function of two arguments, such as a matrix product, a sum, or any
      operator that combines two adjacent spans.
    - `terms`: the terms, at least one.
    - `start`: x(-1); without it x(0) is terms[0].
    - `order`: `"doubling"` and `"halving"` need one processor per term; `"p_fold"` and `"serial"`
      divide the terms among any number; `"optimal"` does so in the fewest steps, found by search,
      for up to 12 terms; `"shuffled_doubling"` and `"shuffled_p_fold"` move the terms between
      processors, for networks that shuffle.
    - `processors`: the number of processors; by default one per term.

    **Returns:** a `px.parallel.Recurrence` with `results`, `steps`, `operations`, `bound` and
    `messages`.

    **Raises:** `px.ArgumentError` if there are no terms, or an argument is out of range.

    **Example:**

    >>> sums = px.parallel.recurrence(lambda a, b: a + b, range(8))
    >>> sums.results
    [0, 1, 3, 6, 10, 15, 21, 28]
    >>> sums.steps, sums.operations  # instead of 7 sequential steps
    (3, 17)
    """
    if not callable(operator):
        raise ArgumentError(f"operator: expected a function of two arguments, found {operator!r}")
    if not isinstance(terms, Iterable):
        raise ArgumentError(f"terms: expected a list, found {terms!r}")
    terms = list(terms)
    if not terms:
        raise ArgumentError("terms: expected at least one term, found none")
    one_of(order, BY_NAME, "order")
    row = terms if start is None else [start, *terms]
    count = len(terms) if processors is None else integer("processors", processors)
    found = BY_NAME[order](len(row), count)
    return Recurrence(found.prefixes(operator, row)[-len(terms) :], found)


def delivered(network, processors, sent, per_hop, startup):
    """The Delivery of messages between a number of processors, one list of them after another."""
    if not isinstance(network, Network):
        raise ArgumentError(f"network: expected a Network, found {type(network).__name__}")
    if network.processors < processors:
        raise ArgumentError(
            f"network {network.name}: expected at least {processors} processors, found "
            f"{network.processors}"
        )
    return sum((network.deliver(each, per_hop, startup) for each in sent), Delivery())


def record(order):
    """For each step of an order, who combines which spans, from where."""
    return [_glues(*state) for state in order.replay() if state[0] is not None]


def messages(order):
    """For each step the triples (from, to, span) sent before it, then those that return results.

    A span that was sent to a processor stays there and is not sent again.
    """
    copies, sent = set(), []
    for step, firsts, held_by in order.replay():
        moves = enumerate(order.homes) if step is None else step.moves
        now = [(held_by[k], to, (firsts[k], k)) for k, to in moves if held_by[k] != to]
        for glue in _glues(step, firsts, held_by) if step else ():
            copy = (glue.processor, glue.left)
            if glue.left_from != glue.processor and copy not in copies:
                copies.add(copy)
                now.append((glue.left_from, *copy))
        sent.append(now)
    return sent


def _glues(step, firsts, held_by):
    """The combinations of a step, given the state before it."""
    moved = dict(step.moves)
    return [
        Glue(
            moved.get(right, held_by[right]),
            (firsts[left], left),
            (firsts[right], right),
            held_by[left],
            held_by[right],
        )
        for left, right in step.glues
    ]
