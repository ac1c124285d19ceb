"""Friction in streamlined tasks: doing them gives the torques of the motors; how many there are."""

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import relative_error, robots, states, with_losses
from support.subtasks import ancestors, done, shuffled

import paraxis as px
from paraxis.parallel.streamlined.table import MAKES
from paraxis.passes.count import COUNTED
from paraxis.robots.friction import NO_FRICTION
from paraxis.robots.transmission import IDEAL

CURVE = ((0.0, 0.3), (0.1, 0.5), (0.4, 0.8), (1.0, 0.9))
JOURNAL = px.robots.JournalBearing(0.1, 0.05, 0.2)
LINEAR = px.robots.LinearBearing(0.1, 0.2)
THRUST = px.robots.ThrustBearing(0.1, 0.05)
DRIVE = px.robots.Transmission(50.0, CURVE, break_away=2.0, torque_limit=60.0)


def lossy(robot, friction=NO_FRICTION, transmission=IDEAL, joints=None):
    """The robot with these losses in its joints, or in those of the given places."""
    chosen = range(robot.n) if joints is None else joints
    return replace(
        robot,
        joints=[
            replace(joint, friction=friction, transmission=transmission) if i in chosen else joint
            for i, joint in enumerate(robot.joints)
        ],
        warn=False,
    )


def check_inputs(robot, seed=0, moves=states):
    """Done in any order, the tasks give the torques of the motors; of three operations at most."""
    tasks, rng = px.streamlined_tasks(robot, friction=True), random.Random(seed)
    for q, qd, qdd in zip(*moves(robot), strict=True):
        expected = px.motor_torques(robot, q, qd, qdd).input
        assert relative_error(done(tasks, shuffled(tasks, rng), q, qd, qdd), expected) < 1e-12
    assert set(tasks.weights) <= {1}
    assert all(1 <= flops(nodes) <= 3 for nodes in tasks.operations)
    return tasks


def flops(nodes):
    return sum(node.op != "neg" and "logic" not in COUNTED[node.op] for node in nodes)


def sizes(tasks):
    return [len(nodes) for nodes in tasks.operations]


def resting(robot):
    """States with every pair of sgn(qd) and sgn(qdd) in every joint, at rest included."""
    q, qd, qdd = states(robot, 27)
    way = np.array([(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)] * 3)
    rng = np.random.default_rng(1)
    for i in range(robot.n):
        rows = rng.permutation(way)
        qd[:, i], qdd[:, i] = abs(qd[:, i]) * rows[:, 0], abs(qdd[:, i]) * rows[:, 1]
    return q, qd, qdd


def added(link, friction=NO_FRICTION, transmission=IDEAL):
    """What losses in one joint of the Stanford arm, whose third slides, add to Table 4.1."""
    arm = lossy(px.load("stanford"), friction, transmission, joints=[link - 1])
    tasks, plain = check_inputs(arm), px.streamlined_tasks(arm)
    old = set(plain.labels.values()) | {f"link {link}: {makes}" for makes in MAKES.values()}
    new = [label for name, label in tasks.labels.items() if label not in old]
    assert all(label.startswith(f"link {link}: ") for label in new)
    return Counter(label.split(": ")[1] for label in new)


# -- doing them ------------------------------------------------------------------------------------


@settings(max_examples=5)
@given(robots(joints=(1, 6), massless=True), st.integers(0, 9))
def test_done_in_any_order_the_tasks_give_the_torques_of_the_motors(robot, seed):
    check_inputs(with_losses(robot, seed), seed)


@settings(max_examples=6)
@given(robots(joints=(1, 4)), st.integers(0, 9))
def test_in_every_direction_and_at_rest(robot, seed):
    check_inputs(with_losses(robot, seed), seed, resting)


@pytest.mark.parametrize("ratio", [1.0, -1.0, 80.0])
@pytest.mark.parametrize("efficiency", [0.7, CURVE])
@pytest.mark.parametrize("break_away", [0.0, 3.0, 300.0])
def test_the_four_cases_of_table_3_2_and_sticking(ratio, efficiency, break_away):
    """One link that lifts or lowers, driven or braked; the most break-away holds it alone."""
    drive = px.robots.Transmission(ratio, efficiency, "cubic", break_away, torque_limit=60.0)
    arm = lossy(
        px.robots.planar(1, mass=9.0), px.robots.Friction([JOURNAL, THRUST], viscous=0.4), drive
    )
    tasks = check_inputs(arm, moves=resting)
    q, qd, qdd = resting(arm)
    torques = px.motor_torques(arm, q, qd, qdd)
    met = {(a > 0, v > 0) for a, v in zip(torques.at_joint[:, 0], qd[:, 0], strict=True) if v}
    assert len(met) == 4
    sticks = (qd == 0) & (qdd == 0)
    found = np.array([tasks.program.evaluate(q=q[k], qd=qd[k], qdd=qdd[k]) for k in range(len(q))])
    assert (found[sticks] == 0).all() == (break_away == 300.0)


@pytest.mark.parametrize("processors", [2, 5])
def test_a_chosen_result_is_made_on_one_processor(processors):
    """A ratio of 1 leaves a choice as the last operation."""
    arm = lossy(px.load("puma560"), transmission=replace(DRIVE, ratio=1.0))
    tasks = check_inputs(arm)
    own = {node.index for nodes in tasks.operations for node in nodes}
    assert {node.index for node in tasks.program.graph.results} <= own
    assert {node.op for node in tasks.program.graph.results} == {"select"}
    lines = px.schedule(tasks, processors).to_c("puma").splitlines()
    roots = sum("sqrt(" in line and "=" in line for line in lines)
    divisions = sum(" / " in line and "=" in line for line in lines)
    assert (roots, divisions) == (0, 6)


def test_nan_stays_in_its_joint():
    arm = lossy(px.robots.chain(2), px.robots.Friction([JOURNAL], coulomb=0.1), DRIVE)
    program = px.streamlined_tasks(arm, friction=True).program
    q, qd, qdd = (rows[1] for rows in states(arm))
    for each in (q, qd, qdd):
        before, each[1] = each[1], np.nan
        assert np.isnan(program.evaluate(q=q, qd=qd, qdd=qdd)[1])
        each[1] = before


# -- how many there are ----------------------------------------------------------------------------


def test_without_losses_nothing_is_added():
    for name in ("puma560", "stanford", "ur5"):
        robot = px.load(name)
        plain, same = px.streamlined_tasks(robot), px.streamlined_tasks(robot, friction=True)
        assert (same.names, sizes(same), same.predecessors) == (
            (plain.names, sizes(plain), plain.predecessors)
        )


def test_only_lossy_joints_need_more_than_before():
    arm = lossy(px.load("puma560"), px.robots.Friction(viscous=0.3, coulomb=0.2), DRIVE, joints=[3])
    plain, tasks = px.streamlined_tasks(arm), check_inputs(arm)
    assert {tasks.groups[name] for name in set(tasks.names) - set(plain.names)} == {"link 4"}


@pytest.mark.parametrize(
    ("link", "friction", "subtasks"),
    [
        (2, px.robots.Friction(viscous=0.3), {"friction of speed": 1}),
        (3, px.robots.Friction(coulomb=0.3), {"torque at the joint": 1}),
        (4, px.robots.Friction([THRUST]), {"torque at the joint": 1}),
        (
            5,
            px.robots.Friction([JOURNAL]),
            {
                "levers of the force on a bearing": 1,
                "load on one end of the bearing": 2,
                "load on its other end": 2,
                "torque at the joint": 1,
            },
        ),
        (
            3,
            px.robots.Friction([LINEAR]),
            {
                "levers of the force on a bearing": 1,
                "load on the faces along x and y": 2,
                "torque at the joint": 1,
            },
        ),
    ],
)
def test_subtasks_of_table_3_1(link, friction, subtasks):
    assert added(link, friction) == subtasks


@pytest.mark.parametrize(
    ("transmission", "subtasks"),
    [
        (IDEAL, 0),
        (px.robots.Transmission(50.0), 1),
        (px.robots.Transmission(1.0, 0.8, break_away=1.0), 1),
        (px.robots.Transmission(50.0, 0.8, break_away=1.0), 1),
        (DRIVE, 3),
        (replace(DRIVE, interpolation="cubic"), 4),
    ],
)
def test_subtasks_of_table_3_2(transmission, subtasks):
    for link in (2, 3):
        assert added(link, transmission=transmission).total() == subtasks


# -- who waits for whom ----------------------------------------------------------------------------


def test_ends_of_a_bearing_wait_for_the_reactions_and_not_for_one_another():
    tasks = px.streamlined_tasks(
        lossy(px.load("puma560"), px.robots.Friction([JOURNAL]), DRIVE), friction=True
    )
    before = ancestors(tasks)
    named = {
        what: [name for name, label in tasks.labels.items() if label == f"link 3: {what}"]
        for what in (
            "levers of the force on a bearing",
            "load on one end of the bearing",
            "load on its other end",
            "torque at the joint",
            "torque of the motor",
        )
    }
    levers, one, other, joint, motor = named.values()
    assert "332" in before[levers[0]]
    for end in (one, other):
        assert {*levers, "341", "342"} <= before[end[0]]
        assert end[0] in before[end[1]]
    assert not before[one[1]] & set(other) and not before[other[1]] & set(one)
    assert {*one, *other, "343"} <= before[joint[0]]
    assert {*joint, *motor[:-1]} <= before[motor[-1]]
    # links wait for reactions, and these know no friction: joints' losses are side branches
    extra = {name for name, label in tasks.labels.items() if label[8:] in named}
    assert not any(before[name] & extra for name in tasks.names if name not in extra)


def test_errors_name_the_thing():
    with pytest.raises(px.ArgumentError, match="friction needs customised=True"):
        px.streamlined_tasks(px.load("puma560"), customised=False, friction=True)
