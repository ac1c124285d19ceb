"""Inverse kinematics on a GPU: poses that random joint positions reach, float64, nothing given.

    python benchmarks/gpu_inverse_kinematics.py [--quick] [--json FILE]

A pose counts as solved when forward kinematics of the result, on the CPU, is within 1e-8 of it, by
the rules of benchmarks/inverse_kinematics.py. Times are those of whole calls, poses and results on
the GPU: the median of several, after two that compile and allocate. "Batch" is the number of poses.
"""

import argparse
import time
from pathlib import Path

import inverse_kinematics as on_cpu
import numpy as np
import peers
from gpu_clock import Gpu
from rich.console import Console
from rich.table import Table

import paraxis as px

# robot, frame, poses
CASES = (
    ("ur5", "tool0", 1_000_000),
    ("ur5", "tool0", 2000),
    ("panda", "panda_hand_tcp", 200_000),
    ("panda", "panda_hand_tcp", 2000),
)
QUICK = (("ur5", "tool0", 2000),)
CALLS = 9


def measure(gpu, name, frame, count):
    """Milliseconds of a call, and how many poses are solved."""
    robot = on_cpu.load(name)
    poses = on_cpu.reachable(robot, frame, count)
    there = gpu.to_device(poses)
    begin = time.perf_counter()
    px.inverse_kinematics(robot, there, frame)
    gpu.wait()
    first = time.perf_counter() - begin
    px.inverse_kinematics(robot, there, frame)
    passed = []
    for _ in range(CALLS):
        gpu.wait()
        begin = time.perf_counter()
        found = px.inverse_kinematics(robot, there, frame)
        gpu.wait()
        passed.append(time.perf_counter() - begin)
    found = type(found)(*(gpu.to_host(getattr(found, each)) for each in found.__annotations__))
    solved = int(np.count_nonzero(on_cpu.checked(robot, frame, poses, found)))
    row = {"robot": name, "frame": frame, "poses": count, "solved": solved, "first_call_s": first}
    return row | {"ms": 1e3 * sorted(passed)[CALLS // 2], "least_ms": 1e3 * min(passed)}


def show(rows, console):
    table = Table("robot", "poses", "ms", "us per pose", "least ms", "solved", "first call")
    for row in rows:
        table.add_row(
            row["robot"],
            f"{row['poses']:,}",
            f"{row['ms']:.2f}",
            f"{1e3 * row['ms'] / row['poses']:.3f}",
            f"{row['least_ms']:.2f}",
            f"{row['solved'] / row['poses']:.4%}",
            f"{row['first_call_s']:.1f} s",
        )
    console.print(table)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one case of few poses")
    parser.add_argument("--json", type=Path, help="where to write the numbers")
    options = parser.parse_args(arguments)
    gpu = Gpu()
    rows = [measure(gpu, *case) for case in (QUICK if options.quick else CASES)]
    peers.keep(gpu.about() | {"rows": rows}, options.json)
    show(rows, Console())


if __name__ == "__main__":
    main()
