"""Sliding joints: the times that the paper leaves to the reader."""

from functools import cache

from paraxis.parallel import systolic_array

from ..counts.plain_count import general_chain
from ..document import Row, Table
from .arrays import FORMS, LINKS, PAPER, array

LEAD = (
    "The times are printed for revolute joints; for sliding ones they are said to be almost "
    "exactly the same, but for the constant. Latency in flops for six joints, r that turn and p "
    "that slide, simulated; in the notes how it grows with the chain."
)
TURNING, SLIDING = "revolute", "prismatic"
PATTERNS = {
    "r" * LINKS: [TURNING] * LINKS,
    "p" * LINKS: [SLIDING] * LINKS,
    "p" + "r" * (LINKS - 1): [SLIDING] + [TURNING] * (LINKS - 1),
    "rrp" + "r" * (LINKS - 3): [TURNING] * 2 + [SLIDING] + [TURNING] * (LINKS - 3),
    "r" * (LINKS - 1) + "p": [TURNING] * (LINKS - 1) + [SLIDING],
    "rp" * (LINKS // 2): [TURNING, SLIDING] * (LINKS // 2),
    "pr" * (LINKS // 2): [SLIDING, TURNING] * (LINKS // 2),
}


@cache
def sliding_array(form, kinds):
    """For a chain of joints of these kinds, in its order."""
    return systolic_array(general_chain(list(kinds)), form)


def latencies(form):
    """Pattern -> flops from a state to its torques."""
    return {name: sliding_array(form, tuple(kinds)).latency for name, kinds in PATTERNS.items()}


def slope(form, kinds):
    """Flops for as many joints again."""
    once, twice = (sliding_array(form, (*kinds,) * times).latency for times in (1, 2))
    return twice - once


def slopes(form):
    """Pattern -> flops that as many joints again add, pattern by pattern."""
    return {name: slope(form, kinds) for name, kinds in PATTERNS.items()}


def sliding():
    """The table."""
    rows = []
    for form in FORMS:
        printed = array(form, "systolic").latency
        for (name, latency), added in zip(
            latencies(form).items(), slopes(form).values(), strict=True
        ):
            found = sliding_array(form, tuple(PATTERNS[name]))
            note = (
                f"twice as long {added} flops more; a state every {found.interval} "
                f"({found.shortest_interval} would do), {found.processors} processors; "
                f"{latency - printed:+d} flops against joints that turn"
            )
            rows.append(Row(PAPER, f"{form}, {name}", None, latency, note))
    return Table("Sliding joints", LEAD, rows)
