"""The arrays of a chain's links: the numbers of the robot, whatever frames it was described in."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.robots import random_chain, random_robot, relative_error, states

import paraxis as px
from paraxis.chains.links import links
from paraxis.robots.inertia import matrix_of


def torques(arm, q, qd, qdd):
    """Newton and Euler's laws about the origins of the bodies' frames, in NumPy."""
    spin, turning, rising, axis = np.zeros(3), np.zeros(3), -arm.gravity, np.array([0.0, 0, 1])
    turns, arms, forces, moments, found = [], [], [], [], []
    for i, turns_here in enumerate(arm.revolute):
        turn = arm.rotation[i] @ Rotation.from_rotvec(axis * q[i] * turns_here).as_matrix()
        slid = np.zeros(3) if turns_here else axis * q[i]
        reach = arm.origin[i] + arm.rotation[i] @ slid
        rising = turn.T @ (rising + np.cross(turning, reach) + _twice(spin, reach))
        spin, turning = turn.T @ spin, turn.T @ turning
        if turns_here:
            turning = turning + axis * qdd[i] + np.cross(spin, axis * qd[i])
            spin = spin + axis * qd[i]
        else:
            rising = rising + axis * qdd[i] + 2 * np.cross(spin, axis * qd[i])
        inertia, moment = matrix_of(arm.inertia[i]), arm.moment[i]
        forces.append(arm.mass[i] * rising + np.cross(turning, moment) + _twice(spin, moment))
        moments.append(
            inertia @ turning + np.cross(spin, inertia @ spin) + np.cross(moment, rising)
        )
        turns.append(turn)
        arms.append(reach)
    force = moment = np.zeros(3)
    for i in reversed(range(len(arm.mass))):
        force, moment = force + forces[i], moment + moments[i]
        found.append((moment if arm.revolute[i] else force) @ axis + arm.rotor[i] * qdd[i])
        force, moment = turns[i] @ force, turns[i] @ moment
        moment = moment + np.cross(arms[i], force)
    return found[::-1]


def _twice(spin, arm):
    return np.cross(spin, np.cross(spin, arm))


@pytest.mark.parametrize("seed", range(8))
def test_the_torques_of_the_links_are_those_of_the_robot(seed):
    robot = random_chain(seed)
    arm, motions = links(robot), states(robot)
    ours = [torques(arm, *motion) for motion in zip(*motions, strict=True)]
    assert relative_error(ours, px.inverse_dynamics(robot, *motions)) < 1e-12


def test_rotors_behind_a_transmission_count():
    robot = random_chain(3)
    geared = px.robots.Transmission(ratio=-30.0, rotor_inertia=1e-3)
    robot = replace(robot, joints=[replace(j, transmission=geared) for j in robot.joints])
    np.testing.assert_allclose(links(robot).rotor, [j.reflected_inertia for j in robot.joints])
    assert links(robot).rotor.min() >= 0.9


def test_frames_whose_axis_is_z_already_stay():
    arm = links(px.load("puma560"))
    for i, joint in enumerate(px.load("puma560").joints):
        np.testing.assert_array_equal(arm.rotation[i], joint.placement.rotation)
        np.testing.assert_array_equal(arm.origin[i], joint.placement.translation)


def test_a_tree_is_refused_by_the_name_of_the_link_that_branches():
    legs = [
        px.robots.Joint(name, "revolute", parent)
        for name, parent in (("hip", -1), ("a", 0), ("b", 0))
    ]
    robot = px.Robot(
        "crab", legs, [px.robots.Inertia(1.0)] * 3, [px.robots.Frame("shell", 0)], warn=False
    )
    with pytest.raises(px.ArgumentError, match="'crab' branches at link 'shell', .* 'a', 'b'"):
        links(robot)
    robot = replace(robot, joints=[replace(joint, parent=-1) for joint in legs], warn=False)
    with pytest.raises(px.ArgumentError, match="branches at the world, .* 'hip', 'a', 'b'"):
        links(robot)


# -- robots of many joints -------------------------------------------------------------------------


def test_a_long_robot_prints_its_ends():
    lines = str(px.robots.chain(250)).splitlines()
    assert len(lines) == 3 + 1 + 101
    assert [line.split()[0] for line in lines[53:56]] == ["49", "…", "200"]
    assert lines[54].split() == ["…", "150", "more"]
    assert "more" not in str(px.robots.chain(100))


def test_drives_of_a_long_robot_print_their_ends():
    robot = px.robots.chain(120)
    stiff = {name: {"friction": px.robots.Friction(viscous=0.1)} for name in robot.joint_names[10:]}
    assert str(robot.with_drives(stiff)).count("10 more") == 1


@pytest.mark.parametrize("seed", range(4))
def test_depth_and_paths_are_those_of_the_ancestors(seed):
    robot = random_robot(seed)
    assert robot.depth == 1 + max(map(len, robot.ancestors))
    for body, above in enumerate(robot.ancestors):
        assert robot.path(body) == (body, *above)


def test_what_is_wrong_in_a_long_robot_is_found_by_name():
    robot = px.robots.chain(200)
    joints = list(robot.joints)
    joints[150] = replace(joints[150], axis=(0.0, 0.6, 0.6))
    with pytest.raises(px.RobotError, match="joint 'joint151' axis: expected a unit vector"):
        replace(robot, joints=joints)
    joints[150] = replace(
        robot.joints[150], placement=px.robots.Pose(((2, 0, 0), (0, 1, 0), (0, 0, 1)))
    )
    with pytest.raises(px.RobotError, match="joint 'joint151' placement: .* not orthonormal"):
        replace(robot, joints=joints)
    bodies = [*robot.inertias[:-1], px.robots.Inertia(1.0, about_com=(1, 1, 3, 0, 0, 0))]
    with pytest.warns(px.RobotWarning, match="'link200' of joint 'joint200': .* triangle") as told:
        px.Robot("long", robot.joints, bodies, robot.frames)
    assert [warning.filename for warning in told] == [__file__]
