"""A Program as one operation of JAX, with its rules: derivatives, their transposes, batches.

Why a primitive of our own, and not custom_jvp or custom_vjp: each of those gives up one direction,
or derivatives of derivatives. Here the rule of a Program is its jvp, a Program again, linear in the
tangents; transposed that is its vjp, a Program too. So every derivative of any order is a Program.

Operands are arrays of one float dtype, of shape batch + entry. Batches broadcast, which is what
vmap becomes.
"""

from functools import partial

import jax.numpy as jnp
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir, xla

from ..errors import ArgumentError
from .lowering import lower_for_cpu, lower_for_cuda, lower_to_operations

call_p = Primitive("paraxis")
call_p.multiple_results = True


def call(body, operands):
    """The outputs of a Body."""
    return call_p.bind(*operands, body=body)


def _batch_of(operand, shape):
    return operand.shape[: operand.ndim - len(shape)]


@call_p.def_abstract_eval
def _results(*operands, body):
    batch = jnp.broadcast_shapes(*map(_batch_of, operands, body.inputs))
    return [ShapedArray((*batch, *shape), operands[0].dtype) for shape in body.outputs]


def _jvp(primals, tangents, *, body):
    active = tuple(k for k, tangent in enumerate(tangents) if type(tangent) is not ad.Zero)
    moving = [tangents[k] for k in active]
    return call(body, primals), call(body.jvp(active), [*primals, *moving])


def _transpose(cotangents, *operands, body):
    """By the vjp of the Body that this is the jvp of: a jvp is linear in its tangents."""
    linear = [k for k, operand in enumerate(operands) if ad.is_undefined_primal(operand)]
    given = len(body.inputs) - len(body.tangents)
    if linear[0] < given:
        raise ArgumentError(
            f"{body.name}: it can be transposed by its tangents only, not by its input "
            f"{linear[0]}, in which it is not known to be linear"
        )
    used = tuple(k for k, cotangent in enumerate(cotangents) if type(cotangent) is not ad.Zero)
    results = [None] * len(operands)  # none is zero
    if not used:
        return results
    moving = tuple(body.tangents[k - given] for k in linear)
    pulled = call(
        body.origin.vjp(moving, used), [*operands[:given], *(cotangents[k] for k in used)]
    )
    for k, result in zip(linear, pulled, strict=True):
        results[k] = _summed(result, operands[k].aval.shape)
    return results


def _summed(array, shape):
    """An array that was broadcast from a shape, summed back to it."""
    extra = array.ndim - len(shape)
    repeated = [k for k, length in enumerate(shape) if length != array.shape[extra + k]]
    axes = (*range(extra), *(extra + k for k in repeated))
    return jnp.sum(array, axis=axes).reshape(shape) if axes else array


def _batched(operands, axes, *, body):
    moved = body.with_new_axis_first(operands, axes, jnp.moveaxis)
    return call(body, moved), [0] * len(body.outputs)


call_p.def_impl(partial(xla.apply_primitive, call_p))
ad.primitive_jvps[call_p] = _jvp
ad.primitive_transposes[call_p] = _transpose
batching.primitive_batchers[call_p] = _batched
mlir.register_lowering(call_p, lower_to_operations)
mlir.register_lowering(call_p, lower_for_cpu, platform="cpu")
mlir.register_lowering(call_p, lower_for_cuda, platform="cuda")
