"""Forward dynamics with friction: it leads back to the motor torques, and says where it cannot."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import random_robot, random_transmission, relative_error, with_losses

import paraxis as px
from paraxis import Robot
from paraxis.dynamics.friction import forward_dynamics
from paraxis.physics.friction.holding_band import holding_band
from paraxis.physics.friction.transmission_friction import friction_in_motion
from paraxis.physics.friction.transmission_inverse import torque_at_joint
from paraxis.physics.linear.elimination import solve_linear
from paraxis.physics.modified_newton_euler import torques_and_reactions
from paraxis.robots import Friction, Inertia, Joint, JournalBearing, LinearBearing, Transmission
from paraxis.robots.model import Model

ROBOTS = [*range(4), *(pytest.param(k, marks=pytest.mark.long) for k in (4, 5))]


def lossy_robot(seed, bearings=0.05, one_to_one=True):
    """A random robot whose bearings are of the usual kind: they do not jam.

    With `one_to_one`, efficiencies are constant, so that no two loads take the same torque.
    """
    robot = with_losses(random_robot(seed, joints=(1, 5)), seed)
    joints = []
    for joint in robot.joints:
        own = [replace(b, coefficient=b.coefficient * bearings) for b in joint.friction.bearings]
        friction = replace(joint.friction, bearings=own)
        gears = joint.transmission
        if one_to_one and isinstance(gears.efficiency, tuple):
            gears = replace(gears, efficiency=gears.efficiency[0][1])
        joints.append(replace(joint, friction=friction, transmission=gears))
    return replace(robot, joints=joints, warn=False)


def motions(robot, count, seed, at_rest=0.0, staying=0.0):
    """Random states, of which some joints are at rest, and of these some stay."""
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.uniform(-3, 3, (3, count, robot.n))
    qd[rng.random(qd.shape) < at_rest] = 0.0
    qdd[(qd == 0.0) & (rng.random(qd.shape) < staying)] = 0.0
    return q, qd, qdd


def slide(**losses):
    """A block of 2 kg that slides along a level rail, with gravity across."""
    joint = Joint("slide", "prismatic", axis=(1, 0, 0), **losses)
    body = Inertia(2.0, (0, 0, 0), (1, 1, 1, 0, 0, 0))
    return Robot("block", [joint], [body], [], (0, 0, -10.0))


def acceleration(robot, qd, motor):
    found = px.forward_dynamics_with_friction(robot, [0.0], [qd], [motor])
    assert found.solved, found
    return found.qdd[0]


# -- the inverse of motor_torques ------------------------------------------------------------------


@pytest.mark.parametrize("seed", ROBOTS)
def test_it_inverts_motor_torques_for_moving_joints(seed):
    robot = lossy_robot(seed)
    q, qd, qdd = motions(robot, 200, seed)
    motor = px.motor_torques(robot, q, qd, qdd).input
    found = px.forward_dynamics_with_friction(robot, q, qd, motor)
    assert found.solved.all() and found.error.max() <= 1e-10
    assert relative_error(found.qdd, qdd) <= 1e-7  # small inertias behind large torques
    back = px.motor_torques(robot, q, qd, found.qdd).input
    assert relative_error(back, motor) <= 1e-9


@pytest.mark.parametrize("seed", ROBOTS)
def test_joints_at_rest_break_away_or_stick(seed):
    robot = lossy_robot(seed)
    q, qd, qdd = motions(robot, 200, seed, at_rest=0.6, staying=0.5)
    motor = px.motor_torques(robot, q, qd, qdd).input
    found = px.forward_dynamics_with_friction(robot, q, qd, motor)
    assert found.solved.all()
    assert relative_error(found.qdd, qdd) <= 1e-7
    for i, joint in enumerate(robot.joints):
        if joint.has_losses:
            stays = (qd[:, i] == 0) & (qdd[:, i] == 0)
            assert (found.qdd[stays, i] == 0).all()


@pytest.mark.parametrize("seed", ROBOTS)
def test_any_torques_give_what_motor_torques_confirm(seed):
    """Joints that stick do so within what holds them; all others need just these torques."""
    robot = lossy_robot(seed, one_to_one=False)
    q, qd, qdd = motions(robot, 100, seed, at_rest=0.5)
    ratios = np.array([joint.transmission.ratio for joint in robot.joints])
    rng = np.random.default_rng(seed)
    motor = px.motor_torques(robot, q, qd, qdd).input + rng.normal(0, 20, q.shape) / ratios
    found = px.forward_dynamics_with_friction(robot, q, qd, motor)
    assert found.solved.mean() >= 0.98  # a few have bearings that jam
    assert np.isnan(found.qdd[~found.solved]).all()
    for k in np.flatnonzero(found.solved):
        back = px.motor_torques(robot, q[k], qd[k], found.qdd[k]).input
        state = [row[k].tolist() for row in (q, qd, found.qdd)]
        dynamic, reactions = torques_and_reactions(Model(robot), *state)
        for i, joint in enumerate(robot.joints):
            slack = 1e-9 * max(1, abs(motor[k]).max())
            if joint.has_losses and qd[k, i] == 0 and found.qdd[k, i] == 0:
                least, largest = holding_band(joint, dynamic[i], reactions[i])
                assert least - slack <= motor[k, i] <= largest + slack
            else:
                assert back[i] == pytest.approx(motor[k, i], rel=0, abs=slack)


@pytest.mark.parametrize("at_rest", [0.0, 0.5])
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in (2, 3))]
)
@pytest.mark.long
def test_bearings_that_may_jam_are_solved_where_a_solution_is_known(seed, at_rest):
    """A fifth of the first robot's states is found only from other starts; some have two roots."""
    robot = lossy_robot(seed + 10, bearings=1.0)
    q, qd, qdd = motions(robot, 200, seed + 10, at_rest, staying=0.5)
    motor = px.motor_torques(robot, q, qd, qdd).input
    found = px.forward_dynamics_with_friction(robot, q, qd, motor)
    assert found.solved.all()
    back = px.motor_torques(robot, q, qd, found.qdd).input
    moves = (qd != 0) | (found.qdd != 0)
    assert relative_error(np.where(moves, back, motor), motor) <= 1e-9


def test_each_start_finds_more(monkeypatch):
    """Joints at rest whose directions go round and round, or that Newton's method does."""
    robot = lossy_robot(10, bearings=1.0)
    q, qd, qdd = motions(robot, 200, 10, at_rest=0.5, staying=0.5)
    motor = px.motor_torques(robot, q, qd, qdd).input
    starts, unsolved = list(forward_dynamics._other_starts(robot.n)), []
    for count in (0, 1, 2, len(starts)):
        monkeypatch.setattr(forward_dynamics, "_other_starts", lambda n, k=count: starts[:k])
        found = px.forward_dynamics_with_friction(robot, q, qd, motor)
        unsolved.append(np.count_nonzero(~found.solved))
    assert unsolved == sorted(set(unsolved), reverse=True) and unsolved[-1] == 0


def test_a_state_does_not_depend_on_what_is_solved_with_it():
    robot = lossy_robot(10, bearings=1.0)
    q, qd, qdd = motions(robot, 40, 10, at_rest=0.5)
    motor = px.motor_torques(robot, q, qd, qdd).input
    together = px.forward_dynamics_with_friction(robot, q, qd, motor)
    for k in range(40):
        alone = px.forward_dynamics_with_friction(robot, q[k], qd[k], motor[k])
        assert (alone.qdd == together.qdd[k]).all()


def test_without_losses_it_is_forward_dynamics():
    robot = random_robot(3, (4, 4))
    gears = [replace(joint, transmission=Transmission(-20.0)) for joint in robot.joints]
    robot = replace(robot, joints=gears)
    q, qd, motor = motions(robot, 5, 0, at_rest=0.5)
    found = px.forward_dynamics_with_friction(robot, q, qd, motor)
    assert found.solved.all()
    assert (found.qdd == px.forward_dynamics(robot, q, qd, -20.0 * motor)).all()


# -- one joint, by hand ----------------------------------------------------------------------------

DRY = Friction(coulomb=3.0, static=5.0, stribeck_velocity=0.5, viscous=0.5)


@pytest.mark.parametrize("ratio", [1.0, 4.0, -4.0])
def test_a_block_with_dry_friction(ratio):
    robot = slide(friction=DRY, transmission=Transmission(ratio))
    # it moves at the rate at which static friction has lost half its way: 4 N, and 0.25 N viscous
    assert acceleration(robot, 0.5, 10.0 / ratio) == pytest.approx((10 - 4.25) / 2)
    assert acceleration(robot, -0.5, 10.0 / ratio) == pytest.approx((10 + 4.25) / 2)
    assert acceleration(robot, 0.0, 5.0 / ratio) == 0.0  # held to the last
    assert acceleration(robot, 0.0, -4.9 / ratio) == 0.0
    assert acceleration(robot, 0.0, 5.2 / ratio) == pytest.approx(0.1)
    assert acceleration(robot, 0.0, -5.2 / ratio) == pytest.approx(-0.1)


def test_the_four_cases_of_a_gear():
    robot = slide(transmission=Transmission(efficiency=0.5, break_away=2.0))
    # (rate, motor) -> what arrives: driving loses half of what break-away leaves, braking doubles
    for rate, motor, force in [(1, 10, 4), (1, -10, -24), (-1, -10, -4), (-1, 10, 24)]:
        assert acceleration(robot, rate, motor) == pytest.approx(force / 2)
        assert px.motor_torques(robot, [0], [rate], [force / 2]).input == pytest.approx(motor)


def test_what_a_gear_holds():
    """A load of 20 N on a gear of efficiency 1/2: from 20 / 2 - 2 to 20 / (1/2) + 2 it stays."""
    robot = slide(transmission=Transmission(efficiency=0.5, break_away=2.0))
    robot = replace(robot, gravity=(-10.0, 0, 0))
    for motor, expected in [(7.9, -0.1), (8.0, 0.0), (20.0, 0.0), (42.0, 0.0), (42.2, 0.05)]:
        assert acceleration(robot, 0.0, motor) == pytest.approx(expected)
    assert px.motor_torques(robot, [0], [0], [0]).input == pytest.approx(8.0)


@given(st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_the_least_torque_of_motor_torques_holds(rng):
    joint = with_losses(random_robot(rng, (1, 1)), rng).joints[0]
    robot = Robot("one", [joint], [Inertia(1, (0.1, 0.2, 0.3), (1, 1, 1, 0, 0, 0))], [], (1, 2, -9))
    state = [[rng.uniform(-3, 3)], [0.0], [0.0]]
    dynamic, reactions = torques_and_reactions(Model(robot), *state)
    least, largest = holding_band(joint, dynamic[0], reactions[0])
    given_torque = px.program(robot, "motor_torques", "modified_newton_euler").evaluate(
        **dict(zip(("q", "qd", "qdd"), state, strict=True))
    )["input"][0]
    assert least - 1e-12 <= given_torque <= largest + 1e-12
    assert least - 1e-12 <= dynamic[0] / joint.transmission.ratio <= largest + 1e-12


def test_a_bearing_that_carries_more_the_more_it_is_pushed():
    """A slide pushed off its axis: with f = μ |N| and N = c a the friction takes part of the push.

    The slide's guide carries the weight, 20 N at rest, and nothing else.
    """
    robot = slide(friction=Friction(LinearBearing(0.25, 0.1)))
    assert acceleration(robot, 1.0, 15.0) == pytest.approx(5.0)  # 15 - 0.25 * 20
    assert acceleration(robot, 0.0, 4.0) == 0.0


def arm_that_jams(coefficient):
    """A block whose mass is 1 m off its rail: pushing it loads the two supports, 0.2 m apart."""
    friction = Friction(LinearBearing(coefficient, 0.2))
    joint = Joint("slide", "prismatic", axis=(1, 0, 0), friction=friction)
    body = Inertia(2.0, (0, 0, 1.0), (0.1, 0.1, 0.1, 0, 0, 0))
    return Robot("hung", [joint], [body], [], (0, 0, 0))


def test_a_bearing_that_jams_has_no_solution():
    """Friction is μ · 2 · (2 kg · 1 m / 0.2 m) |a| = 20 μ |a|, against 2 kg · a."""
    assert acceleration(arm_that_jams(0.05), 1.0, 9.0) == pytest.approx(3.0)  # 2 a + 1 a
    assert acceleration(arm_that_jams(0.05), 1.0, -9.0) == pytest.approx(-9.0)  # 2 a - 1 |a|
    braked = px.forward_dynamics_with_friction(arm_that_jams(0.2), [0.0], [1.0], [-9.0])
    assert not braked.solved and np.isnan(braked.qdd).all()  # -2 |a| + 4 |a| is never negative


# -- the pieces ------------------------------------------------------------------------------------


@given(st.randoms(use_true_random=False))
@settings(max_examples=300)
def test_what_a_transmission_brings_takes_the_torque_of_the_motor(rng):
    """Along, against, and with the smooth directions of a simulation."""
    gears = random_transmission(rng)
    direction = rng.choice((-1.0, 1.0, rng.uniform(-1, 1)))
    torque = rng.uniform(-1, 1) * rng.choice((1.0, 10.0, 400.0))
    at_joint = torque_at_joint(gears, torque / gears.ratio, direction)
    again = at_joint + friction_in_motion(gears, at_joint, direction)
    assert again == pytest.approx(torque, rel=1e-11, abs=1e-11)


@given(st.randoms(use_true_random=False))
@settings(max_examples=300)
def test_a_load_next_to_a_row_of_the_table(rng):
    loads, rises = (0.0, 0.05, 0.2, 1.0), sorted(rng.uniform(0.2, 1) for _ in range(4))
    kind, table = rng.choice(("linear", "cubic")), list(zip(loads, rises, strict=True))
    gears = Transmission(3.0, table, kind, break_away=1.0, torque_limit=40.0)
    direction = rng.choice((-1.0, 1.0, rng.uniform(-1, 1)))
    load = 40 * rng.choice(loads) * (1 + rng.choice((-1, 1)) * 10 ** rng.uniform(-12, -2))
    torque = -load + friction_in_motion(gears, -load, direction)
    at_joint = torque_at_joint(gears, torque / gears.ratio, direction)
    again = at_joint + friction_in_motion(gears, at_joint, direction)
    assert again == pytest.approx(torque, rel=1e-11, abs=1e-11)


def test_of_several_loads_the_largest_is_given():
    """From 0.2 to 0.8 while the load goes from 10 to 20: 10 N take 50, and 20 N take 25."""
    steep = Transmission(efficiency=[(0.1, 0.2), (0.2, 0.8)], torque_limit=100.0)
    assert torque_at_joint(steep, 30.0, 1.0) == pytest.approx(24.0)
    assert torque_at_joint(steep, 20.0, 1.0) == pytest.approx(4.0)


def test_elimination_solves():
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(5, 5)) + 5 * np.eye(5), rng.normal(size=5)
    assert solve_linear(A.tolist(), b.tolist()) == pytest.approx(np.linalg.solve(A, b))


# -- arrays ----------------------------------------------------------------------------------------


def test_batches_broadcast():
    robot = lossy_robot(1)
    q, qd, qdd = motions(robot, 6, 0)
    motor = px.motor_torques(robot, q, qd, qdd).input
    whole = px.forward_dynamics_with_friction(robot, q.reshape(2, 3, -1), qd[0], motor[:3])
    assert whole.qdd.shape == (2, 3, robot.n)
    assert whole.solved.shape == whole.error.shape == (2, 3)
    one = px.forward_dynamics_with_friction(robot, q[4], qd[0], motor[1])
    assert (one.qdd == whole.qdd[1, 1]).all() and one.solved.shape == ()
    none = px.forward_dynamics_with_friction(robot, q[:0], qd[:0], motor[:0])
    assert none.qdd.shape == (0, robot.n) and none.solved.shape == (0,)


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_is_no_number_stays_in_its_state(wrong, place):
    robot = lossy_robot(4)
    arrays = list(motions(robot, 20, 0, at_rest=0.5))
    arrays[2] = px.motor_torques(robot, *arrays).input
    before = px.forward_dynamics_with_friction(robot, *arrays)
    arrays[place][7, 0] = wrong
    after = px.forward_dynamics_with_friction(robot, *arrays)
    assert not after.solved[7] and np.isnan(after.qdd[7]).all()
    others = np.arange(20) != 7
    assert (after.qdd[others] == before.qdd[others]).all()
    assert (after.solved[others] == before.solved[others]).all()


@pytest.mark.long
def test_parameters_may_differ_from_state_to_state():
    robot = lossy_robot(5)
    q, qd, qdd = motions(robot, 8, 0, at_rest=0.3)
    rng = np.random.default_rng(0)
    given = {
        "mass": rng.uniform(1, 3, (8, robot.n)),
        "external_force": rng.normal(size=(robot.n, 6)),
    }
    motor = px.motor_torques(robot, q, qd, qdd, **given).input
    found = px.forward_dynamics_with_friction(robot, q, qd, motor, **given)
    assert found.solved.all() and relative_error(found.qdd, qdd) <= 1e-7
    free = robot.without_friction()
    motor = px.motor_torques(free, q, qd, qdd, **given).input
    assert px.forward_dynamics_with_friction(free, q, qd, motor, **given).solved.all()
    with pytest.raises(px.ArgumentError, match="parameters: expected some of"):
        px.forward_dynamics_with_friction(robot, q, qd, motor, colour=3)


def test_a_bearing_without_load_is_solved():
    """The load of a journal has no slope at zero: it starts from exactly there."""
    friction = Friction(JournalBearing(0.1, 0.1, 0.1))
    joint = Joint("turn", "revolute", axis=(0, 0, 1), friction=friction)
    robot = Robot("top", [joint], [Inertia(1, (0, 0, 0), (1, 1, 1, 0, 0, 0))], [], (0, 0, -10))
    found = px.forward_dynamics_with_friction(robot, [0.0], [1.0], [3.0])
    assert found.solved and found.qdd == pytest.approx(3.0)


def test_a_joint_that_moves_nothing_is_named():
    friction = Friction(JournalBearing(0.1, 0.1, 0.1))
    joint = Joint("idle", "revolute", friction=friction)
    robot = Robot("empty", [joint], [Inertia()])
    with pytest.raises(px.RobotError, match="'idle' moves nothing"):
        px.forward_dynamics_with_friction(robot, [0.0], [1.0], [1.0])


def test_print():
    robot = px.load("puma560")
    q = np.zeros((3, 6))
    motor = np.array([[1.0], [np.nan], [2.0]]) * np.ones(6)
    found = px.forward_dynamics_with_friction(robot, q, q, motor)
    assert repr(found) == "<ForwardDynamics: 2 of 3 solved>"
    assert "1 of 1 solved" in repr(px.forward_dynamics_with_friction(robot, q[0], q[0], motor[0]))


def test_wrong_arguments_are_named():
    robot = lossy_robot(0)
    with pytest.raises(px.ArgumentError, match=r"motor: expected shape \(\.\.\., "):
        px.forward_dynamics_with_friction(robot, [0.0] * robot.n, [0.0] * robot.n, [0.0] * 99)
    with pytest.raises(px.ArgumentError, match="robot: expected a Robot"):
        px.forward_dynamics_with_friction("puma560", 0, 0, 0)
    with pytest.raises(px.ArgumentError, match="out: not supported"):
        px.forward_dynamics_with_friction(robot, 0, 0, 0, out=np.zeros(robot.n))
    with pytest.raises(px.ArgumentError, match="do not broadcast"):
        n = robot.n
        px.forward_dynamics_with_friction(robot, np.zeros((2, n)), np.zeros((3, n)), np.zeros(n))


def test_a_torque_that_moves_one_joint_may_move_another():
    """Two joints at rest: what frees the first accelerates the second beyond what holds it."""
    friction = Friction(coulomb=1.0)
    arm = px.robots.planar(2)
    arm = replace(
        arm, gravity=(0, 0, 0), joints=[replace(j, friction=friction) for j in arm.joints]
    )
    still = px.forward_dynamics_with_friction(arm, [0.0, 0.5], [0, 0], [0.9, -0.9])
    assert still.solved and (still.qdd == 0).all()
    found = px.forward_dynamics_with_friction(arm, [0.0, 0.5], [0, 0], [50.0, 0.0])
    assert found.solved and (found.qdd != 0).all()
    motor = px.motor_torques(arm, [0.0, 0.5], [0, 0], found.qdd).input
    assert motor == pytest.approx([50.0, 0.0], abs=1e-9)


def test_random_directions_are_reproducible():
    """The same state alone and in a batch gives the same bits."""
    robot, rng = lossy_robot(2), random.Random(0)
    q, qd, qdd = motions(robot, 37, 2, at_rest=0.4)
    motor = px.motor_torques(robot, q, qd, qdd).input
    whole = px.forward_dynamics_with_friction(robot, q, qd, motor).qdd
    for k in rng.sample(range(37), 5):
        alone = px.forward_dynamics_with_friction(robot, q[k], qd[k], motor[k]).qdd
        assert (alone == whole[k]).all()


# -- joints of several degrees of freedom ----------------------------------------------------------


def test_a_ball_joint_and_what_follows_it_lead_back_to_the_motor_torques():
    friction = Friction(viscous=0.2, coulomb=0.3, static=0.4)
    worm = Transmission(ratio=30.0, efficiency=0.7)
    joints = [
        Joint("ball", "spherical", friction=friction, rotor_inertia=0.1),
        Joint("slide", "prismatic", 0, axis=(1, 0, 0), friction=friction, transmission=worm),
    ]
    body = Inertia.of(2.0, (0.1, 0.2, 0.0), (0.1, 0.2, 0.15))
    robot = Robot("ball", joints, [body, body])
    rng = np.random.default_rng(0)
    qd, qdd = rng.normal(size=(2, 5, robot.nv))
    q = px.integrate(robot, px.neutral(robot), rng.normal(size=(5, robot.nv)))
    motor = px.motor_torques(robot, q, qd, qdd)
    assert relative_error(motor.dynamic, px.inverse_dynamics(robot, q, qd, qdd)) <= 1e-12
    named = px.program(robot, "motor_torques", "modified_newton_euler")
    assert relative_error(named.evaluate(q=q, qd=qd, qdd=qdd)["input"], motor.input) <= 1e-12
    found = px.forward_dynamics_with_friction(robot, q, qd, motor.input)
    assert found.solved.all() and abs(found.qdd - qdd).max() <= 1e-10
    held = px.forward_dynamics_with_friction(robot.with_gravity((0, 0, 0)), q, 0 * qd, 0 * qd)
    assert held.solved.all() and (held.qdd == 0).all()


def test_what_has_no_friction_of_its_own_is_refused_by_name():
    follows = px.robots.Coupling("lead", (0.0, 2.0))
    joints = [Joint("lead", "revolute"), Joint("tail", "revolute", 0, coupling=follows)]
    body = Inertia.of(2.0, (0.1, 0.2, 0.0), (0.1, 0.2, 0.15))
    with pytest.raises(px.ArgumentError, match="'pair' has coupled or helical joints"):
        px.forward_dynamics_with_friction(Robot("pair", joints, [body, body]), [0], [0], [0])
    bearing = Friction(bearings=[JournalBearing(0.1, 0.01, 0.1)])
    with pytest.raises(px.RobotError, match="not for spherical ones; viscous"):
        Robot("ball", [Joint("ball", "spherical", friction=bearing)], [body])
