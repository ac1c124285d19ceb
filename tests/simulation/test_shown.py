"""Runs as pages: the torques, forces and ground that they show."""

import pickle

import numpy as np
import pytest
from support.on_ground import G, at, box

import paraxis as px
from paraxis.scene.motion import RATE
from paraxis.simulation import Box, ContactPoint, Ground, HeightField, Plane, Sphere
from paraxis.simulation.shown import shape_of


@pytest.fixture(scope="module")
def arm():
    return px.robots.planar(2)


Q0, QD0 = np.array([0.4, -0.8]), np.zeros(2)


def law(t, q, qd, kp=20.0):
    return [kp * (px.math.sin(t) - q[0]), -3 * q[1] - qd[1]]


def numbers(q, qd, t, kp=20.0):
    return np.stack([kp * (np.sin(t) - q[..., 0]), -3 * q[..., 1] - qd[..., 1]], -1)


def test_torques_of_a_controller_are_those_of_the_run(arm):
    run = px.simulate(arm, Q0, QD0, controller=law, dt=1e-3, steps=300, every=3)
    motion = run.as_scene().motion
    assert np.allclose(motion.tau[:, 0], numbers(run.q, run.qd, run.t), atol=1e-12)
    gains = np.array([5.0, 10.0, 30.0])
    start = np.tile(Q0, (3, 1))
    run = px.simulate(arm, start, QD0, controller=law, dt=1e-3, steps=30, kp=gains)
    motion = run.as_scene().motion
    expected = numbers(run.q, run.qd, run.t[:, None], gains)
    assert motion.tau.shape == (31, 3, 2) and np.allclose(motion.tau, expected, atol=1e-12)


def test_torques_that_were_given(arm):
    tau = np.random.default_rng(0).normal(size=(40, 2))
    run = px.simulate(arm, Q0, QD0, tau, dt=1e-3, steps=40, every=4)
    motion = run.as_scene().motion
    assert np.array_equal(motion.tau[:-1, 0], tau[::4]) and np.array_equal(
        motion.tau[-1, 0], tau[-1]
    )
    run = px.simulate(arm, Q0, QD0, tau[0], dt=1e-3, steps=40)
    assert np.array_equal(run.as_scene().motion.tau[:, 0], np.tile(tau[0], (41, 1)))
    run = px.simulate(arm, Q0, QD0, dt=1e-3, steps=40)
    assert not run.as_scene().motion.tau.any()


def test_torques_within_the_limits_of_motors():
    robot = px.load("ur5")
    run = px.simulate(robot, np.zeros(6), np.zeros(6), np.full(6, 1e3), dt=1e-4, steps=5)
    tau = run.as_scene().motion.tau
    assert np.allclose(tau[:, 0], robot.effort_limit)


def test_torques_that_are_not_known_are_those_of_the_motion(arm):
    def floats(t, q, qd):
        return [1.0 if q[0] > 9 else -1.0, 0.5]

    with pytest.warns(px.SimulationWarning, match="runs uncompiled"):
        run = px.simulate(arm, Q0, QD0, controller=floats, dt=1e-3, steps=50)
    scene = run.as_scene()
    assert np.allclose(scene.motion.tau[1:-1, 0], [-1.0, 0.5], atol=1e-3)
    assert "Torques are those of inverse dynamics" in scene.html
    copy = pickle.loads(pickle.dumps(run))
    assert np.array_equal(copy.as_scene().motion.tau, scene.motion.tau)


def test_a_later_run_of_a_simulator_knows_its_time(arm):
    simulator = px.Simulator(arm, dt=1e-3)
    simulator.reset(Q0)
    simulator.run(law, 500)
    run = simulator.run(law, 20)
    expected = numbers(run.q, run.qd, run.t + 0.5)
    assert np.allclose(run.as_scene().motion.tau[:, 0], expected, atol=1e-12)


def test_forces_of_the_ground_carry_the_weight():
    robot, points = box()
    run = px.simulate(
        robot, at(0, 0, 0.06), np.zeros(6), dt=1e-3, steps=600, every=2, ground=Ground(points)
    )
    scene = run.as_scene()
    forces = scene.motion.arrows["forces"]
    assert forces.shape == (301, 1, len(points), 3)
    weight = sum(body.mass for body in robot.inertias) * G
    assert np.allclose(forces[-1, 0].sum(0), [0, 0, weight], atol=1e-3 * weight)
    data = scene.motion.shown().as_data([])
    count = len(range(0, 600, round(1000 / RATE)))
    assert abs(data["arrows"]["forces"]["shape"][0] - count) <= 2


@pytest.mark.parametrize("coordinates", ["world", "body"])
def test_forces_of_contacts_are_those_on_the_robot(coordinates):
    robot, contact = px.load("ur5"), px.Contact.pinned(coordinates=coordinates)
    start = [0.3, -1.0, 0.7, 0.4, 0.5, 0.6]
    run = px.simulate(robot, start, np.zeros(6), dt=1e-3, steps=20, contact=[contact])
    arrows = run.as_scene().motion.arrows
    pose = px.forward_kinematics(robot, run.q)
    assert np.allclose(arrows["points"][:, 0, 0], pose[:, :3, 3])
    exerted = run.force[:, 0, 3:]
    if coordinates == "body":
        exerted = np.einsum("tij,tj->ti", pose[:, :3, :3], exerted)
    assert np.allclose(arrows["forces"][:, 0, 0], -exerted) and abs(exerted).max() > 1


def test_pieces_of_the_ground_are_where_they_are():
    slope = shape_of(Plane((1.0, 2.0, 3.0), (0.0, 3.0, 4.0)))
    assert slope.kind == "plane" and slope.pose.translation == (1, 2, 3)
    assert np.allclose(np.array(slope.pose.rotation)[:, 2], (0, 0.6, 0.8))
    assert shape_of(Sphere((1, 2, 3), 0.5)).size == (0.5,)
    assert shape_of(Box((1, 2, 3))).size == (1, 2, 3)
    field = shape_of(HeightField([[0, 1, 2], [3, 4, 5]], (2, 1), (-1, -2)))
    assert len(field.faces) == 4
    assert sorted(map(tuple, field.vertices.tolist()))[-1] == (1, 0, 5)
    a, b, c = (field.vertices[field.faces[:, k]] for k in range(3))
    assert (np.cross(b - a, c - a)[:, 2] > 0).all()  # seen from above
    robot, points = box()
    ground = Ground(
        [ContactPoint(p.frame, p.position) for p in points], (Plane(), Sphere((1, 0, 0), 0.1))
    )
    run = px.simulate(robot, at(0, 0, 0.3), np.zeros(6), dt=1e-3, steps=2, ground=ground)
    assert '"surroundings":[{"look":"ground"' in run.as_scene().html


def test_a_notebook_shows_a_run(arm):
    run = px.simulate(arm, Q0, QD0, dt=1e-3, steps=20)
    assert run._repr_html_().startswith("<iframe title=") and "srcdoc=" in run._repr_html_()
    many = px.simulate(arm, np.tile(Q0, (10_000, 1)), QD0, dt=1e-3, steps=20)
    assert many._repr_html_() is None


def test_runs_of_other_kinds(arm):
    simulator = px.Simulator(arm, dt=1e-3, dtype="float32")
    simulator.reset(np.tile(Q0, (3, 1)))
    run = simulator.run(law, 20)
    expected = numbers(run.q, run.qd, run.t[:, None])
    assert np.allclose(run.as_scene().motion.tau, expected, atol=1e-4)
    array = pytest.importorskip("dask.array")
    lazy = px.simulate(
        arm,
        array.from_array(np.tile(Q0, (4, 1)), chunks=(2, 2)),
        QD0,
        controller=law,
        dt=1e-3,
        steps=20,
    )
    assert lazy._repr_html_() is None
    motion = lazy.as_scene().motion
    assert motion.q.shape == (21, 4, 2) and motion.tau.shape == (21, 4, 2)


def test_failed_robots_are_shown_as_far_as_they_came(arm):
    q0 = np.array([Q0, [np.nan, 0.0]])
    with pytest.warns(px.SimulationWarning):
        run = px.simulate(arm, q0, QD0, dt=1e-3, steps=50)
    html = run.as_scene().html
    assert "1 robot cannot be drawn to the end, as states are not finite." in html
    assert "NaN" not in html.partition('id="data">')[2].partition("</script>")[0]
