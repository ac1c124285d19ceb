"""Sums of arrays whose order does not depend on how many problems there are.

A library's own sum takes another order for other shapes, and so would round otherwise.
"""


def in_pairs(rows):
    """The sum of rows in pairs, pairs of pairs, ...: of the same order everywhere."""
    while len(rows) > 1:
        pairs = rows[0 : len(rows) // 2 * 2 : 2] + rows[1::2]
        if len(rows) % 2:
            pairs[-1] += rows[-1]
        rows = pairs
    return rows[0]


def over_knots(array):
    """Of (horizon, problems, entries) or (problems, entries), the sum of each problem."""
    rows = in_pairs(array) if array.ndim == 3 else array
    return in_pairs(rows.T)
