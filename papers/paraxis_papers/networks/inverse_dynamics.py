"""Inverse dynamics on p processors: Lee and Chang's totals, and algorithm PFP over p."""

from functools import cache

from paraxis.parallel.networks.optimal_order import least_steps
from paraxis.physics.parts.orders import doubling, p_fold

from ..counts.plain_count import Work, general_chain
from ..document import Figure, Row, Table, text_of
from ..printed import printed
from .equations import OTHERS, ROTATIONS, SUMS, torques
from .rotations import chip_times, rotation_time
from .simd import Simd

PAPER = "Lee and Chang 1988"
LINKS, MORE_LINKS = 6, 12  # those of section 3
LENGTHS = (6, 12, 32, 64)
PROCESSORS = (1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64)
SHOWN = (1, 2, 4, 8, 16, 32)  # in the table, and as many as there are joints
PATH = ("17", "19", "21", "23", "24", "29", "31")  # each needs the one before, or its sum
SUMS_ON_PATH = 4  # 20 before 21, 22 before 23, 28 before 29 of the joint before, 30 before 31
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
            "rotations, 9 multiplier-adders per processor",
            None,
            by_entry.pair,
            f"3{log}, 2{log}: a chip with one for each entry of the product",
        ),
        Row(
            PAPER,
            "rotations, 27 multipliers per processor",
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
            "total with 9 multiplier-adders per processor",
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


def met_form(n, p):
    """k₁⌈n/p⌉ + k₂⌈log₂p⌉, the form of theorem 1, with constants that algorithm PFP stays below."""
    own, step = constants()
    return (own + 2 * step) * -(-n // p) + step * (p - 1).bit_length()


def least(n, p):
    """Flops one after another that no order can beat, for two joints or more.

    A processor does a joint's equation, or applies an operator, once all that it needs is there.
    No order has less to do than one processor alone. And from whichever rotation is there last a
    path of equations and single sums leads to a torque. Bounds of whole recurrences do not add
    up, since one may begin before another has ended.
    """
    alone = flops(sum(times(n, 1, p_fold).values(), Work()))
    product = flops(times(2, 2, doubling)[ROTATIONS[0]])
    return max(-(-alone // p), product * least_steps(n, p) + after_rotations())


def after_rotations():
    """What lies between a rotation and a torque: some of a joint's equations, and a sum each of
    four recurrences."""
    one = times(2, 2, doubling)
    equations = sum((one[name] for name in PATH), Work())
    return flops(equations) + SUMS_ON_PATH * flops(one["20"])


def p_fold_table():
    """Times over n and p."""
    own, step = constants()
    rows = []
    for n in LENGTHS:
        for p in [*(p for p in SHOWN if p < n), n]:
            work = sum(times(n, p, p_fold).values(), Work())
            note = (
                f"{flops(work):,} flops; at least {least(n, p):,} in any order, at most "
                f"{met_form(n, p):,} in the form that is met"
            )
            rows.append(Row("Paraxis", f"n = {n}, p = {p}", None, work.pair, note))
    lead = (
        "The same equations on p processors, a block of joints for each and every recurrence by "
        f"algorithm PFP. A joint's own equations take {own} flops, one application of all six "
        f"operators {step}. Theorem 1 says that no algorithm beats k₁⌈n/p⌉ + k₂⌈log₂p⌉ for some "
        f"constants. Its form is met from above with k₁ = {own} + 2·{step} = {own + 2 * step} and "
        f"k₂ = {step}. From below, for any order: the flops of one processor shared evenly, or the "
        f"steps of the rotations and then {after_rotations()} flops on the way to a torque."
    )
    return Table("Lee and Chang: algorithm PFP over p", lead, rows)


def p_fold_figure():
    """Flops one after another over p for the longest chain."""
    n = LENGTHS[-1]

    def curve(value):
        return [(p, value(n, p)) for p in PROCESSORS]

    own, step = constants()
    form = f"theorem 1's form, met: k₁ = {own + 2 * step}, k₂ = {step}"
    bound = "no order can beat"
    return Figure(
        f"Inverse dynamics of {n} joints on p processors",
        "Flops one after another by algorithm PFP, between what no order can beat and the form of "
        "theorem 1 with constants that are met.",
        "processors",
        "flops",
        {
            "algorithm PFP": curve(lambda n, p: flops(sum(times(n, p, p_fold).values(), Work()))),
            form: curve(met_form),
            bound: curve(least),
        },
        dashed=(form, bound),
        log="xy",
    )
