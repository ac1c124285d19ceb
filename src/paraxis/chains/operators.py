"""What scans along a chain combine, compiled: turns of links, and spans of links between joints."""

from functools import partial

import numpy as np

from ..graph.graph import size
from ..physics.parts.angular_velocities import Spin, glue_spins
from ..spatial import Matrix, Vector
from ..targets.operator import Operator, SpanOperator
from ..targets.target import CPU
from .maps import mapped
from .recursions import constraint_spans, handle_spans, newton_euler_rows, odd_even_steps, row_spans
from .recursions import gluing as chain_gluing


def _glued_spins(left, right):
    spin = glue_spins(*(Spin(Matrix(*side["W"]), Vector(*side["ω"])) for side in (left, right)))
    return {"W": [list(row) for row in spin.W], "ω": list(spin.ω)}


def motions(on):
    return Operator("motions", chain_gluing.glued_motions, chain_gluing.MOTION, on)


def loads(on):
    return Operator("loads", chain_gluing.glued_loads, chain_gluing.LOAD, on)


def spins(on):
    shapes = {"W": (3, 3), "ω": (3,)}
    return Operator("spins", _glued_spins, shapes, on, _identity(shapes))


def row_ends(on):
    """Rows of articulated bodies: of the body between two, how it moves and what pulls at it."""
    nothing = dict.fromkeys(row_spans.SPAN, 0.0) | {"Φ": np.eye(6)}
    return SpanOperator(
        "row ends",
        row_spans.glue,
        row_spans.middle,
        row_spans.SPAN,
        row_spans.KEPT,
        {"A": (6,), "e": (6,)},
        on,
        near=("A",),
        far=("e",),
        identity=_numbers(nothing, row_spans.SPAN),
    )


def row_motions(on):
    """How rows move with their starts at rest, outward."""
    shapes = {"W": (3, 3), "r": (3,), "ω": (3,), "v": (3,), "a": (6,)}
    return Operator("row motions", newton_euler_rows.glued_motions, shapes, on, _identity(shapes))


def row_loads(on):
    """The loads on the starts of rows, inward."""
    shapes = {"W": (3, 3), "r": (3,), "sum_": (6,)}
    return Operator("row loads", newton_euler_rows.glued_loads, shapes, on, _identity(shapes))


def _identity(shapes):
    """The numbers of a row that is not there: not turned, and all else zero."""
    return _numbers(dict.fromkeys(shapes, 0.0) | {"W": np.eye(3)}, shapes)


def _numbers(parts, shapes):
    """All numbers of a span in the order of its parts, each given as far as NumPy needs it."""
    return np.concatenate([np.broadcast_to(parts[p], s).ravel() for p, s in shapes.items()])


class ConstraintSpans(SpanOperator):
    """Fijany's spans, between joints that hold five directions, or with rotors six."""

    algorithm = constraint_spans

    def __init__(self, kinds, rotors, on=CPU):
        directions = 6 if rotors else 5
        vector, square = (directions,), (directions, directions)
        triangle = (directions * (directions + 1) // 2,)
        spans = {"near": triangle, "across": square, "far": triangle}
        spans |= {"b_near": vector, "b_far": vector}
        kept = {"P": square, "Q": square, "g": vector}
        name = f"constraints {kinds} {directions}"
        glue = partial(constraint_spans.glue, kinds=kinds, rotors=rotors)
        unknown = {"x": vector}
        super().__init__(name, glue, constraint_spans.middle, spans, kept, unknown, on)
        equation = {"A": triangle, "B": square, "ψ": vector}
        taken = {"from_after": triangle, "from_before": triangle, "left_between": square}
        taken |= {"rest_after": vector, "rest_before": vector}
        self.equation, self.products = (
            {part: size(shape) for part, shape in parts.items()} for parts in (equation, taken)
        )
        self._inputs = {
            "equations": spans,
            "products": equation | {"B_before": square},
            "doubled": {"old_A": triangle, "old_ψ": vector} | taken,
            "alone": {"A": triangle, "ψ": vector},
        }

    def map(self, name):
        """A body of odd-even elimination, over unknowns side by side."""
        body = getattr(odd_even_steps, name)
        return mapped(f"{name}_{self.name}", body, self._inputs[name], self.on)


class HandleSpans(SpanOperator):
    """Featherstone's spans, with whole forces at their ends."""

    algorithm = handle_spans

    def __init__(self, kinds, rotors, on=CPU):
        spans = {"near": (21,), "across": (6, 6), "far": (21,), "b_near": (6,), "b_far": (6,)}
        kept = {"P": (6, 6), "Q": (6, 6), "g": (6,)}
        glue = partial(handle_spans.glue, kinds=kinds, rotors=rotors)
        name = f"handles {kinds} {rotors}"
        parts = spans | {"joint": (3,)}
        super().__init__(name, glue, handle_spans.middle, parts, kept, {"x": (6,)}, on)


SPANS = {"constraint_force": ConstraintSpans, "divide_and_conquer": HandleSpans}
