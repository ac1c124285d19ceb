"""A million motions, each holding a payload of its own, by one kernel.

Masses become an input of the Program, so nothing is compiled again when they change. The payload
is a point held at the centre of mass of the last link: there it adds mass, and nothing else.
"""

import numpy as np

import paraxis as px

STATES = 1_000_000
HEAVIEST = 5.0  # kg
JOINT = "shoulder_lift_joint"


def main():
    robot = px.load("ur5")
    rng = np.random.default_rng(1)
    q = rng.uniform(-np.pi, np.pi, (STATES, robot.n))
    qd = rng.uniform(-3, 3, (STATES, robot.n))
    qdd = rng.uniform(-15, 15, (STATES, robot.n))
    payload = rng.uniform(0, HEAVIEST, STATES)

    mass = np.tile(px.parameter_values(robot, "mass"), (STATES, 1))
    mass[:, -1] += payload
    kernel = px.program(robot, parameters=["mass"]).compile()
    tau = kernel(q, qd, qdd, mass)

    k = robot.joint_names.index(JOINT)
    load, most = abs(tau[:, k]), robot.joints[k].max_effort
    print(f"{JOINT}: torque over {STATES} random motions, limit {most:g} N m\n")
    print("  payload kg   median N m   99 % below   over the limit")
    for low in np.arange(HEAVIEST):
        part = load[(payload >= low) & (payload < low + 1)]
        median, high = np.quantile(part, (0.5, 0.99))
        over = (part > most).mean()
        print(f"    {low:.0f} to {low + 1:.0f}   {median:10.1f}   {high:10.1f}   {over:14.2%}")

    held = robot.with_payload(payload[0], com=robot.inertias[-1].com, frame="wrist_3_link")
    error = abs(px.inverse_dynamics(held, q[0], qd[0], qdd[0]) - tau[0]).max()
    print(f"\nthe first state against robot.with_payload(...): differs by {error:.0e} N m")


if __name__ == "__main__":
    main()
