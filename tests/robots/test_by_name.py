"""Robots by name: those of the benchmarks load, or the error says what to install."""

import re
import sys
import warnings
from importlib import metadata
from pathlib import Path

import pytest
from support.robot_files import ROBOTS

import paraxis as px
from paraxis.robots import by_name
from paraxis.robots.zoo import ZOO

BENCHMARKS = Path(__file__).resolve().parents[2] / "docs" / "benchmarks"

pytestmark = pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning")
needs_files = pytest.mark.skipif(not ROBOTS.exists(), reason="example-robot-data is not installed")


@needs_files
@pytest.mark.parametrize("name", by_name.FILES)
def test_every_name_is_that_of_a_file(name):
    assert px.load(name).digest == px.load(ROBOTS / by_name.FILES[name]).digest


def test_the_robots_of_the_benchmarks_have_names():
    names = ("cpu", "gpu", "simulation")
    texts = [(BENCHMARKS / f"{name}.md").read_text() for name in names]
    parts = [x.split(f"<!-- table:{n} -->")[1] for n, x in zip(names, texts, strict=True)]
    tables = "".join(part.split("<!-- /table")[0] for part in parts)
    rows = re.findall(r"^\| (?:[\d,]+ )?([a-z]\w*) \| +[\d,.]+", tables, re.M)
    assert {"ur5", "panda", "g1_29dof"} <= {*rows} <= {*ZOO, *by_name.FILES}


@needs_files
def test_options_go_with_a_name():
    arm = px.load("panda", tip="panda_link8")
    assert arm.n == 7 and arm.tool().name == "panda_link8"
    assert px.program(px.load("xarm7", snap=1e-4)).count().flops == 543


def test_an_unknown_name():
    with pytest.raises(px.RobotError, match="found 'pandas'; did you mean 'panda'"):
        px.load("pandas")


def test_what_to_install(monkeypatch):
    def missing(_):
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(by_name.metadata, "distribution", missing)
    monkeypatch.setattr(by_name.sys, "prefix", "/nowhere")
    with pytest.raises(px.RobotError, match="not installed: pip install example-robot-data"):
        px.load("g1")


@pytest.fixture
def descriptions(tmp_path, monkeypatch):
    """A package robot_descriptions with one robot, whose import fails as without a network."""
    package = tmp_path / "robot_descriptions"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "_repositories.py").write_text(
        "from types import SimpleNamespace\n"
        "REPOSITORIES = {'toys': SimpleNamespace(cache_path='toys')}\n"
    )
    (package / "_cache.py").write_text(
        "import os\n"
        "def clone_to_cache(name, commit=None):\n"
        "    folder = os.path.join(os.environ['ROBOT_DESCRIPTIONS_CACHE'], name)\n"
        "    if not os.path.isdir(folder):\n"
        "        raise AssertionError('this would download')\n"
        "    return folder\n"
    )
    (package / "toy_description.py").write_text(
        "from ._cache import clone_to_cache\n"
        "URDF_PATH = clone_to_cache(\n    'toys',\n) + '/toy.urdf'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ROBOT_DESCRIPTION_COMMIT", raising=False)
    before = [name for name in sys.modules if name.partition(".")[0] == "robot_descriptions"]
    for name in before:
        monkeypatch.delitem(sys.modules, name)
    yield tmp_path / "cache"
    for name in [name for name in sys.modules if name.partition(".")[0] == "robot_descriptions"]:
        del sys.modules[name]


def test_a_module_of_robot_descriptions_by_name(descriptions):
    with pytest.raises(px.RobotError, match="not in the cache .* import toy_description; px.load"):
        px.load("toy_description")
    (descriptions / "toys").mkdir(parents=True)
    urdf = px.load("planar3").to_urdf(descriptions / "toys" / "toy.urdf")
    assert px.load("toy_description") == px.load(urdf)
    with pytest.raises(px.RobotError, match="no such module; did you mean 'toy_description'"):
        px.load("tay_description")


def test_a_module_that_cannot_be_imported(descriptions):
    (descriptions / "toys").mkdir(parents=True)
    module = descriptions.parent / "robot_descriptions" / "toy_description.py"
    module.write_text(module.read_text() + "raise OSError('no git')")
    with pytest.raises(px.RobotError, match="cannot import it: OSError: no git"):
        px.load("toy_description")


def test_robot_descriptions_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    with pytest.raises(px.RobotError, match="not installed: pip install robot_descriptions"):
        px.load("panda_description")


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
