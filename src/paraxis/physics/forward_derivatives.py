"""Derivatives of forward dynamics from those of inverse dynamics.

Inverse dynamics takes forward dynamics' accelerations back to tau; differentiated at constant tau
that says M ∂q̈ = -∂τ (Carpentier and Mansard, 2018). Symbols: docs/notation.md.
"""

from .composite_body import factored
from .linear.factor import inverse, solve


def forward_dynamics_derivatives(robot, q, qd, tau, h, inverse_dynamics_derivatives):
    """Return ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ, by rows.

    h are the bias forces; the last argument is a function of (q, qd, qdd) that returns ∂τ/∂q and
    ∂τ/∂q̇.
    """
    factors = factored(robot, q)
    qdd = solve(factors, [t - b for t, b in zip(tau, h, strict=True)])
    slopes = inverse_dynamics_derivatives(q, qd, qdd)
    return [_solved(factors, slope) for slope in slopes] + [inverse(factors)]


def _solved(factors, slope):
    """-M⁻¹ slope, column by column."""
    columns = [solve(factors, [-entry for entry in column]) for column in zip(*slope, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)]
