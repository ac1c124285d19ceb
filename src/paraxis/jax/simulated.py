"""A differentiable run inside JAX.

Operands that are per step have the steps first; the further axes of a `vmap` become part of the
batch after them.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from ..simulation.differentiable_run import Simulated
from .from_program import checked
from .on_host import OnHost


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


class _Call(OnHost):
    """A run of operands of these shapes, by name, in order. `make(shapes)` is its Simulated."""

    def __init__(self, make, shapes, dtype):
        self.make, self.simulated = make, make(shapes)
        of_steps = self.simulated.streamed
        self.streamed = {name for name in shapes if self.simulated.input_of(name) in of_steps}
        adjoint = self.simulated.adjoint
        self.record_shapes, self.kept_shapes = adjoint.record_shapes, adjoint.kept_shapes
        made = (self.record_shapes, self.kept_shapes)
        made = [[jax.ShapeDtypeStruct(each, dtype) for each in group.values()] for group in made]
        super().__init__(shapes, dtype, *made, "simulate: a gradient of a run has no derivatives")

    def forward_on_host(self, *operands):
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
