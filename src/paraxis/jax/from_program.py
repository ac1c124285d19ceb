"""From a Program to a function of JAX arrays."""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from ..drivers.map import Signature
from ..errors import ArgumentError
from ..frameworks.derivable import Derivable
from ..programs import Program
from .primitive import call


def function(program: Program) -> Callable[..., jax.Array | tuple[jax.Array, ...]]:
    """Return a Program as a function of JAX arrays, which works in `jit`, `vmap` and derivatives.

    **Arguments:**

    - `program`: made by `px.program` or `px.trace`.

    **Returns:** a function that takes one array per input of the Program, by position or by name.
    Arrays are `(..., entry shape)`, and their batch shapes broadcast. It returns an array, or a
    tuple of arrays for a Program with several outputs. float64 arrays in give float64 out;
    everything else is computed in float32, unless `jax_enable_x64` makes float64 the default.

    **Raises:** `px.ArgumentError` if `program` is not a Program; the function raises it for wrong
    shapes and dtypes.

    **Example:**

    >>> import jax
    >>> import paraxis.jax
    >>> program = px.program(px.robots.planar(2), "gravity_torques")
    >>> torques = paraxis.jax.function(program)
    >>> torques(jax.numpy.zeros(2))
    Array([19.62 ,  4.905], dtype=float32)
    >>> jax.jacobian(torques)(jax.numpy.ones(2))  # N m/rad
    Array([[-16.842,  -4.46 ],
           [ -4.46 ,  -4.46 ]], dtype=float32)
    """
    if not isinstance(program, Program):
        raise ArgumentError(
            f"function: expected a Program (px.program and px.trace make them), found "
            f"{type(program).__name__}"
        )
    signature, body = Signature(program.inputs, program.outputs), Derivable.of(program)

    def run(*arrays):
        given = [checked(*item) for item in zip(arrays, program.inputs.items(), strict=True)]
        dtype = jnp.promote_types(jnp.result_type(*given, float), jnp.float32)
        operands = [array.astype(dtype) for array in given]
        _check_batches(operands, program.inputs)
        results = call(body, operands)
        return results[0] if len(results) == 1 else tuple(results)

    run.__name__ = program.name
    compiled = jax.jit(run, inline=True)

    def of_arrays(*arrays, **named):
        return compiled(*signature.bind(arrays, named, program.name))

    of_arrays.__name__ = of_arrays.__qualname__ = program.name
    of_arrays.__doc__ = f"The Program {program.name} on JAX arrays."
    return of_arrays


def checked(value, named):
    name, shape = named
    array = jnp.asarray(value)
    if not (jnp.issubdtype(array.dtype, jnp.floating) or jnp.issubdtype(array.dtype, jnp.integer)):
        raise ArgumentError(f"{name}: expected real numbers, found dtype {array.dtype}")
    if array.shape[array.ndim - len(shape) :] != shape or array.ndim < len(shape):
        expected = ", ".join(["...", *map(str, shape)])
        raise ArgumentError(f"{name}: expected shape ({expected}), found {array.shape}")
    return array


def _check_batches(operands, inputs):
    batches = {
        name: array.shape[: array.ndim - len(shape)]
        for array, (name, shape) in zip(operands, inputs.items(), strict=True)
    }
    try:
        jnp.broadcast_shapes(*batches.values())
    except ValueError:
        found = ", ".join(f"{name} {batch}" for name, batch in batches.items())
        raise ArgumentError(f"batch shapes do not broadcast together: {found}") from None
