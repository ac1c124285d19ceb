"""A graph as a straight line of LLVM over vectors, one lane a state.

The function takes a pointer for each input and output array and finds its entries there in one
of two ways (`Blocks`, `Rows`). No fast-math flags: what is fused and in which order is decided
by passes, so every number of lanes gives the same bits.
"""

from collections import defaultdict
from dataclasses import dataclass

from ...graph.graph import size
from ...graph.ops import CONDITIONS
from ...passes.pieces import cut, frame_places, frame_size
from .rows import request
from .tiles import Straight, cell_entries, load_tile, store_tile, tiles
from .trig import define_sincos

MOST_LINES = 4000  # in one function, about
REQUEST_WEIGHT = 5  # in lines: LLVM orders what touches memory with effort

_COMPARE = {"lt": "olt", "le": "ole", "eq": "oeq"}
_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}


class Blocks:
    """Entry k is a whole vector, k vectors from the start: scratch blocks. With one lane that is
    a plain contiguous array."""

    line = None  # how far apart the cache lines of a later block are: the caller says

    def __init__(self, lanes, shapes):
        self.lanes, self.vector = lanes, lanes.count * lanes.size
        self.entries = [size(shape) for shape in shapes]

    def load(self, code, array, entry):
        at = code.let(f"getelementptr i8, ptr %array{array}, i64 {entry * self.vector}")
        return code.let(f"load {self.lanes.type}, ptr {at}, align {self.vector}")

    def parts(self, array):
        """(first entry, entries, lines of code) of what is stored at once."""
        return [(entry, 1, 2) for entry in range(self.entries[array])]

    def clear(self, code, array, first, entries):
        at = code.let(f"getelementptr i8, ptr %array{array}, i64 {first * self.vector}")
        code.clear(at, entries * self.vector)

    def store(self, code, array, entry, values):
        at = code.let(f"getelementptr i8, ptr %array{array}, i64 {entry * self.vector}")
        code.do(f"store {self.lanes.type} {values[0]}, ptr {at}, align {self.vector}")


class Rows:
    """Whole states one after another, as people keep them; transposed in registers, a tile of
    entries when the first of them is needed, so that moving and computing overlap."""

    line = 64

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

    def parts(self, array):
        return [(first, cell, 4 * self.lanes.count) for first, cell in self.tiles[array]]

    def clear(self, code, array, first, entries):
        for state in range(self.lanes.count):
            code.clear(self._address(code, array, first)(state), entries * self.lanes.size)

    def store(self, code, array, first, values):
        store_tile(code, self.lanes, len(values), values, self._address(code, array, first))


def define_body(module, name, graph, order, lanes, access=Blocks, fetch=False):
    """Add `void @name(ptr input..., ptr output..., ptr frame)` computing `graph` in `order`.

    With `fetch`, a pair (ptr, i64) for each array follows the arrays: where the states of a later
    block lie, and how far apart their cache lines are (for Rows that is known). Requests for those lines are spread over
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

    steps = with_stores(graph, order, access(lanes, shapes))
    done, made = 0, 0

    def emitter(slots):
        return Emitter(module, lanes, list(graph.inputs), access(lanes, shapes), slots)

    def after_step(emitter):
        nonlocal done, made
        done += 1
        while made * len(steps) < len(requests) * done:
            array, line = requests[made]
            emitter.fetch(array, line, to_write=array >= len(graph.inputs))
            made += 1

    beside = REQUEST_WEIGHT * len(requests) / len(steps)
    return define_steps(module, name, parameters, steps, emitter, beside, after_step)


def define_steps(module, name, parameters, steps, emitter, beside=0, after_step=lambda emitter: 0):
    """Add `void @name(parameters)` that does the steps, by as many functions as it takes.

    `emitter(slots)` writes steps as code, with these places in %frame; `after_step` may add to
    it, so many lines a step as `beside` says. Returns how many vectors the frame must hold.
    """
    pieces = cut(steps, MOST_LINES, lambda step: getattr(step, "weight", 1) + beside)
    slots = frame_places(pieces, (), made_again=("const",))
    for number, piece in enumerate(pieces):
        code = emitter(slots)
        for step in piece:
            code.emit(step)
            after_step(code)
        _define_function(module, f"{name}.{number}", parameters, str(code))
    calls = [f"  call void @{name}.{k}({', '.join(parameters)})" for k in range(len(pieces))]
    _define_function(module, name, parameters, "\n".join(calls))
    return frame_size(slots)


@dataclass(frozen=True)
class Poison:
    """A step like a node: zero, or NaN in lanes where an entry no output uses is not finite."""

    entries: list  # (name, index) of these inputs
    op, args, index = "poison", (), -1


@dataclass(frozen=True)
class Store:
    """A step like a node: write entries of an output array, from `first` on."""

    array: int
    first: int
    args: tuple  # the values, and the poison if there is any
    spoilt: tuple  # which values the poison spoils
    weight: int
    op, index = "store", -2


@dataclass(frozen=True)
class Clear:
    """A step like a node: write zeros, which are zero in every state, to an output array."""

    array: int
    first: int
    entries: int
    op, args, index, weight = "clear", (), -3, 16


def with_stores(graph, order, access):
    """The nodes in order, and between them the stores, each as soon as its values are there.

    But not before all inputs are read, which may lie where the outputs lie: so a body that will
    be cut in pieces reads them first, and the pieces find them in the frame.
    """
    steps = list(order)
    if len(order) + 9 * len(graph.results) > MOST_LINES:
        steps.sort(key=lambda node: node.op != "input")  # stable
    at = {node.index: k for k, node in enumerate(steps)}
    read = max((k for k, node in enumerate(steps) if node.op == "input"), default=-1)
    ready = defaultdict(list)  # place in the order -> the stores that come after it
    for store in output_steps(graph, output_values(graph), access):
        values = (at[node.index] for node in store.args if node.op != "poison")
        ready[max([read, *values])].append(store)
    result = [*poison(graph), *ready[-1]]
    for k, node in enumerate(steps):
        result.append(node)
        result += ready[k]
    return result


def poison(graph):
    """The poison of outputs, if there can be any."""
    return (Poison(graph.unused),) if graph.unused else ()


def output_values(graph):
    """(output, entry) -> its node."""
    return {
        (name, entry): node
        for name, (_, nodes) in graph.outputs.items()
        for entry, node in enumerate(nodes)
    }


def output_steps(graph, values, access):
    """The steps that write entries of the graph's outputs: those of `values`."""
    for array, name in enumerate(graph.outputs, len(graph.inputs)):
        spoilt, zeros = graph.poisoned(name), []
        for first, entries, weight in access.parts(array):
            if (name, first) not in values:  # a part is written as a whole, or by somebody else
                continue
            own = slice(first, first + entries)
            if any(spoilt[own]):
                nodes = [values[name, k] for k in range(first, first + entries)]
                yield Store(array, first, (*nodes, *poison(graph)), tuple(spoilt[own]), weight)
            else:  # always zero: runs of such are cleared at once
                start = first if not zeros or sum(zeros[-1]) < first else zeros.pop()[0]
                zeros.append((start, first + entries - start))
        for run in zeros:
            yield Clear(array, *run)


def _define_function(module, name, parameters, text):
    head = f"define internal void @{name}({', '.join(parameters)}) nounwind"
    module.define(name, f"{head} {{\n{text}\n  ret void\n}}")


class Emitter(Straight):
    """Writes steps one after another."""

    def __init__(self, module, lanes, inputs, access, slots):
        super().__init__("v")
        self.module, self.lanes, self.access, self.slots = module, lanes, access, slots
        self.position = {name: k for k, name in enumerate(inputs)}
        self.values, self.conditions, self.sincos = {}, {}, {}
        self.next_line = {}

    def fetch(self, array, line, to_write):
        """Ask for a line of an array of a later block; lines of an array come one by one."""
        self.module.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        if self.access.line is not None:
            at = self.let(f"getelementptr i8, ptr %fetch{array}, i64 {self.access.line * line}")
            self.lines.append(request(at, to_write, near=False))
            return
        if array not in self.next_line:
            offset = self.let(f"mul i64 %line{array}, {line}")
            self.next_line[array] = self.let(f"getelementptr i8, ptr %fetch{array}, i64 {offset}")
        at = self.next_line[array]
        self.lines.append(request(at, to_write, near=False))
        self.next_line[array] = self.let(f"getelementptr i8, ptr {at}, i64 %line{array}")

    def value(self, node):
        """The name of a node's value, brought here if another function made it."""
        if node.index not in self.values:
            if node.op == "const":
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

    def store(self, step):
        """Write a part of an output array."""
        values = [self.value(a) for a in step.args]
        if step.args[-1].op == "poison":
            *values, poison = values
            values = [
                self.let(f"fadd {self.lanes.type} {value}, {poison}") if spoilt else value
                for value, spoilt in zip(values, step.spoilt, strict=True)
            ]
        self.access.store(self, step.array, step.first, values)

    def clear(self, at, size):
        self.module.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        self.do(f"call void @llvm.memset.p0.i64(ptr {at}, i8 0, i64 {size}, i1 false)")

    def poison(self, step):
        total = None
        for name, entry in step.entries:
            value = self.access.load(self, self.position[name], entry)
            own = self.let(f"fsub {self.lanes.type} {value}, {value}")
            total = own if total is None else self.let(f"fadd {self.lanes.type} {total}, {own}")
        return total

    def call(self, name, *arguments):
        self.module.declare(self.lanes.declaration(name))
        return self.let(self.lanes.intrinsic(name, *arguments))

    def emit(self, node):
        lanes, op = self.lanes, node.op
        if op == "store":
            return self.store(node)
        if op == "clear":
            return self.access.clear(self, node.array, node.first, node.entries)
        if op == "const":
            value = lanes.constant(node.value)
        elif op == "poison":
            value = self.poison(node)
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
            elif op in ("sqrt", "rint"):
                value = self.call(op, *x)
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
