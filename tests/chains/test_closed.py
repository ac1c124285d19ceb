"""Contact at the end of a long chain: the scan against the Program of the same contact."""

from dataclasses import replace

import numpy as np
import pytest
from support.robots import random_robot

import paraxis as px
from paraxis.dynamics.contacts.long_chain import constrained_chain, touches_tip

PIN = np.eye(6)[:, 3:]


def chain(seed, n):
    robot = random_robot(seed, (n, n))
    row = [replace(joint, parent=i - 1) for i, joint in enumerate(robot.joints)]
    return replace(robot, joints=tuple(row))


def contact(kind, rng, anchor):
    W, H = rng.normal(size=(6, 3)), rng.normal(size=(6, 3))
    if kind == "pinned":
        return px.Contact(constraint=PIN)
    if kind == "given motion and force":
        demanded = rng.normal(size=(2, 3))
        given = {"acceleration": demanded, "force": [1.0, 2.0, 3.0]}
        return px.Contact(constraint=W, motion=H, coordinates="body", **given)
    if kind == "coupled":
        return px.Contact(constraint=W, motion=H, coupling=0.3 * rng.normal(size=(2, 3, 3)))
    if kind == "held in place":
        return px.Contact(constraint=PIN, stabilisation=(10, 0.7), anchor=anchor)
    if kind == "held in its own axes":
        held = {"stabilisation": (10, 0.7), "anchor": anchor, "coordinates": "body"}
        return px.Contact(constraint=PIN, **held)
    if kind == "sliding":
        return px.Contact.sliding(normal=(0.0, 0.6, 0.8), friction=0.2)
    M1, M2 = rng.normal(size=(2, 6, 6))
    return px.Contact.general(None, M1, M2, rng.normal(size=6), rng.normal(size=6))


KINDS = (
    "pinned",
    "given motion and force",
    "coupled",
    "held in place",
    "held in its own axes",
    "sliding",
    "general",
)


SLOW = ("given motion and force", "held in its own axes", "held in place", "sliding", "coupled")


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.long if kind in SLOW else ()) for kind in KINDS]
)
@pytest.mark.long
def test_the_scan_says_what_the_program_says(kind):
    robot, rng = chain(KINDS.index(kind), 8), np.random.default_rng(1)
    q, qd, tau = rng.normal(size=(3, 2, robot.n))
    anchor = px.forward_kinematics(robot, q[0])
    touching = contact(kind, rng, anchor)
    expected = px.constrained_forward_dynamics(robot, q, qd, tau, touching)
    *found, rank = constrained_chain(robot, q, qd, tau, touching)
    assert np.array_equal(rank, expected.rank)
    for value, other in zip(found, expected[:3], strict=True):
        assert np.abs(value - other).max() < 1e-9 * max(1.0, np.abs(other).max())


def test_a_long_chain_is_closed_by_a_scan():
    robot = px.robots.chain(300)
    q, qd, tau = 0.1 * np.random.default_rng(2).normal(size=(3, 300))
    touching = px.Contact.pinned("tip")
    assert touches_tip(robot, (touching,))
    motion = px.constrained_forward_dynamics(robot, q, qd, tau, touching)
    assert motion.rank == 3
    assert np.abs(motion.acceleration[3:]).max() < 1e-10
    assert not motion.force[:3].any()
    several = px.constrained_forward_dynamics(robot, q[None], qd, tau, [touching])
    assert np.array_equal(several.qdd[0], motion.qdd)
    assert several.force.shape == (1, 1, 6)


def test_the_force_is_what_the_joints_feel():
    """Inverse dynamics of what was found, less the torques, is the force brought to the joints."""
    robot = px.robots.chain(80)
    q, qd, tau = 0.3 * np.random.default_rng(3).normal(size=(3, 80))
    motion = px.constrained_forward_dynamics(robot, q, qd, tau, px.Contact.welded("tip"))
    short = px.constrained_forward_dynamics(robot, q, qd, tau, px.Contact.pinned("tip"))
    for found in (motion, short):
        felt = tau - px.inverse_dynamics(robot, q, qd, found.qdd)
        brought = _brought_to_joints(robot, q, found.force)
        assert np.abs(felt - brought).max() < 1e-9 * max(1.0, np.abs(brought).max())


def test_equal_to_dense_equations():
    """M q̈ + Jᵀ F = τ - h and J q̈ = -J̇ q̇, by NumPy; J̇ q̇ from places a short time apart."""
    n, robot = 80, px.robots.chain(80)
    q, qd, tau = 0.3 * np.random.default_rng(4).normal(size=(3, n))
    still = np.zeros(n)
    h = px.inverse_dynamics(robot, q, qd, still)
    unit = px.inverse_dynamics(robot, q, still, np.eye(n))
    M = (unit - px.inverse_dynamics(robot, q, still, still)).T
    J = np.array([_brought_to_joints(robot, q, force) for force in np.eye(6)])
    step = 1e-5
    ahead, behind = (
        np.array([_brought_to_joints(robot, q + way * step * qd, force) for force in np.eye(6)])
        for way in (1, -1)
    )
    coasting = (ahead - behind) @ qd / (2 * step)
    for touching, held in ((px.Contact.welded("tip"), J), (px.Contact.pinned("tip"), J[3:])):
        k = len(held)
        together = np.block([[M, held.T], [held, np.zeros((k, k))]])
        dense = np.linalg.solve(together, np.concatenate([tau - h, -coasting[-k:]]))
        motion = px.constrained_forward_dynamics(robot, q, qd, tau, touching)
        assert np.abs(motion.qdd - dense[:n]).max() < 1e-8 * np.abs(dense[:n]).max()
        assert np.abs(motion.force[-k:] - dense[n:]).max() < 1e-8 * np.abs(dense[n:]).max()


def _brought_to_joints(robot, q, force):
    """Jᵀ force, from the poses of the links."""
    pose, axes, places = np.eye(4), [], []
    for joint, angle in zip(robot.joints, q, strict=True):
        pose = pose @ joint.placement.matrix
        axes.append(pose[:3, :3] @ joint.axis)
        places.append(pose[:3, 3])
        x, y, z = joint.axis
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        turn = np.eye(4)
        turn[:3, :3] += np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
        pose = pose @ turn
    tip = (pose @ robot.frame("tip").pose.matrix)[:3, 3]
    return np.array(
        [
            axis @ (force[:3] + np.cross(tip - place, force[3:]))
            for axis, place in zip(axes, places, strict=True)
        ]
    )


def test_a_straight_chain_cannot_give_way_along_itself():
    robot, still = px.robots.chain(70), np.zeros(70)
    touching = px.Contact("tip", constraint=np.eye(6)[:, 3:4])
    motion = px.constrained_forward_dynamics(robot, still, still, still, touching)
    assert motion.rank == 0
    assert np.isnan(motion.qdd).all()
    assert np.isnan(motion.force).all()


def test_contacts_elsewhere_are_not_for_the_scan():
    robot = px.robots.chain(100)
    assert not touches_tip(robot, (px.Contact.pinned("link5"),))
    assert not touches_tip(robot, (px.Contact.pinned("tip"), px.Contact.pinned("tip")))
