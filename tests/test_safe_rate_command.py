"""`paraxis safe-rate`: what it prints is what `px.safe_period` finds; errors are one line."""

import numpy as np
import pytest

import paraxis as px
from paraxis import cli
from paraxis.report.safe_rates import middle_posture
from paraxis.report.text import duration

GAINS = ("--kp", "100", "--kd", "20")


def run(capsys, *argv):
    code = cli.main(["safe-rate", *map(str, argv)])
    done = capsys.readouterr()
    return code, done.out, done.err


def line_of(out, policy):
    return next(line for line in out.splitlines() if line.split()[:1] == [policy])


def test_a_table_of_all_policies(capsys):
    code, out, _ = run(capsys, "planar3", *GAINS)
    assert code == 0
    arm = px.planar(3)
    for policy in px.policies():
        found = px.safe_period(arm, px.computed_torque(arm, 100.0, 20.0, policy), np.zeros(3))
        assert duration(found.period) in line_of(out, policy)
        assert f"{px.speculate(arm, policy).depth().flops} flops" in line_of(out, policy)


def test_one_policy_under_conditions(capsys):
    conditions = ("--policy", "hamilton", "--posture", "0.3,0.4,0.5", "--payload", 0.5)
    code, out, _ = run(capsys, "planar3", *GAINS, *conditions, "--delay", 0.5, "--check")
    arm = px.planar(3)
    law = px.computed_torque(arm, 100.0, 20.0, "hamilton")
    found = px.safe_period(arm.with_payload(0.5), law, (0.3, 0.4, 0.5), delay_share=0.5)
    cells = line_of(out, "hamilton").split()
    assert code == 0 and f"{cells[1]} {cells[2]}" == duration(found.period)
    assert "0.5 kg" in out and "a delay of 0.5" in out
    assert cells[6] == cells[2]  # simulated, in the same unit
    assert float(cells[5]) == pytest.approx(float(cells[1]), rel=0.05)


def test_missed_steps_show_both_bounds(capsys):
    code, out, _ = run(capsys, "planar3", *GAINS, "--policy", "exact", "--missed", 1)
    assert code == 0 and "unstable from" in out and "joint spectral radius" in out


def test_no_safe_rate_is_said(capsys):
    code, out, _ = run(capsys, "planar3", "--kp", -1, "--kd", 20, "--policy", "exact")
    assert code == 0 and "none found" in line_of(out, "exact")


def test_the_posture_is_the_middle_of_the_ranges():
    robot = px.load("ur5")
    limits = [(joint.lower + joint.upper) / 2 for joint in robot.joints]
    np.testing.assert_allclose(middle_posture(robot), limits)
    assert not middle_posture(px.planar(3)).any()  # these go round and round


@pytest.mark.parametrize(
    "argv, words",
    [
        (("planar3", "--kp", 1), "--kd"),
        (("planar3", *GAINS, "--policy", "nobody"), "found 'nobody'"),
        (("planar3", *GAINS, "--posture", "1,2"), "a posture of 3 numbers"),
        (("planar3", *GAINS, "--delay", 1), "delay_share: expected a share"),
        (("planar3", *GAINS, "--missed", -1), "missed_in_a_row: expected"),
        (("planar3", *GAINS, "--missed", 1, "--check"), "--check: makes no sense with --missed"),
        (("planar3", "--kp", "1,2", "--kd", 1), "kp: expected"),
        (("nothing.urdf", *GAINS), "nothing.urdf"),
    ],
)
def test_errors_are_one_line(capsys, argv, words):
    code, out, err = run(capsys, *argv)
    assert code == 2 and not out and words in err and err.count("\n") == 1
