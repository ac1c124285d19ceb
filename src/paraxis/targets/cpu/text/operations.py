"""How LLVM does each operation, on vectors of states: name -> emitter(code, node, *arguments).

An emitter adds lines to `code`, the Emitter of a body, and returns the name of the value.
"""

from .arcs import define_arccosine, define_arcsine
from .exponentials import define_exponential, define_hyperbolic_tangent, define_logarithm
from .remainder import define_remainder
from .tangent import define_tangent
from .trig import define_sincos


def _instruction(name):
    return lambda code, node, x, y: code.let(f"{name} {code.lanes.type} {x}, {y}")


def _intrinsic(name):
    return lambda code, node, *x: code.call(name, *x)


def _each_lane(name):
    """A function of the C library, lane by lane."""

    def emit(code, node, *x):
        lanes, element = code.lanes, code.lanes.element
        function = name if element == "double" else name + "f"
        code.module.declare(f"declare {element} @{function}({', '.join([element] * len(x))})")
        if lanes.count == 1:
            return code.let(f"call {element} @{function}({', '.join(f'{element} {v}' for v in x)})")
        result = "poison"
        for lane in range(lanes.count):
            parts = [code.let(f"extractelement {lanes.type} {v}, i32 {lane}") for v in x]
            arguments = ", ".join(f"{element} {part}" for part in parts)
            one = code.let(f"call {element} @{function}({arguments})")
            result = code.let(f"insertelement {lanes.type} {result}, {element} {one}, i32 {lane}")
        return result

    return emit


def _function(define, name):
    """A function of the module's own, defined where it is first called; or the C library's, lane by
    lane, without the multiply-add by which ours are exact."""
    by_library = _each_lane(name)

    def emit(code, node, *x):
        if not code.lanes.fused:
            return by_library(code, node, *x)
        name, type_ = define(code.module, code.lanes), code.lanes.type
        return code.let(f"call {type_} @{name}({', '.join(f'{type_} {value}' for value in x)})")

    return emit


def _negate(code, node, x):
    return code.let(f"fneg {code.lanes.type} {x}")


def _sine_or_cosine(part):
    """Part 0 or 1 of what one call makes for both."""

    def emit(code, node, x):
        pair = f"{{ {code.lanes.type}, {code.lanes.type} }}"
        if x not in code.sincos:
            function = define_sincos(code.module, code.lanes)
            code.sincos[x] = code.let(f"call {pair} @{function}({code.lanes.type} {x})")
        return code.let(f"extractvalue {pair} {code.sincos[x]}, {part}")

    return emit


def _sign(code, node, x):
    """copysign(1, x), but x itself where x is zero or NaN."""
    lanes = code.lanes
    one = code.call("copysign", lanes.constant(1.0), x)
    nonzero = code.let(f"fcmp one {lanes.type} {x}, {lanes.constant(0.0)}")
    positive_zero = code.let(f"fadd {lanes.type} {x}, {lanes.constant(0.0)}")
    return code.let(
        f"select {lanes.condition} {nonzero}, {lanes.type} {one}, {lanes.type} {positive_zero}"
    )


# -- conditions: kept as bits too, for the operations that ask for them --------------------------


def _compare(how):
    return lambda code, node, x, y: _number(
        code, node, code.let(f"fcmp {how} {code.lanes.type} {x}, {y}")
    )


def _combine(how):
    def emit(code, node, x, y):
        bits = [_bits(code, a, v) for a, v in zip(node.args, (x, y), strict=True)]
        return _number(code, node, code.let(f"{how} {code.lanes.condition} {bits[0]}, {bits[1]}"))

    return emit


def _not(code, node, x):
    if node.args[0].index not in code.conditions:
        zero = code.lanes.constant(0.0)
        return _number(code, node, code.let(f"fcmp oeq {code.lanes.type} {x}, {zero}"))
    bits, every = (
        _bits(code, node.args[0], x),
        "true" if code.lanes.count == 1 else "splat (i1 true)",
    )
    return _number(code, node, code.let(f"xor {code.lanes.condition} {bits}, {every}"))


def _number(code, node, condition):
    code.conditions[node.index] = condition
    return code.let(f"uitofp {code.lanes.condition} {condition} to {code.lanes.type}")


def _bits(code, argument, x):
    """Which lanes of a condition are not zero."""
    condition = code.conditions.get(argument.index)
    if condition is None:
        condition = code.let(f"fcmp une {code.lanes.type} {x}, {code.lanes.constant(0.0)}")
    return condition


def _select(code, node, x, if_true, if_false):
    lanes, condition = code.lanes, _bits(code, node.args[0], x)
    return code.let(
        f"select {lanes.condition} {condition}, {lanes.type} {if_true}, {lanes.type} {if_false}"
    )


OPERATIONS = {
    "neg": _negate,
    "add": _instruction("fadd"),
    "sub": _instruction("fsub"),
    "mul": _instruction("fmul"),
    "div": _instruction("fdiv"),
    "fma": _intrinsic("fma"),
    "sqrt": _intrinsic("sqrt"),
    "sin": _sine_or_cosine(0),
    "cos": _sine_or_cosine(1),
    "tan": _function(define_tangent, "tan"),
    "asin": _function(define_arcsine, "asin"),
    "acos": _function(define_arccosine, "acos"),
    "atan2": _each_lane("atan2"),
    "exp": _function(define_exponential, "exp"),
    "log": _function(define_logarithm, "log"),
    "tanh": _function(define_hyperbolic_tangent, "tanh"),
    "abs": _intrinsic("fabs"),
    "sign": _sign,
    "rint": _intrinsic("rint"),
    "floor": _intrinsic("floor"),
    "fmod": _function(define_remainder, "fmod"),
    "min": _intrinsic("minimum"),
    "max": _intrinsic("maximum"),
    "lt": _compare("olt"),
    "le": _compare("ole"),
    "eq": _compare("oeq"),
    "and": _combine("and"),
    "or": _combine("or"),
    "not": _not,
    "select": _select,
}
