"""A differentiable run inside JAX: XLA calls back, and the kernels of the run and of its adjoint do
the rest, on the CPU.

Operands have the rank of the whole batch, with 1 along axes they do not vary on; those per step
have the steps first. A `vmap` puts further axes before all of these, which become part of the
batch.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from jax.tree_util import Partial

from ..errors import ArgumentError
from ..simulation.differentiable_run import Simulated
from .from_program import checked


def run(robot, arrays, controller, per_step, options):
    """(q, qd), with gradients."""
    given = {name: checked(value, (name, ())) for name, value in arrays.items()}
    dtype = jnp.promote_types(jnp.result_type(*given.values(), float), jnp.float32)
    shapes = {name: array.shape for name, array in given.items()}
    options |= {"controller": controller, "per_step": per_step, "dtype": dtype.name}
    first = Simulated(robot, shapes, **options)  # checks shapes as they were given
    for name, array in given.items():
        given[name] = array.reshape(_whole_rank(first, name)).astype(dtype)
    shapes = {name: array.shape for name, array in given.items()}
    return _Call(partial(Simulated, robot, **options), shapes, dtype)(*given.values())


def _whole_rank(simulated, name):
    """The shape of an argument with 1 along the axes of the batch that it has not."""
    batch, shape = simulated.batch, simulated.shapes[name]
    if name in simulated.settings:
        return shape or (1,) * len(batch)  # a number, for all
    if simulated.input_of(name) in simulated.streamed:
        return shape  # it has all axes
    entry = simulated.adjoint.step.inputs[simulated.input_of(name)]
    return (1,) * (len(batch) + len(entry) - len(shape)) + shape


class _Call:
    """A run of operands of these shapes, by name, in order. `make(shapes)` is its Simulated."""

    def __init__(self, make, shapes, dtype):
        self.make, self.shapes, self.dtype = make, shapes, dtype
        self.simulated = make(shapes)
        of_steps = self.simulated.streamed
        self.streamed = {name for name in shapes if self.simulated.input_of(name) in of_steps}
        adjoint = self.simulated.adjoint
        self.record_shapes, self.kept_shapes = adjoint.record_shapes, adjoint.kept_shapes

    def __call__(self, *operands):
        @jax.custom_vjp
        def run(*operands):
            return tuple(self._forward(operands)[:2])

        def forward(*primals):
            operands = [primal.value for primal in primals]
            wanted = [k for k, primal in enumerate(primals) if primal.perturbed]
            saved = self._forward(operands)
            pull = Partial(_Pull(self, tuple(wanted)), operands, saved)
            return tuple(saved[:2]), pull

        run.defvjp(forward, lambda pull, bars: pull(bars), symbolic_zeros=True)
        return run(*operands)

    def _forward(self, operands):
        """Records, then what is kept."""
        shapes = [*self.record_shapes.values(), *self.kept_shapes.values()]
        return self.called_back(self._forward_on_host, shapes, operands)

    def called_back(self, function, shapes, operands):
        """What a function on the host returns, arrays of these shapes."""
        results = [jax.ShapeDtypeStruct(shape, self.dtype) for shape in shapes]

        @jax.custom_jvp
        def call(*operands):
            return jax.pure_callback(function, results, *operands, vmap_method="expand_dims")

        call.defjvp(_refused)
        return call(*operands)

    def _forward_on_host(self, *operands):
        mapped, simulated, arrays = self._on_host(operands)
        records, kept, _ = simulated.forward(arrays)
        return [self._back(array, mapped) for array in (*records.values(), *kept.values())]

    def backward_on_host(self, wanted, used, *arrays):
        count, saved = len(self.shapes), len(self.record_shapes) + len(self.kept_shapes)
        mapped, simulated, given = self._on_host(arrays[:count])
        states = [self._in_batch(array, mapped) for array in arrays[count:]]
        records = dict(zip(self.record_shapes, states, strict=False))
        kept = dict(zip(self.kept_shapes, states[len(records) : saved], strict=True))
        names = [name for name, is_used in zip(records, used, strict=True) if is_used]
        bars = dict(zip(names, states[saved:], strict=True))
        found = simulated.backward(given, records, kept, bars, wanted)
        return [self._back(found[name], mapped if name in self.streamed else ()) for name in wanted]

    def _on_host(self, operands):
        """The mapped axes, the Simulated with these in its batch, and its arrays."""
        named = dict(zip(self.shapes, map(np.asarray, operands), strict=True))
        extra = named["q0"].ndim - len(self.shapes["q0"])
        if not extra:
            return (), self.simulated, named
        mapped = np.broadcast_shapes(*(array.shape[:extra] for array in named.values()))
        for name, array in named.items():
            array = np.broadcast_to(array, (*mapped, *array.shape[extra:]))
            named[name] = self._in_batch(array, mapped) if name in self.streamed else array
        return mapped, self.make({name: array.shape for name, array in named.items()}), named

    def _in_batch(self, array, mapped):
        """(mapped, steps, batch, ...) as (steps, mapped, batch, ...)."""
        array = np.asarray(array)
        whole = np.broadcast_to(array, (*mapped, *array.shape[len(mapped) :]))
        return np.moveaxis(whole, range(len(mapped)), range(1, len(mapped) + 1))

    def _back(self, array, mapped):
        """The other way round."""
        array = np.moveaxis(array, range(1, len(mapped) + 1), range(len(mapped)))
        return np.ascontiguousarray(array, self.dtype)


class _Pull:
    """From cotangents of records to those of operands, of which some are wanted."""

    def __init__(self, call, wanted):
        self.call, self.wanted = call, wanted

    def __call__(self, operands, saved, bars):
        call, names = self.call, [*self.call.shapes]
        used = tuple(not isinstance(bar, SymbolicZero) for bar in bars)
        results = [None] * len(names)
        if self.wanted and any(used):
            wanted = [names[k] for k in self.wanted]
            given = [bar for bar, is_used in zip(bars, used, strict=True) if is_used]
            shapes = [call.shapes[name] for name in wanted]
            on_host = partial(call.backward_on_host, wanted, used)
            found = call.called_back(on_host, shapes, [*operands, *saved, *given])
            for k, gradient in zip(self.wanted, found, strict=True):
                results[k] = gradient
        return tuple(
            jnp.zeros(operand.shape, operand.dtype) if result is None else result
            for result, operand in zip(results, operands, strict=True)
        )


def _refused(primals, tangents):
    raise ArgumentError("simulate: a gradient of a run has no derivatives")
