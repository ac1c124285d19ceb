"""Inverse dynamics as circuits: torques in fixed point against float64, one state a clock."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from support.circuit_checks import registers_overflow
from support.robots import random_robot

import paraxis as px
from paraxis.hardware import (
    Circuit,
    inverse_dynamics_circuit,
    inverse_kinematics_circuit,
    shortest_word,
)
from paraxis.hardware.circuits.dynamics_circuit import inverse_dynamics_tasks
from paraxis.hardware.circuits.random_inputs import largest_seen, random_inputs
from paraxis.hardware.circuits.ranges import entry_ranges
from paraxis.hardware.tasks.decompose import decompose
from paraxis.hardware.tasks.tasks import Constant, CordicTasks, Input, Operand, Result, Task

PUMA = px.load("puma560")
PUMA_3 = PUMA.subchain("link3", drop_rest=True)
RANGES = {"qd": 4.0, "qdd": 20.0}


def sliding_within(robot, lower=-0.5, upper=1.0):
    """The robot with limits for joints that slide."""
    joints = [j if j.is_revolute else replace(j, lower=lower, upper=upper) for j in robot.joints]
    return replace(robot, joints=tuple(joints), warn=False)


ROBOTS = {
    "planar3": px.load("planar3"),
    "puma3": PUMA_3,
    "puma6": PUMA,
    "ur5": px.load("ur5"),
    "stanford": sliding_within(px.load("stanford")),
} | {f"random {seed}": sliding_within(random_robot(seed, joints=(2, 5))) for seed in (5, 8, 11)}


def states(robot, count=300):
    """Random ones within RANGES and limits; joints without any stand anywhere."""
    rng = np.random.default_rng(0)
    low, high = np.clip([(j.lower, j.upper) for j in robot.joints], -math.pi, math.pi).T
    qd, qdd = (rng.uniform(-most, most, (count, robot.n)) for most in RANGES.values())
    return {"q": rng.uniform(low, high, (count, robot.n)), "qd": qd, "qdd": qdd}


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS.keys())
def test_torques_are_those_of_float64(robot):
    given = states(robot)
    expected = px.inverse_dynamics(robot, **given)
    found = inverse_dynamics_circuit(robot)(**given)
    assert found.valid.all()
    assert (abs(found.tau - expected).max(0) < 5e-6 * abs(expected).max()).all()


@pytest.mark.parametrize("robot", [ROBOTS["planar3"], PUMA_3, PUMA], ids=["planar3", "3", "6"])
def test_each_bit_halves_the_error(robot):
    errors = [
        inverse_dynamics_circuit(robot, word=word).errors(300)["tau"].max() for word in (16, 24, 32)
    ]
    assert all(2**6.5 < a / b < 2**9.5 for a, b in pairwise(errors))


def test_a_stream_has_a_state_every_stage():
    circuit = inverse_dynamics_circuit(PUMA_3)
    words = circuit.sample(20)
    found, valid = circuit.run(words)
    streamed, also_valid = circuit.stream(words)
    assert valid.all() and also_valid.all()
    assert all((found[key] == streamed[key]).all() for key in circuit.outputs)
    assert circuit.pipeline.interval == 1
    assert (circuit.stages, len(circuit.units)) == (13, 58)


@pytest.mark.parametrize("name", ["planar3", "puma3", "stanford"])
def test_no_other_algorithm_has_fewer_tasks(name):
    """The Program that is made by default has the fewest operations, so it has the fewest tasks."""
    robot = ROBOTS[name]
    ours = len(inverse_dynamics_tasks(robot).tasks)
    for algorithm in px.algorithms("inverse_dynamics"):
        program = px.program(robot, "inverse_dynamics", algorithm=algorithm)
        assert len(decompose(program.graph).tasks) >= ours


# -- ranges ----------------------------------------------------------------------------------------


def test_states_beyond_the_ranges_are_not_valid():
    circuit = inverse_dynamics_circuit(PUMA_3, velocity=[1, 2, 3], acceleration=10)
    q, qd, qdd = np.zeros((5, 3)), np.zeros((5, 3)), np.zeros((5, 3))
    qd[1], qdd[2], q[3] = (0.9, 1.9, 3.1), (0, 11, 0), (50, -40, 2e3)
    q[4, 0] = math.nan  # on which no torque hangs
    found = circuit(q, qd, qdd)
    assert found.valid.tolist() == [True, False, False, True, False]
    assert np.isnan(found.tau[~found.valid]).all()
    np.testing.assert_allclose(found.tau[3], px.inverse_dynamics(PUMA_3, q, qd, qdd)[3], atol=1e-3)


@pytest.mark.parametrize("kind", ["any", "ends"])
def test_no_register_overflows(kind):
    for robot in (ROBOTS["planar3"], PUMA_3, ROBOTS["stanford"]):
        circuit, rng = inverse_dynamics_circuit(robot, word=20), np.random.default_rng(1)
        some = [-(2**19), 2**19 - 1, 0] if kind == "ends" else np.arange(-(2**19), 2**19)
        words = {source: rng.choice(some, 30) for source in circuit.inputs}
        assert not registers_overflow(circuit, words)


def test_simulation_narrows_what_intervals_make_too_wide():
    """In a chain of ten joints they are wide by four bits; no state is beyond what was seen."""
    tasks = inverse_dynamics_tasks(px.robots.planar(10))
    ranges = entry_ranges(tasks, RANGES)
    wide, narrow = Circuit(tasks, ranges), Circuit(tasks, ranges, seen=largest_seen(tasks, ranges))
    assert narrow.errors()["tau"].max() < wide.errors()["tau"].max() / 8
    for at_ends in (False, True):
        rng = np.random.default_rng(7)
        assert narrow(**random_inputs(tasks, ranges, rng, 2000, at_ends)).valid.all()


def test_a_value_that_is_always_zero_has_room_for_rounding():
    """a (b + c) - a b - a c: simulation sees nothing of it, but a circuit does."""
    a, b, c = (Operand(Input("x", k)) for k in range(3))
    less_a = Operand(a.source, -1)
    sum_, product, less, nothing = (Operand(Result(k, "Y")) for k in range(4))
    steps = (
        Task("add", b, c),
        Task("multiply", a, Operand(Constant(0.0)), sum_),
        Task("multiply", less_a, product, b),
        Task("multiply", less_a, less, c),
    )
    tasks = CordicTasks("nothing", {"x": (3,)}, steps, {"y": ((1,), (nothing,))})
    ranges = entry_ranges(tasks, {"x": 3.0})
    seen = largest_seen(tasks, ranges)
    assert seen[nothing.source] < 1e-14
    for word in (12, 24):
        circuit = Circuit(tasks, ranges, word, seen=seen)
        assert circuit(**random_inputs(tasks, ranges, np.random.default_rng(0), 500)).valid.all()


# -- word lengths ----------------------------------------------------------------------------------


def test_the_shortest_word():
    circuit = shortest_word(lambda word: inverse_dynamics_circuit(PUMA_3, word=word), error=0.01)
    assert circuit.errors()["tau"].max() <= 0.01
    shorter = inverse_dynamics_circuit(PUMA_3, word=circuit.words.word - 1)
    assert shorter.errors()["tau"].max() > 0.01
    assert circuit.errors(500, seed=9)["tau"].max() < 0.02


def test_the_shortest_word_of_kinematics_starts_where_lengths_can_be_told():
    circuit = shortest_word(
        lambda word: inverse_kinematics_circuit(PUMA, word=word), error=3.2, count=50
    )
    assert circuit.words.word == 14


def test_errors_of_the_shortest_word_are_named():
    with pytest.raises(px.ArgumentError, match="error: expected a number above 0, found -1"):
        shortest_word(lambda word: inverse_dynamics_circuit(PUMA_3, word=word), error=-1)
    with pytest.raises(px.ArgumentError, match="velocity: expected .* found -1"):
        shortest_word(
            lambda word: inverse_dynamics_circuit(PUMA_3, velocity=-1, word=word), error=1
        )
    with pytest.raises(px.ArgumentError, match="make: expected .* returns a Circuit, found None"):
        shortest_word(lambda word: None, error=1)
    with pytest.raises(px.ArgumentError, match="words of 64 bits, the longest allowed"):
        shortest_word(
            lambda word: inverse_dynamics_circuit(px.robots.planar(1), word=word),
            error=1e-30,
            count=2,
        )


# -- what is refused -------------------------------------------------------------------------------


def test_a_joint_that_slides_needs_limits():
    with pytest.raises(px.RobotError, match="'joint3' has no limits"):
        inverse_dynamics_circuit(px.load("stanford"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"velocity": -1.0}, "velocity: expected a finite number >= 0, .* found -1.0"),
        ({"acceleration": math.inf}, "acceleration: expected a finite number .* found inf"),
        ({"velocity": [1.0, 2.0]}, r"velocity: .* one for each of 3 joints, found \[1.0, 2.0\]"),
        ({"velocity": "fast"}, "velocity: .* found 'fast'"),
        ({"word": "long"}, "word: expected an integer"),
    ],
)
def test_bad_options_are_named(options, words):
    with pytest.raises(px.ArgumentError, match=words):
        inverse_dynamics_circuit(PUMA_3, **options)
