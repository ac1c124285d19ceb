"""`px.simulation.contact_forces`: where contacts are, and what they exert, in the world."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...body import Body
from ...errors import ArgumentError
from ...graph.trace import trace
from ...physics.kinematics import body_poses
from ...physics.parts.ties import ties_of
from ...robots.model import Model
from ...robots.robot import Robot
from ...targets.target import target_of
from .ground import Ground
from .scene import number
from .step import GroundStep
from .touches import from_axes


class ContactForces(NamedTuple):
    """The forces of each candidate for contact: all points against the scene, then pairs.

    - `point`: where they act, in the world, `(..., k, 3)`, m.
    - `force`: on the robot, or on the first of two points, along the axes of the world,
      `(..., k, 3)`, N.
    - `gap`: how far the surfaces are from touching, `(..., k)`, m.

    **Example:**

    >>> ball = px.robots.Inertia(1.0, about_com=(0.004, 0.004, 0.004, 0.0, 0.0, 0.0))
    >>> joint, frame = px.robots.Joint("base", "free"), px.robots.Frame("ball", 0)
    >>> robot = px.Robot("ball", [joint], [ball], [frame])
    >>> ground = px.simulation.Ground([px.simulation.ContactPoint("ball", radius=0.1)])
    >>> q0 = [0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0]  # on the ground
    >>> run = px.simulate(robot, q0, np.zeros(6), ground=ground, dt=1e-3, steps=100)
    >>> forces = px.simulation.contact_forces(robot, ground, run.q[1:], run.impulses[1:], 1e-3)
    >>> forces.point.shape, forces.force.shape, forces.gap.shape  # steps, contacts
    ((100, 1, 3), (100, 1, 3), (100, 1))
    """

    point: np.ndarray  # (..., k, 3): where it is, m
    force: np.ndarray  # (..., k, 3): on the robot, or on the first of two points, N
    gap: np.ndarray  # (..., k): how far it is from touching, m


def contact_forces(
    robot: Robot, ground: Ground, q: ArrayLike, impulses: ArrayLike, dt: float
) -> ContactForces:
    """The forces of the ground in world coordinates.

    **Arguments:**

    - `robot`: the robot.
    - `ground`: the `px.simulation.Ground` that it was simulated on.
    - `q`: positions, `(..., nq)`, as `run.q`.
    - `impulses`: of the steps that end there, `(..., k, 3)`, as `run.impulses`; N s along the
      normal and two tangents of each contact. The directions are those in the state `q`, at the end
      of the step, which on a plane are always the same.
    - `dt`: seconds per step, over which the force is the mean.

    **Returns:** a `px.simulation.ContactForces`: points, forces and gaps.

    **Raises:** `px.ArgumentError` if shapes do not fit, or dt is not a number > 0.

    **Example:**

    >>> ball = px.robots.Inertia(1.0, about_com=(0.004, 0.004, 0.004, 0.0, 0.0, 0.0))
    >>> joint, frame = px.robots.Joint("base", "free"), px.robots.Frame("ball", 0)
    >>> robot = px.Robot("ball", [joint], [ball], [frame])
    >>> ground = px.simulation.Ground([px.simulation.ContactPoint("ball", radius=0.1)])
    >>> q0 = [0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0]  # on the ground
    >>> run = px.simulate(robot, q0, np.zeros(6), ground=ground, dt=1e-3, steps=100)
    >>> forces = px.simulation.contact_forces(robot, ground, run.q[1:], run.impulses[1:], 1e-3)
    >>> forces.force[-1]  # N: its weight
    array([[0.  , 0.  , 9.81]])
    """
    if not isinstance(ground, Ground):
        found = type(ground).__name__
        raise ArgumentError(f"ground: expected a px.simulation.Ground, found {found}")
    number(dt, "dt", above=0.0)
    target = target_of({"q": q, "impulses": impulses})
    kernel = target.map(_body(robot, ground))
    return ContactForces(*kernel(q, impulses, dt))


@lru_cache(maxsize=64)
def _body(robot, ground):
    return Body(forces_graph, GroundStep(robot, ground))


def forces_graph(step):
    shapes = {name: step.inputs[name] for name in ("q", "impulses", "dt")}

    def run(q, impulses, dt):
        model = Model(step.rows)
        R, p = body_poses(model, ties_of(model, q).q)
        rate, point, force, gap = 1.0 / dt, [], [], []
        for contact, impulse in zip(step.contacts, impulses, strict=True):
            touch = contact.touch(R, p, step.law.midway)
            point.append([*(p[contact.uses[0].row] + touch.arms[0])])
            force.append([*(from_axes(touch.axes, impulse) * rate)])
            gap.append(touch.gap)
        return {"point": point, "force": force, "gap": gap}

    return trace(run, shapes, "contact_forces")
