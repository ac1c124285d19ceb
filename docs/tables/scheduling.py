"""How often shortest schedules are proved, and how long schedules of many tasks take."""

from .text import machine, setting, with_notes


def scheduling(data):
    """One line per kind of graph: schedules proved shortest, and how near a list comes."""
    rows = [["graphs", "schedules", "proved shortest", "largest gap", "slowest", "list, at worst"]]
    for row in data["exact"]:
        rows.append(
            [row["graphs"], str(row["schedules"]), str(row["proved"]), f"{row['worst_gap']:.1%}"]
            + [f"{row['slowest_s']:.2f} s", f"+{row['list_worst']:.1%}"]
        )
    note = (
        "Gap: how far the makespan may be above the shortest. List, at worst: how much longer the "
        'schedule of `"list"` is than that of `"optimal"`.'
    )
    return with_notes(rows, note, conditions(data, "2 to 16 processors, Dhanaraj's graphs 2 to 13"))


def many_tasks(data):
    """One line per quick method."""
    rows = [["method", "tasks", "time", "gap"]]
    for row in data["many"]:
        rows.append(
            [f'`"{row["method"]}"`', f"{row['tasks']:,}", f"{row['seconds']:.2f} s"]
            + [f"{row['gap']:.2%}"]
        )
    return with_notes(rows, conditions(data, "16 processors, two predecessors per task"))


def conditions(data, processors):
    return setting(
        "random graphs as in the Standard Task Graph set, no messages",
        processors,
        "limit of 60 s per schedule",
        "the call from Python, graph made before",
        machine(data),
        "command: `python benchmarks/scheduling.py`",
    )


def answer(data):
    total, proved = (sum(row[key] for row in data["exact"]) for key in ("schedules", "proved"))
    slowest = max(row["slowest_s"] for row in data["exact"])
    listed = 100 * max(row["list_worst"] for row in data["exact"])
    quick = {row["method"]: row for row in data["many"]}["list"]
    return (
        f'Of {total} schedules of graphs of 50 to 231 tasks, `"optimal"` proves {proved} shortest, '
        f'each in at most {slowest:.1f} s. Those of `"list"` are at most {listed:.1f} % longer; '
        f"it schedules {quick['tasks']:,} tasks in {quick['seconds']:.1f} s."
    )


ANSWER = ("scheduling",), answer
TABLES = {"scheduling": ("scheduling", scheduling), "many_tasks": ("scheduling", many_tasks)}
