"""A knot of the pass backward by lanes: what `backward_graph` computes (knots.py), with a lane for
each column of its matrices, a few rows of it, or a single entry.

    unpack      before the first knot, the value function as a whole matrix V
    slope       e, the slope of the value function where the dynamics lead to: v, and V times a gap
    costs       where the Hessian of the cost varies, its entries in their places
    products    W = V [A B]
    forms       H = [A B]ᵀ W + cost, and as a further column the gradient [A B]ᵀ e + cost
    laws        the control law along each direction of the state, and the slope v
    values      the value function

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
from .systems import Composed

LANES = 128  # of a problem
LEAST = 4  # rows that a lane computes: it reads its column once for all of them


def backward_lanes(problem):
    """The Plan of a knot; None where there is none: for derivatives as a chain of maps."""
    return _Knot(problem).plan() if isinstance(problem.system, Composed) else None


class _Knot:
    def __init__(self, problem):
        self.problem, self.n, self.m = problem, problem.system.ndx, problem.system.nu
        self.d = self.n + self.m
        self.columns = self.d + 1  # of W and H: the last is of slopes
        self.limited = problem.limits is not None
        self.inputs = problem.expand_inputs | ({"u": (self.m,)} if self.limited else {})
        self.sizes = {name: size(shape) for name, shape in self.inputs.items()}
        self.steps = []

    def plan(self):
        n, m = self.n, self.m
        self._unpack()
        first, self.steps = tuple(self.steps), []
        if None in self.problem.fixed:
            self._costs()
        self._products()
        self._forms()
        if self.limited:
            self._controls()
        self._laws()
        self._values()
        outputs = {"k": ((m,), "k", 0), "K": ((m, n), "K", 0)}
        outputs |= {"V'": ((halves(n),), "V", 0), "v'": ((n,), "v'", 0)}
        outputs |= {f"{name}'": ((), f"{name}'", 0) for name in TALLIES}
        return Plan("backward", self.inputs, outputs, self.sizes, tuple(self.steps), first)

    def _rule(self, rule, reads, writes, columns=None, constants=None, waits=True):
        """A step: `reads` are (shape, Place), `columns` and `constants` have one row per item."""
        columns, constants = columns or {}, constants or {}
        shapes = {name: shape for name, (shape, _) in reads.items()}
        shapes |= {name: (len(rows[0]),) for name, rows in constants.items()}
        graph = trace(rule, shapes, f"backward_{rule.__name__}")
        places = {name: place for name, (_, place) in reads.items()} | writes
        items = len(next(iter((*columns.values(), *constants.values(), [None]))))
        self.steps.append(Step(rule.__name__, graph, places, columns, constants, (items,), waits))

    def _given(self, *names):
        """Inputs of the knot that all lanes read alike."""
        return {name: (self.inputs[name], Place(name)) for name in names}

    @property
    def _upper(self):
        """(row, column) of the entries of V that are kept."""
        return [(i, j) for i in range(self.n) for j in range(i, self.n)]

    def _unpack(self):
        n = self.n
        self.sizes["square"] = n * n

        def unpack(entry):
            return {"above": entry, "below": entry}

        columns = {
            "entry": [*range(halves(n))],
            "above": [i * n + j for i, j in self._upper],
            "below": [j * n + i for i, j in self._upper],
        }
        writes = {each: Place("square", each) for each in ("above", "below")}
        self._rule(unpack, {"entry": ((), Place("V", "entry"))}, writes, columns)

    def _products(self):
        n, d, c = self.n, self.d, self.columns
        self.sizes["W"] = n * c

        def slope(v, row=(), gap=()):
            return {"e": v + dot(row, gap)}

        reads = {"v": ((), Place("v", "k"))}
        if not self.problem.feasible:
            reads |= self._given("gap") | {"row": ((n,), Place("square", "row"))}
        columns = {
            "k": [*range(n)],
            "row": [n * k for k in range(n)],
            "to": [c * k for k in range(n)],
        }
        self._rule(slope, reads, {"e": Place("W", "to", d)}, columns, waits=False)

        def products(rows, own):
            return {"W": [dot(row, own) for row in rows]}

        rows, items = _blocks(n, d)
        columns = {
            "rows": [n * k for k, _ in items],
            "own": [n * j for _, j in items],
            "to": [c * k + j for k, j in items],
        }
        reads = {"rows": ((rows, n), Place("square", "rows"))}
        reads["own"] = (n,), Place("maps", "own")
        self._rule(products, reads, {"W": Place("W", "to", 0, c)}, columns)

    def _costs(self):
        """The cost's Hessian as a whole matrix, where some of its entries vary."""
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
        self._rule(costs, reads, writes, columns, constants, waits=False)

    def _forms(self):
        n, d, c, fixed = self.n, self.d, self.columns, self.problem.fixed
        self.sizes["H"] = d * c
        rows, items = _blocks(d, c)
        columns = {
            "maps": [n * i for i, _ in items],
            "own": [j for _, j in items],
            "to": [c * i + j for i, j in items],
            "rows": [i for i, _ in items],
        }
        constants = {
            "is_slope": [[float(j == d)] for _, j in items],
            "is_control": [[float(i + k == j >= n) for k in range(rows)] for i, j in items],
        }
        reads = {"maps": ((rows, n), Place("maps", "maps"))} | self._given("damping")
        reads |= {"own": ((n,), Place("W", "own", 0, c))}
        reads |= {"gradient": ((rows,), Place("gradient", "rows"))}
        if None in fixed:
            columns["cost"] = [d * i + min(j, d - 1) for i, j in items]
            reads["cost"] = (rows,), Place("cost", "cost", 0, d)
        else:
            H = [[*row, 0.0] for row in unpacked(fixed, d)]
            constants["cost"] = [[H[i + k][j] for k in range(rows)] for i, j in items]

        def forms(maps, own, gradient, damping, cost, is_slope, is_control):
            H = []
            for row, slope, known, damped in zip(maps, gradient, cost, is_control, strict=True):
                entry = dot(row, own) + select(less(0.5, is_slope[0]), slope, known)
                H.append(entry + damped * (damping * abs(entry)))
            return {"H": H}

        self._rule(forms, reads, {"H": Place("H", "to", 0, c)}, columns, constants)

    def _of_controls(self):
        """The form in du alone, as all lanes read it: a lower half, and the slope at du = 0."""
        n, m, c = self.n, self.m, self.columns
        corner = tuple((n + i) * c + n + j for i in range(m) for j in range(i + 1))
        reads = {"corner": ((len(corner),), Place("H", offsets=corner))}
        return reads | {"slopes": ((m,), Place("H", None, n * c + self.d, c))}

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

        def newton(corner, slopes, u, du):
            Quu = _square(corner, m)
            slope = [a + dot(row, du) for a, row in zip(slopes, Quu, strict=True)]
            return Quu, slopes, slope, held_at(du, slope, *room(problem, u))

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
        self.sizes |= {"K": m * n, "k": m, "y": m * n, "z": m * n, "v'": n}
        self.sizes |= {f"{name}'": 1 for name in TALLIES}
        columns = {"law": [*range(n)], "row": [c * j for j in range(n)]}
        reads = self._of_controls() | self._given(*TALLIES, "value", "gap")
        reads |= {"own": ((m,), Place("H", "law", n * c, c)), "slope": ((), Place("H", "row", d))}
        if not self.problem.feasible:
            reads |= self._given("v") | {"e": ((n,), Place("W", None, d, c))}
        if self.limited:
            reads |= self._given("u") | {"du": ((m,), Place("du"))}

        def laws(corner, slopes, own, slope, v=(), e=(), **given):
            best = _Limited if self.limited else _Free
            best = best(self.problem, corner, slopes, given)
            K, y, z = best.law(own)
            results = {"k": best.k, "K": K, "y": y, "z": z, "v'": slope + best.slope(own)}
            # v·gap + ½ gapᵀ V gap, where e = v + V gap
            bridge = 0.5 * dot([a + b for a, b in zip(v, e, strict=True)], given["gap"][: len(v)])
            return results | _tallied(given, best, bridge)

        writes = {name: Place(name, "law", 0, n) for name in ("K", "y", "z")}
        writes |= {"k": Place("k"), "v'": Place("v'", "law")}
        writes |= {f"{name}'": Place(f"{name}'") for name in TALLIES}
        self._rule(laws, reads, writes, columns)

    def _values(self):
        n, m, c = self.n, self.m, self.columns
        columns = {
            "form": [i * c + j for i, j in self._upper],
            "left": [i for i, _ in self._upper],
            "right": [j for _, j in self._upper],
            "entry": [*range(halves(n))],
            "above": [i * n + j for i, j in self._upper],
            "below": [j * n + i for i, j in self._upper],
        }
        reads = {
            "H": ((), Place("H", "form")),
            "y": ((m,), Place("y", "left", 0, n)),
            "z": ((m,), Place("z", "right", 0, n)),
        }

        def values(H, y, z):
            entry = H - dot(y, z)
            return {"V": entry, "above": entry, "below": entry}

        writes = {each: Place("square", each) for each in ("above", "below")}
        self._rule(values, reads, writes | {"V": Place("V", "entry")}, columns)


def _blocks(rows, columns):
    """How many rows of a matrix a lane computes of a column, so that all lanes have one block; and
    (first row, column) of each block. The last blocks begin earlier and overlap others."""
    count = max(LEAST, -(-rows // max(1, LANES // columns)))
    count = min(count, rows)
    starts = [min(k, rows - count) for k in range(0, rows, count)]
    return count, [(k, j) for k in starts for j in range(columns)]


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
