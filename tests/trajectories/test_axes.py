"""Trajectories of robots whose joints are not all single: those whose rates are velocities."""

import numpy as np
import pytest
from support.joint_rows import row_of

import paraxis as px

ROBOT = row_of(("universal", "helical", "revolute", "prismatic"), 3, coupled=True)
Q0 = np.array([0.1, -0.2, 0.3, 0.2, -0.1])
Q1 = np.array([0.6, 0.3, -0.4, 0.9, 0.2])


def test_torques_of_a_coupled_robot_meet_their_limit():
    """A number of q is an axis: two of the universal joint, none of the one that follows."""
    way = px.trajectories.trapezoidal(Q0, Q1, 1.0, 2.0, robot=ROBOT)
    assert way.n == ROBOT.nq == 5
    limits = 1.5 * abs(px.gravity_torques(ROBOT, way.sample(samples=100).q)).max(0)
    moved = way.scaled(ROBOT, max_torque=limits).sample(samples=2001)
    used = abs(px.inverse_dynamics(ROBOT, moved.q, moved.qd, moved.qdd)) / limits
    assert used.max() == pytest.approx(1.0, abs=1e-3) and used.max() <= 1 + 1e-9
    smooth = px.trajectories.quintic(Q0, Q1, 1.0, robot=ROBOT)
    quick = smooth.fastest(ROBOT, max_velocity=0.7, max_acceleration=3.0)
    assert abs(quick.sample(samples=500).qd).max() == pytest.approx(0.7, rel=1e-6)


def test_a_frame_of_a_coupled_robot_follows_a_line():
    start = px.forward_kinematics(ROBOT, Q0)[:3, 3]
    line = px.trajectories.cartesian_line(ROBOT, Q0, start + [0.02, 0.01, 0.03], duration=1.0)
    moved = line.sample(samples=50)
    points = px.forward_kinematics(ROBOT, moved.q)[:, :3, 3] - start
    assert abs(np.cross(points, [0.02, 0.01, 0.03])).max() < 1e-8
    np.testing.assert_allclose(points[-1], [0.02, 0.01, 0.03], atol=1e-8)


def test_limits_of_an_axis_are_those_of_its_joint():
    joints = [*ROBOT.joints]
    joints[0] = px.robots.Joint(
        "shoulder", "universal", second_axis=(1, 0, 0), lower=-0.5, upper=0.4, max_velocity=0.3
    )
    robot = px.Robot("limited", joints, ROBOT.inertias, warn=False)
    with pytest.raises(px.ArgumentError, match=r"joint 'shoulder.1' leaves its range -0.5 .. 0.4"):
        px.trajectories.quintic(Q0, Q1, 1.0, robot=robot)
    near = px.trajectories.quintic(Q0, 0.5 * Q1, 1.0, robot=robot).scaled(robot)
    assert abs(near.sample(samples=2001).qd[:, :2]).max() == pytest.approx(0.3, rel=1e-5)


def test_joints_whose_velocities_are_no_rates_are_refused_by_name():
    robot = row_of(("free", "revolute"), 1)
    q = px.neutral(robot)
    for call in (
        lambda: px.trajectories.quintic(q, q, 1.0, robot=robot),
        lambda: px.trajectories.quintic([0.0], [1.0], 1.0).scaled(robot, max_velocity=1.0),
        lambda: px.trajectories.cartesian_line(robot, q, [0.1, 0, 0], duration=1.0),
    ):
        with pytest.raises(px.ArgumentError, match=r"not 'j0' \(free\); robot.locked holds"):
            call()
