"""Times that no schedule can beat. Messages only delay, so bounds without them hold with them too.

Integer weights give integer, exact bounds. Those of float weights are exact up to rounding.
"""

import math
import time

import numpy as np

from .message_paths import earliest_starts
from .rounding import rounding

ROUNDS = 10  # of lengthening the schedule in Fernandez and Bussell's bound; most need two
MOST = 500_000  # products of tasks and times looked at in a round: larger graphs get fewer times
BLOCK = 100_000  # products at a time: this bounds the memory
MOST_WITH_MESSAGES = 2_000  # tasks: of all that each needs is looked at


def bounds(tasks, processors, deadline=math.inf):
    """The name of each bound -> its value; the last are the weaker for what a deadline cuts off."""
    found = {
        "critical path": tasks.span,
        "work": work_bound(tasks, processors),
        "Fernandez-Bussell": fernandez_bussell_bound(tasks, processors, deadline),
    }
    if tasks.messages and processors > 1 and len(tasks) <= MOST_WITH_MESSAGES:
        found["messages"] = message_bound(tasks, processors, deadline)
    return found


def message_bound(tasks, processors, deadline=math.inf):
    """Fernandez and Bussell's from starts that messages make later, and ends that they delay."""
    heads = earliest_starts(tasks, deadline)
    before_end = earliest_starts(tasks.mirrored, deadline)
    tails = [rest + weight for rest, weight in zip(before_end, tasks.weights, strict=True)]
    largest = (max(heads, default=0) + max(tails, default=0) + tasks.work) * processors
    arrays = (as_array(each, largest) for each in (tasks.weights, heads, tails))
    return least_span(*arrays, processors, step_of(tasks), deadline)


def work_bound(tasks, processors):
    """All processors busy all the time."""
    return in_steps(tasks.work, processors, step_of(tasks))


def fernandez_bussell_bound(tasks, processors, deadline=math.inf):
    """Fernandez and Bussell's: how much of the work any schedule must do between two times.

    If the schedule were as short as the longest path, each task would have an earliest and a
    latest start. What the task then must do between two times is the least of what it does there
    when it starts as early and as late as it may. Work that does not fit between the two times
    lengthens the schedule. Theirs ends here; a longer schedule can be asked the same again.

    The times are those where a task may start or end. In large graphs only some of them begin an
    interval, which makes the bound weaker but no less true.
    """
    largest = tasks.work * processors
    arrays = (as_array(each, largest) for each in (tasks.weights, tasks.heads, tasks.tails))
    return least_span(*arrays, processors, step_of(tasks), deadline)


def least_span(weight, head, tail, processors, step=1, deadline=math.inf):
    """The bound for tasks that start `head` after the beginning and `tail` before the end."""
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
    """The most by which work that must be done between two times exceeds the room for it."""
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

    As an interval grows to the right, the share of a task in it grows from where the task starts
    at the latest, at rate 1, until all that must be done of it after `begin` is inside.
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
    """What every time is a multiple of if no task starts later than it must; None for floats."""
    sizes = (*tasks.weights, *tasks.messages.values())
    return math.gcd(*sizes) or 1 if tasks.whole else None


def in_steps(work, processors, step):
    """The least time for this work: a multiple of the step."""
    return work / processors if step is None else -(-work // (processors * step)) * step


def as_array(values, largest):
    """With Python's integers, which have no limit, if the largest is beyond the machine's."""
    return np.array(values, dtype=object if isinstance(largest, int) and largest >= 2**62 else None)


# -- the gap between a schedule and its bound, in digits that never round it to nothing ------------

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
