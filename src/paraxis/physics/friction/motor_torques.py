"""The torques of motors: those of the motion, plus losses of bearings and transmissions.

Friction does not change the joint torques of a given motion, so reactions are those of the robot
without friction (Gogoussis and Donath, 1988), and the losses follow joint by joint.
"""

from typing import Any, NamedTuple

from ...scalar import equal, select, sign
from ..modified_newton_euler import torques_and_reactions
from .joint_friction import joint_friction
from .transmission_friction import transmission_friction


class MotorTorques(NamedTuple):
    """Torques by joint, like the columns of Dhanaraj's Table 3.5, N m (N for prismatic joints).

    Each is an array `(..., nv)`, or inside an algorithm a list of scalars.

    - `dynamic`: inverse dynamics: the torques without losses, rotors included.
    - `joint_friction`: the friction of bearings.
    - `at_joint`: dynamic + joint_friction: the torque of the transmission at the joint.
    - `transmission_friction`: the losses of the transmission, as a torque at the joint.
    - `input`: the torque on the motor's shaft: ratio * input = at_joint + transmission_friction.
    """

    dynamic: Any
    joint_friction: Any
    at_joint: Any
    transmission_friction: Any
    input: Any


def motor_torques(robot, q, qd, qdd):
    """Return the torques of the motion (q, qd, qdd)."""
    dynamic, reactions = torques_and_reactions(robot, q, qd, qdd)
    dynamic = robot.joint_torques(qd, dynamic)
    return with_losses(robot.robot.joints, qd, dynamic, reactions, directions(qd, qdd))


def directions(qd, qdd):
    """The direction in which each joint moves, or is about to: -1, 1, or 0 if it sticks."""
    return [
        select(equal(rate, 0.0), sign(acceleration), sign(rate))
        for rate, acceleration in zip(qd, qdd, strict=True)
    ]


def with_losses(joints, qd, dynamic, reactions, directions, taken=None):
    """Return all torques, given those of the motion and the Spatial that each joint transmits.

    `taken`: additional torques of friction along tendons at each joint.
    """
    rows = []
    for i, joint in enumerate(joints):
        in_bearings = joint_friction(joint, reactions[i], qd[i], directions[i])
        if taken is not None:
            in_bearings = in_bearings + taken[i]
        at_joint = dynamic[i] + in_bearings
        in_gears = transmission_friction(joint.transmission, at_joint, directions[i])
        on_shaft = (at_joint + in_gears) * (1 / joint.transmission.ratio)
        rows.append((dynamic[i], in_bearings, at_joint, in_gears, on_shaft))
    return MotorTorques(*map(list, zip(*rows, strict=True)))
