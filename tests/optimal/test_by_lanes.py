"""A knot of the pass backward by the lanes of a warp: what a thread computes."""

import sys

import numpy as np
import pytest
from support.cuda_warps import WarpDevice
from support.robots import random_robot

import paraxis as px
from paraxis.drivers.row import made_row
from paraxis.targets.cuda import iterate as loop_kernel
from paraxis.targets.cuda.iterate import CudaIterateKernel
from paraxis.targets.target import CPU

ARM = px.robots.planar(2)
FLYING = random_robot(4, joints=(1, 1)).with_floating_base()


class LanesDevice(WarpDevice):
    most_shared = 100 << 10


def costs(q, qd, u, goal):
    return 5 * ((q - goal) @ (q - goal)) + 0.05 * (qd @ qd) + 1e-3 * (u @ u)


def varying(q, qd, u, goal):
    """Its Hessian has entries that depend on the state, and others that do not."""
    return costs(q, qd, u, goal) + px.math.exp(q[0] * goal[0]) * u[1] ** 2


def effort(qd, u):
    return qd @ qd + u @ u


def problem_of(method, limits, cost=costs, robot=ARM, **options):
    parameters = None if cost is effort else {"goal": robot.nq}
    return px.optimal_control(
        robot, cost, 12, dt=0.03, method=method, limits=limits, parameters=parameters, **options
    ).problem.composed


def many_controls(x, u):
    """Gaps are read by two numbers, controls by four, where they are float32."""
    return [x[0] + 0.1 * px.math.sin(x[1]) + u @ u, x[1] + u[0] + u[4]]


def own_problem():
    system = px.trace(many_controls, x=2, u=5)
    solver = px.optimal_control(system, lambda x, u: x @ x + u @ u, 12, limits=(-0.5, 0.7))
    return solver.problem.composed


def random_inputs(problem, shapes, rng, streamed=(), steps=1, count=1, dtype="float64"):
    """name -> array; the value function curves upward."""
    n = problem.system.ndx
    given = {
        name: rng.normal(size=(steps, count, *shape) if name in streamed else (count, *shape))
        for name, shape in shapes.items()
    }
    A = rng.normal(size=(count, n, n))
    V = A @ A.transpose(0, 2, 1) + n * np.eye(n)
    given["V"] = V[:, *np.triu_indices(n)]
    given["damping"] = np.linspace(0, 0.3, count)
    if "u" in given:
        low, high = problem.limits
        given["u"] = np.clip(given["u"], low, high)
    return {name: array.astype(dtype) for name, array in given.items()}


PROBLEMS = {
    "plain": lambda: problem_of("ilqr", False),
    "gaps": lambda: problem_of("sqp", False),
    "bent": lambda: problem_of("ddp", False, varying),
    "varying, gaps": lambda: problem_of("sqp", False, varying),
    "limits": lambda: problem_of("ilqr", (-0.5, 0.7)),
    "limits, gaps": lambda: problem_of("sqp", (-0.7, 0.5), varying),
    "four calls": lambda: problem_of("ilqr", False, integrator="rk4"),
    "curved": lambda: problem_of("sqp", False, effort, robot=FLYING),
    "more controls than states": own_problem,
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_plan_computes_what_the_graph_does(name):
    problem = PROBLEMS[name]()
    body, plan = problem.backward
    rng, held, free = np.random.default_rng(0), 0, 0
    for _ in range(6):
        given = random_inputs(problem, plan.inputs, rng)
        given["V"] = given["V"] * 10 ** rng.uniform(-2, 2)
        given = {name: array[0] for name, array in given.items()}
        right, found = made_row(body).evaluate(given), body.lanes.evaluate(given)
        for key, values in found.items():
            expected = np.ravel(right[key])
            assert abs(values - expected).max() <= 1e-9 * max(1, abs(expected).max()), key
        held += (right["K"] == 0).all(-1).sum()
        free += (right["K"] != 0).all(-1).sum()
    assert free and (held > 0) == (problem.limits is not None)


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's memory maps")
@pytest.mark.parametrize(
    "name, dtype",
    [
        ("gaps", "float64"),
        ("bent", "float32"),
        ("limits", "float64"),
        ("limits, gaps", "float32"),
        ("more controls than states", "float32"),
    ],
)
@pytest.mark.parametrize("warps", [1, 4])
def test_the_kernel_goes_backward_as_a_cpu_does(name, dtype, warps, monkeypatch):
    """Through streams, records and repetitions; by one warp for each problem, or by several."""
    monkeypatch.setattr(loop_kernel, "TOGETHER", warps)
    problem, steps, count = PROBLEMS[name](), 3, 2
    body, plan = problem.backward
    rng = np.random.default_rng(1)
    given = random_inputs(problem, plan.inputs, rng, plan.per_step, steps, count, dtype)
    kernel = CudaIterateKernel(body, plan, dtype, on=LanesDevice())
    assert kernel.way(count) == "lanes"
    found = kernel(steps, **given)
    expected = CPU.iterate(body, plan, dtype)(steps, **given)
    for ours, theirs in zip(found, expected, strict=True):
        for key, right in theirs.items():
            scale = max(1, abs(right).max())
            assert abs(ours[key] - right).max() < (1e-9 if dtype == "float64" else 1e-3) * scale


def test_derivatives_in_a_chain_have_no_lanes():
    solver = px.optimal_control(ARM, effort, 12, dt=0.03, limits=False)
    body, _ = solver.problem.backward
    assert body.lanes is None
