"""How many entries of the rows of results a warp collects before it writes them.

Rows that are collected whole are written fastest, and their entries can be made in any order; but
the room for them is shared by all warps of a multiprocessor, and kept from its cache, to which
values go for which there are no registers. So long rows are written in chunks.
"""

import math
from functools import partial

from ....graph.graph import size
from ....passes.order import most_alive, result_by_result
from ...source.c import SIZES
from .access import RowsInChunks, RowsWhole, RowsWrittenAlone, row_of_chunks

ROOM = 96 << 10  # bytes of shared memory for a block, which every GPU has that copies by itself
# Bytes of a state, all its rows together, inputs among them: so much leaves room for eight warps.
# Where chunks would ask for an order with more values alive, all that a block may have is as good.
WHOLE = 896
CHUNKED = 680  # so much leaves a third to the cache
SHORT = 256  # bytes of a row that is collected whole in any case
CHUNKS = 256, 128  # bytes of a row that are written at once, where there is room for them


def collected(outputs, part, taken, threads, dtype):
    """output -> the kind of Access by which it is written.

    `outputs` maps those in rows to their shapes, of which some have a range in `part`; `taken` is
    how many numbers of a state inputs take.
    """
    item = SIZES[dtype]
    entries = {key: size(shape) for key, shape in outputs.items() if key in part.ranges}
    if all(_whole(n, part.ranges[key], dtype) for key, n in entries.items()):
        wanted = item * (taken + sum(entries.values()))
        if wanted <= WHOLE or (wanted <= ROOM // threads and _order_matters(part)):
            return dict.fromkeys(entries, RowsWhole)
    of_one_chunk = {key: row_of_chunks(len(part.ranges[key]), dtype) for key in entries}
    if item * (taken + sum(of_one_chunk.values())) <= ROOM // threads and _order_matters(part):
        return {key: partial(RowsInChunks, chunk=len(part.ranges[key])) for key in entries}
    found, left = {}, CHUNKED // item - taken
    most = ROOM // (threads * item)
    chunks = [chunk // item for chunk in CHUNKS]
    for key, n in sorted(entries.items(), key=lambda each: each[1]):
        used, share = part.ranges[key], left // (len(entries) - len(found))
        if (n <= share or n * item <= SHORT) and _whole(n, used, dtype):
            found[key], words = RowsWhole, n
        else:
            fitting = (chunk for chunk in chunks if row_of_chunks(chunk, dtype) <= share)
            # A short row is one chunk, the entries of which can be made in any order.
            at_least = len(used) if len(used) * item <= SHORT else chunks[-1]
            chunk = min(max(next(fitting, 0), at_least), len(used))
            found[key], words = partial(RowsInChunks, chunk=chunk), row_of_chunks(chunk, dtype)
        if words > most:
            found[key], words = RowsWrittenAlone, 0
        most -= words
        left -= words
    return found


def _whole(entries, used, dtype):
    """Are all used, and do few threads want the same bank, where rows lie in shared memory as they
    do outside?"""
    words = SIZES[dtype] // 4
    return len(used) == entries and math.gcd(entries * words, 32) // words <= 4


def _order_matters(part):
    """Would results one after another keep more values alive?"""
    return most_alive(result_by_result(part)) > part.alive
