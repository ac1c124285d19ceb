"""The `map` driver in native code: run a body over all states of a job, chunk by chunk.

A job is a row of 64-bit words (drivers/map.py writes it, this reads it):

    states of the inner axis | outer axes | states a chunk | chunks a row | chunks in all |
    next chunk | status (1: out of memory)
    sizes of the outer axes (MAX_AXES words)
    for each array: address | bytes between entries | bytes between states | layout | bytes along
    each outer axis (MAX_AXES words)

Threads that share a job take chunks by counting `next chunk` up atomically, so a late thread
simply does less.
"""

from ....drivers.map import ANY, ARRAY, COLUMNS, HEADER, NEXT_CHUNK, READY, ROWS, SIZES, STATUS
from ....graph.graph import size
from .job import TAKE_CHUNK, lines, scratch, word
from .rows import define_load, define_store

STAGE_BLOCKS, STAGE_BYTES = 4, 32768
AHEAD_BYTES = 8192
NEAR_BYTES = 16 << 20  # of a job: what caches hold
CACHE_LINE = 64


def define_run(
    module, graph, lanes, body, frame, body_fetches, rows_body=None, linkage="", alone=False
):
    """Add `void @run(ptr job)`. If not the body, then loads and stores ask for memory early.

    `frame` is the number of vectors the bodies keep in memory of their own; `rows_body` works
    in place on whole blocks of states that follow each other in memory; `alone`: one thread at a
    time runs it.
    """
    entries, vector = [size(shape) for shape in graph.shapes], lanes.count * lanes.size
    inputs, outputs = entries[: len(graph.inputs)], entries[len(graph.inputs) :]
    # How many blocks are moved at once: long runs along memory, but all within the first cache.
    stage = max(1, min(STAGE_BLOCKS, STAGE_BYTES // (sum(entries) * vector)))
    for count in sorted(set(inputs)):
        define_load(module, f"load_{count}", lanes, count, 0 if body_fetches else stage)
    for count in sorted(set(outputs)):
        define_store(module, f"store_{count}", lanes, count, 0 if body_fetches else stage)
    module.declare("declare i64 @llvm.umin.i64(i64, i64)")
    run = _Run(lanes, entries, len(inputs), stage, frame, body_fetches, alone)
    module.define("run", run.text(module, body, rows_body, linkage))


class _Run:
    """The pieces of `@run`, most of them repeated for each array k."""

    def __init__(self, lanes, entries, inputs, stage, frame, fetches, alone):
        self.lanes, self.entries, self.inputs = lanes, entries, inputs
        self.stage, self.frame, self.fetches, self.alone = stage, frame, fetches, alone
        self.vector = lanes.count * lanes.size
        # How many blocks ahead memory is asked for: more would push the present ones out.
        self.ahead = max(1, AHEAD_BYTES // (sum(entries) * self.vector))

    def each(self, piece, first=0, last=None):
        return "\n".join(
            piece(k) for k in range(first, len(self.entries) if last is None else last)
        )

    def text(self, module, body, rows_body, linkage):
        header = ("states", "axes", "chunk", "per.row", "chunks")
        size_ = (self.stage * sum(self.entries) + self.frame) * self.vector
        given = module, size_, self.vector, STATUS, "done"
        start, end = scratch(*given, own=not linkage, alone=self.alone)
        whole = f"udiv i64 %here.all, {self.lanes.count}" if rows_body else "add i64 0, 0"
        straight, straight_exit = self._straight(rows_body)
        return f"""
define {linkage} void @run(ptr %job) nounwind {{
entry:
{self.each(self._pointers)}
{lines(word(name, k) for k, name in enumerate(header))}
  %counter = getelementptr i64, ptr %job, i64 {NEXT_CHUNK}
  %sizes = getelementptr i64, ptr %job, i64 {SIZES}
{self.each(self._array_words)}
{start}
{self.each(self._block)}
{self.each(self._lines_ahead)}
  %bytes = mul i64 %states, {sum(self.entries) * self.lanes.size}
  %far = icmp ugt i64 %bytes, {NEAR_BYTES}
{self.each(self._is_packed)}
  %packed.all = and i1 %packed.to{len(self.entries) - 1}, true
{self.each(self._prepare, last=self.inputs)}
  br label %take

{TAKE_CHUNK}
{self.each(self._start_of_chunk)}
  br label %axis
axis: ; split the outer index into one index an axis, innermost first
  %left = phi i64 [ %outer, %locate ], [ %left.next, %along ]
  %d = phi i64 [ %axes, %locate ], [ %d.next, %along ]
  %axes.left = icmp ne i64 %d, 0
  br i1 %axes.left, label %along, label %located
along:
  %d.next = sub i64 %d, 1
  %size.at = getelementptr i64, ptr %sizes, i64 %d.next
  %size = load i64, ptr %size.at, align 8
  %index = urem i64 %left, %size
  %left.next = udiv i64 %left, %size
{self.each(self._along_axis)}
  br label %axis
located:
{self.each(self._begin)}
  %here.all = sub i64 %last, %first
  %whole = {whole}
  %any.whole = icmp ugt i64 %whole, 0
  %in.place = and i1 %any.whole, %packed.all
  br i1 %in.place, label %straight, label %block

{straight}
block:
  %i = phi i64 [ %first, %located ], {straight_exit}, [ %i.next, %stored ]
  %remaining = sub i64 %last, %i
  %count = call i64 @llvm.umin.i64(i64 %remaining, i64 {self.stage * self.lanes.count})
{self.each(lambda k: f"  %here{k} = load ptr, ptr %base{k}, align 8")}
{self.each(self._move("load"), last=self.inputs)}
  br label %loaded
loaded:
  br label %compute
compute:
  %b = phi i64 [ 0, %loaded ], [ %b.next, %compute ]
{self.each(self._one_block)}
  call void @{body}({self._arguments("at", "fetch", "%line{k}")})
  %b.next = add i64 %b, 1
  %b.done = mul i64 %b.next, {self.lanes.count}
  %b.more = icmp ult i64 %b.done, %count
  br i1 %b.more, label %compute, label %computed
computed:
{self.each(self._move("store"), first=self.inputs)}
  br label %stored
stored:
{self.each(self._advance)}
  %i.next = add i64 %i, {self.stage * self.lanes.count}
  %more = icmp ult i64 %i.next, %last
  br i1 %more, label %block, label %take

{end}
}}"""

    def _arguments(self, array, fetch=None, line=None):
        """What a body is called with: arrays, addresses of later blocks, its frame."""
        every = range(len(self.entries))
        arguments = [f"ptr %{array}{k}" for k in every]
        if self.fetches and fetch:
            arguments += [f"ptr %{fetch}{k}, i64 {line.format(k=k)}" for k in every]
        return ", ".join([*arguments, "ptr %memory"])

    # -- once a job ---------------------------------------------------------------------

    def _pointers(self, k):
        return f"""  %base{k} = alloca ptr, align 8
  %offset{k} = alloca i64, align 8"""

    def _array_words(self, k):
        at, names = HEADER + k * ARRAY, ("address", "column", "row", "layout")
        return lines(word(f"{name}{k}", at + j) for j, name in enumerate(names))

    def _block(self, k):
        """The scratch of array k; the frame of the bodies comes first."""
        before = self.frame + self.stage * sum(self.entries[:k])
        return f"  %block{k} = getelementptr i8, ptr %memory, i64 {before * self.vector}"

    def _lines_ahead(self, k):
        return f"""  %by.column{k} = icmp eq i64 %layout{k}, {COLUMNS}
  %line{k} = select i1 %by.column{k}, i64 %column{k}, i64 {CACHE_LINE}
  %stride{k} = mul i64 %row{k}, {self.lanes.count}"""

    def _is_packed(self, k):
        return f"""  %packed{k}.layout = icmp eq i64 %layout{k}, {ROWS}
  %packed{k}.row = icmp eq i64 %row{k}, {self.entries[k] * self.lanes.size}
  %packed{k} = and i1 %packed{k}.layout, %packed{k}.row
  %packed.to{k} = and i1 %packed{k}, {f"%packed.to{k - 1}" if k else "true"}"""

    def _prepare(self, k):
        """A state that is the same for the whole job is loaded once."""
        count = self.stage * self.lanes.count
        return f"""  %ready{k} = icmp eq i64 %layout{k}, {READY}
  br i1 %ready{k}, label %prepare{k}, label %prepared{k}
prepare{k}:
  %address{k}.p = inttoptr i64 %address{k} to ptr
  call void @load_{self.entries[k]}(ptr %address{k}.p, i64 %column{k}, i64 0, ptr %block{k}, i64 {ANY}, i64 {count})
  br label %prepared{k}
prepared{k}:"""

    # -- once a chunk -------------------------------------------------------------------

    def _start_of_chunk(self, k):
        return f"""  %start{k} = mul i64 %first, %row{k}
  store i64 %start{k}, ptr %offset{k}, align 8"""

    def _along_axis(self, k):
        return f"""  %step{k}.word = add i64 %d.next, {HEADER + k * ARRAY + 4}
  %step{k}.at = getelementptr i64, ptr %job, i64 %step{k}.word
  %step{k} = load i64, ptr %step{k}.at, align 8
  %move{k}.by = mul i64 %index, %step{k}
  %so.far{k} = load i64, ptr %offset{k}, align 8
  %now{k} = add i64 %so.far{k}, %move{k}.by
  store i64 %now{k}, ptr %offset{k}, align 8"""

    def _begin(self, k):
        return f"""  %total{k} = load i64, ptr %offset{k}, align 8
  %begin{k} = add i64 %address{k}, %total{k}
  %begin{k}.p = inttoptr i64 %begin{k} to ptr
  store ptr %begin{k}.p, ptr %base{k}, align 8"""

    def _straight(self, rows_body):
        """Whole blocks of states that follow each other in memory need no scratch."""
        if not rows_body:
            return "straight:\n  br label %block", "[ %first, %straight ]"

        def block(k):
            return f"""  %straight{k}.from = load ptr, ptr %base{k}, align 8
  %straight{k}.on = mul i64 %sb, {self.entries[k] * self.vector}
  %straight{k} = getelementptr i8, ptr %straight{k}.from, i64 %straight{k}.on
  %beyond{k} = getelementptr i8, ptr %straight{k}, i64 {self.ahead * self.entries[k] * self.vector}"""

        def rest(k):
            return f"""  %rest{k}.from = load ptr, ptr %base{k}, align 8
  %rest{k}.on = mul i64 %whole, {self.entries[k] * self.vector}
  %rest{k} = getelementptr i8, ptr %rest{k}.from, i64 %rest{k}.on
  store ptr %rest{k}, ptr %base{k}, align 8"""

        text = f"""straight:
  %sb = phi i64 [ 0, %located ], [ %sb.next, %straight.computed ]
{self.each(block)}
{self._call_rows(rows_body)}
  %sb.next = add i64 %sb, 1
  %sb.more = icmp ult i64 %sb.next, %whole
  br i1 %sb.more, label %straight, label %straight.rest
straight.rest:
  %straight.done = mul i64 %whole, {self.lanes.count}
  %straight.end = add i64 %first, %straight.done
{self.each(rest)}
  %rest = icmp ult i64 %straight.end, %last
  br i1 %rest, label %block, label %take"""
        return text, "[ %straight.end, %straight.rest ]"

    def _call_rows(self, rows_body):
        near = f"call void @{rows_body}({self._arguments('straight')})"
        if not self.fetches:
            return f"  {near}\n  br label %straight.computed\nstraight.computed:"
        far = f"call void @{rows_body}_far({self._arguments('straight', 'beyond', '0')})"
        return f"""  br i1 %far, label %straight.far, label %straight.near
straight.far:
  {far}
  br label %straight.computed
straight.near:
  {near}
  br label %straight.computed
straight.computed:"""

    # -- once a few blocks --------------------------------------------------------------

    def _move(self, what):
        """Fill or empty the blocks of an array, unless they are ready."""

        def move(k):
            return f"""  %skip{k} = icmp eq i64 %layout{k}, {READY}
  br i1 %skip{k}, label %moved{k}, label %move{k}
move{k}:
  call void @{what}_{self.entries[k]}(ptr %here{k}, i64 %column{k}, i64 %row{k}, ptr %block{k}, i64 %layout{k}, i64 %count)
  br label %moved{k}
moved{k}:"""

        return move

    def _one_block(self, k):
        return f"""  %inside{k} = mul i64 %b, {self.entries[k] * self.vector}
  %at{k} = getelementptr i8, ptr %block{k}, i64 %inside{k}
  %fetch{k}.block = add i64 %b, {self.stage}
  %fetch{k}.on = mul i64 %fetch{k}.block, %stride{k}
  %fetch{k} = getelementptr i8, ptr %here{k}, i64 %fetch{k}.on"""

    def _advance(self, k):
        return f"""  %old{k} = load ptr, ptr %base{k}, align 8
  %on{k} = mul i64 %row{k}, {self.stage * self.lanes.count}
  %new{k} = getelementptr i8, ptr %old{k}, i64 %on{k}
  store ptr %new{k}, ptr %base{k}, align 8"""
