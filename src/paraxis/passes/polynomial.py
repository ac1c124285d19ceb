"""A graph as sums of products: what passes that move terms and factors about work on.

Sums used by one sum, and products used by one product, are written out: a value is then an
operation the passes do not look into (a sine, a quotient, an input), or a sum of terms. A term is
a number times values: `{(u, v): 2.0, (w,): -1.0, (): 3.0}` is 2 u v - w + 3. What is used more
than once stays a value of its own, so writing out never repeats work, and equal terms of one sum
meet and become one.

Exact in real arithmetic; sums are added in another order, which moves rounding. A sum is written
back as a chain, in which every product finds an addition to fuse with. Terms are added when they
were traced, not when the whole sum is asked for: that order knows which values are worth keeping.
"""

import math
from collections import Counter

from ..graph.graph import Graph
from ..graph.node import Builder

LONGEST = 64  # terms or factors; what is longer is not written out where it is used
SMALL, LARGE = 1e-290, 1e290  # coefficients beyond these are left alone: they could overflow
PATIENCE = 40  # nodes a product waits for a plain value that the sum could begin with
ONE = ()  # the factors of a constant


class Sum(dict):
    """factors -> coefficient; `when` says at which node of the trace a term was added."""

    def __init__(self, terms=(), when=None):
        super().__init__(terms)
        self.when = when or {}

    def put(self, factors, coefficient, when):
        """Add a term; with an equal one it makes one term, or none."""
        total = self.get(factors, 0.0) + coefficient
        if total:
            self[factors], self.when[factors] = total, max(when, self.when.get(factors, 0))
        else:
            self.take(factors)

    def take(self, factors):
        """Remove a term; its coefficient and when it was added."""
        return self.pop(factors), self.when.pop(factors)

    @property
    def is_plain(self):
        """Whether it costs nothing: zero, a constant, or plus or minus one value."""
        if len(self) != 1:
            return not self
        return not any(is_product(factors, c) for factors, c in self.items())


def is_product(factors, coefficient):
    """Whether a term costs a multiplication."""
    return len(factors) + (abs(coefficient) != 1) > 1 and factors != ONE


class Polynomials:
    """The values of a graph, by number."""

    def __init__(self, graph):
        self.graph = graph
        self.sums = {}  # value -> Sum
        self.opaque = {}  # value -> (node, values of its arguments)
        self.results = {}  # index of an output or marked node -> value
        self._made = 0
        self._read()

    def new_sum(self, terms):
        """A value for a sum."""
        self.sums[value := self._new()] = terms
        return value

    def _new(self):
        self._made += 1
        return self._made

    # -- from nodes ------------------------------------------------------------------

    def _read(self):
        pinned = {node.index for node in self.graph.results + self.graph.marked}
        nodes = self.graph.with_marked
        uses = Counter(a.index for node in nodes for a in node.args)
        seen = {}  # index -> the terms its users see
        for node in nodes:
            terms = self._terms(node, [seen[a.index] for a in node.args])
            keep = uses[node.index] > 1 or node.index in pinned or len(terms) > LONGEST
            if keep and not terms.is_plain:
                terms = _plain(self.new_sum(terms), node.index)
            seen[node.index] = terms
        for node in nodes:
            if node.index in pinned:
                self.results[node.index] = self._value(seen[node.index], node.index)

    def _terms(self, node, arguments):
        now = node.index
        if node.op == "const" and math.isfinite(node.value):  # others are no coefficients
            return Sum({ONE: node.value}, {ONE: now}) if node.value else Sum()
        if node.op == "neg":
            return Sum({f: -c for f, c in arguments[0].items()}, dict(arguments[0].when))
        if node.op in ("add", "sub"):
            sign = 1.0 if node.op == "add" else -1.0
            total = Sum()
            for terms, scale in zip(arguments, (1.0, sign), strict=True):
                for factors, c in terms.items():  # a product counts from when it was made
                    when = terms.when[factors] if is_product(factors, c) else now
                    total.put(factors, scale * c, when)
            return total
        if node.op == "mul":
            (first, a), (second, b) = map(self._term, arguments)
            if not a or not b:
                return Sum()
            if len(first + second) > LONGEST or not SMALL < abs(a * b) < LARGE:
                first, a = (self._value(arguments[0], now),), 1.0
                second, b = (self._value(arguments[1], now),), 1.0
            factors = tuple(sorted(first + second))
            return Sum({factors: a * b}, {factors: now})
        self.opaque[value := self._new()] = node, [self._value(terms, now) for terms in arguments]
        return _plain(value, now)

    def _term(self, terms):
        """A sum as one term: itself, or a value of its own."""
        if len(terms) == 1:
            return next(iter(terms.items()))
        return ((self.new_sum(terms),), 1.0) if terms else (ONE, 0.0)

    def _value(self, terms, now):
        if not terms:
            return self.new_sum(terms)
        factors, c = self._term(terms)
        if len(factors) == 1 and c == 1:
            return factors[0]
        return self.new_sum(Sum({factors: c}, {factors: now}))

    # -- what needs what -------------------------------------------------------------

    def uses(self, value):
        """The values that a value is made of, repeated where it uses one twice."""
        if value in self.sums:
            return [v for factors in self.sums[value] for v in factors]
        return self.opaque[value][1]

    def needed(self):
        """The values that the results need."""
        seen, stack = set(), list(self.results.values())
        while stack:
            value = stack.pop()
            if value not in seen:
                seen.add(value)
                stack.extend(self.uses(value))
        return sorted(seen)

    # -- back to nodes ---------------------------------------------------------------

    def write(self):
        """The graph these values now describe."""
        made = _Writer(self).made
        graph = self.graph
        outputs = {
            name: (shape, tuple(made[self.results[node.index]] for node in nodes))
            for name, (shape, nodes) in graph.outputs.items()
        }
        marks = {
            key: tuple(made[self.results[node.index]] for node in nodes)
            for key, nodes in graph.marks.items()
        }
        return Graph(graph.inputs, outputs, marks, graph.name)


class _Writer:
    """Makes nodes of values: adds all terms in the order they were traced."""

    def __init__(self, values):
        self.values, self.builder = values, Builder()
        self.made = {}  # value -> its node, once complete
        self.total = {}  # value -> its terms so far, as a node
        self.left = {}  # value -> terms not added yet
        steps = []
        for value in values.needed():
            if value in values.opaque:
                steps.append((values.opaque[value][0].index, False, value, None))
                continue
            terms = values.sums[value]
            self.left[value], self.total[value] = dict(terms), self.builder.zero
            if not terms:
                self.made[value] = self.builder.zero
            start = _start(terms)
            for factors, c in terms.items():
                when = max(start, terms.when[factors])
                steps.append((when, is_product(factors, c), value, factors))
        steps.sort(key=lambda step: step[:2])
        for _, _, value, factors in steps:
            self._do(value, factors)

    def _do(self, value, factors):
        """Add one term to a value, or make an opaque one; before that, what it needs."""
        stack = [(value, factors)]
        while stack:
            value, factors = stack[-1]
            missing = [v for v in self._needs(value, factors) if v not in self.made]
            if not missing:
                stack.pop()
                self._make(value, factors)
            for v in missing:
                terms = self.left.get(v, {None: 1.0})
                # plain terms are added first, so they go on the stack last
                stack += sorted(
                    ((v, f) for f in terms), key=lambda step: not _is_late(terms, step[1])
                )

    def _needs(self, value, factors):
        if value in self.made:
            return ()
        return self.values.opaque[value][1] if factors is None else factors

    def _make(self, value, factors):
        builder, made = self.builder, self.made
        if value in made:
            return
        if factors is None:
            node, arguments = self.values.opaque[value]
            made[value] = builder.copy(node, [made[a] for a in arguments])
        elif factors in self.left[value]:
            c = self.left[value].pop(factors)
            product = builder.constant(abs(c))
            for v in sorted(factors, key=lambda v: made[v].index):
                product = builder.mul(product, made[v])
            combine = builder.add if c > 0 else builder.sub
            self.total[value] = combine(self.total[value], product)
            if not self.left[value]:
                made[value] = self.total[value]


def _start(terms):
    """When a sum begins: with its first plain value, if products need not wait long for it."""
    plain = [terms.when[factors] for factors, c in terms.items() if not is_product(factors, c)]
    begin = min(terms.when.values(), default=0)
    return min(plain) if plain and min(plain) - begin <= PATIENCE else begin


def _is_late(terms, factors):
    return factors is not None and is_product(factors, terms[factors])


def _plain(value, now):
    return Sum({(value,): 1.0}, {(value,): now})
