"""Payloads and external forces of a robot, as parameters of its functions.

Both differ per state, so they are parameters. Scalars are generic here; `frame` is the Frame in
which they are described.
"""

from dataclasses import replace

from ..errors import ArgumentError
from ..robots.joint import WORLD
from ..robots.model import Model
from ..robots.rows import rows_of
from ..scalar import equal, less, select, sqrt
from ..spatial import Rotation, Spatial, Symmetric, Transform, Vector, skew
from .kinematics import forward_kinematics


def frame_on_a_body(robot, name):
    """The frame of that name, by default the tool, which must be able to move."""
    frame = robot.tool() if name is None else robot.frame(name)
    if frame.body == WORLD:
        raise ArgumentError(f"frame {frame.name!r} is fixed to the world, so no joint can move it")
    return frame


def payload(robot, frame, mass, com, inertia):
    """Mass, com and inertia of the bodies of `robot` with an additional body fixed to `frame`.

    That body has a mass, a centre of mass in the frame, and an inertia about that centre along the
    frame's axes. All results are NaN if the mass is negative.
    """
    mass = mass + sqrt(select(less(mass, 0.0), -1.0, 0.0))
    turn, arm = Rotation(*frame.pose.rotation), Vector(*frame.pose.translation)
    held = mass, turn @ Vector(*com) + arm, turn.tensor(Symmetric(*inertia))
    own = robot.inertias[frame.body]
    parts = [(own.mass, Vector(*own.com), Symmetric(*own.about_com)), held]

    total = own.mass + mass
    share = 1.0 / select(equal(total, 0.0), 1.0, total)
    (a, at, _), (b, there, _) = parts
    centre = (at * a + there * b) * share
    one, other = (about + _swing(m, c - centre) for m, c, about in parts)

    masses = [body.mass for body in robot.inertias]
    centres = [list(body.com) for body in robot.inertias]
    inertias = [list(body.about_com) for body in robot.inertias]
    masses[frame.body], centres[frame.body] = total, list(centre)
    inertias[frame.body] = list((one + other).scalars())
    return {"mass": masses, "com": centres, "inertia": inertias}


def _swing(mass, arm):
    """The moment of inertia of a point mass at the end of an arm."""
    S = skew(arm)
    return Symmetric(*(mass * moment for moment in Symmetric.upper(S @ S.T).scalars()))


def external_force(robot, frame, coordinates, q, wrench):
    """The moment and force on each body, from those on a frame at its origin.

    The latter are along the axes of the world or, with coordinates="body", along the frame's own.
    """
    force = Spatial.of(wrench)
    if coordinates == "world":
        rows = rows_of(replace(robot, frames=(frame,), warn=False))
        pose = forward_kinematics(Model(rows), q, *rows.frames)
        back = Rotation(*(row[:3] for row in pose[:3])).T
        force = Spatial(back @ force.angular, back @ force.linear)
    place = Transform(Rotation(*frame.pose.rotation), Vector(*frame.pose.translation))
    forces = [[0.0] * 6 for _ in range(robot.n)]
    forces[frame.body] = list((place.T @ force).scalars())
    return forces
