"""Kernels whose warps compute a state each: their text is run on the CPU, against the interpreter
of what they do."""

import sys

import numpy as np
import pytest
from support.cuda_warps import WarpDevice, placed
from support.robots import random_robot

import paraxis as px
from paraxis.frameworks.derivable import Derivable
from paraxis.function_bodies import function_body
from paraxis.joint_functions.plans import lanes_plan
from paraxis.targets.cuda import map as cuda_map
from paraxis.targets.cuda.lanes import most_states
from paraxis.targets.cuda.map import CudaKernel

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's memory maps")


class LanesDevice(WarpDevice):
    most_shared = 100 << 10


@pytest.fixture(autouse=True)
def always(monkeypatch):
    """Lanes, whether they are faster or not."""
    monkeypatch.setattr(cuda_map, "most_states", lambda body, in_rows: float("inf"))


FIXED = random_robot(3, joints=(3, 3))
FLOATING = random_robot(4, joints=(2, 2)).with_floating_base()


def kernel_of(robot, function, dtype):
    return CudaKernel(function_body(robot, function), dtype, on=LanesDevice())


def states_of(robot, count, dtype):
    q, _ = px.robots.random_states(robot, count, seed=1)
    rates = np.random.default_rng(2).uniform(-1, 1, (2, count, robot.nv))
    return [np.ascontiguousarray(array, dtype) for array in (q, *rates)]


def expected_of(robot, function, given):
    plan = lanes_plan(robot, function)
    rows = [
        plan.evaluate(dict(zip(plan.inputs, state, strict=True)))
        for state in zip(*given, strict=True)
    ]
    return [
        np.array([row[name] for row in rows]).reshape(len(rows), *shape)
        for name, (shape, *_) in plan.outputs.items()
    ]


def close(found, expected, dtype):
    for array, right in zip(found, expected, strict=True):
        scale = np.maximum(1, abs(right).max(axis=tuple(range(1, right.ndim)), keepdims=True))
        assert (abs(array - right) / scale).max() < (1e-4 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize("first", ["function", "program"])
def test_a_program_of_a_function_leaves_the_function_its_lanes(first):
    """Both have one key, under which choices and kernels are kept."""
    robot = random_robot(5, joints=(2, 2))
    kernels = {
        "function": lambda: kernel_of(robot, "inverse_dynamics_derivatives", "float32"),
        "program": lambda: CudaKernel(
            px.program(robot, "inverse_dynamics_derivatives"), "float32", on=LanesDevice()
        ),
    }
    given = states_of(robot, 3, "float32")
    found = {}
    for name in sorted(kernels, key=lambda each: each != first):
        kernel = kernels[name]()
        assert kernel.by_lanes(3) is (name == "function")
        found[name] = kernel(*given)
    close(found["program"], found["function"], "float32")


def test_frameworks_use_lanes_for_functions_but_not_for_gradients():
    program = px.program(FIXED, "inverse_dynamics_derivatives")
    body = Derivable.of(program)
    assert CudaKernel(body, "float32", on=LanesDevice()).by_lanes(3)
    gradient = body.vjp((0,), (0,))
    assert not CudaKernel(gradient, "float32", on=LanesDevice()).by_lanes(3)


@pytest.mark.parametrize(
    "robot, function, dtype",
    [
        (FIXED, "forward_dynamics_derivatives", "float32"),
        (FLOATING, "inverse_dynamics_derivatives", "float64"),
        (FLOATING, "forward_dynamics", "float32"),
    ],
    ids=["fixed", "floating, float64", "floating"],
)
def test_rows(robot, function, dtype):
    """All of the results and nothing beside them, for full blocks and for the last of them."""
    kernel = kernel_of(robot, function, dtype)
    given = states_of(robot, 6, dtype)
    expected = expected_of(robot, function, given)
    places, fields = zip(*(placed(each.shape, dtype, 16) for each in expected), strict=True)
    kernel(*given, out=places if len(places) > 1 else places[0])
    close(places, expected, dtype)
    for place, field in zip(places, fields, strict=True):
        assert np.isnan(field).sum() == field.size - place.size


def test_other_layouts():
    """Columns, and states with gaps between them."""
    kernel = kernel_of(FIXED, "inverse_dynamics", "float64")
    given = states_of(FIXED, 5, "float64")
    expected = expected_of(FIXED, "inverse_dynamics", given)
    columns = [np.ascontiguousarray(array.T).T for array in given]
    close([kernel(*columns)], expected, "float64")
    wide = [np.repeat(array, 2, axis=0)[::2] for array in given]
    close([kernel(*wide)], expected, "float64")


def test_a_bad_state_spoils_its_own_results_and_no_others():
    kernel = kernel_of(FLOATING, "inverse_dynamics", "float64")
    q, qd, qdd = states_of(FLOATING, 5, "float64")
    right = kernel(q, qd, qdd)
    q[1, 0] = np.nan  # of a position that nothing depends on
    qd[3, 7] = np.inf
    found = kernel(q, qd, qdd)
    assert np.isnan(found[1]).all() and not np.isfinite(found[3]).all()
    assert np.array_equal(found[[0, 2, 4]], right[[0, 2, 4]])


def test_results_do_not_depend_on_the_place_in_a_batch():
    kernel = kernel_of(FIXED, "forward_dynamics_derivatives", "float32")
    given = states_of(FIXED, 6, "float32")
    whole = kernel(*given)
    for k in (0, 5):
        alone = kernel(*(array[k : k + 1] for array in given))
        assert all(np.array_equal(a[0], b[k]) for a, b in zip(alone, whole, strict=True))


def test_what_fits_no_block_is_computed_by_threads():
    class Small(WarpDevice):
        most_shared = 1 << 10

    body = function_body(FIXED, "inverse_dynamics")
    assert not CudaKernel(body, "float32", on=Small()).by_lanes(1)
    assert CudaKernel(body, "float32", on=LanesDevice()).by_lanes(1)


def test_each_gpu_has_room_of_its_own():
    """Of two GPUs in one process, one may have too little shared memory."""

    class Two(LanesDevice):
        number = 0

        @property
        def most_shared(self):
            return (100 << 10, 1 << 10)[self.number]

        def loaded(self, parts, make, load):  # nothing is kept
            return load(self, *make())

    device = Two()
    kernel = CudaKernel(function_body(FIXED, "inverse_dynamics"), "float32", on=device)
    for number, has_room in ((0, True), (1, False), (0, True)):
        device.number = number
        assert kernel.by_lanes(1) is has_room


def test_a_joint_that_moves_no_mass_is_refused_as_on_the_cpu():
    joints = [px.robots.Joint("j", "revolute", -1)]
    robot = px.Robot("bare", joints, [px.robots.Inertia()], warn=False)
    with pytest.raises(px.RobotError, match="moves nothing that has inertia"):
        lanes_plan(robot, "forward_dynamics")


def test_when_lanes_pay():
    """Never for the torques of an arm, nor for derivatives where right angles leave little to
    compute; always for the derivatives of a humanoid's size, but not for its accelerations, however
    large it is."""
    arm, branches = px.load("xarm7"), random_robot(1, joints=(28, 28))
    assert most_states(function_body(arm, "inverse_dynamics")) == 0
    assert 0 < most_states(function_body(arm, "inverse_dynamics_derivatives")) < 4096
    assert most_states(function_body(px.load("ur5"), "inverse_dynamics_derivatives")) == 0
    assert most_states(function_body(branches, "forward_dynamics_derivatives")) == float("inf")
    # Not where results are written entry by entry, unless threads take minutes to compile.
    assert 0 < most_states(function_body(branches, "inverse_dynamics_derivatives"), False) < 1e5
    long = random_robot(1, joints=(60, 60)).with_floating_base()
    assert most_states(function_body(long, "forward_dynamics")) < 4096
    assert most_states(function_body(long, "forward_dynamics_derivatives"), False) == float("inf")
