"""Formats sums of products as text, LaTeX or Fortran.

Joints are numbered from 1, as in books: s2 is sin(q2), c23 is cos(q2 + q3), c223 is cos(2 q2 + q3),
s2m3 is sin(q2 - q3), qd2 the rate of joint 2, com2_1 the first number of row 2 of an input `com`.
Products of rates are factored out.
"""

from itertools import groupby

from ..passes.expand import Term

RATES = "qd"
WIDTH = 96  # columns of a printed line


class Text:
    """Plain lines. The other notations override what differs."""

    times, power, minus = "*", "{}^{}", "m"

    def __init__(self, inputs, digits=None):
        self.inputs = inputs  # name -> shape
        self.digits = digits  # of a number; None for all

    def entry(self, symbol, *indices):
        return f"{symbol}[{','.join(str(i + 1) for i in indices)}]"

    def sum(self, terms):
        """The pieces of a sum, each with its sign; lines may be broken between them."""
        pieces = []
        for rates, group in by_rates(terms):
            if rates and len(group) > 1:
                inside = [self.term(*term) for term in group]
                taken_out = self.times.join([*self.powers(rates), "(" + without_plus(inside[0])])
                pieces += [f"+ {taken_out}", *inside[1:-1], inside[-1] + ")"]
            else:
                pieces += [self.term(c, (*factors, *rates)) for c, factors in group]
        return pieces

    def term(self, coefficient, factors):
        size = abs(coefficient)
        number = [self.number(size)] if size != 1 or not factors else []
        sign = "-" if coefficient < 0 else "+"
        return f"{sign} {self.times.join([*number, *self.powers(factors)])}"

    def number(self, size):
        return repr(size) if self.digits is None else f"{size:.{self.digits}g}"

    def powers(self, factors):
        return [
            self.power.format(self.factor(factor), power) if power > 1 else self.factor(factor)
            for factor, power in factors
        ]

    def factor(self, factor):
        if factor.function:
            return f"{factor.function[0]}{self.angle(factor.argument)}"
        (((name, index), _),) = factor.argument
        return f"{name}{'_'.join(map(str, self.numbers(name, index)))}"

    def angle(self, argument):
        """The joints of a sum of angles, each as often as it is added, then the subtracted ones."""
        many = any(max(shape, default=0) > 9 for shape in self.inputs.values())

        def joints(sign):
            listed = [(index + 1, sign * multiple) for (_, index), multiple in argument]
            return ("_" if many else "").join(
                str(joint) for joint, times in listed for _ in range(times)
            )

        return joints(1) + (f"{self.minus}{joints(-1)}" if joints(-1) else "")

    def numbers(self, name, index):
        """The subscripts of an entry of an input, from 1."""
        found = []
        for length in reversed(self.inputs[name]):
            index, last = divmod(index, length)
            found.insert(0, last + 1)
        return found


class Latex(Text):
    """Lines of an `align` environment."""

    times, power, minus = r"\,", "{}^{{{}}}", "-"

    def entry(self, symbol, *indices):
        return f"{symbol}_{{{','.join(str(i + 1) for i in indices)}}}"

    def number(self, size):
        digits, _, exponent = super().number(size).partition("e")
        return rf"{digits} \cdot 10^{{{int(exponent)}}}" if exponent else digits

    def factor(self, factor):
        if factor.function:
            return f"{factor.function[0]}_{{{self.angle(factor.argument)}}}"
        (((name, index), _),) = factor.argument
        plain = rf"\mathrm{{{name}}}".replace("_", r"\_")
        symbol = {"q": "q", RATES: r"\dot q"}.get(name, plain)
        return f"{symbol}_{{{','.join(map(str, self.numbers(name, index)))}}}"


class Fortran(Text):
    """Expressions of free-form Fortran, in double precision."""

    power = "{}**{}"

    def entry(self, symbol, *indices):
        return f"{symbol}({','.join(str(i + 1) for i in indices)})"

    def number(self, size):
        digits, _, exponent = super().number(size).partition("e")
        return f"{digits}d{exponent or 0}"

    def meaning(self, factor):
        """The expression of the variable of a factor."""
        sum_ = " ".join(
            f"{'-' if multiple < 0 else '+'} {abs(multiple)}*{self.element(*entry)}"
            for entry, multiple in factor.argument
        )
        plain = without_plus(sum_).replace(" 1*", " ").removeprefix("1*")
        return f"{factor.function}({plain})" if factor.function else plain

    def element(self, name, index):
        return f"{name}({','.join(map(str, self.numbers(name, index)))})"


def by_rates(terms):
    """(product of rates, terms without it) pairs; first the terms without rates."""

    def squares_first(term):
        return [(factor, -power) for factor, power in rates_of(term)]

    for rates, group in groupby(sorted(terms, key=squares_first), key=rates_of):
        yield rates, [Term(c, tuple(f for f in fs if f not in rates)) for c, fs in group]


def rates_of(term):
    """The rates among the factors of a term, with their powers."""
    return tuple((factor, power) for factor, power in term.factors if _is_rate(factor))


def _is_rate(factor):
    ((name, _), _), *_ = factor.argument
    return name == RATES


def without_plus(piece):
    """A piece as the first of a sum."""
    return piece.removeprefix("+ ") if piece[0] == "+" else piece.replace("- ", "-", 1)


def wrapped(left, pieces, margin, more=""):
    """The equation `left = sum of pieces` in lines, where continued lines end in `more`.

    Brackets begin on a new line, unless everything fits on one line.
    """
    lines = [f"{left} {without_plus(pieces[0])}" if pieces else f"{left} 0"]
    long = len(" ".join([left, *pieces])) > WIDTH
    for piece in pieces[1:]:
        if (long and "(" in piece) or len(lines[-1]) + 1 + len(piece) > WIDTH:
            lines.append(margin + piece)
        else:
            lines[-1] += " " + piece
    return [line + more for line in lines[:-1]] + lines[-1:]
