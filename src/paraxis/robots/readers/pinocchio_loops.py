"""Pinocchio's rigid constraints as closed loops."""

import math
from dataclasses import replace

import numpy as np

from ...errors import RobotError
from ..frame import Frame
from ..loop import Loop
from ..text import naming
from .pinocchio_package import a_pose, pinocchio_package


def loops(constraints, bodies):
    """A loop of each; `bodies` has the index of the body here of each joint of Pinocchio."""
    names, found = set(), []
    for k, given in enumerate(constraints):
        with naming(f"constraints[{k}]"):
            loop = _loop(given, bodies, f"constraint{k}")
        while loop.name in names:
            loop = replace(loop, name=f"{loop.name}_")
        names.add(loop.name)
        found.append(loop)
    return found


def _loop(given, bodies, unnamed):
    pinocchio = pinocchio_package()
    if not isinstance(given, pinocchio.RigidConstraintModel):
        found = type(given).__name__
        raise RobotError(f"expected a pinocchio.RigidConstraintModel, found {found}")
    kinds = pinocchio.ContactType
    makers = {kinds.CONTACT_3D: Loop.connect, kinds.CONTACT_6D: Loop.weld}
    if given.type not in makers:
        raise RobotError(f"expected CONTACT_3D or CONTACT_6D, found {given.type}")
    if not given.desired_contact_placement.isIdentity(1e-12):
        raise RobotError("desired_contact_placement is not supported; put it into joint1_placement")
    name = given.name or unnamed
    sides = (
        (given.joint1_id, given.joint1_placement),
        (given.joint2_id, given.joint2_placement),
    )
    ends = [
        Frame(f"{name}.{k}", bodies[joint], a_pose(placement))
        for k, (joint, placement) in enumerate(sides, start=1)
    ]
    return _stabilised(makers[given.type](name, *ends), given)


def _stabilised(loop, given):
    """With Baumgarte's gains, where there are any: Kp = ω² and Kd = 2 ζ ω."""
    gains = getattr(given, "m_baumgarte_parameters", None) or given.corrector  # before Pinocchio 4
    kp, kd = float(np.max(gains.Kp)), float(np.max(gains.Kd))
    if kp <= 0 or kd <= 0:
        return loop
    return replace(loop, stabilisation=(math.sqrt(kp), kd / (2 * math.sqrt(kp))))
