"""A circuit as one module: processors in stages, and delay lines that align words.

    start   an item is at the inputs          done    an item is at the outputs
    ready   it is accepted (iterative only)   valid   and it is valid

An item takes `circuit.stages * circuit.iterations` clocks. Two bits travel with it: that an item is
present, which is the only state that a reset must clear, and that it has been valid so far.
"""

from functools import cached_property, reduce
from operator import and_

from amaranth.hdl import Const, Module, Mux, ResetSignal, Signal, signed

from ...checks import one_of
from ..tasks.tasks import Constant, Input, Result
from .iterative import Iterative
from .names import port_name, require_port_names
from .pipelined import Pipelined
from .readme import readme

ARCHITECTURES = {"pipelined": Pipelined, "iterative": Iterative}


class Design:
    """`inputs` and `outputs` map Inputs and (name, index) to the signals of their words."""

    has_alike_modules = False  # each processor can be examined

    def __init__(self, circuit, architecture="pipelined"):
        one_of(architecture, ARCHITECTURES, "architecture")
        self.circuit, self.architecture = circuit, architecture
        self.inputs = {
            source: Signal(
                signed(circuit.formats[source].word),
                name=port_name(source.name, circuit.tasks.inputs[source.name], source.index),
            )
            for source in circuit.inputs
        }
        self.outputs = {
            (name, index): Signal(
                signed(circuit.format_of(name, index).word),
                name=port_name(name, circuit.tasks.outputs[name][0], index),
            )
            for name, index in circuit.outputs
        }
        self.start = Signal(name="start")
        self.ready = Signal(name="ready") if architecture == "iterative" else None
        self.done = Signal(name="done")
        self.valid = Signal(name="valid")
        require_port_names(circuit.name, [port.name for port in self.ports])

    @property
    def summary(self):
        return f"{self.circuit.tasks.summary}, {self.architecture}"

    @property
    def notes(self):
        return self.circuit.notes

    def readme(self, name):
        return readme(self, name)

    @property
    def latency(self):
        """Clocks from an item at the inputs to the same item at the outputs."""
        return self.circuit.stages * self.circuit.iterations

    @property
    def interval(self):
        """Clocks from one item to the next."""
        return 1 if self.ready is None else self.circuit.iterations

    @property
    def ports(self):
        taken = [self.start] if self.ready is None else [self.start, self.ready]
        return [*taken, *self.inputs.values(), self.done, self.valid, *self.outputs.values()]

    def module(self):
        """The hardware between these ports."""
        module, circuit = Module(), self.circuit
        clocked = ARCHITECTURES[self.architecture](module, circuit.iterations)
        if self.ready is not None:
            module.d.comb += self.ready.eq(clocked.first & ~ResetSignal())
        processors = [self._processor(clocked, k) for k in range(len(circuit.units))]
        words = self._words(clocked, processors)
        for k, (task, processor) in enumerate(zip(circuit.tasks.tasks, processors, strict=True)):
            module.submodules[f"t{k + 1}_{task.kind}"] = processor
            stage = circuit.stage[k]
            for port, word in processor.words.items():
                module.d.comb += word.eq(words[getattr(task, port).source, stage])
        for key, word in self.outputs.items():
            module.d.comb += word.eq(self._output(key, words))
        there, right = self._travelling(clocked, processors)
        module.d.comb += [self.done.eq(clocked.first & there), self.valid.eq(self.done & right)]
        return module

    def _processor(self, clocked, k):
        """The processor of a task, with the used ones of its results."""
        unit = self.circuit.units[k]
        kept = [port for port in unit.gives if Result(k, port) in self._reads]
        return clocked.processor(unit, kept, f"t{k + 1}_")

    @cached_property
    def _reads(self):
        """Source -> the stages in which it is read; outputs are read after the last one."""
        circuit, reads = self.circuit, {}
        for task, unit, stage in zip(
            circuit.tasks.tasks, circuit.units, circuit.stage, strict=True
        ):
            for port in unit.ports:
                reads.setdefault(getattr(task, port).source, set()).add(stage)
        for operand in circuit.outputs.values():
            if not isinstance(operand.source, Constant):
                reads.setdefault(operand.source, set()).add(circuit.stages)
        return reads

    def _words(self, clocked, processors):
        """(source, stage) -> its word there, from a delay line that all readers share."""
        words = {}
        for source, stages in self._reads.items():
            if isinstance(source, Input):
                word, born = self.inputs[source], 0
            else:
                word = processors[source.task].given[source.port]
                born = self.circuit.stage[source.task] + 1
            line = clocked.delayed(f"{word.name}_line", word, max(stages) - born)
            words |= {(source, stage): line[stage - born] for stage in stages}
        return words

    def _output(self, key, words):
        """Like Circuit.output_word."""
        operand, word = self.circuit.outputs[key], self.outputs[key]
        if isinstance(operand.source, Constant):
            return Const(int(self.circuit.output_word(key, None)), word.shape())
        found = words[operand.source, self.circuit.stages]
        if operand.sign > 0:
            return found
        if self.circuit.tasks.is_angle(operand.source):
            return -found
        most = (1 << len(word) - 1) - 1
        return Mux(found < -most, most, -found)

    def _travelling(self, clocked, processors):
        """Whether an item is present after the last stage, and whether it is valid."""
        circuit = self.circuit
        sound = [
            (self.inputs[source] >= least) & (self.inputs[source] <= most)
            for source, (least, most) in circuit.limits.items()
        ]
        right, there = reduce(and_, sound, Const(1, 1)), self.start
        for stage in range(circuit.stages):
            _, there = clocked.delayed(f"there_{stage}", there, 1, reset=True)
            _, right = clocked.delayed(f"right_{stage}", right, 1)
            ends = [p.right for p, s in zip(processors, circuit.stage, strict=True) if s == stage]
            right = reduce(and_, ends, right)
        return there, right
