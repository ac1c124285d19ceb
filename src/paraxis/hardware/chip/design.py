"""A chip as one module: matrix-vector processors, delay buffers, and the counter that drives them.

    start   a state is at the inputs       done    torques are at the outputs
    ready   it is accepted in this clock   valid   and they are valid

A state is accepted when the counter is zero. Its registers hold it from the next clock on, which is
tick zero of the array's timetable.
"""

import re

from amaranth.hdl import Cat, Const, Module, Mux, ResetSignal, Signal, signed

from ...parallel.systolic.operators import MM, MV
from ...parallel.systolic.wiring import OUTSIDE, Constant, Input
from ..rtl.names import port_name
from .entries import SHAPES, entries
from .matrix_vector_processor import MatrixVectorProcessor, operand_rows
from .readme import readme

ASCII = str.maketrans({"ω": "omega", "α": "alpha", "τ": "tau"})


class ChipDesign:
    """`inputs` and `outputs` map Inputs and ("tau", joint) to the signals of their words."""

    architecture = "systolic"
    has_alike_modules = True  # a module for each coordinate

    def __init__(self, chip):
        self.circuit = chip
        n, word = chip.array.links.model.n, signed(chip.word)
        self.inputs = {}
        for source in chip.array.wiring.inputs:
            shape = (n, *SHAPES[source.words])
            for entry in entries(source):
                name = port_name(entry.name, shape, entry.index)
                self.inputs[entry] = Signal(word, name=name)
        self.outputs = {
            key: Signal(word, name=port_name("tau", (n,), key[1])) for key in chip.outputs
        }
        self.start, self.ready = Signal(name="start"), Signal(name="ready")
        self.done, self.valid = Signal(name="done"), Signal(name="valid")

    @property
    def summary(self):
        chip = self.circuit
        return (
            f"{chip.array.title}, {chip.processors} matrix-vector processors, words of {chip.word} "
            "bits"
        )

    @property
    def notes(self):
        return (
            f"Robot {self.circuit.array.links.model.robot.name}: joint torques tau, in N m (N for "
            "prismatic joints), by Lathrop's systolic array of 1985.",
        )

    @property
    def latency(self):
        """Clocks from a state at the inputs to its torques at the outputs."""
        return self.circuit.latency

    @property
    def interval(self):
        """Clocks from one state to the next."""
        return self.circuit.interval

    @property
    def ports(self):
        words = [*self.inputs.values(), self.done, self.valid, *self.outputs.values()]
        return [self.start, self.ready, *words]

    def readme(self, name):
        return readme(self, name)

    def module(self):
        """The hardware between these ports."""
        module, array, interval = Module(), self.circuit.array, self.interval
        phase = Signal(range(interval), name="phase")
        module.d.sync += phase.eq(Mux(phase == interval - 1, 0, phase + 1))
        module.d.comb += self.ready.eq((phase == 0) & ~ResetSignal())
        lines = DelayLines(module, array, phase)
        for source in array.wiring.inputs:
            lines.arrive(source, [self.inputs[entry] for entry in entries(source)])
        for number, operation in enumerate(array.wiring.operations):
            self._operation(module, lines, phase, number, operation)
        right = []
        for joint, output in enumerate(array.wiring.outputs):
            (word,), sound = lines.read(output, OUTSIDE, joint)
            module.d.comb += self.outputs["tau", joint].eq(word)
            right.append(sound)
        on_the_way = Signal(self.latency, name="on_the_way")
        module.d.sync += on_the_way.eq(Cat(self.start & self.ready, on_the_way))
        module.d.comb += self.done.eq(on_the_way[-1])
        module.d.comb += self.valid.eq(self.done & Cat(*right).all())
        return module

    def _operation(self, module, lines, phase, number, operation):
        """The processors of an operation, and the words that they output."""
        array, words, right = self.circuit.array, [], []
        for position, (source, transposed) in enumerate(operation.operands):
            if isinstance(source, Constant):
                found = self._constant(source)
            else:
                found, sound = lines.read(source, operation, position)
                right.append(sound)
            words.append(nested(found, transposed))
        operator, sides = operation.operator, [words]
        if operator is MM:  # a matrix times each column of the other
            operator, sides = MV, [(words[0], [row[c] for row in words[1]]) for c in range(3)]
        processors = []
        for column, (left, other) in enumerate(sides):
            processor = MatrixVectorProcessor(
                operator,
                self.circuit.word,
                self.circuit.roundings[operation],
                operand_rows(operator, left, other),
                Cat(*right).all() if right else Const(1, 1),
                phase,
                (array.starts[operation] + 1) % self.interval,
                self.interval,
            )
            module.submodules[f"{processor_name(number, operation)}_{column}"] = processor
            processors.append(processor)
        columns = [processor.words for processor in processors]
        flat = [word for row in zip(*columns, strict=True) for word in row]
        lines.put(operation, flat, Cat(*(each.right for each in processors)).all())

    def _constant(self, constant):
        found = self.circuit.constant_words(constant).ravel().tolist()
        return [Const(word, signed(self.circuit.word)) for word in found]


class DelayLines:
    """The words of every source, current and some results old, each with a validity bit.

    A line shifts in the clock in which its source has a new result.
    """

    def __init__(self, module, array, phase):
        self.module, self.array, self.phase = module, array, phase
        self.taps = {}  # source -> for each register of the line, its words and validity
        self.longest = {}
        for source, taker, position, _ in array.reads:
            tap = array.taps[taker, position]
            self.longest[source] = max(self.longest.get(source, 0), tap)

    def arrive(self, source, ports):
        """Loads an input into a register."""
        (words, right) = self._next(source, 0, ports, Const(1, 1))
        self.put(source, words, right)

    def put(self, source, words, right):
        """Takes the output of a source, with registers for as long as it is read."""
        self.taps[source] = [(words, right)]
        for tap in range(self.longest.get(source, 0)):
            self.taps[source].append(self._next(source, tap + 1, *self.taps[source][-1]))

    def read(self, source, taker, position):
        return self.taps[source][self.array.taps[taker, position]]

    def _next(self, source, tap, words, right):
        """The same, one result later."""
        bits = Cat(*words, right) if not isinstance(right, Const) else Cat(*words)
        line = Signal(len(bits), name=f"{line_name(source)}_{tap}", reset_less=True)
        with self.module.If(self.phase == self.array.end(source) % self.array.interval):
            self.module.d.sync += line.eq(bits)
        size = len(words[0])
        later = [line[k * size : (k + 1) * size].as_signed() for k in range(len(words))]
        return later, right if isinstance(right, Const) else line[-1]


def nested(words, transposed):
    """Words in rows as a number, a list or a list of lists."""
    if len(words) == 1:
        return words[0]
    if len(words) == 3:
        return words
    rows = [words[k : k + 3] for k in (0, 3, 6)]
    return [list(column) for column in zip(*rows, strict=True)] if transposed else rows


def processor_name(number, operation):
    """A name such as p12_outward_2_omega."""
    node = operation.site.node.replace("..", " to ")
    return re.sub(
        r"\W+", "_", f"p{number} {node} {operation.result.translate(ASCII)}", flags=re.ASCII
    )


def line_name(source):
    if isinstance(source, Input):
        return f"{source.quantity}_{source.link}"
    return processor_name("", source)
