"""Robots with a floating base beside Pinocchio, and beside themselves on a fixed base."""

from .text import machine, markdown, setting, short, span, times, with_notes, words

BATCHES = ("inverse_dynamics", "forward_dynamics")  # Pinocchio has these for batches
SINGLE = ("mass_matrix", "inverse_dynamics_derivatives", "forward_dynamics_derivatives")


def floating_base(data):
    """Two tables, one line per robot: what Pinocchio does in batches, and what it does not."""
    robots = data["robots"]
    made = [
        rows_of(robots, functions)
        for functions in (BATCHES, SINGLE)
        if all(f"{functions[0]}, free" in row["ns"] for row in robots.values())
    ]
    note = (
        "ns per state of Paraxis; Pinocchio: how many times as long it takes on as many threads; "
        "fixed: the time divided by that of the same robot on a fixed base. In parentheses: the "
        "share of the time that writing so many numbers to memory takes alone. A quadruped on a "
        "fixed base is four short legs, so quadrupeds differ most."
    )
    return with_notes(
        "\n\n".join(made),
        note,
        setting(
            f"batch of {data['batch']:,} states",
            "float64",
            "floating base",
            "Paraxis: 2 threads, one call for the whole batch, call overhead included",
            "Pinocchio: batch calls on 2 threads in the first table; in the second, single calls "
            "from Python on 1 thread (it has no batch calls for these), call overhead included, "
            "2,000 states whose results stay in the cache, compared with 1 thread of Paraxis",
            machine(data, "pin"),
            "command: `python benchmarks/floating_base.py`",
        ),
    )


def rows_of(robots, functions):
    rows = [["robot", "nv"]]
    for function in functions:
        rows[0] += [words(function), "Pinocchio", "fixed"]
    for name, row in robots.items():
        rows.append([name, str(row["nv"])])
        for function in functions:
            ours, theirs, bolted = (
                row["ns"][f"{function}, {peer}"] for peer in ("free", "Pinocchio", "fixed")
            )
            alone = ours if function in BATCHES else row["ns"][f"{function}, free, 1 thread"]
            time, written = f"{short(ours)} ns", row["ns"].get(f"{function}, fill")
            if function not in BATCHES and written is not None:
                time += f" ({written / ours:.0%})"
            rows[-1] += [time, times(theirs / alone), f"{ours / bolted:.2f}"]
    return markdown(rows)


def answer(data):
    every = [row["ns"] for row in data["robots"].values()]

    def ratio(function, one, other):
        return [ns[f"{function}, {one}"] / ns[f"{function}, {other}"] for ns in every]

    costs = [ratio(function, "free", "fixed") for function in BATCHES]
    gains = [ratio(function, "Pinocchio", "free") for function in BATCHES]
    return (
        f"Inverse dynamics takes {span(costs[0], '{:.1f}'.format)} times as long as on a fixed "
        f"base, and forward dynamics {span(costs[1], '{:.1f}'.format)} times. Both are "
        f"{span(gains[0] + gains[1], times)} faster than Pinocchio's batch calls."
    )


ANSWER = ("floating_base",), answer
TABLES = {"floating_base": ("floating_base", floating_base)}
