"""Robots by name: those that the README shows load, or the error says what to install."""

import re
import warnings
from importlib import metadata
from pathlib import Path

import pytest
from support.robot_files import ROBOTS

import paraxis as px
from paraxis.robots import by_name
from paraxis.robots.zoo import ZOO

README = Path(__file__).resolve().parents[2] / "README.md"

pytestmark = pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning")
needs_files = pytest.mark.skipif(not ROBOTS.exists(), reason="example-robot-data is not installed")


@needs_files
@pytest.mark.parametrize("name", by_name.FILES)
def test_every_name_is_that_of_a_file(name):
    assert px.load(name).digest == px.load(ROBOTS / by_name.FILES[name]).digest


def test_the_robots_of_the_readme_have_names():
    text = README.read_text()
    parts = [text.split(f"<!-- table:{name} -->")[1] for name in ("cpu", "gpu", "simulation")]
    tables = "".join(part.split("<!-- /table")[0] for part in parts)
    rows = re.findall(r"^\| (?:[\d,]+ )?([a-z]\w*) \| +[\d,.]+", tables, re.M)
    assert {"ur5", "panda", "g1_29dof"} <= {*rows} <= {*ZOO, *by_name.FILES}


@needs_files
def test_options_go_with_a_name():
    arm = px.load("panda", tip="panda_link8")
    assert arm.n == 7 and arm.tool().name == "panda_link8"
    assert px.program(px.load("xarm7", snap=1e-4)).count().flops == 543


def test_an_unknown_name():
    with pytest.raises(px.RobotError, match="data .*'panda'.*found 'pandas'; did you mean 'panda'"):
        px.load("pandas")


def test_what_to_install(monkeypatch):
    def missing(_):
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(by_name.metadata, "distribution", missing)
    monkeypatch.setattr(by_name.sys, "prefix", "/nowhere")
    with pytest.raises(px.RobotError, match="not installed: pip install example-robot-data"):
        px.load("g1")


def test_a_package_that_is_too_old(monkeypatch, tmp_path):
    folder = tmp_path / "share" / "example-robot-data" / "robots"
    folder.mkdir(parents=True)
    monkeypatch.setattr(by_name, "_folders", lambda: [str(folder)])
    with pytest.raises(px.RobotError, match="pip install --upgrade example-robot-data"):
        px.load("g1")
    file = folder / "g1_description" / "urdf" / "g1_29dof_rev_1_0.urdf"
    file.parent.mkdir(parents=True)
    file.write_text("<robot name='g'><link name='a'/></robot>")
    with pytest.raises(px.RobotError, match="no moving joint"):
        px.load("g1")


def test_a_warning_is_given_once_and_at_the_call():
    if not ROBOTS.exists():
        pytest.skip("example-robot-data is not installed")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        px.load("solo12")
    assert len(caught) == 1 and caught[0].filename == __file__
