"""One state on two cores."""

from .text import machine, setting, span, with_notes, words


def threads(data):
    """One line per robot and function: one thread, and two."""
    heads = ["flops", "1 thread", "2 threads", "speedup", "messages", "work done twice"]
    heads += ["speedup by default", "by `list`", "by `heft`", "message"]
    rows = [["robot, function", *heads]]
    for row in data["rows"]:
        one, two = row["one_ns"], row.get("two")
        cells = ["–"] * 4
        if two:
            cells = [f"{two['ns']:,.0f} ns", f"**{one / two['ns']:.2f}**"]
            cells += [str(two["messages"]), f"{two['twice']:.0%}"]
        others = [f"{one / row[key]['ns']:.2f}" if key in row else "" for key in ("list", "heft")]
        rows.append(
            [f"{row['robot']}, {words(row['function'])}", f"{row['flops']:,}", f"{one:,.0f} ns"]
            + [*cells, f"{one / row['default_ns']:.2f}", *others, f"{row['hop']:.0f} ns"]
        )
    best = [row for row in data["rows"] if "two" in row]
    call, job = (min(row[key] for row in best) for key in ("call", "job"))
    note = (
        "2 threads: the best of `px.parallel.thread_schedule` for four latencies; by default: the "
        "one for the default latency, which stays on one thread where it finds nothing better. "
        "`list` and `heft` are schedules that compute nothing twice. Message: the time from core "
        f"to core, measured beside the row. A call with nothing to compute takes {call:.0f} ns, "
        f"and {job:.0f} ns more on two threads."
    )
    return with_notes(
        rows,
        note,
        setting(
            "one state",
            "float64",
            "fixed base",
            "a call from Python, call overhead included, best of 150 rounds of 50 calls",
            machine(data),
            "command: `python benchmarks/threads.py`",
        ),
    )


def answer(data):
    rows = [row for row in data["rows"] if "two" in row]
    gains = {row["robot"] + row["function"]: row["one_ns"] / row["two"]["ns"] for row in rows}

    def of(robot):
        return [gain for name, gain in gains.items() if name.startswith(robot)]

    return (
        f"Not for a common arm: two cores compute one state of a UR5 {span(of('ur5'), two_digits)} "
        f"times as fast as one. For a humanoid with 29 joints it is {span(of('g1'), two_digits)} "
        "times, because its limbs are almost independent."
    )


def two_digits(value):
    return f"{value:.2g}"


ANSWER = ("threads",), answer
TABLES = {"threads": ("threads", threads)}
