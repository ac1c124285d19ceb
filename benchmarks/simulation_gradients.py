"""What the gradient of a simulation costs, beside the simulation itself, in one run.

Rows: arms in free motion, with all states recorded, or only the last one, and then with all states
or checkpoints kept; legged robots that stand on flat ground, by both laws. `forward` records and
keeps what the gradient needs. A small case is compared with JAX's own derivative of a scan.

    python benchmarks/simulation_gradients.py [--quick]
        [--json benchmarks/results/simulation_gradients.json]
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import peers
from rich.console import Console
from rich.table import Table

import paraxis as px
from paraxis.simulation import ContactPoint, Ground

RESULTS = Path(__file__).parent / "results" / "simulation_gradients.json"
ROUNDS = 5


def arm(robots, steps):
    robot, rng = px.load("ur5"), np.random.default_rng(0)
    q0, qd0 = rng.uniform(-1, 1, (2, robots, 6))
    tau = rng.uniform(-5, 5, (steps, robots, 6))
    return robot, {"q0": q0, "qd0": qd0, "tau": tau, "dt": 1e-3, "steps": steps}


def legged(name, robots, steps, law):
    robot, rng = px.load(name, floating_base=True), np.random.default_rng(0)
    q0 = np.tile(px.neutral(robot), (robots, 1))
    if name == "go2":
        feet = [frame for frame in robot.frame_names if frame.endswith("foot")]
        points = [ContactPoint(frame, radius=0.022) for frame in feet]
        q0[:, 2], q0[:, 7:] = 0.30, np.tile([0, 0.8, -1.5], 4)
    else:
        corners = [(x, y, -0.03) for x in (-0.05, 0.12) for y in (-0.025, 0.025)]
        feet = [frame for frame in robot.frame_names if frame.endswith("ankle_roll_link")]
        points = [ContactPoint(frame, corner, 0.005) for frame in feet for corner in corners]
        q0[:, 2] = 0.785
    stance = q0[0, 7:].copy()
    q0[:, 7:] += rng.uniform(-0.02, 0.02, (robots, robot.nq - 7))

    def hold(t, q, qd, kp, kd):
        free = len(qd) - len(stance)
        return [0.0] * free + list(kp * (stance - q[7:]) - kd * qd[free:])

    given = {"q0": q0, "qd0": np.zeros(robot.nv), "controller": hold, "kp": 80.0, "kd": 2.0}
    return robot, given | {"dt": 2e-3, "steps": steps, "ground": Ground(points, law=law)}


def measured(robot, given, every=1, checkpoint=None):
    """Median seconds of the simulation, of the run that is differentiable, and of its gradient."""
    times = []
    for _ in range(ROUNDS + 1):
        start = time.perf_counter()
        px.simulate(robot, **given, every=every)
        simulated = time.perf_counter()
        run = px.simulation.differentiable(robot, **given, every=every, checkpoint=checkpoint)
        kept = time.perf_counter()
        bar = np.zeros_like(run.q)
        bar[-1] = 1.0
        begin = time.perf_counter()
        run.gradient(bar)
        times.append((simulated - start, kept - simulated, time.perf_counter() - begin))
        del run
    return np.median(times[1:], axis=0)  # the first round compiles


def jax_scan(robots, steps):
    """Seconds of a gradient by JAX over those of ours, inside JAX, of the same run."""
    import jax
    import jax.numpy as jnp

    import paraxis.jax as pj

    jax.config.update("jax_enable_x64", True)
    robot, given = arm(robots, steps)
    q0, qd0, tau, dt = (given[name] for name in ("q0", "qd0", "tau", "dt"))

    def scanned(tau):
        def step(state, torques):
            q, qd = state
            qd = qd + dt * pj.forward_dynamics(robot, q, qd, torques)
            return (q + dt * qd, qd), None

        return jnp.sum(jax.lax.scan(step, (q0, qd0), tau)[0][0])

    def ours(tau):
        options = {"method": "semi_implicit_euler", "limits": False, "every": steps}
        return jnp.sum(pj.simulate(robot, q0, qd0, tau, dt=dt, steps=steps, **options)[0][-1])

    calls = [jax.jit(jax.grad(each)) for each in (scanned, ours)]
    theirs, mine = (call(tau) for call in calls)
    times = [[], []]
    for _ in range(ROUNDS):
        for own, call in zip(times, calls, strict=True):
            start = time.perf_counter()
            call(tau).block_until_ready()
            own.append(time.perf_counter() - start)
    return np.median(times[0]) / np.median(times[1]), float(abs(theirs - mine).max())


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer robots and steps")
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args()
    quick = options.quick
    warnings.simplefilter("ignore", px.SimulationWarning)
    robots, steps = (256, 100) if quick else (4096, 1000)
    standing = (128, 50) if quick else (1024, 100)
    apart = max(2, int(steps**0.5))
    arms = arm(robots, steps)
    rows = [
        (f"UR5, {robots} x {steps}, all recorded", arms, {}),
        ("the last recorded, all kept", arms, {"every": steps, "checkpoint": 1}),
        (f"the last recorded, checkpoint={apart}", arms, {"every": steps, "checkpoint": apart}),
    ]
    for name in ("go2", "g1"):
        for law in ("hard", "soft"):
            rows.append((f"{name}, {law} ground", legged(name, *standing, law), {}))
    table = Table("", "simulate, M steps/s", "forward", "gradient", "both")
    results = {"machine": peers.machine(), "rows": []}
    for title, (robot, given), how in rows:
        plain, forward, backward = measured(robot, given, **how)
        seconds = {"simulate": plain, "forward": forward, "gradient": backward}
        results["rows"].append({"title": title, "robots": given["q0"].shape[0]} | seconds)
        rate = given["q0"].shape[0] * given["steps"] / plain / 1e6
        each = forward / plain, backward / plain, (forward + backward) / plain
        table.add_row(title, f"{rate:.2f}", *(f"{x:.1f} x" for x in each))
    console = Console()
    console.print(table)
    ratio, apart = jax_scan(256, 100)
    console.print(
        f"JAX's own gradient of 100 steps of 256 UR5 in a scan takes {ratio:.1f} x as long as ours "
        f"(largest difference {apart:.0e})"
    )
    results["jax_scan"] = {"ratio": ratio, "error": apart}
    peers.keep(results, options.json)


if __name__ == "__main__":
    main()
