"""The paper's operator forms of M, M⁻¹ and Λ⁻¹, multiplied out as matrices and compared."""

from functools import cache

import numpy as np

from paraxis import chains, jacobian, mass_matrix

from ..document import Row, Table
from .best_serial import pinned_arm
from .forward_costs import KINDS, SHORT

PAPER = "Fijany 1994"
EXACT = 1e-9  # relative errors below are rounding, which differs from computer to computer
AS_PRINTED = "M, first line of equation 63 as printed"
CORRECTED = "M, its second line"
INVERSE, TIP = "M⁻¹ = Hᵀ Pᵀ K P H", "Λ⁻¹ = β K βᵀ"
SCHUR, TIP_SCHUR = "M⁻¹ = C − Bᵀ A⁻¹ B (equation 61)", "Λ⁻¹ = D − Eᵀ A⁻¹ E (equation 70)"
FORMS = {
    AS_PRINTED: "C⁻¹ + C⁻¹ Bᵀ (A⁻¹ − B C⁻¹ Bᵀ) B C⁻¹: the inverse of the bracket is missing, and A "
    "is inverted in it",
    CORRECTED: "C⁻¹ + C⁻¹ Bᵀ (A − B C⁻¹ Bᵀ)⁻¹ B C⁻¹",
    SCHUR: "the Schur complement of A",
    TIP_SCHUR: "the same with the tip in place of the joints",
    INVERSE: "K = I⁻¹ − I⁻¹ P W A⁻¹ Wᵀ Pᵀ I⁻¹: how bodies held together answer to forces",
    TIP: "from the same K",
}


@cache
def errors(kind, n=SHORT[0]):
    """form -> its largest error, over that of M, M⁻¹ or Λ⁻¹ by composite bodies."""
    robot = pinned_arm(kind, n)
    q = np.random.default_rng(63).uniform(-1, 1, n)
    found = chains.constraint_factors(robot, q)
    M, J = mass_matrix(robot, q), jacobian(robot, q, coordinates="body")
    A, B, C, D, E = found.A, found.B, found.C, found.D, found.E
    inverse, per_mass = np.linalg.inv(M), np.linalg.inv(C)
    tip, bracket = J @ inverse @ J.T, np.linalg.inv(A) - B @ per_mass @ B.T
    pairs = {
        AS_PRINTED: (per_mass + per_mass @ B.T @ bracket @ B @ per_mass, M),
        CORRECTED: (found.mass_matrix, M),
        SCHUR: (C - B.T @ np.linalg.solve(A, B), inverse),
        TIP_SCHUR: (D - E.T @ np.linalg.solve(A, E), tip),
        INVERSE: (found.mass_matrix_inverse, inverse),
        TIP: (found.tip_mobility, tip),
    }
    return {form: abs(made - M).max() / abs(M).max() for form, (made, M) in pairs.items()}


def shown(error):
    """One digit; mere rounding is shown as the bound on it."""
    return float(f"{max(error, EXACT):.0e}")


def operator_table():
    rows = [
        Row(PAPER, f"{kind}, {form}", None, shown(errors(kind)[form]), note)
        for kind in KINDS
        for form, note in FORMS.items()
    ]
    lead = (
        f"The largest error of each form for {SHORT[0]} links in a random posture, over the "
        f"largest entry of the matrix, which composite bodies give; errors below {EXACT:.0e} are "
        "shown as that. The factors are those of "
        "`px.chains.constraint_factors`."
    )
    return Table("Operator forms", lead, rows)
