"""Sums of products: a chain in which each product is added to the previous partial sum.

k products and p plain values, including a constant, cost k + p - 1 tasks, or k without plain
values. The order is free: operands that are ready first are added first, so that few tasks wait.
"""

import heapq
from itertools import count
from typing import NamedTuple

from .task_list import ZERO


class Product(NamedTuple):
    """A task that waits for its addend: x z + y, or y / x + z."""

    kind: str
    operands: dict

    def onto(self, tasks, total):
        port = "y" if self.kind == "multiply" else "z"
        return tasks.put(self.kind, port.upper(), **self.operands, **{port: total})

    def level(self, tasks):
        return max(map(tasks.level, self.operands.values()))


def chain(tasks, plain, products, as_written=False):
    """The operand that is the sum of plain operands and Products."""
    if as_written:
        total = plain[0] if plain else ZERO
        for operand in plain[1:]:
            total = tasks.put("add", "Y", x=operand, y=total)
        for product in products:
            total = product.onto(tasks, total)
        return total
    order = count()  # of equals, the one written first comes first
    ready = [(tasks.level(operand), next(order), operand) for operand in plain]
    waiting = [(product.level(tasks), next(order), product) for product in products]
    heapq.heapify(ready)
    heapq.heapify(waiting)
    while waiting or len(ready) > 1:
        total = heapq.heappop(ready)[2] if ready else ZERO
        if waiting and (not ready or waiting[0][0] <= ready[0][0]):
            total = heapq.heappop(waiting)[2].onto(tasks, total)
        else:
            total = tasks.put("add", "Y", x=heapq.heappop(ready)[2], y=total)
        heapq.heappush(ready, (tasks.level(total), next(order), total))
    return ready[0][2]
