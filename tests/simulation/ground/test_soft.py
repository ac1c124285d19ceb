"""Soft contact against MuJoCo: the same solref, solimp and impratio give the same step."""

import mujoco
import numpy as np
import pytest
from support.on_ground import G, at, ball, box, energy, run, thrown

import paraxis as px
from paraxis.simulation import ContactPoint, Ground

DEFAULTS = {"solref": (0.02, 1.0), "solimp": (0.9, 0.95, 0.001, 0.5, 2.0), "impratio": 1.0}
OPTION = """<option timestep="0.001" integrator="Euler" cone="elliptic" impratio="{impratio}"
 solver="Newton" tolerance="1e-14" iterations="200" ls_iterations="100"/>
<default><geom condim="3" friction="0.5 0 0" solref="{solref}" solimp="{solimp}"/></default>"""
BOX = """<mujoco>{option}<worldbody><geom type="plane" size="0 0 1"/>
<body pos="0 0 1"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="{about}"/>
<geom type="box" size=".1 .15 .05"/></body></worldbody></mujoco>"""
LEG = """<body pos="{x} {y} 0"><joint name="hip{k}" axis="0 1 0.2" armature="0.01"/>
<geom type="capsule" size=".02" fromto="0 0 0 0 0 -.2" contype="0" conaffinity="0"/>
<body name="shank{k}" pos="0 0 -.2"><joint name="knee{k}" axis="0 1 0"/>
<geom type="capsule" size=".015" fromto="0 0 0 0 0 -.2" contype="0" conaffinity="0"/>
<geom type="sphere" size=".02" pos="0 0 -.2" mass="0.05"/></body></body>"""
DOG = """<mujoco>{option}<worldbody><geom type="plane" size="0 0 1"/>
<body pos="0 0 0.42"><freejoint/><geom type="box" size=".2 .1 .04" contype="0" conaffinity="0"/>
{legs}</body></worldbody></mujoco>"""


def option(numbers):
    def spelt(value):
        return " ".join(map(str, value)) if isinstance(value, tuple) else value

    return OPTION.format(**{name: spelt(value) for name, value in numbers.items()})


def mujoco_box(numbers):
    about = " ".join(repr(x) for x in (0.2 / 12, 0.1 / 12, 0.26 / 12))
    return mujoco.MjModel.from_xml_string(BOX.format(option=option(numbers), about=about))


def stepped(model, q, qd, steps=1):
    """MuJoCo's states after each step; q and qd as Paraxis writes them."""
    data, found = mujoco.MjData(model), []
    data.qpos[:] = [*q[:3], q[6], *q[3:6], *q[7:]]
    data.qvel[:] = world(q, qd)
    for _ in range(steps):
        mujoco.mj_step(model, data)
        found.append((data.qpos.copy(), data.qvel.copy()))
    return found


def world(q, qd):
    """Rates with the linear velocity of the base along the world's axes, as MuJoCo has them."""
    x, y, z, w = q[3:7]
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    return np.concatenate([turn @ qd[:3], qd[3:]])


@pytest.mark.parametrize(
    "numbers",
    [
        {},
        {"impratio": 10.0},
        {"solref": (0.05, 0.7), "solimp": (0.5, 0.99, 0.005, 0.3, 3.0)},
        {"solref": (-3000.0, -50.0), "solimp": (0.8, 0.9, 0.01, 0.5, 2.5)},
    ],
    ids=["defaults", "impratio", "solimp", "stiffness"],
)
def test_a_step_of_a_box_is_mujocos(numbers):
    numbers = DEFAULTS | numbers
    robot, corners = box()
    q, qd = at(0, 0, 0.049), np.array([1, 0.3, -0.4, 0.2, -0.3, 0.5])
    ground = Ground(corners[:4], friction=0.5, law="soft", sweeps=3000, tolerance=1e-13, **numbers)
    found = run(robot, ground, q, qd, 1)
    ((_, rates),) = stepped(mujoco_box(numbers), q, qd)
    np.testing.assert_allclose(world(found.q[-1], found.qd[-1]), rates, atol=1e-10)


def test_a_box_falls_slides_and_rests_as_in_mujoco():
    robot, corners = box()
    q, qd = at(0, 0, 0.15), np.array([1, 0.3, 0, 0, 0, 0])
    ground = Ground(corners[:4], friction=0.5, law="soft", sweeps=500, tolerance=1e-10)
    found = run(robot, ground, q, qd, 600)
    theirs = np.array([place[:3] for place, _ in stepped(mujoco_box(DEFAULTS), q, qd, 600)])
    np.testing.assert_allclose(found.q[1:, :3], theirs, atol=1e-8)
    assert found.impulses[-1, :, 0].sum() / 1e-3 == pytest.approx(2.0 * G, rel=1e-6)


def quadruped():
    """MuJoCo's model, the robot and its feet."""
    places = [(x, y) for x in (0.18, -0.18) for y in (0.1, -0.1)]
    legs = "".join(LEG.format(x=x, y=y, k=k) for k, (x, y) in enumerate(places))
    model = mujoco.MjModel.from_xml_string(DOG.format(option=option(DEFAULTS), legs=legs))
    feet = [ContactPoint(f"shank{k}", (0, 0, -0.2), 0.02) for k in range(4)]
    return model, px.robots.from_mujoco(model), feet


def test_steps_of_a_quadruped_are_mujocos():
    model, robot, feet = quadruped()
    ground = Ground(feet, friction=0.5, law="soft", sweeps=3000, tolerance=1e-13)
    rng = np.random.default_rng(0)
    for _ in range(3):
        q = np.concatenate([at(0, 0, 0.405), 0.1 * rng.standard_normal(8)])
        qd = 0.5 * rng.standard_normal(14)
        found = run(robot, ground, q, qd, 1)
        ((_, rates),) = stepped(model, q, qd)
        assert (found.impulses[0, :, 0] > 0).any()
        ours = world(found.q[-1], found.qd[-1])
        assert abs(ours - rates).max() < 1e-8 * abs(rates).max()


def test_a_ball_rests_in_the_soft_ground():
    robot, points = ball()
    found = run(robot, Ground(points, law="soft"), at(0, 0, 0.3), np.zeros(6), 2000)
    assert found.impulses[-1, 0, 0] / 1e-3 == pytest.approx(1.5 * G, rel=1e-6)
    assert -1e-3 < found.gap[-1, 0] < 0


def gait(t, positions, rates):
    """Torques of a trot: opposite legs swing together."""
    phase = 12.0 * t + np.array([0.0, np.pi, np.pi, 0.0])
    hips, knees = 0.5 + 0.2 * np.sin(phase), -1.0 - 0.3 * np.cos(phase)
    goal = np.stack([hips, knees], -1).ravel()
    return 30.0 * (goal - positions) - 1.0 * rates


def test_a_quadruped_trots_as_in_mujoco():
    """Feet leave the ground and return, stick and slip, under the same controller."""
    model, robot, feet = quadruped()
    ground = Ground(feet, friction=0.5, law="soft", sweeps=1000, tolerance=1e-11)
    q = np.concatenate([at(0, 0, 0.38), np.tile([0.5, -1.0], 4)])
    steps, dt = 800, 1e-3

    def trot(t, q, qd):
        return np.concatenate([np.zeros(6), gait(t, q[7:], qd[6:])])

    found = px.simulate(
        robot, q, np.zeros(14), controller=trot, dt=dt, steps=steps, ground=ground, limits=False
    )
    data = mujoco.MjData(model)
    data.qpos[:] = [*q[:3], q[6], *q[3:6], *q[7:]]
    theirs = []
    for k in range(steps):
        data.qfrc_applied[6:] = gait(k * dt, data.qpos[7:], data.qvel[6:])
        mujoco.mj_step(model, data)
        theirs.append(np.concatenate([data.qpos[:3], data.qpos[7:]]))
    ours = np.concatenate([found.q[1:, :3], found.q[1:, 7:]], 1)
    error = abs(ours - np.array(theirs)).max(-1)
    lifted = (found.impulses[100:, :, 0] == 0).any(0)
    touched = (found.impulses[100:, :, 0] > 0).any(0)
    assert lifted.all() and touched.all()  # every foot leaves the ground and returns
    assert error.max() < 1e-6


def test_soft_contact_makes_no_energy_and_no_nan():
    """The springs of contacts give back what they took, and no more."""
    robot, corners = box()
    ground = Ground(corners, friction=0.6, law="soft", sweeps=300, tolerance=1e-9)
    q, qd = thrown(1)
    found = run(robot, ground, q, qd, 1500)
    total = energy(robot, found.q, found.qd)
    assert np.isfinite(found.q).all() and np.isfinite(found.qd).all()
    assert (found.impulses[..., 0] > 0).any(0).any(-1).all()  # every box touches
    assert (total <= total[0] + 1e-7).all()
    assert (total[-1] < total[0] - 1.0).all()
