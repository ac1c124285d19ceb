"""What native code that works on a job shares: reading its words, and scratch memory.

A job is a row of 64-bit words at %job. Scratch is %memory, on the stack of whichever thread calls,
or from the heap when it is large.
"""

MOST_STACK = 65536  # bytes


def lines(parts):
    return "\n".join(parts)


def word(name, index):
    """Load a word of the job as %name."""
    return f"""  %{name}.at = getelementptr i64, ptr %job, i64 {index}
  %{name} = load i64, ptr %{name}.at, align 8"""


def scratch(module, size, align, status, last):
    """The code that makes %memory of so many bytes, and the end of the function.

    That begins at the label `last`. When there is no memory, the word `status` of the job is 1.
    """
    if size <= MOST_STACK:
        start = f"  %memory = alloca [{max(size, 1)} x i8], align {align}"
        return start, f"{last}:\n  ret void"
    module.declare("declare ptr @malloc(i64)")
    module.declare("declare void @free(ptr)")
    start = f"""  %raw = call ptr @malloc(i64 {size + align})
  %no.memory = icmp eq ptr %raw, null
  br i1 %no.memory, label %refuse, label %ready
ready:
  %raw.address = ptrtoint ptr %raw to i64
  %raw.up = add i64 %raw.address, {align - 1}
  %aligned = and i64 %raw.up, {-align}
  %memory = inttoptr i64 %aligned to ptr"""
    end = f"""{last}:
  call void @free(ptr %raw)
  ret void
refuse:
  %status = getelementptr i64, ptr %job, i64 {status}
  store atomic i64 1, ptr %status monotonic, align 8
  ret void"""
    return start, end
