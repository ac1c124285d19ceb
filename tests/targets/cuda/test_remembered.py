"""Calls on a GPU that were made before, on CuPy's arrays in main memory: one lookup, one launch.

What is remembered must be right for the arrays of the call, and whatever the careful way refuses
must be refused however often the same was done rightly before.
"""

import threading
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from support.bits import same_bits
from support.cuda_on_cpu import NO_STREAM, noted
from support.cupy_on_cpu import CupyOnCpu, far, without_memory
from support.layouts import in_columns

import paraxis as px
from paraxis.drivers.device_map import APART, Described
from paraxis.targets.cpu.text import python_entry
from paraxis.targets.cpu.text.launch_entry import REFUSED
from paraxis.targets.cuda import launch, remembered
from paraxis.targets.cuda import map as kernel_module
from paraxis.targets.cuda.map import CudaKernel

DEVICE = CupyOnCpu()
COUNT = 70  # states: two blocks


class Counted(CudaKernel):
    """A kernel that counts its careful calls."""

    careful = 0

    def compute(self, *call):
        self.careful += 1
        return super().compute(*call)


@cache
def program():
    def run(q, qd, qdd):
        return [px.math.sin(q[k]) * qd[k - 1] + qdd[k] / 3.0 for k in range(3)]

    return px.trace(run, q=3, qd=3, qdd=3)


def kernel(dtype="float32"):
    return Counted(program(), dtype, on=DEVICE)


def motions(count=COUNT, dtype="float32", seed=0):
    return list(np.random.default_rng(seed).normal(size=(3, count, 3)).astype(dtype))


def expected(arrays):
    return program().evaluate(**dict(zip(("q", "qd", "qdd"), arrays, strict=True)))


def check(found, arrays):
    found = found.near if hasattr(found, "near") else found
    assert abs(found - expected(arrays)).max() < 1e-5


def learned(dtype="float32"):
    """A kernel that remembers rows of COUNT states, with `out` and without, and such rows."""
    made, arrays = kernel(dtype), motions(dtype=dtype)
    given = list(map(far, arrays))
    made(*given), made(*given, out=far(np.empty_like(arrays[0])))
    made.careful = 0
    return made, arrays, given


# -- what is done again ----------------------------------------------------------------------------


@pytest.mark.parametrize("with_out", (False, True))
def test_a_call_like_one_before_is_one_launch_with_the_same_arguments(with_out):
    made, _, _ = learned()
    others = motions(seed=1)
    out = far(np.empty_like(others[0])) if with_out else None
    before = noted()
    found = made(*map(far, others), out=out)
    after = noted()
    assert made.careful == 0 and after["calls"] == before["calls"] + 1
    assert (after["blocks"], after["threads"], after["stream"]) == (2, 64, 0)
    assert (after["by"], after["bz"], after["tytz"], after["extra"]) == (1, 1, 1, 0)
    assert (found is out) == with_out and found.shape == (COUNT, 3) and found.dtype == np.float32
    check(found, others)


def turned(array):
    return far(in_columns(array))


def spread(array):
    wide = np.full((2 * len(array), 6), np.nan, array.dtype)
    wide[::2, ::2] = array
    return far(wide[::2, ::2])


def shifted(array):
    room = np.empty(array.size + 1, array.dtype)[1:].reshape(array.shape)
    room[...] = array
    return far(room)


def backwards(array):
    return far(np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1])


WAYS = {"columns": turned, "spread": spread, "off the boundary": shifted, "backwards": backwards}


@pytest.mark.parametrize("way", WAYS)
def test_another_layout_is_another_call(way):
    made, arrays, given = learned()
    for _ in range(2):
        check(made(WAYS[way](arrays[0]), *given[1:]), arrays)
        out = WAYS[way](np.empty_like(arrays[0]))
        assert made(*given, out=out) is out
        check(out, arrays)
        assert made.careful == 2
    assert same_bits(made(*given).near, made(*map(far, arrays)).near)


def test_another_shape_or_type_is_another_call():
    made, arrays, _ = learned()
    for count in (COUNT + 1, 1, 64):
        others = motions(count)
        for _ in range(2):
            check(made(*map(far, others)), others)
    assert made.careful == 3
    twice = [np.stack([a, a]) for a in arrays]
    check(made(*map(far, twice)), twice)
    one_for_all = [arrays[0], arrays[1][0], arrays[2]]
    for _ in range(2):
        check(made(*map(far, one_for_all)), [arrays[0], arrays[1][:1], arrays[2]])
    assert made.careful == 5
    doubles = [far(a.astype(float)) for a in arrays]
    for _ in range(2):  # converted, which is a copy and is not remembered
        found = made(*doubles)
        assert found.dtype == np.float32
        check(found, arrays)
    assert made.careful == 7


def test_empty_batches_launch_nothing():
    made, _, _ = learned()
    before = noted()["calls"]
    for _ in range(2):
        assert made(*map(far, motions(0))).shape == (0, 3)
    assert noted()["calls"] == before


def test_functions_of_a_robot_choose_their_precision_anew(monkeypatch):
    monkeypatch.setattr(kernel_module, "device", lambda: DEVICE)
    robot = px.robots.planar(2)
    for dtype in ("float32", "float64", "float32", "float64"):
        arrays = np.random.default_rng(3).normal(size=(3, 5, 2)).astype(dtype)
        found = px.inverse_dynamics(robot, *map(far, arrays))
        assert found.dtype == dtype
        right = px.inverse_dynamics(robot, *arrays.astype(float))
        assert abs(found.near - right).max() < {"float32": 1e-4, "float64": 1e-12}[dtype]
    out = far(np.empty((5, 2)))
    mixed = [far(arrays[0].astype("float32")), *map(far, arrays[1:])]
    for _ in range(2):
        assert px.inverse_dynamics(robot, *mixed).dtype == np.float64
        assert px.inverse_dynamics(robot, *map(far, arrays), out=out) is out


def test_several_results():
    both = Counted(px.trace(lambda x: {"a": x[0] + x[1], "b": [x[1], x[0]]}, x=2), on=DEVICE)
    x = np.arange(10.0).reshape(5, 2)
    for k in range(3):
        a, b = both(far(x))
        assert a.near.tolist() == x.sum(1).tolist() and b.near.tolist() == x[:, ::-1].tolist()
        places = far(np.empty(5)), far(np.empty((5, 2)))
        found = both(far(x), out=places)
        assert type(found) is tuple and all(f is p for f, p in zip(found, places, strict=True))
        assert both.careful == 2, k
        assert both(x=far(x), out=places)[1] is places[1]
    pair = Counted(px.trace(lambda x: {"a": x, "b": [x[1], x[0]]}, x=2), on=DEVICE)
    pair(far(x), out=(far(np.empty((5, 2))), far(np.empty((5, 2)))))
    with pytest.raises(px.ArgumentError, match="out: expected 2 arrays, found 1"):
        pair(far(x), out=far(np.empty((2, 5, 2))))  # two rows are no two arrays


def test_one_result_may_be_given_in_a_tuple():
    made, arrays = kernel(), motions()
    out = far(np.empty_like(arrays[0]))
    for given in ((out,), [out], out):
        assert made(*map(far, arrays), out=given) is out
        check(out, arrays)
    assert made.careful == 2  # what is not in a tuple is known by then


# -- where it is done ------------------------------------------------------------------------------


def test_each_call_goes_to_the_stream_that_is_current():
    made, arrays, given = learned()
    cuda = DEVICE.arrays.cuda
    for handle in (7, 0, 9):
        with cuda.stream(handle):
            check(made(*given), arrays)
        assert noted()["stream"] == handle
    assert made.careful == 0


def test_arrays_on_another_gpu_than_the_current_one():
    """Launched there, by the kernel that was loaded there; each GPU is known by itself."""
    made, arrays, given = learned()
    cuda, there = DEVICE.arrays.cuda, [far(a, 1) for a in arrays]
    for k in range(2):
        found = made(*there)
        assert found.data.device_id == 1 and cuda.runtime.getDevice() == 0
        check(found, arrays)
        check(made(*given), arrays)
        assert made.careful == 1, k
    assert {number for _, number, _ in made._loaded} == {0, 1}


def test_what_the_driver_refuses_goes_the_careful_way():
    made, arrays, given = learned()
    with DEVICE.arrays.cuda.stream(NO_STREAM):
        check(made(*given), arrays)  # which knows how to explain it, or how to do it
    assert made.careful == 1


def test_threads_do_not_mix_their_arrays():
    made, _, _ = learned()
    wrong = []

    def work(seed):
        arrays = motions(seed=seed)
        right, given = expected(arrays), list(map(far, arrays))
        out = far(np.empty_like(arrays[0]))
        for k in range(100):
            found = made(*given, out=out if k % 2 else None)
            wrong.append(abs(found.near - right).max() > 1e-5)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wrong) == 400 and not any(wrong)


# -- what is refused, or done with care ------------------------------------------------------------


def test_mistakes_are_found_after_any_number_of_right_calls():
    made, arrays, (q, qd, qdd) = learned()
    for message, call in {
        "qd: expected an array on GPU 0, as q is, found numpy.ndarray": (q, arrays[1], qdd),
        "qdd: expected an array on GPU 0, as q is, found one on GPU 1": (q, qd, far(arrays[2], 1)),
        "qd: expected an array on GPU 0, as q is, found builtins.list": (q, [0.0], qdd),
        r"qd: expected shape \(\.\.\., 3\), found \(70, 4\)": (q, far(np.zeros((70, 4))), qdd),
        "q: expected real numbers, found dtype complex64": (far(arrays[0] * 1j), qd, qdd),
        "(?s)q.*(70,).*qdd.*(69,)": (q, qd, far(arrays[2][1:])),
        "missing qdd": (q, qd),
        "expected 3 arrays": (q, qd, qdd, q),
    }.items():
        with pytest.raises(px.ArgumentError, match=message):
            made(*call)
    for message, out in {
        "out: expected an array of CuPy": np.empty((70, 3), np.float32),
        "out: expected an array of CuPy on the GPU of the inputs": far(arrays[0].copy(), 1),
        r"out \(result\): expected shape": far(np.empty((69, 3), np.float32)),
        r"out \(result\): expected dtype float32": far(np.empty((70, 3))),
        "share memory": far(np.broadcast_to(arrays[0][0], (70, 3))),
    }.items():
        with pytest.raises(px.ArgumentError, match=message):
            made(q, qd, qdd, out=out)


def test_results_may_be_written_over_inputs():
    made, arrays, _ = learned()
    for which in range(3):
        given = [far(a.copy()) for a in arrays]
        assert made(*given, out=given[which]) is given[which]
        check(given[which], arrays)
    room = np.empty((71, 3), np.float32)
    room[:70] = arrays[0]
    made(far(room[:70]), *map(far, arrays[1:]), out=far(room[1:]))
    check(room[1:], arrays)


@pytest.mark.parametrize("shape", [(70, 12), (7, 10, 12)], ids=str)
def test_results_may_be_between_the_columns_of_inputs(shape):
    """Slices of one array are known to be apart, unless they are not."""
    made, arrays = kernel(), motions()
    right = expected(arrays)

    def slices(first):
        room = np.full(shape, np.nan, np.float32)
        parts = [room[..., 3 * k : 3 * k + 3] for k in range(3)]
        for part, array in zip(parts, arrays, strict=True):
            part[...] = array.reshape(part.shape)
        return room, [far(part) for part in parts], far(room[..., first : first + 3])

    for k in range(3):
        room, given, out = slices(9)
        assert made(*given, out=out) is out
        assert abs(room[..., 9:].reshape(-1, 3) - right).max() < 1e-5
        assert all(
            (room[..., 3 * j : 3 * j + 3].reshape(-1, 3) == arrays[j]).all() for j in range(3)
        )
        assert made.careful == 1, k
    for first in (0, 5, 8):
        room, given, out = slices(first)
        made(*given, out=out)
        assert abs(room[..., first : first + 3].reshape(-1, 3) - right).max() < 1e-5
        made.careful -= 1
        assert made.careful == 1


def test_arrays_are_called_apart_only_where_numpy_finds_no_shared_element():
    """Random slices of one array, forwards, backwards and transposed."""
    native, rng = launch.native_launch(), np.random.default_rng(0)
    nothing = SimpleNamespace(handles=lambda: [(0, 64, 0, 64)])
    told_apart = 0
    for _ in range(400):
        room = np.zeros(tuple(rng.integers(3, 7, 3)))
        a, b = (random_part(room, rng) for _ in range(2))
        plan = SimpleNamespace(
            arrays=[Described(x.shape, x.strides, x.dtype) for x in (a, b)],
            layouts=(APART, APART),
            words=(1, 0, 0),
            addresses=(1, 2),
            states=1,
        )
        block = launch.Block(DEVICE.start, plan, 1, nothing, given=True)
        status = native(block.address, 0, a.ctypes.data, b.ctypes.data)
        assert status in (0, REFUSED)
        assert status == REFUSED or not np.shares_memory(a, b)
        told_apart += status == 0 and bool(np.may_share_memory(a, b))
    assert told_apart > 20  # of slices whose extents meet


def random_part(room, rng):
    cuts = [slice(None, None, int(step)) for step in rng.choice((1, 1, 1, 2, -1), 3)]
    first, last = sorted(rng.choice(room.shape[2] + 1, 2, replace=False))
    cuts[2] = slice(first, last)
    return room[tuple(cuts)].transpose(rng.permutation(3))


def test_results_that_overlap_each_other_are_refused():
    both = Counted(px.trace(lambda x: {"a": x, "b": x}, x=2), on=DEVICE)
    room, x = np.empty((9, 2)), far(np.ones((5, 2)))
    both(x, out=(far(np.empty((5, 2))), far(np.empty((5, 2)))))
    for _ in range(2):
        with pytest.raises(px.ArgumentError, match="out: the arrays overlap each other"):
            both(x, out=(far(room[:5]), far(room[4:])))


def test_an_array_without_memory_is_refused():
    made, arrays, (q, qd, _) = learned()
    with pytest.raises(px.ArgumentError, match="qdd: the memory of the array was freed"):
        made(q, qd, without_memory(arrays[2]))


# -- how much is remembered ------------------------------------------------------------------------


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(remembered, "MOST", 3)
    made = kernel()
    for count in range(1, 9):
        arrays = motions(count)
        check(made(*map(far, arrays)), arrays)
    ((_, _, known),) = made._remembered._ways.values()
    assert len(known) <= 3
    made.careful = 0
    made(*map(far, arrays))
    assert made.careful == 0


def test_where_python_cannot_call_native_code_every_call_is_careful(monkeypatch):
    launch.native_launch.cache_clear()
    monkeypatch.setattr(python_entry, "supported", lambda: False)
    try:
        made, arrays = kernel(), motions()
        for k in range(2):
            check(made(*map(far, arrays)), arrays)
            assert made.careful == k + 1
    finally:
        launch.native_launch.cache_clear()


def test_the_native_function_takes_only_what_its_block_describes():
    native = launch.native_launch()
    made, _, given = learned()
    ((_, _, known),) = made._remembered._ways.values()
    block, _ = next(iter(known.values()))
    addresses = [array.data.ptr for array in given]
    before = noted()["calls"]
    assert native(block.address, 0, *addresses) == REFUSED  # no result
    assert native(block.address, 0) == REFUSED
    with pytest.raises(TypeError):
        native(block.address, 0, *addresses, "here")
    assert noted()["calls"] == before
