"""A step repeated, its state carried, as a WebAssembly module with the interface of C.

    void NAME_iterate(int32_t states, int32_t steps, int32_t every, int32_t since,
                      double *x, int32_t x_row, ..., double *record, ..., double *done);

Arrays come in the order of the plan: inputs, records, and `done` where states may end early.
States are one after another; those of `per_step` are (steps, states), and records (steps / every,
states). `row` is the number of bytes between the states of an input, 0 where all share it. Carried
inputs are read and written in place; `since` is the number of steps since the last record.
"""

from ...graph.graph import size
from ..cpu.text.iterate import (
    ARRAY,
    CHUNK,
    CHUNKS,
    EVERY,
    HEADER,
    SINCE,
    STATES,
    STEPS,
    define_iterate,
)
from ..cpu.text.job import lines
from ..cpu.text.module import Module
from .map import LANES, job, require_free
from .module import compiled


def iterate_module(row, plan, name):
    """The bytes of the module for a Row (drivers/row.py); `name` is an identifier of C."""
    return compiled(assembly_source(row, plan, name))


def assembly_source(row, plan, name):
    """The whole LLVM module, as text."""
    module = Module()
    define_iterate(module, plan, LANES, row, alone=True)
    require_free(module, name, f"{name}_iterate")
    text = str(module).replace("define void @iterate(", "define internal void @iterate(")
    return text + _entry(plan, name)


def _entry(plan, name):
    arrays = [*plan.inputs, *plan.record, *(["done"] if plan.until else [])]
    given, before = len(plan.inputs), []
    words = {STATES: "%states", CHUNK: "%states", CHUNKS: 1, STEPS: "%steps", EVERY: "%every"}
    words |= {SINCE: "%since"}
    parameters = [f"i32 %{word}.given" for word in ("states", "steps", "every", "since")]
    for k, array in enumerate(arrays):
        parameters.append(f"ptr %array{k}")
        before.append(f"  %address{k} = ptrtoint ptr %array{k} to i64")
        if k < given:
            parameters.append(f"i32 %row{k}.given")
            before.append(f"  %row{k} = zext i32 %row{k}.given to i64")
            before += _step_of_input(k, size(plan.inputs[array]), array in plan.per_step)
        else:
            row = LANES.size * (1 if array == "done" else size(plan.shape_of(array)))
            before += [f"  %row{k} = add i64 0, {row}", f"  %step{k} = mul i64 %states, {row}"]
        at = HEADER + ARRAY * k
        words |= {at: f"%address{k}", at + 1: f"%step{k}", at + 2: f"%row{k}"}
    return f"""
define void @{name}_iterate({", ".join(parameters)}) nounwind {{
{lines(f"  %{w} = zext i32 %{w}.given to i64" for w in ("states", "steps", "every", "since"))}
{lines(before)}
{job(words, HEADER + ARRAY * len(arrays))}
  call void @iterate(ptr %job)
  ret void
}}
"""


def _step_of_input(k, entries, per_step):
    """How many bytes are between its steps."""
    if not per_step:
        return [f"  %step{k} = add i64 0, 0"]
    return [
        f"  %shared{k} = icmp eq i64 %row{k}, 0",
        f"  %all{k} = mul i64 %states, %row{k}",
        f"  %step{k} = select i1 %shared{k}, i64 {entries * LANES.size}, i64 %all{k}",
    ]
