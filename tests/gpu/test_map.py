"""Functions of robots on a GPU: the CPU's numbers, in the arrays that were given, wherever.

python -m pytest tests/gpu/test_map.py
"""

import threading

import numpy as np
import pytest
from support.robots import random_robot

import paraxis as px
from paraxis.drivers.device_map import COLUMNS, ROWS
from paraxis.robot_functions import FUNCTIONS
from paraxis.targets.cuda.map import CudaKernel

cupy = pytest.importorskip("cupy")

LIMIT = {"float64": 1e-13, "float32": 3e-5}  # some thirty times what rounding does on a CPU
PAD = 64  # states; what follows them begins on a boundary of 16 bytes again
# Functions that solve with the mass matrix, which blows rounding up by its condition.
SOLVING = (
    *("forward_dynamics", "forward_dynamics_derivatives", "mass_matrix_inverse"),
    *("operational_space_inertia", "operational_space_inertia_inverse"),
)
NAMES = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "kinetic_energy")


def load(name):
    return random_robot(11, joints=(4, 4)) if name == "tree" else px.load(name)


def states(robot, *batch, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    return [rng.uniform(-2, 2, (*batch, robot.n)).astype(dtype) for _ in range(3)]


def errors(found, expected):
    """max|d| / max(1, max|reference|) of each state."""
    found, expected = cupy.asnumpy(found).astype(float), np.asarray(expected, float)
    assert found.shape == expected.shape
    found, expected = (a.reshape(len(a), -1) for a in (found, expected))
    return abs(found - expected).max(-1) / np.maximum(1, abs(expected).max(-1))


def error(found, expected):
    """That of the worst state."""
    return errors(found, expected).max()


def call(function, robot, arrays, **options):
    """As a user would; results as a tuple."""
    if "frame" in FUNCTIONS[function].options:
        options["frame"] = robot.frames[-1].name
    given = arrays[: len(FUNCTIONS[function].inputs)]
    found = getattr(px, function)(robot, *given, **options)
    return found if isinstance(found, tuple) else (found,)


# -- numbers -----------------------------------------------------------------------------------


@pytest.fixture
def layouts(monkeypatch):
    """The layouts that kernels were run with, one after another."""
    seen, loaded = [], CudaKernel.loaded

    def watched(kernel, layouts, states):
        seen.append(layouts)
        return loaded(kernel, layouts, states)

    monkeypatch.setattr(CudaKernel, "loaded", watched)
    return seen


def poisoned(count, shape, dtype, turned):
    """An array of NaN with PAD states too many at both ends; in columns where it is `turned`."""
    if not turned:
        return cupy.full((count + 2 * PAD, *shape), cupy.nan, dtype)
    entries_first = cupy.full((*shape, count + 2 * PAD), cupy.nan, dtype)
    return entries_first.transpose(len(shape), *range(len(shape)))


@pytest.mark.parametrize("turned", (False, True))
@pytest.mark.parametrize("name, dtype", [("ur5", "float64"), ("tree", "float32")])
def test_every_function_gives_the_numbers_of_the_cpu(name, dtype, turned, layouts):
    """In rows and columns; every number of the result is written, none beside it."""
    robot = load(name)
    count = 1000 + 7
    arrays = states(robot, count, dtype=dtype)
    exact = [a.astype(float) for a in arrays]
    conditions = np.linalg.cond(px.mass_matrix(robot, exact[0]))
    given = [cupy.asarray(a) for a in arrays]
    if turned:
        given = [cupy.ascontiguousarray(a.T).T for a in given]
    for function, about in FUNCTIONS.items():
        if "frame" in about.options and (not robot.frames or name == "tree"):
            continue
        expected = call(function, robot, exact)
        fields = [poisoned(count, e.shape[1:], dtype, turned) for e in expected]
        places = tuple(field[PAD:-PAD] for field in fields)
        found = call(function, robot, given, out=places if len(places) > 1 else places[0])
        numbers = [*(robot.n for _ in about.inputs), *(e[0].size for e in expected)]
        # one number a state is a column, however it lies
        assert layouts[-1] == tuple(COLUMNS if turned or n == 1 else ROWS for n in numbers)
        for field, place, ours, theirs in zip(fields, places, found, expected, strict=True):
            assert ours is place
            assert cupy.isnan(field[:PAD]).all() and cupy.isnan(field[-PAD:]).all(), function
            assert cupy.isfinite(place).all(), function
            wrong = errors(ours, theirs) / (conditions if function in SOLVING else 1.0)
            # a hand may be near a posture in which it cannot go every way
            singular = function == "operational_space_inertia"
            assert (np.median(wrong) if singular else wrong.max()) < LIMIT[dtype], function


@pytest.mark.parametrize("count", (0, 1, 31, 32, 33, 63, 64, 65, 127, 129, 257, 4097))
def test_odd_batches(count):
    robot = load("ur5")
    for dtype in LIMIT:
        arrays = states(robot, count, dtype=dtype)
        expected = px.inverse_dynamics(robot, *(a.astype(float) for a in arrays))
        rows = [cupy.asarray(a) for a in arrays]
        columns = [cupy.ascontiguousarray(a.T).T for a in rows]
        for given in (rows, columns, [rows[0], columns[1], rows[2]]):
            found = px.inverse_dynamics(robot, *given)
            assert found.shape == (count, 6) and found.dtype == dtype
            assert count == 0 or error(found, expected) < 1e-4


def test_strides_broadcasting_and_other_numbers():
    robot = load("ur5")
    q, qd, qdd = states(robot, 4, 50)
    wide = cupy.full((4, 50, 12), cupy.nan)
    wide[..., ::2] = cupy.asarray(q)
    cases = {
        "spread": (wide[..., ::2], qd, qdd),
        "backwards": (cupy.asarray(q[::-1, ::-1].copy())[::-1, ::-1], qd, qdd),
        "one state": (q, qd[0, 0], qdd),
        "across": (q[:, :1], qd[:1], qdd),
        "float32 beside float64": (q, qd.astype("float32"), qdd),
        "axes turned": (cupy.asarray(q.transpose(1, 0, 2).copy()).transpose(1, 0, 2), qd, qdd),
    }
    for name, arrays in cases.items():
        exact = [cupy.asnumpy(a).astype(float) for a in arrays]
        found = px.inverse_dynamics(robot, *(cupy.asarray(a) for a in arrays))
        expected = px.inverse_dynamics(robot, *exact)
        assert error(found.reshape(-1, 6), expected.reshape(-1, 6)) < 1e-6, name


def test_a_result_may_be_an_input():
    robot = load("ur5")
    arrays = states(robot, 500)
    expected = px.inverse_dynamics(robot, *arrays)
    for which in range(3):
        given = [cupy.asarray(a) for a in arrays]
        px.inverse_dynamics(robot, *given, out=given[which])
        assert error(given[which], expected) < 1e-10


def test_bad_numbers_spoil_their_own_state_and_no_other():
    robot = load("ur5")
    arrays = states(robot, 200)
    clean = px.inverse_dynamics(robot, *map(cupy.asarray, arrays))
    for which, entry, bad in ((0, 0, np.nan), (0, 3, np.inf), (1, 5, np.nan), (2, 2, -np.inf)):
        arrays[which][10 * which + entry, entry] = bad
    found = px.inverse_dynamics(robot, *map(cupy.asarray, arrays))
    spoiled = [0, 3, 15, 22]
    assert not cupy.isfinite(found[spoiled]).all(1).any()
    good = cupy.asarray(np.setdiff1d(np.arange(200), spoiled))
    assert (found[good] == clean[good]).all()


def test_large_angles():
    turn = px.trace(lambda x: [px.math.sin(x), px.math.cos(x)], x=())
    for dtype, limit in (("float64", 2e-15), ("float32", 5e-7)):
        x = np.geomspace(1e-3, 1e18, 1000).astype(dtype)
        found = turn.compile(target="cuda", dtype=dtype)(cupy.asarray(x))
        exact = x.astype(float)
        assert abs(cupy.asnumpy(found) - np.stack([np.sin(exact), np.cos(exact)], 1)).max() < limit


def test_more_than_2_to_the_31_elements():
    """Rows and columns of six float32 entries: element numbers need more than 32 bits."""
    count = (1 << 31) // 6 + 1_000_003
    free, _ = cupy.cuda.Device().mem_info
    if free < 2.5 * count * 6 * 4:
        pytest.skip(f"needs {2.5 * count * 24 / 1e9:.0f} GB of the GPU's memory")
    program = px.trace(lambda x: [x[5] + 2.0 * x[0], x[3]], x=6)
    kernel = program.compile(target="cuda", dtype="float32")
    spots = [0, 1, count // 2, (1 << 31) // 6, (1 << 31) // 6 + 1, count - 2, count - 1]
    flat = cupy.empty(count * 6, "float32")
    for columns in (False, True):
        x = flat.reshape(6, count).T if columns else flat.reshape(count, 6)
        x[...] = 0
        given = np.random.default_rng(1).normal(size=(len(spots), 6)).astype("float32")
        for spot, row in zip(spots, given, strict=True):
            x[spot] = cupy.asarray(row)
        found = kernel(x)
        expected = np.stack([given[:, 5] + 2 * given[:, 0], given[:, 3]], 1)
        ours = np.stack([cupy.asnumpy(found[spot]) for spot in spots])
        assert abs(ours - expected).max() < 1e-5
        assert int((found != 0).any(1).sum()) == len(spots)
        del found, x
    del flat
    cupy.get_default_memory_pool().free_all_blocks()


# -- arrays of others --------------------------------------------------------------------------


@pytest.mark.parametrize("function", NAMES)
def test_pytorch(function):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs PyTorch for this GPU")
    robot = load("ur5")
    arrays = states(robot, 77)
    (expected,) = call(function, robot, arrays)
    given = [torch.from_numpy(a).cuda() for a in arrays]
    (found,) = call(function, robot, given)
    assert isinstance(found, torch.Tensor) and found.device == given[0].device
    assert error(cupy.from_dlpack(found), expected) < 1e-9
    out = torch.full_like(found, torch.nan)
    place = out.data_ptr()
    (again,) = call(function, robot, given, out=out)
    assert again is out and out.data_ptr() == place
    assert torch.equal(out, found)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        (aside,) = call(function, robot, given)
    stream.synchronize()
    assert torch.equal(aside, found)


@pytest.mark.parametrize("function", NAMES)
def test_jax(function):
    jax = pytest.importorskip("jax")
    try:
        gpu = jax.devices("gpu")[0]
    except RuntimeError:
        pytest.skip("needs JAX for this GPU")
    robot = load("ur5")
    arrays = [a.astype("float32") for a in states(robot, 77)]
    (expected,) = call(function, robot, [a.astype(float) for a in arrays])
    given = [jax.device_put(a, gpu) for a in arrays]
    (found,) = call(function, robot, given)
    assert isinstance(found, jax.Array) and found.devices() == {gpu}
    assert error(np.asarray(found), expected) < 1e-2
    chained = (given[0] * 2 + 1) / 2 - 0.5  # still being computed when it is taken
    (after,) = call(function, robot, [chained, *given[1:]])
    assert error(np.asarray(after * 1.0), expected) < 1e-2
    with pytest.raises(px.ArgumentError, match="out cannot be set for JAX arrays"):
        call(function, robot, given, out=found)


def test_cupy_results_are_new_and_out_is_kept():
    robot = load("ur5")
    given = [cupy.asarray(a) for a in states(robot, 77)]
    one, two = (px.inverse_dynamics(robot, *given) for _ in range(2))
    assert isinstance(one, cupy.ndarray) and one.data.ptr != two.data.ptr
    out = cupy.empty_like(one)
    place = out.data.ptr
    assert px.inverse_dynamics(robot, *given, out=out) is out and out.data.ptr == place
    assert (out == one).all()


def test_nothing_is_copied():
    """Memory for the result is all that a call takes, in rows, columns and views."""
    robot, pool = load("ur5"), cupy.get_default_memory_pool()
    count = 1 << 20
    rows = [cupy.random.random((count, 6), "float32") for _ in range(3)]
    columns = [cupy.ascontiguousarray(a.T).T for a in rows]
    whole = cupy.random.random((count, 24), "float32")
    views = [whole[:, 6 * k : 6 * k + 6] for k in range(4)]
    out = cupy.empty((count, 6), "float32")
    for given, place in ((rows, out), (columns, out), (views[:3], views[3])):
        px.inverse_dynamics(robot, *given, out=place)
        pool.free_all_blocks()
        before = pool.total_bytes()
        px.inverse_dynamics(robot, *given, out=place)
        assert pool.total_bytes() == before


def test_arrays_on_different_devices_are_refused():
    robot = load("ur5")
    q, qd, qdd = states(robot, 5)
    with pytest.raises(px.ArgumentError, match="qd: expected an array on GPU 0, as q is, found nu"):
        px.inverse_dynamics(robot, cupy.asarray(q), qd, cupy.asarray(qdd))
    with pytest.raises(px.ArgumentError, match="qd: expected an array in main memory, as q is"):
        px.inverse_dynamics(robot, q, cupy.asarray(qd), qdd)
    with pytest.raises(px.ArgumentError, match="out"):
        px.inverse_dynamics(robot, *map(cupy.asarray, (q, qd, qdd)), out=np.empty((5, 6)))
    if cupy.cuda.runtime.getDeviceCount() > 1:
        with cupy.cuda.Device(1):
            elsewhere = cupy.asarray(qd)
        with pytest.raises(px.ArgumentError, match="qd: expected an array on GPU 0, .* on GPU 1"):
            px.inverse_dynamics(robot, cupy.asarray(q), elsewhere, cupy.asarray(qdd))


# -- streams and threads -----------------------------------------------------------------------


def test_two_streams_at_once():
    """Each result is that of its own stream's arrays, made there just before."""
    robot, count = load("ur5"), 1 << 18
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(2)]
    found = [[], []]
    for turn in range(5):
        for k, stream in enumerate(streams):
            with stream:
                given = [cupy.full((count, 6), 0.1 * (turn + k + j)) for j in range(3)]
                found[k].append(px.inverse_dynamics(robot, *given))
    for stream in streams:
        stream.synchronize()
    for k in range(2):
        for turn, ours in enumerate(found[k]):
            state = [np.full(6, 0.1 * (turn + k + j)) for j in range(3)]
            expected = px.inverse_dynamics(robot, *state)
            assert abs(cupy.asnumpy(ours[[0, count // 2, -1]]) - expected).max() < 1e-9
            assert (ours == ours[0]).all()


def test_a_call_does_not_wait_for_the_gpu():
    robot, count = load("ur5"), 1 << 24
    given = [cupy.random.random((count, 6), "float32") for _ in range(3)]
    out = cupy.empty_like(given[0])
    px.inverse_dynamics(robot, *given, out=out)
    done = cupy.cuda.Event()
    cupy.cuda.Device().synchronize()
    for _ in range(20):
        px.inverse_dynamics(robot, *given, out=out)
    done.record()
    assert not done.done  # some ten milliseconds of work, queued in one
    done.synchronize()


def test_two_python_threads_at_once():
    """Compiling too: a robot that nobody has used."""
    robot = random_robot(12, joints=(6, 6))
    arrays = states(robot, 5000)
    expected = px.inverse_dynamics(robot, *arrays)
    wrong = []

    def work(seed):
        try:
            stream = cupy.cuda.Stream(non_blocking=True)
            with stream:
                given = [cupy.asarray(a) for a in arrays]
                for _ in range(20):
                    found = px.inverse_dynamics(robot, *given)
                wrong.append(error(found, expected))
        except Exception as reason:
            wrong.append(reason)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wrong) == 4 and all(isinstance(w, float) and w < 1e-9 for w in wrong), wrong


# -- calls that were made before -------------------------------------------------------------------


@pytest.fixture
def careful(monkeypatch):
    """A list that grows with every call that was not remembered."""
    calls, compute = [], CudaKernel.compute

    def watched(kernel, *call):
        calls.append(kernel)
        return compute(kernel, *call)

    monkeypatch.setattr(CudaKernel, "compute", watched)
    return calls


@pytest.mark.parametrize("dtype", LIMIT)
def test_a_call_that_was_made_before_gives_the_same_bits(dtype, careful):
    robot = load("ur5")
    rows = [cupy.asarray(a) for a in states(robot, 1003, dtype=dtype)]
    columns = [cupy.ascontiguousarray(a.T).T for a in rows]
    shifted = [cupy.empty(a.size + 1, dtype)[1:].reshape(a.shape) for a in rows]
    for place, array in zip(shifted, rows, strict=True):
        place[...] = array
    for given in (rows, columns, shifted):
        careful.clear()
        first = px.inverse_dynamics(robot, *given)
        out = cupy.empty_like(first)
        px.inverse_dynamics(robot, *given, out=out)
        assert len(careful) == 2
        again = px.inverse_dynamics(robot, *given)
        assert again.strides == first.strides and (again == first).all()
        out[...] = cupy.nan
        assert px.inverse_dynamics(robot, *given, out=out) is out and (out == first).all()
        assert len(careful) == 2


def test_a_thread_that_has_not_used_the_gpu(careful):
    """The driver knows no context there; the careful way makes one."""
    robot = load("ur5")
    given = [cupy.asarray(a) for a in states(robot, 100)]
    expected = px.inverse_dynamics(robot, *given)
    cupy.cuda.Device().synchronize()
    found = []

    def work():
        for _ in range(3):
            found.append(px.inverse_dynamics(robot, *given))
        cupy.cuda.Device().synchronize()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(found) == 3 and all((each == expected).all() for each in found)


def test_calls_can_be_captured():
    robot = load("ur5")
    given = [cupy.asarray(a) for a in states(robot, 100)]
    out, stream = cupy.empty_like(given[0]), cupy.cuda.Stream(non_blocking=True)
    expected = px.inverse_dynamics(robot, *given)
    cupy.cuda.Device().synchronize()
    with stream:
        px.inverse_dynamics(robot, *given, out=out)
        stream.begin_capture()
        px.inverse_dynamics(robot, *given, out=out)
        graph = stream.end_capture()
        out[...] = cupy.nan
        graph.launch()
    stream.synchronize()
    assert (out == expected).all()


def test_pytorch_captures_calls():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs PyTorch for this GPU")
    robot = load("ur5")
    given = [torch.from_numpy(a).cuda() for a in states(robot, 100)]
    expected = px.inverse_dynamics(robot, *given).clone()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = px.inverse_dynamics(robot, *given)
    given[0] += 1.0
    graph.replay()
    torch.cuda.synchronize()
    assert not torch.equal(found, expected)
    given[0].copy_(torch.from_numpy(states(robot, 100)[0]))
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(found, expected)
