"""PyTorch's tensors in main memory as if they were on a GPU: the stand-in of cupy_on_cpu.py.

PyTorch calls main memory device -1, so that is the number of the GPU here.
"""

import pytest
from support.cupy_on_cpu import CupyOnCpu

from paraxis.targets import target
from paraxis.targets.cuda import arrays
from paraxis.targets.cuda import map as kernel

torch = pytest.importorskip("torch")

from paraxis.torch import operator  # noqa: E402

on_cpu = operator.call  # as it is without this device


def use(monkeypatch):
    """Let Paraxis find this device, and tensors on it."""
    device, found = CupyOnCpu(number=-1), arrays._device
    cuda = device.arrays.cuda

    def device_of(value):
        return (2, -1) if isinstance(value, torch.Tensor) else found(value)

    def current_stream(family):
        return lambda number: cuda.get_current_stream().ptr

    monkeypatch.setattr(arrays, "_device", device_of)
    monkeypatch.setattr(arrays.TorchTensors, "_current_stream", property(current_stream))
    monkeypatch.setattr(arrays.TorchTensors, "_place", torch.device("cpu"))
    for module in (kernel, target):
        monkeypatch.setattr(module, "device", lambda: device)
    monkeypatch.setattr(operator, "_bodies", {})  # what is remembered is not for other tests
    monkeypatch.setattr(operator, "call", _on_this_device)
    return device


def _on_this_device(body, tensors):
    """The operator as PyTorch would call it for tensors on a GPU."""
    return operator._on_cuda(operator.known(body), list(tensors))
