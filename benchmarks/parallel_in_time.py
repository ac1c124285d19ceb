"""Passes through time knot by knot, and in rows of knots at once: operations, depth and times.

A robot is steered to rest by method "sqp". Depth is the number of flops one after another, for sums
in any order, where selections are free. Times are those of the passes alone, of so many problems in
one call, the best of several that take turns.

    python benchmarks/parallel_in_time.py [--robots planar3 ur5] [--horizons 64 ...] [--counts 1 2]
        [--threads 1 2] [--json benchmarks/results/parallel_in_time.json]
"""

import argparse
import math
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import peers
from rich.console import Console
from rich.table import Table
from setting import take_turns

import paraxis as px
from paraxis.optimal import state_spans, value_spans
from paraxis.optimal.parallel_time import SHORTEST, Cut
from paraxis.optimal.work import Kernels, Work
from paraxis.passes.balance import balance
from paraxis.passes.count import count
from paraxis.passes.depth import depth
from paraxis.targets.target import CPU

DT, ROUNDS = 0.01, 15
PASSES = ("backward", "forward")
WIDE = 1 << 16  # rows that a GPU computes in the time of one


def solver_of(name, horizon):
    robot = px.robots.planar(int(name[6:])) if name.startswith("planar") else px.load(name)

    def cost(q, qd, u):
        return 0.5 * (q @ q) + 0.05 * (qd @ qd) + 5e-4 * (u @ u)

    def terminal(q, qd):
        return 5e3 * (q @ q + 0.1 * (qd @ qd))

    return px.optimal_control(
        robot, cost, horizon, dt=DT, terminal=terminal, method="sqp", limits=False,
        parallel_in_time=True,
    )  # fmt: skip


# -- operations ------------------------------------------------------------------------------------


def bodies(problem):
    """name -> the graph of what is done at a knot, or where spans meet."""
    found = {"backward": problem.backward[0], "forward": problem.forward[0]}
    found |= {"grow values": value_spans.grown(problem)[0]}
    found |= {"grow states": state_spans.grown(problem)[0]}
    graphs = {name: body.graph for name, body in found.items()}
    n = problem.system.ndx
    values, states = value_spans.value_spans(n, CPU), state_spans.state_spans(n, CPU)
    graphs["glue values"] = glued(values, value_spans.glue)
    graphs["glue states"] = glued(states, state_spans.glue)
    kept = {f"{part}_right": shape for part, shape in values.shapes.items()}
    far = {f"{part}_far": values.shapes[part] for part in ("V", "v")}
    graphs["meet values"] = px.trace(value_spans.middle, **kept, **far).graph
    kept = {f"{part}_left": shape for part, shape in states.shapes.items()}
    graphs["meet states"] = px.trace(state_spans.middle, **kept, dx_near=n).graph
    return graphs


def glued(operator, glue):
    sides = ("left", "right")
    shapes = {f"{side}_{k}": shape for side in sides for k, shape in operator.shapes.items()}

    def run(**arrays):
        spans = [{k: arrays[f"{side}_{k}"] for k in operator.shapes} for side in sides]
        return glue(*spans)[0]

    return px.trace(run, **shapes).graph


def operations(problem):
    """name -> [flops, flops one after another]."""
    return {
        name: [count(graph).flops, depth(balance(graph)).flops]
        for name, graph in bodies(problem).items()
    }


def along(found, horizon):
    """Of the passes along a horizon, knot by knot and in rows as a GPU has them: the flops of the
    thread that does most, and those one after another with processors unlimited."""
    cut, result = Cut(horizon, WIDE), {}
    levels = math.ceil(math.log2(cut.rows)) if cut.rows > 1 else 0
    for name, spans in zip(PASSES, ("values", "states"), strict=True):
        for k, what in enumerate(("flops", "depth")):
            knot, grow, glue, meet = (
                found[key][k] for key in (name, f"grow {spans}", f"glue {spans}", f"meet {spans}")
            )
            serial = horizon * knot
            rows = cut.rest * knot + cut.steps * (grow + knot) + levels * (glue + meet)
            result[f"{name}, {what}"] = [serial, rows if cut.rows > 1 else serial]
    return result


# -- times -----------------------------------------------------------------------------------------


def work_of(solver, count, threads, in_rows):
    """A Work around a trajectory, ready for either pass, by the kernels asked for."""
    problem, kernels = solver.problem, None
    if not in_rows:
        options = {"threads": threads}
        kernels = Kernels(
            CPU.map(problem.linearise, **options),
            CPU.map(problem.at_end, **options),
            CPU.iterate(*problem.backward, states=count, **options),
            CPU.iterate(*problem.forward, states=count, **options),
        )
    work = Work(problem, solver.horizon, count, CPU, "float64", threads, kernels=kernels)
    work.connect({})
    robot, side = problem.system.robot, work.here
    rng = np.random.default_rng(0)
    side.x[:, :, : robot.nq] = rng.uniform(-0.5, 0.5, (count, robot.nq))
    work.step[...] = 1.0
    side.judge()
    side.go()
    return work


def timed(solver, count, threads):
    """{"backward", "forward"}: [seconds knot by knot, in rows]; and the largest error."""
    serial, rows = (work_of(solver, count, threads, in_rows) for in_rows in (False, True))
    pairs = [(serial.here.law[k], rows.here.law[k]) for k in ("k", "K")]
    pairs.append((serial.there.x, rows.there.x))
    error = max(peers.relative_error(found, exact) for exact, found in pairs)
    runs = {}
    for kind, work in (("serial", serial), ("rows", rows)):
        side = work.here
        runs[f"{kind} backward"] = partial(side._backward.run, solver.horizon, 1)
        runs[f"{kind} forward"] = partial(side._forward.run, solver.horizon, 1)
    best = take_turns(runs, ROUNDS, 3)
    times = {name: [best[f"serial {name}"], best[f"rows {name}"]] for name in PASSES}
    return times | {"error": error}


def measure(name, horizons, counts, threads):
    rows = []
    found = operations(solver_of(name, 2 * SHORTEST).problem)
    for horizon in horizons:
        solver = solver_of(name, horizon)
        for problems in counts:
            for k in threads:
                row = {"horizon": horizon, "problems": problems, "threads": k}
                rows.append(row | timed(solver, problems, k))
    passes = {horizon: along(found, horizon) for horizon in horizons}
    return {"operations": found, "along": passes, "times": rows}


# -- the page --------------------------------------------------------------------------------------


def show(name, measured, console):
    table = Table(title=f"{name}: flops", title_justify="left")
    for heading in ("body", "flops", "one after another"):
        table.add_column(heading, justify="left" if heading == "body" else "right")
    for body, (flops, path) in measured["operations"].items():
        table.add_row(body, f"{flops:,}", f"{path:,}")
    console.print(table)
    headings = ("pass", "horizon", "knot by knot", "in rows", "ratio")
    table = Table(title=f"{name}: along a horizon", title_justify="left")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "pass" else "right")
    for horizon, passes in measured["along"].items():
        for label, (serial, rows) in passes.items():
            cells = label, f"{horizon:,}", f"{serial:,}", f"{rows:,}", f"{serial / rows:.1f}"
            table.add_row(*cells)
    console.print(table)
    columns = ["horizon", "problems", "threads"]
    columns += [heading for kind in PASSES for heading in (kind, "in rows", "ratio")]
    table = Table(title=f"{name}: milliseconds", title_justify="left")
    for heading in (*columns, "error"):
        table.add_column(heading, justify="right")
    for row in measured["times"]:
        cells = [f"{row['horizon']:,}", str(row["problems"]), str(row["threads"])]
        for kind in PASSES:
            serial, rows = (1e3 * seconds for seconds in row[kind])
            cells += [f"{serial:.3f}", f"{rows:.3f}", f"{serial / rows:.2f}"]
        table.add_row(*cells, f"{row['error']:.0e}")
    console.print(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", nargs="+", default=["planar3", "ur5"])
    parser.add_argument("--horizons", nargs="+", type=int, default=[64, 256, 1024])
    parser.add_argument("--counts", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore", px.RobotWarning)
    console, found = Console(width=130), {}
    for name in given.robots:
        found[name] = measure(name, given.horizons, given.counts, given.threads)
        show(name, found[name], console)
    peers.keep({"robots": found}, given.json)


if __name__ == "__main__":
    main()
