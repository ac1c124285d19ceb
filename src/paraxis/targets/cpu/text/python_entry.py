"""Calls from Python without the cost of Python: a CPython function in the same module.

`@call` has the C signature of METH_FASTCALL | METH_KEYWORDS. If every argument is a NumPy array
of the right type and dtype, it handles by itself
- one state: all arrays contiguous and without a batch axis; runs the one-lane body on their data;
- a small batch: arrays with at most one batch axis, any strides; fills in a job and runs it.
It returns a new array, or `out`, or for several outputs a tuple of new arrays. Anything else, and
batches large enough for threads, go to the general path, a Python callable. Addresses of Python's
and NumPy's own objects come from a table that is filled after loading, so the code can be kept on
disk. Where things are inside of those objects is listed, and checked, in ../python_objects.py. All
of it runs under the lock of the interpreter.
"""

import ctypes
import math
import sys
import warnings
from functools import cache

import numpy as np

from ....drivers.map import ANY, ARRAY, COLUMNS, HEADER, READY, ROWS, STATUS
from .. import python_objects as objects
from ..python_objects import (
    ALIGNED,
    C_CONTIGUOUS,
    DATA,
    DIMENSIONS,
    DIMENSIONS_COUNT,
    DTYPE,
    FLAGS,
    ITEMS,
    LENGTH,
    STRIDES,
    TYPE,
    TYPE_NUMBER,
    WRITEABLE,
)
from .job import one_caller_frame

# words of @context, in order
CONTEXT = (
    "array_type",
    "dtype",
    "new_array",
    "fallback",
    "vectorcall",
    "out_name",
    "incref",
    "decref",
    "new_tuple",
)


@cache
def supported():
    """Can native functions be called in this process? If not, kernels are called through Python."""
    if not objects.known_platform():
        return False
    difference = objects.difference()
    if difference is not None:
        warnings.warn(
            f"Paraxis does not know how Python {sys.version.split()[0]} and NumPy "
            f"{np.__version__} lay out their objects ({difference}). Results are the same, but "
            "each call of a compiled function takes tens of microseconds longer. A newer version of "
            "Paraxis may help.",
            RuntimeWarning,
            stacklevel=2,
        )
    return difference is None


def has_entry(graph):
    """Whether there are not too many arrays to check one by one."""
    return 1 <= len(graph.inputs) <= 16 and len(graph.outputs) <= 16


def define_call(module, graph, lanes, body, frame, run=None, small=1):
    """Add `ptr @call(ptr self, ptr args, i64 nargs, ptr kwnames)` and its `@context`.

    `body` is the one-lane function, which needs `frame` numbers of memory, `run` the driver;
    `small` is the number of states up to which a batch is run here. Without a driver, `body` does
    one state, may refuse to by returning 0, and is given no `out` that overlaps an input.
    """
    inputs = list(graph.inputs.values())
    outputs = [shape for shape, _ in graph.outputs.values()]
    n, m, shapes = len(inputs), len(outputs), [*inputs, *outputs]
    text = f"""
@context = global [{len(CONTEXT)} x i64] zeroinitializer, align 8

define ptr @call(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) {{
entry:
  %job = alloca [{HEADER + ARRAY * (n + m)} x i64], align 8
{_lines(_result_slots(j, outputs[j]) for j in range(m))}
  %solid.slot = alloca i1, align 1
{one_caller_frame(module, frame, lanes.element, lanes.size)}
{_lines(_slots(k) for k in range(n + m))}
{_lines(_context(k, name) for k, name in enumerate(CONTEXT))}
  %count.ok = icmp eq i64 %nargs, {n}
  br i1 %count.ok, label %check0, label %general
{_lines(_check_array(k, inputs[k], lanes.size, f"check{k + 1}") for k in range(n))}
check{n}:
{_lines(_fold("states", "call i64 @llvm.umax.i64(i64 {}, i64 {})", n))}
{_lines(_fold("one", "and i1 {}, {}", n))}
{_lines(_fold("batched", "or i1 {}, {}", n))}
{_lines(_fold("contiguous", "and i1 {}, {}", n))}
  %one.state = or i1 %one.all, false
  %some = icmp ugt i64 %states.all, 0
  %few = icmp ule i64 %states.all, {small}
  %number.ok = and i1 %some, %few
  %fits = and i1 %number.ok, %batched.all ; one state with gaps between entries is not for us
  %here = or i1 %one.state, %fits
  br i1 %here, label %broadcast0, label %general
{_lines(_broadcast(k, f"broadcast{k + 1}" if k + 1 < n else "result") for k in range(n))}

result: ; no keyword, or exactly `out`
  %no.keywords = icmp eq ptr %kwnames, null
  br i1 %no.keywords, label %fresh0, label %keywords
{_given_result(n, shapes, lanes.size, run is None) if m == 1 else "keywords: ; several arrays: the general path writes those" + chr(10) + "  br label %general"}
{_lines(_new_result(j, n + j, outputs[j], lanes, f"fresh{j + 1}" if j + 1 < m else "fresh.all") for j in range(m))}
fresh.all:
  store i1 true, ptr %solid.slot, align 1
  br label %compute

compute:
{_lines(f"  %result{j} = load ptr, ptr %result{j}.slot, align 8" for j in range(m))}
{_lines(f"  %data{k} = load ptr, ptr %data{k}.slot, align 8" for k in range(n + m))}
  %single = icmp eq i64 %states.all, 1 ; with a batch axis or without, the numbers lie alike
  %solid.result = load i1, ptr %solid.slot, align 1
  %solid = and i1 %contiguous.all, %solid.result
  %like.one = and i1 %single, %solid
  %by.one = or i1 %one.state, %like.one
  br i1 %by.one, label %compute.one, label %compute.batch
{_compute(body, run, shapes, n, lanes.size)}
finish:
{_returned(m)}
refused: ; the general path knows what to do, or say
{_lines(f"  call void %decref.p(ptr %result{j})" for j in range(m))}
  br label %general

general:
  %handed.on = call ptr %vectorcall.p(ptr %fallback.p, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %handed.on
}}"""
    module.declare("declare i64 @llvm.umax.i64(i64, i64)")
    module.define("call", text)


def _lines(parts):
    return "\n".join(parts)


def _compute(body, run, shapes, n, itemsize):
    arguments = ", ".join([*(f"ptr %data{k}" for k in range(len(shapes))), "ptr %frame"])
    if run is None:
        return f"""compute.one:
  %computed = call i1 @{body}({arguments})
  br i1 %computed, label %finish, label %refused
compute.batch:
  br label %refused"""
    return f"""compute.one:
  call void @{body}({arguments})
  br label %finish
compute.batch: ; all in one chunk
{_lines(_word(k, v) for k, v in enumerate(("%states.all", 0, "%states.all", 1, 1, 0, 0)))}
{_lines(_describe(k, math.prod(shape), itemsize, k < n) for k, shape in enumerate(shapes))}
  call void @{run}(ptr %job)
  %status.at = getelementptr i64, ptr %job, i64 {STATUS}
  %status = load i64, ptr %status.at, align 8
  %computed = icmp eq i64 %status, 0 ; else out of memory
  br i1 %computed, label %finish, label %refused"""


def _context(k, name):
    return f"""  %{name}.at = getelementptr i64, ptr @context, i64 {k}
  %{name} = load i64, ptr %{name}.at, align 8
  %{name}.p = inttoptr i64 %{name} to ptr"""


def _slots(k):
    """Where array k's data pointer and strides are kept, however they were found."""
    return f"""  %data{k}.slot = alloca ptr, align 8
  %column{k}.slot = alloca i64, align 8
  %row{k}.slot = alloca i64, align 8"""


def _check_array(k, shape, itemsize, next_, label=None, writeable=False):
    """Is argument k an array that can be used in place? If not, go to the general path.

    Leaves %states (1 without a batch axis), %batched, and %one: can the one-lane body use it?
    """
    flags = ALIGNED | (WRITEABLE if writeable else 0)
    label, nd = label or f"check{k}", len(shape)
    lines = f"""{label}:
  %arg{k}.at = getelementptr ptr, ptr %args, i64 {k}
  %array{k} = load ptr, ptr %arg{k}.at, align 8
  %type{k}.at = getelementptr i8, ptr %array{k}, i64 {TYPE}
  %type{k} = load i64, ptr %type{k}.at, align 8
  %type{k}.ok = icmp eq i64 %type{k}, %array_type
  br i1 %type{k}.ok, label %is.array{k}, label %general
is.array{k}:
  %data{k}.at = getelementptr i8, ptr %array{k}, i64 {DATA}
  %data{k}.found = load ptr, ptr %data{k}.at, align 8
  store ptr %data{k}.found, ptr %data{k}.slot, align 8
  %nd{k}.at = getelementptr i8, ptr %array{k}, i64 {DIMENSIONS_COUNT}
  %nd{k} = load i32, ptr %nd{k}.at, align 4
  %single{k} = icmp eq i32 %nd{k}, {nd}
  %batched{k} = icmp eq i32 %nd{k}, {nd + 1}
  %nd{k}.ok = or i1 %single{k}, %batched{k}
  %dtype{k}.at = getelementptr i8, ptr %array{k}, i64 {DTYPE}
  %dtype{k} = load i64, ptr %dtype{k}.at, align 8
  %dtype{k}.ok = icmp eq i64 %dtype{k}, %dtype
  %flags{k}.at = getelementptr i8, ptr %array{k}, i64 {FLAGS}
  %flags{k} = load i32, ptr %flags{k}.at, align 4
  %flags{k}.set = and i32 %flags{k}, {flags}
  %flags{k}.ok = icmp eq i32 %flags{k}.set, {flags}
  %contiguous{k}.set = and i32 %flags{k}, {C_CONTIGUOUS}
  %contiguous{k} = icmp ne i32 %contiguous{k}.set, 0
  %one{k} = and i1 %single{k}, %contiguous{k}
  %both{k} = and i1 %nd{k}.ok, %dtype{k}.ok
  %all{k} = and i1 %both{k}, %flags{k}.ok
  %dims{k}.at = getelementptr i8, ptr %array{k}, i64 {DIMENSIONS}
  %dims{k} = load ptr, ptr %dims{k}.at, align 8
  %strides{k}.at = getelementptr i8, ptr %array{k}, i64 {STRIDES}
  %strides{k} = load ptr, ptr %strides{k}.at, align 8
  br i1 %all{k}, label %entry{k}, label %general
entry{k}:
  %entry.dims{k}.batch = getelementptr i64, ptr %dims{k}, i64 1
  %entry.dims{k} = select i1 %batched{k}, ptr %entry.dims{k}.batch, ptr %dims{k}
  %entry.strides{k}.batch = getelementptr i64, ptr %strides{k}, i64 1
  %entry.strides{k} = select i1 %batched{k}, ptr %entry.strides{k}.batch, ptr %strides{k}
  %entry.ok{k}.0 = or i1 true, true
"""
    for d, length in enumerate(shape):
        # entries of several axes must lie as one block; of one axis, at any distance
        after = math.prod(shape[d + 1 :])
        lines += f"""  %dim{k}.{d}.at = getelementptr i64, ptr %entry.dims{k}, i64 {d}
  %dim{k}.{d} = load i64, ptr %dim{k}.{d}.at, align 8
  %dim{k}.{d}.ok = icmp eq i64 %dim{k}.{d}, {length}
  %stride{k}.{d}.at = getelementptr i64, ptr %entry.strides{k}, i64 {d}
  %stride{k}.{d} = load i64, ptr %stride{k}.{d}.at, align 8
  %stride{k}.{d}.ok = {"or i1 true, true" if nd == 1 else f"icmp eq i64 %stride{k}.{d}, {after * itemsize}"}
  %entry.both{k}.{d} = and i1 %dim{k}.{d}.ok, %stride{k}.{d}.ok
  %entry.ok{k}.{d + 1} = and i1 %entry.ok{k}.{d}, %entry.both{k}.{d}
"""
    column = f"%stride{k}.{nd - 1}" if nd else str(itemsize)
    return (
        lines
        + f"""  store i64 {column}, ptr %column{k}.slot, align 8
  br i1 %entry.ok{k}.{nd}, label %axis{k}, label %general
axis{k}:
  br i1 %batched{k}, label %batch{k}, label %nobatch{k}
batch{k}:
  %states{k}.found = load i64, ptr %dims{k}, align 8
  %row{k}.found = load i64, ptr %strides{k}, align 8
  br label %nobatch{k}
nobatch{k}:
  %states{k} = phi i64 [ 1, %axis{k} ], [ %states{k}.found, %batch{k} ]
  %row{k} = phi i64 [ 0, %axis{k} ], [ %row{k}.found, %batch{k} ]
  store i64 %row{k}, ptr %row{k}.slot, align 8
  br label %{next_}"""
    )


def _fold(name, template, n):
    """%name.all from %name0 .. %name(n-1)."""
    so_far = f"%{name}0"
    for k in range(1, n):
        yield f"  %{name}.to{k} = " + template.format(so_far, f"%{name}{k}")
        so_far = f"%{name}.to{k}"
    unchanged = f"add i64 {so_far}, 0" if name == "states" else f"or i1 {so_far}, false"
    yield f"  %{name}.all = {unchanged}"


def _broadcast(k, next_):
    """An array of one state repeats it; any other length than the batch's is an error."""
    return f"""broadcast{k}:
  %alone{k} = icmp eq i64 %states{k}, 1
  %full{k} = icmp eq i64 %states{k}, %states.all
  %either{k} = or i1 %alone{k}, %full{k}
  %row{k}.used = select i1 %alone{k}, i64 0, i64 %row{k}
  store i64 %row{k}.used, ptr %row{k}.slot, align 8
  br i1 %either{k}, label %{next_}, label %general"""


def _apart(k, out, shapes, itemsize, next_, wholly):
    """`out` must be exactly input k, if not `wholly` apart, or lie wholly before or after it."""
    own, other = math.prod(shapes[k]) - 1, math.prod(shapes[out]) - 1
    return f"""apart{k}:
  %in{k}.first = load i64, ptr %data{k}.slot, align 8
  %in{k}.column = load i64, ptr %column{k}.slot, align 8
  %in{k}.row = load i64, ptr %row{k}.slot, align 8
  %out{k}.first = load i64, ptr %data{out}.slot, align 8
  %out{k}.column = load i64, ptr %column{out}.slot, align 8
  %out{k}.row = load i64, ptr %row{out}.slot, align 8
  %same{k}.first = icmp eq i64 %in{k}.first, %out{k}.first
  %same{k}.column = icmp eq i64 %in{k}.column, %out{k}.column
  %same{k}.row = icmp eq i64 %in{k}.row, %out{k}.row
  %same{k}.two = and i1 %same{k}.first, %same{k}.column
  %same{k} = and i1 %same{k}.two, {f"%same{k}.row" if own == other and not wholly else "false"}
  %signs{k}.a = or i64 %in{k}.column, %in{k}.row
  %signs{k}.b = or i64 %out{k}.column, %out{k}.row
  %signs{k} = or i64 %signs{k}.a, %signs{k}.b
  %forward{k} = icmp sge i64 %signs{k}, 0
  %last.state{k} = sub i64 %states.all, 1
  %in{k}.rows = mul i64 %last.state{k}, %in{k}.row
  %in{k}.columns = mul i64 {own}, %in{k}.column
  %in{k}.extent = add i64 %in{k}.rows, %in{k}.columns
  %in{k}.end.0 = add i64 %in{k}.first, %in{k}.extent
  %in{k}.end = add i64 %in{k}.end.0, {itemsize}
  %out{k}.rows = mul i64 %last.state{k}, %out{k}.row
  %out{k}.columns = mul i64 {other}, %out{k}.column
  %out{k}.extent = add i64 %out{k}.rows, %out{k}.columns
  %out{k}.end.0 = add i64 %out{k}.first, %out{k}.extent
  %out{k}.end = add i64 %out{k}.end.0, {itemsize}
  %before{k} = icmp ule i64 %in{k}.end, %out{k}.first
  %after{k} = icmp ule i64 %out{k}.end, %in{k}.first
  %disjoint{k} = or i1 %before{k}, %after{k}
  %known.apart{k} = and i1 %disjoint{k}, %forward{k}
  %apart{k}.ok = or i1 %same{k}, %known.apart{k}
  br i1 %apart{k}.ok, label %{next_}, label %general"""


def _given_result(n, shapes, itemsize, wholly):
    """`out`, if it is an array that can be written in place."""
    apart = (
        _apart(k, n, shapes, itemsize, f"apart{k + 1}" if k + 1 < n else "out.use", wholly)
        for k in range(n)
    )
    return f"""keywords:
  %kw.size.at = getelementptr i8, ptr %kwnames, i64 {LENGTH}
  %kw.size = load i64, ptr %kw.size.at, align 8
  %kw.one = icmp eq i64 %kw.size, 1
  br i1 %kw.one, label %keyword, label %general
keyword:
  %kw.first.at = getelementptr i8, ptr %kwnames, i64 {ITEMS}
  %kw.first = load i64, ptr %kw.first.at, align 8
  %kw.is.out = icmp eq i64 %kw.first, %out_name
  br i1 %kw.is.out, label %check.out, label %general
{_check_array(n, shapes[n], itemsize, "out.shape", "check.out", writeable=True)}
out.shape: ; one state or the whole batch, as the inputs are
  %out.same = icmp eq i64 %states{n}, %states.all
  %out.batch = and i1 %out.same, %batched{n}
  %out.fits = select i1 %one.state, i1 %one{n}, i1 %out.batch
  br i1 %out.fits, label %out.apart, label %general
out.apart:
  br i1 {"false" if wholly else "%one.state"}, label %out.use, label %apart0
{_lines(apart)}
out.use:
  call void %incref.p(ptr %array{n})
  store ptr %array{n}, ptr %result0.slot, align 8
  store i1 %contiguous{n}, ptr %solid.slot, align 1
  br label %compute"""


def _result_slots(j, shape):
    return f"""  %result{j}.slot = alloca ptr, align 8
  %dims.new{j} = alloca [{1 + len(shape)} x i64], align 8"""


def _new_result(j, k, shape, lanes, next_):
    """A new array for output j, which is array k of the job."""
    dimensions = (
        f"""  %dim.new{j}.{d} = getelementptr i64, ptr %dims.new{j}, i64 {d + 1}
  store i64 {length}, ptr %dim.new{j}.{d}, align 8"""
        for d, length in enumerate(shape)
    )
    return f"""fresh{j}:
  store i64 %states.all, ptr %dims.new{j}, align 8
{_lines(dimensions)}
  %dims.one{j} = getelementptr i64, ptr %dims.new{j}, i64 1
  %dims.used{j} = select i1 %one.state, ptr %dims.one{j}, ptr %dims.new{j}
  %nd.used{j} = select i1 %one.state, i32 {len(shape)}, i32 {len(shape) + 1}
  %made{j} = call ptr %new_array.p(ptr %array_type.p, i32 %nd.used{j}, ptr %dims.used{j}, i32 {TYPE_NUMBER[lanes.element]}, ptr null, ptr null, i32 0, i32 0, ptr null)
  %failed{j} = icmp eq ptr %made{j}, null
  br i1 %failed{j}, label %error{j}, label %made.array{j}
error{j}:
{_lines(f"  call void %decref.p(ptr %made{i})" for i in range(j))}
  ret ptr null
made.array{j}:
  %made{j}.data.at = getelementptr i8, ptr %made{j}, i64 {DATA}
  %made{j}.data = load ptr, ptr %made{j}.data.at, align 8
  store ptr %made{j}.data, ptr %data{k}.slot, align 8
  store i64 {lanes.size}, ptr %column{k}.slot, align 8
  store i64 {math.prod(shape) * lanes.size}, ptr %row{k}.slot, align 8
  store ptr %made{j}, ptr %result{j}.slot, align 8
  br label %{next_}"""


def _returned(m):
    """The one array, or a tuple that takes over the arrays."""
    if m == 1:
        return "  ret ptr %result0"
    items = (
        f"""  %item{j} = getelementptr i8, ptr %tuple, i64 {ITEMS + 8 * j}
  store ptr %result{j}, ptr %item{j}, align 8"""
        for j in range(m)
    )
    return f"""  %tuple = call ptr %new_tuple.p(i64 {m})
  %no.tuple = icmp eq ptr %tuple, null
  br i1 %no.tuple, label %drop, label %fill
drop:
{_lines(f"  call void %decref.p(ptr %result{j})" for j in range(m))}
  ret ptr null
fill:
{_lines(items)}
  ret ptr %tuple"""


def _word(index, value):
    return f"""  %job.{index} = getelementptr i64, ptr %job, i64 {index}
  store i64 {value}, ptr %job.{index}, align 8"""


def _describe(k, entries, itemsize, is_input):
    """The job's words about array k; the same choice of layout as drivers/map.py makes."""
    at = HEADER + ARRAY * k
    lines = f"""  %address{k} = ptrtoint ptr %data{k} to i64
  %column{k}.now = load i64, ptr %column{k}.slot, align 8
  %row{k}.now = load i64, ptr %row{k}.slot, align 8
  %adjacent{k} = icmp eq i64 %row{k}.now, {itemsize}
  %layout{k}.loose = select i1 %adjacent{k}, i64 {COLUMNS}, i64 {ANY}
  %packed{k} = icmp eq i64 %column{k}.now, {itemsize}
  %layout{k}.used = select i1 %packed{k}, i64 {ROWS if entries * itemsize >= 16 else "%layout" + str(k) + ".loose"}, i64 %layout{k}.loose
  %still{k} = icmp eq i64 %row{k}.now, 0
  %layout{k} = select i1 %still{k}, i64 {READY if is_input else ANY}, i64 %layout{k}.used
"""
    values = (f"%address{k}", f"%column{k}.now", f"%row{k}.now", f"%layout{k}")
    return lines + _lines(_word(at + j, value) for j, value in enumerate(values))


def make_callable(code, fallback, element):
    """A built-in function around `@call`."""
    dtype = objects.DTYPES[element]
    words = {
        "array_type": id(np.ndarray),
        "dtype": id(dtype),
        "new_array": objects.array_functions()[objects.NEW_ARRAY],
        "fallback": id(fallback),
        "vectorcall": objects.address_of("PyObject_Vectorcall"),
        "out_name": id(objects.OUT),
        "incref": objects.address_of("Py_IncRef"),
        "decref": objects.address_of("Py_DecRef"),
        "new_tuple": objects.address_of("PyTuple_New"),
    }
    context = (ctypes.c_int64 * len(CONTEXT)).from_address(code.global_address("context"))
    context[:] = [words[name] for name in CONTEXT]
    return objects.new_function(code.address("call"), context, dtype, fallback, code.life)
