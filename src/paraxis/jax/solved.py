"""Optimal control inside JAX."""

import jax
import jax.numpy as jnp
import numpy as np

from ..frameworks.solved import Solved
from ..optimal.arguments import GUESSES, shapes_of
from ..optimal.gradients import PARTS
from .from_program import checked
from .on_host import OnHost


def run(solver, arrays, options):
    """(xs, us, cost, solved), with gradients."""
    given = {name: checked(value, (name, ())) for name, value in arrays.items()}
    dtype = jnp.promote_types(jnp.result_type(*given.values(), float), jnp.float32)
    solved = Solved(solver, options)
    solved.check({name: np.broadcast_to(0.0, array.shape) for name, array in given.items()})
    entries = shapes_of(solver.problem, solver.horizon)
    batches = {name: x.shape[: x.ndim - len(entries[name])] for name, x in given.items()}
    batch = np.broadcast_shapes(*batches.values())
    for name, array in given.items():
        ones = (1,) * (len(batch) - len(batches[name]))
        array = array.reshape(ones + array.shape).astype(dtype)
        given[name] = jax.lax.stop_gradient(array) if name in GUESSES else array
    shapes = {name: array.shape for name, array in given.items()}
    return _Call(solved, shapes, batch, dtype)(*given.values())


class _Call(OnHost):
    """A Solved with operands of these shapes, by name, in order."""

    def __init__(self, solved, shapes, batch, dtype):
        self.solved = solved
        entries = shapes_of(solved.solver.problem, solved.solver.horizon)

        def made(entry, dtype=dtype):
            return jax.ShapeDtypeStruct((*batch, *entry), dtype)

        xs, us, is_solved = made(entries["xs"]), made(entries["us"]), made((), bool)
        multipliers = map(made, solved.constraints.values())
        refusal = "solve: a gradient of optimal control has no derivatives"
        outputs, kept = [xs, us, made(()), is_solved], [xs, us, is_solved, *multipliers]
        super().__init__(shapes, dtype, outputs, kept, refusal)

    def forward_on_host(self, *operands):
        found, kept = self.solved.forward(self._named(operands))
        results = zip((*found, *kept), (*self.outputs, *self.kept), strict=True)
        return [np.asarray(array, like.dtype, order="C") for array, like in results]

    def backward_on_host(self, wanted, used, *arrays):
        arrays = [np.asarray(array) for array in arrays]
        extra = arrays[0].ndim - len(self.shapes["x0"])
        mapped = np.broadcast_shapes(*(array.shape[:extra] for array in arrays))
        arrays = [np.broadcast_to(array, (*mapped, *array.shape[extra:])) for array in arrays]
        rest = iter(arrays)
        given = {name: next(rest) for name in self.shapes}
        _, kept = [next(rest) for _ in self.outputs], [next(rest) for _ in self.kept]
        parts = zip((*PARTS, "solved"), used, strict=True)
        bars = {name: next(rest) for name, is_used in parts if is_used}
        found = self.solved.backward(given, kept, bars, wanted)
        return [np.asarray(found[name], self.dtype, order="C") for name in wanted]

    def _named(self, operands):
        return dict(zip(self.shapes, map(np.asarray, operands), strict=True))
