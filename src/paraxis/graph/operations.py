"""The operations a graph is made of: name, number of arguments, and what each means on floats.

This table is the definition; the interpreter runs it, back ends translate it.
"""

import math
from typing import NamedTuple


class Op(NamedTuple):
    arity: int
    meaning: object  # on floats
    commutes: bool = False


def _sign(x):
    return math.copysign(1.0, x) if x != 0 and x == x else x + 0.0


def _rint(x):
    return math.copysign(round(x), x) if math.isfinite(x) else x


def _divide(a, b):
    if b == 0:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def _sqrt(x):
    return math.sqrt(x) if x >= 0 else math.nan


def _trig(function):
    return lambda x: function(x) if math.isfinite(x) else math.nan


def _minimum(a, b):
    return math.nan if a != a or b != b else min(a, b)


def _maximum(a, b):
    return math.nan if a != a or b != b else max(a, b)


OPS = {
    "neg": Op(1, lambda a: -a),
    "add": Op(2, lambda a, b: a + b, commutes=True),
    "sub": Op(2, lambda a, b: a - b),
    "mul": Op(2, lambda a, b: a * b, commutes=True),
    "div": Op(2, _divide),
    "fma": Op(3, lambda a, b, c: a * b + c),  # one rounding where the hardware has it
    "sqrt": Op(1, _sqrt),
    "sin": Op(1, _trig(math.sin)),
    "cos": Op(1, _trig(math.cos)),
    "atan2": Op(2, math.atan2),
    "abs": Op(1, abs),
    "sign": Op(1, _sign),
    "rint": Op(1, _rint),  # halves to even; keeps the sign of a zero
    "min": Op(2, _minimum, commutes=True),
    "max": Op(2, _maximum, commutes=True),
    "lt": Op(2, lambda a, b: float(a < b)),  # conditions are 1.0 and 0.0
    "le": Op(2, lambda a, b: float(a <= b)),
    "eq": Op(2, lambda a, b: float(a == b), commutes=True),
    "select": Op(3, lambda condition, a, b: a if condition != 0 else b),
}
LEAVES = ("const", "input")
CONDITIONS = ("lt", "le", "eq")
