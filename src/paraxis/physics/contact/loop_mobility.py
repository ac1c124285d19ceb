"""The inverse of the mass matrix of a robot whose loops stay closed.

It maps torques to the accelerations that they cause. With M = Lᵀ D L and the halves y = L⁻ᵀ τ of
unit torques, M⁻¹ has the products yᵢ D⁻¹ yⱼ. Forces in loops remove from each half the part that
would open them: its part in the span of the halves of their directions. The matrix is therefore
symmetric, and its rank is the number of degrees of freedom that remain. Symbols:
docs/concepts/notation.md.
"""

from ..composite_body import mass_matrix
from ..linear.dense import dot
from ..linear.factor import half_solve
from ..linear.ranked_elimination import Span
from ..parts.ties import ties_of
from . import loop_motion
from .loop_rank import geometry


def constrained_mass_matrix_inverse(robot, q, tolerance):
    """Return the inverse, by rows."""
    ties, loops = ties_of(robot, q), robot.robot.loops
    factors = ties.factored(mass_matrix(robot, ties.q))
    seen = [loop_motion.seen_from_second(robot, ties.q, loop) for loop in loops]
    J = [ties.columns(loop_motion.jacobian(robot, each)) for each in seen]
    around = geometry(robot, [*zip(loops, J, strict=True)])
    counts = around.span(tolerance).counts
    held = [half_solve(factors, row) for row in around.rows]
    span = Span(held, factors.reciprocal, lambda k, _: counts[k])

    nv = len(factors.reciprocal)
    halves = [half_solve(factors, [float(i == j) for j in range(nv)]) for i in range(nv)]
    free = [span.without(half)[0] for half in halves]
    scaled = [[y * d for y, d in zip(half, factors.reciprocal, strict=True)] for half in halves]
    lower = [[dot(scaled[j], free[i]) for j in range(i + 1)] for i in range(nv)]
    return [[lower[max(i, j)][min(i, j)] for j in range(nv)] for i in range(nv)]
