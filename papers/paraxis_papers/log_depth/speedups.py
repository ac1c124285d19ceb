"""Both speed-ups of the two-array plan: over its own algorithm on one processor, and over the best
serial program of the same arm."""

from paraxis.parallel.two_arrays.closed_chain import NONE, ONE

from ..document import Row, Table
from .best_serial import LONGEST, best_serial_flops
from .forward_costs import KINDS
from .two_arrays import PAPER, plan

LENGTHS = (4, 8, 12, 14, 16, 64, 1024)
TRIED = (6, 32)  # links among which a crossover is looked for; a pinned tip needs three
WAYS = {ONE: "the paper's plan", NONE: "right-hand sides of Λ⁻¹ left out"}


def over_best(kind, n, right_hand_sides=ONE, arrays=2):
    """How many times as fast as the best serial program."""
    flops, _ = best_serial_flops(kind, n)
    return flops / plan(n, right_hand_sides=right_hand_sides, arrays=arrays).makespan


def first_to_win(kind, right_hand_sides):
    """The shortest chain from which on the plan stays faster than the best serial program."""
    shortest, longest = TRIED
    for n in range(longest, shortest - 1, -1):
        if over_best(kind, n, right_hand_sides) <= 1:
            return n + 1
    return shortest


def speedup_table():
    rows = []
    for n in LENGTHS:
        for columns, way in WAYS.items():
            found = plan(n, right_hand_sides=columns)
            note = f"over its own algorithm on one processor, {found.serial_flops:,} flops"
            rows.append(Row(PAPER, f"N = {n}, {way}", None, round(found.speedup, 2), note))
            for kind in KINDS:
                flops, algorithm = best_serial_flops(kind, n)
                note = f"over the best serial program, {flops:,} flops, by the {algorithm}"
                ratio = round(over_best(kind, n, columns), 2)
                rows.append(Row("Paraxis", f"N = {n}, {way}, {kind}", None, ratio, note))
    lead = (
        "How many times as fast 2N processors are as one, with free messages: as one with the same "
        "algorithm, which is what most papers say, and as one with the best program for the same "
        "arm, pinned at its tip. The plan is for any arm, and so is its own algorithm on one "
        "processor; the program is traced for one arm, whose numbers it knows: the cheaper of "
        "`px.constrained_forward_dynamics`, with a factored mass matrix, and articulated bodies, "
        "whose inertias serve all forces at the tip; the mass matrix is tried for arms of up to "
        f"{LONGEST} links."
    )
    return Table("Two arrays: both speed-ups", lead, rows)
