"""Common parts of sums: x + y + z and x + y - w both use one x + y.

Pairs of values that several sums add (or subtract) are made once, the most frequent pair first.
A pair that k sums share saves k - 1 additions. Products are left as they are: equal ones are one
value already.

Exact in real arithmetic; sums are added in another order, which moves rounding.
"""

import heapq
from collections import defaultdict
from itertools import combinations

from .polynomial import Polynomials, Sum, is_product

WIDEST = 16  # plain values of one sum that are paired; more would be quadratic


def share(graph):
    """The same graph with common pairs of its sums made once."""
    values = Polynomials(graph)
    users = defaultdict(dict)  # pair -> the sums that have it, in order
    for value in values.needed():
        terms = values.sums.get(value, {})
        for u, v in combinations(_plain(terms), 2):
            users[_pair(terms, u, v)][value] = None
    heap = [(-len(sums), pair) for pair, sums in users.items() if len(sums) > 1]
    heapq.heapify(heap)
    while heap:
        claimed, pair = heapq.heappop(heap)
        sums = [value for value in users[pair] if _has(values.sums[value], pair)]
        if len(sums) < 2:
            continue
        if len(sums) < -claimed:  # other pairs took their part since: ask again later
            heapq.heappush(heap, (-len(sums), pair))
            continue
        new = _make(values, pair, sums)
        for value in sums:
            terms = values.sums[value]
            if value == new or abs(terms.get((new,), 0.0)) != 1:  # there it met its like
                continue
            for other in _plain(terms):
                if other != new:
                    fresh = _pair(terms, new, other)
                    users[fresh][value] = None
                    if len(users[fresh]) > 1:
                        heapq.heappush(heap, (-len(users[fresh]), fresh))
    return values.write()


def _make(values, pair, sums):
    """Replace a pair in these sums by one value, which may be one of them."""
    u, v, relative = pair
    new = next((value for value in sums if len(values.sums[value]) == 2), None)
    if new is None:
        when = min(max(values.sums[s].when[u,], values.sums[s].when[v,]) for s in sums)
        new = values.new_sum(Sum({(u,): 1.0, (v,): relative}, {(u,): when, (v,): when}))
    sign = values.sums[new][u,]
    for value in sums:
        if value != new:
            terms = values.sums[value]
            (c, first), (_, second) = terms.take((u,)), terms.take((v,))
            terms.put((new,), c * sign, max(first, second))
    return new


def _plain(terms):
    """The values that a sum just adds or subtracts."""
    return [f[0] for f, c in terms.items() if f and not is_product(f, c)][:WIDEST]


def _pair(terms, u, v):
    """Two values of a sum and their relative sign, the lower number first."""
    return min(u, v), max(u, v), terms[u,] * terms[v,]


def _has(terms, pair):
    u, v, relative = pair
    a, b = terms.get((u,), 0.0), terms.get((v,), 0.0)
    return abs(a) == 1 and a * b == relative
