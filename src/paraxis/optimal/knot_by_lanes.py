"""A knot of the pass backward by the lanes of a warp: what `backward_graph` computes (knots.py),
with a lane for each column of its matrices.

    maps        [A B], the dynamics along each direction; with gaps, a further column for the gap
    costs       where the cost's Hessian varies, its entries in their places
    forms       H = [A B]ᵀ V [A B] + cost, and the gradient g
    laws        the control law along each direction of the state, and the value function's slope
    values      the value function, each entry of its upper half

In `laws` every lane factors the block of the controls for itself, as L D Lᵀ: that needs no roots,
and no lane waits for another. Where controls have limits, these steps come before it:

    start       controls at du = 0, or as near to it as the limits allow
    shorten     a step of Newton's method, cut at the limits, with each length in a lane
    choose      the best of them; both are repeated until nothing changes
"""

from ..drivers.lanes import Place, Plan, Repeat, Step
from ..graph.graph import size
from ..graph.trace import trace
from ..scalar import less, maximum, minimum, select
from .knots import (
    BOX_STEPS,
    HALVINGS,
    TALLIES,
    form_of,
    freed,
    halves,
    held_at,
    held_now,
    room,
    settled,
)
from .quadratic import dot, largest, unpacked

MOST_NODES = 5_000  # of a rule: code that is longer than caches of instructions is slower


def backward_lanes(problem):
    """The Plan of a knot; None where there is none: for passes in rows of knots, and for systems
    with very many directions."""
    if problem.parallel_in_time:
        return None
    plan = _Knot(problem).plan()
    nodes = max(len(step.graph.nodes) for step, _ in plan.each())
    return plan if nodes <= MOST_NODES else None


class _Knot:
    def __init__(self, problem):
        self.problem, self.system = problem, problem.system
        self.n, self.m = problem.system.ndx, problem.system.nu
        self.d = self.n + self.m
        self.columns = self.d + (not problem.feasible)  # of `maps` and H: the last is for the gap
        self.limited = problem.limits is not None
        self.inputs = problem.expand_inputs | ({"u": (self.m,)} if self.limited else {})
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
        if self.limited:
            self._controls()
        self._laws()
        self._values()
        outputs = {"k": ((m,), "k", 0), "K": ((m, n), "K", 0)}
        outputs |= {"V'": ((halves(n),), "V", 0), "v'": ((n,), "v", 0)}
        outputs |= {f"{name}'": ((), f"{name}'", 0) for name in TALLIES}
        return Plan("backward", self.inputs, outputs, self.sizes, tuple(self.steps))

    def _rule(self, rule, reads, writes, columns=None, constants=None):
        """A step: `reads` are (shape, Place), `columns` and `constants` have one row per item."""
        columns, constants = columns or {}, constants or {}
        shapes = {name: shape for name, (shape, _) in reads.items()}
        shapes |= {name: (len(rows[0]),) for name, rows in constants.items()}
        graph = trace(rule, shapes, f"backward_{rule.__name__}")
        places = {name: place for name, (_, place) in reads.items()} | writes
        items = len(next(iter((*columns.values(), *constants.values(), [None]))))
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

    def _of_controls(self):
        """The form in du alone, as all lanes read it: a lower half, and the slope at du = 0."""
        n, m, d, c = self.n, self.m, self.d, self.columns
        corner = tuple((n + i) * c + n + j for i in range(m) for j in range(i + 1))
        reads = {"corner": ((len(corner),), Place("H", offsets=corner))}
        reads |= {"slopes": ((m,), Place("g", None, n))}
        if not self.problem.feasible:
            pulls = tuple((n + i) * c + d for i in range(m))
            reads["pulls"] = (m,), Place("H", offsets=pulls)
        return reads

    def _controls(self):
        """The best du within its limits (Bertsekas, 1982), as `box_graph` finds it."""
        problem, m = self.problem, self.m
        self.sizes |= {"du": m, "step": m, "there": m * HALVINGS, "worth": HALVINGS, "settled": 1}
        (low, high), every = problem.limits, {"row": [*range(m)]}
        reads = {"u": ((), Place("u", "row"))}

        def start(u, lowest, highest):
            return {"du": minimum(maximum(0.0, lowest[0] - u), highest[0] - u)}

        constants = {"lowest": [[x] for x in low], "highest": [[x] for x in high]}
        self._rule(start, reads, {"du": Place("du", "row")}, every, constants)

        def newton(corner, slopes, u, du, pulls=None):
            Quu, Qu = _square(corner, m), _sum(slopes, pulls)
            slope = [a + dot(row, du) for a, row in zip(Qu, Quu, strict=True)]
            return Quu, Qu, slope, held_at(du, slope, *room(problem, u))

        def shorten(length, u, du, **form):
            Quu, Qu, slope, held = newton(u=u, du=du, **form)
            law = _Factored(_lower(freed(Quu, held)), m)
            down = [select(h, 0.0, -s) for h, s in zip(held, slope, strict=True)]
            step = law.back(law.scaled(law.half(down)))
            moved = [x + length[0] * s for x, s in zip(du, step, strict=True)]
            there = [
                minimum(maximum(x, a), b) for x, a, b in zip(moved, *room(problem, u), strict=True)
            ]
            return {"step": step, "there": there, "worth": form_of(Quu, Qu, there)}

        def choose(u, du, step, there, worth, **form):
            Quu, Qu, slope, held = newton(u=u, du=du, **form)
            best, least = du, form_of(Quu, Qu, du)
            for controls, value in zip(there, worth, strict=True):
                better = less(value, least)
                best = [select(better, x, y) for x, y in zip(controls, best, strict=True)]
                least = select(better, value, least)
            return {
                "du": best,
                "settled": settled(Quu, slope, held, du, step, best, room(problem, u)),
            }

        of_form = self._of_controls() | self._given("u") | {"du": ((m,), Place("du"))}
        before, self.steps = self.steps, []
        lengths = [[0.5**k] for k in reversed(range(HALVINGS))]
        columns = {"length": [*range(HALVINGS)]}
        writes = {"step": Place("step"), "there": Place("there", "length", 0, HALVINGS)}
        writes["worth"] = Place("worth", "length")
        self._rule(shorten, of_form, writes, columns, {"length": lengths})
        found = {"step": ((m,), Place("step")), "worth": ((HALVINGS,), Place("worth"))}
        apart = tuple(i * HALVINGS + k for k in range(HALVINGS) for i in range(m))
        found["there"] = (HALVINGS, m), Place("there", offsets=apart)
        self._rule(choose, of_form | found, {"du": Place("du"), "settled": Place("settled")})
        self.steps = [*before, Repeat(tuple(self.steps), BOX_STEPS, "settled")]

    def _laws(self):
        n, m, d, c = self.n, self.m, self.d, self.columns
        self.sizes |= {"K": m * n, "k": m, "y": m * n, "z": m * n}
        self.sizes |= {f"{name}'": 1 for name in TALLIES}
        columns = {"law": [*range(n)], "row": [c * j for j in range(n)]}
        reads = self._of_controls() | self._given(*TALLIES, "value", "gap")
        reads |= {"own": ((m,), Place("H", "law", n * c, c)), "slope": ((), Place("g", "law"))}
        if not self.problem.feasible:
            reads |= {"pull": ((), Place("H", "row", d)), "bridge": ((), Place("bridge", None, d))}
        if self.limited:
            reads |= self._given("u") | {"du": ((m,), Place("du"))}

        def laws(corner, slopes, own, slope, pulls=None, pull=0.0, bridge=0.0, **given):
            best = _Limited if self.limited else _Free
            best = best(self.problem, corner, _sum(slopes, pulls), given)
            K, y, z = best.law(own)
            results = {"k": best.k, "K": K, "y": y, "z": z}
            results["v"] = slope + pull + best.slope(own)
            return results | _tallied(given, best, bridge)

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


class _Free:
    """The best controls du = k + K dx, from the form in them."""

    broken = 0.0

    def __init__(self, problem, corner, slopes, given):
        self._factored = _Factored(corner, len(slopes))
        y = self._factored.half(slopes)
        self._z = self._factored.scaled(y)
        self.k = [-x for x in self._factored.back(self._z)]
        self.gain, self.steepest = 0.5 * dot(y, self._z), largest(slopes)
        self.least = self._factored.least

    def law(self, own):
        """A column of K, and y and z, of which H - yᵀ z is left for the state."""
        y = self._factored.half(own)
        z = self._factored.scaled(y)
        return [-x for x in self._factored.back(z)], y, z

    def slope(self, own):
        """What the controls add to the slope along a direction."""
        return -dot(self._factored.half(own), self._z)


class _Limited:
    """The same for controls within limits: those that are held at one have no law."""

    def __init__(self, problem, corner, slopes, given):
        self.k, u = given["du"], given["u"]
        Quu = _square(corner, len(slopes))
        slope = [a + dot(row, self.k) for a, row in zip(slopes, Quu, strict=True)]
        self._held = held_at(self.k, slope, *room(problem, u))
        self._factored = _Factored(_lower(freed(Quu, self._held)), len(slopes))
        self.least = self._factored.least
        curved = [dot(row, self.k) for row in Quu]
        self.gain = -dot(slopes, self.k) - 0.5 * dot(self.k, curved)
        self.steepest = largest(_let_go(held_now(u, slopes, problem), slopes))
        flat = largest(_let_go(self._held, slope))
        self.broken = select(less(flat, 1e-6 * (largest(slopes) + 1e-300)), 0.0, flat)

    def law(self, own):
        y = self._factored.half(_let_go(self._held, own))
        z = self._factored.scaled(y)
        return [-x for x in self._factored.back(z)], y, z

    def slope(self, own):
        return dot(own, self.k)


def _let_go(held, values):
    return [select(h, 0.0, x) for h, x in zip(held, values, strict=True)]


def _sum(a, b):
    return a if b is None else [x + y for x, y in zip(a, b, strict=True)]


def _square(lower, n):
    """The symmetric matrix whose lower half this is."""
    return [
        [lower[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)] for j in range(n)] for i in range(n)
    ]


def _lower(H):
    return [H[i][j] for i in range(len(H)) for j in range(i + 1)]


def _tallied(given, best, bridge):
    """How the tallies of a trajectory go on."""
    gaps, widest = given["gaps"], given["widest"]
    for distance in given["gap"]:
        gaps, widest = gaps + abs(distance), maximum(widest, abs(distance))
    return {
        "total'": given["total"] + given["value"],
        "gaps'": gaps,
        "widest'": widest,
        "bridged'": given["bridged"] + bridge,
        "decrement'": given["decrement"] + best.gain,
        "steepest'": maximum(given["steepest"], best.steepest),
        "least'": minimum(given["least"], best.least),
        "broken'": maximum(given["broken"], best.broken),
    }
