"""What a robot holds and what pushes it, in the form in which its functions take them.

Both differ from state to state, so they are parameters: arrays with a batch shape in front.
"""

import numpy as np

from .errors import ArgumentError
from .robot.inertia import matrix_of, six_of, swing
from .robot.joint import WORLD


def payload_parameters(robot, mass, com=(0.0, 0.0, 0.0), inertia=(0.0,) * 6, frame=None):
    """Mass, com and inertia of the bodies of `robot` when it also holds a body in `frame`.

    The body has a mass (...), a centre of mass (..., 3) in the frame, and an inertia (..., 6) about
    that centre along the frame's axes.
    """
    place = _on_a_body(robot, frame)
    turn, arm = np.array(place.pose.rotation), np.array(place.pose.translation)
    mass, com = _numbers("mass", mass, ()), _numbers("com", com, (3,))
    inertia = _numbers("inertia", inertia, (6,))
    if not (mass >= 0.0).all():
        raise ArgumentError(f"mass: expected numbers >= 0, found {mass[~(mass >= 0.0)][0]}")
    batch = _batch(mass=mass.shape, com=com.shape[:-1], inertia=inertia.shape[:-1])
    held = mass, com @ turn.T + arm, turn @ matrix_of(inertia) @ turn.T
    own = robot.inertias[place.body]
    parts = [(own.mass, np.array(own.com), own.matrix), held]

    total = own.mass + mass
    moment = sum(np.expand_dims(m, -1) * c for m, c, _ in parts)
    center = moment / np.where(total == 0.0, 1.0, total)[..., None]
    about = sum(I + swing(m, c - center) for m, c, I in parts)

    masses = np.tile([body.mass for body in robot.inertias], (*batch, 1))
    centers = np.tile([body.com for body in robot.inertias], (*batch, 1, 1))
    inertias = np.tile([body.about_com for body in robot.inertias], (*batch, 1, 1))
    masses[..., place.body], centers[..., place.body, :] = total, center
    inertias[..., place.body, :] = six_of(about)
    return {"mass": masses, "com": centers, "inertia": inertias}


def force_on_bodies(robot, wrench, frame, turn):
    """The `external_force` (..., n, 6) of a moment and force (..., 6) on a frame, at its origin.

    `turn` (..., 3, 3) says how the frame is turned in the axes of the wrench.
    """
    place = _on_a_body(robot, frame)
    wrench = _numbers("wrench", wrench, (6,))
    _batch(wrench=wrench.shape[:-1], q=turn.shape[:-2])
    own = (np.einsum("...ji,...j->...i", turn, half) for half in np.split(wrench, 2, axis=-1))
    moment, force = (half @ np.array(place.pose.rotation).T for half in own)
    moment = moment + np.cross(np.array(place.pose.translation), force)
    result = np.zeros((*force.shape[:-1], robot.n, 6))
    result[..., place.body, :] = np.concatenate((moment, force), axis=-1)
    return result


def _on_a_body(robot, frame):
    place = robot.tool() if frame is None else robot.frame(frame)
    if place.body == WORLD:
        raise ArgumentError(f"frame {place.name!r}: expected one on a body that moves")
    return place


def _numbers(name, value, shape):
    """An array of numbers that ends in `shape`."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: expected numbers, found {error}") from None
    if array.shape[max(0, array.ndim - len(shape)) :] != shape:
        wanted = ", ".join(["...", *map(str, shape)])
        raise ArgumentError(f"{name}: expected an array of shape ({wanted}), found {array.shape}")
    return array


def _batch(**shapes):
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        raise ArgumentError(f"expected batch shapes that broadcast, found {shapes}") from None
