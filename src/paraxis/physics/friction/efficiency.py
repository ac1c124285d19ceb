"""The efficiency of a transmission under a load, from its table.

Below and above the table its end values are used. Between two rows there is a polynomial of the
distance from the lower row: a line, or the cubic of Fritsch and Butland (1984), which is monotonic
where the table is. Its coefficients are plain numbers; only the choice of the piece depends on the
load.
"""

from itertools import pairwise

from ...scalar import less, maximum, minimum, select


def efficiency(transmission, torque):
    """Return the efficiency while the output carries `torque`, in either direction."""
    table = transmission.efficiency
    if not isinstance(table, tuple):
        return table
    load = abs(torque) * (1 / transmission.rated)
    load = minimum(maximum(load, table[0][0]), table[-1][0])
    start, *coefficients = chosen(load, table_pieces(transmission))
    distance, value = load - start, coefficients.pop()
    while coefficients:
        value = value * distance + coefficients.pop()
    return value


def table_pieces(transmission):
    """For each piece between two rows: its start, and its coefficients, lowest power first."""
    table = transmission.efficiency
    return cubics(table) if transmission.interpolation == "cubic" else lines(table)


def chosen(load, pieces):
    """The piece at the load, entry by entry: the last one that starts at or below it."""
    found = pieces[0]
    for piece in pieces[1:]:
        before = less(load, piece[0])
        found = [select(before, old, new) for old, new in zip(found, piece, strict=True)]
    return found


def lines(table):
    """Where each line starts, its value there, and its slope."""
    return [(*row, slope) for row, slope in zip(table[:-1], secants(table), strict=True)]


def cubics(table):
    """Where each cubic starts, and its coefficients of the powers 0 to 3 of the distance."""
    ends = zip(table[:-1], widths(table), secants(table), pairwise(tangents(table)), strict=True)
    return [
        (
            *row,
            first,
            (3 * secant - 2 * first - last) / width,
            (first + last - 2 * secant) / width**2,
        )
        for row, width, secant, (first, last) in ends
    ]


def tangents(table):
    """The slope at each row: inside, a weighted harmonic mean of the slopes of the adjacent lines;
    at the ends that of the parabola through three rows, prevented from falling."""
    w, s = widths(table), secants(table)
    if len(s) == 1:
        return s * 2
    inside = [
        0.0 if a * b == 0 else 3 * (v + u) / ((v + 2 * u) / a + (2 * v + u) / b)
        for (v, u), (a, b) in zip(pairwise(w), pairwise(s), strict=True)
    ]
    return [end_tangent(*w[:2], *s[:2]), *inside, end_tangent(*w[:-3:-1], *s[:-3:-1])]


def end_tangent(width, next_width, secant, next_secant):
    tangent = (2 * width + next_width) * secant - width * next_secant
    return max(tangent / (width + next_width), 0.0)


def widths(table):
    return [after - before for (before, _), (after, _) in pairwise(table)]


def secants(table):
    rises = [after - before for (_, before), (_, after) in pairwise(table)]
    return [rise / width for rise, width in zip(rises, widths(table), strict=True)]
