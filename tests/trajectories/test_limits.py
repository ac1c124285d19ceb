"""Limits of rates, accelerations and torques: trajectories scaled to them, or the fastest."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import random_robot, robots
from support.trajectories import (
    AWAY,
    EFFORT,
    HOME,
    MADE,
    SPEED,
    UR5,
    positive,
    vectors,
    with_losses,
)

import paraxis as px
from paraxis.trajectories import path_grid, time_optimal
from paraxis.trajectories.limit_lines import LimitLines
from paraxis.trajectories.limits import Limits, drive_torques
from paraxis.trajectories.peaks import peaks


def ratios(robot, trajectory, velocity, acceleration, torque, count=20_001):
    """The largest rate, acceleration and drive torque over their limits, on many samples."""
    t = np.random.default_rng(5).uniform(0, trajectory.duration, count)
    q, qd, qdd = trajectory(t)
    tau = drive_torques(robot, q, qd, qdd)
    pairs = ((qd, velocity), (qdd, acceleration), (tau, torque))
    return np.stack([(abs(value) / limit).max(-1) for value, limit in pairs])


LIMITS = {
    "velocity": dict(max_velocity=1.0, max_torque=np.inf),
    "acceleration": dict(max_velocity=np.inf, max_acceleration=2.0, max_torque=np.inf),
    "torque": dict(max_velocity=np.inf, max_torque=EFFORT),
    "own": dict(),
    "all": dict(max_velocity=SPEED, max_acceleration=[8, 8, 9, 9, 9, 9], max_torque=0.8 * EFFORT),
}


def ratios_of_ur5(trajectory, limits):
    """To these limits, or where there are none to its own."""
    return ratios(
        UR5,
        trajectory,
        limits.get("max_velocity", SPEED),
        np.array(limits.get("max_acceleration", np.inf)),
        limits.get("max_torque", EFFORT),
    )


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("name", ["quintic", "trapezoidal", "via_points", "stops", "blends"])
def test_scaled_meets_the_limits(name, limits):
    limits = LIMITS[limits]
    scaled = MADE[name]().scaled(UR5, **limits)
    most = ratios_of_ur5(scaled, limits).max()
    assert 1 - 1e-4 < most <= 1 + 1e-9


def test_scaled_torques_count_losses():
    robot = with_losses()
    scaled = MADE["quintic"]().scaled(robot, max_velocity=np.inf)
    most = ratios(robot, scaled, np.inf, np.inf, EFFORT).max()
    assert 1 - 1e-4 < most <= 1 + 1e-9
    assert scaled.duration > MADE["quintic"]().scaled(UR5, max_velocity=np.inf).duration


@settings(max_examples=8)
@given(robots(joints=(1, 4)), st.integers(0, 100))
def test_scaled_meets_torque_limits_of_any_robot(robot, seed):
    q0, q1 = np.random.default_rng(seed).uniform(-2, 2, (2, robot.n))
    trajectory = px.trajectories.quintic(q0, q1, 1.0)
    weight = abs(px.gravity_torques(robot, trajectory.sample(samples=200).q)).max(0)
    limit = 1.3 * weight + 0.5
    scaled = trajectory.scaled(robot, max_torque=limit)
    most = ratios(robot, scaled, np.inf, np.inf, limit).max()
    assert 1 - 1e-4 < most <= 1 + 1e-9
    again = scaled.scaled(robot, max_torque=limit)
    assert again.duration == pytest.approx(scaled.duration, rel=1e-9)


def test_the_limit_of_a_transmission_goes_before_that_of_the_description():
    def limited(limit):
        gear = px.robots.Transmission(torque_limit=limit)
        return replace(
            UR5, joints=tuple(replace(j, transmission=gear) for j in UR5.joints), warn=False
        )

    trajectory = px.trajectories.quintic(HOME, AWAY, 1.0)
    weak, strong = (trajectory.scaled(limited(limit), max_velocity=np.inf) for limit in (60, 100))
    assert ratios(limited(60), weak, np.inf, np.inf, 60).max() == pytest.approx(1, abs=1e-4)
    assert weak.duration > strong.duration


@pytest.mark.parametrize("limits", ["acceleration", "torque", "all"])
@pytest.mark.parametrize("name", ["quintic", "via_points", "stops", "blends"])
def test_fastest_is_at_a_limit_nearly_everywhere(name, limits):
    limits, slow = LIMITS[limits], MADE[name]()
    fastest = slow.fastest(UR5, **limits)
    found = ratios_of_ur5(fastest, limits).max(0)
    assert found.max() <= 1 + 1e-9
    assert (found > 0.97).mean() > 0.97
    assert fastest.duration < slow.scaled(UR5, **limits).duration
    for end in (0.0, 1.0):
        q, qd, _ = fastest(end * fastest.duration)
        assert np.allclose(q, slow(end * slow.duration)[0]) and abs(qd).max() < 1e-6


@given(vectors(3), vectors(3), st.tuples(*[positive] * 3), st.tuples(*[positive] * 3))
@settings(max_examples=8)
def test_fastest_along_a_line_is_the_trapezoid(q0, q1, velocity, acceleration):
    if abs(q1 - q0).max() < 1e-2:
        return
    trapezoid = px.trajectories.trapezoidal(q0, q1, velocity, acceleration)
    fastest = px.trajectories.quintic(q0, q1, 1.0).fastest(
        px.robots.planar(3), max_velocity=velocity, max_acceleration=acceleration, max_torque=np.inf
    )
    assert fastest.duration == pytest.approx(
        trapezoid.duration, rel=3e-3
    )  # one interval of the grid at each end


@pytest.mark.parametrize(
    "name", ["quintic", pytest.param("quintic_moving", marks=pytest.mark.long), "line"]
)
def test_the_sweeps_solve_the_linear_program(name, monkeypatch):
    """x that is largest everywhere at once is also the one of largest sum.

    On a grid that is so but near places where the limit that is met does not depend on u: there
    the largest step may lead to where the next must be smaller.
    """
    from scipy.optimize import linprog

    monkeypatch.setattr(path_grid, "INTERVALS", 60)
    grid = path_grid.Grid(MADE[name]().legs[0].path)
    limits = Limits.of(UR5, 6, None, 20.0, None)
    lines = LimitLines(UR5, grid, limits)
    x, u = time_optimal.sweeps(grid, lines)
    count, rows, right = len(grid.step), [], []
    for i in range(count):
        for a, b, c in zip(lines.A[i], lines.B[i], lines.C[i], strict=True):
            row = np.zeros(count + 1)
            row[i], row[i + 1] = b - a / (2 * grid.step[i]), a / (2 * grid.step[i])
            rows.append(row)
            right.append(c)
    bounds = [(0, most) for most in lines.most]
    bounds[0] = bounds[-1] = (0, 0)
    best = linprog(-np.ones(count + 1), rows, right, bounds=bounds)
    assert best.status == 0
    assert abs(x - best.x).max() < 5e-3 * x.max()
    assert np.median(abs(x - best.x)) < 1e-9 * x.max()
    assert np.allclose(np.diff(x), 2 * grid.step * u)


def test_fastest_with_losses():
    robot, path = with_losses(), MADE["quintic"]()
    fastest = path.fastest(robot, max_velocity=np.inf)
    found = ratios(robot, fastest, np.inf, np.inf, EFFORT).max(0)
    assert found.max() <= 1 + 1e-9
    assert (found > 0.98).mean() > 0.95
    assert fastest.duration < path.scaled(robot, max_velocity=np.inf).duration


def quickest(robot, q0, q1, limit):
    """The least time of a robot with one joint, in the phase plane.

    Full thrust from the start and full braking into the end, the latter backward in time; where
    the two curves of speed over place meet, one ends and the other begins. None where it gets
    stuck.
    """
    (joint,) = robot.joints
    friction, gear, way = joint.friction, joint.transmission, math.copysign(1.0, q1 - q0)
    inertia, places = px.mass_matrix(robot, [0.0])[0, 0], np.linspace(0, abs(q1 - q0), 2001)
    weights = px.gravity_torques(robot, (q0 + way * places)[:, None])[:, 0]

    def acceleration(side, place, speed):  # all along the motion
        left = side * limit - gear.break_away
        at_joint = left * (gear.efficiency if left > 0 else 1 / gear.efficiency)
        stuck = (friction.static - friction.coulomb) / (
            1 + (speed / friction.stribeck_velocity) ** 2
        )
        lost = friction.coulomb + stuck + friction.viscous * speed
        return (at_joint - lost - way * np.interp(place, places, weights)) / inertia

    def curve(side, place):
        speed, t, dt, rows = 0.0, 0.0, 1e-5, []
        while 0 <= place <= places[-1]:
            rows.append((place, speed, t))
            half = speed + dt / 2 * side * acceleration(side, place, speed)
            middle = place + dt / 2 * side * speed
            speed += dt * side * acceleration(side, middle, half)
            if speed <= 0:
                return None
            place, t, dt = place + dt * side * half, t + dt, min(1.02 * dt, 2e-4)
        return np.array(rows)[::side].T

    thrust, braking = curve(1, 0.0), curve(-1, places[-1])
    if thrust is None or braking is None:
        return None
    speeds = [np.interp(places, place, speed) for place, speed, _ in (thrust, braking)]
    switch = places[np.argmax(speeds[0] >= speeds[1])]
    return sum(np.interp(switch, place, t) for place, _, t in (thrust, braking))


def geared(friction, efficiency, break_away, ratio=10.0):
    gear = px.robots.Transmission(ratio=ratio, efficiency=efficiency, break_away=break_away)
    return {"friction": friction, "transmission": gear}


@pytest.mark.parametrize(
    "limit, q0, q1",
    [(limit, *ends) for limit in (4, 5.5, 9) for ends in ((1.4, 0.5), (1.0, 0.0))]
    + [(4, 0.0, 1.0), pytest.param(5.5, 0.0, 1.0, marks=pytest.mark.long), (9, 0.0, 1.0)],
)
def test_fastest_with_one_lossy_joint_is_the_optimum(q0, q1, limit):
    arm = px.robots.planar(1).with_drives(
        {"joint1": geared(px.robots.Friction(coulomb=0.3), 0.8, 0.2)}
    )
    path, best = px.trajectories.quintic([q0], [q1], 1.0), quickest(arm, q0, q1, limit)
    if best is None:
        with pytest.raises(px.ArgumentError, match="even the slowest motion needs"):
            path.fastest(arm, max_torque=limit)
        return
    fastest = path.fastest(arm, max_torque=limit)
    assert fastest.duration == pytest.approx(best, rel=5e-3)
    assert ratios(arm, fastest, np.inf, np.inf, limit).max() <= 1 + 1e-9
    assert fastest.duration < path.scaled(arm, max_torque=limit).duration


@pytest.mark.long
@settings(max_examples=4)
@given(st.integers(0, 10**6), st.booleans())
def test_fastest_with_any_lossy_joint_is_the_optimum(seed, sticks):
    rng = np.random.default_rng(seed)
    coulomb, viscous = rng.uniform(0, 1, 2)
    friction = px.robots.Friction(coulomb=coulomb, viscous=viscous, static=coulomb + 0.5 * sticks)
    drive = geared(friction, rng.uniform(0.5, 1), rng.uniform(0, 0.4), rng.choice([-10, 50]))
    arm, (q0, q1) = px.robots.planar(1).with_drives({"joint1": drive}), rng.uniform(-3, 3, 2)
    if abs(q1 - q0) < 0.05:
        return
    fastest = px.trajectories.quintic([q0], [q1], 1.0).fastest(arm, max_torque=14.0)
    assert fastest.duration == pytest.approx(quickest(arm, q0, q1, 14.0), rel=1e-2)
    assert ratios(arm, fastest, np.inf, np.inf, 14.0).max() <= 1 + 1e-9


@settings(max_examples=2)
@given(st.integers(0, 10**6))
def test_fastest_with_two_lossy_joints(seed):
    rng = np.random.default_rng(seed)
    drives = {
        name: geared(px.robots.Friction(coulomb=rng.uniform(0, 1)), rng.uniform(0.6, 1), 0.2)
        for name in ("joint1", "joint2")
    }
    arm, (q0, q1) = px.robots.planar(2).with_drives(drives), rng.uniform(-2, 2, (2, 2))
    path = px.trajectories.quintic(q0, q1, 1.0)
    limit = 2 * abs(px.gravity_torques(arm, path.sample(samples=200).q)).max(0) + 4
    fastest = path.fastest(arm, max_torque=limit)
    found = ratios(arm, fastest, np.inf, np.inf, limit).max(0)
    assert found.max() <= 1 + 1e-9
    assert (found > 0.97).mean() > 0.97
    assert fastest.duration < path.scaled(arm, max_torque=limit).duration


def test_fastest_with_bearings_through_points():
    """A path that begins and ends at rest by itself, as all splines do."""
    drive = {"friction": px.robots.Friction([px.robots.JournalBearing(0.1, 0.04, 0.2)])}
    robot = UR5.with_drives(dict.fromkeys(UR5.joint_names, drive))
    home = np.array([0.3, -1.2, 1.5, -1.8, -1.5, 0.0])
    goal = home + np.random.default_rng(1).uniform(-1.5, 1.5, 6)
    path = px.trajectories.via_points([home, (home + goal) / 2 + 0.2, goal], [0, 0.5, 1])
    fastest = path.fastest(robot, max_acceleration=40.0)
    found = ratios(robot, fastest, SPEED, 40.0, EFFORT).max(0)
    assert found.max() <= 1 + 1e-9
    assert found.mean() > 0.99
    assert fastest.duration < 0.7 * path.scaled(robot, max_acceleration=40.0).duration


def with_random_losses(seed, bearings):
    rng, plain = random.Random(seed), random_robot(seed, joints=(1, 5))
    joints = []
    for joint in plain.joints:
        held = (
            [px.robots.JournalBearing(0.1, 0.04, 0.2)]
            if bearings and joint.kind != "prismatic"
            else []
        )
        viscous, coulomb = rng.uniform(0, 2), rng.uniform(0, 1)
        friction = px.robots.Friction(held, viscous=viscous, coulomb=coulomb, static=1.5)
        gear = px.robots.Transmission(
            ratio=rng.choice((-50, 1, 100)), efficiency=rng.uniform(0.5, 1), break_away=0.5
        )
        joints.append(replace(joint, friction=friction, transmission=gear))
    return replace(plain, joints=tuple(joints), warn=False)


# where joints turn back without inertia to speak of, where bearings feel u more than the joint does
@pytest.mark.parametrize(
    "seed, bearings",
    [
        *((2, False), (10, True)),
        *(pytest.param(seed, False, marks=pytest.mark.long) for seed in (9, 16)),
        *(pytest.param(seed, True, marks=pytest.mark.long) for seed in (1, 6)),
    ],
)
def test_fastest_where_joints_turn_back_against_static_friction(seed, bearings):
    """Losses that jump within the path cost time there, and nowhere else."""
    robot = with_random_losses(seed, bearings)
    path = px.trajectories.via_points(
        np.random.default_rng(seed).uniform(-2, 2, (3, robot.n)), [0, 1, 2.5]
    )
    limit = 2.5 * abs(px.gravity_torques(robot, path.sample(samples=500).q)).max(0) + 8
    fastest = path.fastest(robot, max_velocity=3, max_torque=limit)
    found = ratios(robot, fastest, 3, np.inf, limit).max(0)
    assert found.max() <= 1 + 1e-9
    assert (found > 0.95).mean() > 0.98


@pytest.mark.parametrize(
    "points",
    [
        [[-0.88, -0.16], [-1.51, 0.09], [-0.36, -1.71], [-1.6, 1.95]],
        pytest.param(
            [[1.22, 1.23], [0.06, -0.86], [-1.78, -0.47], [-0.37, -1.82]], marks=pytest.mark.long
        ),
    ],
)
def test_at_the_instant_a_joint_turns_back_torques_are_those_of_one_side(points):
    """There u jumps as friction does; u of one side and friction of the other are no motion."""
    drive = geared(px.robots.Friction(coulomb=0.5), 0.5, 0.5, 50.0)
    robot, limit = px.robots.planar(2).with_drives({"joint1": drive, "joint2": drive}), [80.0, 30.0]
    fastest = px.trajectories.via_points(points, [0, 1, 2, 3]).fastest(robot, max_torque=limit)
    knots = fastest.knots[1:-1]
    for t in (knots, np.nextafter(knots, 0), np.nextafter(knots, 9), knots - 1e-9, knots + 1e-9):
        assert (abs(drive_torques(robot, *fastest(t))) / limit).max() <= 1 + 1e-9
    turned = np.diff(np.sign(fastest(knots)[1]), axis=0)
    assert np.count_nonzero(turned) >= 2  # joints do turn back


def test_pieces_end_where_anything_jumps_and_see_their_own_side():
    path = px.trajectories.via_points(
        [[0.0, 1.0], [1.0, 0.2], [0.3, 0.9], [1.2, -0.4]], [0, 1, 2, 3]
    )
    pieces = path.smooth_pieces
    which = np.arange(len(pieces))
    rates = pieces.motion(which, np.tile(np.linspace(0, 1, 21), (len(pieces), 1))).qd
    assert (abs(np.sign(rates).sum(1)) == 21).all()  # no joint turns back inside, nor at the ends
    t = np.linspace(0, 3, 30_001)
    turns = np.count_nonzero(np.diff(np.sign(path(t)[1][1:-1]), axis=0))
    assert turns == np.count_nonzero(np.diff(pieces.direction, axis=0)) >= 3
    (turning,) = (found for found, _ in [path.legs[0].path.turns()])
    assert len(turning) == turns
    assert abs(path(turning)[1]).min(-1).max() < 1e-14


@pytest.mark.parametrize("place", [0.06, 0.44, 0.94])
def test_peaks_between_samples_are_found(place, monkeypatch):
    """Also at the end of a piece, where both samples around it are below the top of another."""
    monkeypatch.setattr("paraxis.trajectories.peaks.DENSE", 9)
    evenly = px.trajectories.quintic([0.0], [1.0], 1.0, qd0=1.0, qd1=1.0)  # q is t

    def values(motion):
        higher, lower = ((motion.q - each) * 8 for each in (place, 0.75 if place < 0.9 else 0.25))
        return np.maximum(1 - 0.5 * higher**2, 0.95 - 0.5 * lower**2)

    found = peaks(values, evenly)
    assert found.value[0] == pytest.approx(1.0, abs=1e-9)
    assert found.t[0] == pytest.approx(place, abs=1e-5)


def test_a_motor_that_turns_the_other_way_is_the_same_drive():
    """So that what it brings above and below its limit is not mixed up."""
    q, qd, qdd = px.trajectories.quintic([1.4, 0.2], [0.5, -1.0], 1.0).sample(samples=21)[1:]

    def drive(ratio):
        return geared(px.robots.Friction(coulomb=0.3), 0.8, 0.2, ratio)

    backward, forward = (
        px.robots.planar(2).with_drives(dict.fromkeys(("joint1", "joint2"), drive(ratio)))
        for ratio in (-10.0, 10.0)
    )
    assert np.allclose(drive_torques(backward, q, qd, qdd), drive_torques(forward, q, qd, qdd))
