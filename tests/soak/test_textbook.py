"""The dynamics of random robots and of every real one, against a textbook written apart."""

import warnings

import numpy as np
import pytest
from support.counting import case, report, scaled
from support.robot_files import FILES
from support.robots import random_robot
from support.textbook import Textbook, error, of_robot, of_urdf

import paraxis as px

COMPILED = 7  # joints; kernels of larger robots take seconds each, so they are interpreted
LIMIT = 1e-10  # of the design's error measure; most agree to 1e-14


class Functions:
    """The functions of one robot, compiled if it is small, else as Programs of a named algorithm,
    run by the interpreter. Those about a frame are about the last one."""

    def __init__(self, robot):
        self.robot, self.frame, self.programs = robot, robot.frame_names[-1], {}

    def __call__(self, function, **arrays):
        about = function in ("jacobian", "bias_acceleration", "forward_kinematics")
        options = {"frame": self.frame} if about else {}
        if self.robot.n <= COMPILED:
            return getattr(px, function)(self.robot, *arrays.values(), **options)
        if function not in self.programs:
            name = px.algorithms(function)[0]
            self.programs[function] = px.program(self.robot, function, name, **options)
        return self.programs[function].evaluate(**arrays)


def compare(ours, links, frame, q, qd, qdd):
    """The number of functions compared; each must agree."""
    world = ours.robot.gravity, np.array(ours.robot.base.matrix)
    moving = Textbook(links, q, qd, qdd, *world)
    coasting = Textbook(links, q, qd, 0 * qdd, *world)
    still = Textbook(links, q, 0 * qd, 0 * qdd, *world)
    M, h, tau = moving.mass_matrix(), coasting.torques(), moving.torques()
    link, offset = frame
    biased = (coasting.turning[link], coasting.acceleration(link, offset))
    expected = {
        ("inverse_dynamics", "q", "qd", "qdd"): tau,
        ("mass_matrix", "q"): M,
        ("bias_forces", "q", "qd"): h,
        ("gravity_torques", "q"): still.torques(),
        ("kinetic_energy", "q", "qd"): moving.kinetic_energy(),
        ("potential_energy", "q"): moving.potential_energy(),
        ("jacobian", "q"): moving.jacobian(link, offset),
        ("bias_acceleration", "q", "qd"): np.concatenate(biased),
    }
    given = {"q": q, "qd": qd, "qdd": qdd, "tau": tau}
    for (function, *inputs), reference in expected.items():
        found = ours(function, **{name: given[name] for name in inputs})
        assert error(found, reference) < LIMIT, function
    position = ours("forward_kinematics", q=q)[:3, 3]
    assert error(position, moving.point(link, offset)) < LIMIT
    if np.linalg.cond(M) < 1e12:  # else no accelerations follow from the torques
        found = ours("forward_dynamics", q=q, qd=qd, tau=tau)
        missing = abs(M @ found + h - tau).max()  # backward error: independent of conditioning
        assert missing < LIMIT * max(1.0, abs(tau).max(), (abs(M) @ abs(found)).max())
    return len(expected) + 2


def random_motion(rng, n):
    numbers = np.random.default_rng(rng.randrange(2**32))
    return numbers.uniform(-np.pi, np.pi, n), *numbers.uniform(-3, 3, (2, n))


@pytest.mark.parametrize("joints", [(1, 3), (4, 6), (8, 16)], ids=["small", "medium", "large"])
def test_random_robots(joints, record_property):
    """Trees of every joint kind, all inertial parameters, rotors, any base and gravity."""
    checks = 0
    for k in range(scaled(8)):
        with case("textbook", joints, k) as rng:
            robot = random_robot(rng, joints)
            links, frame = of_robot(robot), robot.frames[-1]
            place, functions = (frame.body, np.array(frame.pose.translation)), Functions(robot)
            for _ in range(3):
                checks += compare(functions, links, place, *random_motion(rng, robot.n))
    report(record_property, checks, "functions of random robots against the textbook")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_real_robots(path, record_property):
    """Of one state: a real robot is wrong in every state, if it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        try:
            robot = px.load(path)
        except px.RobotError as reason:
            pytest.skip(f"no robot: {reason}")
        links = of_urdf(path, {name: k for k, name in enumerate(robot.joint_names)})
        names = [link.name for link in links]
        tip = names.index(robot.frame_names[-1])
        with case("urdf", path.stem) as rng:
            motion = random_motion(rng, robot.n)
            compare(Functions(robot), links, (tip, np.zeros(3)), *motion)
    report(record_property, 1, "URDFs of example-robot-data that agree with the textbook")
