"""Common factors: a x + b x becomes (a + b) x.

In every sum the factor that most of its products share is taken out, then the next, then those
of what was left in the brackets. A number is a factor too: 2 a + 2 b becomes 2 (a + b). Each
factor shared by k products saves k - 1 multiplications, brackets that exist already are used
again, and of brackets that cancel, (a + b) - (a - b), what is left is used.

Exact in real arithmetic; moves rounding, since brackets are rounded before they are multiplied.
"""

from collections import Counter

from .polynomial import Polynomials, Sum, is_product

TIES = 4  # equally good factors that are looked at


def factor(graph):
    """The same graph with common factors taken out of its sums."""
    values = Polynomials(graph)
    known = {}  # a sum up to its sign -> its value
    for value in values.needed():
        if value in values.sums:
            key, sign = _key(values.sums[value])
            if sign > 0:
                known.setdefault(key, value)
    for value in list(values.sums):
        _cancel(values, value)
        _factor(values, value, known)
    return values.write()


def _factor(values, value, known):
    """Take common factors out of one sum, the most shared first."""
    terms = values.sums[value]
    while True:
        found = _best(terms, value, known)
        if found is None:
            return
        x, bracket = found
        key, sign = _key(bracket)
        when = max(bracket.when.values())
        for factors, c in list(terms.items()):
            if _without(factors, c, x) is not None:
                terms.take(factors)
        inner = known.get(key)
        if inner is None or inner == value:
            signed = {factors: sign * c for factors, c in bracket.items()}
            inner = known[key] = values.new_sum(Sum(signed, bracket.when))
            _cancel(values, inner)
            _factor(values, inner, known)
        factors, c = x
        terms.put(tuple(sorted((*factors, inner))), sign * c, when)


def _cancel(values, value):
    """Two values of which, written out, all but one term cancels: that term."""
    terms = values.sums[value]
    if len(terms) != 2 or any(len(factors) != 1 for factors in terms):
        return
    left = Sum()
    for (v,), c in terms.items():
        for factors, inner in values.sums.get(v, {(v,): 1.0}).items():
            left.put(factors, c * inner, terms.when[v,])
    if len(left) <= 1:
        values.sums[value] = left


def _best(terms, value, known):
    """The factor that most products share, and the bracket it leaves; None if none is shared."""
    shared = Counter()
    for factors, c in terms.items():
        if is_product(factors, c):
            shared.update(((v,), 1.0) for v in set(factors))
            if abs(c) != 1:
                shared[(), abs(c)] += 1
    most = max(shared.values(), default=0)
    if most < 2:
        return None
    choices = [x for x in shared if shared[x] == most][:TIES]
    choices = [(x, _bracket(terms, x)) for x in choices]
    for x, bracket in choices:  # one that exists already costs nothing
        if known.get(_key(bracket)[0], value) != value:
            return x, bracket
    return choices[0]


def _without(factors, c, x):
    """A product with the factor x taken out, or None when it has no such factor.

    A factor is written as the term it would be alone: ((value,), 1.0) or ((), number).
    """
    if not is_product(factors, c):
        return None
    if not x[0]:
        return (factors, c / x[1]) if abs(c) == x[1] else None
    (v,) = x[0]
    if v not in factors:
        return None
    k = factors.index(v)
    return factors[:k] + factors[k + 1 :], c


def _bracket(terms, x):
    """The sum that is left of the products that have the factor x."""
    inside = Sum()
    for factors, c in terms.items():
        rest = _without(factors, c, x)
        if rest is not None:
            inside.put(*rest, terms.when[factors])
    return inside


def _key(terms):
    """A sum as something to look up, up to its sign, and that sign."""
    pairs = sorted(terms.items())
    sign = 1.0 if pairs and pairs[0][1] > 0 else -1.0
    return tuple((factors, sign * c) for factors, c in pairs), sign
