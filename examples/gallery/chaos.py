"""Four hundred double pendulums that start a thousandth of a radian apart."""

import sys

import numpy as np

import paraxis as px

robot = px.robots.planar(2)
q = np.column_stack([np.linspace(2.5, 2.501, 400), np.full(400, 0.5)])
run = px.simulate(robot, q, np.zeros((400, 2)), dt=1e-3, steps=8000, every=20)
page = px.show(run, title="Four hundred double pendulums, 1 mrad apart", open=False)
page.to_html(sys.argv[1] if len(sys.argv) > 1 else "chaos.html")
print(f"after 8 s they are up to {np.ptp(run.q[-1, :, 0]):.1f} rad apart")
