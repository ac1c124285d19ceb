"""A graph multiplied out: every output as a sum of products.

The products are of inputs and of sines and cosines of single inputs. Such a sum has one form
only: the square of a cosine is written 1 - sin², so that a cosine stands at most once in a
product, and of the products that are left none is a sum of others. Two graphs of the same
function therefore expand to the same terms, up to rounding.

Exact in real arithmetic. A coefficient carries along the sum of the magnitudes it came from; one
smaller than ROUNDING times that sum is what rounding left of a zero, and is dropped.
"""

import math
from typing import NamedTuple

from ..errors import ProgramError
from ..graph.graph import reachable
from ..graph.operations import written

ROUNDING = 1e-13
LIMIT = 5_000  # terms of one value, intermediate ones too: beyond, nobody reads them

BITS = 8  # of one power in a packed product
HIGHEST = (1 << BITS - 1) - 1


class Factor(NamedTuple):
    """The sine, the cosine or the plain value of a sum of inputs.

    `argument` holds ((input name, index), whole multiple) pairs; after `expand` there is one
    pair, of multiple 1.
    """

    argument: tuple
    function: str = ""  # "sin", "cos" or "" for the value itself


class Term(NamedTuple):
    coefficient: float
    factors: tuple  # (Factor, power), in order


def expand(graph):
    """output name -> one tuple of Terms for each entry, in row-major order.

    Takes +, -, * and the sines and cosines of sums of integer multiples of inputs.
    """
    entries = sorted(node.value for node in graph.nodes if node.op == "input")
    algebra = _Algebra(entries)
    uses = {}  # node index -> the last node that needs it
    for node in graph.nodes:
        uses.update(dict.fromkeys((a.index for a in node.args), node.index))
    uses.update(dict.fromkeys((node.index for node in graph.results), math.inf))
    sums = {}
    for node in graph.nodes:
        try:
            sums[node.index] = algebra.value(node, [sums[a.index] for a in node.args])
        except _NoExpansion as reason:
            raise ProgramError(f"output {_first_user(graph, node)}: {reason}") from None
        for argument in node.args:  # large, so kept no longer than needed
            if uses[argument.index] == node.index:
                sums.pop(argument.index, None)
    return {
        name: tuple(algebra.terms(sums[node.index]) for node in nodes)
        for name, (_, nodes) in graph.outputs.items()
    }


def in_order(terms):
    """The terms as a person would list them: few factors first."""
    return tuple(sorted(terms, key=lambda term: (sum(p for _, p in term.factors), term.factors)))


class _NoExpansion(Exception):
    pass


def _first_user(graph, node):
    for name, (shape, results) in graph.outputs.items():
        for k, result in enumerate(results):
            if any(each is node for each in reachable([result])):
                return f"{name!r}" + (f", entry {k}" if shape else "")
    raise AssertionError("a node of a graph is needed by some output")


class _Algebra:
    """Sums of products over given inputs: {product: (coefficient, magnitude)}.

    A product is one integer, the powers of its factors in fields of BITS bits, so that products
    multiply by adding. Each input has three fields: its sine, its cosine, itself.
    """

    def __init__(self, entries):
        self.place = {}  # factor -> its lowest bit
        for entry in entries:
            for function in ("sin", "cos", ""):
                self.place[Factor(((entry, 1),), function)] = BITS * len(self.place)
        cosines = [place for factor, place in self.place.items() if factor.function == "cos"]
        self.squares = sum(2 << place for place in cosines)
        self.too_high = sum(HIGHEST + 1 << place for place in self.place.values())
        self.suspicious = self.squares | self.too_high

    def value(self, node, arguments):
        """The sum of products that a node is, given those of its arguments."""
        match node.op, arguments:
            case "const", _ if math.isfinite(node.value):
                return constant(node.value)
            case "input", _:
                return self.single("", node.value)
            case "neg", [a]:
                return scaled(a, -1.0)
            case "add", [a, b]:
                return self.plus(a, b)
            case "sub", [a, b]:
                return self.plus(a, scaled(b, -1.0))
            case "mul", [a, b]:
                return self.times(a, b)
            case "fma", [a, b, c]:
                return self.plus(self.times(a, b), c)
            case "cos", [a]:
                return self.turn(a)[0]
            case "sin", [a]:
                return self.turn(a)[1]
        found = written(node.op)
        raise _NoExpansion(f"only +, -, *, sin and cos can be multiplied out, found {found}")

    def single(self, function, entry):
        return {1 << self.place[Factor(((entry, 1),), function)]: (1.0, 1.0)}

    def plus(self, a, b):
        total = dict(a)
        for product, (coefficient, magnitude) in b.items():
            before = total.get(product, (0.0, 0.0))
            total[product] = (before[0] + coefficient, before[1] + magnitude)
        return kept(total)

    def times(self, a, b):
        if len(b) < len(a):
            a, b = b, a
        total = {}
        for x, (cx, mx) in a.items():
            for y, (cy, my) in b.items():
                coefficient, magnitude = cx * cy, mx * my
                for product, sign in self.reduced(x + y):
                    before = total.get(product, (0.0, 0.0))
                    total[product] = (before[0] + sign * coefficient, before[1] + magnitude)
            if len(total) > LIMIT:
                break
        return kept(total)

    def reduced(self, product):
        """A product without squares of cosines, as (product, sign) pairs.

        The field of a sine lies just below that of its cosine.
        """
        if not product & self.suspicious:
            return ((product, 1.0),)
        if product & self.too_high:
            raise _NoExpansion(f"multiplied out it has powers higher than {HIGHEST}")
        square = product & self.squares
        square &= -square  # one at a time
        one, sine = product - square, product - square + (square >> BITS)
        return (*self.reduced(one), *((each, -sign) for each, sign in self.reduced(sine)))

    def turn(self, angle):
        """The cosine and sine of a sum of inputs, by the addition theorems."""
        c, s = constant(1.0), {}
        for product, (coefficient, _) in angle.items():
            if product == 0:
                parts = [(constant(math.cos(coefficient)), constant(math.sin(coefficient)))]
            else:
                entry = self.turned_by(product, coefficient)
                sine = scaled(self.single("sin", entry), math.copysign(1.0, coefficient))
                parts = [(self.single("cos", entry), sine)] * int(abs(coefficient))
            for cosine, sine in parts:
                c, s = (
                    self.plus(self.times(c, cosine), scaled(self.times(s, sine), -1.0)),
                    self.plus(self.times(s, cosine), self.times(c, sine)),
                )
        return c, s

    def turned_by(self, product, multiple):
        """The input of which an angle is a whole multiple."""
        (factor, power), *others = self.unpacked(product)
        if others or power != 1 or factor.function or multiple % 1:
            raise _NoExpansion(
                "expected sines and cosines of sums of integer multiples of inputs, "
                "found one of another expression"
            )
        ((entry, _),) = factor.argument
        return entry

    def unpacked(self, product):
        """The (factor, power) pairs of a product, in order."""
        powers = [(f, product >> place & (1 << BITS) - 1) for f, place in self.place.items()]
        return tuple(sorted((factor, power) for factor, power in powers if power))

    def terms(self, total):
        return in_order(Term(c, self.unpacked(product)) for product, (c, _) in total.items())


def constant(value):
    return {0: (value, abs(value))} if value else {}


def scaled(a, factor):
    return {product: (c * factor, m * abs(factor)) for product, (c, m) in a.items()}


def kept(total):
    """The terms that are more than rounding."""
    if len(total) > LIMIT:
        raise _NoExpansion(f"multiplied out it has more than {LIMIT} terms")
    return {product: both for product, both in total.items() if abs(both[0]) > ROUNDING * both[1]}
