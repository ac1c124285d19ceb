"""Scalar nodes, each built once, simplified while they are built.

A `Builder` owns the nodes of one trace. Asking it twice for the same operation on the same
arguments gives the same node. The rules applied while building are exact for finite values:
times 0 and 1, plus 0, x - x, folding of constants, and a normal form for signs: a `neg` is
never an argument of +, -, *, / but is pushed outward, so that sign changes cost nothing and
a - b and b - a share one node.

Folding never raises: an operation on constants gives what it would give at run time, as IEEE 754
has it, so that 1 / 0 is infinite and the root of -1 is NaN. What is computed from NaN is NaN.
"""

import math

import numpy as np

from ..errors import TraceError
from .arrays import INSTEAD, absent, call_function, ufunc_of_scalars
from .operations import CONDITIONS, OPS


class Node:
    """One scalar value of a trace. Behaves like a number."""

    __slots__ = ("args", "builder", "index", "op", "value")

    def __init__(self, builder, index, op, args, value):
        self.builder, self.index, self.op, self.args, self.value = builder, index, op, args, value

    def __repr__(self):
        if self.builder.for_numbers:
            raise TraceError("a traced value in the place of a number has no text")
        inside = ", ".join(f"%{a.index}" for a in self.args) if self.args else repr(self.value)
        return f"%{self.index} = {self.op}({inside})"

    # -- what makes it a number -------------------------------------------------
    # Arrays are left to NumPy, which does every entry by itself and comes back here.

    def lift(self, other):
        """`other` as a node of the same trace."""
        return self.builder.lift(other)

    def __add__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.builder.add(self, self.builder.lift(other))

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.builder.sub(self, self.builder.lift(other))

    def __rsub__(self, other):
        return self.builder.sub(self.builder.lift(other), self)

    def __mul__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.builder.mul(self, self.builder.lift(other))

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.builder.div(self, self.builder.lift(other))

    def __rtruediv__(self, other):
        return self.builder.div(self.builder.lift(other), self)

    def __pow__(self, exponent):
        if isinstance(exponent, np.ndarray):
            return NotImplemented
        if isinstance(exponent, Node):
            return exponent.__rpow__(self)
        if isinstance(exponent, (float, np.floating)) and float(exponent).is_integer():
            exponent = int(exponent)
        if not isinstance(exponent, (int, np.integer)) or exponent < 0:
            raise TraceError(
                f"power: expected an integer >= 0, found {exponent!r}; use "
                "px.math.sqrt(x), 1 / x**n, or px.math.exp(exponent * px.math.log(x))"
            )
        result, square = self.builder.constant(1.0), self
        while exponent:
            result, exponent = (result * square if exponent & 1 else result), exponent >> 1
            square = square * square if exponent else square
        return result

    def __rpow__(self, base):
        raise TraceError("a traced exponent: use px.math.exp(exponent * px.math.log(base))")

    def __xor__(self, other):
        raise TraceError("`^` of traced values: use px.math.equal(a, b) and px.math.logical_not")

    __rxor__ = __xor__

    def __round__(self, digits=None):
        raise TraceError("round() of a traced value: use px.math.rint")

    def known(self):
        """The number this is, if it is constant."""
        return self.value if self.op == "const" else None

    def __neg__(self):
        return self.builder.neg(self)

    def __pos__(self):
        return self

    def __abs__(self):
        return self.builder.unary("abs", self)

    def __mod__(self, other):
        """The remainder with the sign of the divisor, as of Python's and NumPy's numbers."""
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.builder.remainder(self, self.builder.lift(other))

    def __rmod__(self, other):
        return self.builder.remainder(self.builder.lift(other), self)

    def __floordiv__(self, other):
        """The quotient rounded down, exact even where it is next to an integer."""
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.builder.whole_quotient(self, self.builder.lift(other))

    def __rfloordiv__(self, other):
        return self.builder.whole_quotient(self.builder.lift(other), self)

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def __floor__(self):
        return self.builder.unary("floor", self)

    def __ceil__(self):
        return -self.builder.unary("floor", -self)

    def __trunc__(self):
        return self.builder.select(self < 0.0, self.__ceil__(), self.__floor__())

    # -- what NumPy asks an object for: of arrays that hold it, and of itself -------------------

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return ufunc_of_scalars(ufunc, method, inputs, options)

    def __array_function__(self, function, types, arguments, options):
        return call_function(function, arguments, options)

    def conjugate(self):
        """Itself: np.linalg.norm asks for it."""
        return self

    def fabs(self):
        return abs(self)

    def arctan(self):
        return self.atan2(1.0)

    def deg2rad(self):
        return self * (math.pi / 180)

    def rad2deg(self):
        return self * (180 / math.pi)

    radians, degrees = deg2rad, rad2deg

    # -- conditions -----------------------------------------------------------------------------

    def __lt__(self, other):
        return self.builder.binary("lt", self, self.builder.lift(other))

    def __le__(self, other):
        return self.builder.binary("le", self, self.builder.lift(other))

    def __gt__(self, other):
        return self.builder.binary("lt", self.builder.lift(other), self)

    def __ge__(self, other):
        return self.builder.binary("le", self.builder.lift(other), self)

    def __and__(self, other):
        """Of conditions only: numbers have no bits here."""
        return self._combined("and", other)

    def __or__(self, other):
        return self._combined("or", other)

    def __invert__(self):
        return self._combined("not")

    __rand__, __ror__ = __and__, __or__

    def _combined(self, op, *others):
        if any(isinstance(other, np.ndarray) for other in others):
            return NotImplemented
        conditions = [self, *map(self.builder.lift, others)]
        for each in conditions:
            if each.op not in CONDITIONS and each.value not in (0.0, 1.0):
                raise TraceError(
                    f"&, | and ~: expected conditions, such as a < b, found a number; "
                    f"px.math.logical_{op} takes numbers too"
                )
        return self.builder.make(op, *conditions)

    def mark(self, name, link, scalars):
        """Remember `scalars` under a name; see `px.math.mark`. Returns their replacements."""
        return self.builder.mark(name, link, scalars)

    def __eq__(self, other):
        raise TraceError(
            "traced values cannot be compared with ==; use px.math.equal(a, b), or `a is b`"
        )

    __ne__ = __eq__

    def __hash__(self):
        if self.builder.for_numbers:  # equal numbers would be one entry of a set
            raise TraceError("a traced value in the place of a number has no hash")
        return object.__hash__(self)

    # -- what it is not -----------------------------------------------------------

    def __bool__(self):
        raise TraceError(
            "a traced value has no truth value, as a Program has no branches; use "
            "px.math.select(condition, if_true, if_false) instead of `if`, px.math.logical_and, "
            "logical_or and logical_not instead of `and`, `or` and `not`, and px.math.less, "
            "px.math.minimum, px.math.maximum and px.math.sign where NumPy compares entries of an "
            "array that np.array made"
        )

    def __float__(self):
        raise TraceError(
            "a traced value is not a float yet; use px.math.sin, px.math.sqrt, ... instead of "
            "math.sin, ..., and np.zeros(n, dtype=object) for an array to fill with traced values"
        )

    def __int__(self):
        raise TraceError(
            "a traced value is not an integer yet, so it cannot be a count or an index; use "
            "px.math.floor or px.math.rint to round it"
        )


def _method(op):
    """The operation as a method: what px.math and NumPy ask an object for."""
    if OPS[op].arity == 1:
        return lambda self: self.builder.make(op, self)
    return lambda self, *others: self.builder.make(op, self, *map(self.builder.lift, others))


for _name, _op in OPS.items():
    if _op.called is not None:
        setattr(Node, _op.called, _method(_name))
        setattr(Node, _op.numpy, _method(_name))


def _absent(name):
    def method(self, *others):
        raise absent(name)

    return method


for _name in INSTEAD:
    setattr(Node, _name, _absent(_name))


class Builder:
    """Makes nodes; remembers each so that none is made twice."""

    for_numbers = False  # whether its nodes stand for numbers, and must not be told apart

    def __init__(self):
        self.nodes = []
        self.marks = {}  # (name, link) -> nodes
        self._known = {}
        self.nan = None  # made when it is needed, which is seldom
        self.zero, self.one = self.constant(0.0), self.constant(1.0)

    # -- leaves ------------------------------------------------------------------

    def constant(self, value):
        try:
            value = float(value)
        except OverflowError:
            raise TraceError("constant: expected a float, found an integer above 1e308") from None
        if value != value:
            if self.nan is None:  # not every NaN equals itself, so it is made once
                self.nan = self._node("const", (), math.nan)
            return self.nan
        return self._node("const", (), value + 0.0)  # -0.0 becomes 0.0

    def input(self, name, index):
        return self._node("input", (), (name, index))

    def lift(self, value):
        """A number or a node as a node of this trace."""
        if type(value) is Node:
            if value.builder is not self:
                raise TraceError("values of two different traces cannot be mixed")
            return value
        if isinstance(value, (int, float, np.integer, np.floating, np.bool_)):
            return self.constant(value)
        raise TraceError(f"expected a number or a traced value, found {type(value).__name__}")

    def _node(self, op, args, value=None):
        key = (op, value) if value is not None else (op, *[a.index for a in args])
        node = self._known.get(key)
        if node is None:
            node = self._known[key] = Node(self, len(self.nodes), op, args, value)
            self.nodes.append(node)
        return node

    def mark(self, name, link, scalars):
        self.marks[name, link] = tuple(self.lift(scalar) for scalar in scalars)
        return scalars

    # -- operations and their exact rules -------------------------------------------

    def make(self, op, *args):
        """Any operation by name, simplified."""
        rule = RULES.get(op)
        if rule is not None:
            return rule(self, *args)
        return self.unary(op, *args) if len(args) == 1 else self.binary(op, *args)

    def copy(self, node, arguments):
        """The operation of a node of any trace, on values of this one."""
        if node.op == "const":
            return self.constant(node.value)
        if node.op == "input":
            return self.input(*node.value)
        return self.make(node.op, *arguments)

    def graft(self, graph, given):
        """index -> node of this trace for a graph's nodes; `given` maps its input entries."""
        new = {}
        for node in graph.nodes:
            arguments = [new[a.index] for a in node.args]
            new[node.index] = (
                given[node.value] if node.op == "input" else self.copy(node, arguments)
            )
        return new

    def unary(self, op, a):
        if a.op == "const":
            return self.constant(OPS[op].meaning(a.value))
        if a.op == "neg" and OPS[op].parity:
            inside = self.unary(op, a.args[0])
            return inside if OPS[op].parity > 0 else self.neg(inside)
        return a if a.op in OPS[op].keeps else self._node(op, (a,))

    def binary(self, op, a, b):
        if a.op == "const" and b.op == "const":
            return self.constant(OPS[op].meaning(a.value, b.value))
        if (a is self.nan or b is self.nan) and op not in CONDITIONS:
            return self.nan
        if OPS[op].commutes and b.index < a.index:
            a, b = b, a
        return self._node(op, (a, b))

    def neg(self, a):
        if a.op == "const":
            return self.constant(-a.value)
        return a.args[0] if a.op == "neg" else self._node("neg", (a,))

    def add(self, a, b):
        if a.op == "const" and b.op == "const":
            return self.constant(a.value + b.value)
        if a is self.zero:
            return b
        if b is self.zero:
            return a
        if a.op == "neg":
            return self.sub(b, a.args[0])
        if b.op == "neg":
            return self.sub(a, b.args[0])
        return self.binary("add", a, b)

    def sub(self, a, b):
        if a.op == "const" and b.op == "const":
            return self.constant(a.value - b.value)
        if a is b:
            return self.zero
        if b is self.zero:
            return a
        if a is self.zero:
            return self.neg(b)
        if a.op == "neg":
            first = a.args[0]
            return self.sub(b.args[0], first) if b.op == "neg" else self.neg(self.add(first, b))
        if b.op == "neg":
            return self.add(a, b.args[0])
        if a is self.nan or b is self.nan:
            return self.nan
        if b.index < a.index:  # one order only: b - a is the same node with its sign outside
            return self._node("neg", (self._node("sub", (b, a)),))
        return self._node("sub", (a, b))

    def mul(self, a, b):
        if a.op == "const" and b.op == "const":
            return self.constant(a.value * b.value)
        if a is self.zero or b is self.zero:
            return self.zero
        if a is self.one:
            return b
        if b is self.one:
            return a
        negative = False
        if a.op == "neg" or (a.op == "const" and a.value < 0):
            a, negative = self.neg(a), not negative
        if b.op == "neg" or (b.op == "const" and b.value < 0):
            b, negative = self.neg(b), not negative
        if a is self.one:
            product = b
        elif b is self.one:
            product = a
        else:
            product = self.binary("mul", a, b)
        return self.neg(product) if negative else product

    def div(self, a, b):
        if a.op == "const" and b.op == "const":
            return self.constant(OPS["div"].meaning(a.value, b.value))
        if a is self.zero:
            return a
        if b is self.zero:  # the same for every a, and compilers do not warn of it
            return self.mul(a, self.constant(math.inf))
        negative = False
        if a.op == "neg" or (a.op == "const" and a.value < 0):
            a, negative = self.neg(a), not negative
        if b.op == "neg" or (b.op == "const" and b.value < 0):
            b, negative = self.neg(b), not negative
        quotient = a if b is self.one else self.binary("div", a, b)
        return self.neg(quotient) if negative else quotient

    def minimum(self, a, b):
        return a if a is b else self.binary("min", a, b)

    def maximum(self, a, b):
        return a if a is b else self.binary("max", a, b)

    def both(self, a, b):
        if a is self.zero or b is self.zero:
            return self.zero
        known = self._alone(a, b)
        return self.binary("and", a, b) if known is None else known

    def either(self, a, b):
        for one in (a, b):
            if one.op == "const" and one.value != 0:
                return self.one
        known = self._alone(a, b)
        return self.binary("or", a, b) if known is None else known

    @staticmethod
    def _alone(a, b):
        """The one condition that decides, where the other is the same or a constant."""
        for one, other in ((a, b), (b, a)):
            if one.op in CONDITIONS and (other is one or other.op == "const"):
                return one
        return None

    def negation(self, a):
        if a.op == "not" and a.args[0].op in CONDITIONS:
            return a.args[0]
        return self.unary("not", a)

    def remainder(self, a, b):
        """a % b as NumPy has it: fmod's, moved by b where its sign is not the divisor's."""
        rest, apart = self._rest(a, b)
        return self.select(apart, self.add(rest, b), rest)

    def whole_quotient(self, a, b):
        """a // b as NumPy has it: by the remainder, so that no rounding steps over an integer."""
        rest, apart = self._rest(a, b)
        quotient = self.div(self.sub(a, rest), b)
        quotient = self.unary("rint", self.select(apart, self.sub(quotient, self.one), quotient))
        return self.select(b, quotient, self.div(a, b))

    def _rest(self, a, b):
        """fmod(a, b), and whether its sign is not the divisor's."""
        rest = self.binary("fmod", a, b)
        unlike = self.negation(self.binary("eq", self._negative(rest), self._negative(b)))
        return rest, self.both(rest, unlike)

    def _negative(self, a):
        return self.binary("lt", a, self.zero)

    def select(self, condition, a, b):
        if condition.op == "const":
            return a if condition.value != 0 else b
        return a if a is b else self._node("select", (condition, a, b))

    def fma(self, a, b, c):
        if a is self.nan or b is self.nan or c is self.nan:
            return self.nan
        return self._node("fma", (a, b, c))


RULES = {  # operation -> what makes it, where there is more to it than folding constants
    "neg": Builder.neg,
    "add": Builder.add,
    "sub": Builder.sub,
    "mul": Builder.mul,
    "div": Builder.div,
    "fma": Builder.fma,
    "min": Builder.minimum,
    "max": Builder.maximum,
    "and": Builder.both,
    "or": Builder.either,
    "not": Builder.negation,
    "select": Builder.select,
}
