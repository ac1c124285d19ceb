"""Inverse dynamics on the CPU: Paraxis beside Pinocchio and CasADi-generated C, in one run.

Prints ratios, because absolute times mean little on a shared machine, and writes everything
measured, with the machine's description, to a JSON file.

    python benchmarks/cpu.py [--quick] [--json benchmarks/results/cpu.json] [robot ...]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import peers
from rich.console import Console
from rich.table import Table

import paraxis as px

BATCH = 65_536
THREADS = (1, 2)
RESULTS = Path(__file__).parent / "results" / "cpu.json"


def measure_robot(name, batch, rounds):
    """ns a state for every peer and thread count, the peers taking turns in each round."""
    path = peers.robot_file(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        robot = px.load(path)
    pinocchio, casadi = peers.PinocchioPeer(path), peers.CasadiPeer(path)
    vectorised = peers.CasadiPeer(path, lanes=peers.LANES)
    # Paraxis in Pinocchio's joint order would need a permutation; give each its own order.
    ours = [robot.joint_names.index(joint) for joint in pinocchio.joint_names]
    rng = np.random.default_rng(7)
    theirs = rng.uniform(-2, 2, (3, batch, robot.n))
    mine = np.empty_like(theirs)
    mine[..., ours] = theirs
    prepared = pinocchio.prepare(*theirs)
    out, out_casadi = np.empty_like(mine[0]), np.empty_like(mine[0])

    kernels = {t: px.program(robot).compile(threads=t) for t in THREADS}
    columns = [np.asfortranarray(array) for array in mine]
    out_columns = np.empty_like(columns[0])
    singles = {t: px.program(robot).compile(threads=t, dtype="float32") for t in THREADS}
    halves = mine.astype(np.float32)
    out_halves = np.empty_like(halves[0])
    runs = {}
    for t in THREADS:
        runs["pinocchio", t] = lambda t=t: pinocchio.inverse_dynamics(*prepared, threads=t)
        runs["casadi_c", t] = lambda t=t: casadi.inverse_dynamics(
            *theirs, threads=t, out=out_casadi
        )
        runs["casadi_lanes", t] = lambda t=t: vectorised.inverse_dynamics(
            *theirs, threads=t, out=out_casadi
        )
        runs["paraxis", t] = lambda t=t: kernels[t](*mine, out=out)
        runs["paraxis_columns", t] = lambda t=t: kernels[t](*columns, out=out_columns)
        runs["paraxis_float32", t] = lambda t=t: singles[t](*halves, out=out_halves)

    reference = np.array(runs["pinocchio", 1]())
    runs["paraxis", 1]()
    error = peers.relative_error(out[:, ours], reference)
    best = dict.fromkeys(runs, np.inf)
    for _ in range(rounds):
        for key, run in runs.items():
            best[key] = min(best[key], peers.best_time(run, repeat=3, min_seconds=0.0))
    row = {"n": robot.n, "error": float(error), "flops": px.program(robot).count().flops}
    for (peer, t), seconds in best.items():
        row.setdefault(peer, {})[str(t)] = seconds / batch * 1e9
    return row


def measure_one_state(rounds):
    """ns a call for one state of the UR5 from Python."""
    path = peers.robot_file("ur5")
    robot, pinocchio = px.load(path), peers.PinocchioPeer(path)
    kernel = px.program(robot).compile()
    q, qd, qdd = (np.ascontiguousarray(a) for a in np.random.default_rng(7).uniform(-2, 2, (3, 6)))
    configuration, out = pinocchio.configuration(q), np.empty(6)
    runs = {
        "pin.rnea": lambda: pinocchio.one(configuration, qd, qdd),
        "kernel": lambda: kernel(q, qd, qdd),
        "kernel_out": lambda: kernel(q, qd, qdd, out=out),
        "px.inverse_dynamics": lambda: px.inverse_dynamics(robot, q, qd, qdd),
    }
    best = dict.fromkeys(runs, np.inf)
    for _ in range(rounds):
        for key, run in runs.items():
            best[key] = min(best[key], _per_call(run, 5000))
    return {key: seconds * 1e9 for key, seconds in best.items()}


def _per_call(run, calls):
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


FIRST_CALL = """
import time, sys, json, warnings
warnings.simplefilter("ignore")
start = time.perf_counter()
import paraxis as px
imported = time.perf_counter() - start
import numpy as np
robot = px.load(sys.argv[1])
x = np.zeros((3, robot.n))
start = time.perf_counter()
px.inverse_dynamics(robot, *x)
print(json.dumps([imported, time.perf_counter() - start]))
"""


def measure_start(names):
    """Import time, and the first call in a new process: compiled, and from the disk cache."""
    imports, cold, cached = [], {}, {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o700)
            environment = os.environ | {"PARAXIS_CACHE": folder}
            command = [sys.executable, "-c", FIRST_CALL, str(peers.robot_file(name))]
            for record in (cold, cached):
                printed = subprocess.run(
                    command, env=environment, capture_output=True, text=True, check=True
                ).stdout
                imported, record[name] = json.loads(printed)
                imports.append(imported)
    return {"import_s": min(imports), "first_call_cold_s": cold, "first_call_cached_s": cached}


def show(results, console):
    """The tables a person reads."""
    batch = results["batch"]
    table = Table(title=f"Inverse dynamics, batch {batch:,}, float64: ns a state (1 / 2 threads)")
    for heading in (
        "robot",
        "joints",
        "Pinocchio",
        "CasADi C",
        "CasADi C, 16 lanes",
        "Paraxis",
        "columns",
        "float32",
        "error",
    ):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for name, row in results["robots"].items():
        cells = [
            _pair(row[k])
            for k in (
                "pinocchio",
                "casadi_c",
                "casadi_lanes",
                "paraxis",
                "paraxis_columns",
                "paraxis_float32",
            )
        ]
        table.add_row(name, str(row["n"]), *cells, f"{row['error']:.0e}")
    console.print(table)
    table = Table(title="How many times faster Paraxis is (2 threads against 2 threads)")
    for heading in ("robot", "Pinocchio", "CasADi C", "CasADi C, 16 lanes"):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for name, row in results["robots"].items():
        ours = row["paraxis"]["2"]
        ratios = [row[k]["2"] / ours for k in ("pinocchio", "casadi_c", "casadi_lanes")]
        table.add_row(name, *(f"{ratio:.1f} x" for ratio in ratios))
    console.print(table)
    one = results["one_state"]
    for name in ("kernel", "kernel_out", "px.inverse_dynamics"):
        console.print(
            f"one state from Python, {name}: {one[name]:.0f} ns, "
            f"{one[name] / one['pin.rnea']:.2f} x pin.rnea ({one['pin.rnea']:.0f} ns)"
        )
    start = results["start"]
    console.print(f"import {start['import_s']:.2f} s; first call", end=" ")
    for name, cold in start["first_call_cold_s"].items():
        cached = start["first_call_cached_s"][name]
        console.print(f"{name} {cold:.2f} s cold, {cached:.3f} s from disk;", end=" ")
    console.print()


def _pair(times):
    return " / ".join(f"{times[str(t)]:.1f}" for t in THREADS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("robots", nargs="*", default=list(peers.ROBOTS))
    parser.add_argument("--quick", action="store_true", help="fewer rounds and a smaller batch")
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args()
    rounds, batch = (2, 8192) if options.quick else (12, BATCH)
    console = Console()
    results = {"machine": peers.machine(), "batch": batch, "dtype": "float64", "robots": {}}
    for name in options.robots:
        with console.status(f"measuring {name}"):
            results["robots"][name] = measure_robot(name, batch, rounds)
    results["one_state"] = measure_one_state(rounds)
    starters = [name for name in ("ur5", "g1_29dof") if name in options.robots]
    results["start"] = measure_start(starters or options.robots[:1])
    show(results, console)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
