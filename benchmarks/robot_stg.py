"""The public robot.stg, taken for the graph that Kasahara and Narita schedule.

Its 88 tasks take 2483 units, and the thesis prints 24.83 ms for theirs, and for Chen, Lee and
Hou's, on one processor. The file is one of the Standard Task Graph set, no part of this project.

    python benchmarks/robot_stg.py robot.stg [--json papers/paraxis_papers/schedules/robot_stg.json]
"""

import argparse
from pathlib import Path

import peers
from rich.console import Console
from rich.table import Table

import paraxis as px

RESULTS = Path(__file__).parents[1] / "papers/paraxis_papers/schedules/robot_stg.json"
METHODS, PROCESSORS = ("list", "df_ihs", "a_star", "optimal"), range(1, 9)


def measure(path, seconds):
    tasks = px.TaskGraph.from_stg(path)
    found = {
        "tasks": len(tasks),
        "edges": tasks.edge_count,
        "work": tasks.work,
        "span": tasks.span,
        "time_limit": seconds,
        "makespan": {},
        "optimal": {},
    }
    for method in METHODS:
        options = {} if method == "list" else {"time_limit": seconds}
        made = {p: px.schedule(tasks, p, method, **options) for p in PROCESSORS}
        found["makespan"][method] = {p: each.makespan for p, each in made.items()}
        found["optimal"][method] = {p: each.optimal for p, each in made.items()}
    return found


def show(found, console):
    console.print(f"{found['tasks']} tasks, work {found['work']}, span {found['span']}")
    table = Table("method", *map(str, PROCESSORS))
    for method in METHODS:
        cells = (
            f"{found['makespan'][method][p]}{'' if found['optimal'][method][p] else '?'}"
            for p in PROCESSORS
        )
        table.add_row(method, *cells)
    console.print(table)
    console.print("?: not proved to be the shortest")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="robot.stg")
    parser.add_argument("--seconds", type=float, default=20, help="for each search (default: 20)")
    parser.add_argument(
        "--json", metavar="FILE", type=Path, help=f"write the figures, as {RESULTS.name}"
    )
    arguments = parser.parse_args()
    found = measure(arguments.file, arguments.seconds)
    peers.keep(found, arguments.json)
    show(found, Console())


if __name__ == "__main__":
    main()
