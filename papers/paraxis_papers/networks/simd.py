"""A machine whose processors all do the same at once, and how long it takes.

Joints are dealt to the processors in blocks. In a round every processor does one joint, or applies
the operator of a recurrence once; a round takes as many multiplications and additions as the
busiest processor has. Messages take no time here.
"""

from collections import defaultdict

from paraxis.math import mark
from paraxis.physics.parts.order import do

from ..counts.plain_count import Ledger, Work


class Simd:
    """`order` says how recurrences are solved: a function of physics/parts/orders.py."""

    def __init__(self, joints, processors, order):
        self.ledger = Ledger()
        self.joints, self.processors, self.order = joints, processors, order
        self._round = 0

    def each(self, name, function):
        """What a function gives for every joint."""
        share = -(-self.joints // self.processors)
        found = [
            mark(name, (self._round + i % share, i // share), function(i))
            for i in range(self.joints)
        ]
        self._round += share
        return found

    def outward(self, name, operator, terms, start=None):
        """Solve x(i) = x(i-1) ∘ terms[i], from the first joint on."""
        held = list(terms) if start is None else [start, *terms]
        for step in self.order(len(held), self.processors).steps:
            do(step, self._counted(name, operator), held)
            self._round += 1
        return held if start is None else held[1:]

    def inward(self, name, operator, terms, start=None):
        """The same from the last joint on."""
        return self.outward(name, operator, terms[::-1], start)[::-1]

    def _counted(self, name, operator):
        at = self._round

        def glue(left, right):
            self._glues += 1
            return mark(name, (at, self._glues), operator(left, right))

        self._glues = 0
        return glue

    @property
    def rounds(self):
        """How many there were."""
        return self._round

    def times(self):
        """name -> the Work of its rounds one after another."""
        rounds = defaultdict(list)
        for (name, (at, _)), work in self.ledger.steps().items():
            rounds[name, at].append(work)
        times = defaultdict(Work)
        for (name, _), works in rounds.items():
            times[name] += Work(max(work.mul for work in works), max(work.add for work in works))
        return times
