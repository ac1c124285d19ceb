"""Processors that solve a robot's recurrences by blocks, and a record of their work.

Every joint has a processor, which evaluates the local equations of the joint. A recurrence is
solved in an order of physics/parts/orders.py. A processor reads the values it holds; values of
others are sent to it, and stay there. The record therefore has exactly the messages that are
needed.
"""

from itertools import zip_longest
from operator import add, matmul, neg
from typing import NamedTuple

from ...physics.parts.order import Step, do
from ...robots.joint import WORLD
from .recurrence import messages, record
from .tour import Visit

INVERSE = {matmul: lambda rotation: rotation.T, add: neg}


class PFoldStep(NamedTuple):
    """The simultaneous work of all processors, after the messages have arrived.

    - `value`: the computed value: "R", "ω", ..., or "Δω" for the terms of a recurrence.
    - `done`: maps each working processor to its joint or, in a recurrence, to the span (first,
      last) of the row that it combines; it is empty if messages only have to arrive before they are
      forwarded.
    - `messages`: (from, to, what), where `what` is a value and its joint or span.
    """

    value: str
    done: dict[int, int | tuple[int, int]]
    messages: tuple[tuple[int, int, tuple], ...]


class PFoldMachine:
    """A machine for `base_frame_newton_euler.torques`; `steps` is its record."""

    def __init__(self, tour, order, processors):
        self.tour, self.steps = tour, []
        bodies = order(len(tour.bodies), processors)
        self.homes = dict(zip(tour.bodies, bodies.homes, strict=True))
        self._rounds = _rounds(self.homes)
        self._outward = Row(order(len(tour.visits), processors), tour.visits)
        self._inward = Row(bodies, [Visit(i) for i in tour.bodies[::-1]], _mirrored(bodies))
        self._holders = {}  # (value, body) -> processors; the first one computed it
        self._at = None  # the processor at work
        self._arriving = []  # messages since the last step

    def each(self, name, value):
        """The local values of every joint: value(i, p) for each joint i and its parent p."""
        return self._each(name, value, self._rounds)

    def outward(self, name, combine, first, term):
        """Solve x[i] = x[p] ∘ term(i, p), where x of the base is `first` and ∘ is `combine`."""
        moving = combine is add and any(first.scalars())  # otherwise it changes nothing

        def own(i, p):
            return first + term(i, p) if moving and p == WORLD else term(i, p)

        x = self._solve(name, self._outward, combine, self.each(f"Δ{name}", own))
        x.values[WORLD] = first
        return x

    def inward(self, name, term):
        """Sum the terms of every joint and of everything that it carries.

        Along the tour this is the sum of all from this joint on, minus that of all beyond.
        """
        terms, beyond = self.each(f"Δ{name}", term), self.tour.beyond
        if not beyond:
            return self._solve(name, self._inward, add, terms)
        x = self._solve(f"Σ{name}", self._inward, add, terms)
        here = {i: self.homes[i] for i in beyond}
        less = self._each(name, lambda i, p: x[i] - x[beyond[i]], _rounds(here))
        for i in x.values.keys() - beyond:
            less.values[i] = x.values[i]
            self._holders[name, i] = self._holders[x.name, i]
        return less

    def _each(self, name, value, rounds):
        found = {}
        for bodies in rounds:
            for self._at, i in bodies.items():
                found[i] = value(i, self.tour.parent[i])
                self._holders[name, i] = [self._at]
            self._record(name, bodies)
        self._at = None
        return Held(self, name, found)

    def _solve(self, name, row, combine, terms):
        held = []
        for self._at, visit in zip(row.homes, row.visits, strict=True):
            term = terms[visit.body]
            held.append(INVERSE[combine](term) if visit.leaves else term)
        self._at = None
        if self._arriving and row.steps[0].sent:  # terms arrive before any of them is forwarded
            self._record(name, {})
        for i, k in row.places.items():
            self._holders[name, i] = [row.homes[k]]
        for step, done, sent in row.steps:
            for sender, to, (first, last) in sent:
                self._arriving.append((sender, to, (name, (first, last))))
                visit = row.visits[last]
                if first == 0 and not visit.leaves:
                    holders = self._holders[name, visit.body]
                    holders[:] = [*holders, to] if step else [sender, *holders]
            if step:  # otherwise messages join those of the next step
                do(step, combine, held)
                self._record(name, done)
        return Held(self, name, {i: held[k] for i, k in row.places.items()})

    def _record(self, name, done):
        self.steps.append(PFoldStep(name, dict(done), tuple(self._arriving)))
        self._arriving = []

    def fetch(self, name, i):
        """The working processor reads a value of joint i."""
        if self._at is None:
            return
        holders = self._holders[name, i]
        if self._at not in holders:
            self._arriving.append((holders[0], self._at, (name, i)))
            holders.append(self._at)


class Held:
    """The values of one name, as read by the working processor."""

    def __init__(self, machine, name, values):
        self.machine, self.name, self.values = machine, name, values

    def __getitem__(self, i):
        if i != WORLD:  # values of the base are known to all
            self.machine.fetch(self.name, i)
        return self.values[i]


class RowStep(NamedTuple):
    """A step of an order; the last one is None, with the messages that return results."""

    step: Step | None
    done: dict
    sent: list


class Row:
    """The row of a recurrence: its terms, their places, and the steps of an order."""

    def __init__(self, order, visits, number=None):
        """`number` renames some processors."""
        number = number or {}
        self.visits = visits
        self.places = {visit.body: k for k, visit in enumerate(visits) if not visit.leaves}
        self.homes = [number.get(k, k) for k in order.homes]
        self.steps = []
        for step, glues, sent in zip_longest(
            order.steps, record(order), messages(order), fillvalue=()
        ):
            workers = (number.get(glue.processor, glue.processor) for glue in glues)
            spans = ((glue.left[0], glue.right[1]) for glue in glues)
            moved = [(number.get(a, a), number.get(b, b), span) for a, b, span in sent]
            done = dict(zip(workers, spans, strict=True))
            self.steps.append(RowStep(step or None, done, moved))


def _mirrored(order):
    """Other numbers for processors, such that the first block is where the last was."""
    blocks = [*dict.fromkeys(order.homes)]
    return dict(zip(blocks, reversed(blocks), strict=True))


def _rounds(homes):
    """Bodies by processor, at most one for each processor at a time."""
    hands = {}
    for i, processor in homes.items():
        hands.setdefault(processor, []).append(i)
    return [
        {processor: i for processor, i in zip(hands, bodies, strict=True) if i is not None}
        for bodies in zip_longest(*hands.values())
    ]
