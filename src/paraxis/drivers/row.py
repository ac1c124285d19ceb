"""A step of several Bodies in a row, some of them repeated: what `iterate` takes besides one Body.

Values go by name. A stage reads what the nearest stage before it has made under that name, or else
an input of the step. A step with contact, say, prepares once, sweeps until the contact forces have
converged, and finishes once: small code that ends early, where one Body would hold every sweep.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..body import Body, spelt
from ..checks import integer, listing, one_of, quoted
from ..errors import ArgumentError
from ..graph.evaluate import evaluate
from ..graph.graph import Graph
from ..passes.cost import cost

Shape = tuple[int, ...]
Value = tuple[str, str]  # ("input", name) of the step, or ("output", name) of a stage


@dataclass(frozen=True, eq=False)
class Stage:
    """A Body in a row, done `repeat` times.

    carry: input -> the output that becomes it in the next repetition; in the first one the input
    has the value that it would have without. Later stages find the last value under the name of the
    output, and the first one still under that of the input. until: a scalar output: the repetition
    in which it is nonzero is the last of that state, whose outputs keep the values they have then.
    """

    body: Body
    repeat: int = 1
    carry: dict[str, str] = field(default_factory=dict)
    until: str | None = None

    def __post_init__(self):
        if not isinstance(self.body, Body):
            raise ArgumentError(f"stage: expected a Body, found {type(self.body).__name__}")
        object.__setattr__(self, "repeat", integer("repeat", self.repeat))
        if not isinstance(self.carry, dict):
            raise ArgumentError(
                f"carry: expected a dict from inputs to the outputs that become them, "
                f"found {quoted(self.carry)}"
            )
        if self.repeat > 1 and not self.carry:
            raise ArgumentError(
                "carry: a stage that is repeated must carry at least one input; without, every "
                "repetition would compute the same"
            )


class Row:
    """Stages one after another: a step of several Bodies, for `target.iterate(row, plan)`.

    It has what a Body has: key, name, inputs, outputs and cost. Two outputs cannot have the same
    name, but an output may have that of an input of the step, which later stages then do not see.

    by_lanes: what makes a Plan of the `lanes` driver that computes the same, or None.
    """

    def __init__(
        self,
        stages: Iterable[Stage],
        name: str = "step",
        by_lanes: Callable[[], Any] | None = None,
    ):
        self.stages, self.name, self._by_lanes = tuple(stages), name, by_lanes
        for stage in self.stages:
            if not isinstance(stage, Stage):
                raise ArgumentError(f"stages: expected Stages, found a {type(stage).__name__}")
        if not self.stages:
            raise ArgumentError("stages: expected at least one")

    @property
    def identity(self) -> tuple:
        return self.name, self.stages

    @cached_property
    def key(self) -> str:
        """A digest of the keys of all stages, and of how they are repeated."""
        return hashlib.sha256(f"row{spelt(self.identity)}".encode()).hexdigest()

    @cached_property
    def linked(self) -> "Linked":
        """Its stages with their graphs, made on first use, and kept."""
        return linked(self.name, self.stages, [stage.body.graph for stage in self.stages])

    def made(self) -> "Linked":
        """The same, for one use: kept only where it is kept already, as graphs may be large."""
        if "linked" in self.__dict__:
            return self.linked
        return linked(self.name, self.stages, [stage.body.made() for stage in self.stages])

    @property
    def may_have_lanes(self) -> bool:
        """As of a Body."""
        return self._by_lanes is not None

    @cached_property
    def lanes(self) -> Any:
        """As of a Body."""
        return self._by_lanes and self._by_lanes()

    @property
    def inputs(self) -> dict[str, Shape]:
        """name -> shape of what the step is given: what no stage makes for a later one."""
        return dict(self.linked.inputs)

    @property
    def outputs(self) -> dict[str, Shape]:
        """name -> shape of what the stages make, in order."""
        return dict(self.linked.outputs)

    @property
    def cost(self) -> int:
        """Roughly the flops of one state at most: with all repetitions."""
        return self.linked.cost

    def evaluate(self, **arrays: Any) -> dict[str, np.ndarray]:
        """One step by the slow interpreter, which defines what a Row means."""
        return self.made().evaluate(arrays)


class Link(NamedTuple):
    """A stage in its place: what its inputs read."""

    graph: Graph
    stage: Stage
    reads: dict[str, Value]  # input -> what it is, in the first repetition

    @property
    def repeated(self):
        return self.stage.repeat > 1

    @property
    def carry(self):
        """input -> output, if it ever happens."""
        return self.stage.carry if self.repeated else {}

    @property
    def until(self):
        """What ends the repetitions early."""
        return self.stage.until if self.repeated else None


class Linked(NamedTuple):
    """Stages with their graphs, and who reads what."""

    name: str
    links: tuple[Link, ...]
    inputs: dict[str, Shape]
    outputs: dict[str, Shape]

    @property
    def cost(self):
        return sum(cost(link.graph) * link.stage.repeat for link in self.links)

    def evaluate(self, arrays):
        """The outputs of one step; arrays are of batch shape + entry shape."""
        _same_names(arrays, self.inputs, f"inputs of {self.name}")
        values = {("input", name): array for name, array in arrays.items()}
        for link in self.links:
            made = _repeated(link, {name: values[key] for name, key in link.reads.items()})
            values |= {("output", name): array for name, array in made.items()}
        return {name: values["output", name] for name in self.outputs}

    def check(self, plan):
        """Whether a Plan speaks of the inputs and outputs that there are."""
        for what, of_plan, own in (
            ("inputs", plan.inputs, self.inputs),
            ("outputs", plan.outputs, self.outputs),
        ):
            _same_names(of_plan, own, f"{what} of the plan of {self.name}", self._reader)
            for name, shape in own.items():
                if of_plan[name] != shape:
                    raise ArgumentError(
                        f"{what} of the plan of {self.name}: {name} has shape {of_plan[name]}, "
                        f"expected {shape}"
                    )

    def _reader(self, name):
        """Why there is an input of this name: the stage that reads it."""
        for k, link in enumerate(self.links):
            if link.reads.get(name) == ("input", name):
                later = [j for j, other in enumerate(self.links) if name in other.graph.outputs]
                made = f"; it is made only by {_called(self.links, later[0])}" if later else ""
                return f", which {_called(self.links, k)} reads{made}"
        return ""


def made_row(body: Body | Row) -> Linked:
    """A Row, or a Body as a row of one stage, with its graphs."""
    if isinstance(body, Row):
        return body.made()
    graph = body.made()
    return linked(graph.name, (Stage(body),), [graph])


def linked(name: str, stages: Iterable[Stage], graphs: Iterable[Graph]) -> Linked:
    """Stages with these graphs in a row, if they fit together."""
    inputs: dict[str, Shape] = {}
    outputs: dict[str, Shape] = {}
    links: list[Link] = []
    for stage, graph in zip(stages, graphs, strict=True):
        links.append(Link(graph, stage, {}))
        this = _called(links, len(links) - 1)
        for key, shape in graph.inputs.items():
            made = key in outputs
            found = outputs[key] if made else inputs.setdefault(key, shape)
            if found != shape:
                before = next(
                    k
                    for k, link in enumerate(links)
                    if key in (link.graph.outputs if made else link.graph.inputs)
                )
                raise ArgumentError(
                    f"{this} reads {key} of shape {shape}, but {_called(links, before)} "
                    f"{'makes' if made else 'reads'} it of shape {found}"
                )
            links[-1].reads[key] = ("output" if made else "input", key)
        own = {key: shape for key, (shape, _) in graph.outputs.items()}
        for key in own:
            if key in outputs:
                before = next(k for k, link in enumerate(links) if key in link.graph.outputs)
                raise ArgumentError(
                    f"{this} makes {key}, as {_called(links, before)} does; rename one of them"
                )
        _check_repeats(stage, dict(graph.inputs), own, this)
        outputs |= own
    return Linked(name, tuple(links), inputs, outputs)


def _check_repeats(stage, inputs, outputs, this):
    for name, output in stage.carry.items():
        one_of(name, inputs, f"carry of {this}")
        one_of(output, outputs, f"carry of {name} in {this}")
        if inputs[name] != outputs[output]:
            raise ArgumentError(
                f"carry of {this}: {name} has shape {inputs[name]}, but {output}, which becomes "
                f"it, has shape {outputs[output]}"
            )
    if len(set(stage.carry.values())) != len(stage.carry):
        raise ArgumentError(f"carry of {this}: two inputs cannot be carried from the same output")
    if stage.until is not None:
        one_of(stage.until, outputs, f"until of {this}")
        if outputs[stage.until] != ():
            raise ArgumentError(
                f"until of {this}: expected a scalar output, found {stage.until} of shape "
                f"{outputs[stage.until]}"
            )


def _called(links, k):
    return f"stage {k + 1} ({links[k].graph.name})"


def _same_names(found, expected, what, why=lambda name: ""):
    missing = [name for name in expected if name not in found]
    if missing:
        raise ArgumentError(f"{what}: {quoted(missing[0])} is missing{why(missing[0])}")
    others = [name for name in found if name not in expected]
    if others:
        raise ArgumentError(f"{what}: expected only {listing([*expected])}, found {others[0]!r}")


def _repeated(link, given):
    """The outputs of a stage on these arrays, by the interpreter."""
    made, frozen = None, None
    for _ in range(link.stage.repeat):
        new = evaluate(link.graph, given)
        if frozen is None:
            made = new
        else:
            made = {name: _where(frozen, made[name], array) for name, array in new.items()}
        given = given | {name: made[output] for name, output in link.carry.items()}
        if link.until:
            frozen = made[link.until] != 0
            if frozen.all():
                break
    return made


def _where(frozen, kept, new):
    return np.where(frozen.reshape(frozen.shape + (1,) * (new.ndim - frozen.ndim)), kept, new)
