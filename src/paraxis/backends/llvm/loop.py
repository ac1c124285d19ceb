"""The `map` driver in native code: run a body over all states of a job, chunk by chunk.

A job is a row of 64-bit words (drivers/map.py writes it, this reads it):

    states of the inner axis | outer axes | states a chunk | chunks a row | chunks in all | next chunk
    sizes of the outer axes (MAX_AXES words)
    for each array: address | bytes between entries | bytes between states | way | bytes along
    each outer axis (MAX_AXES words)

Threads that share a job take chunks by counting `next chunk` up atomically, so a late thread
simply does less.
"""

from ...drivers.map import ANY, ARRAY, COLUMNS, HEADER, READY, ROWS
from ...graph.graph import size
from .rows import define_load, define_store

STAGE_BLOCKS, STAGE_BYTES = 4, 32768
CACHE_LINE = 64


def define_run(module, graph, lanes, body, body_fetches, rows_body=None):
    """Add `void @run(ptr job)`. If not the body, then loads and stores ask for memory early.

    `rows_body` works in place on whole blocks of states that lie one after another.
    """
    inputs = [size(shape) for shape in graph.inputs.values()]
    outputs = [size(shape) for shape, _ in graph.outputs.values()]
    entries, vector = inputs + outputs, lanes.count * lanes.size
    # How many blocks are moved at once: long runs along memory, but all within the first cache.
    stage = max(1, min(STAGE_BLOCKS, STAGE_BYTES // (sum(entries) * vector)))
    for count in sorted(set(inputs)):
        define_load(module, f"load_{count}", lanes, count, 0 if body_fetches else stage)
    for count in sorted(set(outputs)):
        define_store(module, f"store_{count}", lanes, count, 0 if body_fetches else stage)
    arrays = range(len(entries))
    step = {k: ("load" if k < len(inputs) else "store") for k in arrays}

    def word(name, index):
        return (
            f"  %{name}.at = getelementptr i64, ptr %job, i64 {index}\n"
            f"  %{name} = load i64, ptr %{name}.at, align 8"
        )

    def each(text):
        return "\n".join(
            text(k) if callable(text) else text.format(k=k, n=stage * entries[k]) for k in arrays
        )

    def move(k):
        """Fill or empty the blocks of array k, unless they stand ready."""
        return f"""  %skip{k} = icmp eq i64 %way{k}, {READY}
  br i1 %skip{k}, label %moved{k}, label %move{k}
move{k}:
  call void @{step[k]}_{entries[k]}(ptr %here{k}, i64 %column{k}, i64 %row{k}, ptr %block{k}, i64 %way{k}, i64 %count)
  br label %moved{k}
moved{k}:"""

    def prepare(k):
        """A state that is the same for the whole job is loaded once."""
        if k >= len(inputs):
            return ""
        return f"""  %ready{k} = icmp eq i64 %way{k}, {READY}
  br i1 %ready{k}, label %prepare{k}, label %prepared{k}
prepare{k}:
  %address{k}.p = inttoptr i64 %address{k} to ptr
  call void @load_{entries[k]}(ptr %address{k}.p, i64 %column{k}, i64 0, ptr %block{k}, i64 {ANY}, i64 {stage * lanes.count})
  br label %prepared{k}
prepared{k}:"""

    def straight():
        """Whole blocks of states that lie one after another need no scratch."""
        return f"""straight:
  %sb = phi i64 [ 0, %located ], [ %sb.next, %straight ]
{
            each(
                lambda k: (
                    f'''  %straight{k}.from = load ptr, ptr %base{k}, align 8
  %straight{k}.on = mul i64 %sb, {entries[k] * vector}
  %straight{k} = getelementptr i8, ptr %straight{k}.from, i64 %straight{k}.on
  %beyond{k} = getelementptr i8, ptr %straight{k}, i64 {stage * entries[k] * vector}'''
                )
            )
        }
  call void @{rows_body}({in_place})
  %sb.next = add i64 %sb, 1
  %sb.more = icmp ult i64 %sb.next, %whole
  br i1 %sb.more, label %straight, label %straight.rest
straight.rest:
  %straight.done = mul i64 %whole, {lanes.count}
  %straight.end = add i64 %first, %straight.done
{
            each(
                lambda k: (
                    f'''  %rest{k}.from = load ptr, ptr %base{k}, align 8
  %rest{k}.on = mul i64 %whole, {entries[k] * vector}
  %rest{k} = getelementptr i8, ptr %rest{k}.from, i64 %rest{k}.on
  store ptr %rest{k}, ptr %base{k}, align 8'''
                )
            )
        }
  %rest = icmp ult i64 %straight.end, %last
  br i1 %rest, label %block, label %take"""

    def table(k):
        at = HEADER + k * ARRAY
        names = ("address", "column", "row", "way")
        return "\n".join(word(f"{name}{k}", at + j) for j, name in enumerate(names))

    blocks = ", ".join([f"ptr %at{k}" for k in arrays])
    in_place = ", ".join(f"ptr %straight{k}" for k in arrays)
    if body_fetches:
        in_place += "".join(f", ptr %beyond{k}, i64 {CACHE_LINE}" for k in arrays)
        blocks += "".join(f", ptr %fetch{k}, i64 %line{k}" for k in arrays)
    module.declare("declare i64 @llvm.umin.i64(i64, i64)")
    module.define(
        "run",
        f"""
define void @run(ptr %job) nounwind {{
entry:
{each("  %block{k} = alloca [{n} x " + lanes.type + f"], align {vector}")}
{each("  %base{k} = alloca ptr, align 8")}
{each("  %offset{k} = alloca i64, align 8")}
{word("states", 0)}
{word("axes", 1)}
{word("chunk", 2)}
{word("per.row", 3)}
{word("chunks", 4)}
  %counter = getelementptr i64, ptr %job, i64 5
  %sizes = getelementptr i64, ptr %job, i64 6
{each(table)}
{
            each(
                lambda k: (
                    f'''  %by.column{k} = icmp eq i64 %way{k}, {COLUMNS}
  %line{k} = select i1 %by.column{k}, i64 %column{k}, i64 {CACHE_LINE}
  %stride{k} = mul i64 %row{k}, {lanes.count}'''
                )
            )
        }
{
            each(
                lambda k: (
                    f'''  %packed{k}.way = icmp eq i64 %way{k}, {ROWS}
  %packed{k}.row = icmp eq i64 %row{k}, {entries[k] * lanes.size}
  %packed{k} = and i1 %packed{k}.way, %packed{k}.row
  %packed.to{k} = and i1 %packed{k}, {f"%packed.to{k - 1}" if k else "true"}'''
                )
            )
        }
  %packed.all = and i1 %packed.to{len(entries) - 1}, true
{each(prepare)}
  br label %take

take:
  %c = atomicrmw add ptr %counter, i64 1 monotonic, align 8
  %some = icmp ult i64 %c, %chunks
  br i1 %some, label %locate, label %done
locate:
  %outer = udiv i64 %c, %per.row
  %k = urem i64 %c, %per.row
  %first = mul i64 %k, %chunk
  %past = add i64 %first, %chunk
  %last = call i64 @llvm.umin.i64(i64 %past, i64 %states)
{
            each(
                "  %start{k} = mul i64 %first, %row{k}"
                + chr(10)
                + "  store i64 %start{k}, ptr %offset{k}, align 8"
            )
        }
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
{
            each(
                lambda k: (
                    f'''  %step{k}.word = add i64 %d.next, {HEADER + k * ARRAY + 4}
  %step{k}.at = getelementptr i64, ptr %job, i64 %step{k}.word
  %step{k} = load i64, ptr %step{k}.at, align 8
  %move{k}.by = mul i64 %index, %step{k}
  %so.far{k} = load i64, ptr %offset{k}, align 8
  %now{k} = add i64 %so.far{k}, %move{k}.by
  store i64 %now{k}, ptr %offset{k}, align 8'''
                )
            )
        }
  br label %axis
located:
{
            each(
                lambda k: (
                    f'''  %total{k} = load i64, ptr %offset{k}, align 8
  %begin{k} = add i64 %address{k}, %total{k}
  %begin{k}.p = inttoptr i64 %begin{k} to ptr
  store ptr %begin{k}.p, ptr %base{k}, align 8'''
                )
            )
        }
  %here.all = sub i64 %last, %first
  %whole = {f"udiv i64 %here.all, {lanes.count}" if rows_body else "add i64 0, 0"}
  %any.whole = icmp ugt i64 %whole, 0
  %in.place = and i1 %any.whole, %packed.all
  br i1 %in.place, label %straight, label %block
{straight() if rows_body else "straight:" + chr(10) + "  br label %block"}
block:
  %i = phi i64 [ %first, %located ], {
            "[ %straight.end, %straight.rest ]" if rows_body else "[ %first, %straight ]"
        }, [ %i.next, %stored ]
  %remaining = sub i64 %last, %i
  %count = call i64 @llvm.umin.i64(i64 %remaining, i64 {stage * lanes.count})
{each("  %here{k} = load ptr, ptr %base{k}, align 8")}
{chr(10).join(move(k) for k in range(len(inputs)))}
  br label %loaded
loaded:
  br label %compute
compute:
  %b = phi i64 [ 0, %loaded ], [ %b.next, %compute ]
{
            each(
                lambda k: (
                    f'''  %inside{k} = mul i64 %b, {entries[k] * vector}
  %at{k} = getelementptr i8, ptr %block{k}, i64 %inside{k}
  %fetch{k}.block = add i64 %b, {stage}
  %fetch{k}.on = mul i64 %fetch{k}.block, %stride{k}
  %fetch{k} = getelementptr i8, ptr %here{k}, i64 %fetch{k}.on'''
                )
            )
        }
  call void @{body}({blocks})
  %b.next = add i64 %b, 1
  %b.done = mul i64 %b.next, {lanes.count}
  %b.more = icmp ult i64 %b.done, %count
  br i1 %b.more, label %compute, label %computed
computed:
{chr(10).join(move(k) for k in range(len(inputs), len(entries)))}
  br label %stored
stored:
{
            each(
                lambda k: (
                    f'''  %old{k} = load ptr, ptr %base{k}, align 8
  %on{k} = mul i64 %row{k}, {stage * lanes.count}
  %new{k} = getelementptr i8, ptr %old{k}, i64 %on{k}
  store ptr %new{k}, ptr %base{k}, align 8'''
                )
            )
        }
  %i.next = add i64 %i, {stage * lanes.count}
  %more = icmp ult i64 %i.next, %last
  br i1 %more, label %block, label %take

done:
  ret void
}}""",
    )
