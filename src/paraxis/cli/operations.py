"""What Programs cost in operations and depth, and tables that compare them."""

from dataclasses import asdict, dataclass

from .. import api
from ..physics import CHEAP
from .terminal import Column, print_table

NOTE = (
    "Counting rule: an add is an addition or a subtraction; a multiplication by a constant counts; "
    "sign changes and copies are free; flops are mul + add + div + sqrt; sines and cosines are "
    "counted under trig. Depth is the flops on the critical path, with unlimited processors and "
    "sums as balanced trees."
)


@dataclass(frozen=True)
class Operations:
    """The cost of one Program, under a name."""

    name: str
    mul: int
    add: int
    div: int
    sqrt: int
    trig: int
    flops: int
    depth: int

    @classmethod
    def of(cls, name, program):
        count = program.count()
        kinds = (count.mul, count.add, count.div, count.sqrt, count.trig)
        return cls(name, *kinds, count.flops, program.depth().flops)

    def as_dict(self):
        return asdict(self)


def of_algorithms(robot):
    """The costs of the likely algorithms for inverse dynamics, and of the Program that is used."""
    named = [Operations.of(name, api.program(robot, algorithm=name)) for name in CHEAP]
    return named, Operations.of("chosen", api.program(robot))


def cheapest(rows):
    """The row with the fewest flops, the first of equals."""
    return min(rows, key=lambda row: row.flops)


def print_operations(terminal, rows, chosen):
    """The cost of each algorithm, the cheapest marked, and of the Program that is used."""
    best = cheapest(rows)
    heads = ("mul", "add", "trig", "flops", "depth")
    columns = [Column("algorithm"), *(Column(head, right=True) for head in heads), Column("")]
    lines = [
        (row.name, *(str(getattr(row, head)) for head in heads), "cheapest" if row is best else "")
        for row in rows
    ]
    lines.append(("chosen", *(str(getattr(chosen, head)) for head in heads), "used"))
    terminal.title("inverse dynamics", "operations per state")
    terminal.print()
    print_table(terminal, columns, lines, marked=(rows.index(best), len(rows)))
    terminal.note(
        "Named rows: that algorithm as written, in the body frames of the description. "
        "chosen: the Program that runs when no algorithm is named; its frames and masses are "
        "moved to where they cost less, without changing the torques."
    )
    terminal.note(NOTE)


def print_customised(terminal, pairs, chosen):
    """Operations before and after customising: (general, customised) per algorithm."""
    columns = [
        Column("algorithm"),
        Column("general flops", right=True),
        Column("customised flops", right=True),
        Column("left", right=True),
        Column("general depth", right=True, rank=0),
        Column("customised depth", right=True, rank=1),
    ]
    lines = [_pair(general.name, general, own) for general, own in pairs]
    lines.append(_pair("chosen", cheapest([general for general, _ in pairs]), chosen))
    print_table(terminal, columns, lines, marked=(len(pairs),))


def _pair(name, general, own):
    left = f"{own.flops / general.flops:.0%}"
    return (name, str(general.flops), str(own.flops), left, str(general.depth), str(own.depth))
