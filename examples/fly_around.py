"""Sixty-four quadrotors fly around a pillar, and the solver goes to them as C.

The body is free in space, with a quaternion for its attitude, and is pushed by four rotors. All
start elsewhere and turned, and have to hover at their goals in 1.6 s, outside the pillar. A page
shows three of them moving; the solver is written as C, for the computer on board.
"""

import tempfile
from pathlib import Path

import numpy as np

import paraxis as px
from paraxis.robots import Inertia, Joint

STEPS, DT, HOVER = 40, 0.04, 0.8 * 9.81 / 4
PILLAR, RADIUS = np.array([0.0, 0.0]), 0.5  # m


def rotors(u):
    """The forces and moments of four rotors on the body, forces first as in its velocity."""
    moments = [0.2 * (u[1] - u[3]), 0.2 * (u[2] - u[0]), 0.02 * (u[0] - u[1] + u[2] - u[3])]
    return [0.0, 0.0, u[0] + u[1] + u[2] + u[3], *moments]


def fly(q, qd, u):
    return np.concatenate([0.3 * (u - HOVER), 0.3 * q[3:6], 0.1 * qd])  # residuals


def hover(q, qd, goal):
    return 20 * np.concatenate([q[:3] - goal, 2 * q[3:6], 0.3 * qd])


def outside(q):
    away = q[:2] - PILLAR
    return [RADIUS**2 - away @ away]


def main():
    body = Inertia.of(0.8, (0, 0, 0.01), (0.006, 0.007, 0.011))
    robot = px.Robot("quadrotor", [Joint("body", "free")], [body])
    solver = px.optimal_control(
        robot, fly, STEPS, dt=DT, terminal=hover, actuation=rotors, controls=4, limits=(0.0, 6.0),
        inequality=outside, parameters={"goal": 3},
    )  # fmt: skip

    rng = np.random.default_rng(1)
    x0 = np.zeros((64, 13))
    angle = rng.uniform(-np.pi, np.pi, 64)
    x0[:, :3] = np.stack([1.2 * np.cos(angle), 1.2 * np.sin(angle), rng.uniform(-0.5, 0.5, 64)], -1)
    goal = x0[:, :3] * [-1, -1, 1] + [0, 0, 0.3]  # on the other side
    turned = np.concatenate([x0[:, :3], rng.uniform(-0.4, 0.4, (64, 3))], -1)
    x0[:, :7] = px.integrate(robot, px.neutral(robot), turned)
    side = np.stack([-np.sin(angle), np.cos(angle)], -1)  # guesses that lean to one side
    us = HOVER + 0.01 * (side[:, None, :1] * [0, 1, 0, -1] + side[:, None, 1:] * [-1, 0, 1, 0])
    found = solver.solve(x0, np.repeat(us, STEPS, 1), goal=goal, iterations=400)

    ways = np.linalg.norm(found.q[..., :2] - PILLAR, axis=-1).min(1)
    print(f"{found}")
    done = found.solved
    print(f"nearest to the axis of the pillar: {ways[done].min():.3f} m, radius {RADIUS} m")
    print(f"farthest from a goal: {abs(found.q[done, -1, :3] - goal[done]).max():.3f} m")
    folder = Path(tempfile.mkdtemp())
    found.to_html(folder / "flight.html")
    exported = solver.export(folder, "flight", iterations=20)
    print(f"a page that moves, and the solver as C: {folder}")
    print("build and test it there:", " && ".join([*exported.build, exported.test]))


if __name__ == "__main__":
    main()
