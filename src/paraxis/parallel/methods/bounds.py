"""Lower bounds of the makespan. Messages only delay, so bounds without them remain valid.

Integer weights give exact integer bounds. Those of float weights are exact up to rounding.
"""

import math
import time

import numpy as np

from .message_paths import earliest_starts
from .rounding import rounding

ROUNDS = 10  # of extending the schedule in Fernandez and Bussell's bound; most need two
MOST = 500_000  # products of tasks and times per round: larger graphs get fewer times
BLOCK = 100_000  # products at a time, which limits memory
MOST_WITH_MESSAGES = 2_000  # tasks: the predecessors of each are examined


def bounds(tasks, processors, deadline=math.inf):
    """The name of each bound -> its value; the last ones are weaker if a deadline cuts them off."""
    found = {
        "critical path": tasks.span,
        "work": work_bound(tasks, processors),
        "Fernandez-Bussell": fernandez_bussell_bound(tasks, processors, deadline),
    }
    if tasks.messages and processors > 1 and len(tasks) <= MOST_WITH_MESSAGES:
        found["messages"] = message_bound(tasks, processors, deadline)
    return found


def message_bound(tasks, processors, deadline=math.inf):
    """Fernandez and Bussell's, from starts and ends that include message delays."""
    heads = earliest_starts(tasks, deadline)
    before_end = earliest_starts(tasks.mirrored, deadline)
    tails = [rest + weight for rest, weight in zip(before_end, tasks.weights, strict=True)]
    largest = (max(heads, default=0) + max(tails, default=0) + tasks.work) * processors
    arrays = (as_array(each, largest) for each in (tasks.weights, heads, tails))
    return least_span(*arrays, processors, step_of(tasks), deadline)


def work_bound(tasks, processors):
    """All processors are busy all the time."""
    return in_steps(tasks.work, processors, step_of(tasks))


def fernandez_bussell_bound(tasks, processors, deadline=math.inf):
    """Fernandez and Bussell's: the work that any schedule must do between two times.

    If the schedule were as short as the longest path, each task would have an earliest and a latest
    start. The work that it must do between two times is the smaller of its work there with either
    start. Work that does not fit between the two times extends the schedule. The published bound
    ends here; the same argument can be repeated for the longer schedule.

    The times are those at which a task may start or end. In large graphs only some of them are used
    as the beginning of an interval, which makes the bound weaker but keeps it valid.
    """
    largest = tasks.work * processors
    arrays = (as_array(each, largest) for each in (tasks.weights, tasks.heads, tasks.tails))
    return least_span(*arrays, processors, step_of(tasks), deadline)


def least_span(weight, head, tail, processors, step=1, deadline=math.inf):
    """The bound for tasks that start at least `head` after the beginning, `tail` before the end."""
    if not len(weight):
        return 0
    span = (head + tail).max(keepdims=True).item()
    for _ in range(ROUNDS):
        excess = most_excess(weight, head, span - tail, processors, deadline)
        if excess <= rounding(span, sums=len(weight)):
            break
        span += in_steps(excess, processors, step)
    return span


def most_excess(weight, head, latest, processors, deadline=math.inf):
    """The largest excess of work that must be done between two times over their capacity."""
    begins = np.unique(np.concatenate([head, latest]))
    begins = begins[:: max(1, len(begins) * len(weight) // MOST)]
    rows = max(1, BLOCK // len(weight))
    most = 0
    for k in range(0, len(begins), rows):
        if time.monotonic() > deadline:
            break
        begin = begins[k : k + rows, None]
        most = max(most, _most_excess(begin, weight, head, latest, processors))
    return most


def _most_excess(begin, weight, head, latest, processors):
    """The same for intervals that begin at the times of a column.

    As an interval grows to the right, the share of a task in it grows from its latest start, at
    rate 1, until it contains everything of the task that must be done after `begin`.
    """
    since = np.maximum(latest, begin)
    until = since + np.clip(head + weight - begin, 0, weight)
    times = np.concatenate([since, until], axis=1)
    order = np.argsort(times, axis=1, kind="stable")
    times = np.take_along_axis(times, order, axis=1)
    rates = np.cumsum(np.where(order < len(weight), 1, -1), axis=1)
    work = np.cumsum(rates[:, :-1] * np.diff(times, axis=1), axis=1)
    return (work - processors * (times[:, 1:] - begin)).max(keepdims=True).item()


def step_of(tasks):
    """A common divisor of all times if no task is delayed unnecessarily; None for floats."""
    sizes = (*tasks.weights, *tasks.messages.values())
    return math.gcd(*sizes) or 1 if tasks.whole else None


def in_steps(work, processors, step):
    """The least time for this work: a multiple of the step."""
    return work / processors if step is None else -(-work // (processors * step)) * step


def as_array(values, largest):
    """An array, of Python's unlimited integers if the largest exceeds those of the machine."""
    return np.array(values, dtype=object if isinstance(largest, int) and largest >= 2**62 else None)


# -- the gap between a schedule and its bound, which is never rounded to zero ----------------------

LEAST = 0.001  # shown by one decimal of a percentage


def gap_text(gap):
    """The text of a table cell."""
    if 0 < gap < LEAST:
        return "<0.1%"
    return f"{gap:.1%}" if math.isfinite(gap) else "unknown"


def gap_words(gap):
    """For a schedule not known to be optimal; may be followed by 'above the optimum'."""
    if gap < LEAST:
        return "less than 0.1%"
    return f"at most {gap:.1%}" if math.isfinite(gap) else "by an unknown share"
