"""Calls from XLA: handlers of its foreign function interface, without a C compiler.

`ptr @handler(ptr call)` has the C signature of XLA_FFI_Handler (xla/ffi/api/c_api.h of jaxlib). On
the CPU it fills in a job of the `map` driver: all its words but the addresses are an attribute of
the call, since shapes are known when XLA compiles. Other threads of XLA's own pool may help. On a
GPU it launches kernels on the stream that XLA works on.

The structures below are those of c_api.h as far as they are used; that file promises to rearrange
none of them within its major version 0. It wants to be told which version a handler was made for.
"""

import ctypes
import re
from pathlib import Path
from typing import NamedTuple

from ....drivers.map import ARRAY, HEADER, STATUS
from .. import host
from .job import lines
from .module import Module

MAJOR = 0
EXECUTE = 3  # of XLA_FFI_ExecutionStage
METADATA = 1  # of XLA_FFI_Extension_Type
INVALID_ARGUMENT, RESOURCE_EXHAUSTED, INTERNAL = 3, 8, 13  # of XLA_FFI_Error_Code
REPLAYABLE = 1  # XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE
CLOSED = 1 << 62  # of a gate; below it are counted those who are inside


def _structure(name, **fields):
    """A C structure; every one of the interface begins with its size and its extensions."""
    return type(name, (ctypes.Structure,), {"_fields_": list(fields.items())})


_begin = {"struct_size": ctypes.c_size_t, "extension_start": ctypes.c_void_p}
_word, _pointer, _int = ctypes.c_int64, ctypes.c_void_p, ctypes.c_int32
_Values = _structure("XLA_FFI_Args", **_begin, size=_word, types=_pointer, values=_pointer)
_Attrs = _structure(
    "XLA_FFI_Attrs", **_begin, size=_word, types=_pointer, names=_pointer, values=_pointer
)
_Call = _structure(
    "XLA_FFI_CallFrame",
    **_begin,
    api=_pointer,
    ctx=_pointer,
    stage=_int,
    args=_Values,
    rets=_Values,
    attrs=_Attrs,
)
_Buffer = _structure("XLA_FFI_Buffer", **_begin, dtype=_int, data=_pointer)
_Array = _structure("XLA_FFI_Array", dtype=_int, size=_word, data=_pointer)
_Scalar = _structure("XLA_FFI_Scalar", dtype=_int, value=_pointer)
_Extension = _structure(
    "XLA_FFI_Metadata_Extension",
    struct_size=ctypes.c_size_t,
    type=_int,
    next=_pointer,
    metadata=_pointer,
)
_Version = _structure("XLA_FFI_Api_Version", **_begin, major=_int, minor=_int)
_Metadata = _structure(
    "XLA_FFI_Metadata", struct_size=ctypes.c_size_t, version=_Version, traits=ctypes.c_uint32
)
_FUNCTIONS = (  # of XLA_FFI_Api, in order
    "error_create",
    "error_get_message",
    "error_destroy",
    "handler_register",
    "stream_get",
    "type_register",
    "context_get",
    "state_set",
    "state_get",
    "memory_allocate",
    "memory_free",
    "pool_schedule",
)
_Api = _structure(
    "XLA_FFI_Api",
    **_begin,
    version=_Version,
    internal_api=_pointer,
    **dict.fromkeys(_FUNCTIONS, _pointer),
)


def interface_version(include):
    """(major, minor) of the interface whose C headers are in this folder, or None."""
    try:
        text = (Path(include) / "xla/ffi/api/c_api.h").read_text()
    except OSError:
        return None
    found = [re.search(rf"#define XLA_FFI_API_{part} (\d+)", text) for part in ("MAJOR", "MINOR")]
    return tuple(int(each[1]) for each in found) if all(found) else None


def define_one(module, graph, lanes, body, frame):
    """Add `void @one(ptr arrays)`: one state, by the one-lane `body`, from a table of addresses."""
    every = range(len(graph.shapes))
    loads = (
        f"""  %array{k}.at = getelementptr ptr, ptr %arrays, i64 {k}
  %array{k} = load ptr, ptr %array{k}.at, align 8"""
        for k in every
    )
    module.define(
        "one",
        f"""
define void @one(ptr %arrays) nounwind {{
  %frame = alloca [{max(frame, 1)} x {lanes.element}], align 8
{lines(loads)}
  call void @{body}({", ".join(f"ptr %array{k}" for k in every)}, ptr %frame)
  ret void
}}""",
    )


class Handler:
    """A handler in executable memory; it must outlive every use XLA may make of it."""

    def __init__(self, text, *kept):
        code = host.LoadedCode(host.compile_object(text))
        self.address = code.address("handler")
        self._kept = (code, kept)


def cpu_handler(addresses, inputs, outputs, minor):
    """A Handler for so many arrays, by the functions of a kernel: `run` for a job, `one` for a state
    that is the only one.

    Attributes of the call: `job`, the words, and `threads`, how many may work on it; 0 for `one`.
    """
    return Handler(cpu_handler_source(addresses, inputs, outputs, minor))


def cpu_handler_source(addresses, inputs, outputs, minor):
    run, one = addresses["run"], addresses.get("one", 0)
    words = HEADER + ARRAY * (inputs + outputs)
    module = Module()
    _define_fail(module)
    for declaration in (
        "declare ptr @malloc(i64)",
        "declare void @free(ptr)",
        "declare i32 @sched_yield()",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    ):
        module.declare(declaration)
    # What threads share is a block: how many refer to it | a gate | the words of the job. A thread
    # that comes when all is done finds the gate closed: then arrays may be gone, the block is not.
    module.define(
        "release",
        """
define internal void @release(ptr %block) nounwind {
  %others = atomicrmw sub ptr %block, i64 1 acq_rel, align 8
  %last = icmp eq i64 %others, 1
  br i1 %last, label %drop, label %leave
drop:
  call void @free(ptr %block)
  ret void
leave:
  ret void
}""",
    )
    module.define(
        "help",
        f"""
define internal void @help(ptr %block) nounwind {{
  %gate = getelementptr i64, ptr %block, i64 1
  %inside = atomicrmw add ptr %gate, i64 1 acq_rel, align 8
  %open = icmp ult i64 %inside, {CLOSED}
  br i1 %open, label %work, label %leave
work:
  %job = getelementptr i64, ptr %block, i64 2
  call void inttoptr (i64 {run} to ptr)(ptr %job)
  br label %leave
leave:
  %before = atomicrmw sub ptr %gate, i64 1 acq_rel, align 8
  call void @release(ptr %block)
  ret void
}}""",
    )
    module.define(
        "handler",
        f"""
define ptr @handler(ptr %call) nounwind {{
entry:
  %schedule.arguments = alloca [5 x i64], align 8
  %table = alloca [{inputs + outputs} x i64], align 8
{_answer_metadata(minor, traits=0)}
{_check_call(inputs, outputs, attributes=2)}
{_attribute("threads", 1)}
{_field("threads.at", "%threads.attribute", _Scalar.value, "ptr")}
  %threads = load i64, ptr %threads.at, align 8
{lines(_array_data(k, inputs) for k in range(inputs + outputs))}
  %single = icmp eq i64 %threads, 0
  br i1 %single, label %state, label %states
state:
{lines(_put(k, "table", k) for k in range(inputs + outputs))}
  call void inttoptr (i64 {one} to ptr)(ptr %table)
  ret ptr null
states:
{_attribute("job", 0)}
{_field("job.size", "%job.attribute", _Array.size, "i64")}
{_field("words", "%job.attribute", _Array.data, "ptr")}
  %job.ok = icmp eq i64 %job.size, {words}
  br i1 %job.ok, label %allocate, label %wrong
allocate:
  %block = call ptr @malloc(i64 {8 * (2 + words)})
  %no.memory = icmp eq ptr %block, null
  br i1 %no.memory, label %exhausted, label %fill
fill:
  %gate = getelementptr i64, ptr %block, i64 1
  %job = getelementptr i64, ptr %block, i64 2
  store i64 %threads, ptr %block, align 8
  store i64 0, ptr %gate, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr %job, ptr %words, i64 {8 * words}, i1 false)
{lines(_put(k, "job", HEADER + ARRAY * k) for k in range(inputs + outputs))}
  %alone = icmp ule i64 %threads, 1
  br i1 %alone, label %work, label %ask
ask: ; for one helper after another
  %asked = phi i64 [ 1, %fill ], [ %asked.next, %next ]
{_arguments("schedule", 40, ctx="%ctx", task="@help", data="%block")}
  %refused = call ptr %pool_schedule(ptr %schedule.arguments)
  %is.refused = icmp ne ptr %refused, null
  br i1 %is.refused, label %without, label %next
without: ; no pool: its share of the block is given back, and there is no more to ask for
{_arguments("schedule", 24, error="%refused")}
  call void %error_destroy(ptr %schedule.arguments)
  call void @release(ptr %block)
  br label %next
next:
  %asked.next = add i64 %asked, 1
  %more = icmp ult i64 %asked.next, %threads
  br i1 %more, label %ask, label %work

work:
  call void inttoptr (i64 {run} to ptr)(ptr %job)
  %closing = atomicrmw or ptr %gate, i64 {CLOSED} acq_rel, align 8
  br label %wait
wait: ; for those still at their last chunk
  %gate.now = load atomic i64, ptr %gate acquire, align 8
  %empty = icmp eq i64 %gate.now, {CLOSED}
  br i1 %empty, label %finish, label %yield
yield:
  %yielded = call i32 @sched_yield()
  br label %wait
finish:
  %status.at = getelementptr i64, ptr %job, i64 {STATUS}
  %status = load i64, ptr %status.at, align 8
  call void @release(ptr %block)
  %computed = icmp eq i64 %status, 0
  br i1 %computed, label %done, label %exhausted
done:
  ret ptr null
exhausted:
  {_fail("not enough memory for the intermediate values of a state", RESOURCE_EXHAUSTED, module)}
wrong:
  {_fail("a call that was not made by this version of paraxis", INVALID_ARGUMENT, module)}
}}""",
    )
    return str(module)


class Launch(NamedTuple):
    """A CUDA function of (long long states, then a pointer for each array)."""

    function: int  # a CUfunction
    threads: int  # of a block
    shared: int  # bytes of a block
    states: int  # that a block computes


def cuda_handler(start, launches, inputs, outputs, minor):
    """A Handler that makes these launches, one after another, by cuLaunchKernel at address `start`.

    Attribute of the call: `states`, how many in all.
    """
    return Handler(cuda_handler_source(start, launches, inputs, outputs, minor))


def cuda_handler_source(start, launches, inputs, outputs, minor):
    arrays = inputs + outputs
    module = Module()
    _define_fail(module)
    module.define(
        "handler",
        f"""
define ptr @handler(ptr %call) nounwind {{
entry:
  %stream.arguments = alloca [4 x i64], align 8
  %values = alloca [{1 + arrays} x i64], align 8
  %pointers = alloca [{1 + arrays} x ptr], align 8
{_answer_metadata(minor, traits=REPLAYABLE)}
{_check_call(inputs, outputs, attributes=1)}
{_attribute("states", 0)}
{_field("states.at", "%states.attribute", _Scalar.value, "ptr")}
  %states = load i64, ptr %states.at, align 8
{_arguments("stream", 32, ctx="%ctx", stream="null")}
  %no.stream = call ptr %stream_get(ptr %stream.arguments)
  %has.stream = icmp eq ptr %no.stream, null
  br i1 %has.stream, label %begin, label %fail.stream
begin:
  %stream.at = getelementptr i64, ptr %stream.arguments, i64 3
  %stream = load ptr, ptr %stream.at, align 8
  store i64 %states, ptr %values, align 8
{lines(_array_data(k, inputs) for k in range(arrays))}
{lines(_put(k, "values", 1 + k) for k in range(arrays))}
{lines(_launch_pointer(k) for k in range(1 + arrays))}
  br label %launch0
{lines(_launch(k, launch, start) for k, launch in enumerate(launches))}
launch{len(launches)}: ; all are made
  ret ptr null
fail.stream:
  ret ptr %no.stream
fail.launch:
  {_fail("the CUDA kernel could not be launched", INTERNAL, module)}
wrong:
  {_fail("a call that was not made by this version of paraxis", INVALID_ARGUMENT, module)}
}}""",
    )
    return str(module)


def _launch(k, launch, start):
    block = f"i32 {launch.threads}, i32 1, i32 1, i32 {launch.shared}"
    return f"""launch{k}:
  %up{k} = add i64 %states, {launch.states - 1}
  %blocks{k}.all = udiv i64 %up{k}, {launch.states}
  %blocks{k} = trunc i64 %blocks{k}.all to i32
  %result{k} = call i32 inttoptr (i64 {start} to ptr)(ptr inttoptr (i64 {launch.function} to ptr), i32 %blocks{k}, i32 1, i32 1, {block}, ptr %stream, ptr %pointers, ptr null)
  %launched{k} = icmp eq i32 %result{k}, 0
  br i1 %launched{k}, label %launch{k + 1}, label %fail.launch"""


# -- pieces of handlers ------------------------------------------------------------------------


def _field(name, base, field, type_, inside=0):
    """Load %name from a field of the structure at `base`, which may lie `inside` another."""
    align = 4 if type_ == "i32" else 8
    return f"""  %{name}.field = getelementptr i8, ptr {base}, i64 {inside + field.offset}
  %{name} = load {type_}, ptr %{name}.field, align {align}"""


def _answer_metadata(minor, traits):
    """XLA may only ask what a handler is; else it goes on at the label `call.begin`."""
    version = _Metadata.version.offset
    return f"""{_field("extension", "%call", _Call.extension_start, "ptr")}
  %extended = icmp ne ptr %extension, null
  br i1 %extended, label %extension.kind, label %call.begin
extension.kind:
{_field("kind", "%extension", _Extension.type, "i32")}
  %is.metadata = icmp eq i32 %kind, {METADATA}
  br i1 %is.metadata, label %answer, label %call.begin
answer:
{_field("metadata", "%extension", _Extension.metadata, "ptr")}
  %major.at = getelementptr i8, ptr %metadata, i64 {version + _Version.major.offset}
  store i32 {MAJOR}, ptr %major.at, align 4
  %minor.at = getelementptr i8, ptr %metadata, i64 {version + _Version.minor.offset}
  store i32 {minor}, ptr %minor.at, align 4
  %traits.at = getelementptr i8, ptr %metadata, i64 {_Metadata.traits.offset}
  store i32 {traits}, ptr %traits.at, align 4
  ret ptr null
call.begin:"""


def _check_call(inputs, outputs, attributes):
    """Load what every call has; go to the label `wrong` if it is not as it should be."""
    sizes = (("args", inputs), ("rets", outputs), ("attrs", attributes))
    loads, tests = [], ["icmp eq i32 %stage, " + str(EXECUTE)]
    for part, size in sizes:
        kind, at = (_Attrs if part == "attrs" else _Values), getattr(_Call, part).offset
        loads.append(_field(f"{part}.size", "%call", kind.size, "i64", at))
        loads.append(_field(part, "%call", kind.values, "ptr", at))
        tests.append(f"icmp eq i64 %{part}.size, {size}")
    names = ("error_create", "error_destroy", "stream_get", "pool_schedule")
    return f"""{_field("api", "%call", _Call.api, "ptr")}
{_field("ctx", "%call", _Call.ctx, "ptr")}
{_field("stage", "%call", _Call.stage, "i32")}
{lines(_field(name, "%api", getattr(_Api, name), "ptr") for name in names)}
{lines(loads)}
{lines(f"  %fits{k} = {test}" for k, test in enumerate(tests))}
  %fits01 = and i1 %fits0, %fits1
  %fits23 = and i1 %fits2, %fits3
  %fits = and i1 %fits01, %fits23
  br i1 %fits, label %call.checked, label %wrong
call.checked:"""


def _attribute(name, place):
    """Attributes come sorted by name."""
    return f"""  %{name}.attribute.at = getelementptr ptr, ptr %attrs, i64 {place}
  %{name}.attribute = load ptr, ptr %{name}.attribute.at, align 8"""


def _array_data(k, inputs):
    """%data of array k, outputs after inputs."""
    place = f"%args, i64 {k}" if k < inputs else f"%rets, i64 {k - inputs}"
    return f"""  %buffer{k}.at = getelementptr ptr, ptr {place}
  %buffer{k} = load ptr, ptr %buffer{k}.at, align 8
{_field(f"data{k}", f"%buffer{k}", _Buffer.data, "i64")}"""


def _put(k, words, place):
    """The address of array k as one of some words."""
    return f"""  %{words}.{k} = getelementptr i64, ptr %{words}, i64 {place}
  store i64 %data{k}, ptr %{words}.{k}, align 8"""


def _launch_pointer(k):
    """Arguments of a kernel are given by where they stand."""
    return f"""  %value{k}.here = getelementptr i64, ptr %values, i64 {k}
  %pointer{k} = getelementptr ptr, ptr %pointers, i64 {k}
  store ptr %value{k}.here, ptr %pointer{k}, align 8"""


def _arguments(name, size, **values):
    """Fill %name.arguments: its size, no extensions, and these pointers."""
    unique = f"{name}.{'.'.join(values)}"
    text = f"""  store i64 {size}, ptr %{name}.arguments, align 8
  %{unique}.extensions = getelementptr i64, ptr %{name}.arguments, i64 1
  store ptr null, ptr %{unique}.extensions, align 8"""
    for place, (key, value) in enumerate(values.items(), start=2):
        text += f"""
  %{unique}.{key}.at = getelementptr i64, ptr %{name}.arguments, i64 {place}
  store ptr {value}, ptr %{unique}.{key}.at, align 8"""
    return text


def _define_fail(module):
    """Add `ptr @fail(ptr create, ptr message, i32 code)`: a new error."""
    module.define(
        "fail",
        """
define internal ptr @fail(ptr %create, ptr %message, i32 %code) nounwind {
  %arguments = alloca [4 x i64], align 8
  store i64 28, ptr %arguments, align 8
  %extensions = getelementptr i64, ptr %arguments, i64 1
  store ptr null, ptr %extensions, align 8
  %message.at = getelementptr i64, ptr %arguments, i64 2
  store ptr %message, ptr %message.at, align 8
  %code.at = getelementptr i64, ptr %arguments, i64 3
  store i32 %code, ptr %code.at, align 4
  %error = call ptr %create(ptr %arguments)
  ret ptr %error
}""",
    )


def _fail(message, code, module):
    """Return an error; called once for each message of a handler."""
    name = f"message{code}"
    data = f"paraxis: {message}"
    module.define(
        name, f'@{name} = internal constant [{len(data) + 1} x i8] c"{data}\\00", align 1'
    )
    return f"""%error{code} = call ptr @fail(ptr %error_create, ptr @{name}, i32 {code})
  ret ptr %error{code}"""
