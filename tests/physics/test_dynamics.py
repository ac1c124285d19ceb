"""The dynamics of random and real robots: against Pinocchio, MuJoCo and the laws of physics."""

import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from support.dynamics import NAMES, choices, recursion, seeds, torques
from support.robot_files import NOT_ROBOTS
from support.robots import (
    kinetic_energy,
    mujoco_torques,
    mujoco_xml,
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
from paraxis.errors import ArgumentError, RobotError
from paraxis.robots import Inertia, Pose
from paraxis.robots.joint import WORLD
from paraxis.robots.seat import align_z

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
    *("alex_sake_hands", "alex_nub_hands", "talos_reduced_corrected", "baxter", "b1-z1"),
    "alexander_v1.lowerBodyOnly",
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
        robot = px.load(path, couplings="independent")
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
    for name in (None, *NAMES):  # by the interpreter; compiled ones are below and in targets/cpu
        assert relative_error(torques(robot, q, qd, qdd, name), reference) <= 1e-10, name
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
    assert relative_error(torques(robot, *state), reference) <= 1e-9


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
    robot = px.load(peers.robot_file(name), couplings="independent")
    state = states(robot, 3)
    reference = mujoco_torques(ElementTree.tostring(root, "unicode"), robot, *state)
    assert relative_error(px.inverse_dynamics(robot, *state), reference) <= 1e-9


# -- the laws of physics ---------------------------------------------------------------------------

SMALL = (1, 7)  # joints: each example traces several Programs, and a law holds for few as for many
small_robots = robots(joints=SMALL)


def mass_matrix(robot, q, algorithm=None):
    """Column k is the torque of a unit acceleration of joint k, without gravity, at rest."""
    still = np.zeros((robot.n, robot.n))
    here = np.broadcast_to(q, still.shape)
    return torques(robot.with_gravity((0, 0, 0)), here, still, np.eye(robot.n), algorithm).T


def without_rotors(robot):
    return replace(robot, joints=[replace(joint, rotor_inertia=0.0) for joint in robot.joints])


@settings(max_examples=10)
@given(small_robots, seeds, choices)
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


@settings(max_examples=10)
@given(robots(joints=SMALL, massless=True, rotors=False), seeds, choices)
def test_the_mass_matrix_of_bodies_without_mass_is_not_negative(robot, seed, algorithm):
    M = mass_matrix(robot, states(robot, 2, seed)[0][1], algorithm)
    assert abs(M - M.T).max() <= 1e-12 * max(1, abs(M).max())
    assert np.linalg.eigvalsh(M).min() >= -1e-12 * max(1, abs(M).max())


@settings(max_examples=10)
@given(small_robots, seeds)
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


@settings(max_examples=10)
@given(small_robots, seeds, choices)
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


@settings(max_examples=10)
@given(small_robots, seeds, choices)
def test_gravity_torques_are_the_slope_of_potential_energy(robot, seed, algorithm):
    q = states(robot, 2, seed)[0][1]
    step = 1e-30j
    slope = [potential_energy(robot, q + step * unit).imag / step.imag for unit in np.eye(robot.n)]
    assert relative_error(torques(robot, q, 0 * q, 0 * q, algorithm), slope) <= 1e-12


@settings(max_examples=10)
@given(small_robots, seeds, choices)
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


@settings(max_examples=10)
@given(small_robots, seeds, choices, st.data())
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


@settings(max_examples=10)
@given(small_robots, seeds, choices, st.tuples(*[st.floats(-3, 3)] * 6))
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
    with pytest.raises(RobotError, match=r"expected a number of joints >= 1, found"):
        build(n)


def test_bad_lengths_and_masses_are_errors():
    for options in ({"length": math.nan}, {"mass": -1}, {"mass": math.inf}):
        with pytest.raises(RobotError):
            px.robots.planar(2, **options)


# -- the Robot itself ------------------------------------------------------------------------------


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
