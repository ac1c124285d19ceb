"""Paraxis beside GRiD (the package grid-rbd 0.6) on one GPU, by GRiD's own protocol.

    python benchmarks/gpu_grid.py --robots FOLDER [--only ROBOT ...] [--functions NAME ...]
        [--batches N ...] [--kinds NAME ...] [--json FILE]

FOLDER has iiwa14.urdf, go2.urdf and g1_29dof_rev_1_0.urdf. Both sides have their data on the GPU,
float32, in the same order of joints, a free base by Pinocchio's conventions. Four times are taken:
of the kernel alone, 20 times in a CUDA graph; of GRiD's call with its copies captured in such a
graph, beside our kernel; of a whole call from PyTorch; of a whole call jitted in JAX. Calls are
queued one after another and the clock stops when the last is done. Ours and GRiD's take turns. All
results are compared with the CPU's in float64, before and after. Of derivatives of forward
dynamics ours are three, by the torques too, and GRiD's two.

GRiD is tuned for the GPU at hand as far as its package allows: in each cell its kernel is launched
with every number of threads per state that it takes, and the fastest is used in all times.
Its tiers of shared memory are fixed when a robot is built, by the settings that it ships.
"""

import argparse
import gc
import os
import sys
import time
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from importlib import import_module
from multiprocessing import TimeoutError, get_context
from pathlib import Path

import numpy as np
import peers
from gpu_calls import IN_GRAPH, Row, measured
from gpu_clock import Gpu
from gpu_functions import load, told
from gpu_kernel_nodes import Driver, only_kernel
from gpu_small_batches import BATCHES, FUNCTIONS, graph_of, states_of
from peers.grid_calls import AS_SHIPPED, as_returned, listed, raw_shape
from rich.console import Console
from rich.table import Table

import paraxis as px

ROBOTS = {  # name -> (file, whether its base is free)
    "iiwa14": ("iiwa14.urdf", False),
    "go2": ("go2.urdf", False),
    "g1_29dof": ("g1_29dof_rev_1_0.urdf", False),
    "go2_free": ("go2.urdf", True),
    "g1_29dof_free": ("g1_29dof_rev_1_0.urdf", True),
}
LEAST = {"kernel": 5.0, "captured": 5.0, "PyTorch": 2.0, "JAX": 2.0}  # GRiD's time divided by ours
ROUNDS, REPLAYS = 5, 20
LOOK, LOOKS = 2, 4  # rounds and replays by which threads are chosen
CALL_ROUNDS, CALLS = 5, 200
COMPILE_BUDGET = 150.0  # seconds for all of our kernels
TOLERANCE = 2e-2  # of float32; ours is 1e-3 off where a humanoid's mass matrix is solved with


class Cell:
    """A function of a robot on a batch of states, with the CPU's answer."""

    def __init__(self, robot, function, batch):
        self.robot, self.function, self.batch = robot, function, batch
        self.given = states_of(robot, batch, function)
        exact = [array.astype(float) for array in self.given]
        self._right = _listed(self.ours(*exact))

    def ours(self, *given, **options):
        return getattr(px, self.function)(self.robot, *given, **options)

    def error(self, results):
        """The error of a result or of several, per state, the worst."""
        pairs = zip(_listed(results), self._right, strict=False)  # GRiD has no d/dtau
        found = [peers.relative_error(np.asarray(each), right) for each, right in pairs]
        return np.inf if np.isnan(found).any() else max(found)

    def checked(self, ours, theirs):
        """A function that compares both, and says who is wrong."""

        def error():
            found = {"ours": self.error(ours()), "GRiD's": self.error(theirs())}
            for who, wrong in found.items():
                if wrong > TOLERANCE:
                    raise ArithmeticError(f"{who} is {wrong:.0e} off the CPU's")
            return max(found.values())

        return error


def _listed(results):
    return list(results) if isinstance(results, (list, tuple)) else [results]


class Grid:
    """GRiD's side: its robot, in PyTorch and in JAX."""

    def __init__(self, name, robot, path, is_free):
        self._joints = robot.joint_names[is_free:]  # but the free one
        self._made_from = name, path, is_free

    @cached_property
    def torch(self):
        return self._made("torch")

    @cached_property
    def jax(self):
        return self._made("jax")

    @cached_property
    def _driver(self):
        return Driver()

    def _made(self, library):
        made = peers.GridPeer(*self._made_from, library, max(BATCHES))
        made.expect_joints(self._joints)
        return made

    def use_threads(self, count):
        for name in ("torch", "jax"):  # those that are there
            if name in self.__dict__:
                self.__dict__[name].use_threads(count)

    def captured(self, cell, threads, times):
        """Calls from PyTorch as a CUDA graph, the result of the last, and what they read.

        Around its kernel GRiD copies arguments and results.
        """
        torch, peer = import_module("torch"), self.torch
        peer.use_threads(threads)
        given = [torch.asarray(array, device="cuda") for array in cell.given]
        graph, stream = torch.cuda.CUDAGraph(keep_graph=True), torch.cuda.Stream()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            call = partial(peer.function(cell.function), *given)
            call()  # the copies of its arguments stay where the kernel reads them
            stream.synchronize()
            with nothing_freed():
                graph.capture_begin()
                for _ in range(times):
                    result = call()
                graph.capture_end()
        graph.instantiate()
        return graph, result, given

    def kernel_alone(self, cupy, cell, threads):
        """A replay of its kernel, IN_GRAPH times, and where it leaves its result."""
        graph, *_ = self.captured(cell, threads, 1)
        name = self.torch.kernel_name(cell.function)
        kernel = only_kernel(self._driver, graph.raw_cuda_graph(), name)
        shape = raw_shape(cell.function, cell.batch, cell.robot.nq, cell.robot.nv)
        return self._driver.repeated(kernel, IN_GRAPH), _there(cupy, kernel.first_argument, shape)


@contextmanager
def nothing_freed():
    """Without collecting garbage: PyTorch's captures forbid freeing memory of a GPU meanwhile."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _there(cupy, pointer, shape):
    memory = cupy.cuda.UnownedMemory(pointer, 4 * int(np.prod(shape)), None)
    return cupy.ndarray(shape, "float32", cupy.cuda.MemoryPointer(memory, 0))


# -- the times ---------------------------------------------------------------------------


def in_turns(cupy, replays, rounds=ROUNDS, times=REPLAYS):
    """Microseconds of a kernel of each of several graphs, the best, by the GPU's own clock."""
    start, stop = cupy.cuda.Event(), cupy.cuda.Event()
    best = dict.fromkeys(replays, float("inf"))
    for _ in range(rounds):
        for name, replay in replays.items():
            replay()
            start.record()
            for _ in range(times):
                replay()
            stop.record()
            stop.synchronize()
            best[name] = min(best[name], cupy.cuda.get_elapsed_time(start, stop))
    return {name: value * 1e3 / (times * IN_GRAPH) for name, value in best.items()}


def tuned(grid, cell):
    """threads -> microseconds of GRiD's kernel."""
    cupy = import_module("cupy")
    graphs = {AS_SHIPPED: grid.kernel_alone(cupy, cell, AS_SHIPPED)[0]}
    for count in grid.torch.threads(cell.function):
        with suppress(RuntimeError):  # too many for its registers
            graphs[count] = grid.kernel_alone(cupy, cell, count)[0]
    return in_turns(cupy, graphs, LOOK, LOOKS)


def kernel(grid, cell, threads):
    cupy = import_module("cupy")
    theirs, raw = grid.kernel_alone(cupy, cell, threads)

    def of_theirs():
        cupy.multiply(raw, 2, out=raw)  # what is not written again is wrong; zeros may stay
        theirs()
        return listed(as_returned(cupy.asnumpy(raw), cell.robot.nv))

    return _beside_our_kernel(cupy, cell, theirs, of_theirs)


def captured(grid, cell, threads):
    """GRiD's call from PyTorch in a CUDA graph, beside our kernel."""
    graph, result, _given = grid.captured(cell, threads, IN_GRAPH)  # kept, as the graph reads it

    def of_theirs():
        result.fill_(float("nan"))
        graph.replay()
        return listed(result.cpu().numpy())

    return _beside_our_kernel(import_module("cupy"), cell, graph.replay, of_theirs)


def _beside_our_kernel(cupy, cell, theirs, of_theirs):
    ours, results = graph_of(cupy, cell.ours, cell.given)

    def of_ours():
        for array in _listed(results):
            array[...] = float("nan")
        ours()
        return [cupy.asnumpy(array) for array in _listed(results)]

    error = cell.checked(of_ours, of_theirs)
    wrong = [error()]
    found = in_turns(cupy, {"ours_us": ours, "theirs_us": theirs})
    return found | {"error": max(*wrong, error())}


def from_torch(grid, cell, threads, device="cuda"):
    torch = import_module("torch")
    given = [torch.asarray(array, device=device) for array in cell.given]
    ours = partial(cell.ours, *given)
    theirs = partial(grid.torch.function(cell.function), *given)
    grid.use_threads(threads)
    error = cell.checked(
        lambda: [array.cpu().numpy() for array in _listed(ours())],
        lambda: listed(theirs().cpu().numpy()),
    )
    wait = torch.cuda.synchronize if device == "cuda" else int
    return _called(ours, theirs, error, wait)


def from_jax(grid, cell, threads):
    import jax

    import paraxis.jax as pj

    given = [jax.device_put(array) for array in cell.given]
    last = []

    def kept(function):
        call = jax.jit(lambda *x: function(*x))

        def run():
            last[:] = [call(*given)]
            return last[0]

        return run

    method = grid.jax.function(cell.function)
    grid.use_threads(threads)
    ours = kept(partial(getattr(pj, cell.function), cell.robot))
    theirs = kept(method)
    error = cell.checked(
        lambda: [np.asarray(array) for array in _listed(ours())],
        lambda: listed(np.asarray(theirs())),
    )
    return _called(ours, theirs, error, lambda: jax.block_until_ready(last))


def _called(ours, theirs, error, wait):
    row = Row("call", ours, theirs, "GRiD", 1.0, error, wait, tolerance=TOLERANCE)
    found = measured(row, CALL_ROUNDS, CALLS)
    return {name: found[name] for name in ("ours_us", "theirs_us", "error")}


KINDS = {"kernel": kernel, "captured": captured, "PyTorch": from_torch, "JAX": from_jax}


# -- all of it ---------------------------------------------------------------------------------


def loaded(path, is_free):
    robot = load(str(path))
    return robot.with_floating_base() if is_free else robot


def prepare(robots, functions, batches, console):
    """Make our kernels and the CPU's in processes side by side: they are in the disk cache then.
    Returns what of (*robot, function) was not ready in time."""
    # Those that take long to compile first.
    wanted = [(*key, each) for each in reversed(functions) for key in reversed(robots)]
    workers = max(1, len(os.sched_getaffinity(0)) - 1)
    late, missing = time.monotonic() + COMPILE_BUDGET, set()
    with get_context("spawn").Pool(workers) as pool:  # which is ended with all that is late
        jobs = [
            (key, target, pool.apply_async(_compiled, (*key, batch, target)))
            for key in wanted
            for target, batch in (("cuda", max(batches)), ("cuda", min(batches)), ("cpu", 1))
        ]  # few states may have a kernel of their own
        for key, target, made in jobs:
            path, is_free, function = key
            name = f"{path.stem}{', free' if is_free else ''} {function} {target}"
            try:
                seconds = made.get(max(0.0, late - time.monotonic()))
                console.print(f"{name}: compiled in {seconds:.1f} s", style="dim")
            except TimeoutError:
                missing.add(key)
            except Exception as reason:  # which its cells will name too
                console.print(f"{name}: {told(reason)}")
    return missing


def _compiled(path, is_free, function, batch, target):
    robot, begin = loaded(path, is_free), time.perf_counter()
    if target == "cpu":
        Cell(robot, function, batch)
    else:
        given = states_of(robot, batch, function)
        getattr(px, function)(robot, *map(import_module("cupy").asarray, given))
    return time.perf_counter() - begin


def measure(robots, functions, batches, kinds, missing=(), late=float("inf")):
    """A row for each time of each cell; `robots` is name -> (URDF, whether its base is free).
    Those that are `missing` are left out, and none begins after `late`."""
    for name, key in robots.items():
        robot = loaded(*key)
        grid = Grid(name, robot, *key)
        for function in functions:
            for batch in batches:
                reason = None
                if (*key, function) in missing:
                    reason = f"ours or the CPU's not compiled in {COMPILE_BUDGET:.0f} s"
                elif time.monotonic() > late:
                    reason = "no time left"
                if reason:
                    found = [{"time": kind, "missing": reason} for kind in kinds]
                else:
                    found = times_of(grid, Cell(robot, function, batch), kinds)
                for row in found:
                    yield {"robot": name, "function": function, "states": batch} | row


def times_of(grid, cell, kinds):
    threads, tuning = AS_SHIPPED, {}
    try:
        tuning = tuned(grid, cell)
        threads = min(tuning, key=tuning.get)
    except Exception as reason:  # calls go on with the threads that GRiD ships
        tuning = {"not tuned": told(reason)}
    for kind in kinds:
        row = {"time": kind, "threads": threads, "tuning_us": tuning, "least": LEAST[kind]}
        try:
            row |= KINDS[kind](grid, cell, threads)
            row["ratio"] = row["theirs_us"] / row["ours_us"]
            row["holds"] = row["ratio"] >= row["least"]
        except Exception as reason:  # others go on
            row["missing"] = told(reason)
        yield row


def text(row):
    if "missing" in row:
        return row["missing"]
    times = f"{row['ours_us']:.1f} / {row['theirs_us']:.1f} = {row['ratio']:.1f} x"
    return times + ("" if row["holds"] else f", below {row['least']:g}")


def show(rows, batches, console):
    table = Table(
        "robot", "function", "time", *(f"{batch:,}" for batch in batches), "threads", "error"
    )
    for key in dict.fromkeys((row["robot"], row["function"], row["time"]) for row in rows):
        cells = [row for row in rows if (row["robot"], row["function"], row["time"]) == key]
        errors = [row["error"] for row in cells if "error" in row]
        threads = [str(row.get("threads") or "shipped") for row in cells]
        table.add_row(
            *key, *map(text, cells), " ".join(threads), f"{max(errors):.0e}" if errors else ""
        )
    console.print(table)
    for kind, least in LEAST.items():
        asked = [row for row in rows if row["time"] == kind]
        ratios = [row["ratio"] for row in asked if "ratio" in row]
        if asked:
            held = sum(row.get("holds", False) for row in asked)
            worst = f", the lowest {min(ratios):.2f} x" if ratios else ""
            console.print(f"{kind}: {held} of {len(asked)} cells at least {least:g} x{worst}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", type=Path, required=True, help="a folder of URDF files")
    parser.add_argument("--only", nargs="*", choices=ROBOTS, default=list(ROBOTS))
    parser.add_argument("--functions", nargs="*", choices=FUNCTIONS, default=FUNCTIONS)
    parser.add_argument("--batches", nargs="*", type=int, default=BATCHES)
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    parser.add_argument("--seconds", type=float, default=float("inf"), help="to begin cells in")
    parser.add_argument("--json", type=Path, help="where to write the numbers")
    options = parser.parse_args(arguments)
    late = time.monotonic() + options.seconds
    console = Console(width=None if sys.stdout.isatty() else 200)
    about, rows = Gpu().about(), []
    robots = {
        name: (options.robots / file, is_free)
        for name, (file, is_free) in ROBOTS.items()
        if name in options.only
    }
    kernels = options.functions, options.batches
    missing = prepare(list(robots.values()), *kernels, console)
    for row in measure(robots, *kernels, options.kinds, missing, late):
        rows.append(row)
        peers.keep(about | {"rows": rows}, options.json)  # what is there, should the GPU fail
        console.print(
            f"{row['robot']} {row['function']} {row['states']} {row['time']}: {text(row)}"
        )
    console.print("Microseconds, ours / GRiD's")
    show(rows, options.batches, console)


if __name__ == "__main__":
    main()
