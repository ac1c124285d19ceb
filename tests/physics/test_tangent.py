"""Derivatives over the tangent space, first and second order, of robots with joints of every kind.

Second derivatives of Pinocchio are not bound in Python: differences of its first ones are.
"""

import numpy as np
import pinocchio as pin
import pytest
from support.functions import error
from support.joints import motion, robot_of
from support.pinocchio_functions import Reference
from support.robot_files import ROBOTS
from support.rows import model_of_rows, torques

import paraxis as px
from paraxis.physics import articulated_body
from paraxis.physics.configuration import integrate, neutral

CURVED = robot_of(("free", "spherical", "planar"), (-1, 0, 1), 4)
LEGGED = {
    "solo12": "solo_description/robots/solo12.urdf",
    "anymal_c": "anymal_c_simple_description/urdf/anymal.urdf",
    "go2": "go2_description/urdf/go2.urdf",
    "g1_29dof": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
}
H = 1e-2


def moves(robot):
    return {"q": px.program(robot, "integrate")}


def bent(f):
    """The second derivative at 0 of a function of a number, by differences of order 6."""
    near, far, further = (f(k * H) + f(-k * H) - 2 * f(0.0) for k in (1, 2, 3))
    return (1.5 * near - 0.15 * far + further / 90) / H**2


def sloped(f, h=1e-3):
    """The first derivative at 0, by differences of order 4."""
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)


@pytest.mark.parametrize("function", ["inverse_dynamics", "kinetic_energy"])
def test_second_derivatives_are_those_along_the_exponential(function):
    robot = CURVED
    program, integrate = px.program(robot, function), px.program(robot, "integrate")
    (output,) = program.outputs
    hessian = program.hessian(output, ["q", "qd"], along=moves(robot))
    state = {name: motion(robot)[name] for name in program.inputs}
    second = hessian.evaluate(**state)
    rng = np.random.default_rng(3)
    for _ in range(3):
        u, w = rng.normal(size=(2, robot.nv)) / 4

        def along(t, u=u, w=w):
            q = integrate.evaluate(q=state["q"], v=t * u)
            return program.evaluate(**state | {"q": q, "qd": state["qd"] + t * w})

        q_q, q_qd, qd_qd = second.values()
        found = (q_q @ u + 2 * q_qd @ w) @ u + qd_qd @ w @ w
        assert error(found, bent(along)) <= 1e-8


def test_a_derivative_of_a_derivative_agrees_with_pinocchio_and_is_not_symmetric():
    robot = CURVED
    state, reference = motion(robot), Reference(robot)
    q, qd, qdd = (state[name] for name in ("q", "qd", "qdd"))
    torques = px.program(robot, "inverse_dynamics")
    first = torques.jacobian("tau", "q", along=moves(robot))
    nested = first.jacobian("dtau_dq", "q", along=moves(robot)).evaluate(q=q, qd=qd, qdd=qdd)
    for k, way in enumerate(np.eye(robot.nv)):

        def slope(t, way=way):
            there = px.integrate(robot, q, t * way)
            return reference.inverse_dynamics_derivatives(there, qd, qdd)[0]

        assert error(nested[:, :, k], sloped(slope)) <= 1e-9
    other_order = nested.swapaxes(1, 2)
    assert error(nested, other_order) > 0.1
    hessian = torques.hessian("tau", "q", along=moves(robot)).evaluate(q=q, qd=qd, qdd=qdd)
    assert error((nested + other_order) / 2, hessian) <= 1e-12


# -- of integrate and difference -------------------------------------------------------------------

ANGLES = [0.0, 1e-9, 1e-3, 0.0999999, 0.1000001, 0.3, 3.1]  # 0.1: where series end


def turning(robot, angle, seed=0):
    """A velocity that turns every joint by an angle, and moves it by lengths about 1."""
    v = np.random.default_rng(seed).normal(size=robot.nv)
    v[3:6] *= angle / np.linalg.norm(v[3:6])  # free
    v[6:9] *= angle / np.linalg.norm(v[6:9])  # spherical
    v[11] = angle  # planar
    return v


@pytest.fixture(scope="module")
def derivatives():
    """Of integrate and difference: of the first order as robots have them, and of the second."""
    integrate, difference = (px.program(CURVED, name) for name in ("integrate", "difference"))
    along = {name: integrate for name in ("q0", "q1")}
    return {
        "integrate": px.program(CURVED, "integrate_derivatives"),
        "difference": px.program(CURVED, "difference_derivatives"),
        "moved": integrate.jacobian("moved", "v"),
        "twice moved": integrate.hessian("moved", "v"),
        "apart": difference.jacobian("v", ["q0", "q1"], along=along),
        "twice apart": difference.hessian("v", "q1", along=along),
    }


@pytest.mark.parametrize("angle", ANGLES)
def test_first_derivatives_of_integrate_and_difference_invert_each_other(angle, derivatives):
    """So they have all digits, on both sides of where series end."""
    q, v = motion(CURVED)["q"], turning(CURVED, angle)
    there = px.integrate(CURVED, q, v)
    by_q, by_v = derivatives["integrate"].evaluate(q=q, v=v).values()
    by_q0, by_q1 = derivatives["difference"].evaluate(q0=q, q1=there).values()
    most = 2e-13 if angle < 3 else 1e-10  # towards half a turn the difference is ill-conditioned
    assert error(by_q1 @ by_v, np.eye(CURVED.nv)) <= most
    assert error(by_q1 @ by_q, -by_q0) <= most  # moving both ends together changes nothing


@pytest.mark.parametrize("angle", ANGLES[:-1])
def test_second_derivatives_of_integrate_and_difference(angle, derivatives):
    """They are slopes of the first, on one side of where series end and across it."""
    q, v = motion(CURVED)["q"], turning(CURVED, angle)
    there = px.integrate(CURVED, q, v)
    way = np.random.default_rng(1).normal(size=CURVED.nv)

    def slope(t):
        return derivatives["moved"].evaluate(q=q, v=v + t * way)

    found = derivatives["twice moved"].evaluate(q=q, v=v) @ way
    assert error(found, sloped(slope)) <= 1e-9

    def apart(t):
        end = px.integrate(CURVED, there, t * way)
        return derivatives["difference"].evaluate(q0=q, q1=end)["dv_dq1"] @ way

    found = derivatives["twice apart"].evaluate(q0=q, q1=there) @ way @ way
    assert error(found, sloped(apart)) <= 1e-9


def test_derivatives_of_integrate_and_difference_are_those_of_their_programs(derivatives):
    state = motion(CURVED)
    given = {name: state[name] for name in ("q0", "q1")}
    ours, theirs = (derivatives[name].evaluate(**given) for name in ("difference", "apart"))
    assert error(tuple(ours.values()), tuple(theirs.values())) <= 1e-13
    batch = np.stack([state["v"], 0 * state["v"]])
    by_q, by_v = px.integrate_derivatives(CURVED, state["q"], batch)
    assert by_q.shape == by_v.shape == (2, CURVED.nv, CURVED.nv)
    np.testing.assert_array_equal(by_q[1], np.eye(CURVED.nv))
    np.testing.assert_array_equal(by_v[1], np.eye(CURVED.nv))


def test_joints_of_one_degree_of_freedom_add_and_subtract():
    robot = px.robots.planar(2)
    q, v = np.ones((2, 2))
    for found in px.program(robot, "integrate_derivatives").evaluate(q=q, v=v).values():
        np.testing.assert_array_equal(found, np.eye(2))
    back, forth = px.program(robot, "difference_derivatives").evaluate(q0=q, q1=v).values()
    np.testing.assert_array_equal((-back, forth), (np.eye(2), np.eye(2)))


# -- real robots -----------------------------------------------------------------------------------


@pytest.mark.skipif(not ROBOTS.exists(), reason="example-robot-data is not installed")
@pytest.mark.parametrize("name", LEGGED)
@pytest.mark.filterwarnings("ignore::paraxis.RobotWarning")
def test_legged_robots_move_as_pinocchio_says(name):
    """In floats, as nothing but the robot is in question here."""
    robot, reference = legged(name)
    model, rng = model_of_rows(robot), np.random.default_rng(11)
    for _ in range(5):
        v, qd, qdd = rng.uniform(-2, 2, (3, robot.nv))
        q = np.array(integrate(robot, neutral(robot), v))
        tau = torques(model, q, qd, qdd)
        assert error(tau, reference.inverse_dynamics(q, qd, qdd)) <= 1e-10
        h = torques(model, q, qd, 0.0 * qdd)
        moved = articulated_body.accelerations(model, q, tau, h)
        assert error(moved, reference.forward_dynamics(q, qd, tau)) <= 1e-10


def legged(name):
    path = ROBOTS / LEGGED[name]
    robot = px.load(path, couplings="independent", snap=0).with_floating_base("root_joint")
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    return robot, Reference(robot, model)


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        ("solo12", "newton_euler"),
        *(pytest.param(name, None, marks=pytest.mark.long) for name in LEGGED),
    ],
)
@pytest.mark.filterwarnings("ignore::paraxis.RobotWarning")
def test_derivatives_of_legged_robots_agree_with_pinocchio(name, algorithm):
    robot, reference = legged(name)
    state = motion(robot)
    for function in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        program = px.program(robot, function, algorithm)
        given = [state[key] for key in program.inputs]
        found = program.evaluate(**dict(zip(program.inputs, given, strict=True)))
        assert error(tuple(found.values()), getattr(reference, function)(*given)) <= 1e-10
