"""The first call in a new process: with nothing compiled, and from the disk cache."""

import json
import os
import subprocess
import sys
import tempfile

import peers

FIRST_CALL = """
import time, sys, json, warnings
warnings.simplefilter("ignore")
start = time.perf_counter()
import paraxis as px
imported = time.perf_counter() - start
import numpy as np
robot = px.load(sys.argv[1], couplings="independent")
x = np.zeros((3, robot.n))
start = time.perf_counter()
getattr(px, sys.argv[2])(robot, *x)
called = time.perf_counter() - start
lines = open("/proc/self/status").read().splitlines()  # getrusage counts what the parent had
peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**10
print(json.dumps({"import_s": imported, "call_s": called, "peak_mib": peak}))
"""


def first_calls(name, function):
    """Two processes one after the other: the first compiles, the second finds it on disk."""
    command = [sys.executable, "-c", FIRST_CALL, str(peers.robot_file(name)), function]
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)  # else Paraxis would not use it
        environment = os.environ | {"PARAXIS_CACHE": folder}
        found = [
            subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            for _ in ("cold", "cached")
        ]
    return [json.loads(process.stdout) for process in found]


def measure(names):
    """Import time, and the first call of inverse dynamics."""
    found = {name: first_calls(name, "inverse_dynamics") for name in names}
    return {
        "import_s": min(call["import_s"] for calls in found.values() for call in calls),
        "first_call_cold_s": {name: cold["call_s"] for name, (cold, _) in found.items()},
        "first_call_cached_s": {name: cached["call_s"] for name, (_, cached) in found.items()},
    }


def measure_largest(name, function):
    """What the largest kernel costs to make: time, and memory of the whole process."""
    cold, cached = first_calls(name, function)
    return {
        "robot": name,
        "function": function,
        "cold_s": cold["call_s"],
        "cold_peak_mib": cold["peak_mib"],
        "cached_s": cached["call_s"],
    }


def show(start, console):
    console.print(f"import {start['import_s']:.2f} s; first call", end=" ")
    for name, cold in start["first_call_cold_s"].items():
        cached = start["first_call_cached_s"][name]
        console.print(f"{name} {cold:.2f} s cold, {cached:.3f} s from disk;", end=" ")
    console.print()


def show_largest(found, console):
    console.print(
        f"first call, {found['robot']} {found['function']}: {found['cold_s']:.1f} s and "
        f"{found['cold_peak_mib']:,.0f} MiB cold, {found['cached_s']:.3f} s from disk"
    )
