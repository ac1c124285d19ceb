"""Robots written as URDF: read again, they move as before, in Paraxis and in Pinocchio."""

import math
import random
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.dynamics import torques
from support.robot_files import FILES, NOT_ROBOTS
from support.robots import random_axis, random_inertia, random_pose, relative_error

import paraxis as px
from paraxis.robots import Frame, Friction, Inertia, Joint, Pose, Transmission
from paraxis.robots.joint import WORLD
from paraxis.robots.readers.urdf import parse_urdf

KINDS = ("revolute", "prismatic", "continuous", "universal", "planar", "free")
STANDARD = (0.0, 0.0, -9.81)


def random_tree(seed, kinds=KINDS, base=True):
    """Joints of these kinds, some limited and some not; frames on most bodies."""
    rng = random.Random(seed)
    joints, frames = [], [Frame("ground", WORLD, random_pose(rng))]
    for k in range(6):
        kind = rng.choice(kinds)
        limits = {"lower": -rng.random(), "upper": rng.random(), "max_velocity": 3.0}
        limits |= {"max_effort": rng.choice((7.0, math.inf))}
        if kind in ("continuous", "planar", "spherical", "free") or rng.random() < 0.4:
            limits = {}
        second = random_axis(rng) if kind == "universal" else None
        joints.append(
            Joint(f"j{k}", kind, rng.randint(WORLD, k - 1), random_pose(rng), random_axis(rng),
                  friction=Friction(viscous=rng.choice((0.0, 0.5)), coulomb=rng.choice((0.0, 0.2))),
                  second_axis=second, **limits)
        )  # fmt: skip
        if rng.random() < 0.8:
            pose = Pose() if rng.random() < 0.6 else random_pose(rng)
            frames.append(Frame(f"f{k}", k, pose))
    bodies = [random_inertia(rng) for _ in joints]
    return px.Robot("tree", joints, bodies, frames, STANDARD,
                    random_pose(rng) if base else Pose(), random_inertia(rng))  # fmt: skip


def read(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        return parse_urdf(text, snap=0)


def same(before, after, state):
    tau = [torques(robot, *state, "newton_euler") for robot in (after, before)]
    assert relative_error(*tau) <= 1e-12
    ours, theirs = (
        dict(zip(robot.frame_names, np.moveaxis(frames(robot, state[0]), -3, 0), strict=True))
        for robot in (before, after)
    )
    for name, pose in ours.items():
        assert abs(theirs[name] - pose).max() <= 1e-13


def frames(robot, q):
    """By the interpreter, as compiling takes longer."""
    return px.program(robot, "frame_poses").evaluate(q=q)


def a_state(robot, seed=0):
    q, qd = px.robots.random_states(robot, 3, seed)
    return q, qd, np.random.default_rng(seed).uniform(-1, 1, qd.shape)


@pytest.mark.parametrize("seed", range(8))
def test_a_tree_of_all_kinds_reads_back(seed):
    tree = random_tree(seed)
    again = read(tree.to_urdf())
    assert (again.nq, again.nv, again.root.mass) == (tree.nq, tree.nv, tree.root.mass)
    same(tree, again, a_state(tree, seed))
    for name in ("lower", "upper", "velocity_limit", "effort_limit"):
        assert (getattr(again, name) == getattr(tree, name)).all()
    universal = [joint.name for joint in tree.joints if joint.kind == "universal"]
    for joint in tree.joints:
        if joint.name not in universal:
            assert again.joint(joint.name).friction == joint.friction


def test_a_universal_joint_is_two():
    tree = random_tree(0, ("universal",))
    again = read(tree.to_urdf())
    assert again.joint_names == [f"j{k}.{n}" for k in range(6) for n in (1, 2)]
    assert [body.is_massless() for body in again.inertias] == [True, False] * 6


def test_what_is_written():
    lines = (px.load("planar3").locked({"joint3": 0}).to_urdf()).splitlines()
    assert lines[:4] == ['<?xml version="1.0"?>', '<robot name="planar3">', '  <link name="base"/>',
                         '  <joint name="joint1" type="continuous">']  # fmt: skip
    assert '    <axis xyz="0.0 -1.0 0.0"/>' in lines
    assert '      <mass value="1.0"/>' in lines and lines[-1] == "</robot>"


def test_it_is_written_to_a_file(tmp_path):
    path = tmp_path / "arm.urdf"
    robot = px.load("ur5")
    assert robot.to_urdf(path) == path.read_text()
    again = px.load(path)
    assert again.digest == robot.digest
    assert again.frame_names == robot.frame_names and again.tool() == robot.tool()
    assert [j.kind for j in again.joints] == [j.kind for j in robot.joints]


@pytest.mark.parametrize("seed", range(4))
def test_pinocchio_reads_it_alike(seed):
    pin = pytest.importorskip("pinocchio")
    tree = random_tree(seed, ("revolute", "prismatic", "continuous", "universal", "free"), False)
    text = tree.to_urdf()
    model, again = pin.buildModelFromXML(text), read(text)
    data, (q, qd, qdd) = model.createData(), a_state(again, seed)
    order_v, at, start = [], [], 0
    for joint in again.joints:
        theirs = model.joints[model.getJointId(joint.name)]
        order_v += range(theirs.idx_v, theirs.idx_v + theirs.nv)
        at.append((theirs, slice(start, start + joint.nq)))
        start += joint.nq
    for k in range(len(q)):
        place = pin.neutral(model)
        for theirs, own in at:
            numbers = q[k, own]
            if theirs.nq == 2 and len(numbers) == 1:
                numbers = np.cos(numbers[0]), np.sin(numbers[0])
            place[theirs.idx_q : theirs.idx_q + theirs.nq] = numbers
        v, a = np.zeros(model.nv), np.zeros(model.nv)
        v[order_v], a[order_v] = qd[k], qdd[k]
        tau = pin.rnea(model, data, place, v, a)[order_v]
        ours = torques(tree, q[k], qd[k], qdd[k], "newton_euler")
        assert relative_error(ours[None], tau[None]) <= 1e-11


REAL = [path for path in FILES if path.name not in NOT_ROBOTS]


@pytest.mark.parametrize("path", REAL[::8], ids=lambda path: path.stem)
def test_real_robots_read_back(path):
    before = read(path.read_bytes())
    again = read(before.to_urdf())
    assert again.joint_names == before.joint_names
    assert {*again.frame_names} >= {*before.frame_names}
    assert again.tips == before.tips
    for ours, theirs in zip(again.joints, before.joints, strict=True):
        assert abs(ours.placement.matrix - theirs.placement.matrix).max() <= 4e-16
        assert (ours.parent, ours.axis, ours.friction) == (
            theirs.parent, theirs.axis, theirs.friction
        )  # fmt: skip
    assert again.inertias == before.inertias
    assert again.root == before.root


def test_a_ball_joint_is_an_extension():
    tree = random_tree(1, ("spherical", "revolute"))
    with pytest.warns(px.RobotWarning, match='no ball joints, .* "spherical", which Paraxis and'):
        again = read(tree.to_urdf())
    same(tree, again, a_state(tree))


def test_what_is_left_out_is_warned_of():
    robot = px.load("puma560").with_gravity((0, 0, -1.62))
    gear = {"transmission": Transmission(ratio=10.0), "friction": Friction(coulomb=1, static=2)}
    robot = robot.with_drives({"joint2": gear})
    with pytest.warns(px.RobotWarning) as caught:
        robot.to_urdf()
    (warning,) = caught
    for words in (
        "no rotor inertias, so those of 'joint1'",
        "no transmissions.*'joint2'",
        "no bearings and static friction.*'joint2'",
        r"no gravity, so \(0 0 -1.62\)",
    ):
        assert re.search(words, str(warning.message))


def test_odd_names():
    body = Inertia.of(1, (0, 0, 0), (1, 1, 1))
    joints = [Joint('a"<&>\t', "revolute"), Joint("b", "revolute", 0), Joint("b.1", "universal", 1,
              second_axis=(1, 0, 0))]  # fmt: skip
    frames = [Frame("b_link", 0), Frame("base", 2), Frame("b.1_link", 1)]
    robot = px.Robot("<odd>", joints, [body] * 3, frames)
    again = read(robot.to_urdf())
    assert again.joint_names == ['a"<&>\t', "b", "b.1.1", "b.1.2"] and again.name == "<odd>"
    same(robot, again, a_state(robot))
    with pytest.raises(px.RobotError, match="characters that XML cannot hold"):
        replace(robot, name="\x00", warn=False).to_urdf()


def test_couplings_that_are_linear():
    tree = random_tree(3, ("revolute", "prismatic"))
    for coefficients in ((0.2, -1.5), (0.2,)):
        follow = px.robots.Coupling("j1", coefficients)
        joints = [replace(j, coupling=follow) if j.name == "j3" else j for j in tree.joints]
        coupled = replace(tree, joints=joints, warn=False)
        again = read(coupled.to_urdf())
        assert again.nq == 5 and again.joint("j3").coupling.leader == "j1"
        same(coupled, again, a_state(coupled))


@pytest.mark.parametrize("leader", ["j1", ("j0", "j1")])
def test_couplings_that_are_not_linear_are_left_out(leader):
    tree = random_tree(3, ("revolute", "prismatic"))
    follow = px.robots.Coupling(leader, (0.0, 1.0, 2.0))
    joints = [replace(j, coupling=follow) if j.name == "j3" else j for j in tree.joints]
    with pytest.warns(px.RobotWarning, match="to one joint only, .* there: 'j3'"):
        text = replace(tree, joints=joints, warn=False).to_urdf()
    assert "mimic" not in text


def test_springs_and_tendons_are_left_out():
    tree = random_tree(3, ("revolute", "prismatic"))
    joints = [replace(tree.joints[0], spring=px.robots.Spring(2.0)), *tree.joints[1:]]
    tendon = px.robots.Tendon("band", {"j0": 1.0, "j1": 2.0}, 3.0)
    with pytest.warns(
        px.RobotWarning, match="no springs, so those of 'j0' .* no tendons, .*: 'band'"
    ):
        replace(tree, joints=joints, tendons=[tendon], warn=False).to_urdf()


def test_helical_joints_are_refused():
    body = Inertia.of(1, (0, 0, 0), (1, 1, 1))
    robot = px.Robot("drill", [Joint("screw", "helical", pitch=0.01)], [body])
    with pytest.raises(px.RobotError, match="no helical joints, and the robot has 'screw'"):
        robot.to_urdf()
