"""What is wrong with the schedules that the thesis prints."""

from paraxis.parallel.schedules.schedule import violations

from ..document import Row, Table
from .arms import PAPER, six_links, stanford_of_table_4_7
from .printed_schedules import SIX_LINKS, printed_schedules

MOST = 8  # tasks that are told one by one
REMARKS = {
    "C.1": "in levels 1 to 16 the second column is the first column of levels 101 to 116",
    "C.15": "245 must be 243",
}


def faults():
    """Each schedule against Table 4.1."""
    return Table(
        "The printed schedules",
        "How many waits of Table 4.1 each breaks. Most start 120, 121 and 122 together with 110, "
        "which makes the λ they need.",
        [_row(each) for table, each in printed_schedules().items() if table.startswith("C")],
        (
            "Between brackets: what the task did not wait for.",
            "A task that stands twice is taken where it stands first.",
            "The text at hand was read from a scan; some slips may be the scan's.",
        ),
    )


def _row(each):
    arm = "six links" if each.kinds == SIX_LINKS else "Stanford arm"
    wrong = violations(each.tasks, each.processors, each.starts, each.processor_of)
    parts = [_broken(each.broken), _listed("twice", each.twice), _listed("missing", _missing(each))]
    note = "; ".join(part for part in [REMARKS.get(each.table), *parts] if part)
    quantity = f"Table {each.table}: {arm}, {each.processors} processors"
    return Row(PAPER, quantity, None, len(wrong), note)


def _broken(pairs):
    waits = {}
    for first, then in pairs:
        waits.setdefault(first, []).append(then)
    told = ", ".join(f"{', '.join(tasks)} ({first})" for first, tasks in waits.items())
    return f"too early: {told}" if len(pairs) <= MOST else ""


def _missing(each):
    """Of those that the other schedules of the arm have."""
    found = set(each.places)
    if each.kinds == SIX_LINKS:
        return sorted(set(six_links().names) - found - {"119"})
    if "129" in found:  # two names for what is left of the moment on link 1
        found.add("127")
    return sorted(set(stanford_of_table_4_7().names) - found)


def _listed(what, tasks):
    if len(tasks) > MOST:
        return f"{what}: {len(tasks)} tasks"
    return f"{what}: {', '.join(tasks)}" if tasks else ""
