"""A traced combine operator, compiled for the scan driver, wherever its bodies are to run."""

from functools import partial

from ..body import Body
from ..graph.graph import size
from ..graph.trace import trace


class Operator:
    """`function(left, right)` of two dicts of parts returns the parts of the glued span.

    It is a module's function, or a partial of one, as it is a part of keys. `shapes` are the shapes
    of the parts. `on` is where bodies run: it compiles a `sweep`, and its `arrays` are the module
    of what that works on. `identity` are the numbers of a span that changes nothing.
    """

    def __init__(self, name, function, shapes, on, identity=None):
        self.name, self.function, self.shapes = name, function, shapes
        self.on, self.identity = on, identity
        self.parts = {part: size(shape) for part, shape in shapes.items()}
        self.kept = {}  # what else gluing gives, and how many numbers of it

    def glue(self, left, right, result, wide=True):
        """The body left_*, right_* -> * and what is kept, for operands of these layouts."""
        layouts = {f"left_{part}": left for part in self.parts}
        layouts |= {f"right_{part}": right for part in self.parts}
        layouts |= dict.fromkeys((*self.parts, *self.kept), result)
        sides = ("left_", "right_")
        return self._compiled("glue", partial(_glued, self._applied(sides)), sides, layouts, wide)

    def extend(self, layout, wide=True):
        """The body so_far_*, next_* -> so_far_*, prefix_*; what is carried is in columns."""
        layouts = {f"so_far_{part}": "column" for part in self.parts}
        layouts |= {f"{side}{part}": layout for side in ("next_", "prefix_") for part in self.parts}
        sides = ("so_far_", "next_")
        return self._compiled(
            "extend", partial(_extended, self._applied(sides)), sides, layouts, wide
        )

    def _applied(self, sides):
        """The operator on arrays that are named after these sides."""
        return partial(_of_sides, self.function, tuple(self.parts), *sides)

    def _compiled(self, kind, function, sides, layouts, wide):
        inputs = {side + part: shape for side in sides for part, shape in self.shapes.items()}
        body = Body(trace, function, inputs, f"{kind}_{self.name}")
        return self.on.sweep(body, layouts, wide=wide)


def _of_sides(function, parts, left, right, arrays):
    return function(
        {part: arrays[left + part] for part in parts},
        {part: arrays[right + part] for part in parts},
    )


def _glued(applied, **arrays):
    return applied(arrays)


def _extended(applied, **arrays):
    result = applied(arrays)
    return {f"{side}{part}": v for side in ("so_far_", "prefix_") for part, v in result.items()}


class SpanOperator(Operator):
    """Spans with two ends. `glue(left, right)` returns the glued span and what is kept of it;
    `middle(**kept, x_near, x_far)` what is unknown inside, {"x": ...}.

    `unknown` are the shapes of what is unknown at an end, `near` and `far` those of its parts that
    a span must be told at each.
    """

    def __init__(
        self, name, glue, middle, shapes, kept, unknown, on, near=None, far=None, identity=None
    ):
        super().__init__(name, glue, shapes, on, identity)
        self._middle, self._kept, self._unknown = middle, kept, unknown
        self.kept = {part: size(shape) for part, shape in kept.items()}
        self.unknown = {part: size(shape) for part, shape in unknown.items()}
        self.near = tuple(unknown) if near is None else near
        self.far = tuple(unknown) if far is None else far

    def _applied(self, sides):
        """The glued span and what is kept of it, in one: no two parts have the same name."""
        return partial(_in_one, super()._applied(sides))

    def extend(self, layout, wide=True):
        """The body so_far_*, next_* -> so_far_* and what is kept."""
        layouts = {f"so_far_{part}": "column" for part in self.parts}
        layouts |= {f"next_{part}": layout for part in self.parts} | dict.fromkeys(
            self.kept, layout
        )
        sides = ("so_far_", "next_")
        function = partial(_extended_span, self._applied(sides), tuple(self.parts))
        return self._compiled("extend", function, sides, layouts, wide)

    def middle(self, kept, ends, result, wide=True):
        """The body near_*, far_* and what was kept -> *."""
        layouts = dict.fromkeys(self.kept, kept) | dict.fromkeys(self._ends, ends)
        layouts |= dict.fromkeys(self.unknown, result)
        return self._found("middle", (), layouts, wide)

    def walk(self, layout, wide=True):
        """The same from one end to the one before: what is found is also far the next time."""
        layouts = dict.fromkeys(self.kept, layout) | dict.fromkeys(self._ends, "column")
        layouts |= dict.fromkeys(self.unknown, layout)
        return self._found("walk", self.far, layouts, wide)

    @property
    def _ends(self):
        """What a span must be told at its ends, as the bodies and as `middle` name it."""
        sides = {"near": self.near, "far": self.far}
        return {f"{side}_{part}": f"{part}_{side}" for side in sides for part in sides[side]}

    def _found(self, kind, again, layouts, wide):
        """The body that finds what is unknown; of the parts `again` also as what is far."""
        ends = self._ends
        inputs = self._kept | {end: self._unknown[end.split("_", 1)[1]] for end in ends}
        function = partial(_middle, self._middle, ends, tuple(again))
        return self.on.sweep(
            Body(trace, function, inputs, f"{kind}_{self.name}"), layouts, wide=wide
        )


def _in_one(applied, arrays):
    span, kept = applied(arrays)
    return span | kept


def _extended_span(applied, parts, **arrays):
    return {f"so_far_{p}" if p in parts else p: v for p, v in applied(arrays).items()}


def _middle(middle, ends, again, **arrays):
    found = middle(**{ends.get(key, key): array for key, array in arrays.items()})
    return found | {f"far_{part}": found[part] for part in again}
