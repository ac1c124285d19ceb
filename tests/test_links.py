"""The arrays of a chain's links: the numbers of the robot, whatever frames it was described in."""

from dataclasses import replace

import numpy as np
import pytest
from robots import random_robot, relative_error, states
from scipy.spatial.transform import Rotation

import paraxis as px
from paraxis.robot.inertia import matrix_of
from paraxis.robot.joint import WORLD
from paraxis.robot.links import links


def random_chain(seed, joints=(1, 7)):
    robot = random_robot(seed, joints)
    in_a_row = [replace(joint, parent=i + WORLD) for i, joint in enumerate(robot.joints)]
    return replace(robot, joints=in_a_row)


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
    geared = px.Transmission(ratio=-30.0, rotor_inertia=1e-3)
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
        px.Joint(name, "revolute", parent) for name, parent in (("hip", -1), ("a", 0), ("b", 0))
    ]
    robot = px.Robot("crab", legs, [px.Inertia(1.0)] * 3, [px.Frame("shell", 0)], warn=False)
    with pytest.raises(px.RobotError, match="'crab' branches at link 'shell', .* 'a', 'b'"):
        links(robot)
    robot = replace(robot, joints=[replace(joint, parent=-1) for joint in legs], warn=False)
    with pytest.raises(px.RobotError, match="branches at the world, .* 'hip', 'a', 'b'"):
        links(robot)
