"""How many base parameters there are: as many as sampled regressors have rank, in any units."""

import random
import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.robot_files import ROBOTS
from support.robots import random_inertia

import paraxis as px
from paraxis import Robot
from paraxis.dynamics.identification import CLEAR, NEGLIGIBLE, _independent
from paraxis.robots import Coupling, Inertia, Joint, Pose

RIGHT = np.pi / 2
GAP = 1e-10  # singular values of real robots are above 1e-8 of the largest, or below 1e-12


def regressors(robot, seed=5):
    """At states that `px.base_parameters` has not seen, one row per torque."""
    rng, count = np.random.default_rng(seed), 15 * len(px.inertial_parameters(robot)) // robot.nv
    way, qd, qdd = rng.uniform(-3, 3, (3, count, robot.nv))
    q = px.program(robot, "integrate").evaluate(q=px.neutral(robot), v=way)
    Y = px.program(robot, "regressor").evaluate(q=q, qd=qd, qdd=qdd)
    return Y.reshape(-1, Y.shape[-1])


def rank(Y):
    values = np.linalg.svd(Y, compute_uv=False)
    return int((values > GAP * values[0]).sum())


def check_rank(robot):
    base, Y = px.base_parameters(robot), regressors(robot)
    columns = Y[:, base.columns]
    assert len(base) == rank(Y) == rank(columns)
    assert abs(columns @ base.combination - Y).max() <= 1e-8 * abs(Y).max()
    return base


def elbow(angle=RIGHT, length=0.5):
    """Two joints at an angle."""
    body = Inertia.of(2.0, (0.1, 0.2, 0.3), (0.3, 0.2, 0.25, 0.01, 0.02, 0.03))
    seat = Pose.from_rpy((length, 0, 0), (angle, 0, 0))
    joints = [Joint("a", "revolute"), Joint("b", "revolute", 0, seat)]
    return Robot("elbow", joints, [body] * 2)


def random_tree(seed):
    """Angles are right ones or far from them, so that the rank is no matter of taste."""
    rng = random.Random(seed)
    joints, bodies = [], []
    for i in range(rng.randint(2, 5)):
        kind = rng.choice(("revolute", "revolute", "prismatic"))
        turn = [rng.choice((0, RIGHT, -RIGHT, rng.uniform(0.3, 1.2))) for _ in range(3)]
        step = [rng.choice((0, rng.uniform(0.1, 1))) for _ in range(3)]
        parent = rng.choice((i - 1, i - 1, rng.randint(-1, i - 1)))
        joints.append(Joint(f"j{i}", kind, parent, Pose.from_rpy(step, turn)))
        bodies.append(random_inertia(rng))
    gravity = rng.choice(((0, 0, -9.81), (1, 2, -9), (0, 0, 0)))
    return Robot("tree", joints, bodies, gravity=gravity, warn=False)


def test_two_joints_at_a_right_angle():
    """A column that cancels to rounding is no column: there are 8, not 9."""
    base = check_rank(elbow())
    assert len(base) == 8
    shown = base.combination[base.combination != 0]
    assert abs(shown).min() > 1e-3  # no term of rounding among the relations
    assert "e-1" not in str(base)


@pytest.mark.parametrize("error", [5e-12, 3.7e-6])
def test_a_right_angle_typed_with_few_digits(error):
    """Twelve digits mean a right angle; 1.5708 is another angle, and its torques show it."""
    assert len(px.base_parameters(elbow(RIGHT + error))) == (8 if error < 1e-9 else 9)


def test_a_column_that_is_nearly_a_sum_waits_for_a_better_one():
    """As on Romeo: first in order, it would make rounding look like 48 more columns."""
    few = np.random.default_rng(0).normal(size=(200, 8))
    columns = [few[:, 0], few[:, 0] + 1e-8 * few.sum(axis=1), *few[:, 1:].T]
    Y = np.column_stack((*columns, few @ np.random.default_rng(1).normal(size=(8, 30))))
    largest = np.linalg.norm(Y, axis=0).max()
    kept, _, own = _independent(Y, CLEAR * largest, NEGLIGIBLE * largest)
    assert kept == [0, *range(2, 9)] and (own > CLEAR * largest).all()


@pytest.mark.parametrize("seed", range(12))
def test_random_trees(seed):
    check_rank(random_tree(seed))


def seat(rng):
    """Far from all right angles."""
    step = [rng.uniform(0.1, 1) for _ in range(3)]
    return Pose.from_rpy(step, [rng.uniform(0.3, 1.2) for _ in range(3)])


OF_JOINT = {  # what a joint's body adds to a robot that floats, and its rotor's inertia
    "revolute": 7 + 1,
    "prismatic": 4 + 1,
    "spherical": 9 + 1,
    "free": 10 + 1,
}


@pytest.mark.parametrize("kinds", [("revolute",) * 2, ("prismatic", "spherical"), ("free",)])
def test_a_floating_base_shows_all_ten_of_its_parameters(kinds):
    """Those of a body on a joint are seen but for what is counted to the body that carries it: of a
    revolute joint three, of a prismatic one its inertia, of a spherical one the mass (Ayusawa,
    Venture and Nakamura, 2014)."""
    rng, joints = random.Random(3), [Joint("base", "free")]
    for k, kind in enumerate(kinds):
        joints.append(Joint(f"j{k}", kind, k, seat(rng), (0.6, 0.0, 0.8)))
    robot = Robot("floating", joints, [random_inertia(rng) for _ in joints], warn=False)
    assert len(check_rank(robot)) == OF_JOINT["free"] + sum(OF_JOINT[kind] for kind in kinds)


def test_coupled_joints_screws_and_others():
    rng = random.Random(5)
    joints = [
        Joint("planar", "planar", -1, seat(rng), (0.0, 0.6, 0.8)),
        Joint("lead", "revolute", 0, seat(rng)),
        Joint("screw", "helical", 1, seat(rng), pitch=0.2),
        Joint("bent", "revolute", 2, seat(rng), coupling=Coupling("lead", (0.1, -1.5))),
    ]
    robot = Robot("mixed", joints, [random_inertia(rng) for _ in joints], warn=False)
    base = check_rank(robot)
    q, qd = px.robots.random_states(robot, 20, seed=1)
    Y = px.program(robot, "regressor").evaluate(q=q, qd=qd, qdd=qd)
    tau = px.program(robot, "inverse_dynamics").evaluate(q=q, qd=qd, qdd=qd)
    assert abs(Y[..., base.columns] @ base.values - tau).max() <= 1e-9 * abs(tau).max()
    assert base.labels[-4:] == ("rotor planar", "rotor lead", "rotor screw", "rotor bent")


def scaled(robot, length, mass, gravity):
    """The same robot written in other units of length, mass and time."""

    def moved(pose):
        return Pose(pose.rotation, tuple(length * v for v in pose.translation))

    return replace(
        robot,
        joints=[replace(joint, placement=moved(joint.placement)) for joint in robot.joints],
        inertias=[
            Inertia(
                mass * body.mass,
                tuple(length * v for v in body.com),
                tuple(mass * length**2 * v for v in body.about_com),
            )
            for body in robot.inertias
        ],
        gravity=tuple(gravity * v for v in robot.gravity),
        warn=False,
    )


@pytest.mark.parametrize("units", [(1e-3, 1e-6, 1.0), (1e3, 1e3, 1.0), (1e-6, 1.0, 1e-6)])
def test_units_do_not_matter(units):
    for robot in (elbow(), random_tree(3)):
        there, here = px.base_parameters(scaled(robot, *units)), px.base_parameters(robot)
        assert there.columns == here.columns


def urdfs(*names):
    files = sorted(ROBOTS.glob("**/*.urdf"))
    return [path for path in files if not names or path.stem in names]


def loaded(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        return px.load(path, couplings="independent")


@pytest.mark.parametrize("path", urdfs("panda"), ids=lambda path: path.stem)
def test_the_panda(path):
    """Its right angles have twelve digits, of which 59 would be found if rounding counted."""
    assert len(check_rank(loaded(path))) == 58


@pytest.mark.long
@pytest.mark.parametrize("path", urdfs(), ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_every_real_robot(path):
    try:
        robot = loaded(path)
    except px.RobotError:
        pytest.skip("no robot; see tests/robots/test_urdf.py")
    check_rank(robot)
