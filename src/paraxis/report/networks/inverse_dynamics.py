"""Inverse dynamics on p processors: Lee and Chang's totals, and algorithm PFP over p."""

from functools import cache

from ...algorithms.orders import doubling, p_fold
from ...parallel.networks.recurrence import least_steps
from ..counts.plain_count import Work, general_chain
from ..document import Figure, Row, Table, text_of
from ..papers import printed
from .equations import OTHERS, ROTATIONS, SUMS, torques
from .rotations import chip_times, rotation_time
from .simd import Simd

PAPER = "Lee and Chang 1988"
LINKS, MORE_LINKS = 6, 12  # those of section 3
LENGTHS = (6, 12, 32, 64)
PROCESSORS = (1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64)
SHOWN = (1, 2, 4, 8, 16, 32)  # in the table, and as many as there are joints
LEAD = (
    "Equations 15 to 31 with a processor for each of the joints, all of which do the same at once: "
    "multiplications + additions one after another. Every recurrence is solved by recursive "
    "doubling; messages take no time here."
)


@cache
def times(joints, processors, order):
    """equation -> Work, for a general chain of revolute joints."""
    machine = Simd(joints, processors, order)
    torques(machine, general_chain(["revolute"] * joints))
    return machine.times()


def time_of(equations, joints, processors, order):
    """The Work of several equations one after another."""
    return sum((times(joints, processors, order)[each] for each in equations), Work())


def doubling_table():
    """The three parts of section 3, and their total."""
    shown = printed("lee_chang")
    log, log1 = "⌈log₂n⌉", "⌈log₂(n+1)⌉"

    def parts(n):
        return (
            rotation_time(n, "given"),
            time_of(SUMS, n, n, doubling),
            time_of(OTHERS, n, n, doubling),
        )

    rotations, sums, others = parts(LINKS)
    total, longer = rotations + sums + others, sum(parts(MORE_LINKS), Work())
    whole = time_of(ROTATIONS, LINKS, LINKS, doubling)
    by_entry, by_product = chip_times(LINKS)
    own = times(LINKS, LINKS, doubling)
    each = ", ".join(f"({name}) {text_of(own[name].pair)}" for name in OTHERS)
    rows = [
        Row(
            PAPER,
            "rotations, eq. 15",
            shown["rotations"],
            rotations.pair,
            f"27{log} − 19, 18{log} − 14: the first step multiplies the PUMA's own rotations with "
            f"their zeros, 8 + 4 for its parallel joints 2 and 3; all others are whole, 27 + 18",
        ),
        Row(
            PAPER,
            "rotations, no zero known",
            None,
            whole.pair,
            f"27{log}, 18{log}: for any arm",
        ),
        Row(
            PAPER,
            "rotations, all zeros known",
            None,
            rotation_time(LINKS, "all").pair,
            "those of the PUMA's products too",
        ),
        Row(
            PAPER,
            "rotations, 9 multiplier-adders a processor",
            None,
            by_entry.pair,
            f"3{log}, 2{log}: a chip with one for each entry of the product",
        ),
        Row(
            PAPER,
            "rotations, 27 multipliers a processor",
            None,
            by_product.pair,
            f"{log}, 2{log}",
        ),
        Row(PAPER, "sums, eqs. 18 to 30", shown["sums"], sums.pair, f"6{log} + 9{log1} additions"),
        Row(
            PAPER,
            "all other equations",
            shown["other_equations"],
            others.pair,
            f"the same for any n: {each}",
        ),
        Row(
            PAPER,
            f"total, n = {LINKS}",
            shown["recursive_doubling"],
            total.pair,
            f"27{log} + 116, 24{log} + 9{log1} + 84",
        ),
        Row(
            PAPER,
            f"more for n = {MORE_LINKS}",
            shown["more_for_12_links"],
            (longer - total).pair,
            "a step more of everything that grows",
        ),
        Row(
            PAPER,
            "total with 9 multiplier-adders a processor",
            None,
            (by_entry + sums + others).pair,
            "where a chip multiplies rotations, and nothing else",
        ),
    ]
    return Table("Lee and Chang: recursive doubling on n processors", LEAD, rows)


# -- algorithm PFP over p --------------------------------------------------------------------------


def flops(work):
    return work.mul + work.add


def constants():
    """What a joint's own equations take, and one application of every recurrence's operator."""
    one_step = time_of(ROTATIONS + SUMS, 2, 1, p_fold) - time_of(ROTATIONS + SUMS, 1, 1, p_fold)
    return flops(time_of(OTHERS, 2, 2, doubling)), flops(one_step)


def theorem(n, p):
    """k₁⌈n/p⌉ + k₂⌈log₂p⌉ with constants that algorithm PFP keeps to."""
    own, step = constants()
    return (own + 2 * step) * -(-n // p) + step * (p - 1).bit_length()


def least(n, p):
    """What no order of the recurrences can beat: rotations, ω and α start from nothing."""
    own, _ = constants()
    product, sums = (flops(times(2, 2, doubling)[name]) for name in ("15", "18"))
    short, long = least_steps(n, p), least_steps(n + 1, p)
    return own * -(-n // p) + (product + 2 * sums) * short + 3 * sums * long


def p_fold_table():
    """Times over n and p."""
    own, step = constants()
    rows = []
    for n in LENGTHS:
        for p in [*(p for p in SHOWN if p < n), n]:
            work = sum(times(n, p, p_fold).values(), Work())
            note = (
                f"{flops(work):,} flops; at most {theorem(n, p):,} by theorem 1's form, at least "
                f"{least(n, p):,} in any order"
            )
            rows.append(Row("Paraxis", f"n = {n}, p = {p}", None, work.pair, note))
    lead = (
        "The same equations on p processors, a block of joints for each and every recurrence by "
        f"algorithm PFP. A joint's own equations take {own} flops, one application of all six "
        f"operators {step}. Theorem 1's form k₁⌈n/p⌉ + k₂⌈log₂p⌉ holds with k₁ = {own} + 2·{step} "
        f"= {own + 2 * step} and k₂ = {step}."
    )
    return Table("Lee and Chang: algorithm PFP over p", lead, rows)


def p_fold_figure():
    """Flops one after another over p for the longest chain."""
    n = LENGTHS[-1]

    def curve(value):
        return [(p, value(n, p)) for p in PROCESSORS]

    return Figure(
        f"Inverse dynamics of {n} joints on p processors",
        "Flops one after another by algorithm PFP, theorem 1's form with constants that it keeps "
        "to, and what no order of the recurrences can beat.",
        "processors",
        "flops",
        {
            "algorithm PFP": curve(lambda n, p: flops(sum(times(n, p, p_fold).values(), Work()))),
            "theorem 1": curve(theorem),
            "any order": curve(least),
        },
        dashed=("theorem 1", "any order"),
        log="xy",
    )
