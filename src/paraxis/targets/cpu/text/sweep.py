"""A body along rows of elements, in native code: all steps of a group of lanes together.

A job is a row of 64-bit words:

    groups | groups a chunk | chunks | next chunk | status (1: out of memory) | steps
    for each array of the body: address | bytes between groups | between steps | between lanes |
    between entries

A lane is a row of its own; a group is as many as a register holds. The groups of a chunk take each
step one after the other, so that one computes while another waits for its own results. An array
that is carried is an input and an output at one address, with no bytes between its steps: a body
reads all its inputs before it writes.
"""

from ....drivers.sweep import APART, COLUMN, PAIRS, SAME, TILE
from ....graph.graph import size
from .body import Emitter, define_steps, with_stores
from .job import lines, scratch, word
from .rows import request

GROUPS, CHUNK, CHUNKS, NEXT_CHUNK, STATUS, STEPS = range(6)
HEADER, ARRAY = 6, 5
STEP = 2  # word of an array
STEPS_AHEAD = 16  # of vectors: two cache lines


class Access:
    """Where a body finds the entries of its arrays."""

    line = None

    def __init__(self, lanes, shapes, layouts):
        self.lanes, self.layouts, self.vector = lanes, layouts, lanes.count * lanes.size
        self.entries = [size(shape) for shape in shapes]

    def load(self, code, array, entry):
        layout, at = self.layouts[array], self._entry(code, array, entry)
        if self.lanes.count == 1 or layout == TILE:
            return self._whole(code, at, self.vector)
        if layout == COLUMN:
            return self._whole(code, at, self.lanes.size)
        if layout == PAIRS:
            return self._every_other(code, at)
        if layout == SAME:
            return self._splat(code, at)
        vector = "poison"
        for lane, place in enumerate(self._lanes(code, array, at)):
            one = code.let(f"load {self.lanes.element}, ptr {place}, align {self.lanes.size}")
            vector = self._with_lane(code, vector, one, lane)
        return vector

    def store(self, code, array, entry, values):
        lanes, layout, at = self.lanes, self.layouts[array], self._entry(code, array, entry)
        if lanes.count == 1 or layout in (TILE, COLUMN):
            align = self.vector if layout == TILE else lanes.size
            code.do(f"store {lanes.type} {values[0]}, ptr {at}, align {align}")
            return
        for lane, place in enumerate(self._lanes(code, array, at)):
            one = code.let(f"extractelement {lanes.type} {values[0]}, i32 {lane}")
            code.do(f"store {lanes.element} {one}, ptr {place}, align {lanes.size}")

    def parts(self, array):
        """(first entry, entries, lines of code) of what is stored at once."""
        return [(entry, 1, 2) for entry in range(self.entries[array])]

    def clear(self, code, array, first, entries):
        for entry in range(first, first + entries):
            self.store(code, array, entry, [self.lanes.constant(0.0)])

    def _entry(self, code, array, entry):
        if self.layouts[array] in (TILE, SAME):
            apart = self.vector if self.layouts[array] == TILE else self.lanes.size
            return code.let(f"getelementptr i8, ptr %array{array}, i64 {entry * apart}")
        offset = code.let(f"mul i64 %entry{array}, {entry}")
        return code.let(f"getelementptr i8, ptr %array{array}, i64 {offset}")

    def _lanes(self, code, array, at):
        yield at
        for _ in range(1, self.lanes.count):
            at = code.let(f"getelementptr i8, ptr {at}, i64 %lane{array}")
            yield at

    def _whole(self, code, at, align):
        return code.let(f"load {self.lanes.type}, ptr {at}, align {align}")

    def _every_other(self, code, at):
        beyond = code.let(f"getelementptr i8, ptr {at}, i64 {self.vector}")
        near, far = (self._whole(code, place, self.lanes.size) for place in (at, beyond))
        return code.shuffle(self.lanes.type, near, far, range(0, 2 * self.lanes.count, 2))

    def _splat(self, code, at):
        one = code.let(f"load {self.lanes.element}, ptr {at}, align {self.lanes.size}")
        start = self._with_lane(code, "poison", one, 0)
        return code.shuffle(self.lanes.type, start, "poison", [0] * self.lanes.count)

    def _with_lane(self, code, vector, one, lane):
        lanes = self.lanes
        return code.let(f"insertelement {lanes.type} {vector}, {lanes.element} {one}, i32 {lane}")


def define_sweep(module, graph, order, lanes, layouts):
    """Add `void @sweep(ptr job)`; `layouts` are those of the lanes of each array, inputs first."""
    arrays, inputs = range(len(graph.shapes)), len(graph.inputs)
    parameters = [f"ptr %array{k}, i64 %lane{k}, i64 %entry{k}" for k in arrays]
    steps = with_stores(graph, order, Access(lanes, graph.shapes, layouts))

    def emitter(slots):
        access = Access(lanes, graph.shapes, layouts)
        return Emitter(module, lanes, list(graph.inputs), access, slots)

    frame = define_steps(module, "body", [*parameters, "ptr %frame"], steps, emitter)
    vector = lanes.count * lanes.size
    start, end = scratch(module, max(frame, 1) * vector, vector, STATUS, "done")
    words = {"groups": GROUPS, "chunk": CHUNK, "chunks": CHUNKS, "steps": STEPS}
    module.declare("declare i64 @llvm.umin.i64(i64, i64)")
    module.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
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
{lines(_ahead(k, layouts[k], size(shape), lanes, k >= inputs) for k, shape in enumerate(graph.shapes))}
  call void @body({", ".join(map(_given, arrays))}, ptr %memory)
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
    names = enumerate(("address", "group", "step", "lane", "entry"))
    pointer = f"  %base{k} = inttoptr i64 %address{k} to ptr"
    return lines([*(word(f"{name}{k}", at + j) for j, name in names), pointer])


def _given(k):
    return f"ptr %at{k}, i64 %lane{k}, i64 %entry{k}"


def _place(k):
    return f"""  %along{k} = mul i64 %g, %group{k}
  %later{k} = mul i64 %s, %step{k}
  %offset{k} = add i64 %along{k}, %later{k}
  %at{k} = getelementptr i8, ptr %base{k}, i64 %offset{k}"""


def _ahead(k, layout, entries, lanes, to_write):
    """Ask for the memory of later steps. The hardware looks ahead along a few rows, not along as
    many as there are arrays and lanes."""
    if layout == TILE:
        at = [f"  %next{k} = getelementptr i8, ptr %at{k}, i64 %step{k}"]
        return lines(
            at
            + [
                _request(f"{k}.{j}", f"%next{k}", 64 * j, to_write)
                for j in range(entries * lanes.count * lanes.size // 64)
            ]
        )
    if layout != APART:
        return ""
    text = [
        f"  %soon{k} = mul i64 %step{k}, {STEPS_AHEAD}",
        f"  %far{k}.0 = getelementptr i8, ptr %at{k}, i64 %soon{k}",
    ]
    for lane in range(lanes.count):
        if lane:
            text.append(
                f"  %far{k}.{lane} = getelementptr i8, ptr %far{k}.{lane - 1}, i64 %lane{k}"
            )
        text.append(request(f"%far{k}.{lane}", to_write, near=True))
    return lines(text)


def _request(tag, base, offset, to_write):
    return lines(
        [
            f"  %line{tag} = getelementptr i8, ptr {base}, i64 {offset}",
            request(f"%line{tag}", to_write, near=True),
        ]
    )
