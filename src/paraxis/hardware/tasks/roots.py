"""Square roots: of sums and differences of squares, of products and of any other form.

sqrt(x² + y²)   the length computed by a vectoring task with the angle of (x, y)
sqrt(x² - y²)   hyperbolic vectoring, for x >= |y|
sqrt(u v)       the same with x = (u + v)/2 and y = (u - v)/2, computed by a processor itself
sqrt(e)         the same with u = e and v = 1, however large e is
"""

import math
from itertools import combinations

from .forms import Form, exponent, power_of_two
from .task_list import ZERO, scaled
from .tasks import Constant, Operand
from .values import Arctangent


class Roots:
    """Creates square roots; reuses sums of squares that vectoring tasks compute anyway."""

    def __init__(self, values, tasks, numbers, radius_of):
        self.values, self.tasks = values, tasks
        self.numbers, self.radius_of = numbers, radius_of
        self.radii = {}  # x² + y² up to a power of four -> (number of atan2(y, x), exponent)
        self.squares = []  # those x² + y²
        for number, value in values.of(Arctangent):
            square = values.squared(value.x).plus(values.squared(value.y))
            key, power = self._key(square)
            if key not in self.radii:
                self.radii[key] = number, power
                self.squares.append(square)

    def radius(self, square):
        """The operand whose square is this sum of squares, if a vectoring task computes it."""
        key, power = self._key(square)
        if key not in self.radii:
            return None
        number, known = self.radii[key]
        return scaled(self.radius_of(number), 1, power - known)

    def _key(self, square):
        power = exponent(square.scale) // 2
        return self.values.key(square.times(math.ldexp(1.0, -2 * power))), power

    def root(self, square):
        """The operand that is the square root of a form."""
        squares = [Form({term: c}) for term, c in square.terms.items()]
        if all(len(term) == 2 and term[0] == term[1] for term in square.terms):
            squares += [Form(constant=square.constant)] * bool(square.constant)
            positive = [one for one in squares if one.scale > 0]
            negative = [one.times(-1.0) for one in squares if one.scale < 0]
            if positive:
                return self._of_squares(positive, negative)
        return self._of_product(square)

    def _of_squares(self, positive, negative):
        x = self._length(positive)
        if len(positive) == 1 and not self._is_length(positive[0]):  # x itself may be negative
            x = self.tasks.put("vector", "X", x=x, y=ZERO, z=ZERO)
        if not negative:
            return x
        return self.tasks.put("root", "X", x=x, y=self._length(negative))

    def _length(self, squares):
        """The operand whose square is the sum of squares; not negative if there are several."""
        if len(squares) == 1:
            return self._side(squares[0])
        for pair in combinations(squares, 2):
            radius = self.radius(pair[0].plus(pair[1]))
            if radius is not None:
                sides = [radius] + [self._side(one) for one in squares if one not in pair]
                break
        else:
            sides = [self._side(one) for one in squares]
        while len(sides) > 1:  # operands that are ready first come first
            x, y, *sides = sorted(sides, key=self.tasks.level)
            sides.append(self.tasks.put("vector", "X", x=x, y=y, z=ZERO))
        return sides[0]

    def _side(self, square):
        """A value with this square."""
        if square.is_constant:
            return Operand(Constant(math.sqrt(square.constant)))
        ((value, _), coefficient) = square.only
        (side,) = self.numbers(Form({(value,): math.sqrt(coefficient)}))
        return side

    def _is_length(self, square):
        if square.is_constant:
            return True
        ((value, _), _) = square.only
        return self.values.is_never_negative(Form({(value,): 1.0}))

    def _of_product(self, square):
        """The root of u v or, if x = (u + v)/2 and y = (u - v)/2 cost less, of x² - y²."""
        u, v = self._factors(square)
        x, y = u.plus(v).times(0.5), u.plus(v, -1.0).times(0.5)
        if _cost(x) + _cost(y) < _cost(u) + _cost(v):
            x, y = self.numbers(x, y)
            return self.tasks.put("root", "X", x=x, y=y)
        u, v = self.numbers(u, v)
        return self.tasks.put("mean", "X", x=u, y=v)

    def _factors(self, square):
        """Forms u and v whose product is a form, both nonnegative whenever the product is.

        For two factors this is known if their sum, or that of their negatives, is never negative.
        """
        if square.only and len(square.only[0]) == 2:
            (first, second), coefficient = square.only
            u, v = (self.values.opened(Form({(value,): 1.0})) for value in (first, second))
            for sign in (1.0, -1.0):
                factors = u.times(sign * coefficient), v.times(sign)
                if self.values.is_never_negative(factors[0].plus(factors[1])):
                    return factors
        # a multiple of one value need not be expanded
        factor = abs(square.only[1]) if square.only else 1.0
        return square.times(1 / factor), Form(constant=factor)


def _cost(form):
    """A lower bound of the tasks needed to compute a form from values."""
    is_value = form.only and len(form.only[0]) == 1 and power_of_two(form.only[1]) is not None
    return 0 if form.is_constant or is_value else 1
