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
from paraxis.parallel.two_arrays.machine import carried_out
from paraxis.parallel.two_arrays.script import Do, Script, Send
from paraxis.parallel.two_arrays.serial import serial_flops
from paraxis.parallel.two_arrays.timing import timed
from paraxis.parallel.two_arrays.wiring import route_hops, wires


def random_arm(n, seed=1):
    rng = random.Random(seed)
    joints = [
        px.robots.Joint(f"j{i}", "revolute", i - 1, random_pose(rng), random_axis(rng))
        for i in range(n)
    ]
    inertias = [random_inertia(rng) for _ in range(n)]
    tip = px.robots.Frame("tip", n - 1, random_pose(rng))
    return px.Robot("arm", joints, inertias, [tip], (1, 2, -9), random_pose(rng))


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
    turned = px.forward_kinematics(robot, q, "tip")[:3, :3]
    J = px.jacobian(robot, q, "tip", "body")
    bias = px.bias_acceleration(robot, q, qd, "tip").reshape(2, 3) @ turned
    W, given = contact["constraint"], contact["motion"] @ contact["force"]
    k = W.shape[1]
    left = np.block([[px.mass_matrix(robot, q), J.T @ W], [W.T @ J, np.zeros((k, k))]])
    forces = tau - px.bias_forces(robot, q, qd) - J.T @ given
    right = np.concatenate((forces, contact["acceleration"] - W.T @ bias.ravel()))
    found = np.linalg.solve(left, right)
    return found[: robot.n], given + W @ found[robot.n :]


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
    script = Script(
        n,
        2,
        {
            "A": (symmetric_pattern(5), None),
            "B": (dense(5, 5), slice(-1)),
            "ψ": (dense(5), None),
        },
    )
    method = ALLOCATIONS[allocation]
    A = method.diagonalise(script, 0, [[1]])
    right_side = method.right_side(script, "ψ", 1)
    found = carried_out(timed(script, word_time=2), given)
    solution = [np.linalg.solve(found[A][i], found[right_side][i]) for i in range(n)]
    right = np.concatenate([given["ψ"][i] for i in range(n)])
    expected = np.linalg.solve(whole.reshape(5 * n, 5 * n), right)
    assert error(np.concatenate(solution), expected) < 1e-12


def test_a_message_that_is_not_sent_is_missed():
    script = closed_chain(4, "second", "left out", 2)
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
    sent = {item.value: item.words for item in _sends(closed_chain(8, "second", "one array", 2))}
    assert {name: sent[name] for name in "ABCDFG"} == dict(A=15, B=25, C=25, D=15, F=25, G=15)
    assert (sent["inverse inertia"], sent["Λ⁻¹"], sent["ψ E"], sent["X²₀ E"]) == (21, 21, 30, 5)


def _sends(script):
    return [item for item in script.items if isinstance(item, Send)]


def test_the_first_allocation_factors_twice():
    """That is all it computes more, where a block has partners on both sides."""
    both = {}
    for allocation in ALLOCATIONS:
        items = closed_chain(16, allocation, "one array", 2).items
        both[allocation] = sum(
            item.flops[item.blocks == 8].sum()
            for item in items
            if isinstance(item, Do) and item.part == "I.b" and item.round == 1
        )
    assert both["first"] - both["second"] == traced(blocks.factor, [symmetric_pattern(5)])[0]


def test_serial_flops_grow_by_as_much_with_every_link():
    costs = [serial_flops(n) for n in range(3, 9)]
    assert len({*np.diff(costs)}) == 1
    assert serial_flops(64) < px.parallel.two_array_plan(64, right_hand_sides="left out").tasks.work


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
    script, net = closed_chain(n, allocation, "one array", 2), wires(n)
    for item in _sends(script):
        source, target = (
            script.row * site.array + script.places(site.layout)[blocks]
            for site, blocks in ((item.source, item.senders), (item.target, item.blocks))
        )
        ways = [len(net.route(int(a), int(b))) - 1 for a, b in zip(source, target, strict=True)]
        assert max(ways) <= item.hops  # a few, as those of block 0, have a shorter way
        if len(ways) == n:
            assert max(ways) == item.hops


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
    assert route_hops(8, 0, 7) == len(wires(8).route(0, 7)) - 1


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 1}, "n: expected an integer >= 2, found 1"),
        ({"allocation": "third"}, "allocation: expected one of 'first', 'second', found 'third'"),
        ({"word_time": -1}, "word_time: expected a time >= 0, found -1"),
        ({"startup": "slow"}, "startup: expected a time >= 0, found 'slow'"),
        ({"arrays": 3}, "arrays: expected one of 1, 2, found 3"),
        ({"right_hand_sides": []}, "right_hand_sides: expected one of 'one array'"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(px.ArgumentError, match=message):
        px.parallel.two_array_plan(**{"n": 8} | arguments)


def test_only_plain_chains_are_carried_out():
    rng = np.random.default_rng(0)
    arm, contact = random_arm(3), random_contact(rng, 3)
    state = rng.normal(size=(3, 3))
    plan = px.parallel.two_array_plan(3)

    def carry_out(**changes):
        joint = replace(arm.joints[1], **changes.pop("joint", {}))
        robot = replace(arm, joints=(arm.joints[0], joint, arm.joints[2]), **changes)
        plan.carry_out(robot, *state, **contact)

    with pytest.raises(px.RobotError, match="joint 'j1' is prismatic; .* revolute joints only"):
        carry_out(joint={"kind": "prismatic"})
    with pytest.raises(px.RobotError, match="joint 'j1' has a reflected inertia of 0.5"):
        carry_out(joint={"rotor_inertia": 0.5})
    with pytest.raises(px.ArgumentError, match="branches; the two-array plan is for chains only"):
        carry_out(joint={"parent": -1})
    with pytest.raises(px.RobotError, match="link of joint 'j2' has no positive definite inertia"):
        carry_out(inertias=(*arm.inertias[:2], px.robots.Inertia()))
    with pytest.raises(px.ArgumentError, match="robot: expected 4 joints, found 3"):
        px.parallel.two_array_plan(4).carry_out(arm, *state, **contact)
    for change, message in (
        ({"motion": 2 * contact["motion"]}, "the columns must be orthonormal"),
        ({"constraint": np.eye(3)}, r"constraint: expected 6 rows, found shape \(3, 3\)"),
        ({"force": [1.0]}, r"force: expected shape \(3,\), found \(1,\)"),
    ):
        with pytest.raises(px.ArgumentError, match=message):
            plan.carry_out(arm, *state, **contact | change)
    with pytest.raises(px.ArgumentError, match=r"qd: expected shape \(3,\), found \(2,\)"):
        plan.carry_out(arm, state[0], state[1][:2], state[2], **contact)
