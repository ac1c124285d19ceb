"""The operations of a graph, one entry each: all that is known of an operation is here.

An entry has its meaning on floats, which is the definition (the interpreter runs it); what it
counts as; its derivatives; and its spelling wherever it is written out. Targets read their column;
only LLVM has emitters instead of spellings (targets/cpu/text/operations.py), and a CORDIC processor
(hardware/tasks/reading.py) does the few that it can and refuses the others by name.
"""

import math
from collections.abc import Callable
from typing import NamedTuple


class Operation(NamedTuple):
    arity: int
    meaning: Callable  # on floats; never raises, but gives what IEEE 754 has
    counted: tuple  # the counters that it adds to (passes/count.py)
    # From (builder, value, *arguments), the partial derivative by each argument. None: it is flat
    # wherever it has a derivative. A select has none, as it passes changes on (derivative.py).
    partials: Callable | None
    c: str  # an expression over {0} {1} {2}, also for CUDA; {f} is "f" in float32
    fortran: str
    python: str
    javascript: str
    called: str | None = None  # its name in px.math, if it is not an operator
    numpy: str | None = None  # its name in NumPy, and so in jax.numpy
    commutes: bool = False
    parity: int = 0  # 1: even, a sign change of the argument is lost; -1: odd, it moves outside
    keeps: tuple = ()  # the operations whose values it leaves as they are
    is_condition: bool = False  # 1.0 or 0.0


# -- meanings ----------------------------------------------------------------------------------


def _sign(x):
    return math.copysign(1.0, x) if x != 0 and x == x else x + 0.0


def _rint(x):
    return math.copysign(round(x), x) if math.isfinite(x) else x


def _floor(x):
    return math.copysign(math.floor(x), x) if math.isfinite(x) else x


def _divide(a, b):
    if b == 0:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def _fmod(a, b):
    return math.fmod(a, b) if math.isfinite(a) and b != 0 else math.nan


def _sqrt(x):
    return math.sqrt(x) if x >= 0 else math.nan


def _exp(x):
    return math.exp(x) if not x > LARGEST_EXPONENT else math.inf


def _log(x):
    if x > 0:
        return math.log(x)
    return -math.inf if x == 0 else math.nan


def _of_finite(function):
    return lambda x: function(x) if math.isfinite(x) else math.nan


def _within_one(function):
    return lambda x: function(x) if abs(x) <= 1 else math.nan


def _minimum(a, b):
    return math.nan if a != a or b != b else min(a, b)


def _maximum(a, b):
    return math.nan if a != a or b != b else max(a, b)


LARGEST_EXPONENT = 709.782712893384  # of which e to that power is a float64


# -- derivatives -------------------------------------------------------------------------------


def _of_quotient(b, value, x, y):
    reciprocal = b.div(b.one, y)
    return reciprocal, b.neg(b.mul(value, reciprocal))


def _of_angle(b, _, y, x):
    square = b.add(b.mul(x, x), b.mul(y, y))
    return b.div(x, square), b.neg(b.div(y, square))


def _of_remainder(b, value, x, y):
    """x - y n with an integer n, which is had exactly: the rounding takes away the error of /."""
    n = b.make("rint", b.div(b.sub(x, value), y))
    return b.one, b.neg(n)


def _of_tangent(b, value, x):
    return (b.add(b.one, b.mul(value, value)),)


def _of_hyperbolic_tangent(b, value, x):
    return (b.sub(b.one, b.mul(value, value)),)


def _of_arcsine(b, _, x):
    """1 / √(1 - x²), whose factors keep their digits where x is close to 1."""
    square = b.mul(b.sub(b.one, x), b.add(b.one, x))
    return (b.div(b.one, b.make("sqrt", square)),)


def _of_arccosine(b, value, x):
    return (b.neg(_of_arcsine(b, value, x)[0]),)


def _of_extreme(b, first_wins):
    return first_wins, b.sub(b.one, first_wins)


# -- the table ---------------------------------------------------------------------------------

# `min` and `max` are the sum when an argument is NaN; Fortran's real numbers are not compared
# by ==, which compilers warn of. Python's expressions give what IEEE arithmetic has where `math`
# would raise. JavaScript rounds halves up: adding and taking away 2^52 rounds them to even, and a
# number below zero is rounded as its opposite, which keeps the sign of a zero.
_LARGE = "4503599627370496"
_RINT_OF_JAVASCRIPT = (
    f"{{0}} > 0 && {{0}} < {_LARGE} ? {{0}} + {_LARGE} - {_LARGE} : "
    f"{{0}} < 0 && {{0}} > -{_LARGE} ? -({_LARGE} - {{0}} - {_LARGE}) : {{0}}"
)
OPS = {
    "neg": Operation(
        1,
        meaning=lambda a: -a,
        counted=(),
        partials=lambda b, _, x: (b.constant(-1.0),),
        c="-{0}",
        fortran="-{0}",
        python="-{0}",
        javascript="-{0}",
        numpy="negative",
    ),
    "add": Operation(
        2,
        meaning=lambda a, b: a + b,
        counted=("add",),
        partials=lambda b, _, x, y: (b.one, b.one),
        c="{0} + {1}",
        fortran="{0} + {1}",
        python="{0} + {1}",
        javascript="{0} + {1}",
        numpy="add",
        commutes=True,
    ),
    "sub": Operation(
        2,
        meaning=lambda a, b: a - b,
        counted=("add",),
        partials=lambda b, _, x, y: (b.one, b.constant(-1.0)),
        c="{0} - {1}",
        fortran="{0} - {1}",
        python="{0} - {1}",
        javascript="{0} - {1}",
        numpy="subtract",
    ),
    "mul": Operation(
        2,
        meaning=lambda a, b: a * b,
        counted=("mul",),
        partials=lambda b, _, x, y: (y, x),
        c="{0} * {1}",
        fortran="{0} * {1}",
        python="{0} * {1}",
        javascript="{0} * {1}",
        numpy="multiply",
        commutes=True,
    ),
    "div": Operation(
        2,
        meaning=_divide,
        counted=("div",),
        partials=_of_quotient,
        c="{0} / {1}",
        fortran="{0} / {1}",
        python="{0} / {1} if {1} != 0.0 else {0} * math.copysign(math.inf, {1})",
        javascript="{0} / {1}",
        numpy="divide",
    ),
    "fma": Operation(
        3,
        meaning=lambda a, b, c: a * b + c,  # one rounding where the hardware has it
        counted=("mul", "add"),
        partials=lambda b, _, x, y, z: (y, x, b.one),
        c="fma{f}({0}, {1}, {2})",
        fortran="{0} * {1} + {2}",
        python="{0} * {1} + {2}",
        javascript="{0} * {1} + {2}",
    ),
    "sqrt": Operation(
        1,
        meaning=_sqrt,
        counted=("sqrt",),
        partials=lambda b, root, x: (b.div(b.constant(0.5), root),),
        c="sqrt{f}({0})",
        fortran="sqrt({0})",
        python="math.sqrt({0}) if {0} >= 0.0 else math.nan",
        javascript="Math.sqrt({0})",
        called="sqrt",
        numpy="sqrt",
    ),
    "sin": Operation(
        1,
        meaning=_of_finite(math.sin),
        counted=("trig",),
        partials=lambda b, _, x: (b.make("cos", x),),
        c="sin{f}({0})",
        fortran="sin({0})",
        python="math.sin({0}) if math.isfinite({0}) else math.nan",
        javascript="Math.sin({0})",
        called="sin",
        numpy="sin",
        parity=-1,
    ),
    "cos": Operation(
        1,
        meaning=_of_finite(math.cos),
        counted=("trig",),
        partials=lambda b, _, x: (b.neg(b.make("sin", x)),),
        c="cos{f}({0})",
        fortran="cos({0})",
        python="math.cos({0}) if math.isfinite({0}) else math.nan",
        javascript="Math.cos({0})",
        called="cos",
        numpy="cos",
        parity=1,
    ),
    "tan": Operation(
        1,
        meaning=_of_finite(math.tan),
        counted=("trig",),
        partials=_of_tangent,
        c="tan{f}({0})",
        fortran="tan({0})",
        python="math.tan({0}) if math.isfinite({0}) else math.nan",
        javascript="Math.tan({0})",
        called="tan",
        numpy="tan",
        parity=-1,
    ),
    "asin": Operation(
        1,
        meaning=_within_one(math.asin),
        counted=("trig",),
        partials=_of_arcsine,
        c="asin{f}({0})",
        fortran="asin({0})",
        python="math.asin({0}) if abs({0}) <= 1.0 else math.nan",
        javascript="Math.asin({0})",
        called="asin",
        numpy="arcsin",
        parity=-1,
    ),
    "acos": Operation(
        1,
        meaning=_within_one(math.acos),
        counted=("trig",),
        partials=_of_arccosine,
        c="acos{f}({0})",
        fortran="acos({0})",
        python="math.acos({0}) if abs({0}) <= 1.0 else math.nan",
        javascript="Math.acos({0})",
        called="acos",
        numpy="arccos",
    ),
    "atan2": Operation(
        2,
        meaning=math.atan2,
        counted=("trig",),
        partials=_of_angle,
        c="atan2{f}({0}, {1})",
        fortran="atan2({0}, {1})",
        python="math.atan2({0}, {1})",
        javascript="Math.atan2({0}, {1})",
        called="atan2",
        numpy="arctan2",
    ),
    "exp": Operation(
        1,
        meaning=_exp,
        counted=("trig",),
        partials=lambda b, value, x: (value,),
        c="exp{f}({0})",
        fortran="exp({0})",
        python=f"math.exp({{0}}) if not {{0}} > {LARGEST_EXPONENT} else math.inf",
        javascript="Math.exp({0})",
        called="exp",
        numpy="exp",
    ),
    "log": Operation(
        1,
        meaning=_log,
        counted=("trig",),
        partials=lambda b, _, x: (b.div(b.one, x),),
        c="log{f}({0})",
        fortran="log({0})",
        python="math.log({0}) if {0} > 0.0 else -math.inf if {0} == 0.0 else math.nan",
        javascript="Math.log({0})",
        called="log",
        numpy="log",
    ),
    "tanh": Operation(
        1,
        meaning=math.tanh,
        counted=("trig",),
        partials=_of_hyperbolic_tangent,
        c="tanh{f}({0})",
        fortran="tanh({0})",
        python="math.tanh({0})",
        javascript="Math.tanh({0})",
        called="tanh",
        numpy="tanh",
        parity=-1,
    ),
    "abs": Operation(
        1,
        meaning=abs,
        counted=("logic",),
        partials=lambda b, _, x: (b.make("sign", x),),
        c="fabs{f}({0})",
        fortran="abs({0})",
        python="abs({0})",
        javascript="Math.abs({0})",
        called="absolute",
        numpy="absolute",
        parity=1,
        keeps=("abs", "sqrt"),
    ),
    "sign": Operation(
        1,
        meaning=_sign,
        counted=("logic",),
        partials=None,
        c="{0} > 0 ? 1 : {0} < 0 ? -1 : {0} + 0",
        fortran="merge(1.0_wp, merge(-1.0_wp, {0} + 0.0_wp, {0} < 0.0_wp), {0} > 0.0_wp)",
        python="1.0 if {0} > 0.0 else -1.0 if {0} < 0.0 else {0} + 0.0",
        javascript="{0} > 0 ? 1 : {0} < 0 ? -1 : {0} + 0",
        called="sign",
        numpy="sign",
        parity=-1,
    ),
    "rint": Operation(
        1,
        meaning=_rint,  # halves to even; keeps the sign of a zero
        counted=("logic",),
        partials=None,
        c="rint{f}({0})",
        fortran="ieee_rint({0})",
        python="math.copysign(round({0}), {0}) if math.isfinite({0}) else {0}",
        javascript=_RINT_OF_JAVASCRIPT,
        called="rint",
        numpy="rint",
        parity=-1,
        keeps=("rint", "floor"),
    ),
    "floor": Operation(
        1,
        meaning=_floor,
        counted=("logic",),
        partials=None,
        c="floor{f}({0})",
        fortran="aint({0}) - merge(1.0_wp, 0.0_wp, aint({0}) > {0})",
        python="math.copysign(math.floor({0}), {0}) if math.isfinite({0}) else {0}",
        javascript="Math.floor({0})",
        called="floor",
        numpy="floor",
        keeps=("rint", "floor"),
    ),
    "fmod": Operation(
        2,
        meaning=_fmod,
        counted=("div",),
        partials=_of_remainder,
        c="fmod{f}({0}, {1})",
        fortran="mod({0}, {1})",
        python="math.fmod({0}, {1}) if math.isfinite({0}) and {1} != 0.0 else math.nan",
        javascript="{0} % {1}",
        called="fmod",
        numpy="fmod",
    ),
    "min": Operation(
        2,
        meaning=_minimum,
        counted=("logic",),
        partials=lambda b, _, x, y: _of_extreme(b, b.make("lt", x, y)),
        c="{0} < {1} ? {0} : {1} <= {0} ? {1} : {0} + {1}",
        fortran="merge({0}, merge({1}, {0} + {1}, {1} <= {0}), {0} < {1})",
        python="{0} if {0} < {1} else {1} if {1} <= {0} else {0} + {1}",
        javascript="{0} < {1} ? {0} : {1} <= {0} ? {1} : {0} + {1}",
        called="minimum",
        numpy="minimum",
        commutes=True,
    ),
    "max": Operation(
        2,
        meaning=_maximum,
        counted=("logic",),
        partials=lambda b, _, x, y: _of_extreme(b, b.make("lt", y, x)),
        c="{0} > {1} ? {0} : {1} >= {0} ? {1} : {0} + {1}",
        fortran="merge({0}, merge({1}, {0} + {1}, {1} >= {0}), {0} > {1})",
        python="{0} if {0} > {1} else {1} if {1} >= {0} else {0} + {1}",
        javascript="{0} > {1} ? {0} : {1} >= {0} ? {1} : {0} + {1}",
        called="maximum",
        numpy="maximum",
        commutes=True,
    ),
    "lt": Operation(
        2,
        meaning=lambda a, b: float(a < b),
        counted=("logic",),
        partials=None,
        c="{0} < {1}",
        fortran="merge(1.0_wp, 0.0_wp, {0} < {1})",
        python="float({0} < {1})",
        javascript="{0} < {1} ? 1 : 0",
        called="less",
        numpy="less",
        is_condition=True,
    ),
    "le": Operation(
        2,
        meaning=lambda a, b: float(a <= b),
        counted=("logic",),
        partials=None,
        c="{0} <= {1}",
        fortran="merge(1.0_wp, 0.0_wp, {0} <= {1})",
        python="float({0} <= {1})",
        javascript="{0} <= {1} ? 1 : 0",
        called="less_equal",
        numpy="less_equal",
        is_condition=True,
    ),
    "eq": Operation(
        2,
        meaning=lambda a, b: float(a == b),
        counted=("logic",),
        partials=None,
        c="{0} == {1}",
        fortran="merge(1.0_wp, 0.0_wp, {0} <= {1} .and. {0} >= {1})",
        python="float({0} == {1})",
        javascript="{0} === {1} ? 1 : 0",
        called="equal",
        numpy="equal",
        commutes=True,
        is_condition=True,
    ),
    "and": Operation(
        2,
        meaning=lambda a, b: float(a != 0 and b != 0),  # NaN is true, as in NumPy
        counted=("logic",),
        partials=None,
        c="{0} != 0 && {1} != 0",
        fortran="merge(0.0_wp, 1.0_wp, abs({0}) <= 0.0_wp .or. abs({1}) <= 0.0_wp)",
        python="float({0} != 0.0 and {1} != 0.0)",
        javascript="{0} !== 0 && {1} !== 0 ? 1 : 0",
        called="logical_and",
        numpy="logical_and",
        commutes=True,
        is_condition=True,
    ),
    "or": Operation(
        2,
        meaning=lambda a, b: float(a != 0 or b != 0),
        counted=("logic",),
        partials=None,
        c="{0} != 0 || {1} != 0",
        fortran="merge(0.0_wp, 1.0_wp, abs({0}) <= 0.0_wp .and. abs({1}) <= 0.0_wp)",
        python="float({0} != 0.0 or {1} != 0.0)",
        javascript="{0} !== 0 || {1} !== 0 ? 1 : 0",
        called="logical_or",
        numpy="logical_or",
        commutes=True,
        is_condition=True,
    ),
    "not": Operation(
        1,
        meaning=lambda a: float(a == 0),
        counted=("logic",),
        partials=None,
        c="{0} == 0",
        fortran="merge(1.0_wp, 0.0_wp, abs({0}) <= 0.0_wp)",
        python="float({0} == 0.0)",
        javascript="{0} === 0 ? 1 : 0",
        called="logical_not",
        numpy="logical_not",
        parity=1,
        is_condition=True,
    ),
    "select": Operation(
        3,
        meaning=lambda condition, a, b: a if condition != 0 else b,
        counted=("logic",),
        partials=None,
        c="{0} != 0 ? {1} : {2}",
        fortran="merge({1}, {2}, .not. abs({0}) <= 0.0_wp)",
        python="{1} if {0} != 0.0 else {2}",
        javascript="{0} !== 0 ? {1} : {2}",
        called="select",
        numpy="where",
    ),
}
LEAVES = ("const", "input")
CONDITIONS = frozenset(name for name, op in OPS.items() if op.is_condition)
# Flat wherever they have a derivative.
FLAT = frozenset(LEAVES) | {n for n, op in OPS.items() if op.partials is None and n != "select"}


def written(name: str) -> str:
    """An operation as a user writes it: its name in px.math, or an operator."""
    op = OPS[name]
    return op.called or (op.c.format("", "").strip() if op.numpy else name)
