"""`px.payload` and `px.external_force`: what a robot holds and what pushes it, as parameters."""

from functools import lru_cache, partial

from ..body import Body
from ..checks import one_of
from ..drivers.map import as_array
from ..errors import ArgumentError
from ..graph.arrays import traced_array
from ..graph.splice import splice, traced_value
from ..graph.trace import trace
from ..physics import loads
from ..robot_functions import COORDINATES
from ..robots.robot import a_robot
from ..targets.target import CPU, target_of


def payload(robot, mass, com=(0.0, 0.0, 0.0), inertia=(0.0,) * 6, frame=None):
    """Parameters for a robot that holds another body in every state: give them as keywords.

    `px.inverse_dynamics(robot, q, qd, qdd, **px.payload(robot, mass=masses))`. The body, of mass
    (...), has its centre of mass `com` (..., 3) and its inertia about that (..., 6: Ixx, Iyy, Izz,
    Ixy, Ixz, Iyz) in `frame`, by default the tool. One body in all states: robot.with_payload.

    Where arrays are on a GPU nobody waits to look at them: a mass below zero gives NaN there, as it
    does inside px.trace.
    """
    load = payload_body(a_robot(robot), frame)
    arrays = {"mass": mass, "com": com, "inertia": inertia}
    traced = traced_value(tuple(arrays.values())) is not None
    if not traced and target_of(arrays) is CPU:
        mass = arrays["mass"] = as_array(mass, "mass", ())
        if not (mass >= 0.0).all():
            raise ArgumentError(f"mass: expected numbers >= 0, found {mass[~(mass >= 0.0)][0]}")
    return dict(zip(arrays, _results(load, arrays, traced), strict=True))


def external_force(robot, q, wrench, frame=None, coordinates="world"):
    """The parameter external_force (..., n, 6) of a push on a frame, by default the tool.

    `wrench` (..., 6) is the moment and the force at the frame's origin, along the axes of the world
    or, with coordinates="body", along the frame's own. The robot feels it as Jᵀ wrench.
    """
    load = external_force_body(a_robot(robot), frame, coordinates)
    traced = traced_value((q, wrench)) is not None
    (forces,) = _results(load, {"q": q, "wrench": wrench}, traced)
    return forces


@lru_cache(maxsize=64)
def payload_body(robot, frame=None):
    """Of mass, com and inertia: the same three of all bodies."""
    frame = loads.frame_on_a_body(robot, frame)
    shapes = {"mass": (), "com": (3,), "inertia": (6,)}
    return Body(trace, partial(loads.payload, robot, frame), shapes, "payload")


@lru_cache(maxsize=64)
def external_force_body(robot, frame=None, coordinates="world"):
    """Of q and a wrench: the external forces."""
    frame = loads.frame_on_a_body(robot, frame)
    one_of(coordinates, COORDINATES, "coordinates")
    run = partial(loads.external_force, robot, frame, coordinates)
    return Body(trace, run, {"q": (robot.nq,), "wrench": (6,)}, "external_force")


def _results(body, arrays, traced):
    """The outputs of a Body of arrays by name; plain sequences (defaults) are brought to others."""
    if traced:
        return [traced_array(result) for result in splice(body.graph, tuple(arrays.values()))]
    target, (_, _, shapes, _) = target_of(arrays), body.recipe
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
