"""Optima beside those of CasADi with IPOPT, on the very same steps and costs."""

import numpy as np
import pytest
from support.optimal_systems import TASKS, solution, solver, task

casadi_optimum = pytest.importorskip("support.casadi_optimum").casadi_optimum

CLOSE = 1e-6  # of the cost
FLAT = 1e-2  # of controls and states, which move by the root of what costs do


def one(parameters, shapes, b):
    """The parameters of one problem."""
    return {
        name: value[b] if np.ndim(value) > len(shapes[name]) else value
        for name, value in parameters.items()
    }


def beside(name, method, b, **cold):
    found, its, each = solution(name, method), solver(name, method), task(name)
    given = one(each.parameters, its.parameters, b)
    start = (found.us[b], found.xs[b]) if not cold else (cold["us"],)
    return found, casadi_optimum(its, each.x0[b], *start, **given)


# CasADi takes seconds for their second derivatives
SLOW = ("panda", "flight", "ball_joint", "ur5", "rotors")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.long if n in SLOW else ()) for n in TASKS]
)
def test_no_better_trajectory_is_near(name):
    """IPOPT begins with the solution, with exact second derivatives and no other start."""
    for method in task(name).methods[:1] + task(name).methods[-1:]:
        b = len(task(name).x0) - 1
        found, theirs = beside(name, method, b)
        assert theirs.solved, theirs.status
        assert abs(theirs.cost - found.cost[b]) <= CLOSE * abs(theirs.cost)
        assert abs(theirs.us - found.us[b]).max() <= FLAT * max(1.0, abs(theirs.us).max())
        assert abs(theirs.xs - found.xs[b]).max() <= FLAT * max(1.0, abs(theirs.xs).max())


@pytest.mark.parametrize(
    "name",
    [
        *("pendulum", "cart_pole", "quadrotor", "ur5"),
        *(pytest.param(name, marks=pytest.mark.long) for name in ("panda", "flight")),
    ],
)
def test_the_same_optimum_from_the_same_first_guess(name):
    each, its = task(name), solver(name, "ilqr")
    first = each.us
    if first is None:
        first = its.solve(each.x0[0], iterations=1, **one(each.parameters, its.parameters, 0)).us
    found, theirs = beside(name, "ilqr", 0, us=first)
    assert theirs.solved, theirs.status
    assert abs(theirs.cost - found.cost[0]) <= CLOSE * abs(theirs.cost)
