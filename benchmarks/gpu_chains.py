"""One long chain on a GPU: forward and inverse dynamics in logarithmic time, beside one CPU core.

    python benchmarks/gpu_chains.py [--quick] [--json FILE]

Times are those of calls as a user makes them, on arrays that are there, queued one after another;
`queue_us` is how long a call takes to return. `serial_ms` is the compiled serial recursion on one
core of the same machine, in the same run. Memory is what the GPU keeps for the chain.
"""

import argparse
import gc
from pathlib import Path
from time import perf_counter

import chain_reference as reference
import peers
from general_chain import error, general_chain, state_of
from rich.console import Console
from rich.table import Table

import paraxis as px
from paraxis.chains.links import links

LENGTHS = tuple(2**k for k in (10, 12, 14, 16, 17, 18, 20))
QUICK = tuple(2**k for k in (10, 16, 17))
COMPARED = 2**16  # links, up to which results are compared with extended precision
INPUTS = {"forward_dynamics": ("q", "qd", "tau"), "inverse_dynamics": ("q", "qd", "qdd")}


def measure(gpu, quick=False):
    """All rows: one for each length and function."""
    found = []
    for n in QUICK if quick else LENGTHS:
        robot = general_chain(n)
        found += [measure_chain(gpu, robot, function) for function in INPUTS]
    return found


def measure_chain(gpu, robot, function):
    vectors = dict(zip(("q", "qd", "qdd", "tau"), state_of(robot), strict=True))
    state = [vectors[name] for name in INPUTS[function]]
    there = [gpu.to_device(vector) for vector in state]
    call = px.chains.chain_dynamics(robot, function, target="cuda")
    gc.collect()  # an earlier chain may be held by a cycle
    before = _used(gpu)
    result = gpu.to_host(call(*there))  # which compiles
    row = {"function": function, "n": robot.n, "gpu_mib": (_used(gpu) - before) / 2**20}
    call(*there)  # which records
    row["ms"] = 1e3 * gpu.seconds(lambda: call(*there))
    gpu.wait()
    begin = perf_counter()
    call(*there)
    row["queue_us"] = 1e6 * (perf_counter() - begin)
    compute = getattr(px, function)
    serial = peers.best_time(lambda: compute(robot, *state, algorithm="serial"), 3)
    row |= {"serial_ms": 1e3 * serial, "times_serial": 1e3 * serial / row["ms"]}
    if robot.n <= COMPARED:
        row["error"] = error(result, _exact(robot, function, state))
    return row


def _used(gpu):
    """Bytes of all arrays there are."""
    return gpu.arrays.get_default_memory_pool().used_bytes()


def _exact(robot, function, state):
    found = getattr(reference, function)(links(robot), *state)
    return found[0] if isinstance(found, tuple) else found  # without what joints carry


def goals(rows):
    """What forward dynamics is to reach -> what it did."""
    by = {row["n"]: row for row in rows if row["function"] == "forward_dynamics"}
    asked = {
        "ms at 2^20 (at most 10)": lambda: by[2**20]["ms"],
        "GPU MiB at 2^20 (below 4096)": lambda: by[2**20]["gpu_mib"],
        "time at 2^16 over that at 2^10 (at most 3)": lambda: by[2**16]["ms"] / by[2**10]["ms"],
        "times one core at 2^17 (at least 20)": lambda: by[2**17]["times_serial"],
        "error at 2^16 (within 1e-9)": lambda: by[2**16]["error"],
    }
    reached = {}
    for goal, value in asked.items():
        try:
            reached[goal] = value()
        except KeyError:  # a length that was not measured
            continue
    return reached


def show(rows, console):
    table = Table(title="One chain on the GPU, float64")
    heads = ("function", "links", "ms", "ns per link", "queued, µs", "MiB", "one core, ms", "times")
    for k, head in enumerate((*heads, "error")):
        table.add_column(head, justify="right" if k else "left")
    for row in rows:
        n, ms = row["n"], row["ms"]
        cells = (ms, 1e6 * ms / n, row["queue_us"], row["gpu_mib"], row["serial_ms"])
        table.add_row(
            row["function"],
            f"{n:,}",
            *(f"{cell:,.3g}" for cell in cells),
            f"{row['times_serial']:.1f}",
            f"{row['error']:.0e}" if "error" in row else "",
        )
    console.print(table)
    for goal, value in goals(rows).items():
        console.print(f"{goal}: {value:.3g}")


def main():
    from gpu_clock import Gpu

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="three lengths only")
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    gpu = Gpu()
    results = gpu.about() | {"chains": measure(gpu, options.quick)}
    show(results["chains"], Console(width=140))
    peers.keep(results, options.json)


if __name__ == "__main__":
    main()
