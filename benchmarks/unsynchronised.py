"""Inverse dynamics on two threads that do not wait for each other: how wrong, at which period?

Two groups of links go through the same motion, sampled at shorter and shorter periods, in real
time. One group with all links in the same loop, which is exact, and a call of the exact kernel from
Python are measured too. Errors are those of the torques that are in place when the next sample
comes, so that a thread that is late errs even where all data are fresh.

    python benchmarks/unsynchronised.py [--quick] [--json benchmarks/results/unsynchronised.json]

Nothing else may run on the machine: where the system stops a thread, ages are largest.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import peers
from rich.console import Console
from rich.table import Table

import paraxis as px

RESULTS = Path(__file__).parent / "results" / "unsynchronised.json"
ROBOTS = ("ur5", "puma560")
PERIODS = (1e-3, 1e-4, 1e-5, 5e-6, 2e-6, 1e-6, 5e-7, 2e-7)  # seconds
QUICK = (1e-3, 1e-6)
SWING = 1.0  # rad to either side, once a second: a fast motion
SECONDS, MOST_SAMPLES = 1.0, 200_000


def swing(robot, period, seconds):
    """Joint values of all joints swinging, each in a phase of its own."""
    samples = min(int(seconds / period), MOST_SAMPLES)
    w, phase = 2 * np.pi, np.arange(robot.n)
    angle = w * period * np.arange(samples)[:, None] + phase
    return SWING * np.sin(angle), SWING * w * np.cos(angle), -SWING * w**2 * np.sin(angle)


def measure(name, periods, seconds):
    """All periods of a robot, and what the exact torques take."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        robot = px.load(name)
    one, two = px.control.unsynchronised(robot, 1), px.control.unsynchronised(robot, 2)
    kernel = px.program(robot, "inverse_dynamics").compile(threads=1)
    state = [rows[0] for rows in swing(robot, 1e-3, 1e-3)]
    rate = one(*swing(robot, 1e-3, seconds), 1e-3).passes_per_second[0]
    return {
        "robot": name,
        "groups": two.groups,
        "exact_call_ns": peers.best_time(lambda: kernel(*state)) * 1e9,
        "exact_pass_ns": 1e9 / rate,
        "rows": [outcome(two(*swing(robot, p, seconds), p)) for p in periods],
    }


def outcome(run):
    """What there is to say about a run."""
    ages, oldest = run.ages.values(), run.torque_age.max(axis=1)
    passes = max(1, sum(counts.sum() for counts in ages))
    middle, most = np.quantile(run.error, (0.5, 0.99))
    return {
        "period": run.period,
        "samples": len(run.torque),
        "pass_ns": (1e9 / run.passes_per_second).tolist(),
        "found_of_this_sample": float(sum(counts[:1].sum() for counts in ages) / passes),
        "found_of_the_last": float(sum(counts[1:2].sum() for counts in ages) / passes),
        "largest_age": run.largest_age,
        "exact_samples": float((oldest == 0).mean()),
        "torque_age": {"median": float(np.median(oldest)), "largest": int(oldest.max())},
        "error": {"median": float(middle), "99%": float(most), "largest": float(run.error.max())},
        "overtaken": run.overtaken.tolist(),
    }


def show(results, console):
    for case in results["cases"]:
        exact = f"{case['exact_pass_ns']:.0f} ns a pass of all links"
        exact += f", {case['exact_call_ns']:.0f} ns a call from Python"
        table = Table(title=f"{case['robot']}, groups {case['groups']}; exact: {exact}")
        heads = ("period", "a pass", "found new", "1 old", "oldest", "exact samples")
        heads += ("age behind a torque", "error: median", "99%", "largest")
        for head in heads:
            table.add_column(head, justify="right")
        for row in case["rows"]:
            age, error = row["torque_age"], row["error"]
            table.add_row(
                f"{row['period'] * 1e6:g} µs",
                " | ".join(f"{ns:.0f} ns" for ns in row["pass_ns"]),
                f"{row['found_of_this_sample']:.1%}",
                f"{row['found_of_the_last']:.1%}",
                f"{row['largest_age']}",
                f"{row['exact_samples']:.1%}",
                f"{age['median']:g}, at most {age['largest']}",
                *(f"{error[key]:.1e}" for key in ("median", "99%", "largest")),
            )
        console.print(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two periods, a tenth of a second")
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args()
    console = Console(width=150)
    periods, seconds = (QUICK, SECONDS / 10) if options.quick else (PERIODS, SECONDS)
    results = {"machine": peers.machine(), "cases": []}
    for name in ROBOTS:
        with console.status(name):
            results["cases"].append(measure(name, periods, seconds))
    show(results, console)
    peers.keep(results, options.json)


if __name__ == "__main__":
    main()
