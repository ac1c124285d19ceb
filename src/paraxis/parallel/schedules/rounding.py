"""How far times may be off: whole ones not at all, sums of floats by their rounding."""

SLACK = 1e-12  # relative, of a sum
MOST = 0.5  # however large the times are, so that no whole weight is lost in it


def rounding(*times, sums=1):
    """What may lie between times that are equal but for rounding, in so many sums one after
    another."""
    if all(isinstance(each, int) for each in times):
        return 0
    return min(MOST, SLACK * sums * max(abs(each) for each in times))
