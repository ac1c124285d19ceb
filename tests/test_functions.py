"""Every function of a robot: against Pinocchio, against each other, against the laws of physics."""

import random
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.robot_files import NOT_ROBOTS
from support.robots import (
    kinetic_energy,
    potential_energy,
    random_chain,
    random_inertia,
    random_robot,
    relative_error,
    states,
)

import paraxis as px
from paraxis import Robot
from paraxis.errors import ArgumentError, RobotError
from paraxis.physics import ALGORITHMS, CHEAP, FROM_MOBILITIES, INVERSE_DYNAMICS
from paraxis.physics.parts.massless import require_mobile
from paraxis.robot_functions import COORDINATES, DERIVED, FUNCTIONS, MATTERS
from paraxis.robots import Frame, Inertia, Joint, Pose
from paraxis.robots.joint import WORLD
from paraxis.robots.model import DESCRIPTION, Model, parameter_values

ABOUT_A_FRAME = [name for name, known in FUNCTIONS.items() if "frame" in known.options]
DIVIDING = ("forward_dynamics", "mass_matrix_inverse", "forward_dynamics_derivatives") + (
    "operational_space_inertia",
    "operational_space_inertia_inverse",
)  # by the mass matrix
every_function = pytest.mark.parametrize("function", FUNCTIONS)


def error(ours, reference):
    """The project's error measure for one state: of an array, or the worst of several."""
    if isinstance(reference, tuple):
        assert len(ours) == len(reference)
        return max(error(*pair) for pair in zip(ours, reference, strict=True))
    ours, reference = np.asarray(ours), np.asarray(reference)
    assert ours.shape == reference.shape
    return abs(ours - reference).max() / max(1.0, abs(reference).max())


def state(robot, seed=0):
    """One state, as the values of the inputs functions have."""
    q, qd, qdd = (rows[1] for rows in states(robot, 2, seed))
    tau = np.random.default_rng(seed).uniform(-9, 9, robot.n)
    return {"q": q, "qd": qd, "qdd": qdd, "tau": tau}


def inputs(function, given):
    return [given[name] for name in FUNCTIONS[function].inputs]


@cache
def program(robot, function, algorithm=None, frame=None, coordinates=None, parameters=()):
    return px.program(robot, function, algorithm, parameters, frame, coordinates)


def value(robot, function, given, **options):
    """By the interpreter, of the Program that `px` would compile; several outputs as a tuple."""
    options = {name: option for name, option in options.items() if option is not None}
    made = program(robot, function, parameters=tuple(given.keys() - STATE), **options)
    found = made.evaluate(**{name: given[name] for name in made.inputs})
    return tuple(found.values()) if isinstance(found, dict) else found


STATE = {"q", "qd", "qdd", "tau"}


def on_floats(robot, function, algorithm, given, **options):
    """By the algorithm itself, without a graph."""
    arrays = [array.tolist() for array in inputs(function, given)]
    found = ALGORITHMS[function][algorithm](Model(robot), *arrays, **options)
    return np.array(found if isinstance(found, (float, complex)) else [*found])


def random_tree(seed, joints=(3, 5)):
    """A random robot that branches."""
    while not (robot := random_robot(seed, joints)).branching:
        seed += 1000
    return robot


def short_chain(function):
    """A chain for a function: short, but where it must the last frame can go every way."""
    return (
        px.load("stanford") if function == "operational_space_inertia" else random_chain(5, (3, 3))
    )


ROBOTS = [random_tree(1), random_tree(2), random_chain(0, (3, 3)), random_robot(4, (1, 2))]
on_random_robots = pytest.mark.parametrize("robot", ROBOTS, ids=range(len(ROBOTS)))


def test_the_random_robots_have_what_the_tests_rely_on():
    joints = [joint for robot in ROBOTS for joint in robot.joints]
    assert {joint.kind for joint in joints} == {"revolute", "continuous", "prismatic"}
    assert any(joint.rotor_inertia for joint in joints)
    assert any(not joint.rotor_inertia for joint in joints)
    assert any(WORLD in robot.branching for robot in ROBOTS)
    assert any(body != WORLD for robot in ROBOTS for body in robot.branching)
    assert all(robot.base != Pose() for robot in ROBOTS)


def places(robot, most):
    """Some frames of a robot, spread over it, the last one among them."""
    return robot.frames[:: -max(1, len(robot.frames) // most)][:most]


def is_free(robot, frame):
    """Whether six joints or more move a frame."""
    return frame.body != WORLD and len(Model(robot).ancestors[frame.body]) >= 5


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
        robot = px.load(path)
    return robot, Reference(robot, pin.buildModelFromUrdf(str(path)))


def quick(function):
    """The algorithms of a function that are quick on floats, and for all robots."""
    slow = {*INVERSE_DYNAMICS, *FROM_MOBILITIES} - {*CHEAP}
    return [name for name in px.algorithms(function) if name not in slow]


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
        for name in quick(function):
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


@choose("bolt", "double_pendulum_continuous", long=["xarm7"])
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


@choose("ur5_robot", long=["allegro_left_hand"])
def test_compiled_functions_on_real_robots(path):
    robot, reference = loaded(path)
    motion, frame = state(robot), robot.frame_names[-1]
    for function in FUNCTIONS:
        if robot.n > 6 and (
            function in DERIVED or function in ("operational_space_inertia", "regressor")
        ):
            continue  # a finger's tip cannot go every way; derivatives take long to compile
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
    _, qd, qdd, tau = motion.values()
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
    q, qd, qdd, _ = motion.values()
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
        ("ur5", "jacobian", {}, r"robot: expected a Robot \(px.load makes one\), found str"),
        (SHORT, "inverse", {}, r"function: expected one of .*'mass_matrix'.*, found 'inverse'"),
        (SHORT, None, {}, "function: expected one of .*, found None"),
        (SHORT, "jacobian", {"frame": "toe"}, "robot 'planar3' has no frame 'toe'; it has 'base'"),
        (SHORT, "jacobian", {"frame": ["tip"]}, "frame: expected the name of a frame, found list"),
        (
            SHORT,
            "jacobian",
            {"coordinates": "tool"},
            r"coordinates: expected one of 'world', 'body', found 'tool'",
        ),
        (SHORT, "mass_matrix", {"frame": "tip"}, "mass_matrix is not about one frame, found 'tip'"),
        (SHORT, "frame_poses", {"frame": "tip"}, "frame: frame_poses is not about one frame"),
        (
            SHORT,
            "forward_kinematics",
            {"coordinates": "body"},
            "coordinates: forward_kinematics has none to choose, found 'body'",
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
            "base_velocity: lagrange_closed_form has no moving base",
        ),
        (
            SHORT,
            "coriolis_matrix",
            {"parameters": ["mass", "base_velocity"]},
            "parameters: coriolis_matrix does not depend on base_velocity, or has no",
        ),
        (
            SHORT,
            "regressor",
            {"parameters": ["external_force"]},
            "does not depend on external_force, or has no meaning",
        ),
        (
            SHORT,
            "operational_space_inertia",
            {},
            "frame 'tip': expected one that 6 joints or more move, .*, found 3",
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
        assert callable(getattr(px, name)) and getattr(px, name).__doc__
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
    with pytest.raises(RobotError, match="robot 'rotors': has no mass, so no centre of mass"):
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
    with pytest.raises(ArgumentError, match="'base_link': expected one on a body that moves"):
        px.external_force(robot, q, wrench, "base_link")
    with pytest.raises(ArgumentError, match="coordinates"):
        px.external_force(robot, q, wrench, coordinates="tool")
