"""Lathrop's times on unlimited processors, measured on the graphs of his recursions."""

import math

from ..document import Row, Table
from ..printed import printed
from .given import Given
from .growth import line
from .linear import nothing_shared, table_4
from .logarithmic import table_5, table_5_as_printed
from .measured import availability, pairs, rounds

PAPER = "Lathrop 1985"
LINKS = 6
BETWEEN = 4  # a link between others
LINEAR_GRID = (*range(1, 17), 24, 32, 48, 64)
LOGARITHMIC_GRID = (*range(1, 18), 31, 32, 33, 63, 64)
SMALL_GRID = (*range(1, 10), 15, 16)

ABSTRACT = Given(to_torques=False)
EQUATION_5 = Given(rates_as_vectors=False)
EQUATION_17 = Given(hand_is_loaded=False)
AT_REST = Given(rates_as_vectors=False, base_moves=False, hand_is_loaded=False)

LINEAR_LEAD = (
    "The equations of his Table 2 in the order of his Table 4, for n revolute links: traced with "
    "every number an input, rotations too, for n from 1 to 64. A time is slope times n plus a rest."
)
LINEAR_CONVENTIONS = (
    "Sums are taken as written unless called balanced: a matrix times a vector takes 1 + 2, a "
    "cross product 1 + 1, a sum of vectors 0 + 1.",
    "Nothing shared: Aᵀω is used for ω and for ω × z q̇, and A f for f and for p × f, so the sums "
    "they are parts of cannot be balanced. Written with this link's ω and f instead, which costs "
    "no operation, every value crosses a link in one sum of four terms: 1 + 2.",
    "Whatever a multiplication takes, the longest path is the same, so the printed formulas hold "
    "for any times of the two operations.",
)

TIMES_LEAD = (
    "How much later a value is available than the one before it, in the setting of equation 5. "
    "Offsets are those of equation 4."
)

SYMBOLS = {"omega": "ω", "alpha": "ω̇", "acceleration": "p̈", "force": "f", "moment": "n"}
INWARD = ("force", "moment")
# what comes after what -> what is printed of it, and how
OFFSETS = {
    ("alpha", "omega"): ("alpha", "VC + VA"),
    ("acceleration", "omega"): ("acceleration", "2VC + 3VA"),
    ("acceleration", "alpha"): ("acceleration_after_alpha", "VC + 2VA"),
    ("moment", "force"): (
        "moment",
        "VC + VA is what n needs; at the last link the load on the hand makes it VC + 2VA, and as "
        "both cross a link equally fast it stays so. The abstract has it",
    ),
}

LOGARITHMIC_LEAD = (
    "The gluing forms of his Table 5, with 2(S + Q) where 2S + Q is printed, for n revolute links "
    "whose base spins and accelerates: traced with every number an input, for n from 1 to 64."
)
LOGARITHMIC_CONVENTIONS = (
    "Outward n links are glued to the base in ⌈log₂(n+1)⌉ rounds; inward they are glued among "
    "themselves in ⌈log₂n⌉. The paper has ⌈log₂(n+1)⌉ for both, which is the same unless n is a "
    "power of two.",
    "z q̇ and z q̈ are vectors along the link's own axes; making them by a product first changes "
    "nothing, since other values come later.",
)


def linear():
    """The linear recursion: the abstract, equation 5, and what balanced sums change."""
    shown = printed("lathrop")["depth"]
    abstract = line(pairs(table_4, ABSTRACT, LINEAR_GRID))
    equation_5 = line(pairs(table_4, EQUATION_5, LINEAR_GRID))
    balanced = pairs(table_4, EQUATION_5, LINEAR_GRID, balanced=True)
    unshared = pairs(nothing_shared, EQUATION_5, LINEAR_GRID, balanced=True)
    fewer = line(balanced).slope[1] - line(unshared).slope[1]
    rows = [
        _row("abstract, per link", shown["abstract"]["slope"], abstract.slope, abstract.range),
        _row(
            "abstract, the rest",
            shown["abstract"]["rest"],
            abstract.rest,
            "to the moment at the first joint, from z q̇ and z q̈ as vectors, with a base that spins "
            "and accelerates and a load on the hand",
        ),
        _row(
            "abstract, six links",
            printed("lathrop")["table_1"]["linear"],
            pairs(table_4, ABSTRACT, [LINKS])[LINKS],
            str(abstract),
        ),
        _rest("the rest, to the torque n · z", Given(), "a scalar product more"),
        _rest(
            "the rest, from z, q̇ and q̈",
            Given(rates_as_vectors=False, to_torques=False),
            "the product z q̇ more",
        ),
        _row("equation 5, per link", shown["equation_5"]["slope"], equation_5.slope, ""),
        _row(
            "equation 5, the rest",
            shown["equation_5"]["rest"],
            equation_5.rest,
            "both: so it is the abstract from scalars to scalars",
        ),
        _rest(
            "the rest, base that does not turn, free hand",
            AT_REST,
            "what the robots of most papers are",
        ),
        *_lines("balanced", balanced, "A f and its sum with F take 1 + 3 as before"),
        *_lines("balanced, nothing shared", unshared, f"{fewer} additions per link fewer"),
    ]
    return Table("Lathrop: the linear recursion", LINEAR_LEAD, rows, LINEAR_CONVENTIONS)


def times():
    """Table 4's steps and equation 4's offsets, at a link between others."""
    shown, rows = printed("lathrop")["depth"], []
    for name, measured in steps().items():
        side = "beyond" if name in INWARD else "before"
        quantity = f"{SYMBOLS[name]} after that of the link {side}"
        rows.append(_row(quantity, shown["step"], measured, "MV + VA"))
    for (name, first), measured in offsets().items():
        key, note = OFFSETS[name, first]
        rows.append(
            _row(f"{SYMBOLS[name]} after {SYMBOLS[first]}", shown["offsets"][key], measured, note)
        )
    return Table("Lathrop: when values are available", TIMES_LEAD, rows)


def steps():
    """Propagated quantity -> [mul, add] from one link to the next."""
    return {
        name: _later((name, BETWEEN), (name, BETWEEN + (1 if name in INWARD else -1)))
        for name in SYMBOLS
    }


def offsets():
    """(quantity, first) -> [mul, add] by which it is later than the first, at the same link."""
    return {(name, first): _later((name, BETWEEN), (first, BETWEEN)) for name, first in OFFSETS}


def _later(this, than):
    ready = availability(table_4, 2 * BETWEEN, EQUATION_5)
    return [a - b for a, b in zip(ready[this], ready[than], strict=True)]


def logarithmic():
    """The logarithmic recursion: equation 17, where it is not met and why, and balanced sums."""
    shown = printed("lathrop")["depth"]["equation_17"]
    plain = pairs(table_5, EQUATION_17, LOGARITHMIC_GRID)
    balanced = pairs(table_5, EQUATION_17, LOGARITHMIC_GRID, balanced=True)
    glued = line({rounds(n): pair for n, pair in plain.items()})
    full = [2**k - 1 for k in range(1, 7)]  # as many as fit into k rounds each way
    loaded = line(_by_doublings(pairs(table_5, Given(), full[:5])))
    undistributed = line(_by_doublings(pairs(table_5_as_printed, EQUATION_17, full[:5])))
    resting = pairs(table_5, Given(base_moves=False, hand_is_loaded=False), SMALL_GRID)
    resting = line({rounds(n): pair for n, pair in resting.items()})
    doubled = line(_by_doublings({n: balanced[n] for n in full}))
    half = [slope // 2 for slope in shown["slope"]]
    rows = [
        _row("equation 17, a round of gluing", half, glued.slope, "MV + VA, for every n"),
        _row("equation 17, the rest", shown["rest"], glued.rest, "to the torque n · z"),
        _row(
            "equation 17, six links",
            printed("lathrop")["table_1"]["logarithmic"],
            plain[LINKS],
            "",
        ),
        _row(
            "equation 17, eight links",
            at(shown, 8),
            plain[8],
            "a power of two: inward there is one round less than printed",
        ),
        _row("equation 17, 63 links", at(shown, 63), plain[63], ""),
        _row("equation 17, 64 links", at(shown, 64), plain[64], "a power of two"),
        _row(
            "with a load on the hand, the rest",
            shown["rest"],
            loaded.rest,
            "the hand is one element more, so both ways take ⌈log₂(n+1)⌉ rounds; but in its first "
            "one the last link stands on the left, and a moment on the left is not turned: 1 + 1 "
            "less",
        ),
        _row(
            "Table 5 as printed, a doubling",
            shown["slope"],
            undistributed.slope,
            "U (n + R × f) is printed, which keeps n waiting for a sum before and after U; U n and "
            "U (R × f) apart, as in all other rows, are a product more and meet the time",
        ),
        _row("base that does not turn, the rest", None, resting.rest, "from 3 links on"),
        _row("balanced, a doubling", None, doubled.slope, "2ᵏ − 1 links to twice as many and one"),
        _row("balanced, six links", None, balanced[LINKS], ""),
        _row("balanced, 63 links", None, balanced[63], ""),
    ]
    title = "Lathrop: the logarithmic recursion"
    return Table(title, LOGARITHMIC_LEAD, rows, LOGARITHMIC_CONVENTIONS)


def curves():
    """name -> (n, flops): what is measured and what is printed."""

    def flops(found):
        return [(n, sum(pair)) for n, pair in found.items()]

    shown, linear, glued = printed("lathrop")["depth"], LINEAR_GRID, LOGARITHMIC_GRID
    slope, rest = (sum(shown["equation_5"][part]) for part in ("slope", "rest"))
    unshared = pairs(nothing_shared, EQUATION_5, linear, balanced=True)
    return {
        "linear": flops(pairs(table_4, EQUATION_5, linear)),
        "linear, balanced": flops(pairs(table_4, EQUATION_5, linear, balanced=True)),
        "linear, nothing shared, balanced": flops(unshared),
        "logarithmic": flops(pairs(table_5, EQUATION_17, glued)),
        "logarithmic, balanced": flops(pairs(table_5, EQUATION_17, glued, balanced=True)),
        "equation 5": [(n, slope * n + rest) for n in linear],
        "equation 17": [(n, sum(at(shown["equation_17"], n))) for n in glued],
    }


def _row(quantity, shown, measured, note):
    return Row(PAPER, quantity, shown, measured, note)


def _rest(quantity, given, note):
    found = line(pairs(table_4, given, SMALL_GRID))
    return _row(quantity, None, found.rest, f"{found}: {note}")


def _lines(name, found, note):
    whole = line(found)
    return [
        _row(f"{name}, per link", None, whole.slope, note),
        _row(f"{name}, the rest", None, whole.rest, whole.range),
        _row(f"{name}, six links", None, found[LINKS], str(whole)),
    ]


def _by_doublings(found):
    """From 2ᵏ − 1 links to k."""
    return {(n + 1).bit_length() - 1: pair for n, pair in found.items()}


def at(shown, n):
    """Equation 17."""
    k = math.ceil(math.log2(n + 1))
    return [slope * k + rest for slope, rest in zip(shown["slope"], shown["rest"], strict=True)]
