"""The inertia that a frame shows to a force on it (Khatib): Λ = (J M⁻¹ Jᵀ)⁻¹."""

from .composite_body import factored
from .factor import factor, half_solve, inverse
from .kinematics import jacobian


def operational_space_inertia(robot, q, frame, coordinates):
    """Return Λ, by rows, in the coordinates of the frame's Jacobian."""
    factors = factored(robot, q)
    halves = [half_solve(factors, row) for row in jacobian(robot, q, frame, coordinates)]
    scaled = [[y * d for y, d in zip(half, factors.reciprocal, strict=True)] for half in halves]
    mobility = [
        [sum((a * b for a, b in zip(row, column, strict=True)), 0.0) for column in halves]
        for row in scaled
    ]
    return inverse(factor([range(i)[::-1] for i in range(6)], mobility))
