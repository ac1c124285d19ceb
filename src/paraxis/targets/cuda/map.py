"""A compiled body on the GPU, callable on arrays on the same GPU."""

from dataclasses import replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from ...compiling import about
from ...drivers.device_map import ROWS, check_inputs, overlapping, plan
from ...drivers.map import Signature
from ...errors import ArgumentError
from ..blocks import Recipe, is_lazy, kernel_over_blocks
from ..number import NOT_PICKLED, checked_dtype
from .arrays import family_of
from .device import device
from .lanes import most_states
from .remembered import Remembered
from .text.lanes import lanes_text, shared_bytes
from .text.map import map_text


class CudaKernel:
    """A compiled Program on a GPU: call it with one array per input; batch shapes broadcast.

    Takes arrays of CuPy, PyTorch and JAX that are on one GPU, and returns the same kind there.
    Work is queued on the current stream, and not waited for. A kernel is compiled for each
    memory layout, when arrays of that layout are first given; calls like one before are one lookup
    and one launch (remembered.py).

    The Body's graph is made only where machine code is not in the cache; `on` is the device, by
    default the current GPU.
    """

    recipe: Recipe | None = None  # of another in another process, if there is one

    def __init__(self, body, dtype: DTypeLike = "float64", fast_math=False, on=None):
        self.dtype, self.fast_math = np.dtype(checked_dtype(dtype)), bool(fast_math)
        self.device = on or device()
        self._body, self._loaded = body, {}
        # (number of a GPU, are results in rows) -> states; another may have less shared memory
        self._most_by_lanes = {}
        self._remembered = Remembered()

    def __call__(self, /, *arguments, out=None, **named):
        if named:
            arguments, out = self._signature.bind_with_out(arguments, named, out, self.name)
        found = self._remembered(arguments, out)
        if found is not None:
            return found
        values, out = self._signature.bind_with_out(arguments, {}, out, self.name)
        if self.recipe is not None and any(map(is_lazy, values)):
            return kernel_over_blocks(self.recipe, self, values, out)
        return self.compute(values, out, self._remembered)

    def compute(self, values, out, remembered):
        """The full call: everything is checked, and the plan is kept."""
        signature = self._signature
        family = family_of(values, signature.inputs, self.device)
        with family.stream():
            taken, places = family.own(values, signature.inputs), family.own_places(out)
            arrays = self._converted(taken, family)
            if places is not None:
                self._check_apart(places, family)
                arrays = _kept_apart(arrays, places, family)
            todo, results, used = self._planned(arrays, places, family)
            if todo.states:
                addresses = [family.address(array) for array in used]
                self._check_memory(todo.arrays, addresses)
                loaded = self.loaded(todo.layouts, todo.states)
                loaded.run(todo.states, todo.arguments(addresses))
                for result, made in zip(results, used[len(arrays) :], strict=True):
                    if made is not result:
                        result[...] = made
                if all(a is b for a, b in zip((*values, *results), used, strict=True)):
                    remembered.learn(family, values, out, todo, loaded, len(results))
            if out is None:
                results = [family.returned(result) for result in results]
            else:
                results = out if isinstance(out, tuple | list) else [out]
        return results[0] if len(results) == 1 else tuple(results)

    def _converted(self, arrays, family):
        """The arrays in the dtype of the kernel; others are converted."""
        described = [family.described(array) for array in arrays]
        check_inputs(self._signature, described)
        return [
            array if each.dtype == self.dtype else family.converted(array, self.dtype)
            for array, each in zip(arrays, described, strict=True)
        ]

    def _planned(self, arrays, places, family):
        """The work, the results, and the arrays that kernels read and write."""
        given = [family.described(array) for array in arrays]
        wanted = None if places is None else [family.described(place) for place in places]
        todo = plan(self._signature, given, self.dtype, wanted)
        results = family.maker(todo.results)() if places is None else places
        used = [*arrays, *results]
        for k in todo.copied:
            used[k] = family.whole(arrays[k], todo.arrays[k].shape)
        for k in todo.made_aside:
            (used[len(arrays) + k],) = family.maker([todo.arrays[len(arrays) + k]])()
        found = [family.described(array) for array in used]
        if any(
            planned.on_boundary and not array.on_boundary
            for planned, array in zip(todo.arrays, found, strict=True)
        ):  # new memory, by an allocator that is not CuPy's or PyTorch's own
            todo = plan(self._signature, found[: len(arrays)], self.dtype, found[len(arrays) :])
        return todo, results, used

    def _check_memory(self, described, addresses):
        names = (*self.inputs, *(f"out ({name})" for name in self.outputs))
        for name, array, address in zip(names, described, addresses, strict=True):
            if not address and 0 not in array.shape:
                raise ArgumentError(f"{name}: the memory of the array was freed")

    def _check_apart(self, places, family):
        for k, place in enumerate(places):
            if any(_overlap(place, other, family) for other in places[:k]):
                raise ArgumentError("out: the arrays overlap each other")

    def job(self, arrays, results):
        """A call to be made as often as needed, with `run`."""
        return _Job(self, tuple(arrays), tuple(results) if len(results) > 1 else results[0])

    @property
    def name(self):
        return self._shapes["name"]

    @property
    def inputs(self):
        return self._signature.inputs

    @property
    def outputs(self):
        return self._signature.outputs

    def loaded(self, layouts, states):
        """The kernel for arrays of these layouts, inputs first, and so many states."""
        in_rows = all(each == ROWS for each in layouts[len(self.inputs) :])
        number, by_lanes = self.device.number, self.by_lanes(states, in_rows)
        key = (layouts, number, by_lanes)
        if key not in self._loaded:
            parts = "map", self._body.key, self.dtype.name, self.fast_math, layouts, by_lanes
            make = partial(self._made, layouts, by_lanes)
            self._loaded[key] = self.device.loaded(parts, make, Loaded)
        return self._loaded[key]

    def by_lanes(self, states, in_rows=True):
        """Whether a warp computes each of so many states, or a thread; `in_rows` are results."""
        key = self.device.number, in_rows
        if key not in self._most_by_lanes:
            self._most_by_lanes[key] = self._most_here(in_rows)
        return states <= self._most_by_lanes[key]

    def _most_here(self, in_rows):
        """The largest batch that warps of the current GPU compute sooner than threads."""
        if not self._body.may_have_lanes:  # a Program has the key of the function it was made for
            return 0
        room, dtype = self.device.most_shared, self.dtype.name

        def make():
            plan = self._body.lanes if room else None
            fits = plan is not None and shared_bytes(plan, dtype) <= room
            return {"states": most_states(self._body, in_rows) if fits else 0}, b""

        parts = "lanes", self._body.key, dtype, room, in_rows  # kept, as a Plan takes a while
        return self.device.loaded(parts, make, lambda _, found, __: found["states"])

    def text(self, layouts, by_lanes=False):
        """The CUDA C++ for arrays of these layouts."""
        if by_lanes:
            return lanes_text(self._body.lanes, layouts, self.dtype.name)
        return map_text(_with_names_apart(self._body.graph), layouts, self.dtype.name)

    def row_major_launches(self, states):
        """For other programs that start kernels: (CUfunction, threads, bytes of shared memory and
        states per block) of each kernel that computes arrays of so many states in rows. Arguments
        are the number of states as long long, then a pointer for each array."""
        arrays = len(self.inputs) + len(self.outputs)
        return self.loaded((ROWS,) * arrays, states).handles()

    def _made(self, layouts, by_lanes):
        about(self._body.name)
        text = self.text(layouts, by_lanes)
        kernels = [(each.name, each.threads, each.shared, each.states) for each in text.kernels]
        binary = self.device.binary(text.text, self.fast_math, text.size)
        return {"kernels": kernels}, binary

    @cached_property
    def _shapes(self):
        def make():
            if (
                self._body.may_have_lanes and self._body.lanes is not None
            ):  # its graph may take long to make
                plan = self._body.lanes
                outputs = {name: shape for name, (shape, *_) in plan.outputs.items()}
                return {"name": plan.name, "inputs": plan.inputs, "outputs": outputs}, b""
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
        if self.recipe is None:
            raise TypeError(NOT_PICKLED)
        return Recipe.made, (self.recipe,)

    def __repr__(self):
        return f"<kernel {self.name}{self._signature}, {self.dtype}, cuda>"


def _kept_apart(arrays, places, family):
    """The arrays, copied where results would be written over what is still to be read."""
    return [
        family.copied(array) if any(_overlap(array, place, family) for place in places) else array
        for array in arrays
    ]


def _overlap(a, b, family):
    described, addresses = map(family.described, (a, b)), map(family.address, (a, b))
    return overlapping(*(x for pair in zip(described, addresses, strict=True) for x in pair))


def _with_names_apart(graph):
    """The graph with another name for an output that is called as an input is."""
    outputs = {}
    for name, output in graph.outputs.items():
        while name in graph.inputs or name in outputs:
            name += "_out"
        outputs[name] = output
    return replace(graph, outputs=outputs)


class _Job(NamedTuple):
    """As targets/cpu/map.py."""

    kernel: Any
    arrays: Any
    out: Any

    def run(self):
        self.kernel(*self.arrays, out=self.out)


class Loaded:
    """Compiled kernels that together compute a batch."""

    def __init__(self, gpu, description, binary):
        self.kernels = [(gpu.load(binary, name), *about) for name, *about in description["kernels"]]

    def run(self, states, arguments):
        for launcher, threads, shared, together in self.kernels:
            launcher(-(-states // together), threads, arguments, shared)

    def handles(self):
        """(CUfunction, threads, bytes of shared memory and states of a block), ready to launch."""
        for launcher, _, shared, *_ in self.kernels:
            launcher.allow(shared)
        return [(launcher.function.ptr, *about) for launcher, *about in self.kernels]
