"""Plans: starts and places of tasks as computed by methods, before they are checked.

A plan is a pair: when each task starts, and on which processor.
"""

from itertools import accumulate

ANYWHERE = -1  # on any processor


def ends(tasks, starts):
    return [start + weight for start, weight in zip(starts, tasks.weights, strict=True)]


def makespan(tasks, plan):
    return max(ends(tasks, plan[0]), default=0)


def serial(tasks):
    """All tasks on one processor, without messages."""
    starts = [0] * len(tasks)
    until = accumulate((tasks.weights[task] for task in tasks.order), initial=0)
    for task, start in zip(tasks.order, until, strict=False):
        starts[task] = start
    return starts, [0] * len(tasks)


def no_slower_than_serial(tasks, plan):
    """The plan, or the serial one if messages make that shorter."""
    if not tasks.messages:
        return plan
    return min(plan, serial(tasks), key=lambda each: makespan(tasks, each))


def arrival(tasks, first, then, starts, places):
    """When the result of `first` is available to `then`: after a message, if that is elsewhere."""
    message = 0 if places[first] == places[then] else tasks.messages.get((first, then), 0)
    return starts[first] + tasks.weights[first] + message


def arrivals(tasks, task, starts, places):
    """place -> when all inputs are available: ANYWHERE, and a processor where that is earlier.

    Only the processor that sends the message which arrives last can have them earlier.
    """
    sent = [
        (starts[first] + tasks.weights[first] + tasks.messages.get((first, task), 0), first)
        for first in tasks.predecessors[task]
    ]
    if not sent:
        return {ANYWHERE: 0}
    everywhere, last = max(sent)
    home = places[last]
    at_home = max(
        starts[first] + tasks.weights[first] if places[first] == home else arrival
        for arrival, first in sent
    )
    return {ANYWHERE: everywhere, home: at_home}


def busy_rows(tasks, starts, places):
    """processor -> its tasks by number in order of time; processors without tasks are left out."""
    rows = {place: [] for place in sorted(set(places))}
    for task in sorted(range(len(tasks)), key=lambda k: (starts[k], tasks.weights[k], k)):
        rows[places[task]].append(task)
    return rows
