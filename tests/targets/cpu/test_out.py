"""`out=`: arrays for results, which may share memory with the inputs."""

import itertools
import math

import numpy as np
import pytest
from support.bits import same_bits
from support.kernels import both_ways, kernel, states
from support.layouts import aliases

import paraxis as px
from paraxis.drivers import map as map_driver
from paraxis.targets.cpu import map as kernel_module

pytestmark = pytest.mark.usefixtures("own_cache")


# -- out= --------------------------------------------------------------------------------------


@pytest.mark.parametrize("array, q, out", aliases())
def test_out_may_share_memory_with_an_input(array, q, out, monkeypatch):
    for which, threads in itertools.product(range(3), (1, 2)):
        k = kernel("ur5", threads=threads)
        for call in both_ways(k).values():
            field = array.copy()
            arrays = states("ur5", 40, seed=15)
            arrays[which] = field[q]
            expected = k(*(a.copy() for a in arrays))
            if threads == 2:
                monkeypatch.setattr(kernel_module, "THREAD_WORK", 1)
            call(*arrays, out=field[out])
            monkeypatch.undo()
            assert same_bits(np.ascontiguousarray(field[out]), expected), which


@pytest.mark.parametrize("array, q, out", aliases())
def test_out_may_share_memory_when_large_arrays_are_converted_piecewise(array, q, out, monkeypatch):
    """Another input has another dtype, so states are done in pieces: none may spoil a later one."""
    monkeypatch.setattr(map_driver, "CONVERTED_AT_ONCE", 100)
    k, field = kernel("ur5"), array.copy()
    _, qd, qdd = states("ur5", 40, seed=16)
    qd = qd.astype(np.float32)
    expected = k(field[q].copy(), qd.astype(float), qdd)
    k(field[q], qd, qdd, out=field[out])
    assert same_bits(np.ascontiguousarray(field[out]), expected)


def test_out_may_be_the_memory_of_an_input_of_another_dtype(monkeypatch):
    monkeypatch.setattr(map_driver, "CONVERTED_AT_ONCE", 100)
    k = kernel("ur5")
    q, qd, qdd = states("ur5", 40)
    numbers = (1000 * q).astype(np.int64)
    expected = k(numbers.astype(float), qd, qdd)
    k(numbers, qd, qdd, out=numbers.view(np.float64))
    assert same_bits(numbers.view(np.float64), expected)


def test_out_may_be_every_input_at_once():
    k = kernel("ur5")
    for batch in ((), (40,), (3, 5)):
        (x, *_), target = states("ur5", *batch), np.empty((*batch, 6))
        expected = k(x, x, x, out=target).copy()
        for call in both_ways(k).values():
            field = x.copy()
            assert same_bits(call(field, field, field, out=field), expected)


def test_out_that_shares_memory_with_one_state():
    k = kernel("ur5")
    _, qd, qdd = states("ur5")
    for shift in range(-6, 7):
        field = np.random.default_rng(17).normal(size=18)
        q, out = field[6:12], field[6 + shift : 12 + shift]
        expected = k(q.copy(), qd, qdd)
        k(q, qd, qdd, out=out)
        assert same_bits(out, expected), shift


def test_out_of_fewer_entries_over_windows_of_the_input():
    """State i reads entries i+2, i+1, i and writes i+2, which later states have yet to read."""
    mean = px.trace(lambda x: [x[0] + 10.0 * x[1] + 100.0 * x[2]], x=3).compile()
    for call in both_ways(mean).values():
        field = np.random.default_rng(18).normal(size=102)
        windows = np.lib.stride_tricks.sliding_window_view(field, 3)[:, ::-1]
        target = field[2:].reshape(-1, 1)[:, ::-1]  # strides as those of the windows
        expected = mean(windows.copy())
        call(windows, out=target)
        assert same_bits(field[2:], expected[:, 0])


@pytest.mark.parametrize("one_state", (True, False))
def test_out_that_cannot_be_used_is_refused(one_state):
    k = kernel("ur5")
    batch = () if one_state else (5,)
    arrays = states("ur5", *batch)
    frozen = np.empty((*batch, 6))
    frozen.flags.writeable = False
    bad = {
        "shorter": np.empty((*batch, 5)),
        "one axis more": np.empty((1, *batch, 6)),
        "other batch": np.empty((4, 6)),
        "flat": np.empty(6 * math.prod(batch) + 1),
        "float32": np.empty((*batch, 6), np.float32),
        "integers": np.empty((*batch, 6), int),
        "other byte order": np.empty((*batch, 6), np.dtype(float).newbyteorder()),
        "read-only": frozen,
        "broadcast": np.broadcast_to(np.zeros(6), (*batch, 6)),
        "a list": [0.0] * 6,
        "a number": 1.0,
        "two arrays": (np.empty((*batch, 6)), np.empty((*batch, 6))),
        "no array": (),
    }
    for name, out in bad.items():
        for call in both_ways(k).values():
            with pytest.raises(px.ArgumentError, match=r"\bout\b"):
                call(*arrays, out=out)
                pytest.fail(name)
    target = np.empty((*batch, 6))
    assert k(*arrays, out=(target,)) is target
    assert same_bits(k(*arrays, out=None), target)


# -- memory, references, threads ---------------------------------------------------------------


def test_outputs_are_written_after_all_inputs_are_read():
    """An output that is an input, in a body of several functions, when `out` is that input."""

    def long(x):
        s = x[0]
        for _ in range(5000):
            s = s * 1.0001 + x[1]
        return {"a": [s, s + 1], "b": [x[0], x[1]]}

    kernel = px.trace(long, x=2).compile()
    x = np.random.default_rng(1).uniform(-1, 1, (37, 2))
    a, b = kernel(x)
    shared, other = x.copy(), np.empty_like(x)
    kernel(shared, out=(shared, other))
    np.testing.assert_array_equal(shared, a)
    np.testing.assert_array_equal(other, b)
    np.testing.assert_array_equal(b, x)


def test_an_input_broadcast_over_the_batch_may_be_out():
    """The same array is not the same states when its entries have another shape."""
    kernel = px.trace(
        lambda x, y: [x[i][j] + y for i in range(3) for j in range(2)], x=(3, 2), y=()
    ).compile()
    x, y = np.random.default_rng(2).uniform(-1, 1, (6, 3, 2)), np.arange(6.0)
    expected = kernel(x[0], y)
    buffer = np.empty((6, 6))
    buffer[0] = x[0].ravel()
    found = kernel(buffer[0].reshape(3, 2), y, out=buffer)
    np.testing.assert_array_equal(found, expected)


def test_columns_of_one_array_are_not_copied_and_do_not_clash():
    """Their extents overlap in memory, their elements do not."""
    from paraxis.drivers import map as driver

    whole = np.random.default_rng(3).uniform(-1, 1, (1000, 24))
    q, qd, qdd, tau = (whole[:, k : k + 6] for k in (0, 6, 12, 18))
    assert not driver.overlap(q, tau) and driver.overlap(whole[:, :7], qd)
    kernel = px.program(px.load("ur5")).compile()
    expected = kernel(q.copy(), qd.copy(), qdd.copy())
    np.testing.assert_array_equal(kernel.general(q, qd, qdd, out=tau), expected)
    np.testing.assert_array_equal(tau, expected)
