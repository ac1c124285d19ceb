"""A UR5 whose motors fail falls and swings."""

import sys

import numpy as np

import paraxis as px

robot = px.load("ur5")
q = np.array([0.3, -2.2, 0.8, -1.0, 0.6, 0.2])
run = px.simulate(robot, q, np.zeros(6), dt=1e-3, steps=4000, every=10, limits=False)
run.to_html(sys.argv[1] if len(sys.argv) > 1 else "swing.html")
energy = px.kinetic_energy(robot, run.q, run.qd) + px.potential_energy(robot, run.q)
print(f"its energy stays the same within {np.ptp(energy):.1e} J")
