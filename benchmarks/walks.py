"""The way from a public name to the compiler: every call of Paraxis on it, and how many files.

    python benchmarks/walks.py

Each walk is stopped where machine code would be made, and the stack is printed, as in
docs/concepts/how_it_works.md. Nothing is measured.
"""

import os
import traceback
from pathlib import Path

os.environ["PARAXIS_CACHE"] = "off"  # or there would be nothing to compile

import numpy as np

import paraxis as px
from paraxis.targets import target
from paraxis.targets.cpu import host
from paraxis.targets.cuda.device import CuPyDevice

ROOT = Path(px.__file__).parent
WRITTEN = "<px"  # functions of robots, which calls.py writes out


class Arrived(BaseException):
    """At the compiler."""


def walk(start):
    """[(file, function)] from a public name to where machine code would be made."""
    found = []

    def arrive(*_, **__):
        for frame in traceback.extract_stack():
            if frame.filename.startswith(WRITTEN):
                found.append(("calls.py", frame.name))
            elif Path(frame.filename).is_relative_to(ROOT):
                found.append((str(Path(frame.filename).relative_to(ROOT)), frame.name))
        raise Arrived

    host.compile_object = NoGpu.binary = arrive
    try:
        start()
    except Arrived:
        return found
    raise AssertionError("nothing was compiled")


class NoGpu(CuPyDevice):
    """A stand-in that gets as far as the compiler."""

    arrays, description, number = np, "none", 0

    def __init__(self):
        pass

    def address(self, array):
        return array.ctypes.data


def walks():
    robot, q = px.load("ur5"), np.ones(6)
    program = px.program(robot)
    tasks = px.TaskGraph.from_program(program)
    target.device = NoGpu
    return {
        "px.inverse_dynamics": walk(lambda: px.inverse_dynamics(robot, q, q, q)),
        "px.simulate": walk(lambda: px.simulate(robot, q, q, dt=1e-3, steps=5)),
        "px.schedule, compiled": walk(lambda: px.schedule(tasks, processors=2).compile()),
        "a CUDA map": walk(lambda: program.compile(target="cuda")(q, q, q)),
    }


def main():
    for name, steps in walks().items():
        files = dict.fromkeys(file for file, _ in steps)
        print(f"{name}: {len(steps)} hops through {len(files)} files")
        for file, function in steps:
            print(f"    {file:32} {function}")


if __name__ == "__main__":
    main()
