"""A Go2 trots: two pairs of legs swing in turn, by position servos, on ground with friction."""

import sys

import numpy as np

import paraxis as px
from paraxis.simulation import ContactPoint, Ground

robot = px.load("go2", floating_base=True)
feet = [ContactPoint(f"{leg}_foot", radius=0.022) for leg in ("FL", "FR", "RL", "RR")]
stance = np.tile([0.0, 0.85, -1.6], 4)
pairs = (0.0, np.pi, np.pi, 0.0)  # phases of the legs


def trot(t, q, qd):
    tau = [0.0] * 6
    for leg, phase in enumerate(pairs):
        wave = 2.0 * np.pi * 2.5 * t + phase
        lift = px.math.maximum(px.math.sin(wave), 0.0)
        swing = 0.25 * px.math.cos(wave)
        goals = stance[3 * leg], stance[3 * leg + 1] + swing + 0.3 * lift, -1.6 - 0.55 * lift
        for joint, goal in enumerate(goals):
            k = 3 * leg + joint
            tau.append(80.0 * (goal - q[7 + k]) - 2.0 * qd[6 + k])
    return tau


q = np.concatenate([[0, 0, 0.33, 0, 0, 0, 1], stance])
run = px.simulate(
    robot, q, np.zeros(18), controller=trot, dt=2e-3, steps=3000, every=5, ground=Ground(feet)
)
px.show(run, title="A Go2 trots", open=False).to_html(
    sys.argv[1] if len(sys.argv) > 1 else "trot.html"
)
print(f"it went {run.q[-1, 0]:.2f} m in 6 s, and is {run.q[-1, 2]:.2f} m high")
