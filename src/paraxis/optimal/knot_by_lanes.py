"""A knot of the pass backward by the lanes of a warp: what `backward_graph` computes (knots.py), with
a lane for each column of its matrices.

    maps        [A B], the dynamics along each direction; with gaps, a further column for the gap
    costs       where the cost's Hessian varies, its entries in their places
    forms       H = [A B]ᵀ V [A B] + cost, and the gradient g
    laws        the control law along each direction of the state, and the slope of the value function
    values      the value function, each entry of its upper half

In `laws` every lane factors the block of the controls for itself, as L D Lᵀ: that needs no roots, and
no lane waits for another.
"""

from ..drivers.lanes import Place, Plan, Step
from ..graph.graph import size
from ..graph.trace import trace
from ..scalar import less, maximum, minimum, select
from .knots import TALLIES, halves
from .quadratic import dot, largest, unpacked

MOST_NODES = 5_000  # of a rule: code that is longer than caches of instructions is slower


def backward_lanes(problem):
    """The Plan of a knot; None where there is none: for passes in rows of knots, and for systems
    with very many directions."""
    if problem.parallel_in_time:
        return None
    plan = _Knot(problem).plan()
    nodes = max(len(step.graph.nodes) for step in plan.steps)
    return plan if nodes <= MOST_NODES else None


class _Knot:
    def __init__(self, problem):
        self.problem, self.system = problem, problem.system
        self.n, self.m = problem.system.ndx, problem.system.nu
        self.d = self.n + self.m
        self.columns = self.d + (not problem.feasible)  # of `maps` and H: the last is for the gap
        self.inputs = problem.expand_inputs
        self.sizes = {name: size(shape) for name, shape in self.inputs.items()}
        self.steps = []

    def plan(self):
        n, m = self.n, self.m
        self._maps()
        if not self.problem.feasible:
            self._gap()
        if None in self.problem.fixed:
            self._costs()
        self._forms()
        self._laws()
        self._values()
        outputs = {"k": ((m,), "k", 0), "K": ((m, n), "K", 0)}
        outputs |= {"V'": ((halves(n),), "V", 0), "v'": ((n,), "v", 0)}
        outputs |= {f"{name}'": ((), f"{name}'", 0) for name in TALLIES}
        return Plan("backward", self.inputs, outputs, self.sizes, tuple(self.steps))

    def _rule(self, rule, reads, writes, columns, constants=None):
        """A step: `reads` are (shape, Place), `columns` and `constants` have a row for each item."""
        constants = constants or {}
        shapes = {name: shape for name, (shape, _) in reads.items()}
        shapes |= {name: (len(rows[0]),) for name, rows in constants.items()}
        graph = trace(rule, shapes, f"backward_{rule.__name__}")
        places = {name: place for name, (_, place) in reads.items()} | writes
        items = len(next(iter(columns.values())))
        self.steps.append(Step(rule.__name__, graph, places, columns, constants, (items,)))

    def _given(self, *names):
        """Inputs of the knot that all lanes read alike."""
        return {name: (self.inputs[name], Place(name)) for name in names}

    def _maps(self):
        n, d, system = self.n, self.d, self.system
        self.sizes["maps"] = n * self.columns

        def maps(along, x=None, **linear):
            chain = system.chain(x, linear)
            for C in reversed(chain[1:]):
                along = [*along, *(dot(row, along) for row in C)]
            return {"map": [dot(row, along) for row in chain[0]]}

        reads = self._given(*system.linear_shapes, *(["x"] if system.curved else []))
        writes = {"map": Place("maps", "column")}
        units = [[float(i == j) for i in range(d)] for j in range(d)]
        self._rule(maps, reads, writes, {"column": [n * j for j in range(d)]}, {"along": units})

    def _gap(self):
        def gap(entry):
            return {"map": entry}

        reads = {"entry": ((), Place("gap", "row"))}
        writes = {"map": Place("maps", "row", self.n * self.d)}
        self._rule(gap, reads, writes, {"row": [*range(self.n)]})

    def _costs(self):
        d, fixed = self.d, self.problem.fixed
        self.sizes["cost"] = d * d
        varies = [entry is None for entry in fixed]
        upper = [(i, j) for i in range(d) for j in range(i, d)]
        columns = {
            "varying": [max(sum(varies[: k + 1]) - 1, 0) for k in range(len(fixed))],
            "above": [i * d + j for i, j in upper],
            "below": [j * d + i for i, j in upper],
        }
        constants = {
            "varies": [[float(each)] for each in varies],
            "known": [[entry or 0.0] for entry in fixed],
        }

        def costs(entry, varies, known):
            value = select(less(0.5, varies[0]), entry, known[0])
            return {"above": value, "below": value}

        reads = {"entry": ((), Place("curvature", "varying"))}
        writes = {each: Place("cost", each) for each in ("above", "below")}
        self._rule(costs, reads, writes, columns, constants)

    def _forms(self):
        n, m, d, fixed = self.n, self.m, self.d, self.problem.fixed
        self.sizes |= {"H": d * self.columns, "g": self.columns, "bridge": self.columns}
        is_knot = [1.0] * d + [0.0] * (self.columns - d)
        units = [[float(i == j) for i in range(n, d)] for j in range(self.columns)]
        constants = {"controls": units}
        columns = {
            "map": [n * j for j in range(self.columns)],
            "form": [*range(self.columns)],
            "gradient": [min(j, d - 1) for j in range(self.columns)],
        }
        reads = self._given("V", "v", "damping")
        reads |= {"maps": ((d, n), Place("maps")), "own": ((n,), Place("maps", "map"))}
        reads |= {"slope": ((), Place("gradient", "gradient"))}
        if None in fixed:
            columns["cost"] = [d * min(j, d - 1) for j in range(self.columns)]
            reads["cost"] = (d,), Place("cost", "cost")
            constants["is_knot"] = [[each] for each in is_knot]
        else:
            whole = [*unpacked(fixed, d), [0.0] * d]
            constants["cost"] = whole[: self.columns]

        def forms(V, v, damping, maps, own, slope, controls, cost, is_knot=(1.0,)):
            W = [dot(row, own) for row in unpacked(V, n)]
            H = [dot(a, W) + is_knot[0] * c for a, c in zip(maps, cost, strict=True)]
            for i in range(m):
                H[n + i] = H[n + i] + controls[i] * (damping * abs(H[n + i]))
            along = dot(own, v)
            return {"H": H, "g": along + slope, "bridge": along + 0.5 * dot(own, W)}

        writes = {"H": Place("H", "form", 0, self.columns)}
        writes |= {name: Place(name, "form") for name in ("g", "bridge")}
        self._rule(forms, reads, writes, columns, constants)

    def _laws(self):
        n, m, d, c = self.n, self.m, self.d, self.columns
        self.sizes |= {"K": m * n, "k": m, "y": m * n, "z": m * n}
        self.sizes |= {f"{name}'": 1 for name in TALLIES}
        corner = tuple((n + i) * c + n + j for i in range(m) for j in range(i + 1))
        columns = {"law": [*range(n)], "row": [c * j for j in range(n)]}
        reads = self._given(*TALLIES, "value", "gap")
        reads |= {
            "corner": ((len(corner),), Place("H", offsets=corner)),
            "own": ((m,), Place("H", "law", n * c, c)),
            "of_controls": ((m,), Place("g", None, n)),
            "slope": ((), Place("g", "law")),
        }
        if not self.problem.feasible:
            pulls = tuple((n + i) * c + d for i in range(m))
            reads |= {"pulls": ((m,), Place("H", offsets=pulls))}
            reads |= {"pull": ((), Place("H", "row", d)), "bridge": ((), Place("bridge", None, d))}

        def laws(corner, own, of_controls, slope, pulls=None, pull=0.0, bridge=0.0, **tallies):
            if pulls is not None:
                of_controls = [a + b for a, b in zip(of_controls, pulls, strict=True)]
            law = _Factored(corner, m)
            y, y_here = law.half(of_controls), law.half(own)
            z, z_here = law.scaled(y), law.scaled(y_here)
            results = {
                "k": [-x for x in law.back(z)],
                "K": [-x for x in law.back(z_here)],
                "y": y_here,
                "z": z_here,
                "v": slope + pull - dot(y_here, z),
            }
            steepest = largest(of_controls)
            return results | _tallied(tallies, 0.5 * dot(y, z), steepest, law.least, bridge)

        writes = {name: Place(name, "law", 0, n) for name in ("K", "y", "z")}
        writes |= {"k": Place("k"), "v": Place("v", "law")}
        writes |= {f"{name}'": Place(f"{name}'") for name in TALLIES}
        self._rule(laws, reads, writes, columns)

    def _values(self):
        n, m, c = self.n, self.m, self.columns
        upper = [(i, j) for i in range(n) for j in range(i, n)]
        columns = {
            "form": [i * c + j for i, j in upper],
            "left": [i for i, _ in upper],
            "right": [j for _, j in upper],
            "entry": [*range(len(upper))],
        }
        reads = {
            "H": ((), Place("H", "form")),
            "y": ((m,), Place("y", "left", 0, n)),
            "z": ((m,), Place("z", "right", 0, n)),
        }

        def values(H, y, z):
            return {"V": H - dot(y, z)}

        self._rule(values, reads, {"V": Place("V", "entry")}, columns)


class _Factored:
    """L D Lᵀ of a symmetric matrix whose lower half this is. Where a pivot is not positive, 1 takes
    its place, so that nothing becomes NaN: `least`, the least pivot, tells."""

    def __init__(self, entries, n):
        entries, self.n, self.L, self.inverse = iter(entries), n, [], []
        for i in range(n):
            scaled, row = [], []  # row i of L D, and of L
            for j in range(i):
                scaled.append(next(entries) - dot(scaled, self.L[j]))
                row.append(scaled[j] * self.inverse[j])
            pivot = next(entries) - dot(scaled, row)
            self.least = pivot if not i else select(less(pivot, self.least), pivot, self.least)
            self.inverse.append(1.0 / select(less(0.0, pivot), pivot, 1.0))
            self.L.append(row)

    def half(self, b):
        """y of L y = b."""
        y = []
        for entry, row in zip(b, self.L, strict=True):
            y.append(entry - dot(row, y))
        return y

    def scaled(self, y):
        """z of D z = y."""
        return [a * b for a, b in zip(y, self.inverse, strict=True)]

    def back(self, z):
        """x of Lᵀ x = z."""
        x = [0.0] * self.n
        for i in reversed(range(self.n)):
            later = range(i + 1, self.n)
            x[i] = z[i] - dot([self.L[k][i] for k in later], [x[k] for k in later])
        return x


def _tallied(given, gain, steepest, least, bridge):
    """How the tallies of a trajectory go on."""
    gaps, widest = given["gaps"], given["widest"]
    for distance in given["gap"]:
        gaps, widest = gaps + abs(distance), maximum(widest, abs(distance))
    return {
        "total'": given["total"] + given["value"],
        "gaps'": gaps,
        "widest'": widest,
        "bridged'": given["bridged"] + bridge,
        "decrement'": given["decrement"] + gain,
        "steepest'": maximum(given["steepest"], steepest),
        "least'": minimum(given["least"], least),
        "broken'": maximum(given["broken"], 0.0),
    }
