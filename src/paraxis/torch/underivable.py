"""Gradients without derivatives: asking for one raises, rather than being silently zero."""

import torch

from ..errors import ArgumentError


def underivable(refusal, gradients, *tensors):
    """The gradients, which depend on these tensors; `refusal` is what their derivative raises."""
    return Underivable.apply(refusal, len(gradients), *gradients, *tensors)


class Underivable(torch.autograd.Function):
    """The first so many of tensors, which depend on all others."""

    @staticmethod
    def forward(ctx, refusal, count, *tensors):
        ctx.refusal = refusal
        return tuple(None if tensor is None else tensor.clone() for tensor in tensors[:count])

    @staticmethod
    def backward(ctx, *bars):
        raise ArgumentError(ctx.refusal)
