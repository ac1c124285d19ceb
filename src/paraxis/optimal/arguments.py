"""What problems are given: the shapes of one, whether arrays have them, and batches of any shape as
rows, with one axis for problems and time before it."""

import math

from ..checks import did_you_mean, listing
from ..drivers.map import broadcast_shapes
from ..errors import ArgumentError

GUESSES = ("us", "xs")  # which may be missing, and which an optimum does not depend on


def shapes_of(problem, horizon):
    """name -> shape of the arguments of one problem."""
    system = problem.system
    shapes = {"x0": (system.nx,), "us": (horizon, system.nu), "xs": (horizon + 1, system.nx)}
    for name, shape in problem.parameters.items():
        shapes[name] = (horizon + 1, *shape) if name in problem.per_step else shape
    return shapes


def timed(problem):
    """The names of arguments that have time as an axis."""
    return {*GUESSES, *problem.per_step}


def checked_arrays(problem, horizon, target, given):
    """The arguments that are given, as arrays by name."""
    if given.get("xs") is not None and problem.feasible:
        raise ArgumentError(
            "xs: only method 'sqp' begins with states; others follow from x0 and us"
        )
    shapes, arrays = shapes_of(problem, horizon), {}
    for name in given:
        if name not in shapes:
            raise unknown(name, problem.parameters)
    for name, shape in shapes.items():
        if given.get(name) is not None:
            arrays[name] = target.array(given[name], name, shape)
        elif name not in GUESSES:
            raise ArgumentError(
                f"{name}: is missing; expected shape ({', '.join(['...', *map(str, shape)])})"
            )
    return arrays


def unknown(name, parameters):
    """The error of a parameter that the problem has not."""
    if not parameters:
        return ArgumentError(f"{name}: this solver has no parameters")
    return ArgumentError(
        f"{name}: expected only parameters {listing([*parameters])}{did_you_mean(name, parameters)}"
    )


def as_rows(target, arrays, shapes, timed, dtype):
    """(the batch shape, arrays of the whole batch by name).

    `shapes` are those of one problem; arrays named in `timed` have time as their first axis then.
    """
    xp, rows = target.arrays, {}
    batch = broadcast_shapes(
        {name: each.shape[: each.ndim - len(shapes[name])] for name, each in arrays.items()}
    )
    count = math.prod(batch)
    for name, array in arrays.items():
        shape = shapes[name]
        whole = xp.broadcast_to(array, (*batch, *shape)).reshape(count, *shape)
        whole = xp.moveaxis(whole, 1, 0) if name in timed else whole
        rows[name] = xp.ascontiguousarray(whole, dtype)
    return batch, rows


def as_batch(target, array, batch, timed=False):
    """Rows as an array (*batch, *shape)."""
    array = target.arrays.moveaxis(array, 0, 1) if timed else array
    return target.arrays.ascontiguousarray(array).reshape((*batch, *array.shape[1:]))


def summed(array, shape):
    """A cotangent per problem, summed over the problems that share the value."""
    extra = array.ndim - len(shape)
    array = array.sum(tuple(range(extra))) if extra else array
    axes = tuple(k for k, size in enumerate(shape) if size != array.shape[k])
    return array.sum(axes, keepdims=True) if axes else array
