"""What a tick of model-predictive control costs: a UR5 with a horizon of 30 steps, on one core.

The arm follows a moving goal in a closed loop. Every tick is timed in CPU time of the process, in
which other work on the machine counts less, and in wall time. Before anything is timed, the
controls of the loop are compared with those of a solver that converges at every state.

    python benchmarks/mpc.py [--quick] [--json benchmarks/results/mpc.json]
"""

import argparse
import gc
import time
from pathlib import Path

import numpy as np
import peers
from rich.console import Console
from rich.table import Table

import paraxis as px

RESULTS = Path(__file__).parent / "results" / "mpc.json"
HORIZON, DT = 30, 0.01
START = np.array([0.0, -1.2, 1.5, -1.8, -1.5, 0.0])
CLOSE = 1e-2  # of the largest torque: how far one iteration per tick may be from the optimum


def reach(q, qd, u, goal):
    return 5 * ((q - goal) @ (q - goal)) + 0.05 * (qd @ qd) + 1e-6 * (u @ u)


def reached(q, qd, goal):
    return 100 * ((q - goal) @ (q - goal)) + 1.0 * (qd @ qd)


def goals(ticks):
    return START + 0.3 * np.sin(2 * DT * np.arange(ticks)[:, None]) * np.ones(6)


def solver(limits):
    return px.optimal_control(
        px.load("ur5"),
        reach,
        HORIZON,
        dt=DT,
        terminal=reached,
        limits=limits,
        parameters={"goal": 6},
        threads=1,
    )


def distance(limits, ticks=60):
    """How far the controls of a loop are from the best ones, relative to the largest."""
    of, goal = solver(limits), goals(ticks)
    run = of.mpc(np.r_[START, np.zeros(6)], goal=goal[0]).run(steps=ticks, goal=goal)
    known = np.concatenate([goal[:1], goal[:-1]])  # a goal acts from the next tick on
    best = of.solve(run.xs[:-1], goal=known, iterations=300)
    if not best.solved.all():
        raise SystemExit("the solver does not converge; nothing is timed")
    return float(abs(run.us - best.us[:, 0]).max() / abs(best.us).max())


def measure(limits, ticks):
    """Seconds of ticks by both clocks."""
    off = distance(limits)
    if not off < CLOSE:
        raise SystemExit(f"controls are {off:.1e} from the best ones; nothing is timed")
    mpc, goal = solver(limits).mpc(np.r_[START, np.zeros(6)], goal=START), goals(ticks)
    plant = px.Simulator(px.load("ur5"), dt=DT, method="semi_implicit_euler", limits=False)
    plant.reset(START)
    mpc.tick(np.r_[START, np.zeros(6)])
    gc.freeze()  # what was traced and compiled is no garbage, and takes long to look through
    x, taken = np.r_[START, np.zeros(6)], np.empty(ticks)
    for k in range(ticks):
        begin = time.process_time_ns()
        u = mpc.tick(x, goal=goal[k])
        taken[k] = time.process_time_ns() - begin
        plant.step(u)
        x[:6], x[6:] = plant.state.q, plant.state.qd
    taken *= 1e-9
    timing = mpc.timing
    return {
        "distance": off,
        "process": {
            "median": float(np.median(taken)),
            "tenth": float(np.quantile(taken, 0.1)),
            "worst": float(taken.max()),
        },
        "wall": {"mean": timing.mean, "worst": timing.worst, "control": timing.control_mean},
        "refused": int(mpc.refused),
    }


def show(found, console):
    table = Table("limits", "fastest tenth", "median", "worst", "mean, wall", "worst, wall")
    for name, row in found.items():
        if name == "machine":
            continue
        times = *(row["process"][k] for k in ("tenth", "median", "worst")), *row["wall"].values()
        table.add_row(name, *(f"{1e6 * each:.0f} us" for each in times[:5]))
    console.print(table)
    console.print(f"UR5, horizon {HORIZON}, one iteration per tick, one core")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    ticks = 300 if options.quick else 5000
    found = {
        "machine": peers.machine(),
        "none": measure(False, ticks),
        "torques of the motors": measure(True, ticks),
    }
    show(found, Console())
    peers.keep(found, options.json)


if __name__ == "__main__":
    main()
