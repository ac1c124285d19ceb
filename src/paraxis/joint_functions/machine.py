"""The machine of physics/joint_by_joint.py: it writes down what the lanes of a warp are to do."""

from dataclasses import replace

from ..drivers.lanes import Clear, Place, Plan, Step
from ..graph.graph import size
from ..graph.trace import trace
from ..spatial import Rotation, Vector

BEYOND = "beyond"
# What a rule reads or writes -> its field and the column of the items that says where.
NAMED = {
    **{name: (name, "body") for name in ("pose", "v", "a", "b", "u", "beyond")},
    "v_up": ("v", "parent"),
    **{f"{name}_p": (name, "carrier") for name in ("v", "a")},
    "v_o": ("v", "seen"),
    **{name: (name, "row") for name in ("S", "qd", "qdd", "tau", "h", "ψ", "w", "f", "g")},
    **{name: (name, "row") for name in ("momentum", "straight")},
    "q": ("q", "position"),
    **{f"{name}_b": (name, "b") for name in ("S", "ψ")},
    **{f"{name}_c": (name, "c") for name in ("w", "f", "g", "straight")},
    "h_c": ("momentum", "c"),
    "M": ("M", "packed"),
}
NUMBERS = {  # of an item
    **{"pose": 12, "ψ": 15, "w": 3},
    **dict.fromkeys(("v", "a", "b", "u", "S", "momentum", "straight", "f", "g"), 6),
    **dict.fromkeys(("q", "qd", "qdd", "tau", "h", "M"), 1),
}
SCALARS = {
    "q",
    "qd",
    "qdd",
    "tau",
    "h",
    "M",
    "turns",
    "slides",
    "mass",
    "rotor",
    "carried",
    "unity",
}
PARTS = ("x", "y", "z", "origin")  # of a pose, three numbers each


class Machine:
    """Gathers the steps of a Plan for the robot of a Tree; `outputs` maps names to their axes."""

    at_once = 150  # entries of a matrix that one lane works on: about what its registers hold

    def __init__(self, tree, name, inputs, outputs):
        self.tree, self.n, self.ancestors = tree, tree.n, tree.ancestors
        self.name, self.inputs, self._wanted = name, inputs, outputs
        self._outputs, self._sizes, self._steps = {}, {}, []
        self._beyond = None  # how many numbers are summed
        for given, shape in inputs.items():
            self._sizes[given] = size(shape)

    def plan(self):
        """The Plan; outputs that no field was named for are fields themselves."""
        for name, axes in self._wanted.items():
            self._outputs.setdefault(name, ((self.n,) * axes, name, 0))
        outputs = {name: self._outputs[name] for name in self._wanted}
        return Plan(self.name, self.inputs, outputs, self._sizes, tuple(self._steps))

    # -- what algorithms ask for

    def root(self, rule, given):
        """The world, and the base where it floats."""
        tree, floats = self.tree, self.tree.base > 0
        gravity = Vector(*tree.root["gravity"].tolist())
        seat = Rotation(*tree.root["seat"].tolist()) if floats else None
        rails = [Vector(*each) for each in tree.root["rails"].tolist()]
        if floats:
            shapes = {name: (7 if name == "q" else 6,) for name in ("q", "qd", *given)}
        else:
            shapes = {"q": (len(rails) - 1,)} if len(rails) > 1 else {}

        def fixed(**arrays):
            found = rule(gravity, seat, rails, **arrays)
            return {name: list(values) for name, values in found.items()}

        places = {name: Place(name) for name in shapes}
        for name in ("pose", "v", "a"):
            self._field(name)
            places[name] = Place(name, None, tree.world, tree.slots)
            places[f"base_{name}"] = Place(name, None, 0, tree.slots)
        graph = self._traced(fixed, shapes, "root")
        places = {name: places[name] for name in (*graph.inputs, *graph.outputs)}
        self._steps.append(Step("root", graph, places, {}, {}, (1,)))
        if floats:
            self._field("S")
            columns, constants = {"row": [*range(tree.base)]}, {"axes": tree.base_axes}
            self._step("base", lambda axes: {"S": axes}, columns, constants, (), ("axes",))

    def base(self, rule):
        """What a base that floats has from the world and from its own rates."""
        tree = self.tree
        if not tree.base:
            return
        places = {"world_a": Place("a", None, tree.world, tree.slots), "qdd": Place("qdd")}
        places["base_a"] = Place("a", None, 0, tree.slots)
        graph = self._traced(rule, {"world_a": (6,), "qdd": (6,)}, "base")
        self._steps.append(Step("base", graph, places, {}, {}, (1,)))

    def each(self, items, rule, reads=(), constants=()):
        """A rule for all items at once."""
        columns, known, spans = self._items(items)
        self._step(items, rule, columns, known, reads, constants, spans)

    def poses(self, rule):
        """Every part of a pose from those of the body that carries it, level by level."""
        tree = self.tree
        (moving, _), slots = tree.moving, tree.slots
        columns = {"own": [], "up": []}
        is_origin, spans, begin = [], [], 0
        for end in tree.spans:
            for k in range(begin, end):
                for part, name in enumerate(PARTS):
                    columns["own"].append(3 * part * slots + moving["body"][k])
                    columns["up"].append(moving["parent"][k])
                    is_origin.append((float(name == "origin"),))
            spans.append(len(is_origin))
            begin = end
        places = {
            "own": Place("pose", "own", 0, slots),
            "up": Place("pose", "up", 0, slots),
            "up_origin": Place("pose", "up", 9 * slots, slots),
        }
        shapes = {"own": (3,), "up": (9,), "up_origin": (3,), "is_origin": ()}
        graph = self._traced(rule, shapes, "poses")
        constants = {"is_origin": is_origin}
        self._steps.append(Step("poses", graph, places, columns, constants, tuple(spans)))

    def outward(self, field, result):
        """Sum a field over all that carry a joint, itself included, to what the base has: a lane
        for each component."""
        (moving, _), first = self.tree.moving, 0 if self.tree.base else self.tree.world

        def rule(terms, start):
            sums = [None] * self.tree.slots
            sums[first] = start
            for k, up in zip(moving["body"], moving["parent"], strict=True):
                sums[k] = sums[up] + terms[k - self._first]
            return {"sums": [sums[k] for k in self._moving]}

        self._field(result)
        self._by_component("outward", rule, field, result, first)

    def inward(self, field):
        """Add to what each body has what those have that it carries: a lane for each component."""
        (moving, _), tree = self.tree.moving, self.tree

        def rule(terms):
            sums = [*terms]
            for k, up in [*zip(moving["body"], moving["parent"], strict=True)][::-1]:
                if up != tree.world:
                    sums[up] = sums[up] + sums[k]
            return {"sums": sums}

        columns = {"component": [k * tree.slots for k in range(self._beyond)]}
        places = dict.fromkeys(("terms", "sums"), Place(field, "component"))
        graph = self._traced(rule, {"terms": (tree.bodies,)}, "inward")
        self._steps.append(Step("inward", graph, places, columns, {}, (self._beyond,)))

    def in_place(self, field, entries, rule):
        """A rule for some entries of a matrix that is kept by rows, as far as the tree fills it."""
        place = Place(field, offsets=tuple(self.tree.filled[each] for each in entries))
        graph = self._traced(rule, {"entries": (len(entries),)}, "in_place")
        self._steps.append(Step("in place", graph, {"entries": place}, {}, {}, (1,)))

    def clear(self, field, count):
        self._sizes[field] = count
        self._steps.append(Clear(field))

    def output(self, name, field, first, shape):
        self._outputs[name] = shape, field, first

    # -- how it is written down

    @property
    def _first(self):
        """The first body that a joint moves."""
        return 1 if self.tree.base else 0

    @property
    def _moving(self):
        return range(self._first, self.tree.bodies)

    def _by_component(self, name, rule, field, result, start):
        """A rule for one component of what all moving bodies have."""
        slots, count = self.tree.slots, NUMBERS[field]
        columns = {"component": [k * slots for k in range(count)]}
        places = {
            "terms": Place(field, "component", self._first),
            "start": Place(result, "component", start),
            "sums": Place(result, "component", self._first),
        }
        graph = self._traced(rule, {"terms": (len(self._moving),), "start": ()}, name)
        self._steps.append(Step(name, graph, places, columns, {}, (count,)))

    def _items(self, items):
        tree = self.tree
        if items == "whole":
            return {}, {}, (1,)
        if items == "diagonal":
            n = self.n
            columns = {"unit": [2 * n * n + k * n + k for k in range(n)]}
            return columns, {"unity": [(1.0,)] * n}, (n,)
        if items == "columns":
            n = self.n
            return {"column": [m * n * n + k for m in range(3) for k in range(n)]}, {}, (3 * n,)
        columns, known = {
            "bodies": tree.each_body,
            "moving": tree.moving,
            "joints": tree.joints,
            "pairs": tree.pairs,
            "within": (tree.within, {}),
            "between": (tree.between, {}),
        }[items]
        return columns, known, (len(next(iter(columns.values()))),)

    def _step(self, name, rule, columns, known, reads, constants, spans=None):
        spans = spans or (len(next(iter(columns.values()))),)
        if not spans[-1]:
            return
        same, differing = {}, {}
        for each in constants:
            rows = known[each]
            if all(row == rows[0] for row in rows):
                same[each] = rows[0][0] if each in SCALARS else [*rows[0]]
            else:
                differing[each] = rows
        shapes = {each: self._shape(each, name) for each in reads}
        shapes |= {each: () if each in SCALARS else (len(known[each][0]),) for each in differing}
        graph = self._traced(lambda **given: rule(**given, **same), shapes, name)
        graph = _of_what_matters(graph)
        differing = {each: rows for each, rows in differing.items() if each in graph.inputs}
        places = {each: self._place(each, name) for each in reads if each in graph.inputs}
        for each, (shape, _) in graph.outputs.items():
            if each == BEYOND:
                self._beyond = size(shape)
            self._field(each)
            places[each] = self._place(each, name)
        used = {place.column for place in places.values()}
        columns = {key: column for key, column in columns.items() if key in used}
        self._steps.append(Step(name, graph, places, columns, differing, spans))

    def _traced(self, rule, shapes, name):
        return trace(rule, shapes, f"{self.name} {name}")

    def _shape(self, name, items):
        if items in ("whole", "columns"):
            return (len(self.tree.filled) if name == "M" else self.n,)
        field, _ = NAMED[name]
        count = self._beyond if field == BEYOND else NUMBERS[field]
        return () if count == 1 else (count,)

    def _field(self, name):
        """Make room for a field that is written."""
        if name not in NAMED:
            return
        _, column = NAMED[name]
        count = self._beyond if name == BEYOND else NUMBERS[name]
        per = {"body": self.tree.slots, "row": self.n, "packed": len(self.tree.filled)}[column]
        self._sizes[name] = max(count * per, self._sizes.get(name, 0))

    def _place(self, name, items):
        n = self.n
        if name in ("right", "solved"):
            return Place("slopes", "column", 0, n)
        if name == "unit":
            return Place("slopes", "unit")
        if name in ("q_bc", "q_cb", "qd_bc", "qd_cb"):
            over, column = name.split("_")
            return Place("slopes", column, n * n if over == "qd" else 0)
        if items in ("whole", "columns"):
            self._sizes.setdefault(name, n)
            return Place(name)
        field, column = NAMED[name]
        if field in ("q", "qd", "qdd", "tau", "h", "M"):
            return Place(field, column)
        return Place(field, column, 0, self.tree.slots if field in _BY_BODY else n)


_BY_BODY = ("pose", "v", "a", "b", "u", BEYOND)


def _of_what_matters(graph):
    """The graph without inputs of which it needs nothing."""
    idle = {name for name, entries in graph.unused if len(entries) == size(graph.inputs[name])}
    inputs = {name: shape for name, shape in graph.inputs.items() if name not in idle}
    return replace(graph, inputs=inputs)
