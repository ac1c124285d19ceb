"""A function of the host as an operation of JAX with a gradient: XLA calls back, and kernels do the
rest, on the CPU.

Operands have the rank of the whole batch, with 1 along axes they do not vary on. A `vmap` puts
further axes before all others.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero
from jax.tree_util import Partial

from ..errors import ArgumentError


class OnHost:
    """`shapes`: of operands by name, all of `dtype`; `outputs`, and what is `kept` for backward, as
    ShapeDtypeStructs; `refusal`: why the gradient has no derivative.

    `forward_on_host(*operands)` returns outputs and what is kept. `backward_on_host(wanted, used,
    *arrays)` takes the same and cotangents of those outputs that are `used`, and returns cotangents
    of the operands of the names `wanted`.
    """

    def __init__(self, shapes, dtype, outputs, kept, refusal):
        self.shapes, self.dtype, self.refusal = shapes, dtype, refusal
        self.outputs, self.kept = outputs, kept

    def __call__(self, *operands):
        count = len(self.outputs)

        @jax.custom_vjp
        def run(*operands):
            return tuple(self._forward(operands)[:count])

        def forward(*primals):
            operands = [primal.value for primal in primals]
            wanted = [k for k, primal in enumerate(primals) if primal.perturbed]
            saved = self._forward(operands)
            pull = Partial(_Pull(self, tuple(wanted)), operands, saved)
            return tuple(saved[:count]), pull

        run.defvjp(forward, lambda pull, bars: pull(bars), symbolic_zeros=True)
        return run(*operands)

    def _forward(self, operands):
        """Outputs, then what is kept."""
        return self.called_back(self.forward_on_host, [*self.outputs, *self.kept], operands)

    def called_back(self, function, results, operands):
        """What a function on the host returns, arrays of these ShapeDtypeStructs."""

        @jax.custom_jvp
        def call(*operands):
            return jax.pure_callback(function, results, *operands, vmap_method="expand_dims")

        def refused(primals, tangents):
            raise ArgumentError(self.refusal)

        call.defjvp(refused)
        return call(*operands)


class _Pull:
    """From cotangents of outputs to those of operands, of which some are wanted."""

    def __init__(self, call, wanted):
        self.call, self.wanted = call, wanted

    def __call__(self, operands, saved, bars):
        call, names = self.call, [*self.call.shapes]
        used = tuple(not isinstance(bar, SymbolicZero) for bar in bars)
        results = [None] * len(names)
        if self.wanted and any(used):
            wanted = [names[k] for k in self.wanted]
            given = [bar for bar, is_used in zip(bars, used, strict=True) if is_used]
            shapes = [jax.ShapeDtypeStruct(call.shapes[name], call.dtype) for name in wanted]
            on_host = partial(call.backward_on_host, wanted, used)
            found = call.called_back(on_host, shapes, [*operands, *saved, *given])
            for k, gradient in zip(self.wanted, found, strict=True):
                results[k] = gradient
        return tuple(
            jnp.zeros(operand.shape, operand.dtype) if result is None else result
            for result, operand in zip(results, operands, strict=True)
        )
