"""Numbers as linear forms: coefficients times terms, plus a constant.

A term is one value, `(a,)`, or a product of two, `(a, b)`; values are given by their number in a
table (values.py). Signs and powers of two are free in hardware, so forms that differ only by these
are considered equal, with the factor in `scale`.
"""

import bisect
import math

SAME = 1e-12  # relative difference of numbers that count as equal, because of rounding


class Form:
    """Σ coefficient · term + constant. Terms keep the order in which they were written."""

    __slots__ = ("constant", "terms")

    def __init__(self, terms=(), constant=0.0):
        self.terms, self.constant = dict(terms), constant

    def plus(self, other, factor=1.0):
        """self + factor · other, without terms that cancel up to rounding."""
        terms = dict(self.terms)
        for term, coefficient in other.terms.items():
            total = _sum(terms.pop(term, 0.0), factor * coefficient)
            if total:
                terms[term] = total
        return Form(terms, _sum(self.constant, factor * other.constant))

    def times(self, factor):
        if not factor:
            return Form()
        terms = {term: factor * coefficient for term, coefficient in self.terms.items()}
        return Form(terms, factor * self.constant)

    @property
    def without_constant(self):
        return Form(self.terms)

    @property
    def is_constant(self):
        return not self.terms

    @property
    def only(self):
        """(term, coefficient) if the form has nothing else, else None."""
        if len(self.terms) == 1 and not self.constant:
            return next(iter(self.terms.items()))
        return None

    @property
    def scale(self):
        """± a power of two: the factor to a form whose first coefficient is in [1, 2)."""
        leading = self.terms[min(self.terms)] if self.terms else self.constant
        return math.copysign(2.0 ** exponent(leading), leading) if leading else 1.0


def _sum(a, b):
    total = a + b
    return 0.0 if abs(total) <= SAME * max(abs(a), abs(b)) else total


def exponent(number):
    """The power of two below |number|; for one just below a power of two, that power."""
    return math.frexp(number * (1 + SAME))[1] - 1


def power_of_two(number):
    """Its exponent if |number| is a power of two, else None."""
    fraction, power = math.frexp(number)
    return power - 1 if abs(fraction) == 0.5 else None


class Numbers:
    """The numbers so far, each of which represents those that differ by rounding."""

    def __init__(self):
        self._sorted = [0.0]

    def same(self, number):
        """The first number equal to this one up to rounding."""
        place = bisect.bisect(self._sorted, number)
        for known in self._sorted[max(place - 1, 0) : place + 1]:
            if abs(known - number) <= SAME * abs(known):
                return known
        self._sorted.insert(place, number)
        return number
