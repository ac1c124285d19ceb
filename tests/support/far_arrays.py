"""A stand-in for a GPU that is as strict as one: its arrays do not mix with NumPy's.

The stand-in of cuda_on_cpu.py computes; here its arrays are FarArrays, made by a module of their
own, so that code which forgets where an array is fails as it would with CuPy.
"""

import numpy as np
from support.cuda_on_cpu import CpuDevice
from support.cuda_warps import WarpDevice

from paraxis import calls
from paraxis.errors import ArgumentError
from paraxis.targets import target
from paraxis.targets.cuda import iterate as loop_kernel
from paraxis.targets.cuda import map as kernel
from paraxis.targets.cuda import memory
from paraxis.targets.cuda.arrays import Family


class FarArray(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        given = {} if out is None else {"out": tuple(map(_near, out))}
        result = getattr(ufunc, method)(*map(_near, inputs), **given, **options)
        return far(result) if out is None else out[0]

    def __array_function__(self, function, types, arguments, options):
        return far(function(*_near(arguments), **_near(options)))

    def __getitem__(self, index):
        return far(_near(self)[_near(index)])

    def __setitem__(self, index, value):
        _near(self)[_near(index)] = _near(value)


class FarModule:
    """NumPy, for FarArrays."""

    ndarray = FarArray

    def asarray(self, value, dtype=None):
        return far(np.array(value, dtype))

    def __getattr__(self, name):
        function = getattr(np, name)
        return lambda *arguments, **options: far(function(*_near(arguments), **_near(options)))


class FarDevice(CpuDevice):
    arrays = FarModule()

    def in_main_memory(self, array):
        assert isinstance(array, FarArray)
        return np.array(array)


class FarWarps(FarDevice):
    """Kernels whose lanes share a state, or whose warps share states, run by warps of 32 threads;
    others by one thread after another."""

    most_shared = 100 << 10

    def load(self, binary, name):
        shares = name.endswith("_warps_loop") or b"switch (WARP)" in binary
        return WarpDevice().load(binary, name) if shares else super().load(binary, name)


def far(value):
    """What a GPU gives back: even one number is an array there."""
    if isinstance(value, tuple | list):
        return type(value)(map(far, value))
    return np.asarray(value).view(FarArray) if isinstance(value, np.ndarray | np.generic) else value


def _near(value):
    """FarArrays as NumPy's, and an error where there is one of those among them."""
    if isinstance(value, tuple | list):
        return type(value)(map(_near, value))
    if isinstance(value, dict):
        return {key: _near(each) for key, each in value.items()}
    if isinstance(value, FarArray):
        return value.view(np.ndarray)
    if isinstance(value, np.ndarray):
        raise TypeError("an array of NumPy's among those of a GPU")
    return value


def is_far(value):
    return isinstance(value, FarArray)


def family_of(values, names, on):
    for name, value in zip(names, values, strict=True):
        if not is_far(value):
            raise ArgumentError(f"{name}: expected an array on a GPU, found {type(value)}")
    return Family(on)


def use(monkeypatch, device=None):
    """Let Paraxis find this device, by default a FarDevice, and FarArrays on it."""
    device = device or FarDevice()
    for module in (target, memory, calls):
        monkeypatch.setattr(module, "on_a_gpu", is_far)
    for module in (target, memory, kernel):
        monkeypatch.setattr(module, "family_of", family_of)
    for module in (target, kernel, loop_kernel):
        monkeypatch.setattr(module, "device", lambda: device)
    monkeypatch.setattr(calls, "together", family_of_two)
    return device


def family_of_two(values, names):
    return family_of(values, names, None)
