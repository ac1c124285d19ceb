"""A stand-in for a GPU whose arrays are CuPy's own, in main memory: what a call costs on the host.

CuPy makes arrays of any memory without asking a driver. So what Paraxis reads of arrays is read of
real ones; what needs a GPU (copies, streams, the current device) is played here. Kernels are those
of cuda_on_cpu.py.
"""

import threading
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest
from support.cuda_on_cpu import CpuDevice

cupy = pytest.importorskip("cupy", exc_type=ImportError)


class Array(cupy.ndarray):
    """An array of CuPy's whose numbers can be read here."""

    def __dlpack_device__(self):
        return 2, self.data.device_id

    @property
    def near(self):
        """The same memory as an array of NumPy's."""
        place = {
            "version": 3,
            "data": (self.data.ptr, False),
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self.dtype.str,
        }
        return np.asarray(SimpleNamespace(__array_interface__=place, kept=self.data))

    def astype(self, dtype):
        return far(self.near.astype(dtype), self.data.device_id)

    def copy(self):
        return far(self.near.copy(), self.data.device_id)

    def __setitem__(self, index, value):
        self.near[index] = value.near


Array.__module__ = "cupy"  # as Paraxis finds out whose an array is


def far(array, number=0):
    """A NumPy array as one of CuPy's on GPU `number`; the memory is the same."""
    memory = cupy.cuda.UnownedMemory(array.ctypes.data, array.nbytes, array, device_id=number)
    pointer = cupy.cuda.MemoryPointer(memory, 0)
    return Array(array.shape, array.dtype, pointer, array.strides)


def without_memory(array):
    """An array laid out like this one, whose memory is gone."""
    memory = cupy.cuda.UnownedMemory(0, 0, None, device_id=0)
    pointer = cupy.cuda.MemoryPointer(memory, 0)
    return Array(array.shape, array.dtype, pointer, array.strides)


class Module:
    """What Paraxis uses of CuPy."""

    ndarray = Array

    def __init__(self, number):
        self.cuda = _Cuda(number)

    def empty(self, shape, dtype):
        return far(np.empty(shape, dtype), self.cuda.runtime.getDevice())

    def broadcast_to(self, array, shape):
        return far(np.broadcast_to(array.near, shape), array.data.device_id)

    def ascontiguousarray(self, array):
        return far(np.ascontiguousarray(array.near), array.data.device_id)

    def from_dlpack(self, other):
        return far(other.near)

    def asarray(self, array):
        return far(np.array(array))

    def asnumpy(self, array):
        return array.near.copy()

    def empty_like(self, array):
        return self.empty(array.shape, array.dtype)

    def multiply(self, a, b, out=None):
        out = self.empty_like(a) if out is None else out
        np.multiply(a.near, b.near, out=out.near)
        return out


class _Cuda:
    """Current devices and streams, one each for every thread, as CuPy has them."""

    def __init__(self, number):
        self._own = threading.local()
        self.runtime = SimpleNamespace(getDevice=lambda: getattr(self._own, "device", number))
        self.Stream = SimpleNamespace(from_external=self._external)

    @contextmanager
    def Device(self, number):
        before, self._own.device = self.runtime.getDevice(), number
        try:
            yield
        finally:
            self._own.device = before

    def _external(self, stream):
        _, handle = stream.__cuda_stream__()
        return self.stream(handle)

    @contextmanager
    def stream(self, handle):
        before, self._own.stream = self.get_current_stream(), SimpleNamespace(ptr=handle)
        try:
            yield
        finally:
            self._own.stream = before

    def get_current_stream(self):
        return getattr(self._own, "stream", DEFAULT)


DEFAULT = SimpleNamespace(ptr=0, synchronize=lambda: None)


class CupyOnCpu(CpuDevice):
    """A Device with these arrays."""

    def __init__(self, number=0):
        self.arrays = Module(number)

    @property
    def number(self):
        return self.arrays.cuda.runtime.getDevice()

    def address(self, array):
        return array.data.ptr
