"""Odd-even elimination one unknown at a time: the bodies of its levels (Fijany, section VI).

Unknown i is coupled to the unknowns `reach` before and behind it by B: A_i x_i + B_i x_(i+reach) +
Bᵀ_(i-reach) x_(i-reach) = ψ_i. A level removes these and leaves couplings of twice the reach. It
has two parts. The first is shared out in the second of the paper's two ways: all that needs the
inverse of A_i is done where A_i is.
"""

from ...physics.linear.dense import minus, plus, symmetric, transposed, upper_triangle
from ...physics.linear.pivot_block import PivotBlock


def equations(far, near, across, b_far, b_near):
    """The equation of the unknown between two spans, of which `across` is the second's."""
    k = len(b_far)
    A = symmetric(plus(far, near), k)
    for j in range(5, k):
        A[j][j] = A[j][j] + 1.0  # what a rotor yields
    return {"A": upper_triangle(A), "B": across, "ψ": minus(b_far, b_near)}


def products(A, B, ψ, B_before):
    """What eliminating x_i takes from its neighbours, and the coupling it leaves between them."""
    pivot = PivotBlock.of(symmetric(A, len(ψ)))
    after, before = pivot.halves(transposed(B)), pivot.halves(B_before)
    (rest,) = pivot.halves([ψ])
    return {
        "from_after": upper_triangle(pivot.square(after)),
        "from_before": upper_triangle(pivot.square(before)),
        "left_between": [[-y for y in row] for row in pivot.between(before, after)],
        "rest_after": pivot.applied(after, rest),
        "rest_before": pivot.applied(before, rest),
    }


def doubled(old_A, old_ψ, from_after, rest_after, from_before, rest_before, left_between):
    """The equation of x_i without its neighbours: the products are of the unknown before it, two
    of them, and of the one behind it."""
    return {
        "A": minus(minus(old_A, from_after), from_before),
        "B": left_between,
        "ψ": minus(minus(old_ψ, rest_after), rest_before),
    }


def alone(A, ψ):
    """x_i when nothing is coupled to it any more."""
    pivot = PivotBlock.of(symmetric(A, len(ψ)))
    (half,) = pivot.halves([ψ])
    return {"x": pivot.solve(half)}
