"""A long straight line cut into pieces that run one after another.

Compilers take more than twice the time for twice the line, so every target writes a long body
as several functions. What one piece computes for a later one is kept in a frame that all share.
"""

from collections import defaultdict

from ..graph.operations import LEAVES


def cut(steps, most, weight=lambda step: 1):
    """Runs of steps that weigh at most `most` each; one empty run when there is nothing to do."""
    pieces, load = [[]], 0
    for step in steps:
        if pieces[-1] and load + weight(step) > most:
            pieces.append([])
            load = 0
        pieces[-1].append(step)
        load += weight(step)
    return pieces


def frame_places(pieces, reads, made_again=LEAVES):
    """node index -> its place in the frame, for values made in one piece and used in another.

    `reads` are the (node, number of the piece) that read a value, besides the nodes of the pieces
    themselves. What is `made_again` where it is used, or in no piece, needs no place. A place is
    given to another value once the piece that reads it last is over.
    """
    home = {node.index: k for k, piece in enumerate(pieces) for node in piece}
    uses = [(a, k) for k, piece in enumerate(pieces) for node in piece for a in node.args]
    last = {}  # node index -> the last piece that reads it, of those that cross
    for node, k in [*uses, *reads]:
        if home.get(node.index, k) != k and node.op not in made_again:
            last[node.index] = max(k, last.get(node.index, 0))
    places, free, leaving = {}, [], defaultdict(list)
    size = 0
    for k, piece in enumerate(pieces):
        free += leaving[k - 1]
        for node in piece:
            if node.index in last:
                if not free:
                    free, size = [size], size + 1
                places[node.index] = free.pop()
                leaving[last[node.index]].append(places[node.index])
    return places


def frame_size(places):
    """How many values a frame with these places holds."""
    return max(places.values(), default=-1) + 1
