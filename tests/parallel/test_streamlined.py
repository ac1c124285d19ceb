"""Dhanaraj's streamlined tasks: how many, who waits for whom, and that doing them gives torques."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import random_robot, relative_error, robots, states
from support.subtasks import ancestors, done, shuffled, subtasks

import paraxis as px
from paraxis.parallel.streamlined.table import FIRST, LAST, MAKES, SLIDING, linked, task_name

RIGHT = math.pi / 2
EVERY = set(MAKES)


def dense_arm(kinds, seed=0, zeros=(), twists=(-RIGHT, RIGHT), first_twist=0.0):
    """Right angles between the first axes, diagonal inertias, and no zeros but those asked for.

    `zeros` are the components (0, 1, 2) that offsets and centres of mass lack; `twists` are for
    the third joint and those beyond.
    """
    rng = random.Random(seed)
    joints, inertias = [], []
    for i, kind in enumerate(kinds):
        twist = first_twist if i == 0 else rng.choice(twists if i > 1 else (-RIGHT, RIGHT))
        place, com = (
            [0.0 if k in zeros else rng.uniform(0.1, 0.5) for k in range(3)] for _ in range(2)
        )
        moments = [rng.uniform(1, 1.5) for _ in range(3)]
        joints.append(
            px.robots.Joint(f"j{i}", kind, i - 1, px.robots.Pose.from_rpy(place, (twist, 0, 0)))
        )
        inertias.append(px.robots.Inertia(rng.uniform(1, 2), com, [*moments, 0, 0, 0]))
    return px.Robot("dense", joints, inertias)


# -- the general arm -------------------------------------------------------------------------------


def test_the_general_arm_is_that_of_the_thesis():
    tasks = px.streamlined_tasks(px.load("puma560"), customised=False)
    assert (len(tasks), len(tasks.layers), tasks.work, tasks.span) == (231, 27, 231, 27)
    assert subtasks(tasks, 1) == (EVERY - FIRST, 0)
    assert subtasks(tasks, 3) == (EVERY, 0)
    assert subtasks(tasks, 6) == (EVERY - LAST, 0)
    assert tasks.labels["306"] == "link 3: α"
    sliding = px.streamlined_tasks(px.load("stanford"), customised=False)
    assert subtasks(sliding, 3) == (EVERY - SLIDING, 0)


@pytest.mark.parametrize("n", [2, 3, 5, 9, 12, 40])
def test_n_links_have_4n_plus_3_layers(n):
    tasks = px.streamlined_tasks(px.robots.chain(n), customised=False)
    assert len(tasks) == 43 * n - 19 - 8
    assert len(tasks.layers) == 4 * n + 3


def test_who_waited_for_a_task_that_is_gone_waits_for_what_went_before():
    tasks = px.streamlined_tasks(px.load("stanford"), customised=False)
    before = {
        name: {tasks.names[first] for first in tasks.predecessors[k]}
        for k, name in enumerate(tasks.names)
    }
    assert before["303"] == {"201", "202", "203"}  # through 301 and 302
    assert before["320"] == {"209", "210", "211"}  # through 309, 310 and 311
    assert before["530"] == {"626"}  # through 632
    assert before["110"] == set()
    every = [task_name(link, number) for link in (1, 2) for number in MAKES]
    alone = linked(("revolute",) * 2, set(every) - {"110"}, "two links")
    assert {"106", "107"} <= ancestors(alone)["120"]


# -- tasks of a robot ------------------------------------------------------------------------------


def check_torques(robot, seed=0):
    tasks, rng = px.streamlined_tasks(robot), random.Random(seed)
    for q, qd, qdd in zip(*states(robot), strict=True):
        expected = px.inverse_dynamics(robot, q, qd, qdd, algorithm="modified_newton_euler")
        assert relative_error(done(tasks, shuffled(tasks, rng), q, qd, qdd), expected) < 1e-12
    assert set(tasks.weights) <= {1}
    assert all(1 <= len(nodes) <= 3 for nodes in tasks.operations)
    return tasks


@pytest.mark.parametrize("name", ["puma560", "puma560_thesis", "stanford", "ur5", "planar3"])
def test_done_in_any_order_the_tasks_give_the_torques(name):
    check_torques(px.load(name))


@settings(max_examples=12)
@given(robots(joints=(1, 6), massless=True), st.integers(0, 9))
def test_done_in_any_order_the_tasks_of_any_tree_give_its_torques(robot, seed):
    check_torques(robot, seed)


@pytest.mark.parametrize("processors", [1, 4, 9])
def test_a_schedule_is_such_an_order(processors):
    robot = px.load("stanford")
    tasks = px.streamlined_tasks(robot)
    schedule = px.schedule(tasks, processors)
    q, qd, qdd = (rows[1] for rows in states(robot))
    order = sorted(range(len(tasks)), key=schedule.starts.__getitem__)
    expected = px.inverse_dynamics(robot, q, qd, qdd)
    assert relative_error(done(tasks, order, q, qd, qdd), expected) < 1e-12


def test_without_zeros_a_link_has_the_43_subtasks_of_the_table():
    tasks = check_torques(dense_arm(["revolute"] * 5))
    for link in (3, 4):
        assert subtasks(tasks, link) == (EVERY, 0)
    # the last joint's moment has one sum a component, and of the first link's only one is needed
    assert subtasks(tasks, 5) == (EVERY - LAST - {41, 42}, 0)
    assert subtasks(tasks, 1)[0] <= EVERY - FIRST


@pytest.mark.parametrize("seed", range(5))
def test_the_general_arm_lets_no_task_start_too_early(seed):
    """What operations wait for, they wait for there too."""
    rng = random.Random(seed)
    kinds = ["revolute", "revolute", *rng.choices(("revolute", "prismatic"), k=5), "revolute"]
    arm = dense_arm(kinds, seed, twists=(0.0, RIGHT, -RIGHT))
    tasks, general = px.streamlined_tasks(arm), px.streamlined_tasks(arm, customised=False)
    numbered = {name for name in tasks.names if "+" not in name}
    assert numbered <= set(general.names)
    before = ancestors(general)
    for k, name in enumerate(tasks.names):
        if name in numbered and tasks.groups[name] not in ("link 1", "link 2"):  # they have zeros
            first = {tasks.names[each] for each in tasks.predecessors[k]}
            assert first & numbered <= before[name], name


def test_a_sliding_link_turns_nothing():
    tasks = check_torques(dense_arm(["revolute", "revolute", "prismatic", "revolute", "revolute"]))
    found, others = subtasks(tasks, 3)
    # beyond his list: adding what the joint adds takes one subtask of 18 and 19, and none of 6
    assert found == EVERY - SLIDING - {6, 18}
    assert others == 1  # the joint's place changes as it slides
    assert subtasks(tasks, 2)[0].isdisjoint({30, 31, 39, 40})


@pytest.mark.parametrize(
    ("zeros", "gone"),
    [
        ((0,), {12, 13, 20, 21, 33, 36}),
        ((1, 2), {12, 13, 14, 15, 20, 21, 22, 23, 33, 34, 36, 37}),
        ((0, 1, 2), {*range(12, 18), *range(20, 26), *range(33, 39)}),
    ],
)
def test_zeros_in_vectors_take_the_subtasks_of_table_4_5_away(zeros, gone):
    tasks = check_torques(dense_arm(["revolute"] * 4, zeros=zeros))
    found = subtasks(tasks, 3)[0]
    if len(zeros) < 3:
        assert found == EVERY - gone
    else:  # then no force has a lever, and none is needed
        assert found == {*range(1, 8), 27, 28, 29, 39, 40, 43}


def test_what_the_table_has_no_room_for_is_added_and_said():
    plain = dense_arm(["revolute"] * 4)
    assert subtasks(px.streamlined_tasks(plain), 3)[1] == 0
    twisted = dense_arm(["revolute"] * 4, twists=(0.3,))
    tasks = check_torques(twisted)
    assert subtasks(tasks, 3) == (EVERY, 10)  # five vectors turned about x too, two subtasks each
    assert tasks.labels["3+1"] == "link 3: ω of the previous link, turned"
    full = px.robots.Inertia(1.5, (0.1, 0.2, 0.3), (1.1, 1.2, 1.4, 0.1, 0.2, 0.3))
    tasks = check_torques(px.Robot("full", plain.joints, [full] * 4))
    assert subtasks(tasks, 3) == (EVERY, 7)  # ten operations a component of the moment
    assert tasks.labels["3+1"] == "link 3: moment on the link"
    tasks = check_torques(px.load("stanford"))
    assert {tasks.labels[f"{link}+1"] for link in range(1, 7)} == {
        f"link {link}: rotor" for link in range(1, 7)
    }


def test_gravity_across_the_first_axis_needs_a_subtask():
    """That is why the thesis keeps 119 of 118 and 119."""
    upright = px.streamlined_tasks(dense_arm(["revolute"] * 3))
    lying = check_torques(dense_arm(["revolute"] * 3, first_twist=RIGHT))
    assert "119" not in upright.names
    assert "119" in lying.names and "118" not in lying.names


def test_errors_name_the_thing():
    with pytest.raises(px.ArgumentError, match="robot: expected a Robot, found int"):
        px.streamlined_tasks(6)
    tree = random_robot(3)
    assert tree.branching
    with pytest.raises(px.ArgumentError, match="general arm.*works on chains only"):
        px.streamlined_tasks(tree, customised=False)


# -- joints of several degrees of freedom ----------------------------------------------------------


def test_rows_of_joints_are_links():
    body = px.robots.Inertia.of(1.0, (0.2, 0.1, 0.1), (0.02, 0.01, 0.02))
    joints = [px.robots.Joint("ball", "spherical"), px.robots.Joint("elbow", "revolute", 0)]
    robot = px.Robot("ball", joints, [body, body])
    tasks = px.streamlined_tasks(robot)
    rng = np.random.default_rng(0)
    qd, qdd = rng.normal(size=(2, robot.nv))
    q = px.integrate(robot, px.neutral(robot), qd)
    found = tasks.program.evaluate(q=q, qd=qd, qdd=qdd)
    assert relative_error(found, px.inverse_dynamics(robot, q, qd, qdd)) <= 1e-13
    assert {name[0] for name in tasks.names} == {"1", "2", "3", "4"}
    with pytest.raises(px.ArgumentError, match=r"'ball' \(spherical\)"):
        px.streamlined_tasks(robot, customised=False)
    whole = px.TaskGraph.from_program(px.program(robot, "inverse_dynamics", "newton_euler"))
    plan = px.schedule(whole, processors=4, method="list")
    assert plan.bound <= plan.makespan < sum(whole.weights)
