"""A timed script: every processor executes its tasks in order, once their inputs are available.

A processor with several blocks executes the same task for one after another. A node has one
processor to compute and another for messages, which sends one at a time, in order, and relays those
of others. In a round all nodes send alike, so that each relays as much as is relayed for it: a
message of w words over h links occupies its sender's second processor for h times the time of w
words. Time is in flops.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .script import Do, Script, Send


@dataclass(frozen=True, eq=False)
class Timing:
    """`starts` has, for each item of the script, when each block's task or message starts."""

    script: Script
    word_time: float
    startup: float
    starts: list

    def length(self, item):
        """The duration of each block's task, or message."""
        if isinstance(item, Do):
            return item.flops
        return message_time(item, self.word_time, self.startup)

    @cached_property
    def makespan(self):
        return max(self.ends().values())

    def ends(self):
        """part -> the end of the last of its tasks; its messages may still be travelling."""
        found = {}
        for item, start in zip(self.script.items, self.starts, strict=True):
            if isinstance(item, Do):
                end = (start + item.flops).max()
                found[item.part] = max(end, found.get(item.part, 0))
        return {part: plain(end) for part, end in found.items()}

    def arrival(self, value):
        """When a value arrives at its last destination: sent there, or computed there."""
        found = 0
        for item, start in zip(self.script.items, self.starts, strict=True):
            if item.value == value:
                found = max(found, (start + self.length(item)).max())
        return plain(found)

    def busiest(self, kind, part=None):
        """The time of the busiest of the processors that compute (Do) or send (Send)."""
        script = self.script
        busy = np.zeros((script.arrays, script.row))
        for item in script.items:
            if not isinstance(item, kind) or part not in (None, item.part):
                continue
            site, blocks = where(item)
            np.add.at(busy[site.array], script.places(site.layout)[blocks], self.length(item))
        return plain(busy.max())


def timed(script, word_time=0, startup=0):
    """The Timing of a script with a time per word and a startup time per message."""
    free, sending = (np.zeros((script.arrays, script.row)) for _ in range(2))
    arrived, starts = {}, []
    for value in script.given:
        for array in range(script.arrays):
            arrived[value, script.site(array), 0] = np.zeros(script.n)
    for item in script.items:
        site, blocks = where(item)
        place, busy = script.places(site.layout)[blocks], free if isinstance(item, Do) else sending
        start = _ready(item, arrived)
        length = item.flops if isinstance(item, Do) else message_time(item, word_time, startup)
        for turn in _turns(blocks, script.wiring.share):
            taken = turn[length[turn] > 0] if isinstance(item, Send) else turn
            start[taken] = np.maximum(start[taken], busy[site.array, place[taken]])
            busy[site.array, place[taken]] = start[taken] + length[taken]
        if isinstance(item, Do):
            arrived[item.value, site, 0] = _at(script.n, blocks, start + length)
        else:
            arrived[item.value, item.target, item.offset] = _at(
                script.n, item.blocks, start + length
            )
        starts.append(start)
    return Timing(script, word_time, startup, starts)


def _ready(item, arrived):
    """When each block has the inputs of its task or message."""
    if isinstance(item, Do):
        read = [arrived[each.value, item.site, each.offset][item.blocks] for each in item.reads]
        return np.maximum.reduce(read)
    return arrived[item.value, item.source, 0][item.senders]


def _turns(blocks, share):
    """Which blocks are processed first, second and so on, with this many per processor."""
    if share == 1:
        return [np.arange(len(blocks))]
    return [np.flatnonzero(blocks % share == k) for k in range(share)]


def plain(time):
    """A Python number, an integer if possible."""
    return int(time) if time == int(time) else float(time)


def message_time(send, word_time, startup):
    return send.hops * (startup + send.words * word_time)


def where(item):
    """The site of an item, and the blocks whose processors are busy with it."""
    return (item.site, item.blocks) if isinstance(item, Do) else (item.source, item.senders)


def _at(n, blocks, times):
    """Times of some blocks; those without a value are not waited for."""
    found = np.zeros(n)
    found[blocks] = times
    return found
