"""A compiled body on the GPU, callable on arrays that are there."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from ...drivers.device_map import ROWS, plan
from ...drivers.map import Signature, is_single
from ..compiling import about
from ..machine_code import MachineCode
from ..number import checked_dtype
from .arrays import family_of, together
from .device import cached, device
from .text.map import map_text


class CudaKernel(MachineCode):
    """Call it with one array for each input; arrays broadcast, `out=` is written in place.

    Takes arrays of CuPy, PyTorch and JAX that are on one GPU, and returns the same kind there.
    Work is queued on the current stream, and not waited for. A kernel is compiled for each way in
    which arrays lie in memory, when such arrays come first.

    `identity` says everything the graph depends on, so that it need not be made where machine code
    is in the cache; `on` is the device, by default the GPU at hand.
    """

    def __init__(self, identity, make_graph, dtype="float64", fast_math=False, on=None):
        self.dtype, self.fast_math = np.dtype(checked_dtype(dtype)), bool(fast_math)
        self.device = on or device()
        self._identity, self._make_graph, self._loaded = identity, make_graph, {}

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
        """The kernel for arrays that lie so, inputs first."""
        number = self.device.number
        key = (layouts, number)
        if key not in self._loaded:
            parts = (self._identity, self.dtype.name, self.fast_math, layouts)
            found = cached(parts, lambda: self._made(layouts), self.device)
            self._loaded[key] = Loaded(self.device, *found)
        return self._loaded[key]

    def text(self, layouts):
        """The CUDA C++ for arrays that lie so."""
        return map_text(_with_names_apart(self._graph), layouts, self.dtype.name)

    def row_major_launches(self):
        """For other programs that start kernels: (CUfunction, threads a block, bytes of shared
        memory a block) of each kernel that computes arrays in rows. Arguments are the number of
        states as long long, then a pointer for each array."""
        arrays = len(self.inputs) + len(self.outputs)
        found = []
        for launcher, threads, shared in self.loaded((ROWS,) * arrays).kernels:
            launcher.allow(shared)
            found.append((launcher.function.ptr, threads, shared))
        return found

    def _made(self, layouts):
        about(self._graph.name)
        text = self.text(layouts)
        kernels = [(kernel.name, kernel.threads, kernel.shared) for kernel in text.kernels]
        binary = self.device.binary(text.text, self.fast_math, text.size)
        return {"kernels": kernels}, binary

    @cached_property
    def _graph(self):
        return self._make_graph()

    @cached_property
    def _shapes(self):
        def make():
            graph = self._graph
            outputs = {name: shape for name, (shape, _) in graph.outputs.items()}
            return {"name": graph.name, "inputs": graph.inputs, "outputs": outputs}, b""

        return cached(("shapes", self._identity), make, self.device)[0]

    @cached_property
    def _signature(self):
        inputs, outputs = (
            {name: tuple(shape) for name, shape in self._shapes[kind].items()}
            for kind in ("inputs", "outputs")
        )
        return Signature(inputs, outputs)

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


class KernelsByType:
    """The float32 kernel where all arrays are of that type, else the float64 one."""

    def __init__(self, identity, make_graph, names):
        self._identity, self._make_graph, self._kernels = identity, make_graph, {}
        self._names = names

    def __call__(self, *arrays, out=None):
        together(arrays, self._names)  # before a GPU is looked for
        dtype = "float32" if all(map(is_single, arrays)) else "float64"
        if dtype not in self._kernels:
            self._kernels[dtype] = CudaKernel(self._identity, self._make_graph, dtype)
        return self._kernels[dtype](*arrays, out=out)
