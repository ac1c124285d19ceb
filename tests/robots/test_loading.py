"""Sources of robots besides files: text, modules, objects of other packages, xacro."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from support.urdf_text import inertial, joint, link, robot

import paraxis as px

TEXT = robot(link("a", inertial("3")), link("b", inertial("5")), joint("j", "a", "b"))
XACRO = TEXT.replace('name="r"', 'name="r" xmlns:xacro="http://ros.org/wiki/xacro"').replace(
    "<link", '<xacro:property name="m" value="${2 + 3}"/><link', 1
)


def description(**names):
    """A module, as those of robot_descriptions are."""
    module = ModuleType("arm_description")
    vars(module).update(names)
    return module


def test_text():
    same = px.load(TEXT)
    assert same.joint_names == ["j"]
    for text in ("\n  " + TEXT, "\ufeff" + TEXT):
        assert px.load(text) == same
    assert px.load('<?xml version="1.0"?><!-- <mujoco> -->' + TEXT) == same
    assert px.load(TEXT, tip="b", floating_base=True).joint_names == ["floating_base", "j"]
    for text in ("<", "<>", "< robot", "<!--", "<?xml"):
        with pytest.raises(px.RobotError, match="^XML: invalid at line 1"):
            px.load(text)


def test_a_module_that_names_a_file(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(TEXT)
    assert px.load(description(URDF_PATH=str(path))) == px.load(TEXT)
    assert px.load(description(MJCF_PATH=path)) == px.load(TEXT)  # whatever it calls the file
    with pytest.raises(px.RobotError, match="module 'arm_description': expected .* URDF_PATH"):
        px.load(description(PACKAGE_PATH=str(tmp_path)))
    with pytest.raises(px.RobotError, match="module 'paraxis.math': expected"):
        px.load(px.math)


def test_a_robot_of_yourdfpy():
    class URDF:
        """As much of yourdfpy.URDF as is used."""

        robot = SimpleNamespace(joints=[SimpleNamespace(name="j", mimic=None)])

        def write_xml_string(self):
            return TEXT.encode()

    URDF.__module__ = "yourdfpy.urdf"
    assert px.load(URDF()) == px.load(TEXT)
    assert px.load(URDF(), floating_base=True).nv == 7


def test_mimic_joints_of_yourdfpy():
    """Which it knows, and does not write."""
    links = [link(f"l{k}", inertial("1")) for k in range(3)]
    sliding = [joint(f"j{k}", "base", f"l{k}", "prismatic") for k in range(3)]
    given = {"j0": None, "j1": ("j0", -2.0, 0.5), "j2": ("j0", None, None)}

    def mimic(leader, multiplier, offset):
        return SimpleNamespace(joint=leader, multiplier=multiplier, offset=offset)

    class URDF:
        robot = SimpleNamespace(
            joints=[
                SimpleNamespace(name=name, mimic=numbers and mimic(*numbers))
                for name, numbers in given.items()
            ]
        )
        write_xml_string = staticmethod(lambda: robot(link("base"), *links, *sliding).encode())

    URDF.__module__ = "yourdfpy.urdf"
    read = px.load(URDF())
    assert read.nq == 1
    found = [each.coupling.coefficients for each in read.joints[1:]]
    assert found == [(0.5, -2.0), (0.0, 1.0)]


def test_a_real_robot_of_yourdfpy(tmp_path):
    yourdfpy = pytest.importorskip("yourdfpy")
    path = tmp_path / "arm.urdf"
    path.write_text(TEXT)
    assert px.load(yourdfpy.URDF.load(str(path))) == px.load(TEXT)


def test_xacro(tmp_path, monkeypatch):
    path = tmp_path / "arm.xacro"
    path.write_text(XACRO)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "xacrodoc", None)
        with pytest.raises(px.MissingPackageError, match="pip install xacrodoc; or expand it"):
            px.load(path)

    class XacroDoc:
        """As much of xacrodoc.XacroDoc as is used."""

        def __init__(self, path, subargs):
            self.text = Path(path).read_text().format(**subargs or {})

        @classmethod
        def from_file(cls, path, subargs=None, resolve_packages=True):
            assert not resolve_packages  # it would fail where a package is not found
            return cls(path, subargs)

        to_urdf_string = property(lambda self: lambda: self.text)

    package = ModuleType("xacrodoc")
    package.XacroDoc = XacroDoc
    monkeypatch.setitem(sys.modules, "xacrodoc", package)
    path.write_text(TEXT.replace('"5"', '"{mass}"'))
    found = px.load(description(XACRO_PATH=str(path), XACRO_ARGS={"mass": "5"}))
    assert found == px.load(TEXT)
    with pytest.raises(px.RobotError, match="arm.xacro': xacro cannot expand it: KeyError: 'mass'"):
        px.load(path)
    with pytest.raises(px.RobotError, match="none.xacro': no such file; expected a xacro file"):
        px.load(tmp_path / "none.xacro")


def test_real_xacro(tmp_path):
    pytest.importorskip("xacrodoc")
    path = tmp_path / "arm.xacro"
    path.write_text(XACRO.replace('"5"', '"${m}"'))
    assert px.load(path).inertias[0].mass == 5


def test_built_in_robots_float():
    with pytest.warns(px.RobotWarning, match="root link, free to move, has no mass"):
        robot = px.load("planar3", floating_base=True)
    assert robot.joint_names[0] == "floating_base" and robot.nv == 9
