"""Numerical inverse kinematics: what it finds is right, and what it does not find it says."""

import math
import warnings
from dataclasses import replace

import numpy as np
import peers
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import body_poses, random_robot

import paraxis as px
from paraxis.kinematics.limits import Limits
from paraxis.kinematics.poses import nearest_poses
from paraxis.kinematics.search import characteristic_length
from paraxis.physics.inverse_kinematics.damped_least_squares import DAMPING, FAR, LEAST_DAMPING
from paraxis.physics.inverse_kinematics.reaching import AIMS, Reach, reaching_step
from paraxis.physics.inverse_kinematics.singularity import evenness, pivots
from paraxis.robots.model import Model
from paraxis.robots.puma_geometry import puma_geometry

UR5 = px.load("ur5")
PLANAR = px.robots.planar(2)


def reachable(robot, count, frame=None, seed=0):
    """Postures within limits and the poses they give, by the robot's own forward kinematics."""
    limits = Limits(robot)
    q = np.random.default_rng(seed).uniform(limits.low, limits.high, (count, robot.n))
    return q, px.forward_kinematics(robot, q, frame)


def errors(robot, q, pose, frame):
    """Metres or radians, whichever is more, from Rodrigues' formula instead of the algorithms."""
    place = robot.tool() if frame is None else robot.frame(frame)
    found = np.array([body_poses(robot, each)[place.body] for each in q]) @ place.pose.matrix
    turn = np.swapaxes(found[:, :3, :3], 1, 2) @ pose[:, :3, :3]
    axis = [turn[:, i, j] - turn[:, j, i] for i, j in ((2, 1), (0, 2), (1, 0))]
    angle = np.arctan2(np.linalg.norm(axis, axis=0), np.trace(turn, axis1=1, axis2=2) - 1)
    return np.maximum(np.linalg.norm(found[:, :3, 3] - pose[:, :3, 3], axis=-1), angle)


def check(robot, pose, found, frame=None, tolerance=None):
    """Solutions lead to their poses; what is none is off by its error; all are within limits."""
    solved = found.solved
    exact = errors(robot, found.q, pose, frame)
    tolerance = tolerance or 1e-8 * max(1.0, size(robot, frame))
    assert exact[solved].max(initial=0) <= tolerance + 1e-13
    np.testing.assert_allclose(found.error[solved], exact[solved], atol=1e-13)
    np.testing.assert_allclose(found.error, exact, rtol=1e-6, atol=1e-13)
    limits = Limits(robot)
    assert (found.q >= limits.lower).all()
    assert (found.q <= limits.upper).all()
    assert not (found.error[~solved] <= min(tolerance, 1e-8)).any()
    assert not found.singular[~solved].any()


def reach_of(robot, length):
    """To bring the tool to a pose with all joints."""
    return Reach([robot.tool()], [*range(robot.n)], length, AIMS["pose"])


def size(robot, frame):
    """The length that angles are compared with."""
    part = replace(robot, frames=[robot.tool() if frame is None else robot.frame(frame)])
    return characteristic_length(part)


def limited(robot, **limits):
    """The robot with limits (lower, upper) of some joints, which are called j1, j2, ... here."""
    joints = list(robot.joints)
    for name, (lower, upper) in limits.items():
        i = int(name[1:]) - 1
        joints[i] = replace(joints[i], lower=lower, upper=upper)
    return replace(robot, joints=tuple(joints))


def load(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        return px.load(peers.robot_file(name), couplings="independent")


# -- what is found ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "frame", "joints"),
    [
        ("ur5", None, 6),
        ("panda", "panda_hand_tcp", 7),
        pytest.param("xarm7", None, 7, marks=pytest.mark.long),
        pytest.param("kinova", "j2s6s200_end_effector", 6, marks=pytest.mark.long),
        pytest.param("g1_29dof", "left_rubber_hand", 10, marks=pytest.mark.long),
    ],
)
def test_real_arms_reach_what_they_can_reach(name, frame, joints):
    robot = load(name)
    _, pose = reachable(robot, 2000, frame)
    found = px.inverse_kinematics(robot, pose, frame)
    check(robot, pose, found, frame)
    assert found.solved.mean() > 0.995
    place = robot.tool() if frame is None else robot.frame(frame)
    moving = list(robot.path(place.body))
    assert len(moving) == joints
    resting = np.delete(found.q[found.solved], moving, axis=1)
    assert (resting == np.delete(Limits(robot).neutral, moving)).all()


@settings(max_examples=3)
@given(st.integers(0, 2**32))
def test_random_robots(seed):
    robot = random_robot(seed, joints=(1, 9))
    frame = robot.frame_names[-1]
    q, pose = reachable(robot, 50, frame)
    found = px.inverse_kinematics(robot, pose, frame)
    check(robot, pose, found, frame)
    J = px.jacobian(robot, q, frame)[..., list(robot.path(robot.frame(frame).body))]
    regular = np.linalg.svd(J, compute_uv=False).min(axis=-1) > 1e-2
    assert np.count_nonzero(regular & ~found.solved) <= 2


def test_sliding_joints():
    robot = px.load("stanford")
    _, pose = reachable(robot, 500)
    found = px.inverse_kinematics(robot, pose)
    check(robot, pose, found)
    assert found.solved.mean() > 0.99


def test_singular_poses_are_reached_too():
    """A stretched elbow and aligned wrist axes: convergence is slow there, but there is some."""
    q = np.random.default_rng(0).uniform(-3, 3, (500, 6))
    q[:250, 2] = 0.0
    q[150:, 4] = 0.0
    pose = px.forward_kinematics(UR5, q)
    found = px.inverse_kinematics(UR5, pose)
    check(UR5, pose, found)
    assert found.solved.mean() > 0.99


def test_a_coarser_tolerance_is_kept_to():
    _, pose = reachable(UR5, 300)
    found = px.inverse_kinematics(UR5, pose, tolerance=1e-3)
    check(UR5, pose, found, tolerance=1e-3)
    assert found.error.max() > 1e-8


def test_poses_in_single_precision():
    _, pose = reachable(UR5, 100)
    found = px.inverse_kinematics(UR5, pose.astype(np.float32))
    assert found.solved.all()
    assert errors(UR5, found.q, pose, None).max() < 1e-6


@pytest.mark.parametrize("decimals", [3, 5])
def test_poses_with_few_digits_are_those_of_the_nearest_rotation(decimals):
    q, pose = reachable(UR5, 300)
    q[:, 2], q[:, 4] = np.copysign(1.0, q[:, 2]), 1.5  # not stretched, where it may be out of reach
    pose = px.forward_kinematics(UR5, q).round(decimals)
    found = px.inverse_kinematics(UR5, pose)
    u, _, v = np.linalg.svd(pose[:, :3, :3])
    pose[:, :3, :3] = u @ v
    assert found.solved.all()
    check(UR5, pose, found)


def test_a_pose_that_is_right_is_left_as_it_is():
    _, matrices = reachable(UR5, 300)
    poses, near = nearest_poses(matrices)
    assert near.all()
    np.testing.assert_array_equal(poses, matrices)


def test_poses_as_objects():
    _, matrices = reachable(UR5, 4)
    poses = [px.robots.Pose.from_matrix(matrix) for matrix in matrices]
    matrices = np.array([pose.matrix for pose in poses])
    expected = px.inverse_kinematics(UR5, matrices).q
    np.testing.assert_array_equal(px.inverse_kinematics(UR5, poses[2]).q, expected[2])
    np.testing.assert_array_equal(px.inverse_kinematics(UR5, tuple(poses)).q, expected)
    nested = [[poses[0], matrices[1]], [matrices[2].tolist(), poses[3]]]
    found = px.inverse_kinematics(UR5, nested)
    np.testing.assert_array_equal(found.q, expected.reshape(2, 2, 6))


# -- goals that leave something free ---------------------------------------------------------------


def parts(robot, q, pose, frame=None):
    """The distance in metres and the angle in radians, each (...), by `errors` of half a pose."""
    there = px.forward_kinematics(robot, q, frame)
    turned = there.copy()
    turned[:, :3, :3] = pose[:, :3, :3]
    moved = there.copy()
    moved[:, :3, 3] = pose[:, :3, 3]
    return {
        "position": errors(robot, q, moved, frame),
        "rotation": errors(robot, q, turned, frame),
    }


def goals(pose):
    return {"position": pose[..., :3, 3], "rotation": pose[..., :3, :3]}


@pytest.mark.parametrize(
    "kind, seed, joints",
    [
        ("position", 1, (3, 3)),
        ("rotation", 2, (3, 3)),
        *(
            pytest.param(kind, seed, (1, 7), marks=pytest.mark.long)
            for kind in ("position", "rotation")
            for seed in range(10, 20)
        ),
    ],
)
def test_random_robots_reach_parts_of_poses(kind, seed, joints):
    robot = random_robot(seed, joints=joints)
    frame = robot.frame_names[-1]
    _, pose = reachable(robot, 40, frame)
    found = px.inverse_kinematics(robot, frame=frame, **{kind: goals(pose)[kind]})
    exact = parts(robot, found.q, pose, frame)[kind]
    np.testing.assert_allclose(found.error, exact, rtol=1e-6, atol=1e-13)
    length = size(robot, frame) if kind == "position" else 1.0
    assert (found.solved == (found.error <= 1e-8 * length)).all()
    assert found.solved.mean() >= 0.95
    limits = Limits(robot)
    assert ((found.q >= limits.lower) & (found.q <= limits.upper)).all()


def test_a_planar_arm_goes_to_points():
    """With one elbow or the other; its orientation, which takes three joints, is left free."""
    robot = PLANAR
    q = np.random.default_rng(0).uniform(0.2, 2.5, (200, 2))
    q[0, 1] = 0.0
    points = px.forward_kinematics(robot, q)[:, :3, 3]
    far = 3.0 * points[:1] / np.linalg.norm(points[0])
    found = px.inverse_kinematics(robot, position=np.concatenate([points, far]), q0=[0.0, 1.0])
    assert found.solved.tolist() == [True] * 200 + [False]
    np.testing.assert_allclose(np.cos(found.q[:200, 1]), np.cos(q[:, 1]), atol=1e-7)
    assert found.singular.tolist() == [True] + [False] * 200
    assert found.error[-1] == pytest.approx(1.0, abs=1e-9)  # it points there, stretched
    there = px.forward_kinematics(robot, found.q[-1])[:3, 3]
    np.testing.assert_allclose(there, far[0] * 2 / 3, atol=1e-4)


def test_joints_that_only_slide_turn_nothing():
    slide = px.Robot("slide", [px.robots.Joint("x", "prismatic")], [px.robots.Inertia(1.0)])
    found = px.inverse_kinematics(slide, rotation=[np.eye(3), np.diag([1.0, -1.0, -1.0])])
    assert found.solved.tolist() == [True, False]
    assert np.isfinite(found.q).all()
    np.testing.assert_allclose(found.error, [0.0, math.pi])


def test_what_is_no_position_or_rotation_spoils_no_other():
    robot = PLANAR
    good = goals(px.forward_kinematics(robot, np.random.default_rng(0).uniform(-2, 2, (4, 2))))
    for kind, wrong in (("position", np.nan), ("position", np.inf), ("rotation", np.nan)):
        bad = good[kind].copy()
        bad[1, 0] = wrong
        found, alone = (px.inverse_kinematics(robot, **{kind: each}) for each in (bad, good[kind]))
        assert np.isnan(found.q[1]).all() and np.isnan(found.error[1]) and not found.solved[1]
        np.testing.assert_array_equal(np.delete(found.q, 1, 0), np.delete(alone.q, 1, 0))
    rounded = px.inverse_kinematics(robot, rotation=good["rotation"].round(4))
    assert rounded.solved.all()


# -- singular solutions ----------------------------------------------------------------------------


def least_singular_values(robot, q, freedoms):
    """Of J, over the largest, by NumPy."""
    J = px.jacobian(robot, q)
    J[..., 3:, :] /= size(robot, None)
    values = np.linalg.svd(J, compute_uv=False)
    return values[..., freedoms - 1] / values[..., 0]


@pytest.mark.parametrize("tolerance", [1e-4, 1e-8, 1e-11])
def test_singular_solutions_are_said_to_be_singular(tolerance):
    """A stretched elbow, wrist axes in line, both; with NumPy's word on what is singular."""
    q = np.random.default_rng(0).uniform(-2.5, 2.5, (400, 6))
    q[:200, 2] = 0.0
    q[100:300, 4] = 0.0
    least = least_singular_values(UR5, q, 6)
    assert (least[:300] < 1e-15).all()
    assert (least[300:] > 1e-5).all()
    pose = px.forward_kinematics(UR5, q)
    found = px.inverse_kinematics(UR5, pose, q0=q + 0.003, tolerance=tolerance)
    check(UR5, pose, found, tolerance=tolerance)
    there = abs(found.q - q)[:, 2] < 0.1  # and not from another start elsewhere
    assert there.mean() > 0.98
    assert (found.singular == (least < 1e-6))[there].all()


def test_next_to_singular_is_regular():
    q = np.random.default_rng(0).uniform(0.5, 2.5, (3, 50, 6))
    q[0, :, 4], q[1, :, 2], q[2, :, 4] = 1e-3, 1e-3, 1e-9
    found = px.inverse_kinematics(UR5, px.forward_kinematics(UR5, q), q0=q)
    assert found.solved.all()
    assert found.singular.tolist() == [[False] * 50, [False] * 50, [True] * 50]


def test_the_closed_form_agrees_on_what_is_singular():
    robot = px.load("puma560")
    geometry = puma_geometry(robot, robot.tool())
    q = np.random.default_rng(0).uniform(-2, 2, (800, 6))
    q[::4, 4] = 0.0
    q[1::4, 2] = math.atan2(geometry.d4, geometry.a3)  # the elbow stretched
    pose = px.forward_kinematics(robot, q)
    found, all_eight = (
        px.inverse_kinematics(robot, pose),
        px.kinematics.inverse_kinematics_solutions(robot, pose),
    )
    # joints 4 and 6 share a turn where the wrist is singular: the others tell which of the eight
    apart = (all_eight.q - found.q[:, None])[..., [0, 1, 2, 4]]
    apart = abs((apart + math.pi) % (2 * math.pi) - math.pi).max(-1)
    same = np.where(all_eight.solved, apart, np.inf).argmin(-1)
    assert found.solved.all()
    np.testing.assert_array_equal(found.singular, all_eight.singular[np.arange(800), same])
    assert 200 < np.count_nonzero(found.singular) < 400


@pytest.mark.parametrize("n", [3, 4])
def test_freedoms_that_a_chain_never_has_are_not_missed(n):
    """A planar arm has three at most; two where it is straight, and then all of it has to be."""
    robot = px.robots.planar(n)
    q = np.random.default_rng(n).uniform(0.2, 1.0, (60, n))
    q[:20, 1:] = 0.0
    pose = px.forward_kinematics(robot, q)
    found = px.inverse_kinematics(robot, pose, q0=q + 0.01)
    check(robot, pose, found)
    assert found.solved.all()
    assert (least_singular_values(robot, q, 3) < 1e-6).tolist() == [True] * 20 + [False] * 40
    assert found.singular.tolist() == [True] * 20 + [False] * 40


def test_a_redundant_arm_is_singular_where_it_is_straight():
    robot = load("panda").subchain("panda_link8")
    robot = limited(robot, j4=(-3.0, 0.5))
    q = np.zeros((2, 7))
    q[:, 0], q[1] = 0.3, (0.3, 0.5, 0.4, -1.5, 0.6, 1.9, 0.2)
    assert (least_singular_values(robot, q, 6) < 1e-6).tolist() == [True, False]
    found = px.inverse_kinematics(robot, px.forward_kinematics(robot, q), q0=q)
    assert found.solved.all()
    assert found.singular.tolist() == [True, False]


def test_a_joint_at_its_limit_makes_nothing_singular():
    robot = limited(UR5, j1=(-1.0, 1.0), j3=(-1.4, 1.4))
    q = np.array([[1.0, -1.2, 1.4, -0.5, 1.2, 0.1], [-1.0, -1.2, -1.4, -0.5, 1.2, 0.1]])
    found = px.inverse_kinematics(robot, px.forward_kinematics(robot, q), q0=q)
    assert found.solved.all()
    np.testing.assert_array_equal(found.q, q)
    assert not found.singular.any()


@pytest.mark.parametrize("n", [2, 3, 6, 8])
def test_evenness_is_that_of_the_singular_values(n):
    robot = px.robots.chain(n)
    for q in np.random.default_rng(n).uniform(-2, 2, (20, n)):
        J = px.jacobian(robot, q)
        J[3:] /= 0.3
        exact = np.linalg.svd(J, compute_uv=False)
        found = np.array(evenness(Model(robot), q, reach_of(robot, 0.3)))
        assert (np.diff(found) <= 0).all()
        ratio = found / (exact / exact[0])
        assert (ratio > 1 / 5).all()
        assert (ratio < 5).all()


def test_pivots_of_what_has_almost_no_rank():
    assert pivots([[4.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 0.0]]) == [4.0, 0.0, 0.0]
    v = np.random.default_rng(0).uniform(-1, 1, 6)
    first, *others = pivots(np.outer(v, v).tolist())
    assert first == (v * v).max()
    assert max(map(abs, others)) < 1e-15


# -- starts ----------------------------------------------------------------------------------------


def test_from_a_start_nearby_the_solution_is_nearby():
    q, _ = reachable(UR5, 300)
    q[:, 2], q[:, 4] = np.copysign(1.0, q[:, 2]), np.copysign(1.5, q[:, 4])  # far from singular
    pose = px.forward_kinematics(UR5, q)
    shifted = q + np.random.default_rng(1).uniform(-0.02, 0.02, q.shape)
    found = px.inverse_kinematics(UR5, pose, q0=shifted)
    assert found.solved.all()
    np.testing.assert_allclose(found.q, q, atol=1e-6)


def test_whole_turns_are_chosen_by_the_start_and_by_the_limits():
    robot = px.robots.planar(1)
    robot = replace(robot, joints=(replace(robot.joints[0], lower=-7.0, upper=3.0),))
    pose = px.forward_kinematics(robot, np.array([1.0]))
    for q0, expected in ((0.5, 1.0), (-5.0, 1.0 - 2 * math.pi), (9.0, 1.0)):
        found = px.inverse_kinematics(robot, pose, q0=[q0])
        np.testing.assert_allclose(found.q, [expected], atol=1e-7)
    np.testing.assert_allclose(  # nearest to -2, the middle
        px.inverse_kinematics(robot, pose).q, [1.0], atol=1e-7
    )


def test_a_start_beyond_limits_and_one_that_fails():
    robot = load("panda")
    _, pose = reachable(robot, 200, "panda_hand_tcp")
    found = px.inverse_kinematics(robot, pose, "panda_hand_tcp", q0=np.full(9, 40.0))
    limits, moving = Limits(robot), slice(0, 7)
    solved = found.q[found.solved]
    assert found.solved.mean() > 0.99
    assert (solved[:, moving] >= limits.lower[moving]).all()
    assert (solved[:, moving] <= limits.upper[moving]).all()
    assert (solved[:, 7:] == 40.0).all()  # the fingers are where they were put


@pytest.mark.parametrize("side", [1, -1])
def test_whole_turns_next_to_a_limit(side):
    """From starts near ±2π the nearest turn of a joint may be beyond; it is another one then."""
    _, pose = reachable(UR5, 300)
    robot = limited(UR5, **{f"j{i}": (-2 * math.pi, 2 * math.pi) for i in range(1, 7)})
    found = px.inverse_kinematics(robot, pose, q0=np.full(6, side * (2 * math.pi - 0.1)))
    check(robot, pose, found)
    assert found.solved.mean() > 0.99


def test_a_start_that_has_the_pose_beyond_limits_is_no_answer():
    robot = limited(px.robots.planar(1), j1=(-1.0, 1.0))
    pose = px.forward_kinematics(robot, np.array([0.5]))
    found = px.inverse_kinematics(robot, pose, q0=[0.5 + 2 * math.pi])
    np.testing.assert_allclose(found.q, [0.5], atol=1e-7)

    robot = limited(px.robots.planar(3), j2=(0.0, 2.5))
    bent = np.array([0.4, 0.9, -0.2])
    pose = px.forward_kinematics(robot, bent)
    mirrored = np.array([1.3, -0.9, 0.7])  # the elbow on the other side
    np.testing.assert_allclose(px.forward_kinematics(robot, mirrored), pose, atol=1e-15)
    found = px.inverse_kinematics(robot, pose, q0=mirrored)
    np.testing.assert_allclose(found.q, bent, atol=1e-7)


@pytest.mark.parametrize("side", [1, -1])
def test_joints_leave_their_bounds_and_come_to_them(side):
    robot = limited(px.robots.planar(1), j1=(-1.0, 1.0))
    for there in (0.2, -1.0, 1.0):
        pose = px.forward_kinematics(robot, np.array([there]))
        found = px.inverse_kinematics(robot, pose, q0=[side])
        np.testing.assert_allclose(found.q, [there], atol=1e-7)


def test_a_half_turn_away_is_not_there():
    """About the axis of its only joint: the axis of the error is undefined, its size is not."""
    robot = px.robots.planar(1)
    robot = replace(robot, frames=(px.robots.Frame("hub", 0),))
    pose = px.forward_kinematics(robot, np.array([math.pi]))
    found = px.inverse_kinematics(robot, pose, q0=[0.0])
    assert found.solved
    np.testing.assert_allclose(abs(found.q), [math.pi], atol=1e-7)


# -- what is not found -----------------------------------------------------------------------------


def test_out_of_reach_says_by_how_much():
    robot = px.robots.planar(2)
    pose = px.forward_kinematics(robot, np.zeros(2))
    reach = np.linalg.norm(pose[:3, 3] - robot.base.translation)
    pose[:3, 3] *= 10.0 / reach
    found = px.inverse_kinematics(robot, pose)
    assert not found.solved
    check(robot, pose[None], px.inverse_kinematics(robot, pose[None]))
    assert 10.0 - reach <= found.error < 1.0001 * (10.0 - reach)


STIFF = limited(px.robots.planar(3), j2=(-2.0, 0.0), j3=(0.5, 2.0))


def test_what_is_not_solved_is_the_best_that_was_found():
    """No NaN, within limits, off by its error, and no small motion makes it better."""
    _, pose = reachable(STIFF, 200)
    pose[:100, :3, 3] *= 2.5
    found = px.inverse_kinematics(STIFF, position=pose[:, :3, 3])
    missed = ~found.solved
    assert missed[:100].mean() > 0.5 and not missed[100:].any()
    off = (px.forward_kinematics(STIFF, found.q) - pose)[:, :3, 3]
    np.testing.assert_allclose(found.error, np.linalg.norm(off, axis=-1), atol=1e-13)
    lower, upper = Limits(STIFF).lower, Limits(STIFF).upper
    assert ((found.q >= lower) & (found.q <= upper)).all()
    for tried in np.random.default_rng(1).normal(size=(50, 3)) * 1e-3:
        near = np.clip(found.q[missed] + tried, lower, upper)
        off = (px.forward_kinematics(STIFF, near) - pose[missed])[:, :3, 3]
        assert (np.linalg.norm(off, axis=-1) > found.error[missed] - 1e-6).all()


def test_what_is_not_solved_is_no_worse_than_the_start():
    q0, pose = reachable(STIFF, 50)
    pose[:, 1, 3] += 0.1  # out of the plane, by which the start is off and nothing else
    found = px.inverse_kinematics(STIFF, position=pose[:, :3, 3], q0=q0)
    assert not found.solved.any()
    np.testing.assert_allclose(found.error, 0.1, rtol=1e-9)


def test_beyond_limits_is_not_solved():
    robot = px.robots.planar(1)
    robot = replace(robot, joints=(replace(robot.joints[0], lower=-1.0, upper=1.0),))
    poses = px.forward_kinematics(robot, np.array([[1.0], [1.5], [-0.3]]))
    found = px.inverse_kinematics(robot, poses)
    assert found.solved.tolist() == [True, False, True]
    assert found.error[1] == pytest.approx(0.5, abs=1e-3)


def test_too_few_joints_for_the_pose():
    """A planar arm tilted out of its plane: the angle is what is left."""
    robot = px.robots.planar(3)
    pose = px.forward_kinematics(robot, np.array([0.3, 0.4, 0.5]))
    tilt = np.eye(4)
    tilt[1:3, 1:3] = [[math.cos(0.2), -math.sin(0.2)], [math.sin(0.2), math.cos(0.2)]]
    found = px.inverse_kinematics(robot, np.stack([pose, pose @ tilt]))
    assert found.solved.tolist() == [True, False]
    assert 0.15 < found.error[1] < 0.3


def test_what_is_no_pose_is_not_solved_and_spoils_no_other():
    _, good = reachable(UR5, 12)
    bad = good.copy()
    bad[1, 0, 3] = np.nan
    bad[2, 1, 1] = np.nan
    bad[3, 2, 3] = np.inf
    bad[4, :3, 0] *= -1.0  # a reflection
    bad[5, :3, :3] *= 1.003
    bad[6, 3] = (0, 0, 1, 1)
    bad[7, 3, 3] = 2.0
    bad[8, :3, :3] = 0.0
    bad[9, :3, :3] *= 1e200
    found, alone = px.inverse_kinematics(UR5, bad), px.inverse_kinematics(UR5, good)
    wrong = np.isin(np.arange(12), range(1, 10))
    assert (found.solved == ~wrong).all()
    assert np.isnan(found.error[wrong]).all()
    assert np.isnan(found.q[wrong]).all()
    assert (found.q[~wrong] == alone.q[~wrong]).all()


def test_a_start_that_is_not_finite_gives_no_solution():
    _, pose = reachable(UR5, 3)
    q0 = np.zeros((3, 6))
    q0[1, 4] = np.nan
    found = px.inverse_kinematics(UR5, pose, q0=q0)
    assert found.solved.tolist() == [True, False, True]
    assert found.error[1] == np.inf
    assert repr(found) == "<InverseKinematics: 2 of 3 solved>"


# -- batches ---------------------------------------------------------------------------------------


def test_the_same_pose_gives_the_same_bits_anywhere():
    robot = load("panda")
    _, pose = reachable(robot, 400, "panda_hand_tcp")
    pose[::7, :3, 3] *= 1.5  # many of these are out of reach
    whole = px.inverse_kinematics(robot, pose, "panda_hand_tcp")
    assert 0.5 < whole.solved.mean() < 1.0
    for part in (slice(None, None, -1), slice(3, 11), slice(7, 8), slice(100, None, 3)):
        found = px.inverse_kinematics(robot, pose[part], "panda_hand_tcp")
        np.testing.assert_array_equal(found.q, whole.q[part])
        np.testing.assert_array_equal(found.error, whole.error[part])


def test_pieces_of_a_large_batch(monkeypatch):
    _, pose = reachable(UR5, 100)
    whole = px.inverse_kinematics(UR5, pose)
    monkeypatch.setattr("paraxis.kinematics.search.PIECE", 7)
    np.testing.assert_array_equal(px.inverse_kinematics(UR5, pose).q, whole.q)


@pytest.mark.parametrize("batch", [(), (1,), (0,), (2, 3), (2, 0, 3)])
def test_batch_shapes(batch):
    _, pose = reachable(UR5, math.prod(batch))
    found = px.inverse_kinematics(UR5, pose.reshape(*batch, 4, 4))
    assert found.q.shape == (*batch, 6)
    assert found.solved.shape == found.error.shape == found.singular.shape == batch
    assert found.solved.dtype == found.singular.dtype == bool


def test_poses_and_starts_broadcast():
    q, pose = reachable(UR5, 3)
    found = px.inverse_kinematics(UR5, pose[:, None], q0=q)
    assert found.q.shape == (3, 3, 6)
    apart = px.inverse_kinematics(UR5, pose[1], q0=q[2])
    np.testing.assert_array_equal(found.q[1, 2], apart.q)


def test_inputs_are_left_alone():
    q, pose = reachable(UR5, 50)
    kept = q.copy(), pose.copy()
    px.inverse_kinematics(UR5, pose, q0=q)
    assert (q == kept[0]).all()
    assert (pose == kept[1]).all()


def test_print():
    _, pose = reachable(UR5, 3)
    assert repr(px.inverse_kinematics(UR5, pose)) == "<InverseKinematics: 3 of 3 solved>"
    pose[0, 0, 3], pose[1] = 9.0, 0.0
    assert repr(px.inverse_kinematics(UR5, pose)) == "<InverseKinematics: 1 of 3 solved, 1 no pose>"
    straight = px.inverse_kinematics(UR5, px.forward_kinematics(UR5, np.zeros(6)), q0=np.zeros(6))
    assert repr(straight) == "<InverseKinematics: 1 of 1 solved, 1 singular>"


# -- wrong calls -----------------------------------------------------------------------------------


def test_wrong_arguments_say_what_is_wrong():
    pose = np.eye(4)
    for arguments, message in (
        ({"pose": np.eye(3)}, r"pose: expected shape \(..., 4, 4\), found \(3, 3\)"),
        ({"pose": "there"}, "pose: expected real numbers"),
        ({"pose": pose, "q0": np.zeros(5)}, r"q0: expected shape \(..., 6\), found \(5,\)"),
        ({"pose": pose[None].repeat(2, 0), "q0": np.zeros((3, 6))}, r"pose \(2,\), q0 \(3,\)"),
        ({"pose": pose, "frame": 3}, "frame: expected the name of a frame, found int"),
        ({}, "expected one of pose, position or rotation, found none"),
        ({"pose": pose, "position": [0, 0, 1]}, "rotation, found pose and position"),
        ({"position": [0, 1]}, r"position: expected shape \(..., 3\), found \(2,\)"),
        ({"pose": [1.0, 0.0, 0.0]}, r"pose: expected .* found \(3,\); give a point as position="),
        ({"rotation": pose}, r"rotation: expected shape \(..., 3, 3\), found \(4, 4\)"),
        ({"pose": pose, "tolerance": 0.0}, "tolerance: expected a number > 0, found 0.0"),
        ({"pose": pose, "tolerance": "fine"}, "tolerance: expected a number > 0"),
        ({"pose": pose, "tolerance": True}, "tolerance: expected a number > 0, found True"),
    ):
        with pytest.raises(px.ArgumentError, match=message):
            px.inverse_kinematics(UR5, **arguments)
    with pytest.raises(px.ArgumentError, match="robot: expected a Robot"):
        px.inverse_kinematics("ur5", pose)
    with pytest.raises(px.RobotError, match="has no frame 'hand'"):
        px.inverse_kinematics(UR5, pose, "hand")
    with pytest.raises(px.RobotError, match="frame 'base' is fixed .* no joint can move it"):
        px.inverse_kinematics(random_robot(0), pose, "base")


# -- the step --------------------------------------------------------------------------------------


def stepped(robot, q, goal, length, bounds):
    return reaching_step(Model(robot), q, [goal], reach_of(robot, length), bounds, 1e-8, 1.0)


@pytest.mark.parametrize("n", [3, 6, 8])
def test_a_step_solves_the_damped_normal_equations(n):
    """Against NumPy on the Jacobian; with more than six joints the equations are the dual ones."""
    robot = px.robots.chain(n)
    free = [(-math.inf, math.inf)] * n
    length = size(robot, None)
    rng = np.random.default_rng(n)
    q, there = rng.uniform(-1, 1, (2, n))
    goal = px.forward_kinematics(robot, there)
    moved, (chord, way), done = stepped(robot, q, goal, length, free)

    here, J = px.forward_kinematics(robot, q), px.jacobian(robot, q)
    turn = goal[:3, :3] @ here[:3, :3].T
    angle = math.acos((np.trace(turn) - 1) / 2)
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    e = np.concatenate([axis / np.linalg.norm(axis) * 2 * math.sin(angle / 2), np.zeros(3)])
    e[3:] = (goal - here)[:3, 3] / length
    J[3:] /= length
    damping = DAMPING * min(e @ e, FAR) + LEAST_DAMPING
    step = np.linalg.solve(J.T @ J + damping * np.eye(n), J.T @ e)
    np.testing.assert_allclose(moved, q + step, atol=1e-9)
    assert chord == pytest.approx(2 * math.sin(angle / 2))
    assert way == pytest.approx(length * np.linalg.norm(e[3:]))
    assert done == 0.0


def test_a_step_stays_where_the_goal_is_reached_and_within_bounds():
    robot = px.robots.chain(6)
    q = [0.1, -0.4, 0.3, 0.9, -0.2, 0.5]
    goal = px.forward_kinematics(robot, q)
    free = [(-math.inf, math.inf)] * 6
    moved, _, done = stepped(robot, q, goal, 1.0, free)
    assert (moved, done) == (q, 1.0)
    bounds = [(-0.6, 0.6), *free[1:]]
    goal = px.forward_kinematics(robot, [2.0, *q[1:]])
    moved, _, done = stepped(robot, [0.6, *q[1:]], goal, 1.0, bounds)
    assert moved[0] == 0.6
    assert done == 0.0


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("against", [True, False])
def test_a_joint_at_a_bound_takes_part_unless_it_is_pushed_against_it(side, against):
    robot, bound = px.robots.planar(3), side * 0.6
    q = np.array([0.6 * side, 0.5, -0.8])
    goal = px.forward_kinematics(robot, q + [0.1 * side if against else -0.1 * side, 0.0, 0.0])
    free = [(-math.inf, math.inf)] * 3
    stop = (bound - 1, bound) if side > 0 else (bound, bound + 1)
    moved, *_ = stepped(robot, q, goal, 1.0, [stop, *free[1:]])
    unbounded, *_ = stepped(robot, q, goal, 1.0, free)
    assert ((unbounded[0] - q[0]) * side > 0) == against
    if against:
        assert moved[0] == bound
        # the others do what they would do if it were not there: best for them, not for all three
        J = px.jacobian(robot, q)[:, 1:]
        here = px.forward_kinematics(robot, q)
        e = np.concatenate([[0, -2 * math.sin(0.05 * side), 0], (goal - here)[:3, 3]])
        damping = (DAMPING * e @ e + LEAST_DAMPING) * np.eye(2)
        step = np.linalg.solve(J.T @ J + damping, J.T @ e)
        np.testing.assert_allclose(moved[1:], q[1:] + step, atol=1e-12)
    else:
        assert moved == unbounded


# -- the benchmark ---------------------------------------------------------------------------------


def test_the_benchmark_counts_what_is_right_and_refuses_what_is_not():
    benchmark = pytest.importorskip("inverse_kinematics")  # of benchmarks/
    robot = load("ur5")
    poses = benchmark.reachable(robot, "tool0", 50)
    found = px.inverse_kinematics(robot, poses, "tool0")
    assert benchmark.checked(robot, "tool0", poses, found).all()
    with pytest.raises(ArithmeticError, match="50 are wrong"):
        benchmark.checked(robot, "tool0", poses, replace(found, q=found.q + 1e-7))
    theirs = benchmark.measure_pinocchio("ur5", "tool0", 5, rounds=1)
    assert theirs["solved"] == 5
