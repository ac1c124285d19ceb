"""What sensors would read: in free fall nothing, at rest what holds the robot up."""

import numpy as np
import pytest

import paraxis as px


def test_at_rest_and_in_free_fall():
    robot = px.load("ur5", floating_base=True)
    q, still = px.neutral(robot), np.zeros(robot.nv)
    frame = robot.frames[0].name
    rest = px.simulation.imu(robot, q, still, still, frame)
    up = px.forward_kinematics(robot, q, frame)[:3, :3].T @ np.array([0, 0, 9.81])
    np.testing.assert_allclose(rest.force, up, atol=1e-12)
    falling = px.forward_dynamics(robot, q, still, still)
    np.testing.assert_allclose(
        px.simulation.imu(robot, q, still, falling, frame).force, 0.0, atol=1e-9
    )


def test_against_differences_of_velocities():
    robot = px.load("ur5")
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, 5, 6))
    found = px.simulation.imu(robot, q, qd, qdd, "tool0")
    h = 1e-6

    def velocity(t):
        at, rate = q + t * qd + t * t / 2 * qdd, qd + t * qdd
        return np.einsum("...ij,...j->...i", px.jacobian(robot, at, "tool0"), rate)

    R = px.forward_kinematics(robot, q, "tool0")[..., :3, :3]
    change = (velocity(h) - velocity(-h)) / (2 * h)
    force = np.einsum("...ji,...j->...i", R, change[..., 3:] - np.array(robot.gravity))
    np.testing.assert_allclose(found.force, force, atol=1e-7)
    rate = np.einsum("...ji,...j->...i", R, velocity(0.0)[..., :3])
    np.testing.assert_allclose(found.rate, rate, atol=1e-12)


def test_it_can_be_traced():
    robot = px.robots.planar(2)
    frame = robot.frames[-1].name

    def felt(q, qd, qdd):
        return px.simulation.imu(robot, q, qd, qdd, frame).force

    program = px.trace(felt, q=2, qd=2, qdd=2)
    given = {"q": [0.1, 0.2], "qd": [0.3, -0.4], "qdd": [0.5, 0.6]}
    found = program.evaluate(**given)
    np.testing.assert_allclose(found, px.simulation.imu(robot, *given.values(), frame).force)


def test_forces_of_the_ground_carry_the_weight():
    robot = px.load("go2", floating_base=True)
    points = [
        px.simulation.ContactPoint(f"{x}_foot", radius=0.022) for x in ("FL", "FR", "RL", "RR")
    ]
    ground = px.simulation.Ground(points)
    stand = np.array([0, 0.8, -1.5] * 4)
    q = np.concatenate([[0, 0, 0.31, 0, 0, 0, 1], stand])

    def hold(t, q, qd):
        return np.concatenate([np.zeros(6), 60 * (stand - q[7:]) - 2 * qd[6:]])

    dt, steps = 2e-3, 1500
    options = {"controller": hold, "dt": dt, "steps": steps, "ground": ground, "limits": False}
    run = px.simulate(robot, q, np.zeros(robot.nv), every=steps // 2, **options)
    found = px.simulation.contact_forces(robot, ground, run.q, run.impulses, dt)
    assert found.force.shape == found.point.shape == (3, 4, 3)
    total = sum(body.mass for body in robot.inertias) * 9.81
    np.testing.assert_allclose(found.force[-1].sum(0), [0, 0, total], atol=2e-3 * total)
    assert abs(found.gap[-1]).max() < 1e-3 and abs(found.point[-1, :, 2]).max() < 1e-3
    for other, step, words in ((None, dt, "ground: expected"), (ground, 0.0, "dt: expected")):
        with pytest.raises(px.ArgumentError, match=words):
            px.simulation.contact_forces(robot, other, run.q, run.impulses, step)
