"""A compiled body on the CPU, callable on arrays."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ...body import Body
from ...compiling import about
from ...drivers import map as map_driver
from ...errors import ArgumentError
from ...passes.cost import cost
from ...passes.fuse import fuse
from ...passes.order import trig_first
from .. import store
from ..blocks import Recipe, is_lazy, kernel_over_blocks
from ..number import NOT_PICKLED, checked_dtype
from . import host
from .pieces import PIECE_WORK, run_in_pieces
from .text import python_entry, xla_entry
from .text.body import Blocks, Rows, define_body
from .text.lanes import Lanes
from .text.many_arrays import MANY, define_run_of_many
from .text.map import define_run
from .text.module import Module
from .threads import available
from .workers import run_together

ELEMENTS = {"float64": "double", "float32": "float"}
# A body of more nodes, or more results, asks for the memory of later states while it computes.
LONG_BODY, MANY_RESULTS = 1000, 16
CHUNK_WORK = 400_000  # flops a thread takes at a time: some ten microseconds
THREAD_WORK = 1_200_000  # flops a thread should have before it is worth waking


FEW_NUMBERS = 1 << 14  # that are copied in some microseconds


class Kernel:
    """A compiled Program: call it with one array per input, by position or by name.

    **Arguments:**

    - the inputs, each `(..., *shape)` as `kernel.inputs` gives the shapes. Batch shapes broadcast;
      lists, strides and other dtypes are taken, and are fastest as contiguous arrays of
      `kernel.dtype`.
    - `out`: an array, or a tuple of arrays for several outputs, to write the results to.

    **Returns:** an array `(..., *shape)`, or a tuple of arrays for a Program with several outputs.

    **Raises:** `px.ArgumentError` if an array is missing or has the wrong shape or dtype.
    """

    native: Callable  # machine code that Python calls directly, or `general`
    recipe: Recipe | None = None  # of another in another process, if there is one

    def __init__(self, description, code, thread_count):
        self.name, self.dtype = description["name"], np.dtype(description["dtype"])
        self.inputs = {key: tuple(shape) for key, shape in description["inputs"].items()}
        self.outputs = {key: tuple(shape) for key, shape in description["outputs"].items()}
        self.lanes, self.work = description["lanes"], description["work"]
        self.threads = thread_count
        self._signature = map_driver.Signature(self.inputs, self.outputs)
        numbers = sum(map(math.prod, [*self.inputs.values(), *self.outputs.values()]))
        self._effort = max(self.work, numbers, 1)  # of a state: to compute it, or to move it
        self._life = code.life
        self._run = code.function("run", None, ctypes.c_void_p)
        # for callers in native code, which see to it that the kernel outlives their calls
        self.addresses = {name: code.address(name) for name in description.get("native", ())}

    def general(
        self,
        /,
        *arguments: ArrayLike,
        out: np.ndarray | Sequence[np.ndarray] | None = None,
        **named: ArrayLike,
    ) -> np.ndarray | tuple[np.ndarray, ...]:
        """The call for any arrays: batches, lists, strides, other dtypes."""
        signature = self._signature
        if isinstance(out, tuple) and not named and _are_small(out, arguments):
            return self._copied(self.native(*arguments), out)
        values, out = signature.bind_with_out(arguments, named, out, self.name)
        if self.recipe is not None and any(map(is_lazy, values)):
            return kernel_over_blocks(self.recipe, self, values, out)
        arrays = [
            map_driver.as_array(value, name, shape)
            for value, (name, shape) in zip(values, signature.inputs.items(), strict=True)
        ]
        batch = map_driver.broadcast_batch(signature, arrays)
        results = map_driver.result_arrays(signature, batch, self.dtype, out)
        self._compute(arrays, results, batch, fresh=out is None)
        return results[0] if len(results) == 1 else tuple(results)

    __call__ = general  # replaced by native code where there is some

    def _copied(self, results, out):
        """Results in several small arrays of the caller's: native code makes only new ones, and a
        copy of these takes less than planning the call here."""
        results = results if isinstance(results, tuple) else (results,)
        first, shape = results[0], next(iter(self.outputs.values()))
        batch = first.shape[: first.ndim - len(shape)]
        places = map_driver.result_arrays(self._signature, batch, self.dtype, out)
        for place, result in zip(places, results, strict=True):
            place[...] = result
        return places[0] if len(places) == 1 else tuple(places)

    def _compute(self, arrays, results, batch, fresh):
        map_driver.run(self._signature, arrays, results, batch, self.dtype, self._execute, fresh)

    def _execute(self, job, states):
        words, count = self._shared_out(job, states)
        address, _ = words.buffer_info()
        self._do(lambda: run_together(self._run, address, count), words, count)

    def _do(self, run, words, count):
        """Call `run()` until all chunks are done by so many threads."""
        work = words[map_driver.CHUNK] * self._effort
        run_in_pieces(run, words, map_driver.CHUNKS, map_driver.NEXT_CHUNK, work, count)
        if words[map_driver.STATUS]:
            raise MemoryError(
                f"{self.name}: not enough memory for the intermediate values of a state"
            )

    def _shared_out(self, job, states):
        """The job cut into chunks, and how many threads are to take them."""
        worth = max(1, states * max(self.work, 1) // THREAD_WORK)
        count = min(self.threads or available(), worth)
        most = (CHUNK_WORK if count > 1 else PIECE_WORK) // self._effort
        return map_driver.share_out(job, self.lanes, count, most), count

    def job(self, arrays, results):
        """Arrays that stay where they are, described to native code once; then `run` as often as
        needed."""
        return Job(self, arrays, results)

    def row_major_job(self, batches, batch):
        """The words of a job on row-major arrays, without addresses, and the number of threads.

        `batches` are the batch shapes of the inputs, which broadcast to `batch`.
        """
        job = map_driver.row_major_job(self._signature, batches, batch, self.dtype.itemsize)
        return self._shared_out(job, math.prod(batch))

    def __reduce__(self):
        if self.recipe is None:
            raise TypeError(NOT_PICKLED)
        return Recipe.made, (self.recipe,)

    def __repr__(self):
        slower = (
            type(self).__call__ is Kernel.general
        )  # for the reason see targets/cpu/python_objects.py
        entry = ", called through Python" if slower else ""
        return f"<kernel {self.name}{self._signature}, {self.dtype}, {self.lanes} lanes{entry}>"


def _are_small(out, arguments):
    """Whether copying results takes no longer than planning a call."""
    few = sum(getattr(array, "size", FEW_NUMBERS) for array in out) < FEW_NUMBERS
    return few and not any(map(is_lazy, arguments))


class Job:
    """The words that describe one call to native code."""

    def __init__(self, kernel, arrays, results):
        self._kernel, self._arrays = kernel, (*arrays, *results)  # which keeps them alive
        signature = map_driver.Signature(kernel.inputs, kernel.outputs)
        batch = map_driver.broadcast_batch(signature, arrays)
        self._states = math.prod(batch)
        if self._states:
            words = map_driver.fixed_job(signature, arrays, results, batch, kernel.dtype)
            self._words, self._threads = kernel._shared_out(words, self._states)
            self._address, _ = self._words.buffer_info()
            self._chunks = self._words[map_driver.CHUNKS]

    def run(self):
        if self._states:
            self._words[map_driver.CHUNKS] = self._chunks
            self._kernel._do(self._once, self._words, self._threads)

    def _once(self):
        run_together(self._kernel._run, self._address, self._threads)


def checked_options(dtype, thread_count):
    """The name of the dtype; an error if it or the number of threads is not valid."""
    name = checked_dtype(dtype)
    if thread_count is not None and (not isinstance(thread_count, Integral) or thread_count < 1):
        raise ArgumentError(f"threads: expected None or an integer >= 1, found {thread_count!r}")
    return name


def lanes_of(dtype):
    """As many states side by side as fit into the widest register of this machine."""
    element = ELEMENTS[dtype]
    one = Lanes(element, 1, host.has_fma())
    return replace(one, count=host.register_bits() // 8 // one.size)


def assembly_source(graph, lanes, work, with_entry=True):
    """The whole LLVM module of a kernel, as text."""
    module = Module()
    fused = fuse(graph) if lanes.fused else graph
    order = trig_first(fused)
    define_batch(module, fused, order, lanes)
    if python_entry.has_entry(graph):
        frame = define_body(module, "body_one", fused, order, lanes.single)
        xla_entry.define_one(module, fused, lanes, "body_one", frame)
        if with_entry:
            small = 2 * THREAD_WORK // max(work, 1)
            python_entry.define_call(module, fused, lanes, "body_one", frame, "run", small)
    return str(module)


def define_batch(module, graph, order, lanes, linkage=""):
    """Add `@run` and the bodies it calls."""
    if len(graph.shapes) > MANY:
        define_run_of_many(module, graph, order, lanes, linkage)
        return
    fetch = len(order) >= LONG_BODY or len(graph.results) >= MANY_RESULTS
    frame = define_body(module, "body", graph, order, lanes, Blocks, fetch)
    rows_body = None
    if Rows.possible(lanes, graph.shapes):
        rows_body = "body_rows"
        own = define_body(module, rows_body, graph, order, lanes, Rows)
        frame = max(frame, own)  # each is cut in other places, so each keeps other values
        if fetch:  # asking costs up to a fifth where the caches hold everything: so there are two
            own = define_body(module, f"{rows_body}_far", graph, order, lanes, Rows, fetch)
            frame = max(frame, own)
    define_run(module, graph, lanes, "body", frame, fetch, rows_body, linkage)


def map_kernel(body: Body, dtype: DTypeLike = "float64", threads: int | None = None) -> Kernel:
    """The kernel of a Body over batches: kept by this process, from the disk cache, or compiled."""
    dtype = checked_options(dtype, threads)
    return store.get(_parts(body, dtype), _maker(body, dtype), load_kernel, threads)


def kernel_with_fallback(body, dtype, fallback):
    """A separate kernel whose `native` function passes calls it cannot handle to `fallback`."""
    return load_kernel(*store.code(_parts(body, dtype), _maker(body, dtype)), fallback=fallback)


def _parts(body, dtype):
    machine = lanes_of(dtype).count, host.description()
    return "map", body.key, dtype, python_entry.supported(), tuple.__basicsize__, *machine


def _maker(body, dtype):
    def make():
        graph, lanes = body.made(), lanes_of(dtype)
        about(graph.name)
        entry, has_one = python_entry.supported(), python_entry.has_entry(graph)
        work = cost(graph)
        description = {
            "name": graph.name,
            "dtype": dtype,
            "inputs": graph.inputs,
            "outputs": {name: shape for name, (shape, _) in graph.outputs.items()},
            "lanes": lanes.count,
            "work": work,
            "entry": entry and has_one,
            "native": ("run", "one") if has_one else ("run",),
        }
        return description, host.compile_object(assembly_source(graph, lanes, work, entry))

    return make


def load_kernel(description, data, threads=None, fallback=None, kind=Kernel):
    """A kernel of class `kind` from machine code.

    `kernel.native` is its native function, which passes calls it cannot handle to `fallback` (by
    default the kernel's own `general`).
    """
    code = host.LoadedCode(data)
    kernel = kind(description, code, threads)
    kernel.native = fallback or kernel.general
    if description["entry"]:
        kernel.native = python_entry.make_callable(
            code, kernel.native, ELEMENTS[description["dtype"]]
        )
        # Python looks __call__ up on the type, so each kernel gets a type of its own with the
        # native function on it: no Python frame between the caller and the machine code.
        native = {"__call__": kernel.native, "__module__": kind.__module__}
        kernel.__class__ = type(kind.__name__, (kind,), native)
    return kernel
