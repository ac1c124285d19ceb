"""Go2 and G1 stand on the ground under a PD controller, and walk on it as in MuJoCo."""

import dataclasses

import numpy as np
import pytest

import paraxis as px
from paraxis.simulation import ContactPoint, Ground, contact_points

DT = 2e-3


def stood(robot, ground, q, kp, kd, steps):
    goal = q[7:]

    def hold(t, q, qd):
        return [0.0] * 6 + [
            kp * (g - x) - kd * v for g, x, v in zip(goal, q[7:], qd[6:], strict=True)
        ]

    run = px.simulate(
        robot, q, np.zeros(robot.nv), controller=hold, dt=DT, steps=steps, ground=ground, every=10
    )
    weight = sum(body.mass for body in robot.inertias) * np.linalg.norm(robot.gravity)
    carried = run.impulses[-20:, :, 0].sum(-1).mean() / DT
    return run, carried / weight


def test_a_go2_drops_and_stands_on_four_feet():
    robot = px.load("go2", floating_base=True)
    feet = [ContactPoint(f"{leg}_foot", radius=0.022) for leg in ("FL", "FR", "RL", "RR")]
    q = np.concatenate([[0, 0, 0.42, 0, 0, 0, 1], np.tile([0.0, 0.8, -1.5], 4)])
    run, carried = stood(robot, Ground(feet), q, 60.0, 2.0, 1000)
    assert abs(carried - 1) < 0.01
    assert 0.28 < run.q[-1, 2] < 0.34
    assert abs(run.q[-1, 3:6]).max() < 0.05
    assert run.residual.max() < 1e-4


def test_a_g1_stands_on_the_eight_spheres_of_its_description():
    robot = px.load("g1", floating_base=True)
    joints = [  # its description has no rotors, without which stiff control needs shorter steps
        j if j.kind == "free" else dataclasses.replace(j, rotor_inertia=0.02) for j in robot.joints
    ]
    robot = dataclasses.replace(robot, joints=joints, warn=False)
    feet = contact_points(robot, frames=["left_ankle_roll_link", "right_ankle_roll_link"])
    assert len(feet) == 8
    q = np.zeros(robot.nq)
    q[2], q[6] = 0.8, 1.0
    q[[7, 13]], q[[10, 16]], q[[11, 17]] = -0.2, 0.42, -0.23
    run, carried = stood(robot, Ground(feet, sweeps=60), q, 300.0, 6.0, 600)
    assert abs(carried - 1) < 0.05
    assert 0.7 < run.q[-1, 2] < 0.8
    assert run.residual[5:].max() < 1e-3


LIFTS = {  # how joints of the two groups of legs move while these swing: name -> index -> rad
    "go2": ({1: 0.25, 2: -0.5, 10: 0.25, 11: -0.5}, {4: 0.25, 5: -0.5, 7: 0.25, 8: -0.5}),
    "g1": ({0: -0.2, 3: 0.4, 4: -0.2}, {6: -0.2, 9: 0.4, 10: -0.2}),
}


@pytest.mark.parametrize(("name", "period"), [("go2", 0.4), ("g1", 0.8)])
def test_real_robots_walk_as_in_mujoco(name, period):
    """By the soft law, under the same controller: feet leave the ground and return."""
    mujoco, peer = pytest.importorskip("mujoco"), pytest.importorskip("ground")  # of benchmarks/
    case, steps, dt = getattr(peer, name)(), 600, 1e-3
    robot, points, stance, kp, kd = case.robot, case.points, case.stance, case.kp, case.kd
    lifts = np.zeros((2, len(stance)))
    for lift, joints in zip(lifts, LIFTS[name], strict=True):
        lift[list(joints)] = list(joints.values())

    def pull(t, positions, rates):
        wave = np.sin(2 * np.pi / period * t)
        goal = stance + lifts[0] * np.maximum(wave, 0.0) + lifts[1] * np.maximum(-wave, 0.0)
        return kp * (goal - positions) - kd * rates

    def walk(t, q, qd):
        return np.concatenate([np.zeros(6), pull(t, q[7:], qd[6:])])

    q = np.concatenate([[0, 0, case.height, 0, 0, 0, 1], stance])
    ground = Ground(points, law="soft", friction=0.8, sweeps=2000, tolerance=1e-12)
    options = {"controller": walk, "dt": dt, "steps": steps, "ground": ground, "limits": False}
    found = px.simulate(robot, q, np.zeros(robot.nv), **options)

    model = peer.mjcf(robot, points, kp, kd)
    model.actuator_gainprm[:] = model.actuator_biasprm[:] = 0.0  # torques are given instead
    model.opt.timestep, model.opt.tolerance = dt, 1e-14
    model.opt.iterations, model.opt.ls_iterations = 200, 100
    data, theirs = mujoco.MjData(model), []
    data.qpos[:] = [*q[:3], 1.0, 0.0, 0.0, 0.0, *stance]
    for k in range(steps):
        data.qfrc_applied[6:] = pull(k * dt, data.qpos[7:], data.qvel[6:])
        mujoco.mj_step(model, data)
        theirs.append(np.concatenate([data.qpos[:3], data.qpos[7:]]))
    ours = np.concatenate([found.q[1:, :3], found.q[1:, 7:]], axis=1)
    assert (found.impulses[100:, :, 0] == 0.0).any(axis=0).all()  # every point leaves the ground
    assert (found.impulses[100:, :, 0] > 0.0).any(axis=0).sum() >= 4
    assert abs(ours - np.array(theirs)).max() < 1e-8
