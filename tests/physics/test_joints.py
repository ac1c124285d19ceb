"""Joints of several degrees of freedom: against Pinocchio, and the identities they must keep."""

import numpy as np
import pytest
from support.functions import error, interpreted
from support.joints import KINDS, motion, robot_of, tree
from support.pinocchio_functions import Reference
from support.rows import model_of_rows

import paraxis as px
from paraxis.physics import ALGORITHMS, articulated_body, composite_body
from paraxis.robot_functions import FUNCTIONS
from paraxis.robots import Joint
from paraxis.robots.seat import across

ON_CHAINS = ("logarithmic_newton_euler", "closed_sums_newton_euler")
FROM_MOBILITIES = ("constraint_force", "logarithmic_constraint_force", "divide_and_conquer")


def arguments(function, state):
    return [state[name] for name in FUNCTIONS[function].inputs]


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.long) for k in (1, 2))])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_agrees_with_pinocchio(function, seed):
    robot = tree(seed)
    if function.endswith("dynamics_derivatives") or function == "coriolis_matrix":
        pytest.skip("Pinocchio takes the axes of universal joints for constant: see below")
    if function == "operational_space_inertia":
        robot = robot_of(KINDS, range(-1, len(KINDS) - 1), seed)
    state = motion(robot)
    about = {"frame": "tip"} if "frame" in FUNCTIONS[function].options else {}
    program = px.program(robot, function, **about)
    found = program.evaluate(**{name: state[name] for name in program.inputs})
    found = tuple(found.values()) if isinstance(found, dict) else found
    of_frame = ("tip",) if about else ()
    expected = getattr(Reference(robot), function)(*arguments(function, state), *of_frame)
    assert error(found, expected) <= 1e-10


@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
def test_every_algorithm_agrees_with_the_cheapest(function):
    """On a chain, on which the logarithmic recursions work, too."""
    chain = robot_of(KINDS, range(-1, len(KINDS) - 1), 5)
    state = motion(chain)
    expected = getattr(px, function)(chain, *arguments(function, state))
    for name in ALGORITHMS[function]:
        if name in FROM_MOBILITIES:
            continue
        program = px.program(chain, function, name)
        found = program.evaluate(**{key: state[key] for key in program.inputs})
        assert error(found, expected) <= 1e-10, name


@pytest.mark.parametrize("kinds", [("free", "spherical", "planar"), ("prismatic", "free")])
@pytest.mark.parametrize(
    "function", ["forward_dynamics", "mass_matrix_inverse", "operational_space_inertia_inverse"]
)
def test_fijanys_recursions_take_joints_of_several_degrees(function, kinds):
    chain = robot_of(kinds, range(-1, len(kinds) - 1), 5)
    state = motion(chain)
    about = {"frame": "tip"} if function.startswith("operational") else {}
    usual, *others = px.algorithms(function)
    expected = None
    for name in (usual, *(each for each in others if each in FROM_MOBILITIES)):
        program = px.program(chain, function, name, **about)
        found = program.evaluate(**{key: state[key] for key in program.inputs})
        expected = found if expected is None else expected
        assert error(found, expected) <= 1e-10, name


@pytest.mark.parametrize("name", FROM_MOBILITIES)
def test_they_refuse_joints_without_such_directions_by_name(name):
    with pytest.raises(px.ParaxisError, match="joint 'j0' is universal; use articulated_body"):
        px.program(robot_of(("universal", "revolute"), (-1, 0), 5), "forward_dynamics", name)


@pytest.mark.parametrize("seed", range(3))
def test_articulated_bodies_at_rest_solve_with_the_mass_matrix(seed):
    robot, rng = tree(seed), np.random.default_rng(seed)
    model, q = model_of_rows(robot), motion(robot)["q"].tolist()
    tau, h = rng.normal(size=(2, robot.nv)).tolist()
    expected = composite_body.accelerations(model, q, tau, h)
    assert error(articulated_body.accelerations(model, q, tau, h), expected) <= 1e-12


def along(robot, q, k, h):
    """Two positions beside q, along degree of freedom k."""
    way = np.zeros(robot.nv)
    way[k] = h
    return px.integrate(robot, q, way), px.integrate(robot, q, -way)


# two joints at a time: derivatives of a robot with all six kinds are graphs of seconds
in_pairs = pytest.mark.parametrize(
    "kinds",
    [("free", "revolute"), ("spherical", "prismatic"), ("planar", "universal")]
    + [pytest.param(KINDS, marks=pytest.mark.long)],
    ids="-".join,
)


@in_pairs
def test_derivatives_are_over_velocities(kinds):
    robot, h = robot_of(kinds, range(-1, len(kinds) - 1), 1), 1e-6
    state = motion(robot)
    q, qd, qdd, tau = (state[name] for name in ("q", "qd", "qdd", "tau"))
    dtau_dq, _ = interpreted("inverse_dynamics_derivatives", robot, q, qd, qdd)
    dqdd_dq, _, _ = interpreted("forward_dynamics_derivatives", robot, q, qd, tau)
    for k in range(robot.nv):
        there, back = along(robot, q, k, h)
        slope = interpreted("inverse_dynamics", robot, there, qd, qdd)
        slope = (slope - interpreted("inverse_dynamics", robot, back, qd, qdd)) / (2 * h)
        assert error(dtau_dq[:, k], slope) <= 1e-6
        slope = interpreted("forward_dynamics", robot, there, qd, tau)
        slope = (slope - interpreted("forward_dynamics", robot, back, qd, tau)) / (2 * h)
        assert error(dqdd_dq[:, k], slope) <= 1e-6


@in_pairs
def test_the_coriolis_matrix_does_no_work(kinds):
    """C q̇ + g are the bias forces, and C + Cᵀ is how fast M changes."""
    robot, h = robot_of(kinds, range(-1, len(kinds) - 1), 2), 1e-6
    state = motion(robot)
    q, qd = state["q"], state["qd"]
    C = interpreted("coriolis_matrix", robot, q, qd)
    g, h_ = interpreted("gravity_torques", robot, q), interpreted("bias_forces", robot, q, qd)
    assert error(C @ qd + g, h_) <= 1e-12
    there, back = (px.integrate(robot, q, way * qd) for way in (h, -h))
    change = interpreted("mass_matrix", robot, there) - interpreted("mass_matrix", robot, back)
    assert error(C + C.T, change / (2 * h)) <= 1e-7


@pytest.mark.parametrize("scale", [1.0, 1e-2, 1e-3, 1e-9, 0.0])
def test_integrate_and_difference_invert_each_other(scale):
    robot = tree(0)
    state = motion(robot)
    way = scale * state["v"]
    moved = px.integrate(robot, state["q"], way)
    assert abs(px.difference(robot, state["q"], moved) - way).max() <= 2e-15 * max(1, scale)
    np.testing.assert_allclose(px.normalize(robot, moved), moved, rtol=0, atol=1e-15)


def test_the_neutral_position_and_its_scale():
    robot = tree(0)
    neutral = px.neutral(robot)
    assert neutral.shape == (robot.nq,) and robot.nq > robot.nv
    np.testing.assert_array_equal(px.normalize(robot, 3 * neutral), neutral)


def test_parameters_and_loads():
    """Of bodies, not of rows."""
    robot = robot_of(("free", "universal", "revolute"), (-1, 0, 1), 1)
    state = motion(robot)
    q, qd, qdd = (state[name] for name in ("q", "qd", "qdd"))
    load = px.payload(robot, 1.5, frame="tip")
    loaded = interpreted("inverse_dynamics", robot, q, qd, qdd, **load)
    expected = interpreted("inverse_dynamics", robot.with_payload(1.5, frame="tip"), q, qd, qdd)
    assert error(loaded, expected) <= 1e-12
    wrench = np.arange(1.0, 7.0)
    force = px.external_force(robot, q, wrench, frame="tip")
    pushed = interpreted("inverse_dynamics", robot, q, qd, qdd, external_force=force)
    reaction = interpreted("jacobian", robot, q, frame="tip").T @ wrench
    assert error(interpreted("inverse_dynamics", robot, q, qd, qdd) - pushed, reaction) <= 1e-12
    for name in ("mass", "com", "inertia", "origin", "rotor_inertia"):
        values = px.parameter_values(robot, name)
        assert len(values) == robot.n
        same = interpreted("inverse_dynamics", robot, q, qd, qdd, **{name: values})
        assert error(same, interpreted("inverse_dynamics", robot, q, qd, qdd)) <= 1e-12


def test_a_floating_base_keeps_the_mass_of_the_root():
    robot = px.load("ur5")
    floating = robot.with_floating_base()
    assert (floating.n, floating.nq, floating.nv) == (7, 13, 12)
    assert floating.inertias[0].mass == robot.root.mass == 4.0
    q, qd = np.linspace(0.1, 0.6, 6), np.linspace(1.0, 2.0, 6)
    held = interpreted("mass_matrix", floating, np.concatenate((px.neutral(floating)[:7], q)))
    assert error(held[6:, 6:], interpreted("mass_matrix", robot, q)) <= 1e-12
    rest = np.zeros(6)
    still = px.inverse_dynamics(
        floating,
        np.concatenate((px.neutral(floating)[:7], q)),
        np.concatenate((rest, qd)),
        np.zeros(12),
    )
    assert error(still[6:], interpreted("bias_forces", robot, q, qd)) <= 1e-12


def test_what_takes_single_joints_only_says_so():
    robot = tree(0)
    with pytest.raises(px.ArgumentError, match=r"one degree of freedom only, .* \(free\)"):
        px.closed_form(robot)
    with pytest.raises(px.RobotError, match="second_axis"):
        Joint("u", "universal")


@pytest.mark.parametrize("tilt", [(0, 0, 0), (1e-3, 0, 0), (0, -1e-3, 0), (0.3, 0.2, 0)])
def test_a_planar_joint_with_a_tilted_axis(tilt):
    """Its x and y tilt as its axis does; it moves as one about z does in a seat that is tilted."""
    axis = np.array([0, 0, 1]) + tilt
    axis = axis / np.linalg.norm(axis)
    turn = across(axis)
    assert turn[0, 0] > 0.9 and turn[1, 1] > 0.9
    com, about = np.array([0.1, 0.2, 0.3]), np.diag([0.02, 0.03, 0.04])
    body = px.robots.Inertia.of(1.0, tuple(com), about)
    turned = px.robots.Inertia.of(1.0, tuple(turn.T @ com), turn.T @ about @ turn)
    seat = px.robots.Pose.of(turn, (0, 0, 0))
    tilted = px.Robot("tilted", [Joint("slide", "planar", axis=tuple(axis))], [body])
    upright = px.Robot("upright", [Joint("slide", "planar", placement=seat)], [turned])
    state = motion(tilted)
    given = arguments("inverse_dynamics", state)
    found, expected = (interpreted("inverse_dynamics", r, *given) for r in (tilted, upright))
    assert error(found, expected) <= 1e-12
