"""Arguments of any batch shapes as rows: one axis for problems, with time before it, and back."""

import math

from ..drivers.map import broadcast_shapes


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
    return target.arrays.ascontiguousarray(array.reshape(*batch, *array.shape[1:]))


def summed(array, shape):
    """A cotangent per problem, summed over the problems that share the value."""
    extra = array.ndim - len(shape)
    array = array.sum(tuple(range(extra))) if extra else array
    axes = tuple(k for k, size in enumerate(shape) if size != array.shape[k])
    return array.sum(axes, keepdims=True) if axes else array
