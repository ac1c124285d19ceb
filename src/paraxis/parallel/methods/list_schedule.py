"""List scheduling: whenever a processor is free, start the ready task of highest priority.

A task is ready where its inputs are available: on every processor once all messages have arrived,
earlier on the processor that made the input which would arrive last. The priorities:

- `hlf`, highest level first: the longest path to the end.
- `cp_misf`, Kasahara and Narita's critical path / most immediate successors first: ties are broken
  by the number of immediate successors.
- `dhlf_misf`, Chen, Lee and Hou's dynamical highest level first / most immediate successors first,
  as interpreted here: neither the level of a task nor the number of its successors changes while
  others run, but the number of successors that wait for this task alone does. Ties are broken by
  that number, which is updated whenever a task starts.

Starting what can start is rash where messages are slow: the schedule may then be longer than on
fewer processors. So with messages, the best on any number up to all of them is taken.
"""

import heapq

from ...checks import one_of
from .plan import ANYWHERE, arrivals, shortest_on_fewer

DEFAULT_PRIORITY = "cp_misf"


def list_schedule(tasks, processors, priority=DEFAULT_PRIORITY):
    """Starts and places."""
    one_of(priority, PRIORITIES, "priority")
    return shortest_on_fewer(tasks, processors, lambda count: list_plan(tasks, count, priority))


def list_plan(tasks, processors, priority=DEFAULT_PRIORITY):
    """The plan on all processors, even if one on fewer is shorter."""
    return schedule_by_rank(tasks, processors, *PRIORITIES[priority](tasks))


def unchanging(task):
    """Constant ranks: no start of a task raises another."""
    return ()


def schedule_by_rank(tasks, processors, rank, raised_by=unchanging):
    """The least rank first. `raised_by(task)`: tasks whose rank falls when a task starts."""
    ready = Ready(rank, processors)
    waiting = [len(each) for each in tasks.predecessors]
    for task, count in enumerate(waiting):
        if not count:
            ready.push(task)
    starts, places = [0] * len(tasks), [0] * len(tasks)
    running, coming, now = [], [], 0  # (end, task), and (time, task, place) when inputs arrive
    while True:
        while (chosen := ready.pop()) is not None:
            task, places[task] = chosen
            starts[task] = now
            heapq.heappush(running, (now + tasks.weights[task], task))
            for other in raised_by(task):
                ready.push_again(other)
        if not running and not coming:
            return starts, places
        now = min(queue[0][0] for queue in (running, coming) if queue)
        while running and running[0][0] == now:
            _, task = heapq.heappop(running)
            ready.free(places[task])
            for then in tasks.successors[task]:
                waiting[then] -= 1
                if waiting[then]:
                    continue
                if tasks.messages:
                    for place, time in arrivals(tasks, then, starts, places).items():
                        heapq.heappush(coming, (time, then, place))
                else:
                    ready.push(then)
        while coming and coming[0][0] == now:
            _, task, place = heapq.heappop(coming)
            ready.push(task, place)


class Ready:
    """Ready tasks, the most urgent first, and free processors to start them on."""

    def __init__(self, rank, processors):
        self.rank = rank
        self.queues = {ANYWHERE: []}  # where tasks are ready -> heap of (rank, task)
        self.where = [None] * len(rank)
        self.started = [False] * len(rank)
        self.idle = [True] * processors
        self.next_idle = list(range(processors))  # a heap; may contain some that are no longer idle
        self.idle_count = processors

    def push(self, task, place=ANYWHERE):
        if not self.started[task]:
            self.where[task] = place
            heapq.heappush(self.queues.setdefault(place, []), (self.rank[task], task))

    def push_again(self, task):
        """Queue it with its new rank. The old entry remains, and is skipped after the start."""
        if self.where[task] is not None:
            self.push(task, self.where[task])

    def free(self, place):
        self.idle[place] = True
        self.idle_count += 1
        heapq.heappush(self.next_idle, place)

    def pop(self):
        """The most urgent task that can start now and its processor; None if there is none."""
        if not self.idle_count:
            return None
        best = None
        for where, queue in self.queues.items():
            if where != ANYWHERE and not self.idle[where]:
                continue
            while queue and self.started[queue[0][1]]:
                heapq.heappop(queue)
            if queue and (best is None or queue[0] < best[0]):
                best = queue[0], where
        if best is None:
            return None
        (_, task), where = best
        heapq.heappop(self.queues[where])
        self.started[task] = True
        place = where
        while place == ANYWHERE or not self.idle[place]:
            place = heapq.heappop(self.next_idle)
        self.idle[place] = False
        self.idle_count -= 1
        return task, place


def highest_level_first(tasks):
    return ([-tail for tail in tasks.tails],)


def critical_path_most_successors(tasks):
    pairs = zip(tasks.tails, tasks.successors, strict=True)
    return ([(-tail, -len(after)) for tail, after in pairs],)


def dynamic_level_most_successors(tasks):
    """Ranks that rise when started tasks leave others as the only remaining predecessors."""
    left = [len(each) for each in tasks.predecessors]
    rest = [sum(each) for each in tasks.predecessors]  # once one is left, this is its index
    rank = [(-tail, 0) for tail in tasks.tails]

    def raised(then):
        level, alone = rank[rest[then]]
        rank[rest[then]] = (level, alone - 1)
        return rest[then]

    def raised_by(task):
        for then in tasks.successors[task]:
            left[then] -= 1
            rest[then] -= task
            if left[then] == 1:
                yield raised(then)

    for then, count in enumerate(left):
        if count == 1:
            raised(then)
    return rank, raised_by


PRIORITIES = {
    "hlf": highest_level_first,
    "cp_misf": critical_path_most_successors,
    "dhlf_misf": dynamic_level_most_successors,
}
