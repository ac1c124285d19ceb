"""The subtasks of the Stanford arm: why 154 by the lists, 156 in Table 4.7, and fewer in fact."""

from ..document import Row, Table
from ..printed import printed
from .arms import PAPER, stanford, stanford_by_lists, stanford_of_table_4_7

NOT_IN_TABLE_4_7 = {
    "119": "it turns gravity, which lies along the first axis",
    "128 129": "of the moment on link 1 one component is left; Table 4.7 calls it 127",
}
ONLY_IN_TABLE_4_7 = {
    "126": "the force on link 1: Table 4.2 drops 26 and 27, and must mean 27 and 28",
    "127": "see 128 and 129",
    "120 121": "Table 4.6 drops them, for the zero in the centre of mass of link 1",
    "233": "Table 4.6 drops it, for the two zeros of p of link 2",
}
DOES_NOTHING = {
    "119": "gravity lies along the first axis: nothing to turn",
    "122 123 124": "link 1 turns about one axis: one product is all that its acceleration needs",
    "128": "a component of the moment on link 1 that is zero",
    "130 132 137 139 141 142": "only the torque of the first joint is needed, not what it rests on",
    "201 204": "ω and α of link 1 have one component: two products turn it, one subtask",
    "216": "λ p of link 1 has two products and no sums: one subtask",
    "230 231 239 240 318": "joint 3 slides: its rotation is made of 0, 1 and −1",
    "306": "α of a sliding link is that of the link before",
    "327": "Izz of link 3 is not printed, and 0 here: two components of its moment are left",
    "522 523 537": "the centre of mass of link 5 has two zeros (Table 2.7), not one (Table 4.4)",
    "341 441 541 641 642": "fewer than three sums a component: fewer subtasks",
}
IS_MISSING = {
    "126": "the force on link 1",
    "316 317": "step 3 takes p of the link before; that of link 2 is d₃ = q₃, which is not zero",
}


def differences():
    """Task by task."""
    told = printed("dhanaraj")["streamlining"]["subtasks"]["Stanford arm"]
    lists, table_4_7, own = (
        set(tasks.names) for tasks in (stanford_by_lists(), stanford_of_table_4_7(), stanford())
    )
    return Table(
        "The Stanford arm, task by task",
        "Which subtasks make the 154 of the lists into the 156 of Table 4.7, and into those that "
        "do something.",
        [
            Row(PAPER, "by the lists", None, len(lists), "43 per link, less Tables 4.2 and 4.6"),
            *_rows(lists - table_4_7, -1, NOT_IN_TABLE_4_7),
            *_rows(table_4_7 - lists, +1, ONLY_IN_TABLE_4_7),
            Row(PAPER, "in Table 4.7", told, len(table_4_7), ""),
            Row(PAPER, "by the lists, once more", None, len(lists), ""),
            *_rows(lists - own, -1, DOES_NOTHING),
            *_rows(own - lists, +1, IS_MISSING),
            Row(PAPER, "that do something", None, len(own), ""),
        ],
    )


def _rows(tasks, sign, reasons):
    """One for each reason, and one for tasks that have none."""
    told = {task for names in reasons for task in names.split()}
    rest = " ".join(sorted(tasks - told))
    for names, reason in (*reasons.items(), (rest, "not explained")):
        found = [task for task in names.split() if task in tasks]
        if found:
            yield Row(PAPER, ", ".join(found), None, sign * len(found), reason)
