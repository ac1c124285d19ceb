"""Dynamics with a processor for each joint, interpreted, against the functions themselves."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import random_robot

import paraxis as px
from paraxis.drivers.lanes import Clear
from paraxis.graph.graph import size
from paraxis.joint_functions.plans import JOINT_BY_JOINT, lanes_plan
from paraxis.targets.cuda.text.lane_steps import places

FUNCTIONS = tuple(JOINT_BY_JOINT)


def both(robot, function, seed, slid=()):
    """What the steps of the plan give, and what the function gives."""
    q, _ = px.robots.random_states(robot, 1, seed=seed)
    q[0, : len(slid)] = slid
    rates = np.random.default_rng(seed).uniform(-1, 1, (2, robot.nv))
    program = px.program(robot, function)
    arrays = dict(zip(program.inputs, (q[0], *rates), strict=True))
    expected = program.evaluate(**arrays)
    expected = expected if isinstance(expected, dict) else dict.fromkeys(program.outputs, expected)
    return lanes_plan(robot, function).evaluate(arrays), expected


def agree(found, expected):
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        scale = max(1.0, abs(values).max())
        assert np.reshape(found[name], values.shape) == pytest.approx(values, abs=1e-8 * scale)


@pytest.mark.parametrize("floats", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("function", FUNCTIONS)
@settings(max_examples=2)
@given(seed=st.integers(0, 2**16))
def test_random_trees(function, floats, seed):
    robot = random_robot(seed, joints=(2, 3))
    if floats:
        root = px.robots.Inertia(3.0, (0.1, 0.2, -0.1), (0.4, 0.5, 0.6, 0.02, -0.01, 0.03))
        robot = replace(robot, root=root).with_floating_base()
    agree(*both(robot, function, seed))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_several_limbs_that_slide_and_turn_on_a_tilted_base(function):
    """Rotors, gravity along no axis, and two limbs on a third joint."""
    inertia = px.robots.Inertia(2.0, (0.1, -0.2, 0.3), (0.3, 0.2, 0.4, 0.01, -0.02, 0.03))
    place = px.robots.Pose.from_rpy((0.3, -0.2, 0.5), (0.1, 0.4, -0.3))
    kinds = (("revolute", -1), ("prismatic", 0), ("revolute", 0), ("prismatic", 2))
    axes = ((0.6, 0.0, 0.8), (0.0, 1.0, 0.0), (0.0, -0.6, 0.8), (1.0, 0.0, 0.0))
    joints = [
        px.robots.Joint(f"j{k}", kind, up, place, axis, rotor_inertia=0.1 * k)
        for k, ((kind, up), axis) in enumerate(zip(kinds, axes, strict=True))
    ]
    robot = px.Robot("two limbs", joints, [inertia] * 4, gravity=(1.0, -2.0, -9.0), base=place)
    agree(*both(robot, function, 3))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_far_along_a_rail(function):
    """Digits do not depend on where a robot has gone, nor on how far from its base it begins."""
    arm = random_robot(7, joints=(3, 3))
    place = px.robots.Pose.from_rpy((4e4, 0.0, 1e4), (0.4, -0.2, 0.9))
    body = px.robots.Inertia(5.0, (0.1, -0.2, 0.3), (0.3, 0.2, 0.4, 0.01, -0.02, 0.03))
    rails = [px.robots.Joint("x", "prismatic", -1, place, (0.6, 0.0, 0.8))]
    rails += [px.robots.Joint("y", "prismatic", 0, axis=(0.0, 1.0, 0.0))]
    arm = [replace(joint, parent=joint.parent + 2) for joint in arm.joints]
    robot = px.Robot("on rails", [*rails, *arm], [body] * 5)
    agree(*both(robot, function, 2, slid=(1e5, -3e5)))


@pytest.mark.parametrize("floats", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_lanes_read_nothing_that_another_lane_writes_at_that_time(function, floats):
    """They wait for each other after each span of a step, and at no other time."""
    robot = random_robot(6, joints=(7, 7))
    plan = lanes_plan(robot.with_floating_base() if floats else robot, function)
    for step in plan.steps:
        if isinstance(step, Clear):
            continue
        for begin, end in zip((0, *step.spans), step.spans, strict=False):
            written, read = {}, []
            for item in range(begin, end):
                for name, shape in step.graph.inputs.items():
                    if name in step.places:
                        read += [(each, item) for each in numbers_of(step, name, shape, item)]
                for name, (shape, _) in step.graph.outputs.items():
                    for each in numbers_of(step, name, shape, item):
                        assert written.setdefault(each, item) == item, (step.name, name)
            assert all(written.get(each, item) == item for each, item in read), step.name


def numbers_of(step, name, shape, item):
    """(field, number) of all that an item reads or writes by that name."""
    place = step.places[name]
    at = step.columns[place.column][item] if place.column else 0
    return [(place.field, at + place.number(k)) for k in range(size(shape))]


def test_what_has_no_plan():
    ball = px.Robot(
        "ball",
        [px.robots.Joint("b", "spherical", -1)],
        [px.robots.Inertia(1.0, (0, 0, 0.1), (1.0, 1.0, 1.0, 0, 0, 0))],
    )
    alone = px.Robot("body", [px.robots.Joint("f", "free", -1)], list(ball.inertias))
    for robot in (ball, alone, px.load("panda")):  # whose second finger follows the first
        assert lanes_plan(robot, "inverse_dynamics") is None
    assert lanes_plan(px.load("ur5"), "mass_matrix") is None


@pytest.mark.parametrize("function", FUNCTIONS)
def test_fields_that_are_needed_together_have_places_of_their_own(function):
    plan = lanes_plan(random_robot(5, joints=(4, 4)).with_floating_base(), function)
    starts, room = places(plan)
    assert room < sum(plan.sizes.values())
    owner = {}  # number of the memory -> the field that it holds

    def hold(field):
        for k in range(starts[field], starts[field] + plan.sizes[field]):
            assert k < room
            owner[k] = field

    for name in plan.inputs:
        hold(name)
    written = set(plan.inputs)
    for step in plan.steps:
        outputs = (
            step.fields()
            if isinstance(step, Clear)
            else {step.places[name].field for name in step.graph.outputs}
        )
        for field in step.fields() & written:  # it still holds what was written
            assert {owner[starts[field]], owner[starts[field] + plan.sizes[field] - 1]} == {field}
        for field in outputs - written:
            hold(field)
        written |= outputs
