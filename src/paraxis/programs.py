"""A Program: the graph of one function, and everything one can ask of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .body import Body
from .checks import one_of
from .compiling import about, compiling
from .drivers.iterate import Plan
from .drivers.map import in_main_memory
from .drivers.row import made_row
from .errors import ArgumentError
from .graph import evaluate as interpreter
from .graph import text as text_form
from .graph.along import check_moves, hessian_along, jacobian_along
from .graph.check import check
from .graph.derivative import chosen_inputs, jvp, vjp
from .graph.graph import Graph
from .passes.balance import balance
from .passes.cheapen import cheapen_unless_long
from .passes.count import Count, count
from .passes.critical_path import CriticalPath
from .passes.depth import Depth, Weights, width
from .targets.blocks import recipe_of_kernel
from .targets.cpu.iterate import IterateKernel
from .targets.cpu.map import Kernel
from .targets.target import target_named

if TYPE_CHECKING:
    from .targets.cuda.iterate import CudaIterateKernel
    from .targets.cuda.map import CudaKernel
    from .targets.source.files import Exported  # few programs write files


class Program(Body):
    """A function of named arrays as a straight-line graph of scalar operations. Immutable.

    `px.program`, `px.trace` and `px.parse` make Programs. `program.inputs` and `program.outputs`
    are dicts of shapes by name, in calling order; `str(program)` is its text.

    **Example:**

    >>> program = px.program(px.load("ur5"), "inverse_dynamics")
    >>> program.inputs, program.outputs
    ({'q': (6,), 'qd': (6,), 'qdd': (6,)}, {'tau': (6,)})
    >>> print(program.count())
    245 flops (139 mul, 106 add, 10 trig)
    >>> program.depth().flops  # with unlimited processors
    20
    >>> kernel = program.compile(dtype="float32")
    >>> kernel(np.zeros(6), np.zeros(6), np.zeros(6))
    array([  0.   , -59.171, -15.684,   0.   ,   0.   ,   0.   ],
          dtype=float32)
    >>> by_q = px.trace(lambda q: q @ q, q=3).gradient("result", "q")
    >>> by_q.evaluate(q=[1.0, 2.0, 3.0])
    array([2., 4., 6.])
    """

    # A Program is computed as it reads.
    may_have_lanes = False  # type: ignore[assignment]
    lanes = None  # type: ignore[assignment]

    def __init__(self, make: Callable[..., Graph], *arguments: Any):
        if isinstance(make, Graph):
            raise ArgumentError(
                "Program: use px.Program.of(graph) for a graph that is already made"
            )
        super().__init__(make, *arguments)
        check(self.graph)

    @classmethod
    def of(cls, graph: Graph) -> Program:
        """The Program of a graph that is already made."""
        return cls(given, graph)

    def count(self) -> Count:
        """The number of operations: .mul .add .div .sqrt .trig .flops.

        An add is an addition or a subtraction; sign changes and copies are free (passes/count.py).
        """
        return count(self.graph)

    def depth(self, balanced: bool = True, **weights: float) -> Depth:
        """The operations on the critical path, processors unlimited.

        **Arguments:**

        - `balanced`: take sums as balanced trees, in which the term that arrives last is added
          last; False takes them in the order in which they are written.
        - `weights`: the times of operations: mul, add, div and sqrt, by default 1; trig and logic,
          by default 0, as sines of inputs are taken as given.

        **Returns:** counts .mul .add .flops, and the .time of the path.

        **Raises:** `px.ArgumentError` if a weight is unknown or negative.
        """
        return self.critical_path(balanced, **weights).depth

    def critical_path(self, balanced: bool = True, **weights: float) -> CriticalPath:
        """The operations on the critical path, in order; print it. Arguments as for `depth`.

        Each step has its `op`, the time when it is `ready`, the `mark` or output it is a part of,
        its `slack` (how long its other argument has been available), and its `node`.
        """
        order = self.balanced(**weights) if balanced else self
        return CriticalPath(order.graph, Weights.named(weights))

    def balanced(self, **weights: float) -> Program:
        """The same Program with its sums re-associated for least depth; weights as for depth."""
        return Program.of(balance(self.graph, Weights.named(weights)))

    def width(self, balanced: bool = True) -> list[int]:
        """How many flops could run in parallel at each step of one flop; sums as for `depth`."""
        return width(self.balanced().graph if balanced else self.graph)

    @property
    def marks(self) -> list[str]:
        """The names of its marked intermediate values."""
        return sorted({name for name, _ in self.graph.marks})

    def with_marks(self, *names: str) -> Program:
        """The same Program with these marked intermediate values as additional outputs."""
        for name in names:
            if not self.marks:
                raise ArgumentError(
                    f"mark {name!r}: this Program has no marked values; name an algorithm, "
                    "px.program(robot, algorithm=...), to have them marked"
                )
            one_of(name, self.marks, "mark")
        return Program.of(self.graph.with_marks(*names))

    def text(self) -> str:
        """The Program as lines that a person reads and `px.parse` reads back."""
        return text_form.text(self.graph)

    __str__ = text

    def evaluate(self, /, **arrays: ArrayLike) -> np.ndarray | dict[str, np.ndarray]:
        """Run the slow interpreter, which defines what a Program means.

        **Arguments:**

        - `arrays`: one array per input, by name, `(..., *shape)`; batch shapes broadcast.

        **Returns:** the array of a single output, otherwise a dict of arrays by name.

        **Raises:** `px.ArgumentError` if an input is missing, unknown or of the wrong shape.
        """
        for name, array in arrays.items():
            in_main_memory(array, name)
        results = interpreter.evaluate(self.graph, arrays)
        return next(iter(results.values())) if len(results) == 1 else results

    def jacobian(
        self,
        output: str,
        input: str | Sequence[str],
        along: Mapping[str, Program] | None = None,
    ) -> Program:
        """The Program of the derivatives of an output with respect to an input.

        **Arguments:**

        - `output`: the name of an output.
        - `input`: the name of an input, or a list of names.
        - `along`: for inputs that are positions of a robot, how they move:
          `{"q": px.program(robot, "integrate")}`. Derivatives by q are then over the tangent space,
          with a column for each velocity instead of one for each number of q. Any Program of (x, v)
          that returns x where v is zero will do.

        **Returns:** a Program whose output is called d{output}_d{input} and has the shape of the
        output followed by that of the input, or of its velocity. A list of inputs gives one such
        output for each, in that order; they share common subexpressions.

        **Raises:** `px.ArgumentError` if a name is unknown, or if a Program in `along` does not fit
        its input.
        """
        wanted = {f"d{output}_d{x}": (output, x) for x in self._by(input)}
        return self._derived(jacobian_along, wanted, self._moves(along))

    def gradient(
        self,
        output: str,
        input: str | Sequence[str],
        along: Mapping[str, Program] | None = None,
    ) -> Program:
        """The Program of the derivatives of a scalar output, in the input's shape.

        `input` may be a list, and `along` makes them derivatives over the tangent space, as for
        `jacobian`.
        """
        shape = self.outputs.get(output, ()) if isinstance(output, str) else ()
        if shape != ():
            raise ArgumentError(
                f"gradient of {output!r}: expected a scalar output, found shape {shape}; "
                "program.jacobian takes outputs of any shape"
            )
        return self.jacobian(output, input, along)

    def hessian(
        self,
        output: str,
        input: str | Sequence[str],
        along: Mapping[str, Program] | None = None,
    ) -> Program:
        """The Program of the second derivatives of an output.

        **Arguments:**

        - `output`: the name of an output, of any shape.
        - `input`: the name of an input, or a list of names.
        - `along`: as for `jacobian`. Second derivatives are those of v -> f(move(q, v)) at v = 0,
          so they are symmetric. A derivative along v of a derivative along v is not: it is
          `program.jacobian(..., along).jacobian(..., along)`.

        **Returns:** a Program whose output is called d2{output}_d{input}_d{input} and has the shape
        of the output followed by that of the input, or of its velocity, twice. A list of inputs
        gives one such output for each pair, in that order, and none for the same pair the other way
        round.

        **Raises:** as `jacobian`.
        """
        pairs = combinations_with_replacement(self._by(input), 2)
        wanted = {f"d2{output}_d{x}_d{y}": (output, x, y) for x, y in pairs}
        return self._derived(hessian_along, wanted, self._moves(along))

    def _derived(self, derive: Callable[..., Graph], *arguments: Any) -> Program:
        """The Program of what `derive` makes of this graph; for a large one it takes a while."""
        with compiling("differentiating"):
            about(self.name)
            return Program.of(derive(self.graph, *arguments))

    def _by(self, input: str | Sequence[str]) -> list[str]:
        """The inputs that derivatives are by."""
        one = input is None or isinstance(input, str)
        return chosen_inputs(self.graph, [input] if one else input, "input")

    def _plan(
        self,
        carry: dict[str, str],
        per_step: Sequence[str],
        record: Sequence[str],
        until: str | None,
    ) -> Plan:
        """How this Program is repeated over steps."""
        return Plan(self.inputs, self.outputs, carry, tuple(per_step), tuple(record), until)

    def _moves(self, along: Mapping[str, Program] | None) -> dict[str, Graph]:
        """The graphs along which derivatives are."""
        moves = {} if along is None else along
        if not isinstance(moves, Mapping) or not all(
            isinstance(move, Program) for move in moves.values()
        ):
            raise ArgumentError(
                "along: expected a dict of Programs by input, such as "
                "{'q': px.program(robot, 'integrate')}, found " + repr(along)
            )
        graphs = {name: move.graph for name, move in moves.items()}
        check_moves(self.graph, graphs)
        return graphs

    def vjp(self, wrt: str | Sequence[str] | None = None) -> Program:
        """The Program of the vector-Jacobian product: reverse mode, without forming a Jacobian.

        It has additional inputs `{output}_bar`, the gradient of some number with respect to each
        output, and outputs `{input}_bar`, the gradient with respect to each input in `wrt`, by
        default all. It costs two to four times as much as this Program, however many inputs there
        are.
        """
        return self._derived(_cheap_vjp, wrt)

    def jvp(self, wrt: str | Sequence[str] | None = None) -> Program:
        """The Program of the Jacobian-vector product: forward mode, without forming a Jacobian.

        It has additional inputs `{input}_dot`, the rate of change of each input in `wrt`, by
        default all, and outputs `{output}_dot`. It costs about as much as `vjp`.
        """
        return self._derived(_cheap_jvp, wrt)

    def compile(
        self,
        target: str = "cpu",
        dtype: DTypeLike = "float64",
        threads: int | None = None,
        fast_math: bool = False,
    ) -> Kernel | CudaKernel:
        """A compiled kernel of this Program over batches of states, from the disk cache if there.

        **Arguments:**

        - `target`: "cpu", or "cuda" for arrays on a GPU.
        - `dtype`: "float64" or "float32".
        - `threads`: the most threads a call uses, by default all cores; for "cpu" only.
        - `fast_math`: divisions, roots and denormal numbers are faster and less exact; for "cuda"
          only.

        **Returns:** a kernel: `kernel(q, qd, ...)`, or `kernel(..., out=...)`.

        **Raises:** `px.ArgumentError` if an option does not fit the target, or there is no GPU;
        `px.MissingPackageError` if CuPy is not installed.
        """
        options = _options(target, threads)
        if fast_math:
            if target == "cpu":
                raise ArgumentError("fast_math cannot be set for target 'cpu'")
            options["fast_math"] = True
        kernel = target_named(target).map(self, dtype, **options)
        given = {"target": target, "dtype": np.dtype(dtype).name, "threads": threads}
        kernel.recipe = recipe_of_kernel(
            self.name, _compiled, self, given | {"fast_math": fast_math}
        )
        return kernel

    def compile_iterate(
        self,
        carry: dict[str, str],
        per_step: Sequence[str] = (),
        record: Sequence[str] = (),
        until: str | None = None,
        dtype: DTypeLike = "float64",
        threads: int | None = None,
        target: str = "cpu",
    ) -> IterateKernel | CudaIterateKernel:
        """A compiled kernel that repeats this Program over steps, carrying state between them.

        **Arguments:**

        - `carry`: {input: the output that becomes it in the next step}.
        - `per_step`: inputs whose first axis is the steps. All other inputs keep their values.
        - `record`: carried inputs and outputs to be written at every r-th step.
        - `until`: a scalar output; the step in which it is nonzero is the last of that state.
        - `dtype`: "float64" or "float32".
        - `threads`: the most threads a call uses, by default all cores; for "cpu" only.
        - `target`: "cpu", or "cuda" for arrays on a GPU.

        **Returns:** a kernel: `kernel(steps=K, every=r, **arrays)` returns two dicts of arrays,
        the carried ones after the last step and the recorded ones.

        **Raises:** `px.ArgumentError` if a name is unknown or shapes do not match.
        """
        plan = self._plan(carry, per_step, record, until)
        options = _options(target, threads)
        kernel = target_named(target).iterate(self, plan, dtype, **options)
        given: dict[str, Any] = {
            "carry": carry,
            "per_step": tuple(per_step),
            "record": tuple(record),
        }
        given |= {"until": until, "dtype": np.dtype(dtype).name, "threads": threads}
        given |= {"target": target}
        kernel.recipe = recipe_of_kernel(self.name, _compiled_iterate, self, given)
        return kernel

    def compile_scan(
        self,
        order: str = "odd_even_reduction",
        threads: int | None = None,
        target: str = "cpu",
    ) -> Callable:
        """A compiled prefix scan with this Program as its combine operator.

        Elements, and spans of several, have named parts: the outputs x, y, ... are the parts of
        the span that the inputs left_x, left_y, ... and right_x, right_y, ... are combined to. The
        operator must be associative; it need not commute.

        **Arguments:**

        - `order`: "serial", "p_fold", "kogge_stone", "odd_even_elimination" or
          "odd_even_reduction": how many levels of combining there are, and how much is done in
          each.
        - `threads`: the most threads a call uses, by default all cores; for "cpu" only.
        - `target`: "cpu", or "cuda" for arrays on a GPU.

        **Returns:** a kernel: `scan(x=(n, ...), y=...)` returns all prefixes in the same shapes,
        as a dict, or as one array where there is one part.

        **Raises:** `px.ArgumentError` if inputs and outputs do not form such an operator.
        """
        options = _options(target, threads)
        return target_named(target).scan(self, order, **options)

    # Writers are imported where they are used: few programs write, and every one imports.

    def to_c(self, name: str | None = None, dtype: DTypeLike = "float64") -> str:
        """C99 source: a function for one state, called `name`, and one for a batch."""
        from .targets.source import c

        return c.source(self.graph, name, dtype)

    def to_cuda(self, name: str | None = None, dtype: DTypeLike = "float64") -> str:
        """CUDA C++ source: a device function for one state, and a kernel, one thread per state."""
        from .targets.source import cuda as export

        return export.source(self.graph, name, dtype)

    def to_wasm(
        self,
        name: str | None = None,
        carry: dict[str, str] | None = None,
        per_step: Sequence[str] = (),
        record: Sequence[str] = (),
        until: str | None = None,
    ) -> bytes:
        """A WebAssembly module in float64, with SIMD, that needs only sines of its host.

        It exports its `memory`, `heap` (where memory is free) and, with the interface of C, `name`
        for one state and `name_batch` for many (targets/wasm/map.py). With `carry` and the other
        arguments of `compile_iterate` it exports `name_iterate`, which repeats this Program over
        steps (targets/wasm/iterate.py). `export` and `export_iterate` write a loader beside it.
        """
        from .targets.source import c
        from .targets.wasm import iterate, map

        name = c.c_function(self.graph, name, "float64").name
        if carry is None:
            return map.map_module(self.graph, name)
        plan = self._plan(carry, per_step, record, until)
        return iterate.iterate_module(made_row(self), plan, name)

    def to_fortran(self, name: str | None = None, dtype: DTypeLike = "float64") -> str:
        """Fortran 2008 source: a module with subroutines for one state and for a batch."""
        from .targets.source import fortran

        return fortran.source(self.graph, name, dtype)

    def export(
        self,
        folder: str | PathLike,
        language: str = "c",
        name: str | None = None,
        dtype: DTypeLike = "float64",
        cpu: str | None = None,
        target: str | None = None,
    ) -> Exported:
        """Write source and self-test in a language, or a library with its header, to a folder.

        **Arguments:**

        - `folder`: where to write.
        - `language`: "c", "cuda", "fortran", "python", "javascript", "library" or "wasm".
        - `name`: the name of the function, by default that of this Program.
        - `dtype`: "float64" or "float32".
        - `cpu`: for a library, the level of CPU it is for, such as "x86-64-v3"; by default the CPU
          of this machine.
        - `target`: for a library, the machine it is for, if it is another than this one:
          "x64-linux", "x64-windows", "aarch64-linux", "arm64-apple", "riscv64-linux", "cortex-m4"
          or "cortex-m7". The object file is always written; a shared library is linked where there
          is a compiler for that machine.

        **Returns:** the `paths` of the files, the commands that `build` the self-test (any one
        will do), and `test`, the command that runs it. `link` has the command that makes a shared
        library where that could not be done here; all commands are then to be run `elsewhere`, in
        the folder.

        **Raises:** `px.ArgumentError` if a name is not valid in that language, or a file cannot be
        written.
        """
        from .targets.source.files import write_files

        return write_files(self.graph, language, folder, name, dtype, cpu, target=target)

    def export_iterate(
        self,
        folder: str | PathLike,
        carry: dict[str, str],
        per_step: Sequence[str] = (),
        record: Sequence[str] = (),
        until: str | None = None,
        name: str | None = None,
    ) -> list[str]:
        """Write this Program, repeated over steps, as WebAssembly with its loader, to a folder.

        `carry`, `per_step`, `record` and `until` are as for `compile_iterate`.

        **Returns:** the paths of the files: the module, a JavaScript module whose `load` returns an
        `Iteration`, and its types for TypeScript.

        **Raises:** `px.ArgumentError` as `compile_iterate` and `export`.
        """
        from .targets.source.files import write_iteration

        plan = self._plan(carry, per_step, record, until)
        return write_iteration(made_row(self), plan, folder, name)

    def to_python(self, name: str | None = None) -> str:
        """Python source: a function of lists of floats that needs only `math`."""
        from .targets.source import python

        return python.source(self.graph, name)

    def to_javascript(self, name: str | None = None) -> str:
        """JavaScript source: a module with functions for one state and for a batch."""
        from .targets.source import javascript

        return javascript.source(self.graph, name)

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name}{list(shape)}" for name, shape in self.inputs.items())
        results = ", ".join(f"{name}{list(shape)}" for name, shape in self.outputs.items())
        return f"<Program {self.name}({shapes}) -> {results}: {self.count()}>"


def _options(target: str | None, threads: int | None) -> dict[str, Any]:
    """The options that a target takes, checked before looking for a GPU."""
    if threads is None:
        return {}
    if target == "cuda":
        raise ArgumentError("threads cannot be set for target 'cuda'")
    return {"threads": threads}


def _compiled(program: Program, options: dict[str, Any]) -> Kernel | CudaKernel:
    """The kernel for blocks of Dask arrays, in the process that computes them."""
    return program.compile(**options)


def _compiled_iterate(
    program: Program, options: dict[str, Any]
) -> IterateKernel | CudaIterateKernel:
    return program.compile_iterate(**options)


def given(graph: Graph) -> Graph:
    """The graph of a Program that was made from one."""
    return graph


def _cheap_vjp(graph: Graph, wrt: str | Sequence[str] | None) -> Graph:
    return cheapen_unless_long(vjp(graph, wrt))


def _cheap_jvp(graph: Graph, wrt: str | Sequence[str] | None) -> Graph:
    return cheapen_unless_long(jvp(graph, wrt))
