"""Do tasks of equal size lessen synchronisation? Dhanaraj's claim (thesis, 4.2.2), on two cores.

The operations of one Program, in a possible order, are cut into as many tasks: of equal weight, of
weights spread exponentially, or most small and some large, each with the same mean. Both are list
schedules on two processors without messages, as the thesis has them, run by two threads. What is
compared is the time of a state, the messages between the threads, and the makespan.

    python benchmarks/uniform_tasks.py [--rounds 400] [--json FILE]
"""

import argparse
import random
from functools import partial
from pathlib import Path
from statistics import mean

import numpy as np
import peers
from rich.console import Console
from rich.table import Table

import paraxis as px
from paraxis.parallel.tasks.task_graph import ProgramTasks
from paraxis.parallel.threads import divided

RESULTS = Path(__file__).parents[1] / "papers/paraxis_papers/schedules/uniform.json"
ROBOT, PROCESSORS, STATES = "puma560", 2, 20
MEANS = (3, 6, 10)  # flops per task
SEEDS = 3
UNIFORM = "equal"


def exponential(dice, average):
    return dice.expovariate(1 / average)


def mostly_small(dice, average):
    """One in five is large: ten times the others, with the same mean."""
    small = average / 2.8
    return 10 * small if dice.random() < 0.2 else small


SPREADS = {"exponential": exponential, "a few large": mostly_small}


def cut(program, count, size):
    """The operations in `count` tasks, intervals of a possible order, of weights near size()."""
    fine = px.TaskGraph.from_program(program)
    wanted = [size() for _ in range(count)]
    scale = fine.work / sum(wanted)
    tasks, own, until, done = [[]], fine.operations, wanted[0] * scale, 0.0
    for task in fine.order:
        if done >= until and len(tasks) < count:
            tasks.append([])
            until += wanted[len(tasks) - 1] * scale
        tasks[-1] += own[task]
        done += fine.weights[task]
    tasks = [nodes for nodes in tasks if nodes]
    weight = dict(zip((nodes[0].index for nodes in own), fine.weights, strict=True))
    weights = {str(k): sum(weight.get(n.index, 0) for n in nodes) for k, nodes in enumerate(tasks)}
    home = {node.index: k for k, nodes in enumerate(tasks) for node in nodes}
    names = [home[nodes[0].index] for nodes in own]
    pairs = {
        (str(names[first]), str(names[task]))
        for task, before in enumerate(fine.predecessors)
        for first in before
        if names[first] != names[task]
    }
    parts = tuple(tuple(nodes) for nodes in tasks)
    return ProgramTasks(weights, sorted(pairs), "cut", {}, {}, program, parts, fine)


def measure(rounds):
    program = px.program(px.load(ROBOT))
    rng = np.random.default_rng(5)
    states = [rng.uniform(-2, 2, (STATES, n)) for n in (6, 6, 6)]
    first = dict(zip(program.inputs, (each[0] for each in states), strict=True))
    expected = program.evaluate(**first)[None]
    made, runs = {}, {}
    for average in MEANS:
        count = round(program.count().flops / average)
        cuts = {(UNIFORM, 0): cut(program, count, lambda: 1.0)}
        for spread, size in SPREADS.items():
            for seed in range(SEEDS):
                dice = random.Random(seed)
                cuts[spread, seed] = cut(program, count, partial(size, dice, average))
        for key, tasks in cuts.items():
            schedule = px.schedule(tasks, PROCESSORS)
            kernel = schedule.compile()
            found = kernel(*(each[:1] for each in states))
            if abs(found - expected).max() > 1e-9:
                raise ArithmeticError(f"{key}: the threads compute other torques")
            _, lines = divided(schedule, room=7)
            made[average, *key] = schedule, len(lines)
            runs[average, *key] = lambda kernel=kernel: kernel(*states)
    alone = program.compile(threads=1)
    runs[()] = lambda: alone(*states)
    best = dict.fromkeys(runs, np.inf)
    for _ in range(rounds):
        for key, run in runs.items():
            best[key] = min(best[key], peers.best_time(run, 1, min_seconds=0.0))
    one = best.pop(()) / STATES * 1e9
    rows = list(_rows(made, best))
    return {"machine": peers.machine(), "robot": ROBOT, "one_thread_ns": one, "rows": rows}


def _rows(made, best):
    for average in MEANS:
        for spread in (UNIFORM, *SPREADS):
            keys = [key for key in made if key[:2] == (average, spread)]
            schedules = [made[key][0] for key in keys]
            yield {
                "mean": average,
                "spread": spread,
                "tasks": round(mean(len(each.tasks) for each in schedules)),
                "makespan": mean(each.makespan for each in schedules),
                "messages": mean(made[key][1] for key in keys),
                "ns": mean(best[key] for key in keys) / STATES * 1e9,
            }


def show(found, console):
    table = Table("flops per task", "sizes", "tasks", "makespan", "messages", "ns per state")
    for row in found["rows"]:
        table.add_row(
            str(row["mean"]), row["spread"], str(row["tasks"]), f"{row['makespan']:.0f}",
            f"{row['messages']:.0f}", f"{row['ns']:.0f}",
        )  # fmt: skip
    console.print(table)
    console.print(f"one thread: {found['one_thread_ns']:.0f} ns per state")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=400, help="of all (default: 400)")
    parser.add_argument(
        "--json", metavar="FILE", type=Path, help=f"write the figures, as {RESULTS.name}"
    )
    arguments = parser.parse_args()
    found = measure(arguments.rounds)
    peers.keep(found, arguments.json)
    show(found, Console())


if __name__ == "__main__":
    main()
