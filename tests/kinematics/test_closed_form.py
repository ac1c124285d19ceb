"""Inverse kinematics in closed form: every solution leads to the pose, and no number lies."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from support.puma_arms import LINK, MEMBERS, PUMA, modified, reframed
from support.robots import RIGHT

import paraxis as px
from paraxis.kinematics.puma_solutions import WRISTS
from paraxis.physics.inverse_kinematics.puma import joint_angles
from paraxis.robots.pose import Pose
from paraxis.robots.puma_geometry import arm_geometry, puma_geometry

# a second of compiling each; of those described at random two, which other tests use as well
QUICK = ("puma560", "standard", "no offsets", "shoulder offset", "other zeros") + (
    "random 3",
    "random 4",
)
members = pytest.mark.parametrize(
    "robot",
    [
        pytest.param(robot, id=name, marks=() if name in QUICK else pytest.mark.long)
        for name, robot in MEMBERS.items()
    ],
)


def angles_apart(a, b):
    """The largest difference of joint positions, whole turns aside."""
    return abs(np.remainder(a - b + math.pi, 2 * math.pi) - math.pi).max(-1)


def postures(robot, count=50, seed=0):
    return np.random.default_rng(seed).uniform(-math.pi, math.pi, (count, robot.n))


# -- solutions -------------------------------------------------------------------------------------


@members
def test_every_solution_leads_to_the_pose(robot):
    pose = px.forward_kinematics(robot, postures(robot))
    found = px.kinematics.inverse_kinematics_solutions(robot, pose)
    back = px.forward_kinematics(robot, found.q[found.solved])
    wanted = np.broadcast_to(pose[:, None], (*found.solved.shape, 4, 4))[found.solved]
    assert found.q.shape == (50, 8, 6)
    assert abs(back - wanted).max() < 1e-12
    assert found.error[found.solved].max() < 1e-12
    assert not found.singular.any()
    assert (abs(found.q[found.solved]) <= math.pi).all()


@members
def test_the_posture_itself_is_a_solution(robot):
    q = postures(robot)
    found = px.kinematics.inverse_kinematics_solutions(robot, px.forward_kinematics(robot, q))
    apart = np.where(found.solved, angles_apart(found.q, q[:, None]), np.inf)
    assert apart.min(-1).max() < 1e-7


@members
def test_the_solutions_are_different_ones(robot):
    found = px.kinematics.inverse_kinematics_solutions(
        robot, px.forward_kinematics(robot, postures(robot))
    )
    for q in found.q:
        for i, one in enumerate(q):
            for other in q[:i]:
                assert not angles_apart(one, other) < 1e-4  # NaN where there is no solution


def test_without_a_shoulder_offset_all_eight_exist():
    for robot in (MEMBERS["puma560"], MEMBERS["standard"], MEMBERS["no offsets"]):
        pose = px.forward_kinematics(robot, postures(robot))
        assert px.kinematics.inverse_kinematics_solutions(robot, pose).solved.all()


def test_with_a_shoulder_offset_some_may_not():
    """Reaching behind itself costs such an arm twice the offset."""
    robot = MEMBERS["shoulder offset"]
    almost_stretched = RIGHT - math.atan2(0.1, 0.43) - 0.3
    far = px.forward_kinematics(robot, [0, 0.1, almost_stretched, 0, 0.5, 0])
    found = px.kinematics.inverse_kinematics_solutions(robot, far)
    assert found.solved.tolist() == [True] * 4 + [False] * 4
    assert np.isnan(found.q[4:]).all()


def test_the_algorithm_on_floats_agrees_with_the_kernel():
    robot = MEMBERS["random 3"]
    geometry = puma_geometry(robot, robot.tool())
    pose = px.forward_kinematics(robot, postures(robot, 1)[0])
    found = px.kinematics.inverse_kinematics_solutions(robot, pose)
    for choice, q, solved in zip(WRISTS, found.q, found.solved, strict=True):
        ours = geometry.positions(joint_angles(geometry, pose.tolist(), *choice))
        assert not solved or angles_apart(np.array(ours), q) < 1e-12


def test_the_algorithm_is_a_program_of_the_papers_operations():
    """What CORDIC modules do: angles, roots, turns and what is between."""
    robot = MEMBERS["puma560"]
    geometry = puma_geometry(robot, robot.tool())
    program = px.trace(lambda pose: joint_angles(geometry, pose, 1, 1, 1), pose=(4, 4))
    ops = [node.op for node in program.graph.nodes]
    assert ops.count("atan2") == 8  # two for each of the first two angles
    assert ops.count("sqrt") == 2  # sqrt(r² - d2²) takes the squares as they are
    assert "select" not in ops


# -- which robots ----------------------------------------------------------------------------------


def test_the_geometry_of_the_papers_pumas():
    for robot, numbers in (
        (MEMBERS["puma560"], (0, 0.4318, -0.0203, 0.2435 - 0.0934, 0.4331)),
        (MEMBERS["standard"], (0, 0.4318, -0.02032, 0.14909, 0.43307)),
    ):
        g = puma_geometry(robot, robot.tool())
        assert (g.a1, g.a2, g.a3, g.d2, g.d4) == pytest.approx(numbers, abs=1e-15)
    assert g.tool.translation == pytest.approx((0, 0, 0.05625))


def bent(robot, i, **changes):
    joints = list(robot.joints)
    joints[i] = replace(joints[i], **changes)
    return replace(robot, joints=tuple(joints), warn=False)


def tilted(robot, i, angle):
    """The robot with joint i's seat turned by an angle about its x."""
    turn = Pose.from_rpy((0, 0, 0), (angle, 0, 0))
    return bent(robot, i, placement=robot.joints[i].placement @ turn)


def moved(robot, i, xyz):
    return bent(robot, i, placement=robot.joints[i].placement @ Pose(translation=xyz))


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        (px.robots.planar(3), "6 joints, all of which move frame 'tip', found 3$"),
        (px.load("stanford"), "joint 'joint3' to be revolute, found prismatic"),
        (px.load("ur5"), "'elbow_joint' and joint 'wrist_1_joint' at a right angle, found 90 deg"),
        (tilted(PUMA, 1, 0.1), "'joint1' and joint 'joint2' at a right angle, found 5.73 degrees"),
        (tilted(PUMA, 2, 0.1), "'joint2' and joint 'joint3' parallel, found 5.73 degrees"),
        (tilted(PUMA, 3, 1.5708 - RIGHT), "'joint3' and joint 'joint4' at a right angle"),
        (tilted(PUMA, 4, 0.1), "'joint4' and joint 'joint5' at a right angle"),
        (tilted(PUMA, 5, 0.1), "'joint5' and joint 'joint6' at a right angle"),
        (moved(PUMA, 4, (0.01, 0, 0)), "'joint5' to meet the axis of joint 'joint4'"),
        (moved(PUMA, 5, (0.01, 0, 0)), "'joint6' to meet the axis of joint 'joint4'"),
        (modified(a2=0.0), "the axis of joint 'joint3' off the axis of joint 'joint2', found 0 m"),
        (modified(a3=0.0, d4=0.0), "the wrist's centre off the axis of joint 'joint3'"),
    ],
)
def test_other_robots_are_told_why_not(robot, words):
    with pytest.raises(px.RobotError, match=words):
        px.kinematics.inverse_kinematics_solutions(robot, np.eye(4))


def test_a_robot_with_a_gripper_is_told_of_its_chain():
    gripper = px.robots.Joint("finger", "prismatic", 5)
    whole = px.Robot(
        "gripping",
        (*PUMA.joints, gripper),
        (*PUMA.inertias, PUMA.inertias[5]),
        PUMA.frames,
        warn=False,
    )
    with pytest.raises(px.RobotError, match="found 7, of which 6 do .lock the others"):
        px.kinematics.inverse_kinematics_solutions(whole, np.eye(4), "link6")
    pose = px.forward_kinematics(whole, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.0], "link6")
    assert px.kinematics.inverse_kinematics_solutions(
        whole.subchain("link6"), pose, "link6"
    ).solved.all()


def test_any_frame_of_the_hand_and_no_other():
    tool = px.robots.Frame("tool", 5, Pose.from_rpy((0.1, 0.2, 0.3), (1, 2, 3)))
    robot = replace(PUMA, frames=(*PUMA.frames, tool), warn=False)
    q = postures(robot)
    for frame in ("tool", "link6"):
        pose = px.forward_kinematics(robot, q, frame)
        found = px.kinematics.inverse_kinematics_solutions(robot, pose, frame)
        assert found.solved.all() and found.error.max() < 1e-12
    with pytest.raises(
        px.RobotError, match="6 joints, all of which move frame 'link4', found 6, of which 4 do"
    ):
        px.kinematics.inverse_kinematics_solutions(robot, pose, "link4")
    with pytest.raises(px.RobotError, match="no frame 'hand'"):
        px.kinematics.inverse_kinematics_solutions(robot, pose, "hand")


def test_a_robot_without_frames_has_a_tip():
    robot = replace(PUMA, frames=(), warn=False)
    pose = px.forward_kinematics(robot, postures(robot))
    assert px.kinematics.inverse_kinematics_solutions(robot, pose).solved.all()


# -- poses that cannot be reached, or in too many ways ---------------------------------------------


def test_out_of_reach():
    pose = np.eye(4)
    pose[:3, 3] = 2.0, 0.0, 0.0
    found = px.kinematics.inverse_kinematics_solutions(PUMA, pose)
    assert not found.solved.any() and not found.singular.any() and not found.within_limits.any()
    assert np.isnan(found.q).all()
    reach = 0.4318 + math.hypot(0.0203, 0.4331)  # in the plane of the arm, 0.1501 beside axis 1
    wanted = math.sqrt(2.0**2 - 0.1501**2)
    missing = (wanted - reach) * wanted / 2.0  # along x
    assert found.error[0] == pytest.approx(missing / 2.0)  # over max|pose|


def test_too_near_to_the_first_axis():
    pose = np.eye(4)
    pose[:3, 3] = 0.1, 0.0, 0.3  # nearer than the shoulder is wide
    assert not px.kinematics.inverse_kinematics_solutions(PUMA, pose).solved.any()


@pytest.mark.parametrize("fifth", [0.0, math.pi])
@pytest.mark.parametrize("name", ["puma560", "other zeros", "random 4"])
def test_a_wrist_in_line(name, fifth):
    robot = MEMBERS[name]
    zero = puma_geometry(robot, robot.tool()).zeros[4]
    q = postures(robot)
    q[:, 4] = fifth - zero  # θ5 = 0 or π
    pose = px.forward_kinematics(robot, q)
    found = px.kinematics.inverse_kinematics_solutions(robot, pose)
    in_line = found.singular
    assert (in_line.sum(-1) >= 2).all()  # both wrists of the posture's own arm and elbow
    assert (found.q[in_line][:, 3] == 0.0).all()
    back = px.forward_kinematics(robot, found.q[in_line])
    assert abs(back - np.broadcast_to(pose[:, None], (50, 8, 4, 4))[in_line]).max() < 2e-10


def test_a_wrist_almost_in_line_is_solved_and_reported():
    q = postures(PUMA)
    q[:, 4] = 1e-8
    found = px.kinematics.inverse_kinematics_solutions(PUMA, px.forward_kinematics(PUMA, q))
    assert found.solved.all() and found.error.max() < 1e-12
    assert found.singular.any(-1).all()
    q[:, 4] = 1e-6
    found = px.kinematics.inverse_kinematics_solutions(PUMA, px.forward_kinematics(PUMA, q))
    assert not found.singular.any()


def test_a_stretched_elbow():
    q = postures(PUMA)
    q[:, 2] = RIGHT - math.atan2(-0.0203, 0.4331)
    found = px.kinematics.inverse_kinematics_solutions(PUMA, px.forward_kinematics(PUMA, q))
    assert found.solved.all() and found.singular.all()
    assert found.error.max() < 1e-12


def test_a_folded_elbow_loses_no_digits():
    """With an upper arm as long as the forearm the wrist's centre comes to lie on axis 2."""
    robot = modified(a2=5.0, a3=0.0, d4=5.0)
    q = postures(robot)
    q[:, 2] = -RIGHT
    found = px.kinematics.inverse_kinematics_solutions(robot, px.forward_kinematics(robot, q))
    assert found.solved.all() and found.singular.all()
    assert found.error.max() < 1e-12


def test_a_wrist_above_the_shoulder():
    robot = MEMBERS["no offsets"]
    q = postures(robot)
    q[:, 2] = 2 * np.arcsin(0.3)  # an isosceles triangle, then turned upright
    q[:, 1] = 0.0
    point = px.forward_kinematics(robot, q, "link4")[:, :3, 3]
    across = np.hypot(point[:, 0], point[:, 1])
    q[:, 1] = np.arctan2(point[:, 2] - 0.6, across) - RIGHT
    pose = px.forward_kinematics(robot, q)
    found = px.kinematics.inverse_kinematics_solutions(robot, pose)
    assert abs(px.forward_kinematics(robot, q, "link4")[:, :2, 3]).max() < 1e-15
    assert found.solved.all() and found.singular.all()
    assert found.error.max() < 1e-12


# -- matrices that are no poses --------------------------------------------------------------------


def spoiled(change):
    pose = px.forward_kinematics(PUMA, postures(PUMA, 3))
    change(pose[1])
    return pose


def _scaled(pose):
    pose[:3, :3] *= 1.003


def _mirrored(pose):
    pose[:3, 0] *= -1


def _last_row(pose):
    pose[3, 0] = 2e-3


def _nan(pose):
    pose[0, 0] = np.nan


def _nan_below(pose):
    pose[3, 1] = np.nan


def _infinite(pose):
    pose[2, 3] = np.inf


@pytest.mark.parametrize(
    "change", [_scaled, _mirrored, _last_row, _nan, _nan_below, _infinite], ids=lambda f: f.__name__
)
def test_what_is_no_pose_has_no_solution_and_spoils_no_other(change):
    found = px.kinematics.inverse_kinematics_solutions(PUMA, spoiled(change))
    assert found.solved.all(-1).tolist() == [True, False, True]
    assert not found.solved[1].any()
    assert np.isnan(found.q[1]).all() and np.isfinite(found.q[[0, 2]]).all()
    assert np.isnan(found.error[1]).all() and np.isnan(found.nearest().error[1])


def test_poses_with_few_digits_are_those_of_the_nearest_rotation():
    pose = px.forward_kinematics(PUMA, postures(PUMA)).round(5)
    found = px.kinematics.inverse_kinematics_solutions(PUMA, pose)
    u, _, v = np.linalg.svd(pose[:, :3, :3])
    pose[:, :3, :3] = u @ v
    assert found.solved.all() and found.error.max() < 1e-12
    assert abs(px.forward_kinematics(PUMA, found.q) - pose[:, None]).max() < 1e-12


def test_poses_as_objects():
    poses = [px.robots.Pose.from_matrix(m) for m in px.forward_kinematics(PUMA, postures(PUMA, 3))]
    expected = px.kinematics.inverse_kinematics_solutions(PUMA, [pose.matrix for pose in poses]).q
    assert (px.kinematics.inverse_kinematics_solutions(PUMA, poses).q == expected).all()
    assert (px.kinematics.inverse_kinematics_solutions(PUMA, poses[1]).q == expected[1]).all()


@pytest.mark.parametrize("wrong", [np.eye(3), np.zeros((2, 4, 3)), "pose", None, 1.0])
def test_wrong_shapes(wrong):
    with pytest.raises(px.ArgumentError, match="pose"):
        px.kinematics.inverse_kinematics_solutions(PUMA, wrong)


def test_wrong_arguments():
    with pytest.raises(px.ArgumentError, match="robot: expected a Robot"):
        px.kinematics.inverse_kinematics_solutions("puma560", np.eye(4))
    with pytest.raises(px.ArgumentError, match="frame: expected the name"):
        px.kinematics.inverse_kinematics_solutions(PUMA, np.eye(4), 3)


def test_batches():
    q = postures(PUMA, 6)
    pose = px.forward_kinematics(PUMA, q)
    whole = px.kinematics.inverse_kinematics_solutions(PUMA, pose)
    for shape in [(6,), (2, 3), (1, 6, 1)]:
        found = px.kinematics.inverse_kinematics_solutions(PUMA, pose.reshape(*shape, 4, 4))
        assert found.q.shape == (*shape, 8, 6) and found.solved.shape == (*shape, 8)
        assert (found.q.reshape(6, 8, 6) == whole.q).all()
    one = px.kinematics.inverse_kinematics_solutions(PUMA, pose[0].tolist())
    assert one.q.shape == (8, 6) and (one.q == whole.q[0]).all()
    none = px.kinematics.inverse_kinematics_solutions(PUMA, np.zeros((0, 4, 4)))
    assert none.q.shape == (0, 8, 6)
    assert none.nearest().q.shape == (0, 6)


# -- limits ----------------------------------------------------------------------------------------


def limited(**limits):
    """The PUMA with joint{i}=(lower, upper)."""
    joints = [
        replace(joint, lower=limits[joint.name][0], upper=limits[joint.name][1])
        if joint.name in limits
        else joint
        for joint in PUMA.joints
    ]
    return replace(PUMA, joints=tuple(joints), warn=False)


def test_within_limits():
    robot = limited(joint1=(-1, 1), joint3=(0, 2.5))
    q = postures(robot, 200)
    pose = px.forward_kinematics(robot, q)
    found, free = (px.kinematics.inverse_kinematics_solutions(each, pose) for each in (robot, PUMA))
    assert free.within_limits.all() and found.solved.all()
    inside = (abs(found.q[..., 0]) <= 1) & (found.q[..., 2] >= 0) & (found.q[..., 2] <= 2.5)
    assert (found.within_limits == inside).all()
    assert inside.any() and not inside.all()
    assert (found.q == free.q).all()


def test_a_turn_away_where_only_that_is_within_limits():
    robot = limited(joint4=(0, 2 * math.pi), joint6=(-5, 0.5))
    q = postures(robot)
    q[:, 3], q[:, 5] = np.linspace(3.2, 6.2, 50), np.linspace(-4.9, -3.2, 50)
    pose = px.forward_kinematics(robot, q)
    found = px.kinematics.inverse_kinematics_solutions(robot, pose)
    itself = abs(found.q - q[:, None]).max(-1) < 1e-7  # no turn aside
    assert itself.any(-1).all()
    assert found.within_limits[itself].all()


def test_the_nearest_solution():
    robot = limited(joint1=(-2, 2), joint2=(-2, 2))
    q = np.clip(postures(robot, 200), -1.9, 1.9)
    pose = px.forward_kinematics(robot, q)
    solutions = px.kinematics.inverse_kinematics_solutions(robot, pose)
    nearest = solutions.nearest(q)
    found, solved, error = nearest
    assert found is nearest.q and solved is nearest.solved and error is nearest.error
    assert repr(nearest) == "<NearestSolution: 200 of 200 solved>"
    assert solved.all() and error.max() < 1e-12
    assert abs(found - q).max() < 1e-7
    found, solved, _ = solutions.nearest()
    assert solved.all()
    assert (abs(found).max(-1) <= abs(q).max(-1) + 1e-12).all()  # q itself was to be had
    with pytest.raises(px.ArgumentError, match="q0: expected shape"):
        solutions.nearest(q[:7])


def test_nearest_where_there_is_none():
    robot = limited(joint1=(0, 0.001))
    far = np.eye(4)
    far[0, 3] = 3.0
    poses = np.stack([px.forward_kinematics(robot, [1.0, 0.2, 0.3, 0.4, 0.5, 0.6]), far])
    q, solved, error = px.kinematics.inverse_kinematics_solutions(robot, poses).nearest()
    assert not solved.any() and np.isnan(q).all()
    assert error[0] < 1e-12 and error[1] > 0.1  # reached, but beyond limits; and out of reach


# -- three joints with rates and accelerations -----------------------------------------------------


def moving(robot, count=50, seed=1):
    """Positions, rates and accelerations of which only the first three joints have any."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-math.pi, math.pi, (count, robot.n))
    qd, qdd = rng.uniform(-2, 2, (2, count, robot.n))
    qd[:, 3:] = qdd[:, 3:] = 0.0
    return q, qd, qdd


def point_motion(robot, q, qd, qdd, frame):
    J = px.jacobian(robot, q, frame)[:, 3:]
    bias = px.bias_acceleration(robot, q, qd, frame)[:, 3:]
    position = px.forward_kinematics(robot, q, frame)[:, :3, 3]
    return position, np.einsum("bij,bj->bi", J, qd), np.einsum("bij,bj->bi", J, qdd) + bias


def own_branch(found, q):
    """Of each state the solution that is the posture q."""
    apart = np.where(found.solved, angles_apart(found.q, q[:, None, :3]), np.inf)
    best = apart.argmin(-1)
    assert apart.min(-1).max() < 1e-7
    return (np.arange(len(q)), best)


@pytest.mark.parametrize(
    "name",
    ["shoulder offset", "random 0"]
    + [pytest.param(f"random {seed}", marks=pytest.mark.long) for seed in (1, 2)],
)
def test_positioning_inverts_the_motion_of_the_wrist(name):
    robot = MEMBERS[name]
    center = puma_geometry(robot, robot.tool()).tool.inverse().translation
    wrist = px.robots.Frame("wrist", 5, robot.tool().pose @ Pose(translation=center))
    robot = replace(robot, frames=(*robot.frames, wrist), warn=False)
    q, qd, qdd = moving(robot)
    motion = point_motion(robot, q, qd, qdd, "wrist")
    found = px.kinematics.positioning_solutions(robot, *motion, frame="wrist")
    own = own_branch(found, q)
    assert found.q.shape == found.qd.shape == found.qdd.shape == (50, 4, 3)
    assert abs(found.qd[own] - qd[:, :3]).max() < 1e-6
    assert abs(found.qdd[own] - qdd[:, :3]).max() < 1e-4  # near a singularity digits are lost
    assert np.median(abs(found.qdd[own] - qdd[:, :3])) < 1e-13


def test_positioning_of_three_joints_with_any_point():
    """Not a wrist: the arm's end, wherever it is on the last body."""
    base = modified()
    tip = px.robots.Frame("end", 2, Pose(translation=(0.3, 0.1, 0.05)))
    robot = px.Robot("three", base.joints[:3], base.inertias[:3], (tip,), warn=False)
    q, qd, qdd = moving(robot)
    found = px.kinematics.positioning_solutions(robot, *point_motion(robot, q, qd, qdd, "end"))
    own = own_branch(found, q)
    assert abs(found.qd[own] - qd).max() < 1e-9
    assert found.solved.all()


def test_rates_are_those_of_the_positions():
    """Along a line, against differences of the closed form itself, with all four arms."""
    t = np.linspace(0, 1, 2001)[:, None]
    way = np.array([0.2, 0.5, 0.6])
    s, sd, sdd = (
        t**3 * (10 - 15 * t + 6 * t**2),
        30 * (t - t**2) ** 2,
        60 * t * (1 - t) * (1 - 2 * t),
    )
    start = np.array([0.3, -0.3, -0.3])
    found = px.kinematics.positioning_solutions(PUMA, start + way * s, way * sd, way * sdd)
    assert found.solved.all()
    q = np.unwrap(found.q, axis=0)
    assert abs(np.gradient(q, t[:, 0], axis=0)[2:-2] - found.qd[2:-2]).max() < 1e-4
    assert abs(np.gradient(found.qd, t[:, 0], axis=0)[2:-2] - found.qdd[2:-2]).max() < 1e-3


def thesis_angles(px_, py, pz, e=0.4318, f=0.4318, g=0.1270):
    """Dhanaraj's pumakin.m for the first sample: q1f, q3f and their q2 (appendix D.1.3)."""
    q1 = math.atan2(-px_, py) + math.atan2(math.sqrt(px_**2 + py**2 - g**2), g)
    k = e**2 + f**2 + g**2 - px_**2 - py**2 - pz**2
    q3 = math.atan2(k, math.sqrt(4 * e**2 * f**2 - k**2))
    x = px_ * math.cos(q1) + py * math.sin(q1)
    q2 = math.atan2(
        -x * f * math.cos(q3) - pz * (e - f * math.sin(q3)),
        x * (e - f * math.sin(q3)) - pz * f * math.cos(q3),
    )
    return q1, q2, q3


def test_the_thesis_program():
    rows = [(0, 0, 0, 0), (-RIGHT, 0, 0.127, 0), (0, 0.4318, 0, 0), (-RIGHT, 0, 0.4318, 0)]
    robot = px.Robot.from_dh(rows, [LINK] * 4, warn=False)
    for y in np.linspace(-0.4, 0.5, 10):
        found = px.kinematics.positioning_solutions(robot, (0.3, y, y))
        assert found.solved.all()
        assert angles_apart(found.q, np.array(thesis_angles(0.3, y, y))).min() < 1e-12


def test_positions_only_and_with_rates_are_the_same():
    q, qd, qdd = moving(PUMA)
    position, velocity, acceleration = point_motion(PUMA, q, qd, qdd, None)
    one = px.kinematics.positioning_solutions(PUMA, position)
    two = px.kinematics.positioning_solutions(PUMA, position, velocity)
    three = px.kinematics.positioning_solutions(PUMA, position, velocity, acceleration)
    assert one.qd is None and one.qdd is None and two.qdd is None
    for less in (one, two):
        assert less.solved.all() and angles_apart(less.q, three.q).max() < 1e-12
    assert abs(two.qd - three.qd).max() < 1e-12


def test_a_point_out_of_reach_and_one_that_is_nan():
    position = np.array([[0.3, 0.4, 0.2], [2, 0, 0], [0.3, np.nan, 0.2]])
    found = px.kinematics.positioning_solutions(PUMA, position, np.ones(3))
    assert found.solved.all(-1).tolist() == [True, False, False]
    assert np.isnan(found.q[1:]).all() and np.isnan(found.qd[1:]).all()
    assert np.isfinite(found.qd[0]).all()


def test_no_rates_at_a_singularity():
    """A stretched arm cannot move on outward, whatever rates a division by 1e-17 would give."""
    q = np.array([0.1, 0.2, RIGHT - math.atan2(-0.0203, 0.4331), 0, 0, 0])
    position = px.forward_kinematics(PUMA, q)[:3, 3]
    still = px.kinematics.positioning_solutions(PUMA, position)
    assert still.solved.all() and still.singular.all() and still.error.max() < 1e-12
    moving_out = px.kinematics.positioning_solutions(PUMA, position, position)
    assert not moving_out.solved.any() and (moving_out.singular == still.singular).all()
    assert np.isnan(moving_out.q).all() and np.isnan(moving_out.qd).all()


def near_singular(geometry, n, count, rng):
    """Postures as near as 1e-16 to singular ones: the elbow stretched or folded, the shoulder too.

    With upper arm and forearm of one length and no offset a folded elbow is both.
    """
    q = rng.uniform(-3, 3, (count, n))
    off = 10 ** rng.uniform(-16, -1, (2, count)) * rng.choice([-1, 1], (2, count))
    s, zero = geometry.signs, geometry.zeros
    bent = math.atan2(geometry.d4, geometry.a3) + rng.choice([0, math.pi], count)
    elbow, shoulder = rng.random((2, count)) < 0.5
    q[elbow, 2] = (s[2] * (bent + off[0] - zero[2]))[elbow]
    θ3 = s[2] * q[:, 2] + zero[2]
    ahead = geometry.a2 + geometry.a3 * np.cos(θ3) + geometry.d4 * np.sin(θ3)
    above = geometry.d4 * np.cos(θ3) - geometry.a3 * np.sin(θ3)
    beside = np.arctan2(above, ahead) + np.arccos(
        np.clip(-geometry.a1 / np.hypot(ahead, above), -1, 1)
    )
    q[shoulder, 1] = (s[1] * (beside + off[1] - zero[1]))[shoulder]
    return q


@pytest.mark.parametrize("equal", [True, pytest.param(False, marks=pytest.mark.long)])
def test_no_reachable_point_is_missed_next_to_singularities(equal):
    """Of each some way is found, or it is singular; and what is found is right."""
    rows = [(0, 0, 0, 0), (-RIGHT, 0, 0.127, 0), (0, 0.4318, 0, 0), (-RIGHT, 0, 0.4318, 0)]
    robot = px.Robot.from_dh(rows, [LINK] * 4, warn=False) if equal else PUMA
    rng = np.random.default_rng(0)
    q = near_singular(arm_geometry(robot, robot.tool()), robot.n, 4000, rng)
    qd, qdd = rng.uniform(-2, 2, (2, *q.shape))
    qd[:, 3:] = qdd[:, 3:] = 0.0  # of joints that do not move the point
    motion = point_motion(robot, q, qd, qdd, None)
    found = px.kinematics.positioning_solutions(robot, *motion)
    assert (found.solved | found.singular).any(-1).all()
    assert not (found.solved & found.singular).any()
    assert (np.isnan(found.qdd).any(-1) == ~found.solved).all()
    assert 0.2 < found.solved.any(-1).mean() < 0.9
    assert px.kinematics.positioning_solutions(robot, motion[0]).solved.any(-1).all()


def test_which_points_three_joints_place():
    with pytest.raises(
        px.RobotError, match="origin of frame 'link3' off the axis of joint 'joint3'"
    ):
        px.kinematics.positioning_solutions(PUMA, np.zeros(3), frame="link3")
    with pytest.raises(px.RobotError, match="3 joints that move frame 'link2', found 2"):
        px.kinematics.positioning_solutions(PUMA, np.zeros(3), frame="link2")
    with pytest.raises(px.RobotError, match="'wrist_1_joint' to meet the origin of frame 'tool0'"):
        px.kinematics.positioning_solutions(px.load("ur5"), np.zeros(3))
    with pytest.raises(px.RobotError, match="'joint1' and joint 'joint2' at a right angle"):
        px.kinematics.positioning_solutions(px.robots.planar(3), np.zeros(3))
    with pytest.raises(px.ArgumentError, match="position: expected .* found None"):
        px.kinematics.positioning_solutions(PUMA, None)
    with pytest.raises(px.ArgumentError, match="velocity: give one too"):
        px.kinematics.positioning_solutions(PUMA, np.zeros(3), acceleration=np.zeros(3))
    assert arm_geometry(px.load("ur5"), px.load("ur5").frame("wrist_1_link")).a2 == 0.425


def test_axes_are_lines_so_frames_do_not_matter():
    """Every reframing of one arm has the same lengths."""
    wanted = puma_geometry(PUMA, PUMA.tool())
    for seed in range(5):
        robot = reframed(PUMA, random.Random(seed))
        found = puma_geometry(robot, robot.tool())
        for name in ("a1", "a2", "a3", "d2", "d4"):
            assert abs(getattr(found, name)) == pytest.approx(abs(getattr(wanted, name)), abs=1e-12)
