"""The Lagrangian of a trajectory, knot by knot, and what follows from its derivatives.

At a knot it is what the knot costs, its constraints by their multipliers m, and the step to the
next state x' by the costates λ there:

    L = l(x, u) + m·h(x, u) + λ·(f(x, u) - x')

At a solution its derivatives by x and u vanish. How the solution moves with a parameter follows
from how these derivatives do, and is found by a further problem of the same form: the quadratic one
that has the Hessian of L, the derivatives of f, and the cotangents of x and u as linear terms. Here
are its bodies, over traced scalars. In curved spaces, derivatives are along moves dx, and f - x' is
the difference that a system knows.
"""

from ..drivers.iterate import Plan
from ..graph.along import hessian_along, jacobian_along
from ..graph.derivative import jacobian, jvp
from ..graph.splice import splice
from ..graph.trace import trace
from ..scalar import minimum
from .knots import halves
from .objective import MULTIPLIERS
from .quadratic import dot, eliminated, factor, packed, replaced, solved, unpacked
from .systems import move_graph

ALONG = "along_"  # before the name of what moves, for how it moves
KINDS = ("inequality", "equality")


# -- shapes ----------------------------------------------------------------------------------------


def point_shapes(problem, end):
    """name -> shape of what the Lagrangian depends on besides parameters, at a knot or the end."""
    system = problem.system
    shapes = {"x": (system.nx,)}
    if not end:
        shapes |= {"u": (system.nu,), "x_next": (system.nx,), "costates": (system.ndx,)}
    count = (problem.terminal if end else problem.stage).constraints
    return shapes | ({MULTIPLIERS: (count,)} if count else {})


def parameters_of(problem, end):
    """name -> shape of the parameters that it depends on."""
    if end:
        return problem.terminal.parameters
    return problem.system.own_inputs | problem.stage.parameters


# -- the Lagrangian --------------------------------------------------------------------------------


def lagrangian_graph(problem, end):
    """Its value, at a knot or the end."""

    def run(**given):
        found = _objective(problem, given, end)
        value = found["cost"]
        value = 0.5 * dot(value, value) if isinstance(value, list) else value
        rows = [entry for kind in KINDS for entry in found.get(kind, ())]
        value = value + dot(given.get(MULTIPLIERS, ()), rows)
        if not end:
            after = problem.system.step(given["x"], given["u"], _of_system(problem, given))
            value = value + dot(given["costates"], problem.system.apart(given["x_next"], after))
        return {"value": value}

    return trace(run, point_shapes(problem, end) | parameters_of(problem, end), "lagrangian")


def _objective(problem, given, end):
    graph = (problem.terminal if end else problem.stage).graph
    found = splice(graph, [given[name] for name in graph.inputs])
    return dict(zip(graph.outputs, found, strict=True))


def _of_system(problem, given):
    return {name: given[name] for name in problem.system.own_inputs}


# -- at every knot ---------------------------------------------------------------------------------


def slopes_graph(problem, end):
    """x, u, ... -> the derivatives of the dynamics, of cost and constraints by their multipliers,
    and of each constraint."""
    names = ("x", MULTIPLIERS) if end else ("x", "u", MULTIPLIERS)
    shapes = {k: shape for k, shape in point_shapes(problem, end).items() if k in names}
    objective = problem.terminal if end else problem.stage
    by = [name for name in ("x", "u") if name in objective.graph.inputs]
    kinds = [kind for kind in ("cost", *KINDS) if kind in objective.graph.outputs]
    wanted = {f"{kind} by {x}": (kind, x) for kind in kinds for x in by}
    first = jacobian_along(objective.graph, wanted, {"x": move_graph(problem.system)})

    def run(**given):
        found = splice(first, [given[name] for name in first.inputs])
        slopes = dict(zip(first.outputs, found, strict=True))

        def rows(kind, count):
            return [[e for x in by for e in slopes[f"{kind} by {x}"][i]] for i in range(count)]

        normals = rows("inequality", objective.inequalities)
        normals += rows("equality", objective.equalities)
        values = _objective(problem, given, end)["cost"]
        if isinstance(values, list):
            parts = [*zip(values, rows("cost", len(values)), strict=True)]
        else:
            parts = [(1.0, [entry for x in by for entry in slopes[f"cost by {x}"]])]
        parts += zip(given.get(MULTIPLIERS, ()), normals, strict=True)
        weights, lines = zip(*parts, strict=True)
        results = {"gradient": [dot(weights, column) for column in zip(*lines, strict=True)]}
        if normals:
            results["normals"] = normals
        if not end:
            linear, _ = problem.system.linearised(
                given["x"], given["u"], _of_system(problem, given)
            )
            results |= linear
        return results

    return trace(run, shapes | parameters_of(problem, end), "slopes")


def curvature_graph(problem, end):
    """The upper half of the Hessian of the Lagrangian."""
    graph = lagrangian_graph(problem, end)
    pairs = {"xx": ("value", "x", "x")}
    if not end:
        pairs |= {"xu": ("value", "x", "u"), "uu": ("value", "u", "u")}
    second = hessian_along(graph, pairs, {"x": move_graph(problem.system)})

    def run(**given):
        found = splice(second, [given[name] for name in second.inputs])
        if end:
            return {"curvature": packed(found[0])}
        xx, xu, uu = found
        rows = [[*a, *b] for a, b in zip(xx, xu, strict=True)]
        rows += [[*column, *b] for column, b in zip(zip(*xu, strict=True), uu, strict=True)]
        return {"curvature": packed(rows)}

    return trace(run, second.inputs, "curvature")


def pull_graph(problem, end, wanted):
    """How parameters move a number that depends on the solution: the derivatives by `wanted` of L
    times how the number moves with the cost, and of how L moves along the adjoint solution."""
    graph, system = lagrangian_graph(problem, end), problem.system
    points = point_shapes(problem, end)
    moving = [name for name in ("x", "u", "costates", MULTIPLIERS) if name in points]
    shapes = {ALONG + name: points[name] for name in moving} | {ALONG + "x": (system.ndx,)}

    def moved(**given):
        along = {name: given.pop(ALONG + name) for name in moving}
        given["x"] = system.move(given["x"], along.pop("x"))
        for name, steps in along.items():
            given[name] = [a + b for a, b in zip(given[name], steps, strict=True)]
        return {"value": splice(graph, [given[name] for name in graph.inputs])[0]}

    rate = jvp(trace(moved, graph.inputs | shapes, "moved"), [*shapes])

    def run(cost_bar, **given):
        still = {name: _zeros(shape) for name, shape in shapes.items()}
        values = {name: given[name] for name in graph.inputs}
        speeds = {f"{name}_dot": given[name] for name in shapes}
        known = values | still | speeds
        along = splice(rate, [known[name] for name in rate.inputs])[0]
        value = splice(graph, [given[name] for name in graph.inputs])[0]
        return {"pull": along + cost_bar * value}

    whole = trace(run, {"cost_bar": ()} | graph.inputs | shapes, "pull")
    return jacobian(whole, {f"{name}_bar": ("pull", name) for name in wanted})


def tangent_graph(system):
    """The cotangent over the numbers of a state -> that over the moves of the state."""
    slopes = jacobian_along(
        trace(lambda x: x, {"x": (system.nx,)}, "state"),
        {"by x": ("result", "x")},
        {"x": move_graph(system)},
    )

    def run(x, bar):
        (by_x,) = splice(slopes, [x])
        return [dot(bar, column) for column in zip(*by_x, strict=True)]

    return trace(run, {"x": (system.nx,), "bar": (system.nx,)}, "tangent")


def numbers_graph(system):
    """The other way round: what moves the numbers of a state off the curved space moves nothing."""
    shapes = {"x": (system.nx,), "rates": (system.nx,)}
    graph = trace(lambda x, rates: system.tangent(x, rates), shapes, "velocity")
    slopes = jacobian(graph, {"by rates": ("result", "rates")})

    def run(x, bar):
        (by_rates,) = splice(slopes, [x, [0.0] * system.nx])
        return [dot(bar, column) for column in zip(*by_rates, strict=True)]

    return trace(run, {"x": (system.nx,), "bar": (system.ndx,)}, "numbers")


# -- through time ----------------------------------------------------------------------------------


def costates_plan(problem):
    """How `costates_graph` goes through time."""
    n, nu = problem.system.ndx, problem.system.nu
    inputs = {"costates": (n,)} | map_shapes(problem) | {"gradient": (n + nu,)}
    outputs = {"costates'": (n,), "slope": (nu,)}
    return _plan(inputs, outputs, {"costates": "costates'"})


def costates_graph(problem):
    """Backward: the costates of the next knot -> those of this one, and the slopes by controls."""
    n = problem.system.ndx

    def run(costates, gradient, **given):
        g = _pulled(_maps(problem, given), costates)
        g = [a + b for a, b in zip(g, gradient, strict=True)]
        return {"costates'": g[:n], "slope": g[n:]}

    return trace(run, costates_plan(problem).inputs, "costates")


def reply_plan(problem):
    """How `reply_graph` goes through time."""
    n, nu, count = problem.system.ndx, problem.system.nu, problem.stage.constraints
    inputs = {"V": (halves(n),), "v": (n,), "least": ()} | map_shapes(problem)
    inputs |= {"curvature": (halves(n + nu),), "x_bar": (n,), "u_bar": (nu,), "held": (nu,)}
    if count:
        inputs |= {"normals": (count, n + nu), "weights": (count,), "pushes": (count,)}
    outputs = {"k": (nu,), "K": (nu, n), "V'": (halves(n),), "v'": (n,), "least'": ()}
    return _plan(inputs, outputs, {"V": "V'", "v": "v'", "least": "least'"})


def reply_graph(problem):
    """Backward: the value function of the next knot -> that of this one, and the law between.

    Controls that are held (1, others 0) do not move. Constraints add `weights` times half their
    squares, and `pushes` times what they are.
    """
    n, nu = problem.system.ndx, problem.system.nu

    def run(V, v, least, curvature, x_bar, u_bar, held, **given):
        maps = _maps(problem, given)
        H, g = replaced(unpacked(V, n), v, maps[0])
        for C in maps[1:]:
            H, g = eliminated(H, g, C)
        own = unpacked(curvature, n + nu)
        H = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(H, own, strict=True)]
        g = [a + b for a, b in zip(g, [*x_bar, *u_bar], strict=True)]
        constraints = (given.get(name, ()) for name in ("normals", "weights", "pushes"))
        for normal, weight, push in zip(*constraints, strict=True):
            g = [a + push * b for a, b in zip(g, normal, strict=True)]
            H = [
                [entry + weight * (a * b) for entry, b in zip(row, normal, strict=True)]
                for row, a in zip(H, normal, strict=True)
            ]
        free = [1.0 - each for each in held]
        Quu = [[H[n + i][n + j] * (free[i] * free[j]) for j in range(nu)] for i in range(nu)]
        for i in range(nu):
            Quu[i][i] = Quu[i][i] + held[i]
        columns = [[H[n + i][j] * free[i] for i in range(nu)] for j in range(n)]
        L, inverse, pivot = factor(Quu)
        k = solved(L, inverse, [-g[n + i] * free[i] for i in range(nu)])
        K = [solved(L, inverse, [-entry for entry in column]) for column in columns]
        V = [[H[i][j] + dot(columns[i], K[j]) for j in range(n)] for i in range(n)]
        v = [g[i] + dot(columns[i], k) for i in range(n)]
        law = {"k": k, "K": [[K[j][i] for j in range(n)] for i in range(nu)]}
        return law | {"V'": packed(V), "v'": v, "least'": minimum(least, pivot)}

    return trace(run, reply_plan(problem).inputs, "reply")


def follow_plan(problem):
    """How `follow_graph` goes through time."""
    n, nu, count = problem.system.ndx, problem.system.nu, problem.stage.constraints
    inputs = {"dx": (n,)} | map_shapes(problem) | {"k": (nu,), "K": (nu, n)}
    inputs |= {"V": (halves(n),), "v": (n,)} | ({"normals": (count, n + nu)} if count else {})
    outputs = {"du": (nu,), "dx'": (n,), "costates": (n,)} | ({"off": (count,)} if count else {})
    return _plan(inputs, outputs, {"dx": "dx'"})


def follow_graph(problem):
    """Forward: how a state moves -> how its control and the next state do, the costates there, and
    constraints. V and v are the value function of the next knot."""
    n = problem.system.ndx

    def run(dx, k, K, V, v, **given):
        du = [a + dot(row, dx) for a, row in zip(k, K, strict=True)]
        maps, moves = _maps(problem, given), [*dx, *du]
        results = {"du": du}
        if "normals" in given:
            results["off"] = [dot(row, moves) for row in given["normals"]]
        for C in reversed(maps[1:]):
            moves = [*moves, *(dot(row, moves) for row in C)]
        after = [dot(row, moves) for row in maps[0]]
        costates = [a + dot(row, after) for a, row in zip(v, unpacked(V, n), strict=True)]
        return results | {"dx'": after, "costates": costates}

    return trace(run, follow_plan(problem).inputs, "follow")


def _plan(inputs, outputs, carry):
    """All is recorded, and what is not carried is given per step."""
    made = (name for name in outputs if name not in carry.values())
    streamed = tuple(name for name in inputs if name not in carry)
    return Plan(inputs, outputs, carry, streamed, (*carry, *made))


def map_shapes(problem):
    """name -> shape of what the maps of linearised dynamics are put together from."""
    shapes = dict(problem.system.linear_shapes)
    return shapes | ({"x": (problem.system.nx,)} if problem.system.curved else {})


def _maps(problem, given):
    linear = {name: given[name] for name in problem.system.linear_shapes}
    return problem.system.chain(given.get("x"), linear)


def _pulled(maps, v):
    """The linear form v of dx', as one of dx and du."""
    g = [dot(v, column) for column in zip(*maps[0], strict=True)]
    for C in maps[1:]:
        n, columns = len(C[0]), zip(*C, strict=True)
        g = [a + dot(g[n:], column) for a, column in zip(g[:n], columns, strict=True)]
    return g


def _zeros(shape):
    return [0.0] * shape[0]
