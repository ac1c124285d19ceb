"""A few lines of everything that needs more than Python: kernels, pages, the cache, typing."""

import importlib.resources
import sys
from importlib.metadata import metadata, version

import numpy as np

import paraxis as px

robot = px.load("ur5")
q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 100, robot.n))
tau = px.inverse_dynamics(robot, q, qd, qdd)
found = px.program(robot).evaluate(q=q, qd=qd, qdd=qdd)
assert abs(tau - found).max() < 1e-9
assert abs(px.forward_dynamics(robot, q, qd, tau) - qdd).max() < 1e-9
run = px.simulate(robot, q, qd, dt=1e-3, steps=10)
assert "three" in run.as_scene().html
assert importlib.resources.files("paraxis").joinpath("py.typed").is_file()
assert version("paraxis") == px.__version__
assert "site-packages" in px.__file__
assert metadata("paraxis")["License-Expression"] == "Apache-2.0 AND MIT"
print(f"Paraxis {px.__version__} works on Python {sys.version.split()[0]}, NumPy {np.__version__}")
