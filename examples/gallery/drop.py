"""Quadrupeds dropped onto steps; arrows are the forces of the ground."""

import sys

import numpy as np

import paraxis as px
from paraxis.robots import Pose
from paraxis.simulation import Box, ContactPoint, Ground, Plane

robot = px.load("go2", floating_base=True)
feet = [ContactPoint(f"{leg}_foot", radius=0.022) for leg in ("FL", "FR", "RL", "RR")]
steps = [
    Box((0.3, 2.0, 0.1), Pose(translation=(0.3 * k + 0.2, 0.0, 0.03 * k - 0.04))) for k in range(4)
]
stance = np.tile([0.0, 0.8, -1.5], 4)


def hold(t, q, qd):
    return [0.0] * 6 + [
        60.0 * (a - x) - 2.0 * v for a, x, v in zip(stance, q[7:], qd[6:], strict=True)
    ]


heights = np.linspace(0.45, 0.8, 12)
q = np.array([[0.0, 0.0, z, 0.0, 0.0, 0.0, 1.0, *stance] for z in heights])
ground = Ground(feet, [Plane(), *steps])
run = px.simulate(
    robot, q, np.zeros((12, 18)), controller=hold, dt=2e-3, steps=1000, every=5, ground=ground
)
page = px.show(run, title="Go2s dropped onto steps", open=False)
page.to_html(sys.argv[1] if len(sys.argv) > 1 else "drop.html")
print(f"they stand at {run.q[-1, :, 2].min():.2f} to {run.q[-1, :, 2].max():.2f} m")
