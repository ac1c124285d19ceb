"""Inverse dynamics against Pinocchio, MuJoCo, closed forms and the laws of physics; robots."""

import copy
import dataclasses
import json
import math
import pickle
import re
import warnings
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from support.robot_files import NOT_ROBOTS
from support.robots import (
    RIGHT,
    body_poses,
    kinetic_energy,
    mujoco_torques,
    mujoco_xml,
    pinocchio_model,
    pinocchio_torques,
    potential_energy,
    random_robot,
    relative_error,
    robots,
    skew,
    states,
)
from support.summary import URDF

import paraxis as px
from paraxis import Robot
from paraxis.errors import ArgumentError, RobotError, RobotWarning
from paraxis.physics import ALGORITHMS, CHEAP
from paraxis.robots import Frame, Inertia, Joint, Pose
from paraxis.robots.equal.reframe import SLIDE, reframe
from paraxis.robots.equal.regroup import regroup
from paraxis.robots.joint import WORLD
from paraxis.robots.model import Model
from paraxis.robots.seat import align_z

NAMES = CHEAP  # the others are compared in test_algorithms.py
seeds = st.integers(0, 2**32 - 1)  # for the states a random robot is tried in
choices = st.sampled_from((None, *NAMES))  # of an algorithm; None leaves it to `px.program`


@lru_cache(maxsize=64)
def program(robot, algorithm=None):
    return px.program(robot, algorithm=algorithm)


def torques(robot, q, qd, qdd, algorithm=None):
    """By the interpreter; without an algorithm, of the Program that `px` would compile."""
    return program(robot, algorithm).evaluate(q=q, qd=qd, qdd=qdd)


def recursion(robot, algorithm, q, qd, qdd):
    """By the algorithm itself, run on the scalars given, one state."""
    return ALGORITHMS["inverse_dynamics"][algorithm](Model(robot), q, qd, qdd)


# -- against Pinocchio, on random robots -----------------------------------------------------------


def test_the_generator_makes_what_it_promises():
    """Over some hundred robots: every kind, branch, angle and parameter that tests rely on."""
    made = [random_robot(seed) for seed in range(150)]
    joints = [joint for robot in made for joint in robot.joints]
    assert {robot.n for robot in made} == set(range(1, 13))
    assert {joint.kind for joint in joints} == {"revolute", "continuous", "prismatic"}
    assert any(robot.branching and robot.branching[-1] != WORLD for robot in made)
    assert any(not robot.branching and robot.n > 3 for robot in made)
    along = [max(map(abs, joint.axis)) for joint in joints]
    assert any(v < 0.9 for v in along) and any(v == 1.0 for v in along)
    assert any(v == 1.0 and 0.0 not in j.axis for v, j in zip(along, joints, strict=True))
    entries = np.abs([joint.placement.rotation for joint in joints])
    assert ((entries > 1e-10) & (entries < 2e-6)).any()  # a hair away from a right angle
    for body in (body for robot in made for body in robot.inertias):
        assert all((body.mass, *body.com, *body.about_com)) and body.implausible() is None
    assert any(joint.rotor_inertia for joint in joints)
    assert random_robot(7).digest == random_robot(7).digest != random_robot(8).digest


@settings(max_examples=15)
@given(robots(), seeds)
def test_every_algorithm_equals_pinocchio_on_random_trees(robot, seed):
    state = states(robot, 3, seed)
    reference = pinocchio_torques(robot, *state)
    for name in NAMES:
        note(name)
        assert relative_error(torques(robot, *state, name), reference) <= 1e-10


@settings(max_examples=10)
@given(robots(), seeds)
def test_compiled_inverse_dynamics_equals_pinocchio_on_random_trees(robot, seed):
    state = states(robot, 19, seed)  # more than one vector of lanes, and a remainder
    reference = pinocchio_torques(robot, *state)
    assert relative_error(px.inverse_dynamics(robot, *state), reference) <= 1e-10
    one = tuple(rows[3] for rows in state)
    assert relative_error(px.inverse_dynamics(robot, *one), reference[3]) <= 1e-10


@pytest.mark.parametrize("name", NAMES)
def test_a_named_algorithm_compiles_to_the_same_torques(name):
    for seed in (1, 2):
        robot = random_robot(seed)
        state = states(robot, 5, seed)
        ours = px.inverse_dynamics(robot, *state, algorithm=name)
        assert relative_error(ours, pinocchio_torques(robot, *state)) <= 1e-10


@settings(max_examples=12)
@given(robots(), seeds)
def test_a_trace_gives_the_bits_of_the_recursion_on_floats(robot, seed):
    """Simplification while tracing is exact."""
    state = states(robot, 2, seed)
    for name in NAMES:
        rows = [recursion(robot, name, *map(list, row)) for row in zip(*state, strict=True)]
        assert np.array_equal(torques(robot, *state, name), rows)


@settings(max_examples=15)
@given(robots(joints=(1, 6), massless=True), seeds)
def test_bodies_without_mass_are_fine(robot, seed):
    state = states(robot, 2, seed)
    reference = pinocchio_torques(robot, *state)
    for name in (None, *NAMES):
        assert relative_error(torques(robot, *state, name), reference) <= 1e-10


@pytest.mark.parametrize("axis", [(1, 1e-9, 0), (1e-8, -1e-9, -1), (0, 1, 3e-9)])
def test_an_axis_a_hair_away_from_a_coordinate_axis_is_not_taken_for_it(axis):
    """Its largest component is 1.0 in floats, though it is not the coordinate axis."""
    matrix = align_z(np.array(axis, dtype=float))
    assert abs(matrix.T @ matrix - np.eye(3)).max() < 1e-15


# -- against Pinocchio, on real robots -------------------------------------------------------------


def urdfs():
    try:
        import peers
    except ImportError:  # no Pinocchio, CasADi or example-robot-data here
        return []
    return peers.all_robot_files()


# seconds each; others of many branches stay among the quick ones (g1_29dof, talos_reduced, ...)
LARGE = (
    *("alex_psyonic_hands", "centauro", "g1_29dof_with_hand_rev_1_0", "human", "icub", "pr2"),
    *("romeo", "romeo_laas_small", "talos_full_v2", "talos_full_v2_box"),
    *("tiago", "tiago_dual", "tiago_pro", "talos_reduced", "icub_reduced", "romeo_small"),
    *("simple_humanoid", "simple_humanoid_classical", "talos_reduced_box"),
    *("alex_sake_hands", "alex_nub_hands"),
)


@pytest.mark.parametrize(
    "path",
    [pytest.param(at, marks=pytest.mark.long if at.stem in LARGE else ()) for at in urdfs()],
    ids=lambda path: f"{path.parts[-3]}-{path.stem}",
)
@pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning")
def test_real_robots_move_as_in_pinocchio(path, record_property):
    import peers

    try:
        robot = px.load(path)
    except RobotError as error:
        reason = str(error).split("urdf': ")[-1]
        record_property(URDF, (path.stem, reason))
        assert re.search(NOT_ROBOTS[path.name], reason)
        return
    assert path.name not in NOT_ROBOTS
    peer = peers.PinocchioPeer(path)
    q, qd, qdd = states(robot, 4)
    order = [robot.joint_names.index(name) for name in peer.joint_names]
    theirs = peer.inverse_dynamics(*peer.prepare(*(rows[:, order] for rows in (q, qd, qdd))))
    reference = np.empty_like(q)
    reference[:, order] = theirs
    for name in NAMES:
        assert relative_error(torques(robot, q, qd, qdd, name), reference) <= 1e-10, name
    assert relative_error(px.inverse_dynamics(robot, q, qd, qdd), reference) <= 1e-10
    record_property(URDF, (path.stem, ""))


# -- against MuJoCo --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("gravity", [True, False])
def test_random_robots_move_as_in_mujoco(seed, gravity):
    pytest.importorskip("mujoco")
    robot = random_robot(seed)
    robot = robot if gravity else robot.with_gravity((0, 0, 0))
    state = states(robot, 3, seed)
    reference = mujoco_torques(mujoco_xml(robot), robot, *state)
    assert relative_error(px.inverse_dynamics(robot, *state), reference) <= 1e-9


@pytest.mark.parametrize("name", ["ur5", "xarm7", "panda", "g1_29dof", "talos_reduced"])
@pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning")
def test_real_robots_move_as_in_mujoco(name):
    """MuJoCo reads the same file, less what only shapes, simulators and controllers need."""
    pytest.importorskip("mujoco")
    peers = pytest.importorskip("peers")
    root = ElementTree.parse(peers.robot_file(name)).getroot()
    for element in list(root.iter()):
        for child in list(element):
            if child.tag not in ("link", "joint", "inertial", "mass", "inertia") + (
                "origin", "axis", "parent", "child",
            ):  # fmt: skip
                element.remove(child)
    robot = px.load(peers.robot_file(name))
    state = states(robot, 3)
    reference = mujoco_torques(ElementTree.tostring(root, "unicode"), robot, *state)
    assert relative_error(px.inverse_dynamics(robot, *state), reference) <= 1e-9


# -- body frames -----------------------------------------------------------------------------------


def model_poses(robot, q):
    """The 4x4 pose of every body in the world, as `Model.transform` gives them."""
    model, poses = Model(robot), {WORLD: robot.base.matrix}
    for i, parent in model.outward:
        X, here = model.transform(i, q[i]), np.eye(4)
        here[:3, :3] = [list(row) for row in X.turn.matrix()]
        here[:3, 3] = list(X.origin)
        poses[i] = poses[parent] @ here
    return poses


def frame_poses(robot, q):
    poses = model_poses(robot, q)
    return {frame.name: poses[frame.body] @ frame.pose.matrix for frame in robot.frames}


@settings(max_examples=20)
@given(robots(), seeds)
def test_the_transforms_of_a_model_are_those_of_the_description(robot, seed):
    for q in states(robot, 2, seed)[0]:
        poses = model_poses(robot, q)
        for i, expected in enumerate(body_poses(robot, q)):
            assert abs(poses[i] - expected).max() <= 1e-13 * max(1, abs(expected).max())


@pytest.mark.parametrize("slide", [True, False])
@settings(max_examples=12)
@given(robot=robots(), seed=seeds)
def test_reframing_changes_neither_torques_nor_frames(slide, robot, seed):
    other = reframe(robot, slide)
    state = states(robot, 3, seed)
    assert all(joint.axis == (0, 0, 1) for joint in other.joints)
    reference = torques(robot, *state, "newton_euler")
    assert relative_error(torques(other, *state, "newton_euler"), reference) <= 1e-11
    for q in state[0]:
        before, after = frame_poses(robot, q), frame_poses(other, q)
        assert before.keys() == after.keys()
        for name, pose in before.items():
            assert abs(after[name] - pose).max() <= 1e-11 * max(1, abs(pose).max())


def test_reframed_seats_are_those_of_denavit_and_hartenberg():
    """One turn about x, one about z; an offset has no component that sliding can remove."""
    chains = [robot for robot in map(random_robot, range(80)) if not robot.branching]
    turned = parallel = 0
    for robot in chains:
        for joint in reframe(robot).joints[1:]:
            axis, (_, y, z) = np.array(joint.placement.rotation)[:, 2], joint.placement.translation
            assert abs(axis[0]) < 1e-15
            if abs(axis[1]) > SLIDE:
                assert abs(y) < 1e-13
                turned += 1
            else:
                assert abs(z) < 1e-13
                parallel += 1
    assert turned > 20 and parallel > 10


TILTS = [0, 1e-17, 2e-16, 4e-16, 5e-16, 1e-15, 1e-12, 1e-9, 1e-8, 1e-6, 0.0999, 0.1, 0.1002, 0.3]


@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("turned", [0, RIGHT, math.pi])
def test_reframing_nearly_parallel_axes(tilt, turned):
    """Their common normal may be far away or nowhere; nothing may be divided by its nothing."""
    body = random_robot(3, joints=(1, 1)).inertias[0]
    seat = Pose.from_rpy((0.3, -0.2, 0.5), (turned + tilt, 0, 0.7))
    joints = [
        Joint("a", "revolute"),
        Joint("b", "revolute", 0, seat),
        Joint("c", "prismatic", 1, Pose.from_rpy((0.1, 0.2, 0.3), (0, turned - tilt, 0))),
        Joint("d", "revolute", 2, seat),
    ]
    frames = [Frame(f"f{i}", i, Pose.from_rpy((1, 2, 3), (1, 2, 3))) for i in range(4)]
    robot = Robot("bent", joints, [body] * 4, frames)
    state = states(robot, 3)
    reference = torques(robot, *state, "newton_euler")
    for slide in (True, False):
        other = reframe(robot, slide)
        assert relative_error(torques(other, *state, "newton_euler"), reference) <= 1e-11
        before, after = frame_poses(robot, state[0][1]), frame_poses(other, state[0][1])
        assert max(abs(after[name] - before[name]).max() for name in before) <= 1e-11
        longest = max(abs(v) for joint in other.joints for v in joint.placement.translation)
        assert longest < 20  # an origin slid to where axes almost meet would be far away


@pytest.mark.parametrize("slide", [True, False])
@settings(max_examples=20)
@given(robot=robots(massless=True), seed=seeds)
def test_regrouped_masses_give_the_same_torques(slide, robot, seed):
    """Masses handed to parents leave zeros behind, where Gautier and Khalil say."""
    view = reframe(robot, slide)
    bodies = regroup(view)
    for joint, body in zip(view.joints, bodies, strict=True):
        inertia = body.about_origin
        if joint.is_revolute:
            assert (body.mass, body.moment.z, inertia.yy) == (0, 0, 0)
        else:
            assert not any((inertia.xx, inertia.yy, inertia.zz, inertia.xy, inertia.xz, inertia.yz))
    q, qd, qdd = states(robot, 3, seed)
    reference = torques(robot, q, qd, qdd, "newton_euler")
    for name in ("spatial", "modified_newton_euler", "tensor_newton_euler"):
        algorithm, model = ALGORITHMS["inverse_dynamics"][name], Model(view, bodies=bodies)
        found = [algorithm(model, *map(list, row)) for row in zip(q, qd, qdd, strict=True)]
        assert relative_error(found, reference) <= 1e-11


def test_a_rotation_typed_with_few_digits_becomes_a_rotation():
    """Or the same robot would have other torques in other body frames."""
    exact = np.array(Pose.from_rpy((0, 0, 0), (0.3, 0.4, 0.5)).rotation)
    typed = Pose.of(exact.round(7), (0.1, 0.2, 0.3))
    r = np.array(typed.rotation)
    assert abs(r @ r.T - np.eye(3)).max() < 1e-15 and abs(r - exact).max() < 1e-7
    body = random_robot(3, joints=(1, 1)).inertias[0]
    joints = [Joint("a", "revolute"), Joint("b", "revolute", 0, typed)]
    robot = Robot("typed", joints, [body] * 2, base=typed)
    state = states(robot)
    reference = torques(robot, *state, "spatial")
    assert relative_error(torques(reframe(robot), *state), reference) < 1e-12


def test_the_cheapest_program_never_costs_more_than_a_named_one():
    loaded = [px.load(name) for name in ("puma560", "stanford", "ur5", "planar3")]
    for robot in [*loaded, px.robots.chain(4), *(random_robot(seed) for seed in range(8))]:
        best = px.program(robot).count().flops
        for name in NAMES:
            assert best <= px.program(robot, algorithm=name).count().flops, (robot.name, name)


# -- the laws of physics ---------------------------------------------------------------------------


def mass_matrix(robot, q, algorithm=None):
    """Column k is the torque of a unit acceleration of joint k, without gravity, at rest."""
    still = np.zeros((robot.n, robot.n))
    here = np.broadcast_to(q, still.shape)
    return torques(robot.with_gravity((0, 0, 0)), here, still, np.eye(robot.n), algorithm).T


def without_rotors(robot):
    return replace(robot, joints=[replace(joint, rotor_inertia=0.0) for joint in robot.joints])


@settings(max_examples=15)
@given(robots(), seeds, choices)
def test_the_mass_matrix_is_that_of_the_kinetic_energy(robot, seed, algorithm):
    q = states(robot, 2, seed)[0][1]
    M = mass_matrix(robot, q, algorithm)
    scale = abs(M).max()
    assert abs(M - M.T).max() <= 1e-12 * scale
    unit = np.eye(robot.n)
    alone = [kinetic_energy(robot, q, unit[i]) for i in range(robot.n)]
    for i in range(robot.n):
        for j in range(i + 1):
            both = kinetic_energy(robot, q, unit[i] + unit[j])
            assert abs(M[i, j] - (both - alone[i] - alone[j])) <= 1e-11 * scale
    assert np.linalg.eigvalsh(M).min() > 0  # every body has mass


@settings(max_examples=15)
@given(robots(massless=True, rotors=False), seeds, choices)
def test_the_mass_matrix_of_bodies_without_mass_is_not_negative(robot, seed, algorithm):
    M = mass_matrix(robot, states(robot, 2, seed)[0][1], algorithm)
    assert abs(M - M.T).max() <= 1e-12 * max(1, abs(M).max())
    assert np.linalg.eigvalsh(M).min() >= -1e-12 * max(1, abs(M).max())


@settings(max_examples=10)
@given(robots(), seeds)
def test_rotor_inertia_adds_exactly_to_the_diagonal(robot, seed):
    q = states(robot, 2, seed)[0][1]
    rotors = np.diag([joint.rotor_inertia for joint in robot.joints])
    for name in NAMES:
        bare = mass_matrix(without_rotors(robot), q, name)
        assert np.array_equal(mass_matrix(robot, q, name), bare + rotors)
    # and to nothing else: no torque at rest or of velocity
    still = 0 * q
    qd = states(robot, 2, seed)[1][1]
    args = (q, qd, still, "newton_euler")
    assert np.array_equal(torques(robot, *args), torques(without_rotors(robot), *args))


@settings(max_examples=12)
@given(robots(), seeds, choices)
def test_torque_is_affine_in_acceleration_and_quadratic_in_velocity(robot, seed, algorithm):
    q, qd, qdd = (rows[1] for rows in states(robot, 2, seed))
    zero = 0 * q
    at = [torques(robot, q, qd, k * qdd, algorithm) for k in (0, 1, 2)]
    assert relative_error(at[0] + at[2], 2 * at[1]) <= 1e-12
    assert relative_error(at[0] + mass_matrix(robot, q, algorithm) @ qdd, at[1]) <= 1e-12
    weightless = robot.with_gravity((0, 0, 0))
    still, slow, fast = (torques(weightless, q, k * qd, zero, algorithm) for k in (0, 1, -2))
    assert not still.any() and relative_error(fast, 4 * slow) <= 1e-12
    assert relative_error(torques(robot, q, zero, zero, algorithm) + slow, at[0]) <= 1e-12


@settings(max_examples=15)
@given(robots(), seeds, choices)
def test_gravity_torques_are_the_slope_of_potential_energy(robot, seed, algorithm):
    q = states(robot, 2, seed)[0][1]
    step = 1e-30j
    slope = [potential_energy(robot, q + step * unit).imag / step.imag for unit in np.eye(robot.n)]
    assert relative_error(torques(robot, q, 0 * q, 0 * q, algorithm), slope) <= 1e-12


@settings(max_examples=12)
@given(robots(), seeds, choices)
def test_power_goes_into_energy(robot, seed, algorithm):
    """qd . tau is the rate of kinetic and potential energy along the motion."""
    for q, qd, qdd in zip(*states(robot, 2, seed), strict=True):
        dt = 1e-30j  # a step along the motion, into the imaginary direction
        then = q + dt * qd
        energy = kinetic_energy(robot, then, qd + dt * qdd) + potential_energy(robot, then)
        rate = energy.imag / dt.imag
        tau = torques(robot, q, qd, qdd, algorithm)
        assert abs(qd @ tau - rate) <= 1e-12 * max(1, abs(qd) @ abs(tau))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10)
@given(robot=robots(joints=(1, 7)), seed=seeds)
def test_algorithms_run_on_complex_numbers(name, robot, seed):
    """A complex step gives the derivative of torque; central differences agree."""
    q, qd, qdd = (rows[1] for rows in states(robot, 2, seed))
    for k in range(robot.n):
        unit = np.eye(robot.n)[k]
        stepped = recursion(robot, name, list(q + 1e-30j * unit), list(qd), list(qdd))
        slope = np.array([np.imag(v) / 1e-30 for v in stepped])
        high, low = (recursion(robot, name, q + h * unit, qd, qdd) for h in (1e-5, -1e-5))
        assert relative_error(slope, (np.array(high) - low) / 2e-5) <= 1e-6
        assert relative_error(np.real(stepped), torques(robot, q, qd, qdd, name)) <= 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_algorithms_run_in_extended_precision(name):
    robot = random_robot(5)
    state = [rows[1] for rows in states(robot, 2)]
    wide = recursion(robot, name, *([np.longdouble(v) for v in rows] for rows in state))
    assert all(type(v) is np.longdouble for v in wide)
    assert relative_error(np.array(wide, dtype=float), torques(robot, *state, name)) <= 1e-13


@settings(max_examples=15)
@given(robots(), seeds, choices, st.data())
def test_torque_is_linear_in_masses(robot, seed, algorithm, data):
    state = states(robot, 2, seed)
    tau = torques(robot, *state, algorithm)
    tripled = replace(
        robot,
        joints=[replace(joint, rotor_inertia=3 * joint.rotor_inertia) for joint in robot.joints],
        inertias=[Inertia.of(3 * body.mass, body.com, 3 * body.matrix) for body in robot.inertias],
    )
    assert relative_error(torques(tripled, *state, algorithm), 3 * tau) <= 1e-12
    k = data.draw(st.integers(0, robot.n - 1))  # one mass alone: affine

    def at(mass):
        bodies = list(robot.inertias)
        bodies[k] = replace(bodies[k], mass=mass)
        return torques(replace(robot, inertias=bodies), *state, "modified_newton_euler")

    assert relative_error(at(1.0) + at(5.0), 2 * at(3.0)) <= 1e-12


@settings(max_examples=15)
@given(robots(), seeds, choices, st.tuples(*[st.floats(-3, 3)] * 6))
def test_turning_the_world_changes_nothing(robot, seed, algorithm, numbers):
    turn = Pose.from_rpy(numbers[:3], numbers[3:])
    down = np.array(turn.rotation) @ robot.gravity
    other = robot.with_base(turn @ robot.base).with_gravity(down)
    state = states(robot, 2, seed)
    reference = torques(robot, *state, algorithm)
    assert relative_error(torques(other, *state, algorithm), reference) <= 1e-12


# -- closed forms ----------------------------------------------------------------------------------


def test_one_rod_is_the_textbook_pendulum():
    m, l, g = 2.0, 0.7, 9.81
    q, qd, qdd = states(px.robots.planar(1), 20)
    ours = px.inverse_dynamics(px.robots.planar(1, length=l, mass=m), q, qd, qdd)
    assert relative_error(ours, m * l**2 / 3 * qdd + m * g * l / 2 * np.cos(q)) <= 1e-14


def test_two_rods_are_the_textbook_double_pendulum():
    """Craig, section 6.7, with rods of length l and mass m; q2 is measured from the first rod."""
    m, l, g = 2.0, 0.7, 9.81
    robot = px.robots.planar(2, length=l, mass=m)
    q, qd, qdd = states(robot, 20)
    (q1, q2), (w1, w2), (a1, a2) = q.T, qd.T, qdd.T
    r, moment = l / 2, m * l**2 / 12
    m22 = moment + m * r**2
    m12 = m22 + m * l * r * np.cos(q2)
    m11 = 2 * moment + m * r**2 + m * (l**2 + r**2 + 2 * l * r * np.cos(q2))
    h = m * l * r * np.sin(q2)
    g2 = m * g * r * np.cos(q1 + q2)
    g1 = m * g * (r + l) * np.cos(q1) + g2
    expected = np.stack(
        [
            m11 * a1 + m12 * a2 - h * (2 * w1 * w2 + w2**2) + g1,
            m12 * a1 + m22 * a2 + h * w1**2 + g2,
        ],
        axis=-1,
    )
    for name in (None, *NAMES):
        assert relative_error(torques(robot, q, qd, qdd, name), expected) <= 1e-14


@pytest.mark.parametrize("n", [1, 2, 7, 30])
def test_chains_are_robots(n):
    robot = px.robots.chain(n)
    assert (robot.n, robot.name, robot.branching) == (n, f"chain{n}", [])
    assert robot.frame_names == ["base", *(f"link{i + 1}" for i in range(n)), "tip"]
    assert all(body.implausible() is None for body in robot.inertias)
    state = states(robot)
    reference = pinocchio_torques(robot, *state)
    assert relative_error(px.inverse_dynamics(robot, *state), reference) < 1e-12


@pytest.mark.parametrize("build", [px.robots.planar, px.robots.chain])
@pytest.mark.parametrize("n", [0, -1, 2.0, "3", None, 1.5])
def test_a_chain_of_no_whole_number_of_links_is_an_error(build, n):
    with pytest.raises(RobotError, match=r"expected a whole number of joints >= 1, found"):
        build(n)


def test_bad_lengths_and_masses_are_errors():
    for options in ({"length": math.nan}, {"mass": -1}, {"mass": math.inf}):
        with pytest.raises(RobotError):
            px.robots.planar(2, **options)


# -- Denavit-Hartenberg ----------------------------------------------------------------------------

# The PUMA 560 in both conventions, written down separately. Modified: alpha and a of the link
# before; standard: of the link itself, so that they stand one row higher.
PUMA_MODIFIED = [
    (0, 0, 0, 0),
    (-RIGHT, 0, 0.2435, 0),
    (0, 0.4318, -0.0934, 0),
    (RIGHT, -0.0203, 0.4331, 0),
    (-RIGHT, 0, 0, 0),
    (RIGHT, 0, 0, 0),
]
PUMA_STANDARD = [
    (-RIGHT, 0, 0, 0),
    (0, 0.4318, 0.2435, 0),
    (RIGHT, -0.0203, -0.0934, 0),
    (-RIGHT, 0, 0.4331, 0),
    (RIGHT, 0, 0, 0),
    (0, 0, 0, 0),
]
ODD_MODIFIED = [(0, 0, 0.1, 0.2), (0.5, 0.3, -0.2, -1), (-1.2, 0.4, 0.3, 2), (2.5, -0.1, 0.2, 0)]
ODD_STANDARD = [(0.5, 0.3, 0.1, 0.2), (-1.2, 0.4, -0.2, -1), (2.5, -0.1, 0.3, 2), (0, 0, 0.2, 0)]
ODD_KINDS = ("revolute", "prismatic", "revolute", "prismatic")


def elementary(axis, angle=0.0, along=0.0):
    """A turn about a coordinate axis and a step along it, as a 4x4 matrix."""
    c, s, m = math.cos(angle), math.sin(angle), np.eye(4)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    m[j, j], m[j, k], m[k, j], m[k, k] = c, -s, s, c
    m[axis, 3] = along
    return m


def link_frames(rows, kinds, q, standard):
    """The link frames of a table in the world, multiplied as textbooks print it."""
    here, frames = np.eye(4), []
    for (alpha, a, d, theta), kind, x in zip(rows, kinds, q, strict=True):
        turned, slid = (theta, d + x) if kind == "prismatic" else (theta + x, d)
        screw, twist = elementary(2, turned, slid), elementary(0, alpha, a)
        here = here @ (screw @ twist if standard else twist @ screw)
        frames.append(here)
    return frames


def in_standard_frames(links, rows):
    """Links of modified frames, described in the standard frames at their far ends."""
    moved = []
    for (mass, com, inertia), (alpha, a, _, _) in zip(links, rows, strict=True):
        end = elementary(0, alpha, a)
        turn = end[:3, :3].T
        moved.append((mass, turn @ (np.array(com) - end[:3, 3]), turn @ np.array(inertia) @ turn.T))
    return moved


@pytest.mark.parametrize(
    ("modified", "standard", "kinds"),
    [
        (PUMA_MODIFIED, PUMA_STANDARD, ("revolute",) * 6),
        (ODD_MODIFIED, ODD_STANDARD, ODD_KINDS),
    ],
    ids=["puma", "odd"],
)
def test_both_conventions_describe_the_same_arm(modified, standard, kinds):
    bodies = random_robot(11, joints=(6, 6)).inertias[: len(kinds)]
    links = [(body.mass, body.com, body.matrix) for body in bodies]
    a = Robot.from_dh(modified, links, kinds=kinds)
    b = Robot.from_dh(
        standard, in_standard_frames(links, standard), convention="standard", kinds=kinds
    )
    state = states(a, 4)
    reference = torques(a, *state)
    assert relative_error(torques(b, *state), reference) <= 1e-13
    for robot, rows in ((a, modified), (b, standard)):
        assert [joint.kind for joint in robot.joints] == list(kinds)
        for q in state[0]:
            ours = frame_poses(robot, q)
            for i, pose in enumerate(link_frames(rows, kinds, q, standard=robot is b)):
                assert abs(ours[f"link{i + 1}"] - pose).max() <= 1e-13 * max(1, abs(pose).max())


LINK = (1, (0, 0, 0), (1, 1, 1))


@pytest.mark.parametrize(
    ("rows", "links", "options", "message"),
    [
        ([(0, 0, 0, 0)], [LINK], {"convention": "craig"}, "convention: expected one of 'modified'"),
        ([(0, 0, 0)], [LINK], {}, "row 1: expected 4 numbers, found 3"),
        ([(0, 0, 0, 0), (0, 0, math.nan, 0)], [LINK] * 2, {}, "row 2: expected finite numbers"),
        ([(0, 0, "x", 0)], [LINK], {}, "row 1: expected 4 numbers"),
        ([(0, 0, 0, 0)] * 2, [LINK], {}, "links: expected 2, one a row, found 1"),
        ([(0, 0, 0, 0)], [LINK], {"kinds": ["ball"]}, "kind: expected one of"),
        ([(0, 0, 0, 0)], [LINK], {"kinds": ["revolute"] * 2}, "kinds: expected 1"),
        (
            [(0, 0, 0, 0)] * 2,
            [LINK] * 2,
            {"joint_names": ["a", "a"]},
            "'a': the name is used twice",
        ),
        ([(0, 0, 0, 0)], [LINK], {"joint_names": []}, "joint_names: expected 1"),
        ([(0, 0, 0, 0)], [LINK], {"rotor_inertia": [-1]}, "rotor inertia: expected a number >= 0"),
        ([(0, 0, 0, 0)], [LINK], {"rotor_inertia": [1, 2]}, "rotor_inertia: expected 1"),
        ([(0, 0, 0, 0)], [LINK], {"gravity": (0, 9.81)}, "gravity: expected 3 numbers, found 2"),
        ([(0, 0, 0, 0)], [(1, (0, 0, 0))], {}, r"link 1: expected \(mass, com, inertia\)"),
        ([(0, 0, 0, 0)], [None], {}, r"link 1: expected \(mass, com, inertia\)"),
        ([(0, 0, 0, 0)], [(-1, *LINK[1:])], {}, "link 1 mass: expected a number >= 0"),
        ([(0, 0, 0, 0)], [(1, (0, 0), (1, 1, 1))], {}, "link 1 com: expected 3 numbers"),
        (
            [(0, 0, 0, 0)],
            [(1, (0, 0, 0), (1, 1))],
            {},
            "link 1 inertia: expected 3, 6 or 3x3 numbers",
        ),
        ([(0, 0, 0, 0)], [(1, (0, 0, 0), np.arange(9).reshape(3, 3))], {}, "a symmetric matrix"),
        ([], [], {}, "expected at least one moving joint, found none"),
    ],
)
def test_errors_in_a_table(rows, links, options, message):
    with pytest.raises(RobotError, match=message):
        Robot.from_dh(rows, links, **options)


def test_an_inertia_may_be_three_numbers_six_or_a_matrix():
    rows = [(0.1, 0.2, 0.3, 0.4)]
    diagonal = Robot.from_dh(rows, [(1, (1, 2, 3), (4, 5, 6))])
    assert diagonal.inertias[0].about_com == (4, 5, 6, 0, 0, 0)
    six = Robot.from_dh(rows, [(1, (1, 2, 3), (4, 5, 6, 0.1, 0.2, 0.3))])
    matrix = Robot.from_dh(rows, [(1, (1, 2, 3), [[4, 0.1, 0.2], [0.1, 5, 0.3], [0.2, 0.3, 6]])])
    assert six.inertias[0].about_com == (4, 5, 6, 0.1, 0.2, 0.3)
    assert matrix.digest == six.digest != diagonal.digest


# -- the built-in robots ---------------------------------------------------------------------------

PAPERS = Path(__file__).resolve().parents[3] / "shared" / "data" / "papers.json"


@pytest.fixture(scope="module")
def papers():
    if not PAPERS.exists():
        pytest.skip(f"no {PAPERS}")
    return json.loads(PAPERS.read_text())


def angle(word):
    return {"pi/2": RIGHT, "-pi/2": -RIGHT}.get(word, word)


def from_table(alpha, a, d, theta=0.0):
    """The seat of a modified row at q = 0."""
    return elementary(0, alpha, a) @ elementary(2, theta, d)


def check_numbers(robot, seats, masses, coms, inertias, rotors):
    """Every number of a chain, exactly, except that right angles are exact here."""
    for i, (joint, body) in enumerate(zip(robot.joints, robot.inertias, strict=True)):
        assert (joint.parent, joint.axis) == (i - 1, (0, 0, 1))
        assert abs(joint.placement.matrix - seats[i]).max() < 1e-16
        assert joint.rotor_inertia == rotors[i]
        assert body == Inertia.of(masses[i], coms[i], inertias[i])


def test_puma560_has_the_numbers_of_the_thesis(papers):
    """Tables 2.5 and 2.6; printed inertias of links 5 and 6 are ten times too large."""
    table = papers["dhanaraj"]["puma560"]
    inertias = [[v or 0 for v in row] for row in table["inertia"]]
    assert (inertias[4], inertias[5]) == ([0.003, 0.003, 0.004], [0.0015, 0.0015, 0.0004])
    inertias[4:] = [[0.0003, 0.0003, 0.0004], [0.00015, 0.00015, 0.00004]]
    robot = px.load("puma560")
    assert robot.gravity == (0, 0, -9.81)
    check_numbers(
        robot,
        [from_table(*map(angle, row)) for row in table["dh"]],
        [mass or 0 for mass in table["mass"]],
        [com or (0, 0, 0) for com in table["com"]],
        inertias,
        table["motor_inertia"],
    )


def test_puma560_thesis_has_the_numbers_of_the_printed_program(papers):
    table = papers["dhanaraj"]["puma560"]
    printed = table["program_d2"]
    robot = px.load("puma560_thesis")
    assert robot.gravity == (0, 0, -printed["gravity"])
    seats = [from_table(*map(angle, row)) for row in table["dh"]]
    check_numbers(robot, seats, printed["mass"], printed["com"], printed["inertia"], [0] * 6)


def test_stanford_has_the_numbers_of_the_thesis(papers):
    """Tables 2.7 and 2.8 with the corrected table of lengths; one moment is not printed."""
    table = papers["dhanaraj"]["stanford"]
    robot = px.load("stanford")
    rows = [[0 if str(v).startswith("q") else angle(v) for v in row] for row in table["dh"]]
    kinds = ["prismatic" if row[2] == f"q{i + 1}" else "revolute"
             for i, row in enumerate(table["dh"])]  # fmt: skip
    assert [joint.kind for joint in robot.joints] == kinds
    assert kinds.count("prismatic") == 1
    check_numbers(
        robot,
        [from_table(*row) for row in rows],
        table["mass"],
        table["com"],
        [[v or 0 for v in row] for row in table["inertia"]],
        table["motor_inertia"],
    )


def test_planar3_is_three_rods_of_a_metre_and_a_kilogram():
    robot = px.load("planar3")
    assert robot.digest == px.robots.planar(3).digest
    for i, (joint, body) in enumerate(zip(robot.joints, robot.inertias, strict=True)):
        assert (joint.kind, joint.parent, joint.axis) == ("revolute", i - 1, (0, -1, 0))
        assert joint.placement == Pose(translation=(1.0 if i else 0.0, 0.0, 0.0))
        assert body == Inertia.of(1, (0.5, 0, 0), (0, 1 / 12, 1 / 12))


def test_ur5_is_that_of_its_public_description():
    peers = pytest.importorskip("peers")
    ours, public = px.load("ur5"), px.load(peers.robot_file("ur5"))
    assert ours.joint_names == public.joint_names
    for a, b in zip(ours.joints, public.joints, strict=True):
        limits = ("lower", "upper", "max_velocity", "max_effort")
        assert [getattr(a, k) for k in limits] == [getattr(b, k) for k in limits]
    state = states(ours, 10)
    assert relative_error(torques(ours, *state), torques(public, *state)) <= 1e-12
    for name in ours.frame_names:
        for q in state[0]:
            before, after = frame_poses(public, q)[name], frame_poses(ours, q)[name]
            assert abs(before - after).max() <= 1e-12


# today's operation counts (mul, add) of the thesis's own robot; a change here is a change to report
COUNTS = {
    "newton_euler": (248, 171),
    "spatial": (323, 233),
    "modified_newton_euler": (200, 148),
}


@pytest.mark.parametrize("name", COUNTS)
def test_operation_counts_of_the_thesis_robot(name):
    found = px.program(px.load("puma560_thesis"), algorithm=name).count()
    assert (found.mul, found.add, found.trig, found.div, found.sqrt) == (*COUNTS[name], 10, 0, 0)


def test_the_modified_algorithm_needs_no_more_than_the_thesis_printed(papers):
    mul, add = papers["dhanaraj"]["table2_10_customised"]["puma_6"]["dhanaraj"]
    assert (mul, add) == (208, 152)
    found = px.program(px.load("puma560_thesis"), algorithm="modified_newton_euler").count()
    assert found.mul <= mul and found.add <= add


# -- the Robot itself ------------------------------------------------------------------------------


def test_a_robot_prints_as_a_table():
    assert str(px.load("puma560")) == (
        "puma560: 6 joints, a chain, 23.45 kg moving, gravity (0 0 -9.81) m/s²\n"
        "\n"
        "   joint   kind      parent  axis  mass kg  centre of mass m    rotor  range\n"
        "─  ──────  ────────  ──────  ────  ───────  ──────────────────  ─────  ─────\n"
        "0  joint1  revolute  world   z     0        0 0 0               1.14   any\n"
        "1  joint2  revolute  joint1  z     17.4     0.068 0.006 -0.016  4.71   any\n"
        "2  joint3  revolute  joint2  z     4.8      0 -0.07 0.014       0.83   any\n"
        "3  joint4  revolute  joint3  z     0.82     0 0 -0.019          0.2    any\n"
        "4  joint5  revolute  joint4  z     0.34     0 0 0               0.179  any\n"
        "5  joint6  revolute  joint5  z     0.09     0 0 0.032           0.193  any"
    )


def test_ranges_and_odd_axes_print_with_their_units():
    body = Inertia.of(1, (0, 0, 0), (1, 1, 1))
    joints = [
        Joint("turn", "revolute", WORLD, axis=(0.6, 0.0, 0.8), lower=-1.5, upper=2),
        Joint("slide", "prismatic", 0, axis=(-1.0, 0.0, 0.0), lower=0, upper=0.25),
    ]
    lines = str(Robot("odd", joints, [body] * 2)).splitlines()
    assert lines[0].startswith("odd: 2 joints, a chain, 2 kg moving")
    assert lines[-2].split("  ")[-1] == "-1.5 .. 2 rad" and "0.6 0 0.8" in lines[-2]
    assert lines[-1].split("  ")[-1] == "0 .. 0.25 m" and " -x " in lines[-1]
    pair = Robot("pair", [joints[0], replace(joints[1], parent=WORLD)], [body] * 2)
    assert "2 joints, a tree branching at one body" in str(pair)


def test_a_robot_cannot_be_changed():
    robot = px.load("ur5")
    for target, name in (
        (robot, "gravity"),
        (robot.joints[0], "axis"),
        (robot.inertias[0], "mass"),
        (robot.base, "translation"),
        (robot.frames[0], "name"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(target, name, None)
    lists = Robot("r", list(robot.joints), list(robot.inertias), list(robot.frames), [0, 0, -1])
    assert all(
        type(v) is tuple for v in (lists.joints, lists.inertias, lists.frames, lists.gravity)
    )


BODY = Inertia.of(1, (0, 0, 0), (1, 1, 1))


STRETCHED = ((2, 0, 0), (0, 1, 0), (0, 0, 1))
NOT_A_ROBOT = [  # a field, a function that makes its value (which may raise by itself), the reason
    ("joints", lambda: [], "expected at least one moving joint"),
    ("joints", lambda: [Joint("j", "ball")], "kind: expected one of"),
    ("joints", lambda: [Joint("j", "revolute", 0)], "parent: expected -1 or an earlier joint"),
    ("joints", lambda: [Joint("j", "revolute", -2)], "parent: expected -1 or an earlier joint"),
    ("joints", lambda: [Joint("j", "revolute", None)], r"parent: .* found None"),
    ("joints", lambda: [hinge(axis=(0, 0, 0))], "axis: expected a nonzero vector"),
    ("joints", lambda: [hinge(axis=(0, 0, 2))], "axis: expected a unit vector"),
    ("joints", lambda: [hinge(axis=(0, 1))], "axis: expected 3 numbers"),
    ("joints", lambda: [hinge(axis=(0, 0, math.inf))], "axis: expected finite"),
    ("joints", lambda: [hinge(placement=None)], "placement: expected a Pose"),
    ("joints", lambda: [hinge(placement=Pose(STRETCHED))], "placement: the rotation is not ortho"),
    ("joints", lambda: [hinge(placement=Pose(translation=(math.nan, 0, 0)))], "expected finite"),
    ("joints", lambda: [hinge(rotor_inertia=math.nan)], r"rotor.inertia: expected finite"),
    ("joints", lambda: [hinge(rotor_inertia=-1)], "rotor inertia: expected a number >= 0"),
    ("inertias", lambda: [BODY] * 2, "1 joints but 2 inertias"),
    ("inertias", lambda: [(1, 2, 3)], "expected an Inertia, found tuple"),
    ("inertias", lambda: [Inertia(math.nan)], "mass: expected finite numbers, found nan"),
    ("inertias", lambda: [Inertia(-1.0)], "mass: expected a number >= 0"),
    ("inertias", lambda: [Inertia(1.0, (0, 0, 0), (math.nan,) * 6)], "expected finite numbers"),
    ("gravity", lambda: (0, 0), "gravity: expected 3 numbers, found 2"),
    ("gravity", lambda: (0, 0, math.nan), "gravity: expected finite numbers"),
    ("gravity", lambda: 9.81, "gravity: expected 3 numbers"),
    ("base", lambda: np.eye(4), "base: expected a Pose, found ndarray"),
    ("frames", lambda: [Frame("f", 1)], "'f' body: expected -1 or the index of a joint, found 1"),
    ("frames", lambda: [Frame("f", 0), Frame("f", -1)], "frame 'f': the name is used twice"),
]


def hinge(**change):
    return Joint("j", "revolute", **change)


@pytest.mark.parametrize(("field", "value", "message"), NOT_A_ROBOT)
def test_what_is_no_robot_says_why(field, value, message):
    description = {"name": "r", "joints": [hinge()], "inertias": [BODY]}
    Robot(**description)
    with pytest.raises(RobotError, match=message):
        Robot(**(description | {field: value()}))


def test_two_joints_of_one_name_are_an_error():
    with pytest.raises(RobotError, match="joint 'j': the name is used twice"):
        Robot("r", [Joint("j", "revolute"), Joint("j", "revolute", 0)], [BODY] * 2)


def test_a_body_that_could_not_be_built_is_warned_of_once():
    with pytest.warns(RobotWarning, match="break the triangle inequality") as caught:
        robot = Robot("r", [Joint("j", "revolute")], [Inertia.of(1, (0, 0, 0), (1, 1, 3))])
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot.with_gravity((0, 0, 0)).with_payload(1)  # it was said before
    with pytest.warns(RobotWarning, match="negative"):
        Robot("r", [Joint("j", "revolute")], [Inertia.of(1, (0, 0, 0), (-1, 1, 1))])


@settings(max_examples=15)
@given(robots(joints=(1, 6)), seeds, st.data())
def test_a_payload_is_mass_added_to_the_body_that_holds_it(robot, seed, data):
    """In any frame; Pinocchio adds it in its own way."""
    import pinocchio as pin

    frame = data.draw(st.sampled_from(robot.frames[1:]))
    load = random_robot(seed, joints=(1, 1)).inertias[0]
    loaded = robot.with_payload(load.mass, load.com, load.matrix, frame=frame.name)
    model = pinocchio_model(robot)
    place = pin.SE3(np.array(frame.pose.rotation), np.array(frame.pose.translation))
    added = pin.Inertia(load.mass, np.array(load.com), load.matrix)
    model.appendBodyToJoint(frame.body + 1, added, place)
    state = states(robot, 2, seed)
    reference = [pin.rnea(model, model.createData(), *row) for row in zip(*state, strict=True)]
    assert relative_error(torques(loaded, *state), reference) <= 1e-11
    assert loaded.frames == robot.frames and robot.digest != loaded.digest
    nothing = robot.with_payload(0, frame=frame.name)
    assert relative_error(torques(nothing, *state), torques(robot, *state)) <= 1e-12


def test_a_payload_is_held_by_the_last_frame_of_the_only_tip():
    robot = px.load("ur5")
    held = robot.with_payload(2, (0.1, 0, 0.2))
    assert held.digest == robot.with_payload(2, (0.1, 0, 0.2), frame=robot.frame_names[-1]).digest
    assert held.digest != robot.with_payload(2, (0.1, 0, 0.2), frame="wrist_3_link").digest
    # a frame of no name: the tip body itself
    bare = replace(robot, frames=())
    assert bare.with_payload(2).inertias[-1].mass == robot.inertias[-1].mass + 2
    # onto a body without mass, where no centre of mass is to be averaged
    rod = Robot("r", [Joint("j", "revolute")], [Inertia()])
    assert rod.with_payload(3, (1, 2, 3)).inertias[0] == Inertia.of(3, (1, 2, 3), (0, 0, 0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mass": -1}, "payload mass: expected a number >= 0"),
        ({"mass": math.nan}, "payload mass: expected finite"),
        ({"mass": 1, "com": (0, 0)}, "payload com: expected 3 numbers"),
        ({"mass": 1, "inertia": (1, 2)}, "payload inertia: expected 3, 6 or 3x3 numbers"),
        ({"mass": 1, "frame": "hand"}, "no frame 'hand'; it has 'base', 'link1', 'link2', 'tip'"),
        ({"mass": 1, "frame": "base"}, "'base' is fixed to the world"),
    ],
)
def test_errors_of_a_payload(options, message):
    with pytest.raises(RobotError, match=message):
        px.robots.planar(2).with_payload(**options)


def test_a_payload_of_two_tips_must_name_its_frame():
    joints = [Joint("left", "revolute"), Joint("right", "revolute")]
    with pytest.raises(RobotError, match="has 2 tips, so name a frame: 'left', 'right'"):
        Robot("pair", joints, [BODY] * 2).with_payload(1)


def test_with_gravity_and_with_base():
    robot, state = px.load("ur5"), states(px.load("ur5"))
    moon = robot.with_gravity((0, 0, -1.62))
    q, still, _ = state[0], 0 * state[0], None
    earth = torques(robot, q, still, still)
    assert relative_error(torques(moon, q, still, still), earth * (1.62 / 9.81)) <= 1e-14
    assert (moon.gravity, robot.gravity) == ((0, 0, -1.62), (0, 0, -9.81))
    # upside down is gravity upside down
    over = Pose.from_rpy((1, 2, 3), (math.pi, 0, 0))
    hanging = robot.with_base(over)
    reference = torques(robot.with_gravity((0, 0, 9.81)), *state)
    assert relative_error(torques(hanging, *state), reference) <= 1e-13
    assert robot.with_base(over.matrix).digest == hanging.digest
    for base in (np.eye(3), np.diag([1, 1, -1, 1]), np.diag([2, 2, 2, 1]), np.full((4, 4), np.nan)):
        with pytest.raises(RobotError, match="base"):
            robot.with_base(base)


@settings(max_examples=15)
@given(robots(), seeds, st.data())
def test_a_subchain_is_the_robot_with_the_rest_left_out(robot, seed, data):
    frame = data.draw(st.sampled_from(robot.frames[1:]))
    part = robot.subchain(frame.name, drop_rest=True)
    kept = [robot.joint_names.index(name) for name in part.joint_names]
    assert part.joints[-1].name == robot.joints[frame.body].name
    assert part.branching == [] and "base" in part.frame_names and frame.name in part.frame_names
    rest = [Inertia() if i not in kept else body for i, body in enumerate(robot.inertias)]
    state = states(robot, 2, seed)
    q = state[0][1]
    for name, pose in frame_poses(part, q[kept]).items():
        assert abs(frame_poses(robot, q)[name] - pose).max() <= 1e-13 * max(1, abs(pose).max())
    whole = torques(replace(robot, inertias=rest), *state)[:, kept]
    assert relative_error(torques(part, *(rows[:, kept] for rows in state)), whole) <= 1e-12


def test_load_with_a_tip_and_lookups():
    arm = px.load("puma560", tip="link3")
    assert arm.joint_names == ["joint1", "joint2", "joint3"]
    assert arm.digest == px.load("puma560").subchain("link3").digest
    assert px.load("ur5").frame("ee_link").body == 5
    with pytest.raises(RobotError, match="tip 'base' is fixed to the world"):
        px.load("puma560", tip="base")
    with pytest.raises(RobotError, match="robot 'puma560' has no frame 'hand'; it has 'base'"):
        px.load("puma560").frame("hand")
    with pytest.raises(RobotError, match="expected a built-in name"):
        px.load("puma")


def numbers_of(robot):
    """Every way to change one number of the robot, as (label, changed robot)."""

    def bumped(values, k):
        return tuple(math.nextafter(v, 1e9) if i == k else v for i, v in enumerate(values))

    for i, (joint, body) in enumerate(zip(robot.joints, robot.inertias, strict=True)):

        def with_joint(i=i, joint=joint, **change):
            joints = list(robot.joints)
            joints[i] = replace(joint, **change)
            return replace(robot, joints=joints)

        def with_body(i=i, body=body, **change):
            bodies = list(robot.inertias)
            bodies[i] = replace(body, **change)
            return replace(robot, inertias=bodies)

        yield "rotor", with_joint(rotor_inertia=joint.rotor_inertia + 1)
        yield "kind", with_joint(kind="prismatic" if joint.is_revolute else "revolute")
        yield "mass", with_body(mass=math.nextafter(body.mass, 1e9))
        seat = joint.placement
        for k in range(3):
            yield "axis", with_joint(axis=bumped(joint.axis, k))
            yield "com", with_body(com=bumped(body.com, k))
            moved = bumped(seat.translation, k)
            yield "origin", with_joint(placement=replace(seat, translation=moved))
            for row in range(3):
                rows = list(seat.rotation)
                rows[row] = bumped(rows[row], k)
                yield "turn", with_joint(placement=replace(seat, rotation=tuple(rows)))
        for k in range(6):
            yield "inertia", with_body(about_com=bumped(body.about_com, k))
    for k in range(3):
        yield "gravity", replace(robot, gravity=bumped(robot.gravity, k))
        shifted = bumped(robot.base.translation, k)
        yield "base", replace(robot, base=replace(robot.base, translation=shifted))


@pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning")
def test_the_digest_is_of_every_number_and_no_name():
    robot = random_robot(6, joints=(3, 3))
    seen = {robot.digest}
    for label, other in numbers_of(robot):
        assert other.digest not in seen, label
        seen.add(other.digest)
    joints = list(robot.joints)
    joints[2] = replace(joints[2], parent=WORLD if joints[2].parent != WORLD else 0)
    assert replace(robot, joints=joints).digest not in seen
    renamed = replace(
        robot,
        name="other",
        joints=[replace(joint, name=f"other{i}") for i, joint in enumerate(robot.joints)],
        frames=[replace(frame, name=f"other{i}") for i, frame in enumerate(robot.frames)],
    )
    assert renamed.digest == robot.digest


@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda robot: pickle.loads(pickle.dumps(robot)), replace],
    ids=["copy", "deepcopy", "pickle", "replace"],
)
def test_robots_copy_and_pickle_even_after_kernels_were_compiled(duplicate):
    robot = px.robots.planar(2)
    state = states(robot)
    before = px.inverse_dynamics(robot, *state)
    twin = duplicate(robot)
    assert twin.digest == robot.digest and str(twin) == str(robot)
    assert np.array_equal(px.inverse_dynamics(twin, *state), before)
    assert twin.joints == robot.joints and twin.frames == robot.frames


def test_errors_of_a_request():
    robot = px.robots.planar(2)
    with pytest.raises(ArgumentError, match="algorithm: expected one of"):
        px.program(robot, algorithm="lagrange")
    with pytest.raises(ArgumentError, match="function: expected one of"):
        px.program(robot, "reverse_dynamics")
    with pytest.raises(ArgumentError, match="robot: expected a Robot"):
        px.program("ur5")
    with pytest.raises(ArgumentError, match="robot: expected a Robot"):
        px.inverse_dynamics("ur5", [0], [0], [0])
    with pytest.raises(ArgumentError, match="function: expected one of"):
        px.algorithms("dynamics")


def test_skew_is_the_vector_product():
    """The helper the energies above rest on."""
    a, b = np.array([1.0, 2, 3]), np.array([-4.0, 5, 6])
    assert np.array_equal(skew(a) @ b, np.cross(a, b))


def test_robots_are_values():
    """Two readings of one description are equal; a payload makes another robot."""
    one, other = px.load("ur5"), px.load("ur5")
    assert one == other and hash(one) == hash(other) and {one: 1}[other] == 1
    assert one != one.with_payload(1.0) and one != px.load("planar3")
    assert repr(one).startswith("<Robot ur5: 6 joints") and len(repr(one)) < 100
