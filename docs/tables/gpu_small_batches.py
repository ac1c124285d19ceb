"""Small batches on a GPU: kernels by themselves, and kernels and calls beside GRiD."""

from .text import device, measured, not_measured, setting, span, times, with_notes, words

# kind of time -> the heading that people read, in order
TIMES = {"kernel": "kernel", "captured": "captured call", "PyTorch": "PyTorch", "JAX": "JAX"}


def kernels(data):
    """Kernels for the batches of learning and control."""
    batches = sorted({row["states"] for row in data["rows"]})
    rows = [["robot, function", *(f"{batch:,} states" for batch in batches), "error"]]
    found = {(row["robot"], row["function"], row["states"]): row for row in measured(data)}
    for robot, function in dict.fromkeys(each[:2] for each in found):
        cells = [found.get((robot, function, batch)) for batch in batches]
        shown = [f"{row['us']:.1f}" if row else "–" for row in cells]
        error = max(row["error"] for row in cells if row)
        rows.append([f"{robot}, {words(function)}", *shown, f"{error:.0e}"])
    first, *others = (row["first_s"] for row in found.values())
    note = (
        f"µs of the kernel. A launch that does next to nothing takes {data['floor_us']:.2f}. "
        "Errors are against the interpreter, per state; those of accelerations are amplified by "
        "the mass matrix. With kernels on disk, the first call of the process took "
        f"{first:.2f} s (CuPy was in use already), the first of another function or batch at most "
        f"{max(others, default=0.0):.2f} s."
    )
    return with_notes(
        rows,
        note,
        not_measured(data, "robot", "function", "states"),
        setting(
            "float32, rows, fixed base unless named free",
            "kernels recorded in a CUDA graph, so without call overhead",
            device(data),
            "command: `make bench-gpu`",
        ),
    )


def grid(data):
    """Ours beside GRiD, tuned for the same GPU: µs, and GRiD's divided by ours."""
    found = {
        (row["robot"], row["function"], row["time"], row["states"]): row for row in measured(data)
    }
    columns = list(dict.fromkeys(each[2:] for each in found))
    columns.sort(key=lambda each: ([*TIMES].index(each[0]), each[1]))
    rows = [["robot, function", *(f"{TIMES[time]}, {states:,}" for time, states in columns)]]
    for robot, function in dict.fromkeys(each[:2] for each in found):
        line = [f"{robot}, {words(function)}"]
        for column in columns:
            row, text = found.get((robot, function, *column)), ""
            if row is not None:
                ratio = f"{row['ratio']:.1f} ×" if row["holds"] else f"**{row['ratio']:.2f} ×**"
                mark = " †" if row.get("earlier") else ""
                text = f"{row['ours_us']:.1f} / {row['theirs_us']:.1f} = {ratio}{mark}"
            line.append(text)
        rows.append(line)
    least = {TIMES[row["time"]]: row["least"] for row in found.values()}
    aims = ", ".join(f"{ratio:g} × ({time})" for time, ratio in least.items())
    note = (
        f"µs of Paraxis / µs of GRiD = ratio, by batch size. Bold: below the aim of {aims}. GRiD's "
        "threads per state are the fastest of all that it accepts, chosen cell by cell; its "
        "derivatives of forward dynamics leave out those by torques, which ours include. Empty: "
        "not measured."
    )
    if any(row.get("earlier") for row in found.values()):
        note += " †: from an earlier run; an arm's derivatives are faster since."
    return with_notes(
        rows,
        note,
        not_measured(data, "robot", "function", "states", "time"),
        setting(
            "float32, fixed base unless named free",
            "kernel: in a CUDA graph, without call overhead; PyTorch, JAX: whole calls, overhead "
            "included",
            f"{device(data)}, GRiD 0.6, both in the same run",
        ),
    )


def first(data):
    """Whole calls from PyTorch, the first thing to know of a GPU."""
    called = [row for row in measured(data) if row["time"] == "PyTorch"]
    batches = sorted({row["states"] for row in called})
    rows = [["robot, function", *(f"{states:,} states" for states in batches)]]
    for robot, function in dict.fromkeys((row["robot"], row["function"]) for row in called):
        cells = {
            row["states"]: row
            for row in called
            if (row["robot"], row["function"]) == (robot, function)
        }
        texts = [
            f"{row['ours_us']:.0f} µs ({row['ratio']:.1f}×)" if row else "–"
            for row in map(cells.get, batches)
        ]
        rows.append([f"{robot}, {words(function)}", *texts])
    return with_notes(
        rows,
        "In parentheses: how many times as long a call of GRiD 0.6 takes in the same run.",
        setting(
            "whole calls from PyTorch, call overhead included",
            "float32",
            "fixed base",
            "arrays on the GPU",
            device(data),
        ),
    )


def answer(small, beside):
    found = [row["us"] for row in measured(small)]
    called = [
        row for row in measured(beside) if row["time"] == "PyTorch" and not row.get("earlier")
    ]
    batches = span((row["states"] for row in measured(small)), "{:,}".format)
    return (
        f"For {batches} states, a kernel takes {span(found, '{:.1f}'.format)} µs, from an arm's "
        "torques to the derivatives of a humanoid on a free base. A whole call from PyTorch takes "
        f"{span((row['ours_us'] for row in called), '{:.0f}'.format)} µs, where GRiD takes "
        f"{span((row['ratio'] for row in called), times)} as long."
    )


ANSWER = ("gpu_small_batches", "gpu_grid"), answer
TABLES = {
    "gpu_first": ("gpu_grid", first),
    "gpu_small_batches": ("gpu_small_batches", kernels),
    "gpu_grid": ("gpu_grid", grid),
}
