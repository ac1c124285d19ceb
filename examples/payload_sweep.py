"""A million motions, each with its own payload, by one kernel.

The payload is a ball held at the tool. px.payload makes parameters of it, which are inputs of the
kernel, so nothing is compiled again when they change.
"""

import numpy as np

import paraxis as px

STATES = 1_000_000
HEAVIEST = 5.0  # kg
RADIUS = 0.05  # m, of the ball
JOINT = "shoulder_lift_joint"


def main():
    robot = px.load("ur5")
    rng = np.random.default_rng(1)
    q = rng.uniform(-np.pi, np.pi, (STATES, robot.n))
    qd = rng.uniform(-3, 3, (STATES, robot.n))
    qdd = rng.uniform(-15, 15, (STATES, robot.n))
    payload = rng.uniform(0, HEAVIEST, STATES)

    inertia = 0.4 * payload[:, None] * RADIUS**2 * np.array([1, 1, 1, 0, 0, 0])
    held = px.payload(robot, payload, com=(0, 0, RADIUS), inertia=inertia)
    tau = px.inverse_dynamics(robot, q, qd, qdd, **held)

    k = robot.joint_names.index(JOINT)
    load, most = abs(tau[:, k]), robot.joints[k].max_effort
    print(f"{JOINT}: torque over {STATES} random motions, limit {most:g} N m\n")
    print("  payload kg   median N m   99 % below   over the limit")
    for low in np.arange(HEAVIEST):
        part = load[(payload >= low) & (payload < low + 1)]
        median, high = np.quantile(part, (0.5, 0.99))
        over = (part > most).mean()
        print(f"    {low:.0f} to {low + 1:.0f}   {median:10.1f}   {high:10.1f}   {over:14.2%}")

    holding = robot.with_payload(payload[0], com=(0, 0, RADIUS), inertia=inertia[0])
    error = abs(px.inverse_dynamics(holding, q[0], qd[0], qdd[0]) - tau[0]).max()
    print(f"\nthe first state against robot.with_payload(...): differs by {error:.0e} N m")


if __name__ == "__main__":
    main()
