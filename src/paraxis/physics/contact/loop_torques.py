"""Torques behind a motion that closed loops allow.

Loops transmit forces in a motion: with forces F in them, the torques are those of the open tree
plus Jᵀ F, for any F. Of all these, the solution has zero torques at passive joints, and the least
norm at the others. Symbols: docs/concepts/notation.md.
"""

from ...scalar import equal, select, sqrt
from ..parts.ties import ties_of
from . import loop_motion
from .loop_rank import geometry


def loop_torques(robot, q, driven, tolerance):
    """Return the function from torques of the tree to those with loops, which is linear.

    `driven` says which degrees of freedom are actuated. Torques are NaN if passive joints could
    move by themselves.
    """
    ties, loops = ties_of(robot, q), robot.robot.loops
    seen = [loop_motion.seen_from_second(robot, ties.q, loop) for loop in loops]
    J = [ties.columns(loop_motion.jacobian(robot, each)) for each in seen]
    around, spoil = geometry(robot, [*zip(loops, J, strict=True)]), 0.0
    spans = []
    if not all(driven):
        idle = [0.0 if acts else w for w, acts in zip(around.weights, driven, strict=True)]
        span = around._replace(weights=idle).span(tolerance)
        spans.append(span)
        spoil = sqrt(select(equal(span.rank, float(driven.count(False))), 0.0, -1.0))
        alone = [  # forces in loops that only act on driven joints
            [select(counts, 0.0, entry) for entry in row]
            for counts, row in zip(span.counts, span.left, strict=True)
        ]
        around = around._replace(rows=alone)
    spans.append(around._replace(weights=[float(acts) for acts in driven]).span(tolerance))

    def with_loops(tau):
        for span in spans:
            tau, _ = span.without(tau)
        return [t + spoil if acts else spoil for t, acts in zip(tau, driven, strict=True)]

    return with_loops
