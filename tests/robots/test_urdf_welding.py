"""URDF: links welded together, as Pinocchio welds them, and what users are warned of."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robot_files import FILES, NOT_ROBOTS
from support.urdf_text import PAIR, A, B, C, inertial, joint, link, pair, robot

from paraxis.errors import RobotError, RobotWarning
from paraxis.robots.inertia import Inertia
from paraxis.robots.joint import WORLD
from paraxis.robots.loading import load
from paraxis.robots.readers.urdf import parse_urdf, read_urdf

# Most robots here have no mass at all, which the tests of warnings look at.
pytestmark = pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning")


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
    """As written; px.load makes right angles exact, which moves them by 1e-9 rad at most."""
    pin = pytest.importorskip("pinocchio")
    same_as_pinocchio(read_urdf(path, snap=0), pin.buildModelFromUrdf(str(path)), pin)


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


@settings(max_examples=60, deadline=None, database=None)
@given(trees())
def test_random_robots_are_welded_as_pinocchio_welds_them(text):
    pin = pytest.importorskip("pinocchio")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        same_as_pinocchio(parse_urdf(text, snap=0), pin.buildModelFromXML(text), pin)


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
    assert message.startswith(
        "robot 'r': link 'b' of joint 'j': principal moments 1 + 1 < 9 violate"
    )
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
        assert message.endswith("for a base that moves, load it with floating_base=True")
    assert warning_of(lambda: parse_urdf(with_base("3", "1", "1"), tip="l0")) is None


def test_mimic_joints_are_named_unless_they_do_not_move():
    inside = '<mimic joint="k" multiplier="2"/>'
    body = inertial()
    parts = [A, *(link(name, body) for name in "bcd"), joint("k", "a", "b")]
    moving = robot(*parts, joint("j", "b", "c", inside=inside), joint("l", "c", "d"))
    message = warning_of(lambda: parse_urdf(moving, couplings="independent"))
    assert warning_of(lambda: parse_urdf(moving)) is None
    assert "mimic joints move independently here: 'j'; set each" in message
    assert "robot.locked" in message
    welded = robot(*parts, joint("j", "b", "c", "fixed", inside), joint("l", "c", "d"))
    assert warning_of(lambda: parse_urdf(welded)) is None
    assert warning_of(lambda: parse_urdf(moving, tip="b")) is None  # held, not independent


def test_joints_that_move_nothing_with_mass_are_named():
    assert "no link that moves has mass" in warning_of(lambda: parse_urdf(PAIR))
    two = robot(A, link("b", inertial()), C, joint("j", "a", "b"), joint("k", "b", "c"))
    message = warning_of(lambda: parse_urdf(two))
    assert "torques are zero and their accelerations are undefined: 'k'; give a link" in message
    between = robot(A, B, link("c", inertial()), joint("j", "a", "b"), joint("k", "b", "c"))
    assert warning_of(lambda: parse_urdf(between)) is None  # a link without mass on the way
    rotor = {"k": {"transmission": {"ratio": 2, "rotor_inertia": 0.1}}}
    assert warning_of(lambda: parse_urdf(two, drives=rotor)) is None


def test_all_is_said_in_one_warning_that_points_at_the_caller(tmp_path):
    parts = [link("a", inertial("9")), link("b", inertial("1", "1 1 9 0 0 0")), C]
    mimic = joint("k", "a", "c", inside='<mimic joint="j"/>')
    (tmp_path / "r.urdf").write_text(robot(*parts, joint("j", "a", "b"), mimic))
    with pytest.warns(RobotWarning) as caught:
        load(tmp_path / "r.urdf", couplings="independent")
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
