"""The tolerance of times: zero for integers, the rounding error for sums of floats."""

import math

SLACK = 1e-12  # relative, of a sum
MOST = 0.5  # below any integer weight that floats can distinguish


def rounding(*times, sums=1):
    """The largest difference of times that are equal up to rounding, for a number of sums."""
    if all(isinstance(each, int) for each in times):
        return 0
    largest = float(max(abs(each) for each in times))
    return max(math.ulp(largest), min(MOST, SLACK * sums * largest))
