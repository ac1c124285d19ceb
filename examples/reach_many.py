"""How fast can an arm with limited motors reach its goals? A hundred goals, four durations.

All goals of a duration are solved in one call, each torque within its limit. A goal that is not
reached in time is one that the motors are too weak for.
"""

import time

import numpy as np

import paraxis as px

GOALS, DURATIONS = 100, np.array([0.15, 0.2, 0.3, 0.5])  # s
STEPS, NEAR = 40, 0.02  # rad


def main():
    robot = px.load("ur5")
    rng = np.random.default_rng(3)
    start, goal = rng.uniform(-1, 1, (2, GOALS, 6))

    def cost(qd, u):
        return 1e-4 * u @ u + 1e-2 * qd @ qd

    def terminal(q, qd, goal):
        return 1e4 * ((q - goal) @ (q - goal) + 0.01 * qd @ qd)

    arrives = np.empty((len(DURATIONS), GOALS), bool)
    print("  duration   solved   arrive   largest torque of the shoulder   time")
    for k, duration in enumerate(DURATIONS):
        solver = px.optimal_control(
            robot, cost, STEPS, dt=duration / STEPS, terminal=terminal, parameters={"goal": 6}
        )
        solver.solve(np.zeros(12), goal=np.zeros(6), iterations=1)  # compiles
        begin = time.perf_counter()
        found = solver.solve(np.concatenate([start, 0 * start], -1), goal=goal, iterations=200)
        took = time.perf_counter() - begin
        arrives[k] = abs(found.q[:, -1] - goal).max(-1) < NEAR
        torque = abs(found.us[..., 1]).max()
        print(
            f"    {duration:.2f} s  {found.solved.mean():8.1%} {arrives[k].mean():8.1%}"
            f"   {torque:12.1f} N m{took:26.2f} s"
        )
    first = np.where(arrives.any(0), DURATIONS[arrives.argmax(0)], np.inf)
    far = np.linalg.norm(goal - start, axis=-1)
    print("\nshortest duration that arrives, by how far the goal is:")
    for low, high in ((0, 1.5), (1.5, 2), (2, 2.5), (2.5, 4)):
        those = (far >= low) & (far < high)
        if those.any():
            print(f"  {low:.1f} to {high:.1f} rad: {np.median(first[those]):.2f} s (median)")


if __name__ == "__main__":
    main()
