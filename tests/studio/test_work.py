"""The studio without a browser: commands, what they come to, and the same as Python."""

import contextlib
import io
import os
import threading

import numpy as np
import pytest
from support.processes import script

import paraxis as px
from paraxis.studio import opening
from paraxis.studio import work as studio_work
from paraxis.studio.costs import costs
from paraxis.studio.guard import MOST_UPLOAD
from paraxis.studio.journal import Journal
from paraxis.studio.lines import Names, literal
from paraxis.studio.motions import simulate, sweep
from paraxis.studio.optimum import optimum
from paraxis.studio.text import as_code, as_list, escaped, in_line
from paraxis.studio.triangles import solids_of
from paraxis.studio.work import MOST_JOINTS, Work, ranges, standing

URDF = """<robot name="lever"><link name="base"/><link name="arm"><inertial>
<mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="{mesh}"/></geometry></visual></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/>
<axis xyz="0 1 0"/><limit lower="1" upper="2" effort="5" velocity="5"/></joint></robot>"""


@pytest.fixture
def work(tmp_path):
    found = Work(Journal(tmp_path))
    found.open("planar3")
    found.set_coordinate(0, 0.5)
    found.set_goal()
    found.set_coordinate(0, -0.3)
    return found


def replayed(work):
    """The names that the journal defines when it is run by itself, in its folder."""
    names, before = {}, os.getcwd()
    os.chdir(work.journal.folder)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(work.journal.text, "journal", "exec"), names)
    finally:
        os.chdir(before)
    return names


@pytest.mark.parametrize("drive", ["nothing", "pd", "computed torque"])
@pytest.mark.parametrize("robots", [1, 3])
def test_the_journal_does_what_was_done(work, drive, robots):
    found = simulate(work, drive, robots, seconds=0.1)
    again = replayed(work)["run"]
    assert found.q.shape == ((11, 3) if robots == 1 else (11, 3, 3))
    assert np.array_equal(found.q, again.q) and np.array_equal(found.t, again.t)
    own = px.simulate(
        work.robot, found.q[0], 0 * found.q[0], work.names["controller"] and None,
        controller=work.names["controller"], dt=1e-3, steps=100, every=10,
    ).q if drive != "nothing" else px.simulate(
        work.robot, found.q[0], 0 * found.q[0], dt=1e-3, steps=100, every=10
    ).q  # fmt: skip
    assert np.array_equal(own, found.q)


@pytest.mark.parametrize("parameter, low, high", [("kp", 10, 90), ("kd", 1, 9), ("payload", 0, 2)])
def test_a_sweep_has_a_robot_for_each_value(work, parameter, low, high):
    found = sweep(work, parameter, low, high, count=3, seconds=0.1)
    assert found.q.shape == (11, 3, 3) and np.array_equal(found.plot.x, np.linspace(low, high, 3))
    (miss,) = found.plot.curves.values()
    assert np.allclose(miss, abs(found.q[-1] - work.goal).max(-1))
    assert np.array_equal(replayed(work)["run"].q, found.q)


def test_optimal_control_reaches_the_goal(work):
    found = optimum(work, 0.6, effort=1e-5)
    assert abs(found.q[-1] - work.goal).max() < 0.02 and found.q.shape == (31, 3)
    assert np.array_equal(replayed(work)["found"].q, found.q)


def test_costs_are_those_of_the_program(work):
    found = costs(work, "mass_matrix")
    program = px.program(work.robot, "mass_matrix")
    assert str(program.count()) in found.text and f"depth {program.depth().flops} " in found.text
    assert found.plot.logarithmic and (np.array(*found.plot.curves.values()) > 0).all()
    costs(work, "inverse_dynamics", "newton_euler")
    assert work.journal.text.count("def seconds") == 1


def test_what_cannot_be_done_leaves_no_lines(work):
    before = work.journal.text
    for command in (
        lambda: costs(work, "__import__('os')"),
        lambda: costs(work, "inverse_dynamics", "magic"),
        lambda: simulate(work, "magic"),
        lambda: simulate(work, robots=10**9),
        lambda: simulate(work, seconds=float("nan")),
        lambda: simulate(work, "pd", kp="1); import os"),
        lambda: simulate(work, robots=1000, seconds=30.0),
        lambda: sweep(work, "kp", 5, 1),
        lambda: sweep(work, "payload", -1, 1),
        lambda: optimum(work, 0.4, point=(1.0, float("inf"), 0.0)),
        lambda: work.set_coordinate(0, float("nan")),
    ):
        with pytest.raises(px.ArgumentError):
            command()
    assert work.journal.text == before
    with pytest.raises(px.RobotError, match="did you mean 'ur5'"):
        work.open("ur55")
    with pytest.raises(px.ArgumentError, match="open a robot first"):
        simulate(Work(Journal(work.journal.folder)))


def test_a_base_that_no_motor_holds(tmp_path):
    work = Work(Journal(tmp_path))
    work.open_given(opening.Opened(px.load("ur5", floating_base=True)), "robot = None")
    with pytest.raises(px.ArgumentError, match="base is fixed"):
        simulate(work, "pd")
    found = simulate(work, robots=2, seconds=0.02)
    assert np.isfinite(found.q).all() and found.q.shape == (3, 2, 13)


def test_lines_take_numbers_and_text_only():
    assert literal([1, 2.5, True, "a'b"]) == '[1, 2.5, True, "a\'b"]'
    assert literal(np.array([0.1, 1e-300])) == "[0.1, 1e-300]"
    for wrong in (float("nan"), None, object(), {"a": 1}, [None]):
        with pytest.raises(px.ArgumentError):
            literal(wrong)
    names = Names()
    assert names.run([f"print({literal('__import__')}, 1)"]) == "__import__ 1"


def test_every_line_is_on_the_disk_at_once(tmp_path):
    (tmp_path / "studio-1.py").write_text("mine")
    journal = Journal(tmp_path)
    journal.begin("robot = 1")
    assert not (tmp_path / "studio-2.py").exists()  # to look is not to do
    journal.add("x = 2")
    path = tmp_path / "studio-2.py"
    assert path.read_text() == journal.text and journal.path == str(path)
    journal.add("y = 3")
    assert path.read_text() == journal.text
    assert (tmp_path / "studio-1.py").read_text() == "mine"
    other = Journal(tmp_path)
    other.add("z = 4")
    assert other.path.endswith("studio-3.py") and "z" not in journal.text


def test_a_journal_that_cannot_be_written_keeps_its_lines(tmp_path):
    journal = Journal(tmp_path / "nowhere")
    with pytest.raises(px.ArgumentError, match="cannot be saved"):
        journal.add("x = 1")
    assert "x = 1" in journal.text


def test_an_upload_is_kept_under_a_name_of_our_own(tmp_path):
    work = Work(Journal(tmp_path))
    work.open_text(URDF.format(mesh="/etc/passwd").encode())
    assert work.robot.name == "lever" and not work.robot.shapes
    assert any("Not drawn: 1 of its shapes" in note for note in work.notes)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["studio-1-1.urdf", "studio-1.py"]
    assert work.q == pytest.approx([1.5])  # within its limits
    simulate(work, seconds=0.05)
    assert replayed(work)["robot"].digest == work.robot.digest


@pytest.mark.parametrize("mesh", ["/etc/passwd", "file:///etc/passwd", "package://etc/passwd"])
def test_an_upload_looks_for_no_other_file(monkeypatch, mesh):
    asked = []
    monkeypatch.setattr(os.path, "isfile", lambda path: asked.append(path) or True)
    opening.by_text(URDF.format(mesh=mesh).encode())
    assert not [each for each in asked if "passwd" in str(each)]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\x00\xff",
        b"<robot",
        b"<mujoco><include file='/etc/passwd'/></mujoco>",
        b"<!DOCTYPE r [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><robot name='&a;'/>",
        b" " * (MOST_UPLOAD + 1),
    ],
)
def test_uploads_that_are_no_robot(tmp_path, text):
    work = Work(Journal(tmp_path))
    with pytest.raises(px.RobotError):
        work.open_text(text)
    assert not [*tmp_path.iterdir()] and work.robot is None


MJCF = """<mujoco model="lever"><compiler meshdir="/etc"/><visual><map znear="1"/></visual>
<asset><texture type="skybox" builtin="flat" width="9999999" height="9999999"/>
<mesh name="case" file="/etc/passwd"/><material name="m" texture="t"/></asset>
<worldbody><body name="arm"><joint name="hinge" axis="0 1 0" range="60 110" limited="true"/>
<inertial pos="0 0 0.2" mass="2" diaginertia="1 1 1"/><geom type="mesh" mesh="case"/>
<geom type="box" size="0.1 0.1 0.1" material="m"/></body>{}</worldbody></mujoco>"""


def test_mjcf_is_opened_without_what_is_in_other_files(tmp_path):
    pytest.importorskip("mujoco")
    work = Work(Journal(tmp_path))
    work.open_text(MJCF.format("").encode())
    assert work.robot.joint_names == ["hinge"] and work.robot.inertias[0].mass == 2
    assert "'visual', 'texture', 'shape of mesh case'" in work.notes[0]
    assert (tmp_path / "studio-1-1.xml").exists()
    simulate(work, seconds=0.05)
    assert replayed(work)["robot"].digest == work.robot.digest


@pytest.mark.parametrize(
    "more, why",
    [
        ('<include file="/etc/passwd"/>', "'include'"),
        ('<replicate count="1000000000"><geom size="1"/></replicate>', "'replicate'"),
        ('<composite type="grid" count="9999 9999 9"/>', "'composite'"),
        ('<geom type="hfield" hfield="h"/><body><geom type="mesh" mesh="case"/></body>', "mass of"),
        ('<body><geom type="box" size="1 1 1" fileup="/etc/passwd"/></body>', "'fileup'"),
        ('<body><geom type="sdf" plugin="mujoco.sdf.torus"/></body>', "'plugin'"),
        ("<body>" * 1_300 + "</body>" * 1_300, "deep"),
        ("<body/>" * 1_300, "bodies"),
        ("<body>", "invalid"),
    ],
)
def test_mjcf_that_reaches_out_is_refused(tmp_path, more, why):
    with pytest.raises(px.RobotError, match=why):
        Work(Journal(tmp_path)).open_text(MJCF.format(more).encode())
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("waits", [False, True])
def test_a_command_can_be_cancelled(work, waits):
    before, lock = work.journal.text, studio_work._computing
    threading.Timer(0.3, work.stop.set).start()
    with pytest.raises(px.ArgumentError, match="cancelled"):
        if waits:
            with lock:
                simulate(work, seconds=0.1)
        else:  # of which a whole second takes an hour
            work.do(["run = px.simulate(robot, q, np.zeros(3), dt=1e-9, steps=10**9, every=10**9)"])
    assert work.journal.text == before and not lock.locked()
    work.stop.clear()
    assert simulate(work, seconds=0.1).q.shape == (11, 3)


def test_names_are_never_paths(tmp_path, monkeypatch):
    (tmp_path / "ur5").write_text("no robot")
    monkeypatch.chdir(tmp_path)
    assert opening.by_name("ur5").robot.n == 6
    for name in ("/etc/passwd", "../ur5", "os", "fr3_description", "<robot/>", ""):
        with pytest.raises(px.RobotError, match="expected one of"):
            opening.by_name(name)


def test_a_robot_that_is_too_large(tmp_path):
    work = Work(Journal(tmp_path))
    with pytest.raises(px.RobotError, match=f"up to {MOST_JOINTS}"):
        work.open_given(opening.Opened(px.robots.planar(MOST_JOINTS + 1)), "robot = None")


def test_notes_are_what_loading_warns_of_and_leaves_out():
    text = URDF.format(mesh="a.stl").replace("</robot>", "<gazebo/></robot>")
    notes = opening.by_text(text.replace('ixx="1"', 'ixx="9"').encode()).notes
    assert "'arm'" in notes[0] and "gazebo" in notes[1] and "Not drawn" in notes[2]


def test_postures_are_within_limits():
    robot = px.load("ur5")
    q = standing(robot)
    assert all(low <= x <= high for x, (low, high) in zip(q, ranges(robot), strict=True))


def test_untrusted_text_is_no_markup():
    assert escaped("<b>*x* `y` [z](u)") == r"\<b\>\*x\* \`y\` \[z\]\(u\)"
    assert as_list(["a", "b"]) == "- a\n- b"
    assert as_code("```\nx").startswith("````python\n") and in_line("a`b") == r"a\`b"


@pytest.mark.parametrize("name", ["ur5", "puma560", "planar3"])
def test_solids_are_closed_and_look_outward(name):
    close, crowd, notes = solids_of(px.load(name))
    assert close and not notes
    assert [each.body for each in crowd] == [each.body for each in close]
    assert 3 * sum(len(each.faces) for each in crowd) < sum(len(each.faces) for each in close)
    for solid in (*close, *crowd):
        a, b, c = (solid.vertices[solid.faces[:, k]].astype(float) for k in range(3))
        assert np.linalg.vecdot(a, np.cross(b, c)).sum() > 0  # six times the volume inside
        assert all(0 <= x <= 255 for x in solid.colour)


def test_without_viser_it_says_what_to_install():
    script("""
        import sys
        sys.modules["viser"] = None  # as if it were not there
        from paraxis.cli.main import main
        assert main(["studio", "--port", "0", "--no-browser"]) == 2
    """)
