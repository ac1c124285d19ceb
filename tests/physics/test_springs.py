"""Springs and tendons: they conserve energy, and are felt wherever motion is."""

import random
from dataclasses import replace

import numpy as np
import pytest
from support.functions import error, interpreted
from support.robots import random_axis, random_inertia, random_pose

import paraxis as px
from paraxis.dynamics.contacts.dynamics import constrained_graph, contact_frames
from paraxis.graph.evaluate import evaluate
from paraxis.robot_functions import slopes_of
from paraxis.robots import (
    Coupling,
    Frame,
    Friction,
    Inertia,
    Joint,
    JournalBearing,
    Pose,
    Spring,
    Tendon,
)
from paraxis.spring_functions import spring_graph

KINDS = (
    *("free", "revolute", "prismatic", "helical", "universal"),
    *("planar", "spherical", "revolute", "prismatic"),
)
STILL = np.array([0.3, -0.2, 0.1, 0.5, -0.5, 0.5, 0.5])  # a pose
REFERENCES = {
    "free": tuple(STILL.tolist()),
    "spherical": tuple(STILL[3:].tolist()),
    "planar": (0.1, 0.2, 0.3),
    "universal": (0.4, -0.6),
}


def sprung(seed):
    """A tree with every joint kind, all on springs, joints that follow several, and tendons."""
    rng = random.Random(seed)
    joints = []
    for i, kind in enumerate(KINDS):
        stiffness = rng.uniform(1, 5)
        if i % 2:
            stiffness = (stiffness, rng.uniform(-1, 1), rng.uniform(0, 2))
        spring = Spring(stiffness, REFERENCES.get(kind, rng.uniform(-1, 1)))
        seat, axis = random_pose(rng), random_axis(rng)
        more = {"pitch": 0.2} if kind == "helical" else {}
        more |= {"second_axis": (0.0, 0.6, 0.8)} if kind == "universal" else {}
        parent = rng.randint(-1, i - 1)
        joints.append(Joint(f"j{i}", kind, parent, seat, axis, spring=spring, **more))
    joints[7] = replace(joints[7], coupling=Coupling(("j1", "j2"), (0.2, 0.5, -1.0)))
    joints[8] = replace(joints[8], coupling=Coupling("j2", (0.1, -0.5, 0.2)))
    tendons = [
        Tendon("loose", {"j1": 0.7, "j3": -1.0, "j7": 0.4}, 3.0, (-0.1, 0.2)),
        Tendon("tight", {"j2": 0.5, "j8": 2.0}, (2.0, 0.3), 0.4),
    ]
    bodies = [random_inertia(rng) for _ in joints]
    return px.Robot("sprung", joints, bodies, tendons=tendons, warn=False)


@pytest.fixture(scope="module")
def robot():
    return sprung(1)


def a_state(robot, seed=0):
    rng = np.random.default_rng(seed)
    q = px.integrate(robot, px.neutral(robot), rng.normal(size=robot.nv))
    return q, *rng.normal(size=(2, robot.nv))


def slope(function, robot, q):
    """Over the velocities that change q, by differences."""
    h, columns = 1e-6, []
    for step in h * np.eye(robot.nv):
        there, back = (function(px.integrate(robot, q, way)) for way in (step, -step))
        columns.append((there - back) / (2 * h))
    return np.moveaxis(np.array(columns), 0, -1)


@pytest.mark.parametrize("seed", range(2))
def test_torques_are_the_slope_of_energy(robot, seed):
    q, *_ = a_state(robot, seed)
    force = slope(lambda q: interpreted("potential_energy", robot, q), robot, q)
    gravity, springs = (interpreted(f"{each}_torques", robot, q) for each in ("gravity", "spring"))
    assert error(gravity + springs, force) <= 1e-7 and abs(springs).min() > 0
    stiffness = slopes_of(robot, spring_graph(robot), {"K": ("s", "q")})
    found = evaluate(stiffness, {"q": q})["K"]
    by_hand = slope(lambda q: interpreted("spring_torques", robot, q), robot, q)
    assert error(found, by_hand) <= 1e-7


def test_where_springs_count():
    robot = arm()
    springs, bare = interpreted("spring_torques", robot, Q), robot.without_springs()
    assert not interpreted("spring_torques", bare, Q).any()
    ideal = interpreted("inverse_dynamics", bare, Q, QD, QDD)
    tau = interpreted("inverse_dynamics", robot, Q, QD, QDD)
    assert error(tau, ideal + springs) <= 1e-13
    assert error(interpreted("forward_dynamics", robot, Q, QD, tau), QDD) <= 1e-12
    bias = interpreted("coriolis_matrix", robot, Q, QD) @ QD
    bias = bias + interpreted("gravity_torques", robot, Q) + springs
    assert error(interpreted("bias_forces", robot, Q, QD), bias) <= 1e-13
    assert error(interpreted("motor_torques", robot, Q, QD, QDD)[-1], tau) <= 1e-13
    by_name = px.program(robot, "inverse_dynamics", "spatial").evaluate(q=Q, qd=QD, qdd=QDD)
    assert error(by_name, tau) <= 1e-12
    for function in ("mass_matrix", "gravity_torques", "coriolis_matrix", "regressor"):
        graphs = [px.program(each, function).text() for each in (robot, bare)]
        assert graphs[0] == graphs[1]


def test_derivatives():
    """Also of a body that floats on springs."""
    body = Inertia.of(1.0, (0.1, 0.0, 0.2), (0.02, 0.03, 0.04))
    floating = px.Robot("buoy", [Joint("f", "free", spring=Spring((4.0, 1.0)))], [body])
    for robot in (arm(), floating):
        q, qd, qdd = a_state(robot)
        tau = interpreted("inverse_dynamics", robot, q, qd, qdd)
        for function, last in (("inverse_dynamics", qdd), ("forward_dynamics", tau)):
            found, *_ = interpreted(f"{function}_derivatives", robot, q, qd, last)

            def at(q, function=function, robot=robot, qd=qd, last=last):
                return interpreted(function, robot, q, qd, last)

            assert error(found, slope(at, robot, q)) <= 1e-7


def arm(**more):
    """Four joints, of which the last follows two."""
    x, y, seat = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), Pose(translation=(0.2, 0.0, 0.3))
    joints = [
        Joint("a", "revolute", -1, seat, y, spring=Spring(9.0, 0.3)),
        Joint("b", "prismatic", 0, seat, x, spring=Spring(20.0)),
        Joint("c", "revolute", 1, seat, y, spring=Spring(3.0)),
        Joint("d", "revolute", 2, seat, x, coupling=Coupling(("a", "c"), (0.1, -0.5, 0.8)), **more),
    ]
    body = Inertia.of(1.0, (0.1, 0.0, 0.2), (0.02, 0.03, 0.04))
    return px.Robot("arm", joints, [body] * 4, [Frame("tip", 3, seat)], warn=False)


Q, QD, QDD = np.array([0.4, -0.1, 0.7]), np.array([1.0, -0.5, 0.8]), np.array([0.2, 1.0, -2.0])
G = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [-0.5, 0, 0.8]])


def test_a_joint_that_follows_two():
    robot = arm()
    joints = [replace(joint, coupling=None) for joint in robot.joints]
    independent = replace(robot, joints=joints, warn=False)
    whole = G @ Q + (0, 0, 0, 0.1)
    tau = G.T @ interpreted("inverse_dynamics", independent, whole, G @ QD, G @ QDD)
    assert error(interpreted("inverse_dynamics", robot, Q, QD, QDD), tau) <= 1e-13
    M = G.T @ interpreted("mass_matrix", independent, whole) @ G
    assert error(interpreted("mass_matrix", robot, Q), M) <= 1e-13
    assert error(interpreted("forward_dynamics", robot, Q, QD, tau), QDD) <= 1e-12
    held = robot.locked({"a": 0.4})
    assert held.joint("d").coupling == Coupling(("c",), (0.1 - 0.5 * 0.4, 0.8))
    rest = interpreted("gravity_torques", robot, Q)[1:]
    assert error(interpreted("gravity_torques", held, Q[1:]), rest) <= 1e-12
    assert robot.locked({"a": 0.4, "c": 0.7}).nv == 1
    with pytest.raises(px.RobotError, match="'d' follows joints 'a', 'c': lock those"):
        robot.locked({"d": 0.0})
    twice = px.robots.planar(1).with_attached(robot, prefix="x_")
    assert twice.joint("x_d").coupling.leaders == ("x_a", "x_c")
    assert "0.1 - 0.5 a + 0.8 c" in str(robot)


def test_contact_and_inverse_kinematics_move_all_leaders():
    robot = arm().without_springs()
    pinned = px.Contact.pinned("tip")
    motion = px.constrained_forward_dynamics(robot, Q, 0 * QD, 0 * QD, pinned)
    assert motion.rank == 3 and abs(motion.qdd).max() <= 1e-9
    point = px.forward_kinematics(robot, Q, "tip")[:3, 3]
    found = px.inverse_kinematics(robot, position=point, frame="tip")
    assert found.solved
    with pytest.raises(px.RobotError, match="'d' follows 'a', 'c', which must be named instead"):
        px.inverse_kinematics(robot, position=point, frame="tip", fixed=["d"])


def test_a_follower_that_is_held_in_place_takes_nothing_by_friction():
    joints = [
        Joint("a", "revolute"),
        Joint("b", "revolute", 0, coupling=Coupling("a", (0.3,)), friction=Friction(viscous=0.1)),
    ]
    robot = px.Robot("held", joints, arm().inertias[:2], warn=False)
    torques = px.program(robot, "motor_torques").evaluate(q=[0.1], qd=[2.0], qdd=[0.0])
    assert torques["joint_friction"] == 0.0


def test_a_locked_joint_keeps_its_part_of_a_tendon():
    tendons = [Tendon("t", {"a": 2.0, "d": 1.0, "b": 3.0}, 4.0, (0.1, 0.2))]
    robot = replace(arm(), tendons=tendons, warn=False)
    springs = interpreted("spring_torques", robot, Q)
    held = robot.locked({"a": 0.4})
    assert error(interpreted("spring_torques", held, Q[1:]), springs[1:]) <= 1e-12
    with pytest.raises(px.RobotError, match="tendon 't' also runs over 'a', 'b'"):
        robot.without("d")
    named = px.robots.planar(1).with_attached(robot, prefix="x_").tendons
    assert named == (replace(tendons[0], name="x_t", arms={"x_a": 2.0, "x_d": 1.0, "x_b": 3.0}),)


# -- in motion -------------------------------------------------------------------------------------


def pair(**tendon):
    """A slide on a hinge, and a tendon over both."""
    joints, bodies = arm().joints[:2], arm().inertias[:2]
    tendon = Tendon("t", {"a": 1.5, "b": -2.0}, **tendon)
    return px.Robot("pair", joints, bodies, tendons=[tendon], warn=False)


def energy(robot, run):
    return px.kinetic_energy(robot, run.q, run.qd) + px.potential_energy(robot, run.q)


def test_springs_keep_energy():
    robot = pair(stiffness=30.0, rest=0.1)
    run = px.simulate(robot, Q[:2], QD[:2], dt=2e-4, steps=1500, every=100)
    found = energy(robot, run)
    assert np.ptp(found) <= 1e-9 * abs(found).max()
    assert np.ptp(px.kinetic_energy(robot, run.q, run.qd)) > 1


def test_the_damping_of_tendons_takes_what_it_should():
    """The energy lost is the integral of damping times squared rates, of a follower's too."""
    robot = arm(friction=Friction(viscous=0.4))
    robot = replace(
        robot, tendons=[Tendon("t", {"a": 1.5, "b": -2.0}, friction=Friction(viscous=0.3))]
    )
    run = px.simulate(robot, Q, QD, dt=5e-4, steps=800)
    rates = run.qd @ [1.5, -2.0, 0.0], run.qd @ G[3]
    power = 0.3 * rates[0] ** 2 + 0.4 * rates[1] ** 2
    lost = 5e-4 / 3 * (power[0] + power[-1] + 4 * power[1:-1:2].sum() + 2 * power[2:-1:2].sum())
    found = energy(robot, run)
    assert lost > 0.1
    assert abs(found[0] - found[-1] - lost) <= 1e-8 * lost
    taken = px.motor_torques(robot, Q, QD, QDD).joint_friction
    shares = 0.3 * (QD @ [1.5, -2.0, 0.0]) * np.array([1.5, -2.0, 0.0]) + 0.4 * (QD @ G[3]) * G[3]
    assert error(taken, shares) <= 1e-14


def test_dry_friction_of_tendons():
    dry = Friction(coulomb=2.0, smoothing=0.02)
    robot, state = pair(friction=dry), (Q[:2], QD[:2])
    taken = interpreted("motor_torques", robot, *state, QDD[:2])[1]
    assert error(taken, 2.0 * np.array([1.5, -2.0])) <= 1e-14
    run = px.simulate(robot, *state, dt=2e-4, steps=500)
    rate = run.qd @ [1.5, -2.0]
    power = 2.0 * rate**2 / np.sqrt(rate**2 + 0.02**2)
    lost = np.trapezoid(power, dx=2e-4)
    found = energy(robot, run)
    assert abs(found[0] - found[-1] - lost) <= 1e-4 * lost
    with pytest.raises(px.ArgumentError, match="dry friction of 't', .* 'rk4' or 'adaptive'"):
        px.simulate(robot, *state, dt=1e-3, steps=1, method="semi_implicit_euler")
    stiff = pair(friction=Friction(coulomb=9.0))
    with pytest.warns(px.SimulationWarning, match="friction of tendon 't' near rest is too stiff"):
        px.simulate(stiff, *state, dt=1e-3, steps=1)


def test_semi_implicit_steps_take_damping_at_the_rates_after():
    """However stiff: the tendon ends up at a crawl, and what it does not hold goes on."""
    robot = pair(friction=Friction(viscous=1e6))
    run = px.simulate(robot, Q[:2], QD[:2], dt=1e-3, steps=50, method="semi_implicit_euler")
    assert abs(run.qd[-1] @ [1.5, -2.0]) < 1e-3 < abs(run.qd[-1]).max()


def test_contact():
    """A tool that is welded to the world takes the springs' torques as forces."""
    robot = arm()
    joints = [replace(joint, coupling=None) for joint in robot.joints]
    robot = replace(robot, joints=joints, warn=False)
    state = {"q": np.array([0.4, -0.1, 0.7, 0.2]), "qd": np.zeros(4), "tau": np.ones(4)}
    pin = (px.Contact.pinned("tip"),)

    def motion(robot, q, qd, tau):
        graph = constrained_graph(robot, pin, contact_frames(robot, pin))
        return evaluate(graph, {"q": q, "qd": qd, "tau": tau})

    found = motion(robot, **state)
    state["tau"] = state["tau"] - interpreted("spring_torques", robot, state["q"])
    held = motion(robot.without_springs(), **state)
    assert found["rank"] == 3
    assert all(error(found[name], held[name]) <= 1e-12 for name in ("qdd", "force"))


# -- what cannot be --------------------------------------------------------------------------------


def test_what_does_not_support_springs():
    springy = replace(px.load("ur5"), tendons=[Tendon("t", {"shoulder_pan_joint": 1.0}, 2.0)])
    refused = {
        "px.base_parameters": px.base_parameters,
        "a circuit": lambda robot: px.hardware.inverse_dynamics_circuit(
            robot, velocity=1.0, acceleration=1.0
        ),
        "a closed form": px.closed_form,
        "forward_dynamics_with_friction": lambda r: px.forward_dynamics_with_friction(
            r, *[np.zeros(6)] * 3
        ),
        "a systolic array": px.parallel.systolic_array,
        "streamlined tasks": px.streamlined_tasks,
        "this recursion": px.control.speculate,
        "the law 'computed_torque'": lambda r: px.control.computed_torque(r, 1.0, 1.0),
        "a sweep along a chain": lambda r: px.forward_dynamics(
            r, *[np.zeros(6)] * 3, algorithm="serial"
        ),
    }
    for what, function in refused.items():
        with pytest.raises(px.ArgumentError, match=f"{what}.* does not support springs, .* 't'"):
            function(springy)
    worn = replace(springy.tendons[0], stiffness=0.0, friction=Friction(viscous=1.0))
    worn = replace(springy, tendons=[worn], warn=False)
    with pytest.raises(px.ArgumentError, match="does not support friction of tendons, such as 't'"):
        px.forward_dynamics_with_friction(worn, *[np.zeros(6)] * 3)


def test_wrong_springs_and_tendons():
    bodies, joint = [px.robots.Inertia()], Joint("a", "revolute")
    ball = Joint("b", "spherical", spring=Spring(1.0, (0.0, 0.0, 0.0, 2.0)))
    bearing = Friction(JournalBearing(0.1, 0.01, 0.1))
    wrong = {
        "stiffness: expected a number or several": lambda: Spring("2"),
        "stiffness: expected finite": lambda: Spring(np.nan),
        "a unit quaternion x, y, z, w": lambda: px.Robot("r", [ball], bodies, warn=False),
        "expected 4 numbers, a unit quaternion": lambda: px.Robot(
            "r", [replace(ball, spring=Spring(1.0, 0.3))], bodies, warn=False
        ),
        "spring: expected a Spring, found float": lambda: px.Robot(
            "r", [replace(joint, spring=1.0)], bodies, warn=False
        ),
        "'t': expected at least one joint": lambda: Tendon("t", {}),
        "'t' arms: a joint is named twice": lambda: Tendon("t", [("a", 1.0), ("a", 2.0)]),
        "'t' rest: expected a length": lambda: Tendon("t", {"a": 1.0}, rest=(1.0, 0.0)),
        "'t' friction: expected a Friction without": lambda: Tendon(
            "t", {"a": 1.0}, friction=bearing
        ),
        "'t': there is no joint 'b'": lambda: px.Robot(
            "r", [joint], bodies, tendons=[Tendon("t", {"b": 1.0})], warn=False
        ),
        "'t': joints 'b' have several degrees": lambda: px.Robot(
            "r",
            [replace(ball, spring=None)],
            bodies,
            tendons=[Tendon("t", {"b": 1.0})],
            warn=False,
        ),
        "'t': the name is used twice": lambda: px.Robot(
            "r", [joint], bodies, tendons=[Tendon("t", {"a": 1.0})] * 2, warn=False
        ),
        "expected a Coupling, found str": lambda: Joint("b", "revolute", coupling="a"),
        "name of a joint, or several": lambda: Coupling(3),
        "expected the coefficients c0, c1, ..., found 1.0": lambda: Coupling("a", 1.0),
        "expected 3 coefficients, a constant and one per joint, found 2": lambda: Coupling(
            ("a", "b"), (0.0, 1.0)
        ),
        "expected the name of a joint": lambda: Coupling((), (0.0,)),
        "joint, or several, found 3": lambda: Coupling(3),
        "expected the coefficients c0, c1, ..., found": lambda: Coupling("a", ()),
        "a leader is named twice": lambda: px.Robot(
            "r",
            [joint, Joint("b", "revolute", coupling=Coupling(("a", "a"), (0.0, 1.0, 1.0)))],
            bodies * 2,
            warn=False,
        ),
    }
    for message, make in wrong.items():
        with pytest.raises(px.RobotError, match=message):
            make()


def test_springs_and_tendons_are_part_of_the_digest():
    robot = replace(arm(), tendons=[Tendon("t", {"a": 1.0, "b": 2.0}, 3.0, 0.1)], warn=False)
    others = [
        robot.without_springs(),
        replace(robot, tendons=[replace(robot.tendons[0], rest=0.2)], warn=False),
        replace(robot, tendons=[replace(robot.tendons[0], arms={"a": 1.0, "c": 2.0})], warn=False),
        replace(robot, tendons=(), warn=False),
    ]
    assert len({robot.digest, *(other.digest for other in others)}) == 5
