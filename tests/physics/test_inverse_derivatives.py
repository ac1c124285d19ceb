"""Derivatives by composite bodies beside those of torque graphs, and the solves they need."""

from dataclasses import replace

import numpy as np
import pytest
from support.functions import error
from support.joints import motion, robot_of

import paraxis as px
from paraxis.physics.linear.factor import factor
from paraxis.physics.linear.inverse import inverse, solve_columns
from paraxis.robots import Coupling

MOVING = ("mass", "external_force", "base_velocity", "base_acceleration")
NAMED = ("composite_body", "newton_euler", "modified_newton_euler")
ROBOTS = {
    "standing": robot_of(("universal", "planar", "prismatic", "revolute"), (-1, 0, 0, 1), 3),
    "floating": robot_of(("free", "revolute", "spherical", "prismatic"), (-1, 0, 1, 0), 5),
}


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_composite_bodies_have_the_slopes_of_torque_graphs(robot):
    rng = np.random.default_rng(1)
    for function in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        recursion, graph = (
            px.program(robot, function, algorithm, parameters=MOVING)
            for algorithm in ("composite_body", "newton_euler")
        )
        given = {name: rng.uniform(0.5, 2.0, shape) for name, shape in graph.inputs.items()}
        given |= {name: x for name, x in motion(robot).items() if name in given}
        found, expected = recursion.evaluate(**given), graph.evaluate(**given)
        for name in expected:
            assert error(found[name], expected[name]) < 1e-11, (function, name)


def test_what_follows_linearly_has_the_slopes_of_the_whole():
    """And a joint that follows by a polynomial of degree one and one of degree two with a tiny
    coefficient agree, though one goes through composite bodies and the other does not."""
    joints = [*robot_of(("revolute",) * 4, (-1, 0, 1, 1), 8).joints]
    bodies = robot_of(("revolute",) * 4, (-1, 0, 1, 1), 8).inertias

    def robot(*coefficients):
        follower = replace(joints[3], coupling=Coupling(joints[2].name, coefficients))
        return px.Robot("gripper", [*joints[:3], follower], bodies, warn=False)

    linear, bent = robot(0.1, -0.7), robot(0.1, -0.7, 1e-13)
    for function in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        programs = [px.program(each, function) for each in (linear, bent)]
        state = {name: motion(linear)[name] for name in programs[0].inputs}
        straight, curved = (each.evaluate(**state) for each in programs)
        for name in straight:
            assert error(straight[name], curved[name]) < 1e-10, (function, name)
    with pytest.raises(px.ArgumentError, match="by a polynomial"):
        px.program(bent, "inverse_dynamics_derivatives", "composite_body")


@pytest.mark.parametrize("algorithm", (None, "composite_body", "newton_euler"))
def test_a_joint_that_follows_another_on_one_of_several_degrees_of_freedom(algorithm):
    """Positions of all rows then change by velocities of all rows."""
    loose = robot_of(("planar", "revolute", "revolute"), (-1, 0, 1), 4)
    *others, last = loose.joints
    follower = replace(last, coupling=Coupling("j1", (1.0, -2.0)))
    robot = replace(loose, joints=(*others, follower))
    q, qd, qdd = (motion(robot)[name] for name in ("q", "qd", "qdd"))
    slopes = px.program(robot, "inverse_dynamics_derivatives", algorithm)
    found = slopes.evaluate(q=q, qd=qd, qdd=qdd)
    torques = px.program(robot)

    def differences(values):
        ahead, behind = np.split(values, 2)
        return (ahead - behind).T / 2e-5

    ways = 1e-5 * np.concatenate((np.eye(robot.nv), -np.eye(robot.nv)))
    moved = px.program(robot, "integrate").evaluate(q=q, v=ways)
    over_q = differences(torques.evaluate(q=moved, qd=qd, qdd=qdd))
    over_qd = differences(torques.evaluate(q=q, qd=qd + ways, qdd=qdd))
    assert error(found["dtau_dq"], over_q) < 1e-8
    assert error(found["dtau_dqd"], over_qd) < 1e-8
    still = torques.evaluate(q=q, qd=0 * qd, qdd=0 * qd)
    C = px.program(robot, "coriolis_matrix", algorithm).evaluate(q=q, qd=qd)
    assert error(C @ qd, torques.evaluate(q=q, qd=qd, qdd=0 * qd) - still) < 1e-12


# -- many columns ----------------------------------------------------------------------------------

ANCESTORS = [
    (),
    (0,),
    (1, 0),
    (2, 1, 0),
    (3, 2, 1, 0),
    (1, 0),
    (5, 1, 0),
    (6, 5, 1, 0),
    (0,),
    (8, 0),
]


@pytest.fixture(scope="module")
def tree():
    """A positive matrix with the zeros of a tree, and its factors."""
    rng, n = np.random.default_rng(2), len(ANCESTORS)
    L, D = np.eye(n), rng.uniform(0.5, 2.0, n)
    for i, above in enumerate(ANCESTORS):
        L[i, list(above)] = rng.uniform(-1, 1, len(above))
    M = L.T @ np.diag(D) @ L
    return M, factor(ANCESTORS, M.tolist())


def test_inverses_along_a_tree(tree):
    M, factors = tree
    assert error(inverse(factors), np.linalg.inv(M)) < 1e-13


def test_columns_with_quiet_subtrees(tree):
    M, factors = tree
    rng, columns = np.random.default_rng(3), []
    for support in ((0, 1, 2, 3, 4), (0, 8, 9), (0, 1, 5, 6, 7), (0,), range(10), ()):
        for _ in range(3):
            column = np.zeros(len(M))
            column[list(support)] = rng.uniform(-1, 1, len(support))
            columns.append(column.tolist())
    found = solve_columns(factors, columns)
    assert error(found, np.linalg.solve(M, np.array(columns).T).T) < 1e-13


def test_the_default_is_the_cheapest():
    function = "inverse_dynamics_derivatives"
    for robot in (px.load("planar3"), px.load("ur5")):
        named = [px.program(robot, function, each).count().flops for each in NAMED]
        assert px.program(robot, function).count().flops <= min(named)
