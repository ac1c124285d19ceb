"""What scans along a chain combine, compiled: turns of links, and spans of links between joints."""

from functools import partial

from ..algorithms import chain_gluing, constraint_spans, handle_spans, odd_even_steps
from ..algorithms.angular_velocities import Spin, glue_spins
from ..backends.llvm.operator import Operator, SpanOperator
from ..graph.graph import size
from ..program import work
from ..spatial import Matrix, Vector
from .maps import mapped


def _glued_spins(left, right):
    spin = glue_spins(*(Spin(Matrix(*side["W"]), Vector(*side["ω"])) for side in (left, right)))
    return {"W": [list(row) for row in spin.W], "ω": list(spin.ω)}


MOTIONS = Operator("motions", chain_gluing.glued_motions, chain_gluing.MOTION, work)
LOADS = Operator("loads", chain_gluing.glued_loads, chain_gluing.LOAD, work)
SPINS = Operator("spins", _glued_spins, {"W": (3, 3), "ω": (3,)}, work)


class ConstraintSpans(SpanOperator):
    """Fijany's spans, between joints that hold five directions, or with rotors six."""

    algorithm = constraint_spans

    def __init__(self, kinds, rotors):
        directions = 6 if rotors else 5
        vector, square = (directions,), (directions, directions)
        triangle = (directions * (directions + 1) // 2,)
        spans = {"near": triangle, "across": square, "far": triangle}
        spans |= {"b_near": vector, "b_far": vector}
        kept = {"P": square, "Q": square, "g": vector}
        name = f"constraints {kinds} {directions}"
        glue = partial(constraint_spans.glue, kinds=kinds, rotors=rotors)
        super().__init__(name, glue, constraint_spans.middle, spans, kept, directions, work)
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
        return mapped(f"{name}_{self.name}", getattr(odd_even_steps, name), self._inputs[name])


class HandleSpans(SpanOperator):
    """Featherstone's spans, with whole forces at their ends."""

    algorithm = handle_spans

    def __init__(self, kinds, rotors):
        spans = {"near": (21,), "across": (6, 6), "far": (21,), "b_near": (6,), "b_far": (6,)}
        kept = {"P": (6, 6), "Q": (6, 6), "g": (6,)}
        glue = partial(handle_spans.glue, kinds=kinds, rotors=rotors)
        name = f"handles {kinds} {rotors}"
        parts = spans | {"joint": (3,)}
        super().__init__(name, glue, handle_spans.middle, parts, kept, 6, work)


SPANS = {"constraint_force": ConstraintSpans, "divide_and_conquer": HandleSpans}
