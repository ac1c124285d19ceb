"""How near the Jacobian of a frame is to losing rank, where the frame loses a freedom of motion.

JᵀJ, or JJᵀ if that is smaller, is eliminated with the largest pivot first. The root of the r-th
pivot over the first is then, up to a small factor, the r-th singular value of J over the largest.
"""

from ...scalar import less, maximum, select, sqrt
from ..linear.dense import dot
from .reaching import poses_gaps_and_jacobian

NOTHING = 1e-14  # a pivot that may be a rounding error


def evenness(robot, q, reach):
    """The approximate singular values of J over the largest: from 1 down to 0, one per freedom."""
    _, _, J = poses_gaps_and_jacobian(robot, q, reach)
    vectors = min(J, list(zip(*J, strict=True)), key=len)
    first, *others = pivots([[dot(a, b) for b in vectors] for a in vectors])
    # with sliding joints only nothing turns, and all of J is 0
    return [1.0] + [sqrt(maximum(pivot, 0.0) / maximum(first, NOTHING)) for pivot in others]


def pivots(G):
    """The pivots of a symmetric matrix, nonnegative except for rounding, in descending order.

    Rows and columns stay in place: an eliminated one is filled with zeros. Regardless of rounding
    in G, no pivot is larger than the previous one: entries of the diagonal decrease.
    """
    found, size = [], len(G)
    for _ in range(size):
        pivot, column = G[0][0], G[0]
        for k in range(1, size):
            larger = less(pivot, G[k][k])
            pivot = maximum(pivot, G[k][k])
            column = [select(larger, a, b) for a, b in zip(G[k], column, strict=True)]
        found.append(pivot)
        share = [entry / maximum(pivot, NOTHING) for entry in column]
        G = [[G[i][j] - share[i] * column[j] for j in range(size)] for i in range(size)]
    return found
