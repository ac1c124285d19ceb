"""How long scheduling takes, and how often a schedule is proved shortest.

Random graphs of 50 and 100 tasks are made by the methods of the Standard Task Graph set: an edge
between any two tasks with the same probability, the same number of predecessors for every task, or
either of these between layers. Then Dhanaraj's graphs, and 100,000 tasks by the fast methods.

    python benchmarks/scheduling.py [--graphs 8] [--json benchmarks/results/scheduling.json]
"""

import argparse
import random
import time
from itertools import pairwise
from pathlib import Path

import peers
from rich.console import Console
from rich.table import Table

import paraxis as px

RESULTS = Path(__file__).parent / "results" / "scheduling.json"
SIZES, PROCESSORS, LIMIT = (50, 100), (2, 4, 8, 16), 60
ARMS, MOST = {"general arm, 6 links": "puma560", "stanford": "stanford"}, 13
MANY = 100_000


def same_probability(size, dice, probability=0.1):
    return [(i, j) for j in range(size) for i in range(j) if dice.random() < probability]


def same_predecessors(size, dice, most=5):
    return [
        (i, j) for j in range(1, size) for i in dice.sample(range(j), min(j, dice.randint(1, most)))
    ]


def layers(size, dice):
    """Numbers of tasks in layers of 1 to 20."""
    rest, found = list(range(size)), []
    while rest:
        found.append([rest.pop(0) for _ in range(min(len(rest), dice.randint(1, 20)))])
    return found


def layered_probability(size, dice, probability=0.3):
    found = layers(size, dice)
    return [
        (i, j)
        for k, layer in enumerate(found)
        for j in layer
        for i in (task for before in found[:k] for task in before)
        if dice.random() < probability / max(1, k)
    ]


def layered_predecessors(size, dice, most=5):
    found = layers(size, dice)
    return [
        (i, j)
        for before, layer in pairwise(found)
        for j in layer
        for i in dice.sample(before, min(len(before), dice.randint(1, most)))
    ]


METHODS = (same_probability, same_predecessors, layered_probability, layered_predecessors)


def graph(method, size, seed):
    dice = random.Random(f"{method.__name__} {size} {seed}")
    weights = {task: dice.randint(1, 20) for task in range(size)}
    return px.TaskGraph(weights, method(size, dice))


def timed(tasks, processors, method, **options):
    start = time.perf_counter()
    found = px.schedule(tasks, processors, method, **options)
    return found, time.perf_counter() - start


def exact(name, cases):
    """The shortest schedules of pairs (tasks, processors), and how near lists come to them."""
    runs = [
        (*timed(tasks, p, "optimal", time_limit=LIMIT), px.schedule(tasks, p).makespan)
        for tasks, p in cases
    ]
    return {
        "graphs": name,
        "schedules": len(runs),
        "proved": sum(found.optimal for found, _, _ in runs),
        "worst_gap": max(found.gap for found, _, _ in runs),
        "slowest_s": max(seconds for _, seconds, _ in runs),
        "list_worst": max(listed / found.makespan - 1 for found, _, listed in runs),
    }


def kinds(graphs):
    """(name, cases) of random graphs, and of Dhanaraj's on all numbers of processors he has."""
    for size in SIZES:
        for method in METHODS:
            every = [graph(method, size, seed) for seed in range(graphs)]
            name = f"{method.__name__.replace('_', ' ')}, {size} tasks"
            yield name, [(tasks, p) for tasks in every for p in PROCESSORS]
    for name, robot in ARMS.items():
        tasks = px.streamlined_tasks(px.load(robot), customised=name == robot)
        name = f"Dhanaraj's subtasks, {name}, {len(tasks)} tasks"
        yield name, [(tasks, p) for p in range(2, MOST + 1)]


def many():
    """100,000 tasks with two predecessors each, by the quick methods."""
    dice = random.Random(1)
    weights = {task: dice.randint(1, 10) for task in range(MANY)}
    near = [(dice.randrange(max(0, k - 500), k), k) for k in range(1, MANY) for _ in range(2)]
    tasks = px.TaskGraph(weights, near)
    for method in ("list", "streamlined", "heft"):
        found, seconds = timed(tasks, 16, method)
        yield {"method": method, "tasks": MANY, "seconds": seconds, "gap": found.gap}


def measure(graphs):
    proved = [exact(*kind) for kind in kinds(graphs)]
    return {"machine": peers.machine(), "exact": proved, "many": list(many())}


def show(found, console):
    table = Table("graphs", "schedules", "proved", "worst gap", "slowest", "list, at worst")
    for row in found["exact"]:
        table.add_row(
            row["graphs"], str(row["schedules"]), str(row["proved"]), f"{row['worst_gap']:.1%}",
            f"{row['slowest_s']:.2f} s", f"+{row['list_worst']:.1%}",
        )  # fmt: skip
    console.print(table)
    for row in found["many"]:
        console.print(f"{row['tasks']:,} tasks by {row['method']}: {row['seconds']:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", type=int, default=8, help="of each kind (default: 8)")
    parser.add_argument(
        "--json", metavar="FILE", type=Path, help=f"write the figures, as {RESULTS.name}"
    )
    arguments = parser.parse_args()
    found = measure(arguments.graphs)
    peers.keep(found, arguments.json)
    show(found, Console())


if __name__ == "__main__":
    main()
