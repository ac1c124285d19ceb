"""The kernel of the `sweep` driver as text: one thread per row of elements, step after step.

An array is given by its address and the distances between rows (`group`), steps and entries. One
that is an input and an output is carried: it is read before the first step, written after the
last, and in between is in variables. Where rows are one element long, this is a map.
"""

import re
from dataclasses import dataclass

from ....graph.graph import size
from ....passes.fuse import fuse
from ....passes.order import few_alive
from ...source.c import TYPES
from ...source.text import Names, function_name
from .body import LONG, Body, called_in_text, device_language
from .prologue import prologue

THREADS = 64  # of a block: few, for a level of a scan is often too short to fill the GPU
ITEM = 8  # bytes of a number
RESERVED = " groups steps group s"
# Names that the text itself gives.
OWN = re.compile(r"\w+_(entry|step|group|now|next|made)|angle[0-9]+")


@dataclass(frozen=True)
class SweepText:
    """A kernel. Its arguments: the number of rows, that of steps, and of each array, inputs first,
    its address and three distances, in numbers."""

    text: str
    name: str
    size: str  # "usual" or "long": what compilers should be told


def sweep_text(graph, dtype="float64", overlapping=False):
    """The text; where results may overlap inputs, they wait until all of these are read."""
    return _Sweep(graph, dtype, overlapping).text()


class _Sweep:
    def __init__(self, graph, dtype, overlapping):
        self.graph, self.dtype, self.real = fuse(graph), dtype, TYPES[dtype]
        self.overlapping = overlapping
        language = device_language(dtype, RESERVED)
        self.name = function_name(graph, None, language) + "_sweep"
        names = Names(language, self.name)
        shapes = dict(graph.inputs) | {key: shape for key, (shape, _) in graph.outputs.items()}
        self.entries = {key: size(shape) for key, shape in shapes.items()}
        self.carried = [key for key in graph.inputs if key in graph.outputs]
        self.walked = [key for key in self.entries if key not in self.carried]
        self.called = called_in_text(self.entries, names, OWN)
        self.waiting = []  # statements for the end of a step

    def text(self):
        order = few_alive(self.graph)
        body = Body(self.graph, self.dtype, order, self.load, self.stored)
        step = [*body.lines(), *self.waiting]
        step += [f"{self.called[key]} += {self.called[key]}_step;" for key in self.walked]
        alone = "" if self.overlapping else "__restrict__ "
        head = ["long long groups", "long long steps"]
        for name in self.called.values():
            distances = (f"long long {name}_{along}" for along in ("group", "step", "entry"))
            head += [f"{self.real} *{alone}{name}", *distances]
        lines = [
            "const long long group = blockIdx.x * (long long)THREADS + threadIdx.x;",
            "if (group >= groups) return;",
            *(f"{name} += group * {name}_group;" for name in self.called.values()),
            *(
                f"{self.real} {self.variable(key, k)} = {self.place(key, k)};"
                for key, k in self.each_carried()
            ),
            "for (long long s = 0; s < steps; s++) {",
            *("    " + line for line in step),
            "}",
            *(f"{self.place(key, k)} = {self.variable(key, k)};" for key, k in self.each_carried()),
        ]
        parameters = ",\n    ".join(head)
        code = "\n".join("    " + line for line in lines)
        text = f"""{prologue(self.dtype)}
extern "C" __global__ void __launch_bounds__({THREADS}) {self.name}(
    {parameters})
{{
{code}
}}
"""
        return SweepText(text, self.name, "long" if len(order) > LONG else "usual")

    def each_carried(self):
        return [(key, k) for key in self.carried for k in range(self.entries[key])]

    def place(self, key, k):
        name = self.called[key]
        return f"{name}[{k} * {name}_entry]"

    def variable(self, key, k):
        return f"{self.called[key]}_{k}_now"

    def load(self, key, k):
        return self.variable(key, k) if key in self.carried else self.place(key, k)

    def stored(self, key, k, value):
        """A carried value is still read until the step is done."""
        if key in self.carried:
            later = f"{self.called[key]}_{k}_next"
            self.waiting.append(f"{self.variable(key, k)} = {later};")
        elif self.overlapping:
            later = f"{self.called[key]}_{k}_made"
            self.waiting.append(f"{self.place(key, k)} = {later};")
        else:
            return [f"{self.place(key, k)} = {value};"]
        return [f"const {self.real} {later} = {value};"]
