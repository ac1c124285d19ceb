"""Kernels on a GPU for the batches of learning and control: 16 to 4,096 states.

    python benchmarks/gpu_small_batches.py [--robots FOLDER] [--only ROBOT ...] [--choices]
        [--prepare sm_90] [--json FILE]

Every cell is the time of one kernel, of 20 that a CUDA graph replays, float32, arrays in rows. Some
states of every cell are compared with the interpreter's results, before and after, and no number
may be left unwritten. Beside the cells is the time of one launch that does next to nothing, which
no kernel can be quicker than.

With `--choices` every cell is measured by a thread per state and by a warp per state, to judge
which of them is chosen (gpu_choices.py). With `--prepare` kernels are only compiled, for such a GPU
where there is none; with the same NVRTC and the same sources beside the GPU, they are found in the
folder PARAXIS_CACHE.
"""

import argparse
import multiprocessing
import os
import sys
import time
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import peers
from gpu_calls import IN_GRAPH, cuda_graph
from gpu_clock import Gpu
from gpu_functions import load, told
from gpu_optimal import Absent
from rich.console import Console
from rich.table import Table

import paraxis as px
from paraxis.drivers.device_map import ROWS
from paraxis.function_bodies import function_body
from paraxis.targets.cuda.map import CudaKernel

ROBOTS = {  # name -> (file, whether its base is free too)
    "ur5": ("ur5_robot.urdf", False),
    "xarm7": ("xarm7.urdf", False),
    "go2": ("go2.urdf", True),
    "g1_29dof": ("g1_29dof_rev_1_0.urdf", True),
}
FUNCTIONS = (
    "inverse_dynamics",
    "forward_dynamics",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)
BATCHES = 16, 256, 1024, 4096
ROUNDS, REPLAYS = 5, 20
COMPILE_BUDGET = 150.0  # seconds for all kernels
TOLERANCE = 2e-3  # of float32, per state
SAMPLE = 6  # states that are compared


def robots(folder, only):
    """(name, robot) of each, bolted down and with a free base."""
    for name, (file, is_free) in ROBOTS.items():
        if only and name not in only:
            continue
        robot = load(str(folder / file) if folder else str(found(file)))
        yield name, robot
        if is_free:
            yield f"{name}, free", robot.with_floating_base()


def found(file):
    return next(path for path in peers.all_robot_files() if path.name == file)


def states_of(robot, count, function):
    """Random states that a robot may be in, with torques that move it moderately."""
    rng = np.random.default_rng(7)
    q, _ = px.robots.random_states(robot, count, seed=rng)
    qd, qdd = rng.uniform(-1, 1, (2, count, robot.nv))
    last = px.inverse_dynamics(robot, q, qd, qdd) if function.startswith("forward") else qdd
    return [array.astype("float32") for array in (q, qd, last)]


def graph_of(cupy, call, given):
    """(replay, results): IN_GRAPH calls in a CUDA graph, and where their results go."""
    arrays = [cupy.asarray(array) for array in given]
    results = call(*arrays)
    for each in results if isinstance(results, tuple) else (results,):
        each[...] = float("nan")
    return cuda_graph(cupy, partial(call, *arrays, out=results), IN_GRAPH), results


def sample_of(batch):
    """Which states are compared: the first, the last, and some in between."""
    return np.unique(np.linspace(0, batch - 1, SAMPLE).astype(int))


def cell(cupy, call, given, right):
    """Microseconds of a kernel and the error, worst of before and after; `right` are the results of
    the sample."""
    begin = time.perf_counter()
    replay, results = graph_of(cupy, call, given)
    first = time.perf_counter() - begin
    error = [_error(cupy, replay, results, right)]
    seconds = microseconds(cupy, replay) * 1e-6
    error.append(_error(cupy, replay, results, right))
    return {"us": seconds * 1e6, "error": max(error), "first_s": first}


def _error(cupy, replay, results, right):
    replay()
    made = [cupy.asnumpy(each) for each in (results if isinstance(results, tuple) else (results,))]
    if not all(np.isfinite(each).all() for each in made):
        return float("nan")
    chosen = sample_of(len(made[0]))
    return max(
        peers.relative_error(each[chosen], exact) for each, exact in zip(made, right, strict=True)
    )


def microseconds(cupy, replay):
    """The best of several rounds, per call, by the GPU's own clock."""
    start, stop = cupy.cuda.Event(), cupy.cuda.Event()
    best = float("inf")
    for _ in range(ROUNDS):
        replay()
        start.record()
        for _ in range(REPLAYS):
            replay()
        stop.record()
        stop.synchronize()
        best = min(best, cupy.cuda.get_elapsed_time(start, stop))
    return best * 1e3 / (REPLAYS * IN_GRAPH)


def floor(cupy):
    """Microseconds of a launch that copies one number."""
    kernel = cupy.RawKernel(
        'extern "C" __global__ void one(float *x) { x[0] += 1; }', "one", options=("--std=c++17",)
    )
    x = cupy.zeros(1, "float32")
    return microseconds(cupy, cuda_graph(cupy, partial(kernel, (1,), (1,), (x,)), IN_GRAPH))


def in_processes(job, every, seconds):
    """(arguments, what `job` returns) for all arguments, side by side. In place of a result is the
    error of a job that failed, or was not done so many seconds after the start; None: no limit."""
    workers = max(1, len(os.sched_getaffinity(0)) - 1)
    late = None if seconds is None else time.monotonic() + seconds
    processes = multiprocessing.get_context("spawn")
    with processes.Pool(workers) as pool:  # which is ended with all that is late
        made = [(arguments, pool.apply_async(job, arguments)) for arguments in every]
        for arguments, result in made:
            try:
                left = None if late is None else max(0.0, late - time.monotonic())
                yield arguments, result.get(left)
            except multiprocessing.TimeoutError:
                yield arguments, TimeoutError(f"not done in {seconds:.0f} s")
            except Exception as reason:
                yield arguments, reason


def prepare(folder, only, functions, batches, console, architecture=None):
    """(robot, function) -> the results of its samples, by batch, or why there are none. All kernels
    are in the disk cache then."""
    names = [name for name, _ in robots(folder, only)]
    # Those that take long to compile first.
    given = folder, only, batches, architecture
    every = [(*given, name, each) for each in reversed(functions) for name in reversed(names)]
    found, limit = {}, None if architecture else COMPILE_BUDGET
    for (*_, name, function), made in in_processes(_compiled, every, limit):
        if isinstance(made, Exception):
            found[name, function] = made
            console.print(f"{name} {function}: {told(made)}")
        else:
            seconds, found[name, function] = made
            console.print(f"{name} {function}: compiled in {seconds:.1f} s", style="dim")
    return found


def _compiled(folder, only, batches, architecture, wanted, function):
    robot, begin = named(folder, only, wanted), time.perf_counter()
    kernel = CudaKernel(function_body(robot, function), "float32", on=gpu_for(architecture))
    for batch in batches:
        compile_rows(kernel, batch)
    seconds = time.perf_counter() - begin
    return seconds, None if architecture else right_of(robot, function, batches)


def named(folder, only, wanted):
    return next(robot for name, robot in robots(folder, only) if name == wanted)


def gpu_for(architecture):
    """A device to compile for, or None for the GPU that is here."""
    return Absent(architecture) if architecture else None


def compile_rows(kernel, states):
    """Make a kernel for so many states in rows."""
    kernel.loaded((ROWS,) * (len(kernel.inputs) + len(kernel.outputs)), states)


def right_of(robot, function, batches):
    """batch -> the interpreter's results of its sample."""
    program = px.program(robot, function)
    return {batch: _interpreted(program, robot, function, batch) for batch in batches}


def _interpreted(program, robot, function, batch):
    given = [array[sample_of(batch)].astype(float) for array in states_of(robot, batch, function)]
    results = program.evaluate(**dict(zip(program.inputs, given, strict=True)))
    return [*results.values()] if isinstance(results, dict) else [results]


def measure(cupy, folder, only, functions, batches, console):
    rows, right = [], prepare(folder, only, functions, batches, console)
    for name, robot in robots(folder, only):
        for function in functions:
            for batch in batches:
                row = {"robot": name, "function": function, "states": batch}
                if isinstance(right[name, function], Exception):
                    rows.append(row | {"missing": told(right[name, function])})
                    continue
                try:
                    given = states_of(robot, batch, function)
                    call = partial(getattr(px, function), robot)
                    row |= cell(cupy, call, given, right[name, function][batch])
                    console.print(f"{name} {function} {batch}: {row['us']:.2f} us", style="dim")
                except Exception as reason:  # others go on
                    row["missing"] = told(reason)
                rows.append(row)
    return rows


def show(rows, batches, console):
    table = Table("robot", "function", *(f"{batch:,}" for batch in batches), "error", "first call")
    for robot, function in dict.fromkeys((row["robot"], row["function"]) for row in rows):
        cells = [row for row in rows if (row["robot"], row["function"]) == (robot, function)]
        errors = [row["error"] for row in cells if "error" in row]
        times = [row["first_s"] for row in cells if "error" in row]
        table.add_row(
            robot,
            function,
            *(_text(row) for row in cells),
            f"{max(errors):.0e}" if errors else "",
            f"{max(times):.1f} s" if times else "",
        )
    console.print(table)


def _text(row):
    if "missing" in row:
        return row["missing"]
    return f"{row['us']:.2f}" + ("" if row["error"] <= TOLERANCE else ", WRONG")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", type=Path, help="a folder of URDF files")
    parser.add_argument("--only", nargs="*", default=[], help="names of robots")
    parser.add_argument("--functions", nargs="*", default=FUNCTIONS)
    parser.add_argument("--batches", nargs="*", type=int, default=BATCHES)
    parser.add_argument("--choices", action="store_true", help="both a thread and a warp per state")
    parser.add_argument("--prepare", metavar="ARCHITECTURE", help="only compile, as for sm_90")
    parser.add_argument("--json", type=Path, help="where to write the numbers")
    options = parser.parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 160)
    # gpu_choices uses this file
    part = import_module("gpu_choices") if options.choices else sys.modules[__name__]
    given = options.robots, options.only, options.functions, options.batches, console
    if options.prepare:
        part.prepare(*given, options.prepare)
        return
    cupy = import_module("cupy")
    least = floor(cupy)
    rows = part.measure(cupy, *given)
    peers.keep(Gpu().about() | {"floor_us": least, "rows": rows}, options.json)
    console.print(f"Microseconds of a kernel; a launch that does nothing takes {least:.2f}")
    part.show(rows, options.batches, console)


if __name__ == "__main__":
    main()
