"""From a Program to a function of tensors."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ..drivers.map import Signature, as_array
from ..errors import ArgumentError
from ..frameworks.derivable import Derivable
from ..programs import Program
from .call import called
from .operator import body_of, is_plain, known, wants_gradient

DTYPES = (torch.float32, torch.float64)
DEVICES = ("cpu", "cuda")


def function(program: Program) -> Callable[..., torch.Tensor | tuple[torch.Tensor, ...]]:
    """Return a Program as a differentiable function of tensors.

    **Arguments:**

    - `program`: made by `px.program` or `px.trace`.

    **Returns:** a function that takes one tensor per input of the Program, by position or by name.
    Tensors are `(..., entry shape)`, and their batch shapes broadcast. They have one dtype, float32
    or float64, and are on one device; NumPy arrays and plain numbers among them are constants. It
    returns a tensor, or a tuple of tensors for a Program with several outputs.

    **Raises:** `px.ArgumentError` if `program` is not a Program; the function raises it for wrong
    shapes, dtypes and devices.

    **Example:**

    >>> import torch
    >>> import paraxis.torch
    >>> program = px.program(px.robots.planar(2), "gravity_torques")
    >>> torques = paraxis.torch.function(program)
    >>> q = torch.ones(2, dtype=torch.float64, requires_grad=True)
    >>> torques(q).sum().backward()
    >>> q.grad  # N m/rad
    tensor([-21.3025,  -8.9202], dtype=torch.float64)
    """
    if not isinstance(program, Program):
        raise ArgumentError(
            f"function: expected a Program (px.program and px.trace make them), found "
            f"{type(program).__name__}"
        )
    signature, key = Signature(program.inputs, program.outputs), known(Derivable.of(program))
    remembered = body_of(key).remembered

    def of_tensors(*tensors, **named):
        if not named and is_plain() and not wants_gradient(tensors):
            found = remembered(tensors, None)
            if found is not None:
                return found
        if named or not _are_alike(tensors) or len(tensors) != len(signature.inputs):
            tensors = together(signature.bind(tensors, named, program.name), signature.inputs)
        results = called(key, *tensors)
        return results[0] if len(results) == 1 else results

    of_tensors.__name__ = of_tensors.__qualname__ = program.name
    of_tensors.__doc__ = f"The Program {program.name} on PyTorch tensors."
    return of_tensors


def _are_alike(values):
    """Whether all are tensors of one of the dtypes, on one of the devices."""
    first = values[0] if values else None
    if not isinstance(first, torch.Tensor):
        return False
    dtype, device = first.dtype, first.device
    return (
        dtype in DTYPES
        and device.type in DEVICES
        and all(
            isinstance(value, torch.Tensor) and value.dtype == dtype and value.device == device
            for value in values
        )
    )


def together(values, inputs):
    """All values as tensors of one dtype, on one device. Shapes are checked by the kernel.

    NumPy arrays and plain numbers are constants: copied to the dtype and device of the tensors.
    """
    tensors = {n: v for n, v in zip(inputs, values, strict=True) if isinstance(v, torch.Tensor)}
    if not tensors:
        name, value = next(iter(inputs)), values[0]
        raise ArgumentError(f"{name}: expected a tensor, found {type(value).__name__}")
    first, *_ = tensors
    own = tensors[first]
    for name, tensor in tensors.items():
        if tensor.dtype not in DTYPES:
            raise ArgumentError(f"{name}: expected one of {DTYPES}, found {tensor.dtype}")
        if tensor.device.type not in DEVICES:
            raise ArgumentError(f"{name}: expected a device of {DEVICES}, found {tensor.device}")
        for what in ("dtype", "device"):
            expected, found = getattr(own, what), getattr(tensor, what)
            if expected != found:
                raise ArgumentError(
                    f"{name}: expected {what} {expected}, as {first} has, found {found}"
                )
    return [
        tensors[name] if name in tensors else _constant(value, name, shape, own)
        for value, (name, shape) in zip(values, inputs.items(), strict=True)
    ]


def _constant(value, name, shape, like):
    array = as_array(value, name, shape)
    return torch.tensor(array, dtype=like.dtype, device=like.device)
