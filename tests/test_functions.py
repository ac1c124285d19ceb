"""The functions of px: compiled, batched, traced, with frames and parameters, and their errors."""

import random
from dataclasses import replace

import numpy as np
import pytest
from support.functions import (
    ABOUT_A_FRAME,
    DIVIDING,
    error,
    every_function,
    inputs,
    quick,
    random_tree,
    short_chain,
    state,
    value,
)
from support.robots import random_chain, random_inertia, random_robot, relative_error, states

import paraxis as px
from paraxis import Robot
from paraxis.errors import ArgumentError, RobotError
from paraxis.physics import ALGORITHMS
from paraxis.physics.parts.massless import require_mobile
from paraxis.robot_functions import COORDINATES, FUNCTIONS, MATTERS
from paraxis.robots import Frame, Inertia, Joint, Pose
from paraxis.robots.joint import WORLD
from paraxis.robots.model import DESCRIPTION, parameter_values

# -- parameters at run time ------------------------------------------------------------------------


def rebuilt(robot, mass, com, inertia, origin, rotor_inertia, gravity):
    """The robot with other numbers, from its description."""
    joints = [
        replace(
            joint,
            placement=Pose(joint.placement.rotation, tuple(at)),
            rotor_inertia=float(rotor),
        )
        for joint, at, rotor in zip(robot.joints, origin, rotor_inertia, strict=True)
    ]
    bodies = [Inertia.of(*body) for body in zip(mass, com, inertia, strict=True)]
    return replace(robot, joints=joints, inertias=bodies, gravity=tuple(gravity), warn=False)


@every_function
def test_parameters_are_those_of_a_rebuilt_robot(function):
    robot = short_chain(function)
    rng = np.random.default_rng(1)
    other = {
        name: np.array(parameter_values(robot, name)) * rng.uniform(0.8, 1.25)
        for name in DESCRIPTION
    }
    motion, changed = state(robot), rebuilt(robot, **other)
    other = {name: numbers for name, numbers in other.items() if name in MATTERS[function]}
    about = {"frame": robot.frame_names[-1]} if function in ABOUT_A_FRAME else {}
    ours = value(robot, function, motion | other, **about)
    assert error(ours, value(changed, function, motion, **about)) <= 1e-9
    own = {name: np.array(parameter_values(robot, name)) for name in other}
    assert (
        error(
            value(robot, function, motion | own, **about), value(robot, function, motion, **about)
        )
        <= 1e-9
    )


def test_parameters_as_keywords_vary_from_state_to_state():
    robot, rng = px.load("planar3"), np.random.default_rng(2)
    q, qd, tau = rng.uniform(-1, 1, (3, 5, 3))
    mass = rng.uniform(1, 2, (5, 3))
    force = rng.uniform(-1, 1, (4, 1, 3, 6))
    ours = px.forward_dynamics(robot, q, qd, tau, mass=mass, external_force=force)
    assert ours.shape == (4, 5, 3)
    swapped = px.forward_dynamics(robot, q, qd, tau, external_force=force, mass=mass)
    assert error(swapped, ours) <= 1e-12
    own = {name: np.array(parameter_values(robot, name)) for name in DESCRIPTION}
    for k in range(5):
        other = rebuilt(robot, **(own | {"mass": mass[k]}))
        motion = {"q": q[k], "qd": qd[k], "tau": tau[k], "external_force": force[:, 0]}
        assert error(ours[:, k], value(other, "forward_dynamics", motion)) <= 1e-12
    out = np.empty_like(ours)
    assert px.forward_dynamics(robot, q, qd, tau, out=out, mass=mass, external_force=force) is out
    assert np.array_equal(out, ours)
    slopes = px.inverse_dynamics_derivatives(robot, q, qd, tau, mass=mass)
    assert [slope.shape for slope in slopes] == [(5, 3, 3)] * 2
    with pytest.raises(ArgumentError, match=r"mass: expected shape \(\.\.\., 3\), found \(5, 2\)"):
        px.mass_matrix(robot, q, mass=np.ones((5, 2)))
    with pytest.raises(ArgumentError, match="parameters: expected some of .* found 'lenght'"):
        px.mass_matrix(robot, q, lenght=1.0)
    with pytest.raises(ArgumentError, match="'axes'; besides them, jacobian takes frame and coord"):
        px.jacobian(robot, q, axes="body")


@pytest.mark.parametrize("function", ["forward_dynamics", "bias_forces", "kinetic_energy"])
def test_a_base_that_moves_is_a_first_joint_that_does(function):
    """A robot on a body without mass that a sliding joint carries along x."""
    robot = random_chain(2, (3, 3))
    slider = Joint("slider", "prismatic", WORLD, Pose(), (1, 0, 0))
    moved = [replace(joint, parent=joint.parent + 1) for joint in robot.joints]
    carried = Robot(
        "carried", [slider, *moved], [Inertia(), *robot.inertias], (), robot.gravity, robot.base
    )
    motion, speed, rise = state(robot), 1.3, 0.7
    along = {"base_velocity": [0, 0, 0, speed, 0, 0], "base_acceleration": [0, 0, 0, rise, 0, 0]}
    if function == "kinetic_energy":
        along.pop("base_acceleration")
    ours = value(robot, function, motion | along)
    whole = {name: np.concatenate(([0.0], rows)) for name, rows in motion.items()}
    whole["qd"][0] = speed
    if function == "forward_dynamics":
        whole["qdd"] = np.concatenate(([rise], ours))
        assert error(value(carried, "inverse_dynamics", whole)[1:], motion["tau"]) <= 1e-9
    elif function == "bias_forces":
        whole["qdd"] = np.concatenate(([rise], np.zeros(robot.n)))
        assert error(ours, value(carried, "inverse_dynamics", whole)[1:]) <= 1e-11
    else:
        assert error(ours, value(carried, function, whole)) <= 1e-12


# -- compiled, batched, traced ---------------------------------------------------------------------


def batched(function, robot, dtype=float):
    """Inputs whose batch shapes broadcast to (4, 3)."""
    rng, shapes = np.random.default_rng(3), {"q": (4, 1), "qd": (3,), "qdd": (4, 3), "tau": (1, 3)}
    shapes |= {"v": (3,), "q0": (4, 1), "q1": (1, 3)}
    return [
        rng.uniform(-1, 1, (*shapes[name], robot.n)).astype(dtype)
        for name in FUNCTIONS[function].inputs
    ]


def several(found):
    return found if isinstance(found, tuple) else (found,)


@every_function
def test_compiled_functions_are_their_programs(function):
    """On batches that broadcast, into given arrays, in both precisions; the same state gives the
    same bits wherever it stands."""
    robot, call = short_chain(function), getattr(px, function)
    arrays = batched(function, robot)
    batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    given = dict(zip(FUNCTIONS[function].inputs, arrays, strict=True))
    expected = several(value(robot, function, given))
    found = call(robot, *arrays)
    assert isinstance(found, tuple) == (len(expected) > 1)
    for ours, reference, shape in zip(
        several(found), expected, px.program(robot, function).outputs.values(), strict=True
    ):
        assert ours.shape == reference.shape == (*batch, *shape) and ours.dtype == np.float64
        for at in np.ndindex(batch):
            assert error(ours[at], reference[at]) <= 1e-11
    out = tuple(np.empty_like(array) for array in several(found))
    back = call(robot, *arrays, out=out if len(out) > 1 else out[0])
    for mine, returned, ours in zip(out, several(back), several(found), strict=True):
        assert returned is mine and np.array_equal(mine, ours)
    at = tuple(size - 1 for size in batch)
    one = [np.broadcast_to(array, (*batch, robot.n))[at] for array in arrays]
    for alone, ours in zip(several(call(robot, *one)), several(found), strict=True):
        assert np.array_equal(alone, ours[at])
    halves = call(robot, *batched(function, robot, np.float32))
    for half, ours in zip(several(halves), several(found), strict=True):
        assert half.dtype == np.float32 and error(half, ours) <= 1e-3


@every_function
def test_functions_inside_a_trace(function):
    """On lists of traced scalars; numbers among them are fine."""
    robot = short_chain(function)
    names = FUNCTIONS[function].inputs
    motion = state(robot)

    def fused(**arrays):
        found = getattr(px, function)(robot, *(arrays[name] for name in names))
        assert isinstance(found, tuple) == (len(FUNCTIONS[function].outputs) > 1)
        return {f"twice{k}": doubled(each) for k, each in enumerate(several(found))}

    def doubled(nested):
        return [doubled(each) for each in nested] if isinstance(nested, list) else 2 * nested

    traced = px.trace(fused, **dict.fromkeys(names, robot.n))
    found = traced.evaluate(**{name: motion[name] for name in names})
    found = tuple(found.values()) if isinstance(found, dict) else (found,)
    expected = tuple(2 * each for each in several(value(robot, function, motion)))
    assert error(found, expected) <= 1e-13


def test_parameters_and_frames_inside_a_trace():
    robot = px.load("planar3")

    def lifted(q, payload):
        masses = [1.0, 1.0, 1.0 + payload]
        height = px.forward_kinematics(robot, q, "link2")[1][3]
        torques = px.gravity_torques(robot, q, mass=masses)
        return {"height": height, "torques": torques}

    q = [0.3, -0.2, 0.5]
    found = px.trace(lifted, q=3, payload=()).evaluate(q=q, payload=0.5)
    assert error(found["height"], px.forward_kinematics(robot, q, "link2")[1, 3]) <= 1e-15
    expected = px.gravity_torques(robot, q, mass=[1, 1, 1.5])
    assert error(found["torques"], expected) <= 1e-13
    assert error(px.gravity_torques(robot, q), expected) > 0.1


# -- frames ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", ABOUT_A_FRAME)
def test_without_a_frame_it_is_the_tool(function):
    robot = px.load("stanford")
    motion, tool = state(robot), robot.tool().name
    call = getattr(px, function)
    arrays = inputs(function, motion)
    assert np.array_equal(call(robot, *arrays), call(robot, *arrays, tool))
    assert np.array_equal(call(robot, *arrays), call(robot, *arrays, frame=tool))


def test_a_robot_without_frames_has_a_tip():
    bare = replace(px.load("stanford"), frames=())
    tip = replace(bare, frames=[Frame("last", 5)])
    q = state(bare)["q"]
    assert np.array_equal(px.jacobian(bare, q), px.jacobian(tip, q, "last"))


def test_a_frame_that_does_not_move():
    robot = random_tree(3)
    motion = state(robot)
    for axes in COORDINATES:
        for function in ("jacobian", "bias_acceleration"):
            assert not value(robot, function, motion, frame="base", coordinates=axes).any()
    at = robot.base.matrix @ robot.frame("base").pose.matrix
    assert error(value(robot, "forward_kinematics", motion, frame="base"), at) <= 1e-15


# -- errors ----------------------------------------------------------------------------------------


PAIR = Robot(
    "pair",
    [Joint("left", "revolute"), Joint("right", "revolute")],
    [Inertia.of(1, (0, 1, 0), (1, 1, 1))] * 2,
    [Frame("hand", 0)],
)
SHORT = px.robots.planar(3)


@pytest.mark.parametrize(
    ("robot", "function", "options", "message"),
    [
        ("ur5", "jacobian", {}, r"robot: expected a Robot \(see px.load\), found str"),
        (SHORT, "inverse", {}, r"found 'inverse'; did you mean 'inverse_dynamics'"),
        (SHORT, None, {}, "function: expected one of .*, found None"),
        (SHORT, "jacobian", {"frame": "toe"}, "robot 'planar3' has no frame 'toe'; it has 'base'"),
        (SHORT, "jacobian", {"frame": ["tip"]}, "frame: expected the name of a frame, found list"),
        (
            SHORT,
            "jacobian",
            {"coordinates": "tool"},
            r"coordinates: expected one of 'world', 'body', found 'tool'",
        ),
        (SHORT, "mass_matrix", {"frame": "tip"}, "mass_matrix does not take a frame, found 'tip'"),
        (SHORT, "frame_poses", {"frame": "tip"}, "frame: frame_poses does not take a frame"),
        (
            SHORT,
            "forward_kinematics",
            {"coordinates": "body"},
            "coordinates: forward_kinematics does not take coordinates",
        ),
        (
            SHORT,
            "forward_dynamics",
            {"algorithm": "spatial"},
            r"expected one of 'articulated_body', 'composite_body', .*, found 'spatial'",
        ),
        (SHORT, "forward_dynamics", {"algorithm": 3}, "algorithm: expected one of .*, found 3"),
        (
            SHORT,
            "mass_matrix",
            {"parameters": "mass"},
            "expected a sequence of names, found 'mass'",
        ),
        (SHORT, "mass_matrix", {"parameters": ["length"]}, "expected some of .*, found 'length'"),
        (
            SHORT,
            "inverse_dynamics",
            {"algorithm": "lagrange_closed_form", "parameters": ["base_velocity"]},
            "algorithm 'lagrange_closed_form' does not support a moving base",
        ),
        (
            SHORT,
            "coriolis_matrix",
            {"parameters": ["mass", "base_velocity"]},
            "parameters: coriolis_matrix does not depend on base_velocity, or is not",
        ),
        (
            SHORT,
            "regressor",
            {"parameters": ["external_force"]},
            "does not depend on external_force, or is not defined",
        ),
        (
            SHORT,
            "operational_space_inertia",
            {},
            "frame 'tip' is moved by only 3 degrees of freedom; this function needs at least 6",
        ),
        (PAIR, "jacobian", {}, "'pair' has 2 tips, so name a frame: 'hand', 'right'"),
    ],
)
def test_errors_of_a_request(robot, function, options, message):
    with pytest.raises((ArgumentError, RobotError), match=message):
        px.program(robot, function, **options)


def test_errors_of_calls_are_those_of_requests():
    q = np.zeros(3)
    with pytest.raises(RobotError, match="no frame 'toe'"):
        px.jacobian(SHORT, q, "toe")
    with pytest.raises(ArgumentError, match="expected the name of a frame, found list"):
        px.jacobian(SHORT, q, ["tip"])
    with pytest.raises(ArgumentError, match="coordinates: expected one of"):
        px.bias_acceleration(SHORT, q, q, coordinates="local")
    with pytest.raises(ArgumentError, match="robot: expected a Robot"):
        px.mass_matrix("ur5", q)
    with pytest.raises(ArgumentError, match=r"q: expected shape \(\.\.\., 3\), found \(4,\)"):
        px.mass_matrix(SHORT, np.zeros(4))
    with pytest.raises(RobotError, match="2 tips"):
        px.forward_kinematics(PAIR, np.zeros(2))
    assert px.forward_kinematics(PAIR, np.zeros(2), "hand").shape == (4, 4)


def test_every_function_is_public_and_has_algorithms():
    assert px.functions() == list(FUNCTIONS)
    for name in FUNCTIONS:
        assert callable(getattr(px, name)) and "**Arguments:**" in getattr(px, name).__doc__
        assert px.algorithms(name)


@pytest.mark.parametrize("function", DIVIDING)
def test_a_joint_that_moves_nothing_is_named(function):
    robot = px.load("puma560")
    joints = [replace(joint, rotor_inertia=0.0) for joint in robot.joints]
    empty = replace(robot, joints=joints, inertias=[*robot.inertias[:-1], Inertia()])
    for algorithm in (None, *quick(function)) if function in ALGORITHMS else (None,):
        with pytest.raises(RobotError, match="joint 'joint6' moves nothing that has inertia"):
            px.program(empty, function, algorithm)
    turned = [*joints[:-1], replace(joints[-1], rotor_inertia=0.1)]
    motion = state(robot)
    found = value(replace(empty, joints=turned), "forward_dynamics", motion)
    assert np.isfinite(found).all()


def ball_wrist(size=1.0, mass=1.0, rotor=0.0, moment=0.0):
    """Three joints with masses, then three at one point that carry a point mass."""
    arm = px.robots.chain(3, length=size, mass=mass)
    seats = (Pose(translation=(size, 0.0, 0.0)), Pose(), Pose())
    joints = [
        Joint(f"w{k}", "revolute", 2 + k, seat, tuple(np.eye(3)[k]), rotor_inertia=rotor)
        for k, seat in enumerate(seats)
    ]
    hand = Inertia.of(mass, (0.1 * size, 0.2 * size, 0.3 * size), [moment] * 3)
    bodies = [*arm.inertias, Inertia(), Inertia(), hand]
    return Robot("ball", [*arm.joints, *joints], bodies, [Frame("hand", 5)], warn=False)


@pytest.mark.parametrize("function", DIVIDING)
def test_joints_that_move_nothing_together_are_named(function):
    """Whatever turns about the line to a point mass moves nothing, in any posture."""
    message = "joints 'w0', 'w1', 'w2' can move together without moving anything that has inertia"
    for robot in (ball_wrist(), ball_wrist(1e-3, 1e-6), ball_wrist(1e3, 1e6)):
        with pytest.raises(RobotError, match=message):
            px.program(robot, function)
    with pytest.raises(RobotError, match=message):
        px.program(
            ball_wrist(), function, parameters=("gravity",)[: "gravity" in MATTERS[function]]
        )


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_little_inertia_is_enough(scale):
    little = 1e-9 * scale**2
    for robot in (ball_wrist(scale, rotor=little), ball_wrist(scale, moment=little)):
        require_mobile(robot)
    require_mobile(px.robots.planar(60, length=scale))


def test_contacts_refuse_joints_that_move_nothing_together():
    with pytest.raises(RobotError, match="joints 'w0', 'w1', 'w2' can move together"):
        px.constrained_forward_dynamics(ball_wrist(), *np.zeros((3, 6)), px.Contact.pinned("hand"))


def test_a_robot_without_mass_has_no_centre():
    robot = Robot("rotors", [Joint("j", "revolute", rotor_inertia=1.0)], [Inertia()])
    with pytest.raises(RobotError, match="robot 'rotors' has no mass, and thus no centre of mass"):
        px.centre_of_mass(robot, [0.0])
    assert px.potential_energy(robot, [0.3]) == 0.0
    assert px.kinetic_energy(robot, [0.3], [2.0]) == 2.0


# -- what it holds, what pushes it -----------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_a_payload_of_every_state_is_what_with_payload_makes(seed):
    robot = random_robot(seed, joints=(1, 5))
    rng = np.random.default_rng(seed)
    q, qd, qdd = states(robot, 4, seed)
    frame = robot.frames[-1].name
    bodies = [random_inertia(random.Random(seed + k)) for k in range(4)]
    parameters = px.payload(
        robot,
        [body.mass for body in bodies],
        [body.com for body in bodies],
        [body.about_com for body in bodies],
        frame,
    )
    program = px.program(robot, algorithm="spatial", parameters=tuple(parameters))
    found = program.evaluate(q=q, qd=qd, qdd=qdd, **parameters)
    for k, body in enumerate(bodies):
        holding = robot.with_payload(body.mass, body.com, body.about_com, frame)
        alone = px.program(holding, algorithm="spatial").evaluate(q=q[k], qd=qd[k], qdd=qdd[k])
        assert relative_error(found[k], alone) < 1e-11
    assert px.payload(robot, rng.uniform(0, 1, (2, 3)), frame=frame)["com"].shape == (
        2, 3, robot.n, 3,
    )  # fmt: skip


@pytest.mark.parametrize("coordinates", ["world", "body"])
def test_a_push_is_felt_as_its_jacobian_says(coordinates):
    robot = px.load("ur5").with_base(px.robots.Pose.from_rpy((0.1, 0.2, 0.3), (0.4, -0.5, 0.6)))
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.uniform(-2, 2, (3, 5, 6))
    wrench = rng.uniform(-9, 9, (2, 5, 6))
    push = px.external_force(robot, q, wrench, "tool0", coordinates)
    assert push.shape == (2, 5, 6, 6)
    J = px.jacobian(robot, q, "tool0", coordinates)
    expected = px.inverse_dynamics(robot, q, qd, qdd) - np.einsum("...ij,...i->...j", J, wrench)
    found = px.inverse_dynamics(robot, q, qd, qdd, external_force=push)
    assert relative_error(found, expected) < 1e-12
    with pytest.raises(ArgumentError, match=r"wrench: expected .* \(..., 6\), found \(3,\)"):
        px.external_force(robot, q, np.zeros(3))
    with pytest.raises(ArgumentError, match="'base_link' is fixed to the world"):
        px.external_force(robot, q, wrench, "base_link")
    with pytest.raises(ArgumentError, match="coordinates"):
        px.external_force(robot, q, wrench, coordinates="tool")
