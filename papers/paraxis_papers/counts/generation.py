"""How long equations take to derive: ARM's time, and ours by benchmarks/generation.py."""

import json
from functools import cache
from importlib.resources import files

from ..document import CONFIRMED, REFUTED, Row, Table, Verdict
from ..printed import printed
from .dhanaraj import PAPER

NEUMAN = "Neuman and Murray 1987"
MOST = 1.0  # s: what a fraction of a second is below


@cache
def results():
    """What the benchmark wrote down."""
    return json.loads(files(__package__).joinpath("generation.json").read_text("utf-8"))


def generation():
    """Seconds from a robot to its equations."""
    rows = []
    for arm, times in results()["seconds"].items():
        for what, seconds in times.items():
            told = printed("dhanaraj")["arm"]["seconds"] if what == "closed form" else None
            note = (
                f"on a VAX 11/780 there; {told / seconds:,.0f} times as long"
                if told
                else "the cheapest Program, and its C; the thesis: a fraction of a second"
            )
            paper = NEUMAN if told else PAPER
            rows.append(Row(paper, f"{arm}: {what}, s", told, round(seconds, 2), note))
    cpu = results()["machine"]["cpu"]
    return Table(
        "Generation time",
        "From a robot to its equations. ARM derives the closed form of the PUMA with 6 joints in "
        "LISP; here the closed form is traced, and so is the cheapest Program.",
        rows,
        (
            f"Measured once, by benchmarks/generation.py on {cpu}: the best of a few processes, "
            "without the time to import. The machines are decades apart.",
        ),
    )


def fraction_of_a_second():
    slowest = max(times["cheapest"] for times in results()["seconds"].values())
    return Verdict(
        PAPER,
        "customised equations are generated in a fraction of a second",
        CONFIRMED if slowest < MOST else REFUTED,
        f"{slowest:.2f} s at most for the four arms, all algorithms and frames compared, measured "
        f"once on {results()['machine']['cpu']}; a fraction means less than {MOST:g} s. His own "
        "time is not printed",
    )
