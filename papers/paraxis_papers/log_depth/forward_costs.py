"""Forward dynamics of one state, counted: flops, and flops that wait for one another."""

from itertools import pairwise

from paraxis.drawing.figure import Figure

from ..document import Row, Table
from .chains import EQUAL, GENERAL, depth, flops

BEST = "articulated_body"
CONSTRAINT, LOGARITHMIC = "constraint_force", "logarithmic_constraint_force"
HALVES = "divide_and_conquer"
PAPERS = {
    BEST: "Featherstone 1983",
    CONSTRAINT: "Fijany 1994",
    LOGARITHMIC: "Fijany 1994",
    HALVES: "Featherstone 1999",
}
SHORT = (6, 12, 24)
LENGTHS = {BEST: (*SHORT, 48), CONSTRAINT: (*SHORT, 48), LOGARITHMIC: SHORT, HALVES: SHORT}
KINDS = (EQUAL, GENERAL)
FLOPS_LEAD = (
    "Operations of each algorithm as it is traced for a chain of revolute joints whose numbers "
    "are known: equal links, which `px.robots.chain` makes, with hinges at right angles and "
    "most numbers zero, or general links, with none zero. Articulated bodies are the best of "
    "all for one processor. Constraint forces are found by block LDLᵀ along the chain, or by "
    "odd-even elimination, which is done for every joint in every round."
)
DEPTH_LEAD = (
    "The same with a processor for every operation: flops on the longest path, sums balanced. "
    "What a doubling of the chain adds is the same each time where time is logarithmic, and "
    "doubles where it is not."
)


def flops_table():
    rows = []
    for kind in KINDS:
        for algorithm, lengths in LENGTHS.items():
            for n in lengths:
                found, best = flops(kind, n, algorithm), flops(kind, n, BEST)
                note = f"{found / n:,.0f} per link"
                if algorithm != BEST:
                    note = f"{found / best:.2f} times {BEST}; {note}"
                quantity = f"n = {n}, {kind}, {algorithm}"
                rows.append(Row(PAPERS[algorithm], quantity, None, found, note))
    return Table("Forward dynamics: flops", FLOPS_LEAD, rows)


def depth_table():
    rows = []
    for kind in KINDS:
        for algorithm, lengths in LENGTHS.items():
            found = {n: depth(kind, n, algorithm) for n in lengths}
            for n, steps in found.items():
                half = found.get(n // 2)
                note = f"{steps - half} more than for n = {n // 2}" if half else ""
                quantity = f"n = {n}, {kind}, {algorithm}"
                rows.append(Row(PAPERS[algorithm], quantity, None, steps, note))
    return Table("Forward dynamics: depth", DEPTH_LEAD, rows)


def added_by_doubling(kind, algorithm):
    """What each doubling of the chain adds to the depth."""
    depths = [depth(kind, n, algorithm) for n in LENGTHS[algorithm]]
    return [after - before for before, after in pairwise(depths)]


def depth_figure():
    return Figure(
        "Forward dynamics with a processor for every operation",
        "Flops that wait for one another, for general links.",
        "links",
        "flops",
        {
            algorithm: [(n, depth(GENERAL, n, algorithm)) for n in lengths]
            for algorithm, lengths in LENGTHS.items()
        },
        log="xy",
    )
