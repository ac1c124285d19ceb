"""WebAssembly run in this process, by wasmtime."""

import ctypes
import math

import numpy as np
import pytest

wasmtime = pytest.importorskip("wasmtime")

TWO = ("atan2", "fmod")


class Instance:
    """A module's functions and its memory; arrays are put on the heap one after another."""

    def __init__(self, data):
        engine = wasmtime.Engine()
        store = self.store = wasmtime.Store(engine)
        module, linker = wasmtime.Module(engine, data), wasmtime.Linker(engine)
        self.asked_for = [each.name for each in module.imports]
        number = wasmtime.ValType.f64()
        for each in module.imports:
            arity = 2 if each.name in TWO else 1
            kind = wasmtime.FuncType([number] * arity, [number])
            linker.define_func(each.module, each.name, kind, _of_library(each.name))
        self.exports = linker.instantiate(store, module).exports(store)
        self.memory, self.end = self.exports["memory"], self.exports["heap"].value(store)

    def call(self, name, *arguments):
        self.exports[name](self.store, *arguments)

    def put(self, array):
        """The address of a copy of an array of float64."""
        array, address = np.ascontiguousarray(array, float), self.end
        self.end += array.nbytes
        short = self.end - self.memory.data_len(self.store)
        if short > 0:
            self.memory.grow(self.store, -(-short // 65536))
        self.memory.write(self.store, array.tobytes(), address)
        return address

    def get(self, address, shape):
        read = self.memory.read(self.store, address, address + 8 * math.prod(shape))
        return np.frombuffer(bytes(read)).reshape(shape)


def _of_library(name):
    """The C library's function: Python's raises where there is no number."""
    function = getattr(ctypes.CDLL(None), name)
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_double] * (2 if name in TWO else 1)
    return lambda *arguments: float(function(*arguments))


def computed(program, *arrays, name="it"):
    """What a Program's module computes of a batch of states, each output (states, *shape)."""
    instance, states = Instance(program.to_wasm(name)), len(arrays[0])
    given = [instance.put(array) for array in arrays]
    made = [instance.put(np.zeros((states, *shape))) for shape in program.outputs.values()]
    instance.call(f"{name}_batch", states, *given, *made)
    shapes = [(states, *shape) for shape in program.outputs.values()]
    return [instance.get(*each) for each in zip(made, shapes, strict=True)]
