"""Systems with a task for each: what optimal control is tested on."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
from support.joints import robot_of

import paraxis as px
from paraxis.robots import Inertia, Joint

METHODS = ("ilqr", "ddp", "sqp")
FIRST = ("ilqr", "sqp")  # second derivatives of large robots take a minute to compile


@dataclass(frozen=True)
class Task:
    """`options` of px.optimal_control but the method; states to begin in, (B, nx); a first guess of
    the controls and parameters, of all; `missed(found)`, how far from the goal each ends."""

    system: object
    options: dict
    x0: np.ndarray
    us: np.ndarray | None
    missed: object
    near: float
    parameters: dict = field(default_factory=dict)
    iterations: int = 500
    methods: tuple = METHODS

    def solver(self, method, **more):
        return px.optimal_control(self.system, method=method, **self.options | more)

    def solve(self, solver, **more):
        options = {"iterations": self.iterations} | self.parameters | more
        return solver.solve(self.x0, self.us, **options)


def pendulum():
    """A torque limit too low to lift it at once."""

    def step(x, u):
        rate = x[1] + 0.05 * (u[0] - 9.81 * px.math.sin(x[0]))
        return [x[0] + 0.05 * rate, rate]

    up = np.array([np.pi, 0.0])
    options = {
        "cost": lambda u: 0.01 * (u @ u),
        "terminal": lambda x: 100 * ((x - up) @ (x - up)),
        "horizon": 100,
        "limits": (-3.0, 3.0),
    }
    us = 0.1 * np.random.default_rng(1).normal(size=(100, 1))
    x0 = np.array([[0.0, 0.0], [0.3, 0.0]])
    system = px.trace(step, x=2, u=1)
    return Task(system, options, x0, us, lambda f: abs(f.xs[:, -1] - up).max(-1), 0.05)


def acrobot():
    """Two rods that hang, with a motor at the elbow only; fourth-order Runge-Kutta."""
    robot = px.robots.planar(2)
    up = np.array([-np.pi / 2, 0.0])  # the axes are -y: rods along x turn up

    def terminal(q, qd):
        return 500 * ((q - up) @ (q - up)) + 50 * (qd @ qd)

    options = {
        "cost": lambda qd, u: 0.1 * (u @ u) + 0.05 * (qd @ qd),
        "terminal": terminal,
        "horizon": 80,
        "dt": 0.025,
        "integrator": "rk4",
        "controls": ["joint2"],
        "limits": (-40.0, 40.0),
    }
    x0 = np.array([[np.pi / 2, 0, 0, 0], [np.pi / 2 + 0.05, 0, 0, 0]])
    us = np.full((80, 1), 0.5)
    return Task(robot, options, x0, us, lambda f: abs(f.q[:, -1] - up).max(-1), 0.35)


def cart_pole():
    """A cart that swings up a pole, with limits of its force."""
    cart = Joint("cart", "prismatic", axis=(1, 0, 0))
    pole = Joint("pole", "continuous", 0, axis=(0, 1, 0))
    bodies = [
        Inertia.of(1.0, (0, 0, 0), (0.01, 0.01, 0.01)),
        Inertia.of(0.2, (0, 0, -0.5), (0.02, 0.02, 1e-4)),
    ]
    robot = px.Robot("cart_pole", [cart, pole], bodies)
    up = np.array([0.0, np.pi])
    options = {
        "cost": lambda q, qd, u: 0.02 * (u @ u) + 0.1 * (q[0] * q[0]) + 0.01 * (qd @ qd),
        "terminal": lambda q, qd: 100 * ((q - up) @ (q - up)) + 10 * (qd @ qd),
        "horizon": 50,
        "dt": 0.04,
        "controls": ["cart"],
        "limits": (-13.0, 13.0),
    }
    x0 = np.array([[0.0, 0, 0, 0], [0.2, 0, 0, 0]])
    us = np.full((50, 1), 0.5)
    return Task(robot, options, x0, us, lambda f: abs(f.q[:, -1] - up).max(-1), 0.15)


def _reaching(robot, horizon, dt, **more):
    """A cost of residuals, so that its Hessian is that of Gauss and Newton, which is exact here."""
    n = robot.nv

    def cost(q, qd, u, goal):
        return np.concatenate([q - goal, 0.3 * qd, 0.03 * u])

    def terminal(q, qd, goal):
        return 30 * np.concatenate([q - goal, 0.3 * qd])

    options = {"cost": cost, "terminal": terminal, "horizon": horizon, "dt": dt}
    return options | {"parameters": {"goal": n} | more}


def panda():
    """The arm with its fingers shut, and a payload that is a parameter of the problem."""
    robot = px.load("panda").without("panda_finger_joint2").locked({"panda_finger_joint1": 0.0})
    rng = np.random.default_rng(5)
    home = np.array([0, -0.4, 0, -2.0, 0, 1.6, 0.8])
    x0 = np.zeros((3, 14))
    x0[:, :7] = home
    mass = np.tile([body.mass for body in robot.inertias], (3, 1))
    mass[:, -1] += [0.0, 1.0, 3.0]
    goal = home + rng.uniform(-0.5, 0.5, 7)
    return Task(
        robot, _reaching(robot, 30, 0.02, mass=None), x0, None,
        lambda f: abs(f.q[:, -1] - goal).max(-1), 0.1, {"mass": mass, "goal": goal}, methods=FIRST,
    )  # fmt: skip


def ur5():
    """Torques at a third of what the motors have, so that limits are reached."""
    robot = px.load("ur5")
    most = robot.effort_limit / 3
    rng = np.random.default_rng(6)
    x0 = np.zeros((3, 12))
    x0[:, :6] = [0.0, -1.2, 0.8, 0.3, 0.5, 0.0] + rng.uniform(-0.3, 0.3, (3, 6))
    goal = x0[:, :6] + rng.uniform(-1.0, 1.0, (3, 6))
    options = _reaching(robot, 30, 0.02) | {"limits": (-most, most)}
    return Task(
        robot, options, x0, None,
        lambda f: abs(f.q[:, -1] - goal).max(-1), 0.3, {"goal": goal},
    )  # fmt: skip


def quadrotor():
    """Position, three angles and their rates; four rotors that only push."""
    inertia, arm, drag, dt = np.array([0.01, 0.012, 0.02]), 0.17, 0.02, 0.05

    def step(x, u):
        sin, cos = px.math.sin, px.math.cos
        position, angles, velocity, rate = (x[k : k + 3] for k in (0, 3, 6, 9))
        (a, b, c), (p, q, r) = angles, rate
        thrust = u[0] + u[1] + u[2] + u[3]
        up = [
            cos(c) * sin(b) * cos(a) + sin(c) * sin(a),
            sin(c) * sin(b) * cos(a) - cos(c) * sin(a),
            cos(b) * cos(a),
        ]
        velocity = [v + dt * thrust * e for v, e in zip(velocity, up, strict=True)]
        velocity[2] = velocity[2] - dt * 9.81
        moment = [arm * (u[1] - u[3]), arm * (u[2] - u[0]), drag * (u[0] - u[1] + u[2] - u[3])]
        bent = [
            (inertia[1] - inertia[2]) * q * r,
            (inertia[2] - inertia[0]) * r * p,
            (inertia[0] - inertia[1]) * p * q,
        ]
        p, q, r = (
            w + dt * (m + e) / i for w, m, e, i in zip(rate, moment, bent, inertia, strict=True)
        )
        tilt = sin(b) / cos(b)
        turned = [
            a + dt * (p + tilt * (q * sin(a) + r * cos(a))),
            b + dt * (q * cos(a) - r * sin(a)),
            c + dt * (q * sin(a) + r * cos(a)) / cos(b),
        ]
        moved = [x + dt * v for x, v in zip(position, velocity, strict=True)]
        return [*moved, *turned, *velocity, p, q, r]

    def terminal(x, goal):
        return 50 * ((x[:3] - goal) @ (x[:3] - goal)) + 10 * (x[3:] @ x[3:])

    hover = 9.81 / 4
    options = {
        "cost": lambda x, u: 0.05 * ((u - hover) @ (u - hover)) + 0.01 * (x[3:] @ x[3:]),
        "terminal": terminal,
        "horizon": 40,
        "limits": (0.0, 6.0),
        "parameters": {"goal": 3},
    }
    x0 = np.zeros((2, 12))
    x0[1, 3:6] = [0.4, -0.3, 0.8]
    goal = np.array([1.0, -0.5, 0.7])
    return Task(
        px.trace(step, x=12, u=4), options, x0, np.full((40, 4), hover),
        lambda f: abs(f.xs[:, -1, :3] - goal).max(-1), 0.1, {"goal": goal},
    )  # fmt: skip


def rotors():
    """A free rigid body with four rotors as its actuation, turned over in the air."""
    body = Inertia.of(0.8, (0, 0, 0.01), (0.006, 0.007, 0.011))
    robot = px.Robot("rotors", [Joint("base", "free")], [body])

    def actuation(u):
        moment = [0.2 * (u[1] - u[3]), 0.2 * (u[2] - u[0]), 0.02 * (u[0] - u[1] + u[2] - u[3])]
        return [0.0, 0.0, u[0] + u[1] + u[2] + u[3], *moment]

    def terminal(q, qd):
        # the rotation is none where the vector of the quaternion is zero
        return 20 * np.concatenate([q[:3], 2 * q[3:6], 0.3 * qd])

    hover = 0.8 * 9.81 / 4
    options = {
        "cost": lambda q, qd, u: np.concatenate([0.3 * (u - hover), 0.1 * q[:6], 0.1 * qd]),
        "terminal": terminal,
        "horizon": 40,
        "dt": 0.03,
        "actuation": actuation,
        "controls": 4,
        "limits": (0.0, 6.0),
    }
    x0 = np.zeros((2, 13))
    x0[:, :3] = [[0.5, 0.3, -0.2], [-0.3, 0.2, 0.4]]
    turn = np.array([[1.2, 0.4, -0.3], [0.2, -0.9, 0.8]])
    x0[:, :7] = px.integrate(robot, np.r_[0, 0, 0, 0, 0, 0, 1.0], np.c_[x0[:, :3], turn])
    return Task(
        robot, options, x0, np.full((40, 4), hover),
        lambda f: abs(f.q[:, -1, :6]).max(-1), 0.1,
    )  # fmt: skip


def flight():
    """A body that falls with two arms: only by swinging them may it turn."""
    robot = robot_of(["free", "revolute", "revolute"], [-1, 0, 0], 2)
    options = {
        "cost": lambda q, qd, u: np.concatenate([0.1 * u, 0.05 * qd, 0.05 * q[7:]]),
        "terminal": lambda q: 10 * np.concatenate([2 * q[3:6], 0.2 * q[7:]]),
        "horizon": 25,
        "dt": 0.02,
    }
    rng = np.random.default_rng(8)
    still = np.r_[np.zeros(6), 1.0, 0, 0]
    q = px.integrate(robot, still, np.c_[np.zeros((2, 3)), rng.uniform(-0.3, 0.3, (2, 5))])
    x0 = np.concatenate([q, rng.uniform(-0.5, 0.5, (2, 8))], -1)
    return Task(
        robot, options, x0, None,
        lambda f: abs(f.q[:, -1, 3:6]).max(-1), 0.3, methods=FIRST,
    )  # fmt: skip


def ball_joint():
    """A spherical joint that carries a hinge; fourth-order Runge-Kutta."""
    robot = robot_of(["spherical", "revolute"], [-1, 0], 4)
    options = {
        "cost": lambda q, qd, u: np.concatenate([0.1 * u, 0.1 * qd, q[:3], q[4:]]),
        "terminal": lambda q, qd: 30 * np.concatenate([q[:3], q[4:], 0.3 * qd]),
        "horizon": 25,
        "dt": 0.02,
        "integrator": "rk4",
    }
    rng = np.random.default_rng(9)
    q = px.integrate(robot, px.neutral(robot), rng.uniform(-0.8, 0.8, (2, 4)))
    x0 = np.concatenate([q, np.zeros((2, 4))], -1)
    return Task(
        robot, options, x0, None,
        lambda f: abs(f.q[:, -1, :3]).max(-1), 0.3, methods=FIRST,
    )  # fmt: skip


TASKS = {
    each.__name__: each
    for each in (
        pendulum, acrobot, cart_pole, panda, ur5, quadrotor, rotors, flight, ball_joint
    )
}  # fmt: skip


@cache
def task(name):
    return TASKS[name]()


@cache
def solver(name, method):
    return task(name).solver(method)


@cache
def solution(name, method):
    return task(name).solve(solver(name, method))
