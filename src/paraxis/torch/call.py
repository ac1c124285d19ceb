"""A Program as one operation of PyTorch, with its rules: derivatives both ways, and batches.

A derivative is the call of another Program, so that it has derivatives too. Gradients are made only
for the inputs that want one, and from the outputs that have one.
"""

import torch

from .operator import body_of, call, is_plain, library, plain_call, wants_gradient


def applied(body, tensors):
    """The outputs of a Body as a tuple, with derivatives if any are wanted."""
    if not is_plain():
        return Call.apply(body, *tensors)
    return PlainCall.apply(body, *tensors) if wants_gradient(tensors) else plain_call(body, tensors)


class Call(torch.autograd.Function):
    """Of a Body and one tensor for each of its inputs; returns a tuple."""

    @staticmethod
    def forward(body, *tensors):
        return tuple(call(body, tensors))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.body, *tensors = inputs
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)
        ctx.set_materialize_grads(False)  # what has no gradient is None, and costs nothing

    @staticmethod
    def backward(ctx, *bars):
        return None, *_pulled(ctx.body, ctx.saved_tensors, ctx.needs_input_grad[1:], bars)

    @staticmethod
    def jvp(ctx, _, *dots):
        active = _positions(dot is not None for dot in dots)
        given = [dots[k] for k in active]
        return Call.apply(ctx.body.jvp(active), *ctx.saved_tensors, *given)

    @staticmethod
    def vmap(info, in_dims, body, *tensors):
        moved = body.with_new_axis_first(tensors, in_dims[1:], torch.movedim)
        return Call.apply(body, *moved), (0,) * len(body.outputs)


class PlainCall(Call):
    """A Call of plain tensors: PyTorch takes 20 us less where `forward` sets up its own context."""

    @staticmethod
    def forward(ctx, body, *tensors):
        ctx.body = body
        ctx.save_for_backward(*tensors)
        ctx.set_materialize_grads(False)
        return plain_call(body, tensors)

    setup_context = torch.autograd.Function.setup_context  # none


def _pulled(body, tensors, wanted, bars):
    """The gradients of the tensors that want one, from those of outputs, where they have one."""
    active, used = _positions(wanted), _positions(bar is not None for bar in bars)
    gradients = [None] * len(tensors)
    if active and used:
        pulled = applied(body.vjp(active, used), (*tensors, *(bars[k] for k in used)))
        for k, gradient in zip(active, pulled, strict=True):
            if gradient.shape != tensors[k].shape:  # it was broadcast
                gradient = gradient.sum_to_size(tensors[k].shape)
            gradients[k] = gradient
    return gradients


def _positions(chosen):
    return tuple(k for k, is_chosen in enumerate(chosen) if is_chosen)


@torch.compiler.allow_in_graph  # what torch.compile does not look into, but keeps as it is
def called(key, *tensors):
    """`applied`, to a Body given by its key, as graphs hold it."""
    return applied(body_of(key), tensors)


# -- the rules of the operator itself, in graphs that tracers recorded -----------------------------


def _with_derivatives(key, tensors):
    return list(called(key, *tensors))


def _vmap(info, in_dims, key, tensors):
    moved = body_of(key).with_new_axis_first(tensors, in_dims[1], torch.movedim)
    results = torch.ops.paraxis.call(key, moved)
    return results, [0] * len(results)


library.impl("call", _with_derivatives, "Autograd")
torch.library.register_vmap("paraxis::call", _vmap, lib=library)
