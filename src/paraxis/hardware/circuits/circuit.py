"""A function as a circuit: CORDIC units in a balanced pipeline, with its bit-exact results.

`run` is the model without a pipeline, on arrays of words; `stream` sends items through the
pipeline, a new one every stage. Calling a circuit takes and returns floats.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Mapping
from functools import cached_property
from numbers import Real
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import integer, shown
from ...drivers.map import as_array
from ...errors import ArgumentError, ProgramError
from ...kinematics.poses import matrices
from ...parallel.pipelines.balance import pipeline
from ...parallel.pipelines.pipeline import Pipeline
from ...programs import Program
from ..cordic import integers, long_integers
from ..cordic.formats import (
    SHORTEST,
    WIDEST,
    Angle,
    Number,
    angle_between,
    guard_bits,
    integer_kind,
    number_of_bits,
)
from ..cordic.operations import ArrayOperations
from ..cordic.raw_words import input_words, together
from ..cordic.units.unit import Unit
from ..tasks.decompose import decompose
from ..tasks.tasks import Constant, CordicTasks, Input, Operand, Result
from .random_inputs import random_inputs
from .ranges import entry_ranges, ranges_of, require_ranges
from .sizing import Words, number_format, sizes
from .stream import stream
from .task_graph import task_graph, task_name

NEAR = 2.0**-8  # by default: a length below this share of its largest value has no angle
ON_THE_WAY = 8  # bits by which numbers may exceed registers before they are rounded


class Circuit:
    """A function in hardware: CORDIC processors and delay lines that accept an item per stage.

    Called with floats, it returns as floats what the hardware computes with words, and which items
    are valid; `run` and `stream` take the words themselves, and `export` writes Verilog. Circuits
    are created by `px.hardware.inverse_kinematics_circuit`, `px.hardware.inverse_dynamics_circuit`
    and, for your own equations, `px.hardware.Circuit.of`.

    Immutable. `tasks` are CordicTasks; `units[k]` executes `tasks.tasks[k]` in stage `stage[k]`.
    `formats` maps Inputs and Results to the formats of their words, `limits` maps the Inputs that
    are numbers to their least and largest valid words.

    **Example:**

    >>> program = px.trace(lambda x, y: px.math.sqrt(x * x + y * y), x=(), y=())
    >>> circuit = px.hardware.Circuit.of(program, {"x": 4.0, "y": 4.0}, word=24)
    >>> circuit.stages
    1
    >>> circuit(x=3.0, y=[0.0, 4.0]).result
    array([3., 5.])
    >>> circuit.errors()["result"].item() < 1e-5
    True
    """

    tasks: CordicTasks
    notes: tuple[str, ...]
    words: Words
    formats: dict[Input | Result, Number | Angle]
    limits: dict[Input, tuple[int, int]]
    units: list[Unit]

    def __init__(
        self,
        tasks: CordicTasks,
        ranges: dict[Input, tuple[float, float]],
        word: int = 24,
        iterations: int | None = None,
        near: float = NEAR,
        lengths=(),
        seen=None,
        sample=None,
        notes=(),
    ):
        word = number_of_bits("word", word, SHORTEST)
        iterations = word if iterations is None else iterations
        iterations = number_of_bits("iterations", iterations, SHORTEST)
        if not (isinstance(near, Real) and 0 < near < 1):
            raise ArgumentError(f"near: expected a number between 0 and 1, found {near!r}")
        if not tasks.tasks:
            raise ProgramError(f"{tasks.name}: the Program has no operations for CORDIC processors")
        self.tasks, self.notes = tasks, tuple(notes)
        self.words = Words(word, iterations, guard_bits(iterations), near)
        require_ranges(tasks, ranges)
        found = sizes(tasks, self.words, ranges_of(tasks, ranges, lengths, seen), ranges)
        self.formats, self.limits, self.units = found.formats, found.limits, found.units
        self._ranges, self._sample = ranges, sample

    @classmethod
    def of(
        cls,
        program: Program,
        ranges: Mapping[str, ArrayLike | tuple[ArrayLike, ArrayLike]] | None = None,
        word: int = 24,
        iterations: int | None = None,
        near: float = NEAR,
    ) -> Circuit:
        """The Circuit of a Program made of sums, products, quotients, roots, sin, cos and atan2.

        **Arguments:**

        - `program`: a `px.Program`.
        - `ranges`: input -> its largest absolute value, or a pair (least, largest); one number for
          all entries, or an array of the input's shape. Inputs that are angles do not need one.
        - `word`: the number of bits of all words.
        - `iterations`: clocks per stage; by default `word`.
        - `near`: a length below this fraction of its largest possible value has no angle, which
          makes its item invalid.

        **Raises:** `px.ProgramError` if the Program has other operations; `px.ArgumentError` if a
        range is missing.
        """
        if not isinstance(program, Program):
            raise ArgumentError(
                f"program: expected a Program, such as the result of px.trace, found {program!r}"
            )
        if not isinstance(ranges, Mapping | None):
            raise ArgumentError(
                f"ranges: expected a dict from names of inputs to ranges, found {ranges!r}"
            )
        tasks = decompose(program.graph)
        return cls(tasks, entry_ranges(tasks, ranges or {}), word, iterations, near)

    @property
    def name(self) -> str:
        """The name of the circuit."""
        return self.tasks.name

    @property
    def word(self) -> int:
        """The bits of every word."""
        return self.words.word

    @property
    def iterations(self) -> int:
        """Clocks per stage."""
        return self.words.iterations

    @cached_property
    def inputs(self) -> list[Input]:
        """The entries of inputs that are used, in order."""
        found = [source for source in self.formats if isinstance(source, Input)]
        order = list(self.tasks.inputs)
        return sorted(found, key=lambda source: (order.index(source.name), source.index))

    @cached_property
    def outputs(self) -> dict[tuple[str, int], Operand]:
        """(name, index) -> Operand."""
        return {
            (name, index): operand
            for name, (_, operands) in self.tasks.outputs.items()
            for index, operand in enumerate(operands)
        }

    def format_of(self, name: str, index: int) -> Number | Angle:
        """The format of an output's words."""
        operand = self.outputs[name, index]
        if isinstance(operand.source, Constant):
            return number_format(self.words.word, abs(operand.source.value)).shifted(operand.shift)
        found = self.formats[operand.source]
        if isinstance(found, Angle):
            return found
        return found.shifted(operand.shift)

    # -- the pipeline ------------------------------------------------------------------------------

    @cached_property
    def pipeline(self) -> Pipeline:
        """The tasks in stages, with the fewest buffers."""
        graph, values = task_graph(self.tasks)
        return pipeline(graph, values=values)

    @property
    def stages(self) -> int:
        """The number of stages of the pipeline."""
        return self.pipeline.stages

    @cached_property
    def stage(self) -> list[int]:
        """The stage of each task."""
        return [self.pipeline.start[task_name(k)] for k in range(len(self.units))]

    # -- its results -------------------------------------------------------------------------------

    def run(self, words: Mapping[Input, ArrayLike]) -> tuple[dict, np.ndarray]:
        """The words of the outputs, (name, index) -> array, and which items are valid.

        `words` maps each of `inputs` to an array of words; their shapes broadcast.
        """
        given, shape = input_words(self, words)
        known: dict = {}
        valid: Any = True
        ops = self.ops
        for source, word in given.items():
            known[source] = word.astype(ops.KIND)
            valid = valid & self.within_limits(source, known[source])
        for number, (task, unit) in enumerate(zip(self.tasks.tasks, self.units, strict=True)):
            taken = {port: known[getattr(task, port).source] for port in unit.ports}
            given, right = unit(ops, taken)
            known |= {Result(number, port): word for port, word in given.items()}
            valid = valid & right
        found = {}
        for key, operand in self.outputs.items():
            word = self.output_word(key, known.get(operand.source)).astype(integer_kind(self.word))
            found[key] = np.broadcast_to(word, valid.shape).reshape(shape)
        return found, valid.reshape(shape)[()]

    @cached_property
    def ops(self) -> ArrayOperations:
        """Operations on integers long enough for all registers: integers or long_integers."""
        widest = max((max(unit.widths.values()) for unit in self.units), default=0)
        fits = max(widest, self.words.word) <= WIDEST - ON_THE_WAY
        return integers if fits else long_integers

    def within_limits(self, source, word):
        """Whether the words of an input are valid."""
        if source not in self.limits:
            return np.ones(np.shape(word), dtype=bool)
        least, most = self.limits[source]
        return (word >= least) & (word <= most)

    def output_word(self, key, word):
        """The word of an output, from the word of its source (None if that is a constant)."""
        operand, wanted = self.outputs[key], self.format_of(*key)
        if isinstance(operand.source, Constant):
            return wanted.raw(operand.sign * np.ldexp(operand.source.value, operand.shift))[0]
        if operand.sign > 0:
            return word
        if isinstance(wanted, Angle):
            return integers.wrap(-word, wanted.word)
        return -word - (
            word == -1 << wanted.word - 1
        )  # negative words reach one further than positive ones

    def stream(self, words: Mapping[Input, ArrayLike]) -> tuple[dict, np.ndarray]:
        """The same as `run`, by sending items through the pipeline, one per stage."""
        return stream(self, words)

    def quantised(self, /, **arrays: ArrayLike) -> tuple[dict[Input, np.ndarray], np.ndarray]:
        """The words of the inputs, Input -> array, and which items fit into words."""
        given = self.tasks.given(
            {
                name: as_array(matrices(array), name, self.tasks.inputs.get(name, ()))
                for name, array in arrays.items()
            }
        )
        finite = [np.isfinite(array).all(-1) for array in given.values()]  # also unused entries
        words, fits = {}, np.logical_and.reduce(together(", ".join(given), finite))
        for source in self.inputs:
            words[source], sound = self.formats[source].raw(given[source.name][..., source.index])
            fits = fits & sound
        return words, fits

    def __call__(self, /, *arrays: ArrayLike, **named: ArrayLike):
        """Compute, with floats, what the hardware computes with words.

        **Arguments:** the inputs, by position or by name, in the units of the function, with any
        leading batch shape, which broadcasts like in NumPy.

        **Returns:** a named tuple with the outputs by name and `valid`. The outputs of invalid
        items are NaN.
        """
        names = list(self.tasks.inputs)
        if len(arrays) > len(names) or named.keys() & names[: len(arrays)]:
            raise ArgumentError(
                f"inputs of {self.name}: expected each of {names} once, "
                f"found {len(arrays)} by position and {list(named)} by name"
            )
        words, fits = self.quantised(**dict(zip(names, arrays, strict=False)), **named)
        found, valid = self.run(words)
        valid = valid & fits
        results = []
        for name, (shape, operands) in self.tasks.outputs.items():
            entries = [
                self.format_of(name, index).real(found[name, index])
                for index in range(len(operands))
            ]
            array = np.stack(np.broadcast_arrays(*entries, valid)[:-1], axis=-1)
            array = np.where(valid[..., None], array, np.nan)
            results.append(array.reshape(valid.shape + shape))
        named_tuple: Any = namedtuple  # its fields are only known now
        return named_tuple("Results", [*self.tasks.outputs, "valid"])(*results, valid)

    def sample(self, count: int, seed: int = 0) -> dict[Input, np.ndarray]:
        """The words of `count` random inputs within their ranges: Input -> array."""
        return self.quantised(**self._random_inputs(count, seed))[0]

    def errors(self, count: int = 1000, seed: int = 0) -> dict[str, np.ndarray]:
        """The largest errors of the outputs relative to float64, over `count` random inputs.

        **Returns:** output -> array of its shape, in the output's units. Invalid items are left
        out. Part of the error is the rounding of inputs to words.
        """
        inputs = self._random_inputs(count, seed)
        found, exact = self(**inputs), self.tasks.evaluate(**inputs)
        worst = 0.0 if found.valid.any() else math.inf  # invalid items have no error
        errors = {}
        for name, (shape, _) in self.tasks.outputs.items():
            ours, right = getattr(found, name)[found.valid], exact[name][found.valid]
            angles = [isinstance(self.format_of(name, k), Angle) for k in range(math.prod(shape))]
            on_circle = np.reshape(angles, shape)
            off = np.where(on_circle, angle_between(ours, right), abs(ours - right))
            errors[name] = off.max(axis=0, initial=worst)
        return errors

    def _random_inputs(self, count, seed):
        count = integer("count", count)
        rng = np.random.default_rng(seed)
        if self._sample is not None:
            return self._sample(rng, count)
        return random_inputs(self.tasks, self._ranges, rng, count)

    def export(
        self,
        folder: str | PathLike,
        architecture: str = "pipelined",
        items: int = 500,
        name: str | None = None,
    ):
        """Write Verilog with a test bench. This requires `pip install 'paraxis[hdl]'`.

        **Arguments:**

        - `folder`: the folder for the files.
        - `architecture`: `"pipelined"`, with an item every clock, or `"iterative"`, with one
          processor per task and an item every `iterations` clocks.
        - `items`: the number of random items that the test bench sends.
        - `name`: the name of the module, by default the circuit's.

        **Returns:** an object with `paths`, the files; `build` and `test`, commands that compile
        and run the test bench with Icarus Verilog.
        """
        from ..rtl.design import Design
        from ..rtl.verilog import write

        return write(Design(self, architecture), folder, self.sample(items), name)

    def __repr__(self):
        return f"<Circuit {shown(self.name)}: {self.tasks.summary}, words of {self.word} bits>"
