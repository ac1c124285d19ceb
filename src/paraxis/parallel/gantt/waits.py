"""What tasks of a schedule wait for: why each starts when it does, and how late it could start.

A task waits for a predecessor, for a message from it, or for its processor to be free. Traced back
from the last task, this gives the chain that determines the makespan. A task's slack is how much
later it could start without increasing the makespan, if each processor keeps its order.
"""

from ..methods.plan import arrival
from ..methods.rounding import rounding

NEEDS, PROCESSOR = "needs", "processor"


def causes(schedule):
    """For each task (the last task it had to wait for, NEEDS or PROCESSOR), or None."""
    tasks, starts, places = schedule.tasks, schedule.starts, schedule.places
    found = [None] * len(tasks)
    previous = _neighbours(schedule)[0]
    for task in range(len(tasks)):
        waited = [
            (_ready(schedule, first, task), 1, places[first] == places[task], first, NEEDS)
            for first in tasks.predecessors[task]
        ]
        if previous[task] is not None:
            first = previous[task]
            waited.append((starts[first] + tasks.weights[first], 0, True, first, PROCESSOR))
        if waited:  # prefers a predecessor: another processor would not help there
            *_, first, kind = max(waited)
            found[task] = (first, kind)
    return found


def critical_chain(schedule):
    """The names of the tasks that determine the makespan, each waiting for the one before it."""
    tasks = schedule.tasks
    if not len(tasks):
        return []
    found = causes(schedule)
    task = max(range(len(tasks)), key=lambda k: (schedule.starts[k] + tasks.weights[k], k))
    chain = [tasks.names[task]]
    while found[task] is not None:
        task, _ = found[task]
        chain.append(tasks.names[task])
    return chain[::-1]


def slacks(schedule):
    """How much later each task could start."""
    tasks, weights = schedule.tasks, schedule.tasks.weights
    latest = [schedule.makespan - weight for weight in weights]
    following = _neighbours(schedule)[1]
    for task in reversed(_in_time(schedule)):
        for then in tasks.successors[task]:
            wait = _ready(schedule, task, then) - schedule.starts[task]
            latest[task] = min(latest[task], latest[then] - wait)
        if following[task] is not None:
            latest[task] = min(latest[task], latest[following[task]] - weights[task])
    nothing = rounding(schedule.makespan, *schedule.starts, sums=len(tasks))
    slack = (late - start for late, start in zip(latest, schedule.starts, strict=True))
    return [each if each > nothing else 0 for each in slack]


def _ready(schedule, first, then):
    return arrival(schedule.tasks, first, then, schedule.starts, schedule.places)


def _in_time(schedule):
    """Every task after its predecessors and after those that its processor executes before."""
    tasks, starts = schedule.tasks, list(schedule.starts)
    rank = [0] * len(tasks)
    for k, task in enumerate(tasks.order):  # float starts may be off by rounding
        rank[task] = k
        starts[task] = max([starts[task], *(starts[first] for first in tasks.predecessors[task])])
    return sorted(range(len(tasks)), key=lambda task: (starts[task], rank[task]))


def _neighbours(schedule):
    """For each task the ones before and after on its processor; none for those of zero length."""
    before, after = [None] * len(schedule.tasks), [None] * len(schedule.tasks)
    last = {}  # processor -> its task
    for task in _in_time(schedule):
        if schedule.tasks.weights[task]:
            place = schedule.places[task]
            first, last[place] = last.get(place), task
            before[task] = first
            if first is not None:
                after[first] = task
    return before, after
