"""Steps on the ground where arrays are on a GPU, on its stand-in: the CPU's numbers."""

from types import SimpleNamespace

import numpy as np
import pytest
from support import far_arrays
from support.far_arrays import FarArray, far

import paraxis as px
from paraxis.robots import Inertia, Joint
from paraxis.simulation import ContactPoint, Ground

HEIGHT, LEG = 0.4, 0.25


def biped():
    """A trunk on two legs, each with a hip that turns; it touches with its feet and its nose."""
    placed = [px.robots.Pose(translation=(0, y, -0.05)) for y in (0.1, -0.1)]
    joints = [Joint("base", "free")]
    joints += [
        Joint(f"hip{k}", "revolute", axis=(0, 1, 0), parent=0, placement=place)
        for k, place in enumerate(placed)
    ]
    bodies = [Inertia.of(4.0, (0, 0, 0), (0.05, 0.06, 0.04))]
    bodies += [Inertia.of(0.5, (0, 0, -0.1), (0.003, 0.003, 0.001))] * 2
    frames = [px.robots.Frame("nose", 0)] + [
        px.robots.Frame(f"foot{k}", k + 1, px.robots.Pose(translation=(0, 0, -LEG)))
        for k in range(2)
    ]
    return px.Robot("biped", joints, bodies, frames)


POINTS = [ContactPoint("nose", (0.15, 0, 0)), ContactPoint("foot0", radius=0.03)]
POINTS += [ContactPoint("foot1", (x, 0, 0), 0.02) for x in (-0.05, 0.05)]


def states(robots):
    rng = np.random.default_rng(0)
    q = np.tile([0, 0, HEIGHT, 0, 0, 0, 1.0, 0.1, -0.1], (robots, 1))
    q[:, 2] += rng.uniform(-0.1, 0.1, robots)
    return q, rng.standard_normal((robots, 8))


def servo(t, q, qd, u):
    return [0.0] * 6 + [20 * (a - x) - v for a, x, v in zip(u, q[7:], qd[6:], strict=True)]


def went(put, law, dtype):
    """What becomes of robots that are stepped, reset in part, and run."""
    q, qd = states(7)
    draws = {"friction": lambda rng, count: rng.uniform(0.2, 1.0, (count, len(POINTS)))}
    simulator = px.Simulator(
        biped(),
        dt=2e-3,
        ground=Ground(POINTS, law=law),
        controller=servo,
        dtype=dtype,
        randomize=draws,
    )
    simulator.reset(put(q), put(qd))
    u = put(np.full((7, 2), 0.1))
    for _ in range(30):
        simulator.step(u, 3)
    stepped = np.array(simulator.state.q)
    simulator.reset(put(q), put(qd), mask=put(np.arange(7) % 2 == 0))
    run = simulator.run(steps=60, every=20, u=u)
    return SimpleNamespace(run=run, stepped=stepped, state=simulator.state)


@pytest.mark.filterwarnings("ignore:ground. the contacts")
@pytest.mark.parametrize(
    "law, dtype, close", [("soft", "float64", 1e-9), ("hard", "float32", 2e-3)]
)
def test_robots_touch_the_ground_as_on_the_cpu(law, dtype, close, monkeypatch):
    near = went(np.asarray, law, dtype)
    far_arrays.use(monkeypatch)
    there = went(far, law, dtype)
    assert abs(near.run.impulses).max() > 0.01 and near.state.q.dtype == dtype
    assert isinstance(there.run.q, FarArray) and isinstance(there.state.impulses, FarArray)
    assert abs(there.stepped - near.stepped).max() < close
    for name in ("q", "qd", "t", "impulses", "residual"):
        found, right = np.array(getattr(there.run, name)), getattr(near.run, name)
        assert found.shape == right.shape
        assert abs(found - right).max() < close * max(1, abs(right).max()), name
    assert (np.array(there.state.t) == near.state.t).all()
