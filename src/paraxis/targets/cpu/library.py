"""A body as an object file with a C interface, for a library that needs no Python.

    void NAME(const double *q, ..., double *tau);
    void NAME_batch(size_t states, const double *q, ..., double *tau);

The same code as a kernel's: a straight line for one state, vectors for a batch. The caller's
thread does all the work.
"""

from dataclasses import replace

from ...drivers.map import ARRAY, HEADER, STATUS, layout_of
from ...errors import ArgumentError
from ...graph.graph import size
from ...passes.fuse import fuse
from ...passes.order import trig_first
from ..number import checked_dtype
from . import host
from .map import ELEMENTS, define_batch
from .text.body import define_body
from .text.lanes import Lanes
from .text.module import Module


def object_code(graph, name, dtype="float64", cpu=None):
    """The bytes of the object file, for this CPU or for all of a level, as "x86-64-v3"."""
    return host.compile_object(assembly_source(graph, name, dtype, cpu), cpu)


def assembly_source(graph, name, dtype="float64", cpu=None):
    """The LLVM module, as text; `name` is an identifier of C."""
    lanes = _lanes(checked_dtype(dtype), cpu)
    fused = fuse(graph) if lanes.fused else graph
    order, one, module = trig_first(fused), lanes.single, Module()
    define_batch(module, fused, order, lanes, linkage="internal")
    frame = define_body(module, "body_one", fused, order, one)
    for entry in (name, f"{name}_batch"):
        if module.has(entry):
            raise ArgumentError(f"name: {entry!r} is reserved by the library; choose another")
    pointers = ", ".join(f"ptr %array{k}" for k in range(len(graph.shapes)))
    module.define(
        name,
        f"""
define void @{name}({pointers}) nounwind {{
  %frame = alloca [{max(frame, 1)} x {lanes.element}], align {lanes.size}
  call void @body_one({pointers}, ptr %frame)
  ret void
}}""",
    )
    entries = [size(shape) for shape in graph.shapes]
    module.define(f"{name}_batch", _batch(name, pointers, entries, lanes))
    return str(module)


def _lanes(dtype, cpu):
    element = ELEMENTS[dtype]
    bits = host.register_bits() if cpu is None else _level_bits(cpu)
    one = Lanes(element, 1, bool(cpu) or host.has_fma())
    return replace(one, count=bits // 8 // one.size)


def _level_bits(cpu):
    machine = host.triple().split("-")[0]
    if cpu not in host.LEVELS or machine != "x86_64":
        raise ArgumentError(
            f"cpu: expected one of {tuple(host.LEVELS)} on an x86_64 machine, or None for "
            f"the CPU of this machine, found {cpu!r} on {machine}"
        )
    return host.LEVELS[cpu]


def _batch(name, pointers, entries, lanes):
    """A job of one chunk with all states in rows (drivers/map.py), for `@run` to do.

    Should `@run` find no memory for the scratch of long vectors, states are done one by one,
    which takes less: a caller of C has nobody to ask about an error.
    """
    stores = [_word(0, "%states"), _word(1, 0), _word(2, "%states"), _word(3, 1), _word(4, 1)]
    stores += [_word(k, 0) for k in range(5, HEADER)]
    for k, count in enumerate(entries):
        row = count * lanes.size
        stores.append(f"  %address{k} = ptrtoint ptr %array{k} to i64")
        words = (f"%address{k}", lanes.size, row, layout_of(count, lanes.size, row, lanes.size))
        stores += [_word(HEADER + k * ARRAY + j, word) for j, word in enumerate(words)]
    steps = [
        f"  %offset{k} = mul i64 %state, {count * lanes.size}\n"
        f"  %row{k} = getelementptr i8, ptr %array{k}, i64 %offset{k}"
        for k, count in enumerate(entries)
    ]
    rows = ", ".join(f"ptr %row{k}" for k in range(len(entries)))
    return f"""
define void @{name}_batch(i64 %states, {pointers}) nounwind {{
entry:
  %job = alloca [{HEADER + ARRAY * len(entries)} x i64], align 8
  %none = icmp eq i64 %states, 0
  br i1 %none, label %done, label %some
some:
{_lines(stores)}
  call void @run(ptr %job)
  %status.at = getelementptr i64, ptr %job, i64 {STATUS}
  %status = load i64, ptr %status.at, align 8
  %computed = icmp eq i64 %status, 0
  br i1 %computed, label %done, label %one
one:
  %state = phi i64 [ 0, %some ], [ %next, %one ]
{_lines(steps)}
  call void @{name}({rows})
  %next = add i64 %state, 1
  %more = icmp ult i64 %next, %states
  br i1 %more, label %one, label %done
done:
  ret void
}}"""


def _word(index, value):
    return f"""  %word{index} = getelementptr i64, ptr %job, i64 {index}
  store i64 {value}, ptr %word{index}, align 8"""


def _lines(parts):
    return "\n".join(parts)
