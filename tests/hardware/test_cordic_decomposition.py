"""From traced functions to CORDIC tasks: how few there are, and that they mean the same."""

import math
from itertools import product

import numpy as np
import pytest
from support.cordic_functions import random_function
from support.puma_arms import MEMBERS, modified

import paraxis as px
from paraxis.hardware.tasks.decompose import decompose
from paraxis.hardware.tasks.tasks import Constant, CordicTasks, Input, Operand, Result, Task, entry
from paraxis.physics.inverse_kinematics.puma import joint_angles
from paraxis.robots.puma_geometry import puma_geometry

PUMA = px.load("puma560")
CHOICES = list(product((1, -1), repeat=3))  # arm, elbow, wrist


def solution(robot, *choice):
    """The Program of one solution of the inverse kinematics."""
    geometry = puma_geometry(robot, robot.tool())
    return px.trace(
        lambda pose: geometry.positions(joint_angles(geometry, pose, *choice)), pose=(4, 4)
    )


def poses(robot, count=20, seed=0):
    q = np.random.default_rng(seed).uniform(-math.pi, math.pi, (count, robot.n))
    return px.forward_kinematics(robot, q)


def apart(a, b):
    """The largest difference, whole turns aside."""
    return abs(np.remainder(a - b + math.pi, 2 * math.pi) - math.pi).max()


def agree(tasks, program, arrays, turns=False):
    expected = program.evaluate(**arrays)
    if not isinstance(expected, dict):
        expected = dict.fromkeys(tasks.outputs, expected)
    found = tasks.evaluate(**arrays)
    for name, values in expected.items():
        assert np.isfinite(found[name]).all()
        off = apart(found[name], values) if turns else abs(found[name] - values).max()
        assert off < 1e-9


def made(function, turns=True, identities=True, **shapes):
    """The tasks of a function, after a look whether they mean the same."""
    program = px.trace(function, **shapes)
    tasks = decompose(program.graph, identities)
    rng = np.random.default_rng(0)
    arrays = {name: rng.uniform(0.5, 2, (10, *shape)) for name, shape in tasks.inputs.items()}
    agree(tasks, program, arrays, turns)
    return tasks


# -- the PUMA --------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_the_puma_takes_19_tasks_in_12_stages(choice):
    program = solution(PUMA, *choice)
    tasks = decompose(program.graph)
    assert tasks.counts == {"rotate": 6, "vector": 8, "root": 2, "multiply": 1, "add": 2}
    assert (len(tasks.tasks), tasks.stages) == (19, 12)
    agree(tasks, program, {"pose": poses(PUMA)}, turns=True)


def pipelined(tasks):
    """The tasks as px.pipeline takes them, with a task of no weight for each input and output."""
    weights, values = {}, {}

    def wire(operand, reader):
        source = operand.source
        if isinstance(source, Input):
            writer, port = entry(source.name, tasks.inputs[source.name], source.index), "value"
            weights.setdefault(writer, 0)
        elif isinstance(source, Result):
            writer, port = source.task, source.port
        else:
            return
        ports = values.setdefault((writer, reader), [])
        ports += [port] * (port not in ports)

    for number, task in enumerate(tasks.tasks):
        weights[number] = 1
        for operand in task.operands.values():
            wire(operand, number)
    for name, (_, operands) in tasks.outputs.items():
        for number, operand in enumerate(operands):
            weights[name, number] = 0
            wire(operand, (name, number))
    return px.pipeline(px.TaskGraph(weights, list(values)), values=values)


def test_the_puma_needs_78_buffers():
    """Lee and Chang's equations need 141, see papers/tests/test_cordic_report.py."""
    pipeline = pipelined(decompose(solution(PUMA, 1, 1, 1).graph))
    assert (pipeline.processors, pipeline.stages, pipeline.buffers) == (19, 12, 78)


@pytest.mark.parametrize("robot", MEMBERS.values(), ids=MEMBERS.keys())
def test_every_arm_of_the_family(robot):
    pose = poses(robot)
    sizes = set()
    for choice in CHOICES:
        program = solution(robot, *choice)
        tasks = decompose(program.graph)
        sizes.add(len(tasks.tasks))
        found = tasks.evaluate(pose=pose)["result"]
        reached = np.isfinite(found).all(-1)
        assert reached.any()
        assert apart(found[reached], program.evaluate(pose=pose)[reached]) < 1e-9
    assert len(sizes) == 1


def test_the_papers_arm_with_its_hand():
    """A hand of some length costs a multiplication for each coordinate."""
    assert len(decompose(solution(MEMBERS["standard"], 1, 1, 1).graph).tasks) == 22
    assert len(decompose(solution(MEMBERS["no offsets"], 1, 1, 1).graph).tasks) == 21


def task_count(robot):
    return len(decompose(solution(robot, 1, 1, 1).graph).tasks)


@pytest.mark.parametrize("size", [1e-2, 1.0, 10.0, 1e3])
def test_equal_links_cost_what_unequal_ones_do(size):
    def tasks(forearm):
        lengths = {"a2": 0.43, "a3": 0.0, "d2": 0.2, "d3": 0.0, "d4": forearm}
        robot = modified(**{name: size * length for name, length in lengths.items()})
        return decompose(solution(robot, 1, 1, 1).graph)

    equal, unequal = tasks(0.43), tasks(0.41)
    assert len(equal.tasks) == len(unequal.tasks) == 23
    assert equal.counts["root"] == unequal.counts["root"] == 2


def test_where_joints_count_from_costs_little():
    """An `add` for each angle that others turn by: θ1, θ2 + θ3, θ4, θ5. Nothing for joint 6."""
    zeros = (0.3, 0.2, 0.1, 0.5, 0.6, 0.4)
    found = [
        task_count(modified(zeros=tuple(zero * (k in some) for k, zero in enumerate(zeros))))
        for some in ((), (0,), (5,), (0, 5), range(6))
    ]
    assert found == [23, 24, 23, 24, 27]
    quarters = tuple(math.pi / 2 * k for k in (1, 0, 0, 0, 0, -1))
    assert task_count(modified(zeros=quarters)) == 23


def test_bases_and_tools_that_stand_on_the_axes_cost_nothing():
    def turned(roll, pitch, yaw):
        return px.robots.Pose.from_rpy((0, 0, 0), (roll, pitch, yaw))

    right = math.pi / 2
    for turn in ((right, 0, 0), (0, right, 0), (0, -right, right), (math.pi, 0, 0)):
        assert task_count(PUMA.with_base(turned(*turn))) == 19
        frames = [px.robots.Frame("hand", 5, turned(*turn))]
        hand = px.Robot("hand", PUMA.joints, PUMA.inertias, frames, warn=False)
        geometry = puma_geometry(hand, hand.frame("hand"))
        assert {abs(x) for row in geometry.tool.rotation for x in row} == {0.0, 1.0}


def test_nothing_is_multiplied_by_rounding():
    """A tool turned about its axis, at the end of six joints that count from anywhere."""
    for size, seed in product((1e-3, 1.0, 1e3), range(5)):
        zeros = np.random.default_rng(seed).uniform(-3, 3, 6)
        lengths = {"a2": 0.43, "a3": 0.0, "d2": 0.2, "d3": -0.2, "d4": 0.43}
        robot = modified(**{k: size * x for k, x in lengths.items()}, zeros=tuple(zeros))
        tasks = decompose(solution(robot, 1, 1, 1).graph)
        constants = [
            operand.source.value
            for task in tasks.tasks
            for operand in task.operands.values()
            if isinstance(operand.source, Constant)
        ]
        assert all(not x or abs(x) > 1e-9 * min(1, size**2) for x in constants)


def test_a_pose_out_of_reach_is_no_number():
    far = np.eye(4)
    far[0, 3] = 2.0
    near = np.eye(4)
    near[0, 3] = 0.1  # nearer to axis 1 than the shoulder is wide
    both = np.stack([far, near, poses(PUMA, 1)[0]])
    found = decompose(solution(PUMA, 1, 1, 1).graph).evaluate(pose=both)["result"]
    assert np.isfinite(found[0, 0]) and np.isnan(found[0, 1:3]).all()
    assert np.isnan(found[1]).all() and np.isfinite(found[2]).all()


# -- inverse dynamics ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("robot", "most"),
    [(px.load("planar3"), 26), (PUMA.subchain("link3", drop_rest=True), 58), (PUMA, 156)],
    ids=["planar3", "puma3", "puma6"],
)
def test_inverse_dynamics(robot, most):
    program = px.program(robot, "inverse_dynamics")
    tasks = decompose(program.graph)
    assert len(tasks.tasks) <= most
    assert tasks.angles <= {Input("q", k) for k in range(robot.n)}
    rng = np.random.default_rng(0)
    agree(tasks, program, {name: rng.uniform(-2, 2, (5, robot.n)) for name in tasks.inputs})


def test_a_long_robot_costs_as_much_a_joint_as_a_short_one():
    few, many = (
        len(decompose(px.program(px.robots.planar(n), "inverse_dynamics").graph).tasks)
        for n in (10, 30)
    )
    assert (few, many) == (117, 377)  # 13 a joint


@pytest.mark.parametrize("algorithm", px.algorithms("inverse_dynamics"))
def test_every_algorithm_of_inverse_dynamics(algorithm):
    program = px.program(px.load("planar3"), "inverse_dynamics", algorithm=algorithm)
    tasks = decompose(program.graph)
    rng = np.random.default_rng(0)
    agree(tasks, program, {name: rng.uniform(-2, 2, (5, 3)) for name in tasks.inputs})


def test_divisions_of_forward_dynamics():
    program = px.program(px.load("planar3"), "forward_dynamics")
    tasks = decompose(program.graph)
    assert tasks.counts["divide"] > 0
    rng = np.random.default_rng(0)
    agree(tasks, program, {name: rng.uniform(-2, 2, (5, 3)) for name in tasks.inputs})


# -- the rules, one by one -------------------------------------------------------------------------


def test_signs_and_powers_of_two_are_free():
    tasks = made(lambda x: [-x[0], 4 * x[1], -0.25 * x[0], 3.0], x=(2,))
    assert not tasks.tasks and tasks.stages == 0
    assert tasks.outputs["result"][1] == (
        Operand(Input("x", 0), -1),
        Operand(Input("x", 1), 1, 2),
        Operand(Input("x", 0), -1, -2),
        Operand(Constant(3.0)),
    )


def test_a_sum_begins_with_what_is_plain():
    """k products and p plain values, a constant among them: k + p - 1 tasks."""
    assert made(lambda x: x[0] * x[1] + x[2] * x[3], x=(4,)).counts == {"multiply": 2}
    assert made(lambda x: x[0] * x[1] + x[2] * x[3] + 1, x=(4,)).counts == {"multiply": 2}
    assert made(lambda x: x[0] * x[1] + x[2] + 3 * x[3], x=(4,)).counts == {"multiply": 2}
    counts = made(lambda x: x[0] * x[1] + x[2] + x[3] + 1, x=(4,)).counts
    assert counts == {"multiply": 1, "add": 2}
    assert made(lambda x: x[0] + x[1] - x[2] + 1, x=(4,)).counts == {"add": 3}
    assert made(lambda x: x[0] / x[1] + x[2] * x[3], x=(4,)).counts == {"multiply": 1, "divide": 1}


def test_a_sum_waits_for_what_is_late_only():
    def function(x):
        late = x[0] * x[1] * x[2] * x[3]
        return late * x[0] + x[0] * x[2] + x[1] * x[3] + x[2] * x[2]

    assert made(function, x=(4,)).stages == 4
    assert made(function, x=(4,), identities=False).stages == 7  # in the order it is written in


def test_sums_that_differ_by_a_constant_share():
    def function(x):
        s = x[0] * x[1] + x[2] * x[2]
        return [s + 1, s - 2, 8 - 4 * s]

    tasks = made(function, x=(3,))
    assert tasks.counts == {"multiply": 2, "add": 1}  # 8 - 4 s is -4 (s - 2)
    assert tasks.outputs["result"][1][2] == Operand(Result(2, "Y"), -1, 2)


def test_what_is_plain_without_its_constant_is_not_made_of_what_has_one():
    def function(x):
        less = 0.3 - x[0]
        return [less, (0.3 - less) * x[1], x[0] + 2.0]

    tasks = made(function, x=(2,))
    assert tasks.counts == {"add": 2, "multiply": 1} and tasks.stages == 1


def test_a_product_that_is_there_begins_a_sum():
    tasks = made(lambda x: [x[0] * x[1], x[0] * x[1] + x[2] * x[3]], x=(4,))
    assert tasks.counts == {"multiply": 2}


def test_a_product_with_a_sum_that_was_written_out_before():
    def function(x):
        a, b, c = x
        written, sum_ = a * b + a * c, b + c
        return [written, sum_, a * sum_ + written, (a * sum_ - written) * b + c]

    tasks = made(function, turns=False, x=(3,))
    assert tasks.counts == {"multiply": 2, "add": 1}
    ((_, (written, _, twice, c)),) = tasks.outputs.values()
    assert (twice.source, twice.shift) == (written.source, 1) and c.source == Input("x", 2)


def test_a_product_with_a_sum_and_a_constant_is_not_that_with_the_sum():
    def function(x):
        product = x[0] * x[1]
        return [product * product, x[0] * (x[1] + 1)]

    assert made(function, turns=False, x=(2,)).counts == {"multiply": 3, "add": 1}


def test_a_constant_times_a_value_that_is_used_often_is_made_once():
    def function(x):
        scaled = 0.3 * x[0]
        return [scaled * x[1], scaled * x[2], scaled * x[3]]

    assert made(function, x=(4,)).counts == {"multiply": 4}


def test_a_plane_rotation_is_one_task():
    def function(q, x):
        C, S = px.math.cos(q), px.math.sin(q)
        x, y = x
        turned = [x * C - y * S, y * C + x * S, x * S + y * C, y * S - x * C, 2 * x * C - 2 * y * S]
        back = [x * px.math.cos(-q) + y * px.math.sin(-q)]
        return turned + back

    tasks = made(function, q=(), x=(2,))
    assert tasks.counts == {"rotate": 1}
    assert tasks.angles == {Input("q", 0)}
    assert tasks.is_angle(Input("q", 0)) and not tasks.is_angle(Input("x", 0))


def test_a_lone_sine_shares_with_its_cosine():
    assert made(lambda q, x: [x * px.math.sin(q), x * px.math.cos(q)], q=(), x=()).counts == {
        "rotate": 1
    }
    assert made(lambda q: [px.math.sin(q), px.math.cos(q), 3 * px.math.sin(q)], q=()).counts == {
        "rotate": 2
    }


def test_a_sine_turned_by_another_angle():
    def function(q):
        return px.math.sin(q[0]) * px.math.cos(q[1]) + px.math.cos(q[0]) * px.math.sin(q[1])

    assert made(function, q=(2,)).counts == {"rotate": 2}


def test_turning_by_a_sum_of_angles_and_by_quarter_turns_more():
    def function(q, x):
        return [
            x * px.math.cos(q[0] + q[1]),
            x * px.math.sin(q[0] + q[1] + math.pi / 2),
            x * px.math.sin(-q[1] - q[0] - math.pi),
            q[0] + q[1],
        ]

    assert made(function, q=(2,), x=()).counts == {"rotate": 1, "add": 1}


def test_the_polar_identity():
    def function(x):
        angle = px.math.atan2(x[1], x[0])
        C, S = px.math.cos(angle), px.math.sin(angle)
        return [C * x[0] + S * x[1], C * x[1] - S * x[0]]

    tasks = made(function, x=(2,))
    assert tasks.counts == {"vector": 1}
    assert tasks.outputs["result"][1] == (Operand(Result(0, "X")), Operand(Constant(0.0)))
    assert made(function, x=(2,), identities=False).counts == {"rotate": 1, "vector": 1}


def test_the_flipped_wrist_takes_one_task():
    """An angle and half a turn more: turning by one is turning by the other, with its sign."""

    def function(x):
        angle = px.math.atan2(x[0], x[1])
        return [angle + math.pi, x[2] * px.math.cos(angle), x[2] * px.math.sin(angle)]

    assert made(function, x=(3,)).counts == {"rotate": 1, "vector": 1}


def test_angles_are_added_by_the_task_that_finds_one():
    def difference(x):
        return px.math.atan2(x[0], x[1]) - px.math.atan2(x[2], x[3])

    assert made(difference, x=(4,)).counts == {"vector": 2}
    assert made(lambda x: difference(x) + 1, x=(4,)).counts == {"vector": 2}
    assert made(lambda x: 1 - px.math.atan2(x[0], x[1]), x=(2,)).counts == {"vector": 1}
    tasks = made(
        lambda x: [difference(x), px.math.atan2(x[0], x[1]), px.math.atan2(x[2], x[3])], x=(4,)
    )
    assert tasks.counts == {"vector": 2, "add": 1}
    assert [task.angle for task in tasks.tasks] == [False, False, True]
    assert tasks.is_angle(Result(2, "Y")) and not tasks.is_angle(Result(0, "X"))


def test_an_angle_asked_for_with_and_without_what_its_task_adds():
    def function(x):
        first, second = px.math.atan2(x[0], x[1]), px.math.atan2(x[2], x[1])
        return [first - second, second + 1.0, first + second + 2]

    assert made(function, x=(3,)).counts["vector"] == 2


def test_the_angle_of_zero_over_a_root_is_a_constant():
    def function(x):
        r = px.math.sqrt(x[0] * x[0] + x[1] * x[1])
        return [px.math.atan2(0.0, r), px.math.atan2(0.0, -r), r]

    tasks = made(function, x=(2,))
    assert tasks.counts == {"vector": 1}
    constants = [operand.source.value for operand in tasks.outputs["result"][1][:2]]
    assert constants == pytest.approx([0.0, math.pi])


def test_square_roots():
    def counts(function, size):
        return made(lambda x: function(*x), x=(size,)).counts

    assert counts(lambda x, y: px.math.sqrt(x * x + y * y), 2) == {"vector": 1}
    assert counts(lambda x, y: [px.math.sqrt(x * x + y * y), px.math.atan2(x, y)], 2) == {
        "vector": 1
    }
    assert counts(lambda x, y: px.math.sqrt(px.math.maximum(x * x + y * y - 0.1, 0.0)), 2) == {
        "vector": 1,
        "root": 1,
    }
    assert counts(lambda x, y, z: px.math.sqrt(x * x + y * y + z * z), 3) == {"vector": 2}
    assert counts(lambda x: px.math.sqrt(9 - x * x), 1) == {"root": 1}
    assert counts(lambda x: px.math.sqrt((3 - x) * (3 + x)), 1) == {"root": 1}
    assert counts(lambda x, y: px.math.sqrt(x * y), 2) == {"multiply": 1, "mean": 1}
    assert counts(lambda x, y: px.math.sqrt(px.math.sqrt(x) * px.math.sqrt(y)), 2) == {"mean": 3}
    assert counts(lambda x: px.math.sqrt(x), 1) == {"mean": 1}
    assert counts(lambda x: px.math.sqrt(3 * x), 1) == {"mean": 1}
    assert counts(lambda x, y: px.math.sqrt(x + 3 * y + 1), 2) == {
        "multiply": 1,
        "add": 1,
        "mean": 1,
    }


def test_factors_that_add_up_to_a_constant():
    """However they are written: (x + y) (3 - x - y) is (3/2)² - (x + y - 3/2)²."""

    def function(x, y):
        sum_ = x + y
        return [px.math.sqrt(sum_ * (4.5 - sum_)), px.math.sqrt((4.5 - sum_) * sum_), sum_ - 2.25]

    assert made(lambda x: function(*x), x=(2,)).counts == {"add": 2, "root": 1}


def test_roots_of_squares_of_negative_numbers():
    program = px.trace(
        lambda x: [px.math.sqrt(x * x), px.math.sqrt(x * x - 1), px.math.sqrt(x * (x - 1))], x=()
    )
    agree(decompose(program.graph), program, {"x": np.array([-3.0, -1.5, 2.0])})


def test_a_sum_of_squares_is_the_square_of_what_a_vectoring_task_gives():
    def function(x):
        return [x[0] * x[0] + x[1] * x[1] + 3, px.math.atan2(x[0], x[1])]

    assert made(function, x=(2,)).counts == {"vector": 1, "multiply": 1}
    assert made(function, x=(2,), identities=False).counts == {"vector": 1, "multiply": 2}


def test_a_sum_of_squares_in_other_parts_is_made_of_them():
    def function(x):
        return [2 * x[0] * x[0] + 7 * x[1] * x[1], px.math.atan2(x[0], x[1])]

    assert made(function, turns=False, x=(2,)).counts == {"vector": 1, "multiply": 3}


@pytest.mark.parametrize("identities", [True, False])
def test_random_functions(identities):
    done = 0
    for seed in range(60):
        program = px.trace(random_function(seed), x=(3,), q=(2,))
        try:
            tasks = decompose(program.graph, identities)
        except px.ProgramError as refusal:
            assert "an angle is doubled" in str(refusal)
            continue
        rng = np.random.default_rng(seed)
        arrays = {"x": rng.uniform(-2, 2, (4, 3)), "q": rng.uniform(-3, 3, (4, 2))}
        found, expected = tasks.evaluate(**arrays), program.evaluate(**arrays)
        there = np.isfinite(np.hstack([*expected.values()])).all(-1)  # all roots that are read
        numbers, angles = (
            (found[name][there], expected[name][there]) for name in ("numbers", "angles")
        )
        scale = np.maximum(1, abs(numbers[1]))
        np.testing.assert_allclose(numbers[0] / scale, numbers[1] / scale, rtol=0, atol=1e-6)
        np.testing.assert_allclose(np.exp(1j * angles[0]), np.exp(1j * angles[1]), atol=1e-6)
        done += there.sum()
    assert done > 120


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            lambda x, y: abs(x),
            r"expected operations of CORDIC processors "
            r"\(\*, \+, -, /, atan2, cos, sin, sqrt\), found absolute",
        ),
        (lambda x, y: px.math.sign(x), "found sign"),
        (lambda x, y: px.math.select(x < y, x, y), "found less"),
        (lambda x, y: px.math.minimum(x, y), "found minimum"),
        (
            lambda x, y: px.math.maximum(x, 0.0),
            r"maximum is only supported as sqrt\(maximum\(e, 0\)\)",
        ),
        (lambda x, y: px.math.sqrt(px.math.maximum(x, y)), r"maximum is only supported as"),
        (
            lambda x, y: [px.math.atan2(x, y), 2 * px.math.atan2(x, y)],
            r"\*: expected numbers, found an angle",
        ),
        (lambda x, y: 2 * px.math.atan2(x, y), r"\*: expected numbers, found an angle"),
        (
            lambda x, y: px.math.atan2(x, y) + x * y,
            r"angles can be .* the result of \*",
        ),
        (
            lambda x, y: px.math.sin(x * y),
            r"the result of \* is added to an angle or used under a sine",
        ),
        (lambda x, y: px.math.sin(x + x), "an angle is doubled"),
        (lambda x, y: x / (x + y - y - x), "a division by 0"),
        (lambda x, y: px.math.sin(x) * x, r"\*: expected numbers, found an angle"),
    ],
)
def test_what_no_processor_does(function, words):
    with pytest.raises(px.ProgramError, match=f"program: .*{words}"):
        decompose(px.trace(function, x=(), y=()).graph)


# -- the tasks themselves --------------------------------------------------------------------------


def test_the_meaning_of_every_task():
    x, y, z = (Operand(Input("v", k)) for k in range(3))
    tasks = (
        Task("rotate", x, y, z),
        Task("vector", x, y, z),
        Task("root", x, y),
        Task("mean", x, y),
        Task("multiply", x, y, z),
        Task("divide", x, y, z),
        Task("add", x, y),
    )
    ports = ["X", "Y"], ["X", "Z"], ["X"], ["X"], ["Y"], ["Z"], ["Y"]
    operands = tuple(Operand(Result(k, port)) for k, some in enumerate(ports) for port in some)
    whole = CordicTasks("all", {"v": (3,)}, tasks, {"out": ((9,), operands)})
    found = whole.evaluate(v=[[5.0, 3.0, 0.1], [3.0, 5.0, 0.1], [5.0, -3.0, 0.1]])["out"]
    turned = complex(5, 3) * np.exp(0.1j)
    assert found[0] == pytest.approx(
        [turned.real, turned.imag, math.sqrt(34), 0.1 + math.atan2(3, 5), 4.0]
        + [math.sqrt(15), 3.5, 0.7, 8.0]
    )
    assert np.isnan(found[2, 5]) and np.isfinite(np.delete(found[2], 5)).all()
    assert np.isnan(found[1, 4]) and np.isfinite(np.delete(found[1], 4)).all()


def test_how_tasks_are_shown():
    program = px.trace(lambda p: {"r": px.math.sqrt(p[0] * p[0] + p[1] * p[1] - 0.25)}, p=(2,))
    tasks = decompose(program.graph)
    assert str(tasks) == (
        "program: 2 tasks in 2 stages (1 vector, 1 root)\n"
        "   0  T1   vector(x=p[0], y=p[1], z=0)\n"
        "   1  T2   root(x=T1.X, y=0.5)  # r\n"
        "      r = T2.X"
    )
    assert repr(tasks) == "<CordicTasks program: 2 tasks in 2 stages (1 vector, 1 root)>"
    assert tasks.shown(Operand(Result(0, "X"), -1, -3)) == "-1/8 T1.X"


def test_batches_and_wrong_arrays():
    tasks = decompose(px.trace(lambda x, y: x[0] * y + x[1], x=(2,), y=()).graph)
    found = tasks.evaluate(x=np.ones((3, 1, 2)), y=np.arange(4.0))["result"]
    assert (found == np.arange(4.0) + 1).all() and found.shape == (3, 4)
    with pytest.raises(px.ArgumentError, match=r"x: expected an array of shape \(..., 2\), found"):
        tasks.evaluate(x=np.ones(3), y=1.0)
    with pytest.raises(px.ArgumentError, match="expected .'x', 'y'., found .'x'."):
        tasks.evaluate(x=np.ones(2))
