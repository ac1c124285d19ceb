"""Robots to simulate, and how to compare runs."""

from functools import cache

import numpy as np
from scipy.integrate import solve_ivp
from support.bits import same_bits
from support.robots import random_robot

import paraxis as px

FIXED = ("rk4", "semi_implicit_euler")
METHODS = (*FIXED, "adaptive")
START = (0.3, -1.0, 0.8, -0.4, 0.5, 0.1)
REST = (0.0,) * 6
GOAL = np.array([0.5, -0.7, 1.0, -0.2, 0.1, 0.4])


@cache
def ur5():
    return px.load("ur5")


@cache
def robot_of(name):
    """A built-in robot by its name, or the random one of a seed; seeds have trees and sliders."""
    return px.load(name) if isinstance(name, str) else random_robot(name, joints=(3, 8))


def reference(robot, q0, qd0, times, torques=None, **parameters):
    """scipy's eighth order at its tightest: the states at these times."""

    def slope(t, x):
        q, qd = x[: robot.n], x[robot.n :]
        tau = np.zeros(robot.n) if torques is None else torques(t, q, qd)
        return np.concatenate([qd, px.forward_dynamics(robot, q, qd, tau, **parameters)])

    x0 = np.concatenate([q0, qd0]).astype(float)
    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13, "t_eval": times}
    found = solve_ivp(slope, (0, times[-1]), x0, **options).y.T
    return found[:, : robot.n], found[:, robot.n :]


def final(run):
    """q and qd of the last record, side by side."""
    return np.concatenate([run.q[-1], run.qd[-1]], axis=-1)


def same_run(a, b):
    return all(same_bits(getattr(a, x), getattr(b, x)) for x in ("t", "q", "qd", "failed_at"))


TABLE = np.linspace(-1, 1, 60).reshape(10, 6)
LIMIT = np.array([9.0, 9, 9, 3, 3, 3])


def saturated(t, q, qd):
    return px.math.maximum(px.math.minimum(60 * (GOAL - q) - 8 * qd, LIMIT), -LIMIT)


def cartesian(t, q, qd):
    """A spring between the tool and a point, and nothing that turns it."""
    place = px.forward_kinematics(ur5(), q)[:3, 3]
    pull = 50 * (np.array([0.3, 0.2, 0.5]) - place)
    return px.jacobian(ur5(), q)[3:].T @ pull - 2 * qd


def switching(t, q, qd):
    return [px.math.select(t > 0.025, 1.0, -1.0) - rate for rate in qd]


TRACED = {
    "spring and damper": lambda t, q, qd: 60 * (GOAL - q) - 8 * qd,
    "lists": lambda t, q, qd: [a - 0.1 * b for a, b in zip(q, qd, strict=True)],
    "computed torque": lambda t, q, qd: px.inverse_dynamics(
        ur5(), q, qd, 100 * (GOAL - q) - 20 * qd
    ),
    "gravity": lambda t, q, qd: px.gravity_torques(ur5(), q) - qd,
    "sums": lambda t, q, qd: 2 * px.gravity_torques(ur5(), q) - px.bias_forces(ur5(), q, qd),
    "minus": lambda t, q, qd: -px.gravity_torques(ur5(), q),
    "input": lambda t, q, qd: -px.motor_torques(ur5(), q, qd, 0 * q).input - qd,
    "energy": lambda t, q, qd: -px.kinetic_energy(ur5(), q, qd) * qd,
    "cartesian": cartesian,
    "gains": lambda t, q, qd: (np.eye(6) + 0.1) @ (GOAL - q) - qd,
    "sine of time": lambda t, q, qd: GOAL * np.sin(9 * t) - qd,
    "time and arrays": lambda t, q, qd: t * GOAL - qd / (1 + t),
    "sines": lambda t, q, qd: np.sin(q) - np.cos(qd),
    "numbers": lambda t, q, qd: (1, 2.0, np.float32(3), np.int64(4), True, 0),
    "saturated": saturated,
    "entry by entry": lambda t, q, qd: (
        px.math.select(px.math.less(abs(q), 0.3), px.math.sin(q), -px.math.sign(q)) - qd
    ),
    "switching": switching,
    "clipped": lambda t, q, qd: np.clip(60 * (GOAL - q), -9, LIMIT) - np.maximum(qd, -1.0),
    "as NumPy compares": lambda t, q, qd: np.where(q < 9, -np.tanh(qd), q) * np.all(qd < 9),
}
