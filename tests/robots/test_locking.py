"""Joints held in place, and chains cut out of trees: nothing that a robot carries is lost."""

import random
import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.robot_files import ROBOTS
from support.robots import (
    body_poses,
    pinocchio_model,
    random_axis,
    random_inertia,
    random_pose,
    random_robot,
    relative_error,
    states,
)

import paraxis as px
from paraxis.physics.newton_euler import inverse_dynamics
from paraxis.robots.joint import WORLD
from paraxis.robots.model import Model

TALOS = "talos_data/robots/talos_reduced.urdf"
STILL = px.robots.Inertia(2.0, (0.1, 0.2, 0.3), (0.4, 0.5, 0.6, 0.01, 0.02, 0.03))


def torques(robot, q, qd, qdd):
    model = Model(robot)
    return np.array([inverse_dynamics(model, *state) for state in zip(q, qd, qdd, strict=True)])


def frame_poses(robot, q):
    """One row of numbers: where all frames are."""
    poses = {WORLD: robot.base.matrix} | dict(enumerate(body_poses(robot, q)))
    return np.ravel([poses[frame.body] @ frame.pose.matrix for frame in robot.frames])[None]


def reduced(pin, model, held):
    """Pinocchio's model with joints locked, {name: position}."""
    ids = [model.getJointId(name) for name in held]
    at = pin.neutral(model)
    for i, position in zip(ids, held.values(), strict=True):
        joint = model.joints[i]
        pair = (np.cos(position), np.sin(position))  # an unbounded joint has two coordinates
        at[joint.idx_q : joint.idx_q + joint.nq] = pair if joint.nq == 2 else position
    return pin.buildReducedModel(model, ids, at)


def pinocchio_torques(pin, model, robot, q, qd, qdd):
    """Of states in our order of joints."""
    order = [robot.joint_names.index(name) for name in list(model.names)[1:]]
    data, found = model.createData(), np.empty_like(q)
    for k in range(len(q)):
        at = []
        for joint, position in zip(list(model.joints)[1:], q[k, order], strict=True):
            at += [np.cos(position), np.sin(position)] if joint.nq == 2 else [position]
        found[k, order] = pin.rnea(model, data, np.array(at), qd[k, order], qdd[k, order])
    return found


@pytest.mark.parametrize("seed", range(20))
def test_locked_trees_are_pinocchios_reduced_models(seed):
    pin = pytest.importorskip("pinocchio")
    rng = random.Random(seed)
    robot = random_robot(seed, (2, 9), rotors=False)
    names = rng.sample(robot.joint_names, rng.randint(1, robot.n - 1))
    held = {name: rng.choice((0.0, rng.uniform(-2, 2))) for name in names}
    part, model = robot.locked(held), reduced(pin, pinocchio_model(robot), held)
    assert part.joint_names == [name for name in robot.joint_names if name not in held]
    state = states(part, 2, seed)
    reference = pinocchio_torques(pin, model, part, *state)
    assert relative_error(torques(part, *state), reference) <= 1e-11


@pytest.mark.parametrize("seed", range(10))
def test_a_locked_robot_moves_as_the_whole_one_with_those_joints_still(seed):
    """Also where there are rotors and where every frame is; the torques of other joints."""
    robot = random_robot(100 + seed, (2, 7))
    rng = np.random.default_rng(seed)
    held = {name: rng.uniform(-2, 2) for name in robot.joint_names[seed % 2 :: 2][: robot.n - 1]}
    part = robot.locked(held)
    kept = [robot.joint_names.index(name) for name in part.joint_names]
    q, qd, qdd = (np.zeros((2, robot.n)) for _ in range(3))
    for name, position in held.items():
        q[:, robot.joint_names.index(name)] = position
    own = states(part, 2, seed)
    for whole, few in zip((q, qd, qdd), own, strict=True):
        whole[:, kept] = few
    assert relative_error(torques(part, *own), torques(robot, q, qd, qdd)[:, kept]) <= 1e-11
    assert part.frame_names == robot.frame_names
    assert relative_error(frame_poses(part, own[0][1]), frame_poses(robot, q[1])) <= 1e-12
    assert [joint.rotor_inertia for joint in part.joints] == [
        robot.joints[i].rotor_inertia for i in kept
    ]


@pytest.mark.parametrize("tip", ["gripper_left_base_link", "arm_right_3_link"])
def test_the_arm_of_talos_carries_its_gripper(tip):
    """Pinocchio's reduced model has the same torques; without the rest they are far off."""
    pin = pytest.importorskip("pinocchio")
    path = ROBOTS / TALOS
    if not path.exists():
        pytest.skip("example-robot-data is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        whole, arm = px.load(path), px.load(path, tip=tip)
    held = {name: 0.0 for name in whole.joint_names if name not in arm.joint_names}
    model = reduced(pin, pin.buildModelFromUrdf(str(path)), held)
    state = states(arm, 3, 1)
    reference = pinocchio_torques(pin, model, arm, *state)
    assert relative_error(torques(arm, *state), reference) <= 1e-11
    assert arm.tool().name == tip
    bare = whole.subchain(tip, drop_rest=True)
    assert relative_error(torques(bare, *state), reference) > 1e-2


# -- a hand beyond the tip, a branch beside it, a post on the ground -------------------------------


def machine():
    """base - turn - arm - bend - wrist (tool) - grip - finger; a lamp on the arm; a fan on base."""
    seat = px.robots.Pose(translation=(0.5, 0.0, 0.0))
    parents = {"turn": -1, "bend": 0, "grip": 1, "lamp": 0, "fan": -1}
    joints = [px.robots.Joint(name, "revolute", parent, seat) for name, parent in parents.items()]
    frames = [px.robots.Frame("base", WORLD)]
    links = ("arm", "wrist", "finger", "shade", "blade")
    frames += [px.robots.Frame(link, i) for i, link in enumerate(links)]
    frames.insert(3, px.robots.Frame("tool", 1, seat))
    return px.Robot("machine", joints, [STILL] * 5, frames)


def test_what_a_subchain_keeps():
    arm = machine().subchain("tool")
    assert arm.joint_names == ["turn", "bend"]
    assert [body.mass for body in arm.inertias] == [4.0, 4.0]  # with the lamp; with the finger
    assert arm.frame_names == ["base", "arm", "wrist", "finger", "shade", "blade", "tool"]
    assert arm.frame("blade").body == WORLD and arm.frame("finger").body == 1
    assert arm.frame("finger").pose.translation == (0.5, 0.0, 0.0)
    assert arm.tool().name == "tool"


def test_where_the_rest_is_held():
    arm = machine().subchain("tool", locked={"grip": np.pi})
    x, y, _ = arm.inertias[1].com  # of the wrist, and of the finger turned back
    assert x == pytest.approx((0.1 + 0.5 - 0.1) / 2) and y == pytest.approx(0.0)
    assert arm.digest == machine().locked({"grip": np.pi, "lamp": 0, "fan": 0}).digest


def test_what_drop_rest_leaves_out():
    arm = machine().subchain("tool", drop_rest=True)
    assert [body.mass for body in arm.inertias] == [2.0, 2.0]
    assert arm.frame_names == ["base", "arm", "wrist", "tool"]


def test_locking_nothing_changes_nothing():
    robot = random_robot(3)
    assert robot.locked({}).digest == robot.digest
    assert robot.locked({}) == replace(robot, warn=False)


def test_drives_of_locked_joints_are_gone():
    robot = px.robots.planar(3).with_drives(
        {f"joint{k}": {"friction": {"viscous": k}} for k in (1, 2, 3)}
    )
    part = robot.locked({"joint2": 0.3})
    assert [joint.friction.viscous for joint in part.joints] == [1, 3]
    assert not robot.locked({"joint1": 0, "joint2": 0}).joints[0].lower > -np.inf


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda r: r.locked({"gripp": 0}), "has no joint 'gripp'; .*did you mean 'grip'"),
        (lambda r: r.locked({"grip": np.nan}), "position of joint 'grip': expected finite"),
        (lambda r: r.locked({"grip": "open"}), "position of joint 'grip': expected a number"),
        (
            lambda r: r.locked(["grip"]),
            "expected a mapping of joint names to positions, found list",
        ),
        (lambda r: r.locked(dict.fromkeys(r.joint_names, 0)), "leaves none to move"),
        (lambda r: r.subchain("base"), "tip 'base' is fixed to the world"),
        (lambda r: r.subchain("toool"), "no frame 'toool'.*did you mean 'tool'"),
        (lambda r: r.subchain("tool", {"bend": 1}), "do not move 'tool', found 'bend'"),
        (
            lambda r: r.subchain("tool", {"grip": 1}, drop_rest=True),
            "combined with drop_rest",
        ),
    ],
)
def test_errors(make, message):
    with pytest.raises(px.RobotError, match=message):
        make(machine())


# -- joints of several degrees of freedom ----------------------------------------------------------

HALF = np.sqrt(0.5)
HELD = {
    "universal": (0.3, -0.8),
    "planar": (0.2, -0.3, 0.9),
    "spherical": (HALF, 0.0, 0.0, HALF),
    "free": (0.1, 0.2, 0.3, 0.0, 0.6, 0.0, -0.8),
}


def tau_of(robot, q, qd, qdd):
    """By the interpreter, as compiling takes longer."""
    return px.program(robot, algorithm="newton_euler").evaluate(q=q, qd=qd, qdd=qdd)


def pose_of(robot, q, frame):
    return px.program(robot, "forward_kinematics", frame=frame).evaluate(q=q)


def mixed(*kinds):
    """A chain of joints of these kinds, at random seats, and a hinge at each end."""
    rng = random.Random(len(kinds))
    joints = []
    for k, kind in enumerate(("revolute", *kinds, "prismatic")):
        second = random_axis(rng) if kind == "universal" else None
        axis = random_axis(rng)
        joints.append(
            px.robots.Joint(f"j{k}", kind, k - 1, random_pose(rng), axis, second_axis=second)
        )
    bodies = [random_inertia(rng) for _ in joints]
    frames = [px.robots.Frame(f"f{k}", k, random_pose(rng)) for k in range(len(joints))]
    return px.Robot("mixed", joints, bodies, frames, root=random_inertia(rng))


@pytest.mark.parametrize("kind", HELD)
def test_locked_joints_of_several_degrees_of_freedom(kind):
    """The others have the torques of the whole robot with that joint still."""
    robot = mixed(kind)
    part = robot.locked({"j1": HELD[kind]})
    q = [0.4, *HELD[kind], 0.3]
    still = [0.0] * robot.joint("j1").nv
    whole = tau_of(robot, q, [0.7, *still, -0.2], [1.1, *still, 0.9])[[0, -1]]
    own = tau_of(part, [0.4, 0.3], [0.7, -0.2], [1.1, 0.9])
    assert relative_error(own[None], whole[None]) <= 1e-12
    assert sum(b.mass for b in part.inertias) == pytest.approx(sum(b.mass for b in robot.inertias))
    for frame in robot.frame_names:
        there = pose_of(robot, q, frame=frame)
        found = pose_of(part, [0.4, 0.3], frame=frame)
        assert abs(found - there).max() <= 1e-14


@pytest.mark.parametrize("kind", HELD)
def test_a_neutral_lock_leaves_the_seat_alone(kind):
    robot = mixed(kind)
    neutral = px.neutral(robot)[1 : 1 + robot.joint("j1").nq]
    part = robot.locked({"j1": neutral})
    pose = pose_of(robot, px.neutral(robot), frame="f1")
    assert abs(pose_of(part, [0.0, 0.0], frame="f1") - pose).max() <= 1e-14


def test_a_subchain_of_a_floating_robot_keeps_its_free_joint():
    robot = replace(machine(), root=STILL).with_floating_base()
    arm = robot.subchain("tool")
    assert arm.joint_names == ["floating_base", "turn", "bend"]
    assert arm.inertias[0].mass == 4.0  # the base, and the fan on it
    assert arm.digest == replace(machine(), root=STILL).subchain("tool").with_floating_base().digest
    base = robot.subchain("base")  # only the free joint moves it
    assert base.joint_names == ["floating_base"] and base.inertias[0].mass == pytest.approx(12)


def test_a_free_base_locked_is_a_fixed_one():
    fixed = replace(machine(), root=STILL)
    again = fixed.with_floating_base().locked({"floating_base": (0, 0, 0, 0, 0, 0, 1)})
    assert again.digest == fixed.digest and again.root == fixed.root
    assert again.frames == fixed.frames


def test_side_branches_of_several_degrees_are_held_at_zero():
    robot = mixed("spherical", "free", "planar", "universal")
    tip = robot.subchain("f0")
    assert tip.joint_names == ["j0"]
    assert tip.inertias[0].mass == pytest.approx(sum(b.mass for b in robot.inertias))


@pytest.mark.parametrize(
    ("kind", "position", "message"),
    [
        (
            "spherical",
            (0, 0, 0, 2),
            "'j1': expected a unit quaternion x, y, z, w, found one of .*2",
        ),
        ("spherical", (0, 0, 1), "'j1': expected 4 numbers, found 3"),
        ("spherical", 0.0, r"'j1' \(spherical\): expected 4 numbers, a unit quaternion"),
        ("free", "here", r"'j1' \(free\): expected 7 numbers, x, y, z and a unit quaternion"),
        ("free", (0, 0, 0, 0, 0, np.nan, 1), "'j1': expected finite numbers"),
        ("universal", (1, 2, 3), "'j1': expected 2 numbers, found 3"),
        ("planar", 1.0, r"'j1' \(planar\): expected 3 numbers, x, y and an angle"),
    ],
)
def test_positions_that_joints_do_not_have(kind, position, message):
    with pytest.raises(px.RobotError, match=message):
        mixed(kind).locked({"j1": position})


# -- couplings, and helical joints -----------------------------------------------------------------


def coupled():
    """A hinge, a screw on it, and two fingers on both, the second of which follows the first."""
    rng = random.Random(5)
    bend = px.robots.Coupling("first", (0.1, -0.5, 0.3))
    joints = [
        px.robots.Joint("hinge", "revolute", WORLD, random_pose(rng), random_axis(rng)),
        px.robots.Joint("screw", "helical", 0, random_pose(rng), random_axis(rng), pitch=0.1),
        px.robots.Joint("first", "revolute", 1, random_pose(rng), random_axis(rng)),
        px.robots.Joint(
            "second", "prismatic", 0, random_pose(rng), random_axis(rng), coupling=bend
        ),
    ]
    frames = [px.robots.Frame(f"f{k}", k, random_pose(rng)) for k in range(4)]
    return px.Robot("hand", joints, [random_inertia(rng) for _ in joints], frames)


def test_a_leader_is_locked_with_its_follower():
    robot = coupled()
    part = robot.locked({"first": 0.7})
    assert part.joint_names == ["hinge", "screw"]
    own = tau_of(part, [0.3, 0.4], [0.5, 0.6], [0.7, 0.8])
    whole = tau_of(robot, [0.3, 0.4, 0.7], [0.5, 0.6, 0], [0.7, 0.8, 0])[:2]
    assert relative_error(own[None], whole[None]) <= 1e-12
    with pytest.raises(px.RobotError, match="'second' follows joint 'first': lock that one"):
        robot.locked({"second": 0.1})


def test_a_screw_is_locked():
    robot = coupled()
    part = robot.locked({"screw": 0.4})
    own = tau_of(part, [0.3, 0.7], [0.5, 0.6], [0.7, 0.8])
    whole = tau_of(robot, [0.3, 0.4, 0.7], [0.5, 0, 0.6], [0.7, 0, 0.8])[[0, 2]]
    assert relative_error(own[None], whole[None]) <= 1e-12
    there = pose_of(robot, [0.3, 0.4, 0.7], "f2")
    assert abs(pose_of(part, [0.3, 0.7], "f2") - there).max() <= 1e-14


def test_a_subchain_keeps_what_moves_with_it():
    robot = coupled()
    assert robot.subchain("f1").joint_names == ["hinge", "screw"]
    assert robot.subchain("f3").joint_names == ["hinge", "first", "second"]  # its leader too
    assert robot.subchain("f2").joint_names == ["hinge", "screw", "first", "second"]
    with pytest.raises(px.RobotError, match="'second': there is no joint 'first' to follow"):
        robot.subchain("f3", drop_rest=True)
