"""The gradient of a number that solutions decide."""

from typing import Any, NamedTuple

from ..checks import one_of
from ..compiling import one_call
from ..errors import ArgumentError, SimulationWarning, warn
from ..robots.model import PARAMETERS
from ..targets.target import target_of
from .arguments import as_batch, as_rows, shapes_of, summed, timed
from .sensitivity import Optima
from .systems import RobotSystem

PARTS = ("xs", "us", "cost")  # of a solution, that numbers may depend on


class Point(NamedTuple):
    """What the gradient reads of a Solution, for those who have kept no more of it."""

    arguments: dict[str, Any]
    xs: Any
    us: Any
    multipliers: dict[str, Any]
    solved: Any


def gradient(solver, solution, bars, wrt=None, tangent=False):
    """name -> gradient, of the shape of the argument, from a Solution or a Point.

    `bars` are the cotangents of its "xs", "us" and "cost", of those that matter.
    """
    wanted = _wanted(solver.problem, solution.arguments, wrt)
    target = target_of({"xs": solution.xs})
    about = f"the gradient of optimal control{solver.problem.subject}"
    with one_call(about), target.stream():
        optima, bars, batch = _at_optima(solver, solution, bars, target)
        xs_bar, us_bar, cost_bar = (bars[name] for name in PARTS)
        pulled = (xs_bar != 0).any((0, 2)) | (us_bar != 0).any((0, 2))
        moved = pulled | (cost_bar != 0)
        solved = target.taken(solution.solved, "solved").reshape(-1)
        found, right = optima.pulled(xs_bar, us_bar, cost_bar, wanted, pulled & solved)
        right = solved & (right | ~pulled)
        _warn(moved & ~solved, moved & solved & ~right)
        if "x0" in found and not tangent:
            found["x0"] = optima.over_numbers(found["x0"])
        xp, per_step, results = target.arrays, solver.problem.per_step, {}
        for name, each in found.items():
            mask = (..., *[None] * (each.ndim - 1 - (name in per_step)))
            each = xp.where(moved[mask], xp.where(right[mask], each, xp.nan), 0.0)
            each = as_batch(target, each, batch, name in per_step)
            shape = tuple(solution.arguments[name].shape)
            shape = (*shape[:-1], each.shape[-1]) if name == "x0" else shape
            results[name] = target.given_back(summed(each, shape))
        return results


def _at_optima(solver, solution, bars, target):
    """(the Optima, cotangents by name, the batch shape)."""
    problem, arguments = solver.problem, solution.arguments
    multipliers = {f"multipliers {name}": each for name, each in solution.multipliers.items()}
    points = {"xs": solution.xs, "us": solution.us} | multipliers
    arrays = {name: target.array(each, name, ()) for name, each in (points | arguments).items()}
    batch = arrays["us"].shape[:-2]
    for name in PARTS:
        arrays[_bar(name)] = _checked(target, name, bars.get(name), solution, batch)
    shapes = {name: array.shape[len(batch) :] for name, array in arrays.items()}
    shapes |= shapes_of(problem, solver.horizon)
    in_time = timed(problem) | {"multipliers stage", _bar("xs"), _bar("us")}
    batch, rows = as_rows(target, arrays, shapes, in_time, solver.dtype)
    optima = Optima(
        problem,
        target,
        solver.dtype,
        solver.threads,
        rows["xs"],
        rows["us"],
        {name: rows[f"multipliers {name}"] for name in solution.multipliers},
        {name: rows[name] for name in problem.parameters},
    )
    return optima, {name: rows[_bar(name)] for name in PARTS}, batch


def _bar(name):
    return f"{name}_bar"


def _wanted(problem, arguments, wrt):
    wanted = [*arguments] if wrt is None else [wrt] if isinstance(wrt, str) else [*wrt]
    for name in wanted:
        is_own = isinstance(problem.system, RobotSystem) and name in PARAMETERS
        if is_own and name not in arguments:
            raise ArgumentError(
                f"wrt: {name} is a constant of this solver; give "
                f"parameters={{{name!r}: None}} to px.optimal_control"
            )
        one_of(name, arguments, "wrt")
    return wanted


def _checked(target, name, value, solution, batch):
    """The cotangent of a part of the solution, zero if it is not given."""
    shape = batch if name == "cost" else getattr(solution, name).shape
    if value is None:
        return target.arrays.zeros(shape)
    array = target.array(value, _bar(name), ())
    if array.shape != shape:
        raise ArgumentError(
            f"{_bar(name)}: expected shape {tuple(shape)}, that of {name}, found {array.shape}"
        )
    return array


def _warn(unsolved, undecided):
    """Of problems whose gradient is not found."""
    count = unsolved.size
    if unsolved.any():
        warn(
            f"gradient: {int(unsolved.sum())} of {count} problems are not solved; their gradients "
            f"are NaN",
            SimulationWarning,
        )
    if undecided.any():
        warn(
            f"gradient: {int(undecided.sum())} of {count} solutions have no gradient, as the cost "
            f"does not rise in every direction from them, or as active constraints are degenerate; "
            f"it is NaN there",
            SimulationWarning,
        )
