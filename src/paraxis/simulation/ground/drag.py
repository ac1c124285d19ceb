"""Friction of joints in a step on the ground, as drag at the rates after the step.

A joint's friction at rate v is B v, with B = viscous + dry / √(v² + smoothing²). B is that of the
rate before the step, v that after it: the step stays linear in the new rates, friction never makes
energy, however long the step is, and a joint that would stick creeps, as in other simulations.
"""

from ...checks import quoted
from ...errors import ArgumentError
from ...physics.friction.joint_friction import stribeck
from ...physics.friction.shared_friction import driven_rows, shared_friction
from ...robots.rows import rows_of
from ...scalar import sqrt
from ..smooth_friction import with_full_peak


class Drag:
    """Of the joints of a robot, whose friction must not depend on loads."""

    def __init__(self, robot):
        joints = [with_full_peak(joint) for joint in driven_rows(robot)]
        for joint in joints:
            if joint.friction.bearings or not joint.transmission.is_ideal:
                what = "bearings" if joint.friction.bearings else "a transmission with losses"
                raise ArgumentError(
                    f"joint {quoted(joint.name)} has {what}, whose friction depends on loads; a "
                    f"simulation on the ground does not support it: use robot.without_friction()"
                )
        if shared_friction(robot):
            raise ArgumentError(
                f"robot {quoted(robot.name)} has friction that several joints share, which a "
                f"simulation on the ground does not support; use robot.without_friction()"
            )
        self.ratios = rows_of(robot).ratios
        self.frictions = [joint.friction for joint in joints]

    def acting(self, qd, motor):
        """Torques at joints, friction at the rates before the step included, and B: together what
        `GroundStep.prepare` takes as tau and drag."""
        drag = [_coefficient(own, rate) for own, rate in zip(self.frictions, qd, strict=True)]
        each = zip(motor, self.ratios, drag, qd, strict=True)
        return [torque * ratio - b * rate for torque, ratio, b, rate in each], drag


def _coefficient(friction, rate):
    dry = stribeck(friction, rate)
    if not friction.static and not friction.coulomb:
        return friction.viscous
    return friction.viscous + dry / sqrt(rate * rate + friction.smoothing**2)
