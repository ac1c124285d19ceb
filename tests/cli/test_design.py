"""`paraxis design`: C for p cores with its schedule, times and rate, and one page of it all."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from support.exported import needs

import paraxis as px
from paraxis.cli import design_page
from paraxis.cli import designed as making
from paraxis.cli.design_page import gantt, page
from paraxis.cli.design_text import operation_words, rate_words
from paraxis.cli.main import main
from paraxis.cli.operations import Operations
from paraxis.cli.rates import middle_posture
from paraxis.cli.transmission_figure import input_over_output

DRIVES = """
joints:
  joint1:
    friction: {bearings: [{journal: {coefficient: 0.1, radius: 0.02, length: 0.2}}]}
    transmission: {ratio: 100, efficiency: [[0, 0.3], [1, 0.8]], break_away: 1.5, torque_limit: 40}
"""


@pytest.fixture
def drives(tmp_path):
    path = tmp_path / "drives.yaml"
    gear = "{transmission: {ratio: 50, efficiency: 0.7}}"
    path.write_text(f"{DRIVES}  joint2: {gear}\n  joint3: {gear}\n")
    return path


def test_a_design_computes_what_it_shows(tmp_path, drives, capsys):
    needs("c")
    folder = tmp_path / "build"
    words = ["design", "planar3", "--processors", "2", "--drives", str(drives), "-o", str(folder)]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "no schedule is shorter" in shown and "on 1 core here" in shown
    assert "gear losses left out" in " ".join(shown.split())
    page = (folder / "design.html").read_text(encoding="utf-8")
    HTMLParser(convert_charrefs=True).feed(page)
    assert "<script" not in page and "Transmissions" in page and "Safe rate" in page
    assert "No closed form" in page
    flops = px.program(px.load("planar3", drives=drives), "motor_torques").count().flops
    assert f"{flops} flops" in page
    assert re.search(r"cc -std=c11 .*planar3_motor_torques_on2_test\.c", page)
    assert (folder / "planar3_motor_torques_on2_time").exists()


def test_a_joint_without_a_drive_is_refused_by_name(tmp_path, capsys):
    path = tmp_path / "drives.yaml"
    path.write_text(DRIVES)
    words = ["design", "planar3", "--processors", "2", "--drives", str(path), "-o", str(tmp_path)]
    assert main(words) == 2
    assert "found none for joints 'joint2', 'joint3'" in capsys.readouterr().err
    assert main(["design", "planar3", "--processors", "0", "-o", str(tmp_path)]) == 2
    assert "from 1 to 64" in capsys.readouterr().err


def test_gains_are_refused_before_anything_is_written(tmp_path, capsys):
    folder = tmp_path / "build"
    for gain, expected in (("nan", "--kp: expected finite"), ("1,2", "--kp: expected a number or")):
        words = ["design", "planar3", "--processors", "2", "--kp", gain, "-o", str(folder)]
        assert main(words) == 2
        assert expected in capsys.readouterr().err
    assert not folder.exists()


def test_transmissions_that_are_not_drawn_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(making, "c_compiler", lambda: None)
    monkeypatch.setattr(design_page, "MOST_CURVES", 1)
    gears = [px.robots.Transmission(50.0, efficiency) for efficiency in (0.5, 0.6)]
    drives = {f"joint{k + 1}": {"transmission": gears[k > 0]} for k in range(3)}
    robot = px.robots.planar(3).with_drives(drives)
    written = page(making.designed(robot, 1, 100.0, 20.0, tmp_path))
    assert "Transmissions that are not drawn: joint2, joint3." in written


def test_what_is_missing_has_a_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(making, "c_compiler", lambda: None)
    named_at_length = replace(px.load("planar3"), name=f"planar3 {'x' * 60}")
    design = making.designed(named_at_length, 3, 100.0, 20.0, tmp_path)
    assert design.function == "inverse_dynamics" and design.times == {} and design.loop is None
    assert "no C compiler" in design.why_no_times
    assert not design.kinematics and "planar3" in design.why_no_kinematics
    assert design.rate.predicted.period > 0 and len(design.operations) == 1
    assert "left out" not in rate_words(design)


def test_three_joints_have_a_closed_form_for_positions(tmp_path, monkeypatch):
    monkeypatch.setattr(making, "c_compiler", lambda: None)
    arm = px.load("puma560_thesis").subchain("link4", drop_rest=True)
    design = making.designed(arm, 1, 100.0, 20.0, tmp_path)
    assert design.kinematics == making.POSITIONS
    (path,) = tmp_path.glob("*_inverse_kinematics.c")
    assert "position[3]" in path.read_text()


def test_three_joints_without_a_closed_form_are_not_asked_for_six(tmp_path):
    elbow = px.load("puma560", tip="link3")
    _, _, reason = making._kinematics(elbow, tmp_path)
    assert "expected the origin of frame 'link3' off the axis of joint 'joint3'" in reason


def test_more_cores_than_there_are_are_not_timed(tmp_path, monkeypatch):
    needs("c")
    monkeypatch.setattr(making.threads, "available", lambda: 1)
    design = making.designed(px.robots.planar(1), 2, 100.0, 20.0, tmp_path)
    assert list(design.times) == [1]
    assert design.why_no_times == "not measured on 2 cores: this machine has 1"
    assert (tmp_path / "planar1_inverse_dynamics_on2_time.c").exists()


def test_a_transmission_is_drawn_as_it_computes():
    drive = px.robots.Transmission(50.0, 0.5, break_away=2.0, torque_limit=10.0)
    curves = {name: dict(points) for name, points in input_over_output(drive).curves.items()}
    assert curves["moving forward"][10.0] == 10 / 0.5 + 2
    assert curves["moving backward"][10.0] == 10 * 0.5 - 2
    assert curves["moving forward"][-10.0] == -10 * 0.5 + 2
    assert input_over_output(drive).x == "torque at the joint, N m"
    assert input_over_output(drive, turns=False).x == "force at the joint, N"


def test_operations_in_words_add_up(drives):
    program = px.program(px.load("planar3", drives=drives), "motor_torques")
    each = Operations.of("motor torques", program)
    total, *kinds = map(int, re.findall(r"\d+", operation_words(each))[:-1])
    assert len(kinds) > 2 and sum(kinds) == total == program.count().flops


def test_groups_beyond_the_palette_share_one_colour():
    tasks = px.TaskGraph({k: 1 for k in range(10)}, [], groups={k: f"kind {k}" for k in range(10)})
    legend = gantt(px.schedule(tasks, 2), 600).svg("wide")
    assert "kind 6" in legend and "others" in legend and ">kind 7<" not in legend


def test_the_middle_posture_has_no_entries_for_joints_that_follow():
    robot = px.robots.planar(2)
    follower = replace(robot.joints[1], coupling=px.robots.Coupling("joint1", (0.0, 2.0)))
    robot = replace(robot, joints=(robot.joints[0], follower))
    assert middle_posture(robot).shape == (1,)
    assert np.isfinite(middle_posture(robot)).all()
