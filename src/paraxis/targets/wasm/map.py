"""A graph over a batch of states, as a WebAssembly module with the interface of C.

    void NAME(const double *q, ..., double *tau);
    void NAME_batch(int32_t states, const double *q, ..., double *tau);

States are one after another. Two are computed side by side, by the code that a CPU's kernel has.
"""

from ...drivers.map import ARRAY, HEADER, layout_of
from ...errors import ArgumentError
from ...graph.graph import size
from ...passes.order import trig_first
from ..cpu.text.body import define_body
from ..cpu.text.job import lines
from ..cpu.text.lanes import Lanes
from ..cpu.text.map import define_run
from ..cpu.text.module import Module
from .module import compiled

# Engines keep values of long functions in memory, and badly: at 150 lines a step of a Panda is 1.7
# times as fast as at 4000, one of a UR5 1.2 times; at 60 lines both are slower again.
LANES = Lanes("double", 2, fused=False, most_lines=150)


def map_module(graph, name):
    """The bytes of the module; `name` is an identifier of C."""
    return compiled(assembly_source(graph, name))


def assembly_source(graph, name):
    """The whole LLVM module, as text."""
    module = Module()
    frame = define_body(module, "body", graph, trig_first(graph), LANES)
    define_run(module, graph, LANES, "body", frame, False, linkage="internal", alone=True)
    pointers = ", ".join(f"ptr %array{k}" for k in range(len(graph.shapes)))
    require_free(module, name, f"{name}_batch")
    module.define(
        name,
        f"""
define void @{name}({pointers}) nounwind {{
  call void @{name}_batch(i32 1, {pointers})
  ret void
}}""",
    )
    entries = [size(shape) for shape in graph.shapes]
    module.define(f"{name}_batch", _batch(name, pointers, entries))
    return str(module)


def _batch(name, pointers, entries):
    """One chunk of all states, for `@run` to do."""
    words = {0: "%states", 2: "%states", 3: 1, 4: 1}
    for k, count in enumerate(entries):
        row = count * LANES.size
        described = f"%address{k}", LANES.size, row, layout_of(count, LANES.size, row, LANES.size)
        words |= {HEADER + k * ARRAY + j: word for j, word in enumerate(described)}
    return f"""
define void @{name}_batch(i32 %count, {pointers}) nounwind {{
  %states = zext i32 %count to i64
{lines(f"  %address{k} = ptrtoint ptr %array{k} to i64" for k in range(len(entries)))}
{job(words, HEADER + ARRAY * len(entries))}
  call void @run(ptr %job)
  ret void
}}"""


def require_free(module, *names):
    """Refuse names of functions that the module has for itself."""
    for name in names:
        if module.has(name) or name in ("memory", "heap", "scratch"):
            raise ArgumentError(f"name: {name!r} is reserved by the module; choose another")


def job(words, count):
    """Lines that make %job, a row of so many words; those that are not given are zero."""
    return lines(
        [
            f"  %job = alloca [{count} x i64], align 8",
            *(
                f"  %word{k} = getelementptr i64, ptr %job, i64 {k}\n"
                f"  store i64 {words.get(k, 0)}, ptr %word{k}, align 8"
                for k in range(count)
            ),
        ]
    )
