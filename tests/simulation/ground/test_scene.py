"""Obstacles of every kind, pairs of points, points from shapes, joints with friction."""

import dataclasses

import numpy as np
import pytest
from support.on_ground import G, at, ball, energy, run

import paraxis as px
from paraxis.simulation import (
    Box,
    ContactPoint,
    Ground,
    HeightField,
    Plane,
    Sphere,
    contact_points,
)
from paraxis.simulation.ground.touches import axes_of
from paraxis.spatial import Vector

HILL = HeightField([[0.0, 0.1, 0.0], [0.2, 0.3, 0.1], [0.1, 0.0, 0.2]], 0.5, (-0.5, -0.5))
TURNED = px.robots.Pose.of([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]], (0.1, 0.2, 0.3))
PIECES = [Plane((0, 0, 1), (1, 2, 3)), Sphere((0.1, 0, 0.2), 0.5), Box((1, 2, 0.5), TURNED), HILL]


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: type(piece).__name__)
def test_the_normal_is_the_slope_of_the_distance(piece):
    rng, step = np.random.default_rng(0), 1e-6
    for point in rng.uniform(-1, 1, (50, 3)):
        gap, normal = piece.distance(Vector(*point))
        assert np.linalg.norm([*normal]) == pytest.approx(1.0)
        if isinstance(piece, HeightField):
            continue  # right to first order near the surface
        ahead, _ = piece.distance(Vector(*(point + step * np.array([*normal]))))
        assert (ahead - gap) / step == pytest.approx(1.0, abs=1e-4)
        axes = np.array([[*row] for row in axes_of(normal)], float)
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)


def test_heights_between_grid_points():
    for x, y, height in ((0.0, 0.0, 0.3), (0.25, 0.0, 0.15), (-0.5, -0.25, 0.05), (9.0, 9.0, 0.2)):
        gap, normal = HILL.distance(Vector(x, y, height))
        assert gap == pytest.approx(0.0, abs=1e-12)
        assert normal.z > 0


@pytest.mark.parametrize(
    "scene",
    [Box((1, 1, 0.4)), Sphere((0, 0, 0), 0.2), HeightField(np.full((3, 3), 0.2), 1, (-1, -1))],
)
def test_a_ball_comes_to_rest_on_top(scene):
    robot, points = ball()
    found = run(robot, Ground(points, scene), at(0, 0, 0.5), np.zeros(6), 600)
    np.testing.assert_allclose(found.q[-1, :3], [0, 0, 0.3], atol=1e-6)
    assert found.impulses[-1, 0, 0] == pytest.approx(1.5 * G * 1e-3)


def test_the_nearest_piece_counts():
    robot, points = ball()
    scene = [Plane(), Box((0.2, 0.2, 0.2))]
    q = np.stack([at(0, 0, 0.6), at(1, 0, 0.6)])
    found = run(robot, Ground(points, scene), q, np.zeros(6), 600)
    np.testing.assert_allclose(found.q[-1, :, 2], [0.2, 0.1], atol=1e-6)


def test_a_ball_rolls_down_a_slope_of_heights():
    robot, points = ball()
    slope = HeightField([[1.0, 1.0], [-1.0, -1.0]], 2.0, (-1.0, -1.0))  # 45 degrees
    q = at(0, 0, 0.1 * np.sqrt(2))
    found = run(robot, Ground(points, slope, friction=1.0), q, np.zeros(6), 300)
    world = px.jacobian(robot, found.q[-1], "body") @ found.qd[-1]
    speed = 5 / 7 * G * np.sqrt(0.5) * 0.3
    np.testing.assert_allclose(
        world[[3, 5]], [speed * np.sqrt(0.5), -speed * np.sqrt(0.5)], rtol=1e-3
    )


def test_two_spheres_of_a_robot_push_each_other():
    """Two bodies slide towards each other on a rail and exchange what momentum they have."""
    body = px.robots.Inertia(1.0, (0, 0, 0), (0.01, 0.01, 0.01, 0, 0, 0))
    joints = [px.robots.Joint(name, "prismatic", -1, axis=(1.0, 0, 0)) for name in "ab"]
    frames = (px.robots.Frame("left", 0), px.robots.Frame("right", 1))
    robot = px.Robot("rail", joints, [body, body], frames, (0.0, 0.0, 0.0))
    points = [ContactPoint("left", radius=0.1), ContactPoint("right", radius=0.1)]
    for e in (0.0, 0.5, 1.0):
        ground = Ground(points, (), pairs=[(0, 1)], restitution=e, friction=0.0)
        found = run(robot, ground, [0.0, 0.5], [1.0, 0.0], 1000)
        np.testing.assert_allclose(found.qd[-1], [(1 - e) / 2, (1 + e) / 2], atol=1e-9)
        assert found.gap.min() > -1e-9


def test_a_contact_that_cannot_move_gives_way_to_the_residual():
    """A slider along x is pushed into the ground along z, where nothing moves it."""
    body = px.robots.Inertia(1.0, (0, 0, 0), (0.01, 0.01, 0.01, 0, 0, 0))
    robot = px.Robot(
        "slider",
        [px.robots.Joint("a", "prismatic", -1, axis=(1.0, 0, 0))],
        [body],
        (px.robots.Frame("body", 0),),
    )
    found = run(robot, Ground([ContactPoint("body", (0, 0, -0.1))]), [0.0], [1.0], 10)
    assert np.isfinite(found.q).all()
    assert found.impulses.max() == 0.0


def test_points_from_shapes():
    pose = px.robots.Pose(translation=(0.0, 0.0, -0.1))
    kinds = {
        "sphere": (0.1,),
        "box": (0.2, 0.3, 0.1),
        "capsule": (0.05, 0.4),
        "cylinder": (0.1, 0.2),
    }
    robot, _ = ball()
    counts = {}
    for kind, size in kinds.items():
        shape = px.robots.Shape("body", 0, pose, kind, size, "collision")
        points = contact_points(dataclasses.replace(robot, shapes=(shape,), warn=False))
        counts[kind] = [(p.radius, round(p.position[2], 12)) for p in points]
    assert counts["sphere"] == [(0.1, -0.1)]
    assert counts["box"] == [(0.0, -0.15)] * 4
    assert counts["capsule"] == [(0.05, -0.3), (0.05, 0.1)]
    assert counts["cylinder"] == [(0.0, -0.2)] * 4


def test_shapes_without_points_are_named():
    robot, _ = ball()
    mesh = px.robots.Shape("hull", 0, px.robots.Pose(), "mesh", (), "collision", path="hull.stl")
    sphere = px.robots.Shape("body", 0, px.robots.Pose(), "sphere", (0.1,), "collision")
    with pytest.warns(px.RobotWarning, match="hull"):
        contact_points(dataclasses.replace(robot, shapes=(mesh, sphere), warn=False))
    with pytest.raises(px.ArgumentError, match="hull"):
        contact_points(dataclasses.replace(robot, shapes=(mesh,), warn=False))


def test_joints_with_friction_lose_energy_and_stop():
    body = px.robots.Inertia(1.0, (0.2, 0, 0), (0.01, 0.01, 0.01, 0, 0, 0))
    friction = px.robots.Friction(viscous=0.5, coulomb=1.0, static=1.0)
    joint = px.robots.Joint("a", "revolute", -1, axis=(0, 0, 1.0), friction=friction)
    robot = px.Robot("arm", [joint], [body], (px.robots.Frame("body", 0),))
    ground = Ground([ContactPoint("body", (0, 0, 1.0))])
    found = run(robot, ground, [0.0], [3.0], 2000)
    total = energy(robot, found.q, found.qd)
    assert np.diff(total).max() < 1e-12
    assert abs(found.qd[-1]).max() < 1e-6
    inertia = 0.05
    stops = inertia / 0.5 * np.log(1 + 0.5 * 3.0 / 1.0)
    assert found.t[np.argmax(found.qd[:, 0] < 0.01)] == pytest.approx(stops, rel=0.06)


@pytest.mark.parametrize(
    "wrong",
    [
        {"points": []},
        {"points": [3]},
        {"friction": -1.0},
        {"restitution": 1.5},
        {"law": "stiff"},
        {"pairs": [(0, 0)]},
        {"pairs": [(0, 5)]},
        {"scene": "floor"},
        {"sweeps": 0},
        {"solref": (0.1, -1.0)},
        {"solimp": (0.9, 1.5, 0.001, 0.5, 2)},
        {"law": "soft", "restitution": 0.5},
        {"pairs": [(0.0, 1)]},
        {"solref": (0.1, 1.0)},  # of the soft law only
        {"law": "soft", "correction": 0.5},
    ],
)
def test_wrong_arguments_are_named(wrong):
    right = {"points": [ContactPoint("body", radius=0.1)]}
    with pytest.raises(px.ArgumentError, match=r"Ground|stiff"):
        Ground(**(right | wrong))


@pytest.mark.parametrize(
    ("dtype", "size", "depth"), [("float64", 100.0, 20.0), ("float32", 2, 0.01)]
)
def test_a_point_deep_inside_a_box_is_pushed_out(dtype, size, depth):
    robot, _ = ball()
    simulator = px.Simulator(
        robot, dt=1e-3, ground=Ground([ContactPoint("body")], Box((size,) * 3)), dtype=dtype
    )
    start = 0.5 * size - depth
    simulator.reset(at(0.0, 0.0, start))
    simulator.step(n=200)
    assert simulator.state.q[2] > start
