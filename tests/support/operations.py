"""Every operation as a traced function, and the numbers to try it on."""

import math

import paraxis as px

OPERATIONS = {
    "neg": lambda a, b: -a,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "sub, turned": lambda a, b: b - a,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "sqrt": lambda a, b: px.math.sqrt(a),
    "abs": lambda a, b: abs(a),
    "abs of neg": lambda a, b: abs(-a),
    "sign": lambda a, b: px.math.sign(a),
    "sign of neg": lambda a, b: px.math.sign(-a),
    "rint": lambda a, b: px.math.rint(a),
    "rint of neg": lambda a, b: px.math.rint(-a),
    "min": px.math.minimum,
    "max": px.math.maximum,
    "sin": lambda a, b: px.math.sin(a),
    "cos": lambda a, b: px.math.cos(a),
    "sin of neg": lambda a, b: px.math.sin(-a),
    "tan": lambda a, b: px.math.tan(a),
    "tan of neg": lambda a, b: px.math.tan(-a),
    "asin": lambda a, b: px.math.asin(a),
    "acos": lambda a, b: px.math.acos(a),
    "atan2": px.math.atan2,
    "exp": lambda a, b: px.math.exp(a),
    "log": lambda a, b: px.math.log(a),
    "tanh": lambda a, b: px.math.tanh(a),
    "floor": lambda a, b: px.math.floor(a),
    "floor of neg": lambda a, b: px.math.floor(-a),
    "fmod": px.math.fmod,
    "modulo": lambda a, b: a % b,
    "whole quotient": lambda a, b: a // b,
    "and": px.math.logical_and,
    "or": px.math.logical_or,
    "not": lambda a, b: px.math.logical_not(a),
    "and, or, not of conditions": lambda a, b: (
        px.math.less(a, b) & ~px.math.less(b, 0.0) | px.math.equal(a, 1.0)
    ),
    "lt": px.math.less,
    "le": px.math.less_equal,
    "eq": px.math.equal,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "condition as number": lambda a, b: 3.0 * px.math.less(a, b) - px.math.equal(a, b) + a,
    "select": lambda a, b: px.math.select(px.math.less(a, b), a, b),
    "select on a number": lambda a, b: px.math.select(a, b, -b),
    "select, nested": lambda a, b: px.math.select(
        px.math.less(a, 0.0),
        px.math.select(px.math.less_equal(b, 0.0), -1.0, b),
        px.math.select(a, a, 2.0),
    ),
    "select of conditions": lambda a, b: px.math.select(
        px.math.select(px.math.less(a, b), px.math.equal(a, -1.0), px.math.less(b, 1.0)), a, b
    ),
    "fma": lambda a, b: a * b + 1.0,
    "fma, minus": lambda a, b: 1.0 - a * b,
    "fma, minus last": lambda a, b: a * b - 1.0,
    "constants": lambda a, b: (a + 2.5) / 7.0 * 3.0 - 1e-3,
    "power": lambda a, b: a**5 + b**0,
}
ROUNDS_APART = (
    *("fma", "fma, minus", "fma, minus last", "constants", "power", "modulo", "whole quotient"),
)
TURNS = ("sin", "cos", "sin of neg")
WITHIN_TWO_ULP = (*TURNS, "tan", "tan of neg", "asin", "acos", "atan2", "exp", "log", "tanh")
LOSES_ZERO_SIGN = ("min", "max", "sin", "sin of neg")  # -0.0 and 0.0 are one number to these

NORMAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    0.5,
    -0.5,
    1.5,
    -2.5,
    3.0,
    1e-3,
    7e5,
    -1e6,
    math.pi,
    math.inf,
    -math.inf,
    math.nan,
]
SPECIAL = {
    "float64": NORMAL + [5e-324, -5e-324, 3e-310, 2.3e-308, 1.7e308, -1e300, 1e-300, 2**52 - 0.5],
    "float32": NORMAL + [1e-45, -1e-45, 3e-39, 1.2e-38, 3.4e38, -1e30, 1e-30, 2**23 - 0.5],
}
