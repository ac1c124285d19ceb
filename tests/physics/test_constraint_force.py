"""Forward dynamics from constraint forces and from spans: Fijany's and Featherstone's."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import in_a_row, random_chain, relative_error, robots, states

import paraxis as px
from paraxis import Robot
from paraxis.errors import ArgumentError, RobotError
from paraxis.physics import ALGORITHMS, FROM_MOBILITIES
from paraxis.physics.linear.block_tridiagonal import BlockTridiagonal
from paraxis.physics.linear.odd_even_elimination import OddEvenElimination
from paraxis.robots import Frame, Inertia, Joint
from paraxis.robots.model import Model

FORWARD = ALGORITHMS["forward_dynamics"]
INVERSES = ALGORITHMS["mass_matrix_inverse"]
RESPONSES = ALGORITHMS["operational_space_inertia_inverse"]
DIGITS = {"constraint_force": 1e-10, "divide_and_conquer": 1e-10}  # elimination: two fewer
every = pytest.mark.parametrize("name", FROM_MOBILITIES)
few = settings(max_examples=15, deadline=None)


def tolerance(name):
    return DIGITS.get(name, 1e-8)


def chains(**options):
    return robots(**options).map(in_a_row)


def state(robot, seed=0):
    """q, qd and tau of one state."""
    return [rows[1].tolist() for rows in states(robot, 2, seed)]


def acting(robot, seed=0):
    """A push on every body, and a base that moves."""
    rng = np.random.default_rng(seed)
    shapes = {"external_force": (robot.n, 6), "base_velocity": 6, "base_acceleration": 6}
    return {name: rng.normal(size=shape).tolist() for name, shape in shapes.items()}


def flat(rows):
    return np.array(rows).ravel()


# -- equal to articulated and composite bodies -----------------------------------------------------


@every
@few
@given(robot=chains(joints=(1, 7)), seed=st.integers(0, 9))
def test_accelerations_are_those_of_articulated_bodies(name, robot, seed):
    model, motion = Model(robot, acting(robot, seed)), state(robot, seed)
    expected = FORWARD["articulated_body"](model, *motion)
    assert relative_error(FORWARD[name](model, *motion), expected) <= tolerance(name)


def test_the_chains_have_what_the_test_relies_on():
    some = [random_chain(seed, (7, 7)) for seed in range(3)]
    joints = [joint for robot in some for joint in robot.joints]
    assert {joint.is_revolute for joint in joints} == {True, False}
    assert {joint.rotor_inertia > 0 for joint in joints} == {True, False}


@every
@pytest.mark.parametrize("rotor", [1e-9, 1e6])
def test_rotors_may_be_light_or_heavy(name, rotor):
    robot = random_chain(1, (4, 4))
    robot = replace(robot, joints=[replace(j, rotor_inertia=rotor) for j in robot.joints])
    motion = state(robot)
    expected = FORWARD["articulated_body"](Model(robot), *motion)
    assert relative_error(FORWARD[name](Model(robot), *motion), expected) <= tolerance(name)


@few
@given(robot=chains(joints=(1, 6)), seed=st.integers(0, 9))
def test_inverses_are_those_of_composite_bodies(robot, seed):
    """M⁻¹ = C - Bᵀ A⁻¹ B, and Λ⁻¹ = D - Eᵀ A⁻¹ E of every frame, singular or not."""
    model, (q, _, _) = Model(robot), state(robot, seed)
    inverses = [flat(INVERSES[name](model, q)) for name in ("constraint_force", "composite_body")]
    assert relative_error(*inverses) <= 1e-10
    for frame in robot.frames:
        for axes in ("world", "body"):
            ours = RESPONSES["constraint_force"](model, q, frame, axes)
            expected = RESPONSES["composite_body"](model, q, frame, axes)
            assert np.array_equal(ours, np.transpose(ours))
            assert relative_error(flat(ours), flat(expected)) <= 1e-10, (frame.name, axes)


def test_the_response_of_a_frame_is_the_inverse_of_its_inertia():
    robot = px.robots.chain(8)
    about = Model(robot), state(robot)[0], robot.frames[-1]
    inertia = ALGORITHMS["operational_space_inertia"]["composite_body"]
    for axes in ("world", "body"):
        response = np.array(RESPONSES["constraint_force"](*about, axes))
        assert relative_error(flat(response @ inertia(*about, axes)), flat(np.eye(6))) <= 1e-8


def test_the_response_of_an_arm_that_cannot_go_every_way():
    """Three joints: what a force does is J M⁻¹ Jᵀ of rank three. A tree has one too."""
    robot = random_chain(3, (3, 3))
    q = np.array([state(robot, seed)[0] for seed in range(2)])
    J, M_inverse = px.jacobian(robot, q, "f2"), px.mass_matrix_inverse(robot, q)
    expected = (J @ M_inverse @ J.mT).reshape(2, 36)
    for name in px.algorithms("operational_space_inertia_inverse"):
        found = px.operational_space_inertia_inverse(robot, q, "f2", algorithm=name)
        assert relative_error(found.reshape(2, 36), expected) <= 1e-10
        assert all(np.linalg.matrix_rank(found, 1e-9) == 3)
    of_a_tree = px.operational_space_inertia_inverse(branching(), [0.1, 0.2], "right")
    assert np.linalg.matrix_rank(of_a_tree) == 1


# -- block-tridiagonal systems ---------------------------------------------------------------------


@pytest.mark.parametrize("solver", [BlockTridiagonal, OddEvenElimination])
@pytest.mark.parametrize("blocks", range(1, 10))
def test_block_tridiagonal_systems(solver, blocks):
    rng = np.random.default_rng(blocks)
    sizes = rng.integers(1, 4, blocks)
    ends = np.cumsum([0, *sizes])
    places = [slice(*pair) for pair in pairwise(ends)]
    A = np.zeros((ends[-1], ends[-1]))
    for k, here in enumerate(places):
        A[here, here] = 2 * np.eye(sizes[k])
        if k + 1 < blocks:
            between = rng.uniform(-0.3, 0.3, sizes[k : k + 2])
            A[here, places[k + 1]], A[places[k + 1], here] = between, between.T
    b = rng.normal(size=ends[-1])
    system = solver(
        [A[here, here].tolist() for here in places],
        [A[here, after].tolist() for here, after in pairwise(places)],
    )
    x = np.concatenate(system.solve([b[here].tolist() for here in places]))
    assert abs(A @ x - b).max() <= 1e-13


# -- as Programs -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if "logarithmic" in name else ())
        for name in FROM_MOBILITIES
    ],
)
def test_kernels_agree_with_the_interpreter(name):
    robot = random_chain(4, (4, 4))
    given_too = acting(robot) | {"rotor_inertia": [0.0, 0.3, 0.0, 1.2]}
    program = px.program(robot, "forward_dynamics", name, parameters=tuple(given_too))
    arrays = dict(zip(("q", "qd", "tau"), state(robot), strict=True)) | given_too
    arrays = {key: np.array(value) for key, value in arrays.items()}
    truth = program.evaluate(**arrays)
    assert relative_error(program.compile()(*arrays.values()), truth) <= tolerance(name)
    expected = px.forward_dynamics(robot, **arrays)
    assert relative_error(truth, expected) <= tolerance(name)
    called = px.forward_dynamics(robot, **arrays, algorithm=name)
    assert relative_error(called, expected) <= tolerance(name)


@every
def test_programs_are_scheduled(name):
    program = px.program(px.robots.chain(3), "forward_dynamics", name)
    tasks = px.TaskGraph.from_program(program)
    schedule = px.schedule(tasks, processors=4, method="list")
    assert tasks.span <= schedule.makespan < tasks.work


@every
def test_values_are_marked(name):
    marks = px.program(px.robots.chain(3), "forward_dynamics", name).with_marks("constraint_force")
    assert any("constraint_force" in output for output in marks.outputs)


@pytest.mark.long
def test_depth_is_logarithmic():
    """Every doubling of the chain adds the same; one joint after another, twice as much."""
    lengths = (4, 8, 16)
    depths = {
        name: np.diff(
            [
                px.program(px.robots.chain(n), "forward_dynamics", name).depth().flops
                for n in lengths
            ]
        )
        for name in FROM_MOBILITIES
    }
    for name in ("logarithmic_constraint_force", "divide_and_conquer"):
        assert depths[name][0] == depths[name][1]
    assert 1.9 < np.divide(*depths["constraint_force"][::-1]) < 2.1


def test_the_cheapest_program_is_not_one_of_these():
    robot = px.robots.chain(4)
    cheapest = px.program(robot, "forward_dynamics").count().flops
    for name in FROM_MOBILITIES:
        assert cheapest < px.program(robot, "forward_dynamics", name).count().flops


# -- what they do not take -------------------------------------------------------------------------


def branching():
    joints = [Joint("left", "revolute"), Joint("right", "revolute")]
    bodies = [Inertia(1.0, (0.1, 0.0, 0.0), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0))] * 2
    frames = [Frame("base", -1), Frame("left", 0), Frame("right", 1)]
    return Robot("twins", joints, bodies, frames)


@every
def test_a_tree_is_refused(name):
    message = f"'{name}' works on chains only, but robot 'twins' branches at "
    with pytest.raises(ArgumentError, match=message):
        px.program(branching(), "forward_dynamics", name)


@every
@pytest.mark.parametrize(
    ("body", "lacking"),
    [
        (Inertia(), "has no mass"),
        (Inertia(1.0, (0.1, 0.2, 0.3)), "has no inertia about some axis"),
        (Inertia.of(1.0, (0, 0, 0), (1.0, 1.0, 0.0)), "has no inertia about some axis"),
        (
            Inertia.of(1.0, (0, 0, 0), np.eye(3) - np.outer((0.6, 0.0, 0.8), (0.6, 0.0, 0.8))),
            "has no inertia about some axis",
        ),
    ],
)
def test_a_link_without_an_inverse_inertia_is_named(name, body, lacking):
    chain = px.robots.chain(3)
    robot = replace(chain, inertias=[chain.inertias[0], body, chain.inertias[2]], warn=False)
    message = f"'chain3': link 'link2', which joint 'joint2' moves, {lacking}.*{name}"
    with pytest.raises(RobotError, match=message):
        px.program(robot, "forward_dynamics", name)
    assert px.program(robot, "forward_dynamics", "articulated_body")
    message = f"'chain3': the link of joint 'joint2' {lacking}"
    with pytest.raises(RobotError, match=message):
        px.program(replace(robot, frames=[]), "forward_dynamics", name)
