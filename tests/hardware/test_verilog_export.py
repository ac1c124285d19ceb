"""`paraxis export --language verilog`: what is written, what is refused."""

import pytest

import paraxis as px
from paraxis.cli import main as cli


def run(capsys, *words):
    """(exit code, stdout, stderr) of the command."""
    code = cli.main(["export", *map(str, words)])
    done = capsys.readouterr()
    return code, done.out, done.err


def test_verilog_of_torques(capsys, tmp_path):
    pytest.importorskip("amaranth")
    folder = tmp_path / "build"
    words = ("planar3", "--language", "verilog", "--word", 12, "--velocity", "1,2,3", "-o", folder)
    code, out, err = run(capsys, *words, "--name", "torques")
    assert (code, err) == (0, "")
    assert "torques.v" in out and "iverilog" in out
    assert "module torques(" in (folder / "torques.v").read_text()
    notes = (folder / "torques_README.txt").read_text()
    assert "planar3" in notes and "N m" in notes


def test_another_solution_has_another_name():
    circuit = px.hardware.inverse_kinematics_circuit(px.load("puma560"), arm=-1, wrist=-1)
    assert circuit.name == "puma560_inverse_kinematics_other_arm_other_wrist"
    assert "arm -1, elbow 1 and wrist -1" in " ".join(circuit.notes)


@pytest.mark.parametrize(
    "words, said",
    [
        (("ur5", "--function", "inverse_kinematics"), "no closed-form inverse kinematics"),
        (("puma560", "--function", "mass_matrix"), "'inverse_kinematics', 'inverse_dynamics'"),
        (("puma560", "--function", "inverse_kinematics", "--word", 10), "word: expected at least"),
        (("puma560", "--function", "inverse_kinematics", "--velocity", 3), "velocity"),
        (("planar3", "--arm", -1), "--arm is not an option of inverse_dynamics"),
        (("planar3", "--dtype", "float32"), "--dtype cannot be used with --language verilog"),
        (("planar3", "--parameters", "mass"), "--parameters cannot be used"),
        (("planar3", "--velocity", -1), "velocity"),
    ],
)
def test_what_makes_no_sense_in_verilog(capsys, tmp_path, words, said):
    code, out, err = run(capsys, *words, "--language", "verilog", "-o", tmp_path / "build")
    assert (code, out) == (2, "")
    assert said in err and len(err.splitlines()) == 1
    assert not (tmp_path / "build").exists()


def test_words_are_of_verilog_alone(capsys, tmp_path):
    code, _, err = run(capsys, "planar3", "--language", "c", "--word", 24, "-o", tmp_path)
    assert code == 2 and "--word cannot be used with --language c" in err
