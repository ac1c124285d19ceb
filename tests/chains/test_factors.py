"""Fijany's factors as matrices: what they multiply to is what other algorithms find."""

import random
from dataclasses import replace

import numpy as np
import pytest
from support.robots import random_axis, random_inertia, random_pose

import paraxis as px
from paraxis.physics.composite_body import mass_matrix
from paraxis.physics.configuration import integrate, neutral
from paraxis.physics.kinematics import jacobian
from paraxis.robots.model import Model
from paraxis.robots.rows import rows_of

KINDS = ("revolute", "prismatic", "spherical", "planar", "revolute", "free")


def arm(kinds, rotors=False):
    rng = random.Random(63)
    joints = [
        px.robots.Joint(f"j{i}", kind, i - 1, random_pose(rng), random_axis(rng))
        for i, kind in enumerate(kinds)
    ]
    if rotors:
        joints = [replace(joint, rotor_inertia=0.3) if joint.nv == 1 else joint for joint in joints]
    bodies = [random_inertia(rng) for _ in kinds]
    tip = px.robots.Frame("tip", len(kinds) - 1, random_pose(rng))
    return px.Robot("arm", joints, bodies, [tip])


def posture(robot):
    model, rng = Model(rows_of(robot)), np.random.default_rng(3)
    return np.array(integrate(model, neutral(model), rng.uniform(-1, 1, robot.nv).tolist()))


def composite(robot, q):
    """M and J on floats: robots of many kinds would take long to compile."""
    rows = rows_of(robot)
    J = jacobian(Model(rows), q.tolist(), rows.tool(), "body")
    return np.array(mass_matrix(Model(rows), q.tolist())), np.array(J)


@pytest.mark.parametrize("rotors", [False, True])
@pytest.mark.parametrize("kinds", [("revolute",) * 4, KINDS])
def test_the_factors_multiply_to_the_matrices_of_the_robot(kinds, rotors):
    robot = arm(kinds, rotors)
    q = posture(robot)
    found = px.chains.constraint_factors(robot, q)
    M, J = composite(robot, q)

    def agree(matrix, reference):
        return abs(matrix - reference).max() <= 1e-9 * max(1, abs(reference).max())

    A, B, C, D, E = found.A, found.B, found.C, found.D, found.E
    assert agree(found.jacobian, J)
    assert agree(found.mass_matrix, M)
    assert agree(found.mass_matrix_inverse, np.linalg.inv(M))
    assert agree(C - B.T @ np.linalg.solve(A, B), np.linalg.inv(M))
    assert agree(found.tip_mobility, J @ np.linalg.solve(M, J.T))
    assert agree(D - E.T @ np.linalg.solve(A, E), found.tip_mobility)
    motion = np.linalg.solve(found.P.T, found.H)  # of bodies, by rates of joints
    assert agree(found.K, motion @ np.linalg.solve(M, motion.T))


def test_equation_63_as_printed_is_not_the_mass_matrix():
    """Its first line has A⁻¹ - B C⁻¹ Bᵀ where the second has the inverse of A - B C⁻¹ Bᵀ."""
    robot = arm(("revolute",) * 4)
    q = posture(robot)
    found, (M, _) = px.chains.constraint_factors(robot, q), composite(robot, q)
    A, B, inverse = found.A, found.B, np.linalg.inv(found.C)
    printed = inverse + inverse @ B.T @ (np.linalg.inv(A) - B @ inverse @ B.T) @ B @ inverse
    assert abs(printed - M).max() > abs(M).max()


def test_a_is_block_tridiagonal_and_positive():
    found = px.chains.constraint_factors(robot := arm(("revolute",) * 4), posture(robot))
    blocks = found.A.reshape(4, 5, 4, 5)
    assert not blocks[0, :, 2:].any() and not blocks[3, :, :2].any()
    assert np.linalg.eigvalsh(found.A)[0] > 0
    assert np.array_equal(found.H @ found.H.T + found.W @ found.W.T, np.eye(24))


def test_what_has_no_factors_is_refused():
    robot = arm(("revolute",) * 3)
    with pytest.raises(px.ArgumentError, match=r"q: expected shape \(\.\.\., 3\), found \(2,\)"):
        px.chains.constraint_factors(robot, [0, 0])
    with pytest.raises(px.ArgumentError, match=r"q: expected one posture, .* found \(2, 3\)"):
        px.chains.constraint_factors(robot, [[0, 0, 0]] * 2)
    with pytest.raises(px.ArgumentError, match="q: expected real numbers"):
        px.chains.constraint_factors(robot, "abc")
    fork = replace(robot, joints=[*robot.joints[:2], replace(robot.joints[2], parent=0)])
    with pytest.raises(px.ArgumentError, match="chain"):
        px.chains.constraint_factors(fork, [0, 0, 0])
    hollow = replace(robot, inertias=[px.robots.Inertia(), *robot.inertias[1:]])
    with pytest.raises(px.RobotError, match="no mass"):
        px.chains.constraint_factors(hollow, [0, 0, 0])
    elbow = replace(robot, frames=[px.robots.Frame("elbow", 1), *robot.frames])
    with pytest.raises(px.ArgumentError, match="frame 'elbow' is not on the last body"):
        px.chains.constraint_factors(elbow, [0, 0, 0], "elbow")
