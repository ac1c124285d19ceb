"""A graph in parts that compute its results a few at a time, for machines with few registers.

What two parts both need is computed in both: parts pay where results share little. Results are cut
along their first axis, all outputs that have the same one together: what a row of one Jacobian
needs, the same row of another needs too.
"""

from ..graph.graph import reachable, size
from .order import few_alive, most_alive


class Part:
    """Some rows of a graph's results. `ranges` maps an output to the range of its entries;
    `results` has them row by row, `order` is an order with few values alive."""

    def __init__(self, graph, rows):
        self.rows, self.ranges, self.results = rows, {}, []
        for ranges in rows:
            for name, entries in ranges.items():
                before = self.ranges.get(name, entries)
                self.ranges[name] = range(before.start, entries.stop)
                self.results += [graph.outputs[name][1][k] for k in entries]
        self.nodes = reachable(self.results)
        self.order = few_alive(self)
        self.alive = most_alive(self.order)


def parts(graph, most_values, dearest):
    """Parts that have at most so many values alive at once, or a single row of results.

    The whole graph, where that is enough, or where parts together would compute more than
    `dearest` times its nodes.
    """
    rows = list(_rows(graph))
    whole = Part(graph, rows)
    if whole.alive <= most_values:
        return [whole]
    found, left = [], dearest * len(whole.nodes)  # what parts may cost, but for the last
    for row in rows:
        longer = Part(graph, [*found[-1].rows, row]) if found else None
        if longer is not None and longer.alive <= most_values:
            found[-1] = longer
        else:
            left -= len(found[-1].nodes) if found else 0
            found.append(Part(graph, [row]))
        if len(found[-1].nodes) > left:
            return [whole]
    return found


def _rows(graph):
    """The ranges of entries that are computed together, in order."""
    by_length = {}
    for name, (shape, _) in graph.outputs.items():
        by_length.setdefault(shape[0] if shape else 1, []).append(name)
    for length, names in by_length.items():
        for row in range(length):
            ranges = {}
            for name in names:
                width = size(graph.outputs[name][0]) // length
                ranges[name] = range(row * width, (row + 1) * width)
            yield ranges
