"""A graph divided among a team: workers that compute one state together, in supersteps.

In a superstep every worker computes its own nodes from what it has and from what others had made
by the end of the superstep before; then all wait for all (bulk synchronous, Valiant 1990). Workers
are in groups of one size, each with a memory of its own. A value that others need is put into a
slot of every group that reads it; a slot is given again once its last reader has the value. What
is free (constants, inputs, sign changes) is not shared: everybody makes it.

Who computes what is found in two steps. Nodes on a dominant sequence, the longest path with its
messages, are put into one cluster until that no longer makes it shorter (Yang and Gerasoulis,
1994); clusters are then given to workers, the largest first, to whom they send most among those
with room.
"""

import heapq
from dataclasses import dataclass
from functools import cached_property

from ..graph.operations import LEAVES

FREE = {*LEAVES, "neg"}
WEIGHTS = {"div": 8, "sqrt": 8, "sin": 12, "cos": 12}  # of a node, in additions; others are 1
PAIR = ("sin", "cos")  # of one angle, made at once
CROWDED = 1.03  # times the mean of all workers that one of them may get


@dataclass(frozen=True)
class Team:
    """`rows[worker][superstep]` are nodes in order; `slots[group]` maps the index of a node that
    the group reads to its slot, of which a group has at most `room`; `cost` is the time, in
    additions, of the slowest worker of every superstep and of all barriers."""

    rows: tuple
    slots: tuple
    room: int
    cost: int

    @property
    def workers(self):
        return len(self.rows)

    def group(self, worker):
        return worker * len(self.slots) // self.workers

    @cached_property
    def owner(self):
        """node index -> the worker that computes it."""
        return {
            node.index: worker
            for worker, row in enumerate(self.rows)
            for nodes in row
            for node in nodes
        }


def team(graph, workers, message, barrier, groups=1):
    """A Team of so many workers in so many groups; a message takes as long as `message` additions,
    and as `barrier` additions until all have waited for all."""
    tasks = _Tasks(graph)
    owner = _merged(tasks, _clusters(tasks, message), workers)
    at = _supersteps(tasks, owner, workers)
    return _made(tasks, owner, at, workers, barrier, groups)


class _Tasks:
    """What is to be computed: nodes that are not free, sine and cosine of an angle together."""

    def __init__(self, graph):
        self.nodes, self.weights, self.before = [], [], []
        task_of, angles = {}, {}
        of_angle = {(n.op, n.args[0].index): n for n in graph.nodes if n.op in PAIR}
        for node in graph.nodes:
            needed = set().union(*(task_of[a.index] for a in node.args))
            if node.op in FREE:
                task_of[node.index] = needed
                continue
            if node.op in PAIR and node.args[0].index in angles:
                task_of[node.index] = {angles[node.args[0].index]}
                continue
            task = len(self.nodes)
            both = [of_angle.get((op, node.args[0].index)) for op in PAIR] if node.args else []
            together = [n for n in both if n is not None] if node.op in PAIR else [node]
            if node.op in PAIR:
                angles[node.args[0].index] = task
            self.nodes.append(together)
            self.weights.append(sum(WEIGHTS.get(n.op, 1) for n in together))
            self.before.append(sorted(needed))
            task_of[node.index] = {task}
        self.after = [[] for _ in self.nodes]
        for task, before in enumerate(self.before):
            for earlier in before:
                self.after[earlier].append(task)
        self.task_of = task_of

    def __len__(self):
        return len(self.nodes)


def _clusters(tasks, message):
    """The cluster of each task, for any number of workers."""
    longest = [0] * len(tasks)  # path to the end, with a message on every edge
    for k in reversed(range(len(tasks))):
        rest = max((longest[c] + message for c in tasks.after[k]), default=0)
        longest[k] = tasks.weights[k] + rest
    missing = [len(before) for before in tasks.before]
    done, cluster, free = [0] * len(tasks), [0] * len(tasks), []
    queue = [(-longest[k], k) for k, count in enumerate(missing) if not count]
    heapq.heapify(queue)
    while queue:
        _, k = heapq.heappop(queue)
        before = tasks.before[k]
        best = max((done[a] + message for a in before), default=0), 1, len(free)
        for c in {cluster[a] for a in before}:
            ready = max(done[a] + (0 if cluster[a] == c else message) for a in before)
            best = min(best, (max(ready, free[c]), 0, c))
        start, _, c = best
        if c == len(free):
            free.append(0)
        cluster[k], done[k] = c, start + tasks.weights[k]
        free[c] = done[k]
        for after in tasks.after[k]:
            missing[after] -= 1
            if not missing[after]:
                ready = max(done[a] + message for a in tasks.before[after])
                heapq.heappush(queue, (-(ready + longest[after]), after))
    return cluster


def _merged(tasks, cluster, workers):
    """The worker of each task."""
    count = max(cluster, default=-1) + 1
    load, beside = [0] * count, [{} for _ in range(count)]
    for k, c in enumerate(cluster):
        load[c] += tasks.weights[k]
        for after in tasks.after[k]:
            d = cluster[after]
            if c != d:
                beside[c][d] = beside[c].get(d, 0) + 1
                beside[d][c] = beside[d].get(c, 0) + 1
    most = sum(load) / workers * CROWDED + 1
    home, given = [None] * count, [0] * workers
    for c in sorted(range(count), key=lambda c: -load[c]):
        sent = [0] * workers
        for d, times in beside[c].items():
            if home[d] is not None:
                sent[home[d]] += times
        fitting = [p for p in range(workers) if given[p] + load[c] <= most]
        fitting = fitting or [min(range(workers), key=given.__getitem__)]
        home[c] = max(fitting, key=lambda p: (sent[p], -given[p]))
        given[home[c]] += load[c]
    return [home[c] for c in cluster]


def _supersteps(tasks, owner, workers):
    """The superstep of each task: as few as possible, and all workers with about as much to do.

    What must be done for others is; what can wait is done where others take longer anyway.
    """
    earliest, latest = [0] * len(tasks), []
    for k, before in enumerate(tasks.before):
        earliest[k] = max((earliest[a] + (owner[a] != owner[k]) for a in before), default=0)
    count = max(earliest, default=0) + 1
    latest = [count - 1] * len(tasks)
    for k in reversed(range(len(tasks))):
        for after in tasks.after[k]:
            latest[k] = min(latest[k], latest[after] - (owner[after] != owner[k]))
    at = [None] * len(tasks)
    missing = [len(before) for before in tasks.before]
    ready = [[] for _ in range(workers)]  # (latest, task)
    for k, number in enumerate(missing):
        if not number:
            heapq.heappush(ready[owner[k]], (latest[k], k))
    left = [0] * workers
    due = [[0] * workers for _ in range(count)]
    for k in range(len(tasks)):
        left[owner[k]] += tasks.weights[k]
        due[latest[k]][owner[k]] += tasks.weights[k]
    for step in range(count):
        # More than is due now, where all would have to hurry later.
        most = max(max(due[step]), -(-max(left) // (count - step)))
        later = []  # what can be done from the next superstep on
        for worker in range(workers):
            done = 0
            while ready[worker]:
                last, k = ready[worker][0]
                if last > step and done + tasks.weights[k] > most:
                    break
                heapq.heappop(ready[worker])
                at[k] = step
                done += tasks.weights[k]
                left[worker] -= tasks.weights[k]
                due[last][worker] -= tasks.weights[k]
                for after in tasks.after[k]:
                    missing[after] -= 1
                    if not missing[after]:
                        # Others' values are there from the next superstep on.
                        is_own = all(
                            owner[a] == worker or at[a] < step for a in tasks.before[after]
                        )
                        if is_own and owner[after] == worker:
                            heapq.heappush(ready[worker], (latest[after], after))
                        else:
                            later.append(after)
        for k in later:
            heapq.heappush(ready[owner[k]], (latest[k], k))
    return at


def _made(tasks, owner, at, workers, barrier, groups):
    count = max(at, default=0) + 1
    rows = [[[] for _ in range(count)] for _ in range(workers)]
    for k in range(len(tasks)):  # in the order of the graph, which computes arguments first
        rows[owner[k]][at[k]] += tasks.nodes[k]
    load = [[0] * workers for _ in range(count)]
    for k, weight in enumerate(tasks.weights):
        load[at[k]][owner[k]] += weight
    needed = [{} for _ in range(groups)]  # node index -> its first and its last superstep
    for index, ((worker, step), reads) in _read(tasks, owner, at).items():
        for reader, first in reads.items():
            load[first][reader] += 1
            _, last = needed[reader * groups // workers].get(index, (step, first))
            needed[reader * groups // workers][index] = step, max(first, last)
        load[step][worker] += sum(index in each for each in needed)
    found = [_slots(each, count) for each in needed]
    slots, room = tuple(slots for slots, _ in found), max(room for _, room in found)
    cost = sum(max(each) for each in load) + barrier * (count - 1)
    return Team(tuple(tuple(map(tuple, row)) for row in rows), slots, room, cost)


def _read(tasks, owner, at):
    """Of each node that others read: (its worker, its superstep), reader -> its first superstep."""
    found = {}
    for k, nodes in enumerate(tasks.nodes):
        for node in nodes:
            for value in _behind(node.args):
                source = next(iter(tasks.task_of[value.index]))
                if owner[source] != owner[k]:
                    made = owner[source], at[source]
                    _, reads = found.setdefault(value.index, (made, {}))
                    reads[owner[k]] = min(at[k], reads.get(owner[k], at[k]))
    return found


def _behind(nodes):
    """The nodes that are not free, of which these are freely made."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if node.op not in FREE:
            yield node
        else:
            stack.extend(node.args)


def _slots(needed, count):
    """node index -> slot, and how many there are: a slot is free again after its last reader."""
    begin, free, room, slots = [[] for _ in range(count)], [], 0, {}
    ends = [[] for _ in range(count + 1)]
    for index, (first, last) in needed.items():
        begin[first].append((index, last))
    for step in range(count):
        free += ends[step]
        for index, last in begin[step]:
            if free:
                slots[index] = free.pop()
            else:
                slots[index], room = room, room + 1
            ends[last + 1].append(slots[index])
    return slots, room
