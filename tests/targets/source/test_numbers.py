"""Exported source, compiled and called: the numbers of the interpreter."""

import ctypes
import itertools
import math
import shutil

import numpy as np
import pytest
from support.exported import (
    CUDA_BLOCK,
    CUDA_SHIM,
    EVERY_OPERATION,
    FLAGS,
    NATIVE,
    ONE_KIND,
    SOURCES,
    TOLERANCE,
    compiled,
    error,
    interpreted,
    needs,
    pointer,
    program_of,
    random_program,
    robot_of,
    shell,
    text_of,
)
from support.robots import states

import paraxis as px
from paraxis.graph.operations import LEAVES, OPS


@pytest.mark.parametrize("language", SOURCES)
@pytest.mark.parametrize("name", ["puma560", "stanford", "random1", "random2"])
def test_robots(name, language, tmp_path):
    program = program_of(name)
    arrays = states(robot_of(name), 9)
    found = compiled(program, language, tmp_path)(*arrays)
    assert error(found, interpreted(program, *arrays)) < TOLERANCE["float64"]


@pytest.mark.parametrize("language", NATIVE)
def test_float32(language, tmp_path):
    program = program_of("ur5")
    arrays = [array.astype(np.float32) for array in states(robot_of("ur5"), 9)]
    (found,) = compiled(program, language, tmp_path, "float32")(*arrays)
    assert found.dtype == np.float32
    assert 0 < error([found], interpreted(program, *arrays)) < TOLERANCE["float32"]


@pytest.mark.parametrize("language", SOURCES)
def test_several_outputs_of_any_shape(language, tmp_path):
    def shapes(x, m):
        rows = [[m[i][j] * (1 + i) + j * x for j in range(3)] for i in range(2)]
        return {"a": rows, "b": x * 2, "c": [[[m[1][2]]], [[x]]]}

    program, rng = px.trace(shapes, x=(), m=(2, 3)), np.random.default_rng(0)
    arrays = rng.normal(size=4), rng.normal(size=(4, 2, 3))
    for found, expected in zip(
        compiled(program, language, tmp_path)(*arrays), interpreted(program, *arrays), strict=True
    ):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("language", SOURCES)
def test_no_inputs(language, tmp_path):
    program = px.trace(lambda: {"r": [1.5, -0.1]})
    np.testing.assert_array_equal(compiled(program, language, tmp_path)()[0], [[1.5, -0.1]])


ODD = (0.0, -0.0, 1.0, -2.5, 0.5, 1e-320, 1e308, math.inf, -math.inf, math.nan)


@pytest.mark.parametrize(
    ("language", "compiler"), [*((language, None) for language in SOURCES), ("c", "clang")]
)
def test_every_operation_means_what_the_interpreter_says(language, compiler, tmp_path):
    if compiler and shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler} here")
    program = px.parse(EVERY_OPERATION)
    assert {node.op for node in program.graph.nodes} == {*OPS, *LEAVES}
    x = np.array(list(itertools.product(ODD, ODD, (3.0, math.nan))))
    spare = np.zeros((len(x), 2))
    call = compiled(program, language, tmp_path, compiler=compiler)
    *exact, close = call(x, spare)
    with np.errstate(all="ignore"):
        *expected, nearly = interpreted(program, x, spare)
    ulp = 2.0**-52 if language == "javascript" else 0.0  # its sines are its engine's own
    for ours, theirs in zip(exact, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=ulp, atol=0)
    np.testing.assert_allclose(close, nearly, rtol=1e-15)  # a multiply-add may round once


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("language", SOURCES)
def test_rounding_gives_the_same_bits_everywhere(language, dtype, tmp_path):
    if language in ONE_KIND and dtype == "float32":
        pytest.skip("the language has one kind of number")
    program = px.trace(lambda x: [px.math.rint(x), x], x=())  # x too, or -0.0 + 0 would be 0.0
    whole = 2.0 ** np.finfo(dtype).nmant  # from here on every number is
    x = np.array([0.5, 1.5, 2.5, 0.3, whole / 2 + 0.5, whole - 0.5, whole + 1, 0.0, math.inf])
    x = np.concatenate((x, -x, [math.nan, np.nextafter(0.5, 0)])).astype(dtype)
    (found,) = compiled(program, language, tmp_path, dtype)(x)
    expected = np.stack((np.rint(x), x), axis=-1)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


@pytest.mark.parametrize("language", SOURCES)
def test_an_input_that_nothing_uses_still_poisons(language, tmp_path):
    program = px.parse(EVERY_OPERATION)
    x = np.ones((4, 3))
    spare = np.array([[0, 0], [math.inf, 0], [0, math.nan], [1e300, -1e300]])
    for result in compiled(program, language, tmp_path)(x, spare):
        assert np.isnan(result[[1, 2]]).all() and np.isfinite(result[[0, 3]]).all()


@pytest.mark.parametrize("language", SOURCES)
def test_many_inputs_that_nothing_uses_are_looked_at_in_a_loop(language, tmp_path):
    """The text does not grow with them, and each still poisons."""
    program = px.trace(lambda q, k: [2.0 * q[5][1], 3.0], q=(50, 4), k=(70,))
    longer = px.trace(lambda q, k: [2.0 * q[5][1], 3.0], q=(9000, 4), k=(20_000,))
    assert len(text_of(longer, language)) < len(text_of(program, language)) + 100
    call, rng = compiled(program, language, tmp_path), np.random.default_rng(3)
    q, k = rng.normal(size=(8, 50, 4)), rng.normal(size=(8, 70))
    q[1, 0, 0] = q[2, 5, 0] = q[3, 5, 2] = k[4, 69] = math.nan
    q[5, 49, 3], k[6, 0] = math.inf, -math.inf
    (found,), (expected,) = call(q, k), interpreted(program, q, k)
    np.testing.assert_array_equal(found, expected)
    assert np.isnan(found[1:7]).all()


@pytest.mark.parametrize("language", SOURCES)
@pytest.mark.parametrize("seed", range(3))
def test_random_programs(seed, language, tmp_path):
    program = random_program(seed)
    x = np.random.default_rng(seed).uniform(-2, 2, (20, 5))
    assert error(compiled(program, language, tmp_path)(x), interpreted(program, x)) < 1e-9


NUMBERS = (0.1, 1 / 3, -2.5e-310, 5e-324, 1.7976931348623157e308, -1e22, 123456789.123, 1e-5, 7.0)


@pytest.mark.parametrize("language", SOURCES)
def test_constants_read_back_to_the_same_bits(language, tmp_path):
    (found,) = compiled(px.trace(lambda: [*NUMBERS]), language, tmp_path)()
    assert found.tobytes() == np.array([NUMBERS]).tobytes()


@pytest.mark.parametrize("language", NATIVE)
def test_constants_in_float32(language, tmp_path):
    values = [0.1, 1 / 3, 1e-40, 3.4028234e38, -16777217.0]
    (found,) = compiled(px.trace(lambda: values), language, tmp_path, "float32")()
    assert found.tobytes() == np.array([values], np.float32).tobytes()
    with pytest.raises(px.ArgumentError, match="1e\\+39 is out of range"):
        text_of(px.trace(lambda x: x + 1e39, x=()), language, dtype="float32")


NOT_FINITE = """input x[1]
%0 = const nan
%1 = const inf
%2 = const -inf
%3 = input x 0
%4 = mul %1 %3
%5 = min %3 %1
%6 = const -1
%7 = sqrt %6
%8 = const 0
%9 = div %6 %8
%10 = div %3 %8
%11 = const 1e38
%12 = mul %11 %11
%13 = mul %12 %12
%14 = mul %13 %12
%15 = sin %1
%16 = cos %1
%17 = le %0 %1
output r[11] = %0 %1 %2 %4 %5 %7 %9 %10 %15 %16 %17
"""


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("language", [*SOURCES, "cpu"])
def test_constants_that_are_not_finite(language, dtype, tmp_path):
    """Written as NaN and infinity, also where a compiler would refuse to compute them."""
    program, x = px.parse(NOT_FINITE), np.array([[2.0]])
    if language == "cpu":
        found = program.compile(dtype=dtype)(x)
    else:
        (found,) = compiled(program, language, tmp_path, dtype)(x)
    inf, nan = np.inf, np.nan
    expected = [[nan, inf, -inf, inf, 2, nan, -inf, inf, nan, nan, 0]]
    assert np.array_equal(found, expected, equal_nan=True)


def test_results_of_c_may_go_where_inputs_lie(tmp_path):
    needs("c")
    swap = px.trace(lambda x: [x[1] + x[0], x[0], x[1]], x=3)
    path = tmp_path / "f.c"
    path.write_text(swap.to_c("f"))
    shell(f"gcc {FLAGS['c']} -Wno-missing-prototypes -shared -fPIC -o f.so f.c", folder=tmp_path)
    x = np.arange(12.0).reshape(4, 3)
    expected = interpreted(swap, x)[0]
    ctypes.CDLL(str(tmp_path / "f.so")).f_batch(ctypes.c_size_t(4), pointer(x), pointer(x))
    np.testing.assert_array_equal(x, expected)


def test_one_state_for_all_threads_of_cuda(tmp_path):
    """Strides of zero broadcast."""
    needs("cuda")
    path = tmp_path / "f.cu"
    program = px.trace(lambda q, k: [q[0] * k, q[1] + k], q=2, k=())
    path.write_text(CUDA_SHIM + program.to_cuda("f") + CUDA_BLOCK)
    shell(f"g++ {FLAGS['cuda']} -shared -fPIC -o f.so f.cu", folder=tmp_path)
    code, wide = ctypes.CDLL(str(tmp_path / "f.so")), ctypes.c_longlong
    q, k, result = np.arange(6.0).reshape(3, 2), np.array([10.0]), np.empty((3, 2))
    for block in range(3):
        code.set_block(block)
        code.f_batch(
            wide(3), pointer(q), wide(1), wide(2), pointer(k), wide(1), wide(0), pointer(result),
            wide(1), wide(2),
        )  # fmt: skip
    np.testing.assert_array_equal(result, np.stack([q[:, 0] * 10, q[:, 1] + 10], 1))
