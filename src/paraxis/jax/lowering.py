"""How XLA runs a Program: by a call of the compiled kernel, or by operations of its own.

Operations, by jax.numpy, are used wherever there is no kernel, and for one state of a short
Program: XLA fuses them with those around, and saves a call that takes longer than they do. For
batches its code is 5 to 100 times slower than the kernel, and long Programs take it seconds to
compile.
"""

import ctypes
import math
from functools import cache

import jax
import numpy as np
from jax.interpreters import mlir

from ..errors import ArgumentError, MissingPackageError
from ..targets import store
from ..targets.cpu.text import xla_entry
from ..targets.cuda.device import device
from ..targets.exclusive import exclusive
from .numeric import evaluate

FEW_NODES = 200  # XLA compiles them in a fifth of a second; twice as many take three times as long

_lock = exclusive()
_handlers = {}  # target -> (handler, kernel): XLA never lets go of a target, so they stay


def lower_to_operations(ctx, *operands, body):
    return mlir.lower_fun(lambda *arrays: evaluate(body.graph, arrays), multiple_results=True)(
        ctx, *operands
    )


def lower_for_cpu(ctx, *operands, body):
    batch = _batch_for_kernel(ctx, body)
    if batch is None:
        return lower_to_operations(ctx, *operands, body=body)
    target, kernel = _cpu_target(body, ctx.avals_in[0].dtype.name)
    batches = [a.shape[: a.ndim - len(s)] for a, s in zip(ctx.avals_in, body.inputs, strict=True)]
    words, threads = kernel.row_major_job(batches, batch)
    if math.prod(batch) == 1 and "one" in kernel.addresses:
        threads = 0  # one state, and no job
    call = jax.ffi.ffi_lowering(target)
    return call(ctx, *operands, job=np.array(words), threads=np.int64(threads))


def lower_for_cuda(ctx, *operands, body):
    batch = _batch_for_kernel(ctx, body)
    if batch is None or not _compiles_for_cuda():
        return lower_to_operations(ctx, *operands, body=body)
    target, _ = _cuda_target(body, ctx.avals_in[0].dtype.name, math.prod(batch))

    def call(*arrays):
        whole = [
            jax.numpy.broadcast_to(array, (*batch, *shape))
            for array, shape in zip(arrays, body.inputs, strict=True)
        ]
        results = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in ctx.avals_out]
        return jax.ffi.ffi_call(target, results)(*whole, states=np.int64(math.prod(batch)))

    return mlir.lower_fun(call, multiple_results=True)(ctx, *operands)


def _batch_for_kernel(ctx, body):
    """The batch shape that a kernel is to be called with, or None if there is to be no call."""
    shape = ctx.avals_out[0].shape
    batch = shape[: len(shape) - len(body.outputs[0])]
    if _interface() is None or not all(isinstance(length, int) for length in batch):
        return None  # an XLA of another time; or shapes that are to be known later (jax.export)
    states = math.prod(batch)
    return batch if states > 1 or (states and body.has_more_nodes_than(FEW_NODES)) else None


@cache
def _interface():
    """The minor version of XLA's interface, or None for one that handlers are not made for."""
    version = xla_entry.interface_version(jax.ffi.include_dir())
    return version[1] if version and version[0] == xla_entry.MAJOR else None


@cache
def _compiles_for_cuda():
    try:
        return device().start is not None
    except (ArgumentError, MissingPackageError):  # no GPU here, or no CuPy
        return False


def _target(body, dtype, platform, make, *kind):
    """The name under which XLA knows the kernel: the same in every process, as XLA keeps what it
    compiled on disk."""
    name = f"paraxis_{platform}_{(store.key(body.key, dtype, *kind) or body.key)[:40]}"
    with _lock:
        if name not in _handlers:
            handler, kernel = make()
            pointer = jax.ffi.pycapsule(ctypes.c_void_p(handler.address))
            jax.ffi.register_ffi_target(name, pointer, platform=platform)
            _handlers[name] = handler, kernel
    return name, _handlers[name][1]


def _cpu_target(body, dtype):
    def make():
        kernel, arrays = body.kernel("cpu", dtype), (len(body.inputs), len(body.outputs))
        return xla_entry.cpu_handler(kernel.addresses, *arrays, _interface()), kernel

    return _target(body, dtype, "cpu", make)


def _cuda_target(body, dtype, states):
    kernel, arrays = body.kernel("cuda", dtype), (len(body.inputs), len(body.outputs))

    def make():
        launches = [xla_entry.Launch(*launch) for launch in kernel.row_major_launches(states)]
        start = device().start
        return xla_entry.cuda_handler(start, launches, *arrays, _interface()), kernel

    return _target(body, dtype, "CUDA", make, kernel.by_lanes(states))
