"""Homogeneous recurrences (base coordinates) against inhomogeneous ones (link coordinates)."""

from functools import cache

from paraxis.physics.parts.orders import p_fold

from ..counts.plain_count import Work, general_chain
from ..document import Figure, Row, Table, text_of
from . import equations, link_coordinates
from .simd import Simd

PAPER = "Lee and Chang 1988"
LENGTHS = (6, 12, 32)
PROCESSORS = (1, 2, 4, 8, 16, 32)
BASE, SHARED, OWN = "base coordinates", "link coordinates, shared", "link coordinates"
WAYS = (BASE, SHARED, OWN)
LEAD = (
    "Inverse dynamics of n revolute joints on p processors by algorithm PFP, messages free. In "
    "base coordinates six recurrences x(i) = x(i−1) ∘ a(i) are products of rotations and sums, and "
    "each joint turns its vectors; in link coordinates five are x(i) = A(i) x(i−1) + b(i), and no "
    "joint turns anything. Measured: multiplications + additions in base coordinates."
)
CONVENTIONS = (
    "Steps: of all recurrences and of the equations of each joint, in which every processor does "
    "one joint or applies one operator.",
    "Shared: products of rotations are formed once for all five recurrences, outward and inward, "
    "whichever processors hold them. Otherwise every recurrence forms its own.",
)


@cache
def run(n, p, way):
    """The Work one after another, and the steps."""
    machine, robot = Simd(n, p, p_fold), general_chain(["revolute"] * n)
    if way == BASE:
        equations.torques(machine, robot)
    else:
        link_coordinates.torques(machine, robot, shared=way == SHARED)
    return sum(machine.times().values(), Work()), machine.rounds


def flops(n, p, way):
    work, _ = run(n, p, way)
    return work.mul + work.add


def pairs():
    """The n and p of the table."""
    return [(n, p) for n in LENGTHS for p in sorted({*(p for p in PROCESSORS if p < n), n})]


def homogeneous_table():
    """Both over n and p."""
    rows = []
    for n, p in pairs():
        work, steps = run(n, p, BASE)
        _, fewer = run(n, p, OWN)
        base, shared, own = (flops(n, p, way) for way in WAYS)
        note = (
            f"{text_of(base)} flops in {steps} steps; in link coordinates {text_of(own)} in "
            f"{fewer} steps, {text_of(shared)} with shared products: {own / base:.2f} and "
            f"{shared / base:.2f} times as many"
        )
        rows.append(Row("Paraxis", f"n = {n}, p = {p}", None, work.pair, note))
    return Table("Homogeneous against inhomogeneous recurrences", LEAD, rows, CONVENTIONS)


def homogeneous_figure():
    """Over p, for the longest chain."""
    n = LENGTHS[-1]
    return Figure(
        f"Base and link coordinates, {n} joints on p processors",
        "Flops one after another by algorithm PFP. On one processor link coordinates take fewer.",
        "processors",
        "flops",
        {way: [(p, flops(n, p, way)) for p in PROCESSORS] for way in WAYS},
        log="xy",
    )
