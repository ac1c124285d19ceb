"""The `map` driver's CUDA text, run on the CPU, against the interpreter.

Numbers first, then what a batch may look like, then what may not be given.
"""

import itertools
import math
import random
import sys
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from support.bits import same_bits
from support.cuda_on_cpu import CpuDevice
from support.layouts import aliases, in_columns
from support.operations import (
    LOSES_ZERO_SIGN,
    OPERATIONS,
    ROUNDS_APART,
    SPECIAL,
    TURNS,
    WITHIN_TWO_ULP,
)
from support.robots import random_robot, relative_error, states

import paraxis as px
from paraxis import calls
from paraxis.drivers.device_map import APART, COLUMNS, ROWS
from paraxis.robot_functions import FUNCTIONS
from paraxis.targets.cuda import arrays as gpu_arrays
from paraxis.targets.cuda import device as device_module
from paraxis.targets.cuda.map import CudaKernel
from paraxis.targets.cuda.text.sines import LARGE
from paraxis.targets.source.c import TYPES

DTYPES = ("float64", "float32")
TOLERANCE = {"float64": 1e-11, "float32": 2e-4}


class Watched(CudaKernel):
    """A kernel that says which `layouts` it was last run with."""

    def loaded(self, layouts, states):
        self.layouts = layouts
        return super().loaded(layouts, states)


def on_cpu(program, dtype="float64"):
    """The kernel of a Program as it is on a GPU, with its text compiled for the CPU."""
    return Watched(program, dtype, on=CpuDevice())


# -- numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_operation_on_every_kind_of_number(dtype):
    """All pairs of ordinary and special numbers; bits as the interpreter's, rounded to the type."""
    every = px.trace(lambda a, b: [f(a, b) for f in OPERATIONS.values()], a=(), b=())
    values = np.array(SPECIAL[dtype], dtype)
    a, b = values[:, None], values[None, :]
    found = on_cpu(every, dtype)(a, b)
    with np.errstate(over="ignore"):
        expected = every.evaluate(a=a, b=b).astype(dtype)
    assert found.dtype == dtype and found.shape == expected.shape
    places = itertools.product(range(len(values)), range(len(values)), enumerate(OPERATIONS))
    for i, j, (k, op) in places:
        x, y = float(found[i, j, k]), float(expected[i, j, k])
        where = f"{op}({values[i]!r}, {values[j]!r}) = {x!r}, expected {y!r}"
        if math.isnan(y) or math.isinf(y):
            assert x == y or (math.isnan(x) and math.isnan(y)), where
        elif op in TURNS and abs(values[i]) >= LARGE[TYPES[dtype]]:
            # the angle is rounded within a turn first
            assert abs(x - y) <= 2 * np.finfo(dtype).eps, where
        elif op in WITHIN_TWO_ULP:
            two_ulp = 2 * np.spacing(abs(expected[i, j, k]))
            is_coarse = dtype == "float32" and op in ("sin", "cos")
            assert abs(x - y) <= (1.5e-7 if is_coarse else two_ulp), where
        elif op in ROUNDS_APART:
            slack = {"float64": 1e-14, "float32": 1e-6}[dtype]
            assert math.isclose(x, y, rel_tol=slack, abs_tol=slack), where
        else:
            assert x == y, where
            assert op in LOSES_ZERO_SIGN or math.copysign(1, x) == math.copysign(1, y), where


def random_program(seed, steps=40):
    """Any operations on any values; each is kept small, so that errors are those of rounding."""
    rng = random.Random(seed)

    def run(x, y):
        values = [*x, y]
        for _ in range(steps):
            made = rng.choice(list(OPERATIONS.values()))(*rng.sample(values, 2))
            values.append(px.math.maximum(px.math.minimum(made, 3.0), -3.0))
        return {"a": values[-1], "b": rng.sample(values, 5), "c": [[values[-2], 2.0], values[:2]]}

    return px.trace(run, x=4, y=())


@pytest.mark.parametrize("seed", range(3))
def test_random_programs(seed):
    program, rng = random_program(seed), np.random.default_rng(seed)
    arrays = {"x": rng.uniform(-2, 2, (33, 4)), "y": rng.uniform(-2, 2, 33)}
    found = on_cpu(program)(**arrays)
    for ours, expected in zip(found, program.evaluate(**arrays).values(), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9)


WAYS = [(dtype, turned) for dtype in DTYPES for turned in (False, True)]


@pytest.mark.parametrize("seed, function", list(enumerate(px.functions())))
def test_every_function(seed, function):
    """One after the other in another type and layout."""
    check_function(seed, function, *WAYS[seed % 4])


@pytest.mark.long
@pytest.mark.parametrize("seed, function", list(enumerate(px.functions())))
def test_every_function_in_every_type_and_layout(seed, function):
    for way in WAYS:
        check_function(seed + 100, function, *way)


def check_function(seed, function, dtype, turned):
    if function == "operational_space_inertia":  # of a hand that can go every way
        robot, frame = px.load("ur5"), "tool0"
    else:
        robot, frame = random_robot(seed, joints=(2, 2)), "f1"
    if "frame" not in FUNCTIONS[function].options:
        frame = None
    program = px.program(robot, function, frame=frame)
    arrays = [a[1:].astype(dtype) for a in states(robot, 6, seed)[: len(program.inputs)]]
    expected = program.evaluate(**dict(zip(program.inputs, arrays, strict=True)))
    expected = list(expected.values()) if isinstance(expected, dict) else [expected]
    if turned:
        arrays = list(map(in_columns, arrays))
    found = on_cpu(program, dtype)(*arrays)
    found = found if isinstance(found, tuple) else (found,)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == dtype and ours.shape == theirs.shape
        flat = [a.reshape(len(a), -1) for a in (ours, theirs)]
        limit = TOLERANCE[dtype] * _conditioning(robot, function, arrays[0])
        assert relative_error(*flat) < limit


def _conditioning(robot, function, q):
    """How far rounding is blown up where the mass matrix is solved with."""
    if "inverse" in function or function.startswith(("forward_dynamics", "operational")):
        return max(1.0, np.linalg.cond(px.mass_matrix(robot, q)).max())
    return 1.0


@pytest.mark.parametrize("dtype, limit", list(zip(DTYPES, (2e-15, 1e-6), strict=True)))
def test_angles_of_any_size(dtype, limit):
    """As inputs and as sums; one large angle sends all of its state the slow way, which must not
    change the small ones."""
    turn = px.trace(
        lambda x: [
            px.math.sin(x[0]),
            px.math.cos(x[0]),
            px.math.sin(x[1]),
            px.math.cos(x[0] + x[1]),
        ],
        x=2,
    )
    sizes = np.array([0.0, 1e-30, 0.7, 3e3, 1.1e5, 9e6, 1e12, 1e22, 3e38], dtype)
    x = np.stack(np.broadcast_arrays(sizes[:, None], -sizes[None, :]), -1)
    found, expected = on_cpu(turn, dtype)(x), turn.evaluate(x=x.astype(float))
    total = x[..., 0] + x[..., 1]  # as rounded to the type
    expected[..., 3] = np.cos(total.astype(float))
    assert abs(found - expected).max() < limit


# -- batches -----------------------------------------------------------------------------------


@cache
def arm(dtype="float64"):
    """A kernel of three inputs whose entries all count, and its Program."""

    def run(q, qd, qdd):
        return [
            px.math.sin(q[k]) * qd[k - 1] + px.math.cos(q[k - 2]) * qdd[k] / 3.0 for k in range(3)
        ]

    program = px.trace(run, q=3, qd=3, qdd=3)
    return on_cpu(program, dtype), program


def motions(*batch, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(*batch, 3)).astype(dtype) for _ in range(3)]


def test_same_bits_in_any_layout():
    dtype = "float32"
    kernel, program = arm(dtype)
    arrays = motions(33, dtype=dtype)
    expected = kernel(*arrays)
    assert kernel.layouts == (ROWS,) * 4
    names = ("q", "qd", "qdd")
    assert (
        relative_error(expected, program.evaluate(**dict(zip(names, arrays, strict=True))))
        < (TOLERANCE[dtype])
    )
    spread = np.full((33, 2, 6), np.nan, dtype)
    spread[:, 1, ::2] = arrays[0]
    backwards = [np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1] for a in arrays]
    ways = {
        "columns": (list(map(in_columns, arrays)), (COLUMNS,) * 4),
        "some in columns": ([in_columns(arrays[0]), *arrays[1:]], (COLUMNS, ROWS, ROWS, COLUMNS)),
        "backwards": (backwards, (APART,) * 3 + (ROWS,)),
        "spread": ([spread[:, 1, ::2], *arrays[1:]], (APART, ROWS, ROWS, ROWS)),
    }
    for name, (given, layouts) in ways.items():
        found = kernel(*given)
        assert kernel.layouts == layouts, name
        assert same_bits(np.ascontiguousarray(found), expected), name
        assert (found.strides[0] == found.itemsize) == (layouts[-1] == COLUMNS), name


@pytest.mark.parametrize("count", (0, 1, 2, 31, 32, 33, 127, 128, 129, 300))
def test_odd_batches_write_all_of_the_result_and_nothing_beside_it(count):
    kernel, _ = arm()
    arrays = motions(count, seed=1)
    alone = [kernel(*(a[k] for a in arrays)) for k in range(count)]
    for turned in (False, True):
        field = np.full((count + 4, 3) if not turned else (3, count + 4), np.nan)
        whole = field.T if turned else field
        out = whole[2:-2]
        given = list(map(in_columns, arrays)) if turned else arrays
        assert kernel(*given, out=out) is out
        assert all(same_bits(a.copy(), b) for a, b in zip(out, alone, strict=True))
        assert np.isnan(whole[[0, 1, -2, -1]]).all()


def test_broadcasting():
    kernel, _ = arm()
    q, qd, qdd = motions(4, 5, seed=2)
    cases = {
        "one state for all": (q, qd[0, 0], qdd),
        "a row of states": (q, qd[0], qdd),
        "a column of states": (q[:, :1], qd, qdd),
        "across each other": (q[:, :1], qd[:1], qdd[0, 0]),
        "one entry for all": (q, np.broadcast_to(qd[..., :1], qd.shape), qdd),
    }
    for name, arrays in cases.items():
        plain = [np.ascontiguousarray(a) for a in np.broadcast_arrays(*arrays)]
        found = kernel(*arrays)
        assert found.shape == (4, 5, 3)
        assert same_bits(np.ascontiguousarray(found), kernel(*plain)), name


def test_batches_of_many_axes_in_any_order():
    kernel, _ = arm()
    arrays = motions(2, 3, 4, 5, seed=3)
    expected = kernel(*arrays)
    for order in itertools.permutations(range(4)):
        turned = [np.ascontiguousarray(a.transpose(*order, 4)) for a in arrays]
        back = [a.transpose(*np.argsort(order), 4) for a in turned]
        assert same_bits(np.ascontiguousarray(kernel(*back)), expected), order
        out = np.full_like(turned[0], np.nan).transpose(*np.argsort(order), 4)
        kernel(*arrays, out=out)
        assert same_bits(np.ascontiguousarray(out), expected), order
    middle = [a[:, ::2, :, ::-1] for a in arrays]
    assert same_bits(kernel(*middle), np.ascontiguousarray(expected[:, ::2, :, ::-1]))


def test_rows_that_do_not_begin_on_a_boundary_are_not_copied_in_packets():
    kernel, _ = arm("float32")
    arrays = motions(40, dtype="float32")
    expected = kernel(*arrays)
    shifted = np.empty((3, 121), np.float32)[:, 1:].reshape(3, 40, 3)
    shifted[:] = arrays
    assert same_bits(kernel(*shifted), expected)
    assert APART in kernel.layouts[:3]


def mixed(n, results):
    """n numbers in; out come the differences of some two, which all have."""
    return px.trace(
        lambda x: {"d": [x[k % n] - 2.0 * x[(3 * k + 1) % n] for k in range(results)]}, x=n
    )


@pytest.mark.parametrize(
    "n, results, dtype",
    [
        (1, 1, "float32"),
        (2, 63, "float64"),
        (4, 64, "float32"),
        (5, 65, "float64"),
        (6, 97, "float32"),
        (7, 130, "float64"),
    ],
)
def test_states_of_any_number_of_entries(n, results, dtype):
    """Long rows are written some columns at a time."""
    kernel = on_cpu(mixed(n, results), dtype)
    k = np.arange(results)
    for count in (1, 31, 33):
        x = np.random.default_rng(n).normal(size=(count, n)).astype(dtype)
        field = np.full((count + 2, results), np.nan, dtype)
        kernel(x, out=field[1:-1])
        expected = x[:, k % n] - 2 * x[:, (3 * k + 1) % n]
        assert abs(field[1:-1] - expected).max() < 1e-5
        assert np.isnan(field[[0, -1]]).all()


def test_matrices_scalars_and_constants():
    program = px.trace(
        lambda x, a: {
            "turned": [[a[j][i] * x for j in range(2)] for i in range(3)],
            "two": 2.0,
            "kept": a,
            "ones": [1.0, x, 1.0],
        },
        x=(),
        a=(2, 3),
    )
    rng = np.random.default_rng(4)
    x, a = rng.normal(size=7), rng.normal(size=(7, 2, 3))
    for given in (
        a,
        np.asfortranarray(a),
        np.ascontiguousarray(a.transpose(2, 0, 1)).transpose(1, 2, 0),
    ):
        turned, two, kept, ones = on_cpu(program)(x, given)
        np.testing.assert_array_equal(turned, (a * x[:, None, None]).swapaxes(1, 2))
        np.testing.assert_array_equal(two, np.full(7, 2.0))
        np.testing.assert_array_equal(kept, a)
        np.testing.assert_array_equal(ones, np.stack([np.ones(7), x, np.ones(7)], 1))


def test_other_numbers_are_converted():
    kernel, _ = arm("float32")
    arrays = [np.round(3 * a) for a in motions(9)]
    expected = kernel(*(a.astype("float32") for a in arrays))
    for dtype in ("float64", "int32", "int8", "float16"):
        assert same_bits(kernel(*(a.astype(dtype) for a in arrays)), expected)


@pytest.mark.parametrize("array, q, out", aliases())
def test_out_may_share_memory_with_an_input(array, q, out):
    kernel = on_cpu(px.trace(lambda q, x: [q[5 - k] + x[k] for k in range(6)], q=6, x=6))
    field, x = array.copy(), np.random.default_rng(6).normal(size=(40, 6))
    expected = kernel(field[q].copy(), x)
    kernel(field[q], x, out=field[out])
    assert same_bits(np.ascontiguousarray(field[out]), expected)


def test_results_may_share_memory_with_inputs_of_other_dtypes():
    kernel = on_cpu(px.trace(lambda x: [x[1], x[0]], x=2))
    numbers = np.arange(80).reshape(40, 2)
    expected = numbers[:, ::-1].astype(float)
    kernel(numbers, out=numbers.view(np.float64))
    np.testing.assert_array_equal(numbers.view(np.float64), expected)


# -- numbers that are none ---------------------------------------------------------------------


def test_a_bad_number_goes_where_the_interpreter_says_and_to_no_other_state():
    robot = px.load("ur5")
    program = px.program(robot)
    assert ("q", range(1)) in program.graph.unused
    kernel, n = on_cpu(program), robot.n
    spots = list(itertools.product(range(3), range(n), (math.nan, math.inf, -math.inf)))
    arrays = [np.random.default_rng(7).normal(size=(2 * len(spots), n)) for _ in range(3)]
    clean = kernel(*arrays)
    for place, (which, entry, bad) in enumerate(spots):
        arrays[which][2 * place, entry] = bad
    found = kernel(*arrays)
    expected = program.evaluate(**dict(zip(("q", "qd", "qdd"), arrays, strict=True)))
    assert (np.isfinite(found) == np.isfinite(expected)).all()
    assert not np.isfinite(found[::2]).all(1).any()
    assert same_bits(found[1::2], clean[1::2])


def test_huge_numbers_in_an_entry_that_nothing_depends_on_change_nothing():
    kernel = on_cpu(px.trace(lambda x, y: [2.0 * x[0], 1.0], x=2, y=()))
    x = np.array([[1.0, 1.7e308], [2.0, -1.7e308]])
    assert kernel(x, np.array(-1.7e308)).tolist() == [[2, 1], [4, 1]]


# -- machine code ------------------------------------------------------------------------------


class Counting(CpuDevice):
    """A device that compiles and launches nothing, but says what it was asked for."""

    start = None  # nor does native code

    def __init__(self, description="cpu"):
        self.description, self.compiled, self.launched = description, [], []

    def binary(self, text, fast_math=False, size="usual"):
        self.compiled.append((text, fast_math, size))
        return text.encode()

    def load(self, binary, name):
        return lambda *launch: self.launched.append((name, *launch))


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PARAXIS_CACHE", str(tmp_path / "cache"))


def test_what_is_compiled_anew(empty_cache):
    """Machine code is kept on disk, apart for all that it depends on."""
    _, program = arm()
    layouts = (ROWS,) * 4

    def compiled(layouts=layouts, dtype="float64", fast_math=False, description="cpu", of=program):
        device = Counting(description)
        kernel = CudaKernel(of, dtype, fast_math, on=device)
        for _ in range(2):
            kernel.loaded(layouts, states=1)
        return [fast for _, fast, _ in device.compiled]

    other = px.trace(lambda q, qd, qdd: [q[0] + qd[1] + qdd[2]], q=3, qd=3, qdd=3)
    ways = {
        "first": {},
        "fast": {"fast_math": True},
        "another GPU": {"description": ("sm_100", (13, 0))},
        "another compiler": {"description": ("sm_100", (13, 1))},
        "another type": {"dtype": "float32"},
        "another layout": {"layouts": (COLUMNS, ROWS, ROWS, ROWS)},
        "another program": {"of": other},
    }
    for name, way in ways.items():
        assert compiled(**way) == [way.get("fast_math", False)], name
        assert compiled(**way) == [], name


def test_an_empty_batch_compiles_and_launches_nothing(empty_cache):
    _, program = arm()
    device = Counting()
    kernel = CudaKernel(program, on=device)
    for batch in ((0,), (3, 0)):
        assert kernel(*motions(*batch)).shape == (*batch, 3)
    assert device.compiled == [] and device.launched == []
    kernel(*motions(65))
    ((_, blocks, threads, (states, *_), _),) = device.launched
    assert (blocks, threads, states) == (2, 64, 65)


@pytest.mark.parametrize("doubles", ((), (0,), (1,), (2,), (0, 1, 2)))
def test_functions_compute_in_single_only_where_all_arrays_are(doubles, monkeypatch):
    asked = []

    def made(body, dtype):
        return SimpleNamespace(compute=lambda arrays, out, remembered: asked.append(dtype))

    monkeypatch.setattr("paraxis.targets.cuda.map.CudaKernel", made)
    arrays = [somewhere("cupy") for _ in range(3)]
    for k, array in enumerate(arrays):
        array.dtype = np.dtype("float64" if k in doubles else "float32")
    calls.Call(None, "", ("q", "qd", "qdd")).run(*arrays)
    assert asked == ["float64" if doubles else "float32"]


# -- names -------------------------------------------------------------------------------------


TAKEN = """
    threadIdx blockIdx blockDim gridDim warpSize state states inner outer within tile made memory
    first count word packet couple quartet LANES LANE THREADS PACKET SHARED BITS COPIED TOGETHER
    rows_in rows_out behind packet_out chunk_out carry ALIGNED sine_cosine within_a_turn sincos
    sincosf fma fmaf sin cos v0 v1 zero q_made q_before
    angle0 poison0 q_entry q_row q_state q_outer q int float double template typename register
    asm signed this operator extern x y z w real half int4 float4
"""


@pytest.mark.parametrize("layout", (ROWS, APART))
def test_names_that_mean_something_else_in_cuda(layout):
    """As inputs and as outputs, all in one kernel, angles and unused entries among them."""

    def run(**given):
        return {
            f"{name}_row" if name == "q" else f"{name}_": [px.math.sin(a) + b, b]
            for name, (a, b, _) in given.items()
        }

    names = TAKEN.split()
    program = px.trace(run, **dict.fromkeys(names, 3))
    rng = np.random.default_rng(8)
    every = 1 if layout == ROWS else 2
    arrays = {name: rng.normal(size=(3, 3 * every))[:, ::every] for name in names}
    kernel = on_cpu(program)
    found = kernel(*arrays.values())
    assert kernel.layouts[0] == layout
    for name, ours in zip(names, found, strict=True):
        a, b, _ = arrays[name].T
        np.testing.assert_allclose(ours, np.stack([np.sin(a) + b, b], 1), rtol=1e-14)


def test_names_with_dots_are_apart_from_those_of_the_text():
    program = px.trace(
        lambda x: {"a": [x * (1.0 + k) for k in range(300)], "a.before": x, "a.made": x + 1.0}, x=()
    )
    found = on_cpu(program)(np.array([2.0]))
    assert [float(each.ravel()[0]) for each in found] == [2.0, 2.0, 3.0]


# -- what cannot be ----------------------------------------------------------------------------


def test_a_bad_argument_is_named():
    kernel, _ = arm()
    q, qd, qdd = motions(5)
    cases = {
        r"^qd: expected shape \(\.\.\., 3\), found \(5, 4\)": (q, np.zeros((5, 4)), qdd),
        r"^q: expected shape \(\.\.\., 3\), found \(\)": (np.array(1.0), qd, qdd),
        r"^qdd: expected real numbers, found dtype complex128": (q, qd, qdd.astype(complex)),
        r"^q: expected real numbers, found dtype bool": (q > 0, qd, qdd),
        "missing qdd": (q, qd),
        r"(?s)q.*\(5,\).*qd.*\(4,\)": (q, qd[:4], qdd),
    }
    for message, arrays in cases.items():
        with pytest.raises(px.ArgumentError, match=message):
            kernel(*arrays)


def test_out_that_cannot_be_used_is_refused():
    kernel, _ = arm()
    arrays = motions(5)
    frozen = np.empty((5, 3))
    frozen.flags.writeable = False
    bad = {
        "shorter": np.empty((4, 3)),
        "one axis more": np.empty((1, 5, 3)),
        "float32": np.empty((5, 3), np.float32),
        "a list": [0.0] * 3,
        "a number": 1.0,
        "two arrays": (np.empty((5, 3)), np.empty((5, 3))),
        "no array": (),
        "broadcast": np.broadcast_to(np.zeros(3), (5, 3)),
    }
    for name, out in bad.items():
        with pytest.raises(px.ArgumentError, match=r"\bout\b"):
            kernel(*arrays, out=out)
            pytest.fail(name)
    both = on_cpu(px.trace(lambda x: {"a": x, "b": [x[0]]}, x=2))
    room = np.empty((4, 3))
    with pytest.raises(px.ArgumentError, match="out: the arrays overlap each other"):
        both(np.ones((4, 2)), out=(room[:, :2], room[:, 1:2]))


def somewhere(library, number=0, kind=2):
    """What an array of a library, in the memory of a GPU, looks like from outside."""

    class Array:
        dtype, shape = np.dtype(float), (5, 3)

        def __dlpack_device__(self):
            return kind, number

        def __dlpack__(self, **options):
            raise AssertionError("nobody may touch it")

    Array.__module__ = library
    return Array()


@pytest.mark.parametrize(
    "message, second",
    [
        ("qd: expected an array on GPU 0, as q is, found numpy.ndarray", np.zeros((5, 3))),
        ("qd: expected an array on GPU 0, as q is, found one on GPU 1", somewhere("cupy", 1)),
        ("qd: expected an array of cupy, as q is, found one of torch", somewhere("torch")),
        ("qd: expected an array on GPU 0, as q is, found torch.Array", somewhere("torch", 0, 1)),
    ],
)
def test_arrays_that_are_not_together_are_named(message, second):
    """Whether or not there is a GPU here."""
    robot, q = px.robots.planar(3), somewhere("cupy")
    with pytest.raises(px.ArgumentError, match=message):
        px.inverse_dynamics(robot, q, second, q)
    with pytest.raises(px.ArgumentError, match=r"qd: expected an array in main memory, as q is"):
        px.inverse_dynamics(robot, np.zeros((5, 3)), q, np.zeros((5, 3)))


@pytest.fixture
def without_a_device(monkeypatch):
    """`device()` asks anew, and what it finds is forgotten afterwards."""
    device_module.device.cache_clear()
    yield monkeypatch
    device_module.device.cache_clear()


def test_without_cupy_the_extra_is_named(without_a_device):
    without_a_device.setitem(sys.modules, "cupy", None)
    q = somewhere("torch")
    extra = r"needs CuPy, .*pip install 'paraxis\[cuda\]'"
    with pytest.raises(px.MissingPackageError, match=extra):
        px.inverse_dynamics(px.robots.planar(3), q, q, q)
    with pytest.raises(px.MissingPackageError, match=extra):
        px.program(px.robots.planar(3)).compile(target="cuda")


@pytest.mark.parametrize("found", (0, RuntimeError("no driver")))
def test_without_a_gpu_that_is_said(found, without_a_device):
    def count():
        if isinstance(found, Exception):
            raise found
        return found

    runtime = SimpleNamespace(getDeviceCount=count, CUDARuntimeError=RuntimeError)
    cupy = SimpleNamespace(cuda=SimpleNamespace(runtime=runtime))
    without_a_device.setitem(sys.modules, "cupy", cupy)
    with pytest.raises(px.ArgumentError, match="target 'cuda': found no GPU"):
        px.program(px.robots.planar(3)).compile(target="cuda")


def test_arrays_of_main_memory_are_not_for_a_gpu():
    assert not gpu_arrays.on_a_gpu(np.zeros(3)) and not gpu_arrays.on_a_gpu([0.0])
    assert not gpu_arrays.on_a_gpu(somewhere("torch", kind=1))
    assert gpu_arrays.on_a_gpu(somewhere("torch")) and gpu_arrays.on_a_gpu(
        somewhere("jax", kind=13)
    )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_constants_that_are_not_finite(dtype):
    program = px.trace(
        lambda x: [x * math.inf, px.math.minimum(x, math.inf), x / 0, math.nan], x=()
    )
    found = on_cpu(program, dtype)(np.array([2.0], dtype))
    assert np.array_equal(found, [[math.inf, 2, math.inf, math.nan]], equal_nan=True)
