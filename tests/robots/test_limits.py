"""Limits as arrays, joints by name, and random states within the limits."""

import math

import numpy as np
import pytest

import paraxis as px
from paraxis.robots import Frame, Inertia, Joint
from paraxis.robots.joint import LIMITED

BODY = Inertia.of(1, (0, 0, 0), (1, 1, 1))
KINDS = ("free", "revolute", "universal", "planar", "spherical", "prismatic", "continuous")


def creature(**limits):
    """A joint of every kind, each with the same limits as far as it may have them."""
    joints = []
    for k, kind in enumerate(KINDS):
        second = (0, 1, 0) if kind == "universal" else None
        none = () if kind in LIMITED else ("lower", "upper")
        own = {name: limit for name, limit in limits.items() if name not in none}
        joints.append(Joint(kind, kind, k - 1, second_axis=second, **own))
    return px.Robot("creature", joints, [BODY] * len(KINDS), [Frame("toe", 6)])


def test_limits_of_every_kind():
    robot = creature(lower=-0.5, upper=2.0, max_velocity=3.0, max_effort=4.0)
    limited = [0] * 7 + [1] + [1] * 2 + [0] * 3 + [0] * 4 + [1] + [1]
    assert robot.lower.tolist() == np.where(limited, -0.5, -math.inf).tolist()
    assert robot.upper.tolist() == np.where(limited, 2.0, math.inf).tolist()
    assert robot.velocity_limit.tolist() == [3.0] * robot.nv
    assert robot.effort_limit.tolist() == [4.0] * robot.nv
    assert robot.lower.shape == (robot.nq,) and robot.effort_limit.shape == (robot.nv,)


def test_positions_of_free_joints_have_no_limits():
    with pytest.raises(px.RobotError, match="'f': positions of free joints have no limits"):
        Joint("f", "free", lower=-1.0)


def finger(leaders, coefficients, **limits):
    """Joints a and b, which have limits, and c, which follows one of them or both."""
    joints = [Joint("a", "revolute", lower=-3.0, upper=0.4, max_velocity=5.0)]
    joints.append(Joint("b", "revolute", 0, lower=-1.0, upper=2.0, max_velocity=4.0))
    follows = px.robots.Coupling(leaders, coefficients)
    joints.append(Joint("c", "revolute", 1, coupling=follows, **limits))
    return px.Robot("finger", joints, [BODY] * 3)


# c over a, the limits of c, and those that a then has
HELD = {
    "linear": ((0.1, -2.0), (-0.5, 1.1), (-0.5, 0.3)),
    "monotone": ((0.0, 1.0, 0.0, 1.0), (-2.0, 10.0), (-1.0, 0.4)),
    "quadratic": ((0.0, 0.0, 1.0), (-1.0, 0.04), (-0.2, 0.2)),
    "on one side": ((0.0, 0.0, 1.0), (0.25, 99.0), (-3.0, -0.5)),
    "touched": ((0.0, 0.0, 1.0), (0.0, 4.0), (-2.0, 0.4)),
    "without limits": ((0.0, 1.0, 3.0), (-math.inf, math.inf), (-3.0, 0.4)),
    "constant": ((0.3,), (0.0, 1.0), (-3.0, 0.4)),
    "almost linear": ((0.1, -2.0, 1e-17), (-0.5, 1.1), (-0.5, 0.3)),
    "linear but for a subnormal": ((0.1, -2.0, 1e-320), (-0.5, 1.1), (-0.5, 0.3)),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", HELD)
def test_limits_of_a_joint_that_follows_hold_for_its_leader(name):
    coefficients, (lower, upper), expected = HELD[name]
    robot = finger("a", coefficients, lower=lower, upper=upper)
    assert np.allclose((robot.lower[0], robot.upper[0]), expected)
    assert (robot.lower[1], robot.upper[1]) == (-1.0, 2.0)


@pytest.mark.filterwarnings("error")
def test_limits_do_not_depend_on_the_order_of_followers():
    """Of two ranges for one follower another leaves one."""
    limits = {(0.0, 0.0, 1.0): (0.25, 1.0), (0.0, 1.0): (0.0, 3.0)}
    for order in (list, reversed):
        joints = [Joint("a", "revolute", lower=-2.0, upper=2.0)]
        for k, (coefficients, (lower, upper)) in enumerate(order([*limits.items()])):
            follows = px.robots.Coupling("a", coefficients)
            joints.append(Joint(f"c{k}", "revolute", 0, coupling=follows, lower=lower, upper=upper))
        robot = px.Robot("hand", joints, [BODY] * 3)
        assert np.allclose((robot.lower[0], robot.upper[0]), (0.5, 1.0))


PASSED = {
    "out of reach": ("a", (0.1, -2.0), (-9.0, -8.0)),
    "two ranges": ("a", (0.0, 0.0, 1.0), (0.01, 9.0)),
    "several leaders": (("a", "b"), (0.0, 1.0, 1.0), (-1.0, 2.0)),
}


@pytest.mark.parametrize("name", PASSED)
def test_followers_that_may_pass_their_limits_are_named(name):
    leaders, coefficients, (lower, upper) = PASSED[name]
    robot = finger(leaders, coefficients, lower=lower, upper=upper)
    with pytest.warns(px.RobotWarning, match="may pass their position limits.*: 'c'; limit"):
        assert (robot.lower.tolist(), robot.upper.tolist()) == ([-3.0, -1.0], [0.4, 2.0])


@pytest.mark.filterwarnings("error")
def test_leaders_whose_own_limits_suffice():
    robot = finger(("a", "b"), (0.5, 1.0, -1.0), lower=-4.5, upper=1.9, max_velocity=9.0)
    assert robot.lower.tolist() == [-3.0, -1.0] and robot.velocity_limit.tolist() == [5.0, 4.0]


def test_velocity_limits_of_followers():
    for coefficients in ((0.1, -2.0), (0.1, -2.0, 0.0)):
        assert finger("a", coefficients, max_velocity=6.0).velocity_limit.tolist() == [3.0, 4.0]
    assert finger("a", (0.0, 0.0, 0.5), max_velocity=15.0).velocity_limit.tolist() == [5.0, 4.0]
    for leaders, coefficients in (("a", (0.0, 0.0, 0.5)), (("a", "b"), (0.0, 1.0, 1.0))):
        robot = finger(leaders, coefficients, max_velocity=8.0)
        with pytest.warns(px.RobotWarning, match="may pass their velocity limits.*: 'c'"):
            assert robot.velocity_limit.tolist() == [5.0, 4.0]


def test_trajectories_keep_to_the_limits_of_followers():
    robot = finger("b", (0.0, 0.0, 1.0), lower=-1.0, upper=0.25)
    with pytest.raises(px.ArgumentError, match="'b' leaves its range -0.5 .. 0.5"):
        px.trajectories.quintic([0.0, 0.0], [0.0, 1.0], duration=1.0, robot=robot)


def test_limits_of_an_arm_are_those_of_its_joints():
    robot = px.load("ur5")
    fields = {"lower": "lower", "upper": "upper"}
    fields |= {"velocity_limit": "max_velocity", "effort_limit": "max_effort"}
    for name, field in fields.items():
        assert getattr(robot, name).tolist() == [getattr(j, field) for j in robot.joints]
        with pytest.raises(ValueError, match="read-only"):
            getattr(robot, name)[0] = 0.0


def test_a_joint_by_name():
    robot = px.load("ur5")
    assert robot.joint("elbow_joint") is robot.joints[2]
    assert robot.joint_index("elbow_joint") == 2
    with pytest.raises(px.RobotError, match="no joint 'elbow'.*did you mean 'elbow_joint'"):
        robot.joint("elbow")
    with pytest.raises(px.RobotError, match="'toe' is a frame, which is on the body of joint 'con"):
        creature().joint("toe")


@pytest.mark.parametrize("limits", [{}, {"lower": -0.5, "upper": 0.25, "max_velocity": 3.0}])
def test_random_states_are_within_the_limits(limits):
    robot = creature(**limits)
    q, qd = px.robots.random_states(robot, (50, 40), seed=1)
    assert q.shape == (50, 40, robot.nq) and qd.shape == (50, 40, robot.nv)
    assert (robot.lower <= q).all() and (q <= robot.upper).all()
    assert (abs(qd) <= robot.velocity_limit).all() and np.isfinite(q).all()
    assert abs(qd).max() == pytest.approx(limits.get("max_velocity", 1.0), rel=0.01)
    low, high = q.min((0, 1)), q.max((0, 1))
    turn = (limits["lower"], limits["upper"]) if limits else (-math.pi, math.pi)
    slide = (limits["lower"], limits["upper"]) if limits else (-1, 1)
    ranges = [*[(-1, 1)] * 3, None, None, None, None, turn, turn, turn]
    ranges += [(-1, 1), (-1, 1), (-math.pi, math.pi), None, None, None, None, slide, turn]
    for k, ends in enumerate(ranges):
        if ends:
            assert (low[k], high[k]) == pytest.approx(ends, abs=0.05)


def test_random_rotations_are_uniform():
    """Lengths are one, and the moments are those of the sphere in four dimensions."""
    q, _ = px.robots.random_states(creature(), 20_000, seed=2)
    for quaternion in (q[:, 3:7], q[:, 13:17]):
        assert abs(np.linalg.norm(quaternion, axis=1) - 1).max() <= 1e-15
        assert abs(quaternion.T @ quaternion / len(q) - np.eye(4) / 4).max() <= 0.01
        assert abs(quaternion.mean(0)).max() <= 0.02


def test_one_limit_of_two():
    robot = creature(lower=5.0)
    q, _ = px.robots.random_states(robot, 500, seed=3)
    assert q[:, 7].min() >= 5 and q[:, 7].max() <= 5 + 2 * math.pi
    assert q[:, -2].min() >= 5 and q[:, -2].max() <= 7


def test_seeds():
    robot = px.load("ur5")
    first, again = (px.robots.random_states(robot, 3, seed=4) for _ in range(2))
    assert (first[0] == again[0]).all() and (first[1] == again[1]).all()
    assert (px.robots.random_states(robot)[0] != px.robots.random_states(robot)[0]).any()
    q, qd = px.robots.random_states(robot, seed=np.random.default_rng(0))
    assert q.shape == qd.shape == (6,)
    with pytest.raises(px.ArgumentError, match="expected a Robot"):
        px.robots.random_states("ur5")
