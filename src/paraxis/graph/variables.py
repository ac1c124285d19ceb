"""A trace in which every marked value is a variable of its own.

Simplification may merge ω₁ with the rate of joint 1, and what reads one with what reads the other.
Here a marked value becomes a symbol, which those that read it depend on, and its definition is kept
apart: so one can say of each reader what it shall be given instead.
"""

from dataclasses import dataclass, field

from .graph import reachable
from .node import Builder


class _Symbols(Builder):
    """Makes a symbol of every scalar that is marked for a link, unless it is constant."""

    def __init__(self, link_of):
        super().__init__()
        self.definitions, self._link_of = {}, link_of

    def mark(self, name, row, scalars):
        lifted, link = tuple(self.lift(scalar) for scalar in scalars), self._link_of(name, row)
        if link is None:
            return list(lifted)
        self.definitions[name, link] = lifted
        return [
            scalar if scalar.op == "const" else self.input((name, link), k)
            for k, scalar in enumerate(lifted)
        ]


@dataclass(frozen=True, eq=False)
class System:
    """Definitions of variables, in an order in which each reads only those before it.

    `variables` maps a (name, link) to its scalars, `results` are those of the function. Inputs are
    entries (name, k) with the name of an input; symbols are entries ((name, link), k).
    """

    variables: dict
    results: tuple
    _needs: dict = field(default_factory=dict, init=False)  # found once for each reader

    def scalars(self, reader):
        """What a reader is defined as; None stands for the results."""
        return self.results if reader is None else self.variables[reader]

    def needs(self, reader):
        """The nodes of a reader's definition, arguments first."""
        if reader not in self._needs:
            self._needs[reader] = reachable(list(self.scalars(reader)))
        return self._needs[reader]

    def reads(self, reader):
        """The variables that a reader's definition holds, in order."""
        symbols = (node.value for node in self.needs(reader) if node.op == "input")
        return list(dict.fromkeys(entry[0] for entry in symbols if isinstance(entry[0], tuple)))

    def changing(self, variable):
        """Which scalars of a variable are not constant."""
        return [k for k, node in enumerate(self.variables[variable]) if node.op != "const"]

    def evaluate(self, builder, reader, given):
        """The scalars of a reader in another trace; `given(entry)` returns an entry there."""
        new = {}
        for node in self.needs(reader):
            if node.op == "input":
                new[node.index] = builder.lift(given(node.value))
            else:
                new[node.index] = builder.copy(node, [new[a.index] for a in node.args])
        return [new[node.index] for node in self.scalars(reader)]


def trace_variables(function, inputs, link_of=lambda name, row: row):
    """The System of a function of arrays of scalars, `inputs` mapping their names to lengths.

    `link_of` returns the link that a mark of a row is a variable of, or None if it is of none.
    """
    builder = _Symbols(link_of)
    arrays = {
        name: [builder.input(name, k) for k in range(length)] for name, length in inputs.items()
    }
    results = [builder.lift(scalar) for scalar in function(**arrays)]
    return System(builder.definitions, tuple(results))
