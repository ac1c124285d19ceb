"""The functions of a robot: against Pinocchio, among each other, and by the laws of physics."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.functions import (
    ABOUT_A_FRAME,
    DIVIDING,
    ROBOTS,
    error,
    inputs,
    is_free,
    on_floats,
    on_random_robots,
    places,
    quick,
    state,
    value,
)
from support.robot_files import NOT_ROBOTS
from support.robots import kinetic_energy, potential_energy, random_chain, random_robot

import paraxis as px
from paraxis import Robot
from paraxis.physics import ALGORITHMS
from paraxis.robot_functions import COORDINATES, DERIVED, FUNCTIONS
from paraxis.robots import Frame, Joint, Pose
from paraxis.robots.joint import WORLD


def test_the_random_robots_have_what_the_tests_rely_on():
    joints = [joint for robot in ROBOTS for joint in robot.joints]
    assert {joint.kind for joint in joints} == {"revolute", "continuous", "prismatic"}
    assert any(joint.rotor_inertia for joint in joints)
    assert any(not joint.rotor_inertia for joint in joints)
    assert any(WORLD in robot.branching for robot in ROBOTS)
    assert any(body != WORLD for robot in ROBOTS for body in robot.branching)
    assert all(robot.base != Pose() for robot in ROBOTS)


# -- against Pinocchio, on real robots -------------------------------------------------------------


def real_robots():
    try:
        import peers
    except ImportError:  # no Pinocchio, CasADi or example-robot-data here
        return []
    return [path for path in peers.all_robot_files() if path.name not in NOT_ROBOTS]


def loaded(path):
    """A real robot and Pinocchio's reading of the same file."""
    import pinocchio as pin
    from support.pinocchio_functions import Reference

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        robot = px.load(path, couplings="independent")
    return robot, Reference(robot, pin.buildModelFromUrdf(str(path)))


def choose(*stems, long=()):
    """The real robots of these files; all of them, or the list is out of date."""
    chosen = [path for path in FILES if path.stem in (*stems, *long)]
    assert not FILES or {path.stem for path in chosen} == {*stems, *long}
    marked = [pytest.param(p, marks=pytest.mark.long if p.stem in long else ()) for p in chosen]
    return pytest.mark.parametrize("path", marked, ids=lambda path: path.stem)


FILES = real_robots()
NOTHING_MOVED = ("bluevolta_bravo7_gripper", "bravo7_gripper", "falcon_bravo7_gripper") + (
    "romeo", "romeo_laas_small",
)  # fmt: skip
TOLERANCE = dict.fromkeys(FUNCTIONS, 1e-9) | {"forward_dynamics_derivatives": 1e-7}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_algorithms_on_every_real_robot(path):
    robot, reference = loaded(path)
    motion = state(robot)
    for function in ALGORITHMS.keys() - {"regressor"}:  # which is made from a graph
        if function in ABOUT_A_FRAME or (path.stem in NOTHING_MOVED and function in DIVIDING):
            continue
        expected = getattr(reference, function)(*inputs(function, motion))
        options = {"frames": list(robot.frames)} if function == "frame_poses" else {}
        for name in (name for name in quick(function) if name in ALGORITHMS[function]):
            ours = on_floats(robot, function, name, motion, **options)
            assert error(ours, expected) <= 1e-9, (function, name)
    for frame in places(robot, 3):
        for function in ("jacobian", "bias_acceleration"):
            (name,) = ALGORITHMS[function]
            for axes in COORDINATES:
                options = {"frame": frame, "coordinates": axes}
                ours = on_floats(robot, function, name, motion, **options)
                expected = getattr(reference, function)(*inputs(function, motion), frame.name, axes)
                assert error(ours, expected) <= 1e-9, (function, frame.name, axes)


@choose("double_pendulum_continuous", long=["bolt", "xarm7"])
def test_programs_on_real_robots(path):
    """The cheapest Program of every function, by the interpreter, derivatives and all."""
    robot, reference = loaded(path)
    check_programs(robot, reference, places(robot, 1))


@choose("kinova", "panda", "allegro_right_hand", "solo12", long=["g1_29dof_rev_1_0"])
def test_programs_of_an_algorithm_on_real_robots(path):
    """Larger robots, for which to look for the cheapest takes long."""
    robot, reference = loaded(path)
    check_programs(robot, reference, places(robot, 1), lambda function: quick(function)[-1])


def check_programs(robot, reference, frames, algorithm=lambda function: None):
    motion = state(robot)
    for function in FUNCTIONS:
        arrays, expected = inputs(function, motion), getattr(reference, function)
        options = {"algorithm": algorithm(function)}
        if function not in ABOUT_A_FRAME:
            ours = value(robot, function, motion, **options)
            assert error(ours, expected(*arrays)) <= TOLERANCE[function], function
            continue
        for frame in frames:
            if function == "operational_space_inertia" and not is_free(robot, frame):
                continue
            for axes in COORDINATES if "coordinates" in FUNCTIONS[function].options else (None,):
                options |= {"frame": frame.name, "coordinates": axes}
                theirs = expected(*arrays, frame.name, *([axes] if axes else []))
                ours = value(robot, function, motion, **options)
                assert error(ours, theirs) <= TOLERANCE[function], (function, frame.name, axes)


SLOW = (*DERIVED, "operational_space_inertia", "regressor")  # to compile


@choose("ur5_robot", long=["allegro_left_hand"])
def test_compiled_functions_on_real_robots(path):
    """Others than slow ones, which are compiled for short chains in tests/test_functions.py."""
    check_compiled(path, [name for name in FUNCTIONS if name not in SLOW])


@pytest.mark.long
@choose("ur5_robot")
def test_slowly_compiled_functions_on_a_real_robot(path):
    check_compiled(path, SLOW)


def check_compiled(path, functions):
    robot, reference = loaded(path)
    motion, frame = state(robot), robot.frame_names[-1]
    for function in functions:
        about = (frame,) if function in ABOUT_A_FRAME else ()
        arrays = inputs(function, motion)
        ours = getattr(px, function)(robot, *arrays, *about)
        expected = getattr(reference, function)(*arrays, *about)
        assert error(ours, expected) <= TOLERANCE[function], function


# -- against Pinocchio, on random robots -----------------------------------------------------------


@pytest.mark.parametrize(
    "robot", [ROBOTS[0], pytest.param(ROBOTS[1], marks=pytest.mark.long), *ROBOTS[2:]], ids=range(4)
)
def test_programs_on_random_robots(robot):
    """Trees, both kinds of joints, rotors, oblique axes, a base that stands anywhere."""
    from support.pinocchio_functions import Reference

    frames = [robot.frame("base"), robot.frames[-1]]
    check_programs(robot, Reference(robot), frames)


@on_random_robots
def test_forces_from_outside_on_random_robots(robot):
    from support.pinocchio_functions import Reference

    force = np.random.default_rng(robot.n).uniform(-9, 9, (robot.n, 6))
    motion, reference = state(robot), Reference(robot)
    for function in ("inverse_dynamics", "forward_dynamics"):
        for name in (function, f"{function}_derivatives"):
            algorithm = quick(name)[0]
            ours = value(robot, name, motion | {"external_force": force}, algorithm=algorithm)
            expected = getattr(reference, name)(*inputs(name, motion), force)
            assert error(ours, expected) <= TOLERANCE[name], name


# -- every algorithm against every other -----------------------------------------------------------


@pytest.mark.parametrize("function", ["forward_dynamics", "bias_forces", "gravity_torques"])
@pytest.mark.parametrize("seed", range(2))
def test_algorithms_agree(function, seed):
    robot = random_chain(seed, (4, 4))
    motion = state(robot, seed)
    reference = value(robot, function, motion)
    for name in px.algorithms(function):
        ours = on_floats(robot, function, name, motion)
        assert error(ours, reference) <= 1e-11, name
        assert error(value(robot, function, motion, algorithm=name), ours) <= 1e-11, name


@pytest.mark.parametrize("function", ["inverse_dynamics_derivatives", "coriolis_matrix"])
def test_derivatives_of_all_algorithms_agree(function):
    robot = random_chain(3, (4, 4))
    motion = state(robot)
    reference = value(robot, function, motion)
    for name in px.algorithms(function):
        assert error(value(robot, function, motion, algorithm=name), reference) <= 1e-11, name


# -- the laws of physics ---------------------------------------------------------------------------


STEP = 1e-40  # of complex steps, whose square is nothing


def rate(robot, function, motion, moving, **options):
    """How a function changes in time as `moving` does, by a complex step."""
    moved = {name: motion[name] + STEP * 1j * by for name, by in moving.items()}
    (name, *_) = quick(function)
    return on_floats(robot, function, name, motion | moved, **options).imag / STEP


@on_random_robots
def test_the_equations_of_motion(robot):
    motion = state(robot)
    qd, qdd, tau = (motion[name] for name in ("qd", "qdd", "tau"))
    M, C, h, g = (
        value(robot, name, motion)
        for name in ("mass_matrix", "coriolis_matrix", "bias_forces", "gravity_torques")
    )
    assert np.array_equal(M, M.T) and np.linalg.eigvalsh(M)[0] > 0
    assert error(C @ qd + g, h) <= 1e-11
    slope = rate(robot, "mass_matrix", motion, {"q": qd}) - 2 * C
    assert abs(slope + slope.T).max() <= 1e-11 * max(1, abs(C).max())
    assert error(M @ qdd + h, value(robot, "inverse_dynamics", motion)) <= 1e-11
    inverse = value(robot, "mass_matrix_inverse", motion)
    assert np.array_equal(inverse, inverse.T)
    assert error(inverse @ M, np.eye(robot.n)) <= 1e-9
    assert error(value(robot, "forward_dynamics", motion), inverse @ (tau - h)) <= 1e-9


@on_random_robots
def test_forward_dynamics_undoes_inverse_dynamics(robot):
    motion = state(robot)
    torques = {"tau": value(robot, "inverse_dynamics", motion)}
    for algorithm in (None, *quick("forward_dynamics")):
        back = value(robot, "forward_dynamics", motion | torques, algorithm=algorithm)
        assert error(back, motion["qdd"]) <= 1e-9


@on_random_robots
def test_energies(robot):
    motion = state(robot)
    q, qd, qdd = (motion[name] for name in ("q", "qd", "qdd"))
    T, U = value(robot, "kinetic_energy", motion), value(robot, "potential_energy", motion)
    assert error(T, kinetic_energy(robot, q, qd)) <= 1e-12
    assert error(U, potential_energy(robot, q)) <= 1e-12
    assert error(T, qd @ value(robot, "mass_matrix", motion) @ qd / 2) <= 1e-11
    mass = sum(body.mass for body in robot.inertias)
    center = value(robot, "centre_of_mass", motion)
    assert error(U, -mass * np.dot(robot.gravity, center)) <= 1e-12
    every = np.eye(robot.n)
    slope = [rate(robot, "potential_energy", motion, {"q": along}) for along in every]
    assert error(value(robot, "gravity_torques", motion), slope) <= 1e-11
    # what the motors give is what the energies gain
    gain = rate(robot, "kinetic_energy", motion, {"q": qd, "qd": qdd})
    gain += rate(robot, "potential_energy", motion, {"q": qd})
    assert error(qd @ value(robot, "inverse_dynamics", motion), gain) <= 1e-11


@on_random_robots
def test_frames_move_as_their_jacobians_say(robot):
    motion, frame = state(robot), robot.frames[-1]
    pose = value(robot, "forward_kinematics", motion, frame=frame.name)
    assert error(value(robot, "frame_poses", motion)[robot.frames.index(frame)], pose) <= 1e-14
    turn = pose[:3, :3]
    assert error(turn @ turn.T, np.eye(3)) <= 1e-12 and pose[3].tolist() == [0, 0, 0, 1]
    change = rate(robot, "forward_kinematics", motion, {"q": motion["qd"]}, frame=frame)
    spin = change[:3, :3] @ turn.T
    world = np.array([spin[2, 1], spin[0, 2], spin[1, 0], *change[:3, 3]])
    along = {"world": world, "body": np.concatenate((turn.T @ world[:3], turn.T @ world[3:]))}
    for axes, velocity in along.items():
        J = value(robot, "jacobian", motion, frame=frame.name, coordinates=axes)
        assert error(J @ motion["qd"], velocity) <= 1e-11
        options = {"frame": frame, "coordinates": axes}
        bias = rate(robot, "jacobian", motion, {"q": motion["qd"]}, **options) @ motion["qd"]
        ours = value(robot, "bias_acceleration", motion, frame=frame.name, coordinates=axes)
        assert error(ours, bias) <= 1e-11


@pytest.mark.parametrize("axes", COORDINATES)
@pytest.mark.parametrize("seed", range(3))
def test_the_inertia_a_frame_shows(seed, axes):
    """A force on the frame accelerates it by the inverse of that inertia."""
    robot = random_chain(seed, (7, 7))
    motion = state(robot, seed)
    options = {"frame": robot.frame_names[-1], "coordinates": axes}
    inertia = value(robot, "operational_space_inertia", motion, **options)
    J = value(robot, "jacobian", motion, **options)
    mobility = J @ value(robot, "mass_matrix_inverse", motion) @ J.T
    assert np.array_equal(inertia, inertia.T) and np.linalg.eigvalsh(inertia)[0] > 0
    assert error(inertia @ mobility, np.eye(6)) <= 1e-12 * np.linalg.cond(mobility) <= 1e-6


@on_random_robots
def test_a_force_on_a_link_is_felt_through_its_jacobian(robot):
    robot = replace(robot, frames=[Frame(f"body{i}", i) for i in range(robot.n)])
    force = np.random.default_rng(robot.n).uniform(-9, 9, (robot.n, 6))
    motion = state(robot)
    pushed = motion | {"external_force": force}
    felt = sum(
        value(robot, "jacobian", motion, frame=f"body{i}", coordinates="body").T @ force[i]
        for i in range(robot.n)
    )
    for name in ("inverse_dynamics", "bias_forces", "gravity_torques"):
        free = value(robot, name, motion)
        assert error(value(robot, name, pushed), free - felt) <= 1e-11, name
    for algorithm in (None, *quick("forward_dynamics")):
        ours = value(robot, "forward_dynamics", pushed, algorithm=algorithm)
        more = motion | {"tau": motion["tau"] + felt}
        assert error(ours, value(robot, "forward_dynamics", more)) <= 1e-9


@on_random_robots
def test_derivatives_are_slopes(robot):
    """Of the recursions themselves, by complex steps."""
    motion, every = state(robot), np.eye(robot.n)
    for function, variables in (
        ("inverse_dynamics", ("q", "qd")),
        ("forward_dynamics", ("q", "qd", "tau")),
    ):
        slopes = value(robot, f"{function}_derivatives", motion)
        assert len(slopes) == len(variables)
        for name, slope in zip(variables, slopes, strict=True):
            columns = [rate(robot, function, motion, {name: along}) for along in every]
            assert error(slope, np.transpose(columns)) <= 1e-10, (function, name)


# -- inertial parameters ---------------------------------------------------------------------------


@on_random_robots
def test_torques_are_the_regressor_times_the_inertial_parameters(robot):
    motion = state(robot)
    Y, pi = value(robot, "regressor", motion), px.inertial_parameters(robot)
    assert Y.shape == (robot.n, 11 * robot.n) and np.shape(pi) == (11 * robot.n,)
    assert error(Y @ pi, value(robot, "inverse_dynamics", motion)) <= 1e-11


@on_random_robots
def test_base_parameters_give_the_torques(robot):
    motion, base = state(robot, 7), px.base_parameters(robot)
    Y = value(robot, "regressor", motion)
    assert len(base) == len(base.columns) == len(base.values) < 11 * robot.n
    assert error(Y[:, base.columns] @ base.values, value(robot, "inverse_dynamics", motion)) <= 1e-9
    assert error(base.combination @ px.inertial_parameters(robot), base.values) <= 1e-12
    # the others are sums of these, whatever the masses
    assert error(Y[:, base.columns] @ base.combination, Y) <= 1e-9
    other = np.random.default_rng(0).uniform(-1, 1, 11 * robot.n)
    assert error(Y[:, base.columns] @ (base.combination @ other), Y @ other) <= 1e-9
    assert str(base).startswith(f"{len(base)} base parameters of {11 * robot.n} inertial")
    assert len(str(base).splitlines()) == 1 + len(base)


def generic_chain(n, gravity):
    """Revolute joints about z whose seats have no angle or length in common."""
    rng = np.random.default_rng(n)
    seats = [Pose.from_rpy(*rng.uniform(0.2, 1.2, (2, 3))) for _ in range(n)]
    seats[0] = Pose()
    joints = [Joint(f"j{i}", "revolute", i - 1, seats[i], (0, 0, 1)) for i in range(n)]
    body = random_robot(0, (1, 1)).inertias[0]
    return Robot("generic", joints, [body] * n, gravity=gravity)


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize(
    ("gravity", "of_first"), [((0, 0, -9.81), 1), ((1, 2, -9.81), 3), ((0, 0, 0), 1)]
)
def test_the_number_of_base_parameters_of_a_revolute_chain(n, gravity, of_first):
    """Gautier and Khalil (1990): seven a body; of the first only what turns about its axis, and
    what gravity turns. A rotor adds one, but for the first, which is part of that inertia."""
    base = px.base_parameters(generic_chain(n, gravity))
    of_bodies = [column for column in base.columns if column < 10 * n]
    assert len(of_bodies) == 7 * (n - 1) + of_first
    assert len(base) == len(of_bodies) + n - 1


def test_the_base_parameters_of_the_puma():
    """36, as Khalil and Gautier and many since have found; a rotor of joints 1 and 2 cannot be
    told from the inertia of its link, as axis 2 lies across axis 1."""
    base = px.base_parameters(px.load("puma560"))
    rotors = [column - 60 for column in base.columns if column >= 60]
    assert len(base) - len(rotors) == 36 and rotors == [2, 3, 4, 5]
