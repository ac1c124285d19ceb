"""In which order an associative operator is applied to a row of things.

A log-depth algorithm is a combine operator and a schedule. The operator glues two adjacent spans
into one; a schedule says which spans are glued when, and knows nothing else of them.
"""


def prefixes(glue, row):
    """Return row[0], row[0]+row[1], ..., the k-th after ⌈log₂ k⌉ steps, where + is `glue`.

    Each half is done for itself; then all of the right half are glued to the whole left one.
    """
    if len(row) == 1:
        return row
    half = 2 ** ((len(row) - 1).bit_length() - 1)  # the largest power of two that leaves a rest
    left, right = prefixes(glue, row[:half]), prefixes(glue, row[half:])
    return left + [glue(left[-1], span) for span in right]


def suffixes(glue, row):
    """Return the sums of everything from row[k] on, for every k."""
    return prefixes(lambda right, left: glue(left, right), row[::-1])[::-1]
