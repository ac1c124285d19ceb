"""The bodies of an iteration, over traced scalars: each is done at every knot of a trajectory.

- `linearise`: derivatives of the dynamics and the cost at a knot, for all knots at once.
- `terminal`: those of the cost at the end.
- `expand`, `solve`, `close`: backward in time, from the value function of the next knot to that of
  this one (Jacobson and Mayne, 1970; Tassa, Erez and Todorov, 2012), and the control law between.
- `roll`: forward in time by the dynamics; `shoot`: forward by the linearised dynamics.

The value function of a knot is ½ dxᵀ V dx + v·dx. V is kept as its upper half.
"""

from ..graph.along import hessian_along
from ..graph.splice import splice
from ..graph.trace import trace
from ..scalar import less, maximum, minimum, select
from .quadratic import dot, eliminated, factor, largest, packed, replaced, solved, unpacked
from .systems import move_graph

BOX_STEPS = 40  # of Newton's method within limits; most knots need three
HALVINGS = 7  # lengths of such a step that are tried
# What the backward pass carries besides the value function: sums and extremes over knots.
OF_LAW = ("decrement", "steepest", "least", "broken")
TALLIES = ("total", "gaps", "widest", "bridged", *OF_LAW)


def halves(n):
    """The size of the upper half of a symmetric matrix."""
    return n * (n + 1) // 2


# -- at every knot ---------------------------------------------------------------------------------


def linearise_graph(problem):
    """x, u, x_next, ... -> derivatives of the dynamics and the cost."""
    system, stage = problem.system, problem.stage

    def run(x, u, x_next, **given):
        of_system = {name: given[name] for name in system.own_inputs}
        linear, after = system.linearised(x, u, of_system)
        found = stage.expanded(
            x, u, {name: given[name] for name in stage.expansion.inputs if name not in ("x", "u")}
        )
        results = linear | {"value": found["value"], "gradient": found["gradient"]}
        results["gap"] = system.apart(x_next, after)
        hessian = found["hessian"]
        if problem.exact:
            bent = problem.bending
            values = {"x": x, "u": u} | given
            added = splice(bent, [values[name] for name in bent.inputs])[0]
            hessian = [a + b for a, b in zip(hessian, added, strict=True)]
        varying = [h for h, fixed in zip(hessian, problem.fixed, strict=True) if fixed is None]
        if varying:
            results["curvature"] = varying
        if "residuals" in found:
            results["residuals"] = found["residuals"]
        return results

    return trace(run, problem.linearise_inputs, "linearise")


def bending_graph(problem):
    """The upper half of the Hessian of λ·f(x, u): how the dynamics bend (DDP's further term)."""
    system = problem.system
    shapes = {"x": (system.nx,), "u": (system.nu,), "costates": (system.ndx,)}
    shapes["at"] = (system.nx,)

    def run(x, u, costates, at, **given):
        return {"along": dot(costates, system.apart(at, system.step(x, u, given)))}

    graph = trace(run, shapes | system.own_inputs, "bending")
    pairs = {"xx": ("along", "x", "x"), "xu": ("along", "x", "u"), "uu": ("along", "u", "u")}
    second = hessian_along(graph, pairs, {"x": move_graph(system)})

    def whole(x, u, costates, **given):
        values = {"x": x, "u": u, "costates": costates, "at": system.step(x, u, given)} | given
        xx, xu, uu = splice(second, [values[name] for name in second.inputs])
        rows = [[*a, *b] for a, b in zip(xx, xu, strict=True)]
        rows += [[*column, *b] for column, b in zip(zip(*xu, strict=True), uu, strict=True)]
        return packed(rows)

    del shapes["at"]
    return trace(whole, shapes | system.own_inputs, "bending")


def terminal_graph(problem):
    """x, ... -> the value function at the end, and first tallies."""
    end = problem.terminal

    def run(x, **given):
        found = end.expanded(x, None, given)
        hessian = unpacked(found["hessian"], problem.system.ndx)
        results = {"V": packed(hessian), "v": found["gradient"], "total": found["value"]}
        if "residuals" in found:
            results["residuals"] = found["residuals"]
        return results

    return trace(run, end.expansion.inputs, "terminal")


# -- backward in time ------------------------------------------------------------------------------


def expand_graph(problem):
    """The value function of the next knot -> the quadratic form Q in (dx, du) of this one."""
    inputs = {k: shape for k, shape in problem.expand_inputs.items() if k not in OF_LAW}
    return trace(lambda **given: _expanded(problem, given), inputs, "expand")


def _expanded(problem, given):
    form, bridge = quadratic_form(problem, given)
    H, g = form
    total, gaps, widest = given["total"] + given["value"], given["gaps"], given["widest"]
    for distance in given["gap"]:
        gaps, widest = gaps + abs(distance), maximum(widest, abs(distance))
    tallies = {"total": total, "gaps": gaps, "widest": widest, "bridged": given["bridged"] + bridge}
    return {"H": packed(H), "g": g} | {f"{name}'": value for name, value in tallies.items()}


def quadratic_form(problem, given):
    """(H, g) of a knot in (dx, du), and what it costs to close the gap behind it."""
    system, n = problem.system, problem.system.ndx
    V, v, gap = unpacked(given["V"], n), given["v"], given["gap"]
    g, bridge = v, 0.0
    if not problem.feasible:
        pull = [dot(row, gap) for row in V]
        bridge = dot(v, gap) + 0.5 * dot(gap, pull)
        g = [a + b for a, b in zip(v, pull, strict=True)]
    maps = system.chain(given.get("x"), {name: given[name] for name in system.linear_shapes})
    H, g = replaced(V, g, maps[0])
    for C in maps[1:]:
        H, g = eliminated(H, g, C)
    varying = iter(given.get("curvature", ()))
    cost = unpacked([next(varying) if f is None else f for f in problem.fixed], problem.directions)
    H = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(H, cost, strict=True)]
    g = [a + b for a, b in zip(g, given["gradient"], strict=True)]
    # the proximal term of Levenberg and Marquardt, in units of each control
    units = cost if problem.parallel_in_time else H
    for i in range(n, n + system.nu):
        H[i][i] = H[i][i] + given["damping"] * abs(units[i][i])
    return (H, g), bridge


def backward_graph(problem):
    """All of a knot in one body, where controls have no limits."""
    n = problem.system.ndx

    def run(**given):
        form = _expanded(problem, given)
        H, g = unpacked(form.pop("H"), problem.directions), form.pop("g")
        best = Best(H, g, n)
        results = {"k": best.k, "K": best.K, "V'": packed(best.V), "v'": best.v} | form
        return results | _judged(given, best.gain, largest(g[n:]), best.least, 0.0)

    return trace(run, problem.expand_inputs, "backward")


class Best:
    """The controls that make a quadratic form in (dx, du) least: du = k + K dx, the value function
    ½ dxᵀ V dx + v·dx that is left, and what they gain at dx = 0."""

    def __init__(self, H, g, n):
        Quu, Qu = [row[n:] for row in H[n:]], g[n:]
        self.L, self.inverse, self.least = factor(Quu)
        columns = [[H[i][j] for i in range(n, len(H))] for j in range(n)]  # of Qux
        Y = [_forward(self.L, self.inverse, column) for column in columns]
        y = _forward(self.L, self.inverse, Qu)
        K = [_back(self.L, self.inverse, column) for column in Y]
        self.k = [-x for x in _back(self.L, self.inverse, y)]
        self.K = [[-K[j][i] for j in range(n)] for i in range(len(Qu))]
        self.V = [[H[i][j] - dot(Y[i], Y[j]) for j in range(n)] for i in range(n)]
        self.v = [g[i] - dot(Y[i], y) for i in range(n)]
        self.gain = 0.5 * dot(y, y)

    def half(self, b):
        """y of L y = b, where Quu = L Lᵀ."""
        return _forward(self.L, self.inverse, b)


def _judged(given, decrement, steepest, least, broken):
    """How the tallies go on: what the model gains, the steepest slope, the least pivot."""
    return {
        "decrement'": given["decrement"] + decrement,
        "steepest'": maximum(given["steepest"], steepest),
        "least'": minimum(given["least"], least),
        "broken'": maximum(given["broken"], broken),
    }


def box_graph(problem):
    """One step of Newton's method on ½ duᵀ Quu du + Qu·du within limits of du (Bertsekas, 1982).

    Controls at a limit that the slope pushes against stay there; the others make a step of Newton,
    cut at the limits, as long as the form falls. It is the last step if nothing moves, or if it was
    a whole one after which the same controls are held.
    """
    n, nu = problem.system.ndx, problem.system.nu

    def run(H, g, u, du):
        H = unpacked(H, n + nu)
        Quu, Qu = [row[n:] for row in H[n:]], g[n:]
        low, high = room(problem, u)
        slope = [a + dot(row, du) for a, row in zip(Qu, Quu, strict=True)]
        held = held_at(du, slope, low, high)
        L, inverse, _ = factor(freed(Quu, held))
        step = solved(L, inverse, [select(h, 0.0, -s) for h, s in zip(held, slope, strict=True)])
        best, least = du, form_of(Quu, Qu, du)
        for halvings in reversed(range(HALVINGS)):
            length = 0.5**halvings
            there = [
                minimum(maximum(x + length * s, a), b)
                for x, s, a, b in zip(du, step, low, high, strict=True)
            ]
            value = form_of(Quu, Qu, there)
            better = less(value, least)
            best = [select(better, x, y) for x, y in zip(there, best, strict=True)]
            least = select(better, value, least)
        done = settled(Quu, slope, held, du, step, best, (low, high))
        return {"du'": best, "settled'": done}

    shapes = {"H": (halves(n + nu),), "g": (n + nu,), "u": (nu,), "du": (nu,)}
    return trace(run, shapes, "box")


def settled(Quu, slope, held, du, step, best, bounds):
    """1 where a step of Newton's method was the last: where nothing moved, or it was a whole one
    after which the same controls are held."""
    change = [a - b for a, b in zip(best, du, strict=True)]
    cut = [a - (x + s) for a, x, s in zip(best, du, step, strict=True)]
    after = [s + dot(row, change) for s, row in zip(slope, Quu, strict=True)]
    others = [
        select(a, select(b, 0.0, 1.0), select(b, 1.0, 0.0))
        for a, b in zip(held, held_at(best, after, *bounds), strict=True)
    ]
    short = minimum(largest(change), largest([*cut, *others]))
    return select(less(0.0, short), 0.0, 1.0)


def start_box_graph(problem):
    """Where to begin: at du = 0, or as near to it as the limits allow."""
    nu = problem.system.nu

    def run(u):
        low, high = room(problem, u)
        return {"du": [minimum(maximum(0.0, a), b) for a, b in zip(low, high, strict=True)]}

    return trace(run, {"u": (nu,)}, "start_box")


def close_graph(problem):
    """From Q and du to the control law, and to the value function of this knot."""
    n, nu = problem.system.ndx, problem.system.nu

    def run(H, g, u, **given):
        H, du = unpacked(H, n + nu), given["du'"]
        Quu, Qu = [row[n:] for row in H[n:]], g[n:]
        low, high = room(problem, u)
        slope = [a + dot(row, du) for a, row in zip(Qu, Quu, strict=True)]
        held = held_at(du, slope, low, high)
        L, inverse, least = factor(freed(Quu, held))
        columns = [
            [select(h, 0.0, H[n + i][j]) for i, h in enumerate(held)] for j in range(n)
        ]  # of Qux, without rows that are held
        Y = [_forward(L, inverse, column) for column in columns]
        K = [_back(L, inverse, column) for column in Y]
        V = [[H[i][j] - dot(Y[i], Y[j]) for j in range(n)] for i in range(n)]
        v = [g[j] + dot([H[n + i][j] for i in range(nu)], du) for j in range(n)]
        flat = largest([select(h, 0.0, x) for h, x in zip(held, slope, strict=True)])
        gain = -dot(Qu, du) - 0.5 * dot(du, [dot(row, du) for row in Quu])
        steep = [select(h, 0.0, x) for h, x in zip(held_now(u, Qu, problem), Qu, strict=True)]
        law = {"k": du, "K": [[-K[j][i] for j in range(n)] for i in range(nu)]}
        broken = select(less(flat, 1e-6 * (largest(Qu) + 1e-300)), 0.0, flat)
        tallies = _judged(given, gain, largest(steep), least, broken)
        return law | {"V'": packed(V), "v'": v} | tallies

    shapes = {"H": (halves(n + nu),), "g": (n + nu,), "u": (nu,), "du'": (nu,)}
    shapes |= dict.fromkeys(OF_LAW, ())
    return trace(run, shapes, "close")


def room(problem, u):
    """How far du may go."""
    low, high = problem.limits
    return [a - x for a, x in zip(low, u, strict=True)], [
        b - x for b, x in zip(high, u, strict=True)
    ]


def held_at(du, slope, low, high):
    """Which controls are at a limit and pushed against it."""
    held = []
    for x, s, a, b in zip(du, slope, low, high, strict=True):
        below = select(less(a, x), 0.0, select(less(0.0, s), 1.0, 0.0))
        above = select(less(x, b), 0.0, select(less(s, 0.0), 1.0, 0.0))
        held.append(less(0.5, maximum(below, above)))
    return held


def held_now(u, slope, problem):
    """The same without a step."""
    return held_at([0.0] * len(u), slope, *room(problem, u))


def freed(Quu, held):
    """Quu with rows and columns of the identity for controls that are held."""
    free = [select(h, 0.0, 1.0) for h in held]
    return [
        [
            select(held[i], 1.0, Quu[i][i]) if i == j else Quu[i][j] * (free[i] * free[j])
            for j in range(len(held))
        ]
        for i in range(len(held))
    ]


def form_of(Quu, Qu, du):
    return dot(Qu, du) + 0.5 * dot(du, [dot(row, du) for row in Quu])


def _forward(L, inverse, b):
    """y of L y = b."""
    y = []
    for i in range(len(L)):
        y.append((b[i] - dot(L[i][:i], y)) * inverse[i])
    return y


def _back(L, inverse, y):
    """x of Lᵀ x = y."""
    n, x = len(L), [0.0] * len(L)
    for i in reversed(range(n)):
        later = range(i + 1, n)
        x[i] = (y[i] - dot([L[k][i] for k in later], [x[k] for k in later])) * inverse[i]
    return x


# -- forward in time -------------------------------------------------------------------------------


def roll_graph(problem):
    """One step by the dynamics, under the control law around a nominal trajectory."""
    system = problem.system

    def run(at, x, u, k, K, step, **given):
        away = system.apart(x, at)
        control = [a + step * b + dot(row, away) for a, b, row in zip(u, k, K, strict=True)]
        control = within(problem, control)
        return {"at'": system.step(at, control, given), "control": control}

    return trace(run, problem.roll_inputs, "roll")


def shoot_graph(problem):
    """One step by the linearised dynamics: the trajectory after a part of that step."""
    system = problem.system

    def run(dx, slope, x, u, x_next, k, K, gap, gradient, step, **linear):
        control = [a + b + dot(row, dx) for a, b, row in zip(u, k, K, strict=True)]
        du = [a - b for a, b in zip(within(problem, control), u, strict=True)]
        rising = slope + dot(gradient, [*dx, *du])
        chain = system.chain(x, linear)
        z = [*dx, *du]
        for C in reversed(chain[1:]):
            z = [*z, *(dot(row, z) for row in C)]
        dx = [dot(row, z) + g for row, g in zip(chain[0], gap, strict=True)]
        control = within(problem, [a + step * b for a, b in zip(u, du, strict=True)])
        at = system.move(x_next, [step * d for d in dx])
        return {"dx'": dx, "slope'": rising, "at": at, "control": control}

    return trace(run, problem.shoot_inputs, "shoot")


def within(problem, control):
    if problem.limits is None:
        return control
    bounds = zip(control, *problem.limits, strict=True)
    return [minimum(maximum(x, a), b) for x, a, b in bounds]
