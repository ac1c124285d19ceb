"""Functions that are Programs and array code between them, on a stand-in for a GPU.

Its arrays do not mix with NumPy's; tests/gpu/test_functions.py is for the GPU itself.
"""

import numpy as np
import pytest
from support import far_arrays
from support.far_arrays import FarArray, far
from support.robots import with_losses

import paraxis as px
from paraxis.kinematics.puma_solutions import Solutions

CLOSE = 1e-11


@pytest.fixture
def gpu(monkeypatch):
    return far_arrays.use(monkeypatch)


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def agree(found, expected, tolerance=CLOSE):
    """Everything a result has: on the stand-in, and as NaN or as close as that."""
    for own, other in zip(found, expected, strict=True):
        if other is None:
            assert own is None
            continue
        assert type(own) is FarArray
        own, other = np.array(own), np.asarray(other)
        assert own.shape == other.shape and own.dtype == other.dtype
        own, other = own.astype(float), other.astype(float)
        np.testing.assert_allclose(own, other, tolerance, tolerance, equal_nan=True)


def fields(result):
    return [getattr(result, name) for name in result.__dataclass_fields__]


# -- contacts --------------------------------------------------------------------------------------

WALL = {"constraint": np.eye(6)[:, 3:4], "motion": np.eye(6)[:, [0, 1, 2, 4, 5]]}


@pytest.mark.parametrize(
    "dtype, tolerance", [("float64", CLOSE), pytest.param("float32", 2e-4, marks=pytest.mark.long)]
)
def test_contacts(dtype, tolerance, gpu, rng):
    q, qd, tau = rng.uniform(0.3, 1.2, (3, 2, 3, 2)).astype(dtype)
    q[0, 1] = np.nan
    q[1, 1] = 0.0  # stretched out along the wall's normal, so that the rank is short
    wall = px.Contact(**WALL, acceleration=rng.normal(size=(2, 1, 1)))
    mass = rng.uniform(1.0, 2.0, (3, 2)).astype(dtype)
    expected = px.constrained_forward_dynamics(px.robots.planar(2), q, qd, tau, wall, mass=mass)
    given = far(q), far(qd), far(tau)
    found = px.constrained_forward_dynamics(px.robots.planar(2), *given, wall, mass=far(mass))
    agree(found, expected, tolerance)
    assert found.qdd.dtype == dtype and found.rank.tolist()[0][1] == 0
    with pytest.raises(px.ArgumentError, match="tau: expected an array on a GPU"):
        px.constrained_forward_dynamics(px.robots.planar(2), *given[:2], tau, wall)


def test_impacts(gpu, rng):
    wall, (q, qd) = px.Contact(**WALL), rng.uniform(0.3, 1.2, (2, 4, 2))
    mass = rng.uniform(1.0, 2.0, (4, 2))
    expected = px.project_velocity(px.robots.planar(2), q, qd, [wall], mass=mass)
    found = px.project_velocity(px.robots.planar(2), far(q), far(qd), [wall], mass=far(mass))
    agree([found], [expected])


# -- friction --------------------------------------------------------------------------------------


def test_forward_dynamics_with_friction(gpu, rng):
    robot, other = (with_losses(px.robots.planar(2)) for _ in range(2))
    q, qd, motor = rng.uniform(-1, 1, (3, 4, 5, 2))
    qd[::2, 1:] = 0.0  # at rest, where joints stick or break away
    motor[1] *= 20.0
    motor[2, 2, 1] = np.inf
    expected = px.forward_dynamics_with_friction(robot, q, qd, motor[:, :1])
    found = px.forward_dynamics_with_friction(other, far(q), far(qd), far(motor[:, :1]))
    agree(found, expected, 1e-9)
    assert repr(found) == repr(expected)
    assert 0 < np.sum(expected.qdd == 0.0) < np.sum(qd == 0.0)  # some stick, and some do not


@pytest.mark.long
def test_forward_dynamics_of_drives_without_losses(gpu, rng):
    robot, (q, qd, motor) = px.robots.planar(2), rng.uniform(-1, 1, (3, 4, 2))
    expected = px.forward_dynamics_with_friction(robot, q, qd, motor)
    found = px.forward_dynamics_with_friction(px.robots.planar(2), far(q), far(qd), far(motor))
    agree(found, expected)


# -- closed forms ----------------------------------------------------------------------------------


@pytest.mark.long
def test_closed_form_inverse_kinematics(gpu, rng):
    robot, other = px.load("puma560"), px.load("puma560")
    poses = px.forward_kinematics(robot, rng.uniform(-2, 2, (2, 3, 6)))
    poses[0, 2] *= 2  # no pose at all
    poses[1, 1, 0, 3] = 9.0  # too far away
    expected = px.kinematics.inverse_kinematics_solutions(robot, poses)
    found = px.kinematics.inverse_kinematics_solutions(other, far(poses))
    agree(fields(found), fields(expected), 1e-9)


def test_the_nearest_solution(gpu, rng):
    q, error = rng.uniform(-3, 3, (2, 3, 8, 6)), rng.uniform(0, 1, (2, 3, 8))
    q0, which = q[0, :, 4] + 0.1, rng.uniform(size=(3, 2, 3, 8)) < 0.3
    which[:, 1, 2] = False
    here = Solutions(q, which[0], error, *which[1:])
    there = Solutions(*map(far, fields(here)))
    for given in ((), (q0,)):
        expected, found = here.nearest(*given), there.nearest(*map(far, given))
        agree(found, expected)
        assert repr(found) == repr(expected)
    with pytest.raises(px.ArgumentError, match="q0: expected an array on a GPU"):
        there.nearest(q0)


@pytest.mark.parametrize("given", [1, pytest.param(3, marks=pytest.mark.long)])
def test_positioning(given, gpu, rng):
    robot, other = px.load("puma560"), px.load("puma560")
    position = px.forward_kinematics(robot, rng.uniform(-2, 2, (4, 6)))[:, :3, 3]
    position[1] = 9.0  # out of reach
    motion = [position, rng.normal(size=3), rng.normal(size=(4, 3))][:given]
    expected = px.kinematics.positioning_solutions(robot, *motion)
    agree(
        fields(px.kinematics.positioning_solutions(other, *map(far, motion))),
        fields(expected),
        1e-9,
    )


# -- loads -----------------------------------------------------------------------------------------


def test_payloads(gpu, rng):
    robot, mass = px.robots.planar(2), rng.uniform(0, 3, (2, 3))
    com, inertia = rng.normal(size=3), rng.uniform(1, 2, (3, 6))
    expected = px.payload(robot, mass, com, inertia)
    found = px.payload(px.robots.planar(2), far(mass), tuple(com), far(inertia))
    assert list(found) == list(expected)
    agree(found.values(), expected.values())
    agree(px.payload(robot, far(mass)).values(), px.payload(robot, mass).values())
    q = rng.normal(size=(3, 2))
    loaded = px.gravity_torques(
        px.robots.planar(2), far(q), **{k: found[k] for k in ("mass", "com")}
    )
    there = {k: expected[k] for k in ("mass", "com")}
    agree([loaded], [px.gravity_torques(px.robots.planar(2), q, **there)])
    below = px.payload(robot, far(np.array([[1.0, -1.0, 0.0]])))["com"]  # nobody waits to say so
    assert np.isnan(below[0, 1, 1]).all() and np.isfinite(below[0, ::2]).all()
    with pytest.raises(px.ArgumentError, match="com: expected an array on a GPU"):
        px.payload(robot, far(mass), com)


@pytest.mark.parametrize("coordinates", ["world", "body"])
def test_pushes(coordinates, gpu, rng):
    robot = px.robots.planar(2)
    q, wrench = rng.normal(size=(3, 2)), rng.normal(size=(2, 1, 6))
    expected = px.external_force(robot, q, wrench, coordinates=coordinates)
    found = px.external_force(robot, far(q), far(wrench), coordinates=coordinates)
    agree([found], [expected])


# -- stale values ----------------------------------------------------------------------------------


def test_what_speculation_begins_with(gpu, rng):
    motion = rng.normal(size=(3, 4, 2))
    expected = px.control.speculate(px.robots.planar(2), "hamilton").start(*motion)
    found = px.control.speculate(px.robots.planar(2), "hamilton").start(*map(far, motion))
    assert list(found) == list(expected)
    agree(found.values(), expected.values())


# -- what stays in main memory ---------------------------------------------------------------------


class Elsewhere:
    """An array of a library that has put it on a GPU, and that would copy it back if asked."""

    def __init__(self, array):
        self._array = np.asarray(array, float)
        self.shape, self.ndim, self.dtype = self._array.shape, self._array.ndim, self._array.dtype

    def __dlpack_device__(self):
        return 2, 0

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("nobody asked for a copy")


ARM, PAIR = px.robots.planar(2), Elsewhere([0.1, 0.2])
MOTION = px.trajectories.quintic([0.0, 0.0], [1.0, 1.0], 1.0)
ONE = Elsewhere(1.0)
REFUSING = {
    "t": lambda: MOTION(PAIR),
    "times": lambda: MOTION.sample(times=PAIR),
    "dt": lambda: MOTION.sample(dt=ONE),
    "max_torque": lambda: MOTION.scaled(ARM, max_torque=PAIR),
    "q0": lambda: px.trajectories.quintic(PAIR, [1.0, 1.0], 1.0),
    "points": lambda: px.trajectories.via_points(Elsewhere(np.eye(2)), [0, 1]),
    "max_velocity": lambda: px.trajectories.trapezoidal([0, 0], [1, 1], PAIR, 1.0),
    "target": lambda: px.trajectories.cartesian_line(
        ARM, [0.1, 0.2], Elsewhere([1.0, 1.0, 0.0]), duration=1
    ),
    "targets": lambda: px.trajectories.cartesian_via_points(
        ARM, [0.1, 0.2], Elsewhere(np.eye(3)), duration=1
    ),
    "constraint": lambda: px.Contact(constraint=Elsewhere(np.eye(6)[:, 3:])),
    "stabilisation": lambda: px.Contact.pinned(stabilisation=ONE),
    "anchor": lambda: px.Contact.pinned(stabilisation=1.0, anchor=Elsewhere(np.eye(4))),
    "friction": lambda: px.Contact.sliding(friction=ONE),
    "M1": lambda: px.Contact.general(None, Elsewhere(np.eye(6)), np.eye(6)),
    "kp": lambda: px.control.computed_torque(ARM, PAIR, 20.0),
    "trajectory": lambda: px.control.safe_period(
        ARM, px.control.computed_torque(ARM, 100.0, 20.0), PAIR
    ),
    "periods": lambda: px.control.stability_atlas(ARM, periods=PAIR),
    "mass": lambda: px.control.simulated_safe_period(
        ARM,
        px.control.computed_torque(ARM, 100.0, 20.0),
        [0.1, 0.2],
        shortest=0.1,
        longest=0.2,
        duration=1.0,
        mass=PAIR,
    ),
    "qd": lambda: px.program(ARM).evaluate(q=[0.1, 0.2], qd=PAIR, qdd=[0.1, 0.2]),
    "q": lambda: px.chains.chain_dynamics(ARM)(PAIR, PAIR, PAIR),
    "y": lambda: px.hardware.Cordic(16).rotate("circular", 0.1, ONE, 0.2),
}


@pytest.mark.parametrize("name", REFUSING)
def test_plans_and_descriptions_are_made_in_main_memory(name):
    expected = rf"^{name}: expected an array in main memory, found one on another device"
    with pytest.raises(px.ArgumentError, match=expected):
        REFUSING[name]()


def test_long_chains_in_contact_are_in_main_memory():
    chain = px.robots.planar(33)
    state, wall = [Elsewhere(np.zeros(33))] * 3, px.Contact(**WALL)
    with pytest.raises(px.ArgumentError, match="q: expected an array in main memory"):
        px.constrained_forward_dynamics(chain, *state, wall)
