"""URDF: what is read, in which order, from which files."""

import math
import os
import sys
import types
from pathlib import Path

import pytest
from support.urdf_text import PAIR, A, B, C, D, inertial, joint, link, pair, robot

from paraxis.errors import RobotError, RobotWarning
from paraxis.robots.coupling import Coupling
from paraxis.robots.friction import Friction
from paraxis.robots.inertia import Inertia
from paraxis.robots.joint import WORLD
from paraxis.robots.loading import load
from paraxis.robots.pose import Pose
from paraxis.robots.readers.urdf import parse_urdf, read_urdf

# Most robots here have no mass at all, which the tests of warnings look at.
pytestmark = pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning")


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


def test_joints_of_several_degrees():
    axis = '<axis xyz="0 3 4"/><limit lower="-1" upper="1" velocity="2"/>'
    floating, planar = (parse_urdf(pair(joint_inside=axis, kind=k)) for k in ("floating", "planar"))
    assert (floating.joints[0].kind, floating.nq, floating.nv) == ("free", 7, 6)
    assert (planar.joints[0].kind, planar.joints[0].axis) == ("planar", (0, 0.6, 0.8))
    for r in (floating, planar):
        assert (r.joints[0].lower, r.joints[0].max_velocity) == (-math.inf, 2)
        assert r.ignored == ("position limits of joints of several degrees: 'j'",)


def test_what_is_not_read_is_listed():
    shapes = link("b", "<visual/><visual/><collision><geometry/></collision><sensor/>")
    mimic = joint("j", "a", "b", inside='<mimic joint="j"/>')
    text = robot(A, shapes, mimic, "<transmission/>", "<x:sensor/>")
    r = parse_urdf(text, couplings="independent")
    assert r.ignored == (
        "<sensor> in <link>",
        "<transmission> in <robot>",
        "<x:sensor> in <robot>",
        "the couplings of mimic joints: 'j'",
        "shapes that are not valid: visual of link 'b': expected one <geometry> in <visual>, found "
        "none; visual of link 'b': expected one <geometry> in <visual>, found none; collision of "
        "link 'b': expected one of box, sphere, cylinder, capsule, mesh in <geometry>, found none "
        "of these",
    )
    assert parse_urdf(PAIR).ignored == ()


def test_a_floating_base():
    parts = (link("a", inertial("3")), link("b", inertial()), joint("j", "a", "b"))
    for read in (parse_urdf, load):
        r = read(robot(*parts), floating_base=True)
        assert r == parse_urdf(robot(*parts)).with_floating_base()
        assert [j.name for j in r.joints] == ["floating_base", "j"]
        assert [body.mass for body in r.inertias] == [3, 1]
    drone = robot(parts[0])
    assert parse_urdf(drone, floating_base=True).nv == 6
    with pytest.raises(RobotError, match="no moving joint; load it with floating_base=True if"):
        parse_urdf(drone)
    with pytest.raises(RobotError, match="not on the free joint 'j'; load it without floating"):
        parse_urdf(pair(kind="floating"), floating_base=True)
    with pytest.warns(RobotWarning, match="robot 'r': the root link, free to move, has no mass"):
        parse_urdf(pair(inertial()), floating_base=True)


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


def test_mimic_joints_follow_unless_they_are_to_be_independent():
    inside = '<mimic joint="k" multiplier="2" offset="0.5"/>'
    parts = A, B, C, joint("j", "a", "b", inside=inside), joint("k", "b", "c")
    followed = parse_urdf(robot(*parts))
    assert followed.joint_names == ["j", "k"] and followed.nq == 1
    assert followed.joints[0].coupling == Coupling("k", (0.5, 2.0))
    independent = parse_urdf(robot(*parts), couplings="independent")
    assert independent.nq == 2 and independent.joints[0].coupling is None


def test_mimic_joints_of_mimic_joints():
    def following(name, leader, ends):
        return joint(name, *ends, inside=f'<mimic joint="{leader}" multiplier="2" offset="1"/>')

    chain = joint("j", "a", "b"), following("k", "j", "bc"), following("l", "k", "cd")
    found = parse_urdf(robot(A, B, C, link("d"), *chain))
    assert found.joints[2].coupling == Coupling("j", (3.0, 4.0)) and found.nq == 1


def test_mimic_joints_that_cannot_follow_are_named_with_the_reason():
    leaders = {"j": None, "k": "jj", "l": "l", "m": "o", "o": "m", "p": "m", "f": None, "s": "f"}
    ends = zip("abcdefgh", "bcdefghi", strict=True)
    joints = [
        joint(name, *each, kind, f'<mimic joint="{leader}"/>' * bool(leader))
        for (name, leader), each in zip(leaders.items(), ends, strict=True)
        for kind in ["fixed" if name == "f" else "revolute"]
    ]
    links = [link(name, inertial()) for name in "abcdefghi"]
    with pytest.warns(RobotWarning) as caught:
        found = parse_urdf(robot(*links, *joints))
    assert str(caught[0].message) == (
        "robot 'r': mimic joints that cannot follow move independently: 'k' mimics 'jj', which is "
        "not a joint of this file; did you mean 'j'?; 'l' mimics itself; 'm' mimics 'o' in a "
        "circle; 'o' mimics 'm' in a circle; 's' mimics 'f', which is fixed; correct the "
        "description, or lock them with robot.locked"
    )
    assert "the couplings of mimic joints: 'k', 'l', 'm', 'o', 's'" in found.ignored
    assert found.joint("p").coupling == Coupling("m") and found.nq == 6


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
        ("no/such/file.urdf", "'no/such/file.urdf': no such file; expected a URDF file"),
        ("nothere.xml", "'nothere.xml': no such file; expected a URDF or MJCF file"),
        ("nothere.urdf", "'nothere.urdf': no such file; expected a URDF file"),
        (os.curdir + os.sep, "is a directory; expected a URDF file"),
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
    with pytest.raises(RobotError, match="bad.xml': XML: invalid at line 5"):
        load(path)
    path.write_text("<mujoco/>")
    with pytest.raises(RobotError, match="bad.xml': MuJoCo model: robot '.*' has no moving joint"):
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
    message = "'long', 'tiny'.* or a path .*, found 'puma'"
    with pytest.raises(RobotError, match=message):
        load("puma")
    (tmp_path / "tiny").mkdir()
    assert load("tiny").n == 1  # a folder is no robot
    (tmp_path / "long").write_text(PAIR)
    assert load("long").n == 1  # but a file is one
    with pytest.raises(RobotError, match="no such file"):
        load(Path("tiny2"))  # a Path is never a name
