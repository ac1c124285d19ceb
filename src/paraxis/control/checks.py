"""Checks of arguments shared by several functions of control."""

from numbers import Real

from ..checks import counted
from ..errors import ArgumentError
from ..robots.joint import LIMITED
from .controller import Controller

# How to get a delay of more than a period.
LATER = (
    "; for torques that are samples late, give delay_samples to px.control.closed_loop, or use "
    'px.control.policy("pipelined", stages=3), which applies them two samples late'
)


def check_controller(robot, controller):
    """Raise unless it is a Controller of the joints of the robot."""
    if not isinstance(controller, Controller):
        raise ArgumentError(
            f"controller: expected one of px.control.computed_torque, feed_forward or pd, found "
            f"{type(controller).__name__}"
        )
    if controller.robot.nv != robot.nv:
        raise ArgumentError(
            f"controller: expected {counted(robot.nv, 'joint')}, as the robot has, found "
            f"{controller.robot.nv}"
        )
    own, other = (positions(each) for each in (robot, controller.robot))
    if own != other:
        raise ArgumentError(
            "controller: its robot must have joints of the same kinds as the simulated robot; "
            f"expected {own}, found {other}"
        )


def positions(robot):
    """The kinds of joints that have entries in q; angles and lengths count as one kind."""
    kinds = (joint.kind for joint in robot.joints if joint.nq)
    return [kind if kind not in LIMITED else "single" for kind in kinds]


def is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool)


def share_of_period(value, name):
    """The share of the period taken by computation."""
    if not is_number(value) or not 0 <= value <= 1:
        more = LATER if is_number(value) and value > 1 else ""
        raise ArgumentError(
            f"{name}: expected a share of the period from 0 to 1, found {value!r}{more}"
        )
    return float(value)
