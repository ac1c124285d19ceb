"""A differentiable run as one operation of PyTorch.

Tensors stay where they are: on the CPU kernels read their memory, and on a GPU they take them as
they are. Backward runs the adjoint of the steps; what it returns has no derivatives.
"""

import torch

from ..errors import ArgumentError
from ..simulation.differentiable_run import Simulated
from ..targets.target import target_of
from .from_program import together
from .operator import is_plain
from .underivable import underivable


@torch.compiler.disable  # a graph breaks here: kernels are found in Python
def run(robot, arrays, controller, per_step, options):
    """(q, qd), with gradients."""
    if not is_plain():
        raise ArgumentError(
            "simulate: torch.func, forward derivatives and tracers are not supported; use "
            "backward() or torch.autograd.grad, and batches instead of vmap"
        )
    names = tuple(arrays)
    tensors = together([*arrays.values()], dict.fromkeys(names, ()))
    dtype = str(tensors[0].dtype).removeprefix("torch.")
    shapes = {name: tuple(each.shape) for name, each in zip(names, tensors, strict=True)}
    target = target_of(dict(zip(names, tensors, strict=True)))
    simulated = Simulated(
        robot, shapes, controller, per_step, dtype=dtype, target=target, **options
    )
    return SimulatedRun.apply(simulated, names, *tensors)


class SimulatedRun(torch.autograd.Function):
    """Of a Simulated, the names of its arguments, and one tensor for each."""

    @staticmethod
    def forward(ctx, simulated, names, *tensors):
        target = simulated.target
        with target.stream(), torch.no_grad():
            arrays = _arrays(target, names, tensors)
            records, kept, _ = simulated.forward(arrays)
            q, qd = (_tensor(target, records[name]) for name in ("q", "qd"))
            kept = {name: _tensor(target, array) for name, array in kept.items()}
        ctx.simulated, ctx.names, ctx.kept = simulated, names, tuple(kept)
        ctx.save_for_backward(q, qd, *kept.values(), *tensors)
        ctx.set_materialize_grads(False)
        return q, qd

    @staticmethod
    def backward(ctx, *bars):
        simulated, target = ctx.simulated, ctx.simulated.target
        q, qd, *others = ctx.saved_tensors
        kept, tensors = others[: len(ctx.kept)], others[len(ctx.kept) :]
        needed = zip(ctx.names, ctx.needs_input_grad[2:], strict=True)
        wanted = [name for name, is_needed in needed if is_needed]
        given = {n: b for n, b in zip(("q", "qd"), bars, strict=True) if b is not None}
        if not given:
            return None, None, *[None] * len(tensors)
        with target.stream(), torch.no_grad():
            found = simulated.backward(
                _arrays(target, ctx.names, tensors),
                _arrays(target, ("q", "qd"), (q, qd)),
                _arrays(target, ctx.kept, kept),
                _arrays(target, given, given.values()),
                wanted,
            )
            found = {name: _tensor(target, array) for name, array in found.items()}
        gradients = [found.get(name) for name in ctx.names]
        if torch.is_grad_enabled():  # create_graph=True
            refusal = "simulate: a gradient of a run has no derivatives"
            gradients = underivable(refusal, gradients, *tensors, *given.values())
        return None, None, *gradients


def _arrays(target, names, tensors):
    return {
        name: target.array(tensor.detach(), name, ())
        for name, tensor in zip(names, tensors, strict=True)
    }


def _tensor(target, array):
    return torch.as_tensor(target.given_back(array))
