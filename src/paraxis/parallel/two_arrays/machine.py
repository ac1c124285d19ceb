"""Executes the plan: every task on its own processor's memory, every message between two.

This is slow, but proves that a plan is correct: a task that reads a value which was not sent to it
does not find it.
"""

import numpy as np

from ...errors import ScheduleError
from .script import Do


def carried_out(timing, given):
    """value -> block -> array: the final contents of the memories.

    Tasks and messages are executed in the order of their starts; `given` has the initial contents
    of the memories, value -> block -> array.
    """
    script = timing.script
    memory = {}  # (array, processor) -> (value, block) -> array
    for value, arrays in given.items():
        for block, array in arrays.items():
            for k in range(script.arrays):
                _memory(memory, script, script.site(k), block)[value, block] = array
    for _, number, k in _in_order(timing):
        item = script.items[number]
        if isinstance(item, Do):
            _compute(script, memory, item, item.blocks[k])
        else:
            _deliver(script, memory, item, item.blocks[k])
    results = {}
    for own in memory.values():
        for (value, block), array in own.items():
            results.setdefault(value, {})[block] = array
    return results


def _in_order(timing):
    """(start, number of the item, which of its blocks); equal starts in the script's order."""
    return sorted(
        (start, number, k)
        for number, each in enumerate(timing.starts)
        for k, start in enumerate(each)
    )


def _compute(script, memory, task, block):
    own = _memory(memory, script, task.site, block)
    arguments = []
    for read in task.reads:
        found = own.get((read.value, block + read.offset))
        if found is None and not read.optional:
            raise ScheduleError(
                f"{task.name} of block {block}: expected {read.value} of block "
                f"{block + read.offset} on processor {_processor(script, task.site, block)}, "
                "found nothing"
            )
        arguments.append(found)
    own[task.value, block] = np.asarray(task.function(*arguments))


def _deliver(script, memory, message, block):
    sender = block + message.offset
    found = _memory(memory, script, message.source, sender)[message.value, sender]
    _memory(memory, script, message.target, block)[message.value, sender] = found


def _memory(memory, script, site, block):
    return memory.setdefault(_processor(script, site, block), {})


def _processor(script, site, block):
    return site.array, int(script.places(site.layout)[block])
