"""Simulated robots whose bearings and transmissions take a part of what their motors give.

The direction of motion is the smooth q̇ / √(q̇² + smoothing²), so that all friction of a joint is a
drag times its rate, and a joint that would stick creeps, at up to a few times its smoothing:

    ratio * motor = dynamic + drag * q̇,   drag = (loss in gears + dry friction) / √(...) + viscous

Dry friction over so small a rate is a stiff drag. Semi-implicit Euler therefore drags the rate
after the step, q̇ + dt q̈, which no dt makes unstable: to the inertia that a joint feels comes
dt * drag. Bearings feel reactions, which depend on q̈: their robots' accelerations are found by a
few steps of Newton's method, from the loads at q̈ = 0, and what is missing then is given back.
Everything depends on the state alone, so that a run can be cut and continued.
"""

from functools import partial

from .. import api
from ..algorithms.elimination import solve_linear
from ..algorithms.joint_friction import dry_friction
from ..algorithms.massless import require_inertia
from ..algorithms.modified_newton_euler import torques_and_reactions
from ..algorithms.transmission_friction import loss_in_motion
from ..algorithms.transmission_inverse import torque_at_joint
from ..backends.llvm.kernel import compile_kernel
from ..functions import input_shapes
from ..graph.derivative import jacobian
from ..graph.splice import splice
from ..graph.trace import trace
from ..program import work
from ..robot.model import Model, parameter_values
from ..scalar import maximum, sqrt
from .smooth_friction import with_full_peak

STEPS = 4  # of Newton's method; they leave about 1e-12 with bearings far from jamming


def feels_reactions(robot):
    """Does a bearing make its accelerations depend on themselves?"""
    return any(joint.friction.bearings for joint in robot.joints)


class Losses:
    """Accelerations of a robot under torques of its motors, over traced scalars."""

    def __init__(self, robot, parameters=()):
        self.robot, self.parameters = robot, tuple(parameters)
        self._joints = [with_full_peak(joint) for joint in robot.joints]
        if feels_reactions(robot):
            shapes = {each: (robot.nv,) for each in ("q", "qd", "qdd", "motor")} | {"dt": ()}
            self._missing = trace(self._balance, shapes | self._parameter_shapes, "losses")
            self._slope = jacobian(self._missing, {"slope": ("missing", "qdd")})

    def accelerations(self, q, qd, motor, dt=None, **given):
        """The accelerations, and what torque is missing, as max|Δ| / max(1, max|torque|).

        With dt the drag is that of the rates a time dt later.
        """
        if feels_reactions(self.robot):
            return self._by_newton(q, qd, motor, 0.0 if dt is None else dt, given)
        drags = self._drags(qd, motor)
        each = zip(self._driving(motor), drags, qd, strict=True)
        torques = [torque - drag * rate for torque, drag, rate in each]
        if dt is not None:
            rotors = given.get("rotor_inertia", parameter_values(self.robot, "rotor_inertia"))
            own = zip(rotors, drags, strict=True)
            given = given | {"rotor_inertia": [rotor + dt * drag for rotor, drag in own]}
        return api.forward_dynamics(self.robot, q, qd, torques, **given), 0.0

    def _by_newton(self, q, qd, motor, dt, given):
        qdd = [0.0] * self.robot.nv
        for _ in range(STEPS):
            arrays = (q, qd, qdd, motor, dt, *given.values())
            (missing,), (slope,) = splice(self._missing, arrays), splice(self._slope, arrays)
            change = solve_linear(slope, missing, partial(require_inertia, Model(self.robot)))
            qdd = [a - b for a, b in zip(qdd, change, strict=True)]
        (missing,) = splice(self._missing, (q, qd, qdd, motor, dt, *given.values()))
        largest, scale = 0.0, 1.0
        for error, torque in zip(missing, self._driving(motor), strict=True):
            largest, scale = maximum(abs(error), largest), maximum(abs(torque), scale)
        return qdd, largest / scale

    def _balance(self, q, qd, qdd, motor, dt, **given):
        dynamic, reactions = torques_and_reactions(Model(self.robot, given), q, qd, qdd)
        missing = []
        for i, drag in enumerate(self._drags(qd, motor, reactions)):
            missing.append(dynamic[i] + drag * (qd[i] + dt * qdd[i]))
        driving = self._driving(motor)
        return {"missing": [a - b for a, b in zip(missing, driving, strict=True)]}

    def _driving(self, motor):
        each = zip(motor, self.robot.joints, strict=True)
        return [torque * joint.transmission.ratio for torque, joint in each]

    def _drags(self, qd, motor, reactions=None):
        """The friction of each joint over its rate; bearings need the reactions."""
        drags = []
        for i, joint in enumerate(self._joints):
            friction, gears = joint.friction, joint.transmission
            steepness = 1.0 / sqrt(qd[i] * qd[i] + friction.smoothing * friction.smoothing)
            dry = dry_friction(joint, reactions and reactions[i], qd[i])
            if not gears.is_ideal:
                direction = qd[i] * steepness
                at_joint = torque_at_joint(gears, motor[i], direction)
                dry = dry + loss_in_motion(gears, at_joint, direction)
            drags.append(steepness * dry + friction.viscous)
        return drags

    @property
    def _parameter_shapes(self):
        shapes = input_shapes(self.robot, "forward_dynamics", self.parameters)
        return {name: shapes[name] for name in self.parameters}

    def kernel(self, implicit):
        """`accelerations` of arrays q, qd, motor, dt where it is implicit, and parameters."""
        shapes = {each: (self.robot.nv,) for each in ("q", "qd", "motor")}
        shapes |= {"dt": ()} if implicit else {}

        def run(**arrays):
            return dict(zip(("qdd", "missing"), self.accelerations(**arrays), strict=True))

        shapes |= self._parameter_shapes
        identity = f"{self.robot.digest} losses {shapes}"
        return compile_kernel(identity, lambda: trace(run, shapes, "losses"), work)
