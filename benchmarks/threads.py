"""One state on two threads: when is it faster than on one?

Every case is computed by the plain kernel on one thread and by kernels of schedules for two, in
turns; times are those of a call from Python. The time of a message between the two cores is
measured beside each case, because it decides: on virtual machines it changes within minutes.

    python benchmarks/threads.py [--quick] [--hop 80] [--json benchmarks/results/threads.json]

With --hop NS a case waits until messages take less than that.
"""

import argparse
import dataclasses
import time
import warnings
from pathlib import Path

import numpy as np
import peers
from rich.console import Console
from rich.table import Table

import paraxis as px
from paraxis.parallel.schedules.schedule import Schedule
from paraxis.parallel.schedules.thread_schedule import LATENCY, thread_schedule
from paraxis.parallel.threads import divided

RESULTS = Path(__file__).parent / "results" / "threads.json"
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_derivatives")
CASES = (
    *(("ur5", function) for function in FUNCTIONS),
    *(("g1_29dof", function) for function in FUNCTIONS),
    ("g1_29dof", "forward_dynamics_derivatives"),
    *((f"two chains of {n}", "inverse_dynamics") for n in (3, 6, 10, 15, 20, 40)),
    *((f"chain of {n}", "inverse_dynamics") for n in (10, 40, 100, 400)),
    *((f"chain of {n}", "mass_matrix") for n in (10, 20, 40)),
)
QUICK = (("ur5", "inverse_dynamics"), ("two chains of 10", "inverse_dynamics"))
LATENCIES = (1, LATENCY // 3, LATENCY, 4 * LATENCY)  # schedules are made for, in flops
OTHERS = {"list": 100, "heft": 100}  # methods that make nothing twice, and their grain in flops
HOPS = 20
CALLS, PATIENCE = 50, 20.0  # calls that are timed together; seconds to wait for short messages


def take_turns(runs, rounds):
    """ns a call of each, the best of all rounds."""
    best = dict.fromkeys(runs, np.inf)
    for _ in range(rounds):
        for key, run in runs.items():
            start = time.perf_counter()
            for _ in range(CALLS):
                run()
            best[key] = min(best[key], (time.perf_counter() - start) / CALLS * 1e9)
    return best


# -- what is measured ------------------------------------------------------------------------------


def robot_of(name):
    if name.startswith("chain of "):
        return px.robots.chain(int(name.split()[-1]))
    if name.startswith("two chains of "):
        return two_chains(int(name.split()[-1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        return px.load(peers.robot_file(name), couplings="independent")


def two_chains(links):
    """Two arms at one base: nothing that one computes is needed by the other."""
    one = px.robots.chain(links)
    other = [
        dataclasses.replace(
            joint, name=f"other_{joint.name}", parent=joint.parent + links if k else joint.parent
        )
        for k, joint in enumerate(one.joints)
    ]
    return px.Robot(
        f"two chains of {links}", [*one.joints, *other], [*one.inertias, *one.inertias], []
    )


def message_kernels():
    """A job with nothing to do, and one in which a number goes to and fro HOPS times."""

    def powers(x):
        value = x[0]
        for _ in range(HOPS + 1):
            value = value * x[1]
        return value

    def apart(x):
        return [x[0] * x[0], x[1] * x[1] * x[1]]

    x, kernels = np.ones(2), {}
    for name, function in (("job", apart), ("hops", powers)):
        tasks = px.TaskGraph.from_program(px.trace(function, x=2))
        places = (1, 0, 0) if name == "job" else tuple(k % 2 for k in range(len(tasks)))
        starts = (0, 0, 1) if name == "job" else tuple(range(len(tasks)))
        kernel = Schedule(tasks, 2, starts, places).compile()
        kernels[name] = lambda kernel=kernel: kernel(x)
    plain = px.trace(apart, x=2).compile()
    return kernels | {"call": lambda: plain(x)}


def message_times(kernels):
    """ns: what a message takes, and what a job on two threads costs beside its arithmetic."""
    best = take_turns(kernels, 40)
    return {
        "hop": (best["hops"] - best["job"]) / (HOPS - 1),
        "job": best["job"] - best["call"],
        "call": best["call"],
    }


def measure(name, function, messages, rounds, below):
    """One case: times, what the schedules do, and what messages took."""
    program = px.program(robot_of(name), function)
    given = [np.random.default_rng(7).uniform(-2, 2, s) for s in program.inputs.values()]
    plain = program.compile(threads=1)
    schedules = {f"{latency}": thread_schedule(program, 2, latency) for latency in LATENCIES}
    if len(program.graph.nodes) < 8000:
        for method, grain in OTHERS.items():
            tasks = px.TaskGraph.from_program(program, grain, trig=13, div=8, latency=LATENCY)
            schedules[method] = px.schedule(tasks, 2, method)
    runs, found = {"one": lambda: plain(*given)}, {}
    expected = plain(*given)
    for key, schedule in schedules.items():
        parts, lines = divided(schedule, 7)
        if len(parts) == 2:
            kernel = schedule.compile()
            error = relative_error(kernel(*given), expected)
            if error > 1e-9:
                raise ArithmeticError(f"{name}, {function}: error {error} of schedule {key}")
            runs[key] = lambda kernel=kernel: kernel(*given)
            found[key] = {"messages": len(lines), "twice": twice(schedule)}
    times, hops = timed(runs, messages, rounds, below)
    row = {
        "robot": name,
        "function": function,
        "flops": program.count().flops,
        "one_ns": times["one"],
        **hops,
    }
    for key, best in (("two", best_of(times, found, OTHERS)), *((m, m) for m in OTHERS)):
        if best in found:
            row[key] = {"ns": times[best], **found[best]}
    row["default_ns"] = times.get(f"{LATENCY}", times["one"])  # it may stay on one thread
    return row


def timed(runs, messages, rounds, below):
    """Times of a case between two looks at messages that agree."""
    end = time.monotonic() + PATIENCE
    while True:
        before = message_times(messages)
        if before["hop"] < below or time.monotonic() > end:
            times = take_turns(runs, rounds)
            after = message_times(messages)
            if abs(after["hop"] - before["hop"]) < 0.3 * before["hop"] or time.monotonic() > end:
                return times, after
        else:
            time.sleep(1)


def best_of(times, found, others):
    """The fastest of the schedules for threads, if any is on two."""
    own = [key for key in found if key not in others]
    return min(own, key=times.get, default=None)


def twice(schedule):
    """The share of the work that is done twice."""
    return sum(schedule.tasks.weights) / schedule.tasks.work - 1


def relative_error(found, expected):
    """The project's error measure, over all arrays."""
    found, expected = (np.concatenate([np.ravel(a) for a in _tuple(x)]) for x in (found, expected))
    return abs(found - expected).max() / max(1, abs(expected).max())


def _tuple(results):
    return results if isinstance(results, tuple) else (results,)


# -- what is printed -------------------------------------------------------------------------------


def crossover(rows):
    """ns on one thread: the longest that two do not make shorter, the shortest that they do."""
    pays = [row["one_ns"] for row in rows if "two" in row and row["two"]["ns"] < row["one_ns"]]
    not_ = [row["one_ns"] for row in rows if "two" in row and row["two"]["ns"] >= row["one_ns"]]
    return max(not_, default=None), min(pays, default=None)


def show(results, console):
    table = Table(title="one state from Python: one thread, and two")
    schedules = ("ratio", "messages", "twice", "by default", *OTHERS)
    for head in ("case", "flops", "one", "two", *schedules, "hop"):
        table.add_column(head, justify="left" if head == "case" else "right")
    for row in results["rows"]:
        two = row.get("two")
        cells = [""] * 4
        if two:
            ratio = f"{row['one_ns'] / two['ns']:.2f}"
            cells = [f"{two['ns']:.0f} ns", ratio, f"{two['messages']}", f"{two['twice']:.0%}"]
        cells.append(f"{row['one_ns'] / row['default_ns']:.2f}")
        others = [f"{row['one_ns'] / row[m]['ns']:.2f}" if m in row else "" for m in OTHERS]
        table.add_row(
            f"{row['robot']}, {row['function'].replace('_', ' ')}",
            f"{row['flops']:,}",
            f"{row['one_ns']:.0f} ns",
            *cells,
            *others,
            f"{row['hop']:.0f} ns",
        )
    console.print(table)
    not_paid, paid = crossover(results["rows"])
    console.print(
        f"two threads never paid for less than {paid:.0f} ns on one"
        if paid
        else "two threads never paid",
        f"and not always for up to {not_paid:.0f} ns" if not_paid else "",
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two cases, few rounds")
    parser.add_argument("--hop", type=float, default=np.inf, help="ns that a message may take")
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args()
    console = Console(width=150)
    cases, rounds = (QUICK, 10) if options.quick else (CASES, 150)
    messages, results = message_kernels(), {"machine": peers.machine(), "rows": []}
    for name, function in cases:
        with console.status(f"{function} of {name}"):
            row = measure(name, function, messages, rounds, options.hop)
        results["rows"].append(row)
    show(results, console)
    peers.keep(results, options.json)


if __name__ == "__main__":
    main()
