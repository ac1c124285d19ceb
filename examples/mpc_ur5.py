"""Model-predictive control of a UR5 that carries more than its model knows.

The tool of the arm follows a figure of eight. Every 10 ms one real-time iteration plans the next
0.3 s, within the torques of the motors. The plant is simulated ten times as finely, with a payload
in the gripper and random torques at the joints: 16 arms at once, from no payload to 3 kg.
"""

import numpy as np

import paraxis as px

STEPS, DT, HORIZON = 600, 0.01, 30
REST = np.array([0.0, -1.2, 1.5, -1.8, -1.5, 0.0])


def reach(q, qd, u, goal):
    return 50 * ((q - goal) @ (q - goal)) + 0.05 * (qd @ qd) + 1e-6 * (u @ u)


def stay(q, qd, goal):
    return 200 * ((q - goal) @ (q - goal)) + 1.0 * (qd @ qd)


def figure_of_eight(times):
    q = np.tile(REST, (len(times), 1))
    q[:, 0] += 0.5 * np.sin(2 * times)
    q[:, 1] += 0.2 * np.sin(4 * times)
    return q


def main():
    robot = px.load("ur5")
    solver = px.optimal_control(
        robot, reach, HORIZON, dt=DT, terminal=stay, parameters={"goal": 6}, per_step="goal"
    )
    goals = figure_of_eight(DT * np.arange(STEPS + HORIZON + 2))
    window = np.arange(HORIZON + 1)

    start = np.concatenate([goals[0], np.zeros(6)])
    alone = solver.mpc(start, goal=goals[window])
    run = alone.run(steps=STEPS, goal=goals[1 + np.arange(STEPS)[:, None] + window])
    print(f"one arm, as its model:  error {error(run, goals):.4f} rad")
    print(f"  {run.timing}")

    payload = np.linspace(0.0, 3.0, 16)
    rng = np.random.default_rng(0)
    mpc = solver.mpc(np.tile(start, (16, 1)), goal=goals[window])
    plant = px.Simulator(robot, dt=DT / 10)
    plant.reset(np.tile(goals[0], (16, 1)), **px.payload(robot, mass=payload))
    ahead = goals[1 + np.arange(STEPS)[:, None] + window][:, None]
    run = mpc.run(plant, STEPS, goal=ahead, disturbance=rng.normal(0, 0.3, (STEPS, 16, 6)))
    print("16 arms, disturbed:")
    for k in range(0, 16, 5):
        print(f"  payload {payload[k]:.0f} kg: error {error(run, goals, k):.4f} rad")
    print(f"  {run.timing}; {run.refused.sum()} plans refused")


def error(run, goals, k=...):
    """The largest of any joint after the first second."""
    q = run.q[100:, k] if k is not ... else run.q[100:]
    return abs(q - goals[100 : STEPS + 1]).max()


if __name__ == "__main__":
    main()
