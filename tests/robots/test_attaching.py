"""Robots and tools attached to frames, subtrees removed, inertias replaced."""

from dataclasses import replace

import numpy as np
import pytest
from support.robots import random_inertia, random_pose, random_robot, relative_error

import paraxis as px
from paraxis.robots import Frame, Inertia, Joint, Pose
from paraxis.robots.joint import WORLD

BODY = Inertia.of(2.0, (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))


def hand():
    """Two fingers on a palm of 0.5 kg."""
    seats = [Pose(translation=(0, y, 0.1)) for y in (-0.05, 0.05)]
    joints = [Joint(f"finger{k}", "prismatic", WORLD, seat) for k, seat in enumerate(seats)]
    finger = Inertia.of(0.05, (0, 0, 0.02), (1e-5, 1e-5, 1e-5))
    frames = [Frame("palm", WORLD), Frame("tip0", 0), Frame("tip1", 1)]
    palm = Inertia.of(0.5, (0, 0, 0.05), (1e-3, 1e-3, 1e-3))
    return px.Robot("hand", joints, [finger] * 2, frames, root=palm)


def tau_of(robot, q, qd, qdd):
    """By the interpreter, as compiling takes longer."""
    return px.program(robot, algorithm="newton_euler").evaluate(q=q, qd=qd, qdd=qdd)


def pose_of(robot, q, frame=None):
    return px.program(robot, "forward_kinematics", frame=frame).evaluate(q=q)


def states(robot, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (3, robot.n))


# -- attaching -------------------------------------------------------------------------------------


def test_a_hand_on_an_arm():
    arm = px.load("ur5")
    both = arm.with_attached(hand(), pose=Pose(translation=(0, 0, 0.02)))
    assert both.joint_names == [*arm.joint_names, "finger0", "finger1"]
    assert both.frame_names == [*arm.frame_names, "palm", "tip0", "tip1"]
    assert [joint.parent for joint in both.joints[6:]] == [5, 5]
    q, qd, qdd = states(both)
    palm = pose_of(arm, q[:6]) @ Pose(translation=(0, 0, 0.02)).matrix
    assert abs(pose_of(both, q, frame="palm") - palm).max() <= 1e-15
    # with the fingers locked it is an arm with a payload
    still = dict(zip(("finger0", "finger1"), q[6:], strict=True))
    held, alone = both.locked(still), hand()
    mass = alone.root
    for joint, body, at in zip(alone.joints, alone.inertias, q[6:], strict=True):
        x, y, z = joint.placement.translation
        mass = mass + body.seen_from(Pose(translation=(x, y, z + at)))
    mass = mass.seen_from(Pose(translation=(0, 0, 0.02)))
    loaded = arm.with_payload(mass.mass, mass.com, mass.matrix)
    tau = tau_of(held, q[:6], qd[:6], qdd[:6])
    other = tau_of(loaded, q[:6], qd[:6], qdd[:6])
    assert relative_error(tau[None], other[None]) <= 1e-13


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_put_together_again(seed):
    """What is removed at a joint, and attached as a robot of its own, has the old torques."""
    whole = random_robot(seed, (4, 8))
    cut = whole.n // 2
    inside = [cut]  # the subtree of that joint
    for i in range(cut + 1, whole.n):
        if whole.joints[i].parent in inside:
            inside.append(i)
    rest = whole.without(whole.joints[cut].name)
    assert rest.joint_names == [n for i, n in enumerate(whole.joint_names) if i not in inside]
    numbers = {old: new for new, old in enumerate(inside)} | {whole.joints[cut].parent: WORLD}
    parts = [whole.joints[i] for i in inside]
    parts = [Joint(j.name, j.kind, numbers[j.parent], j.placement, j.axis,
                   rotor_inertia=j.rotor_inertia) for j in parts]  # fmt: skip
    branch = px.Robot("branch", parts, [whole.inertias[i] for i in inside], warn=False)
    parent = whole.joints[cut].parent
    place = Frame("place", parent if parent == WORLD else rest.joint_index(f"j{parent}"))
    stump = px.Robot("stump", rest.joints, rest.inertias, [*rest.frames, place], whole.gravity,
                     whole.base)  # fmt: skip
    again = stump.with_attached(branch, "place")
    order = [again.joint_names.index(name) for name in whole.joint_names]
    q, qd, qdd = states(whole, seed)
    mixed = [np.empty_like(q) for _ in range(3)]
    for new, old in zip(mixed, (q, qd, qdd), strict=True):
        new[order] = old
    tau = tau_of(again, *mixed)[order]
    assert relative_error(tau[None], tau_of(whole, q, qd, qdd)[None]) <= 1e-12


def test_a_robot_twice_with_a_prefix():
    arm = px.load("ur5")
    pair = arm.with_attached(arm, "base_link", Pose(translation=(0, 1, 0)), prefix="right_")
    assert pair.joint_names[6:] == [f"right_{name}" for name in arm.joint_names]
    assert pair.branching == [WORLD]
    q, qd, qdd = states(arm)
    tau = tau_of(pair, *(np.tile(each, 2) for each in (q, qd, qdd)))
    one = tau_of(arm, q, qd, qdd)
    assert relative_error(tau[None], np.tile(one, 2)[None]) <= 1e-13


def test_an_arm_on_a_floating_base():
    base = px.robots.planar(1).with_floating_base()
    both = base.with_attached(hand(), "tip")
    assert both.nq == 7 + 3 and both.nv == 6 + 3
    assert both.inertias[1].mass == pytest.approx(1.5)
    on_floor = hand().with_attached(px.robots.planar(1), "palm")
    assert on_floor.root.mass == 0.5 and on_floor.joint("joint1").parent == WORLD


def test_a_tool():
    import random

    rng = random.Random(0)
    arm, weight, tip = px.load("ur5"), random_inertia(rng), random_pose(rng)
    with_tool = arm.with_tool("drill", weight, tip)
    assert with_tool.tool().name == "drill"
    loaded = arm.with_payload(weight.mass, weight.com, weight.matrix)
    assert with_tool.digest == loaded.digest
    q = states(arm)[0]
    there = pose_of(arm, q) @ tip.matrix
    assert abs(pose_of(with_tool, q) - there).max() <= 1e-14
    bare = arm.with_tool("pointer", tip=tip.matrix, frame="tool0")
    assert bare.digest == arm.digest and bare.tool().name == "pointer"


# -- removing, and other inertias ------------------------------------------------------------------


def test_what_is_removed():
    both = px.load("ur5").with_attached(hand())
    arm = both.without("finger0", "finger1")
    assert arm.joint_names == px.load("ur5").joint_names
    assert arm.frame_names == [*px.load("ur5").frame_names, "palm"]  # it is fixed to the arm
    assert both.without("elbow_joint").joint_names == ["shoulder_pan_joint", "shoulder_lift_joint"]


def test_inertias_by_joint_and_by_link():
    arm = px.load("ur5").with_tool("drill", tip=Pose.from_rpy((0, 0, 0.1), (0.3, 0, 0)))
    same = arm.with_inertias({"elbow_joint": BODY})
    assert same.inertias[2] == BODY and same.inertias[3] == arm.inertias[3]
    assert arm.with_inertias({"forearm_link": BODY}).inertias == same.inertias
    there = arm.with_inertias({"drill": BODY}).inertias[5]
    assert there == BODY.seen_from(arm.frame("drill").pose)
    assert arm.with_inertias({"base_link": BODY}).root == BODY
    assert arm.with_inertias({}) == arm


def test_an_inertia_that_cannot_be_is_warned_of():
    with pytest.warns(px.RobotWarning, match="inertia of 'elbow_joint': principal moments"):
        px.load("ur5").with_inertias({"elbow_joint": Inertia.of(1, (0, 0, 0), (1, 1, 9))})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda r: r.with_attached(r), "both have the joints 'shoulder_pan_joint'.* and 3 more; .*"
            "prefix='hand_' makes 'shoulder_pan_joint' 'hand_shoulder_pan_joint'"),
        (lambda r: r.with_attached(hand().with_attached(hand(), "palm", prefix="hand_"), "ee")
            .with_attached(hand(), prefix=3), "no frame 'ee'"),
        (lambda r: r.with_attached(hand(), prefix=3), "prefix: expected a str, found int"),
        (lambda r: r.with_attached(BODY), "expected a Robot .*robot.with_tool.*, found Inertia"),
        (lambda r: r.with_attached(hand(), "too10"), "no frame 'too10'.*did you mean 'tool0'"),
        (lambda r: r.with_attached(hand(), pose=np.ones((3, 3))), "expected a Pose or a 4x4"),
        (lambda r: r.with_tool("tool0"), "already has a frame 'tool0'; give the tool another name"),
        (lambda r: r.with_tool("drill", 2.0), "tool 'drill' inertia: expected an Inertia"),
        (lambda r: r.without("elbow"), "no joint 'elbow'.*did you mean 'elbow_joint'"),
        (lambda r: r.without("tool0"), "'tool0' is a frame, which is on the body of .*'wrist_3"),
        (lambda r: r.without("shoulder_pan_joint"), "'shoulder_pan_joint' no joint is left"),
        (lambda r: r.with_inertias([BODY]), "expected a mapping of names to Inertia, found list"),
        (lambda r: r.with_inertias({"elbow_joint": 1.0}), "'elbow_joint': expected an Inertia"),
        (lambda r: r.with_inertias({"elbow": BODY}), "no joint or link 'elbow'.*did you mean"),
        (lambda r: r.with_inertias({"tool0": BODY, "wrist_3_joint": BODY}), "parts of one body"),
    ],
)  # fmt: skip
def test_errors(make, message):
    with pytest.raises(px.RobotError, match=message):
        make(px.load("ur5"))


def test_couplings_go_with_a_prefix():
    follow = px.robots.Coupling("finger0", (0.0, -1.0))
    first, second = hand().joints
    gripper = px.Robot("hand", [first, replace(second, coupling=follow)], hand().inertias)
    both = px.load("ur5").with_attached(gripper, prefix="left_")
    assert both.joint("left_finger1").coupling.leader == "left_finger0" and both.nq == 7
    with pytest.raises(px.RobotError, match="there is no joint 'left_finger0' to follow"):
        both.without("left_finger0")
