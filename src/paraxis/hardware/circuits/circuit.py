"""A function as a circuit: CORDIC units in a balanced pipeline, and what it computes, bit by bit.

`run` is the model without a pipeline, on arrays of words; `stream` sends items through the
pipeline, a new one every stage. Calling a circuit takes and gives floats.
"""

import math
from collections import namedtuple
from collections.abc import Mapping
from functools import cached_property
from numbers import Real

import numpy as np

from ...checks import shown, whole_number
from ...drivers.map import as_array
from ...errors import ArgumentError, ProgramError
from ...kinematics.poses import matrices
from ...parallel.pipelines.balance import pipeline
from ...programs import Program
from ..cordic import integers, long_integers
from ..cordic.formats import (
    SHORTEST,
    WIDEST,
    Angle,
    angle_between,
    guard_bits,
    integer_kind,
    number_of_bits,
)
from ..cordic.raw_words import input_words, together
from ..tasks.decompose import decompose
from ..tasks.tasks import Constant, Input, Result
from .random_inputs import random_inputs
from .ranges import entry_ranges, ranges_of, require_ranges
from .sizing import Words, number_format, sizes
from .stream import stream
from .task_graph import task_graph, task_name

NEAR = 2.0**-8  # by default: a length below this part of the largest it can be has no angle
ON_THE_WAY = 8  # bits that numbers may be longer than registers before they are rounded


class Circuit:
    """A function in hardware: CORDIC processors and delay lines that a new item enters every stage.

    Called, it computes with floats what the hardware computes with words, and says which items are
    valid; `run` and `stream` take the words themselves, and `export` writes Verilog. Circuits come
    from `inverse_kinematics`, `inverse_dynamics` and, for equations of one's own, `Circuit.of`.

    Immutable. `tasks` are CordicTasks; `units[k]` does `tasks.tasks[k]` in stage `stage[k]`.
    `formats` maps Inputs and Results to what their words mean, `limits` the Inputs that are
    numbers to the least and the largest word that is valid.
    """

    def __init__(
        self,
        tasks,
        ranges,
        word=24,
        iterations=None,
        near=NEAR,
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
            raise ProgramError(f"{tasks.name}: expected work for a CORDIC processor, found none")
        self.tasks, self.notes = tasks, tuple(notes)
        self.words = Words(word, iterations, guard_bits(iterations), near)
        require_ranges(tasks, ranges)
        found = sizes(tasks, self.words, ranges_of(tasks, ranges, lengths, seen), ranges)
        self.formats, self.limits, self.units = found.formats, found.limits, found.units
        self._ranges, self._sample = ranges, sample

    @classmethod
    def of(cls, program, ranges=None, word=24, iterations=None, near=NEAR):
        """The Circuit of a Program made of what CORDICs do.

        That is sums, products, quotients, roots, sin, cos and atan2. `ranges` has for each input
        that is a number how far from zero it can be, or a pair of the least and the largest, for
        all its entries or in its shape; angles need none.
        """
        if not isinstance(program, Program):
            raise ArgumentError(
                "program: expected a Program, which px.trace makes of a function, "
                f"found {program!r}"
            )
        if not isinstance(ranges, Mapping | None):
            raise ArgumentError(
                f"ranges: expected a dict, name of an input -> its range, found {ranges!r}"
            )
        tasks = decompose(program.graph)
        return cls(tasks, entry_ranges(tasks, ranges or {}), word, iterations, near)

    @property
    def name(self):
        return self.tasks.name

    @property
    def word(self):
        """Bits of every word."""
        return self.words.word

    @property
    def iterations(self):
        """Clocks of a stage."""
        return self.words.iterations

    @cached_property
    def inputs(self):
        """The entries of inputs that are read, in order."""
        found = [source for source in self.formats if isinstance(source, Input)]
        order = list(self.tasks.inputs)
        return sorted(found, key=lambda source: (order.index(source.name), source.index))

    @cached_property
    def outputs(self):
        """(name, index) -> Operand."""
        return {
            (name, index): operand
            for name, (_, operands) in self.tasks.outputs.items()
            for index, operand in enumerate(operands)
        }

    def format_of(self, name, index):
        """What the words of an output mean."""
        operand = self.outputs[name, index]
        if isinstance(operand.source, Constant):
            return number_format(self.words.word, abs(operand.source.value)).shifted(operand.shift)
        found = self.formats[operand.source]
        if isinstance(found, Angle):
            return found
        return found.shifted(operand.shift)

    # -- the pipeline ------------------------------------------------------------------------------

    @cached_property
    def pipeline(self):
        """The tasks in stages, with the fewest buffers: a px.pipeline."""
        graph, values = task_graph(self.tasks)
        return pipeline(graph, values=values)

    @property
    def stages(self):
        return self.pipeline.stages

    @cached_property
    def stage(self):
        """The stage of each task."""
        return [self.pipeline.start[task_name(k)] for k in range(len(self.units))]

    # -- what it computes --------------------------------------------------------------------------

    def run(self, words):
        """Words of the outputs, (name, index) -> array, and which items are valid.

        `words` maps each of `inputs` to an array of words.
        """
        given, shape = input_words(self, words)
        valid, known = True, {}
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
    def ops(self):
        """Whole numbers that are long enough for all that is inside: integers, long_integers."""
        widest = max((max(unit.widths.values()) for unit in self.units), default=0)
        fits = max(widest, self.words.word) <= WIDEST - ON_THE_WAY
        return integers if fits else long_integers

    def within_limits(self, source, word):
        """Whether an input is one that can be computed with."""
        if source not in self.limits:
            return np.ones(np.shape(word), dtype=bool)
        least, most = self.limits[source]
        return (word >= least) & (word <= most)

    def output_word(self, key, word):
        """An output's word, of the word of its source; of none where that is a constant."""
        operand, wanted = self.outputs[key], self.format_of(*key)
        if isinstance(operand.source, Constant):
            return wanted.raw(operand.sign * np.ldexp(operand.source.value, operand.shift))[0]
        if operand.sign > 0:
            return word
        if isinstance(wanted, Angle):
            return integers.wrap(-word, wanted.word)
        return -word - (word == -1 << wanted.word - 1)  # there is one more below zero than above

    def stream(self, words):
        """What `run` gives, by sending item after item through the pipeline, one a stage."""
        return stream(self, words)

    def quantised(self, /, **arrays):
        """Words of the inputs, Input -> array, and which items have numbers that fit."""
        given = self.tasks.given(
            {
                name: as_array(matrices(array), name, self.tasks.inputs.get(name, ()))
                for name, array in arrays.items()
            }
        )
        finite = [np.isfinite(array).all(-1) for array in given.values()]  # also what is not read
        words, fits = {}, np.logical_and.reduce(together(", ".join(given), finite))
        for source in self.inputs:
            words[source], sound = self.formats[source].raw(given[source.name][..., source.index])
            fits = fits & sound
        return words, fits

    def __call__(self, /, *arrays, **named):
        """Floats in, floats out: a tuple with the outputs by name, and `valid`.

        Where an item is not valid its outputs are NaN.
        """
        names = list(self.tasks.inputs)
        if len(arrays) > len(names) or named.keys() & names[: len(arrays)]:
            raise ArgumentError(
                f"inputs of {self.name}: expected each of {names} once, "
                f"found {len(arrays)} by place and {list(named)} by name"
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
        return namedtuple("Results", [*self.tasks.outputs, "valid"])(*results, valid)

    def sample(self, count, seed=0):
        """Words of `count` random inputs as they come in use: Input -> array."""
        return self.quantised(**self._random_inputs(count, seed))[0]

    def errors(self, count=1000, seed=0):
        """How far outputs are from float64 at most, over so many random inputs that are valid.

        A dict, output -> array of its shape; part of it is the rounding of inputs to words.
        """
        inputs = self._random_inputs(count, seed)
        found, exact = self(**inputs), self.tasks.evaluate(**inputs)
        worst = 0.0 if found.valid.any() else math.inf  # nothing is known of what is not valid
        errors = {}
        for name, (shape, _) in self.tasks.outputs.items():
            ours, right = getattr(found, name)[found.valid], exact[name][found.valid]
            angles = [isinstance(self.format_of(name, k), Angle) for k in range(math.prod(shape))]
            on_circle = np.reshape(angles, shape)
            off = np.where(on_circle, angle_between(ours, right), abs(ours - right))
            errors[name] = off.max(axis=0, initial=worst)
        return errors

    def _random_inputs(self, count, seed):
        count = whole_number("count", count)
        rng = np.random.default_rng(seed)
        if self._sample is not None:
            return self._sample(rng, count)
        return random_inputs(self.tasks, self._ranges, rng, count)

    def export(self, folder, architecture="pipelined", items=500, name=None):
        """Write Verilog with a test bench of so many items; returns what was written.

        architecture: "pipelined", an item every clock, or "iterative", one processor a task, an
        item every `iterations` clocks. `name` is the module's, by default the circuit's.
        """
        from ..rtl.verilog import write

        return write(self, folder, self.sample(items), architecture, name)

    def __repr__(self):
        return f"<Circuit {shown(self.name)}: {self.tasks.summary}, words of {self.word} bits>"
