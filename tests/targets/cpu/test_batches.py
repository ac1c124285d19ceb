"""The same bits whatever the batch: its size, threads, layout, shape, and entries of any shape."""

import itertools
from functools import cache

import numpy as np
import pytest
from support.bits import same_bits
from support.kernels import WIDTHS, both_ways, kernel, one_by_one, states
from support.layouts import filled

import paraxis as px
from paraxis.targets.cpu import map as kernel_module

pytestmark = pytest.mark.usefixtures("own_cache")


# -- the same bits, whatever the batch ---------------------------------------------------------


@pytest.mark.parametrize("dtype", WIDTHS)
def test_same_bits_at_any_place_in_a_batch_of_any_size(dtype):
    """Sizes that end inside a vector, at its edge, and at the edges of groups of vectors."""
    k = kernel("ur5", dtype)
    arrays = states("ur5", 560, dtype=dtype)
    alone = one_by_one(k, arrays)
    edges = {m * k.lanes * group + d for m in (1, 2, 3) for group in (1, 4, 8) for d in (-1, 0, 1)}
    for size in sorted({*range(1, 41), *edges}):
        for first in (0, 1, 13):
            part = [a[first : first + size] for a in arrays]
            for way, call in both_ways(k).items():
                assert same_bits(call(*part), alone[first : first + size]), (size, first, way)


@pytest.mark.parametrize("threads", (1, 2, 3))
def test_same_bits_with_any_number_of_threads(threads, monkeypatch):
    """Also for batches too small to be worth a thread, given one all the same."""
    k = kernel("ur5", threads=threads)
    arrays = states("ur5", 20_000, seed=5)
    whole = kernel("ur5", threads=1).general(*arrays)
    assert same_bits(whole[:100], one_by_one(k, [a[:100] for a in arrays]))
    assert same_bits(k(*arrays), whole)
    used, run_together = [], kernel_module.run_together

    def counted(function, job, count):
        used.append(count)
        return run_together(function, job, count)

    monkeypatch.setattr(kernel_module, "run_together", counted)
    monkeypatch.setattr(kernel_module, "THREAD_WORK", 1)
    for size in (1, 2, 7, 8, 9, 63, 64, 65, 100, 1000, 4097):
        part = [a[:size] for a in arrays]
        assert same_bits(k.general(*part), whole[:size]), size
    assert set(used) == {threads}


def layouts(a):
    """The same (B, n) numbers, laid out in memory in every way we can think of."""
    rows, columns = a.shape
    spread = np.full((2 * rows, 3 * columns), np.nan, a.dtype)
    yield "C", np.ascontiguousarray(a)
    yield "Fortran", np.asfortranarray(a)
    yield "rows apart", filled(spread[::2, :columns], a)
    yield "columns apart", filled(spread.copy()[:rows, 1::3], a)
    yield "both apart", filled(spread.copy()[1::2, ::3], a)
    yield "Fortran, padded", filled(np.full((columns, rows + 5), np.nan, a.dtype)[:, 3:-2].T, a)
    yield "rows reversed", np.ascontiguousarray(a[::-1])[::-1]
    yield "columns reversed", np.ascontiguousarray(a[:, ::-1])[:, ::-1]
    yield "both reversed", np.asfortranarray(a[::-1, ::-1])[::-1, ::-1]


@pytest.mark.parametrize("dtype", WIDTHS)
def test_same_bits_in_any_layout(dtype):
    k = kernel("ur5", dtype)
    q, qd, qdd = states("ur5", 2 * k.lanes * 8 + 5, seed=6, dtype=dtype)
    expected = one_by_one(k, (q, qd, qdd))
    for (name, a), (other, b) in itertools.product(layouts(q), layouts(qd)):
        for way, call in both_ways(k).items():
            assert same_bits(call(a, b, qdd), expected), (name, other, way)
    for (name, a), (other, target) in itertools.product(layouts(qdd), layouts(np.zeros_like(q))):
        for way, call in both_ways(k).items():
            target[...] = 0
            assert call(q, qd, a, out=target) is target
            assert same_bits(target, expected), (name, other, way)


def test_a_result_written_apart_leaves_the_gaps_alone():
    k = kernel("ur5")
    q, qd, qdd = states("ur5", 29)
    for call in both_ways(k).values():
        for rows, columns in ((slice(None, None, 2), slice(2, 8)), (slice(3, 32), slice(0, 12, 2))):
            field = np.full((58, 12), 7.0)
            call(q, qd, qdd, out=field[rows, columns])
            field[rows, columns] = 7.0
            assert (field == 7.0).all()


@pytest.mark.parametrize("dtype", WIDTHS)
def test_one_state_in_any_layout(dtype):
    """One state has no batch axis, in or out."""
    k = kernel("ur5", dtype)
    q, qd, qdd = states("ur5", dtype=dtype)
    expected = k(q, qd, qdd)
    assert expected.shape == (6,)
    for _, grid in layouts(np.stack([q, qd, qdd])):
        for call in both_ways(k).values():
            assert same_bits(call(*grid), expected)
            assert same_bits(call(grid[0], qd, qdd), expected)
            target = np.empty((6, 2), dtype)[:, 1]
            assert call(*grid, out=target) is target
            assert same_bits(target, expected)


def test_broadcasting():
    k = kernel("ur5")
    q, qd, qdd = states("ur5", 21)
    one = np.stack([k(q[i], qd[0], qdd[2]) for i in range(21)])
    for way, call in both_ways(k).items():
        for a, b in itertools.product(
            (qd[0], qd[:1], np.broadcast_to(qd[0], (21, 6))), (qdd[2], qdd[2:3])
        ):
            assert same_bits(call(q, a, b), one), way
            assert same_bits(call(q, a, b, out=np.empty((21, 6))), one), way
        grid = call(q[:, None], qd[None, :7], qdd[:1])
        assert grid.shape == (21, 7, 6)
        for i, j in itertools.product(range(21), range(7)):
            assert same_bits(grid[i, j], k(q[i], qd[j], qdd[0])), way
        assert call(q[:1], qd[0], qdd[0]).shape == (1, 6)
        assert call(q[None, :1], qd[0], qdd[0]).shape == (1, 1, 6)


def test_batches_of_many_axes_in_any_order():
    k = kernel("ur5")
    rng = np.random.default_rng(8)
    for shape in ((3, 4, 5), (2, 3, 1, 4, 3), (2, 2, 2, 2, 2)):
        orders = list(itertools.permutations(range(len(shape))))[::7]
        whole = rng.normal(size=(3, *shape, 6))
        expected = one_by_one(k, whole.reshape(3, -1, 6)).reshape(*shape, 6)
        for order in orders:
            back = (*np.argsort(order), len(shape))
            views = [np.ascontiguousarray(a.transpose(*order, -1)).transpose(back) for a in whole]
            assert same_bits(k(*views), expected), order
            assert same_bits(k(views[0], whole[1], whole[2][..., ::1]), expected), order
            target = np.empty((*(shape[i] for i in order), 6)).transpose(back)
            assert k(whole[0], views[1], whole[2], out=target) is target
            assert same_bits(np.ascontiguousarray(target), expected), order


def test_more_axes_than_a_job_can_have():
    """Eleven axes that cannot be joined: right numbers, or an error that says so."""
    k = kernel("ur5")
    q = np.random.default_rng(9).normal(size=(*(2,) * 11, 6))
    turned = q.transpose(*reversed(range(11)), 11)
    try:
        found = k(turned, q, q)
    except px.ArgumentError as error:
        assert "axes" in str(error)
    else:
        flat = [np.ascontiguousarray(a).reshape(-1, 6) for a in (turned, q, q)]
        assert same_bits(found.reshape(-1, 6), k(*flat))


def test_empty_batches():
    k = kernel("ur5")
    _, qd, qdd = states("ur5", 5)
    for shape in ((0,), (3, 0), (0, 4), (2, 0, 3)):
        empty = np.empty((*shape, 6))
        for call in both_ways(k).values():
            assert call(empty, empty, empty).shape == (*shape, 6)
            assert call(empty, qd[0], qdd[:1]).shape == (*shape, 6)
            target = np.empty((*shape, 6))
            assert call(empty, empty, qdd[0], out=target) is target


# -- entries of any shape ----------------------------------------------------------------------


@cache
def shapes_kernel():
    """Scalars and matrices in, a matrix out: r = k * (a @ b) + sin(k)."""

    def multiply(a, b, k):
        rows = [[sum(x * b[m][j] for m, x in enumerate(row)) for j in range(4)] for row in a]
        return [[k * value + px.math.sin(k) for value in row] for row in rows]

    traced = px.trace(multiply, a=(2, 3), b=(3, 4), k=())
    return traced, traced.compile()


def test_matrices_and_scalars():
    traced, compiled = shapes_kernel()
    rng = np.random.default_rng(10)
    a, b, k = rng.normal(size=(19, 2, 3)), rng.normal(size=(19, 3, 4)), rng.normal(size=19)
    expected = k[:, None, None] * (a @ b) + np.sin(k)[:, None, None]
    assert abs(traced.evaluate(a=a, b=b, k=k) - expected).max() < 1e-14
    plain = compiled(a, b, k)
    assert abs(plain - expected).max() < 1e-14
    for call in both_ways(compiled).values():
        assert same_bits(np.stack([call(a[i], b[i], k[i]) for i in range(19)]), plain)
        assert same_bits(call(a, b, k), plain)
        # turned entries, states apart, k with a stride, k as a float
        turned = np.ascontiguousarray(a.transpose(2, 1, 0)).transpose(2, 1, 0)
        assert same_bits(call(turned, b[::-1][::-1], np.repeat(k, 3)[::3]), plain)
        assert same_bits(call(a[3], b[3], float(k[3])), plain[3])
        assert same_bits(call(a.tolist(), b, k.tolist()), plain)
        whole = np.round(turned * 8).astype(np.float32)  # turned entries of another dtype
        assert same_bits(call(whole, b, k), call(np.array(whole, float, order="C"), b, k))
        assert call(a[:, None], b[None, :5], 2.0).shape == (19, 5, 2, 4)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_matrix_results_in_any_layout(order):
    """`out` holds the result itself, not a copy of it, whichever axis is innermost."""
    _, compiled = shapes_kernel()
    rng = np.random.default_rng(11)
    a, b, k = rng.normal(size=(19, 2, 3)), rng.normal(size=(19, 3, 4)), rng.normal(size=19)
    expected = compiled(a, b, k)
    for call in both_ways(compiled).values():
        for step in (1, 2, -1):
            shape = tuple((19, 2, 4)[i] * abs(step) for i in order)
            target = np.full(shape, np.nan).transpose(np.argsort(order))[::step, ::step, ::step]
            assert call(a, b, k, out=target) is target
            assert same_bits(np.ascontiguousarray(target), expected)


def test_scalar_functions_of_scalars():
    compiled = px.trace(lambda x: x * x + 1.0, x=()).compile()
    for value in (3.0, 3, np.float64(3), np.float32(3), np.array(3.0)):
        found = compiled(value)
        assert found.shape == () and found == 10
    assert compiled([1.0, 2.0, 3.0]).tolist() == [2, 5, 10]
    assert compiled(np.arange(24.0).reshape(2, 3, 4)[:, ::-1, 1]).tolist() == [
        [82, 26, 2],
        [442, 290, 170],
    ]


def test_several_results():
    both = px.trace(lambda x: {"sum": x[0] + x[1], "parts": [x[1], x[0], x[0]]}, x=2)
    compiled = both.compile()
    x = np.random.default_rng(12).normal(size=(3, 7, 2))
    total, parts = compiled(x)
    assert total.shape == (3, 7) and parts.shape == (3, 7, 3)
    assert same_bits(total, x[..., 0] + x[..., 1])
    assert same_bits(parts, x[..., [1, 0, 0]])
    into = np.empty((7, 3)).T, np.empty((3, 7, 6))[..., ::2]
    for form in (tuple(into), list(into)):
        found = compiled(x, out=form)
        assert found[0] is into[0] and found[1] is into[1]
        assert same_bits(np.ascontiguousarray(into[0]), total)
        assert same_bits(np.ascontiguousarray(into[1]), parts)
    assert [part.shape for part in compiled(x[0, 0])] == [(), (3,)]
    field = np.empty(100)
    with pytest.raises(px.ArgumentError, match="out"):
        compiled(x, out=(field[:21].reshape(3, 7), field[20:83].reshape(3, 7, 3)))
    with pytest.raises(px.ArgumentError, match="out: expected 2 arrays, found 1"):
        compiled(x, out=total)


def test_more_inputs_than_the_native_call_takes():
    names = [f"x{i}" for i in range(20)]
    total = px.trace(lambda **x: sum(x[name] for name in names), **dict.fromkeys(names, ()))
    values = np.random.default_rng(13).normal(size=(20, 11))
    assert abs(total.compile()(*values) - values.sum(axis=0)).max() < 1e-13


def test_a_program_without_inputs():
    """There is nothing to compute, and that is no reason to fail."""
    assert px.trace(lambda: [1.0, 2.0]).compile()().tolist() == [1, 2]


# -- memory, references, threads ---------------------------------------------------------------


def test_a_batch_of_one_state_is_that_state():
    """With a batch axis of length one or without: the same bits, in the shape that was asked."""
    k = kernel("ur5")
    one = [a[0].copy() for a in states("ur5", 2)]
    batch = [a[None] for a in one]
    expected = k(*one)
    gaps = np.zeros((1, 12))[:, ::2]
    for out in (None, np.empty((1, 6)), gaps):
        found = k(*batch) if out is None else k(*batch, out=out)
        assert found.shape == (1, 6) and same_bits(found[0], expected)
    assert same_bits(k(one[0], batch[1], one[2])[0], expected)
    shared = batch[0].copy()
    assert same_bits(k(shared, batch[1], batch[2], out=shared)[0], expected)
