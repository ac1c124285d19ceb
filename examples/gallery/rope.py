"""A rope of thirty links is let go."""

import sys

import numpy as np

import paraxis as px

robot = px.robots.planar(30)
q = np.zeros(30)
q[0] = 0.3
run = px.simulate(robot, q, np.zeros(30), dt=5e-4, steps=10000, every=25)
px.show(run, title="A rope of thirty links", open=False).to_html(
    sys.argv[1] if len(sys.argv) > 1 else "rope.html"
)
print(f"fastest joint: {abs(run.qd).max():.1f} rad/s")
