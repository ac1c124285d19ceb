"""A traced combine operator, compiled for the scan driver, wherever its bodies are to run."""

from ..graph.graph import size
from ..graph.trace import trace


class Operator:
    """`function(left, right)` of two dicts of parts returns the parts of the glued span.

    `shapes` are the shapes of the parts. `on` is where bodies run: it compiles a `sweep`, and its
    `arrays` are the module of what that works on. `identity` are the numbers of a span that changes
    nothing.
    """

    def __init__(self, name, function, shapes, work, on, identity=None):
        self.name, self.function, self.shapes, self.work = name, function, shapes, work
        self.on, self.identity = on, identity
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
        return self.on.sweep(
            f"scan {name}", lambda: trace(body, inputs, name), self.work, ways, wide=wide
        )


class SpanOperator(Operator):
    """Spans with two ends. `glue(left, right)` returns the glued span and what is kept of it;
    `middle(**kept, x_near, x_far)` what is unknown inside, {"x": ...}.

    `unknown` are the shapes of what is unknown at an end, `near` and `far` those of its parts that
    a span must be told at each.
    """

    def __init__(
        self,
        name,
        glue,
        middle,
        shapes,
        kept,
        unknown,
        work,
        on,
        near=None,
        far=None,
        identity=None,
    ):
        super().__init__(name, glue, shapes, work, on, identity)
        self._middle, self._kept, self._unknown = middle, kept, unknown
        self.kept = {part: size(shape) for part, shape in kept.items()}
        self.unknown = {part: size(shape) for part, shape in unknown.items()}
        self.near, self.far = near or tuple(unknown), far or tuple(unknown)

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
        """The body near_*, far_* and what was kept -> *."""
        ways = dict.fromkeys(self.kept, kept) | dict.fromkeys(self._ends, ends)
        ways |= dict.fromkeys(self.unknown, result)
        return self._found("middle", lambda found: found, ways, wide)

    def walk(self, way, wide=True):
        """The same from one end to the one before: what is found is also far the next time."""
        ways = dict.fromkeys(self.kept, way) | dict.fromkeys(self._ends, "column")
        ways |= dict.fromkeys(self.unknown, way)

        def results(found):
            return found | {f"far_{part}": found[part] for part in self.far}

        return self._found("walk", results, ways, wide)

    @property
    def _ends(self):
        """What a span must be told at its ends, as the bodies and as `middle` name it."""
        sides = {"near": self.near, "far": self.far}
        return {f"{side}_{part}": f"{part}_{side}" for side in sides for part in sides[side]}

    def _found(self, kind, results, ways, wide):
        ends = self._ends
        inputs = self._kept | {end: self._unknown[end.split("_", 1)[1]] for end in ends}

        def body(**arrays):
            return results(self._middle(**{ends.get(key, key): a for key, a in arrays.items()}))

        name = f"{kind}_{self.name}"
        return self.on.sweep(
            f"scan {name}", lambda: trace(body, inputs, name), self.work, ways, wide=wide
        )
