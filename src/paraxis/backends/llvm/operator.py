"""A traced combine operator, compiled for the scan driver."""

from ...graph.graph import size
from ...graph.trace import trace
from .sweep_kernel import compile_sweep


class Operator:
    """`function(left, right)` of two dicts of parts returns the parts of the glued span.

    `shapes` are the shapes of the parts.
    """

    def __init__(self, name, function, shapes, work):
        self.name, self.function, self.shapes, self.work = name, function, shapes, work
        self.parts = {part: size(shape) for part, shape in shapes.items()}
        self.kept = {}  # what else gluing gives, and how many numbers of it

    def glue(self, left, right, result, wide=True):
        """The body left_*, right_* -> * and what is kept, for operands that lie so."""
        ways = {f"left_{part}": left for part in self.parts}
        ways |= {f"right_{part}": right for part in self.parts}
        ways |= dict.fromkeys((*self.parts, *self.kept), result)

        def body(**arrays):
            return self._applied("left_", "right_", arrays)

        return self._compiled("glue", body, ("left_", "right_"), ways, wide)

    def extend(self, way, wide=True):
        """The body so_far_*, next_* -> so_far_*, prefix_*; what is carried is in columns."""
        ways = {f"so_far_{part}": "column" for part in self.parts}
        ways |= {f"{side}{part}": way for side in ("next_", "prefix_") for part in self.parts}

        def body(**arrays):
            result = self._applied("so_far_", "next_", arrays)
            return {f"{side}{p}": v for side in ("so_far_", "prefix_") for p, v in result.items()}

        return self._compiled("extend", body, ("so_far_", "next_"), ways, wide)

    def _applied(self, left, right, arrays):
        return self.function(
            {part: arrays[left + part] for part in self.parts},
            {part: arrays[right + part] for part in self.parts},
        )

    def _compiled(self, kind, body, sides, ways, wide):
        inputs = {side + part: shape for side in sides for part, shape in self.shapes.items()}
        name = f"{kind}_{self.name}"
        return compile_sweep(
            f"scan {name}", lambda: trace(body, inputs, name), self.work, ways, wide=wide
        )


class SpanOperator(Operator):
    """Spans with two ends. `glue(left, right)` returns the glued span and what is kept of it;
    `middle(**kept, x_near, x_far)` the unknown inside, {"x": ...}."""

    def __init__(self, name, glue, middle, shapes, kept, unknown, work):
        super().__init__(name, glue, shapes, work)
        self._middle, self._kept, self._unknown = middle, kept, unknown
        self.kept = {part: size(shape) for part, shape in kept.items()}
        self.unknown = {"x": unknown}

    def _applied(self, left, right, arrays):
        """The glued span and what is kept of it, in one: no two parts have the same name."""
        span, kept = super()._applied(left, right, arrays)
        return span | kept

    def extend(self, way, wide=True):
        """The body so_far_*, next_* -> so_far_* and what is kept."""
        ways = {f"so_far_{part}": "column" for part in self.parts}
        ways |= {f"next_{part}": way for part in self.parts} | dict.fromkeys(self.kept, way)

        def body(**arrays):
            results = self._applied("so_far_", "next_", arrays)
            return {f"so_far_{p}" if p in self.parts else p: v for p, v in results.items()}

        return self._compiled("extend", body, ("so_far_", "next_"), ways, wide)

    def middle(self, kept, ends, result, wide=True):
        """The body near_x, far_x and what was kept -> x."""
        ways = dict.fromkeys(self.kept, kept) | {"near_x": ends, "far_x": ends, "x": result}
        return self._found("middle", lambda found: found, ways, wide)

    def walk(self, way, wide=True):
        """The same from one unknown to the one before: x is also the next far_x."""
        ways = dict.fromkeys(self.kept, way) | {"near_x": "column", "far_x": "column", "x": way}
        return self._found("walk", lambda found: found | {"far_x": found["x"]}, ways, wide)

    def _found(self, kind, results, ways, wide):
        inputs = self._kept | {"near_x": (self._unknown,), "far_x": (self._unknown,)}

        def body(near_x, far_x, **kept):
            return results(self._middle(**kept, x_near=near_x, x_far=far_x))

        name = f"{kind}_{self.name}"
        return compile_sweep(
            f"scan {name}", lambda: trace(body, inputs, name), self.work, ways, wide=wide
        )
