"""Limits of random trajectories of random robots, looked for where they may be passed.

The judge shares no code with the library's own check: it finds where joints turn back by bisection
on the rates of many samples, and looks at both sides of these places and of all knots, at the
instants themselves, and between.
"""

from dataclasses import replace

import numpy as np
from support.counting import case, report, scaled
from support.robots import random_robot

import paraxis as px
from paraxis.trajectories.limits import drive_torques
from paraxis.trajectories.polyline import rotation

RUNS = 450  # of each kind
KEPT = 1 + 1e-8
CLOSE = (1e-12, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3)  # seconds from where something jumps
UR5 = px.load("ur5")


def with_losses(rng):
    """A random robot with drives of random friction and efficiency."""
    plain, joints = random_robot(rng, joints=(1, 4)), []
    bearings = rng.random() < 0.3
    for joint in plain.joints:
        held = [px.robots.JournalBearing(0.1, 0.04, 0.2)] if bearings and joint.is_revolute else []
        coulomb = rng.uniform(0, 1)
        friction = px.robots.Friction(
            held,
            viscous=rng.uniform(0, 2),
            coulomb=coulomb,
            static=coulomb + rng.choice((0.0, 0.5)),
            stribeck_velocity=10 ** rng.uniform(-4, -1),
        )
        gear = px.robots.Transmission(
            ratio=rng.choice((-50, 1, 100)),
            efficiency=rng.uniform(0.5, 1),
            break_away=rng.choice((0.0, 0.5)),
        )
        joints.append(replace(joint, friction=friction, transmission=gear))
    return replace(plain, joints=tuple(joints), warn=False)


def random_path(rng, robot):
    """Through points at random times, and limits that a slow motion keeps."""
    numbers, count = np.random.default_rng(rng.getrandbits(32)), rng.randint(3, 6)
    times = np.append(0.0, np.cumsum(numbers.uniform(0.1, 1.5, count - 1)))
    path = px.trajectories.via_points(numbers.uniform(-2, 2, (count, robot.n)), times)
    weight = abs(px.gravity_torques(robot, path.sample(samples=300).q)).max(0)
    limits = {
        "max_velocity": rng.choice((3.0, np.inf)),
        "max_acceleration": rng.choice((30.0, np.inf)),
        "max_torque": rng.uniform(1.5, 3) * weight + rng.uniform(4, 10),
    }
    return path, limits


def times_to_look_at(trajectory):
    """Where it may be at its worst: near knots and turns, and everywhere else."""
    found = []
    for leg, start in zip(trajectory.legs, trajectory.starts, strict=False):
        knots, end = leg.profile.knots, leg.profile.length
        dense = np.linspace(knots[:-1], knots[1:], 9).ravel()
        dense = np.unique(np.append(dense, np.linspace(0, end, 4001)))
        # where pieces of the path begin, which may be much shorter than these
        begun = np.interp(leg.path.knots, leg.profile(dense)[0][:, 0], dense)
        inside = np.linspace(begun[:-1], begun[1:], 13).ravel()
        rates = leg(dense)[1]
        k, joint = np.nonzero(rates[:-1] * rates[1:] < 0)
        low, high, way = dense[k], dense[k + 1], rates[k, joint]
        for _ in range(60):
            middle = (low + high) / 2
            onward = leg(middle)[1][np.arange(len(joint)), joint] * way > 0
            low, high = np.where(onward, middle, low), np.where(onward, high, middle)
        jumps = np.concatenate([knots, low, high])
        near = [jumps + side * close for close in CLOSE for side in (-1, 1)]
        t = np.concatenate([dense, inside, jumps, *near])
        found.append(start + t[(t > 0) & (t < end)])
    return np.unique(np.concatenate(found))


def check_joints(robot, trajectory, max_velocity, max_acceleration, max_torque):
    q, qd, qdd = trajectory(times_to_look_at(trajectory))
    assert abs(qd / max_velocity).max() <= KEPT
    assert abs(qdd / max_acceleration).max() <= KEPT
    assert abs(drive_torques(robot, q, qd, qdd) / max_torque).max() <= KEPT


def holds_itself(robot, path, max_torque):
    """Whether drives that lose most of their torque can move the robot at all, however slowly."""
    q, qd, qdd = path(times_to_look_at(path))
    return (abs(drive_torques(robot, q, 1e-9 * qd, 1e-18 * qdd)) <= max_torque).all()


def test_joints_with_losses(record_property):
    kept = 0
    for k in range(scaled(RUNS)):
        with case("trajectory_limits", "joints", k) as rng:
            robot = with_losses(rng)
            path, limits = random_path(rng, robot)
            try:
                fastest, evenly = path.fastest(robot, **limits), path.scaled(robot, **limits)
            except px.ArgumentError as refused:
                assert "even the slowest motion needs" in str(refused)
                assert not holds_itself(robot, path, limits["max_torque"])
                continue
            check_joints(robot, fastest, **limits)
            check_joints(robot, evenly, **limits)
            assert fastest.duration <= evenly.duration * KEPT
            kept += 2
    report(record_property, kept, "trajectories of robots with losses within limits")


def random_targets(rng, q0):
    """Poses from that of q0 on, and a blend that fits, at times to the last digit."""
    numbers = np.random.default_rng(rng.getrandbits(32))
    poses = [px.forward_kinematics(UR5, q0)]
    for _ in range(rng.randint(1, 3)):
        pose = poses[-1].copy()
        pose[:3, 3] += numbers.uniform(-0.2, 0.2, 3)
        pose[:3, :3] = pose[:3, :3] @ rotation(numbers.uniform(-0.4, 0.4, 3))
        poses.append(pose)
    half = np.linalg.norm(np.diff(poses, axis=0)[:, :3, 3], axis=-1).min() / 2
    short = rng.choice((1.0, 1e-3, 1e-6, 1e-9, 1e-13, 0.0))
    return poses[1:], rng.choice((0.0, half * (1 - short * rng.random())))


def test_frames(record_property):
    """Where the wrist is nearly singular half of the time, and the line is often refused."""
    kept = 0
    for k in range(scaled(RUNS)):
        with case("trajectory_limits", "frames", k) as rng:
            q0 = np.array([rng.uniform(-2.5, 2.5) for _ in range(6)])
            if rng.random() < 0.5:
                q0[4] = rng.choice((-1, 1)) * 10 ** rng.uniform(-6, -1)
            targets, blend = random_targets(rng, q0)
            velocity, acceleration = rng.uniform(0.1, 1), rng.uniform(0.5, 5)
            limits = {"max_velocity": velocity, "max_acceleration": acceleration}
            try:
                trajectory = px.trajectories.cartesian_via_points(
                    UR5, q0, targets, blend=blend, **limits
                )
            except px.ArgumentError as refused:
                assert "of its length" in str(refused) or "leaves its range" in str(refused)
                continue
            kept += 1
            q, qd, qdd = trajectory(times_to_look_at(trajectory))
            J = px.jacobian(UR5, q)[:, 3:]
            bias = px.bias_acceleration(UR5, q, qd)[:, 3:]
            speed, rise = (J @ qd[..., None])[..., 0], (J @ qdd[..., None])[..., 0] + bias
            assert np.linalg.norm(speed, axis=-1).max() <= velocity * KEPT
            assert np.linalg.norm(rise, axis=-1).max() <= acceleration * KEPT
    report(record_property, kept, "lines of a UR5's tool within limits")
