"""Simulated robots with free bases and other joints: what they must keep, and how exactly."""

import random
import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.functions import error
from support.robots import random_inertia, random_pose

import paraxis as px
from paraxis.robots import Frame, Friction, Inertia, Joint

KINDS = ("free", "spherical", "revolute", "planar", "universal")


@pytest.fixture(scope="module")
def flyer():
    """A tree in free flight, with a joint of every kind."""
    rng = random.Random(3)
    axes = {"planar": (0.0, 0.6, 0.8), "universal": (1.0, 0.0, 0.0)}
    joints = [
        Joint(
            f"j{k}",
            kind,
            parent,
            random_pose(rng),
            axes.get(kind, (0.0, 0.0, 1.0)),
            second_axis=(0.0, 1.0, 0.0) if kind == "universal" else None,
        )
        for k, (kind, parent) in enumerate(zip(KINDS, (-1, 0, 1, 0, 3), strict=True))
    ]
    bodies = [random_inertia(rng) for _ in joints]
    return px.Robot("flyer", joints, bodies, [Frame("tip", 2)], gravity=(0, 0, 0), warn=False)


def beginning(robot, seed=0):
    rng = np.random.default_rng(seed)
    return px.integrate(robot, px.neutral(robot), rng.normal(size=robot.nv)), rng.normal(
        size=robot.nv
    )


def test_free_flight_keeps_momenta_and_energy(flyer):
    q0, qd0 = beginning(flyer)
    run = px.simulate(flyer, q0, 0.5 * qd0, dt=1e-3, steps=10_000, every=1000)
    momenta = px.centroidal_momentum(flyer, run.q, run.qd)
    assert abs(momenta - momenta[0]).max() <= 1e-10 * abs(momenta[0]).max()
    energies = px.kinetic_energy(flyer, run.q, run.qd)
    assert abs(energies / energies[0] - 1).max() <= 1e-9
    for numbers in (run.q[..., 3:7], run.q[..., 7:11]):
        assert abs(np.linalg.norm(numbers, axis=-1) - 1).max() <= 1e-12


@pytest.mark.parametrize(
    ("method", "order", "steps"), [("rk4", 4, (25, 50)), ("semi_implicit_euler", 1, (400, 800))]
)
def test_the_order_of_the_rules(flyer, method, order, steps):
    q0, qd0 = beginning(flyer)
    exact = px.simulate(flyer, q0, qd0, dt=0.2, steps=1, method="adaptive", tolerance=1e-12)
    errors = []
    for count in steps:
        run = px.simulate(flyer, q0, qd0, dt=0.2 / count, steps=count, every=count, method=method)
        errors.append(abs(px.difference(flyer, run.q[-1], exact.q[-1])).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)


def test_controllers_in_python_and_compiled_do_the_same(flyer):
    q0, qd0 = beginning(flyer)

    def asks(t, q, qd):
        return -float(1.0 + 0.0 * q[0]) * qd

    runs = []
    for controller in (lambda t, q, qd: -qd, asks):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", px.SimulationWarning)
            runs.append(px.simulate(flyer, q0, qd0, controller=controller, dt=1e-3, steps=50))
    assert error(runs[0].q[-1], runs[1].q[-1]) <= 1e-13


def test_a_trunk_that_stands_on_a_foot_carries_its_weight():
    root = Inertia.of(4.0, (0, 0, 0.02), (0.01, 0.02, 0.03))
    robot = replace(px.load("ur5"), root=root).with_floating_base()
    foot = px.Contact.welded(frame="base_link", stabilisation=20.0)
    q0 = np.concatenate((px.neutral(robot)[:7], [0.1, -1.2, 0.8, 0.3, 0.5, 0.0]))
    rates = np.zeros(robot.nv)

    def hold(t, q, qd):
        return np.concatenate([np.zeros(6, dtype=object), -5.0 * qd[6:]])

    run = px.simulate(robot, q0, rates, controller=hold, contact=foot, dt=1e-3, steps=200)
    assert abs(run.drift.position).max() <= 1e-8
    fixed = px.simulate(
        px.load("ur5"), q0[7:], rates[6:], controller=lambda t, q, qd: -5.0 * qd, dt=1e-3, steps=200
    )
    assert error(run.q[-1][7:], fixed.q[-1]) <= 1e-6


def test_friction_of_joints_beyond_a_free_base(flyer):
    """Viscous friction takes energy, and no momentum."""
    joints = [
        joint
        if joint.kind == "free"
        else px.robots.Joint(
            **{
                name: getattr(joint, name)
                for name in ("name", "kind", "parent", "placement", "axis", "second_axis")
            },
            friction=Friction(viscous=0.5),
        )
        for joint in flyer.joints[:3]
    ]
    robot = px.Robot("damped", joints, flyer.inertias[:3], gravity=flyer.gravity, warn=False)
    q0, qd0 = beginning(robot)
    run = px.simulate(robot, q0, qd0, dt=1e-3, steps=200)
    momenta = px.centroidal_momentum(robot, run.q, run.qd)
    assert abs(momenta - momenta[0]).max() <= 1e-10 * abs(momenta[0]).max()
    energies = px.kinetic_energy(robot, run.q, run.qd)
    assert (np.diff(energies) < 0).all()


def test_quaternions_that_are_not_of_unit_length_are_refused(flyer):
    q0, qd0 = beginning(flyer)
    with pytest.raises(px.ArgumentError, match=r"joint 'j0' must have length 1.*px.normalize"):
        px.simulate(flyer, 2 * q0, qd0, dt=1e-3, steps=1)
