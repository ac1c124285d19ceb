"""`paraxis safe-rate` prints what `px.control.safe_period` finds; errors are one line."""

import numpy as np
import pytest

import paraxis as px
from paraxis.cli import main as cli
from paraxis.cli.rates import middle_posture, random_postures
from paraxis.cli.rates_text import _hertz
from paraxis.cli.short_numbers import duration

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
    arm = px.robots.planar(3)
    for policy in px.control.policies():
        found = px.control.safe_period(
            arm, px.control.computed_torque(arm, 100.0, 20.0, policy), np.zeros(3)
        )
        assert duration(found.period) in line_of(out, policy)
        assert f"{px.control.speculate(arm, policy).depth().flops} flops" in line_of(out, policy)


def test_one_policy_under_conditions(capsys):
    conditions = ("--policy", "hamilton", "--posture", "0.3,0.4,0.5", "--payload", 0.5)
    code, out, _ = run(capsys, "planar3", *GAINS, *conditions, "--delay", 0.5, "--check")
    arm = px.robots.planar(3)
    law = px.control.computed_torque(arm, 100.0, 20.0, "hamilton")
    found = px.control.safe_period(arm.with_payload(0.5), law, (0.3, 0.4, 0.5), delay_share=0.5)
    cells = line_of(out, "hamilton").split()
    assert code == 0 and f"{cells[1]} {cells[2]}" == duration(found.period)
    assert "0.5 kg" in out and "a delay of 0.5" in out
    assert cells[6] == cells[2]  # simulated, in the same unit
    assert float(cells[5]) == pytest.approx(float(cells[1]), rel=0.05)


def test_one_sample_of_delay_is_what_most_controllers_have(capsys):
    _, late, _ = run(capsys, "planar3", *GAINS, "--policy", "exact", "--delay", 1)
    _, piped, _ = run(capsys, "planar3", *GAINS, "--policy", "pipelined")
    assert line_of(late, "exact").split()[1:5] == line_of(piped, "pipelined").split()[1:5]


def test_a_frame_holds_the_payload(capsys):
    conditions = ("--policy", "exact", "--payload", 2)
    arm = px.load("planar3")
    found = {}
    for frame in (arm.frames[1].name, arm.tool().name):
        code, out, _ = run(capsys, "planar3", *GAINS, *conditions, "--frame", frame)
        assert code == 0
        plant = arm.with_payload(2.0, frame=frame)
        law = px.control.computed_torque(arm, 100.0, 20.0)
        period = px.control.safe_period(plant, law, np.zeros(3)).period
        assert duration(period) in line_of(out, "exact")
        found[frame] = period
    assert len({*found.values()}) == 2


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
    assert not middle_posture(px.robots.planar(3)).any()  # these go round and round


@pytest.mark.parametrize(
    "argv, words",
    [
        (("planar3", "--kp", 1), "--kd"),
        (("planar3", *GAINS, "--policy", "nobody"), "found 'nobody'"),
        (("planar3", *GAINS, "--posture", "1,2"), "--posture: expected 3 numbers for planar3"),
        (("planar3", *GAINS, "--delay", 1.5), "--delay: expected a fraction of the period"),
        (("planar3", *GAINS, "--frame", "tip"), "--frame needs --payload"),
        (("planar3", *GAINS, "--payload", 1, "--frame", "hand"), "hand"),
        (("planar3", *GAINS, "--missed", -1), "missed_in_a_row: expected"),
        (("planar3", *GAINS, "--missed", 1, "--check"), "--check cannot be used with --missed"),
        (("planar3", *GAINS, "--postures", 0), "--postures: expected"),
        (("planar3", *GAINS, "--postures", 2, "--posture", "0,0,0"), "not allowed with"),
        (("planar3", *GAINS, "--postures", 2, "--check"), "--check cannot be used with --postures"),
        (("planar3", "--kp", "1,2", "--kd", 1), "kp: expected"),
        (("nothing.urdf", *GAINS), "nothing.urdf"),
    ],
)
def test_errors_are_one_line(capsys, argv, words):
    code, out, err = run(capsys, *argv)
    assert code == 2 and not out and words in err and err.count("\n") == 1


def test_a_posture_may_begin_with_a_minus(capsys):
    given = "planar3", *GAINS, "--policy", "exact"
    code, out, _ = run(capsys, *given, "--posture", "-0.3,0.4,0.5")
    assert code == 0 and "at the posture -0.3, 0.4, 0.5\n" in out
    assert run(capsys, *given, "--posture=-0.3,0.4,0.5") == (0, out, "")


def test_where_it_rests_with_a_payload_is_said(capsys):
    posture = (0.3, 0.4, 0.5)
    conditions = ("--policy", "exact", "--posture", "0.3,0.4,0.5", "--payload", 2)
    _, out, _ = run(capsys, "planar3", *GAINS, *conditions)
    arm = px.robots.planar(3)
    rest = px.control.safe_period(
        arm, px.control.computed_torque(arm, 100.0, 20.0), posture, **px.payload(arm, 2.0)
    )
    assert "it rests at " + ", ".join(f"{q:.3g}" for q in rest.posture) in out


def test_the_least_over_random_postures(capsys):
    code, out, _ = run(capsys, "planar3", *GAINS, "--policy", "hamilton", "--postures", 5)
    arm = px.robots.planar(3)
    law = px.control.computed_torque(arm, 100.0, 20.0, "hamilton")
    postures = random_postures(arm, 5)
    periods = [px.control.safe_period(arm, law, posture).period for posture in postures]
    cells = line_of(out, "hamilton").split()
    assert code == 0 and "at 5 random postures" in out
    assert " ".join(cells[1:3]) == duration(min(periods))
    assert " ".join(cells[5:7]) == duration(np.median(periods))


def test_random_postures_are_within_the_ranges():
    robot = px.load("ur5")
    lower, upper = np.transpose([(joint.lower, joint.upper) for joint in robot.joints])
    postures = random_postures(robot, 100)
    assert (lower <= postures).all() and (postures <= upper).all()
    assert (np.ptp(postures, axis=0) > 0.9 * (upper - lower)).all()


def test_dry_friction_is_left_out_and_that_is_said(capsys, tmp_path):
    links = '<link name="base"/><link name="arm"><inertial><mass value="2"/><inertia ixx="0.1"'
    links += ' iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    lines = []
    for friction in ("", 'friction="1.0"'):
        path = tmp_path / f"arm{len(lines)}.urdf"
        path.write_text(
            f'<robot name="one">{links}<joint name="turn" type="continuous"><parent link="base"/>'
            f'<child link="arm"/><axis xyz="0 0 1"/><dynamics damping="0.5" {friction}/></joint>'
            f"</robot>"
        )
        code, out, _ = run(capsys, path, *GAINS, "--policy", "exact", "--check")
        assert code == 0 and ("Dry friction" in " ".join(out.split())) == bool(friction)
        lines.append(line_of(out, "exact"))
    assert lines[0] == lines[1] and "none" not in lines[0]


def test_notes_end_where_their_words_end(capsys):
    _, out, _ = run(capsys, "planar3", *GAINS, "--policy", "exact", "--missed", 1)
    assert "up to 1 control step missed" in out
    note = out[out.index(" Predicted by") :].splitlines()
    assert len(note) > 1 and all(line == line.rstrip() for line in note)


@pytest.mark.parametrize("period, text", [(None, ""), (0.1, "10.0 Hz"), (2.4e-5, "41.7 kHz")])
def test_rates_are_plain_numbers(period, text):
    assert _hertz(period) == text
