"""Long chains and scans on a GPU: the CPU's numbers, recorded and replayed, on any stream.

python -m pytest tests/gpu/test_scan.py
"""

import threading

import numpy as np
import pytest
from support.chains import DIGITS, FUNCTIONS, chain, long_chain, slow_states
from support.robots import relative_error
from support.scans import FILTER, then

import paraxis as px
from paraxis.chains.links import links
from paraxis.chains.on_gpu import ON_GPU
from paraxis.drivers.scan import ORDERS

cupy = pytest.importorskip("cupy")

ROUNDING = 1e-9
of_both = pytest.mark.parametrize("function", FUNCTIONS)


def near(array):
    return cupy.asnumpy(array)


def both(robot, count=2, seed=0):
    """States in main memory, and the same on the GPU."""
    state = slow_states(robot, count, seed)
    return state, [cupy.asarray(array) for array in state]


@of_both
@pytest.mark.parametrize("n", [70, 1001, 40_000])
def test_every_way_of_a_long_chain(function, n):
    """Called three times: plainly, while it is recorded, and from the recording."""
    robot, call = long_chain(n), FUNCTIONS[function]
    for way in (None, "scan", *(("serial", "batched") if n < 40_000 else ())):
        for seed in range(3):
            state, there = both(robot, 2, seed)
            exact = call(robot, *state, algorithm="serial")
            found = call(robot, *there, algorithm=way)
            assert isinstance(found, cupy.ndarray)
            assert relative_error(near(found), exact) < ROUNDING, (way, seed)


@of_both
@pytest.mark.parametrize("rotors", [False, True])
def test_every_order(function, rotors):
    for n in (3, 70, 1001):
        robot = chain(n, "mixed", rotors, reach=0.1)
        state, there = both(robot, 1)
        exact = FUNCTIONS[function](robot, *state, algorithm="serial")
        for algorithm, orders in ON_GPU[function].items():
            for order in orders:
                call = px.chains.chain_dynamics(robot, function, algorithm, order, target="cuda")
                for _ in range(3):
                    error = relative_error(near(call(*there)), exact)
                    assert error < DIGITS.get(order, ROUNDING), (n, algorithm, order)


def test_many_states_side_by_side():
    robot = long_chain(100)
    state, there = both(robot, 10_001)
    found = px.forward_dynamics(robot, *there)
    exact = px.forward_dynamics(robot, *state)
    assert relative_error(near(found), exact) < ROUNDING
    few = [array[:100] for array in there]
    np.testing.assert_array_equal(
        near(px.forward_dynamics(robot, *few, algorithm="batched")), near(found)[:100]
    )


def test_the_same_bits_every_time():
    robot = long_chain(5000)
    _, there = both(robot, 1)
    first = near(px.forward_dynamics(robot, *there))
    for _ in range(5):
        np.testing.assert_array_equal(near(px.forward_dynamics(robot, *there)), first)


def test_gravity_bias_and_results_in_an_array_of_ones_own():
    robot = long_chain(1001)
    (q, qd, _), (q_there, qd_there, last) = both(robot)
    for function, there, here in (
        (px.gravity_torques, (q_there,), (q,)),
        (px.bias_forces, (q_there, qd_there), (q, qd)),
    ):
        assert relative_error(near(function(robot, *there)), function(robot, *here)) < ROUNDING
    out = cupy.full((2, 1001), cupy.nan)
    assert px.forward_dynamics(robot, q_there, qd_there, last, out=out) is out
    np.testing.assert_array_equal(
        near(out), near(px.forward_dynamics(robot, q_there, qd_there, last))
    )


def test_arrays_of_torch():
    torch = pytest.importorskip("torch")
    robot = long_chain(1001)
    state, _ = both(robot)
    found = px.forward_dynamics(robot, *(torch.as_tensor(array, device="cuda") for array in state))
    assert isinstance(found, torch.Tensor) and found.is_cuda
    assert relative_error(found.cpu().numpy(), px.forward_dynamics(robot, *state)) < ROUNDING


def test_two_streams_share_the_memory_of_a_solver():
    robot = long_chain(2000)
    states = [both(robot, 1, seed) for seed in range(8)]
    exact = [px.forward_dynamics(robot, *state) for state, _ in states]
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(2)]
    cupy.cuda.Device().synchronize()
    for _ in range(5):
        found = []
        for k, (_, there) in enumerate(states):
            with streams[k % 2]:
                found.append(px.forward_dynamics(robot, *there))
        cupy.cuda.Device().synchronize()
        for one, expected in zip(found, exact, strict=True):
            assert relative_error(near(one), expected) < ROUNDING


def test_two_threads_at_once():
    robot = long_chain(2000)
    states = [both(robot, 1, seed) for seed in range(2)]
    exact = [px.forward_dynamics(robot, *state) for state, _ in states]
    wrong = []

    def calls(k):
        with cupy.cuda.Stream(non_blocking=True) as stream:
            for _ in range(30):
                found = px.forward_dynamics(robot, *states[k][1])
                stream.synchronize()
                if not relative_error(near(found), exact[k]) < ROUNDING:
                    wrong.append(k)

    callers = [threading.Thread(target=calls, args=(k,)) for k in range(2)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def test_capture_in_a_graph_of_the_callers():
    """Arrays are used in place; copies are refused, since a graph would write to freed memory."""
    robot = long_chain(1001)
    for function in (px.forward_dynamics, px.inverse_dynamics):
        state, there = both(robot, 1)
        out = cupy.full((1, 1001), cupy.nan)
        function(robot, *there, out=out)  # compiles
        stream = cupy.cuda.Stream(non_blocking=True)
        cupy.cuda.Device().synchronize()
        with stream:
            stream.begin_capture()
            with pytest.raises(px.ArgumentError, match="in a CUDA graph: expected arrays of float"):
                function(robot, *there)
            function(robot, *there, out=out)
            graph = stream.end_capture()
        for scale in (1.0, 0.5):
            there[0][...] = cupy.asarray(state[0]) * scale
            out.fill(cupy.nan)
            cupy.cuda.Device().synchronize()  # the stream does not wait for others
            graph.launch(stream)
            stream.synchronize()
            expected = function(robot, state[0] * scale, *state[1:])
            assert relative_error(near(out), expected) < ROUNDING


def test_nothing_is_waited_for():
    """While a kernel before it runs, a call that was made before returns."""
    robot = long_chain(1000)
    _, there = both(robot, 1)
    for _ in range(3):
        px.forward_dynamics(robot, *there)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        busy = cupy.RawKernel(
            r'extern "C" __global__ void busy() { long long t = clock64(); '
            r"while (clock64() - t < 1000000000ll) {} }",
            "busy",
        )
        busy((1,), (1,), ())
        px.forward_dynamics(robot, *there)
        assert not stream.done
    stream.synchronize()


@pytest.mark.parametrize("order", ORDERS)
def test_prefixes(order):
    program = px.trace(then, **FILTER)
    scan, here = program.compile_scan(order, target="cuda"), program.compile_scan(order)
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 70, 100_000):
        a, b = rng.uniform(0, 1, n), rng.uniform(0, 1, (n, 2))
        exact = here(a=a, b=b)
        for _ in range(3):
            found = scan(a=cupy.asarray(a), b=cupy.asarray(b))
            for part in ("a", "b"):
                np.testing.assert_allclose(near(found[part]), exact[part], rtol=1e-12)


@pytest.mark.parametrize("sliding", [0.0, 0.25])
def test_digits_of_a_very_long_chain(sliding):
    made = pytest.importorskip("general_chain")  # of benchmarks/
    reference = pytest.importorskip("chain_reference")
    robot = made.general_chain(2**16, sliding)
    q, qd, _, tau = made.state_of(robot)
    found = px.forward_dynamics(robot, *map(cupy.asarray, (q, qd, tau)))
    exact = reference.forward_dynamics(links(robot), q, qd, tau)
    assert made.error(near(found), exact) < 1e-9
