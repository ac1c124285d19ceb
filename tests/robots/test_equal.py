"""Equal robots that cost less: bodies in other frames, masses regrouped."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from support.dynamics import NAMES, frame_poses, model_poses, seeds, torques
from support.robots import RIGHT, body_poses, random_robot, relative_error, robots, states

import paraxis as px
from paraxis import Robot
from paraxis.physics import ALGORITHMS
from paraxis.robots import Frame, Joint, Pose
from paraxis.robots.equal.reframe import SLIDE, reframe
from paraxis.robots.equal.regroup import regroup
from paraxis.robots.model import Model


@settings(max_examples=20)
@given(robots(), seeds)
def test_the_transforms_of_a_model_are_those_of_the_description(robot, seed):
    for q in states(robot, 2, seed)[0]:
        poses = model_poses(robot, q)
        for i, expected in enumerate(body_poses(robot, q)):
            assert abs(poses[i] - expected).max() <= 1e-13 * max(1, abs(expected).max())


@pytest.mark.parametrize("slide", [True, False])
@settings(max_examples=12)
@given(robot=robots(), seed=seeds)
def test_reframing_changes_neither_torques_nor_frames(slide, robot, seed):
    other = reframe(robot, slide)
    state = states(robot, 3, seed)
    assert all(joint.axis == (0, 0, 1) for joint in other.joints)
    reference = torques(robot, *state, "newton_euler")
    assert relative_error(torques(other, *state, "newton_euler"), reference) <= 1e-11
    for q in state[0]:
        before, after = frame_poses(robot, q), frame_poses(other, q)
        assert before.keys() == after.keys()
        for name, pose in before.items():
            assert abs(after[name] - pose).max() <= 1e-11 * max(1, abs(pose).max())


def test_reframed_seats_are_those_of_denavit_and_hartenberg():
    """One turn about x, one about z; an offset has no component that sliding can remove."""
    chains = [robot for robot in map(random_robot, range(80)) if not robot.branching]
    turned = parallel = 0
    for robot in chains:
        for joint in reframe(robot).joints[1:]:
            axis, (_, y, z) = np.array(joint.placement.rotation)[:, 2], joint.placement.translation
            assert abs(axis[0]) < 1e-15
            if abs(axis[1]) > SLIDE:
                assert abs(y) < 1e-13
                turned += 1
            else:
                assert abs(z) < 1e-13
                parallel += 1
    assert turned > 20 and parallel > 10


TILTS = [0, 1e-17, 2e-16, 4e-16, 5e-16, 1e-15, 1e-12, 1e-9, 1e-8, 1e-6, 0.0999, 0.1, 0.1002, 0.3]


@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("turned", [0, RIGHT, math.pi])
def test_reframing_nearly_parallel_axes(tilt, turned):
    """Their common normal may be far away or nowhere; nothing may be divided by its nothing."""
    body = random_robot(3, joints=(1, 1)).inertias[0]
    seat = Pose.from_rpy((0.3, -0.2, 0.5), (turned + tilt, 0, 0.7))
    joints = [
        Joint("a", "revolute"),
        Joint("b", "revolute", 0, seat),
        Joint("c", "prismatic", 1, Pose.from_rpy((0.1, 0.2, 0.3), (0, turned - tilt, 0))),
        Joint("d", "revolute", 2, seat),
    ]
    frames = [Frame(f"f{i}", i, Pose.from_rpy((1, 2, 3), (1, 2, 3))) for i in range(4)]
    robot = Robot("bent", joints, [body] * 4, frames)
    state = states(robot, 3)
    reference = torques(robot, *state, "newton_euler")
    for slide in (True, False):
        other = reframe(robot, slide)
        assert relative_error(torques(other, *state, "newton_euler"), reference) <= 1e-11
        before, after = frame_poses(robot, state[0][1]), frame_poses(other, state[0][1])
        assert max(abs(after[name] - before[name]).max() for name in before) <= 1e-11
        longest = max(abs(v) for joint in other.joints for v in joint.placement.translation)
        assert longest < 20  # an origin slid to where axes almost meet would be far away


@pytest.mark.parametrize("slide", [True, False])
@settings(max_examples=20)
@given(robot=robots(massless=True), seed=seeds)
def test_regrouped_masses_give_the_same_torques(slide, robot, seed):
    """Masses handed to parents leave zeros behind, where Gautier and Khalil say."""
    view = reframe(robot, slide)
    bodies = regroup(view)
    for joint, body in zip(view.joints, bodies, strict=True):
        inertia = body.about_origin
        if joint.is_revolute:
            assert (body.mass, body.moment.z, inertia.yy) == (0, 0, 0)
        else:
            assert not any((inertia.xx, inertia.yy, inertia.zz, inertia.xy, inertia.xz, inertia.yz))
    q, qd, qdd = states(robot, 3, seed)
    reference = torques(robot, q, qd, qdd, "newton_euler")
    for name in ("spatial", "modified_newton_euler", "tensor_newton_euler"):
        algorithm, model = ALGORITHMS["inverse_dynamics"][name], Model(view, bodies=bodies)
        found = [algorithm(model, *map(list, row)) for row in zip(q, qd, qdd, strict=True)]
        assert relative_error(found, reference) <= 1e-11


def test_a_rotation_typed_with_few_digits_becomes_a_rotation():
    """Or the same robot would have other torques in other body frames."""
    exact = np.array(Pose.from_rpy((0, 0, 0), (0.3, 0.4, 0.5)).rotation)
    typed = Pose.of(exact.round(7), (0.1, 0.2, 0.3))
    r = np.array(typed.rotation)
    assert abs(r @ r.T - np.eye(3)).max() < 1e-15 and abs(r - exact).max() < 1e-7
    body = random_robot(3, joints=(1, 1)).inertias[0]
    joints = [Joint("a", "revolute"), Joint("b", "revolute", 0, typed)]
    robot = Robot("typed", joints, [body] * 2, base=typed)
    state = states(robot)
    reference = torques(robot, *state, "spatial")
    assert relative_error(torques(reframe(robot), *state), reference) < 1e-12


def test_the_cheapest_program_never_costs_more_than_a_named_one():
    loaded = [px.load(name) for name in ("puma560", "stanford", "ur5", "planar3")]
    for robot in [*loaded, px.robots.chain(4), *(random_robot(seed) for seed in range(8))]:
        best = px.program(robot).count().flops
        for name in NAMES:
            assert best <= px.program(robot, algorithm=name).count().flops, (robot.name, name)
