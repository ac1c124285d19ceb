"""A page about a Solution: the search, what it cost, and trajectories of some problems."""

import math
from html import escape

import numpy as np

from ..checks import counted, quoted
from ..drawing.figure import Figure, figure_html
from ..drawing.frame import document, header, tiles
from ..drawing.page import section
from ..drawing.stick_figure import stick_figure
from .status import Status
from .systems import RobotSystem

MOST_CURVES = 8


def solution_page(solution):
    """The whole HTML document."""
    system = solution.problem.system
    name = quoted(system.robot.name) if isinstance(system, RobotSystem) else "a system"
    title = f"Optimal control of {name}"
    parts = [_head(solution, title), _search(solution)]
    flat = _Flat(solution)
    for label, k in flat.shown():
        parts.append(_trajectory(solution, flat, label, k))
    body = "\n".join(parts)
    return document(title, body)


class _Flat:
    """The arrays of a Solution with one axis for the batch."""

    def __init__(self, solution):
        host = np.asarray if isinstance(solution.cost, np.ndarray) else _in_main_memory
        horizon, nu = solution.us.shape[-2:]
        self.xs = host(solution.xs).reshape(-1, horizon + 1, solution.xs.shape[-1])
        self.us = host(solution.us).reshape(-1, horizon, nu)
        self.cost = host(solution.cost).reshape(-1)
        self.status = host(solution.status).reshape(-1)

    def shown(self):
        """(label, index) of the problems that are drawn."""
        order = np.argsort(self.cost, kind="stable")
        if not len(order):
            return []
        if len(order) == 1:
            return [("Trajectory", 0)]
        found = {"Least cost": order[0], "Median cost": order[len(order) // 2]}
        found["Largest cost"] = order[-1]
        return [*found.items()] if len(order) > 2 else [*found.items()][::2]


def _in_main_memory(array):
    return np.asarray(array.get() if hasattr(array, "get") else array.cpu())


def _head(solution, title):
    flat = _Flat(solution)
    counts = [(each, int((flat.status == each).sum())) for each in Status]
    figures = [(f"{n:,}", each.name.lower().replace("_", " ")) for each, n in counts if n]
    figures.append((f"{len(solution.history.done)}", "rounds"))
    lead = (
        f"{counted(len(flat.cost), 'problem')}, horizon {flat.us.shape[1]}, method "
        f"{solution.problem.method}"
    )
    return header(escape(title), escape(lead), tiles(figures))


def _search(solution):
    """Costs over the rounds; of a batch, also their spread and how many problems are done."""
    history, alone = solution.history, math.prod(solution.cost.shape) == 1
    rounds = range(1, len(history.done) + 1)
    of_batch = {"least": history.least, "median": history.median, "largest": history.largest}
    curves = {
        name: [(k, float(c)) for k, c in zip(rounds, costs, strict=True) if np.isfinite(c)]
        for name, costs in ({"cost": history.least} if alone else of_batch).items()
    }
    positive = all(c > 0 for points in curves.values() for _, c in points)
    what = "cost" if alone else "cost over the batch"
    figures = [Figure("Cost", "", "round", what, curves, log="y" if positive else "")]
    if not alone:
        points = [(k, float(n)) for k, n in zip(rounds, history.done, strict=True)]
        figures.append(Figure("Done", "", "round", "problems that are done", {"done": points}))
    return section(
        "The search",
        "A round makes one candidate for every problem; each problem accepts or rejects its own.",
        *map(figure_html, figures),
    )


def _trajectory(solution, flat, label, k):
    system, problem = solution.problem.system, solution.problem
    seconds = isinstance(system, RobotSystem)
    step, unit = (system.dt, "time (s)") if seconds else (1, "step")
    figures = []
    if seconds:
        nq = system.robot.nq
        figures.append(_motion(system, flat.xs[k, :, :nq]))
        states = {"positions q": flat.xs[k, :, :nq], "rates qd": flat.xs[k, :, nq:]}
    else:
        states = {"states x": flat.xs[k]}
    left_out = []
    for name, values in {**states, "controls u": flat.us[k]}.items():
        curves = {
            f"{name.split()[-1]}{i}": [(step * t, float(v)) for t, v in enumerate(column)]
            for i, column in enumerate(values.T[:MOST_CURVES])
            if np.isfinite(column).all()
        }
        letter = name.split()[-1]
        whole = [f"{letter}{i}" for i in range(min(values.shape[1], MOST_CURVES))]
        left_out += [each for each in whole if each not in curves]
        if values.shape[1] > MOST_CURVES:
            left_out.append(f"{letter}{MOST_CURVES} to {letter}{values.shape[1] - 1}")
        dashed = ()
        if name.startswith("controls") and problem.limits and values.shape[1] == 1:
            ends = (0.0, step * (len(values) - 1))
            bounds = {"lowest": problem.limits[0][0], "highest": problem.limits[1][0]}
            bounds = {side: bound for side, bound in bounds.items() if np.isfinite(bound)}
            curves |= {side: [(t, bound) for t in ends] for side, bound in bounds.items()}
            dashed = tuple(bounds)
        if curves:
            figures.append(figure_html(Figure(name, "", unit, name, curves, dashed)))
    status = Status(int(flat.status[k])).name.lower().replace("_", " ")
    said = f"Problem {k}: cost {flat.cost[k]:.6g}, {status}."
    if left_out:
        said += f" Not drawn, as too many or not finite: {', '.join(left_out)}."
    return section(label, said, *figures)


def _motion(system, q):
    """The robot as it moves."""
    if not np.isfinite(q).all():
        return "<p class='fine'>The robot is not drawn, as some positions are not finite.</p>"
    picture, slower = stick_figure(system.robot, q, system.dt)
    pace = f"{slower:g} times slower than real time" if slower > 1 else "in real time"
    return f"{picture}<p class='fine'>The motion {pace}.</p>"
