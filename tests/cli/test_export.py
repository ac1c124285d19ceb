"""`paraxis export`: what it writes builds and passes its own test."""

import os
import re
import shutil
import sys
from dataclasses import replace

import numpy as np
import pytest
from support.exported import ENDINGS, FLAGS, HOSTILE, needs, robot_of, shell

import paraxis as px
from paraxis import api
from paraxis.cli import main as cli
from paraxis.cli.export import LANGUAGES, export
from paraxis.targets.source import compiler
from paraxis.targets.source.files import IN_FLOAT64


def run(capsys, *words):
    code = cli.main(["export", *map(str, words)])
    done = capsys.readouterr()
    return code, done.out, done.err


def build_and_test(out):
    """Run the commands that were printed; the last way to build, which needs no GPU."""
    lines = [(line[:5].strip(), line[7:]) for line in out.splitlines()]
    build = [command for kind, command in lines if kind in ("build", "or")]
    (test,) = [command for kind, command in lines if kind == "test"]
    return shell(*build[-1:], test)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_export_and_the_commands_it_prints(language, dtype, tmp_path, capsys):
    needs(language)
    folder = tmp_path / "a folder; not made yet"
    words = ("ur5", "--language", language, "--dtype", dtype, "-o", folder)
    if language in IN_FLOAT64 and dtype == "float32":
        code, _, err = run(capsys, *words)
        assert code == 2 and f"expected 'float64' for {IN_FLOAT64[language]}" in err
        return
    code, out, err = run(capsys, *words)
    assert code == 0 and err == ""
    written = {line.split("/")[-1] for line in out.splitlines() if line.startswith("wrote")}
    assert written == {path.name for path in folder.iterdir()}
    said = build_and_test(out)
    found = re.fullmatch(
        r"ur5_inverse_dynamics: error +(\S+) over 9 states, at most (\S+) wanted\n", said
    )
    assert float(found[1]) < float(found[2]) == {"float64": 1e-9, "float32": 1e-4}[dtype]


@pytest.mark.parametrize("language", ["c", "library"])
def test_any_program_can_be_exported(language, tmp_path):
    needs(language)
    cost = px.trace(lambda q, k: {"cost": k * px.math.cos(q[0]) * q[1] ** 2}, q=2, k=())
    done = cost.gradient("cost", "q").export(str(tmp_path), language, name="slope")
    assert float(re.search("error +([^ ]+)", shell(*done.build[-1:], done.test))[1]) < 1e-9


def test_parameters_and_coordinates_from_the_command_line(capsys, tmp_path):
    needs("c")
    words = ["--function", "jacobian", "--coordinates", "body", "--parameters", "origin"]
    assert cli.main(["export", "ur5", *words, "--language", "c", "-o", str(tmp_path)]) == 0
    assert "origin[6][3]" in (tmp_path / "ur5_jacobian.h").read_text()
    build_and_test(capsys.readouterr().out)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_self_test_can_fail(language, tmp_path):
    needs(language)
    robot, way = px.load("ur5"), "newton_euler"  # as described: gravity stands in the source
    done = export(robot, "inverse_dynamics", language, str(tmp_path), algorithm=way, name="f")
    if language == "library":  # there it is what the test expects that can be changed
        broken, right, wrong = tmp_path / "f_test.c", "test_expected = {\n    {", "1e3 * "
        wrong = right + wrong
    elif language == "wasm":
        broken, right = tmp_path / "f_test.mjs", '"tau": {"values": ['
        wrong = f"{right}1e3 * "
    else:
        broken = tmp_path / f"f.{ENDINGS[language]}"
        right, wrong = "9.81", "9.80"
    text = broken.read_text()
    assert right in text
    broken.write_text(text.replace(right, wrong))
    with pytest.raises(AssertionError, match="error +[1-9]"):
        shell(*done.build[-1:], done.test)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_self_test_sees_small_entries(language, tmp_path):
    """A finger on an arm: 8 % more inertia there are 1e-7 of the arm's, and nothing beside 1."""
    needs(language)
    arm = px.robots.planar(1)
    finger = px.robots.Inertia(1e-3, (1e-2, 0, 0), (3e-8, 3e-8, 3e-8, 0, 0, 0))
    joint = px.robots.Joint("finger", "revolute", 0, px.robots.Pose(translation=(1.0, 0, 0)))
    robot = px.Robot("hand", [*arm.joints, joint], [*arm.inertias, finger])
    right, heavy = (
        px.program(replace(robot, inertias=[*arm.inertias, body]), "mass_matrix")
        for body in (finger, replace(finger, about_com=(3e-8, 3e-8, 4e-8, 0, 0, 0)))
    )
    dtype = "float64" if language in IN_FLOAT64 else "float32"
    done = right.export(str(tmp_path / "right"), language, dtype=dtype, name="f")
    shell(*done.build[-1:], done.test)
    done = heavy.export(str(tmp_path / "heavy"), language, dtype=dtype, name="f")
    (test,) = (tmp_path / "right").glob("f_test.*")
    shutil.copy(test, tmp_path / "heavy" / test.name)
    with pytest.raises(AssertionError, match="error +[1-9]"):
        shell(*done.build[-1:], done.test)


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_names_reach_no_source(language, tmp_path):
    """Of robots and joints, in every comment and file name; warnings are errors."""
    needs(language)
    names = [name for name in HOSTILE if name]
    joints = [px.robots.Joint(name, "revolute", k - 1) for k, name in enumerate(names)]
    bodies = [px.robots.Inertia.of(1.0, (0.1, 0.2, 0.3), (0.1, 0.1, 0.1)) for _ in joints]
    strict = FLAGS.get(language, "-Wall -Wextra -Werror").replace("-x c++", "")
    for k, name in enumerate(HOSTILE if language == "c" else HOSTILE[:1]):
        robot, folder = px.Robot(name, joints, bodies), tmp_path / str(k)
        done = export(robot, "inverse_dynamics", language, str(folder))
        for path in folder.iterdir():
            assert re.fullmatch(r"(lib)?[A-Za-z][A-Za-z0-9_]*(\.d)?\.[a-z0-9]+", path.name)
            if path.suffix not in (".o", ".so", ".wasm"):
                assert path.read_bytes().isascii()
        shell(*(f"{command} {strict} -O0" for command in done.build[-1:]), done.test)


@pytest.mark.long
def test_every_function_and_algorithm_can_be_exported(tmp_path):
    needs("c")
    robot = px.load("stanford")
    for function in api.FUNCTIONS:
        done = export(robot, function, "c", str(tmp_path), name=function)
        shell(done.build[0].replace("-O2", "-O0"), done.test)
    for algorithm in px.algorithms("inverse_dynamics"):
        done = export(
            px.robots.planar(2), "inverse_dynamics", "python", str(tmp_path), algorithm=algorithm
        )
        assert algorithm in (tmp_path / "planar2_inverse_dynamics.py").read_text()
        shell(done.test)


def test_tip_and_name(tmp_path, capsys):
    words = ("ur5", "--tip", "forearm_link", "--name", "arm", "--language", "python")
    code, out, _ = run(capsys, *words, "-o", tmp_path)
    assert code == 0 and (tmp_path / "arm_test.py").exists()
    assert "arm: (q[3], qd[3], qdd[3]) -> (tau[3])" in (tmp_path / "arm.py").read_text()
    build_and_test(out)


def test_a_function_about_a_frame(tmp_path, capsys):
    words = ("ur5", "--function", "forward_kinematics", "--language", "python", "-o", tmp_path)
    code, out, _ = run(capsys, *words, "--frame", "forearm_link")
    assert code == 0
    space = {}
    exec((tmp_path / "ur5_forward_kinematics.py").read_text(), space)
    q = [0.1, -0.2, 0.3, 0.4, 0.5, 0.6]
    expected = px.forward_kinematics(robot_of("ur5"), q, frame="forearm_link")
    np.testing.assert_allclose(space["ur5_forward_kinematics"](q), expected, atol=1e-14)
    assert "its frame forearm_link" in build_and_test(out) + space["__doc__"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--language", "rust", "-o", "x"), "rust"),
        (("--language", "c"), "-o"),
        (("--language", "c", "-o", "x", "--name", "a b"), "name: expected"),
        (("--language", "c", "-o", "x", "--function", "magic"), "magic"),
        (("--language", "c", "-o", "x", "--algorithm", "magic"), "magic"),
        (("--language", "c", "-o", "x", "--frame", "link1"), "frame"),
        (("--language", "c", "-o", "x", "--cpu", "x86-64-v3"), "only for language 'library'"),
        (("--language", "library", "-o", "x", "--cpu", "z80"), "z80"),
        (("--language", "c", "-o", "x", "--target", "cortex-m7"), "only for language 'library'"),
        (("--language", "library", "-o", "x", "--target", "cortex-m3"), "'cortex-m4'"),
        (
            ("--language", "library", "-o", "x", "--target", "cortex-m7", "--cpu", "x86-64-v3"),
            "no levels",
        ),
        (("--language", "c", "-o", os.devnull), "cannot be written"),
        (("--language", "c", "-o", "a\0b"), "cannot be written"),
        (("--language", "c", "-o", __file__), "is a file, not a folder"),
    ],
)
def test_mistakes_are_one_line(words, problem, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "planar3", *words)
    assert code == 2 and out == ""
    assert err.startswith("paraxis: ") and problem in err and err.count("\n") == 1


def test_without_a_compiler_the_object_is_left_and_the_command_said(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(compiler.shutil, "which", lambda name: None)
    code, _, err = run(capsys, "planar3", "--language", "library", "-o", tmp_path)
    assert code == 2 and "no C compiler" in err and "cc -shared -o" in err
    assert (tmp_path / "planar3_inverse_dynamics.o").stat().st_size > 1000


def test_a_compiler_that_fails_is_quoted(tmp_path, capsys, monkeypatch):
    broken = f"{sys.executable} -c 1/0"
    for words, problem in (("/nowhere/cc", "cannot be run"), (broken, "ZeroDivision")):
        monkeypatch.setenv("CC", words)
        code, _, err = run(capsys, "planar3", "--language", "library", "-o", tmp_path)
        assert code == 2 and problem in err


def test_nvcc_takes_the_text(tmp_path):
    if shutil.which("nvcc") is None:
        pytest.skip("there is no nvcc here")
    done = export(px.load("puma560"), "inverse_dynamics", "cuda", str(tmp_path))
    shell(done.build[0].replace("nvcc ", "nvcc -Werror all-warnings ", 1))
