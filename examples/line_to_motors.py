"""A straight line of the hand, the motor torques behind it, and whether they keep to it.

The motors are sized by a model without friction and by one with it; both sets of torques are then
played into a simulated arm that has friction, with nothing that corrects it.
"""

import numpy as np

import paraxis as px

DT = 2e-4
GEAR = px.robots.Transmission(ratio=100, efficiency=0.75, break_away=1.0, rotor_inertia=2e-5)
DRIVE = {
    "friction": px.robots.Friction(viscous=0.5, coulomb=0.5, smoothing=1e-4),
    "transmission": GEAR,
}


def main():
    robot = px.load("ur5")
    arm = robot.with_drives(dict.fromkeys(robot.joint_names, DRIVE))
    home = np.array([0.3, -1.2, 1.5, -1.8, -1.5, 0.0])
    pose = px.forward_kinematics(arm, home)
    pose[:3, 3] += (0.0, 0.3, 0.0)

    line = px.trajectories.cartesian_line(arm, home, pose, duration=1.0)
    steps = round(line.duration / DT)
    move = line.sample(times=(np.arange(steps) + 0.5) * DT)  # torques are held for a step each
    torques = px.motor_torques(arm, *move[1:])

    print("largest torque of each motor, N m on its shaft")
    for name, values in (("without friction", torques.dynamic / 100), ("with", torques.input)):
        print(f"  {name:17}", abs(values).max(axis=0).round(3))
    print("how far the hand ends from the end of the line")
    for name, values in (("without friction", torques.dynamic / 100), ("with", torques.input)):
        run = px.simulate(
            arm, home, np.zeros(6), values, dt=DT, steps=steps, method="semi_implicit_euler"
        )
        off = px.forward_kinematics(arm, run.q[-1])[:3, 3] - pose[:3, 3]
        print(f"  {name:17} {1e3 * np.linalg.norm(off):6.1f} mm of 300")


if __name__ == "__main__":
    main()
