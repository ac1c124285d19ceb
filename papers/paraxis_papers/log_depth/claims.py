"""What the paper claims, and what the tables of this report say to it."""

from itertools import pairwise

from paraxis.parallel.two_arrays.closed_chain import NONE, ONE, SIX
from paraxis.parallel.two_arrays.elimination import ALLOCATIONS

from ..document import Row, Table, judged
from ..printed import printed
from . import measured
from .chains import flops
from .forward_costs import CONSTRAINT, KINDS, LOGARITHMIC, SHORT, added_by_doubling
from .serial_cost import ratios
from .two_arrays import (
    CURVE,
    MESSAGES,
    NETWORKS,
    PAPER,
    SIZES,
    WORD_TIMES,
    hides_messages,
    hop_times,
    largest_startup,
    plan,
)

NEAREST = 2  # hop times that a round takes at least if blocks move too
LEAD = (
    "Each claim is put to every case of a table below. Confirmed means that it holds in all of "
    "them, refuted that it holds in none, depends that it holds in some."
)


def claims_table():
    return Table("The paper's claims", LEAD, [claim() for claim in CLAIMS])


def _claim(quantity, cases, measured, why, told=None):
    return Row(PAPER, quantity, told, measured, f"{judged(cases)}: {why}")


# -- on one processor ------------------------------------------------------------------------------


def serial_cost():
    told, found = printed("fijany")["serial_cost"], ratios().values()
    return _claim(
        f"M⁻¹ by constraint forces costs {told} times the best serial algorithm, for large N",
        [round(ratio, 1) == told for ratio in found],
        round(max(found), 2),
        f"{min(found):.2f} to {max(found):.2f} times, by what is known of the links",
        told,
    )


def not_for_one_processor():
    found = ratios().values()
    return _claim(
        "it is not competitive on one processor",
        [ratio > 1 for ratio in found],
        round(min(found), 2),
        f"it takes at least {min(found):.2f} times the flops of articulated bodies",
    )


def factors_along_the_chain():
    n = SHORT[-1]
    found = [flops(kind, n, LOGARITHMIC) / flops(kind, n, CONSTRAINT) for kind in KINDS]
    return _claim(
        "block LDLᵀ along the chain is cheaper there than elimination in rounds",
        [ratio > 1 for ratio in found],
        round(min(found), 2),
        f"elimination takes at least {min(found):.2f} times its flops for {n} links",
    )


def strictly_sequential():
    """The scan that was measured is articulated bodies, cut into rows of links."""
    row = measured.rows()[-1]
    ratio = measured.speed_ratio(row, "forward_dynamics", measured.SCAN, measured.SERIAL)
    cores = measured.results()["machine"]["cores"]
    return _claim(
        "the recursion of articulated bodies is strictly sequential",
        [ratio <= 1],
        round(ratio, 2),
        "cut into segments of links, each computed with a free end before the links beyond are "
        f"known, it is {ratio:.2f} times as fast with vectors along the chain on {cores} cores as "
        f"link by link on one at N = {measured.length(row['n'])}",
    )


# -- on many ---------------------------------------------------------------------------------------


def logarithmic_depth():
    added = [added_by_doubling(kind, LOGARITHMIC) for kind in KINDS]
    return _claim(
        "with it, forward dynamics takes a time of O(log N)",
        [len(set(each)) == 1 for each in added],
        added[0][-1],
        f"every doubling of the chain adds {added[0][-1]} flops to the longest path",
    )


def logarithmic_plan():
    lengths = [n for n in CURVE if n >= SIZES[1]]
    added = [after - before for before, after in pairwise(plan(n).makespan for n in lengths)]
    return _claim(
        "and so with a contact, on 2N processors",
        [len(set(added)) == 1],
        added[-1],
        f"every doubling adds {added[-1]:,} flops, from {lengths[0]} links on, messages being free",
    )


def limited_speedup():
    n = SIZES[1]
    speedup = plan(n, arrays=1).speedup
    return _claim(
        "N processors speed up a short arm little",
        [speedup < n / 2],
        round(speedup, 2),
        f"{speedup:.2f} times as fast on {n} processors as on one",
    )


def network():
    n = NETWORKS[-1]
    in_place, shuffled = (int(max(times)) for times in hop_times(n))
    return _claim(
        "a shuffle-exchange network with neighbours is optimal for the elimination",
        [in_place <= NEAREST, shuffled <= NEAREST],
        shuffled,
        f"a round takes {shuffled} hop times where blocks move with the rounds, which the paper "
        f"does not say, and up to {in_place} where they stay, N = {n}",
    )


def computes_less():
    first, second = (
        [plan(n, allocation).computation("I.b") for n in SIZES] for allocation in ALLOCATIONS
    )
    shares = [after / before for before, after in zip(first, second, strict=True)]
    return _claim(
        "the second allocation computes less than the first",
        [share < 1 for share in shares],
        round(max(shares), 3),
        f"at most {max(shares):.1%} of its flops in step I.b, where a block is factored once a "
        "round, not twice",
    )


def messages_hidden():
    cases = {
        word: all(hides_messages(plan(n, "second", (word, 0))) for n in SIZES)
        for word in WORD_TIMES
    }
    tried = ", ".join(f"{word}: {'yes' if hidden else 'no'}" for word, hidden in cases.items())
    return _claim(
        "any message of the second allocation can be overlapped",
        cases.values(),
        max((word for word, hidden in cases.items() if hidden), default=None),
        f"by the flops that a word takes, {tried}",
    )


def step_two_overlapped():
    slacks = {
        messages: min(plan(n, "second", messages).slack for n in SIZES)
        for messages in MESSAGES[ONE]
    }
    words_only = all(slack >= 0 for (_, each), slack in slacks.items() if each == 0)
    startup = min(largest_startup(n) for n in SIZES)
    return _claim(
        "step II is totally overlapped with step I",
        [slack >= 0 for slack in slacks.values()],
        startup,
        f"while a message takes at most {startup} flops to start, a word taking one; if it takes "
        f"none, for {'every time' if words_only else 'not every time'} of a word that was tried",
    )


def six_arrays():
    """Their use is refuted where fewer processors are as fast without any right-hand side."""
    more = [plan(n, right_hand_sides=SIX).makespan for n in SIZES]
    fewer = [plan(n, right_hand_sides=NONE).makespan for n in SIZES]
    shares = [two / seven for seven, two in zip(more, fewer, strict=True)]
    return _claim(
        "six right-hand sides for Λ⁻¹ ask for six arrays",
        [share > 1 for share in shares],
        round(shares[-1], 2),
        f"2N processors that leave them out take {shares[-1]:.2f} of the time of 7N, N = "
        f"{SIZES[-1]:,}",
    )


CLAIMS = (
    serial_cost,
    not_for_one_processor,
    factors_along_the_chain,
    strictly_sequential,
    logarithmic_depth,
    logarithmic_plan,
    limited_speedup,
    network,
    computes_less,
    messages_hidden,
    step_two_overlapped,
    six_arrays,
)
