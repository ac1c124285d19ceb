"""The torque of a transmission at the joint, from the torque on the motor's shaft.

This is the inverse of transmission_friction.py. Break-away is subtracted first; the remaining
torque, left, and the torque at the joint, a, then have the same sign, and with s = |direction| and
efficiency η

    driving   left = a (1 + s (1/η - 1))
    braking   left = a (1 - s (1 - η))

where η is that of the load |a|. For a table of efficiencies this is solved on the matching piece of
the table, found from the values of `left` at its rows. If the efficiency rises faster than its
load, several loads require the same driving torque: the largest is returned, the only one that is
sure to move a joint that did not move with a little less.
"""

from itertools import pairwise

from ...scalar import less, less_equal, maximum, select
from .efficiency import table_pieces

STEPS = 8  # of Newton's method; most pieces take four, the steepest (cubic, of few rows) seven
ROUNDING = 1e-14  # relative to the load: tolerance at the ends of its bracket


def torque_at_joint(transmission, on_shaft, direction):
    """Return the torque at a joint that moves in `direction`, -1 to 1, as in friction_in_motion."""
    torque = on_shaft * transmission.ratio
    if transmission.is_ideal:
        return torque
    left = torque - direction * transmission.break_away
    s, drives = abs(direction), less(0.0, left * direction)
    if not isinstance(transmission.efficiency, tuple):
        return left * select(drives, *shares(transmission.efficiency, s))
    load = load_from_table(transmission, abs(left) * (1 / transmission.rated), s, drives)
    return select(less(left, 0.0), -load, load) * transmission.rated


def shares(efficiency, s):
    """The torque at the joint over `left`, while driving and while braking."""
    driving = efficiency / (s + (1.0 - s) * efficiency)
    return driving, 1.0 / (1.0 - s * (1.0 - efficiency))


def load_from_table(transmission, left, s, drives):
    """The load (an abscissa of the table) that requires `left`, a number >= 0.

    It is the root of x (A + B η(x)) - left (C + D η(x)), which rises through it. Newton's method
    starts from the chord, because from the middle it leaves the piece if the root is near its end.
    """
    A, D = select(drives, s, 1.0 - s), select(drives, 1.0, 0.0)
    B, C = 1.0 - A, 1.0 - D
    low, high, start, *coefficients = piece_that_takes(transmission, left, s, drives)

    def missing_at(x):
        η, slope = polynomial(coefficients, x - start)
        return x * (A + B * η) - left * (C + D * η), A + B * (η + x * slope) - left * D * slope

    (begin, _), (end, _) = missing_at(low), missing_at(high)
    rise = select(less(0.0, end - begin), end - begin, 1.0)  # it is 0 for a piece of zero width
    slack, x = high * ROUNDING, low - begin * (high - low) / rise
    for _ in range(STEPS):
        missing, slope = missing_at(x)
        beyond = less(0.0, missing)
        low, high = select(beyond, low, x), select(beyond, x, high)
        x = x - missing / slope
        inside = select(less_equal(low - slack, x), less_equal(x, high + slack), 0.0)
        x = select(inside, x, (low + high) * 0.5)
    return x


def piece_that_takes(transmission, left, s, drives):
    """Two loads that bracket the solution, and the efficiency there, as a piece.

    The last such piece: that below the table, one between two rows, or that beyond.
    """
    rows, pieces = transmission.efficiency, table_pieces(transmission)
    flat = (0.0,) * (len(pieces[0]) - 2)
    (first, lowest), (last, highest) = rows[0], rows[-1]
    found = (0.0, first, 0.0, lowest, *flat)
    ends = [(begin, end) for (begin, _), (end, _) in pairwise(rows)]
    inside = [(*between, *piece) for between, piece in zip(ends, pieces, strict=True)]
    beyond = (last, maximum(left / highest, last), last, highest, *flat)
    for (load, efficiency), piece in zip(rows, [*inside, beyond], strict=True):
        takes = load / select(drives, *shares(efficiency, s))
        found = chosen(less_equal(takes, left), piece, found)
    return found


def chosen(condition, one, other):
    return [select(condition, a, b) for a, b in zip(one, other, strict=True)]


def polynomial(coefficients, x):
    """Its value and its slope."""
    value, slope = coefficients[-1], 0.0
    for coefficient in reversed(coefficients[:-1]):
        slope = slope * x + value
        value = value * x + coefficient
    return value, slope
