"""Inertial parameters of an arm from measured torques.

Torques are linear in the inertial parameters, tau = Y pi, but not all of these can be identified.
Base parameters can: their columns of Y are independent, and least squares finds them.
"""

import numpy as np

import paraxis as px

STATES = 2000
NOISE = 0.05  # N m, of a measured torque


def main():
    robot = px.load("puma560").subchain("link3", drop_rest=True)  # the arm without its wrist
    base = px.base_parameters(robot)
    print(base, end="\n\n")

    rng = np.random.default_rng(3)
    q, test_q = rng.uniform(-np.pi, np.pi, (2, STATES, robot.n))
    qd, test_qd = rng.uniform(-2, 2, (2, STATES, robot.n))
    qdd, test_qdd = rng.uniform(-5, 5, (2, STATES, robot.n))
    measured = px.inverse_dynamics(robot, q, qd, qdd) + rng.normal(0, NOISE, q.shape)

    Y = px.regressor(robot, q, qd, qdd)[..., base.columns]
    found, *_ = np.linalg.lstsq(Y.reshape(-1, len(base)), measured.ravel())

    print("       true      found")
    for true, estimate in zip(base.values, found, strict=True):
        print(f"{true:11.4f}{estimate:11.4f}")

    Y = px.regressor(robot, test_q, test_qd, test_qdd)[..., base.columns]
    error = Y @ found - px.inverse_dynamics(robot, test_q, test_qd, test_qdd)
    print(f"\ntorques of {STATES} other motions, predicted to {np.sqrt((error**2).mean()):.4f} N m")


if __name__ == "__main__":
    main()
