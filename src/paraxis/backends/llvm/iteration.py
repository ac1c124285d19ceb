"""The `iterate` driver in native code: all steps of a block of states, then of the next block.

A job is a row of 64-bit words:

    states | states a chunk | chunks | next chunk | status (1: out of memory) | steps | every
    for each input, then each record: address | bytes between steps | bytes between states

The entries of a state lie side by side; 0 bytes between states is one state for all. Carried
arrays are read before the first step and written after the last. Threads take chunks by counting
`next chunk` up.
"""

from ...drivers.map import ANY, ROWS
from ...graph.graph import size
from .rows import define_load, define_store

STATES, CHUNK, CHUNKS, NEXT_CHUNK, STATUS, STEPS, EVERY = range(7)
HEADER, ARRAY = 7, 3
MOST_STACK = 65536  # bytes of scratch on the stack of whichever thread calls


def define_iterate(module, plan, lanes, body, frame):
    """Add `void @iterate(ptr job)`, which calls `body` (with blocks) for each step."""
    for count in sorted({size(shape) for shape in plan.inputs.values()}):
        define_load(module, f"load_{count}", lanes, count)
    written = {size(plan.inputs[name]) for name in plan.carry}
    for count in sorted(written | {size(plan.shape_of(name)) for name in plan.record}):
        define_store(module, f"store_{count}", lanes, count)
    module.declare("declare i64 @llvm.umin.i64(i64, i64)")
    module.define("iterate", _Iterate(module, plan, lanes, body, frame).text())


class _Iterate:
    def __init__(self, module, plan, lanes, body, frame):
        self.module, self.plan, self.lanes, self.body, self.frame = (
            module,
            plan,
            lanes,
            body,
            frame,
        )
        self.vector = lanes.count * lanes.size
        self.inputs = list(plan.inputs)
        self.arrays = [*self.inputs, *plan.record]
        # A carried input and the output that becomes it share a block: a body reads all its inputs
        # before it writes.
        self.blocks = [*self.inputs, *(o for o in plan.outputs if o not in plan.places)]
        self.entries = {name: size(plan.inputs[name]) for name in self.inputs}
        self.entries |= {name: size(plan.outputs[name]) for name in self.blocks[len(self.inputs) :]}

    def block(self, name):
        """The number of the block that holds an input or an output."""
        return self.blocks.index(self.plan.places.get(name, name))

    def text(self):
        plan, lanes = self.plan, self.lanes
        words = {"states": STATES, "chunk": CHUNK, "chunks": CHUNKS, "steps": STEPS, "every": EVERY}
        start, end = self._memory()
        arguments = [f"ptr %block{self.block(name)}" for name in (*self.inputs, *plan.outputs)]
        held = [name for name in self.inputs if name not in plan.per_step]
        return f"""
define void @iterate(ptr %job) nounwind {{
entry:
{_lines(_word(name, k) for name, k in words.items())}
  %counter = getelementptr i64, ptr %job, i64 {NEXT_CHUNK}
{_lines(self._array_words(k) for k in range(len(self.arrays)))}
{start}
{_lines(self._block(k) for k in range(len(self.blocks)))}
  br label %take

take:
  %c = atomicrmw add ptr %counter, i64 1 monotonic, align 8
  %some = icmp ult i64 %c, %chunks
  br i1 %some, label %begin, label %done
begin:
  %first = mul i64 %c, %chunk
  %past = add i64 %first, %chunk
  %last = call i64 @llvm.umin.i64(i64 %past, i64 %states)
  br label %block
block: ; one vector of states
  %i = phi i64 [ %first, %begin ], [ %i.next, %next ]
  %remaining = sub i64 %last, %i
  %count = call i64 @llvm.umin.i64(i64 %remaining, i64 {lanes.count})
{_lines(self._move("load", name, self.inputs.index(name), "0") for name in held)}
  br label %step
step:
  %s = phi i64 [ 0, %block ], [ %s.next, %again ]
  %since = phi i64 [ 1, %block ], [ %since.next, %again ]
  %r = phi i64 [ 0, %block ], [ %r.next, %again ]
{_lines(self._move("load", name, self.inputs.index(name), "%s") for name in plan.per_step)}
  call void @{self.body}({", ".join(arguments)}, ptr %memory)
  %recorded = icmp eq i64 %since, %every
  br i1 %recorded, label %record, label %counted
record:
{_lines(self._move("store", name, len(self.inputs) + k, "%r") for k, name in enumerate(plan.record))}
  br label %counted
counted:
  %since.up = add i64 %since, 1
  %since.next = select i1 %recorded, i64 1, i64 %since.up
  %r.up = add i64 %r, 1
  %r.next = select i1 %recorded, i64 %r.up, i64 %r
{self._until()}
again:
  %s.next = add i64 %s, 1
  %more.steps = icmp ult i64 %s.next, %steps
  br i1 %more.steps, label %step, label %over
over:
{_lines(self._move("store", name, self.inputs.index(name), "0") for name in plan.carry)}
  br label %next
next:
  %i.next = add i64 %i, {lanes.count}
  %more = icmp ult i64 %i.next, %last
  br i1 %more, label %block, label %take

{end}
}}"""

    def _memory(self):
        """The frame of the body and the blocks: on the stack, or from the heap when they are large."""
        bytes_ = (self.frame + sum(self.entries.values())) * self.vector
        if bytes_ <= MOST_STACK:
            return f"  %memory = alloca [{bytes_} x i8], align {self.vector}", "done:\n  ret void"
        self.module.declare("declare ptr @malloc(i64)")
        self.module.declare("declare void @free(ptr)")
        start = f"""  %raw = call ptr @malloc(i64 {bytes_ + self.vector})
  %no.memory = icmp eq ptr %raw, null
  br i1 %no.memory, label %refuse, label %ready
ready:
  %raw.address = ptrtoint ptr %raw to i64
  %raw.up = add i64 %raw.address, {self.vector - 1}
  %aligned = and i64 %raw.up, {-self.vector}
  %memory = inttoptr i64 %aligned to ptr"""
        end = f"""done:
  call void @free(ptr %raw)
  ret void
refuse:
  %status = getelementptr i64, ptr %job, i64 {STATUS}
  store atomic i64 1, ptr %status monotonic, align 8
  ret void"""
        return start, end

    def _block(self, k):
        before = self.frame + sum(self.entries[name] for name in self.blocks[:k])
        return f"  %block{k} = getelementptr i8, ptr %memory, i64 {before * self.vector}"

    def _array_words(self, k):
        at = HEADER + k * ARRAY
        words = enumerate(("address", "step", "row"))
        pointer = f"  %base{k} = inttoptr i64 %address{k} to ptr"
        return _lines([*(_word(f"{name}{k}", at + j) for j, name in words), pointer])

    def _move(self, what, name, k, step):
        """Fill the block of an array, or empty it, at a step."""
        entries, tag = self.entries[self.plan.places.get(name, name)], f"{what}.{k}.{name}"
        way = f"select i1 %{tag}.same, i64 {ANY}, i64 {ROWS}"
        return f"""  %{tag}.on = mul i64 %i, %row{k}
  %{tag}.later = mul i64 {step}, %step{k}
  %{tag}.offset = add i64 %{tag}.on, %{tag}.later
  %{tag}.at = getelementptr i8, ptr %base{k}, i64 %{tag}.offset
  %{tag}.same = icmp eq i64 %row{k}, 0
  %{tag}.way = {way}
  call void @{what}_{entries}(ptr %{tag}.at, i64 {self.lanes.size}, i64 %row{k}, ptr %block{self.block(name)}, i64 %{tag}.way, i64 %count)"""

    def _until(self):
        if self.plan.until is None:
            return "  br label %again"
        lanes, block = self.lanes, self.block(self.plan.until)
        load = f"  %until = load {lanes.type}, ptr %block{block}, align {self.vector}"
        test = f"  %lanes.done = fcmp one {lanes.type} %until, {lanes.constant(0.0)}"
        if lanes.count == 1:
            return f"{load}\n{test}\n  br i1 %lanes.done, label %over, label %again"
        bits = f"i{lanes.count}"
        return f"""{load}
{test}
  %done.bits = bitcast {lanes.condition} %lanes.done to {bits}
  %all.done = icmp eq {bits} %done.bits, -1
  br i1 %all.done, label %over, label %again"""


def _lines(parts):
    return "\n".join(parts)


def _word(name, index):
    return f"""  %{name}.at = getelementptr i64, ptr %job, i64 {index}
  %{name} = load i64, ptr %{name}.at, align 8"""
