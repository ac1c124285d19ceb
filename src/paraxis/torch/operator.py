"""The operator `paraxis::call`: a kernel as PyTorch's tracers and compilers see it.

They record operators only: code outside an operator runs while they trace, and its result becomes a
constant. An operator takes no Python objects, so a Body is given by its key, which is the same in
every process: PyTorch keeps compiled graphs on disk.
"""

import torch
from torch.autograd import forward_ad

from ..drivers.device_map import batch_first, in_columns
from ..errors import ArgumentError

library = torch.library.Library("paraxis", "DEF")
library.define("call(str program, Tensor[] tensors) -> Tensor[]")
_bodies = {}  # by key; a graph that was recorded may call them at any time, so they stay


def is_plain():
    """Whether tensors are numbers in memory and nothing more: nobody records or transforms what is
    done with them now (torch.compile and torch.export, torch.func, forward derivatives)."""
    return not (
        torch.compiler.is_compiling()
        or torch._C._are_functorch_transforms_active()
        or torch._C._len_torch_dispatch_stack()
        or torch._C._get_tracing_state()
        or forward_ad._current_level >= 0
    )


def wants_gradient(values):
    """Whether derivatives by any of these are recorded."""
    return torch.is_grad_enabled() and any(getattr(v, "requires_grad", False) for v in values)


def plain_call(body, tensors):
    """As `call`, for tensors that are plain: calls like one before need no operator."""
    found = body.remembered(tensors, None)
    if found is None:
        return tuple(call(body, tensors))
    return found if isinstance(found, tuple) else (found,)


def call(body, tensors):
    """The outputs of a Body, without derivatives."""
    with torch._C._AutoDispatchBelowAutograd():  # its rule there is `Call`, which brought us here
        return torch.ops.paraxis.call(known(body), tensors)


def known(body):
    """The key of a Body, by which it is found again."""
    _bodies.setdefault(body.key, body)
    return body.key


def body_of(key):
    """The Body of that key."""
    if key not in _bodies:
        raise ArgumentError(
            f"a recorded graph calls a Program ({key}) that does not exist in this process; call "
            "the function of the Program once before running the graph, which contains no kernel"
        )
    return _bodies[key]


def _on_cpu(key, tensors):
    """Nothing is copied: arrays are views of tensors, and results become tensors."""
    results = _kernel(key, tensors, "cpu")(*(tensor.detach().numpy() for tensor in tensors))
    results = results if isinstance(results, tuple) else (results,)
    return [torch.as_tensor(result) for result in results]


def _on_cuda(key, tensors):
    remembered = body_of(key).remembered
    with torch.no_grad():  # gradients are the business of those who called
        results = remembered(tensors, None)
        if results is None:
            results = _kernel(key, tensors, "cuda").compute(tensors, None, remembered)
    return list(results) if isinstance(results, tuple) else [results]


def _kernel(key, tensors, target):
    return body_of(key).kernel(target, str(tensors[0].dtype).removeprefix("torch."))


def _empty_results(key, tensors):
    """Tensors laid out as the results will be, for tracers that do not compute."""
    body, first = body_of(key), tensors[0]
    batches = [
        tensor.shape[: tensor.ndim - len(shape)]
        for tensor, shape in zip(tensors, body.inputs, strict=True)
    ]
    batch = torch.broadcast_shapes(*batches)
    layouts = [(tensor.shape, tensor.stride()) for tensor in tensors]
    if first.device.type == "cuda" and in_columns(layouts, body.inputs):  # as drivers/device_map.py
        return [
            first.new_empty((*shape, *batch)).permute(batch_first(batch, shape))
            for shape in body.outputs
        ]
    return [first.new_empty((*batch, *shape)) for shape in body.outputs]


def _batched_the_old_way(key, tensors):
    raise ArgumentError(
        "PyTorch's older vectorised derivatives (vectorize=True, is_grads_batched=True, "
        "check_batched_grad=True) are not supported; use torch.func: jacrev, jacfwd or vmap"
    )


library.impl("call", _on_cpu, "CPU")
library.impl("call", _on_cuda, "CUDA")
library.impl("call", _batched_the_old_way, "Batched")
torch.library.register_fake("paraxis::call", _empty_results, lib=library)
