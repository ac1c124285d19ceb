"""Random command lines: each ends with exit code 0, 1 or 2, and none with a traceback.

Options are drawn from valid and invalid values. What takes minutes when it is right (most reports,
a full benchmark, an atlas) is only ever asked for with something wrong beside it.
"""

import contextlib
import io
import re

import pytest
from support.counting import at_most, case, report, scaled

from paraxis.cli import main as cli

ODD = (
    "", " ", "-", "--", "-1", "0", "1", "2.5", "nan", "inf", "-inf", "1e999", "9" * 5000, "1e-320",
    "1,2", ",", "1,,2", "a", "é", "\x00", "\n", "\x9b31m", "\u202ex", "\udcff", "x" * 3000, "../x",
    "/", "/dev/null", "no/such/file", "--help", "-o", "{}", "%s", "$(x)", "٣", "1_000", "0x10",
)  # fmt: skip
ROBOTS = ("planar3", "planar3", "puma560", "arm.urdf", "arm.urdf", "tasks.stg")
SMALL = ("planar3", "arm.urdf")  # enough for circuits, which take long to size
NO_ROBOTS = ("planar2", "broken.urdf", "missing.urdf", ".", "drives.yaml")
WRONG = ("--batch", "0")  # refused when it is parsed, wherever it stands

URDF = """<robot name="arm"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" velocity="2" effort="3"/></joint></robot>"""
STG = "2\n0 0 0\n1 5 1 0\n2 3 1 1\n3 0 1 2\n"

# option -> values that are right for it; None is a flag
OF_ROBOTS = {"--tip": ("b", "tip", "link2"), "--drives": ("drives.yaml", "arm.urdf")}
EXPORT = OF_ROBOTS | {
    "--frame": ("tip", "b", "link2"),
    "--name": ("f", "7dof", "int", "a b"),
    "-o": ("build", "a/b/c"),
}
OPTIONS = {
    "info": OF_ROBOTS,
    "schedule": OF_ROBOTS
    | {
        "--processors": ("1", "2", "1,2,4", "1-3", "1000000"),
        "--method": ("list", "streamlined", "heft", "optimal"),
        "--priority": ("hlf", "cp_misf", "dhlf_misf"),
        "--time-limit": ("0.2", "1"),
        "--function": ("inverse_dynamics", "mass_matrix", "jacobian"),
        "--algorithm": ("newton_euler", "spatial", "composite_body"),
        "--balanced": None,
        "--grain": ("1", "8", "100"),
        "--latency": ("0", "3", "0.5"),
        "--messages": ("0", "1"),
        "--html": ("chart.html", "-"),
        "--json": ("out.json", "-"),
    },
    "schedule --tasks streamlined": OF_ROBOTS | {"--processors": ("1", "6"), "--json": ("-",)},
    "export --language": EXPORT
    | {
        "--function": ("inverse_dynamics", "mass_matrix", "jacobian", "gravity_torques"),
        "--algorithm": ("newton_euler", "lagrange_closed_form"),
        "--coordinates": ("world", "body"),
        "--parameters": ("mass", "gravity,mass", "external_force", "mass,mass"),
        "--dtype": ("float64", "float32"),
        "--cpu": ("x86-64-v3",),
        "--word": ("16",),
    },
    "export --language verilog": EXPORT
    | {
        "--function": ("inverse_dynamics", "inverse_kinematics"),
        "--architecture": ("pipelined", "iterative"),
        "--word": ("8", "12", "4", "1000"),
        "--iterations": ("8", "0"),
        "--arm": ("1", "-1"),
        "--near": ("0.01", "-1"),
        "--velocity": ("1", "1,2"),
    },
    "safe-rate": OF_ROBOTS
    | {
        "--kp": ("100", "100,50,30", "-1"),
        "--kd": ("20", "20,10,9"),
        "--policy": ("exact", "hamilton", "hybrid", "pipelined"),
        "--posture": ("0,0,0", "0.1,0.2,0.3", "-1,1,0", "0"),
        "--postures": ("2", "0"),
        "--delay": ("0", "0.5", "1", "2"),
        "--missed": ("0", "1", "-1"),
        "--payload": ("0", "1", "-1"),
    },
    "atlas": OF_ROBOTS | {"-o": ("a.html",), "--kp": ("100",), "--policies": ("exact", "a,b")},
    "bench": OF_ROBOTS
    | {"--dtype": ("float64",), "--threads": ("1", "2"), "--json": ("bench.json",)},
    "report": {"--json": ("r.json", "-"), "--html": ("r.html",), "--markdown": ("r.md", "-")},
    "demo": {"-o": ("demo.html",), "--robot": ("planar3",), "--quick": None},
}
NEEDED = {
    "export --language": ("-o",),
    "export --language verilog": ("-o", "--word"),
    "safe-rate": ("--kp", "--kd", "--policy"),
    "atlas": ("-o",),
}
LONG = ("bench", "atlas", "report", "demo")  # never asked for without something wrong


def random_command(rng):
    """Words of a command line; about half of them are right."""
    names = [name for name in OPTIONS if name not in LONG]
    command = rng.choice(names) if rng.random() < 0.9 else rng.choice(LONG)
    words, options = command.split(), OPTIONS[command]
    if command == "export --language":
        words.append(rng.choice(("c", "cuda", "fortran", "python", "javascript")))
    if command not in ("report", "demo"):
        wrong = rng.choice(NO_ROBOTS) if rng.random() < 0.5 else rng.choice(ODD)
        right = rng.choice(SMALL if "verilog" in words else ROBOTS)
        words.append(right if rng.random() < 0.9 else wrong)
    chosen = {*NEEDED.get(command, ()), *(name for name in options if rng.random() < 0.12)}
    for name in sorted(chosen):
        values = options[name]
        if values is None:
            words.append(name)
            continue
        value = rng.choice(values) if rng.random() < 0.93 else rng.choice(ODD)
        words += [f"{name}={value}"] if rng.random() < 0.1 else [name, value]
    if command in LONG:
        words += WRONG if command == "bench" else ["--no-such-option"]
    if rng.random() < 0.07:  # and something else goes wrong
        k = rng.randrange(len(words))
        match rng.randrange(4):
            case 0:
                del words[k]
            case 1:
                words.insert(k, rng.choice(ODD))
            case 2:
                words[k] = rng.choice(ODD)
            case _:
                rng.shuffle(words)
    return words


def is_long(words):
    """What would run for minutes: it has lost what was wrong with it."""
    right = "--no-such-option" not in words and not all(word in words for word in WRONG)
    return right and any(word in LONG for word in words)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where commands find their files and leave what they write."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "broken.urdf").write_text(URDF.replace('child link="b"', 'child link="c"'))
    (tmp_path / "tasks.stg").write_text(STG)
    (tmp_path / "drives.yaml").write_text("joints: {j: {friction: {viscous: 0.1}}}\n")
    return tmp_path


@pytest.mark.parametrize("part", range(4))
def test_commands(part, folder, record_property):
    codes = []
    for k in range(scaled(300)):
        with case("commands", part, k) as rng:
            words = random_command(rng)
            if is_long(words):
                continue
            out, err = io.StringIO(), io.StringIO()
            printing = contextlib.redirect_stdout(out), contextlib.redirect_stderr(err)
            with at_most(seconds=600), printing[0], printing[1]:
                code = cli.main(words)
            assert code in (0, 1, 2), words
            said = err.getvalue()
            assert "Traceback" not in said, words
            if code == 2:
                *_, last = said.splitlines() or [""]
                assert last.startswith("paraxis: ") and len(last) < 2100, (words, said[-300:])
            escapes = re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", said)
            assert escapes is None, (words, said[-300:])
            codes.append(code)
    assert {0, 2} <= {*codes}
    report(record_property, len(codes), "command lines")
