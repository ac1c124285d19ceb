"""Plane rotations: terms a cos φ + b sin φ anywhere in a sum.

Each is the real part of w exp(iφ) with w = a - ib. One task rotates w, and with it iw, -w and -iw,
whose results are the same up to order and sign.
"""

import math

from .forms import Form, exponent
from .task_list import ZERO, scaled
from .values import Arctangent, Cosine, Sine


def split(values, form):
    """({φ: (a, b)}, the rest): the parts a cos φ + b sin φ of a form, and the remaining terms."""
    turned = {term: _turns(values, term) for term in form.terms}
    often = {}
    for turns in turned.values():
        for value in turns:
            often[values[value].angle] = often.get(values[value].angle, 0) + 1
    groups, rest = {}, Form(constant=form.constant)
    for term, coefficient in form.terms.items():
        if not turned[term]:
            rest.terms[term] = coefficient
            continue
        # of two factors, the one used with others is the rotation
        value = max(turned[term], key=lambda v: (often[values[v].angle], v))
        others = list(term)
        others.remove(value)
        other = Form({(others[0],): coefficient}) if others else Form(constant=coefficient)
        a, b = groups.get(values[value].angle, (Form(), Form()))
        if isinstance(values[value], Cosine):
            a = a.plus(other)
        else:
            b = b.plus(other)
        groups[values[value].angle] = a, b
    return groups, rest


def _turns(values, term):
    return [value for value in term if isinstance(values[value], Cosine | Sine)]


class Rotations:
    """The rotations so far, by φ and by w up to a power of two."""

    def __init__(self, values, tasks, numbers, angle_of, radius_of):
        """`radius_of` an arctangent is the length from its task; None to not use it."""
        self.values, self.tasks = values, tasks
        self.numbers, self.angle_of, self.radius_of = numbers, angle_of, radius_of
        self._made = {}  # (φ, w) -> (real part, imaginary part, exponent of w)

    def turned(self, a, b, φ):
        """The operand that equals a cos φ + b sin φ."""
        if self.radius_of:
            self._know_polar(φ)
        u, v = a, b
        for quarters in range(4):
            key, power = self._key(φ, u, v)
            if key in self._made:
                real, imaginary, made_power = self._made[key]
                part = (real, imaginary, real, imaginary)[quarters]
                part = part() if callable(part) else part
                return scaled(part, (1, 1, -1, -1)[quarters], power - made_power)
            u, v = v, u.times(-1.0)  # w times i
        key, power = self._key(φ, a, b)
        self._made[key] = *self._rotated(a, b, φ), power
        return self._made[key][0]

    def _rotated(self, a, b, φ):
        """The real and the imaginary part of (a - ib) exp(iφ)."""
        x, y = self.numbers(a, b.times(-1.0))
        z, quarters = self.angle_of(φ)
        real = self.tasks.put("rotate", "X", x=x, y=y, z=z)
        imaginary = self.tasks.put("rotate", "Y", x=x, y=y, z=z)
        for _ in range(quarters % 4):
            real, imaginary = scaled(imaginary, -1), real
        return real, imaginary

    def _know_polar(self, φ):
        """Registers that (x, y) turned back by its own angle is (radius, 0)."""
        if len(φ.terms) == 1 and not φ.constant:
            number = φ.terms[0][0]
            value = self.values[number]
            if isinstance(value, Arctangent):
                x, y = self.values.as_factor(value.x), self.values.as_factor(value.y)
                key, power = self._key(φ, x, y)
                self._made.setdefault(key, (lambda: self.radius_of(number), ZERO, power))

    def _key(self, φ, a, b):
        """A representative of forms that differ by a power of two, and the power."""
        sizes = [abs(c) for form in (a, b) for c in (*form.terms.values(), form.constant)]
        power = exponent(max(sizes))
        factor = math.ldexp(1.0, -power)
        return (φ, *(self.values.key(form.times(factor)) for form in (a, b))), power
