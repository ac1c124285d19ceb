"""What the paper claims, and what became of it. Evidence is computed by what makes the tables."""

from itertools import pairwise

from paraxis.parallel.two_arrays.closed_chain import NONE, ONE, SIX
from paraxis.parallel.two_arrays.elimination import ALLOCATIONS

from ..document import CONFIRMED, NOT_REPRODUCED, Verdict, judged
from ..printed import printed
from .chains import flops
from .forward_costs import BEST, CONSTRAINT, HALVES, KINDS, LOGARITHMIC, SHORT, added_by_doubling
from .operators import AS_PRINTED, CORRECTED, EXACT, INVERSE, TIP, errors, shown
from .other_joints import errors as joint_errors
from .projections import BEFORE, totals
from .serial_cost import ratios
from .speedups import first_to_win, over_best
from .station_arm import speedups as station_speedups
from .station_arm import station_arm, working_chain
from .two_arrays import (
    CURVE,
    MESSAGES,
    NEGLIGIBLE,
    NETWORKS,
    PAPER,
    SIZES,
    WORD_TIMES,
    hides_messages,
    hop_times,
    largest_startup,
    plan,
    work,
)

NEAREST = 2  # hop times that a round takes at least if blocks move too
ARM = SIZES[1]  # links of a usual arm


def verdicts():
    return [claim() for claim in CLAIMS]


def _verdict(claim, outcome, evidence):
    return Verdict(PAPER, claim, outcome, evidence)


# -- on one processor ------------------------------------------------------------------------------


def serial_cost():
    told, found = printed("fijany")["serial_cost"], ratios().values()
    met = any(round(ratio, 1) == told for ratio in found)
    return _verdict(
        f"M⁻¹ by constraint forces costs {told} times the best serial algorithm, for large N",
        CONFIRMED if met else NOT_REPRODUCED,
        f"{min(found):.2f} to {max(found):.2f} times the flops of articulated bodies, by what is "
        "known of the links; the paper quotes its number from a count that it does not show",
    )


def not_for_one_processor():
    found = ratios().values()
    return _verdict(
        "constraint forces are not competitive on one processor",
        judged(ratio > 1 for ratio in found),
        f"at least {min(found):.2f} times the flops of articulated bodies; more than 1 decides",
    )


def factors_along_the_chain():
    n = SHORT[-1]
    found = [flops(kind, n, LOGARITHMIC) / flops(kind, n, CONSTRAINT) for kind in KINDS]
    return _verdict(
        "on one processor block LDLᵀ along the chain is cheaper than elimination in rounds",
        judged(ratio > 1 for ratio in found),
        f"elimination takes at least {min(found):.2f} times its flops for {n} links",
    )


def strictly_sequential():
    """Whether spans of links with free joints inside can be found without those before them."""
    spans = [added_by_doubling(kind, HALVES) for kind in KINDS]
    links = added_by_doubling(KINDS[-1], BEST)
    return _verdict(
        "the recursion of articulated bodies is strictly sequential",
        judged(len(set(each)) > 1 for each in spans),
        "what a link makes of the inertia beyond it is a linear fractional map, and such maps "
        f"combine in any order: by divide and conquer (Featherstone, 1999) every doubling of the "
        f"chain adds {spans[0][-1]} flops to the longest path, link by link the last one adds "
        f"{links[-1]}",
    )


# -- the operator forms ----------------------------------------------------------------------------


def equation_63():
    wrong, right = (max(errors(kind)[form] for kind in KINDS) for form in (AS_PRINTED, CORRECTED))
    return _verdict(
        "M = C⁻¹ + C⁻¹Bᵀ(A⁻¹ − BC⁻¹Bᵀ)BC⁻¹ (first line of equation 63)",
        judged(errors(kind)[AS_PRINTED] < EXACT for kind in KINDS),
        f"off by up to {shown(wrong):,.0f} times the largest entry of M, since an inverse is "
        f"missing; with (A − BC⁻¹Bᵀ)⁻¹, as in the second line, by at most {shown(right):.0e}",
    )


def one_matrix_for_both():
    found = [errors(kind)[form] for kind in KINDS for form in (INVERSE, TIP)]
    return _verdict(
        "one matrix K gives both, M⁻¹ = HᵀPᵀKPH and Λ⁻¹ = βKβᵀ",
        judged(error < EXACT for error in found),
        f"both to within {shown(max(found)):.0e} of their largest entries, which decides",
    )


def projection():
    found, own = totals(), totals()[BEFORE]
    others = {frame: flops for frame, flops in found.items() if frame != BEFORE}
    told = ", ".join(f"{flops / own:.2f} times in {frame}" for frame, flops in others.items())
    return _verdict(
        "any other projection than on the frames before the joints costs significantly more",
        judged(flops > own for flops in others.values()),
        f"flops per link to make A and B and to apply the factors of M⁻¹ once, over the paper's "
        f"{own}: {told}. More than 1 decides: W must select rows, which it also does behind the "
        "joint, and there the link's own inertia is constant",
    )


def other_joints():
    found = joint_errors()
    return _verdict(
        "all results can be extended to joints of other kinds and of more degrees",
        judged(error < EXACT for error in found.values()),
        f"the plan is carried out for {', '.join(found)}; its accelerations differ by at most "
        f"{shown(max(found.values())):.0e} from those of the mass matrix, which decides",
    )


# -- on many processors ----------------------------------------------------------------------------


def logarithmic_depth():
    added = [added_by_doubling(kind, LOGARITHMIC) for kind in KINDS]
    return _verdict(
        "forward dynamics by constraint forces takes a time of O(log N)",
        judged(len(set(each)) == 1 for each in added),
        f"every doubling of the chain adds {added[0][-1]} flops to the longest path",
    )


def logarithmic_plan():
    lengths = [n for n in CURVE if n >= ARM]
    added = [after - before for before, after in pairwise(plan(n).makespan for n in lengths)]
    return _verdict(
        "forward dynamics in contact takes a time of O(log N) on 2N processors",
        judged([len(set(added)) == 1]),
        f"every doubling adds {added[-1]:,} flops, from {lengths[0]} links on, messages being free",
    )


def optimal():
    """In time, and in what all processors do together."""
    short, long = (work(plan(n)) / plan(n).serial_flops for n in (ARM, SIZES[-1]))
    return _verdict(
        "the algorithm is both time- and processor-optimal",
        judged([logarithmic_plan().outcome == CONFIRMED, long <= short]),
        "O(log N) on O(N) processors, which is what the paper calls so; their work is not that of "
        f"one processor, but {short:.1f} times it for {ARM} links and {long:.1f} times for "
        f"{SIZES[-1]:,}, since every round eliminates every block",
    )


def limited_speedup():
    own = plan(ARM, arrays=1).speedup
    best = min(over_best(kind, ARM, arrays=1) for kind in KINDS)
    return _verdict(
        "N processors speed up a short arm little",
        judged([own < ARM / 2]),
        f"{own:.2f} times as fast on {ARM} processors as its own algorithm on one, and "
        f"{best:.2f} times as fast as the best serial program; less than N/2 decides",
    )


def significant_speedup():
    own = {n: plan(n).speedup for n in SIZES}
    best = {n: [over_best(kind, n) for kind in KINDS] for n in SIZES}
    told = ", ".join(
        f"{own[n]:.2f} and {min(best[n]):.2f} to {max(best[n]):.2f} for {n:,}" for n in SIZES
    )
    wins, without = (
        " and ".join(f"{first_to_win(kind, columns)} ({kind})" for kind in KINDS)
        for columns in (ONE, NONE)
    )
    return _verdict(
        "2N processors lead to a significant speed-up, particularly for redundant arms",
        judged(ratio > 1 for n in SIZES for ratio in best[n]),
        "over its own algorithm on one processor, and over the best serial program of the same "
        f"arm: {told} links. More than 1 over the best decides: from N = {wins} on, and from "
        f"{without} on where the right-hand sides of Λ⁻¹ are left out",
    )


def station():
    own, best = station_speedups()
    _, without = station_speedups(NONE)
    whole = plan(station_arm().n)
    return _verdict(
        "the plan has immediate application to the space station's arms of 25 joints",
        judged([best > 1, without > 1]),
        f"{whole.speedup:.2f} times as fast as its own algorithm on one processor for a chain of "
        f"{station_arm().n}; for the {working_chain().n} joints to a hand that holds on "
        f"{own:.2f} times, and {best:.2f} times as fast as the best serial program for this very "
        f"arm, {without:.2f} where the right-hand sides of Λ⁻¹ are left out. More than 1 over the "
        "best decides",
    )


def network():
    n = NETWORKS[-1]
    in_place, shuffled = (int(max(times)) for times in hop_times(n))
    return _verdict(
        "a shuffle-exchange network with neighbours is optimal for the elimination",
        judged([in_place <= NEAREST, shuffled <= NEAREST]),
        f"a round takes {shuffled} hop times where blocks move with the rounds, which the paper "
        f"does not say, and up to {in_place} where they stay, N = {n}; at most {NEAREST} decides",
    )


def computes_less():
    first, second = (
        [plan(n, allocation).computation("I.b") for n in SIZES] for allocation in ALLOCATIONS
    )
    shares = [after / before for before, after in zip(first, second, strict=True)]
    return _verdict(
        "the second allocation computes less than the first",
        judged(share < 1 for share in shares),
        f"at most {max(shares):.1%} of its flops in step I.b, where a block is factored once a "
        "round, not twice",
    )


def messages_hidden():
    cases = {
        word: all(hides_messages(plan(n, "second", (word, 0))) for n in SIZES)
        for word in WORD_TIMES
    }
    tried = ", ".join(f"{word}: {'yes' if hidden else 'no'}" for word, hidden in cases.items())
    return _verdict(
        "any message of the second allocation can be overlapped",
        judged(cases.values()),
        f"by the flops that a word takes, {tried}; step I.b longer by at most {NEGLIGIBLE:.0%} "
        "decides",
    )


def step_two_overlapped():
    slacks = {
        messages: min(plan(n, "second", messages).slack for n in SIZES)
        for messages in MESSAGES[ONE]
    }
    words_only = all(slack >= 0 for (_, each), slack in slacks.items() if each == 0)
    startup = min(largest_startup(n) for n in SIZES)
    return _verdict(
        "step II is totally overlapped with step I",
        judged(slack >= 0 for slack in slacks.values()),
        f"while a message takes at most {startup} flops to start, a word taking one; if it takes "
        f"none, for {'every time' if words_only else 'not every time'} of a word that was tried",
    )


def six_right_hand_sides():
    """The paper gives 6N processors as one way to use more than N, and then lays out 2N."""
    one, six, none = (
        [plan(n, right_hand_sides=columns).makespan for n in SIZES] for columns in (ONE, SIX, NONE)
    )
    faster = [two / seven for two, seven in zip(one, six, strict=True)]
    without = none[-1] / six[-1]
    return _verdict(
        "the six right-hand sides of Λ⁻¹ are six decoupled processes, which 6N processors can do "
        "in parallel",
        judged(ratio > 1 for ratio in faster),
        f"with six arrays for them the plan is {min(faster):.2f} to {max(faster):.2f} times as "
        "fast as with one; but none has to be updated at all, and 2N processors that leave them "
        f"out take {without:.2f} of the time of 7N, N = {SIZES[-1]:,}",
    )


CLAIMS = (
    serial_cost,
    not_for_one_processor,
    factors_along_the_chain,
    strictly_sequential,
    equation_63,
    one_matrix_for_both,
    projection,
    other_joints,
    logarithmic_depth,
    logarithmic_plan,
    optimal,
    limited_speedup,
    significant_speedup,
    station,
    network,
    computes_less,
    messages_hidden,
    step_two_overlapped,
    six_right_hand_sides,
)
