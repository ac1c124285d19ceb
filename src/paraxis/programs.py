"""A Program: the graph of one function for one robot, with everything one can ask of it."""

from .body import Body
from .checks import one_of
from .drivers.iterate import Plan
from .drivers.map import in_main_memory
from .errors import ArgumentError
from .graph import evaluate as interpreter
from .graph import text as text_form
from .graph.check import check
from .graph.derivative import chosen_inputs, jacobian, jvp, vjp
from .passes.balance import balance
from .passes.cheapen import cheapen_unless_long
from .passes.count import count
from .passes.critical_path import CriticalPath
from .passes.depth import Weights, width
from .targets.target import target_named


class Program(Body):
    """The Body that users see. Immutable. Made by `px.program` and `px.trace`.

    `str` of it is its text.
    """

    def __init__(self, make, *arguments):
        super().__init__(make, *arguments)
        check(self.graph)

    @classmethod
    def of(cls, graph):
        """The Program that a graph is."""
        return cls(given, graph)

    def count(self):
        """The operations: .mul .add .div .sqrt .trig .flops ; the rule: paraxis.passes.count."""
        return count(self.graph)

    def depth(self, balanced=True, **weights):
        """What the critical path is made of, processors unlimited: .mul .add .flops, and .time.

        Sums are balanced trees, in which what arrives last is added last; balanced=False takes
        them in the order in which they are written. Weights are the times of operations: mul, add,
        div and sqrt, by default 1; trig and logic, by default 0, as sines of inputs are given.
        """
        return self.critical_path(balanced, **weights).depth

    def critical_path(self, balanced=True, **weights):
        """The operations that decide how long it takes, in order; print it. Options as for depth.

        Each step has its `op`, the time when it is `ready`, the `mark` or output it is a part of,
        its `slack` (how long its other argument has been there), and its `node`.
        """
        order = self.balanced(**weights) if balanced else self
        return CriticalPath(order.graph, Weights.named(weights))

    def balanced(self, **weights):
        """The same Program with its sums re-associated for least depth; weights as for depth."""
        return Program.of(balance(self.graph, Weights.named(weights)))

    def width(self, balanced=True):
        """How many flops could run at once at each step, one flop a step; sums as for depth."""
        return width(self.balanced().graph if balanced else self.graph)

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
            one_of(name, self.marks, "mark")
        return Program.of(self.graph.with_marks(*names))

    def text(self):
        """The Program as lines that a person reads and `px.parse` reads back."""
        return text_form.text(self.graph)

    __str__ = text

    def evaluate(self, /, **arrays):
        """Run the slow interpreter. One array for a single output, else a dict."""
        for name, array in arrays.items():
            in_main_memory(array, name)
        results = interpreter.evaluate(self.graph, arrays)
        return next(iter(results.values())) if len(results) == 1 else results

    def jacobian(self, output, input):
        """The Program of the derivatives of an output by an input, of shape output + input.

        Its output is called d{output}_d{input}. A list of inputs gives a Program with one such
        output for each, in that order, which share what they have in common.
        """
        one = input is None or isinstance(input, str)
        inputs = chosen_inputs(self.graph, [input] if one else input, "input")
        return Program.of(jacobian(self.graph, {f"d{output}_d{x}": (output, x) for x in inputs}))

    def gradient(self, output, input):
        """The Program of the derivatives of an output that is one number, in the input's shape.

        A list of inputs is taken as `jacobian` takes it.
        """
        shape = self.outputs.get(output, ()) if isinstance(output, str) else ()
        if shape != ():
            raise ArgumentError(
                f"gradient of {output!r}: expected an output that is one number, found shape "
                f"{shape}; program.jacobian takes any"
            )
        return self.jacobian(output, input)

    def vjp(self, wrt=None):
        """The Program of a gradient from gradients: reverse mode, without a Jacobian.

        Further inputs `{output}_bar`, how a number moves with each output; outputs `{input}_bar`,
        how it moves with each input in `wrt`, by default all. It costs some two to four times as
        much as this Program, however many inputs there are.
        """
        return Program.of(cheapen_unless_long(vjp(self.graph, wrt)))

    def jvp(self, wrt=None):
        """The Program of rates from rates: forward mode, without a Jacobian.

        Further inputs `{input}_dot`, how fast each input in `wrt` moves, by default all; outputs
        `{output}_dot`. It costs about as much as `vjp`.
        """
        return Program.of(cheapen_unless_long(jvp(self.graph, wrt)))

    def compile(self, target="cpu", dtype="float64", threads=None, fast_math=False):
        """Machine code for this Program, from the disk cache when it is there.

        target: "cpu", or "cuda" for arrays on a GPU; with `fast_math` a GPU divides, takes roots
        and treats the tiniest numbers more quickly and less exactly.
        """
        options = _options(target, threads)
        if fast_math:
            if target == "cpu":
                raise ArgumentError("fast_math cannot be set for target 'cpu'")
            options["fast_math"] = True
        return target_named(target).map(self, dtype, **options)

    def compile_iterate(
        self,
        carry,
        per_step=(),
        record=(),
        until=None,
        dtype="float64",
        threads=None,
        target="cpu",
    ):
        """Machine code that repeats this Program over steps, carrying state from each to the next.

        carry: {input: the output that becomes it}. per_step: inputs that have the steps as first
        axis. record: carried inputs and outputs to be written at every r-th step. until: an output
        that is one number: the step in which it is not zero is the last of that state. Other
        inputs are held. `loop(steps=K, every=r, **arrays)` returns (carried, recorded) arrays.
        target: "cpu", or "cuda" for arrays on a GPU.
        """
        plan = Plan(self.inputs, self.outputs, carry, tuple(per_step), tuple(record), until)
        options = _options(target, threads)
        return target_named(target).iterate(self, plan, dtype, **options)

    def compile_scan(self, order="odd_even_reduction", threads=None, target="cpu"):
        """Machine code for all prefixes of a row of elements, glued two at a time by this Program.

        Elements and spans of them have named parts: outputs x, y, ... are the parts of the span
        that inputs left_x, left_y, ... and right_x, right_y, ... are glued to. Gluing must be
        associative; it need not commute. `scan(x=(n, ...), y=...)` returns the prefixes in the
        same shapes, as a dict, or one array where there is one part. order: "serial", "p_fold",
        "kogge_stone", "odd_even_elimination" or "odd_even_reduction": how many levels of
        gluing there are, and how much is done in each.
        target: "cpu", or "cuda" for arrays on a GPU.
        """
        options = _options(target, threads)
        return target_named(target).scan(self, order, **options)

    # Writers are imported where they are used: few programs write, and every one imports.

    def to_c(self, name=None, dtype="float64"):
        """C99 source: a function for one state, called `name`, and one for a batch."""
        from .targets.source import c

        return c.source(self.graph, name, dtype)

    def to_cuda(self, name=None, dtype="float64"):
        """CUDA C++ source: a device function for one state and a kernel, one thread a state."""
        from .targets.source import cuda as export

        return export.source(self.graph, name, dtype)

    def to_fortran(self, name=None, dtype="float64"):
        """Fortran 2008 source: a module with subroutines for one state and for a batch."""
        from .targets.source import fortran

        return fortran.source(self.graph, name, dtype)

    def export(self, folder, language="c", name=None, dtype="float64", cpu=None):
        """Write source and self-test in a language, or a library with its header, to a folder.

        language: "c", "cuda", "fortran", "python" or "library"; `cpu` is for a library, a level as
        "x86-64-v3", by default the CPU at hand. The result has `paths`, the commands that `build`
        the self-test (any one will do), and the one that runs it, `test`.
        """
        from .targets.source.files import write_files

        return write_files(self.graph, language, folder, name, dtype, cpu)

    def to_python(self, name=None):
        """Python source: a function of lists of floats that needs only `math`."""
        from .targets.source import python

        return python.source(self.graph, name)

    def __repr__(self):
        shapes = ", ".join(f"{name}{list(shape)}" for name, shape in self.inputs.items())
        results = ", ".join(f"{name}{list(shape)}" for name, shape in self.outputs.items())
        return f"<Program {self.name}({shapes}) -> {results}: {self.count()}>"


def _options(target, threads):
    """Those that a target takes, checked before a GPU is looked for."""
    if threads is None:
        return {}
    if target == "cuda":
        raise ArgumentError("threads cannot be set for target 'cuda'")
    return {"threads": threads}


def given(graph):
    """The graph of a Program that was made from one."""
    return graph
