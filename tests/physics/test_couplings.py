"""Joints that follow others, and screws: against the same robot with all joints independent."""

import random
from dataclasses import replace

import numpy as np
import pytest
from support.functions import error, interpreted
from support.robots import random_inertia, random_pose

import paraxis as px
from paraxis.robots import Coupling, Frame, Joint, Pose

CUBIC = (0.3, -1.5, 0.2, 0.1)
PITCH, RATIO = 0.2, 0.5


@pytest.fixture(scope="module")
def robots():
    """The robot, and the same with independent joints: a screw is a turn and a slide there."""
    rng = random.Random(4)
    names = ("free", "lead", "bent", "screw", "belt", "ball")
    seats = {name: random_pose(rng) for name in names}
    bodies = {name: random_inertia(rng) for name in names}
    axis = dict.fromkeys(names, (0.0, 0.6, 0.8)) | {"screw": (1.0, 0.0, 0.0)}

    def joint(name, kind, parent, **more):
        return Joint(name, kind, parent, seats[name], axis[name], **more)

    free, ball = joint("free", "free", -1), joint("ball", "spherical", 2)
    lead, bent = joint("lead", "revolute", 0), joint("bent", "revolute", 1, rotor_inertia=0.3)
    coupled = [
        free,
        lead,
        replace(bent, coupling=Coupling("lead", CUBIC)),
        joint("screw", "helical", 1, pitch=PITCH, rotor_inertia=0.1),
        joint("belt", "prismatic", 3, coupling=Coupling("lead", (0.0, RATIO))),
        ball,
    ]
    turn = joint("screw", "revolute", 1, rotor_inertia=0.1)
    slide = Joint("slide", "prismatic", 3, Pose(), axis["screw"])
    independent = [free, lead, bent, turn, slide, joint("belt", "prismatic", 4), ball]
    tip = random_pose(rng)
    made = px.Robot("coupled", coupled, bodies.values(), [Frame("tip", 5, tip)], warn=False)
    masses = [*(bodies[name] for name in names[:3]), px.robots.Inertia()]
    masses += [bodies[name] for name in names[3:]]
    return made, px.Robot("all", independent, masses, [Frame("tip", 6, tip)], warn=False)


@pytest.fixture
def state(robots):
    """q, qd, qdd, and all of the independent robot; G and Ġ q̇ by hand."""
    robot, _ = robots
    rng = np.random.default_rng(1)
    q = px.integrate(robot, px.neutral(robot), rng.normal(size=robot.nv))
    qd, qdd = rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    lead, screw = q[7], q[8]
    bent = np.polynomial.Polynomial(CUBIC)
    whole = np.concatenate((q[:8], [bent(lead), screw, PITCH * screw, RATIO * lead], q[9:]))
    G = np.zeros((14, 11))
    G[:7, :7] = np.eye(7)
    G[7, 6], G[8, 7], G[9, 7], G[10, 6] = bent.deriv()(lead), 1.0, PITCH, RATIO
    G[11:, 8:] = np.eye(3)
    bend = np.zeros(14)
    bend[7] = bent.deriv(2)(lead) * qd[6] ** 2
    return {"q": q, "qd": qd, "qdd": qdd, "whole": whole, "G": G, "bend": bend}


def test_sizes(robots):
    robot, independent = robots
    assert (robot.n, robot.nq, robot.nv) == (6, 13, 11)
    assert (independent.nq, independent.nv) == (16, 14)


def test_torques_and_masses(robots, state):
    robot, independent = robots
    q, qd, qdd, whole, G, bend = state.values()
    tau = G.T @ interpreted("inverse_dynamics", independent, whole, G @ qd, G @ qdd + bend)
    assert error(interpreted("inverse_dynamics", robot, q, qd, qdd), tau) <= 1e-12
    assert error(interpreted("forward_dynamics", robot, q, qd, tau), qdd) <= 1e-10
    M = G.T @ interpreted("mass_matrix", independent, whole) @ G
    assert error(interpreted("mass_matrix", robot, q), M) <= 1e-12
    assert error(interpreted("mass_matrix_inverse", robot, q), np.linalg.inv(M)) <= 1e-10
    h = interpreted("bias_forces", robot, q, qd)
    assert error(h, interpreted("inverse_dynamics", robot, q, qd, 0 * qdd)) <= 1e-12
    g = interpreted("gravity_torques", robot, q)
    assert error(g, interpreted("bias_forces", robot, q, 0 * qd)) <= 1e-12
    assert error(interpreted("kinetic_energy", robot, q, qd), 0.5 * qd @ M @ qd) <= 1e-12
    regressor = interpreted("regressor", robot, q, qd, qdd)
    assert error(regressor @ px.inertial_parameters(robot).ravel(), tau) <= 1e-12
    C = interpreted("coriolis_matrix", robot, q, qd)
    assert error(C @ qd + g, h) <= 1e-12


def test_frames(robots, state):
    robot, independent = robots
    q, qd, _, whole, G, bend = state.values()
    J = interpreted("jacobian", independent, whole, frame="tip")
    assert error(interpreted("jacobian", robot, q, frame="tip"), J @ G) <= 1e-12
    bias = interpreted("bias_acceleration", independent, whole, G @ qd, frame="tip") + J @ bend
    assert error(interpreted("bias_acceleration", robot, q, qd, frame="tip"), bias) <= 1e-12
    pose = interpreted("forward_kinematics", independent, whole, frame="tip")
    assert error(interpreted("forward_kinematics", robot, q, frame="tip"), pose) <= 1e-14
    A = interpreted("centroidal_momentum_matrix", robot, q)
    assert error(A @ qd, interpreted("centroidal_momentum", robot, q, qd)) <= 1e-12


def test_derivatives(robots, state):
    robot, _ = robots
    q, qd, qdd, *_ = state.values()
    tau, h = interpreted("inverse_dynamics", robot, q, qd, qdd), 1e-6
    for function, last in (("inverse_dynamics", qdd), ("forward_dynamics", tau)):
        slope, *_ = interpreted(f"{function}_derivatives", robot, q, qd, last)
        for k in (1, 4, 6, 7, 9):
            there, back = (px.integrate(robot, q, way * np.eye(robot.nv)[k]) for way in (h, -h))
            change = interpreted(function, robot, there, qd, last)
            change = change - interpreted(function, robot, back, qd, last)
            assert error(slope[:, k], change / (2 * h)) <= 1e-7


def test_a_simulation_keeps_energy(robots, state):
    robot = robots[0].with_gravity((0, 0, 0))
    run = px.simulate(robot, state["q"], 0.3 * state["qd"], dt=1e-3, steps=300)
    energies = px.kinetic_energy(robot, run.q, run.qd)
    assert np.ptp(energies) <= 1e-10 * energies[0]


def test_what_couplings_cannot_do(robots, state):
    robot, _ = robots
    q, qd, qdd, *_ = state.values()
    bearing = px.robots.Friction(px.robots.JournalBearing(0.1, 0.01, 0.1))
    joints = [robot.joints[0], replace(robot.joints[1], friction=bearing)]
    worn = replace(robot, joints=(*joints, *robot.joints[2:]), warn=False)
    with pytest.raises(px.ArgumentError, match="motor_torques: .* bearings and coupled joints"):
        px.motor_torques(worn, q, qd, qdd)
    joint, bodies = Joint("a", "revolute"), [px.robots.Inertia()] * 2
    wrong = {
        "no joint 'b' to follow": Joint("c", "revolute", 0, coupling=Coupling("b")),
        "no joint 'c' to follow": Joint("c", "revolute", 0, coupling=Coupling("c")),
        "a spherical joint cannot follow": Joint("c", "spherical", 0, coupling=Coupling("a")),
    }
    for message, follower in wrong.items():
        with pytest.raises(px.RobotError, match=message):
            px.Robot("wrong", [joint, follower], bodies, warn=False)
    with pytest.raises(px.RobotError, match="expected the name of a joint, or several, found None"):
        Coupling(None, (0, 1))


def test_algorithms_that_cannot_be_used_are_refused_and_others_used(robots):
    coupled, _ = robots[:2]
    with pytest.raises(px.ArgumentError, match="solved with the mass matrix, by 'composite_body'"):
        px.program(coupled, "forward_dynamics", "articulated_body")
    names = ("newton_euler", "spatial")
    programs = [px.program(coupled, "bias_forces", name) for name in names]
    assert programs[0].count().flops != programs[1].count().flops
