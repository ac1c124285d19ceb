"""Rows of articulated bodies as spans that are glued in any order (see articulated_rows.py).

A span shows an inertia I and a bias p to the body before it; its end answers to a force e there:

    f_start = I A_start + p - Φ e        A_end = Φᵀ A_start + Θ e + b.

Two spans meet in a body, whose acceleration A and the force e on it from beyond are unknown until
what moves the start of the left one and what pulls at the end of the right one is known. Row after
row it is row_junctions.py; in pairs, and pairs of pairs, it takes logarithmic time.
"""

from ...physics.linear.dense import (
    minus,
    plus,
    product,
    symmetric,
    symmetric_product,
    times,
    transposed,
    upper_triangle,
)
from .row_junctions import answered, blocks

SPAN = {"inertia": (21,), "bias": (6,), "Φ": (6, 6), "Θ": (21,), "b": (6,)}
KEPT = {"P": (6, 6), "Q": (6, 6), "g": (6,)}
KEPT |= {f"{part}_left": SPAN[part] for part in ("Φ", "Θ", "b")}


def glue(left, right):
    """Two spans as one, and of the body between what `middle` needs."""
    Φ, Φ_beyond, Θ = left["Φ"], right["Φ"], symmetric(left["Θ"], 6)
    G, g = answered(right["inertia"], right["bias"], Θ, left["b"])
    P = product(G, transposed(Φ))
    Q = _minus(Φ_beyond, product(G, product(Θ, Φ_beyond)))  # (1 + I Θ)⁻¹ Φ of the right
    back, given_way = transposed(Φ_beyond), minus(left["b"], times(Θ, g))
    span = {
        "inertia": plus(left["inertia"], blocks(symmetric_product(Φ, P))),
        "bias": plus(left["bias"], times(Φ, g)),
        "Φ": product(Φ, Q),
        "Θ": plus(right["Θ"], upper_triangle(symmetric_product(back, product(Θ, Q)))),
        "b": plus(right["b"], times(back, given_way)),
    }
    kept = {f"{part}_left": left[part] for part in ("Φ", "Θ", "b")}
    return span, {"P": P, "Q": Q, "g": g} | kept


def middle(P, Q, g, Φ_left, Θ_left, b_left, A_near, e_far):
    """How the body between two spans accelerates, and the force on it from beyond."""
    e = minus(minus(times(Q, e_far), times(P, A_near)), g)
    free = plus(times(transposed(Φ_left), A_near), b_left)
    return {"A": plus(free, times(symmetric(Θ_left, 6), e)), "e": e}


def _minus(A, B):
    return [minus(a, b) for a, b in zip(A, B, strict=True)]
