"""Simulated robots with closed loops: energy, drift, friction, contacts, and where they begin."""

import numpy as np
import pytest
from support.loops import assembled, four_bar

import paraxis as px

Q = assembled(0.7)
KNEE = four_bar()
START = np.array([3.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def swing():
    return px.simulate(
        KNEE, Q, px.project_velocity(KNEE, Q, START), dt=1e-3, steps=10_000, every=20
    )


def test_a_swinging_linkage_keeps_its_energy_and_stays_closed(swing):
    energy = px.kinetic_energy(KNEE, swing.q, swing.qd) + px.potential_energy(KNEE, swing.q)
    assert np.ptp(energy) <= 1e-6 * np.ptp(px.potential_energy(KNEE, swing.q))
    assert np.ptp(swing.q[:, 0]) > 1.0
    assert swing.drift.position.shape == (501, 3)
    assert abs(swing.drift.position).max() <= 1e-8
    expected = np.array([assembled(crank) for crank in swing.q[::50, 0]])
    np.testing.assert_allclose(np.sin(swing.q[::50]), np.sin(expected), atol=1e-7)


def test_forces_of_loops_are_recorded(swing):
    found = px.constrained_forward_dynamics(KNEE, swing.q, swing.qd, np.zeros(3))
    assert swing.force is None and swing.loop_force.shape == (501, 1, 6)
    np.testing.assert_allclose(swing.loop_force, found.loop_force, atol=1e-4)


@pytest.mark.parametrize("method", ("semi_implicit_euler", "adaptive"))
def test_other_methods(method, swing):
    run = px.simulate(KNEE, Q, swing.qd[0], dt=1e-4, steps=1000, every=1000, method=method)
    np.testing.assert_allclose(run.q[-1], swing.q[5], atol=1e-9 if method == "adaptive" else 1e-3)


def test_what_is_open_closes(swing):
    run = px.simulate(KNEE, Q + [0.0, 1e-5, 0.0], swing.qd[0], dt=1e-3, steps=300)
    gap = abs(run.drift.position).max(-1)
    assert gap[0] > 1e-6 > 1e-10 > gap[-1]


def test_friction_and_contacts_take_part(swing):
    slow = px.robots.Friction(viscous=30.0)
    robot = KNEE.with_drives({"crank": {"friction": slow}})
    run = px.simulate(robot, Q, swing.qd[0], dt=1e-3, steps=200, every=200)
    assert abs(run.drift.position).max() <= 1e-8 and abs(run.qd[-1, 0]) < abs(swing.qd[10, 0])
    with pytest.raises(px.ArgumentError, match="closed loops, whose joints have friction"):
        px.simulate(robot, Q, swing.qd[0], dt=1e-3, steps=2, method="semi_implicit_euler")
    held = px.Contact(frame="pin", constraint=np.eye(6)[:, 3], stabilisation=20.0)
    still = px.simulate(KNEE, Q, np.zeros(3), contact=held, dt=1e-3, steps=50)
    assert still.drift.position.shape == (51, 4) and still.force.shape == (51, 6)
    assert abs(still.q - Q).max() <= 1e-9


def test_states_that_are_open_are_refused():
    run = {"dt": 1e-3, "steps": 1}
    with pytest.raises(
        px.ArgumentError, match="q0 of robot 1 leaves loop 'knee' open by 0.0.*close"
    ):
        px.simulate(KNEE, [Q, Q + [0.0, 0.1, 0.0]], np.zeros(3), **run)
    with pytest.raises(
        px.ArgumentError, match="qd0 of the robot opens loop 'knee' at .*project_vel"
    ):
        px.simulate(KNEE, Q, START, **run)
