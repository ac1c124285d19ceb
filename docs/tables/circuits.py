"""CORDIC circuits: their size, and the errors of their outputs."""

from .text import machine, markdown, setting, short, times, with_notes


def circuits(data):
    """One line per circuit: its size, the time to make it, its errors by word length."""
    words = list(data["rows"][-1]["torque_error"])
    errors = [f"error, {word} bits" for word in words]
    rows = [["circuit", "processors", "stages", "buffers", "made in", *errors]]
    for row in data["rows"]:
        found = [f"{error:.0e} N m" for error in row.get("torque_error", {}).values()]
        made = row["decompose_s"] + row["buffer_s"]
        sizes = [str(row[key]) for key in ("tasks", "stages", "buffers")]
        rows.append([row["circuit"], *sizes, f"{made:.2f} s", *(found or [""] * len(words))])
    model = data["model"]
    note = (
        "Errors are the largest of 1,000 random states. The bit-exact model of the first circuit, "
        f"in NumPy, computes {short(model['model_per_s'] / 1e3)} thousand poses per second; "
        "`px.kinematics.inverse_kinematics_solutions` finds all eight solutions in float64 "
        f"{times(model['solutions_per_s'] / model['model_per_s'])} as fast."
    )
    return with_notes(
        rows,
        note,
        setting(
            f"fixed base; the model: batch of {model['poses']:,} poses, fixed point of 24 bits",
            "call overhead included",
            machine(data),
            "command: `python benchmarks/cordic.py`",
        ),
    )


def cordic():
    """Lee and Chang's pipeline beside ours, as `paraxis report cordic` counts them."""
    from paraxis_papers.cordic.circuits import balanced, circuit, printed_tasks
    from paraxis_papers.printed import printed

    paper = printed("lee_chang")["cordic"]
    lines = balanced(printed_tasks()), circuit().pipeline
    rows = [["inverse kinematics of a PUMA", "Lee and Chang 1988", "their equations", "ours"]]
    for key in ("processors", "stages", "buffers"):
        known = paper["buffer_stages" if key == "buffers" else key]
        rows.append([key, *map(str, (known, *(getattr(line, key) for line in lines)))])
    return f"{markdown(rows)}\n\nCORDIC processors, a new pose every stage; the fewest buffers."


def answer(data):
    first, last = data["rows"][0], data["rows"][-1]
    return (
        f"The inverse kinematics of a PUMA takes {first['tasks']} CORDIC processors in "
        f"{first['stages']} stages. Its torques take {last['tasks']}, and are exact to "
        f"{last['torque_error']['24']:.0e} N m with words of 24 bits."
    )


ANSWER = ("cordic",), answer
TABLES = {"circuits": ("cordic", circuits), "cordic": (None, cordic)}
