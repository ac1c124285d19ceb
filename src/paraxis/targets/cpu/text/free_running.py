"""Bodies that run freely, one thread each, without waiting and without locks.

A body goes round and round. A pass takes what it finds of the others, then looks at the clock,
computes the sample that is due, and publishes. As it looks at the clock last, nothing it found is
of a later sample than its own. Samples come one period after another, the first when the last
thread has begun; the bodies end with the last sample.

What a body publishes is a record, on a board that only it writes:

    passes begun | passes published
    ROOM records, of pass p the one at p modulo ROOM; the first entry of each is its sample

So a record is written while readers still have the ones before it. A reader that was so slow that
its record was written again finds that out from `passes begun`, and goes on with what it had: the
values of a record are all of one pass, always. Words are atomic, and ordered by two fences, as
Boehm orders a sequence lock ("Can seqlocks get along with programming language memory models?",
2012); but there is no lock, and no second try.

A job is a row of 64-bit words:

    bodies taken by threads | tick at which sample 0 comes | samples a tick (a double) | samples
    for each body the addresses of: its board | what is given, a row a sample | what it found, as
    it is at first | what it keeps, a row a sample | passes of each sample | readings overtaken
    | for each of those it reads, how often their values were how many samples old

What is kept of a sample is what the last pass left that ended before the next sample began.
"""

from dataclasses import dataclass

from ....graph.graph import Graph, size
from ....passes.fuse import fuse
from ....passes.order import trig_first
from .. import host
from .body import define_body
from .clock import define_now
from .job import lines, word
from .lanes import Lanes
from .module import Module

WORD, BLOCK = 8, 128  # bytes; a block is two lines, for some machines fetch lines in pairs
ROOM = 4  # records of a board, a power of two
TAKEN, START, RATE, SAMPLES = range(4)  # words of a job
HEADER = 4
NOT_YET = 2**63 - 1  # ticks: the first sample comes when all threads are under way
OWN = ("board", "given", "found", "kept", "passes", "overtaken", "ages")  # words of a body
BEGUN, PUBLISHED = range(2)  # words of a board


@dataclass(frozen=True)
class FreeBody:
    """A graph of `sample`, `given` and `found` that makes `kept`, and `sent` for the others.

    `found` has for each of those it reads, in order, these entries of its record.
    """

    graph: Graph
    reads: dict  # the number of another body -> entries of what it sends

    def size(self, array):
        """The entries of an array; 0 where there is none."""
        shapes = self.graph.inputs | {k: shape for k, (shape, _) in self.graph.outputs.items()}
        return size(shapes[array]) if array in shapes else 0


def board_words(body):
    return (1 + ROOM * _record_blocks(body)) * BLOCK // WORD


def _record_blocks(body):
    return -(-body.size("sent") * WORD // BLOCK)


def assembly_source(bodies):
    """The whole LLVM module, as text: `void @run(ptr job)`, which a thread for each body calls."""
    module, lanes = Module(), Lanes("double", 1, host.has_fma())
    define_now(module)
    module.declare("declare i64 @llvm.smax.i64(i64, i64)")
    module.declare("declare i64 @llvm.fptosi.sat.i64.f64(double)")
    module.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    for k, body in enumerate(bodies):
        graph = fuse(body.graph) if lanes.fused else body.graph
        frame = define_body(module, f"body{k}", graph, trig_first(graph), lanes)
        module.define(f"passes{k}", _Passes(bodies, k, frame).text())
    module.define("run", _run(len(bodies)))
    return str(module)


def _run(count):
    cases = "\n".join(f"    i64 {k}, label %body{k}" for k in range(count))
    calls = [f"body{k}:\n  call void @passes{k}(ptr %job)\n  ret void" for k in range(count)]
    return f"""
define void @run(ptr %job) nounwind {{
  %own = atomicrmw add ptr %job, i64 1 monotonic, align 8
  %last = icmp eq i64 %own, {count - 1}
  br i1 %last, label %start, label %take
start:
  %now = call i64 @now()
  %start.at = getelementptr i64, ptr %job, i64 {START}
  %begun = cmpxchg ptr %start.at, i64 {NOT_YET}, i64 %now monotonic monotonic, align 8 ; unless stopped
  br label %take
take:
  switch i64 %own, label %none [
{cases}
  ]
{lines(calls)}
none:
  ret void
}}"""


class _Passes:
    """Writes `void @passes{k}(ptr job)`: all passes of body k."""

    def __init__(self, bodies, k, frame):
        self.bodies, self.k, self.frame = bodies, k, frame
        self.body = bodies[k]
        self.senders = list(self.body.reads)

    def text(self):
        body = self.body
        arrays = {"sample": "%sample.at", "given": "%row", "found": "%found"}
        arrays |= {"kept": "%keep", "sent": "%send"}
        names = [*body.graph.inputs, *body.graph.outputs]
        arguments = ", ".join(f"ptr {arrays[name]}" for name in names)
        return f"""
define internal void @passes{self.k}(ptr %job) nounwind {{
entry:
{word("samples", SAMPLES)}
  %start.at = getelementptr i64, ptr %job, i64 {START}
  %rate.at = getelementptr i64, ptr %job, i64 {RATE}
  %rate = load double, ptr %rate.at, align 8
{lines(self._pointer(name, self.k, at) for at, name in enumerate(OWN))}
{lines(self._pointer(f"board{h}", h, OWN.index("board")) for h in self.senders)}
  %frame = alloca [{max(self.frame, 1)} x double], align 8
  %sample.at = alloca double, align 8
  %keep = alloca [{body.size("kept")} x double], align 8
  %send = alloca [{max(body.size("sent"), 1)} x double], align 8
{lines(self._memory_of(h) for h in self.senders)}
  %begun.at = getelementptr i64, ptr %board, i64 {BEGUN}
  %published.at = getelementptr i64, ptr %board, i64 {PUBLISHED}
  br label %pass
pass:
  %p = phi i64 [ 0, %entry ], [ %p.next, %ended ], [ %p.next, %log ]
  %p.next = add i64 %p, 1
{lines(self._read(h) for h in self.senders)}
{lines(self._stamp(h) for h in self.senders)}
{self._due("begin", [f"%stamp{h}.sample" for h in self.senders])}
  br i1 %begin.over, label %finish, label %compute
compute:
  %s.number = sitofp i64 %begin.sample to double
  store double %s.number, ptr %sample.at, align 8
  %row.offset = mul i64 %begin.sample, {body.size("given") * WORD}
  %row = getelementptr i8, ptr %given, i64 %row.offset
  call void @body{self.k}({arguments}, ptr %frame)
{self._publish() if body.size("sent") else ""}
{self._due("end", ["%begin.sample"])}
  br i1 %end.over, label %finish, label %ended
ended:
  br i1 %begin.early, label %pass, label %log
log:
  %kept.offset = mul i64 %end.sample, {body.size("kept") * WORD}
  %kept.at = getelementptr i8, ptr %kept, i64 %kept.offset
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %kept.at, ptr align 8 %keep, i64 {body.size("kept") * WORD}, i1 false)
{_count("passes", "%end.sample")}
{lines(self._age(j, h) for j, h in enumerate(self.senders))}
  br label %pass
finish:
  ret void
}}"""

    def _pointer(self, name, k, what):
        at = HEADER + k * len(OWN) + what
        return f"{word(f'{name}.word', at)}\n  %{name} = inttoptr i64 %{name}.word to ptr"

    @staticmethod
    def _memory_of(h):
        """The pass and the sample of what was found of another body last."""
        return f"""  %last{h}.at = alloca i64, align 8
  store i64 0, ptr %last{h}.at, align 8
  %stamp{h}.at = alloca double, align 8
  store double 0.0, ptr %stamp{h}.at, align 8"""

    def _read(self, h):
        """Copy what is needed of the last record of a board, unless it is the one known."""
        record = _record_blocks(self.bodies[h]) * BLOCK
        before = sum(len(self.body.reads[g]) for g in self.senders[: self.senders.index(h)])
        places = [0, *self.body.reads[h]]
        targets = [f"%stamp{h}.at", *(f"%to{h}.{j}" for j in range(1, len(places)))]
        loads = [
            f"""  %from{h}.{j} = getelementptr i64, ptr %record{h}, i64 {place}
  %value{h}.{j} = load atomic i64, ptr %from{h}.{j} monotonic, align 8"""
            for j, place in enumerate(places)
        ]
        addresses = [
            f"  %to{h}.{j} = getelementptr i64, ptr %found, i64 {before + j - 1}"
            for j in range(1, len(places))
        ]
        stores = [f"  store i64 %value{h}.{j}, ptr {to}, align 8" for j, to in enumerate(targets)]
        return f"""  %published{h}.at = getelementptr i64, ptr %board{h}, i64 {PUBLISHED}
  %published{h} = load atomic i64, ptr %published{h}.at acquire, align 8
  %last{h} = load i64, ptr %last{h}.at, align 8
  %known{h} = icmp eq i64 %published{h}, %last{h}
  br i1 %known{h}, label %seen{h}, label %look{h}
look{h}:
  %place{h} = and i64 %published{h}, {ROOM - 1}
  %behind{h} = mul i64 %place{h}, {record}
  %offset{h} = add i64 %behind{h}, {BLOCK}
  %record{h} = getelementptr i8, ptr %board{h}, i64 %offset{h}
{lines(loads)}
  fence acquire
  %begun{h}.at = getelementptr i64, ptr %board{h}, i64 {BEGUN}
  %begun{h} = load atomic i64, ptr %begun{h}.at monotonic, align 8
  %ahead{h} = sub i64 %begun{h}, %published{h}
  %whole{h} = icmp ult i64 %ahead{h}, {ROOM}
  br i1 %whole{h}, label %take{h}, label %lost{h}
take{h}:
{lines(addresses)}
{lines(stores)}
  store i64 %published{h}, ptr %last{h}.at, align 8
  br label %seen{h}
lost{h}:
{_count("overtaken", "0", h)}
  br label %seen{h}
seen{h}:"""

    @staticmethod
    def _stamp(h):
        """The sample of what was found of another body."""
        return f"""  %stamp{h} = load double, ptr %stamp{h}.at, align 8
  %stamp{h}.sample = fptosi double %stamp{h} to i64"""

    @staticmethod
    def _due(when, seen):
        """The sample that is due, whether the first one is still to come, whether all are over.

        It is none before those that were seen, even if the clocks of two cores differ a little.
        """
        names = [f"%{when}.whole", *(f"%{when}.{k}" for k in range(len(seen))), f"%{when}.sample"]
        steps = [
            f"  {name} = call i64 @llvm.smax.i64(i64 {before}, i64 {other})"
            for before, name, other in zip(names, names[1:], [*seen, "0"], strict=False)
        ]
        return f"""  %{when}.start = load atomic i64, ptr %start.at monotonic, align 8
  %{when}.now = call i64 @now()
  %{when}.since = sub i64 %{when}.now, %{when}.start
  %{when}.early = icmp slt i64 %{when}.since, 0
  %{when}.ticks = sitofp i64 %{when}.since to double
  %{when}.periods = fmul double %{when}.ticks, %rate
  %{when}.whole = call i64 @llvm.fptosi.sat.i64.f64(double %{when}.periods)
{lines(steps)}
  %{when}.over = icmp sge i64 %{when}.sample, %samples"""

    def _publish(self):
        stores = [
            f"""  %sent{j}.at = getelementptr i64, ptr %send, i64 {j}
  %sent{j} = load i64, ptr %sent{j}.at, align 8
  %out{j}.at = getelementptr i64, ptr %out, i64 {j}
  store atomic i64 %sent{j}, ptr %out{j}.at monotonic, align 8"""
            for j in range(self.body.size("sent"))
        ]
        return f"""  %out.place = and i64 %p.next, {ROOM - 1}
  %out.behind = mul i64 %out.place, {_record_blocks(self.body) * BLOCK}
  %out.offset = add i64 %out.behind, {BLOCK}
  %out = getelementptr i8, ptr %board, i64 %out.offset
  store atomic i64 %p.next, ptr %begun.at monotonic, align 8
  fence release
{lines(stores)}
  store atomic i64 %p.next, ptr %published.at release, align 8"""

    @staticmethod
    def _age(j, h):
        """Count the age of what was found of body h, the j-th that is read."""
        return f"""  %age{j}.of = sub i64 %begin.sample, %stamp{h}.sample
  %age{j}.row = mul i64 %samples, {j}
  %age{j} = add i64 %age{j}.row, %age{j}.of
{_count("ages", f"%age{j}", j)}"""


def _count(array, index, tag=""):
    """Add one to an entry of an array of integers."""
    name = f"{array}.count{tag}"
    return f"""  %{name}.at = getelementptr i64, ptr %{array}, i64 {index}
  %{name}.old = load i64, ptr %{name}.at, align 8
  %{name}.new = add i64 %{name}.old, 1
  store i64 %{name}.new, ptr %{name}.at, align 8"""
