"""What Dask and Zarr cost beside plain NumPy, and what a scheduler leaves of a large cluster."""

from .text import machine, markdown, setting, with_notes

CONDITIONS = (
    "float64",
    "fixed base",
    "two worker processes with one thread each on two cores, beside one process with two threads",
    "wall: median (least to most) of the rounds; CPU: of all processes together",
)


def cluster_rows(found):
    """What a cluster costs as measured, and what it was meant to cost."""
    states, stored, loops = (found[name] for name in ("states", "stored", "loops"))
    processes = "; ".join(
        f"{number}: {rate / 1e6:,.1f} M" for number, rate in found["processes"].items()
    )
    overhead, start = found["overhead"], found["start"]

    def two(row, which=""):
        spread = f" ({min(row['ratios']):.2f} to {max(row['ratios']):.2f})" if not which else ""
        return f"{row['ratio' + which]:.2f}{spread} wall, {row['cpu_ratio' + which]:.2f} CPU"

    rows = [
        ["what", "measured", "aim"],
        [
            f"{states['total']:.2g} states of inverse dynamics of a UR5, nothing stored: rate over "
            f"that of one process ({states['cluster'] / 1e6:,.1f} M/s)",
            two(states),
            "0.85",
        ],
        [
            f"the same into Zarr ({stored['bytes'] / 1e9:.3g} GB a round): rate over that of "
            "writing the same bytes",
            two(stored),
            "0.85",
        ],
        ["the same, over computing and writing one after the other", two(stored, "_of_both"), ""],
        [
            f"{loops['count']:,} closed loops into Zarr: rate over that of one call in one process "
            f"({loops['sweep']:,.0f}/s)",
            two(loops),
            "0.85",
        ],
        ["overhead per block, one process", f"{1e3 * overhead['here']:.1f} ms", "10 ms"],
        ["overhead per block, cluster", f"{1e3 * overhead['cluster']:.1f} ms", "10 ms"],
        ["start of Python to the first block, one process", f"{start['here']:.1f} s", "3 s"],
        ["start of Python to the first block, two workers", f"{start['cluster']:.1f} s", "3 s"],
        ["tasks per second of the scheduler", f"{found['tasks_per_s']:,.0f}", ""],
        ["states per second by processes", processes, ""],
    ]
    command = "command: `python benchmarks/cluster.py`"
    return with_notes(rows, setting(*CONDITIONS, machine(found), command))


def utilisation(found):
    """What a scheduler of the measured rate leaves of a large cluster, as simulated."""
    durations = sorted({row["seconds"] for row in found["load"]})
    busy = {(row["workers"], row["seconds"]): row["busy"] for row in found["load"]}
    rows = [["workers", *(f"blocks of {each:g} s" for each in durations)]]
    for workers in sorted({workers for workers, _ in busy}):
        rows.append([f"{workers:,}", *(f"{busy[workers, each]:.0%}" for each in durations)])
    rate = f"{found['tasks_per_s']:,.0f}"
    return with_notes(
        markdown(rows),
        "The share of time in which workers are at work.",
        setting(
            f"simulated by `benchmarks/scheduler_load.py`, not measured: a scheduler of {rate} "
            "tasks per second, three blocks at hand per worker, durations that vary by 20 %"
        ),
    )


def answer(found):
    states, stored = (100 * found[name]["ratio"] for name in ("states", "stored"))
    return (
        f"Dask keeps {states:.0f} % of the rate of one process where nothing is stored. Sweeps "
        f"into Zarr run at {stored:.0f} % of the rate of writing the bytes alone. A block "
        f"costs {1e3 * found['overhead']['cluster']:.1f} ms, and one scheduler starts "
        f"{found['tasks_per_s']:,.0f} of them per second, so blocks should be long."
    )


ANSWER = ("cluster",), answer
TABLES = {"cluster": ("cluster", cluster_rows), "cluster_load": ("cluster", utilisation)}
