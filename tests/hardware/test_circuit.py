"""Circuits: sound ranges, results within a bound, no number that wraps, valid where it is right."""

import math
import re
import time

import numpy as np
import pytest
from support.circuit_checks import (
    apart,
    error_bounds,
    exact_values,
    model_values,
    registers_overflow,
)
from support.cordic_functions import random_function
from support.puma_arms import MEMBERS, PUMA, modified

import paraxis as px
from paraxis.hardware import Circuit, inverse_dynamics_circuit, inverse_kinematics_circuit
from paraxis.hardware.circuits.ranges import entry_ranges, ranges_of
from paraxis.hardware.tasks.tasks import Constant, CordicTasks, Input, Operand, Result, Task
from paraxis.kinematics.puma_solutions import WRISTS

# -- random functions ------------------------------------------------------------------------------


def random_circuits(seeds, words=(14, 16, 24, 32)):
    """Circuits of random functions with random ranges, words and iterations."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        word = int(rng.choice(words))
        ranges = {"x": rng.uniform(0.1, 3, 3) * 2.0 ** rng.integers(-4, 4), "q": 4.0}
        program = px.trace(random_function(seed), x=(3,), q=(2,))
        try:
            iterations = int(rng.choice([word, word - 4, word + 3]))
            circuit = Circuit.of(program, ranges, word, iterations, near=2**-6)
        except px.ProgramError as refusal:
            assert "an angle is doubled" in str(refusal)
            continue
        except px.ArgumentError as refusal:
            assert re.search("a divisor that cannot be zero|a root that can be", str(refusal))
            continue
        yield circuit, entry_ranges(circuit.tasks, ranges), rng


def raw_words(circuit, rng, kind, count=40):
    """Words of any kind, sound or not: from all there are, the first and last, at the limits."""
    half = 1 << circuit.words.word - 1
    words = {}
    for source in circuit.inputs:
        if kind == "any":
            few = rng.integers(-half, half, count)
        elif kind == "ends":
            few = rng.choice([-half, half - 1, -1, 0, 1], count)
        else:
            low, high = circuit.limits.get(source, (-half, half - 1))
            few = rng.choice([low, high, max(low - 1, -half), min(high + 1, half - 1), 0], count)
        words[source] = few
    return words


def test_values_are_within_their_ranges():
    for circuit, given, rng in random_circuits(range(40)):
        inputs = {source: rng.uniform(*given.get(source, (-4, 4)), 100) for source in given}
        inputs |= {s: rng.uniform(-4, 4, 100) for s in circuit.inputs if s not in given}
        known = exact_values(circuit.tasks, inputs)
        there = np.isfinite(sum(known.values()))  # roots of negative numbers have no size
        found = ranges_of(circuit.tasks, given)
        for source, (low, high) in found.intervals.items():
            value = np.broadcast_to(known[source], there.shape)[there]
            slip = 1e-9 * max(abs(low), abs(high))
            assert ((low - slip <= value) & (value <= high + slip)).all()
        for members, bound in found.lengths:
            length = np.sqrt(sum(known[member] ** 2 for member in members))
            assert (np.broadcast_to(length, there.shape)[there] <= bound * (1 + 1e-9)).all()


def test_lengths_that_rotations_keep():
    """A unit vector turned twice: its entries stay within one, which intervals do not know."""
    tasks = inverse_kinematics_circuit(PUMA).tasks
    rng = np.random.default_rng(0)
    pose = px.forward_kinematics(PUMA, rng.uniform(-math.pi, math.pi, (200, 6)))
    circuit = inverse_kinematics_circuit(PUMA)
    known = exact_values(tasks, {s: pose.reshape(-1, 16)[:, s.index] for s in circuit.inputs})
    for number, task in enumerate(tasks.tasks):
        for port in "XY" if task.kind == "rotate" else "":
            source = Result(number, port)
            if source in circuit.formats:
                assert circuit.formats[source].fraction == circuit.words.word - 2  # below two
                assert abs(known[source]).max() <= 1 + 1e-12


A, B = Operand(Input("x", 0)), Operand(Input("x", 1))
SUM_OF_TWO = Task("add", A, B)
ONE, ZERO = Operand(Constant(1.0)), Operand(Constant(0.0))


def by_hand(*tasks):
    """CordicTasks of x[0] and x[1], the last of which is what is asked for."""
    port = {"add": "Y", "multiply": "Y"}.get(tasks[-1].kind, "X")
    outputs = {"y": ((1,), (Operand(Result(len(tasks) - 1, port)),))}
    return CordicTasks("by hand", {"x": (2,)}, tasks, outputs)


def interval(tasks, number, port, **known):
    found = ranges_of(tasks, {A.source: (-1.0, 1.0), B.source: (-1.0, 1.0)}, **known)
    return found.intervals[Result(number, port)]


def test_what_is_under_a_root_is_small_enough_for_one():
    four = Operand(Result(0, "Y"), 1, 2)  # times the sum
    assert interval(by_hand(SUM_OF_TWO, Task("root", ONE, four)), 0, "Y") == (-0.25, 0.25)
    square = Task("multiply", Operand(Result(0, "Y")), ZERO, four)
    squared = by_hand(SUM_OF_TWO, square, Task("root", ONE, Operand(Result(1, "Y"))))
    assert interval(squared, 0, "Y") == (-0.5, 0.5)


def test_a_root_takes_its_part_of_a_length():
    """With x² + y² <= 1 that of (√(x² - 0.6²), y) is at most 0.8."""
    root = Task("root", A, Operand(Constant(0.6)))
    tasks = by_hand(root, Task("vector", Operand(Result(0, "X")), B, ZERO))
    _, most = interval(tasks, 1, "X", lengths=[({A.source, B.source}, 1.0)])
    assert most == pytest.approx(0.8)


@pytest.mark.parametrize("kind", ["any", "ends", "limits"])
def test_no_register_overflows_and_what_is_valid_is_right(kind):
    valid_ones = 0
    for circuit, _, rng in random_circuits(range(100, 140)):
        words = raw_words(circuit, rng, kind)
        assert not registers_overflow(circuit, words)
        valid_ones += is_right(circuit, words)
    assert valid_ones > 50 or kind == "ends"  # most of which are beyond the limits


def is_right(circuit, words):
    """How many items are valid; all of their values are within the bound."""
    found, valid = model_values(circuit, words)
    known = exact_values(circuit.tasks, {s: circuit.formats[s].real(words[s]) for s in words})
    for source, bound in error_bounds(circuit, known).items():
        if source in found:
            off = apart(circuit, source, found[source], known[source])
            assert (np.broadcast_to(off <= bound, valid.shape)[valid]).all(), source
    return valid.sum()


@pytest.mark.parametrize("word", [8, 12, 48, 63, 64, 65, 100])
def test_short_and_long_words(word):
    def function(x, q):
        return {"y": [x[0] * x[1] + 0.3, x[0] * px.math.cos(q[0]) - x[1] * px.math.sin(q[0])]}

    circuit = Circuit.of(px.trace(function, x=(2,), q=(1,)), {"x": 3.0}, word)
    rng = np.random.default_rng(word)
    x, q = rng.uniform(-3, 3, (50, 2)), rng.uniform(-4, 4, (50, 1))
    found = circuit(x, q)
    step = max(circuit.format_of("y", k).step for k in range(2))
    expected = circuit.tasks.evaluate(x=x, q=q)["y"]
    assert found.valid.all()
    assert abs(found.y - expected).max() < 16 * step + 1e-13
    words, _ = circuit.quantised(x=x, q=q)
    assert not registers_overflow(circuit, words)
    (plain, _), (streamed, _) = circuit.run(words), circuit.stream(words)
    for key in plain:
        np.testing.assert_array_equal(plain[key], streamed[key])


@pytest.mark.parametrize("word", [24, 62, 64, 100, 512])
def test_one_pose_in_words_of_any_length(word):
    """Words come as they are, valid as a bool."""
    circuit = inverse_kinematics_circuit(PUMA, word=word, iterations=min(word, 60))
    found = circuit(posture(20, -30, 40, 30, 50, 10))
    assert circuit.word == word
    assert found.valid.dtype == bool and found.valid.shape == () and found.valid
    assert off(found.q, np.radians([20, -30, 40, 30, 50, 10])).max() < 1e-6
    words, _ = circuit.quantised(pose=np.full((4, 4), 1e9))
    assert words[Input("pose", 3)] == (1 << word - 1) - 1
    assert circuit.run(words)[1].dtype == bool and not circuit.run(words)[1]


def test_the_word_with_no_opposite():
    """There is one more below zero than above, whatever whole numbers are used."""
    for word in (20, 64, 65):
        program = px.trace(lambda x: {"y": [-x[0], x[0] + x[1]]}, x=(2,))
        circuit = Circuit.of(program, {"x": 1.0}, word)
        words = {source: [-(1 << word - 1), -7] for source in circuit.inputs}
        for found, _ in (circuit.run(words), circuit.stream(words)):
            assert found["y", 0].tolist() == [(1 << word - 1) - 1, 7]


# -- the PUMA --------------------------------------------------------------------------------------


def poses(robot, count=300, seed=0):
    q = np.random.default_rng(seed).uniform(-math.pi, math.pi, (count, robot.n))
    return px.forward_kinematics(robot, q)


def off(found, expected):
    return abs((found - expected + math.pi) % (2 * math.pi) - math.pi)


@pytest.mark.parametrize("choice", WRISTS, ids=str)
def test_all_eight_solutions(choice):
    pose = poses(PUMA)
    found = inverse_kinematics_circuit(PUMA, *choice, word=28)(pose)
    expected = px.kinematics.inverse_kinematics_solutions(PUMA, pose).q[:, WRISTS.index(choice)]
    assert found.valid.mean() > 0.95
    assert off(found.q, expected)[found.valid].max() < 1e-3
    assert np.median(off(found.q, expected)[found.valid].max(-1)) < 1e-7


@pytest.mark.parametrize(
    "name",
    [
        "elsewhere",
        "random 2",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("standard", "no offsets", "shoulder offset", "random 5")
        ),
    ],
)
def test_every_arm_of_the_family(name):
    robot, choice = MEMBERS[name], (1, -1, 1)
    pose = poses(robot)
    circuit = inverse_kinematics_circuit(robot, *choice, word=28)
    found = circuit(pose)
    solutions = px.kinematics.inverse_kinematics_solutions(robot, pose)
    k = WRISTS.index(choice)
    right = off(found.q, solutions.q[:, k])[found.valid]  # NaN where there is no solution
    assert found.valid.mean() > 0.9 * solutions.solved[:, k].mean()
    assert right.max() < 1e-3 and np.median(right.max(-1)) < 1e-6
    assert not registers_overflow(circuit, raw_words(circuit, np.random.default_rng(0), "any", 20))


@pytest.mark.parametrize("size", [1e-3, 20.0])
def test_arms_of_any_size(size):
    """With a hand of 0.1 m."""
    robot = modified(a1=0, a2=size, a3=-0.05 * size, d2=0.3 * size, d3=0, d4=size)
    pose = poses(robot)
    found = inverse_kinematics_circuit(robot, word=28)(pose)
    expected = px.kinematics.inverse_kinematics_solutions(robot, pose).q[:, 0]
    assert found.valid.mean() > 0.7
    assert off(found.q, expected)[found.valid].max() < 1e-3


def posture(*degrees):
    return px.forward_kinematics(PUMA, np.radians(degrees))


# a forearm goes from axis 3 to the wrist, a little aside
ELBOW = math.degrees(math.atan2(0.0203, 0.4331))
NOT_VALID = {
    "stretched": posture(20, -30, 90 + ELBOW, 30, 50, 10),
    "folded": posture(20, -30, -90 + ELBOW, 30, 50, 10),
    "wrist in line": posture(20, -30, 40, 30, 0, 10),
    "wrist folded": posture(20, -30, 40, 30, 180, 10),
    "far away": np.diag([1.0, 1, 1, 1]) + np.pad([[0.95]], ((0, 3), (3, 0))),
    "beyond words": np.diag([1.0, 1, 1, 1]) + np.pad([[1e9]], ((0, 3), (3, 0))),
    "within the shoulder": px.robots.Pose(translation=(0.01, 0.02, 0.5)).matrix,
    "no number": np.full((4, 4), np.nan),
    "infinite": np.diag([1.0, 1, 1, 1]) + np.pad([[np.inf]], ((0, 3), (3, 0))),
    "too long an axis": posture(20, -30, 40, 30, 50, 10) * np.array([1, 1, 1.7, 1]),
}


def test_poses_without_a_solution_are_not_valid():
    right = posture(20, -30, 40, 30, 50, 10)
    both = np.stack([pose for wrong in NOT_VALID.values() for pose in (right, wrong)])
    for word in (16, 24):
        found = inverse_kinematics_circuit(PUMA, word=word)(both)
        assert found.valid[::2].all()
        wrong = dict(zip(NOT_VALID, found.valid[1::2], strict=True))
        assert not wrong.pop("too long an axis") or word == 16
        assert not any(wrong.values()), wrong
        assert np.isnan(found.q[~found.valid]).all() and np.isfinite(found.q[found.valid]).all()


def test_any_shape_of_batch():
    circuit, pose = inverse_kinematics_circuit(PUMA), poses(PUMA, 6)
    whole = circuit(pose)
    for shape in ((), (0,), (2, 3), (6, 1)):
        count = math.prod(shape)
        found = circuit(pose[:count].reshape(*shape, 4, 4))
        assert found.q.shape == (*shape, 6) and found.valid.shape == shape
        np.testing.assert_array_equal(found.q.reshape(-1, 6), whole.q[:count])
    np.testing.assert_array_equal(circuit(pose=pose[0]).q, whole.q[0])


def test_inputs_go_together_as_in_numpy():
    circuit = inverse_dynamics_circuit(px.robots.planar(2))
    q = np.linspace(-3, 3, 8).reshape(4, 1, 2)
    found = circuit(q, np.zeros(2), qdd=np.ones((3, 2)))
    assert found.tau.shape == (4, 3, 2) and found.valid.shape == (4, 3)


# -- the stream ------------------------------------------------------------------------------------


def test_a_stream_is_the_model_bit_for_bit():
    """With items that are not valid between those that are, and in Python's own integers."""
    for circuit in (
        inverse_kinematics_circuit(PUMA),
        inverse_dynamics_circuit(px.robots.planar(3), word=20),
    ):
        rng = np.random.default_rng(3)
        words, others = circuit.sample(30), raw_words(circuit, rng, "any", 30)
        words = {s: np.where(np.arange(30) % 3 == 1, others[s], words[s]) for s in words}
        found, valid = circuit.run(words)
        streamed, also_valid = circuit.stream(words)
        np.testing.assert_array_equal(valid, also_valid)
        assert 0 < valid.sum() < 30
        for key in circuit.outputs:
            np.testing.assert_array_equal(found[key], streamed[key])


def test_the_pumas_pipeline():
    begin = time.perf_counter()
    circuit = inverse_kinematics_circuit(PUMA)
    assert circuit.stages <= 18 and circuit.pipeline.buffers <= 141 and len(circuit.units) <= 25
    assert time.perf_counter() - begin < 5  # about 0.4 s; interactive use allows 20


# -- outputs that are no results -------------------------------------------------------------------


def test_outputs_may_be_constants_and_inputs():
    def function(x):
        return {
            "a": [3.5, -x[0], 2.0 * x[1], x[0] + x[1]],
            "b": [-0.25],
            "c": [px.math.atan2(*x), 1.0],
        }

    circuit = Circuit.of(px.trace(function, x=(2,)), {"x": 1.0}, word=20)
    words, _ = circuit.quantised(x=[[0.5, -0.75]])
    found = circuit([[0.5, -0.75]])
    np.testing.assert_allclose(found.a, [[3.5, -0.5, -1.5, -0.25]], atol=1e-5)
    np.testing.assert_allclose(found.b, [[-0.25]])
    np.testing.assert_allclose(found.c, [[math.atan2(0.5, -0.75), 1.0]], atol=1e-5)
    streamed, _ = circuit.stream(words)
    for key, word in circuit.run(words)[0].items():
        np.testing.assert_array_equal(word, streamed[key])


def test_a_length_alone_may_be_nothing():
    """Only an angle hangs on a length."""
    circuit = Circuit.of(
        px.trace(lambda x: px.math.sqrt(x[0] ** 2 + x[1] ** 2), x=(2,)), {"x": 1.0}
    )
    found = circuit([[0.0, 0.0], [0.6, -0.8]])
    assert found.valid.all()
    np.testing.assert_allclose(found[0].ravel(), [0, 1], atol=1e-6)


def test_a_length_has_an_angle_from_near_on():
    """To the word."""

    def function(x):
        return {"r": [px.math.sqrt(x[0] ** 2 + x[1] ** 2)], "angle": [px.math.atan2(x[1], x[0])]}

    circuit = Circuit.of(px.trace(function, x=(2,)), {"x": 1.0}, word=16, near=0.003)
    words, valid = circuit.run({A.source: np.arange(60, 80), B.source: np.zeros(20, int)})
    length = circuit.format_of("r", 0).real(words["r", 0])
    np.testing.assert_array_equal(valid, length >= 0.003 * math.sqrt(2))
    assert {70, 69} <= {*words["r", 0].tolist()}  # 0.003 √2 is between these words


def test_inputs_may_be_a_little_beyond_their_range():
    """As rounded numbers are."""
    circuit = Circuit.of(px.trace(lambda x: x[0] + x[1], x=(2,)), {"x": 1.0})
    found = circuit([[1.0009, 0.0], [0.0, -1.0009], [1.0011, 0.0], [0.0, -1.0011]])
    assert found.valid.tolist() == [True, True, False, False]


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(("near", "needed"), [(2**-8, 14), (0.003, 15), (2**-12, 18)])
def test_a_word_that_is_too_short_says_how_many_bits_are_needed(near, needed):
    with pytest.raises(px.ArgumentError, match=f"word: expected at least {needed} bits .* found 9"):
        inverse_kinematics_circuit(PUMA, word=9, near=near)
    for word in (4, 5, 10, needed - 1):
        with pytest.raises(px.ArgumentError, match=f"expected at least {needed} bits"):
            inverse_kinematics_circuit(PUMA, word=word, near=near)
    assert inverse_kinematics_circuit(PUMA, word=needed, near=near)(
        posture(20, -30, 40, 30, 50, 10)
    ).valid


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"word": 24.5}, "word: expected an integer from 4 to 512, found 24.5"),
        ({"word": 3}, "word: expected an integer from 4 to 512, found 3"),
        ({"word": 513}, "word: expected an integer from 4 to 512, found 513"),
        ({"iterations": 0}, "iterations: expected an integer"),
        ({"iterations": 1000}, "iterations: expected an integer from 4 to 512, found 1000"),
        ({"near": 0.0}, "near: expected a number between 0 and 1, found 0.0"),
        ({"near": 1.0}, "near"),
        ({"near": math.nan}, "near"),
        ({"near": "far"}, "near"),
        ({"arm": 0}, "arm: expected 1 or -1, found 0"),
        ({"elbow": "up"}, "elbow: expected 1 or -1, found 'up'"),
        ({"frame": "hand"}, "hand"),
    ],
)
def test_bad_options_are_named(options, words):
    with pytest.raises(px.ParaxisError, match=words):
        inverse_kinematics_circuit(PUMA, **options)


@pytest.mark.parametrize("name", ["ur5", "stanford"])
def test_robots_of_other_families_are_refused(name):
    with pytest.raises(px.RobotError, match="no closed-form inverse kinematics"):
        inverse_kinematics_circuit(px.load(name))


QUOTIENT = px.trace(lambda x, y: x[0] / y[0], x=(2,), y=(1,))


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ({"y": (1, 2)}, r"ranges of .*: x\[0\] needs one, found none"),
        ({"x": 1, "y": (1, 2), "z": 3}, r"ranges: expected names from \['x', 'y'\], found 'z'"),
        ({"x": 1, "y": (-1, 2)}, "task T1: the divisor may be zero"),
        ({"x": 1, "y": (2, 1)}, "range of y: expected finite numbers, least <= largest"),
        ({"x": -1, "y": (1, 2)}, "range of x: expected a finite number >= 0, found -1"),
        ({"x": np.nan, "y": (1, 2)}, "range of x"),
        ({"x": np.inf, "y": (1, 2)}, "range of x: expected a finite number >= 0, found inf"),
        ({"x": [1, 2, 3], "y": (1, 2)}, r"range of x: .* that broadcast to shape \(2,\)"),
        ({"x": (1, 2, 3), "y": (1, 2)}, "range of x: expected the largest .* or a pair"),
        ({"x": "wide", "y": (1, 2)}, "range of x: expected the largest"),
        ({"x": 1e200, "y": (1e-200, 2)}, "a value inside the circuit can be infinite"),
    ],
)
def test_bad_ranges_are_named(ranges, words):
    with pytest.raises(px.ArgumentError, match=words):
        Circuit.of(QUOTIENT, ranges)


@pytest.mark.parametrize("size", [1e-200, 1e-12, 1e12, 1e140])
def test_numbers_of_any_size(size):
    """Only where the point is changes."""

    def function(x):
        return {"y": [x[0] * x[1], x[0] + 3 * x[1]], "angle": [px.math.atan2(x[1], x[0])]}

    circuit = Circuit.of(px.trace(function, x=(2,)), {"x": size}, word=20)
    found = circuit([[0.7 * size, -0.4 * size]])
    np.testing.assert_allclose(found.y, [[-0.28 * size**2, -0.5 * size]], rtol=1e-4)
    np.testing.assert_allclose(found.angle, [[math.atan2(-0.4, 0.7)]], atol=1e-4)


@pytest.mark.parametrize("largest", [1e-12, 1e-6, 1e-3, 1.0, 1e6, 1e12])
def test_roots_of_numbers_of_any_size(largest):
    """Down to where the root is below `near` of its largest: there it is not valid."""

    def function(a, b):
        return {
            "r": [
                px.math.sqrt(a),
                px.math.sqrt(3 * a),
                px.math.sqrt(px.math.sqrt(a) * px.math.sqrt(b)),
            ]
        }

    ranges = {"a": (0.0, largest), "b": (0.0, 1.0)}
    circuit = Circuit.of(px.trace(function, a=(), b=()), ranges)
    assert circuit.tasks.counts == {"mean": 4}
    a, b = largest * 4.0 ** -np.linspace(0, 12, 98), 0.3
    found = circuit(a, b)
    np.testing.assert_array_equal(found.valid, a >= largest * 4.0**-8)
    large = a > 0.03 * largest  # where rounding to words is a small part
    exact = circuit.tasks.evaluate(a=a, b=b)["r"]
    np.testing.assert_allclose(found.r[large], exact[large], rtol=4e-6)
    words = raw_words(circuit, np.random.default_rng(0), "any", 100)
    assert not registers_overflow(circuit, words)
    assert is_right(circuit, words)


@pytest.mark.parametrize("size", [1e-2, 1.0, 1e3])
def test_an_upper_arm_as_long_as_the_forearm(size):
    """Also where that is so but for rounding: arms are as described, sizes as they multiply."""
    lengths = {"a2": 0.43 * size, "a3": 0.0, "d2": 0.2 * size, "d3": 0.0, "d4": 0.43 * size}
    robot = modified(**lengths, zeros=(0.3, 0.2, 0.1, 0.4, 0.5, 0.6))
    pose = poses(robot)
    circuit = inverse_kinematics_circuit(robot, word=28)
    found = circuit(pose)
    expected = px.kinematics.inverse_kinematics_solutions(robot, pose).q[:, 0]
    assert found.valid.mean() > 0.9
    assert off(found.q, expected)[found.valid].max() < 1e-3


@pytest.mark.parametrize("angle", [0.3, -2.5, math.pi, 7.0, -20.0])
@pytest.mark.parametrize("sign", [1, -1])
def test_turning_by_a_constant(angle, sign):
    x, y = Operand(Input("x", 0)), Operand(Input("x", 1))
    turn = Task("rotate", x, y, Operand(Constant(angle), sign))
    outputs = {"r": ((2,), (Operand(Result(0, "X")), Operand(Result(0, "Y"))))}
    tasks = CordicTasks("turn", {"x": (2,)}, (turn,), outputs)
    circuit = Circuit(tasks, dict.fromkeys((x.source, y.source), (-1.0, 1.0)))
    vectors = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    found = circuit(vectors)
    assert found.valid.all()
    np.testing.assert_allclose(found.r, tasks.evaluate(x=vectors)["r"], atol=1e-6)
    assert is_right(circuit, circuit.quantised(x=vectors)[0])


def test_a_quotient_that_is_larger_than_what_is_left_of_it():
    least, most = np.array([[9.9, 1.0, -10.0], [10.0, 1.01, -9.9]])
    program = px.trace(lambda x: {"y": [x[0] / x[1] + x[2]]}, x=3)
    circuit = Circuit.of(program, {"x": (least, most)})
    assert circuit.tasks.counts == {"divide": 1}
    assert circuit.format_of("y", 0).most < 0.5  # much less than 10
    x = np.random.default_rng(0).uniform(least, most, (200, 3))
    found = circuit(x)
    assert found.valid.all()
    np.testing.assert_allclose(found.y[:, 0], x[:, 0] / x[:, 1] + x[:, 2], atol=5e-6)
    assert is_right(circuit, circuit.quantised(x=x)[0])


@pytest.mark.parametrize("size", [1e-5, 1.0, 1e9])
def test_a_constant_over_a_number_of_another_size(size):
    circuit = Circuit.of(px.trace(lambda x: {"y": [size / x]}, x=()), {"x": (100.0, 1000.0)})
    x = np.linspace(100, 1000, 200)
    found = circuit(x)
    assert found.valid.all()
    np.testing.assert_allclose(found.y[:, 0], size / x, rtol=4e-6)
    assert is_right(circuit, circuit.quantised(x=x)[0])


def test_a_root_that_can_never_be_told_from_none_is_refused():
    program = px.trace(lambda x: px.math.sqrt(1 - x * x), x=())
    assert Circuit.of(program, {"x": (0.999, 1.0)})(0.999).valid
    with pytest.raises(
        px.ArgumentError, match="T1: expected a root that can be 0.00391 or more, .* at most 0.0014"
    ):
        Circuit.of(program, {"x": (0.999999, 1.0)})


def test_bad_inputs_are_named():
    circuit = inverse_dynamics_circuit(px.robots.planar(2))
    q = np.zeros(2)
    with pytest.raises(px.ArgumentError, match=r"expected \['q', 'qd', 'qdd'\], found \['q'\]"):
        circuit(q)
    with pytest.raises(px.ArgumentError, match="expected each of .* once, found 4 by position"):
        circuit(q, q, q, q)
    with pytest.raises(px.ArgumentError, match="expected each of .* once"):
        circuit(q, q, q, q=q)
    with pytest.raises(px.ArgumentError, match=r"qd: expected shape \(..., 2\), found \(3,\)"):
        circuit(q, np.zeros(3), q)
    with pytest.raises(px.ArgumentError, match="q: expected real numbers .* found dtype <U1"):
        circuit("a", q, q)
    with pytest.raises(
        px.ArgumentError, match=r"q, qd, qdd: expected shapes that broadcast, found \(2,\), \(3,"
    ):
        circuit(np.zeros((2, 2)), np.zeros((3, 2)), q)


def test_poses_may_be_poses():
    circuit = inverse_kinematics_circuit(PUMA)
    matrix = posture(20, -30, 40, 30, 50, 10)
    pose = px.robots.Pose.from_matrix(matrix)
    np.testing.assert_array_equal(circuit(pose).q, circuit(matrix).q)
    np.testing.assert_array_equal(circuit([pose, matrix]).q, circuit([matrix, matrix]).q)


# -- words from outside ----------------------------------------------------------------------------

SUM = Circuit.of(px.trace(lambda x: {"y": [x[1][0] + x[1][1]]}, x=(2, 2)), {"x": 1.0}, word=16)


def sum_words(**changed):
    words = {Input("x", 2): [100, -200], Input("x", 3): [1, 2]}
    return words | {Input("x", int(name[1:])): word for name, word in changed.items()}


@pytest.mark.parametrize("send", ["run", "stream"])
def test_words_recorded_elsewhere(send):
    """An entry's index is row-major."""
    assert [(source.name, source.index) for source in SUM.inputs] == [("x", 2), ("x", 3)]
    found, valid = getattr(SUM, send)(sum_words())
    np.testing.assert_allclose(
        SUM.format_of("y", 0).real(found["y", 0]),
        SUM.formats[Input("x", 2)].real([101, -198]),
        atol=2 * SUM.format_of("y", 0).step,
    )
    assert valid.tolist() == [True, True]
    outside = sum_words(_2=[(1 << 15) - 1, 0])  # fits the word, but not the limits
    assert getattr(SUM, send)(outside)[1].tolist() == [False, True]


@pytest.mark.parametrize("send", ["run", "stream"])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            {},
            r"expected an array for each of `circuit.inputs`, .* found none for Input\(name='x'",
        ),
        ({"x": [[1, 2]]}, "such as Input.* found 'x'"),
        (sum_words(_0=[1, 2]), r"found Input\(name='x', index=0\)"),  # which is not read
        ((sum_words(), True), "expected a dict, Input -> array of words, found a tuple"),
        (sum_words(_3=[1, 2, 3]), r"expected shapes that broadcast, found \(2,\), \(3,\)"),
        (sum_words(_3=[1.0, 2.5]), r"x\[1,1\]: expected words \(integers\), found float64"),
        (sum_words(_3=[True, False]), r"x\[1,1\]: .* found bool"),
        (sum_words(_2=[0, 1 << 15]), r"x\[1,0\]: expected words of 16 bits, .* that needs 17"),
        (sum_words(_2=[0, -(1 << 80)]), r"x\[1,0\]: expected words of 16 bits, .* needs 81"),
    ],
)
def test_bad_words_are_named(send, words, said):
    with pytest.raises(px.ArgumentError, match=said):
        getattr(SUM, send)(words)


def test_angles_alone_need_no_ranges():
    program = px.trace(lambda a, b: {"c": [px.math.sin(a[0]), px.math.cos(a[0] + b[0])]}, a=1, b=1)
    found = Circuit.of(program)([0.3], [0.4])
    np.testing.assert_allclose(found.c, [math.sin(0.3), math.cos(0.7)], atol=1e-5)


def test_what_is_no_program_and_no_range_is_named():
    with pytest.raises(
        px.ArgumentError, match="program: expected a Program, such as the result of px.trace"
    ):
        Circuit.of(lambda x: x[0], {"x": 1.0})
    with pytest.raises(px.ArgumentError, match="ranges: expected a dict .* found 1.0"):
        Circuit.of(QUOTIENT, 1.0)


@pytest.mark.parametrize("count", [-1, 0, 2.5, "many"])
def test_counts_of_samples_are_whole(count):
    for ask in (SUM.sample, SUM.errors):
        with pytest.raises(px.ArgumentError, match="count: expected an integer >= 1"):
            ask(count)


def test_what_a_cordic_does_not_do_is_named():
    program = px.trace(lambda x: px.math.select(x[0] < x[1], x[0], x[1]), x=(2,))
    with pytest.raises(px.ProgramError, match="found less"):
        Circuit.of(program, {"x": 1.0})
