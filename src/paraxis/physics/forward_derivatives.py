"""Derivatives of forward dynamics from those of inverse dynamics.

Inverse dynamics maps the accelerations of forward dynamics back to tau; differentiating at constant
tau gives M ∂q̈ = -∂τ (Carpentier and Mansard, 2018). Symbols: docs/concepts/notation.md.
"""

from .linear.factor import solve
from .linear.inverse import inverse, solve_columns


def forward_dynamics_derivatives(factors, tau, h, inverse_dynamics_derivatives):
    """Return ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ, by rows.

    factors are those of the mass matrix, h the bias forces; the last argument is a function of q̈
    that returns ∂τ/∂q and ∂τ/∂q̇.
    """
    qdd = solve(factors, [t - b for t, b in zip(tau, h, strict=True)])
    slopes = inverse_dynamics_derivatives(qdd)
    return [_solved(factors, slope) for slope in slopes] + [inverse(factors)]


def _solved(factors, slope):
    """-M⁻¹ slope."""
    columns = [[-entry for entry in column] for column in zip(*slope, strict=True)]
    return [list(row) for row in zip(*solve_columns(factors, columns), strict=True)]
