"""Times on an Intel 8086 by four authors, beside those of the shortest schedules."""

from ..document import Row, Table
from ..printed import printed
from .arms import PAPER, stanford
from .levels import shortest

HALF_A_DIGIT = 0.0051  # ms: he prints two digits


def table_4_8():
    """The Stanford arm's inverse dynamics."""
    told = printed("dhanaraj")["streamlining"]
    levels = {"1": told["subtasks"]["Stanford arm"]} | told["levels"]["Stanford arm"]
    times = told["table_4_8"]
    level = times[PAPER]["1"] / levels["1"]
    rows = []
    for paper, column in times.items():
        for p, time in column.items():
            ours = shortest(stanford(), int(p)).makespan
            note = f"{levels[p]} levels there, {ours} here" if paper == PAPER else ""
            quantity = f"{paper}: {p} {'processor' if p == '1' else 'processors'}, ms"
            rows.append(Row(paper, quantity, time, round(level * ours, 2), note))
    off = [p for p, time in times[PAPER].items() if abs(time - level * levels[p]) > HALF_A_DIGIT]
    others = f"differ on {', '.join(off)} processors" if off else "are his levels at that, all"
    return Table(
        "Times on an 8086",
        "Table 4.8: the Stanford arm. Measured: its levels as it is, at his time of a level.",
        rows,
        (
            f"A level, three operations, takes {level:.3g} ms: his time on one processor over his "
            f"{levels['1']} subtasks. His other times {others}.",
            "The first three have other equations: on one processor, too, they take longer.",
        ),
    )
