"""Lathrop's Table 1 for six links, beside the plain counts; and what 150n - 48 is made of."""

from paraxis.physics.parts.lagrange_matrices import Homogeneous

from ..document import Row, Table, text_of
from ..printed import printed
from . import hollerbach, luh_walker_paul
from .formulations import LINKS, plain, plain_polynomials
from .plain_count import Ledger, Work, general_chain
from .polynomial import at, fitted, formula

PAPER = "Lathrop 1985"
DEPTH = "as printed only: a time on unlimited processors; `paraxis report depth` measures it"
INTERVAL = "as printed only: from one state to the next; `paraxis report systolic` measures it"
QUOTED = "as printed only: quoted there, not described"

LEAD = (
    "Multiplications + additions for six revolute links. Measured is the plain count of the "
    "formulation here, on a general chain whose base does not turn and whose hand is free."
)
CONVENTIONS = (
    "Rotations are given, whole 3×3 matrices; the axis z = (0, 0, 1) is known, and products with "
    "its zeros and ones are not made, nor those with other entries that are 0 or 1 by construction "
    "(the last row of a 4×4 pose, the base at rest).",
    "Whole: a product of two N×N matrices is N³ + N²(N − 1), whatever is in them; only that the "
    "base does not turn and that nothing hangs on the hand is known.",
    "Sums, products and constants of the robot alone (m s, I about another point) are made once "
    "and not counted.",
)

REASONS = {
    "uicker_kahn": (
        "J Uᵀ is made once and a trace takes 16 products of numbers; there every term multiplies "
        "two 4×4 matrices (next row)"
    ),
    "4x4": (
        "counting convention: there matrices are whole (next row); here the constant last row and "
        "the zeros of ∂A/∂q and of the base are not multiplied"
    ),
    "3x3": (
        "counting convention: there matrices are whole (next row); here ∂R/∂q turns by [z]ₓ, "
        "whose zeros are known, and the zeros of the base are not multiplied"
    ),
    "1980": "met by a fitted reading, step by step in the next table",
    "here": (
        "no velocities, zeros of the axis known, frames on the joint axes, where a base at rest "
        "saves more"
    ),
}

STEPS_LEAD = (
    "A reading of Luh, Walker and Paul that meets 150n − 48 and 131n − 48, run step by step for a "
    "link between others. Their paper is not at hand, so what is counted was chosen by hand until "
    "all four coefficients were met. It shows that the count can be met, not that it was made so; "
    "other choices may meet it too."
)
STEPS_CONVENTIONS = (
    "Every product of a matrix and a vector is 9 + 6, every cross product 6 + 3, every sum of "
    "vectors 0 + 3: no zero is known, not even those of the axis.",
    "z q̇ and z q̈ come in as vectors (Lathrop's Table 4), and cost nothing.",
    "Velocities of the far end and of the centre of mass are propagated too (21 + 18), each with "
    "its own ω × p and ω × s, though no torque depends on them.",
    "The force acts on the arm p + s, which is added again (0 + 3); the torque is a full scalar "
    "product n · z (3 + 2).",
    "The base may move but does not turn, ω₀ = α₀ = 0, which saves 24 + 24; nothing hangs on the "
    "hand, which saves 24 + 24.",
)
STEPS = {
    "omega": "ω",
    "alpha": "α",
    "velocity": "v, velocity of the far end",
    "acceleration": "a, its acceleration",
    "com_velocity": "velocity of the centre of mass",
    "com_acceleration": "its acceleration",
    "inertial_force": "F",
    "inertial_moment": "N",
    "force": "f",
    "moment": "n",
    "torque": "τ",
}


def table_1():
    """Seven formulations and Lathrop's three."""
    rows = [
        _plain("uicker_kahn", "Uicker, Kahn", "lagrange_closed_form", 4, REASONS["uicker_kahn"]),
        _one_term(),
        _row("waters", "Waters", None, QUOTED),
        _plain("hollerbach_4x4", "Hollerbach 4×4", "lagrange_recursive_4x4", 1, REASONS["4x4"]),
        _whole("hollerbach_4x4", "Hollerbach 4×4, whole", 4),
        _plain("hollerbach_3x3", "Hollerbach 3×3", "lagrange_recursive_3x3", 1, REASONS["3x3"]),
        _whole("hollerbach_3x3", "Hollerbach 3×3, whole", 3),
        _row("luh_walker_paul", "Luh, Walker, Paul", _of_1980(LINKS).pair, REASONS["1980"]),
        _plain("luh_walker_paul", "newton_euler here", "newton_euler", 1, REASONS["here"]),
        _row("horn_raibert", "Horn, Raibert", None, QUOTED),
        _row("luh_lin", "Luh, Lin", None, f"{QUOTED}; 852 and 738 over 2.64 make 323 and 280"),
        _row("linear", "Lathrop, linear", None, DEPTH),
        _row("logarithmic", "Lathrop, logarithmic", None, DEPTH),
        _row("systolic", "Lathrop, systolic", None, INTERVAL),
    ]
    return Table("Lathrop, Table 1: formulations compared", LEAD, rows, CONVENTIONS)


def luh_walker_paul_steps():
    """One link of Luh, Walker and Paul, step by step."""
    middle = 2
    done = luh_walker_paul.count(general_chain(["revolute"] * 5))[0].steps()
    rows = [
        Row(PAPER, f"a link: {label}", None, done[step, middle].pair, "")
        for step, label in STEPS.items()
    ]
    (slope_mul, rest_mul), (slope_add, rest_add) = printed("lathrop")["formulas"]["luh_walker_paul"]
    each = sum((done[step, middle] for step in STEPS), Work())
    rest = _of_1980(LINKS) - Work(LINKS * each.mul, LINKS * each.add)
    rows += [
        Row(PAPER, "a link", [int(slope_mul), int(slope_add)], each.pair, "met: fitted"),
        Row(PAPER, "base and hand", [int(rest_mul), int(rest_add)], rest.pair, "met: fitted"),
    ]
    title = "Where 150n − 48 and 131n − 48 come from"
    return Table(title, STEPS_LEAD, rows, STEPS_CONVENTIONS)


def _of_1980(links):
    return luh_walker_paul.count(general_chain(["revolute"] * links))[0].total()


def _row(key, label, measured, note):
    formulas = printed("lathrop")["formulas"].get(key)
    if formulas:
        label = f"{label}: {_shown(formulas)}"
        values = [int(at(polynomial, LINKS)) for polynomial in formulas]
        if values != printed("lathrop")["table_1"][key]:
            note = f"{note}; the printed formula itself gives {values[0]:,} + {values[1]:,}"
    return Row(PAPER, label, printed("lathrop")["table_1"][key], measured, note)


def _shown(polynomials):
    """Formulas of multiplications and of additions, long ones by their first term."""
    return ", ".join(
        formula(each) if len(each) < 5 else f"{formula([each[0]] + [0] * (len(each) - 1))} + …"
        for each in polynomials
    )


def _plain(key, label, algorithm, degree, reason):
    counted = _shown(plain_polynomials(algorithm, degree))
    return _row(key, label, plain(algorithm, LINKS).pair, f"counted {counted}: {reason}")


def _whole(key, label, size):
    """Hollerbach on whole matrices, and what that leaves of the printed formulas."""
    works = [hollerbach.count(general_chain(["revolute"] * n), size)[0].total() for n in (3, 4, 5)]
    counted = [fitted(values, 3) for values in zip(*(work.pair for work in works), strict=True)]
    slopes, rest = zip(
        *(
            [int(shown) - int(own) for shown, own in zip(row, found, strict=True)]
            for row, found in zip(printed("lathrop")["formulas"][key], counted, strict=True)
        ),
        strict=True,
    )
    note = (
        f"counted {_shown(counted)}, the nearest reading found: no zero known, ∂A/∂q and ∂²A/∂q² "
        f"by products, W ∂A/∂q made twice; not found: {text_of(slopes)} per link, in both forms "
        f"9 and N² + N, and {text_of(rest)} at base and hand, where the sums are met"
    )
    return _row(key, label, [int(at(each, LINKS)) for each in counted], note)


def _one_term():
    """A term of Uicker and Kahn's largest sum; there are n⁴/4, for every i, k, m <= j."""
    ledger = Ledger()
    U, J, V = (Homogeneous([[ledger.number(1)] * 4] * 4) for _ in range(3))
    before, rate = ledger.number(1), ledger.number(1)
    product = U @ J @ V.T
    ledger.close(("products", None), [entry for row in product for entry in row])
    trace = sum(row[k] for k, row in enumerate(product))
    ledger.close(("term", None), [before + trace * rate * rate])
    leading = [polynomial[0] for polynomial in printed("lathrop")["formulas"]["uicker_kahn"]]
    a_term = [int(4 * at([coefficient], 0)) for coefficient in leading]
    note = "four times the leading coefficients: they fit two 4×4 products, a trace, rates, one sum"
    quantity = "Uicker, Kahn: one of n⁴/4 terms Tr(U J Uᵀ) q̇ q̇"
    return Row(PAPER, quantity, a_term, ledger.total().pair, note)
