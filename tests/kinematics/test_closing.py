"""Assembling robots with closed loops: loops are closed, near where the robot was."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from support.joint_rows import row_of

import paraxis as px
from paraxis.robots import Coupling, Frame, Inertia, Joint, Loop, Pose
from paraxis.robots.joint import WORLD

BODY = Inertia.of(1.0, (0.1, 0, 0), (0.01, 0.02, 0.02))
CRANK, COUPLER, ROCKER, GROUND = 0.3, 0.8, 0.6, 0.9


def along_x(length):
    return Pose(translation=(length, 0, 0))


def four_bar(**limits):
    """A crank that can turn round, in the plane y = 0: of three equations of its pin two count."""
    joints = [
        Joint("crank", "revolute", axis=(0, -1, 0)),
        Joint("coupler", "revolute", 0, along_x(CRANK), (0, -1, 0), **limits),
        Joint("rocker", "revolute", WORLD, along_x(GROUND), (0, -1, 0)),
        Joint("fan", "continuous", WORLD),
    ]
    marks = [Frame("mark", 1, Pose(translation=(0.4, 0, 0.1)))]
    robot = px.Robot("four-bar", joints, [BODY] * 4, marks, warn=False)
    pin = Frame("end of the coupler", 1, along_x(COUPLER))
    return robot.with_loops(Loop.connect("pin", pin, Frame("top", 2, along_x(ROCKER))))


def between_ends(q):
    """From the end of the rocker to that of the coupler, in the complex plane."""
    first, second, third = np.moveaxis(np.asarray(q)[..., :3], -1, 0)
    end = CRANK * np.exp(1j * first) + COUPLER * np.exp(1j * (first + second))
    return end - GROUND - ROCKER * np.exp(1j * third)


def gap(q):
    return abs(between_ends(q))


def test_a_four_bar_closes_from_anywhere():
    robot = four_bar()
    q = np.random.default_rng(0).uniform(-3, 3, (200, 4))
    found = px.kinematics.close(robot, q)
    assert found.solved.all()
    np.testing.assert_allclose(gap(found.q), found.error, atol=1e-15)
    assert found.error.max() <= 1e-10 * (GROUND + ROCKER)
    np.testing.assert_array_equal(found.q[:, 3], q[:, 3])  # in no loop
    held = px.kinematics.close(robot, q, fixed=["crank"])
    assert held.solved.all() and gap(held.q).max() < 1e-9
    np.testing.assert_array_equal(held.q[:, 0], q[:, 0])


def test_it_stays_near():
    """Almost at the nearest assembly, which a general optimiser finds."""
    robot, rng = four_bar(), np.random.default_rng(1)
    assembled = px.kinematics.close(robot, rng.uniform(-3, 3, (5, 4))).q
    for q in assembled + rng.uniform(-0.05, 0.05, (5, 4)):
        found = px.kinematics.close(robot, q).q
        closed = {"type": "eq", "fun": lambda x: [between_ends(x).real, between_ends(x).imag]}
        nearest = minimize(lambda x, q=q: ((x - q) ** 2).sum(), q, constraints=closed, tol=1e-12).x
        assert gap(nearest) < 1e-6
        assert np.linalg.norm(found - q) < 1.02 * np.linalg.norm(nearest - q) + 1e-6


def test_what_cannot_be_closed_is_named():
    robot = four_bar()
    q = [[0.3, 0.2, 1.0, 0.0], [math.nan, 0.2, 1.0, 0.0], [0.3, 9.0, 1.0, 0.0]]
    found = px.kinematics.close(robot, q, fixed=["crank", "rocker"])
    assert not found.solved.any()
    assert repr(found) == "<Closing: 0 of 3 closed, 'pin' open in 2>"
    np.testing.assert_allclose(gap(found.q), found.error)
    least = min(gap([0.3, x, 1.0]) for x in np.linspace(-np.pi, np.pi, 10_001))
    assert found.error[0] == pytest.approx(least, abs=1e-6)
    assert found.open_by.shape == (3, 1) and found.loops == ("pin",)


def test_limits_are_kept():
    robot = four_bar(lower=-0.2, upper=2.0)
    q = np.random.default_rng(3).uniform(-3, 3, (50, 4))
    found = px.kinematics.close(robot, q)
    assert found.solved.all()
    assert found.q[:, 1].min() >= -0.2 and found.q[:, 1].max() <= 2.0


def closed_row(kinds, make, seed=1, coupled=False):
    """A row of joints whose tip is held to the world where it is at some position."""
    robot = row_of(kinds, seed, coupled)
    q, _ = px.robots.random_states(robot, seed=seed)
    tip = robot.frame("tip")
    held = Frame("held", WORLD, Pose.from_matrix(px.forward_kinematics(robot, q)))
    return robot.with_loops(make("held", tip, held)), q, held.pose.matrix


@pytest.mark.parametrize("make", [Loop.weld, Loop.hinge])
def test_joints_of_every_kind(make):
    kinds = ("revolute", "spherical", "universal", "helical", "planar")
    robot, there, pose = closed_row(kinds, make, coupled=True)
    step = np.random.default_rng(2).uniform(-0.3, 0.3, (30, robot.nv))
    q = px.integrate(robot, there, step)
    found = px.kinematics.close(robot, q)
    assert found.solved.all()
    tip = px.forward_kinematics(robot, found.q)
    same = slice(2, 4) if make == Loop.hinge else slice(0, 4)  # the axis z, and the origin
    assert abs(tip - pose)[:, :, same].max() < 1e-9
    np.testing.assert_array_equal(px.kinematics.close(robot, q[7]).q, found.q[7])
    assert (np.linalg.norm(px.difference(robot, q, found.q), axis=-1) < 3.0).all()


def test_a_frame_of_a_closed_loop_is_brought_to_a_point():
    robot = four_bar()
    q = px.kinematics.close(robot, np.random.default_rng(4).uniform(-3, 3, (50, 4))).q
    points = px.forward_kinematics(robot, q, "mark")[:, :3, 3]
    found = px.inverse_kinematics(robot, position=points, frame="mark")
    assert found.solved.all()
    assert gap(found.q).max() < 1e-7
    off = px.forward_kinematics(robot, found.q, "mark")[:, :3, 3] - points
    assert abs(off).max() < 1e-7
    assert not px.inverse_kinematics(robot, position=[0.0, 0.0, 3.0], frame="mark").solved


def test_a_joint_that_follows_several_is_moved_by_all_of_them():
    """Where whole turns of a leader would turn it elsewhere, none are taken off."""
    half = Coupling(("base", "middle"), (0.0, 0.5, 0.5))
    y = (0, 1, 0)
    joints = [
        Joint("base", "continuous", axis=y),
        Joint("middle", "continuous", 0, along_x(0.4), y),
        Joint("end", "continuous", 1, along_x(0.4), y, coupling=half),
    ]
    finger = px.Robot("finger", joints, [BODY] * 3, [Frame("tip", 2, along_x(0.4))], warn=False)
    point = np.array([0.3, 0.0, -0.9])
    wall = Frame("wall", WORLD, Pose(translation=tuple(point)))
    hooked = finger.with_loops(Loop.connect("hook", finger.frame("tip"), wall))
    starts = np.array([[0.1, 0.2], [7.0, 0.2]])
    closed = px.kinematics.close(hooked, starts)
    found = px.inverse_kinematics(finger, position=point, frame="tip", q0=starts)
    assert closed.solved.all() and found.solved.all()
    for q in (closed.q, found.q):
        reached = px.forward_kinematics(finger, q, "tip")[:, :3, 3]
        assert abs(reached - point).max() < 1e-7
    held = px.Contact(constraint=np.eye(6)[:, [3, 5]], frame="tip")
    motion = px.constrained_forward_dynamics(finger, closed.q[0], [0, 0], [1, 2], held)
    assert motion.rank == 2 and abs(motion.qdd).max() < 1e-9
    with pytest.raises(px.RobotError, match="'end' follows 'base', 'middle', which must"):
        px.kinematics.close(hooked, starts, fixed=["end"])


def test_no_state_is_closed_at_once():
    assert px.kinematics.close(four_bar(), np.zeros((0, 4))).q.shape == (0, 4)


def test_wrong_arguments_say_what_is_wrong():
    robot = four_bar()
    every = ["crank", "coupler", "rocker"]
    for arguments, message in (
        ((robot.without_loops(), np.zeros(4)), "has no loops, so there is nothing to close"),
        ((robot, np.zeros(3)), r"q: expected shape \(..., 4\), found \(3,\)"),
        ((robot, np.zeros(4), every), "all joints that close the loops .* are fixed"),
        ((robot, np.zeros(4), "crank"), "fixed: expected a sequence of names"),
        ((robot, np.zeros(4), None), "fixed: expected a sequence of names, found None"),
    ):
        with pytest.raises(px.ParaxisError, match=message):
            px.kinematics.close(*arguments)
    with pytest.raises(px.ArgumentError, match="tolerance: expected a number > 0"):
        px.kinematics.close(robot, np.zeros(4), tolerance=-1)
