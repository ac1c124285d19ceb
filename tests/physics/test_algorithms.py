"""Every formulation of inverse dynamics against Pinocchio and against each other."""

import math

import numpy as np
import pytest
from support.robots import (
    pinocchio_model,
    pinocchio_on_a_moving_base,
    random_chain,
    random_robot,
    relative_error,
    states,
)

import paraxis as px
from paraxis import Robot
from paraxis.errors import ArgumentError
from paraxis.physics import ALGORITHMS, MOVING_BASE
from paraxis.physics.logarithmic_newton_euler import (
    base,
    glue_loads,
    glue_motions,
    one_body,
    one_joint,
)
from paraxis.physics.parts.orders import prefixes, suffixes
from paraxis.robots import Frame, Inertia, Joint
from paraxis.robots.branching import require_chain
from paraxis.robots.joint import WORLD
from paraxis.robots.model import PARAMETERS, Model, parameter_values

RECURSIONS = ALGORITHMS["inverse_dynamics"]
CHAINS_ONLY = ("logarithmic_newton_euler", "closed_sums_newton_euler")
ON_TREES = [name for name in RECURSIONS if name not in CHAINS_ONLY]
every = pytest.mark.parametrize("name", RECURSIONS)
every_on_trees = pytest.mark.parametrize("name", ON_TREES)


def random_tree(seed):
    """A random robot that branches."""
    while not (robot := random_robot(seed, joints=(3, 7))).branching:
        seed += 1000
    return robot


CHAINS = [random_chain(seed) for seed in range(8)]
TREES = [random_tree(seed) for seed in range(5)]


def test_the_robots_have_what_the_tests_rely_on():
    for some in (CHAINS, TREES):
        kinds = {joint.is_revolute for robot in some for joint in robot.joints}
        assert kinds == {True, False}
    assert not any(robot.branching for robot in CHAINS) and max(robot.n for robot in CHAINS) == 7
    assert any(WORLD in robot.branching for robot in TREES)
    assert any(robot.branching[-1] != WORLD for robot in TREES)


def state(robot, seed=0):
    """q, qd, qdd of one state."""
    return [rows[1] for rows in states(robot, 2, seed)]


def torques(name, robot, motion, **parameters):
    """By the algorithm itself, on plain floats."""
    given = {key: np.asarray(value).tolist() for key, value in parameters.items()}
    return np.array(RECURSIONS[name](Model(robot, given), *(rows.tolist() for rows in motion)))


# -- against Pinocchio -----------------------------------------------------------------------------


def reference(robot, motion, external_force=None):
    """pin.rnea, with a moment and a force on each body in its own frame."""
    import pinocchio as pin

    model = pinocchio_model(robot)
    sixes = np.zeros((robot.n + 1, 6))  # the first on the ground
    if external_force is not None:
        sixes[1:] = external_force
    forces = pin.StdVec_Force()
    forces.extend([pin.Force(six[3:], six[:3]) for six in sixes])
    return pin.rnea(model, model.createData(), *motion, forces).copy()


@every
@pytest.mark.parametrize("robot", CHAINS, ids=range(len(CHAINS)))
def test_chains_under_forces_from_outside(name, robot):
    force = np.random.default_rng(robot.n).uniform(-9, 9, (robot.n, 6))
    motion = state(robot)
    assert relative_error(torques(name, robot, motion), reference(robot, motion)) <= 1e-12
    ours = torques(name, robot, motion, external_force=force)
    assert relative_error(ours, reference(robot, motion, force)) <= 1e-12


@every_on_trees
@pytest.mark.parametrize("robot", TREES, ids=range(len(TREES)))
def test_trees_under_forces_from_outside(name, robot):
    force = np.random.default_rng(robot.n).uniform(-9, 9, (robot.n, 6))
    motion = state(robot)
    ours = torques(name, robot, motion, external_force=force)
    assert relative_error(ours, reference(robot, motion, force)) <= 1e-12


@pytest.mark.parametrize(
    ("name", "robot"),
    [(name, robot) for name in RECURSIONS for robot in CHAINS[::2]]
    + [(name, robot) for name in ON_TREES for robot in TREES[::2]],
)
def test_a_base_that_spins_and_accelerates(name, robot):
    """Those of MOVING_BASE feel all of it; the others, as they must not claim to, do not."""
    rng, motion = np.random.default_rng(robot.n), state(robot)
    velocity, acceleration = rng.uniform(-3, 3, (2, 6))
    moving = torques(name, robot, motion, base_velocity=velocity, base_acceleration=acceleration)
    expected, _ = pinocchio_on_a_moving_base(robot, motion, velocity, acceleration)
    assert (relative_error(moving, expected) <= 1e-12) == (name in MOVING_BASE)


@every
def test_a_base_that_only_rises_is_felt_as_gravity(name):
    robot, rise = CHAINS[3], np.array([1.0, -2.0, 0.5])
    motion = state(robot)
    risen = torques(name, robot, motion, base_acceleration=[0, 0, 0, *rise])
    turned = np.array(robot.base.rotation) @ rise  # the parameter is along the root's axes
    pulled = robot.with_gravity(np.subtract(robot.gravity, turned))
    assert relative_error(risen, reference(pulled, motion)) <= 1e-12


# -- generic scalars -------------------------------------------------------------------------------


@every
def test_complex_steps_are_the_derivatives(name):
    import pinocchio as pin

    robot = random_chain(5, joints=(4, 4))
    motion, model = state(robot), pinocchio_model(robot)
    data = model.createData()  # the slopes live in it
    for which, expected in enumerate(pin.computeRNEADerivatives(model, data, *motion)):
        for k in range(robot.n):
            stepped = [list(rows) for rows in motion]
            stepped[which][k] += 1e-30j
            tau = RECURSIONS[name](Model(robot), *stepped)
            column = np.imag(tau) / 1e-30
            assert relative_error(column, expected[:, k]) <= 1e-11


@every
def test_a_trace_with_every_parameter_as_input_means_the_same(name):
    robot = random_chain(2, joints=(3, 3)) if name in CHAINS_ONLY else TREES[0]
    motion = state(robot)
    moving = ("base_velocity", "base_acceleration") if name in MOVING_BASE else ()
    chosen = [p for p in PARAMETERS if p in moving or not p.startswith("base")]
    values = {p: np.array(parameter_values(robot, p)) for p in chosen}
    rng = np.random.default_rng(3)
    for p in ("external_force", *moving):
        values[p] = rng.uniform(-3, 3, values[p].shape)
    program = px.program(robot, algorithm=name, parameters=chosen)
    found = program.evaluate(**dict(zip(("q", "qd", "qdd"), motion, strict=True)), **values)
    expected = torques("newton_euler", robot, motion, **values)
    assert relative_error(found, expected) <= 1e-12


# -- marks -----------------------------------------------------------------------------------------

MARKS = ("omega", "alpha", "acceleration", "force", "moment")


def marked(name, robot, motion):
    program = px.program(robot, algorithm=name).with_marks(*MARKS)
    return program.evaluate(**dict(zip(("q", "qd", "qdd"), motion, strict=True)))


def test_marked_values_mean_the_same_in_every_newton_euler():
    """The logarithmic form's to the number; the base frame's along other axes."""
    robot = random_chain(6, joints=(4, 4))
    motion = state(robot)
    link = marked("newton_euler", robot, motion)
    logarithmic, root = (
        marked(f"{name}_newton_euler", robot, motion) for name in ("logarithmic", "base_frame")
    )
    assert {key.split(".")[0] for key in link} == {"tau", *MARKS}
    assert link.keys() == logarithmic.keys() == root.keys()
    for key, value in link.items():
        assert relative_error(logarithmic[key], value) <= 1e-12
        if key != "tau":
            length = np.linalg.norm(value)
            assert math.isclose(np.linalg.norm(root[key]), length, rel_tol=1e-12)


# -- trees are refused -----------------------------------------------------------------------------


def tree(parents, frames=()):
    """Joints j0, j1, ... on these parents."""
    joints = [Joint(f"j{i}", "revolute", parent) for i, parent in enumerate(parents)]
    body = Inertia.of(1.0, (0.1, 0.2, 0.3), (1.0, 1.0, 1.0))
    return Robot("fork", joints, [body] * len(joints), frames)


@pytest.mark.parametrize("name", CHAINS_ONLY)
def test_a_tree_is_refused_by_name(name):
    frames = [Frame("base", WORLD), Frame("palm", 0), Frame("palm_tool", 0)]
    robot = tree((WORLD, 0, 0), frames)
    with pytest.raises(ArgumentError) as refused:
        px.program(robot, algorithm=name)
    text = str(refused.value)
    for word in (repr(name), "chain", "'fork'", "'palm'", "'j1'", "'j2'"):
        assert word in text
    assert "palm_tool" not in text and "base" not in text


@pytest.mark.parametrize(
    ("robot", "message"),
    [
        (tree((WORLD, 0, 0)), "the link of joint 'j0', which carries the joints 'j1', 'j2'$"),
        (tree((WORLD, WORLD, 1)), "at the world, which carries the joints 'j0', 'j1'$"),
        (tree((WORLD, WORLD), [Frame("ground", WORLD)]), "at link 'ground', which"),
        (tree((WORLD, WORLD, 1, 1)), "the world, .* 'j1'; the link of joint 'j1', .* 'j2', 'j3'$"),
    ],
)
def test_a_branching_link_is_named_as_well_as_it_can_be(robot, message):
    with pytest.raises(ArgumentError, match=message):
        require_chain(Model(robot), "some")


# -- logarithmic depth -----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 8, 13, 31, 32])
def test_schedules_give_every_part_in_logarithmic_depth(n):
    """Glue is (text, depth): order shows in the text, since joining words is not commutative."""

    def glue(left, right):
        return left[0] + right[0], 1 + max(left[1], right[1])

    word = "".join(chr(ord("a") + k) for k in range(n))
    row = [(letter, 0) for letter in word]
    for k, (text, depth) in enumerate(prefixes(glue, row)):
        assert text == word[: k + 1] and depth <= math.ceil(math.log2(k + 1))
    for k, (text, depth) in enumerate(suffixes(glue, row)):
        assert text == word[k:] and depth <= math.ceil(math.log2(n - k))


def scalars(span):
    return np.concatenate([list(part.scalars()) for part in span])


def test_gluing_is_associative():
    """So that a span may be glued in any order."""
    robot, rng = random_chain(1, joints=(5, 5)), np.random.default_rng(0)
    spin, rise = rng.uniform(-3, 3, (2, 6))
    model = Model(robot, {"base_velocity": spin, "base_acceleration": rise})
    q, qd, qdd = state(robot)
    X = [model.transform(i, q) for i in range(5)]
    motions = [base(model), *(one_joint(model, i, X[i], qd[i], qdd[i]) for i in range(5))]
    loads = [one_body(model, i, motions[i + 1], X[i + 1]) for i in range(4)]
    for glue, spans in ((glue_motions, motions), (glue_loads, loads)):
        for a, b, c in zip(spans[:-2], spans[1:-1], spans[2:], strict=True):
            left, right = glue(glue(a, b), c), glue(a, glue(b, c))
            assert relative_error(scalars(left), scalars(right)) <= 1e-13


GENERAL = ("mass", "com", "inertia", "origin", "base_velocity", "base_acceleration")


@pytest.mark.parametrize("parameters", [(), GENERAL], ids=("customised", "general"))
@pytest.mark.long
def test_the_logarithmic_depth_is_within_the_papers(parameters):
    """Lathrop's equation 17, with the sines and cosines given, as he has them."""
    depths = {}
    for n in (*range(1, 9), 15, 16, 31, 32, 63, 64):
        program = px.program(
            px.robots.chain(n), algorithm="logarithmic_newton_euler", parameters=parameters
        )
        depths[n] = program.depth(balanced=False)
        steps = math.ceil(math.log2(n + 1))
        assert depths[n].mul <= 2 * steps + 5
        assert depths[n].add <= 6 * steps + 10
    for n in (7, 15, 31):  # twice the chain: one more step each way, of 1 mul and 3 adds
        assert depths[2 * n + 1].mul == depths[n].mul + 2
        assert depths[2 * n + 1].add == depths[n].add + 6


def test_a_long_chain_in_logarithmic_time_is_right():
    robot = px.robots.chain(40)
    motion = state(robot)
    ours = torques("logarithmic_newton_euler", robot, motion)
    assert relative_error(ours, reference(robot, motion)) <= 1e-12
