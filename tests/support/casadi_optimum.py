"""The problem of a solver as CasADi sees it: multiple shooting, derivatives by its own rules, IPOPT.

Steps, costs and constraints are the graphs that the solver is made of, operation by operation;
nothing else is shared: not their derivatives, nor any iteration. States are those of a reference
trajectory, moved along tangents, so that quaternions are no constraints.
"""

from types import SimpleNamespace

import casadi as ca
import numpy as np

from paraxis.graph.trace import trace
from paraxis.optimal.systems import move_graph

MEANINGS = {
    "neg": lambda a: -a,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "fma": lambda a, b, c: a * b + c,
    "sqrt": ca.sqrt,
    "sin": ca.sin,
    "cos": ca.cos,
    "tan": ca.tan,
    "asin": ca.asin,
    "acos": ca.acos,
    "atan2": ca.atan2,
    "exp": ca.exp,
    "log": ca.log,
    "tanh": ca.tanh,
    "abs": ca.fabs,
    "sign": ca.sign,
    "min": ca.fmin,
    "max": ca.fmax,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "and": ca.logic_and,
    "or": ca.logic_or,
    "not": ca.logic_not,
    "select": ca.if_else,
}
IPOPT = {"print_level": 0, "tol": 1e-11, "bound_relax_factor": 0.0, "max_iter": 1000}


def casadi_function(graph):
    """The graph as a casadi.Function of column vectors."""
    given = {name: ca.SX.sym(name, int(np.prod(shape))) for name, shape in graph.inputs.items()}
    values = {}
    for node in graph.nodes:
        if node.op == "const":
            values[node.index] = ca.SX(node.value)
        elif node.op == "input":
            name, k = node.value
            values[node.index] = given[name][k]
        else:
            arguments = [values[each.index] for each in node.args]
            values[node.index] = MEANINGS[node.op](*arguments)
    names = [*graph.outputs]
    results = [ca.vcat([values[n.index] for n in nodes]) for _, nodes in graph.outputs.values()]
    return ca.Function("of_graph", [*given.values()], results, [*given], [f"o_{n}" for n in names])


def casadi_optimum(solver, x0, us, xs=None, **parameters):
    """What IPOPT finds of one problem, from these controls and states: its cost, us, xs, status.

    Without `xs` it begins with the trajectory that the controls lead to.
    """
    problem, horizon = solver.problem, solver.horizon
    system = problem.system
    shapes = {"x": (system.nx,), "u": (system.nu,)} | system.own_inputs
    step = casadi_function(trace(lambda x, u, **given: system.step(x, u, given), shapes, "step"))
    apart = casadi_function(
        trace(system.apart, {"x0": (system.nx,), "x1": (system.nx,)}, "apart")
    )
    move = casadi_function(move_graph(system))
    stage, end = casadi_function(problem.stage.graph), casadi_function(problem.terminal.graph)

    def of(function, k, known):
        """Its arguments by name."""
        found = {}
        for name in function.name_in():
            if name in known:
                found[name] = known[name]
            else:
                value = np.asarray(parameters[name], float)
                found[name] = np.ravel(value[k] if name in problem.per_step else value)
        return found

    us = np.asarray(us, float)
    if xs is None:
        xs = [np.asarray(x0, float)]
        for k in range(horizon):
            after = step(**of(step, k, {"x": xs[-1], "u": us[k]}))
            xs.append(np.ravel(after[step.name_out()[0]]))
    xs = np.asarray(xs, float)

    def cost_of(found, objective):
        shape, _ = objective.graph.outputs["cost"]
        r = found["o_cost"]
        return 0.5 * ca.dot(r, r) if shape else r

    cost, bounded, lows, highs = 0.0, [], [], []

    def bound(value, low, high):
        bounded.append(value)
        lows.extend([low] * value.shape[0])
        highs.extend([high] * value.shape[0])

    def constrain(found):
        if "o_inequality" in found:
            bound(found["o_inequality"], -np.inf, 0.0)
        if "o_equality" in found:
            bound(found["o_equality"], 0.0, 0.0)

    moves = [ca.MX.sym(f"dx{k}", system.ndx) for k in range(1, horizon + 1)]
    controls = [ca.MX.sym(f"u{k}", system.nu) for k in range(horizon)]
    states = [ca.DM(np.asarray(x0, float))]
    states += [move(xs[k + 1], dx) for k, dx in enumerate(moves)]
    for k, (x, u, x_next) in enumerate(zip(states[:-1], controls, states[1:], strict=True)):
        found = stage(**of(stage, k, {"x": x, "u": u}))
        cost += cost_of(found, problem.stage)
        constrain(found)
        after = step(**of(step, k, {"x": x, "u": u}))[step.name_out()[0]]
        bound(apart(x_next, after), 0.0, 0.0)
    found = end(**of(end, horizon, {"x": states[-1]}))
    cost += cost_of(found, problem.terminal)
    constrain(found)
    low, high = problem.limits or ((-np.inf,) * system.nu, (np.inf,) * system.nu)
    free = [-np.inf] * (system.ndx * horizon), [np.inf] * (system.ndx * horizon)
    nlp = {"x": ca.vertcat(*moves, *controls), "f": cost, "g": ca.vcat(bounded)}
    options = {"print_time": False, "ipopt.sb": "yes"}
    search = ca.nlpsol("search", "ipopt", nlp, options | {f"ipopt.{k}": v for k, v in IPOPT.items()})
    first = np.concatenate([np.zeros(system.ndx * horizon), np.ravel(us)])
    limits = {"lbx": [*free[0], *low * horizon], "ubx": [*free[1], *high * horizon]}
    best = search(x0=first, **limits, lbg=lows, ubg=highs)
    entries = np.ravel(best["x"])
    moved = entries[: system.ndx * horizon].reshape(horizon, system.ndx)
    return SimpleNamespace(
        cost=float(best["f"]),
        us=entries[system.ndx * horizon :].reshape(horizon, system.nu),
        xs=np.array([x0, *(np.ravel(move(a, b)) for a, b in zip(xs[1:], moved, strict=True))]),
        solved=search.stats()["success"],
        status=search.stats()["return_status"],
    )
