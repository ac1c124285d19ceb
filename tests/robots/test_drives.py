"""Friction and transmissions: what makes one, where they are read from, and what keeps them."""

import copy
import math
import os
import pickle
from dataclasses import FrozenInstanceError, asdict, replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.robots import random_robot, with_losses

import paraxis as px
from paraxis.cli.tables import print_robot
from paraxis.cli.terminal import Terminal
from paraxis.errors import ParaxisError, RobotError
from paraxis.robots import yaml_text
from paraxis.robots.friction import BEARING_NAMES, NO_FRICTION
from paraxis.robots.table import drive_table
from paraxis.robots.transmission import IDEAL
from paraxis.robots.yaml_text import parse_yaml

JOURNAL = px.robots.JournalBearing(0.1, 0.02, 0.2)
LINEAR = px.robots.LinearBearing(0.1, 0.2)
THRUST = px.robots.ThrustBearing(0.1, 0.03)
TABLE = ((0.0, 0.3), (0.5, 0.7), (1.0, 0.8))
FULL = {
    "joint1": {
        "friction": px.robots.Friction((JOURNAL, THRUST), 0.1, 0.5, 0.7, 0.02, 0.003),
        "transmission": px.robots.Transmission(100, TABLE, "cubic", 6.3, 1.1e-4, 97.6, 90),
    },
    "joint2": {"friction": px.robots.Friction(viscous=1e-4)},
    "joint3": {"transmission": px.robots.Transmission(ratio=-30, efficiency=0.8)},
}
FULL_YAML = """
joints:
  joint1:
    friction:  # everything a friction can have
      viscous: 0.1
      coulomb: 0.5
      static: 0.7
      stribeck_velocity: 2e-2
      smoothing: 3e-3
      bearings:
        - journal: {coefficient: 0.1, radius: 0.02, length: 0.2}
        - thrust: {coefficient: 0.1, radius: 0.03}
    transmission:
      ratio: 100
      efficiency: [[0, 0.3], [0.5, 0.7], [1, 0.8]]
      interpolation: cubic
      break_away: 6.3
      rotor_inertia: 1.1e-4
      torque_limit: 97.6
      rated_torque: 90
  joint2: {friction: {viscous: 1e-4}}
  joint3: {transmission: {ratio: -30, efficiency: .8}}
"""


# -- what makes a friction -------------------------------------------------------------------------

NO_NUMBERS = ["0.1", b"1", None, True, np.True_, math.nan, math.inf, -math.inf, 10**400, [1], 1j]


@pytest.mark.parametrize("value", [*NO_NUMBERS, -1e-9], ids=repr)
@pytest.mark.parametrize(
    ("kind", "good", "name"),
    [
        (px.robots.JournalBearing, asdict(JOURNAL), "coefficient"),
        (px.robots.JournalBearing, asdict(JOURNAL), "radius"),
        (px.robots.JournalBearing, asdict(JOURNAL), "length"),
        (px.robots.LinearBearing, asdict(LINEAR), "coefficient"),
        (px.robots.LinearBearing, asdict(LINEAR), "length"),
        (px.robots.ThrustBearing, asdict(THRUST), "coefficient"),
        (px.robots.ThrustBearing, asdict(THRUST), "radius"),
        (px.robots.Friction, {}, "viscous"),
        (px.robots.Friction, {}, "coulomb"),
        (px.robots.Friction, {}, "static"),
        (px.robots.Friction, {}, "stribeck_velocity"),
        (px.robots.Friction, {}, "smoothing"),
        (px.robots.Transmission, {}, "ratio"),
        (px.robots.Transmission, {}, "break_away"),
        (px.robots.Transmission, {}, "rotor_inertia"),
        (px.robots.Transmission, {}, "torque_limit"),
        (px.robots.Transmission, {}, "rated_torque"),
        (px.robots.Transmission, {}, "efficiency"),
    ],
)
def test_what_is_no_sound_number(kind, good, name, value):
    kept = (name, value) in (
        ("static", None), ("rated_torque", None), ("ratio", -1e-9),
        ("torque_limit", math.inf), ("rated_torque", math.inf),
    )  # fmt: skip
    if kept:
        kind(**good | {name: value})
        return
    expected = f"{kind.__name__} {name}( row 1)?: expected .*, found "
    with pytest.raises(RobotError, match=expected) as error:
        kind(**good | {name: value})
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"coulomb": 0.5, "static": 0.4}, r"static: expected at least coulomb \(0.5\), found 0.4"),
        ({"stribeck_velocity": 0}, "stribeck_velocity: expected a number > 0, found 0.0"),
        ({"smoothing": 0}, "smoothing: expected a number > 0, found 0.0"),
        (
            {"bearings": 3},
            "bearings: expected .*Bearing, LinearBearing, ThrustBearing, found int",
        ),
        ({"bearings": None}, "bearings: expected JournalBearing, .* found NoneType"),
        ({"bearings": "journal"}, "bearings: expected JournalBearing, .* found str"),
        ({"bearings": [JOURNAL, 0.1]}, "bearings: expected JournalBearing, .* found float"),
    ],
)
def test_friction_that_cannot_be(arguments, message):
    with pytest.raises(RobotError, match=f"Friction {message}"):
        px.robots.Friction(**arguments)


def test_bearings_without_length_or_of_no_width():
    for kind in (px.robots.JournalBearing, px.robots.LinearBearing):
        good = asdict(JOURNAL if kind is px.robots.JournalBearing else LINEAR)
        with pytest.raises(RobotError, match=f"{kind.__name__} length: expected a number > 0"):
            kind(**good | {"length": 0})
    assert px.robots.ThrustBearing(0, 0).radius == 0.0  # loses nothing, but can be built


def test_friction_is_plain_and_frozen():
    given = [JOURNAL]
    friction = px.robots.Friction(given, coulomb=np.float32(0.5))
    given.append(THRUST)
    assert friction == px.robots.Friction(JOURNAL, coulomb=0.5)
    assert friction.static == 0.5 and type(friction.coulomb) is float
    assert hash(friction) == hash(px.robots.Friction(JOURNAL, coulomb=0.5))
    with pytest.raises(FrozenInstanceError):
        friction.viscous = 1.0


# -- what makes a transmission ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ratio": 0}, "ratio: expected a number other than 0, found 0"),
        ({"ratio": -1e-320}, "ratio: expected a number whose inverse is finite, found -1e-320"),
        ({"torque_limit": 0}, "torque_limit: expected a number > 0, found 0"),
        ({"ratio": 1e200, "rotor_inertia": 1}, "rotor_inertia: expected a finite ratio² times it"),
        ({"interpolation": "spline"}, "interpolation: expected linear or cubic, found 'spline'"),
        ({"interpolation": ["cubic"]}, "interpolation: expected linear or cubic, found .'cubic'"),
        ({"efficiency": 0}, r"efficiency: expected numbers in \(0, 1\], found 0"),
        ({"efficiency": 1.0001}, r"efficiency: expected numbers in \(0, 1\], found 1.0001"),
        ({"efficiency": [[0, 0.5], [1, 1.1]]}, r"expected numbers in \(0, 1\], found 1.1"),
        ({"efficiency": [[0, 0], [1, 1]]}, r"expected numbers in \(0, 1\], found 0"),
        ({"efficiency": [[-0.1, 0.5], [1, 0.6]]}, "expected loads >= 0, found -0.1"),
        ({"efficiency": [[0, 0.5], [0, 0.6]]}, "expected ascending loads, found 0.0 after 0.0"),
        ({"efficiency": [[1, 0.5], [0, 0.6]]}, "expected ascending loads, found 0.0 after 1.0"),
        ({"efficiency": [[0, 0.5], [1, 0.4]]}, "do not fall with the load, found 0.4 after 0.5"),
        ({"efficiency": []}, "efficiency: expected a number or at least 2 rows, found 0"),
        ({"efficiency": [[0, 0.5]]}, "efficiency: expected a number or at least 2 rows, found 1"),
        ({"efficiency": [0.5, 0.6]}, "efficiency row 1: expected 2 numbers, found 0.5"),
        ({"efficiency": [[0, 0.5], [1]]}, "efficiency row 2: expected 2 numbers, found 1"),
        ({"efficiency": [[0, 0.5], [1, 0.6, 2]]}, "efficiency row 2: expected 2 numbers, found 3"),
        ({"efficiency": [[0, 0.5], ["1", 0.6]]}, "efficiency row 2: expected 2 numbers, found"),
        ({"efficiency": [[0, 0.5], [math.nan, 0.6]]}, "row 2: expected finite numbers, found nan"),
        ({"efficiency": {0: 0.5, 1: 0.6}}, "efficiency: expected a number, found {0: 0.5"),
        ({"efficiency": TABLE, "torque_limit": math.inf}, "needs rated_torque or torque_limit"),
    ],
)
def test_transmissions_that_cannot_be(arguments, message):
    with pytest.raises(RobotError, match=f"Transmission .*{message}"):
        px.robots.Transmission(**{"torque_limit": 10.0} | arguments)


def test_a_table_is_copied():
    rows = [list(row) for row in TABLE]
    drive = px.robots.Transmission(efficiency=rows, torque_limit=10)
    rows[0][1] = 0.9
    assert drive.efficiency == TABLE
    assert drive == px.robots.Transmission(efficiency=np.array(TABLE), torque_limit=10)
    assert hash(drive) == hash(px.robots.Transmission(efficiency=TABLE, torque_limit=10))


def test_the_torque_of_full_load():
    assert px.robots.Transmission(torque_limit=10).rated == 10
    assert px.robots.Transmission(torque_limit=10, rated_torque=4).rated == 4
    assert px.robots.Transmission(efficiency=TABLE, rated_torque=4).torque_limit == math.inf


# -- drives of a robot, in code and from a file ----------------------------------------------------


@pytest.fixture
def arm():
    return px.load("planar3")


@pytest.fixture
def write(tmp_path):
    def written(text, name="x.yaml"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return written


def drives_of(robot):
    return [(joint.friction, joint.transmission) for joint in robot.joints]


def test_in_code_and_in_a_file_they_are_the_same(arm, write):
    path = write(FULL_YAML)
    in_code = arm.with_drives(FULL)
    assert drives_of(in_code) == [
        (FULL["joint1"]["friction"], FULL["joint1"]["transmission"]),
        (FULL["joint2"]["friction"], IDEAL),
        (NO_FRICTION, FULL["joint3"]["transmission"]),
    ]
    written_out = parse_yaml(FULL_YAML)["joints"]  # arguments instead of objects do in code too
    for same in (
        arm.with_drives(path),
        arm.with_drives(str(path)),
        px.load("planar3", drives=path),
        px.load("planar3", drives=FULL),
        arm.with_drives(written_out),
    ):
        assert same == in_code and same.digest == in_code.digest
    assert not arm.has_losses  # which was there before, and is as it was
    with_object = {"joint1": {"friction": {"bearings": (JOURNAL, {"thrust": asdict(THRUST)})}}}
    assert arm.with_drives(with_object).joints[0].friction == px.robots.Friction((JOURNAL, THRUST))


PAIR = """<robot name="r"><link name="a"/><link name="b"/><link name="c"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/>
  <dynamics damping="3" friction="4"/></joint>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/>
  <dynamics damping="5"/></joint></robot>"""


def test_a_file_beside_the_description_is_read(write):
    path = write(PAIR, "arm.urdf")
    assert px.load(path).joints[0].friction == px.robots.Friction(viscous=3, coulomb=4)
    write("joints: {j: {transmission: {ratio: 7}}, k: {friction: {coulomb: 1}}}", "arm.drives.yaml")
    bare = px.load(path)
    assert drives_of(bare) == [
        (
            px.robots.Friction(viscous=3, coulomb=4),
            px.robots.Transmission(ratio=7),
        ),  # the URDF's friction stays
        (px.robots.Friction(coulomb=1), IDEAL),  # and here it is replaced as a whole
    ]
    assert px.load(str(path)) == px.load(os.fsencode(path)) == bare
    other = write("joints: {j: {friction: {}}}", "other.yaml")
    assert drives_of(px.load(path, drives=other)) == [
        (NO_FRICTION, IDEAL),
        (px.robots.Friction(viscous=5), IDEAL),
    ]
    assert px.load(path, drives={}).joints[1].friction == px.robots.Friction(viscous=5)
    assert px.load(path, tip="b").joint_names == ["j"]  # though the file speaks of k as well
    assert px.load(path, tip="b").joints[0].transmission.ratio == 7
    assert px.load(write(PAIR, "arm2.urdf")).joints[0].transmission == IDEAL


def test_a_bad_file_beside_the_description_is_an_error(write):
    path = write(PAIR, "arm.urdf")
    write("joints: {l: {}}", "arm.drives.yaml")
    with pytest.raises(RobotError, match="arm.drives.yaml': expected joints among 'j', 'k', .*'l'"):
        px.load(path)


def test_names_that_yaml_reads_as_something_else(arm, write):
    names = ["on", "1e3", "null"]
    robot = replace(
        arm, joints=[replace(j, name=n) for j, n in zip(arm.joints, names, strict=True)]
    )
    lines = "".join(f"  {name}: {{friction: {{viscous: 1}}}}\n" for name in names)
    assert all(f.viscous == 1 for f, _ in drives_of(robot.with_drives(write("joints:\n" + lines))))


@pytest.mark.parametrize("text", ["1e-4", "1E-4", "+.0001", "1.e-4", "0.0001", "00.0001", "100e-6"])
def test_numbers_are_numbers(arm, write, text):
    path = write(f"joints: {{joint1: {{friction: {{viscous: {text}}}}}}}")
    assert arm.with_drives(path).joints[0].friction.viscous == pytest.approx(1e-4, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    ["'1'", '"1"', "1_000", "0x10", "1:30", ".nan", ".inf", "1e999", "yes", "true", "~", "one", "٣"]
    + ["2001-01-01", "[1]", "{a: 1}", "", "1 2", "|\n          1"],
)
def test_what_is_no_number(arm, write, text):
    path = write(f"joints:\n  joint1:\n    friction:\n      viscous: {text}")
    with pytest.raises(RobotError, match="x.yaml': joint 'joint1': Friction viscous: expected a"):
        arm.with_drives(path)


def test_leading_zeros_are_decimal():
    assert parse_yaml("010") == 10.0


def drive(text):
    return f"joints: {{joint1: {{{text}}}}}"


FRICTION = "'bearings', 'viscous', 'coulomb', 'static', 'stribeck_velocity', 'smoothing'"
TRANSMISSION = "'ratio', 'efficiency', 'interpolation', 'break_away', 'rotor_inertia', 'torque_l"
KINDS = "'journal', 'linear', 'thrust'"
BAD_FILES = {
    # what is not such a file
    "empty": ("", "expected a mapping with keys among 'joints', found nothing"),
    "only comments": ("# joints\n", "found nothing"),
    "an empty mapping": ("{}", "expected the key 'joints', found none"),
    "a list": ("- joints", "expected a mapping with keys among 'joints', found .'joints'"),
    "text": ("joints", "expected a mapping with keys among 'joints', found 'joints'"),
    "another key": ("joints: {}\ngears: {}", "expected keys among 'joints', found 'gears'"),
    "no joints": ("joints:", "mapping with joints among 'joint1', 'joint2', 'joint3', found not"),
    "unknown joint": ("joints: {elbow: {}}", "among 'joint1', 'joint2', 'joint3', found 'elbow'"),
    "two documents": ("joints: {}\n---\njoints: {}", "line 2: expected one YAML document"),
    # traps of YAML
    "broken": ("joints: {\n", "YAML: invalid at line 2, column 1"),
    "a tab": ("joints:\n\tjoint1: {}", "YAML: invalid at line 2, column 1: found character"),
    "not UTF-8": (b"joints: \xff", "YAML: the text cannot be decoded"),
    "a NUL": (b"joints: \0", "YAML: the text cannot be decoded"),
    "no such character": ('"\\UFFFFFFFF"', "YAML: the text cannot be decoded"),
    "a key twice": ("joints:\n  joint1: {}\n  joint1: {}", "line 3: .* key 'joint1' appears twice"),
    "an alias": ("joints: {joint1: &a {}, joint2: *a}", r"line 1: anchors .*, found 'a'"),
    "an anchored key": ("&a joints: {}", "line 1: anchors .* not allowed"),
    "an alias alone": ("*a", "line 1: anchors .&. and aliases .*'a'"),
    "an object": ("!!python/object/apply:os.system ['true']", "line 1: tags .* found .*system"),
    "a tag": (drive("friction: {viscous: !!float 1}"), "line 1: tags .* found .*float'"),
    "a merge": ("<<: {joints: {}}", "expected keys among 'joints', found '<<'"),
    "a list as a key": ("? [joints]\n: {}", "line 1: keys must be plain words"),
    "deep": ("[" * 100_000, "line 1: expected at most 20 levels, found more"),
    "deep mappings": ("a: " + "{a: " * 100_000, "line 1: expected at most 20 levels"),
    # parts
    "a joint without parts": ("joints: {joint1: }", "'joint1': expected a mapping with keys among"),
    "unknown part": (drive("motor: {}"), "'joint1': .*'friction', 'transmission', found 'motor'"),
    "empty friction": (drive("friction: "), f"friction: .* among {FRICTION}, found nothing"),
    "unknown friction": (drive("friction: {damping: 1}"), f"among {FRICTION}, found 'damping'"),
    "friction as number": (drive("friction: 0.1"), f"mapping .* among {FRICTION}, found 0.1"),
    "negative": (drive("friction: {coulomb: -1}"), "'joint1': Friction coulomb: .*>= 0, found -1"),
    "static left empty": (drive("friction: {static: }"), "Friction static: .*number, found ''"),
    "static below": (drive("friction: {coulomb: 2, static: 1}"), "at least coulomb .*, found 1"),
    "unknown transmission": (drive("transmission: {gear: 1}"), f"among {TRANSMISSION}.*'gear'"),
    "efficiency above 1": (drive("transmission: {efficiency: 1.1}"), r"in \(0, 1\], found 1.1"),
    "efficiency as text": (drive("transmission: {efficiency: 80%}"), "a number, found '80%'"),
    "falling": (
        drive("transmission: {torque_limit: 1, efficiency: [[0, 0.5], [1, 0.4]]}"),
        "'joint1': Transmission efficiency: .* not fall .*, found 0.4 after 0.5",
    ),
    "not rising": (
        drive("transmission: {torque_limit: 1, efficiency: [[0, 0.5], [0, 0.6]]}"),
        "'joint1': Transmission efficiency: expected ascending loads, found 0.0 after 0.0",
    ),
    "no rated torque": (
        drive("transmission: {efficiency: [[0, 0.5], [1, 0.6]]}"),
        "'joint1': Transmission efficiency: a table needs rated_torque or torque_limit",
    ),
    # bearings
    "bearings as mapping": (
        drive("friction: {bearings: {thrust: {}}}"),
        "'joint1': friction: bearings: expected a list, found {'thrust': {}}",
    ),
    "unknown bearing": (
        drive("friction: {bearings: [{ball: {}}]}"),
        f"'joint1': friction: bearing 1: expected keys among {KINDS}, found 'ball'",
    ),
    "two bearings in one": (
        drive("friction: {bearings: [{thrust: {}, journal: {}}]}"),
        f"'joint1': friction: bearing 1: expected one of {KINDS}, found 2",
    ),
    "no bearing": (drive("friction: {bearings: [{}]}"), f"bearing 1: .* one of {KINDS}, found 0"),
    "a bearing's name": (drive("friction: {bearings: [thrust]}"), "bearing 1: .*, found 'thrust'"),
    "a bearing without length": (
        drive("friction: {bearings: [{journal: {coefficient: 1, radius: 1}}]}"),
        "'joint1': friction: bearing 1: journal: expected the key 'length', found none",
    ),
    "a bearing with more": (
        drive("friction: {bearings: [{thrust: {coefficient: 1, radius: 1, length: 1}}]}"),
        "bearing 1: thrust: expected keys among 'coefficient', 'radius', found 'length'",
    ),
    "a negative radius": (
        drive("friction: {bearings: [{thrust: {coefficient: 1, radius: -1}}]}"),
        "'joint1': friction: bearing 1: ThrustBearing radius: expected a number >= 0, found -1",
    ),
    "a slide's bearing": (
        drive("friction: {bearings: [{linear: {coefficient: 1, length: 1}}]}"),
        "'joint1' friction: expected a journal or thrust bearing, found a LinearBearing",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files(arm, write, case):
    text, message = BAD_FILES[case]
    with pytest.raises(RobotError, match=f"x.yaml': .*{message}") as error:
        arm.with_drives(write(text))
    assert len(str(error.value)) < 600 and str(error.value).isprintable()


def test_laughs_do_not_grow(arm, write):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 12)]
    with pytest.raises(RobotError, match="line 1: anchors .*grow without bound"):
        arm.with_drives(write("\n".join(lines)))


def test_a_large_file_is_refused(arm, write, monkeypatch):
    monkeypatch.setattr(yaml_text, "MAX_BYTES", 2**20)
    with pytest.raises(RobotError, match="YAML: expected at most 1 MB, found more"):
        arm.with_drives(write("#" * 2**20 + "\njoints: {}"))


@pytest.mark.parametrize(
    ("drives", "message"),
    [
        ("no/such.yaml", "'no/such.yaml': no such file; expected a YAML file"),
        (".", "is a directory; expected a YAML file"),
        ("a\0.yaml", "cannot be read: embedded null byte"),
        (17, "drives: expected a mapping of joints or the path of a YAML file, found int"),
        ([JOURNAL], "drives: expected a mapping of joints or .* found list"),
        ({"elbow": {}}, "expected joints among 'joint1', 'joint2', 'joint3', found 'elbow'"),
        ({1: {}}, "expected joints among 'joint1', 'joint2', 'joint3', found 1"),
        (
            {"joint1": px.robots.Friction()},
            "'joint1': expected a mapping with keys .*, found Friction",
        ),
        ({"joint1": {"friction": px.robots.Transmission()}}, "friction: .* found Transmission"),
        ({"joint1": {"friction": None}}, "friction: expected a mapping .* found None"),
        ({"joint1": {"friction": {"viscous": True}}}, "viscous: expected a number, found True"),
    ],
)
def test_drives_that_are_none(arm, drives, message):
    with pytest.raises(RobotError, match=message):
        arm.with_drives(drives)


def test_a_bearing_fits_its_joint():
    turning, sliding = px.load("stanford").joints[1:3]
    for joint, good, bad in ((turning, JOURNAL, LINEAR), (sliding, LINEAR, THRUST)):
        robot = px.load("stanford")
        assert robot.with_drives({joint.name: {"friction": px.robots.Friction(good)}}).has_losses
        with pytest.raises(RobotError, match=f"{joint.name}' friction: .*{type(bad).__name__}"):
            robot.with_drives({joint.name: {"friction": px.robots.Friction(bad)}})


def test_a_warning_about_a_driven_robot_names_the_robot(arm):
    odd = px.robots.Inertia(1.0, (0, 0, 0), (1, 1, 9, 0, 0, 0))
    with pytest.warns(px.RobotWarning, match="robot 'planar3': link 'link1' of joint 'joint1'"):
        replace(arm, inertias=[odd, *arm.inertias[1:]], warn=True)


# -- any drive, written and read -------------------------------------------------------------------


def written_out(value):
    """A drive as a file would have it."""
    if type(value) in BEARING_NAMES:
        return f"{{{BEARING_NAMES[type(value)]}: {mapped(asdict(value))}}}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(written_out, value))}]"
    return str(value)


def mapped(arguments):
    return "{" + ", ".join(f"{k}: {written_out(v)}" for k, v in arguments.items()) + "}"


def arguments_of(thing):
    """What is not said is not written: no limit and no rated torque have no number."""
    said = {name: getattr(thing, name) for name in thing.__slots__}
    return {name: value for name, value in said.items() if value not in (None, math.inf)}


@settings(max_examples=100, database=None)
@given(st.randoms(use_true_random=False))
def test_any_drive_is_read_as_it_was_written(tmp_path_factory, rng):
    bare = random_robot(rng, joints=(1, 5))
    driven = with_losses(bare, rng)
    lines = [
        f"  {joint.name}: {{friction: {mapped(arguments_of(joint.friction))}, "
        f"transmission: {mapped(arguments_of(joint.transmission))}}}"
        for joint in driven.joints
    ]
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_text("\n".join(["joints:", *lines]))
    again = bare.with_drives(path)
    assert again == driven and again.digest == driven.digest


TOKENS = [
    "&a ", "*a", "!!x ", "? ", ": ", "- ", "[", "]", "{", "}", "|", ">", "'", '"', "#", "%", "---",
    "\n", "\t", "\0", "  ", "joint1", "friction", "-1", "1e999", "0", "\ufeff", "\\U00110000",
]  # fmt: skip


@settings(max_examples=150, database=None)
@given(st.data())
def test_a_damaged_file_is_read_or_refused(data):
    text = FULL_YAML
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 40)))
        middle = data.draw(st.sampled_from([*TOKENS, text[start:end] * 2]) | st.text(max_size=5))
        text = text[:start] + middle + text[end:]
    arm = px.load("planar3")
    try:
        said = parse_yaml(text)
        assert isinstance(said, dict | list | str | float)
        if isinstance(said, dict) and isinstance(said.get("joints"), dict):
            assert arm.with_drives(said["joints"]).n == arm.n
    except ParaxisError as error:
        assert len(str(error)) < 2_000 and str(error).isprintable()


@settings(max_examples=100, database=None)
@given(st.binary(max_size=80))
@example(b"\xff\xfe\x00")
@example(b"\xfe\xff[")
def test_any_bytes_are_read_or_refused(noise):
    try:
        parse_yaml(noise)
    except ParaxisError as error:
        assert len(str(error)) < 500 and str(error).isprintable()


# -- what a robot does with them -------------------------------------------------------------------


@settings(max_examples=30, database=None)
@given(st.randoms(use_true_random=False))
def test_variations_keep_the_drives(rng):
    robot = with_losses(random_robot(rng), rng)
    last = robot.n - 1
    for other in (
        robot.with_gravity((0, 0, -1)),
        robot.with_base(np.eye(4)),
        robot.with_payload(1.0, frame=f"f{last}"),
        copy.copy(robot),
        copy.deepcopy(robot),
        pickle.loads(pickle.dumps(robot)),
    ):
        assert drives_of(other) == drives_of(robot)
    kept = robot.path(last)[::-1]
    assert drives_of(robot.subchain(f"f{last}")) == [drives_of(robot)[i] for i in kept]
    assert pickle.loads(pickle.dumps(robot)).digest == robot.digest


def test_without_friction_nothing_is_lost_but_the_rotors_stay(arm):
    driven = arm.with_drives(FULL)
    free = driven.without_friction()
    assert driven.has_losses and not free.has_losses
    assert [t.ratio for _, t in drives_of(free)] == [100, 1, -30]
    assert [t.torque_limit for _, t in drives_of(free)] == [97.6, math.inf, math.inf]
    assert free.joints[0].reflected_inertia == driven.joints[0].reflected_inertia != 0
    assert all(f == NO_FRICTION and t.is_ideal for f, t in drives_of(free))


CHANGES = [
    {"friction": px.robots.Friction(viscous=1)},
    {"friction": px.robots.Friction(coulomb=1)},
    {"friction": px.robots.Friction(coulomb=1, static=2)},
    {"friction": px.robots.Friction(coulomb=1, static=2, stribeck_velocity=1)},
    {"friction": px.robots.Friction(coulomb=1, smoothing=1)},
    {"friction": px.robots.Friction(JOURNAL)},
    {"friction": px.robots.Friction(THRUST)},
    {"friction": px.robots.Friction([THRUST, THRUST])},
    {"friction": px.robots.Friction([THRUST, JOURNAL])},
    {"friction": px.robots.Friction([JOURNAL, THRUST])},
    {"transmission": px.robots.Transmission(ratio=2)},
    {"transmission": px.robots.Transmission(ratio=2, rotor_inertia=1)},
    {"transmission": px.robots.Transmission(efficiency=0.5)},
    {"transmission": px.robots.Transmission(break_away=0.5)},
    {"transmission": px.robots.Transmission(efficiency=TABLE, torque_limit=1)},
    {"transmission": px.robots.Transmission(efficiency=TABLE, torque_limit=2)},
    {"transmission": px.robots.Transmission(efficiency=TABLE[:2], torque_limit=1)},
    {
        "transmission": px.robots.Transmission(
            efficiency=TABLE, torque_limit=1, interpolation="cubic"
        )
    },
]


def test_every_number_of_a_drive_enters_the_digest(arm):
    digests = [arm.digest, *(arm.with_drives({"joint1": c}).digest for c in CHANGES)]
    digests += [arm.with_drives({"joint2": c}).digest for c in CHANGES]
    assert len({*digests}) == len(digests)
    assert arm.with_drives({"joint1": {"friction": px.robots.Friction()}}).digest == arm.digest


def test_a_bearing_is_not_mistaken_for_a_transmission():
    """In a digest both are rows of numbers, one beginning where the other ends."""
    without, bearing = px.robots.Friction().numbers, px.robots.Friction(THRUST).numbers
    assert bearing[: len(without)] != without


def test_the_dynamics_know_nothing_of_friction(arm):
    driven = arm.with_drives({"joint1": {"friction": FULL["joint1"]["friction"]}})
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 3))
    tau = px.inverse_dynamics(driven, q, qd, qdd)
    assert (tau == px.inverse_dynamics(arm, q, qd, qdd)).all()
    back = px.forward_dynamics(driven, q, qd, tau)
    assert (back == px.forward_dynamics(arm, q, qd, tau)).all()


# -- what is printed -------------------------------------------------------------------------------

PRINTED = """\
   joint   viscous  Coulomb  static  bearings        ratio  efficiency  break-away  limit
─  ──────  ───────  ───────  ──────  ──────────────  ─────  ──────────  ──────────  ─────
0  joint1  0.1      0.5      0.7     journal thrust  100    0.3 .. 0.8  6.3         97.6
1  joint2  0.0001   –        –       –               –      –           –           –
2  joint3  –        –        –       –               -30    0.8         –           –"""


def test_a_robot_prints_its_drives(arm):
    text = str(arm.with_drives(FULL))
    joints, _, drives = text.rpartition("\n\n")
    assert drives == PRINTED
    assert joints == str(arm).replace("–    ", "1.1  ", 1)  # the rotor, and else as before


def test_only_what_is_there_is_printed(arm):
    some = arm.with_drives({"joint2": {"friction": {"viscous": 2}}})
    assert drive_table(some) == (("", "joint", "viscous"), [("1", "joint2", "2")])
    assert drive_table(arm)[1] == []
    assert len(str(arm).split("\n\n")) == 2  # the totals and the joints
    rotor = arm.with_drives({"joint1": {"transmission": {"rotor_inertia": 2}}})
    assert drive_table(rotor)[1] == []  # which the table of joints shows


def test_names_are_printed_safely(arm):
    named = replace(arm, joints=[replace(arm.joints[0], name="–\n\x1b"), *arm.joints[1:]])
    robot = named.with_drives({"–\n\x1b": {"friction": {"viscous": 2}}})
    assert drive_table(robot)[1] == [("0", "–\\n\\x1b", "2")]


def test_the_terminal_shows_drives_and_leaves_out_what_does_not_fit(arm, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    print_robot(Terminal(), arm.with_drives(FULL))
    out = capsys.readouterr().out
    assert "viscous" in out and "0.0001" in out
    assert "In a wider window also: efficiency, break-away, limit." in " ".join(out.split())
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 60
