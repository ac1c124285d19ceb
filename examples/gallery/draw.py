"""A Panda draws a knot with its flange."""

import sys

import numpy as np

import paraxis as px

robot = px.load("panda", tip="panda_link8")
t = np.linspace(0, 2 * np.pi, 600)
centre = np.array([0.5, 0.0, 0.45])
curve = np.column_stack(
    [0.1 * np.sin(3 * t), np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t)]
)
poses = np.tile(np.diag([1.0, -1.0, -1.0, 1.0]), (600, 1, 1))
poses[:, :3, 3] = centre + 0.06 * curve * [1.0, 1.0, 1.0]
q = np.empty((600, robot.nq))
guess = np.array([0.0, -0.4, 0.0, -2.2, 0.0, 1.9, 0.8])
for k, pose in enumerate(poses):  # each from the one before, so that the arm does not jump
    guess = q[k] = px.inverse_kinematics(robot, pose, q0=guess).q
px.show(robot, q, t, title="A Panda draws a knot", open=False).to_html(
    sys.argv[1] if len(sys.argv) > 1 else "draw.html"
)
reached = px.forward_kinematics(robot, q)[:, :3, 3]
print(f"farthest from the curve: {abs(reached - poses[:, :3, 3]).max() * 1e6:.3f} micrometres")
