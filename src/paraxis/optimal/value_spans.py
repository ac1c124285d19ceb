"""The value function over a span of time, as a quadratic form in the states at both of its ends
(Särkkä and García-Fernández, "Temporal parallelization of dynamic programming and linear quadratic
control", IEEE Transactions on Automatic Control 68, 2023).

What it costs at least to come from x to y within a span is, in the dual form,

    max over λ of   ½ xᵀ V x + v·x - ½ λᵀ C λ - λ·(y - A x - b),

which is also good where not every y can be reached, so that C is singular. A span that may end
anywhere, at no cost there, costs ½ xᵀ V x + v·x and leads to A x + b; λ is the price of another
end. Constant terms are left out.

A span grows by a knot before it as a value function does in the pass backward. Two spans meet in a
state, whose value function is known once that at the end of the right one is.
"""

import numpy as np

from ..body import Body
from ..drivers.iterate import Plan
from ..graph.trace import trace
from ..physics.linear.pivoting import solve
from ..scalar import minimum
from ..targets.operator import SpanOperator
from .knots import Best, halves, quadratic_form
from .quadratic import dot, packed, symmetric, through, unpacked

# -- a knot before a span --------------------------------------------------------------------------


def grown(problem):
    """(a Body, its Plan): a span with one knot more before it. `least` is the least pivot."""
    n, carried = problem.system.ndx, _span(problem.system.ndx) | {"least": ()}
    unread = ("value", "gap") if problem.feasible else ("value",)
    given = {k: shape for k, shape in problem.of_linearise.items() if k not in unread}
    given |= {"x": (problem.system.nx,)} if problem.system.curved else {}
    inputs = carried | given | {"damping": ()}
    plan = Plan(
        inputs,
        {f"{name}'": shape for name, shape in carried.items()},
        {name: f"{name}'" for name in carried},
        per_step=tuple(given),
    )
    return Body(_grown_graph, problem, n), plan


def _grown_graph(problem, n):
    system, body = problem.system, grown(problem)

    def run(A, b, C, least, **given):
        gap = given.get("gap", [0.0] * n)
        (H, g), _ = quadratic_form(problem, given | {"gap": gap})
        best = Best(H, g, n)
        maps = system.chain(given.get("x"), {name: given[name] for name in system.linear_shapes})
        rows = [_pulled_back(row, maps) for row in A]  # how the end moves with dx and du
        by_u = [row[n:] for row in rows]
        K = [*zip(*best.K, strict=True)]
        swayed = [best.half(row) for row in by_u]
        return {
            "A'": [
                [a + dot(u, column) for a, column in zip(row[:n], K, strict=True)]
                for row, u in zip(rows, by_u, strict=True)
            ],
            "b'": [x + dot(a, gap) + dot(u, best.k) for x, a, u in zip(b, A, by_u, strict=True)],
            "C'": [x + y for x, y in zip(C, packed(symmetric(swayed, swayed)), strict=True)],
            "V'": packed(best.V),
            "v'": best.v,
            "least'": minimum(least, best.least),
        }

    return trace(run, body[1].inputs, "grown_span")


def _pulled_back(row, maps):
    """A linear form in dx', by dx and du."""
    return through([dot(row, column) for column in zip(*maps[0], strict=True)], maps[1:])


# -- two spans -------------------------------------------------------------------------------------


def value_spans(n, on):
    """The operator on spans between states of n directions."""
    span = _span(n)
    kept = {f"{part}_right": shape for part, shape in span.items()}
    unknown = {"V": span["V"], "v": span["v"]}
    return SpanOperator(f"values {n}", glue, middle, span, kept, unknown, on, near=())


def _span(n):
    return {"A": (n, n), "b": (n,), "C": (halves(n),), "V": (halves(n),), "v": (n,)}


def glue(left, right):
    """Two spans as one, and of the right one what `middle` needs."""
    n = len(left["b"])
    A, A_right, C = left["A"], right["A"], unpacked(left["C"], n)
    V, pull = _pull(right["V"], right["v"], left["b"])
    ahead = [b - dot(row, right["v"]) for b, row in zip(left["b"], C, strict=True)]
    met = _met(C, V, [[*a, *c, x] for a, c, x in zip(A, C, ahead, strict=True)])
    E_A, E_C, end = [row[:n] for row in met], [row[n:-1] for row in met], [row[-1] for row in met]
    swayed = [[dot(row, column) for column in E_C] for row in A_right]  # E C is symmetric
    span = {
        "A": _product(A_right, E_A),
        "b": [dot(row, end) + b for row, b in zip(A_right, right["b"], strict=True)],
        "C": [a + b for a, b in zip(packed(symmetric(A_right, swayed)), right["C"], strict=True)],
    }
    kept = {f"{part}_right": array for part, array in right.items()}
    return span | _value(A, V, E_A, pull, left), kept


def middle(A_right, b_right, C_right, V_right, v_right, V_far, v_far):
    """The value function between two spans, from that at the end of the right one."""
    V, pull = _pull(V_far, v_far, b_right)
    E_A = _met(unpacked(C_right, len(b_right)), V, A_right)
    return _value(A_right, V, E_A, pull, {"V": V_right, "v": v_right})


def _pull(V, v, b):
    """V as rows, and the slope of ½ xᵀ V x + v·x at b."""
    V = unpacked(V, len(b))
    return V, [slope + dot(row, b) for slope, row in zip(v, V, strict=True)]


def _met(C, V, columns):
    """E times columns, where E = (1 + C V)⁻¹: how the end of a span gives way to what is beyond.

    C V is not symmetric, so rows are exchanged for the largest pivots.
    """
    n = len(C)
    rows = [[dot(c, v) + float(i == j) for j, v in enumerate(V)] for i, c in enumerate(C)]
    return solve(np.array(rows, object), np.array(columns, object).reshape(n, -1)).tolist()


def _value(A, V, E_A, pull, own):
    """The value function before a span: Aᵀ V E A and its own, by the dynamics of the span."""
    columns, given_way = [*zip(*A, strict=True)], [*zip(*E_A, strict=True)]
    beyond = packed(symmetric([[dot(row, a) for row in V] for a in columns], given_way))
    return {
        "V": [a + b for a, b in zip(beyond, own["V"], strict=True)],
        "v": [dot(e, pull) + x for e, x in zip(given_way, own["v"], strict=True)],
    }


def _product(A, B):
    columns = [*zip(*B, strict=True)]
    return [[dot(row, column) for column in columns] for row in A]
