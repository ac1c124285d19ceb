"""Time steps of one recurrence on p processors: Lee and Chang's T_p beside those that are taken."""

from functools import cache

from paraxis.parallel.networks.optimal_order import LONGEST, least_steps, optimal
from paraxis.physics.parts.orders import p_fold

from ..document import Figure, Row, Table

PAPER = "Lee and Chang 1988"
LARGEST = 64
SIDES = range(1, LARGEST + 1)  # of the grid of n and p
SHOWN = 6  # links of the rows that go through every p
LEAD = (
    "One recurrence x(i) = x(i−1) ∘ a(i), i = 1 … n, from a given x(0) by algorithm PFP: steps in "
    "which every processor applies ∘ at most once. Printed: T_p of section 3.1. Measured: the "
    f"steps of the order as it is run, for all n and p up to {LARGEST}."
)
CONVENTIONS = (
    "s = ⌈(n+1)/p⌉ is the length of a block and b = ⌈(n+1)/s⌉ the number of blocks that are not "
    "empty. The steps are s − 1 + ⌈log₂b⌉ + ⌈(n + 2 − s − b)/p⌉, always.",
    "T_p has ⌈log₂p⌉ for ⌈log₂b⌉, and takes every block to be filled: with (p−1)s ≥ n+1 whole "
    "blocks are padding. Its + 3 where p does not divide n+1 is the price of padding with 0, as "
    "printed: padded with the identity, or not at all, the end of the last block is x(n).",
    "Equation 36 is run with N(i+1, j+1): block j+1 is glued to the end of block j.",
)


def printed_steps(n, p):
    """T_p as printed."""
    size = _up(n + 1, p)
    inside = n - p - size + (2 if (n + 1) % p == 0 else 3)
    return size + _up(inside, p) + _log(p) - 1


def right_steps(n, p):
    """What T_p should be."""
    size = _up(n + 1, p)
    blocks = _up(n + 1, size)
    return size - 1 + _log(blocks) + _up(n + 2 - size - blocks, p)


@cache
def taken_steps(n, p):
    """The steps of algorithm PFP as it is run."""
    return len(p_fold(n + 1, p).steps)


def step_table():
    """T_p on the grid, and for a few pairs."""
    rows = [*_grid_rows(), *_theorem_rows(), *_optimal_rows()]
    for n, p in [(4, 4), *((SHOWN, p) for p in range(1, SHOWN + 2))]:
        note = f"the fewest of any order are {fewest_steps(n, p)}"
        if (n, p) == (4, 4):
            note += "; T_p counts one term left inside blocks, padding with 0 leaves two: one step"
        rows.append(Row(PAPER, f"n = {n}, p = {p}", printed_steps(n, p), taken_steps(n, p), note))
    return Table("Lee and Chang: steps of one recurrence", LEAD, rows, CONVENTIONS)


def _grid_rows():
    """On how many pairs T_p is right, and how it errs."""
    over = {(n, p): printed_steps(n, p) - taken_steps(n, p) for n in SIDES for p in SIDES}
    within = [pair for pair in over if pair[1] <= pair[0]]
    beyond = [pair for pair in over if pair[1] > pair[0]]
    many = [pair for pair in within if over[pair] > 0]
    few = [pair for pair in within if over[pair] < 0]
    padded = [pair for pair in many if has_empty_blocks(*pair)]
    filled = [pair for pair in many if not has_empty_blocks(*pair)]

    def row(quantity, pairs, note, all_pairs=()):
        return Row(PAPER, quantity, len(all_pairs) or None, len(pairs), note)

    return [
        row(
            "pairs p ≤ n on which T_p is right",
            [pair for pair in within if not over[pair]],
            f"one too many on {len(many)}, one too few on {len(few)}",
            within,
        ),
        row(
            "T_p one too many, with empty blocks",
            padded,
            f"{_first(padded)}; it has ⌈log₂p⌉ for ⌈log₂b⌉, or the + 3",
        ),
        row("T_p one too many, without", filled, f"{_first(filled)}; x(n) comes with the ends"),
        row(
            "T_p one too few",
            few,
            f"{_first(few)}; blocks are empty, so that there are fewer ends and more inside",
        ),
        row(
            "pairs p > n on which T_p is right",
            [pair for pair in beyond if not over[pair]],
            f"up to {max(over[pair] for pair in beyond)} too many; the paper has p ≤ n",
            beyond,
        ),
        Row(
            "Paraxis",
            "pairs on which s − 1 + ⌈log₂b⌉ + ⌈(n+2−s−b)/p⌉ is right",
            None,
            sum(right_steps(*pair) == taken_steps(*pair) for pair in over),
            f"of {len(over):,}",
        ),
    ]


def _theorem_rows():
    """How near algorithm PFP comes to what any order takes."""
    pairs = [(n, p) for n in SIDES for p in SIDES if p <= n]
    least = {(n, p): least_steps(n + 1, p) for n, p in pairs}
    worst = max(pairs, key=lambda pair: taken_steps(*pair) / least[pair])
    taken, bound = taken_steps(*worst), least[worst]
    return [
        Row(
            "Paraxis",
            "pairs p ≤ n with at most 2⌈(n+1)/p⌉ + ⌈log₂p⌉ − 2 steps",
            None,
            sum(meets_the_form(n, p) for n, p in pairs),
            f"of {len(pairs):,}: the form of theorem 1, a lower bound, is met from above with "
            "k₁ = 2 and k₂ = 1",
        ),
        Row(
            "Paraxis",
            "pairs p ≤ n on which no order can take fewer steps",
            None,
            sum(taken_steps(*pair) == least[pair] for pair in pairs),
            f"at worst {taken / bound:.2f} times the bound, which may be out of reach: {taken} for "
            f"{bound} at n, p = {worst[0]}, {worst[1]}",
        ),
    ]


@cache
def fewest_steps(n, p):
    """The steps of the best order in place, found by search."""
    return len(optimal(n + 1, p).steps)


def searched_pairs():
    """All p ≤ n for which every order can be searched."""
    return [(n, p) for n in range(1, LONGEST) for p in range(1, n + 1)]


def _optimal_rows():
    """What is lost to the best order where that is known."""
    pairs = searched_pairs()
    more = {pair: taken_steps(*pair) - fewest_steps(*pair) for pair in pairs}
    met = sum(fewest_steps(n, p) == least_steps(n + 1, p) for n, p in pairs)
    rows = [
        Row(
            "Paraxis",
            f"pairs p ≤ n < {LONGEST} on which algorithm PFP takes the fewest steps",
            None,
            sum(not each for each in more.values()),
            f"of {len(pairs)}; the fewest are found by search among all orders in place, and on "
            f"{met} pairs no order whatever can beat them",
        )
    ]
    for lost in range(1, max(more.values()) + 1):
        some = [pair for pair in pairs if more[pair] == lost]
        rows.append(
            Row(
                "Paraxis",
                f"pairs on which it takes {lost} more",
                None,
                len(some),
                f"{_first(some)}: {taken_steps(*some[0])} for {fewest_steps(*some[0])}",
            )
        )
    return rows


def step_figure():
    """Steps over p for the longest recurrence of the grid."""
    n = LARGEST
    return Figure(
        f"One recurrence of {n} terms on p processors",
        "Steps of algorithm PFP, T_p as printed, and what no order can beat: the larger of the "
        "steps to the last result and of the work for all results (Snir's bound) shared evenly.",
        "processors",
        "steps",
        {
            "algorithm PFP": [(p, taken_steps(n, p)) for p in SIDES],
            "T_p as printed": [(p, printed_steps(n, p)) for p in SIDES],
            "no order can beat": [(p, least_steps(n + 1, p)) for p in SIDES],
        },
        dashed=("T_p as printed", "no order can beat"),
        log="xy",
    )


def meets_the_form(n, p):
    """Whether the steps are within the form of theorem 1 with k₁ = 2 and k₂ = 1."""
    return taken_steps(n, p) <= 2 * _up(n + 1, p) + _log(p) - 2


def has_empty_blocks(n, p):
    """Whether whole blocks would be padding."""
    return (p - 1) * _up(n + 1, p) >= n + 1


def _up(a, b):
    """⌈a / b⌉."""
    return -(-a // b)


def _log(p):
    """⌈log₂p⌉."""
    return (p - 1).bit_length()


def _first(pairs):
    return "first n, p = {}, {}".format(*pairs[0])
