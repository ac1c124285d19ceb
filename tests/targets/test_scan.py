"""The scan driver: all prefixes of a row in every order, and what joins spans eliminated."""

import threading
from itertools import accumulate

import numpy as np
import pytest
from support.robots import relative_error

import paraxis as px
from paraxis.chains.odd_even import OddEvenElimination
from paraxis.chains.operators import ConstraintSpans
from paraxis.drivers.elimination import Elimination
from paraxis.drivers.scan import ORDERS, PIECES, Scan
from paraxis.errors import ArgumentError
from paraxis.physics.parts import orders

in_every_order = pytest.mark.parametrize("order", ORDERS)
LENGTHS = (*range(1, 41), 64, 65, 127, 513, 1000)


def spoilt(columns):
    """The columns with everything that is not an element of theirs no number."""
    held = columns.array.copy()
    columns.whole[...] = np.nan
    columns.array[...] = held


def scanned(operator, order, threads=1, **parts):
    """The prefixes by the driver itself, from memory that is NaN wherever it should not matter."""
    (n,) = {len(array) for array in parts.values()}
    scan = Scan(operator, n, order)
    for name, array in parts.items():
        scan.columns[name][...] = array.reshape(n, -1).T
    spoilt(scan.columns)
    scan.run(threads)
    return {name: scan.columns[name].T.reshape(array.shape) for name, array in parts.items()}


# -- scans -----------------------------------------------------------------------------------------


def affine(left_A, left_b, right_A, right_b):
    """x -> A x + b, the right one first."""
    A, B = np.array(left_A, object), np.array(right_A, object)
    return {"A": A @ B, "b": A @ np.array(right_b, object) + np.array(left_b, object)}


@pytest.fixture(scope="module")
def maps():
    return px.trace(affine, left_A=(2, 2), left_b=2, right_A=(2, 2), right_b=2)


def whole_numbers(n, seed=0):
    """Maps of whole numbers that stay below 2⁵³: A turns and mirrors, and does not commute."""
    rng = np.random.default_rng(seed)
    turns = np.array([[[0, -1], [1, 0]], [[1, 0], [0, -1]], [[0, 1], [1, 0]]], float)
    return turns[rng.integers(0, 3, n)], rng.integers(-1000, 1000, (n, 2)).astype(float)


def glued_maps(left, right):
    return left[0] @ right[0], left[0] @ right[1] + left[1]


@in_every_order
def test_prefixes_of_rows_of_any_length(maps, order):
    scan = maps.compile_scan(order)
    for n in LENGTHS:
        A, b = whole_numbers(n, seed=n)
        expected = list(accumulate(zip(A, b, strict=True), glued_maps))
        for found in (scan(A=A, b=b), scanned(scan._operator, order, A=A, b=b)):
            for k, part in enumerate(("A", "b")):
                np.testing.assert_array_equal(found[part], [row[k] for row in expected])


@in_every_order
def test_a_scan_is_the_same_with_any_number_of_threads(maps, order):
    n = 30_011  # enough for threads to be worth their while
    rng = np.random.default_rng(0)
    A = np.linalg.qr(rng.normal(size=(n, 2, 2)))[0]
    b = rng.normal(size=(n, 2))
    one, two = (maps.compile_scan(order, threads)(A=A, b=b) for threads in (1, 2))
    for part in ("A", "b"):
        np.testing.assert_array_equal(one[part], two[part])
    serial = maps.compile_scan("serial")(A=A, b=b)
    assert relative_error(one["b"].ravel(), serial["b"].ravel()) < 1e-11


def lopsided(left, right):
    """Not associative: the result tells in which order it was made. Products are exact."""
    return left * 0.5 + right * 0.25


def in_pairs(row):
    """Odd-even reduction, as one would say it."""
    if len(row) < 2:
        return row
    above = in_pairs(
        [lopsided(*row[k : k + 2]) for k in range(0, len(row) - 1, 2)] + row[len(row) // 2 * 2 :]
    )
    return [
        above[k // 2] if k % 2 else row[0] if k == 0 else lopsided(above[k // 2 - 1], row[k])
        for k in range(len(row))
    ]


def in_pieces(row, lanes):
    """Lee and Chang's pieces, as many as fill registers; their ends one after another."""
    pieces = -(-min(PIECES, -(-len(row) // 2)) // lanes) * lanes
    length = -(-len(row) // pieces)
    blocks = [[*accumulate(row[k : k + length], lopsided)] for k in range(0, len(row), length)]
    ends = [*accumulate((block[-1] for block in blocks), lopsided)]
    rest = [
        lopsided(end, each) for end, block in zip(ends, blocks[1:], strict=False) for each in block
    ]
    return blocks[0] + rest


@pytest.mark.parametrize("n", [3, 4, 5, 8, 16, 17, 31, 33, 130])
def test_each_order_glues_what_it_says(n):
    """Bit for bit, by an operator that is not associative: so what is glued when is known."""
    program = px.trace(
        lambda left_x, right_x: {"x": lopsided(left_x, right_x)}, left_x=(), right_x=()
    )
    row = np.random.default_rng(n).normal(size=n)
    lanes = program.compile_scan()._operator.extend("apart").lanes
    expected = {
        "serial": orders.serial(n, 1).prefixes(lopsided, [*row]),
        "kogge_stone": orders.doubling(n, n).prefixes(lopsided, [*row]),
        "odd_even_elimination": orders.doubling(n, n).prefixes(lopsided, [*row]),
        "odd_even_reduction": in_pairs([*row]),
        "p_fold": in_pieces([*row], lanes),
    }
    assert set(expected) == set(ORDERS)
    for order, prefixes in expected.items():
        np.testing.assert_array_equal(program.compile_scan(order)(x=row), prefixes, order)


@pytest.mark.parametrize("n", [3, 4, 5, 64, 65])
def test_levels_are_as_many_as_their_order_has(maps, n):
    operator, doublings = maps.compile_scan()._operator, (n - 1).bit_length()
    assert len(Scan(operator, n, "odd_even_reduction").levels) == 2 * (n.bit_length() - 1)
    copied_back = doublings % 2
    assert len(Scan(operator, n, "kogge_stone").levels) == doublings + copied_back


# -- a scan of one's own ---------------------------------------------------------------------------


def test_one_part_gives_one_array():
    running = px.trace(
        lambda left_x, right_x: {"x": px.math.maximum(left_x, right_x)}, left_x=(), right_x=()
    )
    row = np.random.default_rng(0).normal(size=(77,))
    for order in ORDERS:
        np.testing.assert_array_equal(
            running.compile_scan(order)(x=row), np.maximum.accumulate(row)
        )
    assert running.compile_scan()(x=[3, 1, 4]).tolist() == [3.0, 3.0, 4.0]
    assert running.compile_scan()(x=row[::-3]).tolist() == np.maximum.accumulate(row[::-3]).tolist()


def test_rows_without_elements_and_with_one(maps):
    scan = maps.compile_scan()
    nothing = scan(A=np.zeros((0, 2, 2)), b=np.zeros((0, 2)))
    assert nothing["A"].shape == (0, 2, 2) and nothing["b"].shape == (0, 2)
    A, b = whole_numbers(1)
    alone = scan(A=A, b=b)
    np.testing.assert_array_equal(alone["A"], A)
    np.testing.assert_array_equal(alone["b"], b)
    assert alone["b"] is not b


def test_results_are_not_written_again(maps):
    scan = maps.compile_scan()
    A, b = whole_numbers(50)
    first = scan(A=A, b=b)["b"]
    kept = first.copy()
    scan(A=A, b=b + 1)
    np.testing.assert_array_equal(first, kept)


def test_a_part_that_is_a_constant_or_is_not_used():
    program = px.trace(
        lambda left_x, right_x, left_k, right_k: {"x": right_x, "k": 2.0},
        left_x=2,
        right_x=2,
        left_k=(),
        right_k=(),
    )
    x, k = np.arange(20.0).reshape(10, 2), np.arange(10.0)
    for order in ORDERS:
        found = program.compile_scan(order)(x=x, k=k)
        np.testing.assert_array_equal(found["x"], x)
        assert found["k"].tolist() == [0.0] + [2.0] * 9


def test_nan_spoils_what_comes_after_it_and_nothing_else(maps):
    A, b = whole_numbers(100)
    clean = maps.compile_scan("serial")(A=A, b=b)["b"]
    b[60] = np.nan
    for order in ORDERS:
        found = maps.compile_scan(order)(A=A, b=b)["b"]
        np.testing.assert_array_equal(found[:60], clean[:60])
        assert np.isnan(found[60:]).any(axis=1).all()


def test_several_callers_at_once(maps):
    scan, rows = maps.compile_scan(), [whole_numbers(n, n) for n in (9001, 9001, 9002, 9001)]
    expected = [scan(A=A, b=b)["b"] for A, b in rows]
    wrong = []

    def work(k):
        for _ in range(10):
            A, b = rows[k]
            if not np.array_equal(scan(A=A, b=b)["b"], expected[k]):
                wrong.append(k)

    callers = [threading.Thread(target=work, args=(k,)) for k in range(len(rows))]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


@pytest.mark.parametrize(
    "function, shapes, message",
    [
        (
            lambda left_x: {"x": left_x},
            {"left_x": ()},
            "expected an input right_x for the output x",
        ),
        (
            lambda left_x, right_x: {"y": left_x + right_x},
            {"left_x": (), "right_x": ()},
            "expected an input left_y for the output y",
        ),
        (
            lambda left_x, right_x: {"x": left_x + right_x[0]},
            {"left_x": (), "right_x": 3},
            r"input right_x has shape \(3,\), but the output x, which becomes it, has shape \(\)",
        ),
        (
            lambda left_x, right_x, k: {"x": left_x + right_x * k},
            {"left_x": (), "right_x": (), "k": ()},
            "input k has no output of the same part",
        ),
        (
            lambda left_x, right_x, left_left_x, right_left_x: {"x": left_x, "left_x": right_x},
            {"left_x": (), "right_x": (), "left_left_x": (), "right_left_x": ()},
            "left_x is an input and an output",
        ),
    ],
)
def test_programs_that_glue_nothing(function, shapes, message):
    with pytest.raises(ArgumentError, match=message):
        px.trace(function, **shapes).compile_scan()


def test_bad_rows_and_options(maps):
    scan, (A, b) = maps.compile_scan(), whole_numbers(5)
    for arrays, message in (
        ({"A": A}, "affine: missing b; it takes"),
        ({"A": A, "b": b, "c": b}, r"affine: expected the arrays \(A, b\), found 'c'"),
        ({"A": A, "b": b[:4]}, r"b: expected shape \(5, 2\), found \(4, 2\)"),
        ({"A": A[None], "b": b}, r"A: expected shape \(n, 2, 2\), found \(1, 5, 2, 2\)"),
        ({"A": A[0], "b": b}, r"A: expected shape \(n, 2, 2\), found \(2, 2\)"),
        ({"A": 1.0, "b": b}, r"A: expected shape \(n, 2, 2\), found \(\)"),
        ({"A": A, "b": b.T}, r"b: expected shape \(5, 2\), found \(2, 5\)"),
        ({"A": A, "b": b + 1j}, "b: expected real numbers"),
    ):
        with pytest.raises(ArgumentError, match=message):
            scan(**arrays)
    np.testing.assert_array_equal(scan(A, b)["b"], scan(A=A, b=b)["b"])
    assert repr(scan) == "<scan of affine(A[n, 2, 2], b[n, 2]), odd_even_reduction>"
    with pytest.raises(
        ArgumentError, match="order: expected one of .*'serial'.*, found 'sideways'"
    ):
        maps.compile_scan("sideways")
    with pytest.raises(ArgumentError, match="threads: expected None or an integer >= 1, found 0"):
        maps.compile_scan(threads=0)


# -- elimination -----------------------------------------------------------------------------------

HELD = 5  # directions a joint without rotor holds


@pytest.fixture(scope="module")
def operator():
    return ConstraintSpans("revolute", rotors=False)


def random_spans(n, seed=0):
    """Spans that give way to forces on their ends as bodies do: positive definite matrices."""
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(n, 2 * HELD, 2 * HELD))
    return half @ half.mT + 0.5 * np.eye(2 * HELD), rng.normal(size=(n, 2, HELD))


def fill(spans, answer, rest):
    upper = np.triu_indices(HELD)
    spans["near"][...] = answer[:, :HELD, :HELD][:, *upper].T
    spans["far"][...] = answer[:, HELD:, HELD:][:, *upper].T
    spans["across"][...] = answer[:, :HELD, HELD:].reshape(-1, HELD * HELD).T
    spans["b_near"][...], spans["b_far"][...] = rest[:, 0].T, rest[:, 1].T


def dense_solution(answer, rest, first, last):
    """x between all spans: near, across, acrossᵀ, far of neighbours overlap on the diagonal."""
    n = len(answer)
    A, ψ = np.zeros(((n + 1) * HELD,) * 2), np.zeros((n + 1, HELD))
    for k in range(n):
        place = slice(k * HELD, (k + 2) * HELD)
        A[place, place] += answer[k]
        ψ[k] -= rest[k, 0]
        ψ[k + 1] += rest[k, 1]
    inner = slice(HELD, n * HELD)
    ends = A[inner, :HELD] @ first + A[inner, n * HELD :] @ last
    return np.linalg.solve(A[inner, inner], ψ[1:-1].ravel() - ends).reshape(n - 1, HELD)


def eliminated(solver, answer, rest, first, last, threads=1):
    spoilt(solver.spans)
    fill(solver.spans, answer, rest)
    solver.x.whole[...] = np.nan
    solver.x.array[:, 0], solver.x.array[:, -1] = first, last
    solver.run(threads)
    return solver.x.array.T.copy()


@pytest.mark.parametrize("order", ["serial", "p_fold", "odd_even_reduction"])
def test_elimination_against_a_dense_solution(operator, order):
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 4, 5, 8, 9, 16, 17, 19, 33, 131, 201):
        answer, rest = random_spans(n, seed=n)
        first, last = rng.normal(size=(2, HELD))
        solver = Elimination(operator, n, order)
        for _ in range(2):  # memory is used again
            x = eliminated(solver, answer, rest, first, last)
            np.testing.assert_array_equal(x[[0, -1]], [first, last])
            if n > 1:
                expected = dense_solution(answer, rest, first, last)
                assert relative_error(x[1:-1].ravel(), expected.ravel()) < 1e-11


def test_odd_even_elimination_against_a_dense_solution(operator):
    nothing = np.zeros(HELD)
    for n in (2, 3, 4, 5, 8, 9, 10, 17, 33, 64, 131):
        answer, rest = random_spans(n, seed=n)
        solver = OddEvenElimination(operator, n)
        for _ in range(2):
            x = eliminated(solver, answer, rest, nothing, nothing)
            expected = dense_solution(answer, rest, nothing, nothing)
            assert not x[[0, -1]].any()
            assert relative_error(x[1:-1].ravel(), expected.ravel()) < 1e-9


def test_elimination_is_the_same_with_any_number_of_threads(operator):
    n, nothing = 3001, np.zeros(HELD)
    answer, rest = random_spans(n)
    made = [Elimination(operator, n, order) for order in ("p_fold", "odd_even_reduction")]
    for solver in (*made, OddEvenElimination(operator, n)):
        one, two = (eliminated(solver, answer, rest, nothing, nothing, k) for k in (1, 2))
        np.testing.assert_array_equal(one, two)
