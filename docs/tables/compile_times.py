"""How long the first call takes when nothing is cached, on the CPU and for a GPU."""

from .text import device, machine, measured, setting, span, with_notes, words

WHOLE = "simulate", "optimal_control"  # rather than functions of robots


def compile_times(data):
    """One line per function, one column per robot: the first call in a new process."""
    cases = data["cases"]
    rows = [["first call of", *(title(case) for case in cases)]]
    for function in dict.fromkeys(row["function"] for case in cases for row in case["rows"]):
        cells = []
        for case in cases:
            found = {row["function"]: row for row in case["rows"]}.get(function)
            cells.append(cell(found) if found else "–")
        rows.append([words(function), *cells])
    memory = max(row["peak_mib"] for case in cases for row in case["rows"])
    whole = cached(cases, *WHOLE)
    others = f" (of simulations and optimal control {1e3 * whole:.0f} ms)" if whole else ""
    note = (
        "Seconds on the wall until the first result; in parentheses, how much of them LLVM takes: "
        "the rest is tracing and simplifying. The same call in the next process, which finds the "
        f"machine code on disk, takes at most {1e3 * cached(cases):.0f} ms{others}. A process "
        f"takes at most {memory / 1024:.1f} GiB of memory."
    )
    return with_notes(
        rows,
        note,
        setting(
            "a new process with an empty cache for every cell",
            "one state, float64",
            "1 thread compiles",
            "importing Paraxis and reading the URDF excluded",
            machine(data),
            "command: `python benchmarks/compile_times.py`",
        ),
    )


def cached(cases, *which):
    """The longest first call that finds its code on disk, of these, or of functions of robots."""
    return max(
        (
            row["cached_s"]
            for case in cases
            for row in case["rows"]
            if (row["function"] in which if which else row["function"] not in WHOLE)
        ),
        default=None,
    )


def title(case):
    base = "" if case["base"] == "fixed" else ", free base"
    return f"{case['robot']}{base}, {case['velocities']} velocities"


def cell(row):
    return f"**{row['first_call_s']:.2g}** ({row['machine_code_s']:.2g})"


def gpu_compile_times(data):
    """One line per function, one column per robot: tracing and NVRTC, one thread per state."""
    found = {}
    for row in measured(data):
        if (row["dtype"], row["layout"]) == ("float32", "rows") and "compile_s" in row:
            found.setdefault(row["function"], {})[row["robot"]] = row
    robots = list(dict.fromkeys(robot for each in found.values() for robot in each))
    rows = [["kernel of", *robots]]
    for function, each in found.items():
        cells = [each.get(robot) for robot in robots]
        rows.append(
            [words(function)]
            + [
                f"**{row['trace_s'] + row['compile_s']:.2g}** ({row['compile_s']:.2g})"
                if row
                else "–"
                for row in cells
            ]
        )
    note = (
        "Seconds to trace and compile a kernel; in parentheses, how much of them NVRTC takes. "
        "Several kernels were compiled at once, in a process each, so a single one may take less."
    )
    return with_notes(
        rows,
        note,
        setting(
            "the kernel of large batches: float32, rows, one thread per state",
            "fixed base",
            "empty cache",
            device(data),
            "command: `make bench-gpu`",
        ),
    )


def answer(data):
    found = {
        (case["robot"], case["base"], row["function"]): row["first_call_s"]
        for case in data["cases"]
        for row in case["rows"]
    }
    torques = [found[robot, "fixed", "inverse_dynamics"] for robot in ("ur5", "panda")]
    slopes = [
        value
        for (robot, _, function), value in found.items()
        if robot in ("ur5", "panda") and function.endswith("derivatives")
    ]
    humanoids = [
        value
        for (robot, _, function), value in found.items()
        if robot not in ("ur5", "panda") and function.endswith("derivatives")
    ]

    later = 1e3 * cached(data["cases"])

    def told(values):
        return span(values, "{:.2g}".format)

    return (
        f"With nothing cached, the first call of inverse dynamics takes {told(torques)} s for an "
        f"arm, of derivatives {told(slopes)} s for an arm and {told(humanoids)} s for a humanoid; "
        f"later processes read machine code from disk, in at most {later:.0f} ms."
    )


ANSWER = ("compile_times",), answer
TABLES = {
    "compile_times": ("compile_times", compile_times),
    "gpu_compile_times": ("gpu", gpu_compile_times),
}
