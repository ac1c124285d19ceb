"""Model-predictive control: a UR5 follows a figure of eight with a load that it does not know."""

import sys

import numpy as np

import paraxis as px

robot, HORIZON, DT, STEPS = px.load("ur5"), 30, 0.01, 630


def follow(q, qd, u, goal):
    return 50 * ((q - goal) @ (q - goal)) + 0.05 * (qd @ qd) + 1e-6 * (u @ u)


def arrive(q, qd, goal):
    return 200 * ((q - goal) @ (q - goal)) + qd @ qd


solver = px.optimal_control(
    robot, follow, HORIZON, dt=DT, terminal=arrive, parameters={"goal": 6}, per_step="goal"
)
ticks = np.arange(STEPS + HORIZON + 1)
way = np.tile([0.0, -1.2, 1.5, -1.8, -1.5, 0.0], (len(ticks), 1))
way[:, 0] += 0.6 * np.sin(2 * DT * ticks)
way[:, 1] += 0.25 * np.sin(4 * DT * ticks)
x = np.concatenate([way[0], np.zeros(6)])
mpc = solver.mpc(x, goal=way[: HORIZON + 1])
loaded, q = robot.with_payload(2.0, (0, 0, 0.05)), [way[0]]
for tick in range(STEPS):
    u = mpc.tick(x, goal=way[tick + 1 : tick + HORIZON + 2])
    run = px.simulate(loaded, x[:6], x[6:], u, dt=DT / 5, steps=5)
    x = np.concatenate([run.q[-1], run.qd[-1]])
    q.append(x[:6])
px.show(robot, np.array(q), DT * np.arange(STEPS + 1), title="MPC of a UR5", open=False).to_html(
    sys.argv[1] if len(sys.argv) > 1 else "follow.html"
)
print(f"worst joint error {abs(np.array(q) - way[: STEPS + 1]).max():.3f} rad; {mpc.timing}")
