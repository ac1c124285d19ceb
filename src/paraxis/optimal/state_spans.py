"""Linear dynamics over a span of time, under a control law: from dx to A dx + b.

A span grows by a knot after it. Two spans meet in a state, which is known once the state at the
start of the left one is.
"""

from ..body import Body
from ..drivers.iterate import Plan
from ..graph.trace import trace
from ..targets.operator import SpanOperator
from .quadratic import dot

# -- a knot after a span ---------------------------------------------------------------------------


def grown(problem):
    """(a Body, its Plan): a span with one knot more after it."""
    carried, system = _span(problem.system.ndx), problem.system
    given = problem.law_shapes | {"gap": (system.ndx,)} | system.linear_shapes
    given |= {"x": (system.nx,)} if system.curved else {}
    outputs = {f"{name}'": shape for name, shape in carried.items()}
    carry = {name: f"{name}'" for name in carried}
    return Body(_grown_graph, problem), Plan(carried | given, outputs, carry, tuple(given))


def _grown_graph(problem):
    system = problem.system

    def run(A, b, k, K, gap, **given):
        maps = system.chain(given.get("x"), {name: given[name] for name in system.linear_shapes})

        def moved(dx, pushed):
            """dx' after dx, with the controls K dx and what else pushes."""
            z = [*dx, *(p + dot(row, dx) for p, row in zip(pushed, K, strict=True))]
            for C in reversed(maps[1:]):
                z = [*z, *(dot(row, z) for row in C)]
            return [dot(row, z) for row in maps[0]]

        columns = [moved(column, [0.0] * len(k)) for column in zip(*A, strict=True)]
        end = [x + g for x, g in zip(moved(b, k), gap, strict=True)]
        return {"A'": [list(row) for row in zip(*columns, strict=True)], "b'": end}

    return trace(run, grown(problem)[1].inputs, "grown_span")


# -- two spans -------------------------------------------------------------------------------------


def state_spans(n, on):
    """The operator on spans between states of n directions."""
    span = _span(n)
    kept = {f"{part}_left": shape for part, shape in span.items()}
    return SpanOperator(f"states {n}", glue, middle, span, kept, {"dx": (n,)}, on, far=())


def _span(n):
    return {"A": (n, n), "b": (n,)}


def glue(left, right):
    """Two spans as one, and of the left one what `middle` needs."""
    columns = [*zip(*left["A"], strict=True)]
    A = [[dot(row, column) for column in columns] for row in right["A"]]
    b = [dot(row, left["b"]) + x for row, x in zip(right["A"], right["b"], strict=True)]
    return {"A": A, "b": b}, {f"{part}_left": array for part, array in left.items()}


def middle(A_left, b_left, dx_near):
    """The state between two spans, from that at the start of the left one."""
    return {"dx": [dot(row, dx_near) + b for row, b in zip(A_left, b_left, strict=True)]}
