"""A compiled body on the GPU, callable on arrays that are there."""

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import DTypeLike

from ...drivers.device_map import ROWS, plan
from ...drivers.map import Signature
from ..compiling import about
from ..number import NOT_PICKLED, checked_dtype
from .arrays import family_of
from .device import device
from .text.map import map_text


class CudaKernel:
    """A compiled Program on a GPU: call it with one array per input; batch shapes broadcast.

    Takes arrays of CuPy, PyTorch and JAX that are on one GPU, and returns the same kind there.
    Work is queued on the current stream, and not waited for. A kernel is compiled for each
    memory layout, when arrays of that layout are first given.

    The Body's graph is made only where machine code is not in the cache; `on` is the device, by
    default the current GPU.
    """

    def __init__(self, body, dtype: DTypeLike = "float64", fast_math=False, on=None):
        self.dtype, self.fast_math = np.dtype(checked_dtype(dtype)), bool(fast_math)
        self.device = on or device()
        self._body, self._loaded = body, {}

    def __call__(self, /, *arguments, out=None, **named):
        signature = self._signature
        values, out = signature.bind_with_out(arguments, named, out, self.name)
        family = family_of(values, signature.inputs, self.device)
        with family.stream():
            arrays, places = family.taken(values), family.places(out)
            todo = plan(signature, arrays, self.dtype, places, self.device)
            if todo.states:
                self.loaded(todo.layouts).run(todo.states, todo.arguments)
                todo.finish()
            if out is None:
                results = [family.given_back(result) for result in todo.results]
            else:
                results = out if isinstance(out, tuple | list) else [out]
        return results[0] if len(results) == 1 else tuple(results)

    @property
    def name(self):
        return self._shapes["name"]

    @property
    def inputs(self):
        return self._signature.inputs

    @property
    def outputs(self):
        return self._signature.outputs

    def loaded(self, layouts):
        """The kernel for arrays of these layouts, inputs first."""
        number = self.device.number
        key = (layouts, number)
        if key not in self._loaded:
            parts = "map", self._body.key, self.dtype.name, self.fast_math, layouts
            self._loaded[key] = self.device.loaded(parts, lambda: self._made(layouts), Loaded)
        return self._loaded[key]

    def text(self, layouts):
        """The CUDA C++ for arrays of these layouts."""
        return map_text(_with_names_apart(self._body.graph), layouts, self.dtype.name)

    def row_major_launches(self):
        """For other programs that start kernels: (CUfunction, threads per block, bytes of shared
        memory per block) of each kernel that computes arrays in rows. Arguments are the number of
        states as long long, then a pointer for each array."""
        arrays = len(self.inputs) + len(self.outputs)
        found = []
        for launcher, threads, shared in self.loaded((ROWS,) * arrays).kernels:
            launcher.allow(shared)
            found.append((launcher.function.ptr, threads, shared))
        return found

    def _made(self, layouts):
        about(self._body.name)
        text = self.text(layouts)
        kernels = [(kernel.name, kernel.threads, kernel.shared) for kernel in text.kernels]
        binary = self.device.binary(text.text, self.fast_math, text.size)
        return {"kernels": kernels}, binary

    @cached_property
    def _shapes(self):
        def make():
            graph = self._body.graph
            outputs = {name: shape for name, (shape, _) in graph.outputs.items()}
            return {"name": graph.name, "inputs": graph.inputs, "outputs": outputs}, b""

        return self.device.loaded(("shapes", self._body.key), make, lambda _, shapes, __: shapes)

    @cached_property
    def _signature(self):
        inputs, outputs = (
            {name: tuple(shape) for name, shape in self._shapes[kind].items()}
            for kind in ("inputs", "outputs")
        )
        return Signature(inputs, outputs)

    def __reduce__(self):
        raise TypeError(NOT_PICKLED)

    def __repr__(self):
        return f"<kernel {self.name}{self._signature}, {self.dtype}, cuda>"


def _with_names_apart(graph):
    """The graph with another name for an output that is called as an input is."""
    outputs = {}
    for name, output in graph.outputs.items():
        while name in graph.inputs or name in outputs:
            name += "_out"
        outputs[name] = output
    return replace(graph, outputs=outputs)


class Loaded:
    """Compiled kernels that together compute a batch."""

    def __init__(self, gpu, description, binary):
        self.kernels = [
            (gpu.load(binary, name), threads, shared)
            for name, threads, shared in description["kernels"]
        ]

    def run(self, states, arguments):
        for launcher, threads, shared in self.kernels:
            launcher(-(-states // threads), threads, [states, *arguments], shared)
