"""How slowly may a controller sample when some of its data are stale?

Computed-torque control of a UR5 whose links do not wait for one another: each computes with values
of the previous control step. For each scheme: the depth of the loop, the largest sampling period at
which it is stable, and simulations just below and just above.
"""

import numpy as np

import paraxis as px

POLICIES = ("exact", "binder_herzog", "hamilton", "hamilton_one_step")
POSTURE = np.array([0.3, -1.2, 1.5, -1.8, -1.5, 0.0])


def main():
    robot = px.load("ur5")
    start = POSTURE + np.random.default_rng(1).normal(0.0, 1e-3, (100, robot.n))
    print(f"{'policy':<20}{'depth':>6}{'safe period':>13}{'errors below':>14}{'above':>7}")
    for policy in POLICIES:
        control = px.control.computed_torque(robot, kp=100.0, kd=20.0, policy=policy)
        depth = px.control.speculate(robot, policy).depth().flops
        safe = px.control.safe_period(robot, control, POSTURE)
        periods = safe.period * np.array([[0.8], [1.2]])  # 100 runs at each
        runs = px.control.closed_loop(
            robot, control, POSTURE, periods, duration=20.0, q0=start, record="q"
        )
        left = abs(runs.q - POSTURE).max(-1)
        grown = np.median(left[-10:].max(0) / left[0], axis=-1)
        below, above = (f"{'shrink' if factor < 1 else 'grow'}" for factor in grown)
        print(f"{policy:<20}{depth:>6}{safe.period * 1e3:>10.2f} ms{below:>14}{above:>7}")


if __name__ == "__main__":
    main()
