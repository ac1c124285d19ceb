"""Warnings and errors in the words of the command line, which has options, not arguments."""

import re
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

import paraxis as px
from paraxis import compiling
from paraxis.cli import main as cli
from paraxis.cli import notices
from paraxis.errors import warn

SOURCE = Path(px.__file__).parent
LINK = (
    '<link name="{name}"><inertial><origin xyz="0.1 0 0"/><mass value="{mass}"/>'
    '<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/>'
    "</inertial></link>"
)
JOINT = (
    '<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
    '<origin xyz="0.1 0 0"/><axis xyz="0 1 0"/><dynamics friction="{friction}"/>'
    '<limit lower="-0.2" upper="0.2" effort="10" velocity="10"/></joint>'
)


def walker(folder, friction=0.0):
    """A trunk with two limbs."""
    path, parts = folder / "walker.urdf", [LINK.format(name="trunk", mass=5.0, inertia=0.1)]
    for side in ("left", "right"):
        parts.append(LINK.format(name=f"{side} foot", mass=1.0, inertia=1e-3))
        limb = {"name": side, "parent": "trunk", "child": f"{side} foot", "friction": friction}
        parts.append(JOINT.format(**limb))
    path.write_text(f'<robot name="walker">{"".join(parts)}</robot>')
    return path


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path_factory):
    """Leave the user's cache alone."""
    monkeypatch.setenv("PARAXIS_CACHE", str(tmp_path_factory.mktemp("cache")))


def stderr(capsys, *argv, code=0):
    """What a command prints there."""
    assert cli.main([str(word) for word in argv]) == code
    return capsys.readouterr().err


def test_a_warning_about_a_robot_names_the_option(capsys, tmp_path):
    err = stderr(capsys, "info", walker(tmp_path))
    assert err.startswith("paraxis: warning: robot 'walker': the root link 'trunk' is fixed")
    assert err.endswith("for a base that moves, give --floating-base\n")
    assert stderr(capsys, "info", walker(tmp_path), "--floating-base") == ""


def test_an_error_about_a_robot_names_the_option(capsys, tmp_path):
    path = tmp_path / "brick.urdf"
    path.write_text(f'<robot name="brick">{LINK.format(name="brick", mass=1, inertia=1)}</robot>')
    err = stderr(capsys, "info", path, code=2)
    assert err.endswith(
        "robot 'brick' has no moving joint; give --floating-base if it moves as a whole\n"
    )
    assert stderr(capsys, "info", path, "--floating-base") == ""


def test_a_fall_needs_no_advice_about_friction(capsys, tmp_path):
    """That is too stiff for Runge-Kutta, which no option changes."""
    path, page = walker(tmp_path, friction=5.0), tmp_path / "fall.html"
    assert stderr(capsys, "show", path, "--floating-base", "--fall", "0.5", "-o", page) == ""
    robot = px.load(path, floating_base=True)
    with pytest.warns(px.SimulationWarning, match="too stiff for dt 0.001"):
        px.simulate(robot, px.neutral(robot), np.zeros(robot.nv), dt=1e-3, steps=10)


def test_a_fall_needs_no_notice_of_limits(capsys, tmp_path):
    """They can be seen to act. The library mentions them, once per robot."""
    path, page = walker(tmp_path), tmp_path / "fall.html"
    err = stderr(capsys, "show", path, "--fall", "0.5", "-o", page)
    assert err.count("\n") == 1 and "--floating-base" in err
    with pytest.warns(px.SimulationWarning, match="limits of its description acted"):
        px.simulate(px.load(path), [0.0, 0.0], [0.0, 0.0], dt=1e-3, steps=500)


def test_warnings_of_others_stay_as_they_are(capsys):
    with pytest.warns(UserWarning) as others, notices.notices():
        warn("failed at step 3 (run.failed_at); and more", px.SimulationWarning)
        warnings.warn("of another library", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "paraxis: warning: failed at step 3; and more\n"
    assert [str(each.message) for each in others] == ["of another library"]


def waited(caplog):
    """The notice that somebody who waits for a compiler gets."""
    caplog.clear()
    with compiling.compiling("tracing"):
        compiling._thread.call._timer.join()
    return caplog.messages


def test_people_who_wait_for_a_command_read_nothing_of_logging(monkeypatch, caplog):
    monkeypatch.setattr(compiling, "NOTICES", (0.0, 9.0))
    monkeypatch.setattr(compiling, "_explained", threading.Event())
    with notices.notices():
        assert waited(caplog) == ["paraxis: tracing a Program (0 s so far)"]
    compiling._explained.clear()
    assert waited(caplog) == [f"paraxis: tracing a Program (0 s so far); {compiling.SWITCH}"]


def test_every_word_that_is_replaced_is_one_that_the_library_says():
    files = [path for path in SOURCE.rglob("*.py") if path.name != "notices.py"]
    text = "".join(path.read_text("utf-8") for path in files)
    for words in notices.WORDS:
        assert words.strip() in text
    options = set(re.findall(r"--[a-z-]+", " ".join(notices.WORDS.values())))
    declared = (SOURCE / "cli/arguments.py").read_text("utf-8")
    assert options and all(f'"{option}"' in declared for option in options)
