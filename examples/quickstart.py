"""Joint torques of a million motions of a robot.

python examples/quickstart.py                 the built-in UR5
python examples/quickstart.py my_robot.urdf   your own
"""

import sys
import time

import numpy as np

import paraxis as px

STATES = 1_000_000


def main(source="ur5"):
    robot = px.load(source)
    print(robot, end="\n\n")

    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, STATES, robot.n))  # rad, rad/s, rad/s²
    tau = np.empty_like(q)
    px.inverse_dynamics(robot, q[0], qd[0], qdd[0])  # compiles, or finds what an earlier run made

    times = []
    for _ in range(5):
        start = time.perf_counter()
        px.inverse_dynamics(robot, q, qd, qdd, out=tau)
        times.append(time.perf_counter() - start)
    seconds = min(times)
    print(f"{STATES} states in {seconds * 1e3:.1f} ms: {seconds / STATES * 1e9:.1f} ns per state")

    slow = px.program(robot).evaluate(q=q[:5], qd=qd[:5], qdd=qdd[:5])
    error = abs(tau[:5] - slow).max() / max(1, abs(slow).max())
    print(f"the first five against the slow interpreter: relative error {error:.0e}\n")

    print("joint torques: typical (root mean square) and largest")
    for name, column in zip(robot.joint_names, tau.T, strict=True):
        print(f"  {name:32}{np.sqrt((column**2).mean()):10.3f}{abs(column).max():10.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
