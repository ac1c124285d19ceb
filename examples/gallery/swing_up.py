"""Acrobots swing up: only the second joint has a motor, and the solver finds how."""

import sys

import numpy as np

import paraxis as px

robot = px.robots.planar(2)
UP = np.array([np.pi / 2, 0.0])  # joints are measured from the horizontal
DT, STEPS = 0.02, 150


def effort(q, qd, u):
    return 0.005 * (u @ u) + 0.001 * (qd @ qd)


def upright(q, qd):
    return 400 * ((q - UP) @ (q - UP)) + 40 * (qd @ qd)


solver = px.optimal_control(
    robot, effort, STEPS, dt=DT, terminal=upright, actuation=lambda u: [0.0, u[0]], controls=1,
    limits=(-25.0, 25.0), method="ddp",
)  # fmt: skip
hanging = np.column_stack([np.full(9, -np.pi / 2), np.linspace(-0.4, 0.4, 9), *np.zeros((2, 9))])
guess = 5 * np.sin(np.linspace(0, 12, STEPS))[None, :, None].repeat(9, 0)
found = solver.solve(hanging, guess, iterations=500)
best = int(np.argmin(found.cost))
order = [best, *(k for k in range(9) if k != best)]
page = px.show(
    robot,
    found.q[order].swapaxes(0, 1),
    DT * np.arange(STEPS + 1),
    qd=found.qd[order].swapaxes(0, 1),
    title="Acrobots swing up",
    open=False,
)
page.to_html(sys.argv[1] if len(sys.argv) > 1 else "swing_up.html")
print(f"{found}\nthe best ends {abs(found.q[best, -1] - UP).max():.3f} rad from upright")
