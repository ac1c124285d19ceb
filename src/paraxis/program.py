"""A Program: the graph of one function for one robot, with everything one can ask of it."""

import hashlib

from .backends.llvm.kernel import compile_kernel
from .errors import ArgumentError
from .graph import evaluate as interpreter
from .graph import text as text_form
from .graph.check import check
from .passes.count import count
from .passes.depth import depth, width


class Program:
    """Immutable. Made by `px.program` and `px.trace`; `str` of it is its text."""

    def __init__(self, graph, identity=None):
        self.graph = check(graph)
        self._identity = identity

    @property
    def name(self):
        return self.graph.name

    @property
    def inputs(self):
        """name -> shape, in calling order."""
        return dict(self.graph.inputs)

    @property
    def outputs(self):
        """name -> shape, in order."""
        return {name: shape for name, (shape, _) in self.graph.outputs.items()}

    def count(self):
        """The operations: .mul .add .div .sqrt .trig .flops ; the rule: paraxis.passes.count."""
        return count(self.graph)

    def depth(self):
        """The operations on the critical path: .mul .add .flops, processors unlimited."""
        return depth(self.graph)

    def width(self):
        """How many flops could run at once at each step."""
        return width(self.graph)

    @property
    def marks(self):
        """The names of its marked intermediate values."""
        return sorted({name for name, _ in self.graph.marks})

    def with_marks(self, *names):
        """The same Program with the marked intermediate values as further outputs."""
        for name in names:
            if not self.marks:
                raise ArgumentError(
                    f"mark {name!r}: this Program has none; name an algorithm "
                    "(px.program(robot, algorithm=...)) to have its values marked"
                )
            if name not in self.marks:
                raise ArgumentError(f"mark: expected one of {self.marks}, found {name!r}")
        return Program(self.graph.with_marks(*names))

    def text(self):
        """The Program as lines that a person reads and `px.parse` reads back."""
        return text_form.text(self.graph)

    __str__ = text

    def evaluate(self, **arrays):
        """Run the slow interpreter. One array for a single output, else a dict."""
        results = interpreter.evaluate(self.graph, arrays)
        return next(iter(results.values())) if len(results) == 1 else results

    def compile(self, target="cpu", dtype="float64", threads=None):
        """Machine code for this Program, from the disk cache when it is there."""
        if target != "cpu":
            raise ArgumentError(f"target: expected 'cpu', found {target!r}")
        identity = self._identity or hashlib.sha256(self.text().encode()).hexdigest()
        return compile_kernel(identity, lambda: self.graph, work, dtype, threads)

    def __repr__(self):
        shapes = ", ".join(f"{name}{list(shape)}" for name, shape in self.inputs.items())
        results = ", ".join(f"{name}{list(shape)}" for name, shape in self.outputs.items())
        return f"<Program {self.name}({shapes}) -> {results}: {self.count()}>"


def work(graph):
    """Roughly how long one state takes, in flops, for deciding about threads."""
    total = count(graph)
    return total.flops + total.logic + 25 * total.trig
