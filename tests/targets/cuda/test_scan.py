"""Sweeps and scans on a GPU, on its stand-ins: the same kernels, compiled as C++, against the CPU.

Arrays of the stand-in do not mix with NumPy's, so that code which forgets where one is fails.
"""

import io
from dataclasses import replace

import numpy as np
import pytest
from support import far_arrays
from support.chains import (
    DIGITS,
    FORWARD,
    FUNCTIONS,
    KINDS,
    ROUNDING,
    chain,
    slow_states,
    universal_joints,
)
from support.far_arrays import FarArray, FarDevice, far
from support.robots import relative_error
from support.scans import FILTER, then

import paraxis as px
from paraxis.body import Body
from paraxis.chains import on_gpu
from paraxis.chains.numbers import chain_of
from paraxis.chains.on_gpu import GLUED_ROWS, ON_GPU, ChainOnGpu
from paraxis.chains.short_rows import short_rows
from paraxis.drivers.scan import ORDERS
from paraxis.drivers.sweep import Place
from paraxis.errors import ArgumentError
from paraxis.graph.trace import trace
from paraxis.targets.cuda import scan as scan_kernel
from paraxis.targets.cuda.device import compile_text
from paraxis.targets.cuda.scan import CudaScan
from paraxis.targets.cuda.text import sweep as sweep_text
from paraxis.targets.target import Cuda


@pytest.fixture(autouse=True)
def stand_in(monkeypatch):
    """Paraxis finds FarArrays on a device of theirs."""
    device = far_arrays.use(monkeypatch)
    for module in (on_gpu, scan_kernel):
        monkeypatch.setattr(module, "family_of", far_arrays.family_of)
    monkeypatch.setattr(on_gpu, "device", lambda: device)
    return device


def on_device(robot, function, way=None, algorithm=None):
    return ChainOnGpu(robot, function, way, algorithm)


def far_states(robot, count):
    """States in main memory, and the same on the device."""
    state = slow_states(robot, count)
    return state, [far(array.copy()) for array in state]


def check(robot, function, way=None, algorithm=None, count=2, limit=ROUNDING):
    state, there = far_states(robot, count)
    exact = FUNCTIONS[function](robot, *state, algorithm="serial")
    found = on_device(robot, function, way, algorithm)(*there)
    assert isinstance(found, FarArray) and found.shape == exact.shape
    assert relative_error(np.array(found), exact) < limit, (robot.n, way, algorithm)
    return found


# -- every order is the same physics ---------------------------------------------------------------


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_way_of_a_long_chain(function):
    for n in (1, 2, 9, 40, 70, 300):  # 1, 4, 8 and 32 rows
        for way in (None, "serial", "batched", "scan"):
            check(chain(n, reach=0.3), function, way, count=3)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_gluing_rows_is_done_on_the_cpu_too(function):
    """One class, both machines; each result begins anew."""
    for n in (1, 7, 16, 100, 1001):
        robot = chain(n, "mixed", reach=0.1)
        arm, state = chain_of(robot), [array[0] for array in slow_states(robot, 1)]
        here, there = np.empty(n), far(np.empty(n))
        exact = FUNCTIONS[function](robot, *state, algorithm="serial")
        GLUED_ROWS[function](arm, short_rows(arm))(*state, here)
        assert relative_error(here, exact) < ROUNDING
        solver = GLUED_ROWS[function](arm, short_rows(arm), Cuda(FarDevice(), None))
        for _ in range(2):
            solver(*map(far, state), there)
            assert relative_error(np.array(there), exact) < ROUNDING


def orders(quick):
    """(function, algorithm, kinds, rotors) of all that takes long to compile, or does not."""
    for function, algorithms in ON_GPU.items():
        for algorithm in algorithms:
            for kinds in KINDS:
                for rotors in (False, True):
                    if quick == (algorithm == "newton_euler" and kinds == "mixed" and rotors):
                        yield function, algorithm, kinds, rotors


def check_orders(function, algorithm, kinds, rotors):
    for n in (1, 2, 3, 21, 70):
        for order in ON_GPU[function][algorithm]:
            limit = DIGITS.get(order, ROUNDING)
            check(chain(n, kinds, rotors), function, order, algorithm, limit=limit)


@pytest.mark.parametrize("function, algorithm, kinds, rotors", [*orders(quick=True)])
def test_every_order_of_a_scan(function, algorithm, kinds, rotors):
    check_orders(function, algorithm, kinds, rotors)


@pytest.mark.long
@pytest.mark.parametrize("function, algorithm, kinds, rotors", [*orders(quick=False)])
def test_every_order_of_other_scans(function, algorithm, kinds, rotors):
    check_orders(function, algorithm, kinds, rotors)


def test_rows_are_short_and_not_too_many():
    class Bare:
        def bears(self, cut):
            return True

    for n in (1, 7, 8, 15, 16, 17, 1000, 2**16, 2**20, 3 * 2**20):
        Bare.n = n
        cut = short_rows(Bare())
        assert cut.padded >= n and cut.rows & (cut.rows - 1) == 0
        assert cut.padded - n < cut.rows
        assert cut.rows == 2**16 if n >= 2**19 else cut.steps <= 16


@pytest.mark.parametrize("first", [0, 1])
def test_rows_end_with_links_that_have_mass(first):
    for n in (33, 300):
        robot = universal_joints(n, first)
        cut = short_rows(chain_of(robot))
        last = np.arange(cut.steps - 1 - cut.before, n - 1, cut.steps)
        assert all(robot.inertias[link].mass for link in last)


@pytest.mark.long
def test_a_chain_that_cannot_be_cut_goes_link_by_link(monkeypatch):
    monkeypatch.setattr(on_gpu, "short_rows", lambda *_: None)
    robot = chain(70)
    cut, serial = (check(robot, FORWARD, way) for way in ("scan", "serial"))
    np.testing.assert_array_equal(np.array(cut), np.array(serial))


# -- arrays ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_of_a_long_robot(function):
    """As users call them: arrays of a GPU in, the same out, whatever was asked of it before."""
    robot, call = chain(70), FUNCTIONS[function]
    (q, qd, last), there = far_states(robot, 2)
    for turn in range(2):
        found = call(robot, *there)
        assert isinstance(found, FarArray)
        here = call(robot, q, qd, last)  # after which there is a function for NumPy's, too
        assert not isinstance(here, FarArray)
        assert relative_error(np.array(found), here) < ROUNDING, turn
    out = far(np.full((2, 70), np.nan))
    assert call(robot, *there, out=out) is out
    np.testing.assert_array_equal(np.array(out), np.array(found))
    wide = call(robot, there[0][:, None], there[1][0], there[2])
    assert wide.shape == (2, 2, 70)
    single = call(robot, *(array.astype(np.float32) for array in there))
    assert single.dtype == np.float32
    assert call(robot, there[0][:0], there[1][0], there[2][0]).shape == (0, 70)
    with pytest.raises(ArgumentError, match=r"q: expected shape \(\.\.\., 70\), found \(2, 69\)"):
        call(robot, there[0][:, 1:], *there[1:])
    with pytest.raises(ArgumentError, match="qd: expected an array on a GPU"):
        call(robot, there[0], qd, there[2])
    with pytest.raises(ArgumentError, match=r"out: expected an array of float64 \(2, 70\)"):
        call(robot, *there, out=out[0])


def test_gravity_and_bias():
    robot = chain(70)
    (q, qd, _), (q_there, qd_there, _) = far_states(robot, 2)
    for found, exact in (
        (px.gravity_torques(robot, q_there), px.gravity_torques(robot, q)),
        (px.bias_forces(robot, q_there, qd_there), px.bias_forces(robot, q, qd)),
    ):
        assert relative_error(np.array(found), exact) < ROUNDING


def test_states_that_do_not_fit_at_once(monkeypatch):
    robot = chain(70)
    _, there = far_states(robot, 11)
    whole = on_device(robot, FORWARD, "batched")(*there)
    monkeypatch.setattr(on_gpu, "MOST_BYTES", 4 * 70 * on_gpu.LINK_BYTES)
    parts = on_device(robot, FORWARD, "batched")(*there)
    np.testing.assert_array_equal(np.array(parts), np.array(whole))


@pytest.mark.parametrize("way", ["batched", "scan"])
@pytest.mark.long
def test_nan_spoils_one_state_and_no_other(way):
    robot = chain(70)
    _, (q, qd, tau) = far_states(robot, 3)
    call = on_device(robot, FORWARD, way)
    clean = np.array(call(q, qd, tau))
    q[1, 33] = np.nan
    found = np.array(call(q, qd, tau))
    assert not np.isfinite(found[1]).any()
    np.testing.assert_array_equal(found[[0, 2]], clean[[0, 2]])


def test_how_it_is_done_is_chosen():
    robot = chain(70)
    call = px.chains.chain_dynamics(robot, target="cuda")
    assert repr(call).endswith("articulated_body, odd_even_reduction, cuda>")
    _, there = far_states(robot, 1)
    assert isinstance(call(*there), FarArray)
    for options, message in (
        ({"target": "gpu"}, "target: expected one of .*, found 'gpu'"),
        ({"target": "cuda", "threads": 2}, "threads cannot be set"),
        (
            {"target": "cuda", "order": "p_fold"},
            "for articulated_body, found 'p_fold'",
        ),
    ):
        with pytest.raises(ArgumentError, match=message):
            px.chains.chain_dynamics(robot, **options)
    thin = replace(robot, inertias=(px.robots.Inertia(), *robot.inertias[1:]), warn=False)
    with pytest.raises(px.RobotError, match="has no mass"):
        px.chains.chain_dynamics(thin, FORWARD, "constraint_force", target="cuda")


# -- scans of one's own ----------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
def test_prefixes(order):
    program = px.trace(then, **FILTER)
    scan, here = program.compile_scan(order, target="cuda"), program.compile_scan(order)
    assert isinstance(scan, CudaScan) and repr(scan) == repr(here)[:-1] + ", cuda>"
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 70, 1000, 0):
        a, b = rng.uniform(0, 1, n), rng.uniform(0, 1, (n, 2))
        exact = here(a=a, b=b)
        for _ in range(2):
            found = scan(far(a), b=far(b))
            for part in ("a", "b"):
                assert isinstance(found[part], FarArray)
                np.testing.assert_allclose(np.array(found[part]), exact[part], rtol=1e-13)
    with pytest.raises(ArgumentError, match=r"b: expected shape \(3, 2\), found \(3, 1\)"):
        scan(a=far(np.ones(3)), b=far(np.ones((3, 1))))


# -- sweeps ----------------------------------------------------------------------------------------


def swapped(x, y):
    return {"first": y, "second": x}


def test_results_may_lie_on_what_is_read():
    """Then they wait until all is read; else each is written as soon as it is there."""
    gpu = Cuda(FarDevice(), None)
    sweep = gpu.sweep(Body(trace, swapped, {"x": (3,), "y": (3,)}, "swapped"))
    numbers = gpu.arrays.asarray(np.arange(12.0).reshape(2, 6))  # two groups
    x, y = (Place(numbers[:, part], 48, 0, entry=8) for part in (slice(3), slice(3, 6)))
    sweep.bind(1, 2, x=x, y=y, first=x, second=y).run()
    np.testing.assert_array_equal(np.array(numbers), [[3, 4, 5, 0, 1, 2], [9, 10, 11, 6, 7, 8]])
    with pytest.raises(TypeError, match="swapped: expected .*, found"):
        sweep.bind(1, 2, x=x, y=y)


def running(total, x):
    return {"total": total + x, "seen": total}


def test_what_is_carried_goes_along_a_row():
    gpu = Cuda(FarDevice(), None)
    sweep = gpu.sweep(Body(trace, running, {"total": (), "x": ()}, "running"))
    x = gpu.arrays.asarray(np.arange(200.0).reshape(100, 2))  # a hundred rows of two
    seen, total = gpu.arrays.zeros((100, 2)), gpu.arrays.zeros(100)
    row = Place(x, 16, -8, first=8)  # from the end of each
    sweep.bind(2, 100, x=row, total=Place(total, 8, 0), seen=Place(seen, 16, 8)).run()
    np.testing.assert_array_equal(np.array(total), np.arange(200.0).reshape(100, 2).sum(1))
    np.testing.assert_array_equal(np.array(seen)[:, 1], np.arange(200.0).reshape(100, 2)[:, 1])


@pytest.mark.parametrize("overlapping", [False, True])
def test_text_that_nvrtc_takes(overlapping):
    pytest.importorskip("cupy")
    text = sweep_text.sweep_text(trace(then, FILTER, "then"), overlapping=overlapping)
    for architecture in ("sm_80", "sm_90"):
        assert compile_text(text.text, architecture)


# -- the benchmark ---------------------------------------------------------------------------------


class StandIn:
    """As benchmarks/gpu_clock.Gpu, as far as chains are measured."""

    to_device, to_host = staticmethod(lambda array: far(array.copy())), staticmethod(np.array)

    class arrays:
        @staticmethod
        def get_default_memory_pool():
            return StandIn

    used_bytes = staticmethod(lambda: 0)

    def seconds(self, run):
        run()
        return 1e-3

    def wait(self):
        pass


@pytest.mark.long
def test_chains_are_measured():
    gpu_chains = pytest.importorskip("gpu_chains")  # of benchmarks/
    console = pytest.importorskip("rich.console")
    robot = gpu_chains.general_chain(100, 0.3)
    rows = [gpu_chains.measure_chain(StandIn(), robot, function) for function in FUNCTIONS]
    assert all(row["error"] < 1e-11 and row["serial_ms"] > 0 for row in rows)
    page = io.StringIO()
    gpu_chains.show(rows, console.Console(file=page, width=150))
    assert "forward_dynamics" in page.getvalue()
    assert not gpu_chains.goals(rows)
    longest = rows[0] | {"n": 2**17}
    assert list(gpu_chains.goals([longest])) == ["times one core at 2^17 (at least 20)"]
