"""A graph as one straight-line LLVM function over vectors.

The function takes a pointer for each input and output array. Entry k of an array is a whole
vector, one lane a state, at offset k times the vector's size; with one lane that is a plain
contiguous array. No fast-math flags: what is fused and in which order is decided by passes, so
every number of lanes gives the same bits.
"""

from ...graph.graph import size
from ...graph.ops import CONDITIONS
from .rows import request
from .trig import define_sincos

_COMPARE = {"lt": "olt", "le": "ole", "eq": "oeq"}
_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}


def define_body(module, name, graph, order, lanes, fetch=False):
    """Add `void @name(ptr input..., ptr output...)` computing `graph` in `order`.

    With `fetch`, a pair (ptr, i64) follows for each array: where the states of a later block
    lie, and how far apart their cache lines are. Requests for those lines are spread over the
    body, which is long enough to hide the memory and too long for the hardware to look beyond.
    """
    emitter = _Emitter(module, lanes)
    arrays = [f"ptr %in.{k}" for k in range(len(graph.inputs))]
    arrays += [f"ptr %out.{k}" for k in range(len(graph.outputs))]
    place = {key: f"%in.{k}" for k, key in enumerate(graph.inputs)}
    # Outputs last: with one lane, an output array may be an input array too.
    lines = []  # the array of each request
    if fetch:
        shapes = [*graph.inputs.values(), *(shape for shape, _ in graph.outputs.values())]
        lines = [k for k, shape in enumerate(shapes) for _ in range(size(shape))]
        arrays += [f"ptr %fetch.{k}.0, i64 %line.{k}" for k in range(len(shapes))]
    for at, node in enumerate(order):
        emitter.emit(node, place)
        while lines and emitter.fetched * len(order) < len(lines) * (at + 1):
            emitter.fetch(lines[emitter.fetched], to_write=lines[emitter.fetched] >= len(graph.inputs))
    poison = emitter.poison(graph.unused, place)
    for k, (_, nodes) in enumerate(graph.outputs.values()):
        for entry, node in enumerate(nodes):
            emitter.store(f"%out.{k}", entry, node, poison)
    text = "\n".join(emitter.lines)
    module.define(
        name, f"define internal void @{name}({', '.join(arrays)}) nounwind {{\n{text}\n  ret void\n}}"
    )


class _Emitter:
    def __init__(self, module, lanes):
        self.module, self.lanes = module, lanes
        self.lines, self.values, self.conditions, self.sincos = [], {}, {}, {}
        self.count, self.fetched, self.next_line = 0, 0, {}

    def fetch(self, array, to_write):
        """Ask for the next line of an array of a later block."""
        self.module.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        at = self.next_line.get(array, f"%fetch.{array}.0")
        self.lines.append(request(at, to_write, near=False))
        self.next_line[array] = self.let(f"getelementptr i8, ptr {at}, i64 %line.{array}")
        self.fetched += 1

    def let(self, text):
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def address(self, array, entry):
        offset = entry * self.lanes.count * self.lanes.size
        return self.let(f"getelementptr i8, ptr {array}, i64 {offset}")

    def load(self, array, entry):
        return self.let(f"load {self.lanes.type}, ptr {self.address(array, entry)}, align {self.align}")

    @property
    def align(self):
        return self.lanes.count * self.lanes.size

    def store(self, array, entry, node, poison):
        value = self.values[node.index]
        if poison is not None:
            value = self.let(f"fadd {self.lanes.type} {value}, {poison}")
        address = self.address(array, entry)
        self.lines.append(f"  store {self.lanes.type} {value}, ptr {address}, align {self.align}")

    def poison(self, unused, place):
        """Zero, or NaN in lanes where an entry that no output uses is not finite."""
        total = None
        for name, entry in unused:
            value = self.load(place[name], entry)
            own = self.let(f"fsub {self.lanes.type} {value}, {value}")
            total = own if total is None else self.let(f"fadd {self.lanes.type} {total}, {own}")
        return total

    def call(self, name, *arguments):
        self.module.declare(self.lanes.declaration(name))
        return self.let(self.lanes.intrinsic(name, *arguments))

    def emit(self, node, place):
        lanes, op = self.lanes, node.op
        if op == "const":
            value = lanes.constant(node.value)
        elif op == "input":
            name, entry = node.value
            value = self.load(place[name], entry)
        else:
            x = [self.values[a.index] for a in node.args]
            if op in _ARITHMETIC:
                value = self.let(f"{_ARITHMETIC[op]} {lanes.type} {x[0]}, {x[1]}")
            elif op == "neg":
                value = self.let(f"fneg {lanes.type} {x[0]}")
            elif op == "fma":
                value = self.call("fma", *x)
            elif op == "sqrt":
                value = self.call("sqrt", *x)
            elif op == "abs":
                value = self.call("fabs", *x)
            elif op in ("min", "max"):
                value = self.call("minimum" if op == "min" else "maximum", *x)
            elif op in ("sin", "cos"):
                value = self.trig(op, x[0])
            elif op == "sign":
                value = self.sign(x[0])
            elif op in CONDITIONS:
                value = self.compare(node, x)
            elif op == "select":
                value = self.select(node, x)
            elif op == "atan2":
                value = self.each_lane("atan2", x)
            else:
                raise AssertionError(f"no LLVM form of {op}")
        self.values[node.index] = value

    def trig(self, op, x):
        pair = f"{{ {self.lanes.type}, {self.lanes.type} }}"
        if x not in self.sincos:
            function = define_sincos(self.module, self.lanes)
            self.sincos[x] = self.let(f"call {pair} @{function}({self.lanes.type} {x})")
        return self.let(f"extractvalue {pair} {self.sincos[x]}, {0 if op == 'sin' else 1}")

    def compare(self, node, x):
        lanes = self.lanes
        condition = self.let(f"fcmp {_COMPARE[node.op]} {lanes.type} {x[0]}, {x[1]}")
        self.conditions[node.index] = condition
        return self.let(f"uitofp {lanes.condition} {condition} to {lanes.type}")

    def select(self, node, x):
        lanes, condition = self.lanes, self.conditions.get(node.args[0].index)
        if condition is None:
            condition = self.let(f"fcmp une {lanes.type} {x[0]}, {lanes.constant(0.0)}")
        return self.let(
            f"select {lanes.condition} {condition}, {lanes.type} {x[1]}, {lanes.type} {x[2]}"
        )

    def sign(self, x):
        """copysign(1, x), but x itself where x is zero or NaN."""
        lanes = self.lanes
        one = self.call("copysign", lanes.constant(1.0), x)
        nonzero = self.let(f"fcmp one {lanes.type} {x}, {lanes.constant(0.0)}")
        positive_zero = self.let(f"fadd {lanes.type} {x}, {lanes.constant(0.0)}")
        return self.let(
            f"select {lanes.condition} {nonzero}, {lanes.type} {one}, {lanes.type} {positive_zero}"
        )

    def each_lane(self, name, x):
        """A function of the C library, lane by lane."""
        lanes, element = self.lanes, self.lanes.element
        function = name if element == "double" else name + "f"
        self.module.declare(f"declare {element} @{function}({', '.join([element] * len(x))})")
        if lanes.count == 1:
            return self.let(f"call {element} @{function}({', '.join(f'{element} {v}' for v in x)})")
        result = "poison"
        for lane in range(lanes.count):
            parts = [self.let(f"extractelement {lanes.type} {v}, i32 {lane}") for v in x]
            arguments = ", ".join(f"{element} {part}" for part in parts)
            one = self.let(f"call {element} @{function}({arguments})")
            result = self.let(f"insertelement {lanes.type} {result}, {element} {one}, i32 {lane}")
        return result
