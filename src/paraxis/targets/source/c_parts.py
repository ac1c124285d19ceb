"""The parts of a graph (passes/parts.py) as C11: a function for each processor, and their header.

No allocation, no globals: processors share memory provided by the caller. Values between them are
in lines with a stamp, an atomic number that is written after and read before them.
"""

from functools import cached_property

from ...passes.parts import steps
from ...passes.pieces import cut, frame_places, frame_size
from ..number import checked_dtype
from .c import Function, c_language
from .text import MOST_NODES, Array, Statements, function_name, listed

LINE, STAMP = 64, 8  # bytes of a line; of its stamp, with what aligns the values
SIZE = {"float64": 8, "float32": 4}
RESERVED = """
    atomic_load_explicit atomic_store_explicit atomic_uint_least32_t memory_order_acquire
    memory_order_release sched_yield uint_least32_t call done line processor shared stamp value
"""
PATIENCE = 10_000  # looks at a stamp before other threads may run


def room(dtype):
    """The number of values in a line."""
    return (LINE - STAMP) // SIZE[checked_dtype(dtype)]


def source(graph, parts, name=None, dtype="float64", notes=(), with_header=False):
    """The text of a C file; `notes` are paragraphs for the comment it begins with.

    With `with_header` it includes the file that `header` writes.
    """
    functions = PartsFunctions(graph, parts, name, dtype)
    include = f'#include "{functions.name}.h"' if with_header else functions.declarations()
    texts = [text for processor in functions.processors for text in processor.texts()]
    between = "\n\n"
    return f"""{functions.comment(notes)}

#include <math.h>
{include}

#if defined __unix__ || defined __APPLE__
#include <sched.h>
#define PARAXIS_YIELD() (void)sched_yield()
#else
#define PARAXIS_YIELD() (void)0
#endif

{functions.wait()}

{between.join(texts)}

{functions.part()}

{functions.run()}
"""


def header(graph, parts, name=None, dtype="float64", notes=()):
    """The text of the header."""
    functions = PartsFunctions(graph, parts, name, dtype)
    guard = f"PARAXIS_{functions.name.upper()}_H"
    return f"""{functions.comment(notes)}

#ifndef {guard}
#define {guard}

{functions.declarations()}

{functions.run_head()};

/* For callers that synchronise by themselves: `call` counts the states from 1 on, the same on all
 * processors; outputs are available, and the next state may begin, when all have returned. */
{functions.part_head()};

#endif
"""


class PartsFunctions(Function):
    """The functions of all processors: their names and arguments."""

    def __init__(self, graph, parts, name, dtype):
        self.parts = parts
        name = function_name(graph, name, c_language(dtype))
        own = [f"{name}_{end}" for end in ("part", "run", "shared", "wait")]
        own += [f"{name}_on{k}" for k in range(len(parts))]
        super().__init__(graph, name, c_language(dtype, RESERVED + " ".join(own)))
        self.lines = sum(len(part.sends) for part in parts)

    @cached_property
    def processors(self):
        made, first = [], 0
        for k, (part, row) in enumerate(zip(self.parts, steps(self.parts), strict=True)):
            made.append(_Processor(self, k, part, row, first))
            first += len(made[-1].pieces)
        return made

    def usage(self):
        return (
            f"{len(self.parts)} processors call {self.name}_run, each with its number, from 0 on, "
            "and all with the same arrays and memory. It returns when all outputs are available. "
            "The memory is zeroed before the first call, and is for one computation at a time. "
            "Arrays of several dimensions are row-major. Outputs may not overlap inputs. No memory "
            "is allocated.",
        )

    def declarations(self):
        line = f"""    struct {{
        _Alignas({LINE}) atomic_uint_least32_t stamp;
        _Alignas({STAMP}) {self.real} value[{room(self.language.dtype)}];
    }} line[{self.lines}];
"""
        return f"""#include <stdatomic.h>
#include <stdint.h>

struct {self.name}_shared {{
{line if self.lines else ""}    struct {{
        _Alignas({LINE}) atomic_uint_least32_t done;
        uint_least32_t calls;
    }} processor[{len(self.parts)}];
}};"""

    def part_head(self):
        return self._head("part", "int processor", "uint_least32_t call")

    def run_head(self):
        return self._head("run", "int processor")

    def _head(self, ending, *first):
        shared = f"struct {self.name}_shared *shared"
        parameters = [*first, shared, *self.parameters(self.arrays)]
        return listed(f"void {self.name}_{ending}(", parameters, ")", "    ")

    def wait(self):
        return f"""/* Waits until a stamp is the number of this call or of a later one. */
static void {self.name}_wait(atomic_uint_least32_t *stamp, uint_least32_t call)
{{
    for (int looks = 1;; looks++) {{
        const uint_least32_t found = atomic_load_explicit(stamp, memory_order_acquire);
        if (((found - call) & 0xffffffffu) < 0x80000000u)
            return;
        if (looks == {PATIENCE}) {{
            PARAXIS_YIELD();
            looks = 0;
        }}
    }}
}}"""

    def part(self):
        unused = "" if self.lines else "    (void)call;\n    (void)shared;\n"
        cases = "\n".join(
            f"    case {processor.number}:\n{processor.call('        ')}\n        break;"
            for processor in self.processors
        )
        return f"""{self.part_head()}
{{
{unused}    switch (processor) {{
{cases}
    }}
}}"""

    def run(self):
        arguments = ["processor", "call", "shared", *self.arguments(self.arrays)]
        return f"""{self.run_head()}
{{
    const uint_least32_t call = ++shared->processor[processor].calls;
{listed(f"    {self.name}_part(", arguments, ");", " " * 8)}
    atomic_store_explicit(&shared->processor[processor].done, call, memory_order_release);
    for (int other = 0; other < {len(self.parts)}; other++)
        {self.name}_wait(&shared->processor[other].done, call);
}}"""


class _Processor:
    """The code of one processor: pieces that share a frame on its stack."""

    def __init__(self, functions, number, part, row, first):
        self.functions, self.number, self.part = functions, number, part
        self.name = f"{functions.name}_on{number}"
        cuts = cut(row, MOST_NODES, lambda step: getattr(step, "weight", 1))
        self.places = frame_places(cuts, ())
        stored = {}
        for at, node in part.stored.items():
            stored.setdefault(node.index, []).append(at)
        names = [f"{functions.name}_part{k}" for k in range(first, first + len(cuts))]
        self.pieces = [
            _Piece(self, name, steps, stored)
            for name, steps in zip(names if cuts[1:] else [self.name], cuts, strict=True)
        ]

    @property
    def frame(self):
        return f"{self.functions.real} frame[{frame_size(self.places)}]"

    def texts(self):
        """The functions of the pieces, then, if there are several, the one that calls them."""
        pieces = [piece.text() for piece in self.pieces]
        if len(pieces) == 1:
            return pieces
        calls = [piece.call("    ") for piece in self.pieces]
        if self.places:
            calls.insert(0, f"    {self.frame};")
        declared = [text for _, text in self._used()] or ["void"]
        head = listed(f"static void {self.name}(", declared, ")", "    ")
        return [*pieces, "\n".join([head, "{", *calls, "}"])]

    def call(self, indent):
        words = [name for name, _ in self._used()]
        return listed(f"{indent}{self.name}(", words, ");", indent + "    ")

    def _used(self):
        """(name, declaration) of the parameters that some piece needs, but for the frame."""
        used = {name: text for piece in self.pieces for name, text in piece.used()}
        order = ["call", "shared", *self.functions.arguments(self.functions.arrays)]
        return [(name, used[name]) for name in order if name in used]


class _Piece:
    """Statements of one function."""

    def __init__(self, processor, name, steps, stored):
        self.processor, self.name = processor, name
        self.functions, self.part = processor.functions, processor.part
        graph, language = self.part.graph, self.functions.language
        self.received = Array("shared", (), False)
        inputs = dict(zip(graph.inputs, [*self._inputs(), self.received], strict=False))
        numbers = {node.index: k for k, node in enumerate(graph.nodes)}
        self.straight = Statements(language, inputs, self._entry, numbers, processor.places)
        self.travels, self.poison = False, None
        for step in steps:
            self._write(step)
            for at in stored.get(step.index, ()):
                self._store(step, *at)

    def text(self):
        parameters = [text for _, text in self.used()]
        if self.straight.uses_frame:
            parameters.append(self.processor.frame)
        head = listed(f"static void {self.name}(", parameters or ["void"], ")", "    ")
        return "\n".join([head, "{", *(f"    {line}" for line in self.straight.lines), "}"])

    def call(self, indent):
        arguments = [name for name, _ in self.used()]
        if self.straight.uses_frame:
            arguments.append("frame")
        return listed(f"{indent}{self.name}(", arguments, ");", indent + "    ")

    def used(self):
        """(name, declaration) of the parameters, but for the frame."""
        functions, arrays = self.functions, self.straight.arrays
        used = [("call", "const uint_least32_t call")] if self.travels else []
        if self.travels or self.received in arrays:
            used.append(("shared", f"struct {functions.name}_shared *shared"))
        own = [array for array in functions.arrays if array in arrays]
        return [*used, *zip(functions.arguments(own), functions.parameters(own), strict=True)]

    def _inputs(self):
        return [array for array in self.functions.arrays if not array.is_output]

    def _entry(self, array, k):
        if array is not self.received:
            return self.functions.entry(array, k)
        line, place = self.part.receives[k]
        return f"shared->line[{line}].value[{place}]"

    def _write(self, step):
        put, lines, name = self.functions.language.put, self.straight.lines, self.functions.name
        if step.op == "wait":
            self.travels = True
            lines.append(f"{name}_wait(&shared->line[{step.line}].stamp, call);")
        elif step.op == "send":
            self.travels = True
            for k, value in enumerate([self.straight.value(a) for a in step.args]):
                lines.append(put.format(f"shared->line[{step.line}].value[{k}]", value))
            stamp = f"&shared->line[{step.line}].stamp"
            lines.append(f"atomic_store_explicit({stamp}, call, memory_order_release);")
        else:
            self.straight.compute([step])

    def _store(self, node, output, entry):
        graph = self.functions.graph
        value = self.straight.value(node)
        if graph.unused and graph.poisoned(output)[entry]:
            self.poison = self.poison or self.straight.poison(graph.unused)
            value = f"{value} + {self.poison}"
        made = [array for array in self.functions.arrays if array.is_output]
        array = made[list(graph.outputs).index(output)]
        self.straight.arrays.add(array)
        self.straight.lines.append(
            self.functions.language.put.format(self._entry(array, entry), value)
        )
