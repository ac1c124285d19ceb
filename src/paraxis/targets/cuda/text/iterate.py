"""The kernel of the `iterate` driver as text: one thread per state, all steps in it.

What is carried stays in registers from the first step to the last. Held inputs do too, unless they
are many; then each step reads them again. Records are written as soon as they are made. Of every
array the kernel gets the distances between its steps, states and entries.
"""

from dataclasses import dataclass

from ....graph.graph import size
from ....passes.fuse import fuse
from ....passes.order import few_alive
from ...source.c import TYPES
from ...source.text import Names, function_name
from .body import LONG, Body, device_language
from .prologue import prologue

THREADS = 64  # of a block: small ones fill what registers allow best
MOST_HELD = 32  # entries of held inputs that stay in registers
OWN_WORDS = ("steps", "every", "since", "step", "recorded", "stopped", "done")

# A distance of which a compiler no longer knows that it is what it was a step ago: else it would
# read what is held before the first step, and keep it in memory that is no faster.
FORGET = """
#ifdef __CUDA_ARCH__
#define FORGET(distance) asm volatile("" : "+l"(distance))
#else
#define FORGET(distance)
#endif
"""


@dataclass(frozen=True)
class LoopText:
    """A kernel and what its caller must know of it.

    Its arguments: the states, the steps, every which step is recorded, the steps since the last
    record; then the arrays, inputs, records and, with `until`, which states are done, each followed
    by its distances between steps, states and entries, in elements.
    """

    text: str
    name: str
    threads: int  # of a block
    size: str  # "usual" or "long": what compilers should be told


def iterate_text(graph, plan, dtype="float64"):
    return _Loop(graph, plan, dtype).text()


class _Loop:
    """Arrays are known by ("input", name), ("record", name) and ("done", name)."""

    def __init__(self, graph, plan, dtype):
        self.graph, self.plan = fuse(graph), plan
        self.dtype, self.real = dtype, TYPES[dtype]
        language = device_language(dtype)
        self.name = function_name(graph, None, language) + "_loop"
        self._names = Names(language, self.name)
        self._names.given.update(OWN_WORDS)
        self.arrays = [("input", name) for name in plan.inputs]
        self.arrays += [("record", name) for name in plan.record]
        self.arrays += [("done", plan.until)] if plan.until else []
        self.called = {key: self._names.new("_".join(reversed(key))) for key in self.arrays}
        self.held = [x for x in plan.inputs if x not in plan.carry and x not in plan.per_step]
        self.few_held = sum(size(plan.inputs[name]) for name in self.held) <= MOST_HELD
        self.kept = self._variables(plan.carry, "now")
        self.following = self._variables(plan.carry, "next")
        self.registers = self.kept | (self._variables(self.held, "held") if self.few_held else {})
        self.recorded_by = {}  # output -> the records that it goes to
        for name in plan.record:
            self.recorded_by.setdefault(plan.carry.get(name, name), []).append(name)
        self.becomes = {output: name for name, output in plan.carry.items()}

    def text(self):
        order = few_alive(self.graph)
        body = Body(self.graph, self.dtype, order, self.load, self.stored).lines()
        start = ["const long long state = blockIdx.x * (long long)THREADS + threadIdx.x;"]
        start.append("if (state >= states) return;")
        start += [f"{name} += state * {name}_state;" for name in self.called.values()]
        if self.plan.until:
            start.append(f"{self.real} done = *{self.called['done', self.plan.until]};")
            start.append("if (done != 0) return;")
        for name, variables in self.registers.items():
            kind = self.real if name in self.plan.carry else f"const {self.real}"
            start += [
                f"{kind} {v} = {self.entry('input', name, k)};" for k, v in enumerate(variables)
            ]
        step = [*self._before(), *body, *self._after()]
        end = [
            f"{self.entry('input', name, k)} = {v};"
            for name, variables in self.kept.items()
            for k, v in enumerate(variables)
        ]
        end += [f"*{self.called['done', self.plan.until]} = done;"] if self.plan.until else []
        text = f"""{prologue(self.dtype)}{FORGET}
extern "C" __global__ void __launch_bounds__({THREADS}) {self.name}(
    {self._head()})
{{
{_indented(start, 1)}
#pragma unroll 1
    for (long long step = 0; step < steps; step++) {{
{_indented(step, 2)}
    }}
{_indented(end, 1)}
}}
"""
        return LoopText(text, self.name, THREADS, "long" if len(order) > LONG else "usual")

    def _head(self):
        words = ["long long states, long long steps, long long every, long long since"]
        for (kind, name), called in self.called.items():
            read = kind == "input" and name not in self.plan.carry
            distances = ", ".join(f"long long {called}_{of}" for of in ("step", "state", "entry"))
            words.append(
                f"{'const ' if read else ''}{self.real} *__restrict__ {called}, {distances}"
            )
        return ",\n    ".join(words)

    def _before(self):
        """What a step begins with."""
        lines = [f"{self.real} {', '.join(v)};" for v in self.following.values()]
        if not self.few_held:
            lines += [f"FORGET({self.called['input', name]}_entry);" for name in self.held]
        if self.plan.until:
            lines.append(f"{self.real} stopped;")
        if self.plan.record:
            lines.append("const bool recorded = ++since == every;")
        return lines

    def _after(self):
        """What it ends with."""
        lines = [
            f"{old} = {new};"
            for name, variables in self.kept.items()
            for old, new in zip(variables, self.following[name], strict=True)
        ]
        if self.plan.record:
            on = [f"{x} += {x}_step;" for x in (self.called["record", y] for y in self.plan.record)]
            lines.append(f"if (recorded) {{ since = 0; {' '.join(on)} }}")
        streamed = (self.called["input", name] for name in self.plan.per_step)
        lines += [f"{name} += {name}_step;" for name in streamed]
        if self.plan.until:
            lines += ["done = stopped;", "if (done != 0) break;"]
        return lines

    def load(self, name, k):
        return self.registers[name][k] if name in self.registers else self.entry("input", name, k)

    def stored(self, output, k, value):
        lines = []
        if output in self.becomes:
            lines.append(f"{self.following[self.becomes[output]][k]} = {value};")
        for name in self.recorded_by.get(output, ()):
            lines.append(f"if (recorded) {self.entry('record', name, k)} = {value};")
        if output == self.plan.until:
            lines.append(f"stopped = {value};")
        return lines

    def entry(self, kind, name, k):
        called = self.called[kind, name]
        return f"{called}[{k} * {called}_entry]"

    def _variables(self, names, ending):
        """A name for each entry of some inputs."""
        return {
            x: [self._names.new(f"{x}_{k}_{ending}") for k in range(size(self.plan.inputs[x]))]
            for x in names
        }


def _indented(lines, depth):
    return "\n".join("    " * depth + line for line in lines)
