"""Masses moved to where they cost nothing: base inertial parameters (Gautier and Khalil).

What a body has that is symmetric about its own joint axis does not feel that joint turn: it may
as well be fixed to the parent. A revolute joint about z hands its parent the mass, the first
moment along z and one of the two transverse moments of inertia; a sliding joint, which does not
turn, hands over all moments of inertia. What the first joint hands over rests on the ground and
is dropped. Torques are unchanged, and three to six of ten parameters a body are zero.

Exact in real arithmetic; in floats every constant moves by a rounding error. The result no longer
describes bodies (masses are zero, forces between links are not the real ones): it is for
computing joint torques only. Axes must lie along z, as `reframe` leaves them.
"""

import numpy as np

from ...spatial import Symmetric, Vector
from ..inertia import six_of, swing
from ..joint import WORLD, Row
from ..model import BodyInertia
from ..pose import LEFTOVER


def regroup(robot):
    """The bodies of a reframed robot with their masses regrouped: a list of BodyInertia."""
    mass = np.array([body.mass for body in robot.inertias])
    moment = [body.mass * np.array(body.com) for body in robot.inertias]
    inertia = [body.matrix + swing(body.mass, np.array(body.com)) for body in robot.inertias]
    scale = [abs(matrix).max() for matrix in inertia]  # of the numbers rounding errors come from
    for i in reversed(range(robot.n)):  # children first
        joint = robot.joints[i]
        if isinstance(joint, Row):  # it may move as it likes, and hands nothing over
            continue
        if joint.is_revolute:
            across = inertia[i][1, 1]
            handed = mass[i], moment[i] * (0, 0, 1), np.diag((across, across, 0.0))
            mass[i] = 0.0
        else:
            handed = 0.0, np.zeros(3), inertia[i]
        moment[i] = moment[i] - handed[1]
        inertia[i] = inertia[i] - handed[2]
        if joint.parent != WORLD:
            given = _seen_from_parent(joint.placement, *handed)
            mass[joint.parent] += given[0]
            moment[joint.parent] = moment[joint.parent] + given[1]
            inertia[joint.parent] = inertia[joint.parent] + given[2]
            scale[joint.parent] = max(scale[joint.parent], abs(given[2]).max())
    return [
        BodyInertia.about_frame(
            float(m), Vector(*_tidy(h, abs(h).max())), Symmetric(*_tidy(six_of(matrix), size))
        )
        for m, h, matrix, size in zip(mass, moment, inertia, scale, strict=True)
    ]


def _seen_from_parent(pose, mass, moment, inertia):
    turn, arm = np.array(pose.rotation), np.array(pose.translation)
    moment = turn @ moment
    mixed = 2 * (arm @ moment) * np.eye(3) - np.outer(arm, moment) - np.outer(moment, arm)
    inertia = turn @ inertia @ turn.T + mixed + swing(mass, arm)
    return mass, moment + mass * arm, inertia


def _tidy(values, scale):
    return tuple(0.0 if abs(v) < LEFTOVER * scale else float(v) for v in values)
