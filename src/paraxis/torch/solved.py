"""Optimal control as one operation of PyTorch; what its backward returns has no derivatives."""

import torch

from ..errors import ArgumentError
from ..frameworks.solved import Solved
from ..optimal.arguments import GUESSES
from ..optimal.gradients import PARTS
from .from_program import together
from .operator import is_plain
from .underivable import underivable


@torch.compiler.disable  # a graph breaks here: kernels are found in Python
def run(solver, arrays, options):
    """(xs, us, cost, solved), with gradients."""
    if not is_plain():
        raise ArgumentError(
            "solve: torch.func, forward derivatives and tracers are not supported; use backward() "
            "or torch.autograd.grad, and batches instead of vmap"
        )
    names = tuple(arrays)
    tensors = together([*arrays.values()], dict.fromkeys(names, ()))
    return SolvedRun.apply(Solved(solver, options), names, *tensors)


class SolvedRun(torch.autograd.Function):
    """Of a Solved, the names of its arguments, and one tensor for each."""

    @staticmethod
    def forward(ctx, solved, names, *tensors):
        ctx.solved, ctx.names = solved, names
        found, ctx.kept = solved.forward(_detached(names, tensors))
        ctx.save_for_backward(*tensors)
        ctx.set_materialize_grads(False)
        dtype = tensors[0].dtype
        *results, is_solved = (torch.as_tensor(array) for array in found)
        # copies: what the gradient needs is not what the caller may change
        results, is_solved = [each.to(dtype, copy=True) for each in results], is_solved.clone()
        ctx.mark_non_differentiable(is_solved)
        return *results, is_solved

    @staticmethod
    def backward(ctx, *bars):
        tensors, needed = ctx.saved_tensors, zip(ctx.names, ctx.needs_input_grad[2:], strict=True)
        wanted = [name for name, is_needed in needed if is_needed and name not in GUESSES]
        given = {name: bar for name, bar in zip(PARTS, bars, strict=False) if bar is not None}
        gradients = [None] * len(tensors)
        if given and wanted:
            arguments, cotangents = _detached(ctx.names, tensors), _detached(given, given.values())
            found = ctx.solved.backward(arguments, ctx.kept, cotangents, wanted)
            for k, name in enumerate(ctx.names):
                if name in found:
                    gradients[k] = torch.as_tensor(found[name]).to(tensors[k].dtype)
        if torch.is_grad_enabled():  # create_graph=True
            refusal = "solve: a gradient of optimal control has no derivatives"
            gradients = underivable(refusal, gradients, *tensors, *given.values())
        return None, None, *gradients


def _detached(names, tensors):
    return {name: tensor.detach() for name, tensor in zip(names, tensors, strict=True)}
