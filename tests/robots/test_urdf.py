"""The URDF reader: every rule, every error, the real robots beside Pinocchio, and hostile text."""

import copy
import math
import os
import re
import sys
import tracemalloc
import types
import warnings
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st
from support.robot_files import FILES, NOT_ROBOTS

from paraxis.errors import ParaxisError, RobotError, RobotWarning
from paraxis.robots.friction import Friction
from paraxis.robots.inertia import Inertia
from paraxis.robots.joint import WORLD
from paraxis.robots.load import load
from paraxis.robots.pose import Pose
from paraxis.robots.readers import urdf, xml_text
from paraxis.robots.readers.urdf import parse_urdf, read_urdf
from paraxis.robots.robot import Robot
from paraxis.robots.zoo import planar

# Most robots here have no mass at all, which the tests of warnings look at.
pytestmark = pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning")

# -- URDF in few words -----------------------------------------------------------------------------


def robot(*parts, name="r"):
    return f'<robot name="{name}">\n' + "\n".join(parts) + "\n</robot>"


def link(name, inside=""):
    return f'<link name="{name}">{inside}</link>'


def inertial(mass="1", moments="1 1 1 0 0 0", origin=""):
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    inertia = " ".join(f'{k}="{v}"' for k, v in zip(names, moments.split(), strict=True))
    return f'<inertial>{origin}<mass value="{mass}"/><inertia {inertia}/></inertial>'


def joint(name, parent, child, kind="revolute", inside=""):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


A, B, C, D = (link(name) for name in "abcd")
PAIR = robot(A, B, joint("j", "a", "b"))  # the smallest robot


def pair(link_inside="", joint_inside="", kind="revolute"):
    return robot(A, link("b", link_inside), joint("j", "a", "b", kind, joint_inside))


# -- what is read ----------------------------------------------------------------------------------


def test_the_smallest_robot():
    r = parse_urdf(PAIR)
    assert (r.name, r.n, r.joint_names, r.frame_names) == ("r", 1, ["j"], ["a", "b"])
    assert [frame.body for frame in r.frames] == [WORLD, 0]
    assert r.inertias[0].is_massless()


def test_text_and_bytes_in_any_encoding_give_the_same_robot():
    text = PAIR.replace('"b"', '"b\N{GREEK SMALL LETTER BETA}"')
    head = '<?xml version="1.0" encoding="{}"?>'
    for data in (
        text,
        "\ufeff" + text,
        text.encode(),
        (head.format("utf-16") + text).encode("utf-16"),
        (head.format("iso-8859-7") + text).encode("iso-8859-7"),
        head.format("utf-16") + text,  # decoded already: the declaration is out of date
    ):
        assert parse_urdf(data).frame_names == ["a", "b\N{GREEK SMALL LETTER BETA}"]


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
def test_the_kinds_of_joint(kind):
    r = parse_urdf(pair(kind=kind))
    assert r.joints[0].kind == kind
    assert r.joints[0].is_revolute == (kind != "prismatic")


@pytest.mark.parametrize(
    ("inside", "axis"),
    [
        ("", (1, 0, 0)),  # URDF's default
        ('<axis xyz="0 0 -1"/>', (0, 0, -1)),
        ('<axis xyz="0 0 5"/>', (0, 0, 1)),
        ('<axis xyz="0 3e200 4e200"/>', (0, 0.6, 0.8)),
        ('<axis xyz="0 3e-300 4e-300"/>', (0, 0.6, 0.8)),
        ('<axis xyz="&#10; 0 &#9;1\n 0 "/>', (0, 1, 0)),
    ],
)
def test_axis(inside, axis):
    assert parse_urdf(pair(joint_inside=inside)).joints[0].axis == pytest.approx(axis, abs=1e-15)


def test_origin_of_a_joint():
    seat = parse_urdf(pair(joint_inside='<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>')).joints[0]
    assert seat.placement == Pose.from_rpy((1, 2, 3), (0.1, 0.2, 0.3))
    assert parse_urdf(PAIR).joints[0].placement == Pose()
    only_xyz = parse_urdf(pair(joint_inside='<origin xyz="1 2 3"/>')).joints[0].placement
    assert only_xyz == Pose(translation=(1, 2, 3))
    only_rpy = parse_urdf(pair(joint_inside='<origin rpy="0 0 1.5707963267948966"/>')).joints[0]
    assert only_rpy.placement.rotation == ((0, -1, 0), (1, 0, 0), (0, 0, 1))  # right angles exact


@pytest.mark.parametrize(
    ("kind", "inside", "limits"),
    [
        ("revolute", "", (-math.inf, math.inf, math.inf, math.inf)),
        ("revolute", '<limit lower="-1" upper="2" velocity="3" effort="4"/>', (-1, 2, 3, 4)),
        ("prismatic", '<limit upper="2" velocity="3" effort="4"/>', (0, 2, 3, 4)),
        ("prismatic", '<limit lower="-2"/>', (-2, 0, math.inf, math.inf)),
        ("revolute", '<limit velocity="3"/>', (-math.inf, math.inf, 3, math.inf)),
        ("continuous", '<limit lower="-1" upper="1" effort="4"/>', (-math.inf, math.inf, None, 4)),
    ],
)
def test_limits(kind, inside, limits):
    j = parse_urdf(pair(joint_inside=inside, kind=kind)).joints[0]
    limits = tuple(math.inf if v is None else v for v in limits)
    assert (j.lower, j.upper, j.max_velocity, j.max_effort) == limits


def test_inertia_is_read_exactly():
    inside = inertial("2.5", "0.3 0.2 0.2 0.01 0.02 0.03", '<origin xyz="0.1 0.2 0.3"/>')
    (body,) = parse_urdf(pair(inside)).inertias
    assert body == Inertia(2.5, (0.1, 0.2, 0.3), (0.3, 0.2, 0.2, 0.01, 0.02, 0.03))


def test_inertia_in_a_turned_frame():
    inside = inertial("2", "1 2 3 0 0 0", '<origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/>')
    (body,) = parse_urdf(pair(inside)).inertias
    assert body == Inertia(2.0, (0.1, 0, 0), (2, 1, 3, 0, 0, 0))  # x and y changed places


@pytest.mark.parametrize(
    ("inside", "friction"),
    [
        ("", Friction()),
        ("<dynamics/>", Friction()),
        ('<dynamics damping="0.5"/>', Friction(viscous=0.5)),
        ('<dynamics friction="2"/>', Friction(coulomb=2)),
        ('<dynamics damping = "0.5" friction = " 2 "/>', Friction(viscous=0.5, coulomb=2)),
        ('<dynamics damping="0" friction="-0"/>', Friction()),
        ('<dynamics D="1" mu_viscous="x" damping="3"/>', Friction(viscous=3)),  # of one simulator
    ],
)
@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
def test_friction(inside, friction, kind):
    r = parse_urdf(pair(joint_inside=inside, kind=kind))
    assert r.joints[0].friction == friction
    assert r.has_losses == (friction != Friction())


def test_a_fixed_joint_has_no_friction():
    weld = joint("f", "b", "c", "fixed", '<dynamics damping="nonsense"/>')
    assert not parse_urdf(robot(A, B, C, joint("j", "a", "b"), weld)).has_losses


def test_mimic_leaves_a_joint_as_it_is():
    inside = '<mimic joint="k" multiplier="2"/>'
    text = robot(A, B, C, joint("j", "a", "b", inside=inside), joint("k", "b", "c"))
    assert parse_urdf(text).joint_names == ["j", "k"]


def test_other_elements_may_hold_anything():
    extra = '<gazebo><link name="a"/><joint/></gazebo><transmission name="t"><joint name="j"/>'
    extra += '</transmission><material name="${m}"/><mujoco/><!-- note --><?go?>words'
    assert parse_urdf(PAIR.replace("</robot>", extra + "</robot>")).joint_names == ["j"]


def test_namespaces_are_harmless():
    unused = PAIR.replace("<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"')
    default = PAIR.replace("<robot", '<robot xmlns="http://www.ros.org"')
    prefixed = PAIR.replace("<", "<u:").replace("<u:/", "</u:")
    prefixed = prefixed.replace("<u:robot", '<u:robot xmlns:u="urdf"')
    for text in (unused, default, prefixed):
        assert parse_urdf(text).frame_names == ["a", "b"]


def test_the_name_may_be_given():
    assert parse_urdf(PAIR, name="other").name == "other"
    assert parse_urdf(PAIR.replace(' name="r"', ""), name="other").name == "other"


def test_tip_keeps_one_branch_and_its_warnings():
    bad = inertial("1", "1 1 9 0 0 0")
    text = robot(
        A, link("b", bad), link("c", bad), link("d", inertial()),
        joint("j", "a", "b"), joint("k", "a", "c"), joint("l", "b", "d"),
    )  # fmt: skip
    with pytest.warns(RobotWarning) as caught:
        r = parse_urdf(text, tip="d")
    assert r.joint_names == ["j", "l"]
    assert len(caught) == 1
    assert "link 'b'" in str(caught[0].message) and "link 'c'" not in str(caught[0].message)
    with pytest.raises(RobotError, match="no frame 'zz'"), pytest.warns(RobotWarning):
        parse_urdf(text).subchain("zz")


# -- order -----------------------------------------------------------------------------------------


def test_joints_stand_parents_first_and_otherwise_as_in_the_file():
    # c's joint comes first in the file but must wait for b; d's need not
    text = robot(A, B, C, D, joint("3", "b", "c"), joint("1", "a", "b"), joint("2", "a", "d"))
    r = parse_urdf(text)
    assert r.joint_names == ["1", "3", "2"]
    assert [j.parent for j in r.joints] == [WORLD, 0, WORLD]
    assert r.frame_names == ["a", "b", "c", "d"]


def test_the_root_link_is_the_first_frame_wherever_it_stands_in_the_file():
    assert parse_urdf(robot(B, A, joint("j", "a", "b"))).frame_names == ["a", "b"]


def chain(n, kind="revolute", backwards=False):
    parts = [link(f"l{i}", inertial() if i % 2 else "") for i in range(n + 1)]
    joints = [
        joint(f"j{i}", f"l{i - 1}", f"l{i}", kind if i > 1 else "revolute",
              '<origin xyz="0 0 0.001"/>')
        for i in range(1, n + 1)
    ]  # fmt: skip
    return robot(*parts, *(joints[::-1] if backwards else joints))


@pytest.mark.long
@pytest.mark.parametrize("backwards", [False, True])
def test_a_chain_of_ten_thousand_joints(backwards):
    r = parse_urdf(chain(10_000, backwards=backwards))
    assert r.n == 10_000
    assert [j.parent for j in r.joints] == list(range(-1, 9_999))
    assert r.branching == []
    assert parse_urdf(chain(100), tip="l50").n == 50


@pytest.mark.long
def test_a_chain_of_ten_thousand_welded_links():
    r = parse_urdf(chain(10_000, "fixed"))
    assert (r.n, len(r.frames)) == (1, 10_001)
    assert r.inertias[0].mass == 5_000
    assert r.inertias[0].com[2] == pytest.approx(0.001 * 4_999)
    assert r.frames[-1].pose.translation[2] == pytest.approx(9.999)


# -- welding ---------------------------------------------------------------------------------------


def test_fixed_links_are_welded_to_what_carries_them():
    text = robot(
        link("base", inertial("100")), link("post", inertial("100")), link("arm", inertial("1")),
        link("hand", inertial("1")), link("tool"),
        joint("f", "base", "post", "fixed", '<origin xyz="0 0 1"/>'),
        joint("j", "post", "arm", "revolute", '<origin xyz="0 1 0"/>'),
        joint("g", "arm", "hand", "fixed", '<origin xyz="2 0 0"/><axis xyz="0 0 0"/>'),
        joint("h", "hand", "tool", "fixed", '<origin xyz="0 0 3"/>'),
    )  # fmt: skip
    r = parse_urdf(text)
    places = {f.name: (f.body, f.pose.translation) for f in r.frames}
    assert places == {
        "base": (WORLD, (0, 0, 0)),
        "post": (WORLD, (0, 0, 1)),
        "arm": (0, (0, 0, 0)),
        "hand": (0, (2, 0, 0)),
        "tool": (0, (2, 0, 3)),
    }
    assert r.joints[0].placement.translation == (0, 1, 1)  # through the post
    assert r.inertias == (Inertia(2.0, (1, 0, 0), (2, 4, 4, 0, 0, 0)),)  # the base weighs nothing


def test_a_massless_tool_leaves_the_numbers_of_its_arm_alone():
    arm = link("b", inertial("0.3", "0.3 0.2 0.1 0 0 0", '<origin xyz="0.1 0.7 0.3"/>'))
    weld = joint("f", "b", "c", "fixed", '<origin rpy="1 2 3" xyz="1 2 3"/>')
    with_tool = parse_urdf(robot(A, arm, C, joint("j", "a", "b"), weld))
    assert with_tool.inertias == parse_urdf(robot(A, arm, joint("j", "a", "b"))).inertias
    # and the other way round: all the mass in the welded link, none in the one that moves
    swapped = parse_urdf(robot(A, arm, C, joint("j", "a", "c"), joint("f", "c", "b", "fixed")))
    assert swapped.inertias == with_tool.inertias


GOOD = [f for f in FILES if f.name not in NOT_ROBOTS]


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning")
def test_real_robots_are_welded_as_pinocchio_welds_them(path):
    pin = pytest.importorskip("pinocchio")
    same_as_pinocchio(read_urdf(path), pin.buildModelFromUrdf(str(path)), pin)


@st.composite
def trees(draw):
    """Sound robots of every joint kind, links joined and written down in any order."""
    # round numbers: Pinocchio leaves an axis as short as 1e-308 as it is
    number = st.integers(-3000, 3000).map(lambda v: f"{v / 1000:g}")
    positive = st.integers(1000, 1900).map(lambda v: f"{v / 1000:g}")
    three = st.lists(number, min_size=3, max_size=3).map(" ".join)
    parts, n = [link("l0", inertial())], draw(st.integers(1, 8))
    for i in range(1, n + 1):
        origin = f'<origin xyz="{draw(three)}" rpy="{draw(three)}"/>'
        moments = f"{draw(positive)} {draw(positive)} {draw(positive)} 0 0.01 -0.02"
        body = inertial(draw(positive), moments, origin) if draw(st.integers(0, 3)) else ""
        kind = draw(st.sampled_from(["revolute", "prismatic", "continuous", "fixed", "fixed"]))
        seat = f'<origin xyz="{draw(three)}" rpy="{draw(three)}"/><axis xyz="{draw(three)} "/>'
        seat = seat.replace('"0 0 0 "', '"0 1 0"') + '<limit effort="1" velocity="1"/>'
        parts.append(link(f"l{i}", body))
        parent = f"l{draw(st.integers(0, i - 1))}"
        parts.append(joint(f"j{i}", parent, f"l{i}", "revolute" if i == n else kind, seat))
    return robot(*draw(st.permutations(parts)))


@settings(max_examples=150, deadline=None, database=None)
@given(trees())
def test_random_robots_are_welded_as_pinocchio_welds_them(text):
    pin = pytest.importorskip("pinocchio")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        same_as_pinocchio(parse_urdf(text), pin.buildModelFromXML(text), pin)


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning")
def test_the_friction_of_real_robots_is_pinocchios(path):
    pin = pytest.importorskip("pinocchio")
    r, model = read_urdf(path), pin.buildModelFromUrdf(str(path))
    for ours in r.joints:
        k = model.joints[model.getJointId(ours.name)].idx_v
        assert ours.friction.viscous == model.damping[k]
        assert ours.friction.coulomb == model.friction[k]


def same_as_pinocchio(r, model, pin):
    """Parents, seats, bodies and frames, by name: Pinocchio has its own order."""
    theirs = {name: i for i, name in enumerate(model.names)}
    assert set(r.joint_names) == set(theirs) - {"universe"}
    for ours, body in zip(r.joints, r.inertias, strict=True):
        i = theirs[ours.name]
        parent = "universe" if ours.parent == WORLD else r.joints[ours.parent].name
        assert theirs[parent] == model.parents[i]
        close(ours.placement.matrix, model.jointPlacements[i].homogeneous)
        their_joint, data = model.joints[i], model.joints[i].createData()
        their_joint.calc(data, pin.neutral(model))
        linear, angular = np.split(np.ravel(data.S), 2)
        close(ours.axis, angular if ours.is_revolute else linear)
        close(body.mass, model.inertias[i].mass)
        close(body.com, model.inertias[i].lever if body.mass else (0, 0, 0))
        close(body.matrix, model.inertias[i].inertia)
    for frame in r.frames:
        place = model.frames[model.getFrameId(frame.name, pin.FrameType.BODY)]
        parent = "universe" if frame.body == WORLD else r.joints[frame.body].name
        assert theirs[parent] == place.parentJoint
        close(frame.pose.matrix, place.placement.homogeneous)


def close(ours, theirs):
    """By the one error measure of the design, and beyond it relative to small values."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert abs(ours - theirs).max() <= 1e-13 * max(1.0, abs(theirs).max())
    assert abs(ours - theirs).max() <= 1e-9 * abs(theirs).max() + 1e-15


@pytest.mark.parametrize("name", NOT_ROBOTS)
def test_real_files_that_are_no_robots(name):
    paths = [path for path in FILES if path.name == name]
    if not paths:
        pytest.skip("example-robot-data is not installed")
    with pytest.raises(RobotError, match=NOT_ROBOTS[name]):
        read_urdf(paths[0])


# -- warnings --------------------------------------------------------------------------------------


def warning_of(read):
    """The one warning of a load, or None; it points at the line that asked."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read()
    assert len(caught) <= 1
    return str(caught[0].message) if caught else None


def test_implausible_inertias_are_warned_of_once_by_the_names_of_their_links():
    bad, worse = inertial("1", "1 1 9 0 0 0"), inertial("1", "1 1 -1 0 0 0")
    text = robot(
        A, link("b", bad), link("c", worse), link("d", inertial()),
        joint("j", "a", "b"), joint("k", "b", "c"), joint("l", "c", "d"),
    )  # fmt: skip
    message = warning_of(lambda: parse_urdf(text))
    assert message.startswith("robot 'r': link 'b' of joint 'j': principal moments 1 + 1 < 9 break")
    assert "; link 'c' of joint 'k': a principal moment of inertia is negative" in message
    assert message.endswith("; computing with these inertias as given")
    many = [link(f"l{i}", bad) + joint(f"j{i}", "a", f"l{i}") for i in range(9)]
    assert "; 4 more links; computing" in warning_of(lambda: parse_urdf(robot(A, *many)))


def with_base(mass, *limbs):
    """A root link that carries arms of one joint each."""
    arms = [link(f"l{i}", inertial(m)) + joint(f"j{i}", "a", f"l{i}") for i, m in enumerate(limbs)]
    return robot(link("a", inertial(mass) if mass else ""), *arms)


def test_a_base_that_may_be_meant_to_move():
    """Not an arm's, which is bolted down: one with several limbs, or with little to carry."""
    for text in (with_base("3", "5"), with_base(None, "1", "1")):
        assert warning_of(lambda text=text: parse_urdf(text)) is None
    for text, mass in (
        (with_base("3", "1", "1"), "3 kg (60 %"),
        (with_base("6", "2"), "6 kg (75 %"),
    ):
        message = warning_of(lambda text=text: parse_urdf(text))
        assert message.startswith(f"robot 'r': the root link 'a' is fixed to the world, so {mass}")
        assert "needs joints above it in the file" in message
    assert warning_of(lambda: parse_urdf(with_base("3", "1", "1"), tip="l0")) is None


def test_mimic_joints_are_named_unless_they_do_not_move():
    inside = '<mimic joint="k" multiplier="2"/>'
    body = inertial()
    parts = [A, *(link(name, body) for name in "bcd"), joint("k", "a", "b")]
    moving = robot(*parts, joint("j", "b", "c", inside=inside), joint("l", "c", "d"))
    message = warning_of(lambda: parse_urdf(moving))
    assert "mimic joints move independently here: 'j'; give each" in message
    assert "robot.locked" in message
    welded = robot(*parts, joint("j", "b", "c", "fixed", inside), joint("l", "c", "d"))
    assert warning_of(lambda: parse_urdf(welded)) is None
    assert warning_of(lambda: parse_urdf(moving, tip="b")) is None  # held, not independent


def test_joints_that_move_nothing_with_mass_are_named():
    assert "no link that moves has mass" in warning_of(lambda: parse_urdf(PAIR))
    two = robot(A, link("b", inertial()), C, joint("j", "a", "b"), joint("k", "b", "c"))
    message = warning_of(lambda: parse_urdf(two))
    assert "torques are zero and their accelerations undefined: 'k'; give a link" in message
    between = robot(A, B, link("c", inertial()), joint("j", "a", "b"), joint("k", "b", "c"))
    assert warning_of(lambda: parse_urdf(between)) is None  # a link without mass on the way
    rotor = {"k": {"transmission": {"ratio": 2, "rotor_inertia": 0.1}}}
    assert warning_of(lambda: parse_urdf(two, drives=rotor)) is None


def test_all_is_said_in_one_warning_that_points_at_the_caller(tmp_path):
    parts = [link("a", inertial("9")), link("b", inertial("1", "1 1 9 0 0 0")), C]
    mimic = joint("k", "a", "c", inside='<mimic joint="j"/>')
    (tmp_path / "r.urdf").write_text(robot(*parts, joint("j", "a", "b"), mimic))
    with pytest.warns(RobotWarning) as caught:
        load(tmp_path / "r.urdf")
    (warning,) = caught
    assert warning.filename == __file__
    for k, words in enumerate(("root link", "mimic", "nothing that", "triangle"), start=1):
        assert re.search(rf"\({k}\) .*{words}", str(warning.message))


def test_a_point_mass_with_rounding_leftovers_is_plausible():
    # iCub's thigh: 2 kg, and 4e-18 where a CAD program meant 0
    thigh = inertial("2", "0 4.07592e-18 0 0 0 -2.71051e-20", '<origin xyz="0 -0.16 0"/>')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse_urdf(pair(thigh))


# -- errors ----------------------------------------------------------------------------------------

BAD_NUMBERS = [
    "nan", "NaN", "inf", "-Infinity", "1e999", "1_000", "0x10", "1e", "e1", ".", "+", "--1",
    "1.2.3", "1,5", "1f", "½", "٣", "１", "1\N{NO-BREAK SPACE}", "\N{MINUS SIGN}1", "one", "None",
    "1;", "1e+",
]  # fmt: skip
GOOD_NUMBERS = ["0", "-0", "+1", "1.", ".5", "-.5e-3", "1E5", "007", "1e-999", " 1 ", "\n1\t"]


@pytest.mark.parametrize("text", GOOD_NUMBERS)
@pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning")
def test_numbers_that_are_numbers(text):
    (body,) = parse_urdf(pair(inertial().replace('iyz="0"', f'iyz="{text}"'))).inertias
    assert body.about_com[5] == float(text)
    (joint,) = parse_urdf(pair(joint_inside=f'<limit lower="-1" upper="{text}"/>')).joints
    assert joint.upper == float(text)


@pytest.mark.parametrize("text", BAD_NUMBERS)
def test_numbers_that_are_not(text):
    with pytest.raises(RobotError, match="joint 'j': <dynamics> damping: expected 1 finite"):
        parse_urdf(pair(joint_inside=f'<dynamics damping="{text}"/>'))
    for inside in (f'<origin xyz="0 0 {text}"/>', f'<axis xyz="{text} 0 0"/>'):
        with pytest.raises(RobotError, match=r"joint 'j': <(origin|axis)> xyz: expected 3 finite"):
            parse_urdf(pair(joint_inside=inside))
    with pytest.raises(RobotError, match="joint 'j': <limit> effort: expected 1 finite") as error:
        parse_urdf(pair(joint_inside=f'<limit effort="{text}"/>'))
    assert repr(text)[1:-1].strip() in str(error.value)
    with pytest.raises(RobotError, match="link 'b': <mass> value: expected 1 finite"):
        parse_urdf(pair(inertial(mass=text)))
    with pytest.raises(RobotError, match="link 'b': <inertia> iyz: expected 1 finite"):
        parse_urdf(pair(inertial("1", "1 1 1 0 0 WRONG").replace("WRONG", text)))


BOMB = (
    '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>'
    '<robot name="&c;"/>'
)
EXTERNAL = '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>'
PARAMETER = '<!DOCTYPE robot [<!ENTITY % x SYSTEM "http://localhost/x"> %x;]><robot name="r"/>'
XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{}</robot>'

ERRORS = {
    # the text
    "not text": (17, "expected str or bytes, found int"),
    "empty": ("", "XML: broken at line 1, column 1: no element found"),
    "not XML": ("\n\nrobot", "XML: broken at line 3, column 1: syntax error"),
    "cut short": (PAIR[:-3], "XML: broken at line 5"),
    "bad token": ("<robot>\n<link name=a/></robot>", "XML: broken at line 2, column 12: not well"),
    "two attributes": ('<robot name="r" name="s"/>', "XML: broken at line 1.*duplicate attribute"),
    "unknown encoding": (b'<?xml version="1.0" encoding="x-y"?><robot/>', "decoded.*encoding: x-y"),
    "an encoding of bytes": (b'<?xml version="1.0" encoding="hex"?><robot/>', "be decoded"),
    "not its encoding": (b'<robot name="\xff"/>', "XML: broken at line 1, column 14"),
    "half a character": ('<robot name="\ud800"/>', "XML: text that cannot be decoded"),
    "a NUL": (PAIR + "\0", "XML: broken at line 5"),
    "a DTD": ('<!DOCTYPE robot><robot name="r"/>', "expected no document type .* found one"),
    "an entity bomb": (BOMB, "expected no document type .* entities .* without bound"),
    "an external entity": (EXTERNAL, "expected no document type .* other files"),
    "a parameter entity": (PARAMETER, "expected no document type"),
    "an unknown entity": ('<robot name="&x;"/>', "XML: broken at line 1.*undefined entity"),
    "not a robot": ('<sdf version="1.6"/>', "root is <robot>, found 'sdf'"),
    "MJCF": ("<mujoco><worldbody/></mujoco>", r"found MJCF \(<mujoco>\), which is not read yet"),
    # xacro
    "xacro element": (XACRO.format('<xacro:include filename="x"/>'), "'xacro:include'.*with xacro"),
    "xacro deep inside": (XACRO.format("<link><xacro:if/></link>"), "'xacro:if': expand the file"),
    "xacro without namespace": ("<robot>\n<xacro:x/></robot>", "'xacro:x': expand the file"),
    "xacro in a name": (robot(link("${prefix}a")), r"number 1: .*name: .*xacro.*'\$\{prefix\}a'"),
    "xacro in a number": (pair(joint_inside='<origin xyz="0 0 ${h}"/>'), "joint 'j'.*xacro"),
    "xacro substitution": (pair(inertial("$(arg mass)")), r"link 'b'.*xacro.*\$\(arg mass\)"),
    # names
    "robot without name": (PAIR.replace(' name="r"', ""), "<robot>: .* 'name', found none"),
    "link without name": (robot(A, "<link/>"), "<link> number 2: .*'name', found none"),
    "link with empty name": (robot(A, link("")), "<link> number 2: .*'name', found an empty one"),
    "joint without name": (PAIR.replace('name="j"', ""), "<joint> number 1: .*'name', found none"),
    "two links of one name": (robot(A, B, B), "link 'b': expected one link of that name"),
    "two joints of one name": (
        robot(A, B, C, joint("j", "a", "b"), joint("j", "b", "c", "fixed")),
        "joint 'j': expected one joint of that name",
    ),
    # links
    "no link": (robot(), "<robot>: expected at least one <link>, found none"),
    "no mass": (
        pair(inertial().replace('<mass value="1"/>', "")),
        "link 'b': expected one <mass> in <inertial>, found none",
    ),
    "no mass value": (pair(inertial().replace('value="1"', "")), "link 'b': <mass>: .*'value'"),
    "no inertia": (
        pair('<inertial><mass value="1"/></inertial>'),
        "link 'b': expected one <inertia> in <inertial>, found none",
    ),
    "no moment": (pair(inertial().replace('iyz="0"', "")), "link 'b': <inertia>: .*'iyz'"),
    "two inertials": (pair(inertial() * 2), "link 'b': expected one <inertial> in <link>, found 2"),
    "negative mass": (pair(inertial("-1")), "link 'b': <inertial> mass: .*>= 0, found -1"),
    "mass of the fixed base": (robot(link("a", inertial("-1")), B), "link 'a'.*mass.*found -1"),
    "overflow in turning": (
        pair(inertial("1", "1e308 0 0 1e308 1e308 1e308", '<origin rpy="1 2 3"/>')),
        "link 'b'.*expected finite numbers, found inf",
    ),
    # joints
    "no moving joint": (robot(A, B, joint("j", "a", "b", "fixed")), "at least one moving joint"),
    "no joint": (robot(A), "at least one moving joint"),
    "floating": (
        pair(kind="floating"),
        "'j': type: expected one of 'revolute', 'continuous', 'prismatic', 'fixed', found 'floa",
    ),
    "planar": (pair(kind="planar"), "joint 'j': type: expected one of .* found 'planar'"),
    "a made-up kind": (pair(kind="Revolute"), "joint 'j': type: expected .* found 'Revolute'"),
    "no type": (PAIR.replace(' type="revolute"', ""), "joint 'j': <joint>: .* 'type', found none"),
    "no parent": (
        PAIR.replace('<parent link="a"/>', ""),
        "joint 'j': expected one <parent> in <joint>, found none",
    ),
    "no child": (PAIR.replace('<child link="b"/>', ""), "joint 'j': expected one <child>"),
    "no parent link": (PAIR.replace('<parent link="a"/>', "<parent/>"), "'j': <parent>: .*'link'"),
    "unknown parent": (robot(A, B, joint("j", "z", "b")), "joint 'j': parent: .* found 'z'"),
    "unknown child": (robot(A, B, joint("j", "a", "z")), "joint 'j': child: .* found 'z'"),
    "zero axis": (pair(joint_inside='<axis xyz="0 0 -0"/>'), "joint 'j': .*axis: .*nonzero"),
    "axis without xyz": (pair(joint_inside="<axis/>"), "joint 'j': <axis>: .*'xyz', found none"),
    "axis of two": (pair(joint_inside='<axis xyz="0 1"/>'), "'j': <axis> xyz: .*3 .*, found 2"),
    "xyz of four": (pair(joint_inside='<origin xyz="0 1 2 3"/>'), "'j': <origin> xyz: .*found 4"),
    "rpy of one": (pair(joint_inside='<origin rpy="0"/>'), "'j': <origin> rpy: .*3 .*, found 1"),
    "empty rpy": (pair(joint_inside='<origin rpy=""/>'), "'j': <origin>: .*'rpy', found an empty"),
    "blank rpy": (pair(joint_inside='<origin rpy=" "/>'), "'j': <origin> rpy: .*found 0"),
    "a quaternion": (pair(joint_inside='<origin quat_xyzw="0 0 0 1"/>'), "'j': .*quat_xyzw"),
    "two masses in one": (pair(inertial("1 2")), "'b': <mass> value: expected 1 number, found 2"),
    "two origins": (pair(joint_inside="<origin/><origin/>"), "joint 'j': expected one <origin>"),
    "bad lower limit": (pair(joint_inside='<limit lower="x"/>'), "'j': <limit> lower: .*found 'x'"),
    "bad damping": (
        pair(joint_inside='<dynamics damping="nonsense"/>'),
        "joint 'j': <dynamics> damping: expected 1 finite decimal number, found 'nonsense'",
    ),
    "two frictions in one": (
        pair(joint_inside='<dynamics friction="1 2"/>'),
        "joint 'j': <dynamics> friction: expected 1 number, found 2",
    ),
    "negative damping": (
        pair(joint_inside='<dynamics damping="-0.5"/>'),
        "joint 'j': <dynamics> damping: expected a number >= 0, found -0.5",
    ),
    "negative friction": (
        pair(joint_inside='<dynamics friction="-1" damping="1"/>'),
        "joint 'j': <dynamics> friction: expected a number >= 0, found -1",
    ),
    "two dynamics": (pair(joint_inside="<dynamics/><dynamics/>"), "'j': expected one <dynamics>"),
    # the tree
    "two roots": (robot(A, B, C, joint("j", "a", "b")), "one root link, found 2: 'a', 'c'"),
    "child of two": (
        robot(A, B, C, joint("j", "a", "c"), joint("k", "b", "c")),
        "link 'c': expected to be the child of one joint, found 'j', 'k'",
    ),
    "its own child": (robot(A, joint("j", "a", "a")), "found none: a cycle of the joints 'j'"),
    "no root": (
        robot(A, B, joint("j", "a", "b"), joint("k", "b", "a")),
        "expected a root link, found none: a cycle of the joints 'j', 'k'",
    ),
    "a cycle beside the tree": (
        robot(A, B, C, D, joint("j", "a", "b"), joint("k", "c", "d"), joint("l", "d", "c")),
        "expected a tree, found a cycle of the joints 'k', 'l'",
    ),
    "a cycle with a tail": (
        robot(A, D, C, B, joint("j", "b", "c"), joint("k", "c", "b"), joint("l", "c", "d")),
        "expected a tree, found a cycle of the joints 'k', 'j'",
    ),
    "overflow along the chain": (
        robot(
            A, B, C,
            joint("j", "a", "b", "fixed", '<origin xyz="1e308 0 0"/>'),
            joint("k", "b", "c", "revolute", '<origin xyz="1e308 0 0"/>'),
        ),
        "joint 'k': .*expected finite numbers, found inf",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_errors(case):
    text, message = ERRORS[case]
    with pytest.raises(RobotError, match=f"(?s){message}") as error:
        parse_urdf(text)
    assert len(str(error.value)) < 400 and "\n" not in str(error.value)


def test_long_and_odd_names_are_quoted_and_cut():
    name = "{0.__class__}%s\n\x1b[31m" + "x" * 9_000
    text = PAIR.replace('"j"', f'"{name}"').replace("\x1b", "").replace('type="revolute"', "")
    with pytest.raises(RobotError) as error:
        parse_urdf(text)
    message = str(error.value)
    assert message.startswith("joint '{0.__class__}%s [31mxxx") and len(message) < 200
    text = robot(A, joint("j", "a", "\N{RIGHT-TO-LEFT OVERRIDE}" * 50))
    with pytest.raises(RobotError, match=r"found '(\\u202e)+") as error:
        parse_urdf(text)
    assert len(str(error.value)) < 200


def test_a_warning_and_a_wrong_tip_cut_long_names_too():
    text = pair(inertial("1", "1 1 9 0 0 0")).replace('"b"', '"' + "b" * 10_000 + '"')
    with pytest.warns(RobotWarning) as caught:
        r = parse_urdf(text.replace('"r"', '"' + "r" * 10_000 + '"'))
    assert len(str(caught[0].message)) < 400
    with pytest.raises(RobotError) as error:
        r.frame("no such link")
    assert len(str(error.value)) < 400


def test_a_large_text_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(urdf, "MAX_BYTES", 2**20)  # of which a file is read
    monkeypatch.setattr(xml_text, "MAX_BYTES", 2**20)
    text = PAIR + " " * 2**20
    (tmp_path / "large.urdf").write_text(text)
    for read in (lambda: parse_urdf(text), lambda: read_urdf(tmp_path / "large.urdf")):
        with pytest.raises(RobotError, match="expected at most 1 MB, found more"):
            read()


# -- files and names -------------------------------------------------------------------------------


def test_a_file(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(PAIR)
    for source in (path, str(path)):
        assert read_urdf(source).digest == load(source).digest == parse_urdf(PAIR).digest
    assert read_urdf(path, tip="b", name="mine").name == "mine"
    assert load(path, tip="b").n == 1


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("no/such/file.urdf", "'no/such/file.urdf': expected a URDF file, found no file"),
        ("nothere.urdf", "'nothere.urdf': expected a URDF file, found no file"),
        (os.curdir + os.sep, "expected a URDF file, found a directory"),
        ("a\0b.urdf", "cannot be read: embedded null byte"),
        ("x" * 10_000 + ".urdf", "cannot be read"),
        (17, "expected a path, found int"),
        (None, "expected a path, found NoneType"),
    ],
)
def test_files_that_are_none(source, message):
    for read in (read_urdf, load):
        with pytest.raises(RobotError, match=message) as error:
            read(source)
        assert len(str(error.value)) < 500


def test_errors_in_a_file_name_the_file(tmp_path):
    path = tmp_path / "bad.xml"
    path.write_text(PAIR[:-1])
    with pytest.raises(RobotError, match="bad.xml': XML: broken at line 5"):
        load(path)
    path.write_text("<mujoco/>")
    with pytest.raises(RobotError, match="bad.xml': .*MJCF.* not read yet"):
        load(path)


@pytest.fixture
def zoo(monkeypatch):
    """Two built-in robots, whatever the real ones are."""
    names = {"tiny": lambda: parse_urdf(PAIR), "long": lambda: parse_urdf(chain(5))}
    module = types.SimpleNamespace(ZOO=names)
    monkeypatch.setitem(sys.modules, "paraxis.robots.zoo", module)


def test_built_in_robots(zoo, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert load("tiny").n == 1
    assert load("long", tip="l3").n == 3
    with pytest.raises(RobotError, match="'long', 'tiny'.* or a path to a URDF file, found 'puma'"):
        load("puma")
    (tmp_path / "tiny").mkdir()
    assert load("tiny").n == 1  # a folder is no robot
    (tmp_path / "long").write_text(PAIR)
    assert load("long").n == 1  # but a file is one
    with pytest.raises(RobotError, match="found no file"):
        load(Path("tiny2"))  # a Path is never a name


# -- hostile text ----------------------------------------------------------------------------------


# The deadline is no measurement: it is there to catch what takes seconds for a few lines of text.
def fuzzing(examples):
    return settings(max_examples=examples, deadline=timedelta(seconds=10), database=None)


def survives(text):
    """Read it: a sound Robot or a ParaxisError, and not a word from numpy about overflow."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RobotWarning)
        try:
            r, again = parse_urdf(text), parse_urdf(text)
        except ParaxisError as error:
            assert len(str(error)) < 2_000 and str(error).isprintable()
            return str(error)
    assert isinstance(r, Robot) and r.n > 0 and str(r)
    assert r.digest == again.digest
    for i, (j, body) in enumerate(zip(r.joints, r.inertias, strict=True)):
        assert WORLD <= j.parent < i
        assert math.isclose(math.hypot(*j.axis), 1.0, rel_tol=1e-12)
        turn = np.array(j.placement.rotation)
        assert abs(turn @ turn.T - np.eye(3)).max() < 1e-9
        numbers = (*j.placement.translation, body.mass, *body.com, *body.about_com)
        assert all(math.isfinite(v) for v in numbers)
    return "a robot"


def fuzzed(text):
    """The same, with a word for `pytest --hypothesis-show-statistics` on how it ended."""
    event(survives(text).split(": ")[-1].split(",")[0][:40])


SEED = robot(
    link("base"),
    link("arm", inertial("2", "0.3 0.2 0.2 0 0.01 0", '<origin xyz="0 0.1 0" rpy="1 0 0"/>')),
    link("slide", inertial()),
    link("hand", inertial("0.5")),
    joint("turn", "base", "arm", "revolute", '<limit lower="-1" upper="1" effort="9"/>'),
    joint("slide", "arm", "slide", "prismatic", '<axis xyz="0 0 1"/><origin xyz="1 0 0"/>'),
    joint("weld", "slide", "hand", "fixed", '<origin xyz="0 0 1" rpy="0 1.5 0"/>'),
)
TOKENS = [
    "<", ">", "/", '"', "'", "&", "&#0;", "&#x10ffff;", "&lt;", "]]>", "<![CDATA[", "<!--", "-->",
    "<?", "?>", "<!DOCTYPE r>", "<!ENTITY", "\0", "\ud800", "\ufeff", "xmlns=''", 'xmlns="x"', "a:",
    "${x}", "nan", "1e999", "-1", "0", "1e308", "1e-320", "0 0 0", "floating", "fixed", "base",
    "hand", "<link name='x'/>", "<joint/>", "<inertial/>", "<robot>", "</robot>", "</joint>",
]  # fmt: skip


@fuzzing(500)
@given(st.data())
def test_a_file_with_other_characters(data):
    text = SEED
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 60)))
        middle = data.draw(
            st.sampled_from(["", text[start:end] * 2, text[start:end][::-1]])
            | st.sampled_from(TOKENS)
            | st.text(max_size=5)
        )
        text = text[:start] + middle + text[end:]
    fuzzed(text)


PLAIN = ("0", "1", "-1", "0.5", "1e-9", "3e7")
ODD = (*PLAIN, "-0", "1e160", "1e308", "-1.7e308", "5e-324", "1e999", "nan", "x", "1 2", "", "٣")
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=6)


@fuzzing(500)
@given(st.randoms(use_true_random=False), TEXT)
def test_a_file_with_elements_lost_copied_and_changed(rng, text):
    root = ElementTree.fromstring(SEED)
    values = sorted({value for e in root.iter() for value in e.attrib.values()})
    for _ in range(rng.randint(1, 4)):
        inside = rng.choice([e for e in root.iter() if len(e)])
        k = rng.randrange(len(inside))
        change = rng.choice(["lose", "copy", "move", "set", "set", "set"])
        if change == "set" and inside[k].attrib:
            attribute = rng.choice(sorted(inside[k].attrib))
            inside[k].set(attribute, rng.choice([rng.choice(values), rng.choice(ODD), text]))
        elif change == "copy":
            inside.insert(rng.randrange(len(inside)), copy.deepcopy(inside[k]))
        elif change == "lose" or len(inside) == 1:
            inside.remove(inside[k])
        else:
            moved = inside[k]
            inside.remove(moved)
            rng.choice([e for e in root.iter()]).append(moved)
    fuzzed(ElementTree.tostring(root, encoding="unicode"))


@st.composite
def near_robots(draw):
    """Links a, b, c, ... joined at random, mostly to an earlier one, with plain or odd numbers."""
    number = st.sampled_from(draw(st.sampled_from([PLAIN, PLAIN[:2], ODD[:11], ODD])))
    three = st.lists(number, min_size=3, max_size=3).map(" ".join)
    parts = [link("a")]
    for i in range(1, draw(st.integers(2, 6))):
        inside = ""
        if draw(st.booleans()):
            origin = f'<origin xyz="{draw(three)}" rpy="{draw(three)}"/>'
            moments = " ".join("zero" for _ in range(6))
            inside = inertial(draw(number).strip("-"), moments, origin)
            for _ in range(6):
                inside = inside.replace("zero", draw(number), 1)
        parts.append(link("abcdef"[i], inside))
        parent = draw(st.sampled_from("abcdef"[:i] * 9 + "abcdefg"))
        kind = draw(st.sampled_from(["revolute", "prismatic", "continuous", "fixed"]))
        inside = f'<origin xyz="{draw(three)}" rpy="{draw(three)}"/>'
        inside += f'<axis xyz="{draw(three)}"/>' if draw(st.booleans()) else ""
        inside += f'<limit upper="{draw(number)}"/>' if draw(st.booleans()) else ""
        inside += f'<dynamics damping="{draw(number)}"/>' if draw(st.booleans()) else ""
        parts.append(joint(f"j{i}", parent, "abcdef"[i], kind, inside))
    return robot(*draw(st.permutations(parts)))


@fuzzing(250)
@given(near_robots())
def test_a_random_near_robot(text):
    fuzzed(text)


VALUES = st.one_of(
    st.sampled_from("abcd"),
    st.sampled_from(["revolute", "fixed", "prismatic", "planar"]),
    st.sampled_from(ODD),
    st.lists(st.sampled_from(ODD), max_size=4).map(" ".join),
    TEXT,
)
INNER = ("inertial", "mass", "inertia", "origin", "axis", "limit", "parent", "child", "link", "any")


@st.composite
def elements(draw, depth=0):
    """Any tag within any tag, though links and joints mostly where they should be."""
    tags = ("link", "joint", "joint", "any") if depth == 0 else INNER
    names = ("name", "type") if depth == 0 else ("link", "xyz", "rpy", "value", "ixx", "upper")
    e = ElementTree.Element(draw(st.sampled_from(tags)))
    for name in names:
        if draw(st.integers(0, 9)):
            e.set(name, draw(VALUES))
    if depth < 3:
        e.extend(draw(st.lists(elements(depth + 1), max_size=3 - depth)))
    return e


@fuzzing(150)
@given(st.lists(elements(), min_size=1, max_size=5))
def test_a_random_tree_of_tags(children):
    root = ElementTree.Element("robot", name="r")
    root.extend(children)
    fuzzed(ElementTree.tostring(root, encoding="unicode"))


@fuzzing(200)
@given(st.binary(max_size=60), st.integers(0, 60))
@example(b"\xff\xfe", 0)
@example(b'<?xml version="1.0" encoding="utf-7"?>', 0)
@example(b'<?xml version="1.0" encoding="idna"?>', 0)
@example(b'<?xml version="1.0" encoding="undefined"?>', 0)
def test_bytes_before_and_within_a_file(noise, at):
    fuzzed(noise + SEED.encode())
    fuzzed(SEED.encode()[:at] + noise + SEED.encode()[at:])


@pytest.mark.parametrize(
    "text",
    [
        robot(*["<a>" * 100_000, "</a>" * 100_000]),
        "<robot>" * 100_000,
        pair(joint_inside=f'<axis xyz="1 0 {"1" * 1_000_000}x"/>'),
        pair(joint_inside=f'<axis xyz="{"1 " * 1_000_000}"/>'),
        pair(joint_inside="<origin/>" * 100_000),
        robot(*[link(f"l{i}") for i in range(20_000)]),
        robot(A, *[link(f"l{i}") + joint(f"j{i}", f"l{i - 1 if i else 4999}", f"l{i}")
                   for i in range(5_000)]),
    ],
    ids=["deep", "unclosed", "a long number", "many numbers", "many origins", "roots", "cycle"],
)  # fmt: skip
def test_much_of_one_thing(text):
    assert survives(text) != "a robot"


MANY = 5_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (robot("<a>" * 100 + "</a>" * 100), "line 2: expected elements at most 100 deep"),
        (robot(*[f"<a{i}/>" for i in range(2 * MANY)]), "at most 10,000 names of elements and"),
        (robot("<a " + " ".join(f'b{i}=""' for i in range(3 * MANY)) + "/>"), "10,000 names"),
        (robot(link("x" * 10_001)), "<link> number 1: <link> name: expected at most 10,000 char"),
        (robot("<!--" + "x" * (5 * 2**20) + "-->"), "expected tags and comments of at most 1 MB"),
        (robot("<link name='" + "x" * (5 * 2**20) + "'/>"), "expected tags and comments of at mo"),
    ],
    ids=["deep", "names", "attributes", "a name", "a comment", "a tag"],
)
def test_bounds(text, message):
    with pytest.raises(RobotError, match=message):
        parse_urdf(text)


def test_more_bounds(monkeypatch):
    monkeypatch.setattr(xml_text, "MAX_ELEMENTS", 10)
    with pytest.raises(RobotError, match="line 5: expected at most 10 elements, found more"):
        parse_urdf(PAIR.replace("</robot>", "<a/>" * 6 + "</robot>"))
    monkeypatch.setattr(urdf, "MAX_LINKS", 1)
    with pytest.raises(RobotError, match="<robot>: expected at most 1 <link>, found more"):
        parse_urdf(PAIR)


@pytest.mark.parametrize("attribute", ["xmlns", "xmlns:n"])
def test_a_long_namespace_costs_its_length_once(attribute):
    """It used to be repeated for each element: these 20,000 took 4 GB."""
    text = PAIR.replace("<robot", f'<robot {attribute}="{"u" * 200_000}"')
    tag = "<n:a/>" if ":" in attribute else "<a/>"
    text = text.replace("</robot>", tag * 20_000 + "</robot>")
    tracemalloc.start()
    try:
        assert parse_urdf(text).n == 1
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()


def test_as_deep_and_as_long_as_may_be():
    deep = robot(*[A, B, joint("j", "a", "b")], "<a>" * 99 + "</a>" * 99)
    assert parse_urdf(deep).n == 1
    assert parse_urdf(PAIR.replace("</robot>", f"<!--{'x' * 2**20}--></robot>")).n == 1


def test_elements_of_other_namespaces_are_not_read():
    foreign = '<n:link name="x"/><n:joint/>'
    text = PAIR.replace("<robot", '<robot xmlns:n="elsewhere"').replace(
        "</robot>", foreign + "</robot>"
    )
    assert parse_urdf(text).frame_names == ["a", "b"]


def test_numbers_of_any_size_never_make_numpy_speak():
    for body in ("1e308", "1e160", "5e-324"):
        for arm in ("1e308 1e308 1e308", "1e160 0 0", "0 5e-324 0"):
            hand = inertial(body, " ".join([body] * 6), f'<origin xyz="{arm}" rpy="{arm}"/>')
            weld = joint("f", "b", "c", "fixed", f'<origin xyz="{arm}" rpy="{arm}"/>')
            axis = f'<axis xyz="{arm}"/><origin xyz="{arm}" rpy="{arm}"/>'
            parts = [A, link("b", hand), link("c", hand), joint("j", "a", "b", inside=axis), weld]
            survives(robot(*parts))


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"lower": 1.0, "upper": -1.0}, "limits: expected lower <= upper, found 1.0 and -1.0"),
        ({"lower": float("nan")}, "limits: expected lower <= upper"),
        ({"max_velocity": -1.0}, "max_velocity: expected a number >= 0, found -1.0"),
        ({"max_effort": -5.0}, "max_effort: expected a number >= 0, found -5.0"),
    ],
)
def test_limits_that_no_joint_has(changed, message):
    arm = planar(2)
    joints = (replace(arm.joints[0], **changed), arm.joints[1])
    with pytest.raises(RobotError, match=message):
        replace(arm, joints=joints)
