"""Tasks of real and textbook systems: solved by every method, as simulated, within limits."""

import numpy as np
import pytest
from support.optimal_systems import TASKS, solution, solver, task

import paraxis as px
from paraxis.graph.trace import trace
from paraxis.optimal.systems import RobotSystem
from paraxis.programs import Program

CASES = [(name, method) for name in TASKS for method in task(name).methods]
SMALL = [name for name in TASKS if name not in ("panda", "flight", "ball_joint")]


@pytest.mark.parametrize("name, method", CASES)
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


@pytest.mark.parametrize("name", [name for name in TASKS if isinstance(task(name).system, px.Robot)])
def test_controls_lead_where_they_should_in_a_simulation(name):
    each = task(name)
    method = each.methods[0]
    found, system = solution(name, method), solver(name, method).problem.system
    robot = each.system
    motors = trace(
        lambda q, qd, u: {"tau": system._motors(q, qd, u)},
        {"q": (robot.nq,), "qd": (robot.nv,), "u": (system.nu,)},
        "motors",
    )
    tau = Program.of(motors).compile()
    q, qd = found.q[:, 0], found.qd[:, 0]
    own = {k: v for k, v in each.parameters.items() if k in system.own_inputs}
    for k in range(found.us.shape[1]):
        torques = tau(found.q[:, k], found.qd[:, k], found.us[:, k])
        run = px.simulate(
            robot, found.q[:, k], found.qd[:, k], torques, dt=system.dt, steps=1,
            method=system.method, limits=False, **own,
        )  # fmt: skip
        q, qd = run.q[-1], run.qd[-1]
        assert np.allclose(q, found.q[:, k + 1], rtol=0, atol=1e-9)
        assert np.allclose(qd, found.qd[:, k + 1], rtol=0, atol=1e-8)
