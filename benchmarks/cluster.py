"""What a cluster costs: the same work through Dask and through px.sweep, beside plain NumPy.

Both sides take turns within one run, so that other work on the machine disturbs them alike. There
are two ratios, medians over the rounds: of wall time, and of the CPU time of all processes of a
side together, which varies less.

- states: inverse dynamics of a UR5 through a local cluster of processes with a thread each, and in
  one process with as many threads. Nothing is stored; every process has its blocks of states.
- stored: the same by px.sweep into Zarr, beside as many processes that write and flush as many
  bytes to files.
- loops: closed loops by px.sweep with as many processes, and by one call in one process.
- start: from the start of a Python process to the first committed block, with kernels cached.
- overhead: seconds per block of a sweep whose function does nothing.
- processes: states per second by 1 to 4 processes.
- load: how busy a scheduler of the measured rate keeps up to 10,000 workers, simulated
  (scheduler_load.py).

    python benchmarks/cluster.py [--quick] [--json benchmarks/results/cluster.json]
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from functools import cache, partial
from pathlib import Path
from statistics import median

import numpy as np
import peers
from rich.console import Console
from rich.table import Table
from scheduler_load import utilisation

import paraxis as px
from paraxis.sweeps.engine import client_of
from paraxis.sweeps.files import Folder
from paraxis.targets.blocks import Place, Recipe, Result, over_blocks

RESULTS = Path(__file__).parent / "results" / "cluster.json"
BLOCK = 8_000_000  # states: 384 MB per array
ROBOT = "ur5"
WORKERS = (100, 1_000, 10_000)
BLOCK_SECONDS = (0.1, 1.0, 10.0, 30.0, 60.0)


def cluster_of(processes):
    """A client of so many processes with a thread each, as px.sweep begins them."""
    return client_of(processes, None)


# -- states ----------------------------------------------------------------------------------------


@cache
def states(count):
    """q, qd and qdd of a block, made once in each process."""
    return np.random.default_rng(0).uniform(-2, 2, (3, count, 6))


def last(count, number):
    """Inverse dynamics of a block; the torques of its last state."""
    return px.inverse_dynamics(_robot(), *states(count))[-1:].copy()


@cache
def _robot():
    return px.load(ROBOT)


def _last(count):
    return partial(last, count)


def lazy_blocks(blocks, count):
    """The same as a Dask array with a row per block."""
    import dask.array as da

    numbers = da.arange(blocks, chunks=1)
    recipe = Recipe("inverse_dynamics", _last, count)
    (found,) = over_blocks(recipe, [numbers], [Place(0, 0)], [Result((), (6,), np.dtype(float))])
    return found


def measure_states(client, blocks, count, rounds):
    """States per second by a cluster and by one process; the torques must be the same."""
    expected = last(count, 0)
    lazy = lazy_blocks(blocks, count)
    found = client.compute(lazy).result()  # warm: kernels loaded, states made
    assert found.shape == (blocks, 6) and (found == expected).all()
    each = {"cluster": [], "here": []}
    for k in range(rounds):
        lazy = lazy_blocks(blocks, count)
        sides = {
            "cluster": lambda lazy=lazy: client.compute(lazy).result(),
            "here": lambda: [last(count, number) for number in range(blocks)],
        }
        for name in in_turns(each, k):
            each[name].append(spent(client, sides[name]))
    return rates(each, blocks * count)


# -- stored ----------------------------------------------------------------------------------------


def torques(count, block):
    """Inverse dynamics of the states at hand, as the result of a single block."""
    return px.inverse_dynamics(_robot(), *states(count))[None]


def write(folder, count, number):
    """As many bytes as the torques of a block."""
    content = memoryview(states(count)[0]).cast("B")
    Folder(folder).write(f"c/{number}/0", content)


def measure_stored(client, blocks, count, rounds, folder):
    """States per second by px.sweep into Zarr, beside writing as many bytes, and computing them."""
    each = {"sweep": [], "write": [], "compute": []}
    for k in range(rounds + 1):  # the first warms up
        store, plain = (os.path.join(folder, f"{k}{end}") for end in (".zarr", ""))
        lazy = lazy_blocks(blocks, count)
        run = partial(px.sweep, partial(torques, count), {"block": np.arange(blocks)}, store)
        sides = {
            "sweep": partial(run, block=1, scheduler=client),
            "write": partial(written, client, plain, count, blocks),
            "compute": lambda lazy=lazy: client.compute(lazy).result(),
        }
        for name in in_turns(each, k):
            each[name].append(spent(client, sides[name]))
        shutil.rmtree(store)
        shutil.rmtree(plain)
    each = {name: seconds[1:] for name, seconds in each.items()}
    found = rates(each, blocks * count)
    # a worker computes and then writes: what both cost, each done alone
    both = [*zip(each["write"], each["compute"], each["sweep"], strict=True)]
    for k, key in enumerate(("ratio_of_both", "cpu_ratio_of_both")):
        found[key] = median((write[k] + own[k]) / sweep[k] for write, own, sweep in both)
    return found | {"bytes": blocks * count * 48}


def written(client, folder, count, blocks):
    client.gather(client.map(partial(write, folder, count), range(blocks), pure=False))


# -- closed loops ----------------------------------------------------------------------------------


def loops(period, index):
    """The errors of closed loops with jitter."""
    options = {"duration": 1.0, "jitter": 0.1, "index": index}
    return px.control.closed_loop(*_arm(), swing, period, **options).error


@cache
def _arm():
    robot = px.load("planar3")
    return robot, px.control.computed_torque(robot, 100.0, 20.0)


def swing(t):
    s, c = px.math.sin(2.0 * t), px.math.cos(2.0 * t)
    return [0.5 * s] * 3, [1.0 * c] * 3, [-2.0 * s] * 3


def measure_loops(client, runs, block, rounds, folder):
    """Runs per second by px.sweep, and by one call; the errors must be the same."""
    space = px.sweeps.sampled(runs, period=(0.002, 0.02))
    each, values, expected = {"sweep": [], "here": []}, space.values((slice(0, runs),)), []
    index = np.arange(runs)
    for k in range(rounds + 1):  # the first warms up
        store = os.path.join(folder, f"loops{k}.zarr")
        run = partial(px.sweep, loops, space, store, block=block)
        sides = {
            "sweep": partial(run, scheduler=client),
            "here": lambda: expected.append(loops(**values, index=index)),
        }
        for name in in_turns(each, k):
            each[name].append(spent(client, sides[name]))
        assert run().open().result.values.tobytes() == expected[-1].tobytes()
        shutil.rmtree(store)
    return rates({name: seconds[1:] for name, seconds in each.items()}, runs)


# -- starts and overheads --------------------------------------------------------------------------

START = """
import sys, time
import paraxis as px

def function(q):
    return px.gravity_torques(px.load("ur5"), q)

if __name__ == "__main__":
    where = {"workers": int(sys.argv[2])} if int(sys.argv[2]) else {}
    px.sweep(function, px.sweeps.sampled(200, q=([-1.0] * 6, 1.0)), sys.argv[1], block=100, **where)
"""


def measure_start(workers, rounds, folder):
    """Seconds from the start of a process to the first committed block."""
    script = os.path.join(folder, "start.py")
    Path(script).write_text(START)
    found = []
    for k in range(rounds + 1):  # the first fills the cache
        store = os.path.join(folder, f"start{workers}{k}.zarr")
        begin = time.time()
        subprocess.run([sys.executable, script, store, str(workers)], check=True)
        first = min(path.stat().st_mtime for path in Path(store, "blocks", "c").iterdir())
        found.append(first - begin)
        shutil.rmtree(store)
    return min(found[1:])


def nothing(x):
    return x


def measure_overhead(client, blocks, folder):
    """Seconds per block of a function that does nothing: in this process, and on the cluster."""
    found = {}
    for name, more in (("here", {}), ("cluster", {"scheduler": client})):
        given = {"x": np.arange(float(blocks))}, os.path.join(folder, f"nothing-{name}.zarr")
        run = partial(px.sweep, nothing, *given, block=1, **more)
        found[name] = timed(run) / blocks
    return found


def measure_tasks(client, count):
    """Tasks per second that this scheduler takes: those of px.sweep that do nothing."""
    from paraxis.sweeps.engine import on_cluster

    recipe = Recipe("nothing", _nothing)
    seconds = timed(lambda: [*on_cluster(client, recipe, range(count))])
    return count / seconds


def _nothing():
    return nothing


# -- all -------------------------------------------------------------------------------------------


def timed(run):
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def in_turns(names, k):
    """The names, in the opposite order every other round: who comes second finds warmer memory."""
    return [*names][:: 1 if k % 2 else -1]


def spent(client, run):
    """Seconds, and seconds of CPU of this process and all workers together."""
    before, begin = cpu_of(client), time.perf_counter()
    run()
    took = time.perf_counter() - begin
    return took, cpu_of(client) - before


def cpu_of(client):
    return time.process_time() + sum(client.run(time.process_time).values())


def rates(each, count):
    """Of names with what each round took: how many per second, and the median ratios of the first
    two."""
    first, second, *_ = each
    pairs = [*zip(each[first], each[second], strict=True)]
    ratios, of_cpu = ([b[k] / a[k] for a, b in pairs] for k in range(2))
    return {name: count / median(t for t, _ in took) for name, took in each.items()} | {
        "ratio": median(ratios),
        "ratios": ratios,
        "cpu_ratio": median(of_cpu),
        "cpu_ratios": of_cpu,
        "total": count * len(ratios),
        "count": count,
    }


def measure(quick=False, processes=2):
    """Everything, as a dict."""
    blocks, rounds, runs = (4, 1, 2_000) if quick else (25, 6, 100_000)
    count = 10_000 if quick else BLOCK
    found = {}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with cluster_of(processes) as client:
            found["states"] = measure_states(client, blocks, count, rounds)
            some = max(2, blocks // 4)
            found["stored"] = measure_stored(client, some, count, min(rounds, 4), folder)
            found["loops"] = measure_loops(client, runs, runs // 10, min(rounds, 4), folder)
            found["overhead"] = measure_overhead(client, 20 if quick else 300, folder)
            found["tasks_per_s"] = measure_tasks(client, 50 if quick else 2_000)
        found["start"] = {
            "here": measure_start(0, 1 if quick else 3, folder),
            "cluster": measure_start(processes, 1 if quick else 3, folder),
        }
        found["processes"] = {}
        for number in (1, 2) if quick else (1, 2, 3, 4):
            with cluster_of(number) as client:
                row = measure_states(client, blocks // 2, count // 2, 1 if quick else 3)
                found["processes"][str(number)] = row["cluster"]
    found["load"] = [
        {"workers": workers, "seconds": seconds,
         "busy": utilisation(workers, seconds, found["tasks_per_s"])}
        for workers in ((10,) if quick else WORKERS)
        for seconds in BLOCK_SECONDS
    ]  # fmt: skip
    return found


def show(found, console):
    table = Table("what", "through the cluster", "beside it", "ratio", "ratio of CPU")
    for name, first, second in (
        ("states", "cluster", "here"),
        ("stored", "sweep", "write"),
        ("loops", "sweep", "here"),
    ):
        row = found[name]
        cells = [f"{row[first]:,.4g}/s", f"{row[second]:,.4g}/s"]
        cells += [f"{row['ratio']:.3f}", f"{row['cpu_ratio']:.3f}"]
        table.add_row(f"{name}, {row['count']:,}", *cells)
    console.print(table)
    console.print(
        f"first block after {found['start']['here']:.2f} s in one process, "
        f"{found['start']['cluster']:.2f} s on a cluster; overhead per block "
        f"{1e3 * found['overhead']['here']:.2f} ms in one process, "
        f"{1e3 * found['overhead']['cluster']:.2f} ms on a cluster; "
        f"{found['tasks_per_s']:,.0f} tasks per second"
    )
    for number, rate in found["processes"].items():
        console.print(f"{number} processes: {rate:,.4g} states/s")
    for row in found["load"]:
        console.print(f"{row['workers']:,} workers, {row['seconds']:g} s: {row['busy']:.1%} busy")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    found = {"machine": peers.machine()} | measure(arguments.quick)
    show(found, Console())
    peers.keep(found, arguments.json)


if __name__ == "__main__":
    main()
