"""Pinocchio's models: the same torques, and states converted both ways."""

import sys

import numpy as np
import pytest
from support.rows import model_of_rows, torques

import paraxis as px
from paraxis.physics.kinematics import frame_poses

pin = pytest.importorskip("pinocchio")


def unit(rng):
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def universal(rng):
    one = unit(rng)
    other = np.cross(one, unit(rng))
    return pin.JointModelUniversal(one, other / np.linalg.norm(other))


def composite(rng):
    joint = pin.JointModelComposite(pin.JointModelRX(), placement(rng))
    joint.addJoint(pin.JointModelPrismaticUnaligned(unit(rng)), placement(rng))
    joint.addJoint(pin.JointModelRUBY(), placement(rng))
    joint.addJoint(pin.JointModelTranslation(), placement(rng))
    return joint


def placement(rng):
    quaternion = rng.normal(size=4)
    return pin.XYZQUATToSE3(np.r_[rng.normal(size=3), quaternion / np.linalg.norm(quaternion)])


KINDS = {
    name: lambda rng, name=name: getattr(pin, f"JointModel{name}")()
    for name in (
        *("FreeFlyer", "Spherical", "SphericalZYX", "Planar", "Translation"),
        *("RX", "RY", "RZ", "PX", "PY", "PZ", "RUBX", "RUBY", "RUBZ"),
    )
}
KINDS |= {
    "RevoluteUnaligned": lambda rng: pin.JointModelRevoluteUnaligned(unit(rng)),
    "PrismaticUnaligned": lambda rng: pin.JointModelPrismaticUnaligned(unit(rng)),
    "Universal": universal,
    "Composite": composite,
}


def model_of(kinds, rng):
    """A random tree with joints of these kinds, in depth-first order."""
    model = pin.Model()
    model.name, model.gravity.linear = "random", rng.normal(size=3)
    path = [0]
    for k, kind in enumerate(kinds):
        path = path[: rng.integers(1, len(path) + 1)]
        i = model.addJoint(path[-1], KINDS[kind](rng), placement(rng), f"j{k}")
        turn = placement(rng).rotation
        about = turn @ np.diag(rng.uniform(1, 1.9, 3)) @ turn.T
        inertia = pin.Inertia(rng.uniform(0.5, 2), rng.normal(size=3), about)
        model.appendBodyToJoint(i, inertia, placement(rng))
        model.addBodyFrame(f"b{k}", i, placement(rng), 0)
        path.append(i)
    for joint in model.joints[1:]:
        armature = rng.uniform()
        model.armature[joint.idx_v : joint.idx_v + joint.nv] = armature
    return model


def state(model, rng):
    q = pin.integrate(model, pin.neutral(model), rng.normal(size=model.nv))
    return q, *rng.normal(size=(2, model.nv))


@pytest.mark.parametrize("seed", range(4))
def test_every_kind_of_joint(seed):
    rng = np.random.default_rng(seed)
    model = model_of(rng.permutation([*KINDS]), rng)
    robot = px.robots.from_pinocchio(model)
    states, data = px.robots.pinocchio_convention(robot, model), model.createData()
    q, v, a = state(model, rng)
    tau = pin.rnea(model, data, q, v, a)
    here = model_of_rows(robot)
    Q, V, A = states.from_position(q), states.from_velocity(q, v), states.from_acceleration(q, v, a)
    found = states.to_force(Q, torques(here, Q, V, A))
    assert abs(found - tau).max() < 1e-12 * abs(tau).max()
    for back, there in (
        (states.to_position(Q), q),
        (states.to_velocity(Q, V), v),
        (states.to_acceleration(Q, V, A), a),
    ):
        np.testing.assert_allclose(back, there, atol=1e-14)
    pin.framesForwardKinematics(model, data, q)
    poses = np.array(frame_poses(here, Q, list(here.robot.frames))).reshape(-1, 4, 4)
    there = [data.oMf[model.getFrameId(name)].homogeneous for name in robot.frame_names]
    np.testing.assert_allclose(poses, there, atol=1e-12 * abs(poses).max())


def test_compiled_with_rotors_on_joints_of_several_degrees():
    rng = np.random.default_rng(7)
    model = model_of(["Spherical", "RUBX", "FreeFlyer"], rng)
    robot = px.robots.from_pinocchio(model)
    states, data = px.robots.pinocchio_convention(robot, model), model.createData()
    q, v, a = (np.array(each) for each in zip(*(state(model, rng) for _ in range(3)), strict=True))
    tau = np.array([pin.rnea(model, data, *each) for each in zip(q, v, a, strict=True)])
    Q = states.from_position(q)
    np.testing.assert_allclose(px.inverse_dynamics(robot, Q, v, a), tau, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(px.forward_dynamics(robot, Q, v, tau), a, rtol=1e-10, atol=1e-10)
    bias = [pin.nonLinearEffects(model, data, *each) for each in zip(q, v, strict=True)]
    np.testing.assert_allclose(px.bias_forces(robot, Q, v), bias, rtol=1e-11, atol=1e-11)
    (C, g), h = (px.coriolis_matrix(robot, Q, v), px.gravity_torques(robot, Q)), np.array(bias)
    np.testing.assert_allclose((C @ v[..., None])[..., 0] + g, h, rtol=1e-11, atol=1e-11)
    Y = px.regressor(robot, Q, v, a)
    found = Y @ px.inertial_parameters(robot).ravel()
    np.testing.assert_allclose(found, tau, rtol=1e-11, atol=1e-11)


def test_limits_losses_and_gravity():
    text = """<robot name="r"><link name="w"/><link name="a"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="revolute"><parent link="w"/><child link="a"/><axis xyz="0 .6 .8"/>
    <limit lower="-1" upper="2" velocity="3" effort="4"/><dynamics damping=".5" friction=".6"/>
    </joint></robot>"""
    model = pin.buildModelFromXML(text)
    robot = px.robots.from_pinocchio(model)
    (joint,) = robot.joints
    assert joint == px.load(text).joints[0]
    assert (joint.lower, joint.upper, joint.max_velocity, joint.max_effort) == (-1, 2, 3, 4)
    assert joint.friction == px.robots.Friction(viscous=0.5, coulomb=0.6)
    assert robot.gravity == (0, 0, -9.81) and robot.frame_names == ["universe", "w", "j", "a"]
    free = pin.buildModelFromXML(text.replace("revolute", "continuous"))
    free.addFrame(pin.Frame("j", 1, placement(np.random.default_rng()), pin.FrameType.BODY))
    robot = px.robots.from_pinocchio(free)
    assert robot.joints[0].axis == pytest.approx((0, 0.6, 0.8))
    assert robot.joints[0].lower == -np.inf
    assert robot.ignored == ("frames whose names others have: 'j'",)


def test_a_urdf_reads_alike():
    parts = "".join(
        f'<link name="{name}"><inertial><origin xyz="{k} 1 2" rpy="1 2 3"/><mass value="{k}"/>'
        f'<inertia ixx="1.{k}" iyy="1" izz="1" ixy="0" ixz=".1" iyz="0"/></inertial></link>'
        for k, name in enumerate("abcd", start=1)
    )
    kinds = {"floating": "a b", "planar": "b c", "continuous": "c d"}
    for kind, (parent, child) in ((kind, ends.split()) for kind, ends in kinds.items()):
        parts += f'<joint name="{kind}" type="{kind}"><parent link="{parent}"/><axis xyz="0 0 1"/>'
        parts += f'<child link="{child}"/><origin xyz="1 2 3" rpy=".1 .2 .3"/></joint>'
    text = f'<robot name="r">{parts}</robot>'
    model = pin.buildModelFromXML(text)
    robot = px.load(text)
    other = px.robots.from_pinocchio(model)
    assert robot.joint_names == other.joint_names
    states, rng = px.robots.pinocchio_convention(robot, model), np.random.default_rng(0)
    q, v, a = state(model, rng)
    here = model_of_rows(robot)
    Q = states.from_position(q)
    found = torques(here, Q, v, a)
    np.testing.assert_allclose(found, pin.rnea(model, model.createData(), q, v, a), rtol=1e-12)


@pytest.mark.skipif(not hasattr(pin, "JointModelMimic"), reason="Pinocchio 3.5")
def test_screws_and_joints_that_mimic_others():
    rng = np.random.default_rng(3)
    model = model_of(["RX", "FreeFlyer", "RevoluteUnaligned"], rng)
    for kind in (pin.JointModelHelicalUnaligned(unit(rng), 0.3), pin.JointModelHY(0.2)):
        i = model.addJoint(model.njoints - 1, kind, placement(rng), f"h{model.njoints}")
        model.appendBodyToJoint(i, pin.Inertia.FromSphere(1.0, 0.3), placement(rng))
    for name in ("j0", "j2"):
        leader = model.joints[model.getJointId(name)]
        follower = pin.JointModelMimic(leader, -0.7, 0.4)
        i = model.addJoint(model.njoints - 1, follower, placement(rng), f"{name} again")
        model.appendBodyToJoint(i, pin.Inertia.FromSphere(1.0, 0.3), placement(rng))
    robot = px.robots.from_pinocchio(model)
    assert (robot.nq, robot.nv) == (model.nq, model.nv) == (11, 10)
    assert robot.joints[-1].coupling == px.robots.Coupling("j2", (0.4, -0.7))
    states, data = px.robots.pinocchio_convention(robot, model), model.createData()
    q, v, a = state(model, rng)
    tau = pin.rnea(model, data, q, v, a)
    program = px.program(robot, "inverse_dynamics", algorithm="spatial")
    found = program.evaluate(q=states.from_position(q), qd=v, qdd=a)
    found = found["tau"] if isinstance(found, dict) else found
    np.testing.assert_allclose(np.ravel(found), tau, rtol=1e-11, atol=1e-11)
    assert states.to_position(states.from_position(q)).tolist() == q.tolist()


def test_joints_that_are_refused_by_name():
    model = pin.Model()
    if hasattr(pin, "JointModelEllipsoid"):
        model.addJoint(0, pin.JointModelEllipsoid(1, 1, 1), pin.SE3.Identity(), "e")
        with pytest.raises(px.RobotError, match="joint 'e': expected a joint .* found Ellipsoid"):
            px.robots.from_pinocchio(model)
    with pytest.raises(px.RobotError, match="expected a pinocchio.Model, found int"):
        px.robots.from_pinocchio(3)
    with pytest.raises(px.RobotError, match="has no moving joint"):
        px.robots.from_pinocchio(pin.Model())


def test_a_floating_base():
    model = pin.Model()
    model.inertias[0] = pin.Inertia.FromSphere(1.0, 0.1)
    model.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "j")
    model.inertias[1] = pin.Inertia.FromSphere(2.0, 0.1)
    robot = px.robots.from_pinocchio(model, floating_base=True)
    assert robot.joint_names == ["floating_base", "j"]
    assert robot.inertias[0].mass == model.inertias[0].mass


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    with pytest.raises(px.MissingPackageError, match="pip install pin"):
        px.robots.from_pinocchio(None)


def test_a_floating_base_is_matched_whatever_it_is_called():
    arm = px.load("ur5")
    robot = arm.with_floating_base()
    model = pin.buildModelFromXML(arm.to_urdf(), pin.JointModelFreeFlyer())
    assert "floating_base" not in model.names
    states = px.robots.pinocchio_convention(robot, model)
    q, v, a = state(model, np.random.default_rng(0))
    found = torques(model_of_rows(robot), states.from_position(q), v, a)
    expected = pin.rnea(model, model.createData(), q, v, a)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
