"""Robots on a floating base, beside Pinocchio and beside themselves on a fixed base, in one run.

Pinocchio's Python package has batch calls for inverse and forward dynamics. Its other functions are
called state by state in a Python loop over SAMPLE states, on one thread, and their results stay in
the cache, while those of a batch go to memory. So the time of writing as many numbers, and nothing
else, is measured too, and Paraxis on one thread.

    python benchmarks/floating_base.py [--quick] [--json FILE] [robot ...]
"""

import argparse
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import peers
from peers.robots import robot_root
from rich.console import Console
from rich.table import Table
from setting import take_turns

import paraxis as px

FILES = {
    "g1_29dof": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
    "anymal_c": "anymal_c_simple_description/urdf/anymal.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "go2": "go2_description/urdf/go2.urdf",
}
THREADS = 2
BATCHES = ("inverse_dynamics", "forward_dynamics")  # of which Pinocchio does whole batches
FUNCTIONS = (
    *BATCHES,
    "mass_matrix",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)
PINOCCHIO = {"free": "Pinocchio", "fixed": "Pinocchio fixed"}
ONE = {"free": "free, 1 thread", "fixed": "fixed, 1 thread"}
FILL = {"free": "fill", "fixed": "fill fixed"}
WRITERS = ThreadPoolExecutor(THREADS)
SAMPLE = 2_000
CHECKED = 500  # states


def filled(arrays):
    """A call that writes all of these arrays on THREADS threads."""
    parts = [part for array in arrays for part in np.array_split(array, THREADS)]
    return lambda: [*WRITERS.map(lambda part: part.fill(1.0), parts)]


class Side:
    """A robot on a floating or a fixed base, and states as Paraxis and Pinocchio want them."""

    def __init__(self, robot, path, q, *rates):
        self.robot, self.mine = robot, (q, *rates)
        self.peer = peers.PinocchioPeer(path, free=robot.nq != robot.nv)
        convention = px.robots.pinocchio_convention(robot, self.peer.model)
        theirs = convention.to_position(q), *(convention.to_velocity(q, x) for x in rates)
        self.theirs = [np.ascontiguousarray(x).T for x in theirs]
        self._order = convention.to_velocity(q[0], np.arange(float(robot.nv))).astype(int)

    def in_their_order(self, array):
        """A result of Paraxis, a vector or a matrix per state, as Pinocchio would give it."""
        for axis in range(1, array.ndim):
            array = np.take(array, self._order, axis)
        return array

    def pinocchio(self, function):
        """A call without arguments, and how many states it does."""
        if function in BATCHES:
            run = getattr(self.peer, function)
            return lambda: run(*self.theirs, threads=THREADS), len(self.mine[0])
        sample = min(SAMPLE, len(self.mine[0]))
        return self.peer.loop(function, self.theirs, sample), sample


def sides(name, batch):
    """The robot on a floating and on a fixed base, in the same states."""
    path = robot_root() / FILES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        fixed = px.load(path, couplings="independent")
        free = fixed.with_floating_base("root_joint")  # as Pinocchio calls it
    rng = np.random.default_rng(7)
    q = px.integrate(free, px.neutral(free), rng.uniform(-2, 2, (batch, free.nv)))
    qd, last = rng.uniform(-2, 2, (2, batch, free.nv))
    bolted = [np.ascontiguousarray(x) for x in (q[:, 7:], qd[:, 6:], last[:, 6:])]
    return {"free": Side(free, path, q, qd, last), "fixed": Side(fixed, path, *bolted)}


def measure(name, batch, rounds):
    """ns per state of every function, on a floating and a fixed base, on two threads."""
    both = sides(name, batch)
    row = {"nv": both["free"].robot.nv, "flops": {}, "error": {}, "ns": {}, "first_call_s": {}}
    for function in FUNCTIONS:
        measure_function(both, function, rounds, row)
    return row


def measure_function(both, function, rounds, row):
    runs, states, errors = {}, {}, []
    for kind, side in both.items():
        began = time.perf_counter()
        program = px.program(side.robot, function)
        kernel = program.compile(threads=THREADS)
        row["first_call_s"][f"{function}, {kind}"] = time.perf_counter() - began
        row["flops"][f"{function}, {kind}"] = program.count().flops
        given, batch = side.mine[: len(program.inputs)], len(side.mine[0])
        results = [np.empty((batch, *shape)) for shape in program.outputs.values()]
        out = results[0] if len(results) == 1 else tuple(results)
        kernel(*given, out=out)
        reference = side.peer.outputs(function, side.theirs, CHECKED)
        found = [side.in_their_order(array[:CHECKED]) for array in results]
        errors.append(max(map(peers.relative_error, found, reference)))
        runs[kind], states[kind] = lambda k=kernel, x=given, y=out: k(*x, out=y), batch
        runs[FILL[kind]], states[FILL[kind]] = filled([np.empty_like(x) for x in results]), batch
        if function not in BATCHES:  # which Pinocchio computes on one thread
            one = program.compile(threads=1)
            runs[ONE[kind]] = lambda k=one, x=given, y=out: k(*x, out=y)
            states[ONE[kind]] = batch
        peer = PINOCCHIO[kind]
        runs[peer], states[peer] = side.pinocchio(function)
    row["error"][function] = max(errors)
    for peer, seconds in take_turns(runs, rounds, repeat=3).items():
        row["ns"][f"{function}, {peer}"] = seconds / states[peer] * 1e9


def show(results, console):
    table = Table(title=f"Free bases, batch {results['batch']:,}, 2 threads: ns per state")
    heads = ("robot", "function", "Pinocchio", "Paraxis", "times", "fixed base", "times", "ratio")
    for head in (*heads, "fill", "error"):
        justify = "left" if head in heads[:2] else "right"
        table.add_column(head, justify=justify, no_wrap=head == "function")
    for name, row in results["robots"].items():
        for function in FUNCTIONS:
            ours, theirs, bolted, rival = (
                row["ns"][f"{function}, {peer}"]
                for peer in ("free", "Pinocchio", "fixed", "Pinocchio fixed")
            )
            cells = [f"{theirs:,.0f}", f"{ours:,.1f}", f"{theirs / ours:.1f} x"]
            cells += [f"{bolted:,.1f}", f"{rival / bolted:.1f} x", f"{ours / bolted:.2f}"]
            cells.append(f"{row['ns'][f'{function}, fill'] / ours:.0%}")
            table.add_row(name, function, *cells, f"{row['error'][function]:.0e}")
    console.print(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("robots", nargs="*", default=list(FILES))
    parser.add_argument("--quick", action="store_true", help="fewer rounds and a smaller batch")
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    rounds, batch = (2, 4096) if options.quick else (8, 32_768)
    results = {"machine": peers.machine(), "batch": batch, "robots": {}}
    for name in options.robots:
        results["robots"][name] = measure(name, batch, rounds)
    show(results, Console())
    peers.keep(results, options.json)


if __name__ == "__main__":
    main()
