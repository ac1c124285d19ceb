"""A thread per state and a warp per state, both forced, and which of them is chosen.

    python benchmarks/gpu_small_batches.py --choices [--json FILE]

Rows have what the rule of targets/cuda/lanes.py is made from, so that it can be fitted anew without
a GPU. Kernels that take long to compile, such as the derivatives of a humanoid by threads, are left
out; prepared ones (`--choices --prepare sm_90`) are measured, too.
"""

import time
from collections import defaultdict

from gpu_functions import told
from gpu_small_batches import (
    TOLERANCE,
    cell,
    compile_rows,
    gpu_for,
    in_processes,
    named,
    right_of,
    robots,
    states_of,
)
from rich.table import Table

from paraxis.function_bodies import function_body
from paraxis.graph.graph import size
from paraxis.targets.cuda.lanes import most_states
from paraxis.targets.cuda.map import CudaKernel
from paraxis.targets.cuda.text.lanes import LANES

WAYS = ("thread", "warp")
RIGHT = "interpreter"
COMPILE_SECONDS, SECONDS = 80.0, 140.0  # for all kernels; after which no cell is begun
CLOSE = 1.05  # times as long as the other way: no wrong choice yet


class Forced(CudaKernel):
    """A kernel whose way does not depend on the number of states."""

    def __init__(self, body, way, on=None):
        super().__init__(body, "float32", on=on)
        self._way = way

    def by_lanes(self, states, in_rows=True):
        return self._way == "warp"


def prepare(folder, only, functions, batches, console, architecture=None):
    """(robot, function, way) -> seconds of compiling, or (robot, function, RIGHT) -> the results of
    its samples, by batch; or why there are none. All kernels are in the disk cache then."""
    names = [name for name, _ in robots(folder, only)]
    # Those that take long to compile first.
    given = folder, only, batches, architecture
    every = [
        (*given, name, function, kind)
        for kind in (WAYS if architecture else ("thread", RIGHT, "warp"))
        for function in reversed(functions)
        for name in reversed(names)
    ]
    found, limit = {}, None if architecture else COMPILE_SECONDS
    for (*_, name, function, kind), made in in_processes(_made, every, limit):
        found[name, function, kind] = made
        text = told(made) if isinstance(made, Exception) else "done"
        if isinstance(made, float):
            text = f"compiled in {made:.1f} s"
        console.print(f"{name} {function} {kind}: {text}", style="dim")
    return found


def _made(folder, only, batches, architecture, wanted, function, kind):
    robot, begin = named(folder, only, wanted), time.perf_counter()
    if kind == RIGHT:
        return right_of(robot, function, batches)
    body = function_body(robot, function)
    compile_rows(Forced(body, kind, gpu_for(architecture)), max(batches))
    return time.perf_counter() - begin


def measure(cupy, folder, only, functions, batches, console):
    """A row for each robot, function, batch and way."""
    late = time.monotonic() + SECONDS
    found, rows = prepare(folder, only, functions, batches, console), []
    for name, robot in robots(folder, only):
        for function in functions:
            made = {kind: found[name, function, kind] for kind in (*WAYS, RIGHT)}
            cells = cells_of(cupy, robot, function, batches, made, late)
            rows += [{"robot": name, "function": function} | row for row in cells]
    return rows


def cells_of(cupy, robot, function, batches, made, late, on=None):
    """The rows of a function; `made` is what was prepared of it."""
    body, rows = function_body(robot, function), []
    usual, about = CudaKernel(body, "float32", on=on), about_plan(body)
    kernels = {way: Forced(body, way, on) for way in WAYS}
    for batch in batches:
        given = states_of(robot, batch, function)
        for way in WAYS:
            is_chosen = usual.by_lanes(batch) == (way == "warp")
            row = {"states": batch, "way": way, "chosen": is_chosen} | about
            try:
                for each in (made[way], made[RIGHT]):
                    if isinstance(each, Exception):
                        raise each
                if time.monotonic() > late:
                    raise TimeoutError("no time left")
                row |= cell(cupy, kernels[way], given, made[RIGHT][batch])
            except Exception as reason:  # others go on
                row["missing"] = told(reason)
            rows.append(row)
    return rows


def about_plan(body):
    """What the rule is made from."""
    plan = body.lanes
    shapes = [shape for shape, *_ in plan.outputs.values()]
    most = most_states(body)
    return {
        "work": plan.work,
        "turns": plan.turns(LANES),
        "axes": max(map(len, shapes)),
        "entries": sum(map(size, shapes)),
        "joints": shapes[0][0],
        "most_states": None if most == float("inf") else most,
    }


# -- what a person reads -----------------------------------------------------------------------


def show(rows, batches, console):
    """Thread / warp, and what is chosen where it is much slower than the other."""
    cells = defaultdict(dict)
    for row in rows:
        cells[row["robot"], row["function"], row["states"]][row["way"]] = row
    table = Table("robot", "function", *(f"{batch:,}" for batch in batches))
    for key in dict.fromkeys(key[:2] for key in cells):
        table.add_row(*key, *(text(cells[*key, batch]) for batch in batches))
    console.print(table)
    console.print("thread / warp: the choice, and how many times as long as the other way it takes")
    judged = {key: times for key, ways in cells.items() if (times := times_as_long(ways))}
    slow = sorted((key for key in judged if judged[key] > CLOSE), key=judged.get, reverse=True)
    console.print(f"{len(slow)} of {len(judged)} choices take over {CLOSE:g} times as long")
    for key in slow:
        robot, function, states = key
        console.print(f"  {robot} {function}, {states:,} states: {judged[key]:.2f}")


def times_as_long(ways):
    """What is chosen divided by the other way; None where one is missing."""
    if any("us" not in ways[way] for way in WAYS):
        return None
    chosen, other = sorted(ways.values(), key=lambda row: not row["chosen"])
    return chosen["us"] / other["us"]


def text(ways):
    times = " / ".join(_time(ways[way]) for way in WAYS)
    (chosen,) = (way for way in WAYS if ways[way]["chosen"])
    ratio = times_as_long(ways)
    return f"{times}: {chosen}" + (f" {ratio:.2f}" if ratio else "")


def _time(row):
    if "us" not in row:
        return "–"
    return f"{row['us']:.2f}" + ("" if row["error"] <= TOLERANCE else " WRONG")
