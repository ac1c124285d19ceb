"""One robot in several units: numbers of the same physics, for tests that compare results.

A unit that is L times smaller makes lengths L times larger numbers, and so on by dimension. What a
joint moves by, its rates and its torques are angles and torques or lengths and forces, so that
arrays (..., n) have a dimension for each joint.
"""

from dataclasses import dataclass, replace

import numpy as np

from paraxis.robots import Inertia, JournalBearing, LinearBearing, Spring, ThrustBearing


@dataclass(frozen=True)
class Units:
    """How many of the new units a metre, a kilogram and a second are."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    def of(self, length=0, mass=0, time=0):
        """The factor of a number with this dimension."""
        return self.length**length * self.mass**mass * self.time**time

    @property
    def force(self):
        return self.of(1, 1, -2)

    @property
    def torque(self):
        return self.of(2, 1, -2)

    # -- arrays of a robot --------------------------------------------------------------------

    def joints(self, robot, rates=0):
        """Factors (n,) of positions, or of their derivatives by time."""
        each = [self.of(0 if joint.is_revolute else 1, 0, -rates) for joint in robot.joints]
        return np.array(each)

    def torques(self, robot):
        """Factors (n,) of torques and forces."""
        return np.array([self.torque if j.is_revolute else self.force for j in robot.joints])

    def masses(self, robot):
        """Factors (n, n) of a mass matrix."""
        return self.torques(robot)[:, None] / self.joints(robot, 2)

    def twist(self, rates=1):
        """Factors (6,) of a velocity, or of its derivative."""
        return np.repeat([self.of(0, 0, -rates), self.of(1, 0, -rates)], 3)

    def wrench(self):
        return np.repeat([self.torque, self.force], 3)

    def pose(self):
        """Factors (4, 4)."""
        factors = np.ones((4, 4))
        factors[:3, 3] = self.length
        return factors

    # -- the robot ----------------------------------------------------------------------------

    def robot(self, robot):
        """The same one."""
        return replace(
            robot,
            joints=tuple(self._joint(joint) for joint in robot.joints),
            inertias=tuple(map(self.inertia, robot.inertias)),
            frames=tuple(replace(f, pose=self.placed(f.pose)) for f in robot.frames),
            gravity=tuple(self.of(1, 0, -2) * g for g in robot.gravity),
            base=self.placed(robot.base),
            warn=False,
        )

    def placed(self, pose):
        return replace(pose, translation=tuple(self.length * x for x in pose.translation))

    def inertia(self, body):
        com, moments = np.array(body.com), np.array(body.about_com)
        return Inertia(
            self.mass * body.mass,
            tuple((self.length * com).tolist()),
            tuple((self.of(2, 1) * moments).tolist()),
        )

    def _joint(self, joint):
        turns = joint.is_revolute
        position, torque = (1.0, self.torque) if turns else (self.length, self.force)
        rate = position / self.time
        moment = self.of(2, 1) if turns else self.mass
        friction = replace(
            joint.friction,
            bearings=tuple(map(self._bearing, joint.friction.bearings)),
            viscous=torque / rate * joint.friction.viscous,
            coulomb=torque * joint.friction.coulomb,
            static=torque * joint.friction.static,
            stribeck_velocity=rate * joint.friction.stribeck_velocity,
            smoothing=rate * joint.friction.smoothing,
        )
        spring = joint.spring and Spring(
            torque / position * joint.spring.stiffness, position * joint.spring.reference
        )
        gear = joint.transmission  # the motor of a slide is one, too: its ratio has no unit
        rated = gear.rated_torque
        transmission = replace(
            gear,
            break_away=torque * gear.break_away,
            rotor_inertia=moment * gear.rotor_inertia,
            torque_limit=torque * gear.torque_limit,
            rated_torque=None if rated is None else torque * rated,
        )
        return replace(
            joint,
            placement=self.placed(joint.placement),
            lower=position * joint.lower,
            upper=position * joint.upper,
            max_velocity=rate * joint.max_velocity,
            max_effort=torque * joint.max_effort,
            rotor_inertia=moment * joint.rotor_inertia,
            friction=friction,
            spring=spring,
            transmission=transmission,
        )

    def _bearing(self, bearing):
        if isinstance(bearing, JournalBearing):
            return replace(
                bearing, radius=self.length * bearing.radius, length=self.length * bearing.length
            )
        if isinstance(bearing, LinearBearing):
            return replace(bearing, length=self.length * bearing.length)
        assert isinstance(bearing, ThrustBearing)
        return replace(bearing, radius=self.length * bearing.radius)


METRES = Units()
MILLIMETRES = Units(length=1e3, mass=1e6)  # and milligrams
KILOMETRES = Units(length=1e-3, mass=1e-3)  # and tonnes
