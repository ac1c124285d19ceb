"""Simulated robots with losses in bearings and transmissions.

The direction of motion is the smooth rate / √(rate² + smoothing²), so that a joint that would stick
creeps, at up to a few times its smoothing. What its motor brings to a joint, less all friction, is
its net torque; balance.py finds the accelerations that go with it. Dry friction over so small a
smoothing is stiff: semi-implicit Euler therefore takes all losses at the rates after the step.
Everything depends on the state alone, so that a run can be cut and continued.
"""

from functools import partial

from .. import api
from ..body import Body
from ..checks import quoted
from ..errors import ArgumentError
from ..graph.derivative import jacobian
from ..graph.splice import splice
from ..graph.trace import trace
from ..physics.friction.joint_friction import along_joint, resistance, stribeck
from ..physics.friction.shared_friction import driven_rows, felt, shared_friction
from ..physics.friction.transmission_inverse import torque_at_joint
from ..physics.modified_newton_euler import torques_and_reactions
from ..robot_functions import input_shapes
from ..robots.model import Model
from ..robots.rows import rows_of
from ..scalar import sqrt
from ..targets.target import CPU
from .balance import balanced
from .smooth_friction import with_full_peak


class Losses:
    """Accelerations of a robot under torques of its motors, over traced scalars."""

    def __init__(self, robot, parameters=()):
        self.robot, self.parameters = robot, tuple(parameters)
        self.joints = [with_full_peak(joint) for joint in driven_rows(robot)]
        self.shared = [with_full_peak(each) for each in shared_friction(robot)]
        self._still = [0.0] * robot.nv
        each = {name: (robot.nv,) for name in ("rate", "motor", "resistance")}
        self._net = trace(self._net_torques, each, "net_torques")
        self._net_slope = jacobian(self._net, {"slope": ("net", "rate")})
        self.feels_reactions = robot.has_bearings
        if self.feels_reactions:
            motion = {"q": (robot.nq,), "qd": (robot.nv,), "qdd": (robot.nv,)}
            motion |= self._parameter_shapes
            self._resistance = trace(self._resistances, motion, "resistances")
            self._resistance_slope = jacobian(self._resistance, {"slope": ("resistance", "qdd")})

    def accelerations(self, q, qd, motor, dt=None, beside=None, **given):
        """The accelerations, and the missing torque, relative to the parts that make up a torque.

        With dt, losses are those at the rates a time dt later. `beside` are torques at the joints
        that pass no transmission.
        """
        beside = self._still if beside is None else beside
        if dt is None and not self.feels_reactions:
            net = [a + b for a, b in zip(self.at_joints(qd, motor), beside, strict=True)]
            return api.forward_dynamics(self.robot, q, qd, net, **given), 0.0
        return balanced(self, q, qd, motor, dt, beside, given)

    def at_joints(self, qd, motor):
        """The net torques at these rates, of a robot without bearings."""
        return self._less_shared(self._net_torques(qd, motor, self._still)["net"], qd)

    def driving(self, motor):
        """What the motors would bring to their joints without losses."""
        return [
            torque * each for torque, each in zip(motor, rows_of(self.robot).ratios, strict=True)
        ]

    def directions(self, rate):
        smoothing = [joint.friction.smoothing for joint in self.joints]
        each = zip(rate, smoothing, strict=True)
        return [_direction(own, fade) for own, fade in each]

    def net_torques(self, rate, motor, resistance):
        """The net torques, and the slope of each by its own rate."""
        arrays = (rate, motor, resistance)
        (net,), (slope,) = splice(self._net, arrays), splice(self._net_slope, arrays)
        return self._less_shared(net, rate), [slope[i][i] for i in range(len(net))]

    def shared_drag(self):
        """The slope by all rates of what friction takes that several joints share."""
        for each in self.shared:
            if each.is_dry:
                raise ArgumentError(
                    f"dry friction of {quoted(each.name)}, which several joints feel, cannot be "
                    "taken at the rates after a step; use method 'rk4' or 'adaptive'"
                )
        drags, n = [each.friction.viscous for each in self.shared], self.robot.nv
        felt_by = [dict(each.arms) for each in self.shared]
        return [
            [
                sum(d * a.get(i, 0.0) * a.get(j, 0.0) for d, a in zip(drags, felt_by, strict=True))
                for j in range(n)
            ]
            for i in range(n)
        ]

    def _less_shared(self, net, rate):
        if not self.shared:
            return net
        rates = [each.rate(rate) for each in self.shared]
        forces = [
            each.force(own, _direction(own, each.friction.smoothing))
            for each, own in zip(self.shared, rates, strict=True)
        ]
        pairs = zip(net, felt(self.shared, forces, self.robot.nv), strict=True)
        return [torque - taken for torque, taken in pairs]

    def resistances(self, q, qd, qdd, given):
        """What bearings take of each joint, and its slope by all accelerations."""
        if not self.feels_reactions:
            return self._still, [self._still] * self.robot.nv
        arrays = (q, qd, qdd, *given.values())
        (taken,), (slope,) = (
            splice(self._resistance, arrays),
            splice(self._resistance_slope, arrays),
        )
        return taken, slope

    def _net_torques(self, rate, motor, resistance):
        net = []
        for i, direction in enumerate(self.directions(rate)):
            friction, gears = self.joints[i].friction, self.joints[i].transmission
            dry = stribeck(friction, rate[i]) + resistance[i]
            at_joint = torque_at_joint(gears, motor[i], direction)
            net.append(at_joint - direction * dry - rate[i] * friction.viscous)
        return {"net": net}

    def _resistances(self, q, qd, qdd, **given):
        model = Model(rows_of(self.robot), given)
        qdd = model.rows_accelerations(qd, qdd)
        _, reactions = torques_and_reactions(model, q, qd, qdd)
        taken = []
        for joint, reaction in zip(self.joints, reactions, strict=True):
            own, bearings = along_joint(joint, reaction), joint.friction.bearings
            taken.append(sum((resistance(bearing, own) for bearing in bearings), 0.0))
        return {"resistance": taken}

    @property
    def _parameter_shapes(self):
        shapes = input_shapes(self.robot, "forward_dynamics", self.parameters)
        return {name: shapes[name] for name in self.parameters}

    def kernel(self, implicit, beside=False):
        """`accelerations` of arrays q, qd, motor, dt where it is implicit, `beside` where there are
        such torques, and parameters."""
        shapes = {"q": (self.robot.nq,), "qd": (self.robot.nv,), "motor": (self.robot.nv,)}
        shapes |= {"dt": ()} if implicit else {}
        shapes |= {"beside": (self.robot.nv,)} if beside else {}
        shapes |= self._parameter_shapes
        run = partial(_accelerations, self.robot, tuple(self.parameters))
        return CPU.map(Body(trace, run, shapes, "losses"))


def _direction(rate, smoothing):
    return rate / sqrt(rate * rate + smoothing * smoothing)  # `**` may overflow


def _accelerations(robot, parameters, **arrays):
    found = Losses(robot, parameters).accelerations(**arrays)
    return dict(zip(("qdd", "missing"), found, strict=True))
