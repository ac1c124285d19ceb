"""Measure on the CPU: Paraxis beside Pinocchio and CasADi-generated C, in one run.

Prints ratios, because absolute times mean little on a shared machine, and writes everything
measured, with the machine's description, to a JSON file.

    python benchmarks/cpu.py [--quick] [--json benchmarks/results/cpu.json] [robot ...]
"""

import argparse
from pathlib import Path

import functions
import inverse_dynamics
import one_state
import peers
import start
from rich.console import Console

BATCH = 65_536
LARGEST = ("g1_29dof", "inverse_dynamics_derivatives")
RESULTS = Path(__file__).parent / "results" / "cpu.json"


def measure(robots, batch, rounds, console):
    """Everything, as it goes to the file."""
    results = {"machine": peers.machine(), "batch": batch, "dtype": "float64"}
    results["robots"], results["functions"] = {}, {}
    for name in robots:
        with console.status(f"inverse dynamics of {name}"):
            results["robots"][name] = inverse_dynamics.measure(name, batch, rounds)
    for name in functions.ROBOTS:
        if name in robots:
            with console.status(f"functions of {name}"):
                results["functions"][name] = functions.measure(name, batch, rounds)
    with console.status("one state, first calls"):
        results["one_state"] = one_state.measure(rounds)
        starters = [name for name in ("ur5", "g1_29dof") if name in robots]
        results["start"] = start.measure(starters or robots[:1])
        if LARGEST[0] in robots:
            results["largest"] = start.measure_largest(*LARGEST)
    return results


def show(results, console):
    """The tables a person reads."""
    inverse_dynamics.show(results["robots"], results["batch"], console)
    functions.show(results["functions"], results["batch"], console)
    one_state.show(results["one_state"], console)
    start.show(results["start"], console)
    if "largest" in results:
        start.show_largest(results["largest"], console)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("robots", nargs="*", default=list(peers.ROBOTS))
    parser.add_argument("--quick", action="store_true", help="fewer rounds and a smaller batch")
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args()
    rounds, batch = (2, 8192) if options.quick else (12, BATCH)
    console = Console()
    results = measure(options.robots, batch, rounds, console)
    show(results, console)
    peers.keep(results, options.json)


if __name__ == "__main__":
    main()
