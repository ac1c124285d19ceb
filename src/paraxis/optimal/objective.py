"""What a knot of a trajectory costs, and what must hold there, expanded to second order.

A cost that is one number has its own second derivatives; one that is an array of residuals r is
½ r·r, with the Hessian Jᵀ J of Gauss and Newton. Inequalities h <= 0 and equalities c = 0 join the
cost as an augmented Lagrangian, with multipliers m and a penalty ρ:

    m·c + ½ ρ c·c        ½ Σ (max(0, m + ρ h)² - m²) / ρ

whose Hessian is that of Gauss and Newton, too, so that it is never made worse by a constraint.
"""

from dataclasses import dataclass
from functools import cached_property

from ..graph.along import hessian_along, jacobian_along
from ..graph.graph import Graph
from ..graph.splice import splice
from ..graph.trace import trace
from ..scalar import less, maximum, select
from .quadratic import dot, packed
from .systems import OwnSystem, RobotSystem, move_graph

MULTIPLIERS, PENALTY = "multipliers", "penalty"


@dataclass(frozen=True, eq=False)
class Objective:
    """A graph of x, u (not at the end) and parameters, with the outputs "cost" and, where there
    are any, "inequality" and "equality"."""

    system: RobotSystem | OwnSystem
    graph: Graph

    @property
    def identity(self):
        return self.system, self.graph

    @property
    def parameters(self):
        """name -> shape."""
        return {k: shape for k, shape in self.graph.inputs.items() if k not in ("x", "u")}

    @property
    def directions(self):
        """The size of the gradient: of dx and, where there is one, u."""
        return self.system.ndx + (self.graph.inputs["u"][0] if "u" in self.graph.inputs else 0)

    @property
    def inequalities(self):
        return self.graph.outputs["inequality"][0][0] if "inequality" in self.graph.outputs else 0

    @property
    def equalities(self):
        return self.graph.outputs["equality"][0][0] if "equality" in self.graph.outputs else 0

    @property
    def constraints(self):
        """How many, the inequalities first."""
        return self.inequalities + self.equalities

    @property
    def own_inputs(self):
        """name -> shape of what the expansion takes besides x, u and parameters."""
        return {MULTIPLIERS: (self.constraints,), PENALTY: ()} if self.constraints else {}

    def expanded(self, x, u, given):
        """{"value", "gradient", "hessian" as its upper half, and "residuals" of constraints}."""
        values = {"x": x, "u": u} | given
        graph = self.expansion
        found = splice(graph, [values[name] for name in graph.inputs])
        return dict(zip(graph.outputs, found, strict=True))

    @cached_property
    def expansion(self):
        """The graph of that."""
        return trace(self._expand, self.graph.inputs | self.own_inputs, "expansion")

    @property
    def fixed(self):
        """The entries of the Hessian's upper half: numbers, or None where they vary."""
        _, nodes = self.expansion.outputs["hessian"]
        return [node.value if node.op == "const" else None for node in nodes]

    # -- over traced scalars -----------------------------------------------------------------------

    def _expand(self, **arrays):
        graph = self._derivatives
        found = splice(graph, [arrays[name] for name in graph.inputs])
        found = dict(zip(graph.outputs, found, strict=True))
        by = [name for name in ("x", "u") if name in self.graph.inputs]
        value, gradient, hessian = self._cost(found, by)
        residuals = []
        if self.constraints:
            multipliers, penalty = arrays[MULTIPLIERS], arrays[PENALTY]
            for kind in ("inequality", "equality"):
                if kind not in self.graph.outputs:
                    continue
                rows = [
                    [entry for name in by for entry in found[f"{kind} by {name}"][i]]
                    for i in range(len(found[kind]))
                ]
                for h, row in zip(found[kind], rows, strict=True):
                    m = multipliers[len(residuals)]
                    pull, own, curvature = _augmented(kind, h, m, penalty)
                    value = value + own
                    gradient = [g + pull * j for g, j in zip(gradient, row, strict=True)]
                    hessian = [
                        [entry + curvature * (a * b) for entry, b in zip(entries, row, strict=True)]
                        for entries, a in zip(hessian, row, strict=True)
                    ]
                    residuals.append(h)
        results = {"value": value, "gradient": gradient, "hessian": packed(hessian)}
        return results | ({"residuals": residuals} if residuals else {})

    def _cost(self, found, by):
        """Its value, gradient and Hessian."""
        slopes = [found[f"cost by {name}"] for name in by]
        if self._squared:
            r = found["cost"]
            rows = [[entry for part in slopes for entry in part[i]] for i in range(len(r))]
            columns = [*zip(*rows, strict=True)]
            hessian = [[dot(a, b) for b in columns] for a in columns]
            return dot(r, r) * 0.5, [dot(column, r) for column in columns], hessian
        second = {(a, b): found[f"cost by {a}, {b}"] for k, a in enumerate(by) for b in by[k:]}
        hessian = []
        for a in by:
            for i in range(len(found[f"cost by {a}"])):
                row = []
                for b in by:
                    if (a, b) in second:
                        row += second[a, b][i]
                    else:
                        row += [line[i] for line in second[b, a]]
                hessian.append(row)
        return found["cost"], [entry for part in slopes for entry in part], hessian

    @property
    def _squared(self):
        return self.graph.outputs["cost"][0] != ()

    @cached_property
    def _derivatives(self):
        """The graph of everything with its derivatives by x and u."""
        graph, moves = self.graph, {"x": move_graph(self.system)}
        by = [name for name in ("x", "u") if name in graph.inputs]
        first = {f"{name} by {x}": (name, x) for name in graph.outputs for x in by}
        graphs = [graph, jacobian_along(graph, first, moves)]
        if not self._squared:
            second = {f"cost by {a}, {b}": ("cost", a, b) for k, a in enumerate(by) for b in by[k:]}
            graphs.append(hessian_along(graph, second, moves))

        def run(**arrays):
            results = {}
            for each in graphs:
                found = splice(each, [arrays[name] for name in each.inputs])
                results |= dict(zip(each.outputs, found, strict=True))
            return results

        return trace(run, graph.inputs, "objective")


def _augmented(kind, h, m, penalty):
    """What a constraint adds: by its slope, to the value, and to the curvature along its slope."""
    pull = m + penalty * h
    if kind == "equality":
        return pull, h * (m + 0.5 * (penalty * h)), penalty
    active = less(0.0, pull)
    pushed = maximum(pull, 0.0)
    value = 0.5 * ((pushed * pushed - m * m) / penalty)
    return pushed, value, select(active, penalty, 0.0)
