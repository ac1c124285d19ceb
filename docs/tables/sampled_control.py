"""Robots under sampled control beside Pinocchio and MuJoCo, and torques without synchronisation."""

from .text import machine, setting, times, with_notes


def closed_loop(data):
    """One line per loop: runs per second, and how many times as fast Paraxis is."""
    row = data["row"]
    ours = row["paraxis"]["exact"]
    loops = [(f"Paraxis, `{policy}`", speed) for policy, speed in row["paraxis"].items()]
    loops += [("Pinocchio, all runs at once", row["pinocchio_batch"])]
    loops += [("Pinocchio, run by run", row["pinocchio"]), ("MuJoCo, run by run", row["mujoco"])]
    rows = [["loop", "threads", "runs per second", "time per run", "Paraxis is faster by"]]
    for name, speed in loops:
        threads = "1" if name.endswith("run by run") else str(row["threads"])
        ratio = "" if name.startswith("Paraxis") else times(ours / speed)
        rows.append([name, threads, f"{speed:,.0f}", f"{1e3 / speed:.3g} ms", ratio])
    note = (
        "All runs at once: `rneaInParallel` and `abaInParallel` with NumPy in between. Run by run: "
        "`rnea` and `aba`, or `mj_inverse` and `mj_step`, in a Python loop, so that Python takes "
        f"most of the time. {row['runs']:,} runs take Paraxis {row['runs'] / ours:.2f} s."
    )
    return with_notes(
        rows,
        note,
        setting(
            f"computed torque on an arm of {row['links']} links on a fixed base, {row['steps']:,} "
            f"control steps of {data['period'] * 1e3:g} ms per run, one step of fourth-order "
            "Runge-Kutta each",
            "float64",
            f"batch of {row['runs']:,} runs",
            "call overhead included",
            machine(data, "pin", "mujoco"),
            "command: `python benchmarks/closed_loop.py`",
        ),
    )


def unsynchronised(data):
    """One line per robot and period: how stale the data were, and the error of the torques."""
    rows = [["robot", "period", "samples exact", "oldest data", "error: median", "99 %", "largest"]]
    for case in data["cases"]:
        for row in case["rows"]:
            error = [f"{row['error'][key]:.0e}" for key in ("median", "99%", "largest")]
            found = [f"{row['exact_samples']:.1%}", f"{row['torque_age']['largest']:,} samples"]
            rows.append([case["robot"], f"{row['period'] * 1e6:g} µs", *found, *error])
    note = (
        "Oldest data: the age of the oldest joint values behind a torque that was applied, which "
        "is large where the operating system stopped a thread. The error is max|Δ| / max(1, "
        "max|τ|) against exact torques."
    )
    return with_notes(
        rows,
        note,
        setting(
            "inverse dynamics of one state in real time, two groups of links on 2 threads that "
            "never wait for each other",
            "fixed base",
            "float64",
            "no calls: the threads are native loops",
            machine(data),
            "command: `python benchmarks/unsynchronised.py`",
        ),
    )


def answer(data):
    row = data["row"]
    ours = row["paraxis"]["exact"]
    return (
        f"{row['runs']:,} runs of {row['steps']:,} control steps of a {row['links']}-link arm take "
        f"{row['runs'] / ours:.2f} s, {times(ours / row['pinocchio_batch'])} faster than "
        "Pinocchio's batch calls with NumPy in between; loops in Python, run by run, take "
        f"{times(ours / row['mujoco'])} (MuJoCo) and {times(ours / row['pinocchio'])} (Pinocchio) "
        "as long."
    )


ANSWER = ("closed_loop",), answer
TABLES = {
    "closed_loop": ("closed_loop", closed_loop),
    "unsynchronised": ("unsynchronised", unsynchronised),
}
