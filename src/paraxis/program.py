"""A Program: the graph of one function for one robot, with everything one can ask of it."""

import hashlib

from .backends.llvm.kernel import compile_kernel
from .errors import ArgumentError
from .graph import evaluate as interpreter
from .graph import text as text_form
from .graph.check import check
from .graph.derivative import jacobian
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

    def jacobian(self, output, input):
        """The Program of the derivatives of an output by an input, of shape output + input."""
        return Program(jacobian(self.graph, {f"d{output}_d{input}": (output, input)}))

    def gradient(self, output, input):
        """The Program of the derivatives of an output that is one number, in the input's shape."""
        if self.outputs.get(output, ()) != ():
            raise ArgumentError(
                f"gradient of {output!r}: expected an output that is one number, found shape "
                f"{self.outputs[output]}; program.jacobian takes any"
            )
        return self.jacobian(output, input)

    def compile(self, target="cpu", dtype="float64", threads=None):
        """Machine code for this Program, from the disk cache when it is there."""
        if target != "cpu":
            raise ArgumentError(f"target: expected 'cpu', found {target!r}")
        identity = self._identity or hashlib.sha256(self.text().encode()).hexdigest()
        return compile_kernel(identity, lambda: self.graph, work, dtype, threads)

    # Writers are imported where they are used: few programs write, and every one imports.

    def to_c(self, name=None, dtype="float64"):
        """C99 source: a function for one state, called `name`, and one for a batch."""
        from .backends import c

        return c.source(self.graph, name, dtype)

    def to_cuda(self, name=None, dtype="float64"):
        """CUDA C++ source: a device function for one state and a kernel, one thread a state."""
        from .backends import cuda

        return cuda.source(self.graph, name, dtype)

    def to_fortran(self, name=None, dtype="float64"):
        """Fortran 2008 source: a module with subroutines for one state and for a batch."""
        from .backends import fortran

        return fortran.source(self.graph, name, dtype)

    def export(self, folder, language="c", name=None, dtype="float64", cpu=None):
        """Write source and self-test in a language, or a library with its header, to a folder.

        language: "c", "cuda", "fortran", "python" or "library"; `cpu` is for a library, a level as
        "x86-64-v3", by default the CPU at hand. The result has `paths`, the commands that `build`
        the self-test (any one will do), and the one that runs it, `test`.
        """
        from .backends.files import write_files

        return write_files(self.graph, language, folder, name, dtype, cpu)

    def to_python(self, name=None):
        """Python source: a function of lists of floats that needs only `math`."""
        from .backends import python

        return python.source(self.graph, name)

    def __repr__(self):
        shapes = ", ".join(f"{name}{list(shape)}" for name, shape in self.inputs.items())
        results = ", ".join(f"{name}{list(shape)}" for name, shape in self.outputs.items())
        return f"<Program {self.name}({shapes}) -> {results}: {self.count()}>"


def work(graph):
    """Roughly how long one state takes, in flops, for deciding about threads."""
    total = count(graph)
    return total.flops + total.logic + 25 * total.trig
