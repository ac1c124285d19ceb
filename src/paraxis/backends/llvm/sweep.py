"""A body along rows of elements, in native code: all steps of a group of lanes together.

A job is a row of 64-bit words:

    groups | groups a chunk | chunks | next chunk | status (1: out of memory) | steps
    for each array of the body: address | bytes between groups | between steps | between lanes

A lane is a row of its own; a group is as many as a register holds. The groups of a chunk take each
step one after the other, so that one computes while another waits for its own results. An array
that is carried is an input and an output at one address, with no bytes between its steps: a body
reads all its inputs before it writes.
"""

from ...graph.graph import size
from .body import Emitter, define_steps, with_stores
from .job import lines, scratch, word

GROUPS, CHUNK, CHUNKS, NEXT_CHUNK, STATUS, STEPS = range(6)
HEADER, ARRAY = 6, 4

TILE, STRIDED, SAME = "tile", "strided", "same"  # how the lanes of an array lie


class Access:
    """TILE: entry k is a whole vector, k vectors from the start. STRIDED: each lane's entries lie
    side by side, lanes at some distance. SAME: one value for all lanes."""

    def __init__(self, lanes, shapes, ways):
        self.lanes, self.ways, self.vector = lanes, ways, lanes.count * lanes.size
        self.entries = [size(shape) for shape in shapes]

    def load(self, code, array, entry):
        lanes, element = self.lanes, self.lanes.element
        if self.ways[array] == TILE or lanes.count == 1:
            at = self._entry(code, array, entry)
            return code.let(f"load {lanes.type}, ptr {at}, align {self.vector}")
        if self.ways[array] == SAME:
            one = code.let(
                f"load {element}, ptr {self._entry(code, array, entry)}, align {lanes.size}"
            )
            start = code.let(f"insertelement {lanes.type} poison, {element} {one}, i32 0")
            zeros = f"<{lanes.count} x i32> zeroinitializer"
            return code.let(f"shufflevector {lanes.type} {start}, {lanes.type} poison, {zeros}")
        vector, at = "poison", self._entry(code, array, entry)
        for lane in range(lanes.count):
            if lane:
                at = code.let(f"getelementptr i8, ptr {at}, i64 %lane{array}")
            one = code.let(f"load {element}, ptr {at}, align {lanes.size}")
            vector = code.let(f"insertelement {lanes.type} {vector}, {element} {one}, i32 {lane}")
        return vector

    def parts(self, array):
        """(first entry, entries, lines of code) of what is stored at once."""
        return [(entry, 1, 2) for entry in range(self.entries[array])]

    def clear(self, code, array, first, entries):
        for entry in range(first, first + entries):
            self.store(code, array, entry, [self.lanes.constant(0.0)])

    def store(self, code, array, entry, values):
        lanes, element, at = self.lanes, self.lanes.element, self._entry(code, array, entry)
        if self.ways[array] == TILE or lanes.count == 1:
            code.do(f"store {lanes.type} {values[0]}, ptr {at}, align {self.vector}")
            return
        for lane in range(lanes.count):
            if lane:
                at = code.let(f"getelementptr i8, ptr {at}, i64 %lane{array}")
            one = code.let(f"extractelement {lanes.type} {values[0]}, i32 {lane}")
            code.do(f"store {element} {one}, ptr {at}, align {lanes.size}")

    def _entry(self, code, array, entry):
        apart = self.vector if self.ways[array] == TILE else self.lanes.size
        return code.let(f"getelementptr i8, ptr %array{array}, i64 {entry * apart}")


def define_sweep(module, graph, order, lanes, ways):
    """Add `void @sweep(ptr job)`; `ways` says of each array, inputs first, how its lanes lie."""
    arrays = range(len(graph.shapes))
    parameters = [f"ptr %array{k}, i64 %lane{k}" for k in arrays]
    steps = with_stores(graph, order, Access(lanes, graph.shapes, ways))

    def emitter(slots):
        access = Access(lanes, graph.shapes, ways)
        return Emitter(module, lanes, list(graph.inputs), access, slots)

    frame = define_steps(module, "body", [*parameters, "ptr %frame"], steps, emitter)
    vector = lanes.count * lanes.size
    start, end = scratch(module, max(frame, 1) * vector, vector, STATUS, "done")
    words = {"groups": GROUPS, "chunk": CHUNK, "chunks": CHUNKS, "steps": STEPS}
    module.declare("declare i64 @llvm.umin.i64(i64, i64)")
    module.define(
        "sweep",
        f"""
define void @sweep(ptr %job) nounwind {{
entry:
{lines(word(name, k) for name, k in words.items())}
  %counter = getelementptr i64, ptr %job, i64 {NEXT_CHUNK}
{lines(_array_words(k) for k in arrays)}
{start}
  br label %take
take:
  %c = atomicrmw add ptr %counter, i64 1 monotonic, align 8
  %some = icmp ult i64 %c, %chunks
  br i1 %some, label %begin, label %done
begin:
  %first = mul i64 %c, %chunk
  %past = add i64 %first, %chunk
  %last = call i64 @llvm.umin.i64(i64 %past, i64 %groups)
  br label %step
step:
  %s = phi i64 [ 0, %begin ], [ %s.next, %stepped ]
  br label %group
group:
  %g = phi i64 [ %first, %step ], [ %g.next, %group ]
{lines(_place(k) for k in arrays)}
  call void @body({", ".join(f"ptr %at{k}, i64 %apart{k}" for k in arrays)}, ptr %memory)
  %g.next = add i64 %g, 1
  %more.groups = icmp ult i64 %g.next, %last
  br i1 %more.groups, label %group, label %stepped
stepped:
  %s.next = add i64 %s, 1
  %more.steps = icmp ult i64 %s.next, %steps
  br i1 %more.steps, label %step, label %take

{end}
}}""",
    )


def _array_words(k):
    at = HEADER + k * ARRAY
    names = enumerate(("address", "group", "step", "apart"))
    pointer = f"  %base{k} = inttoptr i64 %address{k} to ptr"
    return lines([*(word(f"{name}{k}", at + j) for j, name in names), pointer])


def _place(k):
    return f"""  %along{k} = mul i64 %g, %group{k}
  %later{k} = mul i64 %s, %step{k}
  %offset{k} = add i64 %along{k}, %later{k}
  %at{k} = getelementptr i8, ptr %base{k}, i64 %offset{k}"""
