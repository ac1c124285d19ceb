"""A model in body frames whose z is their joint's axis: a joint's directions are coordinates there.

It has one body per joint, also where the joint has several rows (robots/rows.py): these are
directions of one joint here. The frames only turn: origins stay where they are. What was an input
of the model is turned where it is used, so it may still be one. Exact in real arithmetic.
"""

from dataclasses import replace

import numpy as np

from ...checks import quoted
from ...errors import ArgumentError
from ...spatial import ZERO3, Rotation, Spatial, Transform, Turn
from ..joint import SINGLE, WORLD, Row
from ..model import BodyInertia, JointGeometry, is_identity
from ..pose import Pose
from ..seat import align_z

UP = (0.0, 0.0, 1.0)


# kind -> the coordinates of 6-D vectors, angular first, in which its rows move the body
ANGULAR, LINEAR = (0, 1, 2), (3, 4, 5)
DIRECTIONS = dict.fromkeys(SINGLE, (2,)) | {
    "prismatic": (5,),
    "planar": (3, 4, 2),
    "spherical": ANGULAR,
    "free": LINEAR + ANGULAR,
}


class UprightModel:
    """What algorithms on links need of a model; body and joint i are those of the description.

    - `directions`: for each joint, pairs of a row and the coordinate in which it moves the body.
    - `rows`: the model it was made from.
    """

    def __init__(self, model):
        robot = model.described
        self.rows, self.robot, self.described = model, robot, robot
        self.n, self.nv, self.path = robot.n, model.nv, robot.path
        self.outward = [(i, joint.parent) for i, joint in enumerate(robot.joints)]
        for name in ("gravity", "base_turn", "base_origin", "base_velocity", "base_acceleration"):
            setattr(self, name, getattr(model, name))
        groups = model.robot.groups
        self.directions = [
            [*zip(rows, DIRECTIONS[joint.kind], strict=True)]
            for joint, rows in zip(robot.joints, groups, strict=True)
        ]
        self.rotor_inertia = model.rotor_inertia
        first = [model.robot.joints[rows[0]] for rows in groups]
        turns = {i: _axes(joint) for i, joint in enumerate(first)} | {WORLD: np.eye(3)}
        back = {i: Rotation(*turn.T.tolist()) for i, turn in turns.items()}
        bodies = model.robot.gathered(model.inertia)
        forces = model.robot.gathered(model.external_force)
        self.inertia = [_turned_body(back[i], body) for i, body in enumerate(bodies)]
        self.external_force = [
            Spatial(back[i] @ force.angular, back[i] @ force.linear)
            for i, force in enumerate(forces)
        ]
        self._joints = [
            _turned_joint(model._joints[rows[0]], turns[p], turns[i], back[p])
            for (i, p), rows in zip(self.outward, groups, strict=True)
        ]
        self._places = [model._places[rows[0]] for rows in groups]

    def transform(self, i, q):
        """Body i in its parent's frame when the joints are at q."""
        return self._joints[i].transform(q[self._places[i]])

    def along(self, i, each):
        """The Spatial of what each row of joint i has, such as its velocity."""
        six = [0.0] * 6
        for row, k in self.directions[i]:
            six[k] = each[row]
        return Spatial.of(six)


def upright(model, algorithm):
    """The same model, its bodies in frames that stand on their joints."""
    for joint in model.described.joints:
        if joint.kind not in DIRECTIONS or joint.coupling:
            kind = "coupled" if joint.coupling else joint.kind
            raise ArgumentError(
                f"algorithm {algorithm!r} takes joints whose directions are coordinates of their "
                f"body's frame, but joint {quoted(joint.name)} is {kind}; use articulated_body"
            )
    return UprightModel(model)


def upright_frame(robot, frame):
    """The same frame of a robot's rows, given in the upright frame of its body."""
    if frame.body == WORLD:
        return frame
    link = next(i for i, rows in enumerate(robot.groups) if frame.body in rows)
    turn = Pose.of(_axes(robot.joints[robot.groups[link][0]]), ZERO3)
    return replace(frame, body=link, pose=turn.inverse() @ frame.pose)


def _axes(joint):
    """By columns, those of a frame in which the joint's directions are coordinates."""
    if isinstance(joint, Row):
        return np.eye(3) if joint.frame is None else np.array(joint.frame)
    return align_z(joint.axis)


def _turned_body(back, body):
    return BodyInertia(body.mass, back @ body.com, back.tensor(body.about_com).scalars())


def _turned_joint(geometry, parent, turn, back):
    joint = geometry.joint
    if isinstance(joint, Row):
        return TurnedRow(geometry, back, Rotation(*turn.tolist()))
    rotation = parent.T @ np.array(joint.placement.rotation) @ turn
    seat = Pose.of(rotation, joint.placement.translation)  # the origin may be an input: not here
    return JointGeometry(replace(joint, axis=UP, placement=seat), back @ geometry.origin)


class TurnedRow:
    """The transform of a joint that has several rows, between frames that are turned."""

    def __init__(self, geometry, back, turn):
        self.geometry, self.back = geometry, back
        self.before, self.after = (() if is_identity(each) else (each,) for each in (back, turn))

    def transform(self, q):
        X = self.geometry.transform(q)
        return Transform(Turn(*self.before, *X.turn.factors, *self.after), self.back @ X.origin)
