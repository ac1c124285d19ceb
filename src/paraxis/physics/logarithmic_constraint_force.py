"""Forward dynamics in logarithmic time (Fijany, 1994).

Like constraint_force.py, with both of its recursions replaced: angular velocities are combined from
those of spans, and the block-tridiagonal system is solved by odd-even elimination. All other
operations are local to a link and its neighbours.
"""

from .constraint_force import forward_dynamics_by
from .linear.odd_even_elimination import OddEvenElimination
from .parts.angular_velocities import logarithmic


def forward_dynamics(robot, q, qd, tau):
    """Return the accelerations of the joints under the torques tau."""
    name = "logarithmic_constraint_force"
    return forward_dynamics_by(robot, q, qd, tau, name, logarithmic, OddEvenElimination)
