"""A robot's links over casadi.SX: the constants and rotations all recursions share."""

from dataclasses import dataclass

import casadi as ca
import numpy as np
import pinocchio as pin

EYE = ca.SX.eye(3)
SNAP = 1e-15


@dataclass(frozen=True)
class Link:
    """A body in its own frame, at the joint that carries it."""

    parent: int
    joint: int  # its column in q
    revolute: bool
    axis: ca.SX
    fixed: ca.SX  # rotation of the joint's frame in the parent's
    turn: ca.SX  # rotation by the joint
    arm: ca.SX  # origin in the parent's frame
    mass: float
    moment: ca.SX  # mass times centre of mass
    inertia: ca.SX  # about the origin

    def inward(self, x):
        """A vector (or the columns of a matrix) of the parent's frame in this one."""
        return self.turn.T @ (self.fixed.T @ x)

    def outward(self, x):
        """A vector of this frame in the parent's."""
        return self.fixed @ (self.turn @ x)

    def outward_tensor(self, A):
        """A 3x3 tensor of this frame in the parent's."""
        return self.outward(self.outward(A).T).T


def constant(x):
    """Numbers as SX. Entries within SNAP of an integer become that number, or SX would carry
    the rounding noise of the URDF reader (1e-17 for 0) as real terms."""
    x = np.asarray(x, float)
    return ca.sparsify(ca.SX(np.where(abs(x - x.round()) <= SNAP, x.round(), x)))


def links(model: pin.Model, q, fold: bool) -> dict[int, Link]:
    """Joint number -> link, parents first. `fold` multiplies the fixed and the joint's rotation
    before use; which is cheaper depends on the robot."""
    made = {}
    for i in range(1, model.njoints):
        k, joint = model.idx_vs[i], model.joints[i]
        kind = joint.shortname()
        along = np.eye(3)["XYZ".index(kind[-1])] if kind[-1] in "XYZ" else joint.extract().axis
        e, revolute = constant(along), kind.startswith("JointModelR")
        placement, body = model.jointPlacements[i], model.inertias[i]
        fixed, arm, turn = constant(placement.rotation), constant(placement.translation), EYE
        if revolute:
            ee = e @ e.T
            turn = ca.sparsify(ee + ca.cos(q[k]) * (EYE - ee) + ca.sin(q[k]) * ca.skew(e))
        else:
            arm += fixed @ e * q[k]
        if fold:
            fixed, turn = fixed @ turn, EYE
        m, c = body.mass, body.lever
        about_origin = body.inertia + m * (c @ c * np.eye(3) - np.outer(c, c))
        made[i] = Link(
            model.parents[i], k, revolute, e, fixed, turn, arm,
            m, constant(m * c), constant(about_origin),
        )  # fmt: skip
    return made
