"""Functions of vectors that LLVM calls: expressions written as Python, and lanes done singly.

Every lane's result depends on that lane alone, and is made by the same operations whatever the
number of lanes: so its bits depend neither on its neighbours nor on its place.
"""

from fractions import Fraction

import numpy as np

from .tiles import Straight

BITS = {"double": 52, "float": 23}  # of a fraction
BIAS = {"double": 1023, "float": 127}  # of an exponent


class Vectors(Straight):
    """Lines of a function of vectors; numbers given as Python's stand in every lane."""

    def __init__(self, module, lanes):
        super().__init__("v")
        self.module, self.lanes = module, lanes

    def _text(self, value):
        return value if isinstance(value, str) else self.lanes.constant(value)

    def _ints(self, value):
        return value if isinstance(value, str) else self.lanes.constant_int(value)

    def call(self, name, *arguments):
        """An intrinsic of LLVM."""
        self.module.declare(self.lanes.declaration(name))
        return self.let(self.lanes.intrinsic(name, *map(self._text, arguments)))

    def _binary(self, instruction, x, y):
        return self.let(f"{instruction} {self.lanes.type} {self._text(x)}, {self._text(y)}")

    def add(self, x, y):
        return self._binary("fadd", x, y)

    def sub(self, x, y):
        return self._binary("fsub", x, y)

    def mul(self, x, y):
        return self._binary("fmul", x, y)

    def div(self, x, y):
        return self._binary("fdiv", x, y)

    def neg(self, x):
        return self.let(f"fneg {self.lanes.type} {x}")

    def fma(self, x, y, z):
        return self.call("fma", x, y, z)

    def abs(self, x):
        return self.call("fabs", x)

    def polynomial(self, coefficients, z):
        """Lowest power first, by Horner's rule."""
        value = coefficients[-1]
        for coefficient in reversed(coefficients[:-1]):
            value = self.fma(value, z, coefficient)
        return value

    def compare(self, how, x, y):
        return self._binary(f"fcmp {how}", x, y)

    def both(self, a, b):
        return self.let(f"and {self.lanes.condition} {a}, {b}")

    def select(self, condition, x, y):
        v = self.lanes.type
        return self.let(
            f"select {self.lanes.condition} {condition}, {v} {self._text(x)}, {v} {self._text(y)}"
        )

    def at_most(self, x, limit):
        """The smaller of the two, and NaN where x is NaN."""
        return self.select(self.compare("ogt", x, limit), limit, x)

    # -- bits ------------------------------------------------------------------------------------

    def to_bits(self, x):
        return self.let(f"bitcast {self.lanes.type} {x} to {self.lanes.integer}")

    def from_bits(self, bits):
        return self.let(f"bitcast {self.lanes.integer} {bits} to {self.lanes.type}")

    def integer(self, instruction, a, b):
        return self.let(f"{instruction} {self.lanes.integer} {self._ints(a)}, {self._ints(b)}")

    def rounded(self, x, scale):
        """(x * scale rounded to an integer, the same as bits), while that is small."""
        magic = 1.5 * 2.0 ** BITS[self.lanes.element]
        shifted = self.fma(x, scale, magic)
        return self.sub(shifted, magic), self.to_bits(shifted)

    def power_of_two(self, bits):
        """2^n of integers n, in the low bits of words in which others are ignored."""
        element = self.lanes.element
        biased = self.integer("add", bits, BIAS[element])
        return self.from_bits(self.integer("shl", biased, BITS[element]))

    # -- numbers as sums of two, of which the second is a rounding error ---------------------------

    def two_sum(self, large, small):
        """The sum of two numbers, the first the larger one or zero, and its rounding error."""
        total = self.add(large, small)
        return total, self.add(self.sub(large, total), small)

    def any_two_sum(self, x, y):
        """The same of any two numbers."""
        total = self.add(x, y)
        of_y = self.sub(total, x)
        of_x = self.sub(total, of_y)
        return total, self.add(self.sub(x, of_x), self.sub(y, of_y))

    def quotient(self, above, below):
        """Of two numbers that are such sums, correct but for the last rounding."""
        reciprocal = self.div(1.0, below[0])
        first = self.mul(above[0], reciprocal)
        rest = self.add(self.fma(self.neg(first), below[0], above[0]), above[1])
        rest = self.fma(self.neg(first), below[1], rest)
        return self.fma(rest, reciprocal, first)


def parts_of(number, element, count):
    """A Fraction as a sum of `count` numbers of the element type, largest first."""
    kind, parts = {"double": np.float64, "float": np.float32}[element], []
    for _ in range(count):
        part = float(kind(float(number)))
        parts.append(part)
        number -= Fraction(part)
    return parts


def bits_of(number, element):
    """The integer with the bits of a number of the element type."""
    kind, word = {"double": (np.float64, np.int64), "float": (np.float32, np.int32)}[element]
    return int(kind(number).view(word))


def define(module, name, lanes, arity, write, singly=None):
    """Add `V @name(V...)` and return its name with the lanes in it.

    `write(code, *arguments)` returns the result and, with `singly`, a condition: lanes in which it
    does not hold are done one by one by that function of the C library.
    """
    this = f"{name}_{lanes.suffix}"
    if module.has(this):
        return this
    code, v = Vectors(module, lanes), lanes.type
    arguments = [f"%a{k}" for k in range(arity)]
    result, done = write(code, *arguments), None
    if singly is not None:
        result, done = result
    parameters = ", ".join(f"{v} {a}" for a in arguments)
    if singly is None:
        ending = f"  ret {v} {result}"
    else:
        _define_singly(module, this, lanes, arity, singly)
        every, words = done, ""
        if lanes.count > 1:
            word, every = f"i{lanes.count}", "%every"
            words = (
                f"  %mask = bitcast {lanes.condition} {done} to {word}\n"
                f"  %every = icmp eq {word} %mask, -1\n"
            )
        ending = f"""{words}  br i1 {every}, label %done, label %singly
done:
  ret {v} {result}
singly:
  %slow = call {v} @{this}_singly({parameters}, {v} {result}, {lanes.condition} {done})
  ret {v} %slow"""
    module.define(
        this,
        f"define internal {v} @{this}({parameters}) noinline nounwind {{\n{code}\n{ending}\n}}",
    )
    return this


def _define_singly(module, this, lanes, arity, function):
    """Add the function that replaces lanes one by one, those that are not done."""
    v, e, n = lanes.type, lanes.element, lanes.count
    function = function if e == "double" else function + "f"
    module.declare(f"declare {e} @{function}({', '.join([e] * arity)})")
    parameters = ", ".join(f"{v} %a{k}" for k in range(arity))
    head = (
        f"define internal {v} @{this}_singly({parameters}, {v} %fast, {lanes.condition} %all) "
        "noinline nounwind cold {"
    )
    if n == 1:
        body = f"  %r = call {e} @{function}({parameters})\n  ret {e} %r"
    else:
        taken = "\n".join(f"  %x{k} = extractelement {v} %a{k}, i32 %lane" for k in range(arity))
        given = ", ".join(f"{e} %x{k}" for k in range(arity))
        body = f"""entry:
  br label %look
look:
  %lane = phi i32 [ 0, %entry ], [ %following, %next ]
  %now = phi {v} [ %fast, %entry ], [ %then, %next ]
  %done = extractelement {lanes.condition} %all, i32 %lane
  br i1 %done, label %next, label %single
single:
{taken}
  %one = call {e} @{function}({given})
  %with = insertelement {v} %now, {e} %one, i32 %lane
  br label %next
next:
  %then = phi {v} [ %now, %look ], [ %with, %single ]
  %following = add i32 %lane, 1
  %end = icmp eq i32 %following, {n}
  br i1 %end, label %out, label %look
out:
  ret {v} %then"""
    module.define(f"{this}_singly", f"{head}\n{body}\n}}")
