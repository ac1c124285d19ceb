"""Inverse kinematics with joints of every kind, with coupled ones and with a free base."""

import math
from dataclasses import replace

import numpy as np
import pytest
from support.joint_rows import row_of

import paraxis as px
from paraxis.physics.inverse_kinematics.damped_least_squares import DAMPING, LEAST_DAMPING
from paraxis.physics.inverse_kinematics.reaching import AIMS, Reach, reaching_step
from paraxis.robots import Coupling, Frame, Inertia, Joint, Pose
from paraxis.robots.model import Model
from paraxis.robots.rows import rows_of

KINDS = ("free", "spherical", "planar", "universal", "helical", "revolute", "prismatic")
BODY = Inertia.of(1.0, (0.1, 0, 0), (0.01, 0.02, 0.02))


def lengths(robot, q):
    """Of all quaternions in q."""
    ends = np.cumsum([joint.nq for joint in robot.joints])
    pairs = zip(robot.joints, ends, strict=True)
    found = [q[..., end - 4 : end] for joint, end in pairs if joint.nq != joint.nv]
    return np.linalg.norm(found, axis=-1)


def apart(robot, q, pose, frame):
    """Metres and entries of rotation matrices, the largest."""
    return abs(px.forward_kinematics(robot, q, frame) - pose).max()


# -- every joint -----------------------------------------------------------------------------------

ROWS = {
    "every kind": row_of(KINDS, 1, coupled=True),
    "six freedoms": row_of(("universal", "spherical", "helical"), 2),
    "on a plane": row_of(("planar", "revolute", "prismatic", "spherical"), 3),
}


@pytest.mark.parametrize("robot", ROWS.values(), ids=ROWS)
def test_poses_are_reached_from_anywhere(robot):
    q, _ = px.robots.random_states(robot, 100, seed=1)
    q0, _ = px.robots.random_states(robot, 100, seed=2)
    pose = px.forward_kinematics(robot, q)
    for found in (px.inverse_kinematics(robot, pose), px.inverse_kinematics(robot, pose, q0=q0)):
        assert found.solved.all()
        assert apart(robot, found.q, pose, "tip") < 1e-7
        assert abs(lengths(robot, found.q) - 1).max(initial=0) < 1e-15


@pytest.mark.parametrize("seed", range(2))
def test_a_step_is_the_shortest_along_velocities(seed):
    """Against NumPy on the Jacobian; J has a column per velocity, the step is integrated."""
    robot = row_of(KINDS, seed, coupled=True)
    q, there = px.robots.random_states(robot, 2, seed=seed)[0]
    goal = px.forward_kinematics(robot, there)
    rows, length = rows_of(robot), 0.7
    moving = [k for k in range(robot.nv) if k != 4]
    reach = Reach(rows.frames, moving, length, AIMS["position"])
    free = [(-math.inf, math.inf)] * robot.nq
    moved, (way,), done = reaching_step(Model(rows), q, [goal], reach, free, 1e-8, 1.0)

    units = np.array([1.0 if row.is_revolute else length for row in rows.own_rows])
    J = (px.jacobian(robot, q)[3:] * units / length)[:, moving]
    e = (goal - px.forward_kinematics(robot, q))[:3, 3] / length
    damping = DAMPING * e @ e + LEAST_DAMPING
    step = np.zeros(robot.nv)
    step[moving] = J.T @ np.linalg.solve(J @ J.T + damping * np.eye(3), e)
    np.testing.assert_allclose(moved, px.integrate(robot, q, step * units), atol=1e-12)
    assert way == pytest.approx(length * np.linalg.norm(e))
    assert done == 0.0


def test_the_same_goal_gives_the_same_bits_in_any_batch():
    robot = ROWS["six freedoms"]
    q, _ = px.robots.random_states(robot, (4, 3), seed=1)
    pose = px.forward_kinematics(robot, q)
    pose[1, :, 2, 3] += 50.0  # out of reach
    whole = px.inverse_kinematics(robot, pose)
    assert whole.q.shape == (4, 3, robot.nq)
    assert whole.solved.all(1).tolist() == [True, False, True, True]
    assert abs(lengths(robot, whole.q) - 1).max() < 1e-15
    for k in (0, 1, 3):
        np.testing.assert_array_equal(px.inverse_kinematics(robot, pose[k, 2]).q, whole.q[k, 2])


# -- a free base -----------------------------------------------------------------------------------


def quadruped():
    """A trunk and four legs of three joints with limits."""
    joints = [Joint("base", "free")]
    for x, front in ((0.3, "front"), (-0.3, "hind")):
        for y, side in ((0.2, "left"), (-0.2, "right")):
            name, first = f"{front}_{side}", len(joints)
            hip = Pose(translation=(x, y, 0))
            limits = {"lower": -1.2, "upper": 1.2}
            joints += [
                Joint(f"{name}_hip", "revolute", 0, hip, (1, 0, 0), **limits),
                Joint(f"{name}_thigh", "revolute", first, Pose(), (0, 1, 0), **limits),
                Joint(
                    f"{name}_knee",
                    "revolute",
                    first + 1,
                    Pose(translation=(0, 0, -0.3)),
                    (0, 1, 0),
                    lower=-2.5,
                    upper=-0.1,
                ),
            ]
    feet = [
        Frame(joint.name.replace("knee", "foot"), i, Pose(translation=(0, 0, -0.3)))
        for i, joint in enumerate(joints)
        if joint.name.endswith("knee")
    ]
    return px.Robot("quadruped", joints, [BODY] * len(joints), feet, warn=False)


QUADRUPED = quadruped()
FEET = QUADRUPED.frame_names


@pytest.fixture(scope="module")
def postures():
    """Where it stands, far from the origin, and where it is to stand: near that."""
    q, _ = px.robots.random_states(QUADRUPED, 50, seed=3)
    q[:, 7:] = np.tile([0.1, 0.5, -1.0], 4)
    q[:, :3] *= 20.0
    step = np.random.default_rng(4).uniform(-0.1, 0.1, (50, QUADRUPED.nv))
    return q, px.integrate(QUADRUPED, q, step)


def test_the_base_moves_with_the_foot_and_stays_near(postures):
    q0, there = postures
    pose = px.forward_kinematics(QUADRUPED, there, FEET[1])
    found = px.inverse_kinematics(QUADRUPED, pose, FEET[1], q0=q0)
    assert found.solved.all()
    assert apart(QUADRUPED, found.q, pose, FEET[1]) < 1e-7
    moved, needed = (px.difference(QUADRUPED, q0, q) for q in (found.q, there))
    assert (np.linalg.norm(moved, axis=-1) < np.linalg.norm(needed, axis=-1)).all()
    assert abs(moved[:, :6]).max() > 1e-3
    others = [k for k in range(7, QUADRUPED.nq) if not 10 <= k < 13]
    np.testing.assert_array_equal(found.q[:, others], q0[:, others])


def test_a_base_that_is_held(postures):
    q0, there = postures
    there = np.concatenate((q0[:, :7], there[:, 7:]), axis=-1)
    point = px.forward_kinematics(QUADRUPED, there, FEET[0])[:, :3, 3]
    found = px.inverse_kinematics(QUADRUPED, position=point, frame=FEET[0], q0=q0, fixed=["base"])
    assert found.solved.all()
    np.testing.assert_array_equal(found.q[:, :7], q0[:, :7])
    np.testing.assert_allclose(found.q[:, 7:10], there[:, 7:10], atol=1e-6)


def test_two_feet_at_once(postures):
    q0, there = postures
    feet = FEET[:2]

    def points_at(q):
        ends = [px.forward_kinematics(QUADRUPED, q, foot)[:, :3, 3] for foot in feet]
        return np.stack(ends, axis=1)

    points = points_at(there)
    found = px.inverse_kinematics(QUADRUPED, position=points, frame=feet, q0=q0)
    assert found.solved.all() and found.error.shape == (50,)
    off = np.linalg.norm(points_at(found.q) - points, axis=-1)
    np.testing.assert_allclose(off.max(1), found.error, atol=1e-13)
    alone = px.inverse_kinematics(QUADRUPED, position=points[7], frame=feet, q0=q0[7])
    np.testing.assert_array_equal(alone.q, found.q[7])


def test_without_a_start_a_free_base_begins_at_rest():
    """Any posture of a leg can reach the goal, so that the one it has is as good as any."""
    here = np.array([*px.neutral(QUADRUPED)[:7], *[0.0, 0.0, -1.3] * 4])  # knees at mid-range
    pose = px.forward_kinematics(QUADRUPED, here, FEET[1])
    found = px.inverse_kinematics(QUADRUPED, pose, FEET[1])
    assert found.solved
    np.testing.assert_array_equal(found.q, here)


# -- coupled joints --------------------------------------------------------------------------------


def test_a_finger_is_moved_by_the_joint_it_follows():
    law = Coupling("left", (0.0, -1.0))
    seat = Pose(translation=(0.4, 0, 0))
    joints = [
        Joint("wrist", "revolute", axis=(1, 0, 0)),
        Joint("left", "revolute", 0, lower=-1.0, upper=1.0),
        Joint("right", "revolute", 0, seat, coupling=law),
    ]
    hand = px.Robot("hand", joints, [BODY] * 3, [Frame("tip", 2, seat)], warn=False)
    pose = px.forward_kinematics(hand, [0.4, 0.7], "tip")
    found = px.inverse_kinematics(hand, pose, "tip")
    assert found.solved
    np.testing.assert_allclose(found.q, [0.4, 0.7], atol=1e-7)
    beyond = replace(hand, joints=[joints[0], replace(joints[1], upper=0.5), joints[2]])
    missed = px.inverse_kinematics(beyond, pose, "tip", q0=[0.4, 0.2])
    assert not missed.solved and missed.q[1] == 0.5
    with pytest.raises(px.RobotError, match="joint 'right' follows 'left'; name what it follows"):
        px.inverse_kinematics(hand, pose, "tip", fixed=["right"])


# -- wrong calls -----------------------------------------------------------------------------------


def test_wrong_arguments_say_what_is_wrong():
    pose, q0 = np.eye(4), px.neutral(QUADRUPED)
    leg = [f"front_left_{part}" for part in ("hip", "thigh", "knee")]
    for arguments, message in (
        ({"fixed": "base"}, "fixed: expected a sequence of names, found 'base'"),
        ({"fixed": ["bas"]}, "has no joint 'bas'"),
        ({"fixed": ["base", *leg]}, "frame 'front_left_foot': all joints that move it are fixed"),
        ({"frame": FEET}, r"4 frames need as many goals, .* found goals of shape \(\)"),
        ({"frame": [FEET[0], "tail"]}, "has no frame 'tail'"),
        ({"q0": 2 * q0}, "q0: the quaternion of joint 'base' must have length 1, found 2"),
    ):
        with pytest.raises(px.ParaxisError, match=message):
            px.inverse_kinematics(QUADRUPED, **({"pose": pose, "frame": FEET[0]} | arguments))
