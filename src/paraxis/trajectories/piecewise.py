"""Piecewise polynomials of one variable, with any number of channels."""

import numpy as np

BISECTIONS = 53  # of a piece, down to the spacing of floats
NOISE = 1e-14  # of the sum of its terms: a value that rounding may have left


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
        value, rate, acceleration = self.of_piece(piece, inside)
        still = (x != inside)[..., None]
        return value, np.where(still, 0.0, rate), np.where(still, 0.0, acceleration)

    def of_piece(self, piece, x):
        """The same by the polynomials of the given pieces (...), also where others hold at x."""
        c, z = self.coefficients[piece], (x - self.knots[piece])[..., None]
        value = rate = acceleration = np.zeros(c.shape[:-2] + c.shape[-1:])
        for k in reversed(range(c.shape[-2])):  # Horner, with its derivatives
            acceleration = acceleration * z + 2 * rate
            rate = rate * z + value
            value = value * z + c[..., k, :]
        return value, rate, acceleration

    def turns(self):
        """Where the rate of some channel changes sign inside a piece, and where it is extreme."""
        width = np.diff(self.knots)
        powers = np.arange(self.coefficients.shape[1])[:, None]
        over_unit = self.coefficients * width[:, None, None] ** powers
        rows = np.moveaxis(over_unit, 2, 1)  # (pieces, channels, powers)
        rates = _derivative(rows).reshape(-1, rows.shape[-1] - 1)
        piece = np.repeat(np.arange(len(width)), rows.shape[1])
        extreme = _roots(_derivative(rates))
        return tuple(
            np.unique((self.knots[piece, None] + width[piece, None] * found)[~np.isnan(found)])
            for found in (_roots(rates, extreme), extreme)
        )


def _derivative(c):
    """Of polynomials (..., powers)."""
    return c[..., 1:] * np.arange(1, c.shape[-1])


def _roots(c, extreme=None):
    """Where polynomials c (m, powers) change sign between 0 and 1: (m, powers - 1), padded by NaN.

    From one extreme place to the next a polynomial rises or falls, and has one root there at most.
    """
    if c.shape[-1] < 2:
        return np.empty((len(c), 0))
    extreme = _roots(_derivative(c)) if extreme is None else extreme
    edges = np.hstack(
        [np.zeros((len(c), 1)), np.nan_to_num(extreme, nan=1.0), np.ones((len(c), 1))]
    )
    edges.sort(axis=-1)

    def value(z):
        total = np.zeros_like(z)
        for k in reversed(range(c.shape[-1])):
            total = total * z + c[:, k, None]
        return total

    at_edges = value(edges)
    at_edges[abs(at_edges) <= NOISE * abs(c).sum(-1, keepdims=True)] = 0.0
    way = np.sign(at_edges)
    for k in range(1, way.shape[-1]):  # what is as good as zero is no turn
        way[:, k] = np.where(way[:, k] == 0, way[:, k - 1], way[:, k])
    changes = way[:, :-1] * way[:, 1:] < 0
    low, high = edges[:, :-1], edges[:, 1:]
    for _ in range(BISECTIONS if changes.any() else 0):
        middle = (low + high) / 2
        onward = value(middle) * way[:, :-1] > 0
        low, high = np.where(onward, middle, low), np.where(onward, high, middle)
    return np.where(changes, (low + high) / 2, np.nan)
