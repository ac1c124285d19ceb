"""A graph as a straight line of LLVM over vectors, one lane a state.

The function takes a pointer for each input and output array and finds its entries there in one
of two ways (`Blocks`, `Rows`). No fast-math flags: what is fused and in which order is decided
by passes, so every number of lanes gives the same bits.
"""

from ...graph.graph import size
from ...graph.ops import CONDITIONS, LEAVES
from ...passes.pieces import cut, frame_places, frame_size
from .rows import request
from .tiles import Straight, cell_entries, load_tile, store_tile, tiles
from .trig import define_sincos

MOST_NODES = 4000  # in one function

_COMPARE = {"lt": "olt", "le": "ole", "eq": "oeq"}
_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}


class Blocks:
    """Entry k is a whole vector, k vectors from the start: scratch blocks. With one lane that is
    a plain contiguous array."""

    def __init__(self, lanes, shapes):
        self.lanes, self.vector = lanes, lanes.count * lanes.size

    def load(self, code, array, entry):
        at = code.let(f"getelementptr i8, ptr %array{array}, i64 {entry * self.vector}")
        return code.let(f"load {self.lanes.type}, ptr {at}, align {self.vector}")

    def store(self, code, array, values):
        for entry, value in enumerate(values):
            at = code.let(f"getelementptr i8, ptr %array{array}, i64 {entry * self.vector}")
            code.do(f"store {self.lanes.type} {value}, ptr {at}, align {self.vector}")


class Rows:
    """Whole states one after another, as people keep them; transposed in registers, a tile of
    entries when the first of them is needed, so that moving and computing overlap."""

    def __init__(self, lanes, shapes):
        self.lanes, self.entries = lanes, [size(shape) for shape in shapes]
        self.tiles = [list(tiles(entries, lanes)) for entries in self.entries]
        self.loaded = {}

    @staticmethod
    def possible(lanes, shapes):
        return all(size(shape) >= cell_entries(lanes) for shape in shapes)

    def _address(self, code, array, first):
        def address(state):
            offset = (state * self.entries[array] + first) * self.lanes.size
            return code.let(f"getelementptr i8, ptr %array{array}, i64 {offset}")

        return address

    def load(self, code, array, entry):
        if (array, entry) not in self.loaded:
            first, cell = next(t for t in self.tiles[array] if t[0] <= entry < t[0] + t[1])
            registers = load_tile(code, self.lanes, cell, self._address(code, array, first))
            for k, register in enumerate(registers):
                self.loaded.setdefault((array, first + k), register)
        return self.loaded[array, entry]

    def store(self, code, array, values):
        for first, cell in self.tiles[array]:
            registers = values[first : first + cell]
            store_tile(code, self.lanes, cell, registers, self._address(code, array, first))


def define_body(module, name, graph, order, lanes, access=Blocks, fetch=False):
    """Add `void @name(ptr input..., ptr output..., ptr frame)` computing `graph` in `order`.

    With `fetch`, a pair (ptr, i64) for each array follows the arrays: where the states of a later
    block lie, and how far apart their cache lines are. Requests for those lines are spread over
    the body, which is long enough to hide the memory and too long for the hardware to look beyond.

    A long body becomes several functions (passes/pieces.py). Memory for their frame is what the
    caller brings as last argument. Returns how many vectors that is.
    """
    shapes = graph.shapes
    parameters = [f"ptr %array{k}" for k in range(len(shapes))]
    requests = []  # (array, line) in the order they are made
    if fetch:
        parameters += [f"ptr %fetch{k}, i64 %line{k}" for k in range(len(shapes))]
        requests = [(k, line) for k, shape in enumerate(shapes) for line in range(size(shape))]
    parameters.append("ptr %frame")

    pieces = cut(order, MOST_NODES)
    slots, done, made = frame_places(pieces, graph.results), 0, 0
    for number, piece in enumerate(pieces):
        emitter = _Emitter(module, lanes, list(graph.inputs), access(lanes, shapes), slots)
        for node in piece:
            emitter.emit(node)
            done += 1
            while made * len(order) < len(requests) * done:
                array, line = requests[made]
                emitter.fetch(array, line, to_write=array >= len(graph.inputs))
                made += 1
        if piece is pieces[-1]:
            emitter.store_results([nodes for _, nodes in graph.outputs.values()], graph.unused)
        _define_function(module, f"{name}.{number}", parameters, str(emitter))

    calls = [f"  call void @{name}.{k}({', '.join(parameters)})" for k in range(len(pieces))]
    _define_function(module, name, parameters, "\n".join(calls))
    return frame_size(slots)


def _define_function(module, name, parameters, text):
    head = f"define internal void @{name}({', '.join(parameters)}) nounwind"
    module.define(name, f"{head} {{\n{text}\n  ret void\n}}")


class _Emitter(Straight):
    def __init__(self, module, lanes, inputs, access, slots):
        super().__init__("v")
        self.module, self.lanes, self.access, self.slots = module, lanes, access, slots
        self.position = {name: k for k, name in enumerate(inputs)}
        self.values, self.conditions, self.sincos = {}, {}, {}
        self.next_line = {}

    def fetch(self, array, line, to_write):
        """Ask for a line of an array of a later block; lines of an array come one by one."""
        self.module.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        if array not in self.next_line:
            offset = self.let(f"mul i64 %line{array}, {line}")
            self.next_line[array] = self.let(f"getelementptr i8, ptr %fetch{array}, i64 {offset}")
        at = self.next_line[array]
        self.lines.append(request(at, to_write, near=False))
        self.next_line[array] = self.let(f"getelementptr i8, ptr {at}, i64 %line{array}")

    def value(self, node):
        """The name of a node's value, brought here if another function made it."""
        if node.index not in self.values:
            if node.op in LEAVES:
                self.emit(node)
            else:
                at = self._slot(node)
                align = self.lanes.count * self.lanes.size
                self.values[node.index] = self.let(
                    f"load {self.lanes.type}, ptr {at}, align {align}"
                )
        return self.values[node.index]

    def _slot(self, node):
        offset = self.slots[node.index] * self.lanes.count * self.lanes.size
        return self.let(f"getelementptr i8, ptr %frame, i64 {offset}")

    def store_results(self, outputs, unused):
        """Write the output arrays, when all inputs are read: they may be the same arrays."""
        poison = self.poison(unused)
        values = [[self.value(node) for node in nodes] for nodes in outputs]
        for k, entries in enumerate(values):
            if poison is not None:
                add = f"fadd {self.lanes.type}"
                entries = [self.let(f"{add} {entry}, {poison}") for entry in entries]
            self.access.store(self, len(self.position) + k, entries)

    def poison(self, unused):
        """Zero, or NaN in lanes where an entry that no output uses is not finite."""
        total = None
        for name, entry in unused:
            value = self.access.load(self, self.position[name], entry)
            own = self.let(f"fsub {self.lanes.type} {value}, {value}")
            total = own if total is None else self.let(f"fadd {self.lanes.type} {total}, {own}")
        return total

    def call(self, name, *arguments):
        self.module.declare(self.lanes.declaration(name))
        return self.let(self.lanes.intrinsic(name, *arguments))

    def emit(self, node):
        lanes, op = self.lanes, node.op
        if op == "const":
            value = lanes.constant(node.value)
        elif op == "input":
            name, entry = node.value
            value = self.access.load(self, self.position[name], entry)
        else:
            x = [self.value(a) for a in node.args]
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
        if node.index in self.slots:
            align = lanes.count * lanes.size
            self.do(f"store {lanes.type} {value}, ptr {self._slot(node)}, align {align}")

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
