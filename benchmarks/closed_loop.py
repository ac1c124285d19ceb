"""Robots under sampled control, beside MuJoCo and Pinocchio: computed torque on a 3-link arm.

Runs of 4 s at 1 kHz, one step of fourth-order Runge-Kutta per period, from starts near the motion
to follow. The peers have no such loop of their own. MuJoCo's is `mj_inverse` and `mj_step` in a
Python loop on one thread, run by run; Pinocchio's is `rnea` and `aba` likewise, or `rneaInParallel`
and `abaInParallel` with NumPy in between, all runs at once on as many threads as Paraxis has. Peers
do fewer steps of fewer runs, and their times are scaled. The states after these steps are compared
before anything is timed.

    python benchmarks/closed_loop.py [--quick] [--json benchmarks/results/closed_loop.json]
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
import peers
from peers.control_loops import MujocoLoop, PinocchioLoop
from peers.pinocchio_chain import PinocchioChain
from rich.console import Console
from rich.table import Table
from setting import take_turns

import paraxis as px
from paraxis.chains.links import links

RESULTS = Path(__file__).parent / "results" / "closed_loop.json"
LINKS, PERIOD, DURATION = 3, 1e-3, 4.0
KP, KD = 100.0, 20.0
TOLERANCE = 1e-8
POLICIES = ("exact", "hamilton")
# runs of Paraxis; steps of the peers; runs of loops in Python; runs of batches
FULL, QUICK = (10_000, 400, 4, 10_000), (64, 20, 2, 64)


def swing(t):
    """Every joint, half a radian to either side."""
    s, c = px.math.sin(2.0 * t), px.math.cos(2.0 * t)
    return [0.5 * s] * LINKS, [1.0 * c] * LINKS, [-2.0 * s] * LINKS


def measure(runs, peer_steps, few, many, rounds):
    """Runs per second by everybody, as if all were of the whole duration."""
    robot = px.robots.planar(LINKS)
    threads = len(os.sched_getaffinity(0))
    q = 0.01 * np.random.default_rng(7).normal(size=(max(runs, many), LINKS))
    qd = np.tile(np.array(swing(0.0)[1]), (len(q), 1))
    wanted = [np.array(swing(PERIOD * k)) for k in range(peer_steps)]

    def paraxis(policy, duration=DURATION, **options):
        controller = px.control.computed_torque(robot, KP, KD, policy)
        options |= {"q0": q[:runs], "qd0": qd[:runs], "duration": duration}
        return lambda: px.control.closed_loop(robot, controller, swing, PERIOD, **options)

    mujoco = MujocoLoop(LINKS, PERIOD)
    pinocchio = PinocchioLoop(PinocchioChain(links(robot)).model, PERIOD, threads)
    theirs = {
        "mujoco": lambda: mujoco.run(KP, KD, wanted, q[:few], qd[:few]),
        "pinocchio": lambda: pinocchio.run(KP, KD, wanted, q[:few], qd[:few]),
        "pinocchio_batch": lambda: pinocchio.run_batch(KP, KD, wanted, q[:many], qd[:many]),
    }
    after = paraxis("exact", PERIOD * peer_steps, record=("q", "qd"), every=peer_steps)()
    error = {name: checked(name, run(), after) for name, run in theirs.items()}
    first = {}
    for policy in POLICIES:
        begin = time.perf_counter()
        paraxis(policy, 10 * PERIOD)()
        first[policy] = time.perf_counter() - begin
    best = take_turns({policy: paraxis(policy) for policy in POLICIES}, rounds, repeat=1)
    steps = round(DURATION / PERIOD)
    row = {"links": LINKS, "runs": runs, "steps": steps, "threads": threads, "error": error}
    row |= {"peer_steps": peer_steps, "first_call_s": first}
    row["paraxis"] = {policy: runs / seconds for policy, seconds in best.items()}
    best = take_turns(theirs, rounds, repeat=1)
    count = {"mujoco": few, "pinocchio": few, "pinocchio_batch": many}
    return row | {name: count[name] * peer_steps / steps / best[name] for name in theirs}


def checked(peer, theirs, run):
    """The error of a peer's last states, or an end to the benchmark."""
    count = len(theirs[0])
    mine = np.concatenate([run.q[-1, :count], run.qd[-1, :count]], axis=-1)
    error = peers.relative_error(mine, np.concatenate(theirs, axis=-1))
    if not error <= TOLERANCE:
        raise ArithmeticError(f"expected the motion of {peer}, found an error of {error}")
    return error


def show(row, console):
    title = f"{row['links']}-link arm, {row['steps']:,} control steps per run: runs per second"
    table = Table(title=title)
    for head in ("loop", "threads", "runs/s", "ms per run", "ratio"):
        table.add_column(head, justify="left" if head == "loop" else "right")
    ours = row["paraxis"]["exact"]
    rows = [(f"Paraxis, {row['runs']:,} runs, {k}", v) for k, v in row["paraxis"].items()]
    rows += [("Pinocchio, a batch", row["pinocchio_batch"])]
    rows += [("Pinocchio, Python", row["pinocchio"]), ("MuJoCo, Python", row["mujoco"])]
    for name, speed in rows:
        threads = 1 if "Python" in name else row["threads"]
        cells = f"{threads}", f"{speed:,.1f}", f"{1e3 / speed:,.3f}", f"{ours / speed:,.1f}"
        table.add_row(name, *cells)
    console.print(table)
    seconds = row["runs"] / ours
    console.print(f"{row['runs']:,} runs with exact values: {seconds:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few runs, few steps")
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args()
    console = Console(width=120)
    sizes, rounds = (QUICK, 1) if options.quick else (FULL, 5)
    with console.status("closed loops"):
        row = measure(*sizes, rounds)
    show(row, console)
    peers.keep({"machine": peers.machine(), "period": PERIOD, "row": row}, options.json)


if __name__ == "__main__":
    main()
