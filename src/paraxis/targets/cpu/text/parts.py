"""The parts of a graph (passes/parts.py) as functions for the threads of a team."""

from collections import defaultdict

from ....graph.graph import size
from ....passes.fuse import fuse
from ....passes.parts import RECEIVED, steps
from .. import host
from . import python_entry
from .body import Blocks, Emitter, define_steps, output_steps, poison
from .lanes import SIZES, Lanes
from .module import Module
from .team import define_job, define_member, define_run, define_settled, define_waiting, wait_text

LINE, STAMP = 64, 8  # bytes of a line, and of the stamp it begins with


def room(element):
    """How many values a line holds."""
    return (LINE - STAMP) // SIZES[element]


def assembly_source(graph, parts, lines, element, with_entry=True):
    """The whole LLVM module of a kernel of several threads, as text; `lines` is their number."""
    module, lanes = Module(), Lanes(element, 1, host.has_fma())
    if lanes.fused:
        parts = [part.with_graph(fuse(part.graph)) for part in parts]
    define_waiting(module)
    module.define(
        "mail", f"@mail = internal global [{LINE * lines} x i8] zeroinitializer, align 128"
    )
    entries = [size(shape) for shape in graph.shapes]
    frames = [
        _define_part(module, f"part{k}", graph, part, row, lanes)
        for k, (part, row) in enumerate(zip(parts, steps(parts), strict=True))
    ]
    for k, frame in enumerate(frames[1:], 1):
        define_member(module, f"member{k}", f"part{k}", len(entries), frame, element)
    members = [f"member{k}" for k in range(1, len(parts))]
    define_job(module, "job", len(entries), members, "part0")
    define_run(module, "job", entries, lanes, frames[0])
    if with_entry and python_entry.has_entry(graph):
        define_settled(module, "job_if_settled", "job", len(entries))
        python_entry.define_call(module, graph, lanes, "job_if_settled", frames[0])
    return str(module)


def _define_part(module, name, graph, part, row, lanes):
    """Add `void @name(ptr array..., i64 job, ptr team, ptr frame)`; returns the frame's size."""
    shapes, inputs = graph.shapes, list(graph.inputs)
    arrays = [f"ptr %array{k}" for k in range(len(shapes))]

    def emitter(slots):
        return _PartEmitter(module, lanes, inputs, _Mail(lanes, shapes, part), slots)

    steps = _with_stores(graph, part, row, Blocks(lanes, shapes))
    parameters = [*arrays, "i64 %job", "ptr %team", "ptr %frame"]
    return define_steps(module, name, parameters, steps, emitter)


def _with_stores(graph, part, row, access):
    """The steps of a part, and the stores of its outputs, each when its value is there.

    But at the very end, and in order, where other parts store too: a line of memory belongs to
    one core at a time, and better changes hands once than with every entry.
    """
    at = {step.index: k for k, step in enumerate(row) if step.index >= 0}
    entries = LINE // access.lanes.size
    disputed, last = _disputed(graph, part, entries), len(row) - 1
    ready = defaultdict(list)
    for store in output_steps(graph, part.stored, access):
        values = (at[node.index] for node in store.args if node.op != "poison")
        late = (store.array, store.first // entries) in disputed
        ready[last if late else max(values, default=-1)].append(store)
    result = [*(poison(graph) if part.stores else ()), *ready[-1]]
    for k, step in enumerate(row):
        result.append(step)
        result += ready[k]
    return result


def _disputed(graph, part, entries):
    """(array, line) of outputs that others store into, if an array begins with a line."""
    own = {*part.stores}
    return {
        (array, entry // entries)
        for array, (name, (_, nodes)) in enumerate(graph.outputs.items(), len(graph.inputs))
        for entry in range(len(nodes))
        if (name, entry) not in own
    }


class _Mail(Blocks):
    """Arrays of one state, and after them what is received, in lines."""

    def __init__(self, lanes, shapes, part):
        super().__init__(lanes, shapes)
        self.part, self.received = part, len(shapes)

    def load(self, code, array, entry):
        if array != self.received:
            return super().load(code, array, entry)
        at = self.place(code, *self.part.receives[entry])
        return code.let(f"load {self.lanes.type}, ptr {at}, align {self.lanes.size}")

    def place(self, code, line, k):
        return code.let(
            f"getelementptr i8, ptr @mail, i64 {LINE * line + STAMP + k * self.lanes.size}"
        )

    def stamp(self, code, line):
        return code.let(f"getelementptr i8, ptr @mail, i64 {LINE * line}")


class _PartEmitter(Emitter):
    def __init__(self, module, lanes, inputs, access, slots):
        super().__init__(module, lanes, inputs, access, slots)
        self.position[RECEIVED] = access.received

    def emit(self, step):
        if step.op == "wait":
            self.wait(step)
        elif step.op == "send":
            self.send(step)
        else:
            super().emit(step)

    def wait(self, step):
        stamp, label = self.access.stamp(self, step.line), f"wait{len(self.lines)}"
        self.lines.append(wait_text(self.module, label, stamp))

    def send(self, step):
        for k, value in enumerate([self.value(a) for a in step.args]):
            at = self.access.place(self, step.line, k)
            self.do(f"store {self.lanes.type} {value}, ptr {at}, align {self.lanes.size}")
        stamp = self.access.stamp(self, step.line)
        self.do(f"store atomic i64 %job, ptr {stamp} release, align 8")
