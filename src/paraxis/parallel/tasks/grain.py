"""Tasks merged into larger ones, so that fewer messages go between them.

Two rules, neither of which can create a cycle, are applied in turn until nothing changes:

- a task joins its only successor, or its only predecessor: no path leads around that edge;
- tasks of one layer with a common neighbour join: no path leads from one to the other.

No task becomes heavier than the grain. Tasks of a layer join only if that extends the longest path
by no more than joining chains costs anyway, the grain.
"""

from itertools import pairwise


def gather(weights, predecessors, successors, grain):
    """For each task, the number of the merged task; numbers are in topological order."""
    tasks = _Quotient(weights, predecessors, successors)
    slack = tasks.span + grain
    while True:
        before = len(tasks.weights)
        tasks = tasks.joined(_into_only(tasks.successors, tasks, tasks.order, grain))
        tasks = tasks.joined(_into_only(tasks.predecessors, tasks, tasks.order[::-1], grain))
        tasks = tasks.joined(_in_layers(tasks, grain, max(slack, tasks.span)))
        if len(tasks.weights) == before:
            number = {task: k for k, task in enumerate(tasks.order)}
            return [number[task] for task in tasks.member_of]


def _into_only(neighbours, tasks, order, grain):
    """Trees of tasks with a single neighbour, cut into parts of at most the grain: the lightest
    branches stay with their root (Kundu and Misra), which gives the fewest parts."""
    weight, target = list(tasks.weights), list(range(len(tasks.weights)))
    branches = [[] for _ in weight]
    for task in order:
        for branch in sorted(branches[task], key=weight.__getitem__):
            if weight[task] + weight[branch] > grain:
                break
            weight[task] += weight[branch]
            target[branch] = task
        if len(neighbours[task]) == 1:
            branches[neighbours[task][0]].append(task)
    for task in reversed(order):  # roots first
        target[task] = target[target[task]]
    return target


def _in_layers(tasks, grain, longest):
    """Adjacent tasks of a layer, when sorted by their predecessors and successors."""
    target, weight = list(range(len(tasks.weights))), list(tasks.weights)
    heads, tails = list(tasks.heads), list(tasks.tails)
    for layer in tasks.layers:
        layer.sort(key=lambda task: (tasks.predecessors[task], tasks.successors[task]))
        for one, other in pairwise(layer):
            root = target[one]
            total = weight[root] + weight[other]
            head, rest = max(heads[root], heads[other]), max(tails[root], tails[other])
            if total <= grain and head + total + rest <= longest and _meet(tasks, one, other):
                target[other], weight[root] = root, total
                heads[root], tails[root] = head, rest
    return target


def _meet(tasks, one, other):
    """Whether they have a common neighbour."""
    return not (
        {*tasks.predecessors[one]}.isdisjoint(tasks.predecessors[other])
        and {*tasks.successors[one]}.isdisjoint(tasks.successors[other])
    )


class _Quotient:
    """Tasks, some of which are merged. `member_of` maps the original ones to them."""

    def __init__(self, weights, predecessors, successors, member_of=None):
        self.weights, self.predecessors, self.successors = weights, predecessors, successors
        self.member_of = range(len(weights)) if member_of is None else member_of
        self.order = self._order()
        self.heads, self.layers = self._from_the_start()
        self.tails = self._to_the_end()  # without the task itself

    @property
    def span(self):
        parts = zip(self.heads, self.weights, self.tails, strict=True)
        return max((head + own + tail for head, own, tail in parts), default=0)

    def joined(self, target):
        """The tasks with each one part of its target; a target is its own."""
        number = {}
        for task in self.order:
            number.setdefault(target[task], len(number))
        new = [number[each] for each in target]
        weights = [0] * len(number)
        before, after = [{} for _ in number], [{} for _ in number]
        for task, own in enumerate(new):
            weights[own] += self.weights[task]
            for first in self.predecessors[task]:
                if new[first] != own:
                    before[own][new[first]] = after[new[first]][own] = None
        return _Quotient(
            weights,
            [[*each] for each in before],
            [[*each] for each in after],
            [new[each] for each in self.member_of],
        )

    def _order(self):
        waiting = [len(each) for each in self.predecessors]
        order = [task for task, count in enumerate(waiting) if not count]
        for task in order:  # it grows during the loop
            for then in self.successors[task]:
                waiting[then] -= 1
                if not waiting[then]:
                    order.append(then)
        return order

    def _from_the_start(self):
        heads, depth, layers = [0] * len(self.weights), [0] * len(self.weights), []
        for task in self.order:
            for first in self.predecessors[task]:
                heads[task] = max(heads[task], heads[first] + self.weights[first])
                depth[task] = max(depth[task], depth[first] + 1)
            if depth[task] == len(layers):
                layers.append([])
            layers[depth[task]].append(task)
        return heads, layers

    def _to_the_end(self):
        tails = [0] * len(self.weights)
        for task in reversed(self.order):
            for then in self.successors[task]:
                tails[task] = max(tails[task], self.weights[then] + tails[then])
        return tails
