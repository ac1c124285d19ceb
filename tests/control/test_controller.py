"""Control laws: the torques of their formulas, on the motors, within limits; bad input named."""

import math
from dataclasses import replace

import numpy as np
import pytest

import paraxis as px

ARM = px.robots.planar(2)
GEARED = ARM.with_drives(
    {
        "joint1": {
            "friction": px.robots.Friction(
                px.robots.JournalBearing(0.05, 0.02, 0.1), viscous=0.5, coulomb=0.8, smoothing=0.01
            ),
            "transmission": px.robots.Transmission(50.0, 0.8, break_away=0.4, rotor_inertia=2e-5),
        },
        "joint2": {"transmission": px.robots.Transmission(-20.0, rotor_inertia=1e-5)},
    }
)
KP, KD = np.array([30.0, 20.0]), np.array([5.0, 4.0])
Q, QD = np.array([0.3, -0.7]), np.array([0.4, 0.9])
WANTED = np.array([[0.35, -0.6], [0.5, 1.0], [2.0, -3.0]])
PUSH = KP * (WANTED[0] - Q) + KD * (WANTED[1] - QD)


def first_torques(robot, controller):
    """What the motors hold from the first sample on."""

    def motion(t):
        return [[x + 0.0 * t for x in part] for part in WANTED.tolist()]

    run = px.control.closed_loop(
        robot, controller, motion, 1e-3, duration=1e-3, q0=Q, qd0=QD, record="tau"
    )
    return run.tau[0]


def test_computed_torque_is_inverse_dynamics_of_the_corrected_acceleration():
    tau = px.inverse_dynamics(ARM, Q, QD, WANTED[2] + PUSH)
    assert first_torques(ARM, px.control.computed_torque(ARM, KP, KD)) == pytest.approx(
        tau, rel=1e-12
    )


def test_feed_forward_is_inverse_dynamics_of_the_desired_motion_and_a_push():
    tau = px.inverse_dynamics(ARM, *WANTED) + PUSH
    assert first_torques(ARM, px.control.feed_forward(ARM, KP, KD)) == pytest.approx(tau, rel=1e-12)


def test_pd_is_a_push():
    controller = px.control.pd(ARM, KP, KD)
    assert first_torques(ARM, controller) == pytest.approx(PUSH, rel=1e-12)
    assert controller.entries == () and controller.policy.name == "exact"


def test_torques_are_those_of_motors():
    tau = px.inverse_dynamics(GEARED, Q, QD, WANTED[2] + PUSH) / [50.0, -20.0]
    controller = px.control.computed_torque(GEARED, KP, KD)
    assert first_torques(GEARED, controller) == pytest.approx(tau, rel=1e-12)


def test_compensated_losses_are_those_of_motor_torques():
    """On the desired motion, where both say the same of its directions."""
    controller = px.control.feed_forward(GEARED, 0.0, 0.0, compensate_friction=True)
    motors = px.motor_torques(GEARED, *WANTED).input
    assert first_torques(GEARED, controller) == pytest.approx(motors, rel=1e-12)
    computed = px.control.computed_torque(GEARED, 0.0, 0.0, compensate_friction=True)
    run = px.control.closed_loop(
        GEARED, computed, lambda t: WANTED.tolist(), 1e-3, duration=1e-3, record="tau"
    )
    assert run.tau[0] == pytest.approx(motors, rel=1e-12)


def test_where_a_joint_is_to_set_out_its_losses_are_those_of_the_way_it_goes():
    wanted = [WANTED[0].tolist(), [0.0, 0.0], [-2.0, 3.0]]
    controller = px.control.feed_forward(GEARED, 0.0, 0.0, compensate_friction=True)
    run = px.control.closed_loop(
        GEARED, controller, lambda t: wanted, 1e-3, duration=1e-3, q0=Q, qd0=QD, record="tau"
    )
    assert run.tau[0] == pytest.approx(px.motor_torques(GEARED, *wanted).input, rel=1e-12)


def test_a_stale_law_begins_with_values_of_now():
    """At rest on a posture, whatever is old is as it was."""
    holding = px.gravity_torques(ARM, Q)
    for policy in ("hamilton", "vuskovic_output_prediction", "pipelined"):
        controller = px.control.computed_torque(ARM, KP, KD, policy)
        run = px.control.closed_loop(ARM, controller, Q, 1e-3, duration=0.02, record="tau")
        assert abs(run.tau - holding).max() < 1e-12 and run.error < 1e-15
        assert controller.entries and controller.policy.name == policy


def test_limits_are_on_the_joints_side():
    controller = px.control.pd(GEARED, 1e6, 0.0, torque_limit=[100.0, 30.0])
    assert first_torques(GEARED, controller) == pytest.approx([2.0, -1.5])
    joints = [
        replace(joint, max_effort=own) for joint, own in zip(ARM.joints, (7.0, 3.0), strict=True)
    ]
    weak = replace(ARM, joints=joints)
    assert first_torques(weak, px.control.pd(weak, 1e9, 0.0, torque_limit="robot")).tolist() == [
        7.0,
        3.0,
    ]


def test_limits_of_a_robot_are_of_all_its_joints():
    half = replace(ARM, joints=[replace(ARM.joints[0], max_effort=7.0), ARM.joints[1]])
    with pytest.raises(px.ArgumentError, match="torque_limit: .*no limit for joint 'joint2'"):
        px.control.pd(half, 1.0, 0.0, torque_limit="robot")


def test_controllers_say_what_they_are():
    assert repr(px.control.pd(ARM, 1, 1)) == "<Controller pd of planar2>"
    stale = px.control.computed_torque(ARM, 1, 1, "hamilton")
    assert repr(stale) == "<Controller computed_torque of planar2, hamilton>"


BAD = {
    "kp: expected a number or shape .*2.*, one per joint, found .3": {"kp": [1.0, 2.0, 3.0]},
    "kd: expected a number or shape": {"kd": np.ones((2, 3))},
    "kp: expected finite numbers": {"kp": math.nan},
    "kd: expected numbers, found 'stiff'": {"kd": "stiff"},
    "policy: expected one of": {"policy": "hopeful"},
    "torque_limit: expected a number > 0": {"torque_limit": [1.0, 0.0]},
    "torque_limit: expected a number or shape": {"torque_limit": [1.0, 1.0, 1.0]},
    "torque_limit: expected a number > 0, .*'robot', found 'low'": {"torque_limit": "low"},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(px.ArgumentError, match=message):
        px.control.computed_torque(ARM, **{"kp": 1.0, "kd": 1.0} | BAD[message])


def test_a_robot_is_one():
    with pytest.raises(px.ParaxisError, match="robot"):
        px.control.pd("arm", 1.0, 1.0)
