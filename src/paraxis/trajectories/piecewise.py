"""Piecewise polynomials of one variable, with as many channels as wanted."""

import numpy as np


class PiecewisePolynomial:
    """Piece k holds from knots[k] to knots[k + 1], in powers of the distance from knots[k].

    Coefficients are (pieces, powers, channels), lowest power first. A knot belongs to the piece
    that begins there. Outside, the value at the nearer end holds and the derivatives are zero.
    """

    def __init__(self, knots, coefficients):
        self.knots, self.coefficients = np.asarray(knots, float), np.asarray(coefficients, float)

    @classmethod
    def line(cls, start, end, length=1.0):
        """From `start` to `end` at one rate."""
        start, end = np.asarray(start, float), np.asarray(end, float)
        return cls([0.0, length], [[start, (end - start) / length]])

    @classmethod
    def quintic(cls, knots, values, rates, accelerations):
        """Fifth powers that have these values and two derivatives, each (knots, channels)."""
        knots, y = np.asarray(knots, float), np.asarray(values, float)
        h = np.diff(knots)[:, None]
        v, a = h * rates[:-1], h**2 * accelerations[:-1]  # over a piece of length 1
        end_v, end_a = h * rates[1:], h**2 * accelerations[1:]
        rise = np.diff(y, axis=0) - v - a / 2  # what the higher powers bring
        turn, bend = end_v - v - a, end_a - a
        powers = [y[:-1], v, a / 2]
        powers += [10 * rise - 4 * turn + bend / 2, -15 * rise + 7 * turn - bend]
        powers += [6 * rise - 3 * turn + bend / 2]
        return cls(knots, np.stack([c / h**k for k, c in enumerate(powers)], axis=1))

    @property
    def length(self):
        """Of the range from the first knot, which is 0, to the last."""
        return float(self.knots[-1])

    def stretched(self, factor):
        """The same values, the variable running `factor` times as far."""
        powers = np.arange(self.coefficients.shape[1])[:, None]
        return PiecewisePolynomial(factor * self.knots, self.coefficients / factor**powers)

    def __call__(self, x):
        """The value and its first two derivatives at x (...), each (..., channels)."""
        x = np.asarray(x, float)
        inside = np.clip(x, 0.0, self.length)
        piece = np.clip(np.searchsorted(self.knots, inside, "right") - 1, 0, len(self.knots) - 2)
        c, z = self.coefficients[piece], (inside - self.knots[piece])[..., None]
        value = rate = acceleration = np.zeros(c.shape[:-2] + c.shape[-1:])
        for k in reversed(range(c.shape[-2])):  # Horner, with its derivatives
            acceleration = acceleration * z + 2 * rate
            rate = rate * z + value
            value = value * z + c[..., k, :]
        still = (x != inside)[..., None]
        return value, np.where(still, 0.0, rate), np.where(still, 0.0, acceleration)
