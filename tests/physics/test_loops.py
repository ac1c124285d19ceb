"""Closed loops: against Pinocchio, and against the equations of constraints solved by NumPy."""

import random
from dataclasses import replace

import numpy as np
import pytest
from support.functions import error, interpreted
from support.loops import (
    accelerations,
    allowed,
    assembled,
    by_pinocchio,
    closed_at,
    four_bar,
    relative_motion,
)
from support.robots import random_inertia, random_pose, random_robot

import paraxis as px
from paraxis.dynamics.contacts.dynamics import TOLERANCE
from paraxis.physics.contact.constrained_dynamics import constrained_forward_dynamics
from paraxis.physics.contact.contact_forms import LoopForm
from paraxis.physics.contact.loop_motion import closing
from paraxis.robots import Coupling, Frame, Inertia, Joint, Loop
from paraxis.robots.model import Model
from paraxis.robots.rows import rows_of

ROOT = Inertia.of(3.0, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25))


def random_loops(seed, free, *kinds):
    """A random tree with loops between random bodies, and a state in which they are closed."""
    robot, rng = random_robot(seed, joints=(4, 6)), np.random.default_rng(seed)
    robot = replace(robot, root=ROOT).with_floating_base() if free else robot
    q = moved(robot, rng)
    for k, kind in enumerate(kinds):
        first, second = rng.permutation(robot.n)[:2]
        name = next(frame.name for frame in robot.frames if frame.body == first)
        robot = robot.with_loops(closed_at(robot, q, name, int(second), kind, name=f"loop{k}"))
    J, _ = relative_motion(robot, q, np.zeros(robot.nv))
    return robot, q, allowed(J, rng.normal(size=robot.nv)), rng.normal(size=robot.nv)


def moved(robot, rng):
    return interpreted("integrate", robot, px.neutral(robot), rng.uniform(-1, 1, robot.nv))


def on_floats(robot, q, qd, tau, contacts=()):
    """The ConstrainedMotion on Python's floats."""
    rows = rows_of(replace(robot, frames=[each.frame_of(robot) for each in contacts], warn=False))
    forms = [each.form(frame, {}) for each, frame in zip(contacts, rows.frames, strict=True)]
    state = (array.tolist() for array in (q, qd, tau))
    loops = [LoopForm(loop) for loop in rows.loops]
    return constrained_forward_dynamics(Model(rows), *state, forms, TOLERANCE["float64"], loops)


# Not seeds with axes that are parallel but for a hair, which Paraxis takes for parallel.
@pytest.mark.parametrize("seed", (0, 1, 3, 4))
@pytest.mark.parametrize("free", (False, True))
def test_accelerations_agree_with_pinocchio(free, seed):
    kinds = ("connect", "weld") if seed % 2 else ("weld",)
    robot, q, qd, tau = random_loops(seed, free, *kinds)
    found = on_floats(robot, q, qd, tau).qdd
    assert error(found, by_pinocchio(robot, q, qd, tau)) <= 1e-10


def every_kind(seed=3):
    """A tree on a free base with a joint of every kind, and one that follows another."""
    rng = random.Random(seed)
    kinds = ("free", "universal", "spherical", "revolute", "planar", "helical", "prismatic")
    parents = (-1, 0, 1, 0, 3, 3, 5)
    more = {1: {"second_axis": (0.6, 0.8, 0.0)}, 5: {"pitch": 0.2}}
    joints = [
        Joint(f"j{k}", kind, parent, random_pose(rng), rotor_inertia=0.1, **more.get(k, {}))
        for k, (kind, parent) in enumerate(zip(kinds, parents, strict=True))
    ]
    follower = Coupling("j3", (0.1, -0.6, 0.3))
    joints.append(Joint("follower", "revolute", 6, random_pose(rng), coupling=follower))
    frames = [Frame(f"f{k}", k, random_pose(rng)) for k in range(len(joints))]
    return px.Robot("kinds", joints, [random_inertia(rng) for _ in joints], frames, warn=False)


@pytest.mark.parametrize("kind", ("connect", "weld", "hinge"))
def test_joints_of_every_kind_and_couplings_agree_with_numpy(kind):
    robot, rng = every_kind(), np.random.default_rng(5)
    q = moved(robot, rng)
    robot = robot.with_loops(closed_at(robot, q, "f7", 2, kind))
    J, _ = relative_motion(robot, q, np.zeros(robot.nv))
    qd, tau = allowed(J, rng.normal(size=robot.nv)), rng.normal(size=robot.nv)
    J, coasting = relative_motion(robot, q, qd)
    motion = on_floats(robot, q, qd, tau)
    expected, rank = accelerations(robot, q, qd, tau, J, coasting)
    assert error(motion.qdd, expected) <= 1e-10
    assert motion.loop_rank == rank == len(J)
    forces = np.concatenate(
        [np.array(loop.constraint).T @ motion.loop_force[0] for loop in robot.loops]
    )
    balance = interpreted("inverse_dynamics", robot.without_loops(), q, qd, expected)
    np.testing.assert_allclose(balance + J.T @ forces, tau, atol=1e-9)


def test_the_inverse_of_the_mass_matrix_takes_torques_to_accelerations():
    robot, rng = every_kind(), np.random.default_rng(6)
    start = moved(robot, rng)
    kinds = robot.with_loops(closed_at(robot, start, "f7", 2))
    for looped, q in ((kinds, start), (four_bar(), assembled(0.7))):
        rest, tau = np.zeros(looped.nv), rng.normal(size=looped.nv)
        inverse = interpreted("mass_matrix_inverse", looped, q)
        at_rest = interpreted("forward_dynamics", looped, q, rest, rest)
        caused = interpreted("forward_dynamics", looped, q, rest, tau) - at_rest
        assert error(inverse @ tau, caused) <= 1e-10
        J, _ = relative_motion(looped, q, rest)
        assert (inverse == inverse.T).all() and abs(J @ inverse).max() <= 1e-10
        left = looped.nv - np.linalg.matrix_rank(J)
        assert np.linalg.matrix_rank(inverse, tol=1e-10, hermitian=True) == left


@pytest.mark.parametrize("independent", (("crank",), None))
def test_the_regressor_gives_the_torques_of_inverse_dynamics(independent):
    robot, q, qdd = four_bar(independent=independent), assembled(0.7), np.array([0.3, -0.2, 0.4])
    J, _ = relative_motion(robot, q, np.zeros(3))
    qd = allowed(J, np.array([3.0, 0.0, 0.0]))
    Y = interpreted("regressor", robot, q, qd, qdd)
    tau = interpreted("inverse_dynamics", robot, q, qd, qdd)
    assert error(Y @ px.inertial_parameters(robot), tau) <= 1e-12


@pytest.mark.parametrize("kind", ("connect", "hinge"))
def test_a_planar_linkage_is_held_more_often_than_needed(kind):
    robot, q, tau = four_bar(kind), assembled(0.7), np.array([0.4, -0.3, 0.2])
    J, _ = relative_motion(robot, q, np.zeros(3))
    qd = allowed(J, np.array([3.0, 0.0, 0.0]))
    J, coasting = relative_motion(robot, q, qd)
    motion = on_floats(robot, q, qd, tau)
    expected, rank = accelerations(robot, q, qd, tau, J, coasting)
    assert motion.loop_rank == rank == 2 < len(J)
    assert error(motion.qdd, expected) <= 1e-10
    assert error(interpreted("forward_dynamics", robot, q, qd, tau), expected) <= 1e-10


def test_loops_that_repeat_each_other_change_nothing():
    robot, q, tau = four_bar(), assembled(0.7), np.array([0.4, -0.3, 0.2])
    qd = allowed(relative_motion(robot, q, np.zeros(3))[0], np.ones(3))
    twice = robot.with_loops(replace(robot.loops[0], name="again"))
    once, again = on_floats(robot, q, qd, tau), on_floats(twice, q, qd, tau)
    np.testing.assert_allclose(again.qdd, once.qdd, rtol=1e-12)
    assert again.loop_rank == once.loop_rank


# -- torques ---------------------------------------------------------------------------------------


def five_bar(independent=("left", "right"), follower=False):
    """Two motors on the ground that move a point in the plane; one may pull a slide along."""
    rng, y = random.Random(2), (0.0, 1.0, 0.0)
    seats = [px.robots.Pose(translation=(x, 0.0, 0.0)) for x in (0.0, 0.4, 0.5, 0.4)]
    names, parents = ("left", "left_rod", "right", "right_rod"), (-1, 0, -1, 2)
    joints = [
        Joint(name, "revolute", parent, seat, y)
        for name, parent, seat in zip(names, parents, seats, strict=True)
    ]
    if follower:
        coupling = Coupling("left", (0.1, 0.3, 0.2))
        joints.append(Joint("slide", "prismatic", 3, axis=(1.0, 0.0, 0.0), coupling=coupling))
    tip = px.robots.Pose(translation=(0.5, 0.0, 0.0))
    frames = [Frame("a", 1, tip)]
    bodies = [random_inertia(rng) for _ in joints]
    robot = px.Robot("five_bar", joints, bodies, frames, warn=False)
    q = np.array([-2.0, 0.7, -1.1, 0.0])
    return robot.with_loops(closed_at(robot, q, "a", 3), independent=independent), q


@pytest.mark.parametrize("follower", (False, True))
def test_inverse_dynamics_finds_the_torques_of_the_motors(follower):
    (robot, q), tau = five_bar(follower=follower), np.array([1.0, 0.0, -2.0, 0.0])
    J, _ = relative_motion(robot, q, np.zeros(4))
    qd = allowed(J, np.array([0.5, -1.0, 2.0, 0.3]))
    J, coasting = relative_motion(robot, q, qd)
    qdd = interpreted("forward_dynamics", robot, q, qd, tau)
    assert error(qdd, accelerations(robot, q, qd, tau, J, coasting)[0]) <= 1e-10
    np.testing.assert_allclose(interpreted("inverse_dynamics", robot, q, qd, qdd), tau, atol=1e-11)
    free = replace(robot, independent=None)
    least = interpreted("inverse_dynamics", free, q, qd, qdd)
    tree = interpreted("inverse_dynamics", robot.without_loops(), q, qd, qdd)
    expected = allowed(J, tree)  # without its part along rows of J
    np.testing.assert_allclose(least, expected, atol=1e-11)
    np.testing.assert_allclose(interpreted("forward_dynamics", robot, q, qd, least), qdd, atol=1e-9)


def test_motors_that_work_against_each_other_have_the_least_norm():
    robot, q = five_bar(("left", "right", "right_rod"))
    J, _ = relative_motion(robot, q, np.zeros(4))
    qd = allowed(J, np.array([0.5, -1.0, 2.0, 0.3]))
    qdd = interpreted("forward_dynamics", robot, q, qd, np.array([1.0, 0.0, -2.0, 0.5]))
    tau = interpreted("inverse_dynamics", robot, q, qd, qdd)
    tree = interpreted("inverse_dynamics", robot.without_loops(), q, qd, qdd)
    assert tau[1] == 0.0
    Z = np.linalg.svd(J)[2][2:]  # the rates that loops allow
    expected = np.linalg.pinv(Z[:, [0, 2, 3]]) @ (Z @ tree)
    np.testing.assert_allclose(tau[[0, 2, 3]], expected, atol=1e-11)


def test_torques_of_joints_that_cannot_move_the_others_are_not_numbers():
    robot, q = four_bar(), np.array([0.0, 0.0, np.pi])  # crank and rod stretched: a dead centre
    stretched = replace(robot.joints[2], placement=px.robots.Pose(translation=(1.5, 0, 0)))
    robot = replace(
        robot, joints=[*robot.joints[:2], stretched], independent=("rocker",), warn=False
    )
    found = interpreted("inverse_dynamics", robot, q, np.zeros(3), np.zeros(3))
    assert np.isnan(found).all()


@pytest.mark.parametrize("function", ("forward_dynamics", "inverse_dynamics"))
def test_derivatives(function):
    robot, q = five_bar()
    rng = np.random.default_rng(8)
    J, _ = relative_motion(robot, q, np.zeros(robot.nv))
    qd, third = allowed(J, rng.normal(size=robot.nv)), rng.normal(size=robot.nv)
    way = rng.normal(size=robot.nv)
    slopes = interpreted(f"{function}_derivatives", robot, q, qd, third)
    step = 1e-6

    def at(dq=0.0, dqd=0.0):
        there = interpreted("integrate", robot, q, dq * way)
        return interpreted(function, robot, there, qd + dqd * way, third)

    by_q = (at(step) - at(-step)) / (2 * step)
    by_qd = (at(0.0, step) - at(0.0, -step)) / (2 * step)
    for slope, expected in zip(slopes, (by_q, by_qd), strict=False):
        assert error(slope @ way, expected) <= 1e-7


# -- with contacts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("looped", (False, True))
def test_contact_of_joints_of_every_kind(looped):
    """Contacts of coupled and helical joints, with a loop and without, against NumPy."""
    robot, rng = every_kind(), np.random.default_rng(9)
    q = moved(robot, rng)
    robot = robot.with_loops(closed_at(robot, q, "f7", 2)) if looped else robot
    nothing = np.zeros((0, robot.nv)), np.zeros(0)
    contact = px.Contact.pinned("f4")
    hold = interpreted("jacobian", robot, q, frame="f4")[3:]
    J, _ = relative_motion(robot, q, np.zeros(robot.nv)) if looped else nothing
    qd = allowed(np.concatenate([J, hold]), rng.normal(size=robot.nv))
    tau = rng.normal(size=robot.nv)
    J, coasting = relative_motion(robot, q, qd) if looped else nothing
    bias = interpreted("bias_acceleration", robot, q, qd, frame="f4")[3:]
    both = np.concatenate([J, hold]), np.concatenate([coasting, bias])
    expected, _ = accelerations(robot, q, qd, tau, *both)
    motion = on_floats(robot, q, qd, tau, [contact])
    assert error(motion.qdd, expected) <= 1e-10
    assert (motion.rank, motion.loop_rank) == (3, len(J))
    forces = [f[3:] for f in (*motion.loop_force, *motion.force)]
    tree = interpreted("inverse_dynamics", robot.without_loops(), q, qd, np.array(motion.qdd))
    np.testing.assert_allclose(tree + both[0].T @ np.concatenate(forces), tau, atol=1e-8)


def test_only_contacts_that_loops_forestall_are_singular():
    robot, q = four_bar(), assembled(0.7)
    along = px.Contact(frame="pin", constraint=np.eye(6)[:, 3])
    across = px.Contact(frame="rod_end", constraint=np.eye(6)[:, [3, 5]])
    state = q, np.zeros(3), np.ones(3)
    found = px.constrained_forward_dynamics(robot, *state, along)
    assert (found.rank, found.loop_rank) == (1, 2) and np.isfinite(found.qdd).all()
    stuck = px.constrained_forward_dynamics(robot, *state, [across])
    assert (stuck.rank, stuck.loop_rank) == (1, 2) and np.isnan(stuck.qdd).all()
    friction = px.Contact.sliding("pin", normal=(1, 0, 0), friction=0.2, direction=(0, 0, 1))
    slid = px.constrained_forward_dynamics(robot, *state, friction)
    assert slid.rank == 1 and abs(slid.acceleration[3]) <= 1e-9
    alone = px.constrained_forward_dynamics(robot, *state)
    np.testing.assert_allclose(alone.qdd, px.forward_dynamics(robot, *state), rtol=1e-12)
    assert alone.force.shape == (0, 6) and alone.rank == 0


def test_rates_are_projected_onto_loops():
    robot, q = four_bar(), np.stack([assembled(0.7), assembled(0.9)])
    qd = px.project_velocity(robot, q, [1.0, 2.0, 3.0])
    M = px.mass_matrix(robot, q)
    for k in range(2):
        J, _ = relative_motion(robot, q[k], qd[k])
        assert abs(J @ qd[k]).max() <= 1e-12
        lost = M[k] @ (qd[k] - [1.0, 2.0, 3.0])
        assert abs(allowed(J, lost)).max() <= 1e-10 * abs(lost).max()


# -- kinematics of a loop --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ("connect", "weld", "hinge"))
def test_what_is_open_has_the_slope_of_the_relative_motion(kind):
    robot, q, *_ = random_loops(2, False, kind)
    model, step = Model(rows_of(robot)), 1e-6
    (loop,) = model.robot.loops
    open_by, rows = closing(model, q.tolist(), loop)
    assert max(map(abs, open_by)) <= 1e-12
    for k, way in enumerate(np.eye(robot.nv) * step):
        there, back = (np.array(closing(model, (q + w).tolist(), loop)[0]) for w in (way, -way))
        np.testing.assert_allclose([row[k] for row in rows], (there - back) / (2 * step), atol=1e-8)


def slider_crank(length):
    """A crank that moves a slide, of some length, and a state of it in which the loop is closed."""
    rng, y = random.Random(6), (0.0, 1.0, 0.0)

    def at(x):
        return px.robots.Pose(translation=(x * length, 0.0, 0.0))

    joints = [
        Joint("crank", "revolute", axis=y),
        Joint("rod", "revolute", 0, at(0.2), y),
        Joint("slide", "prismatic", axis=(1.0, 0.0, 0.0)),
    ]
    ends = Frame("rod_end", 1, at(0.5)), Frame("pin", 2)
    bodies = [random_inertia(rng) for _ in joints]
    bodies = [Inertia.of(b.mass, np.array(b.com) * length, b.matrix * length**2) for b in bodies]
    gravity = (0.0, 0.0, -9.81 * length)
    robot = px.Robot("slider", joints, bodies, ends, gravity, warn=False)
    rod = np.arcsin(-0.2 / 0.5 * np.sin(0.6))
    q = np.array([0.6, rod - 0.6, (0.2 * np.cos(0.6) + 0.5 * np.cos(rod)) * length])
    return robot.with_loops(Loop.hinge("pin", *ends, axis=y), independent=["crank"]), q


def test_units_do_not_matter():
    def motion(length):
        robot, q = slider_crank(length)
        tau, size = np.array([0.7, 0.0, 0.0]) * length**2, np.array([1.0, 1.0, length])
        J, _ = relative_motion(robot, q, np.zeros(3))
        way = np.linalg.svd(J)[2][-1]
        qd = 2.0 * way / way[0]
        found = on_floats(robot, q, qd, tau)
        qdd = interpreted("forward_dynamics", robot, q, qd, tau)
        back = interpreted("inverse_dynamics", robot, q, qd, qdd)
        assert found.loop_rank == 2
        return np.concatenate([found.qdd / size, qdd / size, back / length**2])

    expected = motion(1.0)
    np.testing.assert_allclose(expected[6:], [0.7, 0.0, 0.0], atol=1e-12)
    for length in (1e-4, 1e4):
        np.testing.assert_allclose(motion(length), expected, rtol=1e-9, atol=1e-10)
