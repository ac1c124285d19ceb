"""What Lathrop claims of times, and what the tables of this report show."""

import numpy as np

from paraxis.graph.evaluate import evaluate

from ..document import Verdict, judged, text_of
from ..printed import printed
from .given import Given, graph_of, input_shapes
from .growth import line
from .lathrop import (
    ABSTRACT,
    EQUATION_5,
    EQUATION_17,
    LINEAR_GRID,
    LINKS,
    LOGARITHMIC_GRID,
    OFFSETS,
    PAPER,
    SYMBOLS,
    at,
    offsets,
    steps,
)
from .linear import table_4
from .logarithmic import table_5, table_5_as_printed, table_5_with_printed_rates
from .measured import pairs

ALMOST_TWO_ORDERS = 50  # times: what is called so
SLIDING = (1, 3)  # of the links of a chain of which some slide


def claims():
    """The verdicts."""
    return [claim() for claim in CLAIMS]


def abstract():
    return _of_formula("the abstract: (2n + 3) mult + (6n + 7) addn", "abstract", ABSTRACT)


def equation_5():
    return _of_formula(
        "equation 5: 2n (1 mult + 3 addn) + 5 mult + 9 addn", "equation_5", EQUATION_5
    )


def _of_formula(claim, key, given):
    found = pairs(table_4, given, LINEAR_GRID)
    slope, rest = printed("lathrop")["depth"][key].values()
    expected = {n: [s * n + r for s, r in zip(slope, rest, strict=True)] for n in found}
    return Verdict(
        PAPER,
        claim,
        judged(found[n] == expected[n] for n in found),
        f"measured {line(found)} for n = {min(found)} to {max(found)}, {_setting(given)}",
    )


def _setting(given):
    start = "z q̇ as vectors" if given.rates_as_vectors else "z, q̇ and q̈"
    return f"from {start} to {'the torques n · z' if given.to_torques else 'the moments n'}"


def two_orders():
    serial = printed("lathrop")["formulas"]["luh_walker_paul"]
    slope = line(pairs(table_4, ABSTRACT, LINEAR_GRID)).slope
    ratios = [int(terms[0]) / each for terms, each in zip(serial, slope, strict=True)]
    return Verdict(
        PAPER,
        "the linear form reduces the coefficients of n by almost two orders of magnitude",
        judged(ratio >= ALMOST_TWO_ORDERS for ratio in ratios),
        f"against the serial Newton-Euler of his Table 1, multiplications by {ratios[0]:.0f} and "
        f"additions by {ratios[1]:.0f} times (almost: at least {ALMOST_TWO_ORDERS})",
    )


def propagation():
    shown, found = printed("lathrop")["depth"]["step"], steps()
    return Verdict(
        PAPER,
        "every propagated variable crosses a node in MV + VA",
        judged(each == shown for each in found.values()),
        ", ".join(f"{SYMBOLS[name]} {text_of(each)}" for name, each in found.items()),
    )


def staggering():
    shown, found = printed("lathrop")["depth"]["offsets"], offsets()
    right = {which: each == shown[OFFSETS[which][0]] for which, each in found.items()}
    wrong = [
        f"{SYMBOLS[name]} after {SYMBOLS[first]} {text_of(found[name, first])}, printed "
        f"{text_of(shown[OFFSETS[name, first][0]])}"
        for (name, first), same in right.items()
        if not same
    ]
    return Verdict(
        PAPER,
        "equation 4: by how much propagated variables are staggered",
        judged(right.values()),
        f"{sum(right.values())} of {len(right)} as printed; {'; '.join(wrong)}",
    )


def equation_17():
    found = pairs(table_5, EQUATION_17, LOGARITHMIC_GRID)
    shown = printed("lathrop")["depth"]["equation_17"]
    met = {n: found[n] == at(shown, n) for n in found}
    missed = [n for n, same in met.items() if not same]
    less = {tuple(a - b for a, b in zip(at(shown, n), found[n], strict=True)) for n in missed}
    return Verdict(
        PAPER,
        "equation 17: 2⌈log₂(n + 1)⌉ (1 mult + 3 addn) + 5 mult + 10 addn",
        judged(met.values()),
        f"met for {sum(met.values())} of {len(met)} n up to {max(met)}; less by "
        f"{', '.join(text_of(each) for each in less)} for n = {', '.join(map(str, missed))}, "
        "the powers of two",
    )


def printed_moments():
    full = [2**k - 1 for k in range(2, 6)]

    def per_doubling(recursion):
        found = pairs(recursion, EQUATION_17, full)
        return line({(n + 1).bit_length() - 1: pair for n, pair in found.items()}).slope

    shown = printed("lathrop")["depth"]["equation_17"]["slope"]
    written, apart = per_doubling(table_5_as_printed), per_doubling(table_5)
    return Verdict(
        PAPER,
        "Table 5's form of n crosses a node in MV + VA",
        judged([written == shown]),
        f"U (n + R × f) as printed takes {text_of(written)} per doubling of the chain; U n and "
        f"U (R × f) apart, a product more, {text_of(apart)} as equation 17 has it",
    )


def printed_rates():
    rng = np.random.default_rng(1985)
    numbers = {
        name: rng.uniform(-1, 1, each) for name, each in input_shapes(LINKS, Given()).items()
    }

    def off(slides):
        right, found = (
            evaluate(graph_of(form, LINKS, Given(), slides), numbers)["tau"]
            for form in (table_5, table_5_with_printed_rates)
        )
        return float(abs(found - right).max() / abs(right).max())

    turning, sliding = off(()), off(SLIDING)
    return Verdict(
        PAPER,
        "Table 5's form of p̈, with 2S + Q",
        judged(each < 1e-9 for each in (turning, sliding)),
        f"torques of {LINKS} revolute links differ from those with 2(S + Q) by {turning:.0%} of "
        f"the largest; where {len(SLIDING)} of the links slide by {sliding:.0%}: Coriolis' term of "
        "sliding is halved",
    )


CLAIMS = (
    abstract,
    equation_5,
    two_orders,
    propagation,
    staggering,
    equation_17,
    printed_moments,
    printed_rates,
)
