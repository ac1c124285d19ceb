"""Fixed joints of robots made in code: their bodies are parts of those that carry them."""

import random
from dataclasses import replace

import numpy as np
import pytest
from support.robots import random_axis, random_inertia, random_pose
from support.rows import model_of_rows, torques

import paraxis as px
from paraxis.robots import Coupling, Frame, Inertia, Joint, Loop, Pose, Shape
from paraxis.robots.inertia import NOTHING

KINDS = ("fixed", "revolute", "fixed", "fixed", "spherical", "prismatic", "fixed", "revolute")
PARENTS = (-1, 0, 1, 2, 3, 1, 5, 2)
STILL = [i for i, kind in enumerate(KINDS) if kind == "fixed"]


def tree(kinds=KINDS, seed=0):
    rng = random.Random(seed)
    joints = [Joint(f"j{i}", kind, parent, random_pose(rng), random_axis(rng))
              for i, (kind, parent) in enumerate(zip(kinds, PARENTS, strict=True))]  # fmt: skip
    bodies = [random_inertia(rng) for _ in joints]
    frames = [Frame(f"f{i}", i, random_pose(rng)) for i in range(-1, len(joints))]
    shapes = [Shape(f"s{i}", i, random_pose(rng), "sphere", (1.0,)) for i in range(len(joints))]
    base, root = random_pose(rng), random_inertia(rng)
    return px.Robot("tree", joints, bodies, frames, (1, 2, -9), base, root, shapes=shapes)


def test_it_is_the_robot_with_these_joints_locked():
    welded = tree()
    movable = ["revolute" if kind == "fixed" else kind for kind in KINDS]
    locked = tree(movable).locked({f"j{i}": 0.0 for i in STILL})
    kept = replace(welded, frames=[f for f in welded.frames if f.name[0] == "f"], warn=False)
    assert kept == locked and kept.digest == locked.digest and kept.shapes == locked.shapes


def test_what_is_left():
    robot = tree()
    assert robot.joint_names == ["j1", "j4", "j5", "j7"]
    assert (robot.n, robot.nq, robot.nv, len(robot.inertias)) == (4, 7, 6, 4)
    assert robot.frame_names[: len(STILL)] == [f"j{i}" for i in STILL]
    assert robot.tips == [1, 2, 3] and robot.joint_index("j5") == 2
    assert px.program(robot, "inverse_dynamics", parameters=["mass"]).inputs["mass"] == (4,)


@pytest.mark.parametrize("seed", range(2))
def test_against_pinocchio(seed):
    """Which welds bodies by Model.appendBodyToJoint."""
    pin = pytest.importorskip("pinocchio")
    rng = random.Random(seed)
    parts = [(kind, parent, random_pose(rng), random_inertia(rng))
             for kind, parent in zip(KINDS, PARENTS, strict=True)]  # fmt: skip
    joints = [Joint(f"j{i}", kind, parent, pose) for i, (kind, parent, pose, _) in enumerate(parts)]
    robot = px.Robot("tree", joints, [part[3] for part in parts])
    model, stands = pin.Model(), {-1: (0, pin.SE3.Identity())}
    of_kind = {"revolute": pin.JointModelRZ, "prismatic": pin.JointModelPZ}
    of_kind["spherical"] = pin.JointModelSpherical
    for i, (kind, parent, pose, body) in enumerate(parts):
        joint, there = stands[parent]
        place = there * pin.SE3(pose.matrix)
        if kind != "fixed":
            joint, place = (
                model.addJoint(joint, of_kind[kind](), place, f"j{i}"),
                pin.SE3.Identity(),
            )
        stands[i] = joint, place
        xx, yy, zz, xy, xz, yz = body.about_com
        moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        model.appendBodyToJoint(joint, pin.Inertia(body.mass, np.array(body.com), moments), place)
    q, v = px.robots.random_states(robot, seed=seed)
    a = np.random.default_rng(seed).normal(size=robot.nv)
    theirs = pin.rnea(model, model.createData(), q, v, a)
    np.testing.assert_allclose(
        torques(model_of_rows(robot), q, v, a), theirs, rtol=1e-12, atol=1e-11
    )


def test_a_frame_of_its_name_may_be_there():
    body = Inertia.of(1.0, (0, 0, 0), (1, 1, 1))
    joints = [Joint("a", "revolute"), Joint("tip", "fixed", 0, Pose.from_rpy((0, 0, 1)))]
    robot = px.Robot("r", joints, [body, NOTHING], [Frame("x", 0), Frame("tip", 1)])
    assert robot.frame_names == ["x", "tip"]
    assert robot.tool() == Frame("tip", 0, Pose.from_rpy((0, 0, 1)))
    with pytest.raises(px.RobotError, match="joint 'tip' is fixed, and leaves a frame of its name"):
        px.Robot("r", joints, [body, NOTHING], [Frame("tip", 0)])


def test_loops_of_its_body():
    body = Inertia.of(1.0, (0, 0, 0), (1, 1, 1))
    joints = [Joint("a", "revolute"), Joint("tip", "fixed", 0, Pose.from_rpy((1, 0, 0)))]
    loop = Loop.connect("l", Frame("tip", 1), Frame("wall", -1, Pose.from_rpy((1, 0, 0))))
    robot = px.Robot("r", joints, [body, body], loops=[loop], independent=["a"])
    assert robot.loops[0].first == Frame("tip", 0, Pose.from_rpy((1, 0, 0)))
    assert robot.independent == ("a",)


FOLLOWS = {"coupling": Coupling("a", (1.0,))}


@pytest.mark.parametrize(
    ("kinds", "parent", "rest", "message"),
    [
        (["fixed"], -1, {}, "has no moving joint"),
        (["revolute", "fixed"], 1, {}, "parent: expected -1 or an earlier joint"),
        (["revolute", "fixed"], 0, FOLLOWS, "'b': a fixed joint cannot follow another"),
        (["fixed", "revolute"], 0, FOLLOWS, "joint 'b'.* joint 'a'"),
    ],
)
def test_errors(kinds, parent, rest, message):
    body = Inertia.of(1.0, (0, 0, 0), (1, 1, 1))
    with pytest.raises(px.RobotError, match=message):
        *first, last = kinds
        joints = [*(Joint("a", kind) for kind in first), Joint("b", last, parent, **rest)]
        px.Robot("r", joints, [body] * len(joints))
