"""From a Program to a function of tensors."""

import torch

from ..derivatives import Body
from ..drivers.map import Signature
from ..errors import ArgumentError
from ..program import Program
from .call import called
from .operator import known

DTYPES = (torch.float32, torch.float64)
DEVICES = ("cpu", "cuda")


def function(program):
    """A differentiable function of tensors, one for each input of the Program, by place or name.

    Tensors are (..., entry shape); what stands before the entries broadcasts. They have one dtype,
    float32 or float64, and one device. It returns a tensor, or a tuple of tensors for a Program
    with several outputs.
    """
    if not isinstance(program, Program):
        raise ArgumentError(
            f"function: expected a Program (px.program and px.trace make them), found "
            f"{type(program).__name__}"
        )
    signature, identity = Signature(program.inputs, program.outputs), known(Body.of(program))

    def of_tensors(*tensors, **named):
        values = signature.bind(tensors, named, program.name)
        _check(values, signature.inputs)
        results = called(identity, *values)
        return results[0] if len(results) == 1 else results

    of_tensors.__name__ = of_tensors.__qualname__ = program.name
    of_tensors.__doc__ = f"The Program {program.name} on tensors of PyTorch."
    return of_tensors


def _check(values, inputs):
    """Are these tensors that go together? Shapes are checked by the kernel."""
    first = next(iter(inputs))
    for name, value in zip(inputs, values, strict=True):
        if not isinstance(value, torch.Tensor):
            raise ArgumentError(f"{name}: expected a tensor, found {type(value).__name__}")
        if value.dtype not in DTYPES:
            raise ArgumentError(f"{name}: expected one of {DTYPES}, found {value.dtype}")
        if value.device.type not in DEVICES:
            raise ArgumentError(f"{name}: expected a device of {DEVICES}, found {value.device}")
        for what in ("dtype", "device"):
            own, other = getattr(values[0], what), getattr(value, what)
            if own != other:
                raise ArgumentError(f"{name}: expected {what} {own}, as {first} has, found {other}")
