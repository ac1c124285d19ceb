"""Reactions, friction in bearings and transmissions, and the motor torques made of them."""

import json
import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator
from support.robots import (
    pinocchio_on_a_moving_base,
    random_axis,
    random_robot,
    random_transmission,
    relative_error,
    robots,
    skew,
    states,
    with_losses,
)

import paraxis as px
from paraxis import Robot
from paraxis.physics.friction.efficiency import efficiency
from paraxis.physics.friction.joint_friction import joint_friction
from paraxis.physics.friction.motor_torques import MotorTorques, motor_torques
from paraxis.physics.friction.transmission_friction import friction_in_motion, transmission_friction
from paraxis.physics.joint_reactions import joint_reactions
from paraxis.robots import (
    Friction,
    Inertia,
    Joint,
    JournalBearing,
    LinearBearing,
    Pose,
    ThrustBearing,
    Transmission,
)
from paraxis.robots.model import Model
from paraxis.robots.seat import align_z
from paraxis.spatial import Spatial, Vector

PRINTED = json.loads((Path(__file__).parents[1] / "data/dhanaraj_table_3_5.json").read_text())


def on_floats(recursion, robot, *motion, **parameters):
    """By the algorithm itself, of one state."""
    given = {name: np.asarray(value).tolist() for name, value in parameters.items()}
    return recursion(Model(robot, given), *(np.asarray(row).tolist() for row in motion))


def torques_of(robot, *motion, **parameters):
    return MotorTorques(*map(np.array, on_floats(motor_torques, robot, *motion, **parameters)))


@st.composite
def moving_robots(draw):
    """A robot with losses and one state of it, some joints at rest and some about to move."""
    rng = draw(st.randoms(use_true_random=False))
    robot = with_losses(random_robot(rng, joints=(1, 6)), rng)
    q = [rng.uniform(-3, 3) for _ in range(robot.n)]
    qd = [rng.choice((0.0, rng.uniform(-3, 3))) for _ in range(robot.n)]
    qdd = [rng.choice((0.0, rng.uniform(-5, 5))) for _ in range(robot.n)]
    return robot, q, qd, qdd


def direction(rate, acceleration):
    return np.sign(rate) if rate != 0 else np.sign(acceleration)


# -- reactions -------------------------------------------------------------------------------------


@given(robots(joints=(1, 7)), st.integers(0, 99))
@settings(max_examples=30)
def test_reactions_are_those_of_pinocchio(robot, seed):
    from support.pinocchio_functions import Reference

    motion = [rows[1] for rows in states(robot, 2, seed)]
    force = np.random.default_rng(seed).uniform(-9, 9, (robot.n, 6))
    for given_force in ({}, {"external_force": force}):
        ours = on_floats(joint_reactions, robot, *motion, **given_force)
        expected = Reference(robot).joint_reactions(*motion, **given_force)
        assert relative_error(np.ravel(ours), np.ravel(expected)) <= 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_reactions_on_a_base_that_spins_and_accelerates(seed):
    robot, rng = random_robot(seed, (2, 7)), np.random.default_rng(seed)
    motion, (velocity, acceleration) = (
        [rows[1] for rows in states(robot, 2)],
        rng.uniform(-3, 3, (2, 6)),
    )
    ours = on_floats(
        joint_reactions, robot, *motion, base_velocity=velocity, base_acceleration=acceleration
    )
    _, expected = pinocchio_on_a_moving_base(robot, motion, velocity, acceleration)
    assert relative_error(np.ravel(ours), np.ravel(expected)) <= 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_the_torque_is_a_part_of_the_reaction(seed):
    robot = random_robot(seed, (2, 7))
    q, qd, qdd = states(robot)
    reactions, tau = px.joint_reactions(robot, q, qd, qdd), np.empty_like(q)
    for i, joint in enumerate(robot.joints):
        moment, force = np.split(reactions[:, i], 2, axis=-1)
        tau[:, i] = (moment if joint.is_revolute else force) @ joint.axis
        tau[:, i] += joint.reflected_inertia * qdd[:, i]
    assert relative_error(tau, px.inverse_dynamics(robot, q, qd, qdd)) <= 1e-12


def test_reactions_do_not_feel_rotors():
    with pytest.raises(px.ArgumentError, match="joint_reactions does not depend on rotor_inertia"):
        px.joint_reactions(px.robots.planar(2), [0, 0], [0, 0], [0, 0], rotor_inertia=[1, 1])


# -- bearings --------------------------------------------------------------------------------------


def expected_resistance(bearing, joint, moment, force):
    """From the statics of two supports, in vectors."""
    axis = np.array(joint.axis)
    if isinstance(bearing, ThrustBearing):
        return bearing.coefficient * bearing.radius * abs(force @ axis)
    across = force - axis * (force @ axis)
    couple = np.cross(moment, axis) / bearing.length
    ends = across / 2 + couple, across / 2 - couple
    arm = bearing.length / 2 * axis  # what the ends carry is what the joint does
    carried = np.cross(arm, ends[0]) - np.cross(arm, ends[1])
    assert np.allclose(carried, moment - axis * (moment @ axis)) and np.allclose(sum(ends), across)
    if isinstance(bearing, JournalBearing):
        return bearing.coefficient * bearing.radius * sum(np.linalg.norm(end) for end in ends)
    x, y, _ = align_z(joint.axis).T
    return bearing.coefficient * sum(abs(end @ x) + abs(end @ y) for end in ends)


def expected_joint_friction(joint, reaction, rate, way):
    friction = joint.friction
    dry = sum(
        expected_resistance(each, joint, *np.split(reaction, 2)) for each in friction.bearings
    )
    swift = (rate / friction.stribeck_velocity) ** 2
    dry += friction.coulomb + (friction.static - friction.coulomb) / (1 + swift)
    return way * dry + friction.viscous * rate


def spatial(six):
    return Spatial(Vector(*six[:3]), Vector(*six[3:]))


def of_joint(friction, reaction, rate=1.0, axis=(0, 0, 1), kind="revolute"):
    joint = Joint("joint", kind, axis=axis, friction=friction)
    return joint_friction(joint, spatial(reaction), rate, float(np.sign(rate)))


def test_each_bearing_by_hand():
    force = [0.0, 0.0, 7.0, 30.0, 40.0, -20.0]  # along and across the axis, no couple
    assert of_joint(Friction(ThrustBearing(0.1, 0.5)), force) == pytest.approx(0.1 * 0.5 * 20)
    assert of_joint(Friction(JournalBearing(0.1, 0.5, 2.0)), force) == pytest.approx(0.1 * 0.5 * 50)
    sliding = of_joint(Friction(LinearBearing(0.1, 2.0)), force, kind="prismatic")
    assert sliding == pytest.approx(0.1 * 70)
    couple = [6.0, 8.0, 7.0, 0.0, 0.0, 0.0]  # 10 N m on supports 2 m apart: 5 N on each
    assert of_joint(Friction(JournalBearing(0.1, 0.5, 2.0)), couple) == pytest.approx(
        0.1 * 0.5 * 10
    )
    sliding = of_joint(Friction(LinearBearing(0.1, 2.0)), couple, kind="prismatic")
    assert sliding == pytest.approx(0.1 * 14)
    # a force across at one support: the other carries nothing
    one_end = [-40.0, 30.0, 0.0, 30.0, 40.0, 0.0]
    assert of_joint(Friction(JournalBearing(0.1, 0.5, 2.0)), one_end) == pytest.approx(
        0.1 * 0.5 * 50
    )


def test_bearings_add_up_and_move_with_the_joint():
    reaction = [1.0, -2.0, 3.0, 4.0, 5.0, -6.0]
    bearings = JournalBearing(0.1, 0.2, 0.3), ThrustBearing(0.4, 0.5), JournalBearing(0.2, 0.1, 0.7)
    apart = [of_joint(Friction(bearing), reaction) for bearing in bearings]
    assert min(apart) > 0
    assert of_joint(Friction(bearings), reaction) == pytest.approx(sum(apart))
    assert of_joint(Friction(bearings), reaction, -1.0) == pytest.approx(-sum(apart))
    assert of_joint(Friction(bearings), reaction, 0.0) == 0


def test_friction_that_no_load_changes():
    friction = Friction(viscous=2.0, coulomb=1.0, static=4.0, stribeck_velocity=0.5)
    nothing = [0.0] * 6
    assert of_joint(friction, nothing, 0.5) == pytest.approx(1 + 3 / 2 + 2 * 0.5)
    assert of_joint(friction, nothing, -1e6) == pytest.approx(-1 - 2e6)
    joint = Joint("joint", "revolute", friction=friction)
    assert joint_friction(joint, spatial(nothing), 0.0, 1.0) == 4.0  # about to move
    assert joint_friction(joint, spatial(nothing), 0.0, 0.0) == 0.0  # sticks


@given(st.randoms(use_true_random=False), st.floats(-3, 3))
def test_a_journal_is_the_same_from_all_sides(rng, angle):
    """The reaction turned about the axis gives the same friction, whatever the axis."""
    axis, reaction = random_axis(rng), np.array([rng.uniform(-9, 9) for _ in range(6)])
    k = skew(axis)
    turn = np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k
    turned = [*turn @ reaction[:3], *turn @ reaction[3:]]
    friction = Friction([JournalBearing(0.1, 0.2, 0.3), ThrustBearing(0.1, 0.2)])
    ours = of_joint(friction, reaction.tolist(), axis=axis)
    assert of_joint(friction, turned, axis=axis) == pytest.approx(ours, rel=1e-6)  # hairs off axes


@pytest.mark.parametrize("seed", range(3))
def test_turning_a_body_frame_about_its_axis_changes_nothing(seed):
    """Of a robot with journals, frame by frame, so that all its numbers are others."""
    bare = random_robot(seed, (3, 5), kinds=("revolute",))
    bearings = [JournalBearing(0.1, 0.05, 0.2), ThrustBearing(0.1, 0.05)]
    robot = replace(
        bare, joints=[replace(joint, friction=Friction(bearings)) for joint in bare.joints]
    )
    rng = random.Random(seed)
    turns = []
    for joint in robot.joints:
        angle, k = rng.uniform(-3, 3), skew(joint.axis)
        turns.append(
            Pose.of(np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k, [0] * 3)
        )
    joints = [
        replace(
            joint,
            placement=(turns[joint.parent].inverse() if joint.parent >= 0 else Pose())
            @ joint.placement
            @ turn,
        )
        for joint, turn in zip(robot.joints, turns, strict=True)
    ]
    bodies = [
        body.seen_from(turn.inverse()) for body, turn in zip(robot.inertias, turns, strict=True)
    ]
    turned = replace(robot, joints=joints, inertias=bodies, frames=(), warn=False)
    motion = [rows[1] for rows in states(robot, 2, seed)]
    ours, expected = torques_of(turned, *motion), torques_of(robot, *motion)
    assert abs(expected.joint_friction).min() > 0
    for mine, theirs in zip(ours, expected, strict=True):
        assert relative_error(mine, theirs) <= 1e-6


# -- the efficiency curve --------------------------------------------------------------------------


def random_table(rng):
    count = rng.randint(2, 6)
    loads = sorted(rng.uniform(0, 1.5) for _ in range(count))
    values = sorted(rng.choice((0.4, 0.7, 1.0, rng.uniform(0.05, 1))) for _ in range(count))
    return np.array(loads), np.array(values)  # some flat stretches


@pytest.mark.parametrize("kind", ["linear", "cubic"])
@pytest.mark.parametrize("seed", range(20))
def test_efficiencies_are_those_of_scipy(kind, seed):
    loads, values = random_table(random.Random(seed))
    drive = Transmission(
        efficiency=list(zip(loads, values, strict=True)), interpolation=kind, rated_torque=20.0
    )
    curve = PchipInterpolator(loads, values) if kind == "cubic" else None
    grid = np.concatenate((np.linspace(0, 2, 101), loads))
    ours = np.array([efficiency(drive, 20 * load) for load in grid])
    inside = np.clip(grid, loads[0], loads[-1])
    expected = curve(inside) if curve else np.interp(inside, loads, values)
    assert abs(ours - expected).max() <= 1e-12
    assert [efficiency(drive, -20 * load) for load in grid] == ours.tolist()
    assert np.diff(ours[:101]).min() >= -1e-14  # does not fall


def test_a_constant_efficiency():
    assert efficiency(Transmission(efficiency=0.7), 123.0) == 0.7


# -- transmissions: the four cases, and rest -------------------------------------------------------


def expected_input(drive, at_joint, way):
    """Table 3.2 of the thesis, on the side of the joint; at rest the least torque that holds."""
    share = efficiency(drive, at_joint)
    if way == 0:
        left = share * abs(at_joint) - drive.break_away
        return math.copysign(max(0.0, left), at_joint)
    if at_joint * way > 0:
        return at_joint / share + way * drive.break_away
    return at_joint * share + way * drive.break_away


@pytest.mark.parametrize("way", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("at_joint", [-20.0, -3.0, 0.0, 3.0, 20.0])
def test_all_cases(at_joint, way):
    drive = Transmission(50.0, [(0.0, 0.5), (1.0, 0.9)], break_away=4.0, rated_torque=40.0)
    friction = transmission_friction(drive, at_joint, way)
    assert at_joint + friction == pytest.approx(expected_input(drive, at_joint, way))
    if way:
        assert friction * way >= drive.break_away  # it never drives


def test_a_joint_that_sticks_is_held_with_the_least_torque():
    drive = Transmission(efficiency=0.5, break_away=4.0)

    def held(load):
        return load + transmission_friction(drive, load, 0.0)

    assert [held(load) for load in (0.0, 8.0, -8.0, 7.0)] == [0.0] * 4  # break-away is enough
    assert held(10.0) == 1.0 and held(-10.0) == -1.0
    for load in (10.0, -10.0):  # a hair less and it would run back, braked
        back = -math.copysign(1.0, load)
        assert held(load) == load + transmission_friction(drive, load, back)


@given(st.randoms(use_true_random=False), st.floats(-500, 500), st.sampled_from([-1.0, 0.0, 1.0]))
def test_transmissions(rng, at_joint, way):
    drive = random_transmission(rng)
    friction = transmission_friction(drive, at_joint, way)
    total = max(1.0, abs(at_joint + friction))
    assert abs(at_joint + friction - expected_input(drive, at_joint, way)) <= 1e-13 * total
    assert friction * way >= -1e-13 * total
    assert transmission_friction(drive, -at_joint, -way) == -friction  # mirrored
    if way == 0:  # it never pulls the other way, and needs no more than the load
        assert 0 <= (at_joint + friction) * at_joint <= at_joint * at_joint


def test_a_smooth_direction_goes_through_zero_without_a_jump():
    drive = Transmission(50.0, [(0.0, 0.5), (1.0, 0.9)], break_away=4.0, rated_torque=40.0)
    for load in (-20.0, 20.0):
        ways = np.linspace(-1, 1, 401)
        friction = np.array([friction_in_motion(drive, load, way) for way in ways])
        assert abs(np.diff(friction)).max() <= 0.1
        assert friction[[0, -1]] == pytest.approx(
            [transmission_friction(drive, load, s) for s in (-1, 1)]
        )


# -- motor torques ---------------------------------------------------------------------------------


@given(moving_robots())
@settings(max_examples=150)
@pytest.mark.long
def test_motor_torques_of_random_robots(moving):
    robot, q, qd, qdd = moving
    found = torques_of(robot, q, qd, qdd)
    reactions = np.array(on_floats(joint_reactions, robot, q, qd, qdd))
    assert (found.at_joint == found.dynamic + found.joint_friction).all()
    for i, joint in enumerate(robot.joints):
        drive, way = joint.transmission, direction(qd[i], qdd[i])
        dynamic, in_bearings, at_joint, in_gears, on_shaft = (column[i] for column in found)
        moment, force = np.split(reactions[i], 2)
        along = (moment if joint.is_revolute else force) @ joint.axis
        scale = max(1.0, abs(at_joint), abs(reactions).max())
        assert abs(along + joint.reflected_inertia * qdd[i] - dynamic) <= 1e-12 * scale
        expected = expected_joint_friction(joint, reactions[i], qd[i], way)
        assert abs(in_bearings - expected) <= 1e-9 * scale
        at_joint_side = drive.ratio * on_shaft
        assert abs(at_joint_side - (at_joint + in_gears)) <= 1e-12 * max(scale, abs(in_gears))
        assert abs(at_joint_side - expected_input(drive, at_joint, way)) <= 1e-12 * max(
            scale, abs(in_gears)
        )
        assert in_bearings * qd[i] >= 0 and in_gears * qd[i] >= -1e-12 * scale
        if way == 0:
            assert in_bearings == 0 and in_gears * at_joint <= 0


@given(moving_robots())
@settings(max_examples=30)
def test_the_ratio_only_scales_the_input(moving):
    """Either way round: on the side of the joint nothing changes."""
    robot, *motion = moving
    bare = [replace(joint.transmission, rotor_inertia=0.0) for joint in robot.joints]
    found = []
    for ratio in (1.0, -40.0):
        drives = [replace(drive, ratio=ratio) for drive in bare]
        joints = [
            replace(joint, transmission=drive)
            for joint, drive in zip(robot.joints, drives, strict=True)
        ]
        found.append(torques_of(replace(robot, joints=joints, warn=False), *motion))
    for ours, theirs in zip(found[0][:-1], found[1][:-1], strict=True):
        assert np.array_equal(ours, theirs)
    assert np.allclose(found[0].input, -40 * found[1].input, rtol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_a_mirrored_start_mirrors_the_torques(seed):
    """From rest without gravity, where torques are odd in the accelerations."""
    robot = with_losses(random_robot(seed, (2, 6)), seed).with_gravity((0, 0, 0))
    q, _, qdd = (rows[1] for rows in states(robot, 2, seed))
    there, back = (torques_of(robot, q, 0 * q, way * qdd) for way in (1, -1))
    for ours, theirs in zip(there, back, strict=True):
        assert relative_error(ours, -theirs) <= 1e-13
    assert abs(there.joint_friction).max() > 0 and abs(there.transmission_friction).max() > 0


def test_table_3_5():
    """The printed columns come from the dynamic torques, joint frictions and efficiencies.

    Three masses of 1 kg on sliders bear exactly these torques; the efficiencies are recovered from
    the table itself, so two of its columns are put in and three come out.
    """
    columns = {name: np.array(numbers) for name, numbers in PRINTED.items()}
    joints = [
        Joint(
            f"link {k + 1}",
            "prismatic",
            friction=Friction(coulomb=abs(columns["joint_friction"][k])),
            transmission=Transmission(
                efficiency=PRINTED["efficiency_recovered"],
                break_away=columns["break_away"][k],
                torque_limit=columns["torque_limit"][k],
            ),
        )
        for k in range(3)
    ]
    robot = Robot("sliders", joints, [Inertia(1.0)] * 3, gravity=(0, 0, 0))
    qd = np.sign(columns["joint_friction"])  # the way each link moves
    found = px.motor_torques(robot, np.zeros(3), qd, columns["dynamic"])
    for name in MotorTorques._fields:
        ours, printed = getattr(found, name), columns[name]
        assert abs(ours - printed).max() <= 0.02, name  # as the efficiencies have three digits
        assert abs(ours / printed - 1).max() <= 2e-3, name
    # link 3 brakes: its motor pushes along the motion although the joint needs a pull
    assert found.at_joint[2] < 0 < found.input[2]


# -- compiled --------------------------------------------------------------------------------------

LOSSY = with_losses(px.load("puma560"), 3)


def test_the_lossy_puma_has_what_the_tests_rely_on():
    bearings = {type(each) for joint in LOSSY.joints for each in joint.friction.bearings}
    assert bearings == {JournalBearing, ThrustBearing}
    drives = [joint.transmission for joint in LOSSY.joints]
    assert {drive.interpolation for drive in drives if isinstance(drive.efficiency, tuple)} == {
        "linear",
        "cubic",
    }
    assert min(drive.ratio for drive in drives) < 0 < max(drive.ratio for drive in drives)


def motions(count=40, seed=0):
    """States of the arm, many joints of which are at rest, about to move or not."""
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.uniform(-3, 3, (3, count, 6))
    qd[rng.random(qd.shape) < 0.4] = 0.0
    qdd[rng.random(qd.shape) < 0.4] = 0.0
    return q, qd, qdd


@pytest.mark.parametrize("seed", range(3))
def test_programs_are_the_algorithm(seed):
    robot = with_losses(random_robot(seed, (2, 5)), seed)
    for algorithm in (None, *px.algorithms("motor_torques")):
        program = px.program(robot, "motor_torques", algorithm)
        for q, qd, qdd in zip(*states(robot, 3, seed), strict=True):
            found = program.evaluate(q=q, qd=qd, qdd=qdd)
            for ours, expected in zip(found.values(), torques_of(robot, q, qd, qdd), strict=True):
                assert relative_error(ours, expected) <= 1e-9


def test_kernels_are_the_program():
    motion = motions()
    expected = px.program(LOSSY, "motor_torques").evaluate(
        **dict(zip(("q", "qd", "qdd"), motion, strict=True))
    )
    found = px.motor_torques(LOSSY, *motion)
    assert isinstance(found, MotorTorques) and list(expected) == list(MotorTorques._fields)
    for ours, theirs in zip(found, expected.values(), strict=True):
        assert ours.shape == (40, 6) and relative_error(ours, theirs) <= 1e-12
    out = tuple(np.empty((40, 6)) for _ in range(5))
    back = px.motor_torques(LOSSY, *motion, out=out)
    assert back.input is out[-1] and np.array_equal(out[-1], found.input)
    half = px.motor_torques(LOSSY, *(rows.astype(np.float32) for rows in motion))
    assert half.input.dtype == np.float32 and relative_error(half.input, found.input) <= 1e-3
    sticks = (motion[1] == 0) & (motion[2] == 0)
    assert sticks.any() and not found.joint_friction[sticks].any()


def test_nan_stays_in_its_state():
    q, qd, qdd = motions(16)
    clean = px.motor_torques(LOSSY, q, qd, qdd)
    for spoilt in (q, qd, qdd):
        good = spoilt[5].copy()
        spoilt[5, 2] = np.nan
        found = px.motor_torques(LOSSY, q, qd, qdd)
        assert np.isnan(found.input[5, 2]) and np.isnan(found.at_joint[5, 2])
        for ours, theirs in zip(found, clean, strict=True):
            assert np.array_equal(np.delete(ours, 5, 0), np.delete(theirs, 5, 0))
        spoilt[5] = good


def test_parameters_change_dynamics_and_losses():
    q, qd, qdd = (rows[0] for rows in motions(1))
    mass = 1.5 * px.parameter_values(LOSSY, "mass")
    force = np.random.default_rng(1).uniform(-9, 9, (6, 6))
    ours = px.motor_torques(LOSSY, q, qd, qdd, mass=mass, external_force=force)
    expected = torques_of(LOSSY, q, qd, qdd, mass=mass, external_force=force)
    for mine, theirs in zip(ours, expected, strict=True):
        assert relative_error(mine, theirs) <= 1e-11
    assert abs(ours.input - px.motor_torques(LOSSY, q, qd, qdd).input).max() > 1e-3


def test_motor_torques_inside_a_trace():
    def twice(q, qd, qdd):
        return [2 * torque for torque in px.motor_torques(LOSSY, q, qd, qdd).input]

    q, qd, qdd = motions(4)
    found = px.trace(twice, q=6, qd=6, qdd=6).evaluate(q=q, qd=qd, qdd=qdd)
    assert relative_error(found, 2 * px.motor_torques(LOSSY, q, qd, qdd).input) <= 1e-12


def test_what_is_not_lost_costs_nothing():
    """Without losses it is inverse dynamics; without bearings reactions are not computed."""
    robot = px.load("puma560")
    bare = px.program(robot, "inverse_dynamics").count()
    assert px.program(robot, "motor_torques").count() == bare
    greased = replace(
        robot,
        joints=[
            replace(joint, friction=Friction(viscous=2.0), transmission=Transmission(50.0))
            for joint in robot.joints
        ],
    )
    count = px.program(greased, "motor_torques").count()
    assert count.flops == bare.flops + 3 * 6  # q̇ times viscous, its sum, and the ratio
    reactions = px.program(robot, "joint_reactions").count()
    assert reactions.flops > bare.flops  # which is why
