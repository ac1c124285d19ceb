"""States in the convention of another program, and back: orders, batches, errors."""

from dataclasses import replace

import numpy as np
import pytest

import paraxis as px
from paraxis.robots import Inertia, Joint

BODY = Inertia.of(1.0, (0, 0, 0), (1, 1, 1))


def robot_of(**kinds):
    joints = [Joint(name, kind, k - 1) for k, (name, kind) in enumerate(kinds.items())]
    return px.Robot("r", joints, [BODY] * len(joints))


ROBOT = robot_of(a="revolute", root="free", ball="spherical", slide="prismatic")


def rotation(quaternion):
    """Of a quaternion x, y, z, w, by its definition."""
    *axis, w = quaternion
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def states(rng, *shape):
    q = px.normalize(ROBOT, rng.normal(size=(*shape, ROBOT.nq)))
    return q, *rng.normal(size=(2, *shape, ROBOT.nv))


def test_the_order_of_numbers():
    there = px.robots.mujoco_convention(ROBOT)
    assert (there.nq, there.nv) == (ROBOT.nq, ROBOT.nv) == (13, 11)
    q = np.arange(13.0)
    assert there.to_position(q).tolist() == [0, 1, 2, 3, 7, 4, 5, 6, 11, 8, 9, 10, 12]
    assert there.from_position(there.to_position(q)).tolist() == q.tolist()
    assert repr(there) == "<Convention of MuJoCo for 'r'>"


def test_velocities_and_forces_of_a_free_joint():
    there = px.robots.mujoco_convention(ROBOT)
    q, qd, qdd = states(np.random.default_rng(0))
    R, ω, v = rotation(q[4:8]), qd[4:7], qd[1:4]
    own = slice(1, 4)
    assert there.to_velocity(q, qd)[own] == pytest.approx(R @ v)
    assert there.to_force(q, qd)[own] == pytest.approx(R @ v)
    assert there.to_acceleration(q, qd, qdd)[own] == pytest.approx(R @ (qdd[own] + np.cross(ω, v)))
    rest = [0, *range(4, 11)]
    assert there.to_velocity(q, qd)[rest].tolist() == qd[rest].tolist()
    assert there.to_force(q, qd) @ there.to_velocity(q, qdd) == pytest.approx(qd @ qdd)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_batches_go_there_and_back(dtype):
    there, rng = px.robots.mujoco_convention(ROBOT), np.random.default_rng(1)
    q, qd, qdd = (each.astype(dtype) for each in states(rng, 2, 3))
    position, velocity = there.to_position(q), there.to_velocity(q, qd)
    acceleration, force = there.to_acceleration(q, qd, qdd), there.to_force(q, qdd)
    for found, own in (
        (there.from_position(position), q),
        (there.from_velocity(position, velocity), qd),
        (there.from_acceleration(position, velocity, acceleration), qdd),
        (there.from_force(position, force), qdd),
    ):
        assert found.dtype == dtype and found.shape == own.shape
        np.testing.assert_allclose(found, own, atol=1e-14 if dtype is np.float64 else 2e-6)


def test_states_broadcast():
    there, rng = px.robots.mujoco_convention(ROBOT), np.random.default_rng(2)
    q, qd, qdd = states(rng, 5)
    one = there.to_acceleration(q[0], qd, qdd[0])
    assert one.shape == (5, 11)
    assert one[3].tolist() == there.to_acceleration(q[0], qd[3], qdd[0]).tolist()
    assert there.from_force(q[0], np.zeros(11)).shape == (11,)
    qd_before = qd.copy()
    there.to_velocity(q, qd)
    assert (qd == qd_before).all()


def test_joints_that_only_the_other_has():
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    model.addJoint(0, pin.JointModelRUBX(), pin.SE3.Identity(), "more")
    model.addJoint(1, pin.JointModelRUBX(), pin.SE3.Identity(), "b")
    model.addJoint(2, pin.JointModelRX(), pin.SE3.Identity(), "a")
    robot = robot_of(a="revolute", b="continuous")
    there = px.robots.pinocchio_convention(robot, model)
    q = np.array([0.3, -2.0])
    assert there.to_position(q).tolist() == [1, 0, np.cos(-2.0), np.sin(-2.0), 0.3]
    assert there.from_position(there.to_position(q)) == pytest.approx(q)
    assert there.to_velocity(q, [1, 2]).tolist() == [0, 2, 1]
    assert there.from_force(there.to_position(q), [7, 8, 9]).tolist() == [9, 8]
    with pytest.raises(px.RobotError, match="joints that the Pinocchio model has, found 'c'"):
        px.robots.pinocchio_convention(robot_of(a="revolute", c="revolute"), model)
    with pytest.raises(px.RobotError, match="joint 'a': .* model, revolute, found prismatic"):
        px.robots.pinocchio_convention(robot_of(a="prismatic"), model)


def test_a_floating_base_may_have_another_name_there():
    pin = pytest.importorskip("pinocchio")
    there = robot_of(root_joint="free", a="revolute")
    here = replace(robot_of(a="revolute"), root=BODY).with_floating_base()
    model = pin.Model()
    flyer = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root_joint")
    model.addJoint(flyer, pin.JointModelRZ(), pin.SE3.Identity(), "a")
    q = px.robots.random_states(here, 3, seed=0)[0]
    ours, theirs = (px.robots.pinocchio_convention(each, model) for each in (here, there))
    np.testing.assert_array_equal(ours.to_position(q), theirs.to_position(q))


def test_arrays_that_do_not_fit():
    there = px.robots.mujoco_convention(ROBOT)
    with pytest.raises(px.ArgumentError, match=r"position: expected shape \(..., 13\), found \(3,"):
        there.from_position([1, 2, 3])
    with pytest.raises(px.ArgumentError, match="qd: expected an array of numbers, found 'x'"):
        there.to_velocity(np.zeros(13), "x")
    with pytest.raises(px.ArgumentError, match="robot: expected a Robot"):
        px.robots.mujoco_convention("ur5")
