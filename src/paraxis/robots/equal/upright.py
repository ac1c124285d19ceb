"""A model in body frames whose z is their joint's axis: a joint's directions are coordinates there.

The frames only turn: origins stay where they are. What was an input of the model is turned where it
is used, so it may still be one. Exact in real arithmetic.
"""

from copy import copy
from dataclasses import replace

import numpy as np

from ...spatial import ZERO3, Rotation, Spatial, Vector
from ..joint import WORLD
from ..model import BodyInertia, JointGeometry
from ..pose import Pose
from ..seat import align_z

UP = (0.0, 0.0, 1.0)


def upright(model):
    """The same model, its bodies in frames that stand on their joints."""
    turns = {i: align_z(joint.axis) for i, joint in enumerate(model.robot.joints)}
    turns[WORLD] = np.eye(3)
    back = {i: Rotation(*turn.T.tolist()) for i, turn in turns.items()}
    other, z = copy(model), Vector(*UP)
    other.axis = [z] * model.n
    other.subspace = [
        Spatial(z, ZERO3) if revolute else Spatial(ZERO3, z) for revolute in model.is_revolute
    ]
    other.inertia = [_turned_body(back[i], body) for i, body in enumerate(model.inertia)]
    other.external_force = [
        Spatial(back[i] @ force.angular, back[i] @ force.linear)
        for i, force in enumerate(model.external_force)
    ]
    other._joints = [
        _turned_joint(geometry, turns[p].T, turns[i], back[p])
        for (i, p), geometry in zip(model.outward, model._joints, strict=True)
    ]
    return other


def upright_frame(robot, frame):
    """The same frame of the robot, given in the upright frame of its body."""
    if frame.body == WORLD:
        return frame
    turn = Pose.of(align_z(robot.joints[frame.body].axis), ZERO3)
    return replace(frame, pose=turn.inverse() @ frame.pose)


def _turned_body(back, body):
    return BodyInertia(body.mass, back @ body.com, back.tensor(body.about_com).scalars())


def _turned_joint(geometry, parent_back, turn, back):
    joint = geometry.joint
    rotation = parent_back @ np.array(joint.placement.rotation) @ turn
    seat = Pose.of(rotation, joint.placement.translation)  # the origin may be an input: not here
    return JointGeometry(replace(joint, axis=UP, placement=seat), back @ geometry.origin)
