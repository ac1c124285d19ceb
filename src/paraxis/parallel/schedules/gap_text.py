"""The gap between a schedule and its bound in words and digits that never round it to nothing."""

import math

LEAST = 0.001  # what one decimal of a per cent shows


def gap_text(gap):
    """A cell of a table."""
    if 0 < gap < LEAST:
        return "<0.1%"
    return f"{gap:.1%}" if math.isfinite(gap) else "unknown"


def gap_words(gap):
    """Of a schedule that is not known to be optimal; 'above the optimum' may follow."""
    if gap < LEAST:
        return "less than 0.1%"
    return f"at most {gap:.1%}" if math.isfinite(gap) else "by an unknown share"
