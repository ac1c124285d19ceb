"""Robots on the ground: compiled steps, and single bodies to drop."""

from types import SimpleNamespace

import numpy as np

import paraxis as px
from paraxis.drivers.iterate import Plan
from paraxis.simulation.ground.stages import ground_row
from paraxis.simulation.ground.step import CARRIED, GroundStep
from paraxis.targets.target import CPU

G = 9.81
RECORDS = ("q", "qd", "impulses", "residual", "gap")


def box(size=(0.2, 0.3, 0.1), mass=2.0):
    """A free box, and its corners."""
    a, b, c = size
    about = (mass * (b * b + c * c) / 12, mass * (a * a + c * c) / 12, mass * (a * a + b * b) / 12)
    corners = [
        px.simulation.ContactPoint("body", (x * a / 2, y * b / 2, z * c / 2))
        for z in (-1, 1)
        for x in (-1, 1)
        for y in (-1, 1)
    ]
    return free_body(mass, about), corners


def ball(radius=0.1, mass=1.5):
    """A free ball, and its sphere."""
    about = (0.4 * mass * radius**2,) * 3
    return free_body(mass, about), [px.simulation.ContactPoint("body", radius=radius)]


def free_body(mass, about):
    inertia = px.robots.Inertia(mass, (0.0, 0.0, 0.0), (*about, 0.0, 0.0, 0.0))
    frames = (px.robots.Frame("body", 0),)
    return px.Robot("body", [px.robots.Joint("free", "free")], [inertia], frames)


def at(x, y, z, quaternion=(0.0, 0.0, 0.0, 1.0)):
    return np.array([x, y, z, *quaternion])


def thrown(seed, count=32):
    """Positions and rates of free bodies in the air, turned and turning at random."""
    rng = np.random.default_rng(seed)
    quaternion = rng.standard_normal((count, 4))
    quaternion /= np.linalg.norm(quaternion, axis=-1, keepdims=True)
    place = np.tile([0.0, 0.0, 0.35], (count, 1))
    return np.concatenate([place, quaternion], -1), 3 * rng.standard_normal((count, 6))


def run(robot, ground, q, qd, steps, dt=1e-3, tau=None, **given):
    """All that happens, with the state before it as the first record."""
    step = GroundStep(robot, ground)
    row = ground_row(step)
    plan = Plan(row.inputs, row.outputs, CARRIED, record=RECORDS)
    q, qd = np.asarray(q, float), np.asarray(qd, float)
    impulses = np.zeros((len(step.contacts), 3))
    given = {"friction": np.array(step.frictions), "restitution": ground.restitution} | given
    tau = np.zeros(robot.nv) if tau is None else np.asarray(tau, float)
    kernel = CPU.iterate(row, plan)
    start = {"q": q, "qd": qd, "tau": tau, "dt": dt, "impulses": impulses} | given
    _, found = kernel(steps=steps, **start)
    batch = found["q"].shape[1:-1]
    for name, first in (("q", q), ("qd", qd)):
        first = np.broadcast_to(first, (1, *batch, first.shape[-1]))
        found[name] = np.concatenate([first, found[name]])
    return SimpleNamespace(**found, t=dt * np.arange(steps + 1), step=step)


def energy(robot, q, qd):
    return px.kinetic_energy(robot, q, qd) + px.potential_energy(robot, q)
