"""Parameters as inputs: every function with every parameter, against what it should equal.

A parameter of the description as an input gives what the same robot gives with these numbers in
its description. Forces from outside and a moving base are in no description: those are compared
with the textbook, derivatives with differences of it.
"""

from dataclasses import replace

import numpy as np
import pytest
from support.counting import case, report, scaled
from support.robots import random_inertia, random_robot, with_losses
from support.textbook import Textbook, error, of_robot

import paraxis as px
from paraxis.physics import FROM_MOBILITIES, MOVING_BASE
from paraxis.robot_functions import DERIVED, FUNCTIONS, MATTERS, TORQUES

DESCRIBED = ("mass", "com", "inertia", "origin", "rotor_inertia", "gravity")
FROM_OUTSIDE = ("external_force", "base_velocity", "base_acceleration")
CHAINS_ONLY = (*FROM_MOBILITIES, "logarithmic_newton_euler", "closed_sums_newton_euler")
LIMIT = 1e-9  # of the design's error measure
OF_DIFFERENCES = 1e-6
STEP = 1e-6


# -- what robots, motions and parameters are tried -------------------------------------------------


def numbers(rng, *shape):
    return np.random.default_rng(rng.randrange(2**32)).uniform(-3, 3, shape)


def motion(rng, robot):
    return dict(zip(("q", "qd", "qdd", "tau"), numbers(rng, 4, robot.n), strict=True))


def other_values(rng, robot, name):
    """Numbers that a robot could have for a parameter, other than its own."""
    n, body = robot.n, [random_inertia(rng) for _ in robot.joints]
    return {
        "mass": lambda: np.array([each.mass for each in body]),
        "com": lambda: np.array([each.com for each in body]),
        "inertia": lambda: np.array([each.about_com for each in body]),
        "origin": lambda: numbers(rng, n, 3) / 3,
        "rotor_inertia": lambda: px.parameter_values(robot, "rotor_inertia") + abs(numbers(rng, n)),
        "gravity": lambda: 3 * numbers(rng, 3),
        "external_force": lambda: 3 * numbers(rng, n, 6),
        "base_velocity": lambda: numbers(rng, 6),
        "base_acceleration": lambda: 3 * numbers(rng, 6),
    }[name]()


def described(robot, name, value):
    """The robot with these numbers in its description."""
    if name == "gravity":
        return robot.with_gravity(tuple(value))
    if name in ("mass", "com", "inertia"):
        field = "about_com" if name == "inertia" else name
        bodies = [
            replace(body, **{field: each if name == "mass" else tuple(each)})
            for body, each in zip(robot.inertias, value, strict=True)
        ]
        return replace(robot, inertias=bodies, warn=False)
    joints = [
        replace(joint, placement=replace(joint.placement, translation=tuple(each)))
        if name == "origin"
        else replace(joint, rotor_inertia=each - joint.transmission.reflected_inertia)
        for joint, each in zip(robot.joints, value, strict=True)
    ]
    return replace(robot, joints=joints, warn=False)


def algorithms_of(function, robot):
    """All that take such a robot; of derivatives, which take longer to make, two."""
    names = [
        name for name in px.algorithms(function) if not (robot.branching and name in CHAINS_ONLY)
    ]
    return names[:2] if function in DERIVED else names


def condition(robot, q):
    """Of the mass matrix: what solving with it may blow rounding up by."""
    return np.linalg.cond(Textbook(of_robot(robot), q, 0 * q, 0 * q).mass_matrix())


def values_of(program, given):
    found = program.evaluate(**{name: given[name] for name in program.inputs})
    return list(found.values()) if isinstance(found, dict) else [found]


def about(robot, function):
    return {"frame": robot.frame_names[-1]} if "frame" in FUNCTIONS[function].options else {}


# -- what a description says -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["tree", "chain"])
def test_parameters_of_the_description(kind, record_property):
    """One at a time and all at once, with every algorithm that takes such a robot."""
    checks = 0
    for k in range(scaled(2)):
        with case("parameters", kind, k) as rng:
            robot = random_robot(rng, (2, 4))
            if kind == "chain":
                row = [replace(joint, parent=i - 1) for i, joint in enumerate(robot.joints)]
                robot = with_losses(replace(robot, joints=row), rng)
            for function in px.functions():
                if function != "operational_space_inertia":  # needs six joints, see below
                    checks += compare_described(rng, robot, function)
    report(record_property, checks, "checks of parameters as inputs")


def test_parameters_of_an_arm(record_property):
    """Six joints, of which operational space inertia needs as many."""
    checks = 0
    for k in range(scaled(2)):
        with case("parameters", "arm", k) as rng:
            robot = px.load("puma560" if k % 2 else "stanford")
            checks += compare_described(rng, robot, "operational_space_inertia")
    report(record_property, checks, "checks of parameters as inputs")


def compare_described(rng, robot, function):
    checks, given = 0, motion(rng, robot)
    matter = [name for name in DESCRIBED if name in MATTERS[function]]
    for names in [*((name,) for name in matter), tuple(matter)] if matter else ():
        values = {name: other_values(rng, robot, name) for name in names}
        same = robot
        for name, value in values.items():
            same = described(same, name, value)
        limit = LIMIT * max(1.0, condition(same, given["q"]) / 1e6)
        for algorithm in algorithms_of(function, robot):
            options = {"algorithm": algorithm} | about(robot, function)
            expected = values_of(px.program(same, function, **options), given)
            program = px.program(robot, function, parameters=names, **options)
            found = values_of(program, given | values)
            for ours, reference in zip(found, expected, strict=True):
                assert error(ours, reference) < limit, (function, algorithm, names)
            checks += 1
    return checks


# -- what acts from outside ------------------------------------------------------------------------


class Outside:
    """What the textbook says of a robot that is pushed and whose base moves."""

    def __init__(self, robot, values):
        self.robot, self.links = robot, of_robot(robot)
        self.pushes = values.get("external_force")
        self.base = np.array(robot.base.matrix)
        still = np.zeros(6)
        self.motion = [
            values.get("base_velocity", still),
            values.get("base_acceleration", still),
        ]

    def state(self, q, qd, qdd):
        velocity, acceleration = self.motion
        moving = velocity[:3], velocity[3:], acceleration[:3], acceleration[3:]
        return Textbook(self.links, q, qd, qdd, self.robot.gravity, self.base, moving)

    def torques(self, q, qd, qdd):
        return self.state(q, qd, qdd).torques(self.pushes)

    def accelerations(self, q, qd, tau):
        M = self.state(q, qd, 0 * q).mass_matrix()
        return np.linalg.solve(M, tau - self.torques(q, qd, 0 * q))

    def slope(self, function, arrays, k):
        """By central differences over argument k, a column for each of its entries."""
        columns = []
        for entry in range(len(arrays[k])):
            ends = []
            for sign in (-1, 1):
                moved = [array.copy() for array in arrays]
                moved[k][entry] += sign * STEP
                ends.append(function(*moved))
            columns.append((ends[1] - ends[0]) / (2 * STEP))
        return np.transpose(columns)

    def compare(self, function, found, q, qd, qdd, tau):
        """The worst error of a function's outputs, in parts of what is allowed."""
        zero = 0 * q
        state = self.state(q, qd, qdd)
        if function in ("inverse_dynamics", "motor_torques"):
            return error(found[0], self.torques(q, qd, qdd)) / LIMIT
        if function == "bias_forces":
            return error(found[0], self.torques(q, qd, zero)) / LIMIT
        if function == "gravity_torques":
            return error(found[0], self.torques(q, zero, zero)) / LIMIT
        if function == "forward_dynamics":  # backward: what these accelerations take
            return error(self.torques(q, qd, found[0]), tau) / LIMIT
        if function == "kinetic_energy":
            return error(found[0], state.kinetic_energy()) / LIMIT
        if function == "regressor":
            torques = found[0] @ px.inertial_parameters(self.robot)
            return error(torques, self.torques(q, qd, qdd)) / LIMIT
        if function == "joint_reactions":  # along the axis it is the torque, less the rotor's
            along = [
                wrench[:3] @ joint.axis if joint.is_revolute else wrench[3:] @ joint.axis
                for wrench, joint in zip(found[0], self.robot.joints, strict=True)
            ]
            return error(along, self.torques(q, qd, qdd) - state.rotors * qdd) / LIMIT
        if function == "inverse_dynamics_derivatives":
            which, arrays, over = self.torques, [q, qd, qdd], (0, 1)
        else:
            assert function == "forward_dynamics_derivatives", f"{function}: compare it here"
            which, arrays, over = self.accelerations, [q, qd, tau], (0, 1, 2)
        pairs = zip(found, over, strict=True)
        return max(error(each, self.slope(which, arrays, k)) for each, k in pairs) / OF_DIFFERENCES


def test_parameters_from_outside(record_property):
    checks = 0
    for k in range(scaled(5)):
        with case("parameters", "outside", k) as rng:
            robot = random_robot(rng, (1, 4))
            for function in px.functions():
                checks += compare_outside(rng, robot, function)
    report(record_property, checks, "checks of parameters as inputs")


def compare_outside(rng, robot, function):
    checks, given = 0, motion(rng, robot)
    matter = [name for name in FROM_OUTSIDE if name in MATTERS[function]]
    for names in [*((name,) for name in matter), tuple(matter)] if matter else ():
        values = {name: other_values(rng, robot, name) for name in names}
        textbook = Outside(robot, values)
        for algorithm in algorithms_of(function, robot):
            of_torques = function in (*TORQUES, *DERIVED)
            if of_torques and algorithm not in MOVING_BASE and names != ("external_force",):
                continue  # it feels gravity and nothing else of its base
            program = px.program(robot, function, algorithm, parameters=names)
            found = values_of(program, given | values)
            worst = textbook.compare(function, found, **given)
            assert worst < 1, (function, algorithm, names, worst)
            checks += 1
    return checks
