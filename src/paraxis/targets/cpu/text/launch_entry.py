"""Launches of CUDA kernels without the cost of Python: a CPython function, and what it calls.

`@launch(block, stream, addresses)` puts the addresses of arrays into the arguments of kernels and
makes the launches that a block of words describes:

    START ... GIVEN     the header below
    per array           PLACE among the arguments, LOW and HIGH end from its address, MASK of the
                        bits that its address must not have, PITCH and WIDTH of the teeth it is in
    per kernel          FUNCTION, BLOCKS, THREADS of a block, SHARED bytes of a block
    the arguments       64 bits each; the kernel's own are as wide

Arguments are on the stack of the caller's thread and a block is only read, so that any number of
threads may use one at once. `@call` is the same for Python: `launch(block, stream, *addresses)` of
integers. It lets go of the interpreter lock meanwhile, as a driver whose queue is full waits for
the GPU, and what the GPU waits for may be Python.
"""

from .module import Module

# words of a block
START, ARRAYS, INPUTS, ARGUMENTS, KERNELS, GIVEN = range(6)
HEADER, ARRAY, KERNEL = 6, 6, 4
PLACE, LOW, HIGH, MASK, PITCH, WIDTH = range(6)
FUNCTION, BLOCKS, THREADS, SHARED = range(4)

REFUSED = -1  # arrays overlap, are not aligned as they should be, or have no memory: not launched

CONTEXT = {  # what the entry needs of Python
    "as_word": "PyLong_AsUnsignedLongLongMask",
    "is_error": "PyErr_Occurred",
    "let_go": "PyEval_SaveThread",
    "take_back": "PyEval_RestoreThread",
    "as_object": "PyLong_FromLongLong",
}


def launch_source():
    """The module with `@launch`, `@call` and the `@context` of the latter."""
    module = Module()
    module.define("launch", _launch())
    module.define("call", _call())
    return str(module)


def _word(name, base, index, type_="i64"):
    """Load %name from a word of the memory at `base`."""
    return f"""  %{name}.at = getelementptr i64, ptr {base}, i64 {index}
  %{name} = load {type_}, ptr %{name}.at, align 8"""


def _of_array(name, k, which):
    """Load %name from the words about array `k`."""
    return f"""  %{name}.first = mul i64 {k}, {ARRAY}
  %{name}.index = add i64 %{name}.first, {which}
{_word(name, "%about.arrays", f"%{name}.index")}"""


def _of_kernel(name, which, type_="i32"):
    return f"""  %{name}.first = mul i64 %kernel, {KERNEL}
  %{name}.index = add i64 %{name}.first, {which}
{_word(name, "%about.kernels", f"%{name}.index", type_)}"""


def _ends(side, k):
    """%side.low and %side.high of array k, as addresses."""
    return f"""{_word(f"{side}.address", "%addresses", k)}
{_of_array(f"{side}.before", k, LOW)}
{_of_array(f"{side}.after", k, HIGH)}
  %{side}.low = add i64 %{side}.address, %{side}.before
  %{side}.high = add i64 %{side}.address, %{side}.after"""


def _launch():
    return f"""
define i64 @launch(ptr %block, ptr %stream, ptr %addresses) nounwind {{
entry:
{_word("start", "%block", START, "ptr")}
{_word("arrays", "%block", ARRAYS)}
{_word("inputs", "%block", INPUTS)}
{_word("arguments", "%block", ARGUMENTS)}
{_word("kernels", "%block", KERNELS)}
{_word("given", "%block", GIVEN)}
  %about.arrays = getelementptr i64, ptr %block, i64 {HEADER}
  %array.words = mul i64 %arrays, {ARRAY}
  %about.kernels = getelementptr i64, ptr %about.arrays, i64 %array.words
  %kernel.words = mul i64 %kernels, {KERNEL}
  %template = getelementptr i64, ptr %about.kernels, i64 %kernel.words
  %values = alloca i64, i64 %arguments, align 8
  %pointers = alloca ptr, i64 %arguments, align 8
  br label %fill

fill: ; the arguments, which the driver takes by where they are
  %j = phi i64 [ 0, %entry ], [ %j.next, %fill ]
{_word("value", "%template", "%j")}
  %value.here = getelementptr i64, ptr %values, i64 %j
  store i64 %value, ptr %value.here, align 8
  %pointer.here = getelementptr ptr, ptr %pointers, i64 %j
  store ptr %value.here, ptr %pointer.here, align 8
  %j.next = add i64 %j, 1
  %fill.more = icmp ult i64 %j.next, %arguments
  br i1 %fill.more, label %fill, label %place

place: ; the addresses among them
  %k = phi i64 [ 0, %fill ], [ %k.next, %place ]
  %wrong = phi i64 [ 0, %fill ], [ %wrong.next, %place ]
{_word("address", "%addresses", "%k")}
{_of_array("where", "%k", PLACE)}
{_of_array("mask", "%k", MASK)}
  %argument.at = getelementptr i64, ptr %values, i64 %where
  store i64 %address, ptr %argument.at, align 8
{_of_array("high", "%k", HIGH)}
  %askew = and i64 %address, %mask
  %is.null = icmp eq i64 %address, 0
  %has.entries = icmp ne i64 %high, 0
  %is.gone = and i1 %is.null, %has.entries
  %gone = zext i1 %is.gone to i64
  %wrong.here = or i64 %askew, %gone
  %wrong.next = or i64 %wrong, %wrong.here
  %k.next = add i64 %k, 1
  %place.more = icmp ult i64 %k.next, %arrays
  br i1 %place.more, label %place, label %placed
placed:
  %right = icmp eq i64 %wrong.next, 0
  br i1 %right, label %results, label %refused
results: ; those that the caller gave may overlap inputs, or each other
  %is.given = icmp ne i64 %given, 0
  br i1 %is.given, label %result, label %next

result:
  %r = phi i64 [ %inputs, %results ], [ %r.next, %result.done ]
  %result.more = icmp ult i64 %r, %arrays
  br i1 %result.more, label %result.ends, label %next
result.ends:
{_ends("ours", "%r")}
  br label %other
other:
  %i = phi i64 [ 0, %result.ends ], [ %i.next, %other.apart ]
  %other.more = icmp ult i64 %i, %r
  br i1 %other.more, label %other.ends, label %result.done
other.ends:
{_ends("theirs", "%i")}
  %begins = icmp ult i64 %ours.low, %theirs.high
  %ends = icmp ult i64 %theirs.low, %ours.high
  %meet = and i1 %begins, %ends
  br i1 %meet, label %teeth, label %other.apart
teeth: ; slices of one array: theirs may be in the gaps of ours
{_of_array("ours.pitch", "%r", PITCH)}
{_of_array("theirs.pitch", "%i", PITCH)}
  %has.gaps = icmp ne i64 %ours.pitch, 0
  %same.pitch = icmp eq i64 %ours.pitch, %theirs.pitch
  %comparable = and i1 %has.gaps, %same.pitch
  br i1 %comparable, label %gaps, label %refused
gaps:
{_of_array("ours.width", "%r", WIDTH)}
{_of_array("theirs.width", "%i", WIDTH)}
  %distance = sub i64 %theirs.address, %ours.address
  %remainder = srem i64 %distance, %ours.pitch
  %is.before = icmp slt i64 %remainder, 0
  %remainder.up = add i64 %remainder, %ours.pitch
  %shift = select i1 %is.before, i64 %remainder.up, i64 %remainder
  %shift.end = add i64 %shift, %theirs.width
  %after.tooth = icmp sge i64 %shift, %ours.width
  %before.next = icmp sle i64 %shift.end, %ours.pitch
  %within = and i1 %after.tooth, %before.next
  br i1 %within, label %other.apart, label %refused
other.apart:
  %i.next = add i64 %i, 1
  br label %other
result.done:
  %r.next = add i64 %r, 1
  br label %result

next: ; one kernel after another
  %kernel = phi i64 [ 0, %results ], [ 0, %result ], [ %kernel.next, %launched ]
  %kernel.more = icmp ult i64 %kernel, %kernels
  br i1 %kernel.more, label %kernel.launch, label %done
kernel.launch:
{_of_kernel("function", FUNCTION, "ptr")}
{_of_kernel("blocks", BLOCKS)}
{_of_kernel("threads", THREADS)}
{_of_kernel("shared", SHARED)}
  %result.code = call i32 %start(ptr %function, i32 %blocks, i32 1, i32 1, i32 %threads, i32 1, i32 1, i32 %shared, ptr %stream, ptr %pointers, ptr null)
  %ok = icmp eq i32 %result.code, 0
  br i1 %ok, label %launched, label %failed
launched:
  %kernel.next = add i64 %kernel, 1
  br label %next

done:
  ret i64 0
failed:
  %code = zext i32 %result.code to i64
  ret i64 %code
refused:
  ret i64 {REFUSED}
}}"""


def _call():
    context = "\n".join(_word(name, "@context", k, "ptr") for k, name in enumerate(CONTEXT))
    return f"""
@context = global [{len(CONTEXT)} x i64] zeroinitializer, align 8

define ptr @call(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) {{
entry:
{context}
  %enough = icmp ugt i64 %nargs, 2
  %no.names = icmp eq ptr %kwnames, null
  %plain = and i1 %enough, %no.names
  br i1 %plain, label %read, label %refused
read:
  %values = alloca i64, i64 %nargs, align 8
  br label %one
one:
  %k = phi i64 [ 0, %read ], [ %k.next, %kept ]
{_word("object", "%args", "%k", "ptr")}
  %value = call i64 %as_word(ptr %object)
  %suspect = icmp eq i64 %value, -1
  br i1 %suspect, label %ask, label %kept
ask:
  %error = call ptr %is_error()
  %no.error = icmp eq ptr %error, null
  br i1 %no.error, label %kept, label %raise
kept:
  %value.at = getelementptr i64, ptr %values, i64 %k
  store i64 %value, ptr %value.at, align 8
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %nargs
  br i1 %more, label %one, label %known
known:
{_word("block", "%values", 0, "ptr")}
{_word("stream", "%values", 1, "ptr")}
  %addresses = getelementptr i64, ptr %values, i64 2
{_word("arrays", "%block", ARRAYS)}
  %found = sub i64 %nargs, 2
  %fits = icmp eq i64 %arrays, %found
  br i1 %fits, label %run, label %refused
run:
  %thread = call ptr %let_go()
  %code = call i64 @launch(ptr %block, ptr %stream, ptr %addresses)
  call void %take_back(ptr %thread)
  br label %answer
refused:
  br label %answer
answer:
  %status = phi i64 [ %code, %run ], [ {REFUSED}, %refused ]
  %answered = call ptr %as_object(i64 %status)
  ret ptr %answered
raise:
  ret ptr null
}}"""
