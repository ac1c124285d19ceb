"""What Pinocchio says of every function of a robot, in the conventions of Paraxis.

Joints stand in the robot's own order, angular parts first, bases where the robot says, and rotors
count in every energy. Pinocchio's own order must be depth first: its mass matrix and derivatives
are silently wrong otherwise.
"""

import numpy as np
import pinocchio as pin

from paraxis.robots import Transmission
from paraxis.robots.joint import WORLD

AXES = {"world": pin.LOCAL_WORLD_ALIGNED, "body": pin.LOCAL}
# Pinocchio's order of a symmetric matrix, xx xy yy xz yz zz, as places in ours
SIX = [0, 3, 1, 4, 5, 2]


def model_of(robot):
    """The robot as Pinocchio's model, by Pinocchio's constructors."""
    model, number = pin.Model(), {WORLD: 0}
    model.gravity = pin.Motion(np.array(robot.gravity), np.zeros(3))
    for i in depth_first(robot):
        joint, body = robot.joints[i], robot.inertias[i]
        turning, sliding = pin.JointModelRevoluteUnaligned, pin.JointModelPrismaticUnaligned
        kind = turning if joint.is_revolute else sliding
        seat = placed(joint.placement)
        if joint.parent == WORLD:
            seat = placed(robot.base) * seat
        number[i] = model.addJoint(number[joint.parent], kind(*joint.axis), seat, joint.name)
        inertia = pin.Inertia(body.mass, np.array(body.com), body.matrix)
        model.appendBodyToJoint(number[i], inertia, pin.SE3.Identity())
    model.armature = np.array([robot.joints[i].rotor_inertia for i in depth_first(robot)])
    for frame in robot.frames:
        pose = placed(frame.pose)
        pose = placed(robot.base) * pose if frame.body == WORLD else pose
        model.addFrame(pin.Frame(frame.name, number[frame.body], pose, pin.FrameType.BODY))
    return model


def depth_first(robot):
    """The joints, each followed by all that it carries."""
    order, stack = [], [WORLD]
    while stack:
        body = stack.pop()
        order += [body] if body != WORLD else []
        stack += [i for i in range(robot.n) if robot.joints[i].parent == body]
    return order


def placed(pose):
    return pin.SE3(np.array(pose.rotation), np.array(pose.translation))


class Reference:
    """One robot in Pinocchio: a method for each function, of one state."""

    def __init__(self, robot, model=None):
        self.robot, self.model = robot, model or model_of(robot)
        self.data = self.model.createData()
        self.order = [robot.joint_names.index(name) for name in list(self.model.names)[1:]]

    # -- one order of joints to the other ------------------------------------------------------

    def given(self, q, *rates):
        """A state in Pinocchio's order; an unlimited joint's position is (cos, sin) there."""
        configuration = np.empty(self.model.nq)
        for i in range(1, self.model.njoints):
            angle, k = q[self.order[self.model.idx_vs[i]]], self.model.idx_qs[i]
            if self.model.nqs[i] == 1:
                configuration[k] = angle
            else:
                configuration[k : k + 2] = np.cos(angle), np.sin(angle)
        return self.model, self.data, configuration, *(rate[self.order] for rate in rates)

    def row(self, values):
        result = np.empty(self.robot.n)
        result[self.order] = values
        return result

    def matrix(self, values):
        result = np.empty((self.robot.n, self.robot.n))
        result[np.ix_(self.order, self.order)] = values
        return result

    def columns(self, values):
        result = np.empty((len(values), self.robot.n))
        result[:, self.order] = values
        return result

    def forces(self, external_force):
        """(n, 6) moments and forces as Pinocchio takes them: the first on the ground."""
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero()])
        forces.extend([pin.Force(f[3:], f[:3]) for f in np.asarray(external_force)[self.order]])
        return forces

    # -- dynamics ------------------------------------------------------------------------------

    def inverse_dynamics(self, q, qd, qdd, external_force=None):
        outside = () if external_force is None else (self.forces(external_force),)
        return self.row(pin.rnea(*self.given(q, qd, qdd), *outside))

    def joint_reactions(self, q, qd, qdd, external_force=None):
        self.inverse_dynamics(q, qd, qdd, external_force)
        reactions = np.empty((self.robot.n, 6))
        reactions[self.order] = [[*f.angular, *f.linear] for f in list(self.data.f)[1:]]
        return reactions

    def motor_torques(self, q, qd, qdd):
        """Of robots whose joints have the friction a URDF can tell of, and no transmission."""
        dynamic = self.inverse_dynamics(q, qd, qdd)
        frictions = [joint.friction for joint in self.robot.joints]
        assert not any(friction.bearings for friction in frictions)
        assert all(joint.transmission == Transmission() for joint in self.robot.joints)
        friction = np.array([each.viscous for each in frictions]) * qd
        friction += np.array([each.coulomb for each in frictions]) * np.sign(qd)
        return dynamic, friction, dynamic + friction, 0 * qd, dynamic + friction

    def forward_dynamics(self, q, qd, tau, external_force=None):
        outside = () if external_force is None else (self.forces(external_force),)
        return self.row(pin.aba(*self.given(q, qd, tau), *outside))

    def mass_matrix(self, q):
        pin.crba(*self.given(q))
        return self.matrix(symmetric(self.data.M))

    def mass_matrix_inverse(self, q):
        pin.computeMinverse(*self.given(q))
        return self.matrix(symmetric(self.data.Minv))

    def bias_forces(self, q, qd):
        return self.row(pin.nonLinearEffects(*self.given(q, qd)))

    def gravity_torques(self, q):
        return self.row(pin.computeGeneralizedGravity(*self.given(q)))

    def coriolis_matrix(self, q, qd):
        return self.matrix(pin.computeCoriolisMatrix(*self.given(q, qd)))

    def kinetic_energy(self, q, qd):
        """From Pinocchio's velocities: its own energy has some of the rotors but not all."""
        pin.forwardKinematics(*self.given(q, qd))
        bodies = zip(self.model.inertias, self.data.v, strict=True)
        rotors = [joint.rotor_inertia for joint in self.robot.joints]
        return 0.5 * (sum(I.vtiv(v) for I, v in bodies) + np.dot(rotors, qd**2))

    def potential_energy(self, q):
        return pin.computePotentialEnergy(*self.given(q))

    def centre_of_mass(self, q):
        return pin.centerOfMass(*self.given(q)).copy()

    # -- derivatives ---------------------------------------------------------------------------

    def inverse_dynamics_derivatives(self, q, qd, qdd, external_force=None):
        outside = () if external_force is None else (self.forces(external_force),)
        pin.computeRNEADerivatives(*self.given(q, qd, qdd), *outside)
        return self.matrix(self.data.dtau_dq), self.matrix(self.data.dtau_dv)

    def forward_dynamics_derivatives(self, q, qd, tau, external_force=None):
        outside = () if external_force is None else (self.forces(external_force),)
        pin.computeABADerivatives(*self.given(q, qd, tau), *outside)
        slopes = self.data.ddq_dq, self.data.ddq_dv, symmetric(self.data.Minv)
        return tuple(self.matrix(slope) for slope in slopes)

    def regressor(self, q, qd, qdd):
        """Pinocchio's has no columns for rotors: their torques are rotor inertia times qdd."""
        n = self.robot.n
        theirs = pin.computeJointTorqueRegressor(*self.given(q, qd, qdd)).reshape(n, n, 10)
        ours = np.empty((n, n, 10))
        mine = np.ix_(self.order, self.order, [0, 1, 2, 3, *(4 + k for k in SIX)])
        ours[mine] = theirs
        return np.hstack((ours.reshape(n, 10 * n), np.diag(qdd)))

    # -- frames --------------------------------------------------------------------------------

    def frame_poses(self, q):
        return np.array([self.forward_kinematics(q, frame) for frame in self.robot.frame_names])

    def forward_kinematics(self, q, frame):
        pin.framesForwardKinematics(*self.given(q))
        return self.data.oMf[self.number(frame)].homogeneous

    def jacobian(self, q, frame, coordinates="world"):
        J = pin.computeFrameJacobian(*self.given(q), self.number(frame), AXES[coordinates])
        return self.columns(np.roll(J.reshape(6, -1), 3, axis=0))

    def bias_acceleration(self, q, qd, frame, coordinates="world"):
        """In the world of the point itself; in the body's own coordinates they are what changes."""
        pin.forwardKinematics(*self.given(q, qd, 0 * qd))
        of_point, of_coordinates = pin.getFrameClassicalAcceleration, pin.getFrameAcceleration
        of = of_point if coordinates == "world" else of_coordinates
        a = of(self.model, self.data, self.number(frame), AXES[coordinates])
        return np.concatenate((a.angular, a.linear))

    def operational_space_inertia(self, q, frame, coordinates="world"):
        return np.linalg.inv(self.operational_space_inertia_inverse(q, frame, coordinates))

    def operational_space_inertia_inverse(self, q, frame, coordinates="world"):
        J = self.jacobian(q, frame, coordinates)
        return J @ np.linalg.solve(self.mass_matrix(q), J.T)

    def number(self, frame):
        return self.model.getFrameId(frame, pin.FrameType.BODY)


def symmetric(upper):
    """Pinocchio fills the upper triangle only."""
    return np.triu(upper) + np.triu(upper, 1).T
