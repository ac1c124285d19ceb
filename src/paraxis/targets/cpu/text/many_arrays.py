"""The `map` driver for a body of many arrays, as those of Programs whose marks are outputs.

`map.py` writes its code once for each array, and keeps what is known of each in registers: fast
for the few arrays that most bodies have, but the compiler takes four times as long for twice as
many. Here loops go over the arrays: a block of states is brought array by array into one piece of
scratch, where the body finds all of it, and the results are taken from there. Jobs are the same.
"""

from itertools import accumulate

from ....drivers.map import ANY, ARRAY, HEADER, MAX_AXES, NEXT_CHUNK, READY, SIZES, STATUS
from ....graph.graph import size
from .body import Blocks, define_body
from .job import TAKE_CHUNK, lines, scratch, word
from .rows import define_load, define_store

MANY = 128  # arrays; up to here compiling takes less than half a second, and the code is faster


class Together(Blocks):
    """All arrays one after another behind one pointer, each entry a whole vector."""

    pointers = 1

    def __init__(self, lanes, shapes):
        super().__init__(lanes, shapes)
        self.before = list(accumulate(self.entries, initial=0))

    def address(self, code, array, entry):
        offset = (self.before[array] + entry) * self.vector
        return code.let(f"getelementptr i8, ptr %array0, i64 {offset}")


def define_run_of_many(module, graph, order, lanes, linkage=""):
    """Add `void @run(ptr job)` and the body it calls."""
    frame = define_body(module, "body", graph, order, lanes, Together)
    entries, inputs = [size(shape) for shape in graph.shapes], len(graph.inputs)
    vector, movers = lanes.count * lanes.size, []
    for k, count in enumerate(entries):
        define, name = (define_load, "load") if k < inputs else (define_store, "store")
        movers.append(f"{name}_{count}")
        if not module.has(movers[-1]):
            define(module, movers[-1], lanes, count)
    places = [before * vector for before in accumulate(entries, initial=0)]
    module.declare("declare i64 @llvm.umin.i64(i64, i64)")
    module.define("places", _table("places", "i64", places[:-1]))
    module.define("movers", _table("movers", "ptr", [f"@{name}" for name in movers]))
    module.define("move", _MOVE)
    bytes_ = places[-1] + frame * vector
    start, end = scratch(module, bytes_, vector, STATUS, "done", own=not linkage)
    header = ("states", "axes", "chunk", "per.row", "chunks")
    module.define(
        "run",
        f"""
define {linkage} void @run(ptr %job) nounwind {{
entry:
  %indices = alloca [{MAX_AXES} x i64], align 8
{lines(word(name, k) for k, name in enumerate(header))}
  %counter = getelementptr i64, ptr %job, i64 {NEXT_CHUNK}
  %sizes = getelementptr i64, ptr %job, i64 {SIZES}
{start}
  %data = getelementptr i8, ptr %memory, i64 {frame * vector}
  br label %take

{TAKE_CHUNK}
  br label %axis
axis: ; split the outer index into one index an axis, innermost first
  %left = phi i64 [ %outer, %locate ], [ %left.next, %along ]
  %d = phi i64 [ %axes, %locate ], [ %d.next, %along ]
  %axes.left = icmp ne i64 %d, 0
  br i1 %axes.left, label %along, label %block
along:
  %d.next = sub i64 %d, 1
  %size.at = getelementptr i64, ptr %sizes, i64 %d.next
  %size = load i64, ptr %size.at, align 8
  %index = urem i64 %left, %size
  %left.next = udiv i64 %left, %size
  %index.at = getelementptr i64, ptr %indices, i64 %d.next
  store i64 %index, ptr %index.at, align 8
  br label %axis

block:
  %i = phi i64 [ %first, %axis ], [ %i.next, %stored ]
  %remaining = sub i64 %last, %i
  %count = call i64 @llvm.umin.i64(i64 %remaining, i64 {lanes.count})
  br label {"%fill" if inputs else "%compute"}
fill:
  %in = phi i64 [ 0, %block ], [ %in.next, %fill ]
  call void @move(ptr %job, ptr %indices, i64 %i, i64 %in, ptr %data, i64 %count)
  %in.next = add i64 %in, 1
  %in.more = icmp ult i64 %in.next, {inputs}
  br i1 %in.more, label %fill, label %compute
compute:
  call void @body(ptr %data, ptr %memory)
  br label %empty
empty:
  %out = phi i64 [ {inputs}, %compute ], [ %out.next, %empty ]
  call void @move(ptr %job, ptr %indices, i64 %i, i64 %out, ptr %data, i64 %count)
  %out.next = add i64 %out, 1
  %out.more = icmp ult i64 %out.next, {len(entries)}
  br i1 %out.more, label %empty, label %stored
stored:
  %i.next = add i64 %i, {lanes.count}
  %more = icmp ult i64 %i.next, %last
  br i1 %more, label %block, label %take

{end}
}}""",
    )


def _table(name, kind, values):
    """A constant array."""
    items = ", ".join(f"{kind} {value}" for value in values)
    return f"@{name} = internal constant [{len(values)} x {kind}] [{items}], align 8"


# A block of states from index %i on of array %k, between its place in memory and in scratch.
_MOVE = f"""
define internal void @move(ptr %job, ptr %indices, i64 %i, i64 %k, ptr %data, i64 %count) nounwind {{
entry:
  %axes.at = getelementptr i64, ptr %job, i64 1
  %axes = load i64, ptr %axes.at, align 8
  %words = mul i64 %k, {ARRAY}
  %words.from = add i64 %words, {HEADER}
  %address.at = getelementptr i64, ptr %job, i64 %words.from
  %column.at = getelementptr i64, ptr %address.at, i64 1
  %row.at = getelementptr i64, ptr %address.at, i64 2
  %layout.at = getelementptr i64, ptr %address.at, i64 3
  %steps = getelementptr i64, ptr %address.at, i64 4
  %address = load i64, ptr %address.at, align 8
  %column = load i64, ptr %column.at, align 8
  %row = load i64, ptr %row.at, align 8
  %layout.given = load i64, ptr %layout.at, align 8
  %ready = icmp eq i64 %layout.given, {READY}
  %layout = select i1 %ready, i64 {ANY}, i64 %layout.given
  %along = mul i64 %i, %row
  %start = add i64 %address, %along
  br label %axis
axis:
  %here = phi i64 [ %start, %entry ], [ %here.next, %step ]
  %d = phi i64 [ 0, %entry ], [ %d.next, %step ]
  %more = icmp ult i64 %d, %axes
  br i1 %more, label %step, label %located
step:
  %step.at = getelementptr i64, ptr %steps, i64 %d
  %bytes = load i64, ptr %step.at, align 8
  %index.at = getelementptr i64, ptr %indices, i64 %d
  %index = load i64, ptr %index.at, align 8
  %on = mul i64 %index, %bytes
  %here.next = add i64 %here, %on
  %d.next = add i64 %d, 1
  br label %axis
located:
  %array = inttoptr i64 %here to ptr
  %place.at = getelementptr i64, ptr @places, i64 %k
  %place = load i64, ptr %place.at, align 8
  %block = getelementptr i8, ptr %data, i64 %place
  %mover.at = getelementptr ptr, ptr @movers, i64 %k
  %mover = load ptr, ptr %mover.at, align 8
  call void %mover(ptr %array, i64 %column, i64 %row, ptr %block, i64 %layout, i64 %count)
  ret void
}}"""
