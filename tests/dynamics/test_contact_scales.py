"""Contact in other units: what is too small to count is so whatever numbers are large.

Every case is solved by the recursion of the Program, on floats, and by the scan of a long chain.
"""

from dataclasses import replace

import numpy as np
import pytest
from support.chains import chain
from support.contacts import on_floats

import paraxis as px
from paraxis.dynamics.contacts.long_chain import constrained_chain
from paraxis.robots import Inertia

JOINTS = 8
SOLVERS = {
    "program": lambda robot, *state, contact: on_floats(robot, *state, [contact])[:4],
    "scan": lambda robot, *state, contact: constrained_chain(robot, *state, contact),
}
by_both = pytest.mark.parametrize("solver", SOLVERS)


def solved(solver, robot, state, contact):
    qdd, force, acceleration, rank = SOLVERS[solver](robot, *state, contact=contact)
    return np.array(qdd), np.ravel(force), np.ravel(acceleration), rank


def measured(robot, length, mass):
    """The robot in units that are so many times smaller."""

    def moved(pose):
        return replace(pose, translation=tuple(length * x for x in pose.translation))

    turned = mass * length**2
    rotors = [turned if joint.is_revolute else mass for joint in robot.joints]
    return replace(
        robot,
        joints=tuple(
            replace(
                joint, placement=moved(joint.placement), rotor_inertia=factor * joint.rotor_inertia
            )
            for joint, factor in zip(robot.joints, rotors, strict=True)
        ),
        inertias=tuple(
            Inertia(
                mass * each.mass,
                tuple(length * x for x in each.com),
                tuple(turned * x for x in each.about_com),
            )
            for each in robot.inertias
        ),
        base=moved(robot.base),
        gravity=tuple(length * x for x in robot.gravity),
        warn=False,
    )


@pytest.fixture(scope="module")
def robot():
    return chain(JOINTS, "revolute")


@pytest.fixture(scope="module")
def state():
    return np.random.default_rng(0).normal(size=(3, JOINTS))


def close(found, expected, tolerance=1e-9):
    return np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


def units():
    """A scan takes roots of matrices whose angular and linear numbers must be less than 1e16 apart,
    which is the square of a length."""
    for mass in (1e-26, 1e26):
        for solver in SOLVERS:
            yield solver, 1.0, mass
    for length in (1e-6, 1e6):
        yield "scan", length, 1.0
    for length in (1e-8, 1e8):
        yield "program", length, 1.0


@pytest.mark.parametrize("solver, length, mass", [*units()])
def test_units_do_not_matter(solver, robot, state, length, mass):
    q, qd, tau = state
    other = measured(robot, length, mass)
    dragged = px.Contact.sliding(normal=(0.0, 0.6, 0.8), friction=0.2, direction=(1.0, 0.0, 0.0))
    for contact in (px.Contact.pinned(), dragged):
        qdd, force, _, rank = solved(solver, robot, state, contact)
        found = solved(solver, other, (q, qd, mass * length**2 * tau), contact)
        assert rank == found[3] == contact.unknowns
        assert close(found[0], qdd)
        assert close(found[1] / (mass * length), force)


@by_both
@pytest.mark.parametrize("kinds", ["revolute", "prismatic"])  # of which the latter never turn
@pytest.mark.parametrize("mass", [1e-26, 1e26])
def test_units_of_what_gives_way_do_not_matter(solver, kinds, state, mass):
    robot, rng, (q, qd, tau) = chain(JOINTS, kinds), np.random.default_rng(1), state
    M1, M2 = np.diag(rng.uniform(0.5, 2.0, 6)), rng.normal(size=(6, 6))
    qdd, force, _, rank = solved(solver, robot, state, px.Contact.general(None, M1, M2))
    assert rank == 6
    other, giving = measured(robot, 1.0, mass), px.Contact.general(None, M1 / mass, M2)
    found = solved(solver, other, (q, qd, mass * tau), giving)
    assert found[3] == 6
    assert close(found[0], qdd)
    assert close(found[1] / mass, force)


@by_both
def test_directions_of_any_length(solver, robot, state):
    rng = np.random.default_rng(2)
    W = rng.normal(size=(6, 4))
    qdd, force, _, rank = solved(solver, robot, state, px.Contact(constraint=W))
    assert rank == 4
    found = solved(solver, robot, state, px.Contact(constraint=W * [1e-9, 1e9, 1.0, 1e-4]))
    assert found[3] == 4
    assert close(found[0], qdd)
    assert close(found[1], force)


@by_both
def test_directions_that_are_hardly_apart(solver, robot, state):
    """They hold the frame as two that are a right angle apart in the same plane."""
    one, other = np.linalg.qr(np.random.default_rng(3).normal(size=(6, 2)))[0].T
    square = px.Contact(constraint=np.column_stack([one, other]))
    narrow = px.Contact(constraint=np.column_stack([one, one + 1e-4 * other]))
    qdd, force, _, rank = solved(solver, robot, state, square)
    found = solved(solver, robot, state, narrow)
    assert rank == found[3] == 2
    assert close(found[0], qdd, 1e-6)
    assert close(found[1], force, 1e-6)


@by_both
@pytest.mark.parametrize("soft", [1.0, 1e16])
def test_what_is_soft_does_not_hide_what_is_singular(solver, soft):
    """A straight arm in a plane gives way only by turning in it, and across itself."""
    base = px.robots.Pose.from_rpy((0.0, 0.0, 0.0), (0.3, 0.7, -0.4))
    robot, still = replace(px.robots.planar(JOINTS), base=base), np.zeros(JOINTS)
    across = np.append(np.zeros(3), base.rotation @ np.array([0.0, 0.0, 1.0]))
    directions, _ = np.linalg.qr(np.column_stack([across, np.eye(6)[:, :5]]))
    giving = np.zeros((6, 6))
    giving[:, 0] = soft * directions[:, 0]
    contact = px.Contact.general("tip", giving, directions)
    *_, rank = solved(solver, robot, (still, still, still), contact)
    assert rank == 2
