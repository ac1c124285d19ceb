"""The interpreter: its arrays, NaN, and operations on every float."""

import itertools
import math

import numpy as np
import pytest
from support.expressions import INF, NAN

import paraxis as px
from paraxis.errors import ArgumentError
from paraxis.graph.evaluate import evaluate
from paraxis.graph.operations import OPS
from paraxis.passes.balance import balance
from paraxis.passes.factor import factor
from paraxis.passes.share import share


def test_evaluate_says_what_is_wrong_with_its_arrays():
    program = px.trace(lambda x, y: [x[0] + y, x[1]], x=2, y=())
    for arrays, message in (
        ({"x": [1, 2]}, r": missing \['y'\]$"),
        ({"x": [1, 2], "y": 1, "z": 1}, r": unexpected \['z'\]$"),
        ({"x": [1, 2], "z": 1}, r"inputs of .*: missing \['y'\], unexpected \['z'\]"),
        ({"x": [1, 2, 3], "y": 1}, r"x: expected an array of shape \(\.\.\., 2\), found \(3,\)"),
        ({"x": 1, "y": 1}, r"x: expected an array of shape \(\.\.\., 2\), found \(\)"),
        ({"x": np.ones((3, 2)), "y": np.ones(4)}, "batch shapes do not broadcast"),
        ({"x": [1j, 2], "y": 1}, "x: expected an array of real numbers, found dtype complex128"),
        ({"x": ["a", "b"], "y": 1}, "x: expected an array of real numbers"),
        ({"x": [[1, 2], [3]], "y": 1}, "x: expected an array of numbers"),
    ):
        with pytest.raises(ArgumentError, match=message):
            program.evaluate(**arrays)
    assert program.evaluate(x=np.ones((0, 2)), y=1).shape == (0, 2)


def test_not_a_number_spoils_its_own_state_only_even_where_it_is_not_used():
    program = px.trace(lambda x: [x[0] * 2, px.math.maximum(x[1], 0.0)], x=3)  # x[2] is not used
    x = np.ones((7, 3))
    x[1, 0], x[3, 1], x[5, 2] = NAN, NAN, INF
    found = program.evaluate(x=x)
    assert np.isnan(found[1]).tolist() == [True, False] and np.isnan(found[3, 1])
    assert np.isnan(found[5]).all()
    assert np.array_equal(found[[0, 2, 4, 6]], [[2, 1]] * 4)


def test_operations_are_total_on_floats():
    """No input makes the interpreter raise; what has no value is not a number or infinite."""
    odd = (0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 1e308, 5e-324)
    for name, op in OPS.items():
        for arguments in itertools.product(odd, repeat=op.arity):
            assert isinstance(op.meaning(*arguments), float), (name, arguments)
    assert math.isnan(OPS["sqrt"].meaning(-1.0)) and math.isnan(OPS["sin"].meaning(INF))
    assert OPS["div"].meaning(-1.0, 0.0) == -INF and OPS["div"].meaning(-1.0, -0.0) == INF
    assert math.isnan(OPS["div"].meaning(0.0, 0.0)) and math.isnan(OPS["sign"].meaning(NAN))
    assert math.isnan(OPS["min"].meaning(NAN, 1.0)) and math.isnan(OPS["max"].meaning(1.0, NAN))


NOT_FINITE = {
    "root of -1": (lambda x: px.math.sqrt(x * 0 - 1), NAN),
    "root of a float": (lambda x: x + px.math.sqrt(-1.0), NAN),
    "sine of infinity": (lambda x: px.math.sin(x * 0 + INF), NAN),
    "sine of an infinite float": (lambda x: x + px.math.sin(INF), NAN),
    "1 / 0": (lambda x: 1 / (x - x), INF),
    "-1 / 0": (lambda x: -1 / (x - x), -INF),
    "0 / 0": (lambda x: (x - x) / (x * 0), NAN),
    "x / 0": (lambda x: x / 0, INF),
    "(x - 2) / 0": (lambda x: (x - 2) / 0, NAN),
    "-x / 0": (lambda x: -x / 0, -INF),
    "overflow": (lambda x: x * ((x * 0 + 1e300) * 1e300), INF),
    "a sum that overflows": (lambda x: x + (-1.7e308 + (x * 0 - 1.7e308)), -INF),
    "infinity": (lambda x: x * -INF, -INF),
    "nan": (lambda x: NAN, NAN),
    "0 times infinity": (lambda x: 1 / (x - x) * 0, NAN),
    "infinity - infinity": (lambda x: (x * 0 + INF) - INF, NAN),
    "infinity / infinity": (lambda x: (x * 0 + INF) / INF, NAN),
    "0 times NaN": (lambda x: 0 * (px.math.sqrt(x * 0 - 1) + x), NAN),
    "NaN - NaN": (lambda x: (x * NAN) - (x * NAN), NAN),
    "clipped at infinity": (lambda x: px.math.minimum(px.math.maximum(x, -INF), INF), 2.0),
    "less than NaN": (lambda x: px.math.select(px.math.less(x, NAN), 1.0, x), 2.0),
    "the side of a select that is not taken": (
        lambda x: px.math.select(x > 1, x, 1 / (x - x)),
        2.0,
    ),
}


@pytest.mark.parametrize("case", NOT_FINITE)
def test_folding_of_constants_never_raises(case):
    """What is known while tracing is what arithmetic would have given at run time."""
    function, expected = NOT_FINITE[case]
    program = px.trace(function, x=())
    again = px.parse(program.text())
    assert again.text() == program.text()
    for each in (program, again):
        assert np.array_equal(each.evaluate(x=2.0), expected, equal_nan=True)


def test_text_with_constants_that_nothing_folded():
    """A text is taken as it is written, so that its constants meet at run time."""
    text = (
        "input x[1]\n%0 = const -1\n%1 = sqrt %0\n%2 = const 0\n%3 = div %0 %2\noutput r[2] = %1 %3"
    )
    program = px.parse(text)
    assert program.count().sqrt == 1
    assert np.array_equal(program.evaluate(x=[1.0]), [NAN, -INF], equal_nan=True)


def test_derivatives_and_passes_keep_constants_that_are_not_finite():
    program = px.trace(lambda x: [x * INF, px.math.minimum(x, INF) ** 2, x + NAN, 3 * x], x=())
    slopes = program.jacobian("result", "x").evaluate(x=2.0)
    assert slopes.tolist() == [INF, 4, 0, 3]  # NaN is a constant
    for change in (share, factor, balance):
        found = evaluate(change(program.graph), {"x": 2.0})["result"]
        assert np.array_equal(found, [INF, 4, NAN, 6], equal_nan=True)


def test_rounding_is_that_of_ieee_754():
    """roundToIntegralTiesToEven, to the sign of a zero, up to where every number is whole."""
    known = {0.5: 0.0, 1.5: 2.0, 2.5: 2.0, 0.49999999999999994: 0.0, 2.0**51 + 0.5: 2.0**51}
    known |= {2.0**51 + 1.5: 2.0**51 + 2, 2.0**52 - 0.5: 2.0**52, 2.0**52 + 1: 2.0**52 + 1}
    known |= {0.0: 0.0, 5e-324: 0.0, 1e308: 1e308, INF: INF}
    for x, rounded in known.items():
        for sign in (1.0, -1.0):
            found = OPS["rint"].meaning(sign * x)
            assert (found, math.copysign(1, found)) == (sign * rounded, sign), x
    assert math.isnan(OPS["rint"].meaning(NAN))
