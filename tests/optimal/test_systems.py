"""Tasks of real and textbook systems: solved by every method, as simulated, within limits."""

import numpy as np
import pytest
from support.optimal_systems import TASKS, solution, solver, task

import paraxis as px
from paraxis.graph.trace import trace
from paraxis.programs import Program

CASES = [(name, method) for name in TASKS for method in task(name).methods]
ROBOTS = [name for name in TASKS if isinstance(task(name).system, px.Robot)]


SLOW = ("ball_joint", "sqp"), ("rotors", "ddp")  # whose other methods are quicker


@pytest.mark.parametrize(
    "name, method",
    [pytest.param(*case, marks=pytest.mark.long if case in SLOW else ()) for case in CASES],
)
def test_a_task_is_solved(name, method):
    found = solution(name, method)
    assert found.solved.all(), found
    assert (task(name).missed(found) < task(name).near).all()
    assert (found.gap < 1e-6).all() and (found.residual < 1e-3).all()
    limits = solver(name, method).problem.limits
    if limits is not None:
        low, high = limits
        assert (found.us >= low).all() and (found.us <= high).all()


@pytest.mark.parametrize("name", TASKS)
def test_methods_find_optima_of_the_same_cost(name):
    """Where they end in the same valley, which most do."""
    costs = [solution(name, method).cost for method in task(name).methods]
    best = np.min(costs, 0)
    same = [abs(cost - best) <= 1e-6 * best for cost in costs]
    assert np.sum(same) >= len(best) + 1
    if name not in ("acrobot", "cart_pole", "rotors"):
        assert np.all(same)


@pytest.mark.parametrize("name", ROBOTS)
def test_controls_lead_in_a_simulation_where_they_should(name):
    """Step by step, as acrobots are chaotic; and without parameters, as simulations have none."""
    each = task(name)
    rows = slice(0, 1) if "mass" in each.parameters else slice(None)
    found, system = solution(name, "ilqr"), solver(name, "ilqr").problem.system
    robot = each.system
    shapes = {"q": (robot.nq,), "qd": (robot.nv,), "u": (system.nu,)}
    motors = Program.of(trace(system.motors, shapes, "motors")).compile()
    q, qd = found.q[rows], found.qd[rows]
    tau = motors(q[:, :-1], qd[:, :-1], found.us[rows])
    run = px.simulate(
        robot, q[:, :-1], qd[:, :-1], tau, dt=system.dt, steps=1, method=system.method, limits=False
    )
    assert np.allclose(run.q[-1], q[:, 1:], rtol=0, atol=1e-12)
    assert np.allclose(run.qd[-1], qd[:, 1:], rtol=0, atol=1e-11)
