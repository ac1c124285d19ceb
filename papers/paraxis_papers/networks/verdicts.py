"""What the papers claim of recurrences and networks, and what became of it."""

from paraxis import load, program
from paraxis.parallel import network
from paraxis.physics.parts.orders import doubling, p_fold

from ..counts.plain_count import general_chain
from ..document import Verdict, judged
from ..printed import printed
from .inverse_dynamics import (
    LENGTHS,
    LINKS,
    PAPER,
    PROCESSORS,
    doubling_table,
    flops,
    least,
    met_form,
    times,
)
from .lee_chang_verdicts import lee_chang_verdicts
from .traffic import CURVE, FIJANY, SIZES, elimination, elimination_in_place, traffic

SHUFFLE, INVERSE, CASCADE = "perfect_shuffle", "inverse_perfect_shuffle", "cascade"
MOST_HOPS = 2  # of a message of the elimination


def verdicts():
    return [*lee_chang_verdicts(), *(claim() for claim in CLAIMS)]


# -- Lee and Chang ---------------------------------------------------------------------------------


def savings():
    """Over the count that the paper quotes, and over the Programs of the same arms."""
    quoted = sum(printed("lee_chang")["serial"])
    rows = {row.quantity: sum(row.measured) for row in doubling_table().rows}
    puma = rows[f"total, n = {LINKS}"]
    general = puma + rows["rotations, no zero known"] - rows["rotations, eq. 15"]
    alone = program(load("puma560")).count().flops
    alone_general = program(general_chain(["revolute"] * LINKS)).count().flops
    return Verdict(
        PAPER,
        f"considerable savings in computation time with a processor for each of {LINKS} joints",
        judged(ratio > 1 for ratio in (quoted / puma, alone / puma, alone_general / general)),
        f"{puma} flops one after another for the PUMA: {quoted / puma:.2f} times as fast as the "
        f"count that the paper quotes for one processor, {quoted:,}, but {alone / puma:.2f} times "
        f"as fast as the PUMA's own Program, {alone}; for a general arm {general} and "
        f"{alone_general / general:.2f} times as fast as its Program, {alone_general}. More than 1 "
        "decides; messages are free",
    )


def lower_bound():
    pairs = [(n, p) for n in LENGTHS for p in PROCESSORS if 1 < p <= n]
    taken = {(n, p): sum(map(flops, times(n, p, p_fold).values())) for n, p in pairs}
    worst = max(time / least(*pair) for pair, time in taken.items())
    return Verdict(
        PAPER,
        "inverse dynamics on p processors takes at least O(k₁⌈n/p⌉ + k₂⌈log₂p⌉), and algorithm PFP "
        "achieves it",
        judged(least(*pair) <= time <= met_form(*pair) for pair, time in taken.items()),
        f"on all {len(pairs)} pairs tried it is within the form with constants that are met, and "
        f"at most {worst:.2f} times what no order can beat",
    )


def links_of_the_shuffle():
    found = [network(SHUFFLE, p).links / p for p in CURVE]
    return Verdict(
        PAPER,
        "the links of a perfect shuffle are proportional to n",
        judged(each <= 2 for each in found),
        f"at most {max(found):.2f} per processor, up to {CURVE[-1]}; the bound is 2, with pairs "
        "linked, without which the shuffle goes in circles",
    )


def inverse_shuffle():
    """Suitable where it beats a row; with neighbours of the shuffled places it is a hop a step."""
    ways = ("doubling", "shuffled_doubling")
    shuffled, row = (
        {p: min(traffic(way, p, p, name).time for way in ways) for p in CURVE}
        for name in (INVERSE, CASCADE)
    )
    steps = len(doubling(SIZES[-1], SIZES[-1]).steps)
    told = "; ".join(
        f"{shuffled[p]:.0f} hop times on {p} processors, {row[p]:.0f} on a cascade" for p in SIZES
    )
    return Verdict(
        PAPER,
        "the inverse perfect shuffle is suitable for linear recurrences",
        judged(shuffled[p] < row[p] for p in SIZES),
        f"{told}; fewer than on a cascade decides. With links to the neighbours of the shuffled "
        "place, which may be meant by the paper's modified one, it is a hop per step: "
        f"{traffic(ways[1], SIZES[-1], SIZES[-1], 'modified_inverse_perfect_shuffle').time:.0f} "
        f"for the {steps} steps of {SIZES[-1]}",
    )


# -- Fijany ----------------------------------------------------------------------------------------


def hypercube():
    found = {p: elimination_in_place(p, "hypercube") for p in SIZES}
    shuffled = elimination(SIZES[-1], "shuffle_exchange_neighbours").time
    told = ", ".join(f"{each.time:.0f} on {p} processors" for p, each in found.items())
    rounds = {p: len(doubling(p, p).steps) for p in SIZES}
    return Verdict(
        FIJANY,
        "the elimination is highly suitable for a hypercube",
        judged(found[p].time <= MOST_HOPS * rounds[p] and not found[p].conflicts for p in SIZES),
        f"hop times of all rounds, blocks staying where they are: {told}, without conflicts, if "
        f"processors are numbered by a Gray code; {shuffled:.0f} on {SIZES[-1]} by shuffle and "
        f"exchange, where blocks move. At most {MOST_HOPS} per round decides",
    )


CLAIMS = (
    savings,
    lower_bound,
    links_of_the_shuffle,
    inverse_shuffle,
    hypercube,
)
