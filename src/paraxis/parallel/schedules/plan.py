"""Plans: starts and places of tasks, as methods make them, before they are a checked schedule."""

from itertools import accumulate


def ends(tasks, starts):
    return [start + weight for start, weight in zip(starts, tasks.weights, strict=True)]


def makespan(tasks, plan):
    return max(ends(tasks, plan[0]), default=0)


def serial(tasks):
    """All on one processor, where no message is sent."""
    starts = [0] * len(tasks)
    until = accumulate((tasks.weights[task] for task in tasks.order), initial=0)
    for task, start in zip(tasks.order, until, strict=False):
        starts[task] = start
    return starts, [0] * len(tasks)


def no_slower_than_serial(tasks, plan):
    """The plan, or the serial one where messages make that the shorter."""
    if not tasks.messages:
        return plan
    return min(plan, serial(tasks), key=lambda each: makespan(tasks, each))
