"""The `iterate` driver in native code: all steps of a block of states, then of the next block.

A job is a row of 64-bit words:

    states | states a chunk | chunks | next chunk | status (1: out of memory) | steps | every |
    steps since the last record
    for each input, each record, and the array that says which states are done, if any:
    address | bytes between steps | bytes between states

The entries of a state are adjacent; 0 bytes between states is one state for all. Carried
arrays are read before the first step and written after the last. Threads take chunks by counting
`next chunk` up. A block whose states can be done goes on until all of them are; those that are
done earlier keep their values.

A step of several stages calls their bodies one after another, on the same blocks. Where a stage is
repeated, the inputs that it carries are the outputs that become them: a body reads before it writes,
so nothing is moved between repetitions. States whose repetitions are over do not write.
"""

from ....drivers.map import ANY, ROWS
from ....graph.graph import size
from ....passes.fuse import fuse
from ....passes.order import trig_first
from .body import Blocks, KeptBlocks, define_body
from .job import lines, scratch, word
from .rows import define_load, define_store

STATES, CHUNK, CHUNKS, NEXT_CHUNK, STATUS, STEPS, EVERY, SINCE = range(8)
HEADER, ARRAY = 8, 3
DONE = ("done",)  # the key of the block that says which states are done


def define_iterate(module, plan, lanes, row, alone=False):
    """Add `void @iterate(ptr job)`, a step of which is `row`, and the bodies that it calls.

    `alone`: one thread at a time runs it.
    """
    loop = _Iterate(module, plan, lanes, row, alone)
    loop.define_bodies()
    for count in sorted(set(loop.entries.values())):
        define_load(module, f"load_{count}", lanes, count)
        define_store(module, f"store_{count}", lanes, count)
    module.declare("declare i64 @llvm.umin.i64(i64, i64)")
    module.define("iterate", loop.text())


class _Iterate:
    """Blocks and arrays are known by ("input", name) and ("output", name); blocks of a stage that
    ends early also by ("frozen", its number)."""

    def __init__(self, module, plan, lanes, row, alone):
        self.module, self.plan, self.lanes, self.links = module, plan, lanes, row.links
        self.alone = alone
        self.vector = lanes.count * lanes.size
        self.inputs = [("input", name) for name in plan.inputs]
        self.outputs = [("output", name) for name in plan.outputs]
        self.carry = {("input", x): ("output", y) for x, y in plan.carry.items()}
        self.records = [("input" if x in plan.carry else "output", x) for x in plan.record]
        self.done = [DONE] if plan.until else []
        # A carried input and the output that becomes it share a block: a body reads all its inputs
        # before it writes. But a state that may be done by then must find its old values again.
        self.shared = (
            {} if plan.until else {y: x for x, y in self.carry.items() if self._fits(x, y)}
        )
        self.entries = {key: size(plan.inputs[key[1]]) for key in self.inputs}
        for key in self.outputs:
            if key not in self.shared:
                self.entries[key] = size(plan.outputs[key[1]])
        self.entries |= dict.fromkeys(self.done, 1)
        self.entries |= {("frozen", k): 1 for k, link in enumerate(self.links) if link.until}
        self.blocks = list(self.entries)
        several = len(self.links) > 1
        self.bodies = [f"body{k}" if several else "body" for k in range(len(self.links))]

    def _fits(self, old, new):
        """Whether an output may be written where an input of the step is."""
        _, name = new
        maker = next(k for k, link in enumerate(self.links) if name in link.graph.outputs)
        if any(old in link.reads.values() for link in self.links[maker + 1 :]):
            return False
        link = self.links[maker]
        read_as = {key: x for x, key in link.reads.items()}.get(old)
        return not link.repeated or read_as is None or link.carry.get(read_as) == name

    def define_bodies(self):
        """Add the bodies; they share a frame, of so many vectors as the largest needs."""
        self.frame, alone = 0, len(self.links) == 1 and not self.links[0].repeated
        for k, link in enumerate(self.links):
            graph, overlapping = fuse(link.graph) if self.lanes.fused else link.graph, None
            if not alone:
                written = {self.block(("output", name)) for name in graph.outputs}
                overlapping = {x for x in graph.inputs if self._read(link, x) in written}
            access = KeptBlocks if link.until else Blocks
            given = self.module, self.bodies[k], graph, trig_first(graph), self.lanes, access
            self.frame = max(self.frame, define_body(*given, overlapping=overlapping))

    def block(self, key):
        """The number of the block that holds an input or an output."""
        return self.blocks.index(self.shared.get(key, key))

    def _read(self, link, name):
        """The number of the block that a stage reads as this input."""
        carried = link.carry.get(name)
        return self.block(link.reads[name] if carried is None else ("output", carried))

    def text(self):
        plan, lanes, first_record = self.plan, self.lanes, len(self.inputs)
        words = {"states": STATES, "chunk": CHUNK, "chunks": CHUNKS}
        words |= {"steps": STEPS, "every": EVERY, "since.last": SINCE}
        size_ = (self.frame + sum(self.entries.values())) * self.vector
        given = self.module, size_, self.vector, STATUS, "finish"
        start, end = scratch(*given, alone=self.alone)
        arrays = [*self.inputs, *self.records, *self.done]
        at = {key: k for k, key in enumerate(self.inputs)}
        at |= dict.fromkeys(self.done, len(arrays) - 1)
        streamed = [("input", name) for name in plan.per_step]
        held = [key for key in (*self.inputs, *self.done) if key not in streamed]
        return f"""
define void @iterate(ptr %job) nounwind {{
entry:
{lines(word(name, k) for name, k in words.items())}
  %counter = getelementptr i64, ptr %job, i64 {NEXT_CHUNK}
{lines(self._array_words(k) for k in range(len(arrays)))}
{start}
{lines(self._block(k) for k in range(len(self.blocks)))}
  br label %take

take:
  %c = atomicrmw add ptr %counter, i64 1 monotonic, align 8
  %some = icmp ult i64 %c, %chunks
  br i1 %some, label %begin, label %finish
begin:
  %first = mul i64 %c, %chunk
  %past = add i64 %first, %chunk
  %last = call i64 @llvm.umin.i64(i64 %past, i64 %states)
  br label %block
block: ; one vector of states
  %i = phi i64 [ %first, %begin ], [ %i.next, %next ]
  %remaining = sub i64 %last, %i
  %count = call i64 @llvm.umin.i64(i64 %remaining, i64 {lanes.count})
{lines(self._move("load", key, at[key], "0") for key in held)}
  br label %step
step:
  %s = phi i64 [ 0, %block ], [ %s.next, %again ]
  %since.before = phi i64 [ %since.last, %block ], [ %since.next, %again ]
  %r = phi i64 [ 0, %block ], [ %r.next, %again ]
  %since = add i64 %since.before, 1
{lines(self._move("load", key, at[key], "%s") for key in streamed)}
{lines(self._stage(k) for k in range(len(self.links)))}
{self._carried()}  %recorded = icmp eq i64 %since, %every
  br i1 %recorded, label %record, label %counted
record:
{lines(self._move("store", key, k, "%r") for k, key in enumerate(self.records, first_record))}
  br label %counted
counted:
  %since.next = select i1 %recorded, i64 0, i64 %since
  %r.up = add i64 %r, 1
  %r.next = select i1 %recorded, i64 %r.up, i64 %r
{self._until() if plan.until else "  br label %again"}
again:
  %s.next = add i64 %s, 1
  %more.steps = icmp ult i64 %s.next, %steps
  br i1 %more.steps, label %step, label %over
over:
{lines(self._move("store", key, at[key], "0") for key in (*self.carry, *self.done))}
  br label %next
next:
  %i.next = add i64 %i, {lanes.count}
  %more = icmp ult i64 %i.next, %last
  br i1 %more, label %block, label %take

{end}
}}"""

    def _stage(self, k):
        """Do what a stage does: call its body, once or again and again."""
        link = self.links[k]
        blocks = [self._read(link, name) for name in link.graph.inputs]
        blocks += [self.block(("output", name)) for name in link.graph.outputs]
        blocks += [self.block(("frozen", k))] if link.until else []
        arguments = [*(f"ptr %block{block}" for block in blocks), "ptr %memory"]
        call = f"  call void @{self.bodies[k]}({', '.join(arguments)})"
        if not link.repeated:
            return call
        first = [
            self._copy(link.reads[name], ("output", output)) for name, output in link.carry.items()
        ]
        go_on = f"  br label %stage{k}.more"
        if link.until:
            first.append(self._freeze(k, self.lanes.constant(0.0)))
            go_on = self._unless_frozen(k, link)
        return f"""  br label %stage{k}
stage{k}:
{lines(filter(None, first))}
  br label %stage{k}.repeat
stage{k}.repeat:
  %repetition{k} = phi i64 [ 0, %stage{k} ], [ %repetition{k}.next, %stage{k}.more ]
{call}
{go_on}
stage{k}.more:
  %repetition{k}.next = add i64 %repetition{k}, 1
  %repetition{k}.some = icmp ult i64 %repetition{k}.next, {link.stage.repeat}
  br i1 %repetition{k}.some, label %stage{k}.repeat, label %stage{k}.over
stage{k}.over:"""

    def _unless_frozen(self, k, link):
        """Freeze the states that are to stop; go on unless all are."""
        lanes, bits = self.lanes, f"i{self.lanes.count}"
        at = self.block(("output", link.until))
        return f"""  %stop{k} = load {lanes.type}, ptr %block{at}, align {self.vector}
{self._freeze(k, f"%stop{k}")}
  %stop{k}.now = fcmp une {lanes.type} %stop{k}, {lanes.constant(0.0)}
  %stop{k}.bits = bitcast {lanes.condition} %stop{k}.now to {bits}
  %stop{k}.all = icmp eq {bits} %stop{k}.bits, -1
  br i1 %stop{k}.all, label %stage{k}.over, label %stage{k}.more"""

    def _freeze(self, k, value):
        at = self.block(("frozen", k))
        return f"  store {self.lanes.type} {value}, ptr %block{at}, align {self.vector}"

    def _carried(self):
        """Move what is carried, where it is not in its block already."""
        if self.plan.until:  # then it depends on the state
            return ""
        moves = (self._copy(new, old) for old, new in self.carry.items())
        return "".join(f"{move}\n" for move in moves if move)

    def _copy(self, source, into):
        """Copy a block; nothing if it is the same one."""
        here, there = self.block(source), self.block(into)
        if here == there:
            return ""
        self.module.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        bytes_ = self.entries[self.blocks[here]] * self.vector
        places = f"ptr align {self.vector} %block{there}, ptr align {self.vector} %block{here}"
        return f"  call void @llvm.memcpy.p0.p0.i64({places}, i64 {bytes_}, i1 false)"

    def _block(self, k):
        before = self.frame + sum(self.entries[key] for key in self.blocks[:k])
        return f"  %block{k} = getelementptr i8, ptr %memory, i64 {before * self.vector}"

    def _array_words(self, k):
        at = HEADER + k * ARRAY
        words = enumerate(("address", "step", "row"))
        pointer = f"  %base{k} = inttoptr i64 %address{k} to ptr"
        return lines([*(word(f"{name}{k}", at + j) for j, name in words), pointer])

    def _move(self, what, key, k, step):
        """Fill the block of array k, or empty it, at a step."""
        entries, tag = self.entries[self.shared.get(key, key)], f"{what}{k}"
        layout = f"select i1 %{tag}.same, i64 {ANY}, i64 {ROWS}"
        return f"""  %{tag}.on = mul i64 %i, %row{k}
  %{tag}.later = mul i64 {step}, %step{k}
  %{tag}.offset = add i64 %{tag}.on, %{tag}.later
  %{tag}.at = getelementptr i8, ptr %base{k}, i64 %{tag}.offset
  %{tag}.same = icmp eq i64 %row{k}, 0
  %{tag}.layout = {layout}
  call void @{what}_{entries}(ptr %{tag}.at, i64 {self.lanes.size}, i64 %row{k}, ptr %block{self.block(key)}, i64 %{tag}.layout, i64 %count)"""

    def _until(self):
        """Carry the states that were not done before this step; stop when all are."""
        lanes, bits = self.lanes, f"i{self.lanes.count}"
        pairs = [*self.carry.items(), (DONE, ("output", self.plan.until))]
        kept = [
            self._keep(old, new, entry) for old, new in pairs for entry in range(self.entries[old])
        ]
        done = f"%kept{self.block(DONE)}.0"
        return f"""  %done.before = load {lanes.type}, ptr %block{self.block(DONE)}, align {self.vector}
  %frozen = fcmp une {lanes.type} %done.before, {lanes.constant(0.0)}
{lines(kept)}
  %done.now = fcmp une {lanes.type} {done}, {lanes.constant(0.0)}
  %done.bits = bitcast {lanes.condition} %done.now to {bits}
  %all.done = icmp eq {bits} %done.bits, -1
  br i1 %all.done, label %over, label %again"""

    def _keep(self, old, new, entry):
        """Move an entry from the block of an output to that of its input, in lanes not frozen."""
        type_, into, offset = self.lanes.type, self.block(old), entry * self.vector
        tag = f"{into}.{entry}"
        return f"""  %into{tag} = getelementptr i8, ptr %block{into}, i64 {offset}
  %from{tag} = getelementptr i8, ptr %block{self.block(new)}, i64 {offset}
  %old{tag} = load {type_}, ptr %into{tag}, align {self.vector}
  %new{tag} = load {type_}, ptr %from{tag}, align {self.vector}
  %kept{tag} = select {self.lanes.condition} %frozen, {type_} %old{tag}, {type_} %new{tag}
  store {type_} %kept{tag}, ptr %into{tag}, align {self.vector}"""
