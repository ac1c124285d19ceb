"""Robots with free bases beside Pinocchio, and beside themselves bolted down, in one run.

python benchmarks/floating_base.py [--quick] [--json FILE] [robot ...]
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
import peers
import pinocchio as pin
from peers.robots import robot_root
from rich.console import Console
from rich.table import Table
from setting import take_turns

import paraxis as px

FILES = {
    "g1_29dof": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
    "anymal_c": "anymal_c_simple_description/urdf/anymal.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "go2": "go2_description/urdf/go2.urdf",
}
THREADS = 2
PARALLEL = {"inverse_dynamics": pin.rneaInParallel, "forward_dynamics": pin.abaInParallel}


def measure(name, batch, rounds):
    """ns per state of both functions, free and bolted down, on two threads."""
    path = robot_root() / FILES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        fixed = px.load(path, couplings="independent")
        free = fixed.with_floating_base("root_joint")  # as Pinocchio calls it
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    convention = px.robots.pinocchio_convention(free, model)
    rng = np.random.default_rng(7)
    q = px.integrate(free, px.neutral(free), rng.uniform(-2, 2, (batch, free.nv)))
    qd, last = rng.uniform(-2, 2, (2, batch, free.nv))
    row = {"nv": free.nv, "flops": {}, "error": {}, "ns": {}, "first_call_s": {}}
    theirs = [
        np.ascontiguousarray(convention.to_position(q)).T,
        *(np.ascontiguousarray(convention.to_velocity(q, x)).T for x in (qd, last)),
    ]
    pool, result, runs = pin.ModelPool(model, THREADS), np.empty((model.nv, batch), order="F"), {}
    mine, out = (q, qd, last), np.empty_like(qd)
    bolted = [np.ascontiguousarray(x) for x in (q[:, 7:], qd[:, 6:], last[:, 6:])]
    out_fixed = np.empty_like(bolted[1])
    for function, parallel in PARALLEL.items():
        kernels = {}
        for kind, robot in (("free", free), ("fixed", fixed)):
            began = time.perf_counter()
            program = px.program(robot, function)
            kernels[kind] = program.compile(threads=THREADS)
            row["first_call_s"][f"{function}, {kind}"] = time.perf_counter() - began
            row["flops"][f"{function}, {kind}"] = program.count().flops
        runs[function, "Pinocchio"] = lambda p=parallel: p(THREADS, pool, *theirs, result)
        runs[function, "free"] = lambda k=kernels["free"]: k(*mine, out=out)
        runs[function, "fixed"] = lambda k=kernels["fixed"]: k(*bolted, out=out_fixed)
        runs[function, "Pinocchio"]()
        runs[function, "free"]()
        reference = convention.from_velocity(convention.to_position(q), result.T)
        row["error"][function] = float(peers.relative_error(out, reference))
    for (function, peer), seconds in take_turns(runs, rounds, repeat=3).items():
        row["ns"][f"{function}, {peer}"] = seconds / batch * 1e9
    return row


def show(results, console):
    table = Table(title=f"Free bases, batch {results['batch']:,}, 2 threads: ns per state")
    heads = ("robot", "function", "Pinocchio", "Paraxis", "times", "bolted down", "ratio", "error")
    for head in heads:
        table.add_column(head, justify="left" if head in heads[:2] else "right")
    for name, row in results["robots"].items():
        for function in PARALLEL:
            ours, theirs, bolted = (
                row["ns"][f"{function}, {peer}"] for peer in ("free", "Pinocchio", "fixed")
            )
            cells = (f"{theirs:,.0f}", f"{ours:.1f}", f"{theirs / ours:.1f} x", f"{bolted:.1f}")
            error = f"{row['error'][function]:.0e}"
            table.add_row(name, function, *cells, f"{ours / bolted:.2f}", error)
    console.print(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("robots", nargs="*", default=list(FILES))
    parser.add_argument("--quick", action="store_true", help="fewer rounds and a smaller batch")
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    rounds, batch = (2, 4096) if options.quick else (8, 32_768)
    results = {"machine": peers.machine(), "batch": batch, "robots": {}}
    for name in options.robots:
        results["robots"][name] = measure(name, batch, rounds)
    show(results, Console())
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
