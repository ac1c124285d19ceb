"""Robots in contact moving in time: energy, drift, closed forms, Pinocchio, and what is refused."""

import math
import warnings
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson, solve_ivp
from support.bits import same_bits
from support.robots import pinocchio_model, relative_error

import paraxis as px

AXES = np.eye(6)
IN_PLANE = AXES[:, [3, 5]]  # of px.robots.planar: along x and z
START = np.array([0.3, 0.9, -0.8])
RATES = np.array([1.0, -0.5, 0.4])


@cache
def bars():
    """Three rods between two fixed points: with the ground between these, a four-bar linkage."""
    return px.robots.planar(3)


@cache
def moving():
    """Rates of it with which its tip stays."""
    return px.project_velocity(bars(), START, RATES, px.Contact(constraint=IN_PLANE))


def linkage(dt, seconds, stabilisation=None, **options):
    held = px.Contact(constraint=IN_PLANE, stabilisation=stabilisation)
    steps = round(seconds / dt)
    return px.simulate(bars(), START, moving(), contact=held, dt=dt, steps=steps, **options)


def energies(robot, run):
    """Kinetic and total, of each record."""
    kinetic = px.kinetic_energy(robot, run.q, run.qd)
    return kinetic, kinetic + px.potential_energy(robot, run.q)


def largest(drift):
    return abs(drift.position).max(), abs(drift.velocity).max()


# -- the motion ------------------------------------------------------------------------------------


def test_a_linkage_keeps_its_energy():
    """Ten seconds, some five turns: with stabilisation at 1e-3 s to 1e-7 of its kinetic energy."""
    run = linkage(1e-3, 10.0, stabilisation=10.0)
    kinetic, total = energies(bars(), run)
    assert kinetic.max() > 5 and kinetic.min() < 0.5 * kinetic.max()
    assert abs(total - total[0]).max() < 1e-7 * kinetic.max()
    tip = px.forward_kinematics(bars(), run.q)[:, :3, 3]
    assert abs(tip - tip[0]).max() < 1e-9


def test_drift_with_and_without_stabilisation():
    """Without, the tip walks off; with, errors are those of a few steps."""
    position, velocity = largest(linkage(1e-2, 10.0).drift)
    assert 1e-3 < position < 1e-2 and 3e-4 < velocity < 3e-3
    position, velocity = largest(linkage(1e-2, 10.0, stabilisation=10.0).drift)
    assert position < 1e-5 and velocity < 1e-4
    kinetic, total = energies(bars(), linkage(1e-2, 10.0))
    assert abs(total - total[0]).max() > 1e-3 * kinetic.max()


def test_drift_is_of_the_order_of_the_rule():
    drifts = [largest(linkage(dt, 2.0).drift)[0] for dt in (2e-2, 1e-2, 5e-3)]
    assert [math.log2(a / b) for a, b in pairwise(drifts)] == pytest.approx([4.5, 4.5], abs=1.0)


def test_drift_is_what_kinematics_say():
    run = linkage(1e-2, 2.0)
    moved = px.forward_kinematics(bars(), run.q)[:, :3, 3]
    moved = (moved - moved[0])[:, [0, 2]]
    velocity = np.einsum("tij,tj->ti", px.jacobian(bars(), run.q), run.qd)[:, [3, 5]]
    assert run.drift.position.shape == (201, 2)
    assert abs(run.drift.position - moved).max() < 1e-15
    assert abs(run.drift.velocity - velocity).max() < 1e-14


@pytest.mark.parametrize(
    ("method", "dt", "tolerance"),
    [("rk4", 1e-3, 1e-9), ("adaptive", 0.1, 1e-7), ("semi_implicit_euler", 1e-4, 1e-2)],
)
def test_one_degree_of_freedom(method, dt, tolerance):
    """Two rods whose end slides along x, isosceles: a pendulum where gravity is along x.

    With the angle θ at the base, T = (1/3 + sin²θ) θ̇² and V = -2 g cos θ, for unit rods.
    """
    robot, g = px.robots.planar(2).with_gravity((9.81, 0, 0)), 9.81
    held = px.Contact(constraint=AXES[:, 5])
    steps, start = round(2.0 / dt), [0.8, -1.6]
    run = px.simulate(
        robot, start, [0, 0], contact=held, dt=dt, steps=steps, every=steps // 20, method=method
    )

    def slope(t, x):
        θ, rate = x
        s, c = math.sin(θ), math.cos(θ)
        return rate, -(s * c * rate**2 + g * s) / (1 / 3 + s * s)

    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13, "t_eval": run.t}
    θ, rate = solve_ivp(slope, (0, run.t[-1]), (0.8, 0.0), **options).y
    assert θ.min() < -0.75  # it swings to the other side
    assert relative_error(run.q, np.column_stack([θ, -2 * θ])) < tolerance
    assert relative_error(run.qd, np.column_stack([rate, -2 * rate])) < tolerance


def test_the_same_steps_with_pinocchio():
    """Its constraint dynamics under the rule of Runge and Kutta: the same states."""
    import pinocchio as pin

    robot = px.robots.chain(4)
    q0 = np.array([0.4, 0.7, -0.9, 0.6])
    qd0 = px.project_velocity(robot, q0, 2 * np.ones(4), px.Contact.pinned())
    run = px.simulate(robot, q0, qd0, contact=px.Contact.pinned(), dt=1e-3, steps=50)

    model, frame = pinocchio_model(robot), robot.tool()
    constraints, own = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    seat = pin.SE3(np.array(frame.pose.rotation), np.array(frame.pose.translation))
    where = frame.body + 1, seat, pin.ReferenceFrame.LOCAL
    constraints.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *where))
    own.append(constraints[0].createData())
    data = model.createData()
    pin.initConstraintDynamics(model, data, constraints, own)
    exact = pin.ProximalSettings(1e-14, 0.0, 1)

    def slope(x):
        rest = np.zeros(4)
        qdd = pin.constraintDynamics(model, data, x[:4], x[4:], rest, constraints, own, exact)
        return np.concatenate([x[4:], qdd])

    x, h = np.concatenate([q0, qd0]), 1e-3
    for _ in range(50):
        k1 = slope(x)
        k2 = slope(x + h / 2 * k1)
        k3 = slope(x + h / 2 * k2)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(x + h * k3))
    assert abs(x[4:] - qd0).max() > 0.1
    assert relative_error(np.concatenate([run.q[-1], run.qd[-1]]), x) < 1e-10


# -- sliding ---------------------------------------------------------------------------------------


@cache
def wiper():
    """A weightless arm whose tip glides over a table, and the rates of a start."""
    robot = px.robots.chain(3).with_gravity((0, 0, 0))
    q = np.array([0.2, 0.9, 0.5])
    return robot, q, px.project_velocity(robot, q, 2 * np.ones(3), px.Contact.sliding())


def pressing(t, q, qd):
    """20 N down: they do no work, as the tip stays in the plane."""
    return -20 * px.jacobian(wiper()[0], q)[5]


def slide(steps, friction=None, **options):
    robot, q, qd = wiper()
    table = px.Contact.sliding(friction=friction)
    options = {"controller": pressing, "dt": 1e-3} | options
    return px.simulate(robot, q, qd, contact=table, steps=steps, **options)


def test_a_smooth_table_takes_nothing():
    run = slide(1000)
    kinetic, _ = energies(wiper()[0], run)
    assert abs(kinetic - kinetic[0]).max() < 1e-8 * kinetic[0]
    height = px.forward_kinematics(wiper()[0], run.q)[:, 2, 3]
    assert abs(height - height[0]).max() < 1e-9
    assert abs(run.force[:, :5]).max() < 1e-12
    assert np.ptp(run.q, axis=0).min() > 0.1


def test_friction_takes_what_it_works():
    """Kinetic energy falls by the work of the contact's force, which is drag along the slip."""
    robot, run = wiper()[0], slide(100, friction=0.2)
    kinetic, _ = energies(robot, run)
    motion = np.einsum("tij,tj->ti", px.jacobian(robot, run.q), run.qd)
    power = (run.force * motion).sum(-1)
    lost = cumulative_simpson(power, x=run.t, initial=0)
    assert power.min() > 0 and lost[-1] > 0.3 * kinetic[0]
    assert abs(kinetic + lost - kinetic[0]).max() < 1e-7 * kinetic[0]
    slip, pressure = np.linalg.norm(motion[:, 3:5], axis=1), -run.force[:, 5]
    assert pressure.min() > 10 and slip.min() > 0.05
    assert abs(power / (0.2 * pressure * slip) - 1).max() < 1e-3


def test_friction_brings_it_to_rest():
    """It then creeps, far slower than a millimetre a second, where nothing pushes it."""
    run = slide(10, friction=0.5, dt=0.05, method="adaptive")
    motion = np.einsum("tij,tj->ti", px.jacobian(wiper()[0], run.q), run.qd)
    slip = np.linalg.norm(motion[:, 3:5], axis=1)
    assert slip[0] > 0.1 and slip[-1] < 1e-4


# -- what is recorded ------------------------------------------------------------------------------


def test_forces_are_those_of_the_states():
    """Under constant torques, torques of each step, and controllers, compiled or not."""
    robot, q, qd = wiper()
    table, tau = px.Contact.sliding(friction=0.2), np.linspace(-1, 1, 18).reshape(6, 3)

    def forces(run, torques):
        found = px.constrained_forward_dynamics(robot, run.q, run.qd, torques, table)
        return abs(found.force - run.force).max()

    options = {"contact": table, "dt": 1e-3, "steps": 6}
    assert forces(px.simulate(robot, q, qd, tau[0], **options), tau[0]) < 1e-12
    assert forces(px.simulate(robot, q, qd, tau, every=2, **options), tau[[0, 2, 4, 5]]) < 1e-12

    def swing(t, q, qd, gain):
        return gain * (t - q)

    def opaque(t, q, qd, gain):
        return swing(float(t), q, qd, gain)

    run = px.simulate(robot, q, qd, controller=swing, gain=3.0, every=3, **options)
    assert forces(run, 3.0 * (run.t[:, None] - run.q)) < 1e-12
    with pytest.warns(px.SimulationWarning, match="runs uncompiled"):
        called = px.simulate(robot, q, qd, controller=opaque, gain=3.0, every=3, **options)
    assert abs(called.q - run.q).max() < 1e-14 and abs(called.force - run.force).max() < 1e-11


def test_robots_in_a_batch_move_as_alone():
    robot, q, qd = wiper()
    rng = np.random.default_rng(0)
    q = q + 0.1 * rng.normal(size=(2, 3, 3))
    friction, mass = np.array([0.1, 0.2, 0.3]), np.linspace(0.3, 0.6, 6).reshape(2, 1, 3)
    table = px.Contact.sliding(friction=friction, stabilisation=20.0)
    qd = px.project_velocity(robot, q, qd, table, mass=mass)
    options = {"dt": 1e-3, "steps": 20, "every": 5}
    together = px.simulate(robot, q, qd, contact=table, mass=mass, **options)
    assert together.force.shape == (5, 2, 3, 6)
    assert together.drift.position.shape == (5, 2, 3, 1)
    for i, j in np.ndindex(2, 3):
        own = px.Contact.sliding(friction=friction[j], stabilisation=20.0)
        alone = px.simulate(robot, q[i, j], qd[i, j], contact=own, mass=mass[i, 0], **options)
        assert same_bits(together.q[:, i, j].copy(), alone.q)
        assert same_bits(together.qd[:, i, j].copy(), alone.qd)
        assert same_bits(together.force[:, i, j].copy(), alone.force)
        assert same_bits(together.drift.position[:, i, j].copy(), alone.drift.position)


def test_several_contacts():
    """Two frames of an arm that slide on two planes; forces have an axis for them."""
    robot, both = bars(), [px.Contact.sliding("link3"), px.Contact.sliding(normal=(1, 0, 0))]
    qd = px.project_velocity(robot, START, RATES, both)
    run = px.simulate(robot, START, qd, contact=both, dt=1e-3, steps=100)
    assert run.force.shape == (101, 2, 6) and run.drift.velocity.shape == (101, 2)
    assert max(largest(run.drift)) < 1e-9
    kinetic, total = energies(robot, run)
    assert abs(total - total[0]).max() < 1e-9 * kinetic.max()


def test_an_anchor_draws_the_frame_in():
    """Given by the user, it may be elsewhere than where the robot begins."""
    home = px.forward_kinematics(bars(), START + 0.01)
    held = px.Contact(constraint=IN_PLANE, stabilisation=10.0, anchor=home)
    run = px.simulate(bars(), START, 0 * START, contact=held, dt=1e-2, steps=300)
    distance = abs(run.drift.position).max(axis=1)
    assert distance[0] > 5e-3 and distance[-1] < 1e-5


def test_friction_of_joints():
    """Explicitly, as a part of the torques."""
    drives = {name: {"friction": px.robots.Friction(viscous=0.5)} for name in bars().joint_names}
    robot = bars().with_drives(drives)
    held = px.Contact(constraint=IN_PLANE)
    run = px.simulate(robot, START, moving(), contact=held, dt=1e-3, steps=200)
    kinetic, total = energies(robot, run)
    lost = cumulative_simpson(0.5 * (run.qd**2).sum(-1), x=run.t, initial=0)
    assert lost[-1] > 0.01 * kinetic.max()
    assert abs(total + lost - total[0]).max() < 1e-8 * kinetic.max()


# -- how it begins, and what goes wrong ------------------------------------------------------------


def test_projected_rates_are_those_after_an_impact():
    """The contact stays, other momentum is kept, and energy splits as Pythagoras says."""
    held = px.Contact(constraint=IN_PLANE)
    after = px.project_velocity(bars(), [START, START + 0.2], RATES, held)
    q = np.array([START, START + 0.2])
    J, M = px.jacobian(bars(), q)[:, [3, 5]], px.mass_matrix(bars(), q)
    assert abs(J @ after[..., None]).max() < 1e-14
    impulse = (M @ (RATES - after)[..., None])[..., 0]
    for rows, each in zip(J, impulse, strict=True):
        assert np.linalg.matrix_rank(np.vstack([rows, each]), tol=1e-10) == 2
    energy = px.kinetic_energy(bars(), q, RATES)
    parts = px.kinetic_energy(bars(), q, after) + px.kinetic_energy(bars(), q, RATES - after)
    assert energy == pytest.approx(parts) and relative_error(moving(), after[0]) < 1e-14


def test_an_impact_is_without_friction_and_forces():
    along = {"constraint": AXES[:, 5:], "motion": AXES[:, :5]}
    expected = px.project_velocity(bars(), START, RATES, px.Contact(**along))
    assert abs(px.jacobian(bars(), START)[5] @ expected) < 1e-14
    for given in (
        {"force": np.arange(1.0, 6.0)},
        {"coupling": np.full((5, 1), 0.3)},
        {"acceleration": [2.0]},
        {"stabilisation": 10.0},
    ):
        found = px.project_velocity(bars(), START, RATES, px.Contact(**along, **given))
        np.testing.assert_array_equal(found, expected)
    rough = px.Contact.sliding(friction=0.5)
    assert relative_error(px.project_velocity(bars(), START, RATES, rough), expected) < 1e-12


@cache
def skate():
    """A blade on ice: two slides and a turn. It may not move across itself."""
    kinds, axes = ("prismatic", "prismatic", "revolute"), np.eye(3).tolist()
    joints = [
        px.robots.Joint(kind[0] + str(k), kind, k - 1, axis=axis)
        for k, (kind, axis) in enumerate(zip(kinds, axes, strict=True))
    ]
    body = px.robots.Inertia.of(2.0, (0, 0, 0), (0.1, 0.1, 0.1))
    return px.Robot("skate", joints, [px.robots.Inertia(), px.robots.Inertia(), body], warn=False)


def test_a_blade_glides_in_a_circle():
    """Its directions turn with it: no place draws it back, and only its velocity can be wrong."""
    blade = px.Contact(constraint=AXES[:, 4], coordinates="body", stabilisation=10.0)
    run = px.simulate(skate(), np.zeros(3), [1.0, 0.0, 1.0], contact=blade, dt=1e-2, steps=200)
    circle = np.stack([np.sin(run.t), 1 - np.cos(run.t), run.t], -1)
    assert abs(run.q - circle).max() < 1e-8


def test_rates_that_may_be_drift():
    """A thousandth of what all joints could add up to, where nothing falls."""
    blade = px.Contact(constraint=AXES[:, 4], coordinates="body", stabilisation=10.0)
    options = {"contact": blade, "dt": 1e-2, "steps": 200}
    px.simulate(skate(), np.zeros(3), [1.0, 9e-4, 1.0], **options)
    with pytest.raises(px.ArgumentError, match="at 0.002 along"):
        px.simulate(skate(), np.zeros(3), [1.0, 2e-3, 1.0], **options)


def test_rates_against_the_contact_are_refused():
    held = px.Contact(constraint=IN_PLANE)
    options = {"contact": held, "dt": 1e-3, "steps": 1}
    message = "qd0 of robot 1 moves frame 'tip' .* direction 1; px.project_velocity"
    with pytest.raises(px.ArgumentError, match=message):
        px.simulate(bars(), START, [moving(), RATES], **options)
    with pytest.raises(px.ArgumentError, match="qd0 of the robot moves frame"):
        px.simulate(bars(), START, RATES, **options)
    late = linkage(5e-3, 10.0)  # its own drift is no such thing: a run can be continued
    px.simulate(bars(), late.q[-1], late.qd[-1], **options)


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
def test_a_singular_contact_ends_a_run(method):
    held = px.Contact(constraint=IN_PLANE)
    states = np.array([START, [0.3, 0.0, 0.0]])  # the second arm is stretched
    options = {"contact": held, "dt": 1e-3, "steps": 3, "method": method}
    with pytest.warns(px.SimulationWarning) as said:
        run = px.simulate(bars(), states, np.zeros(3), **options)
    messages = [str(each.message) for each in said]
    assert "robot 1 is singular at 0 s" in messages[0] and "have rank 1" in messages[0]
    assert "robot 1 first, at step 1" in messages[1]
    assert run.failed_at.tolist() == [-1, 1]
    assert np.isnan(run.force[:, 1]).all() and np.isnan(run.q[1:, 1]).all()
    assert np.isfinite(run.q[:, 0]).all() and np.isfinite(run.force[:, 0]).all()


def test_what_is_no_number_is_not_called_singular():
    held = px.Contact(constraint=IN_PLANE)
    states = np.array([START, np.full(3, np.nan)])
    with pytest.warns(px.SimulationWarning) as said:
        run = px.simulate(bars(), states, np.zeros(3), contact=held, dt=1e-3, steps=3)
    messages = [str(each.message) for each in said]
    assert len(messages) == 1 and "robot 1 first, at step" in messages[0]
    assert np.isfinite(run.q[:, 0]).all()


@pytest.mark.parametrize("batch", ((), (2,), (0,)), ids=str)
@pytest.mark.parametrize("torques", ("none", "constant", "each step", "traced", "called"))
@pytest.mark.parametrize("steps, every", [(0, 1), (0, 3), (1, 1), (6, 1), (6, 2), (6, 6)])
def test_every_record_has_its_force_and_drift(steps, every, torques, batch):
    n, given = 3, {}
    if torques == "constant":
        given["tau"] = np.ones(n)
    elif torques == "each step":
        given["tau"] = np.ones((steps, *batch, n))
    elif torques == "traced":
        given["controller"] = lambda t, q, qd: 1.0 - qd
    elif torques == "called":
        given["controller"] = lambda t, q, qd: float(t) * 0.0 + 1.0 - qd
    start = np.broadcast_to(START, (*batch, n))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "controller: runs uncompiled", px.SimulationWarning)
        held = [px.Contact(constraint=IN_PLANE)]
        run = px.simulate(
            bars(), start, np.zeros(n), contact=held, dt=1e-3, steps=steps, every=every, **given
        )
    records = steps // every + 1
    assert run.t.shape == (records,) and run.failed_at.shape == batch
    assert run.q.shape == run.qd.shape == (records, *batch, n)
    assert run.force.shape == (records, *batch, 1, 6)
    assert run.drift.position.shape == run.drift.velocity.shape == (records, *batch, 2)
    # Torques of each of no steps say nothing of those in the only state.
    known = not (torques == "each step" and steps == 0)
    held = run.force[..., [3, 5]]
    assert np.isfinite(held).all() if known else np.isnan(held).all()
    assert np.isfinite(run.drift.position).all()


def test_what_cannot_be_simulated():
    def refused(message, robot=None, contact=None, **options):
        contact = px.Contact(constraint=IN_PLANE) if contact is None else contact
        with pytest.raises(px.ArgumentError, match=message):
            given = {"contact": contact, "dt": 1e-3, "steps": 1} | options
            px.simulate(robot or bars(), START, np.zeros(3), **given)

    lifted = px.Contact(constraint=IN_PLANE, acceleration=[0, 1])
    refused("must stay where it is", contact=lifted)
    general = px.Contact.general(None, np.diag([1.0, 1, 1, 1, 1, 0]), np.diag([0.0] * 5 + [1]))
    refused("px.Contact with directions, found GeneralContact", contact=general)
    refused("contact: expected a px.Contact, found str", contact="tip")
    refused("base_velocity: the base", base_velocity=np.zeros(6))

    def with_friction(friction):
        return bars().with_drives({name: {"friction": friction} for name in bars().joint_names})

    refused(
        "has bearings",
        with_friction(px.robots.Friction(px.robots.JournalBearing(0.1, 0.02, 0.1))),
    )
    euler = {"method": "semi_implicit_euler"}
    refused("use 'rk4' or 'adaptive'", with_friction(px.robots.Friction(viscous=1.0)), **euler)
    with pytest.raises(px.ArgumentError, match="px.Contact with directions"):
        px.project_velocity(bars(), START, RATES, general)
