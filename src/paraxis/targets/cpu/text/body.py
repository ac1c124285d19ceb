"""A graph as straight-line LLVM over vectors, one state per lane.

The function takes a pointer to each input and output array, in one of two layouts (`Blocks`,
`Rows`). No fast-math flags: what is fused and in which order is decided
by passes, so every number of lanes gives the same bits.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from ....graph.graph import size
from ....passes.pieces import cut, frame_places, frame_size
from .lanes import Lanes
from .operations import OPERATIONS
from .rows import request
from .tiles import Straight, cell_entries, load_tile, store_tile, tiles

MOST_LINES = 4000  # in one function, about
MOST_REQUESTS = 8  # a step
REQUEST_WEIGHT = 5  # in lines: LLVM orders what touches memory with effort
# Loads and stores between fences, which cost nothing and change nothing but what LLVM may reorder:
# of so many it finds the best order soon, but for twice as many it takes four times as long.
MOST_TOUCHES = 128
LONG_RUN = 64  # unused entries in a row that a loop looks at
POISON = -10  # index of the first such step, others below; results of nodes count from zero


class Access(Protocol):
    """How a body reads and writes its arrays, which are in one layout. `code` is an Emitter.

    `line` is the distance in bytes between the cache lines of a later block, or None where the
    caller passes it; `pointers` is the number of pointers to arrays, by default one per array;
    `beside` are the names of pointers to other memory that it needs.
    """

    line: int | None
    pointers: int | None
    beside: tuple[str, ...]
    lanes: Lanes

    def __init__(self, lanes: Lanes, shapes: Sequence[tuple[int, ...]]): ...

    def load(self, code: Any, array: int, entry: int) -> str:
        """The register that holds an entry of all lanes."""
        ...

    def look_at(self, code: Any, array: int, entries: range, total: str) -> str:
        """`total` plus the difference of each of these entries to itself: zero, or NaN."""
        ...

    def parts(self, array: int) -> list[tuple[int, int, int]]:
        """(first entry, entries, lines of code) of each group that is stored at once."""
        ...

    def clear(self, code: Any, array: int, first: int, entries: int) -> None:
        """Write zeros."""
        ...

    def store(self, code: Any, array: int, entry: int, values: Sequence[str]) -> None:
        """Write one group of entries, the first of which is `entry`."""
        ...


class Blocks:
    """Entry k is a whole vector, k vectors from the start: scratch blocks. With one lane that is
    a plain contiguous array."""

    line: int | None = None
    pointers: int | None = None
    beside: tuple[str, ...] = ()

    def __init__(self, lanes: Lanes, shapes):
        self.lanes, self.vector = lanes, lanes.count * lanes.size
        self.entries = [size(shape) for shape in shapes]

    def address(self, code, array, entry):
        return code.let(f"getelementptr i8, ptr %array{array}, i64 {entry * self.vector}")

    def load(self, code, array, entry):
        at = self.address(code, array, entry)
        return code.let(f"load {self.lanes.type}, ptr {at}, align {self.vector}")

    def look_at(self, code, array, entries, total):
        at, function = self.address(code, array, entries.start), f"unused_blocks_{self.lanes.count}"
        step = Straight()
        place = step.let(f"getelementptr {self.lanes.type}, ptr %from, i64 %k")
        values = [step.let(f"load {self.lanes.type}, ptr {place}, align {self.vector}")]
        define_look(code.module, function, self.lanes, step, values)
        return call_look(code, function, self.lanes, at, 0, len(entries), total)

    def parts(self, array):
        return [(entry, 1, 2) for entry in range(self.entries[array])]

    def clear(self, code, array, first, entries):
        code.clear(self.address(code, array, first), entries * self.vector)

    def store(self, code, array, entry, values):
        at = self.address(code, array, entry)
        code.do(f"store {self.lanes.type} {values[0]}, ptr {at}, align {self.vector}")


class KeptBlocks(Blocks):
    """Blocks in which lanes keep what they have where the vector at %frozen is not zero."""

    beside = ("frozen",)

    def __init__(self, lanes: Lanes, shapes):
        super().__init__(lanes, shapes)
        self.frozen = None

    def store(self, code, array, entry, values):
        kind = self.lanes.type
        if self.frozen is None:
            mask = code.let(f"load {kind}, ptr %frozen, align {self.vector}")
            self.frozen = code.let(f"fcmp une {kind} {mask}, {self.lanes.constant(0.0)}")
        at = self.address(code, array, entry)
        old = code.let(f"load {kind}, ptr {at}, align {self.vector}")
        condition = f"{self.lanes.condition} {self.frozen}"
        new = code.let(f"select {condition}, {kind} {old}, {kind} {values[0]}")
        code.do(f"store {kind} {new}, ptr {at}, align {self.vector}")


class Rows:
    """Whole states one after another, the usual layout; transposed in registers, a tile of
    entries when the first of them is needed, so that moving and computing overlap."""

    line: int | None = 64
    pointers: int | None = None
    beside: tuple[str, ...] = ()

    def __init__(self, lanes: Lanes, shapes):
        self.lanes, self.entries = lanes, [size(shape) for shape in shapes]
        self.tiles = [_tiles(entries, lanes) for entries in self.entries]
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
            first, cell = self._tile(array, entry)
            registers = load_tile(code, self.lanes, cell, self._address(code, array, first))
            for k, register in enumerate(registers):
                self.loaded.setdefault((array, first + k), register)
        return self.loaded[array, entry]

    def _tile(self, array, entry):
        """The first tile that has an entry: the last one may overlap that before it."""
        every = self.tiles[array]
        at = bisect_right(every, entry, key=lambda tile: tile[0]) - 1
        before = every[at - 1] if at else every[0]
        return before if sum(before) > entry else every[at]

    def look_at(self, code, array, entries, total):
        at = self._address(code, array, entries.start)(0)
        function = f"unused_rows_{self.lanes.count}"
        cell, step = cell_entries(self.lanes), Straight()
        code.module.declare("declare i64 @llvm.umin.i64(i64, i64)")
        last = step.let(f"sub i64 %count, {cell}")
        first = step.let(f"call i64 @llvm.umin.i64(i64 %k, i64 {last})")
        begin = step.let(f"getelementptr {self.lanes.element}, ptr %from, i64 {first}")

        def address(state):
            offset = step.let(f"mul i64 %row, {state}")
            return step.let(f"getelementptr i8, ptr {begin}, i64 {offset}")

        values = load_tile(step, self.lanes, cell, address)
        define_look(code.module, function, self.lanes, step, values)
        row = self.entries[array] * self.lanes.size
        return call_look(code, function, self.lanes, at, row, len(entries), total)

    def parts(self, array):
        return [(first, cell, 4 * self.lanes.count) for first, cell in self.tiles[array]]

    def clear(self, code, array, first, entries):
        for state in range(self.lanes.count):
            code.clear(self._address(code, array, first)(state), entries * self.lanes.size)

    def store(self, code, array, entry, values):
        store_tile(code, self.lanes, len(values), values, self._address(code, array, entry))


@lru_cache(maxsize=64)
def _tiles(entries, lanes):
    return tuple(tiles(entries, lanes))


def define_body(
    module, name, graph, order, lanes, access: type[Access] = Blocks, fetch=False, overlapping=None
):
    """Add `void @name(ptr input..., ptr output..., ptr frame)` computing `graph` in `order`.

    Inputs may overlap outputs, but where only those named `overlapping` do, the others are read
    when they are needed, and need no place in a frame.

    With `fetch`, a pair (ptr, i64) for each array follows the arrays: the address of the states of
    a later block, and the distance between their cache lines (for Rows it is known). Requests for
    those lines are spread over the body, which is long enough to hide the memory latency and too
    long for the hardware to look beyond.

    A long body becomes several functions (passes/pieces.py), whose frame is memory that the caller
    passes as the last argument. Returns the number of vectors in that frame.
    """
    shapes = graph.shapes
    parameters = [f"ptr %array{k}" for k in range(access.pointers or len(shapes))]
    requests = []  # (array, line) in the order they are made
    if fetch:
        parameters += [f"ptr %fetch{k}, i64 %line{k}" for k in range(len(shapes))]
        requests = [(k, line) for k, shape in enumerate(shapes) for line in range(size(shape))]
    parameters += [f"ptr %{name}" for name in (*access.beside, "frame")]

    steps = with_stores(graph, order, access(lanes, shapes), overlapping)
    if len(requests) > MOST_REQUESTS * len(steps):  # most entries are unused: there is no time
        requests = []
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
    most = lanes.most_lines or MOST_LINES
    return define_steps(module, name, parameters, steps, emitter, beside, after_step, most)


def define_steps(
    module,
    name,
    parameters,
    steps,
    emitter,
    beside: float = 0,
    after_step=lambda emitter: 0,
    most=None,
):
    """Add `void @name(parameters)` that does the steps, by as many functions as it takes.

    `emitter(slots)` writes steps as code, with these places in %frame; `after_step` may add to
    it, so many lines a step as `beside` says. `most` lines are in one function, about. Returns how
    many vectors the frame must hold.
    """
    pieces = cut(steps, most or MOST_LINES, lambda step: getattr(step, "weight", 1) + beside)
    slots = frame_places(pieces, (), made_again=("const",))
    for number, piece in enumerate(pieces):
        code = emitter(slots)
        for step in piece:
            code.emit(step)
            after_step(code)
            code.fence()
        _define_function(module, f"{name}.{number}", parameters, str(code))
    calls = [f"  call void @{name}.{k}({', '.join(parameters)})" for k in range(len(pieces))]
    _define_function(module, name, parameters, "\n".join(calls))
    return frame_size(slots)


@dataclass(frozen=True)
class Poison:
    """A step like a node: zero, or NaN in lanes where an entry no output uses is not finite."""

    runs: tuple  # (name, range of entries) of inputs
    args: tuple  # the same of other entries, if any: they are added
    index: int
    weight: int
    op = "poison"


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


def with_stores(graph, order, access, overlapping=None):
    """The nodes in order, and between them the stores, each as soon as its values are there.

    But not before all inputs are read, which may overlap the outputs: so a body that will
    be cut in pieces reads them first, and the pieces find them in the frame. Where it is known
    which inputs are `overlapping`, all others are left out: an Emitter reads them on demand.
    """
    steps = list(order)
    if overlapping is not None:
        steps = [x for x in steps if x.op != "input" or x.value[0] in overlapping]
    if len(order) + 9 * len(graph.results) > (access.lanes.most_lines or MOST_LINES):
        steps.sort(key=lambda node: node.op != "input")  # stable
    at = {node.index: k for k, node in enumerate(steps)}
    read = max((k for k, node in enumerate(steps) if node.op == "input"), default=-1)
    ready = defaultdict(list)  # place in the order -> the stores that come after it
    for store in output_steps(graph, output_values(graph), access):
        values = (at.get(node.index, -1) for node in store.args if node.op != "poison")
        ready[max([read, *values])].append(store)
    result = [*poison(graph), *ready[-1]]
    for k, node in enumerate(steps):
        result.append(node)
        result += ready[k]
    return result


def poison(graph):
    """The steps of the poison of outputs, if there can be any; the last is what spoils them."""
    steps = []
    for runs in _by_weight(graph.unused):
        weight = 3 * sum(_looks(entries) for _, entries in runs)
        steps.append(Poison(tuple(runs), tuple(steps[-1:]), POISON - len(steps), weight))
    return tuple(steps)


def _looks(entries):
    """How many statements it takes to look at a run of entries."""
    return 1 if len(entries) >= LONG_RUN else len(entries)


def _by_weight(runs):
    """Runs in groups for a step each, of about MOST_TOUCHES statements."""
    group, weight = [], 0
    for run in runs:
        if group and weight + _looks(run[1]) > MOST_TOUCHES:
            yield group
            group, weight = [], 0
        group.append(run)
        weight += _looks(run[1])
    if group:
        yield group


def output_values(graph):
    """(output, entry) -> its node."""
    return {
        (name, entry): node
        for name, (_, nodes) in graph.outputs.items()
        for entry, node in enumerate(nodes)
    }


def output_steps(graph, values, access):
    """The steps that write entries of the graph's outputs: those of `values`."""
    spoils = poison(graph)[-1:]
    for array, name in enumerate(graph.outputs, len(graph.inputs)):
        spoilt, zeros = graph.poisoned(name), []
        for first, entries, weight in access.parts(array):
            if (name, first) not in values:  # a part is written as a whole, or by somebody else
                continue
            own = slice(first, first + entries)
            if any(spoilt[own]):
                nodes = [values[name, k] for k in range(first, first + entries)]
                yield Store(array, first, (*nodes, *spoils), tuple(spoilt[own]), weight)
            else:  # always zero: runs of such are cleared at once
                start = first if not zeros or sum(zeros[-1]) < first else zeros.pop()[0]
                zeros.append((start, first + entries - start))
        for run in zeros:
            yield Clear(array, *run)


def define_look(module, name, lanes, step, values):
    """Add `vector @name(ptr from, i64 row, i64 count, vector start)`: a loop over entries.

    It adds the difference of each entry to itself; `step` has the lines that bring the `values` of
    entries from %k on.
    """
    before = "%total"
    for value in values:
        own = step.let(f"fsub {lanes.type} {value}, {value}")
        before = step.let(f"fadd {lanes.type} {before}, {own}")
    module.define(
        name,
        f"""
define internal {lanes.type} @{name}(ptr %from, i64 %row, i64 %count, {lanes.type} %start) nounwind {{
entry:
  br label %look
look:
  %k = phi i64 [ 0, %entry ], [ %k.next, %look ]
  %total = phi {lanes.type} [ %start, %entry ], [ {before}, %look ]
{step}
  %k.next = add i64 %k, {len(values)}
  %more = icmp ult i64 %k.next, %count
  br i1 %more, label %look, label %done
done:
  ret {lanes.type} {before}
}}""",
    )


def call_look(code, name, lanes, at, row, count, start):
    arguments = f"ptr {at}, i64 {row}, i64 {count}, {lanes.type} {start}"
    return code.let(f"call {lanes.type} @{name}({arguments})")


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
        self.next_line, self.touches = {}, 0

    def let(self, text):
        self.touches += text.startswith("load ")
        return super().let(text)

    def do(self, text):
        self.touches += 1
        super().do(text)

    def fence(self):
        """Between steps: nothing that touches memory moves past here."""
        if self.touches >= MOST_TOUCHES:
            self.lines.append('  fence syncscope("singlethread") seq_cst')
            self.touches = 0

    def fetch(self, array, line, to_write):
        """Ask for a line of an array of a later block; lines of an array come one by one."""
        self.module.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        if self.access.line is not None:
            at = self.let(f"getelementptr i8, ptr %fetch{array}, i64 {self.access.line * line}")
            self.do(request(at, to_write, near=False))
            return
        if array not in self.next_line:
            offset = self.let(f"mul i64 %line{array}, {line}")
            self.next_line[array] = self.let(f"getelementptr i8, ptr %fetch{array}, i64 {offset}")
        at = self.next_line[array]
        self.do(request(at, to_write, near=False))
        self.next_line[array] = self.let(f"getelementptr i8, ptr {at}, i64 %line{array}")

    def value(self, node):
        """The name of a node's value, brought here if another function made it."""
        if node.index not in self.values:
            if node.op == "const" or (node.op == "input" and node.index not in self.slots):
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
        total = self.value(step.args[0]) if step.args else None
        for name, entries in step.runs:
            array = self.position[name]
            if len(entries) >= LONG_RUN:
                start = total or self.lanes.constant(0.0)
                total = self.access.look_at(self, array, entries, start)
                continue
            for entry in entries:
                value = self.access.load(self, array, entry)
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
            value = OPERATIONS[op](self, node, *[self.value(a) for a in node.args])
        self.values[node.index] = value
        if node.index in self.slots:
            align = lanes.count * lanes.size
            self.do(f"store {lanes.type} {value}, ptr {self._slot(node)}, align {align}")
