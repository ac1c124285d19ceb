"""One state from Python without the cost of Python: a CPython function in the same module.

`@call` has the C signature of METH_FASTCALL | METH_KEYWORDS. If every argument is a NumPy array
of the right type, dtype, shape and contiguity, it runs the one-lane body on their data in place
and returns a new array (or `out`). Anything else goes to the general path, a Python callable.
Addresses of Python's and NumPy's own objects come from a table that is filled after loading, so
the code can be kept on disk.
"""

import ctypes
import struct
import sys
import sysconfig

import numpy as np

from ...graph.graph import size

# words of @context, in order
CONTEXT = ("array_type", "dtype", "new_array", "fallback", "vectorcall", "out_name", "incref")
# PyArrayObject, as NumPy's ABI fixes it: offsets of data, nd, dimensions, descr, flags
DATA, DIMENSIONS_COUNT, DIMENSIONS, DTYPE, FLAGS = 16, 24, 32, 56, 64
C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
NEW_ARRAY = 93  # PyArray_New in NumPy's table of functions
TYPE_NUMBER = {"double": 12, "float": 11}


def supported():
    """Is this a Python whose objects are laid out as assumed here?"""
    return (
        sys.implementation.name == "cpython"
        and struct.calcsize("P") == 8
        and sys.byteorder == "little"
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
    )


def has_entry(graph):
    """Only a Program with one output returns a plain array."""
    return len(graph.outputs) == 1 and len(graph.inputs) <= 16


def define_call(module, graph, element, body):
    """Add `ptr @call(ptr self, ptr args, i64 nargs, ptr kwnames)` and its `@context`."""
    shapes = [*graph.inputs.values(), *(shape for shape, _ in graph.outputs.values())]
    n = len(graph.inputs)
    output_shape = shapes[-1]
    dims = output_shape or (1,)
    checks = "\n".join(
        _check_array(k, shape, "out.checked" if k == n else f"check{k + 1}", k == n, n)
        for k, shape in enumerate(shapes)
    )
    arguments = ", ".join(f"ptr %data{k}" for k in range(n))
    dims_text = ", ".join(f"i64 {d}" for d in dims)
    module.define(
        "call",
        f"""
@context = global [{len(CONTEXT)} x i64] zeroinitializer, align 8
@dimensions = private constant [{len(dims)} x i64] [{dims_text}], align 8

define ptr @call(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) {{
entry:
{chr(10).join(_context(k, name) for k, name in enumerate(CONTEXT))}
  %count.ok = icmp eq i64 %nargs, {n}
  br i1 %count.ok, label %check0, label %general
{checks}
fresh:
  %made = call ptr %new_array.p(ptr %array_type.p, i32 {len(output_shape)}, ptr @dimensions, i32 {TYPE_NUMBER[element]}, ptr null, ptr null, i32 0, i32 0, ptr null)
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %error, label %compute
out.checked:
  call void %incref.p(ptr %array{n})
  br label %compute
compute:
  %result = phi ptr [ %made, %fresh ], [ %array{n}, %out.checked ]
  %result.data.at = getelementptr i8, ptr %result, i64 {DATA}
  %result.data = load ptr, ptr %result.data.at, align 8
  call void @{body}({arguments}, ptr %result.data)
  ret ptr %result
error:
  ret ptr null
general:
  %handed.on = call ptr %vectorcall.p(ptr %fallback.p, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %handed.on
}}""",
    )


def _context(k, name):
    return f"""  %{name}.at = getelementptr i64, ptr @context, i64 {k}
  %{name} = load i64, ptr %{name}.at, align 8
  %{name}.p = inttoptr i64 %{name} to ptr"""


def _check_array(k, shape, next_, is_out, n):
    """Is argument k an array the body can use in place? If not, go to the general path."""
    flags = C_CONTIGUOUS | ALIGNED | (WRITEABLE if is_out else 0)
    before = ""
    if is_out:  # after the positional arguments: no keyword, or exactly `out`
        before = f"""check{n}:
  %no.keywords = icmp eq ptr %kwnames, null
  br i1 %no.keywords, label %fresh, label %keywords
keywords: ; a tuple: its length stands at 16, its first item at 24
  %kw.size.at = getelementptr i8, ptr %kwnames, i64 16
  %kw.size = load i64, ptr %kw.size.at, align 8
  %kw.one = icmp eq i64 %kw.size, 1
  br i1 %kw.one, label %keyword, label %general
keyword:
  %kw.first.at = getelementptr i8, ptr %kwnames, i64 24
  %kw.first = load i64, ptr %kw.first.at, align 8
  %kw.is.out = icmp eq i64 %kw.first, %out_name
  br i1 %kw.is.out, label %check.out, label %general
"""
    label = "check.out" if is_out else f"check{k}"
    dims = "\n".join(
        f"""  %dim{k}.{d}.at = getelementptr i64, ptr %dims{k}, i64 {d}
  %dim{k}.{d} = load i64, ptr %dim{k}.{d}.at, align 8
  %dim{k}.{d}.ok = icmp eq i64 %dim{k}.{d}, {length}
  br i1 %dim{k}.{d}.ok, label %{f"dims{k}.{d + 1}" if d + 1 < len(shape) else next_}, label %general
{f"dims{k}.{d + 1}:" if d + 1 < len(shape) else ""}"""
        for d, length in enumerate(shape)
    )
    return f"""{before}{label}:
  %arg{k}.at = getelementptr ptr, ptr %args, i64 {k}
  %array{k} = load ptr, ptr %arg{k}.at, align 8
  %type{k}.at = getelementptr i8, ptr %array{k}, i64 8
  %type{k} = load i64, ptr %type{k}.at, align 8
  %type{k}.ok = icmp eq i64 %type{k}, %array_type
  br i1 %type{k}.ok, label %is.array{k}, label %general
is.array{k}:
  %data{k}.at = getelementptr i8, ptr %array{k}, i64 {DATA}
  %data{k} = load ptr, ptr %data{k}.at, align 8
  %nd{k}.at = getelementptr i8, ptr %array{k}, i64 {DIMENSIONS_COUNT}
  %nd{k} = load i32, ptr %nd{k}.at, align 4
  %nd{k}.ok = icmp eq i32 %nd{k}, {len(shape)}
  %dtype{k}.at = getelementptr i8, ptr %array{k}, i64 {DTYPE}
  %dtype{k} = load i64, ptr %dtype{k}.at, align 8
  %dtype{k}.ok = icmp eq i64 %dtype{k}, %dtype
  %flags{k}.at = getelementptr i8, ptr %array{k}, i64 {FLAGS}
  %flags{k} = load i32, ptr %flags{k}.at, align 4
  %flags{k}.set = and i32 %flags{k}, {flags}
  %flags{k}.ok = icmp eq i32 %flags{k}.set, {flags}
  %both{k} = and i1 %nd{k}.ok, %dtype{k}.ok
  %all{k} = and i1 %both{k}, %flags{k}.ok
  %dims{k}.at = getelementptr i8, ptr %array{k}, i64 {DIMENSIONS}
  %dims{k} = load ptr, ptr %dims{k}.at, align 8
  br i1 %all{k}, label %{f"dims{k}.0" if shape else next_}, label %general
{f"dims{k}.0:" if shape else ""}
{dims}"""


class _MethodDef(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


FASTCALL_WITH_KEYWORDS = 0x0080 | 0x0002
OUT = sys.intern("out")


def make_callable(code, fallback, element):
    """A built-in function around `@call`, and the objects that must outlive it."""
    api = ctypes.pythonapi
    capsule = api.PyCapsule_GetPointer
    capsule.restype, capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(
        capsule(np._core.multiarray._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p)
    )
    dtype = np.dtype({"double": np.float64, "float": np.float32}[element])
    words = {
        "array_type": id(np.ndarray),
        "dtype": id(dtype),
        "new_array": table[NEW_ARRAY],
        "fallback": id(fallback),
        "vectorcall": ctypes.cast(api.PyObject_Vectorcall, ctypes.c_void_p).value,
        "out_name": id(OUT),
        "incref": ctypes.cast(api.Py_IncRef, ctypes.c_void_p).value,
    }
    context = (ctypes.c_int64 * len(CONTEXT)).from_address(code.global_address("context"))
    context[:] = [words[name] for name in CONTEXT]
    definition = _MethodDef(
        b"kernel", code.address("call"), FASTCALL_WITH_KEYWORDS, b"One compiled Program."
    )
    new = api.PyCMethod_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.POINTER(_MethodDef), ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    function = new(ctypes.byref(definition), None, None, None)
    return function, (definition, context, dtype, fallback, code)
