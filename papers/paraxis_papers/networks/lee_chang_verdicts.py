"""What became of Lee and Chang's claims about recurrences on several processors."""

from paraxis.physics.parts.orders import doubling

from ..document import Verdict, judged, text_of
from ..printed import printed
from .homogeneous import BASE, OWN, PAPER, SHARED, flops, pairs, run
from .inverse_dynamics import LINKS, MORE_LINKS, OTHERS, SUMS, time_of
from .rotations import rotation_time
from .steps import (
    SIDES,
    fewest_steps,
    meets_the_form,
    printed_steps,
    right_steps,
    searched_pairs,
    taken_steps,
)

MUCH = 1.25  # times: what is called much faster


def lee_chang_verdicts():
    """In the order of the paper's text."""
    return [
        _one_processor(),
        _homogeneous(),
        _doubling(),
        _longer(),
        _steps(),
        _lower_bound(),
    ]


def _one_processor():
    alone = {n: (flops(n, 1, OWN), flops(n, 1, BASE)) for n, p in pairs() if p == 1}
    shown = ", ".join(
        f"{text_of(link)} for {text_of(base)} with {n} joints" for n, (link, base) in alone.items()
    )
    ratios = [base / link for link, base in alone.values()]
    return Verdict(
        PAPER,
        "on one processor link coordinates are much faster than base coordinates",
        judged(ratio >= MUCH for ratio in ratios),
        f"flops: {shown}, {min(ratios):.2f} to {max(ratios):.2f} times as fast. Much means "
        f"{MUCH:g} times or more; a number above {min(ratios):.2f} would decide otherwise",
    )


def _homogeneous():
    several = [pair for pair in pairs() if pair[1] > 1]
    ratio = {
        way: [flops(*pair, way) / flops(*pair, BASE) for pair in several] for way in (OWN, SHARED)
    }
    (n, p), (_, steps) = several[-1], run(*several[-1], BASE)
    _, fewer = run(n, p, OWN)
    own, shared = (f"{min(ratio[way]):.2f} to {max(ratio[way]):.2f}" for way in (OWN, SHARED))
    return Verdict(
        PAPER,
        "on several, homogeneous recurrences take much less time than inhomogeneous ones",
        judged(each >= MUCH for way in ratio.values() for each in way),
        f"flops one after another: link coordinates take {own} times as many on 2 to {p} "
        f"processors, and {shared} times with shared products of rotations, most on many "
        f"processors; but fewer steps, {fewer} for {steps} with {n} joints on {p}. Much means "
        f"{MUCH:g} times or more",
    )


def _total(n):
    parts = time_of(SUMS, n, n, doubling), time_of(OTHERS, n, n, doubling)
    return sum(parts, rotation_time(n, "given"))


def _doubling():
    shown, found = printed("lee_chang")["recursive_doubling"], _total(LINKS).pair
    return Verdict(
        PAPER,
        f"recursive doubling takes {text_of(shown)} for a PUMA on {LINKS} processors",
        judged([found == shown]),
        f"the equations, run, take {text_of(found)} if the first step knows the zeros of the "
        "PUMA's rotations, and messages are free",
    )


def _longer():
    shown, found = printed("lee_chang")["more_for_12_links"], _total(MORE_LINKS) - _total(LINKS)
    return Verdict(
        PAPER,
        f"and {text_of(shown)} more with {MORE_LINKS} links",
        judged([found.pair == shown]),
        f"{text_of(found.pair)} more",
    )


def _steps():
    grid = [(n, p) for n in SIDES for p in SIDES if p <= n]
    right = [pair for pair in grid if printed_steps(*pair) == taken_steps(*pair)]
    corrected = sum(right_steps(*pair) == taken_steps(*pair) for pair in grid)
    return Verdict(
        PAPER,
        "algorithm PFP takes T_p steps",
        judged([len(right) > 0, len(right) == len(grid)]),
        f"on {text_of(len(right))} of {text_of(len(grid))} pairs p ≤ n ≤ {max(SIDES)}, else one "
        "more or one fewer; s − 1 + ⌈log₂b⌉ + ⌈(n+2−s−b)/p⌉, with b blocks of s that are not "
        f"empty, holds on {text_of(corrected)}",
    )


def _lower_bound():
    known = searched_pairs()
    more = [taken_steps(*pair) - fewest_steps(*pair) for pair in known]
    worst = known[more.index(max(more))]
    return Verdict(
        PAPER,
        "algorithm PFP reaches the time lower bound, and so is the most efficient",
        judged([all(meets_the_form(*pair) for pair in known), not any(more)]),
        f"in its order of growth, with k₁ = 2 and k₂ = 1; but of {len(known)} pairs p ≤ n ≤ "
        f"{known[-1][0]} it takes the fewest steps, found by search, on {more.count(0)}. With "
        f"n, p = {worst[0]}, {worst[1]} they are {fewest_steps(*worst)}, and PFP takes "
        f"{taken_steps(*worst)}",
    )
