"""The kernels of the `map` driver as text: one thread per state, the whole robot in registers."""

import re
from dataclasses import dataclass
from functools import partial

from ....drivers.device_map import APART, ROWS
from ....graph.graph import size
from ....passes.fuse import fuse
from ....passes.order import most_alive, result_by_result
from ....passes.split import parts
from ...source.c import SIZES
from ...source.text import Names, function_name
from .access import WRITTEN, RowsWrittenAlone, read
from .body import LONG, Body, called_in_text, device_language
from .collect import ROOM, collected
from .prologue import prologue

THREADS = 64  # of a block
WIDE = 4000  # entries of results, from which on compilers need to be told
COMPACT = 3000  # nodes of a kernel, from which on it is short of room for instructions: 128 KB
# Names that the text itself gives.
OWN = re.compile(r"\w+_(entry|state|outer|row|column|made|before|value[0-9]+)|angle[0-9]+")
MOST_VALUES = {"float64": 190, "float32": 300}  # alive at once, in 255 registers and a little more
DEAREST = 1.6  # times the operations of the whole, that its parts may have together
# The same in float32 for a graph that does not fit into the cache of instructions, whose parts do.
UNCACHED, DEAREST_UNCACHED = 8000, 2.5  # nodes, and times
# Inputs wait in shared memory where reading them all at once takes this many times the registers,
# or where there are hardly enough registers anyway.
WAITING_PAYS, MANY_REGISTERS = 1.08, 200
BESIDES = 1  # registers: what else a thread needs, values that are not alive then make room for
MOST_WARPS = 8  # on a quarter of a multiprocessor; with more, memory is not faster


@dataclass(frozen=True)
class Kernel:
    """A kernel as its caller must know it."""

    name: str
    threads: int  # of a block
    shared: int  # bytes of a block
    states: int  # that a block computes


@dataclass(frozen=True)
class MapText:
    """A text and its kernels, all to be run, in any order."""

    text: str
    kernels: tuple
    size: str  # "usual", "long" or "wide": what compilers should be told


def map_text(graph, layouts, dtype="float64"):
    """The text; `layouts` are those of the arrays, inputs first."""
    fused, language = fuse(graph), device_language(dtype)
    name = function_name(graph, None, language)
    is_uncached = dtype == "float32" and len(fused.nodes) > UNCACHED
    dearest = max(DEAREST, DEAREST_UNCACHED) if is_uncached else DEAREST
    found = parts(fused, MOST_VALUES[dtype], dearest)
    kernels, texts = [], [prologue(dtype)]
    for k, part in enumerate(found):
        called = f"{name}_map" + (f"{k}" if len(found) > 1 else "")
        kernel, text = _kernel(called, fused, part, list(layouts), dtype, language)
        kernels.append(kernel)
        texts.append(text)
    is_long = any(len(part.nodes) > LONG for part in found)
    is_wide = sum(size(shape) for shape, _ in graph.outputs.values()) > WIDE
    kind = "long" if is_long else "wide" if is_wide else "usual"
    return MapText("\n".join(texts), tuple(kernels), kind)


def _kernel(called, graph, part, layouts, dtype, language):
    names = Names(language, called)
    inputs, outputs = graph.inputs, {key: shape for key, (shape, _) in graph.outputs.items()}
    called_by = called_in_text((*inputs, *outputs), names, OWN)
    needed = {node.value for node in part.nodes if node.op == "input"}
    needed |= {(key, k) for key, entries in graph.unused for k in entries}
    given, made = {}, {}
    layout_of = dict(zip((*inputs, *outputs), layouts, strict=True))
    taken = sum(size(shape) for key, shape in inputs.items() if layout_of[key] == ROWS)
    in_rows = {key: shape for key, shape in outputs.items() if layout_of[key] == ROWS}
    kinds = collected(in_rows, part, taken, THREADS, dtype)
    room = ROOM // (THREADS * SIZES[dtype])  # numbers per state
    for key, shape in outputs.items():
        used, n = part.ranges.get(key, range(0)), size(shape)
        if key in in_rows:
            kind = kinds.get(key, RowsWrittenAlone)
        else:
            kind = partial(WRITTEN[layout_of[key]], is_compact=len(part.nodes) > COMPACT)
        made[key] = kind(called_by[key], n, dtype, used)
        room -= made[key].words
    in_turn = any(made[key].in_turn for key in part.ranges)
    order = result_by_result(part) if in_turn else part.order
    registers = most_alive(order) * SIZES[dtype] // 4 + BESIDES
    waits = registers > MANY_REGISTERS or _needs_more_at_once(order)
    for key, shape in inputs.items():
        used, n = [k for k in range(size(shape)) if (key, k) in needed], size(shape)
        given[key] = read(called_by[key], n, dtype, used, layout_of[key], waits, n <= room)
        room -= given[key].words
    body = Body(
        graph,
        dtype,
        order,
        load=lambda key, k: given[key].load(k),
        stored=lambda key, k, value: made[key].store(k, value),
        cleared=lambda key, entries: made[key].clear(entries),
        wanted=part.ranges,
    )
    lines = body.lines()
    every = [*given.values(), *(made[key] for key in part.ranges)]
    begin, words = _begin(every, APART in layouts)
    parameters = ["long long states", *(["long long inner"] if APART in layouts else [])]
    for access in (*given.values(), *made.values()):
        parameters += access.parameters()
    heads = ",\n    ".join(parameters)
    code = "\n".join(f"    {line}" for line in [*begin, *lines])
    bounds = f"__launch_bounds__({THREADS}, {_blocks(registers)})"
    text = f"""extern "C" __global__ void {bounds} {called}(
    {heads})
{{
{code}
}}
"""
    return Kernel(called, THREADS, words * THREADS * SIZES[dtype], THREADS), text


def _blocks(registers):
    """How many blocks should find room on a multiprocessor: else a compiler takes more registers
    than it must. Each quarter has 512 for a thread of every warp on it, given out by eights."""
    fitting = (w for w in range(MOST_WARPS, 2, -1) if 512 // w // 8 * 8 >= registers)
    warps = next(fitting, 2)
    return 4 * warps * 32 // THREADS


def _begin(accesses, has_two_axes):
    """The lines before anything is computed, and the numbers of shared memory a state."""
    lines = ["const long long index = blockIdx.x * (long long)THREADS + threadIdx.x;"]
    places, words = [], 0
    for access in accesses:
        places.append(words)
        words += access.words
    if any(access.together for access in accesses):  # so no thread of a warp may leave alone
        lines += [
            "const long long first = index - LANE;",
            "if (first >= states) return;",
            "const int count = states - first < LANES ? (int)(states - first) : LANES;",
            "const long long state = index < states ? index : states - 1;",
            "const int row = (int)(state - first);",
        ]
    else:
        lines += ["if (index >= states) return;", "const long long state = index;"]
    if words:
        real = accesses[0].real
        start = f"({real} *)memory + threadIdx.x / LANES * LANES * {words}"
        lines += ["SHARED(memory);", f"{real} *const tile = {start};"]
    if has_two_axes:
        lines.append("const long long outer = state / inner, within = state - outer * inner;")
    for access, place in zip(accesses, places, strict=True):
        lines += access.begin(place)
    if words:
        lines.append("ARRIVED();")
    for access, place in zip(accesses, places, strict=True):
        lines += access.ready(place)
    return lines, words


def _needs_more_at_once(order):
    """Are many more values alive where all inputs are read at the beginning?"""
    inputs = [node for node in order if node.op == "input"]
    early = inputs + [node for node in order if node.op != "input"]
    return most_alive(early) > WAITING_PAYS * most_alive(order)
