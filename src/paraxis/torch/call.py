"""A Program as one operation of PyTorch, with its rules: derivatives both ways, and batches.

A derivative is the call of another Program, so that it has derivatives too. Gradients are made only
for the inputs that want one, and from the outputs that have one.
"""

import torch


class Call(torch.autograd.Function):
    """Of a Body and one tensor for each of its inputs; returns a tuple."""

    @staticmethod
    def forward(body, *tensors):
        first = tensors[0]
        kernel = body.kernel(first.device.type, str(first.dtype).removeprefix("torch."))
        tensors = [tensor.detach() for tensor in tensors]
        if (
            first.device.type == "cpu"
        ):  # nothing is copied: arrays are views, results become tensors
            results = kernel(*(tensor.numpy() for tensor in tensors))
            results = results if isinstance(results, tuple) else (results,)
            return tuple(torch.as_tensor(result) for result in results)
        results = kernel(*tensors)
        return results if isinstance(results, tuple) else (results,)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.body, *tensors = inputs
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)
        ctx.set_materialize_grads(False)  # what has no gradient is None, and costs nothing

    @staticmethod
    def backward(ctx, *bars):
        tensors = ctx.saved_tensors
        _, *wanted = ctx.needs_input_grad
        active, used = _places(wanted), _places(bar is not None for bar in bars)
        gradients = [None] * len(tensors)
        if active and used:
            pulled = Call.apply(ctx.body.vjp(active, used), *tensors, *(bars[k] for k in used))
            for k, gradient in zip(active, pulled, strict=True):
                gradients[k] = gradient.sum_to_size(tensors[k].shape)  # it may have been broadcast
        return None, *gradients

    @staticmethod
    def jvp(ctx, _, *dots):
        active = _places(dot is not None for dot in dots)
        given = [dots[k] for k in active]
        return Call.apply(ctx.body.jvp(active), *ctx.saved_tensors, *given)

    @staticmethod
    def vmap(info, in_dims, body, *tensors):
        """The new axis goes before all others, with room for those of the other tensors."""
        _, *axes = in_dims
        ranks = [
            tensor.ndim - len(shape) - (axis is not None)
            for tensor, axis, shape in zip(tensors, axes, body.inputs, strict=True)
        ]
        moved = []
        for tensor, axis, rank in zip(tensors, axes, ranks, strict=True):
            if axis is not None:
                tensor = tensor.movedim(axis, 0)
                missing = (1,) * (max(ranks) - rank)
                tensor = tensor.reshape(tensor.shape[0], *missing, *tensor.shape[1:])
            moved.append(tensor)
        return Call.apply(body, *moved), (0,) * len(body.outputs)


def _places(chosen):
    return tuple(k for k, is_chosen in enumerate(chosen) if is_chosen)
