"""Times that no schedule can beat."""

import math


def bounds(tasks, processors):
    """The name of each bound -> its value."""
    return {"critical path": tasks.span, "work": work_bound(tasks, processors)}


def work_bound(tasks, processors):
    """All processors busy all the time; in whole steps if all weights are whole."""
    share = tasks.work / processors
    whole = all(isinstance(weight, int) for weight in tasks.weights)
    return math.ceil(share) if whole else share
