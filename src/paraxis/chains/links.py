"""A serial chain as arrays, one row per link: what dynamics of very long chains start from.

Each body's frame is turned so that its z axis is the joint's, about the origin it has in the
description. At joint position q the frame of a revolute joint's body stands, in the parent
body's, at `origin` with the axes `rotation` @ Rz(q); that of a prismatic joint's at
`origin` + `rotation` @ (0, 0, q) with the axes `rotation`.
"""

from dataclasses import dataclass

import numpy as np

from ..checks import quoted
from ..errors import ArgumentError
from ..robots.branching import branches
from ..robots.inertia import matrix_of, six_of, swing
from ..robots.numbers import array_of, rotations
from ..robots.seat import align_z


@dataclass(frozen=True, eq=False)
class Links:
    """The numbers of n links in a row, the root's first; vectors along each body's own axes."""

    revolute: np.ndarray  # (n,) bool: which joints turn; the others slide
    rotation: np.ndarray  # (n, 3, 3) at q = 0: coordinates in the body to those in its parent
    origin: np.ndarray  # (n, 3) of the body's frame at q = 0, in the parent's
    mass: np.ndarray  # (n,)
    moment: np.ndarray  # (n, 3): mass times centre of mass
    inertia: np.ndarray  # (n, 6: xx, yy, zz, xy, xz, yz) about the origin of the body's frame
    rotor: np.ndarray  # (n,): what each joint feels of the inertia of its motor
    gravity: np.ndarray  # (3,) in the root frame


def links(robot):
    """The links of a chain. A tree is an error that names where it branches."""
    if robot.branching:
        raise ArgumentError(
            f"this function works on chains only, but robot {quoted(robot.name)} branches at "
            f"{branches(robot)}"
        )
    n, joints, bodies = robot.n, robot.joints, robot.inertias
    seats = [joint.placement for joint in joints]
    upright = align_z(array_of((joint.axis for joint in joints), n, 3))  # new axes in the old ones
    rotation = rotations(seats) @ upright
    rotation[1:] = upright[:-1].mT @ rotation[1:]  # the parent's axes are new ones too
    origin = array_of((seat.translation for seat in seats), n, 3)
    origin[1:] = _across(upright[:-1], origin[1:])
    mass = np.fromiter((body.mass for body in bodies), float, n)
    com = _across(upright, array_of((body.com for body in bodies), n, 3))
    about_com = matrix_of(array_of((body.about_com for body in bodies), n, 6))
    return Links(
        revolute=np.fromiter((joint.is_revolute for joint in joints), bool, n),
        rotation=rotation,
        origin=origin,
        mass=mass,
        moment=mass[:, None] * com,
        inertia=six_of(upright.mT @ about_com @ upright + swing(mass, com)),
        rotor=np.fromiter((joint.reflected_inertia for joint in joints), float, n),
        gravity=np.array(robot.base.rotation).T @ robot.gravity,
    )


def _across(axes, vectors):
    """Vectors along other axes, which are the columns of `axes`."""
    return np.vecdot(axes.mT, vectors[:, None, :])
