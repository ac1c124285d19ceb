"""Branch and bound over the order of tasks on given processors (Luh and Lin, 1982).

They give every link its own processor, which executes the tasks of that link only, and search for
the order on each. Here partial schedules are extended as by Giffler and Thompson: of the tasks
whose predecessors are placed, the one that could end first selects a processor, and the next task
is one of those that compete with it there. This enumerates all schedules in which no task can start
earlier, including message times.

A search that ends in time has found the shortest schedule for these places. Other places may allow
shorter ones, so this does not prove a bound for the number of processors.
"""

import math
import time
from collections.abc import Mapping
from numbers import Integral

from ...checks import shown
from ...errors import ArgumentError
from .bounds import bounds
from .limits import TIME_LIMIT, seconds
from .plan import arrival


def fixed_places_schedule(tasks, processors, places=None, time_limit=TIME_LIMIT):
    """Starts, places and bounds. `places` maps names to processors, by default by groups."""
    deadline = time.monotonic() + seconds(time_limit)
    places = _by_groups(tasks, processors) if places is None else _given(tasks, processors, places)
    search = _Search(tasks, places)
    search.run(deadline)
    return search.best, places, bounds(tasks, processors)


def _by_groups(tasks, processors):
    """One processor per group, such as the tasks of a link, or per number of adjacent groups."""
    groups = list(dict.fromkeys(tasks.groups.get(name) for name in tasks.names))
    if None in groups:
        raise ArgumentError(
            f"schedule of {tasks.name}: method branch_and_bound needs places, a mapping from names "
            "to processors, as the tasks have no groups; streamlined tasks have links as groups"
        )
    each = max(1, len(groups) / processors)  # groups per processor
    return [int(groups.index(tasks.groups[name]) / each) for name in tasks.names]


def _given(tasks, processors, places):
    if not isinstance(places, Mapping):
        raise ArgumentError(
            f"places: expected a mapping from names to processors, found {type(places).__name__}"
        )
    for name in places:
        if name not in tasks.index:
            raise ArgumentError(f"places: expected names of tasks, found {shown(name)}")
    for name in tasks.names:
        place = places.get(name)
        is_one = isinstance(place, Integral) and not isinstance(place, bool)
        if not is_one or place not in range(processors):
            raise ArgumentError(
                f"places: expected a processor from 0 to {processors - 1} for task {name}, found "
                f"{place!r}"
            )
    return [places[name] for name in tasks.names]


DISCREPANCIES = (1, 2, 3)  # allowed deviations from the most urgent choice, per search


class _Search:
    """Choices are tried by the tasks' longest paths to the end, the longest first."""

    def __init__(self, tasks, places):
        self.tasks, self.places = tasks, places
        self.tails = self._tails()
        self.best, self.shortest = None, math.inf
        unplaced = [None] * len(tasks)
        self.floor = self._bound(unplaced, [0] * (max(places, default=0) + 1))

    def _tails(self):
        """The least time from each start to the end of all, with the messages for these places."""
        tasks, tails = self.tasks, list(self.tasks.weights)
        for task in reversed(tasks.order):
            for then in tasks.successors[task]:
                way = arrival(tasks, task, then, [0] * len(tasks), self.places) + tails[then]
                tails[task] = max(tails[task], way)
        return tails

    def run(self, deadline):
        """Search for shorter schedules until none is left, or the deadline.

        At first few choices may deviate from the most urgent one, then more, then any (limited
        discrepancy search, Harvey and Ginsberg), since early choices are as often wrong as late
        ones. There is always one schedule, however short the time is.
        """
        self._keep(self._most_urgent_first())
        if self.shortest <= self.floor:
            return
        for others in (*DISCREPANCIES, math.inf):
            self._descend(others, deadline)
            if self.shortest <= self.floor:
                return

    def _descend(self, others, deadline):
        """Depth first, with a limited number of choices that are not the most urgent."""
        starts, free = [None] * len(self.tasks), [0] * (max(self.places, default=0) + 1)
        branches = [enumerate(self._choices(self._earliest(starts, free)))]
        placed = []  # (task, when its processor was free before, remaining `others`) of each branch
        while branches:
            if time.monotonic() > deadline:
                return
            number, choice = next(branches[-1], (0, None))
            if choice is None or (number and not others):
                branches.pop()
            else:
                task, start = choice
                placed.append((task, free[self.places[task]], others))
                starts[task], others = start, others - bool(number)
                free[self.places[task]] = start + self.tasks.weights[task]
                earliest = self._earliest(starts, free)
                if not earliest:
                    self._keep(starts)
                elif self._bound(starts, free) < self.shortest:
                    branches.append(enumerate(self._choices(earliest)))
                    continue
            if placed:
                task, free[self.places[task]], others = placed.pop()
                starts[task] = None

    def _most_urgent_first(self):
        """Starts by the longest paths to the end, in a time that is acceptable for large graphs."""
        tasks, number = self.tasks, {task: k for k, task in enumerate(self.tasks.order)}
        starts, free = [None] * len(tasks), [0] * (max(self.places, default=0) + 1)
        # Among tasks of zero length all paths are equally long, and the order decides.
        for task in sorted(tasks.order, key=lambda task: (-self.tails[task], number[task])):
            ready = [
                arrival(tasks, first, task, starts, self.places)
                for first in tasks.predecessors[task]
            ]
            starts[task] = max([free[self.places[task]], *ready])
            free[self.places[task]] = starts[task] + tasks.weights[task]
        return starts

    def _keep(self, starts):
        length = max(
            (start + weight for start, weight in zip(starts, self.tasks.weights, strict=True)),
            default=0,
        )
        if length < self.shortest:
            self.best, self.shortest = list(starts), length

    def _earliest(self, starts, free):
        """task -> its earliest start, for those whose predecessors are placed."""
        tasks, found = self.tasks, {}
        for task, start in enumerate(starts):
            before = tasks.predecessors[task]
            if start is None and all(starts[first] is not None for first in before):
                ready = [arrival(tasks, first, task, starts, self.places) for first in before]
                found[task] = max([free[self.places[task]], *ready])
        return found

    def _choices(self, earliest):
        """The tasks that compete for the processor on which one could end first."""
        if not earliest:
            return []
        weights = self.tasks.weights
        soonest = min(earliest, key=lambda task: (earliest[task] + weights[task], task))
        end, place = earliest[soonest] + weights[soonest], self.places[soonest]
        rivals = [
            task
            for task, start in earliest.items()
            if self.places[task] == place and (start < end or task == soonest)
        ]
        rivals.sort(key=lambda task: (-self.tails[task], task))
        return [(task, earliest[task]) for task in rivals]

    def _bound(self, starts, free):
        """A lower bound of the makespan of schedules with these starts.

        Each task has a least start, and a least time from its end to that of all; so do the tasks
        of a processor together, of which subsets with the longest remaining times are tried.
        """
        tasks, weights, tails = self.tasks, self.tasks.weights, self.tails
        heads, rows, least = list(starts), [[] for _ in free], 0
        for task in tasks.order:
            if starts[task] is None:
                place, heads[task] = self.places[task], free[self.places[task]]
                for first in tasks.predecessors[task]:
                    ready = arrival(tasks, first, task, heads, self.places)
                    heads[task] = max(heads[task], ready)
                rows[place].append((weights[task] - tails[task], heads[task], weights[task]))
            least = max(least, heads[task] + tails[task])
        for row in rows:
            begin, work = math.inf, 0
            for rest, head, weight in sorted(row):
                begin, work = min(begin, head), work + weight
                least = max(least, begin + work - rest)
        return least
