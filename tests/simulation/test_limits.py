"""Joints that a simulation moves beyond their limits: one warning, with which, when and how far."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest

import paraxis as px
from paraxis.simulation import limits


def arm(*ranges, kinds=("revolute", "prismatic")):
    """A level arm with these limits: it moves at the rates with which it begins."""
    rod, origin = px.robots.planar(1).inertias[0], px.robots.Pose()
    parts = [
        px.robots.Joint(f"joint{k}", kind, k - 1, origin, lower=lower, upper=upper)
        for k, ((lower, upper), kind) in enumerate(zip(ranges, kinds, strict=False))
    ]
    return px.Robot("arm", parts, [rod] * len(parts), gravity=(0.0, 0.0, 0.0))


def said(*arguments, **options):
    """The texts of RobotWarnings of a simulation."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        px.simulate(*arguments, limits=False, **options)
    assert all(each.filename == __file__ for each in caught)
    return [str(each.message) for each in caught if each.category is px.RobotWarning]


def test_a_joint_that_leaves_its_range_is_named_once():
    (text,) = said(arm((-1, 2)), [0.0], [1.0], dt=0.125, steps=40)
    assert "joint 'joint0' leaves its range of -1 to 2 rad at 2.125 s" in text
    assert "is 3 rad beyond it at 5 s: stops at joint limits are off. limits=True" in text
    assert "px.RobotWarning" in text


def test_the_lower_end_and_metres():
    robot = arm((-math.inf, math.inf), (-0.5, 0.5))
    (text,) = said(robot, [0.0, 0.0], [0.0, -1.0], dt=0.25, steps=4)
    assert "joint 'joint1' leaves its range of -0.5 to 0.5 m at 0.75 s" in text
    assert "is 0.5 m beyond it at 1 s" in text


def test_of_a_batch_the_farthest_is_named():
    robot = arm((-1, 1), (-1, 1))
    rates = [[[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, -3.0]]]
    (text,) = said(robot, np.zeros((2, 2, 2)), rates, dt=0.25, steps=8)
    assert "joint 'joint1' of robot (1, 1) leaves its range" in text
    assert "(other joints beyond theirs: 1)" in text


@pytest.mark.parametrize("method", ("rk4", "adaptive"))
def test_what_stays_within_says_nothing(method):
    options = {"dt": 0.25, "steps": 4, "method": method}
    assert said(arm((-1, 2)), [0.0], [1.0], **options) == []
    assert said(arm((-math.inf, math.inf)), [0.0], [9.0], **options) == []
    assert said(arm((-1, 1)), [math.nan], [9.0], **options) == []
    assert said(arm((-1, 1)), [1.0 + 1e-9], [0.0], **options) == []  # held at its end
    assert said(arm((0, 0)), [0.0], [1.0], **options) == []  # as URDF writes that none are known


def test_one_limit_alone():
    assert said(arm((-math.inf, 1)), [0.0], [-9.0], dt=1.0, steps=1) == []
    (text,) = said(arm((-math.inf, 1)), [0.0], [9.0], dt=1.0, steps=1)
    assert "range of -inf to 1 rad at 1 s and is 8 rad beyond" in text


def test_only_records_are_looked_at_the_last_among_them():
    options = {"dt": 0.125, "steps": 16, "every": 16}
    (text,) = said(arm((-1, 1)), [0.0], [1.0], **options)
    assert "at 2 s and is 1 rad beyond it at 2 s" in text


def test_of_very_many_states_a_sample_is_looked_at(monkeypatch):
    """The last record, and robots and records evenly spread; places are those of the whole."""
    monkeypatch.setattr(limits, "MOST", 64)
    rates = np.zeros((100, 1))
    rates[::20] = 1.0
    (text,) = said(arm((-1, 1)), [0.0], rates, dt=0.125, steps=80)
    assert "is 9 rad beyond it at 10 s" in text and "robot 0 " in text
    rates = np.zeros((1000, 1))
    rates[16 * 5 :] = 1.0
    (text,) = said(arm((-1, 1)), [0.0], rates, dt=0.125, steps=80)
    assert "of robot 80 leaves" in text
    (text,) = said(arm((-1, 1)), [0.0], [1.0], dt=2**-10, steps=10 * 2**10)
    assert "is 9 rad beyond it at 10 s" in text


def test_a_real_robot_that_falls():
    start = [0.3, -1.0, 0.8, -0.4, 0.5, 0.1]
    (text,) = said(px.load("ur5"), start, np.zeros(6), dt=1e-2, steps=300)
    assert "joint 'elbow_joint' leaves its range of -3.14159 to 3.14159 rad at 1.35 s" in text


def test_it_is_silenced_as_any_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", px.RobotWarning)
        px.simulate(arm((-1, 1)), [0.0], [9.0], dt=1.0, steps=1)


def test_other_limits_are_other_robots():
    """What is remembered of a robot is not another's."""
    robot = arm((-1, 1))
    assert said(robot, [0.0], [9.0], dt=1.0, steps=1)
    wide = replace(robot, joints=[replace(robot.joints[0], lower=-99.0, upper=99.0)])
    assert not said(wide, [0.0], [9.0], dt=1.0, steps=1)
