"""An operation is one entry of one table; here each target shows that it has them all."""

import math
import string
from types import SimpleNamespace

import numpy as np
import pytest

import paraxis as px
from paraxis.errors import ProgramError
from paraxis.graph.arrays import INSTEAD
from paraxis.graph.graph import Graph
from paraxis.graph.node import Builder
from paraxis.graph.operations import FLAT, OPS
from paraxis.hardware.tasks import reading
from paraxis.passes.count import Count
from paraxis.targets.cpu.text.operations import OPERATIONS as EMITTERS

SPELLED = ("c", "fortran", "python", "javascript")
POINTS = {1: [(0.3,), (-0.7,)], 2: [(0.3, -0.7), (5.5, 0.7)], 3: [(0.3, 0.7, -0.2)]}


def of_inputs(name):
    """The Program of one operation on its own inputs."""
    builder, arity = Builder(), OPS[name].arity
    arguments = [builder.input("x", k) for k in range(arity)]
    node = builder.make(name, *arguments)
    return px.Program.of(Graph({"x": (arity,)}, {"y": ((), (node,))}, {}, name))


def placeholders(text):
    return {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}


@pytest.mark.parametrize("name", OPS)
def test_it_is_complete(name):
    """Spelled with all its arguments, counted, differentiated, called in px.math and in NumPy."""
    op = OPS[name]
    for language in SPELLED:
        assert placeholders(getattr(op, language)) - {"f"} == {*map(str, range(op.arity))}, language
    assert set(op.counted) <= set(vars(Count())) and bool(op.counted) == (name != "neg")
    assert (op.partials is None) == (name in FLAT or name == "select")
    assert (op.called is None) == (name in ("neg", "add", "sub", "mul", "div", "fma"))
    assert op.called is None or callable(getattr(px.math, op.called))
    assert (op.numpy is None) == (name == "fma")
    if op.numpy is not None:
        function = getattr(np, op.numpy)
        assert name == "select" or function.nin == op.arity


def test_what_px_math_has_is_the_table():
    others = {"mark", "random_normal", "random_uniform", "solve"}  # which are no operations
    assert set(px.math.__all__) == {op.called for op in OPS.values() if op.called} | others


def test_every_operation_has_an_emitter_of_llvm():
    assert EMITTERS.keys() == OPS.keys()


@pytest.mark.parametrize("name", OPS)
def test_it_is_the_same_in_text_on_the_cpu_and_in_numpy(name):
    program, op = of_inputs(name), OPS[name]
    assert px.parse(program.text()).text() == program.text()
    assert f"{name} %" in program.text()
    kernel = program.compile()
    for point in POINTS[op.arity]:
        expected = op.meaning(*point)
        assert program.evaluate(x=point) == expected or math.isnan(expected)
        assert np.allclose(kernel(np.array(point)), expected, 1e-14, 1e-15, equal_nan=True)
        if op.numpy is not None and not math.isnan(expected):
            assert np.allclose(float(getattr(np, op.numpy)(*point)), expected, 1e-15)


@pytest.mark.parametrize("name", OPS)
def test_a_cordic_processor_does_it_or_refuses_it_by_name(name):
    graph = of_inputs(name).graph
    if name in {*reading._NUMBERS, *reading._ANGLES} - {"max"}:
        assert reading.Reader(graph).read
    else:
        with pytest.raises(ProgramError, match=rf"\b{name}\b"):
            reading.Reader(graph)


def test_conditions_are_simplified():
    def function(a, b):
        both, less = px.math.logical_and, px.math.less(a, b)
        assert both(less, less) is less and both(less, 1.0) is less and both(True, less) is less
        assert px.math.logical_or(less, 0.0) is less
        assert both(less, 0.0).value == 0.0 and px.math.logical_or(3.0, a).value == 1.0
        assert ~~less is less and px.math.logical_not(px.math.logical_not(a)) is not a
        assert both(a, 1.0).op == "and"  # a is a number: 0.3 and 1 is 1
        return less

    px.trace(function, a=(), b=())


def test_signs_and_roundings_are_simplified():
    def function(x):
        for name in ("tan", "asin", "tanh"):
            ours = getattr(px.math, name)
            assert ours(-x).op == "neg" and ours(-x).args[0] is ours(x)
        floor = px.math.floor(x)
        assert px.math.floor(floor) is floor and px.math.rint(floor) is floor
        assert px.math.floor(-x).op == "floor" and px.math.acos(-x).op == "acos"
        return floor

    px.trace(function, x=())


REMAINDERS = [7.5, -7.5, 0.3, -0.3, 6.0, -6.0, 1e17, 0.0, math.inf, math.nan]


def test_remainders_and_whole_quotients_are_those_of_numpy():
    divisors = [2.0, -2.0, 0.1, -0.1, 0.0, math.inf, -math.inf, math.nan]
    a, b = np.meshgrid(REMAINDERS, divisors)
    program = px.trace(lambda a, b: {"rest": a % b, "whole": a // b}, a=(), b=())
    rest, whole = program.compile()(a, b)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(rest, a % b)
        np.testing.assert_array_equal(whole, a // b)


def test_an_operation_that_misses_an_entry_is_found(monkeypatch):
    """What the tests above would say of a new operation that is only half there."""
    half = SimpleNamespace(**OPS["exp"]._asdict() | {"c": "exp2{f}()", "called": "exp2"})
    monkeypatch.setitem(OPS, "exp2", half)
    with pytest.raises(AssertionError):
        test_it_is_complete("exp2")
    for test in (test_what_px_math_has_is_the_table, test_every_operation_has_an_emitter_of_llvm):
        with pytest.raises(AssertionError):
            test()


@pytest.mark.parametrize("name", INSTEAD)
def test_what_is_to_be_written_instead_means_the_same(name):
    """What errors about NumPy's functions advise, on numbers; special ones where they are exact."""
    ufunc, numbers = getattr(np, name), np.array([-2.5, -0.5, 0.25, 0.5, 3.0])
    if name in ("isnan", "isfinite", "isinf", "copysign", "fmax", "fmin"):
        numbers = np.array([-2.5, 0.0, 0.5, 3.0, np.inf, -np.inf, np.nan])
    if name in ("heaviside", "arcsinh", "logaddexp"):
        numbers = np.array([-1e9, -2.5, 0.0, 0.5, 1e9])
    if name == "logical_xor":
        numbers = np.array([0.0, 1.0])
    if name == "float_power":
        numbers = abs(numbers)
    x, y = np.meshgrid(numbers, numbers)
    given = {"x": x, "y": y} if ufunc.nin == 2 else {"x": x}

    def write(**values):
        return eval(INSTEAD[name], {"px": px, "np": np} | values)

    advised = px.trace(write, **dict.fromkeys(given, ()))
    with np.errstate(all="ignore"):
        expected = ufunc(*given.values())
        found = advised.evaluate(**given)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_remainder_of_integers_by_zero_is_not_a_number():
    assert np.isnan(px.math.fmod(7, 0)) and px.math.fmod(7, 4) == 3.0
    np.testing.assert_equal(px.math.fmod([7, -5], [0, 2]), [np.nan, -1.0])
    assert np.isnan(px.trace(lambda x: x + px.math.fmod(7, 0), x=()).evaluate(x=0.0))
