"""The Robot itself: how it prints, what it refuses, payloads, parts, digests, copies."""

import copy
import dataclasses
import math
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.dynamics import frame_poses, seeds, torques
from support.robots import pinocchio_model, random_robot, relative_error, robots, states

import paraxis as px
from paraxis import Robot
from paraxis.errors import RobotError, RobotWarning
from paraxis.robots import Frame, Inertia, Joint, Pose
from paraxis.robots.joint import WORLD


def test_a_robot_prints_as_a_table():
    assert str(px.load("puma560")) == (
        "puma560: 6 joints, a chain, 23.45 kg moving, gravity (0 0 -9.81) m/s²\n"
        "\n"
        "   joint   kind      parent  axis  mass kg  centre of mass m    rotor  range\n"
        "─  ──────  ────────  ──────  ────  ───────  ──────────────────  ─────  ─────\n"
        "0  joint1  revolute  world   z     0        0 0 0               1.14   any\n"
        "1  joint2  revolute  joint1  z     17.4     0.068 0.006 -0.016  4.71   any\n"
        "2  joint3  revolute  joint2  z     4.8      0 -0.07 0.014       0.83   any\n"
        "3  joint4  revolute  joint3  z     0.82     0 0 -0.019          0.2    any\n"
        "4  joint5  revolute  joint4  z     0.34     0 0 0               0.179  any\n"
        "5  joint6  revolute  joint5  z     0.09     0 0 0.032           0.193  any"
    )


def test_ranges_and_odd_axes_print_with_their_units():
    body = Inertia.of(1, (0, 0, 0), (1, 1, 1))
    joints = [
        Joint("turn", "revolute", WORLD, axis=(0.6, 0.0, 0.8), lower=-1.5, upper=2),
        Joint("slide", "prismatic", 0, axis=(-1.0, 0.0, 0.0), lower=0, upper=0.25),
    ]
    lines = str(Robot("odd", joints, [body] * 2)).splitlines()
    assert lines[0].startswith("odd: 2 joints, a chain, 2 kg moving")
    assert lines[-2].split("  ")[-1] == "-1.5 .. 2 rad" and "0.6 0 0.8" in lines[-2]
    assert lines[-1].split("  ")[-1] == "0 .. 0.25 m" and " -x " in lines[-1]
    pair = Robot("pair", [joints[0], replace(joints[1], parent=WORLD)], [body] * 2)
    assert "2 joints, a tree branching at one body" in str(pair)


def test_a_robot_cannot_be_changed():
    robot = px.load("ur5")
    for target, name in (
        (robot, "gravity"),
        (robot.joints[0], "axis"),
        (robot.inertias[0], "mass"),
        (robot.base, "translation"),
        (robot.frames[0], "name"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(target, name, None)
    lists = Robot("r", list(robot.joints), list(robot.inertias), list(robot.frames), [0, 0, -1])
    assert all(
        type(v) is tuple for v in (lists.joints, lists.inertias, lists.frames, lists.gravity)
    )


BODY = Inertia.of(1, (0, 0, 0), (1, 1, 1))


STRETCHED = ((2, 0, 0), (0, 1, 0), (0, 0, 1))
NOT_A_ROBOT = [  # a field, a function that makes its value (which may raise by itself), the reason
    ("joints", lambda: [], "has no moving joint"),
    ("joints", lambda: [Joint("j", "ball")], "kind: expected one of"),
    ("joints", lambda: [Joint("j", "revolute", 0)], "parent: expected -1 or an earlier joint"),
    ("joints", lambda: [Joint("j", "revolute", -2)], "parent: expected -1 or an earlier joint"),
    ("joints", lambda: [Joint("j", "revolute", None)], r"parent: .* found None"),
    ("joints", lambda: [hinge(axis=(0, 0, 0))], "axis: expected a nonzero vector"),
    ("joints", lambda: [hinge(axis=(0, 0, 2))], "axis: expected a unit vector"),
    ("joints", lambda: [hinge(axis=(0, 1))], "axis: expected 3 numbers"),
    ("joints", lambda: [hinge(axis=(0, 0, math.inf))], "axis: expected finite"),
    ("joints", lambda: [hinge(placement=None)], "placement: expected a Pose"),
    ("joints", lambda: [hinge(placement=Pose(STRETCHED))], "placement: the rotation is not ortho"),
    ("joints", lambda: [hinge(placement=Pose(translation=(math.nan, 0, 0)))], "expected finite"),
    ("joints", lambda: [hinge(rotor_inertia=math.nan)], r"rotor.inertia: expected finite"),
    ("joints", lambda: [hinge(rotor_inertia=-1)], "rotor inertia: expected a number >= 0"),
    ("inertias", lambda: [BODY] * 2, "1 joint but 2 inertias"),
    ("inertias", lambda: [(1, 2, 3)], "expected an Inertia, found tuple"),
    ("inertias", lambda: [Inertia(math.nan)], "mass: expected finite numbers, found nan"),
    ("inertias", lambda: [Inertia(-1.0)], "mass: expected a number >= 0"),
    ("inertias", lambda: [Inertia(1.0, (0, 0, 0), (math.nan,) * 6)], "expected finite numbers"),
    ("gravity", lambda: (0, 0), "gravity: expected 3 numbers, found 2"),
    ("gravity", lambda: (0, 0, math.nan), "gravity: expected finite numbers"),
    ("gravity", lambda: 9.81, "gravity: expected 3 numbers"),
    ("base", lambda: np.eye(4), "base: expected a Pose, found ndarray"),
    ("frames", lambda: [Frame("f", 1)], "'f' body: expected -1 or the index of a joint, found 1"),
    ("frames", lambda: [Frame("f", 0), Frame("f", -1)], "frame 'f': the name is used twice"),
]


def hinge(**change):
    return Joint("j", "revolute", **change)


@pytest.mark.parametrize(("field", "value", "message"), NOT_A_ROBOT)
def test_what_is_no_robot_says_why(field, value, message):
    description = {"name": "r", "joints": [hinge()], "inertias": [BODY]}
    Robot(**description)
    with pytest.raises(RobotError, match=message):
        Robot(**(description | {field: value()}))


def test_two_joints_of_one_name_are_an_error():
    with pytest.raises(RobotError, match="joint 'j': the name is used twice"):
        Robot("r", [Joint("j", "revolute"), Joint("j", "revolute", 0)], [BODY] * 2)


def test_a_robot_without_any_inertia_is_warned_of():
    nothing = [Inertia()] * 2
    joints = [hinge(), Joint("k", "revolute", 0)]
    with pytest.warns(RobotWarning, match="robot 'r': no body that moves has mass.*with_inertias"):
        Robot("r", joints, nothing)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Robot("r", joints, nothing, warn=False)
        Robot("r", joints, [Inertia(), BODY])
        Robot("r", [hinge(rotor_inertia=1.0), joints[1]], nothing)


def test_a_body_that_could_not_be_built_is_warned_of_once():
    with pytest.warns(RobotWarning, match="violate the triangle inequality") as caught:
        robot = Robot("r", [Joint("j", "revolute")], [Inertia.of(1, (0, 0, 0), (1, 1, 3))])
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot.with_gravity((0, 0, 0)).with_payload(1)  # it was said before
    with pytest.warns(RobotWarning, match="negative"):
        Robot("r", [Joint("j", "revolute")], [Inertia.of(1, (0, 0, 0), (-1, 1, 1))])


@settings(max_examples=15)
@given(robots(joints=(1, 6)), seeds, st.data())
def test_a_payload_is_mass_added_to_the_body_that_holds_it(robot, seed, data):
    """In any frame; Pinocchio adds it in its own way."""
    import pinocchio as pin

    frame = data.draw(st.sampled_from(robot.frames[1:]))
    load = random_robot(seed, joints=(1, 1)).inertias[0]
    loaded = robot.with_payload(load.mass, load.com, load.matrix, frame=frame.name)
    model = pinocchio_model(robot)
    place = pin.SE3(np.array(frame.pose.rotation), np.array(frame.pose.translation))
    added = pin.Inertia(load.mass, np.array(load.com), load.matrix)
    model.appendBodyToJoint(frame.body + 1, added, place)
    state = states(robot, 2, seed)
    reference = [pin.rnea(model, model.createData(), *row) for row in zip(*state, strict=True)]
    assert relative_error(torques(loaded, *state), reference) <= 1e-11
    assert loaded.frames == robot.frames and robot.digest != loaded.digest
    nothing = robot.with_payload(0, frame=frame.name)
    assert relative_error(torques(nothing, *state), torques(robot, *state)) <= 1e-12


def test_a_payload_is_held_by_the_last_frame_of_the_only_tip():
    robot = px.load("ur5")
    held = robot.with_payload(2, (0.1, 0, 0.2))
    assert held.digest == robot.with_payload(2, (0.1, 0, 0.2), frame=robot.frame_names[-1]).digest
    assert held.digest != robot.with_payload(2, (0.1, 0, 0.2), frame="wrist_3_link").digest
    # a frame of no name: the tip body itself
    bare = replace(robot, frames=())
    assert bare.with_payload(2).inertias[-1].mass == robot.inertias[-1].mass + 2
    # onto a body without mass, where no centre of mass is to be averaged
    rod = Robot("r", [Joint("j", "revolute")], [Inertia()], warn=False)
    assert rod.with_payload(3, (1, 2, 3)).inertias[0] == Inertia.of(3, (1, 2, 3), (0, 0, 0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mass": -1}, "payload mass: expected a number >= 0"),
        ({"mass": math.nan}, "payload mass: expected finite"),
        ({"mass": 1, "com": (0, 0)}, "payload com: expected 3 numbers"),
        ({"mass": 1, "inertia": (1, 2)}, "payload inertia: expected 3, 6 or 3x3 numbers"),
        ({"mass": 1, "frame": "hand"}, "no frame 'hand'; it has 'base', 'link1', 'link2', 'tip'"),
        ({"mass": 1, "frame": "base"}, "'base' is fixed to the world"),
    ],
)
def test_errors_of_a_payload(options, message):
    with pytest.raises(RobotError, match=message):
        px.robots.planar(2).with_payload(**options)


def test_a_payload_of_two_tips_must_name_its_frame():
    joints = [Joint("left", "revolute"), Joint("right", "revolute")]
    with pytest.raises(RobotError, match="has 2 tips, so name a frame: 'left', 'right'"):
        Robot("pair", joints, [BODY] * 2).with_payload(1)


def test_with_gravity_and_with_base():
    robot, state = px.load("ur5"), states(px.load("ur5"))
    moon = robot.with_gravity((0, 0, -1.62))
    q, still, _ = state[0], 0 * state[0], None
    earth = torques(robot, q, still, still)
    assert relative_error(torques(moon, q, still, still), earth * (1.62 / 9.81)) <= 1e-14
    assert (moon.gravity, robot.gravity) == ((0, 0, -1.62), (0, 0, -9.81))
    # upside down is gravity upside down
    over = Pose.from_rpy((1, 2, 3), (math.pi, 0, 0))
    hanging = robot.with_base(over)
    reference = torques(robot.with_gravity((0, 0, 9.81)), *state)
    assert relative_error(torques(hanging, *state), reference) <= 1e-13
    assert robot.with_base(over.matrix).digest == hanging.digest
    for base in (np.eye(3), np.diag([1, 1, -1, 1]), np.diag([2, 2, 2, 1]), np.full((4, 4), np.nan)):
        with pytest.raises(RobotError, match="base"):
            robot.with_base(base)


@settings(max_examples=15)
@given(robots(), seeds, st.data())
def test_a_subchain_is_the_robot_with_the_rest_left_out(robot, seed, data):
    frame = data.draw(st.sampled_from(robot.frames[1:]))
    part = robot.subchain(frame.name, drop_rest=True)
    kept = [robot.joint_names.index(name) for name in part.joint_names]
    assert part.joints[-1].name == robot.joints[frame.body].name
    assert part.branching == [] and "base" in part.frame_names and frame.name in part.frame_names
    rest = [Inertia() if i not in kept else body for i, body in enumerate(robot.inertias)]
    state = states(robot, 2, seed)
    q = state[0][1]
    for name, pose in frame_poses(part, q[kept]).items():
        assert abs(frame_poses(robot, q)[name] - pose).max() <= 1e-13 * max(1, abs(pose).max())
    whole = torques(replace(robot, inertias=rest), *state)[:, kept]
    assert relative_error(torques(part, *(rows[:, kept] for rows in state)), whole) <= 1e-12


def test_load_with_a_tip_and_lookups():
    arm = px.load("puma560", tip="link3")
    assert arm.joint_names == ["joint1", "joint2", "joint3"]
    assert arm.digest == px.load("puma560").subchain("link3").digest
    assert px.load("ur5").frame("ee_link").body == 5
    with pytest.raises(RobotError, match="tip 'base' is fixed to the world"):
        px.load("puma560", tip="base")
    with pytest.raises(RobotError, match="robot 'puma560' has no frame 'hand'; it has 'base'"):
        px.load("puma560").frame("hand")
    with pytest.raises(RobotError, match=r"'joint2'.*it is a joint: .*Frame\('joint2', 1\)"):
        px.load("puma560").frame("joint2")
    with pytest.raises(RobotError, match="did you mean .puma560"):
        px.load("puma")
    with pytest.raises(RobotError, match="expected a built-in name.*puma560_thesis.*found .zebra"):
        px.load("zebra")


def numbers_of(robot):
    """Every way to change one number of the robot, as (label, changed robot)."""

    def bumped(values, k):
        return tuple(math.nextafter(v, 1e9) if i == k else v for i, v in enumerate(values))

    for i, (joint, body) in enumerate(zip(robot.joints, robot.inertias, strict=True)):

        def with_joint(i=i, joint=joint, **change):
            joints = list(robot.joints)
            joints[i] = replace(joint, **change)
            return replace(robot, joints=joints)

        def with_body(i=i, body=body, **change):
            bodies = list(robot.inertias)
            bodies[i] = replace(body, **change)
            return replace(robot, inertias=bodies)

        yield "rotor", with_joint(rotor_inertia=joint.rotor_inertia + 1)
        yield "kind", with_joint(kind="prismatic" if joint.is_revolute else "revolute")
        yield "mass", with_body(mass=math.nextafter(body.mass, 1e9))
        seat = joint.placement
        for k in range(3):
            yield "axis", with_joint(axis=bumped(joint.axis, k))
            yield "com", with_body(com=bumped(body.com, k))
            moved = bumped(seat.translation, k)
            yield "origin", with_joint(placement=replace(seat, translation=moved))
            for row in range(3):
                rows = list(seat.rotation)
                rows[row] = bumped(rows[row], k)
                yield "turn", with_joint(placement=replace(seat, rotation=tuple(rows)))
        for k in range(6):
            yield "inertia", with_body(about_com=bumped(body.about_com, k))
    for k in range(3):
        yield "gravity", replace(robot, gravity=bumped(robot.gravity, k))
        shifted = bumped(robot.base.translation, k)
        yield "base", replace(robot, base=replace(robot.base, translation=shifted))


@pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning")
def test_the_digest_is_of_every_number_and_no_name():
    robot = random_robot(6, joints=(3, 3))
    seen = {robot.digest}
    for label, other in numbers_of(robot):
        assert other.digest not in seen, label
        seen.add(other.digest)
    joints = list(robot.joints)
    joints[2] = replace(joints[2], parent=WORLD if joints[2].parent != WORLD else 0)
    assert replace(robot, joints=joints).digest not in seen
    renamed = replace(
        robot,
        name="other",
        joints=[replace(joint, name=f"other{i}") for i, joint in enumerate(robot.joints)],
        frames=[replace(frame, name=f"other{i}") for i, frame in enumerate(robot.frames)],
    )
    assert renamed.digest == robot.digest


@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda robot: pickle.loads(pickle.dumps(robot)), replace],
    ids=["copy", "deepcopy", "pickle", "replace"],
)
def test_robots_copy_and_pickle_even_after_kernels_were_compiled(duplicate):
    robot = px.robots.planar(2)
    state = states(robot)
    before = px.inverse_dynamics(robot, *state)
    twin = duplicate(robot)
    assert twin.digest == robot.digest and str(twin) == str(robot)
    assert np.array_equal(px.inverse_dynamics(twin, *state), before)
    assert twin.joints == robot.joints and twin.frames == robot.frames


def test_robots_are_values():
    """Two readings of one description are equal; a payload makes another robot."""
    one, other = px.load("ur5"), px.load("ur5")
    assert one == other and hash(one) == hash(other) and {one: 1}[other] == 1
    assert one != one.with_payload(1.0) and one != px.load("planar3")
    assert repr(one).startswith("<Robot ur5: 6 joints") and len(repr(one)) < 100
