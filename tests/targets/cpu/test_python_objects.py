"""What native functions rely on in CPython and NumPy is checked, and nothing is lost without it.

Each thing is made to differ in turn. Then kernels must be called through Python, with the same bits
and the same errors, and say so.
"""

import re
import threading
import warnings
from contextlib import contextmanager

import numpy as np
import pytest

import paraxis as px
from paraxis.parallel.schedules.thread_schedule import thread_schedule
from paraxis.targets.cpu import python_objects
from paraxis.targets.cpu.text import python_entry

pytestmark = pytest.mark.skipif(
    not python_objects.known_platform(), reason="this interpreter has no native functions"
)

# each differs from what is so, and the text that must say what it is about
DIFFERENCES = {
    "TYPE": (0, "type of a vector"),
    "LENGTH": (8, "length of a tuple"),
    "ITEMS": (16, "entry of a tuple"),
    "DATA": (48, "data of a vector"),
    "DIMENSIONS_COUNT": (28, "axes of a vector"),
    "DIMENSIONS": (40, "shape of a vector"),
    "STRIDES": (32, "strides of a vector"),
    "DTYPE": (48, "dtype of a vector"),
    "FLAGS": (68, "flags of a vector"),
    "C_CONTIGUOUS": (0x2, "contiguity of a matrix"),
    "ALIGNED": (0x1, "alignment of"),
    "WRITEABLE": (0x100, "writeability of"),
    "TYPE_NUMBER": ({"double": 11, "float": 12}, "type number of float64"),
    "ARRAY_TYPE": (1, "array type in NumPy's table"),
    "ABI_VERSION": (0x03000000, "version of NumPy's ABI"),
    "FASTCALL_WITH_KEYWORDS": (0x0001, "arguments of a call"),
}


@contextmanager
def differing(name="FLAGS", value=68):
    """Something differs from what native functions rely on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(python_objects, name, value)
        _forget()
        yield
    _forget()


def _forget():
    python_objects.difference.cache_clear()
    python_entry.supported.cache_clear()


def ur5():
    """A robot of its own: robots remember their compiled functions."""
    return px.load("ur5")


def states(*batch):
    return np.random.default_rng(1).normal(size=(3, *batch, 6))


def test_this_interpreter_is_as_assumed():
    assert python_objects.difference() is None
    assert python_entry.supported()
    assert "through Python" not in repr(px.program(ur5()).compile())


def test_everything_listed_is_made_to_differ():
    listed = {name for name in vars(python_objects) if name.isupper()} - {"DTYPES", "OUT"}
    functions = {"ABI", "NEW_ARRAY"}  # a wrong one would be called; ABI_VERSION guards them
    assert listed - functions == set(DIFFERENCES)


@pytest.mark.parametrize("name", DIFFERENCES)
def test_each_difference_is_found(name):
    value, about = DIFFERENCES[name]
    with differing(name, value):
        assert about in python_objects.difference()
        with pytest.warns(RuntimeWarning, match=re.escape(about)):
            assert not python_entry.supported()
    assert python_entry.supported()


@pytest.mark.parametrize("name", ["DATA", "DTYPE", "FLAGS", "DIMENSIONS", "STRIDES", "LENGTH"])
@pytest.mark.parametrize("offset", [-8, 1 << 40, *range(0, 104, 4)])
def test_no_offset_is_read_beyond_an_object_or_behind_what_is_no_pointer(name, offset):
    """Whatever is there, the process goes on; only the right offset is believed."""
    right = getattr(python_objects, name)
    with differing(name, offset):
        assert (python_objects.difference() is None) == (offset == right)


def test_a_check_that_cannot_be_made_is_a_difference():
    def missing():
        raise AttributeError("module 'numpy._core.multiarray' has no attribute '_ARRAY_API'")

    with differing("array_functions", missing):
        assert "_ARRAY_API" in python_objects.difference()


def test_memory_is_read_only_where_there_is_some():
    with python_objects._Elsewhere() as elsewhere:
        numbers = np.arange(3)
        assert elsewhere.words(numbers.ctypes.data, 3) == (0, 1, 2)
        for address in (None, 0, 1, 4096, (1 << 47) - 8, 1 << 63):
            assert elsewhere.words(address, 1) is None
        assert elsewhere.words(numbers.ctypes.data, 10**9) is None


def test_the_notice_comes_once():
    with differing(), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for function in ("inverse_dynamics", "gravity_torques"):
            px.program(ur5(), function).compile()
    (notice,) = [each for each in seen if each.category is RuntimeWarning]
    assert "Results are the same" in str(notice.message)
    assert "flags of a vector" in str(notice.message)


# -- kernels that are called through Python ----------------------------------------------------


def through_python(make):
    """What make() returns where native functions cannot be trusted."""
    with differing(), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return make()


def same(a, b):
    a, b = (x if isinstance(x, tuple) else (x,) for x in (a, b))
    return all(
        x.shape == y.shape and x.dtype == y.dtype and x.tobytes() == y.tobytes()
        for x, y in zip(a, b, strict=True)
    )


def layouts(dtype):
    """Calls as users make them: one state, batches, broadcasting, gaps, lists."""
    one, batch = states().astype(dtype), states(7).astype(dtype)
    large = states(3000).astype(dtype)  # enough for threads
    wide = np.zeros((7, 18), dtype)
    wide[:, ::3] = batch[0]
    return [
        tuple(one),
        tuple(batch),
        tuple(large),
        (batch[0], one[1], batch[2, :1]),
        (wide[:, ::3], np.asfortranarray(batch[1]), batch[2][::-1]),
        (batch[0].tolist(), batch[1], batch[2].astype(">f8")),
        (batch[0][:0], one[1], one[2]),
    ]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_kernels_give_the_same_bits_through_python(dtype):
    program = px.program(ur5())
    native = program.compile(dtype=dtype)
    plain = through_python(lambda: program.compile(dtype=dtype))
    assert repr(plain).endswith("called through Python>")
    for arrays in layouts(dtype):
        expected = native(*arrays)
        assert same(plain(*arrays), expected)
        assert same(plain(**dict(zip(program.inputs, arrays, strict=True))), expected)
        out = np.empty_like(expected)
        assert plain(*arrays, out=out) is out and same(out, expected)
    q, qd, qdd = states(7).astype(dtype)
    expected = native(q, qd, qdd)
    assert same(plain(q, qd, qdd, out=q), expected) and same(q, expected)


def test_several_outputs_come_as_a_tuple_through_python():
    program = px.program(ur5(), "inverse_dynamics_derivatives")
    native, plain = program.compile(), through_python(program.compile)
    for arrays in (states(), states(7)):
        assert isinstance(plain(*arrays), tuple)
        assert same(plain(*arrays), native(*arrays))


def test_errors_are_the_same_through_python():
    program = px.program(ur5())
    native, plain = program.compile(), through_python(program.compile)
    q, qd, qdd = states(4)
    locked = np.empty((4, 6))
    locked.flags.writeable = False
    for positional, named in [
        ((q, qd), {}),
        ((q, qd, qdd, q), {}),
        ((q, qd, qdd[:, :5]), {}),
        ((q, qd, qdd[:3]), {}),
        ((q, qd, "three"), {}),
        ((q, qd, qdd), {"out": np.empty((3, 6))}),
        ((q, qd, qdd), {"out": locked}),
        ((q, qd, qdd), {"out": np.empty((4, 6), np.float32)}),
        ((q, qd, qdd), {"speed": qd}),
        ((q, qd), {"qd": qd}),
    ]:
        with pytest.raises((px.ParaxisError, TypeError)) as expected:
            native(*positional, **named)
        with pytest.raises(expected.type, match="^" + re.escape(str(expected.value)) + "$"):
            plain(*positional, **named)


def test_functions_of_a_robot_through_python():
    def results():
        robot = ur5()
        q, qd, qdd = states(5)
        traced = px.trace(lambda q: px.gravity_torques(robot, q), q=6)
        run = px.simulate(robot, q, qd, dt=0.001, steps=10)
        out = np.empty((5, 6))
        px.inverse_dynamics(robot, q, qd, qdd, out=out)
        return (
            px.inverse_dynamics(robot, q, qd, qdd),
            px.inverse_dynamics(robot, *states().astype("float32")),
            px.inverse_dynamics(robot, q, qd, qdd, mass=px.parameter_values(robot, "mass")),
            px.mass_matrix(robot, q[0]),
            px.kinetic_energy(robot, q, qd),
            px.jacobian(robot, q, frame=robot.frame_names[-1]),
            traced.compile()(q),
            run.q,
            out,
        )

    expected = results()
    assert same(through_python(results), expected)


def test_threads_share_a_kernel_through_python():
    program = px.program(ur5())
    native, plain = program.compile(), through_python(program.compile)
    cases = [states(50 * k) for k in range(1, 5)]
    expected, found = [native(*case) for case in cases], {}

    def work(k):
        found[k] = [plain(*cases[k]) for _ in range(20)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, case in enumerate(expected):
        assert all(same(each, case) for each in found[k])


def test_a_state_on_several_threads_through_python():
    schedule = thread_schedule(px.program(ur5()), 2)
    native, plain = schedule.compile(), through_python(schedule.compile)
    assert repr(plain).endswith("called through Python>")
    for arrays in (states(), states(3)):
        assert same(plain(*arrays), native(*arrays))


def test_code_without_a_native_function_is_kept_apart(tmp_path, monkeypatch):
    """What one interpreter kept on disk, another may find."""
    monkeypatch.setenv("PARAXIS_CACHE", str(tmp_path))
    program = px.trace(lambda x: px.math.sin(x) * 2.0, x=())
    assert "through Python" in repr(through_python(program.compile))
    assert "through Python" not in repr(program.compile())
    again = through_python(program.compile)
    assert "through Python" in repr(again)
    assert (
        "one" in again.addresses
    )  # for XLA: no Python in it, and found by another's compiled calls
