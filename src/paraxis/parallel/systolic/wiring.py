"""Where results go: the operations of all nodes, joined by wires."""

from dataclasses import dataclass
from typing import NamedTuple

from .operators import Operator

OUTSIDE = None  # takes the torques of a state, all at once


@dataclass(frozen=True, eq=False)
class Input:
    """A value that enters with every state; `quantity` is one of those in links.py."""

    quantity: str
    link: int
    words: int

    def __str__(self):
        return f"{self.quantity} of link {self.link + 1}"


@dataclass(frozen=True, eq=False)
class Constant:
    """Stored by the processor that needs it."""

    value: object
    words = 3  # of those that are added


class Site(NamedTuple):
    """Where operations are executed. Those of a `part` of a node have their own wires.

    The hardware is that of the node, or of a `device` that computes one node after another.
    """

    sweep: str  # outward or inward
    node: str
    device: str
    part: str


class Operand(NamedTuple):
    source: object  # an Operation, an Input or a Constant
    transposed: bool


@dataclass(frozen=True, eq=False)
class Operation:
    result: str
    operator: Operator
    operands: tuple
    site: Site
    slot: str  # its processor within its part
    words: int  # numbers in the result

    def __str__(self):
        return f"{self.result} of {self.site.node}"


class Wiring(NamedTuple):
    operations: list  # each after its predecessors
    outputs: list  # the torques, one operation per joint

    @property
    def inputs(self):
        """The inputs that are used."""
        sources = (source for operation in self.operations for source, _ in operation.operands)
        return list(dict.fromkeys(each for each in sources if isinstance(each, Input)))

    @property
    def needed(self):
        """The wiring without operations on which no output depends."""
        wanted, kept = set(self.outputs), []
        for operation in reversed(self.operations):
            if operation in wanted:
                kept.append(operation)
                wanted.update(source for source, _ in operation.operands)
        return Wiring(kept[::-1], self.outputs)


def wire(program, site, scope, operations, slots=None):
    """Execute a program at a site; returns everything in scope, and its results, by name.

    `scope` maps names to sources, or to such mappings for names with a dot. Operations are appended
    to `operations`. A step's processor is named after its result unless `slots` says otherwise.
    """
    scope = dict(scope)
    for step in program:
        operands = tuple(_operand(name, scope) for name in step.operands)
        words = step.operator.words or operands[0].source.words
        slot = (slots or {}).get(step.result, step.result)
        operation = Operation(step.result, step.operator, operands, site, slot, words)
        operations.append(operation)
        scope[step.result] = operation
    return scope


def _operand(name, scope):
    stem, found = name.removesuffix(".T"), scope
    for part in stem.split("."):
        found = found[part]
    return Operand(found, transposed=stem != name)
