"""The gradient of a number that solutions decide."""

from ..checks import one_of
from ..errors import ArgumentError, SimulationWarning, warn
from ..robots.model import PARAMETERS
from ..targets.compiling import one_call
from ..targets.target import target_of
from .arguments import as_batch, as_rows, shapes_of, summed, timed
from .sensitivity import Optima
from .systems import RobotSystem


def gradient(solver, solution, bars, wrt=None, tangent=False):
    """name -> gradient, of the shape of the argument.

    `solution` has the arguments, xs, us, multipliers and solved of a Solution. `bars` are the
    cotangents of its "xs", "us" and "cost", or None.
    """
    problem, arguments = solver.problem, solution.arguments
    wanted = _wanted(problem, arguments, wrt)
    target = target_of({"xs": solution.xs})
    with one_call("the gradient of optimal control"), target.stream():
        xp, taken = target.arrays, target.taken
        points = {"xs": solution.xs, "us": solution.us}
        own = {name: f"multipliers {name}" for name in solution.multipliers}
        points |= {own[name]: each for name, each in solution.multipliers.items()}
        arrays = {name: taken(each, name) for name, each in (points | arguments).items()}
        batch = arrays["us"].shape[:-2]
        shapes = shapes_of(problem, solver.horizon)
        shapes |= {name: arrays[name].shape[len(batch) :] for name in points}
        for name, value in bars.items():
            arrays[_bar(name)] = _checked(target, name, value, solution, batch)
            shapes[_bar(name)] = arrays[_bar(name)].shape[len(batch) :]
        in_time = timed(problem) | {"multipliers stage", _bar("xs"), _bar("us")}
        batch, rows = as_rows(target, arrays, shapes, in_time, solver.dtype)
        optima = Optima(
            problem,
            target,
            solver.dtype,
            solver.threads,
            rows["xs"],
            rows["us"],
            {name: rows[own[name]] for name in own},
            {name: rows[name] for name in problem.parameters},
        )
        xs_bar, us_bar, cost_bar = (rows[_bar(name)] for name in ("xs", "us", "cost"))
        pulls = (xs_bar != 0).any((0, 2)) | (us_bar != 0).any((0, 2))
        solved = taken(solution.solved, "solved").reshape(-1)
        found, right = optima.pulled(xs_bar, us_bar, cost_bar, wanted, pulls & solved)
        moved = pulls | (cost_bar != 0)
        right = solved & (right | ~pulls)
        _warn(moved & ~solved, moved & solved & ~right)
        results = {}
        for name in wanted:
            each, first = found[name], name in problem.per_step
            if name == "x0" and not tangent:
                each = optima.over_numbers(each)
            mask = (..., *[None] * (each.ndim - 1 - first))
            each = xp.where(right[mask], each, xp.nan)
            each = as_batch(target, xp.where(moved[mask], each, 0.0), batch, first)
            shape = arrays[name].shape
            if name == "x0" and tangent:
                shape = (*shape[:-1], problem.system.ndx)
            results[name] = target.given_back(summed(each, shape))
        return results


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
