"""Go2 and G1 stand on the ground under a PD controller, and carry their weight."""

import dataclasses

import numpy as np

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
