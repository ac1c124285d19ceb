"""The inertia that a frame presents to a force on it (Khatib), and its inverse."""

from .composite_body import factored
from .kinematics import jacobian
from .linear.inverse import inverse
from .linear.pivot_block import PivotBlock


def operational_space_inertia(robot, q, frame, coordinates):
    """Return Λ, by rows, in the coordinates of the frame's Jacobian."""
    mobility = operational_space_inertia_inverse(robot, q, frame, coordinates)
    return inverse(PivotBlock.of(mobility).factors)


def operational_space_inertia_inverse(robot, q, frame, coordinates):
    """Return Λ⁻¹ = J M⁻¹ Jᵀ, by rows. It always exists."""
    mass = PivotBlock(factored(robot, q))
    return mass.square(mass.halves(jacobian(robot, q, frame, coordinates)))
