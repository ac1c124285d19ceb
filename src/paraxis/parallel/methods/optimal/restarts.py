"""Many list schedules, each compressed from both ends, as a good start of an exact search.

The priorities are the tasks' levels with noise. A schedule is compressed by a backward pass that
takes the tasks which end last first, then a forward pass that takes those which start first first
(forward-backward improvement, Li and Willis). Weights are integers, so that times subtract exactly.
"""

import random
import time

from ..heft import upward_ranks
from ..list_schedule import schedule_by_rank
from ..plan import ends, makespan

ROUNDS = 500  # at most; fewer in graphs of more than
SIZE = 400  # tasks and edges
NOISE = (0.3, 1, 2, 4)  # in average weights


def best_of_restarts(tasks, processors, best, target, deadline, seed):
    """Starts and places, no longer than `best`; it stops once the target is met."""
    dice = random.Random(seed)
    levels = upward_ranks(tasks)
    size = len(tasks) + tasks.edge_count
    for number in range(1 + ROUNDS * SIZE // max(SIZE, size)):
        if makespan(tasks, best) <= target or time.monotonic() > deadline:
            break
        noise = number and dice.choice(NOISE) * tasks.work / len(tasks)
        rank = [-(level + noise * dice.random()) for level in levels]
        plan = schedule_by_rank(tasks, processors, rank)
        plans = (plan, *squeezed(tasks, processors, plan, deadline))
        best = min(best, *plans, key=lambda each: makespan(tasks, each))
    return best


def squeezed(tasks, processors, plan, deadline):
    """The successive schedules, as long as they become shorter."""
    shortest = None
    while shortest is None or makespan(tasks, plan) < shortest:
        if time.monotonic() > deadline:
            return
        shortest = makespan(tasks, plan)
        rank = [-end for end in ends(tasks, plan[0])]
        backwards = schedule_by_rank(tasks.mirrored, processors, rank)
        last = makespan(tasks, backwards)
        plan = [last - end for end in ends(tasks, backwards[0])], backwards[1]
        yield plan
        plan = schedule_by_rank(tasks, processors, plan[0])
        yield plan
