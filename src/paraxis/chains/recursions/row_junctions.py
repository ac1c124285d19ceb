"""Where one row of articulated bodies ends and the next begins (see articulated_rows.py).

The next row, with all beyond it, shows the inertia I and the bias p to the end of this one, so that
e = -(I A_end + p). With A_end = Φᵀ A_start + Θ e + b the force is e = -(G Φᵀ A_start + g), where

    G = (1 + I Θ)⁻¹ I        g = (1 + I Θ)⁻¹ (I b + p).

Both I and Θ may be singular: a free joint shows no inertia along its axis, and a short or plane row
gives way in few directions. With I = Y Yᵀ the matrix to be inverted is 1 + Yᵀ Θ Y, which never is.
"""

from ...physics.linear.dense import (
    congruent,
    minus,
    plus,
    symmetric,
    symmetric_product,
    times,
    transposed,
    upper_triangle,
)
from ...physics.linear.factor import factor, solve
from ...scalar import less, maximum, minimum, select, sqrt

EARLIER = [tuple(range(k))[::-1] for k in range(6)]


def join_inward(inertia, bias, Φ, Θ, b, beyond_inertia, beyond_bias):
    """What a row shows with all rows beyond, and how these answer to its end: G and g."""
    G, g = answered(beyond_inertia, beyond_bias, symmetric(Θ, 6), b)
    return {
        "beyond_inertia": plus(inertia, blocks(congruent(Φ, G))),
        "beyond_bias": plus(bias, times(Φ, g)),
        "G": upper_triangle(G),
        "g": g,
    }


def answered(inertia, bias, Θ, b):
    """G and g for an end with Θ and b, to which all beyond shows this inertia and bias."""
    Y = _root(_six_by_six(inertia))
    middle = congruent(transposed(Y), Θ)
    for k in range(6):
        middle[k][k] = middle[k][k] + 1.0
    factors = factor(EARLIER, middle)
    G = symmetric_product(Y, transposed([solve(factors, row) for row in Y]))
    return G, plus(bias, times(G, minus(b, times(Θ, bias))))


def join_outward(Φ, Θ, b, G, g, a):
    """The force at the end of a row, from the acceleration at its start; and that at its end."""
    reached = times(transposed(Φ), a)
    force = [-x for x in plus(times(symmetric(G, 6), reached), g)]
    return {
        "force": force,
        "start": list(a),
        "a": plus(reached, plus(b, times(symmetric(Θ, 6), force))),
    }


def join_spins(W, ω, spin):
    """How fast the start of the next row turns: as this row's start, and what the row adds."""
    end = plus(times(transposed(W), spin), ω)
    return {"start": list(spin), "end": end, "spin": end}


def _root(I):
    """Y with Y Yᵀ = I, which may be singular: by columns of what is left of I, the one with the
    largest diagonal entry first.

    The order matters: where axes are almost, but not quite, along those of a frame, a diagonal
    entry is the square of something small, and mere rounding. The clamp is for when nothing but
    rounding is left: no entry of a column is larger than a diagonal entry that is the largest.
    """
    left, columns = [list(row) for row in I], []
    for _ in range(6):
        largest, column = left[0][0], left[0]
        for k in range(1, 6):
            smaller = less(largest, left[k][k])
            largest = select(smaller, left[k][k], largest)
            column = [select(smaller, y, x) for x, y in zip(column, left[k], strict=True)]
        there = less(0.0, largest)
        reciprocal = select(there, 1.0 / sqrt(select(there, largest, 1.0)), 0.0)
        y = [maximum(minimum(x, largest), -largest) * reciprocal for x in column]
        columns.append(y)
        for i in range(6):
            for j in range(i, 6):
                left[i][j] = left[j][i] = left[i][j] - y[i] * y[j]
    return transposed(columns)


def _six_by_six(inertia):
    """An articulated inertia as one matrix, from its scalars."""
    angular, linear = _three_by_three(inertia[:6]), _three_by_three(inertia[15:])
    coupling = [inertia[6:9], inertia[9:12], inertia[12:15]]
    above = [[*a, *c] for a, c in zip(angular, coupling, strict=True)]
    below = [[*c, *m] for c, m in zip(transposed(coupling), linear, strict=True)]
    return above + below


def _three_by_three(s):
    xx, yy, zz, xy, xz, yz = s
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def blocks(matrix):
    """The scalars of an articulated inertia."""
    A = [row[:3] for row in matrix[:3]]
    C = [entry for row in matrix[:3] for entry in row[3:]]
    M = [row[3:] for row in matrix[3:]]
    diagonal = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    return [A[i][j] for i, j in diagonal] + C + [M[i][j] for i, j in diagonal]
