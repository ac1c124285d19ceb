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


def _turning(joint):
    return pin.JointModelRevoluteUnaligned(*joint.axis)


def _universal(joint):
    return pin.JointModelUniversal(np.array(joint.axis), np.array(joint.second_axis))


def _planar(joint):
    assert tuple(joint.axis) == (0.0, 0.0, 1.0)  # Pinocchio's only plane
    return pin.JointModelPlanar()


KINDS = {
    "revolute": _turning,
    "continuous": _turning,
    "prismatic": lambda joint: pin.JointModelPrismaticUnaligned(*joint.axis),
    "universal": _universal,
    "spherical": lambda joint: pin.JointModelSpherical(),
    "planar": _planar,
    "free": lambda joint: pin.JointModelFreeFlyer(),
}


def model_of(robot):
    """The robot as Pinocchio's model, by Pinocchio's constructors."""
    model, number = pin.Model(), {WORLD: 0}
    model.gravity = pin.Motion(np.array(robot.gravity), np.zeros(3))
    for i in depth_first(robot):
        joint, body = robot.joints[i], robot.inertias[i]
        seat = placed(joint.placement)
        if joint.parent == WORLD:
            seat = placed(robot.base) * seat
        number[i] = model.addJoint(number[joint.parent], KINDS[joint.kind](joint), seat, joint.name)
        inertia = pin.Inertia(body.mass, np.array(body.com), body.matrix)
        model.appendBodyToJoint(number[i], inertia, pin.SE3.Identity())
    joints = [robot.joints[i] for i in depth_first(robot)]
    model.armature = np.array([joint.rotor_inertia for joint in joints for _ in range(joint.nv)])
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
        self.joints = [robot.joint_names.index(name) for name in list(self.model.names)[1:]]
        first_v = np.cumsum([0] + [joint.nv for joint in robot.joints])
        self.order = [k for i in self.joints for k in range(first_v[i], first_v[i + 1])]

    # -- one order of joints to the other ------------------------------------------------------

    def given(self, q, *rates):
        """A state in Pinocchio's order; an unlimited joint's position is (cos, sin) there."""
        rates = (rate[self.order] for rate in rates)
        return self.model, self.data, self.configuration(q), *rates

    def configuration(self, q):
        """A position in Pinocchio's order; the angle in a plane is (cos, sin) there, too."""
        first_q = np.cumsum([0] + [joint.nq for joint in self.robot.joints])
        configuration = np.empty(self.model.nq)
        for i, k in enumerate(self.joints, start=1):
            own, at = q[first_q[k] : first_q[k + 1]], self.model.idx_qs[i]
            if self.model.nqs[i] > len(own):
                own = [*own[:-1], np.cos(own[-1]), np.sin(own[-1])]
            configuration[at : at + len(own)] = own
        return configuration

    def row(self, values):
        result = np.empty(self.robot.nv)
        result[self.order] = values
        return result

    def matrix(self, values):
        result = np.empty((self.robot.nv, self.robot.nv))
        result[np.ix_(self.order, self.order)] = values
        return result

    def columns(self, values):
        result = np.empty((len(values), self.robot.nv))
        result[:, self.order] = values
        return result

    def forces(self, external_force):
        """(n, 6) moments and forces as Pinocchio takes them: the first on the ground."""
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero()])
        forces.extend([pin.Force(f[3:], f[:3]) for f in np.asarray(external_force)[self.joints]])
        return forces

    # -- dynamics ------------------------------------------------------------------------------

    def inverse_dynamics(self, q, qd, qdd, external_force=None):
        outside = () if external_force is None else (self.forces(external_force),)
        return self.row(pin.rnea(*self.given(q, qd, qdd), *outside))

    def joint_reactions(self, q, qd, qdd, external_force=None):
        self.inverse_dynamics(q, qd, qdd, external_force)
        reactions = np.empty((self.robot.n, 6))
        reactions[self.joints] = [[*f.angular, *f.linear] for f in list(self.data.f)[1:]]
        return reactions

    def motor_torques(self, q, qd, qdd):
        """Of robots whose joints have the friction a URDF can tell of, and no transmission."""
        dynamic = self.inverse_dynamics(q, qd, qdd)
        frictions = [j.friction for j in self.robot.joints for _ in range(j.nv)]
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

    def spring_torques(self, q):
        return np.zeros(self.robot.nv)  # Pinocchio has no springs

    def coriolis_matrix(self, q, qd):
        return self.matrix(pin.computeCoriolisMatrix(*self.given(q, qd)))

    def kinetic_energy(self, q, qd):
        """From Pinocchio's velocities: its own energy has some of the rotors but not all."""
        pin.forwardKinematics(*self.given(q, qd))
        bodies = zip(self.model.inertias, self.data.v, strict=True)
        rotors = [j.rotor_inertia for j in self.robot.joints for _ in range(j.nv)]
        return 0.5 * (sum(I.vtiv(v) for I, v in bodies) + np.dot(rotors, qd**2))

    def potential_energy(self, q):
        return pin.computePotentialEnergy(*self.given(q))

    def centre_of_mass(self, q):
        return pin.centerOfMass(*self.given(q)).copy()

    def centre_of_mass_jacobian(self, q):
        return self.columns(pin.jacobianCenterOfMass(*self.given(q)).reshape(3, -1))

    def centroidal_momentum(self, q, qd):
        momentum = pin.computeCentroidalMomentum(*self.given(q, qd))
        return np.concatenate((momentum.angular, momentum.linear))

    def centroidal_momentum_matrix(self, q):
        A = pin.computeCentroidalMap(*self.given(q))
        return self.columns(np.roll(A.reshape(6, -1), 3, axis=0))

    def centroidal_bias(self, q, qd):
        rate = pin.computeCentroidalMomentumTimeVariation(*self.given(q, qd, 0 * qd))
        return np.concatenate((rate.angular, rate.linear))

    # -- positions -----------------------------------------------------------------------------

    def positions(self, configuration):
        """A position of Pinocchio's in our order; an angle in (cos, sin) within half a turn."""
        parts = [None] * self.robot.n
        for i, k in enumerate(self.joints, start=1):
            at = self.model.idx_qs[i]
            own = configuration[at : at + self.model.nqs[i]]
            if len(own) > self.robot.joints[k].nq:
                own = [*own[:-2], np.arctan2(own[-1], own[-2])]
            parts[k] = own
        return np.concatenate(parts)

    def integrate(self, q, v):
        *_, at, way = self.given(q, v)
        return self.turns_of(q, v, self.positions(pin.integrate(self.model, at, way)))

    def difference(self, q0, q1):
        there = self.configuration(q1)
        found = self.row(pin.difference(self.model, self.configuration(q0), there))
        return self.turns_of(q1, -q0, found)

    def integrate_derivatives(self, q, v):
        *_, at, way = self.given(q, v)
        return tuple(map(self.matrix, pin.dIntegrate(self.model, at, way)))

    def difference_derivatives(self, q0, q1):
        ends = self.configuration(q0), self.configuration(q1)
        return tuple(map(self.matrix, pin.dDifference(self.model, *ends)))

    def turns_of(self, a, b, found):
        """Angles with as many whole turns as a + b has, which Pinocchio does not count."""
        if len(a) == len(b) == len(found):
            turns = np.round((a + b - found) / (2 * np.pi))
            unlimited = [joint.kind == "continuous" for joint in self.robot.joints]
            found = found + 2 * np.pi * turns * unlimited if len(found) == len(unlimited) else found
        return found

    def normalize(self, q):
        return self.positions(pin.normalize(self.model, self.configuration(q)))

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
        n, nv = self.robot.n, self.robot.nv
        theirs = pin.computeJointTorqueRegressor(*self.given(q, qd, qdd)).reshape(nv, n, 10)
        ours = np.empty((nv, n, 10))
        mine = np.ix_(self.order, self.joints, [0, 1, 2, 3, *(4 + k for k in SIX)])
        ours[mine] = theirs
        of_joint = np.repeat(np.arange(n), [joint.nv for joint in self.robot.joints])
        rotors = qdd[:, None] * (of_joint[:, None] == np.arange(n))
        return np.hstack((ours.reshape(nv, 10 * n), rotors))

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
