"""When each operation starts, in flops after the inputs of its state arrive."""

from collections import defaultdict

from .wiring import Constant, Operation


def early(wiring, processor):
    """Operation -> start: as soon as its operands are available and its processor is free.

    Earlier deadlines come first, and others fill the gaps. If each operation has its own processor,
    none waits, and propagated quantities are staggered as in Lathrop's equation 4.
    """
    starts, taken = {}, set()
    for operation in sorted(wiring.operations, key=_latest_starts(wiring).get):
        start = max((_end(starts, each) for each in producers(operation)), default=0)
        while not taken.isdisjoint(_flops(operation, start, processor)):
            start += 1
        starts[operation] = start
        taken.update(_flops(operation, start, processor))
    return starts


def eased(wiring, processor, starts):
    """The same, with later starts where these are free.

    An operation is delayed until its result is needed, as long as its operands wait for others
    anyway. Its result then does not wait, nothing else waits longer, and no torque is later.
    """
    starts = dict(starts)
    taken = {flop for each in starts for flop in _flops(each, starts[each], processor)}
    takers = _takers(wiring)
    last = max(_end(starts, each) for each in wiring.outputs)
    for operation in sorted(wiring.operations, key=starts.get, reverse=True):
        limits = [starts[each] for each in takers[operation]] or [last]
        limit = min(limits) - operation.operator.flops
        for source, _ in operation.operands:
            if not isinstance(source, Constant):
                others = [starts[each] for each in takers[source] if each is not operation]
                limit = min(limit, max(others, default=0))
        taken.difference_update(_flops(operation, starts[operation], processor))
        for start in range(limit, starts[operation], -1):
            if taken.isdisjoint(_flops(operation, start, processor)):
                starts[operation] = start
                break
        taken.update(_flops(operation, starts[operation], processor))
    return starts


def producers(operation):
    """The operations whose results it needs."""
    return [source for source, _ in operation.operands if isinstance(source, Operation)]


def _takers(wiring):
    """source -> the operations that need it."""
    takers = defaultdict(list)
    for operation in wiring.operations:
        for source, _ in operation.operands:
            takers[source].append(operation)
    return takers


def _latest_starts(wiring):
    """The latest start of each operation relative to the last torque, negative."""
    latest = {}
    takers = _takers(wiring)
    for operation in reversed(wiring.operations):
        done = min((latest[each] for each in takers[operation]), default=0)
        latest[operation] = done - operation.operator.flops
    return latest


def _end(starts, operation):
    return starts[operation] + operation.operator.flops


def _flops(operation, start, processor):
    """The flops during which it occupies its processor."""
    flops = range(start, start + operation.operator.flops)
    return {(processor[operation], flop) for flop in flops}
