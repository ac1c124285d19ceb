"""The values in linear forms, each with a number and stored only once."""

import math
from dataclasses import dataclass

from .forms import Form, Numbers, exponent, power_of_two
from .tasks import Input

TURN = 2 * math.pi
QUARTER = math.pi / 2


@dataclass(frozen=True)
class Angle:
    """A sum of values that are angles, each with sign ±1, and a constant in [0, 2π)."""

    terms: tuple = ()  # (value, 1 or -1), by value
    constant: float = 0.0


@dataclass(frozen=True, eq=False)
class Source:
    """An entry of an input, a number or an angle."""

    input: Input


@dataclass(frozen=True, eq=False)
class Sum:
    """A form that is used as one value."""

    form: Form


@dataclass(frozen=True, eq=False)
class Quotient:
    y: Form
    x: Form


@dataclass(frozen=True, eq=False)
class Root:
    """The square root of a form."""

    square: Form


@dataclass(frozen=True, eq=False)
class Cosine:
    angle: Angle


@dataclass(frozen=True, eq=False)
class Sine:
    angle: Angle


@dataclass(frozen=True, eq=False)
class Arctangent:
    """The angle of (x, y)."""

    y: Form
    x: Form


class Values:
    """A table: equal values, up to rounding of the constants in them, have one number."""

    def __init__(self):
        self.numbers = Numbers()
        self._values, self._known = [], {}
        self._levels, self._scales = [], []

    def __getitem__(self, number):
        return self._values[number]

    def of(self, kind):
        """Every (number, value) of a kind."""
        return [(k, value) for k, value in enumerate(self._values) if isinstance(value, kind)]

    def number(self, kind, *parts):
        """The number of a value, which is added if it is new."""
        return self._number(kind, parts, parts, 1.0)

    def _number(self, kind, parts, plain_parts, scale):
        key = kind, *(self.key(part) if isinstance(part, Form) else part for part in plain_parts)
        if key not in self._known:
            self._known[key] = len(self._values)
            self._values.append(kind(*parts))
            self._scales.append(scale)
            self._levels.append(1 + max(self.level(part) for part in parts))
        return self._known[key]

    def multiple(self, kind, parts, plain_parts, scale):
        """(factor, number): kind(*parts) as a factor times the first equal value up to a factor.

        Without its `scale`, a power of two or its negative, the value would be kind(*plain_parts).
        """
        number = self._number(kind, parts, plain_parts, scale)
        return scale / self._scales[number], number

    def level(self, part):
        """The distance of a Form or an Angle from the inputs: more than those of its operands."""
        if isinstance(part, Form):
            return max((self._term_level(term) for term in part.terms), default=0)
        if isinstance(part, Angle):
            return max((self._levels[value] for value, _ in part.terms), default=0)
        return 0

    def _term_level(self, term):
        return max(self._levels[value] for value in term) + len(term) - 1

    def key(self, form):
        """A key that is equal for forms that are equal up to rounding."""
        same = self.numbers.same
        terms = tuple(sorted((term, same(c)) for term, c in form.terms.items()))
        return terms, same(form.constant)

    def alone(self, form):
        """(coefficient, number of a value): a form as a multiple of one value."""
        if form.only:
            term, coefficient = form.only
            is_product = len(term) > 1
            value = self.number(Sum, Form({term: 1.0})) if is_product else term[0]
            return coefficient, value
        if form.constant:
            form = self.shared(form)  # shared with forms that differ by a constant
        return self.multiple(Sum, [form], [form.times(1 / form.scale)], form.scale)

    def root(self, square):
        """(factor, number): the square root of a form."""
        scale = 2.0 ** (exponent(square.scale) // 2)
        return self.multiple(Root, [square], [square.times(scale**-2)], scale)

    def quotient(self, y, x):
        """(factor, number): y / x."""
        sy, sx = y.scale, x.scale
        return self.multiple(Quotient, [y, x], [y.times(1 / sy), x.times(1 / sx)], sy / sx)

    def shared(self, form):
        """The same form with its terms as one value, which other forms may share."""
        if len(form.terms) < 2:
            return form
        coefficient, value = self.alone(form.without_constant)
        return Form({(value,): coefficient}, form.constant)

    def opened(self, form):
        """A form that is a shared sum and a constant, with the terms of both."""
        while len(form.terms) == 1:
            (term, coefficient), *_ = form.terms.items()
            value = self[term[0]]
            if len(term) > 1 or not isinstance(value, Sum) or power_of_two(coefficient) is None:
                break
            form = value.form.times(coefficient).plus(Form(constant=form.constant))
        return form

    def as_factor(self, form):
        """The same form as a factor in products: a constant, or a multiple of one value."""
        if form.is_constant:
            return form
        coefficient, value = self.alone(form)
        return Form({(value,): coefficient})

    def product(self, first, second):
        """The form of a product of two values: a (b + c) is a b + a c if that occurred before."""
        for a, other in ((first, second), (second, first)):
            value = self[other]
            if isinstance(value, Sum) and all(len(term) == 1 for term in value.form.terms):
                written_out = Form({_pair(a, b): c for (b,), c in value.form.terms.items()})
                scale = written_out.scale
                known = self._known.get((Sum, self.key(written_out.times(1 / scale))))
                if known is not None and not value.form.constant:
                    return Form({(known,): scale / self._scales[known]})
        return Form({_pair(first, second): 1.0})

    def squared(self, form):
        """The form of the square of a form."""
        if form.is_constant:
            return Form(constant=form.constant * form.constant)
        coefficient, value = self.alone(form)
        return Form({(value, value): coefficient * coefficient})

    def is_never_negative(self, form):
        """Whether this is evident: only roots, squares and positive constants."""
        return form.constant >= 0 and all(
            c > 0 and (term[0] == term[-1] if len(term) > 1 else isinstance(self[term[0]], Root))
            for term, c in form.terms.items()
        )

    # -- angles ------------------------------------------------------------------------------------

    def angle(self, coefficients, constant):
        """An Angle from {value: coefficient}; None if a coefficient is not 1 or -1."""
        terms = tuple(sorted((value, int(c)) for value, c in coefficients.items() if c))
        if any(abs(c) != 1 for _, c in terms):
            return None
        return Angle(terms, self.wrapped(constant))

    def wrapped(self, angle, turn=TURN):
        """A constant angle within [0, turn)."""
        angle = math.remainder(angle, turn)
        angle = 0.0 if abs(angle) < 1e-12 else angle  # slightly negative is not a turn
        return self.numbers.same(angle % turn)

    def combined(self, first, second, sign=1):
        """first + sign · second."""
        coefficients = dict(first.terms)
        for value, c in second.terms:
            coefficients[value] = coefficients.get(value, 0) + sign * c
        return self.angle(coefficients, first.constant + sign * second.constant)

    def negative(self, angle):
        return self.combined(Angle(), angle, -1)


def _pair(a, b):
    """A term that is a product."""
    return min(a, b), max(a, b)
