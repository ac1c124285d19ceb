"""A control law and the dynamics inside it, fused into one kernel.

Computed torque: ask for the acceleration that brings the error to zero, then for the torques
behind it. Written as for arrays of numbers; traced, it is one straight line from gains and errors
to torques, with no arrays in between.
"""

import time

import numpy as np

import paraxis as px

STATES = 200_000


def main():
    robot = px.load("ur5")

    def control(q, qd, goal, goal_rate, goal_acceleration, kp, kd):
        wanted = goal_acceleration + kd * (goal_rate - qd) + kp * (goal - q)
        return {"tau": px.inverse_dynamics(robot, q, qd, wanted)}

    n = robot.n
    law = px.trace(control, q=n, qd=n, goal=n, goal_rate=n, goal_acceleration=n, kp=(), kd=())
    print(law.name, law.inputs, "->", law.outputs)
    print(law.count())

    rng = np.random.default_rng(2)
    q, qd, goal, rate, acceleration = rng.uniform(-1, 1, (5, STATES, n))
    kp = rng.uniform(10, 200, STATES)  # every state with gains of its own
    kd = 2 * np.sqrt(kp)
    kernel = law.compile()

    def fused():
        return kernel(q, qd, goal, rate, acceleration, kp, kd)

    def by_array():
        wanted = acceleration + kd[:, None] * (rate - qd) + kp[:, None] * (goal - q)
        return px.inverse_dynamics(robot, q, qd, wanted)

    one, other = fused(), by_array()
    error = (abs(one - other).max(-1) / np.maximum(1, abs(other).max(-1))).max()
    print(f"\n{STATES} states, relative difference {error:.0e}")
    for name, run in (("NumPy, then dynamics", by_array), ("one fused kernel", fused)):
        print(f"  {name:22}{best_time(run) / STATES * 1e9:8.1f} ns per state")


def best_time(run, repeat=5):
    """Seconds of the fastest of a few runs."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    main()
