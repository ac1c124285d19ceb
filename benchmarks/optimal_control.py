"""Optimal control of an arm, beside Crocoddyl and IPOPT: a Panda, 64 steps of 10 ms.

Every problem has a start and a goal of its own, and begins with the torques that hold the arm. All
solve the same discretisation: before anything is timed, the costs after the timed iterations are
compared, and the costs of optima. An iteration is everything from one trajectory of a search to the
next: derivatives, the Riccati recursion, the forward pass and the decision about it. Crocoddyl has
no batch call; its problems are timed one by one, and the best time of each counts. "Ideal" is that
time divided by the number of cores, as if they were shared without loss.

Crocoddyl 3.2.1 is built for Pinocchio 4.0. Beside 4.1, which pip installs, its robots are without
gravity, and this benchmark refuses to time them; `make bench-optimal` makes an environment for it.

    python benchmarks/optimal_control.py [--quick] [--json benchmarks/results/optimal_control.json]
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
import peers
import pinocchio as pin
from peers.crocoddyl_search import CrocoddylSearch
from peers.ipopt_search import IpoptSearch
from rich.console import Console
from rich.table import Table

import paraxis as px
from paraxis.optimal.search import Search
from paraxis.optimal.work import Work
from paraxis.targets.target import CPU

HORIZON, DT = 64, 0.01
WEIGHTS, AT_END = (10.0, 0.1, 2e-3), (2e3, 2e2)
HOME = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
FINGERS = {"panda_finger_joint1": 0.0, "panda_finger_joint2": 0.0}
ITERATIONS = 3  # that are timed; all take full steps
SAME = {"float64": 1e-6, "float32": 1e-3}  # relative errors of costs
BATCHES = (1, 16, 128, 1024)


def arms():
    """The arm with its fingers shut and without friction, which Crocoddyl leaves out."""
    path = peers.robot_file("panda")
    model = pin.buildModelFromUrdf(str(path))
    fingers = [model.getJointId(name) for name in FINGERS]
    model = pin.buildReducedModel(model, fingers, pin.neutral(model))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        robot = px.load(path, couplings="independent").locked(FINGERS).without_friction()
    return robot, model


def problems(robot, count):
    rng = np.random.default_rng(0)
    q = HOME + rng.uniform(-0.3, 0.3, (count, 7))
    x0 = np.concatenate([q, np.zeros((count, 7))], -1)
    holding = px.gravity_torques(robot, q)
    return x0, q + rng.uniform(-0.2, 0.2, (count, 7)), holding


def ours(robot, dtype, threads):
    by_error, by_rate, by_torque = (0.5 * DT * each for each in WEIGHTS)
    end_error, end_rate = (0.5 * each for each in AT_END)

    def cost(q, qd, u, goal):
        return by_error * (q - goal) @ (q - goal) + by_rate * qd @ qd + by_torque * u @ u

    def terminal(q, qd, goal):
        return end_error * (q - goal) @ (q - goal) + end_rate * qd @ qd

    return px.optimal_control(
        robot, cost, HORIZON, dt=DT, terminal=terminal, limits=False, parameters={"goal": 7},
        dtype=dtype, threads=threads,
    )  # fmt: skip


def rounds_of(solver, x0, goals, repeats):
    """Seconds of an iteration of a search of them all, the best of several; and the costs after the
    last one."""
    work = Work(solver.problem, HORIZON, len(x0), CPU, solver.dtype, solver.threads)
    _, arrays = solver.arrays(CPU, {"x0": x0, "goal": goals})
    best = np.inf
    for _ in range(repeats):
        solver.begin(work, arrays)
        for law in work.here.law.values():
            law[...] = 0.0
        search = Search(work, 1e-9, 1e-6)
        search.begin()
        search.state("within")[...] = 0.0  # none is done before it is timed
        search.round()  # makes the first trajectory, as the peers do before they begin
        begin = time.perf_counter()
        for _ in range(ITERATIONS):
            search.round()
        best = min(best, time.perf_counter() - begin)
    if not (search.iterations == ITERATIONS).all():
        raise SystemExit("not every step was a full one; nothing is timed")
    return best / ITERATIONS, search.cost.copy()


def compare(name, costs, reference, dtype="float64"):
    error = float((abs(costs - reference) / reference).max())
    if not error <= SAME[dtype]:
        raise SystemExit(f"{name}: costs differ by {error:.1e}; nothing is timed")
    return error


def of_crocoddyl(model, x0, goals, us, threads, repeats, iterations):
    """(seconds of all problems, costs, iterations)."""
    peer = CrocoddylSearch(model, HORIZON, DT, WEIGHTS, AT_END, threads)
    searches = [peer.search(x, goal) for x, goal in zip(x0, goals, strict=True)]
    best, costs, steps = np.full(len(x0), np.inf), np.empty(len(x0)), np.empty(len(x0), int)
    for _ in range(repeats):
        for k, search in enumerate(searches):
            taken, costs[k], steps[k] = peer.run(search, np.tile(us[k], (HORIZON, 1)), iterations)
            best[k] = min(best[k], taken)
    return best.sum(), costs, steps


def measure_iterations(robot, model, batches, repeats, cores):
    """An iteration, by batch."""
    rows = []
    for count in batches:
        x0, goals, holding = problems(robot, count)
        few = min(count, 128)  # a loop needs no more
        at_once = max(2, repeats // (4 if few > 1 else 1))
        taken, reference, _ = of_crocoddyl(
            model, x0[:few], goals[:few], holding, 1, at_once, ITERATIONS
        )
        row = {"batch": count, "crocoddyl": taken * count / few / ITERATIONS}
        if count == 1:  # its threads share the knots of one problem
            taken, costs, _ = of_crocoddyl(model, x0, goals, holding, cores, at_once, ITERATIONS)
            compare("Crocoddyl's threads", costs, reference)
            row["crocoddyl_threads"] = taken / ITERATIONS
        for dtype in ("float64", "float32"):
            for threads in (1, cores):
                solver = ours(robot, dtype, threads)
                taken, costs = rounds_of(solver, x0, goals, repeats)
                error = compare(f"batch {count}", costs[:few], reference, dtype)
                row |= {f"{dtype}, {threads}": taken, f"{dtype} error": error}
        rows.append(row)
    return rows


def measure_solutions(robot, model, count, sample, repeats):
    """Whole solutions of a batch, by public calls; IPOPT solves a sample of it."""
    x0, goals, holding = problems(robot, count)
    us = np.repeat(holding[:, None], HORIZON, 1)
    solver, best = ours(robot, "float64", None), np.inf
    found = solver.solve(x0, us, goal=goals)
    for _ in range(repeats):
        begin = time.perf_counter()
        found = solver.solve(x0, us, goal=goals)
        best = min(best, time.perf_counter() - begin)
    if not found.solved.all():
        raise SystemExit(f"{found}; nothing is timed")
    taken, costs, steps = of_crocoddyl(model, x0, goals, holding, 1, 2, 100)
    peer = IpoptSearch(model, HORIZON, DT, WEIGHTS, AT_END)
    theirs = [peer.run(x0[k], goals[k], us[k]) for k in range(sample)]
    return {
        "batch": count,
        "paraxis": best,
        "iterations": float(found.iterations.mean()),
        "crocoddyl": taken,
        "crocoddyl iterations": float(steps.mean()),
        "crocoddyl error": compare("optima of Crocoddyl", costs, found.cost),
        "ipopt, per problem": float(np.mean([each[0] for each in theirs])),
        "ipopt iterations": float(np.mean([each[2] for each in theirs])),
        "ipopt error": compare(
            "optima of IPOPT", np.array([each[1] for each in theirs]), found.cost[:sample]
        ),
    }


def show(found, console):
    cores = found["cores"]
    headings = ["batch", *(f"{t}, {n}" for t in ("float64", "float32") for n in (1, cores))]
    table = Table(*headings, "Crocoddyl", "ideal", "ratio", "ratio, ideal", "error")
    for row in found["iteration"]:
        cells = [f"{row['batch']:,}", *(f"{1e3 * row[name]:.2f}" for name in headings[1:])]
        mine, theirs = min(row["float64, 1"], row[f"float64, {cores}"]), row["crocoddyl"]
        ideal = min(theirs, row.get("crocoddyl_threads", np.inf))
        ideal = ideal if row["batch"] == 1 else theirs / cores
        cells += [f"{1e3 * theirs:.2f}", f"{1e3 * ideal:.2f}"]
        cells += [f"{theirs / mine:.1f}", f"{ideal / mine:.1f}", f"{row['float64 error']:.0e}"]
        table.add_row(*cells)
    console.print(f"Milliseconds per iteration, {HORIZON} steps; columns: dtype, threads")
    console.print(table)
    whole = found["solution"]
    console.print(
        f"{whole['batch']} optima: Paraxis {1e3 * whole['paraxis']:.1f} ms "
        f"({whole['iterations']:.1f} iterations), Crocoddyl {1e3 * whole['crocoddyl']:.0f} ms "
        f"({whole['crocoddyl iterations']:.1f}), IPOPT {1e3 * whole['ipopt, per problem']:.0f} ms "
        f"for one ({whole['ipopt iterations']:.1f}); costs differ by "
        f"{whole['crocoddyl error']:.0e} and {whole['ipopt error']:.0e}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    robot, model = arms()
    batches, repeats = (BATCHES[:3], 10) if options.quick else (BATCHES, 60)
    found = {
        "machine": peers.machine(),
        "cores": cores,
        "iteration": measure_iterations(robot, model, batches, repeats, cores),
        "solution": measure_solutions(robot, model, 128, 2 if options.quick else 4, repeats // 2),
    }
    show(found, Console(width=120))
    peers.keep(found, options.json)


if __name__ == "__main__":
    main()
