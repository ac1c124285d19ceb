"""A body as an object file with a C interface, for a library that needs no Python.

    void NAME(const double *q, ..., double *tau);
    void NAME_batch(size_t states, const double *q, ..., double *tau);

The same code as a kernel's: a straight line for one state, vectors for a batch. The caller's
thread does all the work. Processors without vectors do the states of a batch one by one.
"""

import re
from dataclasses import replace

from ...drivers.map import ARRAY, HEADER, STATUS, layout_of
from ...errors import ArgumentError
from ...graph.graph import size
from ...passes.fuse import fuse
from ...passes.order import trig_first
from ..number import checked_dtype
from . import host
from .machines import machine_of
from .map import ELEMENTS, define_batch
from .text.body import define_body
from .text.lanes import Lanes
from .text.module import Module


def object_code(graph, name, dtype="float64", cpu=None, target=None):
    """The bytes of the object file, for this CPU or for all of a level, as "x86-64-v3".

    `target` is a name of machines.py; without one the object is for this machine.
    """
    text = assembly_source(graph, name, dtype, cpu, target)
    if target is None:
        return host.compile_object(text, cpu)
    return host.compile_for(machine_of(target, cpu).for_llvm, text)


def assembly_source(graph, name, dtype="float64", cpu=None, target=None):
    """The LLVM module, as text; `name` is an identifier of C."""
    element, machine = ELEMENTS[checked_dtype(dtype)], target and machine_of(target, cpu)
    module, size_bits = Module(), 64
    if machine is None:
        bits, has_fma = _register_bits(cpu), cpu or host.has_fma()
    else:
        bits, size_bits = machine.vector_bits, machine.size_bits
        has_fma = machine.has_float64 or element == "float"
    one = Lanes(element, 1, bool(has_fma))
    lanes = replace(one, count=max(1, bits // 8 // one.size))
    fused = fuse(graph) if lanes.fused else graph
    order = trig_first(fused)
    if lanes.count > 1:
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
  %frame = alloca [{max(frame, 1)} x {element}], align {one.size}
  call void @body_one({pointers}, ptr %frame)
  ret void
}}""",
    )
    entries = [size(shape) for shape in graph.shapes]
    states = "i64 %states" if size_bits == 64 else f"i{size_bits} %given"
    head = f"define void @{name}_batch({states}, {pointers}) nounwind"
    widened = "" if size_bits == 64 else f"  %states = zext {states} to i64\n"
    batch = _batch(name, entries, lanes)
    module.define(f"{name}_batch", f"{head} {{\nentry:\n{widened}{batch}\n}}")
    text = str(module)
    if machine and machine.is_windows:  # whoever walks the stack there reads tables
        text = re.sub("^(define .* nounwind)", r"\1 uwtable", text, flags=re.MULTILINE)
    return text if size_bits == 64 else _without_extremes(_with_sizes(text, size_bits))


def _with_sizes(text, bits):
    """What LLVM makes a call of C of takes sizes as C has them there."""
    text = text.replace(
        "llvm.memset.p0.i64(ptr, i8, i64,", f"llvm.memset.p0.i{bits}(ptr, i8, i{bits},"
    )
    call = r"@llvm\.memset\.p0\.i64\((ptr \S+, i8 0), i64"
    return re.sub(call, rf"@llvm.memset.p0.i{bits}(\1, i{bits}", text)


def _without_extremes(text):
    """LLVM 22 fails on `minimum` and `maximum` of float64 for 32-bit ARM: functions instead."""
    for name, first, second in (("minimum", "olt", "oge"), ("maximum", "ogt", "ole")):
        declared = f"declare double @llvm.{name}.f64(double, double)"
        function = f"""
define internal double @own_{name}(double %a, double %b) nounwind {{
  %is.a = fcmp {first} double %a, %b
  %is.b = fcmp {second} double %a, %b
  %nan = fadd double %a, %b
  %other = select i1 %is.b, double %b, double %nan
  %value = select i1 %is.a, double %a, double %other
  ret double %value
}}"""
        text = text.replace(declared, function)
        text = text.replace(f"@llvm.{name}.f64(", f"@own_{name}(")
    return text


def _register_bits(cpu):
    if cpu is None:
        return host.register_bits()
    machine = host.triple().split("-")[0]
    if cpu not in host.LEVELS or machine != "x86_64":
        raise ArgumentError(
            f"cpu: expected one of {tuple(host.LEVELS)} on an x86_64 machine, or None for "
            f"the CPU of this machine, found {cpu!r} on {machine}"
        )
    return host.LEVELS[cpu]


def _batch(name, entries, lanes):
    """The lines that do `%states`: a job of one chunk with all states in rows (drivers/map.py), for
    `@run` to do; without vectors, states one by one.

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
    job, run = "", "  br label %one"
    if lanes.count > 1:
        job = f"  %job = alloca [{HEADER + ARRAY * len(entries)} x i64], align 8"
        run = f"""{_lines(stores)}
  call void @run(ptr %job)
  %status.at = getelementptr i64, ptr %job, i64 {STATUS}
  %status = load i64, ptr %status.at, align 8
  %computed = icmp eq i64 %status, 0
  br i1 %computed, label %done, label %one"""
    return f"""{job}
  %none = icmp eq i64 %states, 0
  br i1 %none, label %done, label %some
some:
{run}
one:
  %state = phi i64 [ 0, %some ], [ %next, %one ]
{_lines(steps)}
  call void @{name}({rows})
  %next = add i64 %state, 1
  %more = icmp ult i64 %next, %states
  br i1 %more, label %one, label %done
done:
  ret void"""


def _word(index, value):
    return f"""  %word{index} = getelementptr i64, ptr %job, i64 {index}
  store i64 {value}, ptr %word{index}, align 8"""


def _lines(parts):
    return "\n".join(parts)
