"""How far times may be off: whole ones not at all, sums of floats by their rounding."""

import math

SLACK = 1e-12  # relative, of a sum
MOST = 0.5  # so that no whole weight is lost in it, where floats still tell integers apart


def rounding(*times, sums=1):
    """The most between times that are equal but for rounding, in so many sums in a row."""
    if all(isinstance(each, int) for each in times):
        return 0
    largest = float(max(abs(each) for each in times))
    return max(math.ulp(largest), min(MOST, SLACK * sums * largest))
