"""Every operation in machine code, on every kind of number."""

import itertools
import math

import numpy as np
import pytest
from support.bits import same_bits
from support.operations import LOSES_ZERO_SIGN, OPERATIONS, ROUNDS_APART, SPECIAL, WITHIN_TWO_ULP

import paraxis as px

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.mark.parametrize("dtype", SPECIAL)
@pytest.mark.parametrize("op", OPERATIONS)
def test_every_operation_on_every_kind_of_number(op, dtype):
    """All pairs of ordinary and special numbers; bits as the interpreter's, rounded to the dtype.

    (A double result rounded to float32 is the float32 result, for each single operation.) The
    arguments come out too: an argument nothing depends on is added as a zero, which turns -0.0.
    """
    pair = px.trace(lambda a, b: [OPERATIONS[op](a, b), a, b], a=(), b=())
    compiled = pair.compile(dtype=dtype)
    values = np.array(SPECIAL[dtype], dtype)
    a, b = values[:, None], values[None, :]
    found = compiled(a, b)
    with np.errstate(over="ignore"):
        expected = pair.evaluate(a=a, b=b).astype(dtype)
    assert found.dtype == dtype and found.shape == expected.shape
    alone = [[compiled(np.array(x), np.array(y)) for y in values] for x in values]
    assert same_bits(np.array(alone), found)
    found, expected = found[..., 0], expected[..., 0]
    for i, j in itertools.product(range(len(values)), repeat=2):
        x, y = float(found[i, j]), float(expected[i, j])
        where = f"{op}({values[i]!r}, {values[j]!r}) = {x!r}, expected {y!r}"
        if math.isnan(y) or math.isinf(y):
            assert x == y or (math.isnan(x) and math.isnan(y)), where
        elif op in WITHIN_TWO_ULP:
            assert abs(x - y) <= 2 * np.spacing(abs(expected[i, j])), where
        elif op in ROUNDS_APART:
            slack = {"float64": 1e-14, "float32": 1e-6}[dtype]
            assert math.isclose(x, y, rel_tol=slack, abs_tol=slack), where
        else:
            assert x == y, where
            assert op in LOSES_ZERO_SIGN or math.copysign(1, x) == math.copysign(1, y), where


def test_every_operation_of_the_table_is_tried():
    """A new operation in graph/operations.py needs a line in OPERATIONS."""
    from paraxis.graph.operations import LEAVES, OPS
    from paraxis.passes.fuse import fuse

    tried = set()
    for function in OPERATIONS.values():
        traced = px.trace(lambda a, b, function=function: function(a, b), a=(), b=())
        tried.update(node.op for node in fuse(traced.graph).nodes)
    assert tried - set(LEAVES) == set(OPS)


def test_conditions_can_be_results():
    compare = px.trace(
        lambda a, b: [px.math.less(a, b), px.math.less_equal(a, b), px.math.equal(a, b)], a=(), b=()
    )
    found = compare.compile()(np.array([1.0, 2.0, 3.0, math.nan]), 2.0)
    assert found.tolist() == [[1, 1, 0], [0, 1, 1], [0, 0, 0], [0, 0, 0]]


def test_a_constant_or_an_input_can_be_a_result():
    both = px.trace(lambda x: {"x": x, "two": 2.0, "again": [x[1], 5.0, x[1]]}, x=2)
    x, two, again = both.compile()(np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert x.tolist() == [[1, 2], [3, 4]]
    assert two.tolist() == [2, 2]
    assert again.tolist() == [[2, 5, 2], [4, 5, 4]]
