"""Inverse kinematics of many poses, beside a loop over Pinocchio's functions."""

from .text import device, machine, seconds, setting, span, times, with_notes


def inverse_kinematics(data):
    """One line per robot: how many poses were reached, and how fast."""
    rows = [["robot, frame", "joints", "poses", "solved", "time", "time per pose"]]
    for row in data["rows"]:
        share, each = row["solved"] / row["poses"], row["seconds"] / row["poses"]
        rows.append(
            [f"{row['robot']}, `{row['frame']}`", str(row["joints"]), f"{row['poses']:,}"]
            + [f"{share:.4%}", seconds(row["seconds"]), f"{each * 1e6:.2f} µs"]
        )
    first, peer = data["rows"][0], data["pinocchio"]
    own = first["seconds"] / first["poses"]
    loop, calls = (peer[key] / peer["poses"] for key in ("seconds", "calls_s"))
    cores = data["machine"]["cores"]
    note = (
        f"For {first['robot']}, a loop in Python over Pinocchio's functions (Levenberg-Marquardt, "
        f"random restarts, 1 thread) solves {peer['solved']} of {peer['poses']} poses in "
        f"{loop * 1e6:,.0f} µs per pose, of which Pinocchio's own functions take "
        f"{calls * 1e6:.0f} µs: {times(loop / own)} and {times(calls / own)} the time of Paraxis "
        f"on {cores} threads, {times(loop / own / cores)} and {times(calls / own / cores)} per "
        "core."
    )
    return with_notes(
        rows,
        note,
        setting(
            "poses of random postures within limits, no initial guess, solved to "
            f"{data['tolerance']:g} m and rad",
            f"{cores} threads",
            "float64",
            "fixed base",
            "one call for all poses, call overhead included, compiling excluded",
            machine(data, "pin"),
            "command: `python benchmarks/inverse_kinematics.py`",
        ),
    )


def on_a_gpu(data):
    """One line per robot and batch."""
    rows = [["robot, frame", "poses", "solved", "time", "time per pose"]]
    for row in data["rows"]:
        share, each = row["solved"] / row["poses"], 1e3 * row["ms"] / row["poses"]
        rows.append(
            [f"{row['robot']}, `{row['frame']}`", f"{row['poses']:,}", f"{share:.4%}"]
            + [f"{row['ms']:.1f} ms", f"{each:.3f} µs"]
        )
    return with_notes(
        rows,
        setting(
            "poses of random postures within limits, no initial guess, solved to 1e-8 m and rad",
            "float64",
            "fixed base",
            "one call for all poses, which are on the GPU, call overhead included, compiling "
            "excluded",
            device(data),
            "command: `python benchmarks/gpu_inverse_kinematics.py`",
        ),
    )


def answer(data):
    each = span((1e6 * row["seconds"] / row["poses"] for row in data["rows"]), "{:.1f}".format)
    worst = min(row["solved"] / row["poses"] for row in data["rows"])
    return (
        f"A pose takes {each} µs in a batch, without an initial guess and to "
        f"{data['tolerance']:g} m and rad; at least {100 * worst:.2f} % of reachable poses are "
        "solved."
    )


ANSWER = ("inverse_kinematics",), answer
TABLES = {
    "inverse_kinematics": ("inverse_kinematics", inverse_kinematics),
    "gpu_inverse_kinematics": ("gpu_inverse_kinematics", on_a_gpu),
}
