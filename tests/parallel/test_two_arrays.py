"""Fijany's two arrays: the plan is right, costs are those of its tasks, times add up."""

import random
from dataclasses import replace

import numpy as np
import pytest
from support.robots import random_axis, random_inertia, random_pose

import paraxis as px
from paraxis.parallel.two_arrays import blocks
from paraxis.parallel.two_arrays.closed_chain import RIGHT_HAND_SIDES, closed_chain
from paraxis.parallel.two_arrays.elimination import ALLOCATIONS
from paraxis.parallel.two_arrays.flops import dense, symmetric_pattern, traced, words
from paraxis.parallel.two_arrays.joints import TURNING
from paraxis.parallel.two_arrays.machine import carried_out
from paraxis.parallel.two_arrays.script import Do, Script, Send
from paraxis.parallel.two_arrays.serial import serial_flops
from paraxis.parallel.two_arrays.timing import timed
from paraxis.parallel.two_arrays.wiring import NETWORKS, SHUFFLED, Wiring, row


def random_arm(n, seed=1, kinds=None, rotors=()):
    rng = random.Random(seed)
    joints = [
        px.robots.Joint(f"j{i}", kind, i - 1, random_pose(rng), random_axis(rng))
        for i, kind in enumerate(kinds or ["revolute"] * n)
    ]
    joints = [replace(each, rotor_inertia=0.3 * (i in rotors)) for i, each in enumerate(joints)]
    inertias = [random_inertia(rng) for _ in range(n)]
    tip = px.robots.Frame("tip", n - 1, random_pose(rng))
    return px.Robot("arm", joints, inertias, [tip], (1, 2, -9), random_pose(rng))


def turning(n, allocation, right_hand_sides, wiring=None):
    """The script of n revolute joints on two arrays."""
    wiring = wiring or Wiring(SHUFFLED, n, row(n))
    return closed_chain((TURNING,) * n, allocation, right_hand_sides, 2, wiring)


def random_contact(rng, constrained):
    directions = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    return {
        "constraint": directions[:, :constrained],
        "acceleration": rng.normal(size=constrained),
        "motion": directions[:, constrained:],
        "force": rng.normal(size=6 - constrained),
    }


def dense_solution(robot, q, qd, tau, contact):
    """Joint accelerations and the force of the arm at its tip, from one linear system."""

    def of(function, algorithm=None, **frame):  # interpreted, which is sooner done than compiling
        program = px.program(robot, function, algorithm, **frame)
        return program.evaluate(**{"q": q, "qd": qd} if "qd" in program.inputs else {"q": q})

    turned = of("forward_kinematics", frame="tip")[:3, :3]
    J = of("jacobian", frame="tip", coordinates="body")
    bias = of("bias_acceleration", frame="tip").reshape(2, 3) @ turned
    W, given = contact["constraint"], contact["motion"] @ contact["force"]
    k = W.shape[1]
    left = np.block([[of("mass_matrix", "composite_body"), J.T @ W], [W.T @ J, np.zeros((k, k))]])
    forces = tau - of("bias_forces", "newton_euler") - J.T @ given
    right = np.concatenate((forces, contact["acceleration"] - W.T @ bias.ravel()))
    found = np.linalg.solve(left, right)
    return found[: robot.nv], given + W @ found[robot.nv :]


def error(found, reference):
    return abs(found - reference).max() / max(1, abs(reference).max())


@pytest.mark.parametrize("n", [2, 4, *(pytest.param(n, marks=pytest.mark.long) for n in (6, 9))])
def test_the_plan_computes_the_motion_in_contact(n):
    robot, rng = random_arm(n), np.random.default_rng(n)
    state, contact = rng.normal(size=(3, n)), random_contact(rng, min(n, 3))
    qdd, force = dense_solution(robot, *state, contact)
    for allocation in ALLOCATIONS:
        for right_hand_sides in RIGHT_HAND_SIDES:
            for arrays, word_time in ((1, 3), (2, 0), (2, 7)):
                plan = px.parallel.two_array_plan(
                    n, allocation, word_time, 0, right_hand_sides, arrays
                )
                found = plan.carry_out(robot, *state, **contact)
                assert error(found[0], qdd) < 1e-9
                assert error(found[1], force) < 1e-9


def in_motion(robot, rng):
    q = px.integrate(robot, px.neutral(robot), rng.normal(size=robot.nv))
    return q, *rng.normal(size=(2, robot.nv))


WAYS = (
    {"allocation": "first", "word_time": 3, "arrays": 1},
    {"word_time": 2, "processors": 2},
    {"network": "hypercube", "word_time": 2, "right_hand_sides": "six arrays"},
    {"network": "hypercube", "processors": 1, "right_hand_sides": "left out"},
)


@pytest.mark.parametrize(
    ("kinds", "rotors"),
    [
        (["spherical", "prismatic", "revolute", "spherical"], (0, 1, 2)),
        *(
            pytest.param(kinds.split(), rotors, marks=pytest.mark.long)
            for kinds, rotors in (
                ("revolute prismatic revolute prismatic revolute", ()),
                ("revolute revolute revolute revolute revolute", (0, 2, 3)),
                ("prismatic revolute spherical revolute revolute", ()),
                ("prismatic prismatic revolute revolute prismatic", (0, 4)),
            )
        ),
    ],
)
def test_joints_that_slide_turn_about_a_point_or_have_rotors(kinds, rotors):
    """On as many processors as links or fewer, on either network."""
    robot, rng = random_arm(len(kinds), 1, kinds, rotors), np.random.default_rng(3)
    state, contact = in_motion(robot, rng), random_contact(rng, 3)
    qdd, force = dense_solution(robot, *state, contact)
    for way in WAYS:
        plan = px.parallel.two_array_plan(robot, **way)
        found = plan.carry_out(robot, *state, **contact)
        assert error(found[0], qdd) < 1e-9
        assert error(found[1], force) < 1e-9


def test_a_plan_of_a_robot_of_revolute_joints_is_that_of_their_number():
    plan, other = (px.parallel.two_array_plan(each, word_time=2) for each in (random_arm(4), 4))
    assert (plan.makespan, plan.speedup) == (other.makespan, other.speedup)
    geared = px.parallel.two_array_plan(random_arm(4, rotors=(1,)), word_time=2)
    ball = px.parallel.two_array_plan(random_arm(4, kinds=["revolute"] * 3 + ["spherical"]))
    assert geared.serial_flops > plan.serial_flops > ball.serial_flops


# -- fewer processors than links -------------------------------------------------------------------


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("processors", [1, 2, 4])
def test_fewer_processors_do_the_same_one_after_another(network, processors):
    one_each = px.parallel.two_array_plan(8, network=network)
    plan = px.parallel.two_array_plan(8, word_time=1, processors=processors, network=network)
    assert plan.processors == 2 * processors
    assert plan.schedule.tasks.work == one_each.tasks.work
    assert plan.makespan > one_each.makespan
    assert plan.timing.busiest(Do) >= one_each.tasks.work / (2 * processors)
    along = [item for item in _sends(plan.timing.script) if item.source.array == item.target.array]
    assert any(item.hops.any() for item in along) == (processors > 1)


def test_processors_without_links_are_not_counted():
    """Each takes a power of two of links."""
    for n, processors, computing in ((10, 4, 3), (300, 64, 38), (8, 4, 4)):
        plan = px.parallel.two_array_plan(n, processors=processors)
        assert plan.processors == 2 * computing


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize(("n", "processors"), [(8, 2), (13, 4), (8, 8)])
def test_messages_of_shared_processors_cross_links_that_there_are(network, n, processors):
    script = turning(n, "second", "one array", Wiring(network, n, processors))
    net = script.wiring.two_arrays()
    for item in _sends(script):
        source, target = (
            script.row * site.array + script.places(site.layout)[blocks]
            for site, blocks in ((item.source, item.senders), (item.target, item.blocks))
        )
        ways = [len(net.route(int(a), int(b))) - 1 for a, b in zip(source, target, strict=True)]
        assert (ways <= item.hops).all()
        if network == "hypercube":
            assert (ways == item.hops).all()


# -- pieces ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("allocation", ALLOCATIONS)
@pytest.mark.parametrize("n", [3, 8, 11])
def test_elimination_solves_block_tridiagonal_systems(allocation, n):
    rng = np.random.default_rng(n)
    whole = np.zeros((n, 5, n, 5))
    given = {"A": {}, "B": {}, "ψ": {}}
    for i in range(n):
        given["ψ"][i] = rng.normal(size=5)
        square = rng.normal(size=(5, 5))
        whole[i, :, i] = given["A"][i] = square @ square.T + 20 * np.eye(5)
        if i < n - 1:
            whole[i, :, i + 1] = given["B"][i] = rng.normal(size=(5, 5))
            whole[i + 1, :, i] = given["B"][i].T
    patterns = {
        "A": [symmetric_pattern(5)] * n,
        "B": [dense(5, 5)] * (n - 1) + [None],
        "ψ": [dense(5)] * n,
    }
    script = Script(Wiring(SHUFFLED, n, row(n)), 2, patterns)
    method = ALLOCATIONS[allocation]
    A = method.diagonalise(script, 0, [[1]])
    right_side = method.right_side(script, "ψ", 1)
    found = carried_out(timed(script, word_time=2), given)
    solution = [np.linalg.solve(found[A][i], found[right_side][i]) for i in range(n)]
    right = np.concatenate([given["ψ"][i] for i in range(n)])
    expected = np.linalg.solve(whole.reshape(5 * n, 5 * n), right)
    assert error(np.concatenate(solution), expected) < 1e-12


def test_a_message_that_is_not_sent_is_missed():
    script = turning(4, "second", "left out")
    robot, rng = random_arm(4), np.random.default_rng(0)
    plan = px.parallel.two_array_plan(4, right_hand_sides="left out")
    lost = next(
        k for k, item in enumerate(script.items) if isinstance(item, Send) and item.value == "C"
    )
    plan.timing = replace(
        plan.timing,
        script=_without(script, lost),
        starts=[start for k, start in enumerate(plan.timing.starts) if k != lost],
    )
    with pytest.raises(px.ScheduleError, match="expected C of block 0 on processor"):
        plan.carry_out(robot, *rng.normal(size=(3, 4)), **random_contact(rng, 3))


def _without(script, number):
    other = object.__new__(Script)
    other.__dict__.update(script.__dict__)
    other.items = [item for k, item in enumerate(script.items) if k != number]
    return other


# -- costs -----------------------------------------------------------------------------------------


def test_flops_and_words_are_those_of_the_functions():
    flops, factors = traced(blocks.factor, [symmetric_pattern(5)])
    assert (flops, words(factors)) == (10 * 2 + 10 * 2 + 10 + 10 + 5, 15)
    assert traced(blocks.solve, [factors, dense(5)])[0] == 45
    flops, C = traced(blocks.toward_outer, [factors, dense(5, 5)])
    assert (flops, words(C)) == (5 * 45, 25)
    flops, D = traced(blocks.for_outer, [C, dense(5, 5)])
    assert (flops, words(D)) == (15 * 9, 15)
    assert traced(blocks.less, [symmetric_pattern(5), D, None])[0] == 15
    sent = {item.value: item.words[0] for item in _sends(turning(8, "second", "one array"))}
    assert {name: sent[name] for name in "ABCDFG"} == dict(A=15, B=25, C=25, D=15, F=25, G=15)
    assert (sent["inverse inertia"], sent["Λ⁻¹"], sent["ψ E"], sent["X²₀ E"]) == (21, 21, 30, 5)


def _sends(script):
    return [item for item in script.items if isinstance(item, Send)]


def test_the_first_allocation_factors_twice():
    """That is all it computes more, where a block has partners on both sides."""
    both = {}
    for allocation in ALLOCATIONS:
        items = turning(16, allocation, "one array").items
        both[allocation] = sum(
            item.flops[item.blocks == 8].sum()
            for item in items
            if isinstance(item, Do) and item.part == "I.b" and item.round == 1
        )
    assert both["first"] - both["second"] == traced(blocks.factor, [symmetric_pattern(5)])[0]


def test_serial_flops_grow_by_as_much_with_every_link():
    costs = [serial_flops((TURNING,) * n) for n in range(3, 9)]
    assert len({*np.diff(costs)}) == 1
    plan = px.parallel.two_array_plan(64, right_hand_sides="left out")
    assert plan.serial_flops == costs[0] + 61 * (costs[1] - costs[0]) < plan.tasks.work


# -- times -----------------------------------------------------------------------------------------


def test_right_hand_sides_of_the_tip_are_left_as_they_are():
    """Nothing ever reaches the last block of ψ: Λ⁻¹ needs no right-hand side to be updated."""
    robot, rng = random_arm(9), np.random.default_rng(4)
    state, contact = rng.normal(size=(3, 9)), random_contact(rng, 3)
    plans = [px.parallel.two_array_plan(9, right_hand_sides=each) for each in RIGHT_HAND_SIDES]
    found = [plan.carry_out(robot, *state, **contact)[0] for plan in plans]
    assert (found[0] == found[2]).all() and (found[1] == found[2]).all()
    assert plans[2].makespan < plans[1].makespan < plans[0].makespan
    assert (
        px.parallel.two_array_plan(9, right_hand_sides="left out", arrays=1).makespan
        < plans[0].makespan
    )


@pytest.mark.parametrize("word_time", [0, 1, 2.5])
@pytest.mark.parametrize("right_hand_sides", RIGHT_HAND_SIDES)
def test_the_schedule_is_the_plan(word_time, right_hand_sides):
    """Schedule checks precedence and that no processor does two things at once."""
    plan = px.parallel.two_array_plan(6, "first", word_time, right_hand_sides=right_hand_sides)
    items = plan.timing.script.items
    kinds = (Do, Send) if word_time else Do
    assert len(plan.tasks) == sum(len(item.blocks) for item in items if isinstance(item, kinds))
    assert plan.schedule.makespan == pytest.approx(plan.makespan)
    computed = sum(item.flops.sum() for item in items if isinstance(item, Do))
    assert plan.tasks.work == computed
    assert plan.schedule.bound <= plan.makespan
    page = plan.to_html()
    assert "step I.b" in page
    assert f"makespan, on {plan.processors} processors" in page
    assert f"<b>{plan.speedup:.2f}×</b>" in page
    assert ('"senders":[]' in page) == (word_time == 0)


@pytest.mark.parametrize("n", [4, 8, 13])
@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_messages_cross_as_many_links_as_there_are_on_the_way(allocation, n):
    script = turning(n, allocation, "one array")
    net = script.wiring.two_arrays()
    for item in _sends(script):
        source, target = (
            script.row * site.array + script.places(site.layout)[blocks]
            for site, blocks in ((item.source, item.senders), (item.target, item.blocks))
        )
        ways = [len(net.route(int(a), int(b))) - 1 for a, b in zip(source, target, strict=True)]
        assert (ways <= item.hops).all()  # a few, as those of block 0, have a shorter way
        if len(ways) == n:
            assert max(ways) == max(item.hops)


def test_messages_of_the_second_allocation_are_hidden_better():
    for n in (8, 64):
        first, second = (px.parallel.two_array_plan(n, each, word_time=4) for each in ALLOCATIONS)
        assert second.hidden > 0.7 > first.hidden
        assert second.exposed < first.exposed
        assert second.communication("I.b") < second.computation("I.b")
    free = px.parallel.two_array_plan(8)
    assert (free.exposed, free.communication(), free.hidden) == (0, 0, 1)


def test_step_two_is_done_under_step_one():
    for n in (4, 64, 1024):
        plan = px.parallel.two_array_plan(n)
        assert plan.slack == plan.ends["I.c"] - plan.ends["II.d"] > 0
    assert px.parallel.two_array_plan(64, startup=1000, right_hand_sides="six arrays").slack < 0


def test_a_word_to_the_far_end_takes_a_shortest_way():
    wiring = Wiring(SHUFFLED, 8, 8)
    assert wiring.route_hops(0, -1) == len(wiring.two_arrays().route(0, 7)) - 1


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"arm": 1}, "arm: expected an integer >= 2, found 1"),
        ({"arm": 10**12}, "arm: expected at most 16,384 links"),
        ({"allocation": "third"}, "allocation: expected one of 'first', 'second', found 'third'"),
        ({"word_time": -1}, "word_time: expected a time >= 0, found -1"),
        ({"startup": "slow"}, "startup: expected a time >= 0, found 'slow'"),
        ({"arrays": 3}, "arrays: expected one of 1, 2, found 3"),
        ({"right_hand_sides": []}, "right_hand_sides: expected one of 'one array'"),
        ({"processors": 3}, "processors: expected a power of two up to 8 for 8 links, found 3"),
        ({"processors": 16}, "processors: expected a power of two up to 8 for 8 links, found 16"),
        ({"network": "ring"}, "network: expected one of 'shuffle_exchange_neighbours', 'hyper"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(px.ArgumentError, match=message):
        px.parallel.two_array_plan(**{"arm": 8} | arguments)


def test_only_plain_chains_are_carried_out():
    rng = np.random.default_rng(0)
    arm, contact = random_arm(3), random_contact(rng, 3)
    state = rng.normal(size=(3, 3))
    plan = px.parallel.two_array_plan(3)

    def carry_out(**changes):
        joint = replace(arm.joints[1], **changes.pop("joint", {}))
        robot = replace(arm, joints=(arm.joints[0], joint, arm.joints[2]), **changes)
        plan.carry_out(robot, *state, **contact)

    with pytest.raises(px.RobotError, match="joint 'j1' is helical; .* revolute, prismatic and s"):
        carry_out(joint={"kind": "helical", "pitch": 0.1})
    for other in ({"kind": "prismatic"}, {"rotor_inertia": 0.5}):
        with pytest.raises(px.ArgumentError, match="joints 'j1' are not those of the plan"):
            carry_out(joint=other)
    with pytest.raises(px.ArgumentError, match="branches; the two-array plan is for chains only"):
        carry_out(joint={"parent": -1})
    with pytest.raises(px.RobotError, match="link of joint 'j2' has no positive definite inertia"):
        carry_out(inertias=(*arm.inertias[:2], px.robots.Inertia()))
    with pytest.raises(px.ArgumentError, match="robot: expected 4 joints, found 3"):
        px.parallel.two_array_plan(4).carry_out(arm, *state, **contact)
    for change, message in (
        ({"motion": 2 * contact["motion"]}, "the columns must be orthonormal"),
        ({"constraint": np.eye(3)}, r"constraint: expected 6 rows, found shape \(3, 3\)"),
        ({"force": [1.0]}, r"force: expected shape \(3,\), one per column of motion, found"),
        ({"acceleration": "x"}, "acceleration: expected an array of numbers, found 'x'"),
    ):
        with pytest.raises(px.ArgumentError, match=message):
            plan.carry_out(arm, *state, **contact | change)
    with pytest.raises(px.ArgumentError, match=r"qd: expected shape \(3,\), found \(2,\)"):
        plan.carry_out(arm, state[0], state[1][:2], state[2], **contact)
