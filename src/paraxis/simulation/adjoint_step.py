"""One step backward: from cotangents of the state after a step to those of the state before it.

A cotangent of x, written `bar_x`, is how some number moves with x. The vector-Jacobian product of a
step is made by reverse mode over the step's own graph, so it is exact for what the step computes,
and it is again a body for the driver `iterate`, which repeats it over steps from the last to the
first. It carries the cotangents of the state and sums those of arrays that every step uses; those
of arrays with a value per step are recorded.
"""

from dataclasses import dataclass
from functools import cached_property

from ..body import Body
from ..drivers.iterate import Plan
from ..drivers.row import Row
from ..graph.derivative import vjp
from ..graph.graph import Graph
from ..graph.splice import splice
from ..graph.trace import trace
from ..passes.cheapen import cheapen_unless_long
from .bodies import Step

RECORDED = ("q", "qd")  # what of the state a run records, and what thus has cotangents of its own
COUNT = "step"


@dataclass(frozen=True, eq=False)
class Reversed:
    """The roles of a step's arrays when it is done backward.

    `wanted`: the inputs besides the state whose cotangents are wanted. `marked`: whether recorded
    states have cotangents of their own after each step.
    """

    step: Step
    wanted: tuple[str, ...]
    marked: bool

    @property
    def identity(self) -> tuple:
        return self.step, self.wanted, self.marked

    @property
    def state(self):
        """Carried inputs that decide later states."""
        return state_of(self.step)

    @property
    def marks(self):
        return RECORDED if self.marked else ()

    @property
    def streamed(self):
        return tuple(name for name in self.wanted if name in self.step.plan.per_step)

    @property
    def summed(self):
        return tuple(name for name in self.wanted if name not in self.step.plan.per_step)

    # -- arrays: name -> shape, of one robot ------------------------------------------------------

    @property
    def given(self):
        """The inputs of the step forward that are needed: all but what it only counts."""
        aside = set(self.step.tallies)
        return {name: shape for name, shape in self.step.inputs.items() if name not in aside}

    @property
    def bars(self):
        """The cotangents that are carried."""
        return {bar(name): self.step.inputs[name] for name in (*self.state, *self.summed)}

    @property
    def inputs(self):
        marks = {mark(name): self.step.inputs[name] for name in self.marks}
        return self.given | self.bars | marks

    @property
    def between(self):
        """What goes from one stage to another, where there are several."""
        return {}

    @cached_property
    def plan(self):
        carry = {name: f"{name}_next" for name in (*self.bars, COUNT)}
        outputs = self.between | {after: self.inputs[before] for before, after in carry.items()}
        outputs |= {bar(name): self.step.inputs[name] for name in self.streamed}
        kept = tuple(name for name in kept_of(self.step) if name in self.inputs)
        per_step = (*kept, *self.step.plan.per_step, *map(mark, self.marks))
        record = tuple(map(bar, self.streamed))
        return Plan(self.inputs, outputs, carry, per_step, record=record)

    @property
    def body(self) -> Body | Row:
        """Made by reverse mode."""
        return Body(adjoint_graph, self)

    # -- over traced scalars ----------------------------------------------------------------------

    def total(self, name, arrays):
        """The cotangent of a part of the state after the step."""
        carried = arrays[bar(name)]
        return plus(carried, arrays[mark(name)]) if name in self.marks else carried

    def results(self, arrays, found):
        """The outputs of the step backward, from cotangents of inputs of the step."""
        made = {f"{bar(name)}_next": found[name] for name in self.state}
        for name in self.summed:
            made[f"{bar(name)}_next"] = plus(arrays[bar(name)], found[name])
        made[f"{COUNT}_next"] = arrays[COUNT] - 1.0
        return made | {bar(name): found[name] for name in self.streamed}


def state_of(step):
    """The carried inputs of a step that decide later states smoothly."""
    return ("q", "qd", *(step.law.memory_inputs if step.law else ()))


def kept_of(step):
    """The carried inputs without which a step cannot be done again: impulses begin its sweeps."""
    return (*state_of(step), *(("impulses",) if step.ground else ()))


def bar(name):
    """The cotangent of an input before a step backward (or, of one per step, of that step)."""
    return f"bar_{name}"


def mark(name):
    """What is added to the cotangent of the state after a step, because that state was recorded."""
    return f"mark_{name}"


def adjoint_graph(way: Reversed) -> Graph:
    """The graph of one step backward."""
    step = way.step
    whole = step.body.made()
    assert isinstance(whole, Graph)  # and not several of them, as on the ground
    outputs = {step.carried[name]: whole.outputs[step.carried[name]] for name in way.state}
    graph = Graph(whole.inputs, outputs, {}, whole.name)
    pull = Pull(graph, (*way.state, *way.wanted))

    def run(**arrays):
        bars = {step.carried[name]: way.total(name, arrays) for name in way.state}
        return way.results(arrays, pull(arrays, bars))

    return cheapen_unless_long(trace(run, way.inputs, f"{whole.name}_adjoint"))


class Pull:
    """The vector-Jacobian product of a graph, over traced scalars."""

    def __init__(self, graph, wrt):
        self.wrt, self._inputs, self._outputs = tuple(wrt), graph.inputs, graph.outputs
        self._pulled = vjp(graph, wrt=self.wrt)

    def __call__(self, arrays, bars):
        """name -> cotangent of the inputs, from those of outputs; others of both are zero."""
        given = {
            name: arrays[name] if name in arrays else zeros(shape)
            for name, shape in self._inputs.items()
        }
        for name, (shape, _) in self._outputs.items():
            given[f"{name}_bar"] = bars[name] if name in bars else zeros(shape)
        found = splice(self._pulled, [given[name] for name in self._pulled.inputs])
        return dict(zip(self.wrt, found, strict=True))


def plus(a, b):
    """The sum of nested lists."""
    if isinstance(a, list):
        return [plus(x, y) for x, y in zip(a, b, strict=True)]
    return a + b


def zeros(shape):
    return [zeros(shape[1:]) for _ in range(shape[0])] if shape else 0.0
