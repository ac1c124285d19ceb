"""The time limit of a search."""

from numbers import Real

from ...errors import ArgumentError

TIME_LIMIT = 60  # seconds


def seconds(time_limit):
    """The limit, if it is valid."""
    if isinstance(time_limit, bool) or not isinstance(time_limit, Real) or not time_limit > 0:
        raise ArgumentError(f"time_limit: expected seconds > 0, found {time_limit!r}")
    return time_limit
