"""Counts as polynomials in the number of links: fitted exactly, printed as papers print them."""

from fractions import Fraction
from itertools import pairwise

SIGNS = {Fraction(1, 2): "½", Fraction(1, 3): "⅓", Fraction(1, 4): "¼", Fraction(2, 3): "⅔"}
SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def fitted(values, start):
    """The coefficients, highest power first, of the polynomial through (start, values[0]), ....

    One value more than the polynomial needs is given, and must lie on it.
    """
    differences, row = [], list(values)
    while row:
        differences.append(row[0])
        row = [b - a for a, b in pairwise(row)]
    if differences.pop() != 0:
        raise ValueError(f"{values} from {start} on: not a polynomial of degree {len(values) - 2}")
    # Newton's form: the sum of differences[k] times (n - start) over k
    coefficients = [Fraction(0)]
    basis = [Fraction(1)]
    for k, difference in enumerate(differences):
        coefficients = _sum(coefficients, [difference * c for c in basis])
        shifted = [c * -(start + k) for c in basis]
        basis = [c / (k + 1) for c in _sum([*basis, Fraction(0)], shifted)]
    return coefficients


def _sum(a, b):
    """Of two polynomials, aligned at their lowest powers."""
    size = max(len(a), len(b))
    a, b = [0] * (size - len(a)) + a, [0] * (size - len(b)) + b
    return [Fraction(x + y) for x, y in zip(a, b, strict=True)]


def at(coefficients, n):
    """Its value."""
    total = Fraction(0)
    for coefficient in coefficients:
        total = total * n + Fraction(coefficient)
    return total


def formula(coefficients):
    """As text: 32½n⁴ + ... - 128."""
    text = ""
    for k, coefficient in enumerate(map(Fraction, coefficients)):
        power = len(coefficients) - 1 - k
        if coefficient:
            sign = " − " if coefficient < 0 else " + "
            text += (sign if text or coefficient < 0 else "") + _term(abs(coefficient), power)
    return text.strip()


def _term(coefficient, power):
    variable = "" if power == 0 else "n" if power == 1 else f"n{str(power).translate(SUPERSCRIPT)}"
    if variable and coefficient == 1:
        return variable
    whole, rest = divmod(coefficient, 1)
    if not rest or rest in SIGNS:
        return f"{whole}{SIGNS.get(rest, '')}{variable}"
    return f"({whole} {rest}){variable}"
