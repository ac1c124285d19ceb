"""Lathrop's robot chip: hardware against its model bit by bit, and the model against dynamics."""

from dataclasses import replace

import numpy as np
import pytest
from support.robots import random_chain

pytest.importorskip("amaranth", reason="hardware needs amaranth: pip install 'paraxis[hdl]'")

import paraxis as px
from paraxis.cli.export import export_circuit
from paraxis.cli.main import main
from paraxis.errors import ArgumentError, RobotError, ScheduleError
from paraxis.hardware.chip.microprograms import BUSSES, MICROPROGRAMS
from paraxis.hardware.rtl import icarus
from paraxis.hardware.rtl.icarus import run_test_bench
from paraxis.parallel.systolic.operators import MM, MV, SV, VA, VC, VV

FORMS = ("linear", "logarithmic")
needs_icarus = pytest.mark.skipif(
    not icarus.is_installed(), reason="needs Icarus Verilog: apt install iverilog"
)


def limited(robot):
    """The robot with limits for joints that slide."""
    joints = [
        joint if joint.is_revolute else replace(joint, lower=-0.5, upper=0.8)
        for joint in robot.joints
    ]
    return replace(robot, joints=tuple(joints))


def any_chain(seed, joints=3):
    """A random chain, its joints of all kinds and with rotors."""
    return limited(random_chain(seed, (joints, joints)))


# -- microprograms ---------------------------------------------------------------------------------


@pytest.mark.parametrize("operator", MICROPROGRAMS, ids=lambda each: each.name)
def test_a_microprogram_takes_the_flops_and_busses_that_there_are(operator):
    program = MICROPROGRAMS[operator]
    assert len(program) == operator.flops
    for clock in program:
        assert len({use.unit for use in clock}) == len(clock)
        assert sum(len(use.by_bus) for use in clock) <= BUSSES


@pytest.mark.parametrize("operator", [VA, SV, VC, MV, VV, MM], ids=lambda each: each.name)
def test_a_microprogram_computes_its_operator(operator):
    """As Lathrop's example does for the third coordinate, here in plain numbers."""
    rng = np.random.default_rng(3)
    A, B = rng.integers(-9, 9, (2, 3))
    known = {f"A{k}": A[k] for k in range(3)} | {f"B{k}": B[k] for k in range(3)}
    for clock in MICROPROGRAMS[operator]:
        made = {}
        for use in clock:
            left, right = known[use.left], known[use.right]
            made[use.unit] = {"*": left * right, "+": left + right, "-": left - right}[use.sign]
        known |= made
    expected = {VA: A[0] + B[0], SV: A[0] * B[0], VC: A[1] * B[2] - A[2] * B[1]}
    assert made.popitem()[1] == expected.get(operator, A @ B)


# -- the model -------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["planar3", "puma560", "stanford"])
def test_torques_are_within_the_error_of_the_word(name, form):
    robot = limited(px.load(name))
    for word in (16, 24, 40):
        chip = px.hardware.inverse_dynamics_chip(robot, word=word, form=form)
        errors, bounds = chip.errors(200, seed=1), chip.error_bounds()
        assert (errors <= bounds).all()
        assert (errors > bounds * 1e-4).all()  # or else the bound says nothing


def test_a_bit_more_halves_the_error():
    robot = px.load("ur5")
    at = [px.hardware.inverse_dynamics_chip(robot, word=w).errors(300).max() for w in (16, 26)]
    assert 2**9 < at[0] / at[1] < 2**11


def test_random_chains():
    for seed in range(3):
        robot = any_chain(seed, 4)
        chip = px.hardware.inverse_dynamics_chip(robot, word=32)
        assert (chip.errors(100) <= chip.error_bounds()).all()


def test_a_state_alone_is_a_batch_without_axes():
    joints = [
        px.robots.Joint("slide", "prismatic", lower=-0.5, upper=0.5),
        px.robots.Joint("turn", "revolute", 0, axis=(0, 1, 0)),
    ]
    body = px.robots.Inertia.of(1.0, (0.2, 0.05, 0.1), (0.02, 0.03, 0.02))
    chip = px.hardware.inverse_dynamics_chip(px.Robot("crane", joints, [body, body]))
    states = chip.random_states(1)
    alone, batch = chip(*(each[0] for each in states)), chip(*states)
    assert alone.valid and np.array_equal(alone.tau, batch.tau[0])
    with pytest.raises(ArgumentError, match=r"one state has shape \(1,\)"):
        chip.simulate(chip.quantised(*(each[0] for each in states))[0])


def test_a_value_that_does_not_fit_its_word_is_not_valid():
    chip = px.hardware.inverse_dynamics_chip(px.load("planar3"), velocity=1.0, acceleration=1.0)
    state = np.full((2, 3), 0.5)
    found = chip(state, state * [[1], [50]], state)
    assert found.valid.tolist() == [True, False] and np.isnan(found.tau[1]).all()
    words = {entry: np.array([2 ** (chip.word - 1) - 1]) for entry in chip.inputs}
    assert not chip.run(words)[1].any()
    assert not chip(state, state, state * np.nan).valid.any()


def test_what_a_chip_is_made_of():
    chip = px.hardware.inverse_dynamics_chip(px.robots.chain(6), interval=4)
    assert (chip.processors, chip.interval, chip.latency) == (185, 4, 62)
    steps = [each.operator for each in chip.array.wiring.operations]
    three = sum(each in (MV, VC) for each in steps)
    torques = steps.count(VV)
    assert chip.multipliers == 6 * three + 3 * steps.count(SV) + 2 * torques
    assert chip.adders == 3 * (three + steps.count(VA)) + torques
    assert "torques every 4 clocks after 62" in repr(chip)


def test_what_cannot_be_a_chip_is_refused():
    planar = px.robots.planar(2)
    with pytest.raises(ArgumentError, match="word: expected an integer from 8 to 64, found 4"):
        px.hardware.inverse_dynamics_chip(planar, word=4)
    with pytest.raises(ScheduleError, match="before it is done"):
        px.hardware.inverse_dynamics_chip(planar, interval=2)
    with pytest.raises(ArgumentError, match="velocity"):
        px.hardware.inverse_dynamics_chip(planar, velocity=-1)
    with pytest.raises(ArgumentError, match="velocity, acceleration: values overflow"):
        px.hardware.inverse_dynamics_chip(planar, velocity=1e300)
    with pytest.raises(ArgumentError, match=r"expected values up to 1e\+301"):
        px.hardware.inverse_dynamics_chip(planar, acceleration=1e303)
    with pytest.raises(RobotError, match="no limits"):
        px.hardware.inverse_dynamics_chip(px.load("stanford"))
    chip = px.hardware.inverse_dynamics_chip(planar)
    with pytest.raises(ArgumentError, match="found none for"):
        chip.run({})
    with pytest.raises(ArgumentError, match="a joint from 0 to 1, found 'tau' and 2"):
        chip.format_of("tau", 2)


@pytest.mark.filterwarnings("error")
def test_a_state_that_is_no_number_is_not_valid_and_nothing_else():
    chip = px.hardware.inverse_dynamics_chip(px.robots.planar(2))
    found = chip([[np.inf, 0], [0, np.nan], [0, 0], [0, 1]], 0 * np.ones(2), [1e300, 0])
    assert not found.valid.any() and np.isnan(found.tau).all()
    assert chip([0, 1], [0, 0], [0, 0]).valid


def test_a_folder_that_cannot_be_is_refused_before_verilog_is_made(monkeypatch, tmp_path):
    chip = px.hardware.inverse_dynamics_chip(px.robots.planar(1))
    monkeypatch.setattr(type(chip), "run", None)  # would be called next
    (tmp_path / "file").touch()
    with pytest.raises(ArgumentError, match="cannot be written"):
        chip.export(tmp_path / "file")


# -- the hardware ----------------------------------------------------------------------------------


def same_bits(chip, words, gaps=()):
    found, (expected, valid) = chip.simulate(words, gaps), chip.run(words)
    assert (found.valid == valid).all()
    for key, row in expected.items():
        assert (found.words[key] == row)[valid].all()
    return valid


def test_the_hardware_of_two_links_computes_the_bits_of_the_model():
    """Every third clock a state goes in; one is skipped, and one does not fit its words."""
    chip = px.hardware.inverse_dynamics_chip(px.robots.planar(2), word=12)
    words = chip.sample(6)
    words = {key: np.where(np.arange(6) == 3, 2047, row) for key, row in words.items()}
    valid = same_bits(chip, words, gaps={2})
    assert valid.tolist() == [True, True, True, False, True, True]


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("interval", [3, 4, 7])
@pytest.mark.parametrize("make", [px.robots.planar, any_chain], ids=["planar", "random"])
def test_the_hardware_of_other_chains(make, form, interval):
    robot = make(3)
    chip = px.hardware.inverse_dynamics_chip(robot, word=20, form=form, interval=interval)
    assert same_bits(chip, chip.sample(12), gaps={1, 5}).all()


@pytest.mark.long
@needs_icarus
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["planar2", "random"])
def test_verilog_in_icarus(tmp_path, name, form):
    robot = px.robots.planar(2) if name == "planar2" else any_chain(8, 2)
    chip = px.hardware.inverse_dynamics_chip(robot, word=18, form=form)
    exported = chip.export(tmp_path, items=40, name="chip")
    assert len(exported.paths) == 5
    said = run_test_bench(tmp_path, "chip")
    assert said == f"PASS: 40 items, latency {chip.latency} clocks, one every 3 clocks"


# -- the command line ------------------------------------------------------------------------------


def test_the_command_line_refuses_what_a_chip_cannot_do(tmp_path):
    for function, options, expected in (
        ("inverse_kinematics", {}, "--architecture systolic is for --function inverse_dynamics"),
        ("inverse_dynamics", {"iterations": 9}, "not an option of inverse_dynamics as a systolic"),
    ):
        with pytest.raises(ArgumentError, match=expected):
            export_circuit(
                px.load("puma560"), function, tmp_path, architecture="systolic", **options
            )


@pytest.mark.long
@needs_icarus
def test_the_command_line_writes_a_chip(tmp_path, capsys):
    line = "export planar3 --language verilog --architecture systolic --word 12 -o"
    assert main([*line.split(), str(tmp_path)]) == 0
    assert "planar3_inverse_dynamics_chip.v" in capsys.readouterr().out
    assert run_test_bench(tmp_path).startswith("PASS: 200 items")
