"""URDF: what is refused, and that every text gives a robot or a RobotError."""

import copy
import math
import tracemalloc
import warnings
from dataclasses import replace
from datetime import timedelta
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st
from support.urdf_text import PAIR, A, B, C, D, inertial, joint, link, pair, robot

from paraxis.errors import ParaxisError, RobotError, RobotWarning
from paraxis.robots.joint import WORLD
from paraxis.robots.readers import urdf, xml_text
from paraxis.robots.readers.urdf import parse_urdf, read_urdf
from paraxis.robots.robot import Robot
from paraxis.robots.zoo import planar

# Most robots here have no mass at all, which the tests of warnings look at.
pytestmark = pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning")


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
    "empty": ("", "XML: invalid at line 1, column 1: no element found"),
    "not XML": ("\n\nrobot", "XML: invalid at line 3, column 1: syntax error"),
    "cut short": (PAIR[:-3], "XML: invalid at line 5"),
    "bad token": ("<robot>\n<link name=a/></robot>", "XML: invalid at line 2, column 12: not well"),
    "two attributes": ('<robot name="r" name="s"/>', "XML: invalid at line 1.*duplicate attribute"),
    "unknown encoding": (b'<?xml version="1.0" encoding="x-y"?><robot/>', "decoded.*encoding: x-y"),
    "an encoding of bytes": (b'<?xml version="1.0" encoding="hex"?><robot/>', "be decoded"),
    "not its encoding": (b'<robot name="\xff"/>', "XML: invalid at line 1, column 14"),
    "half a character": ('<robot name="\ud800"/>', "XML: the text cannot be decoded"),
    "a NUL": (PAIR + "\0", "XML: invalid at line 5"),
    "a DTD": ('<!DOCTYPE robot><robot name="r"/>', "a document type .* is not allowed"),
    "an entity bomb": (BOMB, "a document type .* entities .* without bound"),
    "an external entity": (EXTERNAL, "a document type .* other files"),
    "a parameter entity": (PARAMETER, "a document type .* is not allowed"),
    "an unknown entity": ('<robot name="&x;"/>', "XML: invalid at line 1.*undefined entity"),
    "not a robot": ('<sdf version="1.6"/>', "root is <robot>, found 'sdf'"),
    "MJCF": ("<mujoco><worldbody/></mujoco>", "root is <robot>, found 'mujoco'"),
    # xacro
    "xacro element": (XACRO.format('<xacro:include filename="x"/>'), "'xacro:include'.*with xacro"),
    "xacro deep inside": (XACRO.format("<link><xacro:if/></link>"), "'xacro:if'; expand the file"),
    "xacro without namespace": ("<robot>\n<xacro:x/></robot>", "'xacro:x'; expand the file"),
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
    "no moving joint": (robot(A, B, joint("j", "a", "b", "fixed")), "has no moving joint"),
    "no joint": (robot(A), "has no moving joint"),
    "a kind of ours": (pair(kind="free"), "joint 'j': type: expected one of .* found 'free'"),
    "a plane without a normal": (
        pair(kind="planar", joint_inside='<axis xyz="0 0 0"/>'),
        "joint 'j': planar axis: expected a nonzero vector",
    ),
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


@fuzzing(75)
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
