"""Closed loops as parts of a robot: what they may be, and how they follow its bodies."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from support.functions import interpreted
from support.loops import assembled, closed_at, four_bar, relative_motion
from support.robots import random_robot

import paraxis as px
from paraxis.physics.contact.loop_motion import closing
from paraxis.robots import Frame, Inertia, Loop, Pose
from paraxis.robots.equal.reframe import reframe
from paraxis.robots.joint import WORLD
from paraxis.robots.model import Model
from paraxis.robots.rows import rows_of
from paraxis.spatial import Matrix, Vector

KNEE = four_bar()
Q = assembled(0.7)


def open_by(robot, q):
    """The largest error of all loops."""
    model = Model(rows_of(robot))
    return max(abs(e) for loop in model.robot.loops for e in closing(model, q.tolist(), loop)[0])


def test_loops_are_part_of_a_robot():
    again = pickle.loads(pickle.dumps(KNEE))
    assert again == KNEE and again.digest == KNEE.digest
    tree = KNEE.without_loops()
    assert tree != KNEE and tree.digest != KNEE.digest and tree.without_loops() is tree
    stiff = replace(KNEE, loops=[replace(KNEE.loops[0], stabilisation=(20.0, 1.0))], warn=False)
    driven = replace(KNEE, independent=("rocker",), warn=False)
    assert len({robot.digest for robot in (KNEE, tree, stiff, driven)}) == 4
    assert "closed by one loop" in repr(KNEE)
    line = str(KNEE).splitlines()[-1].split()
    assert line == ["knee", "rod_end", "on", "rod", "pin", "on", "rocker", "connect", "3"]


def test_kinds():
    ends = KNEE.frames
    kinds = {kind: getattr(Loop, kind)("loop", *ends) for kind in ("connect", "weld", "hinge")}
    assert {kind: loop.constraints for kind, loop in kinds.items()} == {
        "connect": 3,
        "weld": 6,
        "hinge": 5,
    }
    assert all(loop.kind == kind for kind, loop in kinds.items())
    assert replace(kinds["weld"], stabilisation=20.0).stabilisation == (20.0, 1.0)
    slanted = Loop.hinge("loop", *ends, axis=(0, 3, 4))
    np.testing.assert_allclose(np.abs(slanted.free_axis), (0, 0.6, 0.8), atol=1e-15)


@pytest.mark.parametrize("angle", (0.5, 3.0, -3.1))
def test_a_hinge_is_closed_at_every_angle(angle):
    axis = np.array([0.0, 0.6, 0.8])
    K = np.cross(np.eye(3), -axis)
    turn = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    hinge = Loop.hinge("loop", *KNEE.frames, axis=axis)
    error = hinge.error(Matrix(*turn.tolist()), Vector(0.0, 0.0, 0.0))
    assert np.abs(error).max() <= 1e-15
    off = Pose.from_rpy(rpy=(1e-3, 0, 0)).matrix[:3, :3]
    tilted = hinge.error(Matrix(*(off @ turn).tolist()), Vector(0.0, 0.0, 0.0))
    assert np.linalg.norm(tilted) == pytest.approx(1e-3, rel=1e-6)


# -- other robots ----------------------------------------------------------------------------------


def test_loops_follow_their_bodies():
    """Through all that renumbers bodies, they stay closed where they were."""
    robot = random_robot(3, joints=(5, 5))
    q = np.random.default_rng(0).uniform(-1, 1, robot.nv)
    for k, (first, body) in enumerate((("f4", 1), ("f2", WORLD), ("f3", 0))):
        robot = robot.with_loops(closed_at(robot, q, first, body, "weld", f"loop{k}"))
    assert open_by(robot, q) <= 1e-12
    assert open_by(reframe(rows_of(robot)), q) <= 1e-12
    floating = replace(robot, root=Inertia.of(1, (0, 0, 0), (1, 1, 1))).with_floating_base()
    free = np.concatenate([[0.3, -0.2, 0.5, 0.5, 0.5, -0.5, 0.5], q])
    assert open_by(floating, free) <= 1e-12
    held = robot.locked({"j2": q[2]})
    assert open_by(held, np.delete(q, 2)) <= 1e-12 and len(held.loops) == 3
    carrier = random_robot(4, joints=(2, 2))
    both = carrier.with_attached(robot, "f1", prefix="x_")
    assert [loop.name for loop in both.loops] == ["x_loop0", "x_loop1", "x_loop2"]
    assert open_by(both, np.concatenate([[0.4, 0.6], q])) <= 1e-12
    assert open_by(robot.snapped(1e-3), q) <= 1e-2


def test_torques_follow_their_joints():
    assert KNEE.with_floating_base("base").independent == ("base", "crank")
    assert KNEE.locked({"crank": 0.7}).independent == ()
    both = px.robots.planar(2).with_attached(KNEE)
    assert both.independent == ("joint1", "joint2", "crank")
    assert KNEE.with_attached(px.robots.planar(1), "pin").independent == ("crank", "joint1")


def test_what_becomes_of_loops_that_connect_nothing(recwarn):
    stiff = KNEE.locked({"rod": Q[1], "rocker": Q[2]})
    assert len(stiff.loops) == 1  # the crank, held at the world
    still = KNEE.with_floating_base("base").locked({"crank": Q[0], "rod": Q[1], "rocker": Q[2]})
    assert still.loops == () and still.independent is None and not recwarn
    with pytest.warns(px.RobotWarning, match="'knee' is left out.* held 0.* apart"):
        KNEE.with_floating_base("base").locked({"crank": 0.1, "rod": Q[1], "rocker": Q[2]})
    with pytest.warns(px.RobotWarning, match="'knee' is left out, because a body of it is gone"):
        assert KNEE.without("rocker").loops == ()
    with pytest.warns(px.RobotWarning, match="no closed loops, .* open: 'knee'"):
        KNEE.to_urdf()


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda a, b: Loop("l", a, a), "same body"),
        (lambda a, b: Loop("l", a, Frame("b", 7)), "frame 'b' is on body 7"),
        (lambda a, b: Loop("l", a, "pin"), "expected two Frames"),
        (lambda a, b: Loop("l", a, b, np.eye(6)[:, :1]), "two across the axis"),
        (lambda a, b: Loop("l", a, b, np.ones((6, 1))), "rotations or translations"),
        (lambda a, b: Loop("l", a, b, np.ones((6, 2))), "independent directions"),
        (lambda a, b: Loop("l", a, b, np.eye(5)), "matrix of 6 rows"),
        (lambda a, b: Loop("l", a, b, stabilisation=(-1.0, 1.0)), "stabilisation"),
        (lambda a, b: Loop("knee", a, b), "'knee': the name is used twice"),
    ],
)
def test_loops_that_cannot_be(make, message):
    with pytest.raises(px.RobotError, match=message):
        KNEE.with_loops(make(*KNEE.frames))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["krank"], "no joint 'krank'.*did you mean 'crank'"),
        ([], "3 degrees of freedom together, more than the 2"),
        ("crank", "expected a sequence of names, found 'crank'"),
    ],
)
def test_joints_that_cannot_be_independent(names, message):
    plane = replace(KNEE.loops[0], constraint=np.eye(6)[:, [3, 5]].tolist())
    with pytest.raises(px.RobotError, match=message):
        replace(KNEE, loops=[plane], independent=names)


def test_independent_joints_need_loops():
    with pytest.raises(px.RobotError, match="it has none"):
        KNEE.without_loops().with_loops(independent=["crank"])


def test_what_is_not_defined_with_loops_says_so():
    rest = np.zeros(3)
    for function in ("motor_torques", "joint_reactions"):
        with pytest.raises(px.ArgumentError, match=rf"{function} .*'knee'.*without_loops\(\)"):
            getattr(px, function)(KNEE, Q, rest, rest)
    with pytest.raises(px.ArgumentError, match="mass_matrix_inverse .* not by 'composite_body'"):
        px.mass_matrix_inverse(KNEE, Q, algorithm="composite_body")
    with pytest.raises(px.ArgumentError, match="not by 'articulated_body'"):
        px.forward_dynamics(KNEE, Q, rest, rest, algorithm="articulated_body")
    for refused in (
        lambda: px.streamlined_tasks(KNEE),
        lambda: px.base_parameters(KNEE),
        lambda: px.closed_form(KNEE),
        lambda: px.forward_dynamics_with_friction(KNEE, Q, rest, rest),
        lambda: px.parallel.systolic_array(KNEE),
        lambda: px.control.computed_torque(KNEE, 1.0, 1.0),
        lambda: px.chains.chain_dynamics(KNEE, "inverse_dynamics"),
        lambda: px.hardware.inverse_dynamics_circuit(KNEE),
    ):
        with pytest.raises(px.ArgumentError, match=r"closed loops.*'knee'.*without_loops\(\)"):
            refused()


def test_what_is_that_of_the_tree():
    tree = KNEE.without_loops()
    np.testing.assert_array_equal(
        interpreted("mass_matrix", KNEE, Q), interpreted("mass_matrix", tree, Q)
    )
    J, _ = relative_motion(KNEE, Q, np.zeros(3))
    assert np.linalg.matrix_rank(J) == 2
