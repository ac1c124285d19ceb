"""What native code that works on a job shares: reading its words, and scratch memory.

A job is a row of 64-bit words at %job. Scratch is %memory: on the stack of whichever thread calls,
where it is small. Threads may have small stacks, so larger scratch is one piece of memory that
belongs to the code, for the thread that has it first, and the heap for any other.
"""

MOST_STACK = 32768  # bytes
# Bytes left free below where scratch would be. Bodies keep values on the stack too, and close to
# what their callers keep there they run up to a third slower, as addresses will have it.
APART = 16384


def lines(parts):
    return "\n".join(parts)


def word(name, index):
    """Load a word of the job as %name."""
    return f"""  %{name}.at = getelementptr i64, ptr %job, i64 {index}
  %{name} = load i64, ptr %{name}.at, align 8"""


def scratch(module, size, align, status, last, own=True, alone=False):
    """The code that makes %memory of so many bytes, and the end of the function.

    That begins at the label `last`. When there is no memory, the word `status` of the job is 1.
    Without `own` memory of the code, the heap has all that is large. `alone`: no two threads are
    ever in the function at once.
    """
    if size <= MOST_STACK:
        start = f"  %memory = alloca [{max(size, 1)} x i8], align {align}"
        return start, f"{last}:\n  ret void"
    if alone:
        module.define("scratch", static_memory("scratch", f"[{size} x i8]", align))
        return "  %memory = getelementptr i8, ptr @scratch, i64 0", f"{last}:\n  ret void"
    module.declare("declare ptr @malloc(i64)")
    module.declare("declare void @free(ptr)")
    taken, give_back = "  br label %ask", "  br label %let.go"
    if own:
        module.define("scratch", static_memory("scratch", f"[{size} x i8]", align))
        module.define("scratch.taken", "@scratch.taken = internal global i64 0, align 8")
        taken = """  %was.taken = atomicrmw xchg ptr @scratch.taken, i64 1 acquire, align 8
  %had = icmp eq i64 %was.taken, 0
  br i1 %had, label %ready, label %ask"""
        give_back = """  %is.own = icmp eq ptr %memory, @scratch
  br i1 %is.own, label %give.back, label %let.go
give.back:
  store atomic i64 0, ptr @scratch.taken release, align 8
  ret void"""
    start = f"""{_keep_apart()}
  br label %take.memory
take.memory:
{taken}
ask:
  %raw.asked = call ptr @malloc(i64 {size + align})
  %no.memory = icmp eq ptr %raw.asked, null
  br i1 %no.memory, label %refuse, label %asked
asked:
  %raw.address = ptrtoint ptr %raw.asked to i64
  %raw.up = add i64 %raw.address, {align - 1}
  %raw.aligned = and i64 %raw.up, {-align}
  %aligned = inttoptr i64 %raw.aligned to ptr
  br label %ready
ready:
  %memory = phi ptr [ %aligned, %asked ]{", [ @scratch, %take.memory ]" if own else ""}
  %raw = phi ptr [ %raw.asked, %asked ]{", [ null, %take.memory ]" if own else ""}"""
    end = f"""{last}:
{give_back}
let.go:
  call void @free(ptr %raw)
  ret void
refuse:
  %status = getelementptr i64, ptr %job, i64 {status}
  store atomic i64 1, ptr %status monotonic, align 8
  ret void"""
    return start, end


def static_memory(name, type_, align):
    """Memory that belongs to the code."""
    return f"@{name} = internal global {type_} zeroinitializer, align {align}"


def one_caller_frame(module, frame, element, align):
    """%frame of so many numbers, in a function that no two threads are in at once."""
    size = frame * align
    if size <= MOST_STACK:
        return f"  %frame = alloca [{max(frame, 1)} x {element}], align {align}"
    module.define("frame", static_memory("frame", f"[{frame} x {element}]", align))
    return f"{_keep_apart()}\n  %frame = getelementptr i8, ptr @frame, i64 0"


def _keep_apart():
    return f"""  %apart = alloca [{APART} x i8], align 16
  store volatile i8 0, ptr %apart, align 1"""


# The next chunk of a batch: states %first to %last of the row with the number %outer.
TAKE_CHUNK = """take:
  %c = atomicrmw add ptr %counter, i64 1 monotonic, align 8
  %some = icmp ult i64 %c, %chunks
  br i1 %some, label %locate, label %done
locate:
  %outer = udiv i64 %c, %per.row
  %k = urem i64 %c, %per.row
  %first = mul i64 %k, %chunk
  %past = add i64 %first, %chunk
  %last = call i64 @llvm.umin.i64(i64 %past, i64 %states)"""
