"""The kernel of the `map` driver as text: one thread a state, for arrays that lie as they do.

rows      the entries of a state side by side, states one after another: a warp copies its
          rows together, through shared memory
columns   states side by side: entry k of all states at `entry` * k
apart     anything else: entries and states at any distance, states along two axes
"""

import re
from dataclasses import dataclass

from ...graph.graph import size
from ...passes.fuse import fuse
from ...passes.order import few_alive, most_alive, result_by_result
from ..source import Names, function_name
from .body import Body, device_language
from .prologue import TYPES, prologue

ROWS, COLUMNS, APART = "rows", "columns", "apart"
WARP = 32
OWN = re.compile(r"\w+_(entry|state|outer|row)|angle[0-9]+")  # names that the text itself gives
CHUNK = 32  # entries of a row that are written at once
ITEM = {"float64": 8, "float32": 4}


@dataclass(frozen=True)
class MapText:
    """A kernel and what its caller must know of it."""

    text: str
    name: str
    threads: int  # of a block
    shared: int  # bytes of a block
    alive: int  # values at once


def map_text(graph, layouts, dtype="float64", threads=128, blocks=None, order=None):
    """The text; `layouts` says of each array, inputs first, how it lies."""
    return _Map(graph, dict(layouts), dtype, threads, blocks, order).text()


class _Map:
    def __init__(self, graph, layouts, dtype, threads, blocks, order):
        self.graph, self.dtype, self.real = fuse(graph), dtype, TYPES[dtype]
        self.layouts, self.threads, self.blocks = layouts, threads, blocks
        self.language = device_language(dtype)
        self.name = function_name(graph, None, self.language) + "_map"
        names = Names(self.language, self.name)
        self.inputs, self.outputs = (
            dict(graph.inputs),
            {k: s for k, (s, _) in graph.outputs.items()},
        )
        self.called = {
            key: names.new(f"{key}_" if OWN.fullmatch(key) else key)
            for key in (*self.inputs, *self.outputs)
        }
        wide = any(
            layouts[key] == ROWS and size(shape) > 2 * CHUNK for key, shape in self.outputs.items()
        )
        self.order = order or (result_by_result if wide else few_alive)(self.graph)
        self.missing, self.held = {}, {}  # of a chunk: entries not made yet, and those that are

    def text(self):
        body = Body(self.graph, self.dtype, self.order, self.load, self.stored)
        lines = body.lines()
        inputs = [key for key in self.inputs if self.layouts[key] == ROWS]
        tile, places = 0, {}
        for key in inputs:
            places[key] = tile
            tile += size(self.inputs[key])
        out = max(
            (self._chunk_words(key) for key in self.outputs if self.layouts[key] == ROWS), default=0
        )
        place_out = tile
        tile += out
        head = ["long long states"]
        if APART in self.layouts.values():
            head.append("long long inner")
        for key, name in self.called.items():
            pointer = f"{'const ' if key in self.inputs else ''}{self.real} *__restrict__ {name}"
            head.append(pointer)
            if self.layouts[key] == COLUMNS:
                head.append(f"long long {name}_entry")
            if self.layouts[key] == APART:
                head += [
                    f"long long {name}_entry",
                    f"long long {name}_state",
                    f"long long {name}_outer",
                ]
        start = [
            "const long long state = blockIdx.x * (long long)THREADS + threadIdx.x;",
        ]
        if tile:
            start += [
                "SHARED(memory);",
                f"{self.real} *const tile = ({self.real} *)memory + threadIdx.x / LANES * LANES * {tile};",
                "const long long first = state - LANE;",
                "if (first >= states) return;",
                "const int count = states - first < LANES ? (int)(states - first) : LANES;",
            ]
            for key in inputs:
                n = size(self.inputs[key])
                name = self.called[key]
                start.append(
                    f"rows_in(tile + {places[key]} * LANES, {name} + first * {n}, count * {n}, {n} * LANES);"
                )
            if inputs:
                start.append("COPIED();")
            for key in inputs:
                n, name = size(self.inputs[key]), self.called[key]
                w = self._width(n)
                kind = {1: self.real, 2: "couple", 4: "quartet"}[w]
                start.append(
                    f"const {kind} *const {name}_row = (const {kind} *)(tile + {places[key]} * LANES + LANE * {n});"
                )
            if out:
                start.append(f"{self.real} *const made = tile + {place_out} * LANES;")
        else:
            start.append("if (state >= states) return;")
        if APART in self.layouts.values():
            start.append("const long long outer = state / inner, within = state - outer * inner;")
        for key, name in self.called.items():
            if self.layouts[key] == COLUMNS:
                start.append(f"{name} += state;")
            if self.layouts[key] == APART:
                start.append(f"{name} += outer * {name}_outer + within * {name}_state;")
        bounds = (
            f"__launch_bounds__({self.threads}{'' if self.blocks is None else f', {self.blocks}'})"
        )
        parameters = ",\n    ".join(head)
        code = "\n".join("    " + line for line in [*start, *lines])
        text = f"""{prologue(self.dtype)}
extern "C" __global__ void {bounds} {self.name}(
    {parameters})
{{
{code}
}}
"""
        shared = tile * self.threads * ITEM[self.dtype]
        return MapText(text, self.name, self.threads, shared, most_alive(self.order))

    def _width(self, n):
        for w in (4, 2) if self.dtype == "float32" else (2,):
            if n % w == 0:
                return w
        return 1

    def _chunk_words(self, key):
        n = size(self.outputs[key])
        if n <= 2 * CHUNK:
            return n
        return CHUNK | 1

    def load(self, key, k):
        name = self.called[key]
        if self.layouts[key] == ROWS:
            w = self._width(size(self.inputs[key]))
            return f"{name}_row[{k}]" if w == 1 else f"{name}_row[{k // w}].{'xyzw'[k % w]}"
        return f"{name}[{k} * {name}_entry]"

    def stored(self, key, k, value):
        name, n = self.called[key], size(self.outputs[key])
        if self.layouts[key] != ROWS:
            return [f"{name}[{k} * {name}_entry] = {value};"]
        chunk = 0 if n <= 2 * CHUNK else k // CHUNK
        low = 0 if n <= 2 * CHUNK else chunk * CHUNK
        high = n if n <= 2 * CHUNK else min(n, low + CHUNK)
        held = self.held.setdefault((key, chunk), {})
        held[k] = value
        if len(held) < high - low:
            return []
        lines = ["TOGETHER();"]
        if n <= 2 * CHUNK:
            lines += [f"made[LANE * {n} + {e}] = {held[e]};" for e in range(n)]
            lines += [
                "TOGETHER();",
                f"rows_out({name} + first * {n}, made, count * {n}, {n} * LANES);",
            ]
        else:
            width = high - low
            lines += [
                f"made[LANE * {width | 1} + {e - low}] = {held[e]};" for e in range(low, high)
            ]
            lines += [
                "TOGETHER();",
                f"columns_out({name} + first * {n} + {low}, made, count, {width}, {n});",
            ]
        return lines
