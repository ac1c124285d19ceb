"""How long users wait for the first call of a function, when nothing is in the cache.

Every cell is a new process with an empty cache: it imports Paraxis, reads the URDF, and then times
the call `px.<function>(robot, ...)` on one state, on the wall: tracing, simplifying, LLVM, loading,
and the result. Of optimal control it is the making of a solver and its first solution. A second
process makes the same call with what the first has left on disk. How much of the first call is
machine code is taken by a clock around the call of LLVM; the rest is tracing. Nothing else should
run on the machine.

    python benchmarks/compile_times.py [--quick] [--json benchmarks/results/compile_times.json]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import peers
from rich.console import Console
from rich.table import Table

CASES = (  # robot, base
    ("ur5", "fixed"),
    ("panda", "fixed"),
    ("g1_29dof", "fixed"),
    ("g1_29dof", "free"),
    ("talos_reduced", "free"),
)
ARMS = "ur5", "panda"
FUNCTIONS = {  # -> what it takes beside the robot
    "inverse_dynamics": ("q", "qd", "qdd"),
    "forward_dynamics": ("q", "qd", "tau"),
    "mass_matrix": ("q",),
    "mass_matrix_inverse": ("q",),
    "forward_kinematics": ("q", "frame"),
    "jacobian": ("q", "frame"),
    "regressor": ("q", "qd", "qdd"),
    "inverse_dynamics_derivatives": ("q", "qd", "qdd"),
    "forward_dynamics_derivatives": ("q", "qd", "tau"),
    "simulate": ("q", "qd"),  # a step of fourth-order Runge-Kutta
    "optimal_control": (),  # a solver, and a problem of 30 steps
}
LONG = ("optimal_control",)  # only of arms: for a humanoid it takes too long to be used
QUICK = (("ur5", "fixed"),), tuple(FUNCTIONS)[:3]
RESULTS = Path(__file__).parent / "results" / "compile_times.json"

FIRST_CALL = """
import json, logging, sys, time, warnings
import numpy as np
import paraxis as px
from paraxis.targets.cpu import host

path, base, function, *takes = sys.argv[1:]
warnings.simplefilter("ignore")
logging.getLogger("paraxis").setLevel("ERROR")
robot = px.load(path, couplings="independent", floating_base=base == "free")
zero = np.zeros(robot.nv)
given = {"q": px.neutral(robot), "frame": robot.frame_names[-1]}
given |= dict.fromkeys(("qd", "qdd", "tau"), zero)
more = {"dt": 1e-3, "steps": 1} if function == "simulate" else {}
compile_object, machine_code = host.compile_object, 0.0

def timed(*arguments):
    global machine_code
    begin = time.perf_counter()
    try:
        return compile_object(*arguments)
    finally:
        machine_code += time.perf_counter() - begin

def solved():
    def cost(q, qd, u, goal):
        return (q - goal) @ (q - goal) + 0.05 * qd @ qd + 1e-3 * u @ u

    def terminal(q, qd, goal):
        return 1e3 * (q - goal) @ (q - goal) + qd @ qd

    goal = {"goal": robot.nq}
    solver = px.optimal_control(robot, cost, 30, dt=0.01, terminal=terminal, parameters=goal)
    solver.solve(np.zeros(robot.nq + robot.nv), goal=np.full(robot.nq, 0.1))

host.compile_object = timed
begin = time.perf_counter()
if function == "optimal_control":
    solved()
else:
    getattr(px, function)(robot, *(given[name] for name in takes), **more)
passed = time.perf_counter() - begin
lines = open("/proc/self/status").read().splitlines()  # getrusage counts what the parent had
peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**10
print(json.dumps({"nv": robot.nv, "passed": passed, "machine_code": machine_code, "peak": peak}))
"""


def measure(name, base, function):
    """The first call in a new process, and again in the next one."""
    command = [sys.executable, "-c", FIRST_CALL, str(peers.robot_file(name)), base, function]
    command += FUNCTIONS[function]
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)  # else Paraxis would not use it
        environment = os.environ | {"PARAXIS_CACHE": folder}
        cold, cached = (
            json.loads(subprocess.check_output(command, env=environment, text=True))
            for _ in ("cold", "cached")
        )
    if not cold["machine_code"] or cached["machine_code"]:
        raise SystemExit(f"{name}, {function}: the first call did not compile, or the second did")
    return cold["nv"], {
        "function": function,
        "first_call_s": cold["passed"],
        "machine_code_s": cold["machine_code"],
        "peak_mib": cold["peak"],
        "cached_s": cached["passed"],
    }


def show(results, console):
    table = Table(title="seconds until the first result, with nothing in the cache")
    for heading in ("robot", "base", "function", "first call", "machine code", "MiB", "cached"):
        left = heading in ("robot", "base", "function")
        table.add_column(heading, justify="left" if left else "right")
    for case in results["cases"]:
        for row in case["rows"]:
            times = (f"{row[key]:.2f}" for key in ("first_call_s", "machine_code_s"))
            rest = f"{row['peak_mib']:,.0f}", f"{row['cached_s']:.3f}"
            table.add_row(case["robot"], case["base"], row["function"], *times, *rest)
    console.print(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one arm, three functions")
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args()
    console = Console(width=120)
    cases, functions = QUICK if options.quick else (CASES, tuple(FUNCTIONS))
    results = {"machine": peers.machine(), "cases": []}
    for name, base in cases:
        rows = []
        for function in functions:
            if function in LONG and name not in ARMS:
                continue
            with console.status(f"{name}, {base} base, {function}"):
                velocities, row = measure(name, base, function)
            rows.append(row)
        case = {"robot": name, "base": base, "velocities": velocities, "rows": rows}
        results["cases"].append(case)
        peers.keep(results, options.json)  # what there is, if it is stopped
    show(results, console)


if __name__ == "__main__":
    main()
