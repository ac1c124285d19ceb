"""Bodies: keys that tell apart whatever their graphs depend on, and calls that find them."""

import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import paraxis as px
from paraxis.body import Body, spelt
from paraxis.robots.robot import Frame
from paraxis.targets import target
from paraxis.targets.cpu import map as map_module


def arm(limit=2.0, far=None, name=""):
    """One arm to dynamics; not to code that reads limits, frames or names."""
    joints, bodies = [], []
    for i, kind in enumerate(("revolute", "prismatic", "revolute")):
        placement = px.robots.Pose(translation=(0.1 * i, 0.05, 0.3))
        axis = ((0, 0, 1), (0, 1, 0), (1, 0, 0))[i]
        friction = px.robots.Friction(viscous=3.0)
        limits = {"lower": -limit, "upper": limit, "max_velocity": limit}
        joints.append(
            px.robots.Joint(
                f"j{i}{name}", kind, i - 1, placement, axis, friction=friction, **limits
            )
        )
        moments = (0.1, 0.12, 0.13, 0.001, 0.002, 0.003)
        bodies.append(px.robots.Inertia(1.0 + i, (0.1, 0.02, 0.03), moments))
    frames = [Frame("tool", 2, px.robots.Pose(translation=(0, 0, 0.1)))]
    if far:
        frames.insert(0, Frame("far", 1, px.robots.Pose(translation=(0, far, 0))))
    return px.Robot("arm" + name, joints, bodies, frames)


def uses(robot):
    """Most things that make Bodies, at small sizes."""
    q = np.full(3, 0.1)
    for method in ("rk4", "adaptive", "semi_implicit_euler"):
        px.simulate(robot, q, q, dt=1e-2, steps=2, method=method)
    px.simulate(robot, q, q, dt=1e-2, steps=2, controller=lambda t, q, qd: -q, method="adaptive")
    px.inverse_kinematics(robot, position=px.forward_kinematics(robot, q)[:3, 3])
    px.forward_dynamics_with_friction(robot, q, q, q)
    px.payload(robot, 1.0)
    px.external_force(robot, q, np.ones(6))
    px.control.closed_loop(
        robot, px.control.computed_torque(robot, 100.0, 20.0), q, 1e-3, duration=2e-3
    )
    px.frame_poses(robot, q)
    px.jacobian(robot, q)
    contact = px.Contact.pinned("tool")
    px.constrained_forward_dynamics(robot, q, q, q, contact)


def test_the_same_key_means_the_same_graph(monkeypatch):
    """Robots that move alike have one digest: limits, frames and names must be told otherwise."""
    seen, wrong = {}, []

    def noted(body):
        first = seen.setdefault(body.key, body.graph.digest)
        if first != body.graph.digest:
            wrong.append(body.graph.name)

    parts, iterate = map_module._parts, target.iterate_kernel
    monkeypatch.setattr(map_module, "_parts", lambda body, dtype: noted(body) or parts(body, dtype))
    monkeypatch.setattr(
        target, "iterate_kernel", lambda body, *rest: noted(body) or iterate(body, *rest)
    )
    robots = [arm(), arm(limit=0.5), arm(far=50.0), arm(name=" of another name")]
    assert len({robot.digest for robot in robots}) == 1
    with warnings.catch_warnings(action="ignore"):  # of joints beyond their limits
        for robot in robots:
            uses(robot)
    assert len(seen) > 12 and not wrong


def made(number):
    return px.trace(lambda x: x * number, x=()).graph


def test_keys_are_derived_from_what_a_body_is_made_with():
    assert Body(made, 2.0).key == Body(made, 2.0).key != Body(made, 3.0).key
    keys = [
        1, 1.0, True, "1", None, (1,), (1, ()), {"a": 1}, {"b": 1}, np.zeros(2), np.zeros((2, 1)),
        np.zeros(2, np.float32), partial(made, 1), partial(made, 2), partial(made, number=1), made,
        px.robots.Pose(), px.load("planar3"), px.load("planar3").with_gravity((0, 0, 0)),
    ]  # fmt: skip
    assert len({spelt(key) for key in keys}) == len(keys)
    assert spelt(px.load("planar3")) == spelt(replace(px.load("planar3"), name="other"))


def test_what_cannot_be_told_apart_is_no_part_of_a_key():
    captured = 2.0
    for closure in (lambda x: x * captured, object()):
        with pytest.raises(TypeError, match="cannot be part of a Body's key"):
            Body(closure, 1).key  # noqa: B018
