"""`px.payload` and `px.external_force`: loads of a robot and forces on it, as parameters."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np
from numpy.typing import ArrayLike

from ..body import Body
from ..checks import one_of
from ..drivers.map import as_array
from ..errors import ArgumentError
from ..graph.arrays import traced_array
from ..graph.splice import splice, traced_value
from ..graph.trace import trace
from ..physics import loads
from ..robot_functions import COORDINATES
from ..robots.robot import Robot, a_robot
from ..targets.blocks import takes_blocks
from ..targets.target import CPU, target_of


@takes_blocks(mass=0, com=1, inertia=1)
def payload(
    robot: Robot,
    mass: ArrayLike,
    com: ArrayLike = (0.0, 0.0, 0.0),
    inertia: ArrayLike = (0.0,) * 6,
    frame: str | None = None,
) -> dict[str, np.ndarray]:
    """Return the parameters of a robot that carries a load, which may differ per state.

    Pass them as keywords to any function that takes parameters of a robot:
    `px.inverse_dynamics(robot, q, qd, qdd, **px.payload(robot, mass=masses))`. For one load in all
    states use `robot.with_payload`. Inside `px.trace` arguments may be traced scalars.

    **Arguments:**

    - `robot`: the robot without the load.
    - `mass`: the mass of the load, `(...)`, kg.
    - `com`: its centre of mass in `frame`, `(..., 3)`, m; by default the frame's origin.
    - `inertia`: its inertia about that centre along the axes of `frame`, `(..., 6)`, kg m², in the
      order Ixx, Iyy, Izz, Ixy, Ixz, Iyz; by default zero, a point mass.
    - `frame`: the name of the frame to which the load is fixed; by default the tool.

    **Returns:** the parameters `mass` `(..., n)`, `com` `(..., n, 3)` and `inertia` `(..., n, 6)`
    of all bodies of the loaded robot, by name.

    **Raises:** `px.ArgumentError` if a mass is negative or a shape is wrong. The values of arrays
    on a GPU, and of traced scalars, are not checked: there a negative mass gives NaN.

    **Example:**

    >>> robot = px.load("ur5")
    >>> load = px.payload(robot, mass=[0.0, 2.0, 4.0], com=(0.0, 0.0, 0.1))  # three states
    >>> px.gravity_torques(robot, np.zeros(6), **load)[:, 1]  # N m at the shoulder
    array([-59.171, -75.205, -91.24 ])
    """
    load = payload_body(a_robot(robot), frame)
    arrays = {"mass": mass, "com": com, "inertia": inertia}
    if traced_value(tuple(arrays.values())) is not None:
        return dict(zip(arrays, _spliced(load, arrays), strict=True))
    target = target_of(arrays)
    if target is CPU:
        mass = arrays["mass"] = as_array(mass, "mass", ())
        if not (mass >= 0.0).all():
            raise ArgumentError(f"mass: expected numbers >= 0, found {mass[~(mass >= 0.0)][0]}")
    return dict(zip(arrays, _results(load, arrays, target), strict=True))


@takes_blocks(q=1, wrench=1)
def external_force(
    robot: Robot,
    q: ArrayLike,
    wrench: ArrayLike,
    frame: str | None = None,
    coordinates: str = "world",
) -> np.ndarray:
    """Return the parameter `external_force` for a wrench on a frame; it adds Jᵀ `wrench` to tau.

    Pass it as a keyword to any function that takes parameters of a robot:
    `px.forward_dynamics(robot, q, qd, tau, external_force=px.external_force(robot, q, wrench))`.

    **Arguments:**

    - `robot`: the robot on which the wrench acts.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `wrench`: moment (N m) and force (N) on the robot at the frame's origin, `(..., 6)`.
    - `frame`: the name of the frame on which the wrench acts; by default the tool.
    - `coordinates`: `"world"` for a wrench along the axes of the world, `"body"` along those of the
      frame.

    **Returns:** the wrenches on all bodies, `(..., n, 6)`.

    **Raises:** `px.ArgumentError` if a shape is wrong, `coordinates` is unknown, or no joint moves
    the frame.

    **Example:**

    >>> robot = px.robots.planar(1)
    >>> push = px.external_force(robot, [0.0], [0, 0, 0, 0, 0, 9.81])  # up, at the tip
    >>> px.forward_dynamics(robot, [0.0], [0.0], [0.0])
    array([-14.715])
    >>> px.forward_dynamics(robot, [0.0], [0.0], [0.0], external_force=push)
    array([14.715])
    """
    load = external_force_body(a_robot(robot), frame, coordinates)
    arrays = {"q": q, "wrench": wrench}
    traced = traced_value((q, wrench)) is not None
    (forces,) = _spliced(load, arrays) if traced else _results(load, arrays, target_of(arrays))
    return forces


@lru_cache(maxsize=64)
def payload_body(robot, frame=None):
    """From mass, com and inertia to those of all bodies."""
    frame = loads.frame_on_a_body(robot, frame)
    shapes = {"mass": (), "com": (3,), "inertia": (6,)}
    return Body(trace, partial(loads.payload, robot, frame), shapes, "payload")


@lru_cache(maxsize=64)
def external_force_body(robot, frame=None, coordinates="world"):
    """From q and a wrench to the external forces."""
    frame = loads.frame_on_a_body(robot, frame)
    one_of(coordinates, COORDINATES, "coordinates")
    run = partial(loads.external_force, robot, frame, coordinates)
    return Body(trace, run, {"q": (robot.nq,), "wrench": (6,)}, "external_force")


def _spliced(body, values):
    """The outputs of a Body for traced values by name."""
    return [traced_array(result) for result in splice(body.graph, tuple(values.values()))]


def _results(body, arrays, target):
    """The outputs of a Body for arrays by name; plain sequences (defaults) join their device."""
    _, _, shapes, _ = body.recipe
    with target.stream():
        given = [
            (target.brought if isinstance(array, tuple | list) else target.array)(
                array, name, shapes[name]
            )
            for name, array in arrays.items()
        ]
        results = target.map(body)(*given)
        several = results if isinstance(results, tuple) else (results,)
        return [target.given_back(result) for result in several]
