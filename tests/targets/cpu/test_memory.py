"""What must not happen: leaks, copies of large arrays, trouble with threads and forks."""

import gc
import math
import os
import sys
import threading
import tracemalloc
import weakref
from contextlib import suppress

import numpy as np
import pytest
from support.bits import same_bits
from support.kernels import both_ways, kernel, one_by_one, states
from support.processes import python, script

import paraxis as px
from paraxis.drivers import map as map_driver
from paraxis.targets import store
from paraxis.targets.cpu import host
from paraxis.targets.cpu import map as kernel_module

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no resource module")
def test_large_batches_are_not_copied():
    """2^21 states: 100 MB an array. Nothing larger than a piece of one may be made on the way."""
    text = """
    import re, resource, sys
    import numpy as np, paraxis as px

    def peak():  # the most memory this process has had, in bytes
        if sys.platform == "linux":  # where getrusage counts the parent before exec, too
            return 1024 * int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
        unit = 1 if sys.platform == "darwin" else 1024
        return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    kernel = px.program(px.load("ur5")).compile()
    n, other = 1 << 21, np.full(6, 0.5)
    out, expected = np.ones((n, 6)), kernel(np.ones(6), other, other)
    kernel(np.ones((50_000, 6)), other, other)  # starts the threads
    for dtype in (np.int32, np.float32, np.float64):  # from small to large: a peak stays a peak
        q = np.ones((n, 6), dtype)
        out[:] = 0
        before = peak()
        kernel(q, other, other, out=out)
        after = peak()
        assert (out[::65537] == expected).all() and (out[-1] == expected).all()
        print(np.dtype(dtype), (after - before) / 1e6)
        del q
    """
    for line in script(text).splitlines():
        dtype, megabytes = line.split()
        assert float(megabytes) < 64, dtype


def test_large_batches_of_another_dtype_give_the_same_bits(monkeypatch):
    """Converted in pieces along the longest axis, other arrays broadcast along it or not."""
    k = kernel("ur5")
    rng = np.random.default_rng(22)
    q = rng.integers(-3, 4, size=(3, 50, 6))
    qd, qdd = rng.normal(size=(50, 6)), rng.normal(size=(3, 1, 6))
    expected = k(q.astype(float), qd, qdd)
    monkeypatch.setattr(map_driver, "CONVERTED_AT_ONCE", 200)
    assert same_bits(k(q, qd, qdd), expected)
    assert same_bits(k(np.asfortranarray(q), qd, qdd), expected)
    out = np.empty((6, 50, 3)).T
    k(q, qd, qdd, out=out)
    assert same_bits(np.ascontiguousarray(out), expected)


@pytest.mark.parametrize("batch", ((), (5,)))
def test_calling_often_leaks_nothing(batch):
    """The native call counts references by hand."""
    k = kernel("ur5")
    arrays, out = states("ur5", *batch), np.empty((*batch, 6))
    watched = [*arrays, out, k, np.ndarray, out.dtype, None]

    def work(times):
        for _ in range(times):
            k(*arrays)
            k(*arrays, out=out)
        for _ in range(times // 100):  # the general path, and errors
            k.general(*arrays, out=out)
            k(arrays[0].tolist(), *arrays[1:])
            with suppress(px.ArgumentError):
                k(arrays[0], out=3)

    work(1000)
    gc.collect()
    tracemalloc.start()
    try:
        counts, bytes_before = [sys.getrefcount(thing) for thing in watched], _allocated()
        work(10_000)  # five bytes of each call would be seen
        gc.collect()
        bytes_after, now = _allocated(), [sys.getrefcount(thing) for thing in watched]
    finally:
        tracemalloc.stop()
    for thing, before, after in zip(watched, counts, now, strict=True):
        assert abs(after - before) < 100, type(thing)  # others may hold ndarray and None
    assert bytes_after - bytes_before < 100_000


def _allocated():
    return tracemalloc.get_traced_memory()[0]


def test_results_own_their_memory():
    k = kernel("ur5")
    arrays = states("ur5", 9)
    for call in both_ways(k).values():
        for found in (
            call(*arrays),
            call(*(a[0] for a in arrays)),
            call(*arrays[:2], 0 * arrays[2]),
        ):
            assert found.base is None and found.flags.owndata and found.flags.c_contiguous
            assert found.flags.writeable and found.flags.aligned
            assert not any(np.may_share_memory(found, a) for a in arrays)
    first, kept = k(*arrays), k(*arrays).copy()
    k(*(2 * a for a in arrays))
    assert same_bits(first, kept)


def test_kernels_are_collected():
    def make():
        k = px.trace(lambda x: x * 3.0, x=()).compile()
        k(1.0)
        return weakref.ref(k)

    store.forget()
    gc.collect()
    before = len(host._engines)
    references = [make() for _ in range(3)]
    store.forget()  # what this process keeps for the next to ask
    gc.collect()
    assert all(reference() is None for reference in references)
    assert len(host._engines) == before


def test_a_kernel_outlives_its_program_and_robot():
    short = px.load("ur5")
    gone = weakref.ref(short)
    k = px.program(short).compile()
    px.inverse_dynamics(short, *states("ur5", 3))
    del short
    gc.collect()
    assert gone() is None
    assert same_bits(k(*states("ur5", 3)), kernel("ur5")(*states("ur5", 3)))


def test_the_native_function_keeps_its_code():
    k = px.trace(lambda x: x * 3.0, x=()).compile()
    call = k.__call__
    del k
    gc.collect()
    for i in range(5):  # other code may now stand where this one stood
        px.trace(lambda x, i=i: x + float(i), x=()).compile()
    assert call(np.array(2.0)) == 6


def in_threads(work, count=8):
    """Run work(0), ... work(count - 1) at once; raise what any of them raised."""
    failures, ready = [], threading.Barrier(count)

    def guarded(number):
        try:
            ready.wait()
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_one_kernel_in_many_python_threads(monkeypatch):
    monkeypatch.setattr(kernel_module, "THREAD_WORK", 1000)  # so that every batch uses threads
    k = kernel("ur5", threads=2)
    cases = [states("ur5", 50 + 37 * i, seed=i) for i in range(8)]
    expected = [one_by_one(k, arrays) for arrays in cases]

    def work(number):
        for turn in range(40):
            which = (number + turn) % 8
            call = k.general if turn % 2 else k
            assert same_bits(call(*cases[which]), expected[which])

    in_threads(work)


def test_compiling_in_many_python_threads():
    def work(number):
        traced = px.trace(lambda x: px.math.sin(x) * float(number + 1), x=())
        for _ in range(3):
            assert traced.compile()(np.array(1.0)) == pytest.approx(math.sin(1) * (number + 1))

    in_threads(work)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_threads_after_a_fork():
    """The parent's waiting threads do not exist in the child, which starts its own."""
    text = """
    import os, sys, warnings
    import numpy as np, paraxis as px
    from paraxis.targets.cpu import map as module
    from paraxis.targets.cpu.threads import workers

    warnings.simplefilter("ignore")  # newer Pythons warn about forking beside threads
    module.THREAD_WORK = 1
    kernel = px.program(px.load("ur5")).compile(threads=2)
    q = np.random.default_rng(0).normal(size=(3000, 6))
    expected = kernel.general(q, q, q)
    assert len(workers) == workers.idle() == 1
    child = os.fork()
    right = kernel.general(q, q, q).tobytes() == expected.tobytes()
    if child == 0:
        os._exit(0 if right else 1)
    _, status = os.waitpid(child, 0)
    assert right and status == 0, status
    print("done")
    """
    assert script(text).strip() == "done"


def test_a_kernel_can_be_called_by_the_finalizer_of_other_garbage():
    """Machine code goes when nothing refers to it any more, not when a cycle is found."""
    source = """
        import gc, numpy as np, paraxis as px
        from paraxis.targets import store
        class Owner:
            def __del__(self):
                print(self.kernel(*x).shape, self.kernel.general(*x).shape)
        x = np.zeros((3, 6))
        for _ in range(3):
            kernel = px.program(px.load("ur5")).compile()
            owner = Owner()
            owner.kernel, owner.cycle = kernel, owner
            del owner, kernel
            store.forget()
            gc.collect()
        from paraxis.targets.cpu import host
        print(len(host._engines))
    """
    done = python(source)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.split("\n") == ["(6,) (6,)"] * 3 + ["0", ""]


def test_kernels_of_programs_pickle_as_these_and_others_say_that_they_do_not():
    import pickle

    from paraxis.function_bodies import function_body
    from paraxis.targets.target import CPU

    robot, state = px.load("planar3"), np.array([0.1, 0.2, 0.3])
    kernel = px.program(robot, "gravity_torques").compile(dtype="float32", threads=1)
    again = pickle.loads(pickle.dumps(kernel))
    assert again.dtype == np.float32 and again.threads == 1
    assert again(state).tobytes() == kernel(state).tobytes()
    with pytest.raises(TypeError, match="a kernel cannot be pickled"):
        pickle.dumps(CPU.map(function_body(robot, "kinetic_energy")))
