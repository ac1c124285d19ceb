"""The kernel of the `iterate` driver as text: one thread per state, all steps in it.

What is carried stays in registers from the first step to the last. Held inputs do too, unless they
are many; then each step reads them again. Records are written as soon as they are made. Of every
array the kernel gets the distances between its steps, states and entries.

In a step of several stages, what one makes for another is in arrays of the thread. Repetitions of
a stage are a loop, which a thread leaves when its state is to stop.
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
    states: int  # of a block
    shared: int = 0  # bytes of a block


def iterate_text(row, plan, dtype="float64"):
    return Loop(row, plan, dtype).text()


class Loop:
    """Arrays are known by ("input", name), ("record", name) and ("done", name)."""

    own_words = OWN_WORDS

    def __init__(self, row, plan, dtype):
        self.links, self.plan = row.links, plan
        self.dtype, self.real = dtype, TYPES[dtype]
        language = device_language(dtype)
        self.name = function_name(row, None, language) + "_loop"
        self._names = Names(language, self.name)
        self._names.given.update(self.own_words)
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
        self.passed = self._passed()

    def _passed(self):
        """output -> the array of the thread that holds it, if stages read it or repeat it."""
        found = {
            name: None
            for link in self.links
            for kind, name in link.reads.values()
            if kind == "output"
        }
        for link in self.links:
            if link.repeated:
                later = {*self.becomes, *self.recorded_by, *link.carry.values()}
                later |= {link.until, self.plan.until}
                found |= {name: None for name in link.graph.outputs if name in later}
        return {name: self._names.new(f"{name}_made") for name in found}

    def text(self):
        stages = [self._stage(link) for link in self.links]
        nodes = sum(count for count, _ in stages)
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
        step = [*self._before(), *(line for _, lines in stages for line in lines), *self._after()]
        end = [
            f"{self.entry('input', name, k)} = {v};"
            for name, variables in self.kept.items()
            for k, v in enumerate(variables)
        ]
        end += [f"*{self.called['done', self.plan.until]} = done;"] if self.plan.until else []
        text = f"""{prologue(self.dtype)}{FORGET}
extern "C" __global__ void __launch_bounds__({THREADS}) {self.name}(
    {parameters(self.called, self.plan, self.real)})
{{
{indented(start, 1)}
#pragma unroll 1
    for (long long step = 0; step < steps; step++) {{
{indented(step, 2)}
    }}
{indented(end, 1)}
}}
"""
        return LoopText(text, self.name, THREADS, "long" if nodes > LONG else "usual", THREADS)

    def _stage(self, link):
        """How many nodes it has, and its lines."""
        graph = fuse(link.graph)
        order = few_alive(graph)
        old = {  # what is carried, before it is written
            x: [self._names.new(f"{x}_{k}_old") for k in range(size(graph.inputs[x]))]
            for x in link.carry
        }

        def load(name, k):
            return old[name][k] if name in old else self.value(link.reads[name], k)

        def made(output, k, value):
            lines = [f"{self.passed[output]}[{k}] = {value};"] if output in self.passed else []
            return lines if link.repeated else lines + self.stored(output, k, value)

        lines = Body(graph, self.dtype, order, load, made).lines()
        if len(self.links) == 1 and not link.repeated:
            return len(order), lines
        if not link.repeated:
            return len(order), ["{", *inside(lines), "}"]
        return len(order), self._repeated(link, old, lines)

    def _repeated(self, link, old, lines):
        """The lines of a stage that is repeated, given those of a repetition."""
        first = [
            f"{self.passed[output]}[{k}] = {self.value(link.reads[name], k)};"
            for name, output in link.carry.items()
            for k in range(len(old[name]))
        ]
        before = [
            f"const {self.real} {v} = {self.passed[link.carry[name]]}[{k}];"
            for name, variables in old.items()
            for k, v in enumerate(variables)
        ]
        stop = [f"if ({self.passed[link.until]}[0] != 0) break;"] if link.until else []
        after = [
            line
            for output, (shape, _) in link.graph.outputs.items()
            for k in range(size(shape))
            for line in self.stored(output, k, f"{self.passed.get(output)}[{k}]")
        ]
        count = self._names.new("repetition")
        head = f"for (int {count} = 0; {count} < {link.stage.repeat}; {count}++) {{"
        return [*first, "#pragma unroll 1", head, *inside([*before, *lines, *stop]), "}", *after]

    def _before(self):
        """What a step begins with."""
        lines = [f"{self.real} {', '.join(v)};" for v in self.following.values()]
        lines += [
            f"{self.real} {called}[{size(self.plan.outputs[name])}];"
            for name, called in self.passed.items()
        ]
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

    def value(self, key, k):
        """The text of an entry of an input of the step, or of what an earlier stage has made."""
        kind, name = key
        if kind == "output":
            return f"{self.passed[name]}[{k}]"
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


def parameters(called, plan, real):
    """Those of a kernel: counts, then each array and its distances."""
    words = ["long long states, long long steps, long long every, long long since"]
    for (kind, name), array in called.items():
        constness = "const " if kind == "input" and name not in plan.carry else ""
        distances = ", ".join(f"long long {array}_{of}" for of in ("step", "state", "entry"))
        words.append(f"{constness}{real} *__restrict__ {array}, {distances}")
    return ",\n    ".join(words)


def inside(lines):
    return ["    " + line for line in lines]


def indented(lines, depth):
    return "\n".join("    " * depth + line for line in lines)
