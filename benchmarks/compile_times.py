"""How long functions take to compile, when nothing is in the cache: tracing, and machine code.

In seconds of one core, as other processes may be at work beside this one.

    python benchmarks/compile_times.py [--quick] [--json benchmarks/results/compile_times.json]
"""

import argparse
import time
import warnings
from pathlib import Path

import peers
from rich.console import Console
from rich.table import Table

import paraxis as px
from paraxis.function_bodies import function_body
from paraxis.passes.cost import cost
from paraxis.robot_functions import FUNCTIONS as FUNCTIONS_OF_ROBOTS
from paraxis.targets.cpu import host
from paraxis.targets.cpu import map as kernel

ROBOTS = ("ur5", "panda", "g1_29dof", "talos_reduced")
FUNCTIONS = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "mass_matrix_inverse",
    "forward_kinematics",
    "jacobian",
    "regressor",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)
QUICK = {"ur5": FUNCTIONS[:3]}
RESULTS = Path(__file__).parent / "results" / "compile_times.json"


def measure(robot, function):
    """What the first call of a function does, step by step."""
    frame = robot.frame_names[-1] if "frame" in FUNCTIONS_OF_ROBOTS[function].options else None
    start = time.process_time()
    graph = function_body(robot, function, frame=frame).made()
    traced = time.process_time()
    lanes = kernel.lanes_of("float64")
    host.compile_object(kernel.assembly_source(graph, lanes, cost(graph)))
    return {
        "function": function,
        "operations": len(graph.nodes),
        "tracing_s": traced - start,
        "machine_code_s": time.process_time() - traced,
    }


def show(results, console):
    table = Table(title="seconds of one core until a function is compiled")
    for heading in ("robot", "joints", "function", "operations", "tracing", "machine code"):
        table.add_column(heading, justify="left" if heading in ("robot", "function") else "right")
    for case in results["cases"]:
        for row in case["rows"]:
            times = (f"{row[key]:.2f}" for key in ("tracing_s", "machine_code_s"))
            about = case["robot"], str(case["joints"]), row["function"], f"{row['operations']:,}"
            table.add_row(*about, *times)
    console.print(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one arm, three functions")
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args()
    console = Console(width=120)
    cases = QUICK if options.quick else dict.fromkeys(ROBOTS, FUNCTIONS)
    results = {"machine": peers.machine(), "cases": []}
    warnings.simplefilter("ignore", px.RobotWarning)
    px.trace(lambda x: x * 2.0, x=()).compile()  # what LLVM does once
    for name, functions in cases.items():
        robot, rows = px.load(peers.robot_file(name), couplings="independent"), []
        for function in functions:
            with console.status(f"{name}, {function}"):
                rows.append(measure(robot, function))
        results["cases"].append({"robot": name, "joints": robot.n, "rows": rows})
    show(results, console)
    peers.keep(results, options.json)


if __name__ == "__main__":
    main()
