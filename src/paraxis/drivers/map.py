"""The `map` driver: one body over every state of a batch.

Here the batch is planned: arrays of any strides are described to native code and not copied,
unless their element type is wrong or they overlap the result. The plan is a job: an array of
64-bit words that `targets/cpu/text/map.py` reads.
"""

import math
from array import array as word_array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..checks import counted
from ..errors import ArgumentError

MAX_AXES = 8  # outer axes a job can have
CHUNK, CHUNKS, NEXT_CHUNK, STATUS, SIZES = 2, 4, 5, 6, 7  # words; at the last axis sizes begin
HEADER, ARRAY = SIZES + MAX_AXES, 4 + MAX_AXES  # words before the arrays, words per array
ROWS, COLUMNS, ANY, READY = range(4)  # layouts of arrays; see targets/cpu/text/rows.py
OVERLAP_WORK = 10_000  # steps spent on finding out whether two arrays overlap
MAIN_MEMORY = 1  # kDLCPU
CONVERTED_AT_ONCE = 1 << 24  # bytes; larger arrays of another dtype are converted piecewise


@dataclass(frozen=True)
class Signature:
    """The names of a body's arrays, and their shapes for one state."""

    inputs: dict[str, tuple[int, ...]]
    outputs: dict[str, tuple[int, ...]]

    def __str__(self):
        return f"({_shaped(self.inputs)}) -> {_shaped(self.outputs)}"

    def bind(self, arguments, keywords, name="kernel"):
        """Positional and named arguments as one list, in order."""
        given = dict(zip(self.inputs, arguments, strict=False))
        if len(arguments) > len(self.inputs):
            raise ArgumentError(
                f"{name}: expected {counted(len(self.inputs), 'array')} {_names(self.inputs)}, "
                f"found {len(arguments)}"
            )
        for key, value in keywords.items():
            if key not in self.inputs:
                raise ArgumentError(
                    f"{name}: expected the arrays {_names(self.inputs)}, found {key!r}"
                )
            if key in given:
                raise ArgumentError(f"{name}: {key} was given twice")
            given[key] = value
        missing = [key for key in self.inputs if key not in given]
        if missing:
            raise ArgumentError(
                f"{name}: missing {', '.join(missing)}; it takes ({_shaped(self.inputs)})"
            )
        return [given[key] for key in self.inputs]

    def bind_with_out(self, arguments, keywords, out, name):
        """The same, and the arrays that results go to, of a call with the keyword `out`.

        An input may have that name too. The keyword is then that input, unless all inputs were
        given by position.
        """
        if out is not None and "out" in self.inputs and len(arguments) < len(self.inputs):
            keywords, out = keywords | {"out": out}, None
        return self.bind(arguments, keywords, name), out


def _shaped(shapes):
    return ", ".join(f"{name}{list(shape)}" for name, shape in shapes.items())


def _names(names):
    return "(" + ", ".join(names) + ")"


def in_main_memory(value, name):
    """The value itself, or a clear error if it is on another device or traced by a framework."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__dask_graph__"):
        raise ArgumentError(
            f"{name}: expected an array in memory, found one of Dask, which this function does not "
            "take; call its compute() first, or use dask.array.map_blocks"
        )
    if getattr(value, "requires_grad", False) or _is_traced_by_jax(value):
        raise _for_its_framework(value, name)
    if hasattr(value, "__dlpack_device__"):
        try:
            kind = int(value.__dlpack_device__()[0])
        except (TypeError, ValueError, RuntimeError, BufferError, AttributeError):
            return value  # such as a traced value, which NumPy explains better
        if kind != MAIN_MEMORY:
            raise ArgumentError(
                f"{name}: expected an array in main memory, found one on another device "
                f"({type(value).__module__}.{type(value).__name__})"
            )
    return value


def _is_traced_by_jax(value):
    is_own = type(value).__module__.partition(".")[0] == "jax"
    return is_own and any(kind.__name__ == "Tracer" for kind in type(value).__mro__)


def _for_its_framework(value, name):
    library = type(value).__module__.partition(".")[0]
    found = (
        "a tensor that requires grad"
        if getattr(value, "requires_grad", False)
        else "a traced value"
    )
    return ArgumentError(
        f"{name}: expected an array of numbers, found {found} ({type(value).__name__}); "
        f"use paraxis.{library}, whose functions support gradients and transformations"
    )


def as_array(value, name, shape):
    """Anything array-like as a real array of batch shape + `shape`, or a clear error."""
    in_main_memory(value, name)
    try:
        array = np.asarray(value)
    except RuntimeError as error:  # as PyTorch raises for tensors inside torch.func
        if type(value).__module__.partition(".")[0] == "torch":
            raise _for_its_framework(value, name) from None
        raise ArgumentError(f"{name}: expected a regular array of numbers ({error})") from None
    except (ValueError, TypeError) as error:
        raise ArgumentError(f"{name}: expected a regular array of numbers ({error})") from None
    if value is None:
        raise ArgumentError(f"{name}: expected an array of numbers, found None")
    if isinstance(value, np.ndarray) and type(value) is not np.ndarray and np.ma.is_masked(value):
        raise ArgumentError(f"{name}: expected numbers, found masked entries")
    if array.dtype.kind not in "fiu" or (array.dtype.itemsize > 8 and array.dtype.kind == "f"):
        raise ArgumentError(
            f"{name}: expected real numbers of at most 64 bits, found dtype {array.dtype}"
        )
    return check_entry(array, name, shape)


def check_entry(array, name, shape):
    """The array, if its last axes are those of one state."""
    entry = array.shape[array.ndim - len(shape) :] if array.ndim >= len(shape) else None
    if entry != shape:
        expected = ", ".join(["...", *map(str, shape)])
        raise ArgumentError(f"{name}: expected shape ({expected}), found {array.shape}")
    return array


def is_single(array):
    """Whether it is an array of float32, of any library."""
    dtype = getattr(array, "dtype", None)
    return dtype == np.float32 or str(dtype) == "torch.float32"


def result_arrays(signature, batch, dtype, out) -> list[np.ndarray]:
    """The arrays to write results to: `out`, checked, or new ones."""
    shapes = {name: batch + shape for name, shape in signature.outputs.items()}
    if out is None:
        return [np.empty(shape, dtype) for shape in shapes.values()]
    several = isinstance(out, tuple) or (isinstance(out, list) and len(shapes) > 1)
    given: Sequence[np.ndarray] = out if several else (out,)
    if len(given) != len(shapes):
        raise ArgumentError(f"out: expected {counted(len(shapes), 'array')}, found {len(given)}")
    for (name, shape), array in zip(shapes.items(), given, strict=True):
        if not isinstance(array, np.ndarray):
            raise ArgumentError(f"out: expected a NumPy array, found {type(array).__name__}")
        if array.shape != shape:
            raise ArgumentError(f"out ({name}): expected shape {shape}, found {array.shape}")
        if array.dtype != dtype:
            raise ArgumentError(f"out ({name}): expected dtype {dtype}, found {array.dtype}")
        if not array.flags.writeable:
            raise ArgumentError(f"out ({name}): the array is read-only")
    if len(given) > 1 and any(overlap(a, b) for k, a in enumerate(given) for b in given[:k]):
        raise ArgumentError("out: the arrays overlap each other")
    return list(given)


def broadcast_batch(signature, arrays):
    """The common batch shape of the inputs."""
    batches = {
        name: array.shape[: array.ndim - len(shape)]
        for (name, shape), array in zip(signature.inputs.items(), arrays, strict=True)
    }
    first = next(iter(batches.values()), ())
    if all(batch == first for batch in batches.values()):
        return first
    return broadcast_shapes(batches)


def broadcast_shapes(batches):
    """The common shape of batches by name."""
    try:
        return np.broadcast_shapes(*batches.values())
    except ValueError:
        found = ", ".join(f"{name} {batch}" for name, batch in batches.items())
        raise ArgumentError(f"batch shapes do not broadcast together: {found}") from None


def run(signature, arrays, results, batch, dtype, execute, fresh=False):
    """Compute `results` from `arrays` by calling `execute(job, states)` on planned jobs.

    `fresh` results are new arrays, which overlap nothing.
    """
    shapes = [*signature.inputs.values(), *signature.outputs.values()]
    convert = sum(
        array.size * dtype.itemsize
        for array, shape in zip(arrays, shapes, strict=False)
        if array.dtype != dtype or not _in_place(array, shape)
    )
    if convert > CONVERTED_AT_ONCE and max(batch, default=1) > 1:
        if not fresh:  # what is written for one piece may be read for the next
            arrays = [
                array.copy() if _clashes(array, shape, results, signature) else array
                for array, shape in zip(arrays, shapes, strict=False)
            ]
        axis = max(range(len(batch)), key=lambda k: batch[k])
        for piece in _halves(batch[axis]):
            parts = [
                _along(array, shape, batch, axis, piece)
                for array, shape in zip([*arrays, *results], shapes, strict=True)
            ]
            smaller = (*batch[:axis], piece.stop - piece.start, *batch[axis + 1 :])
            inputs, outputs = parts[: len(arrays)], parts[len(arrays) :]
            run(signature, inputs, outputs, smaller, dtype, execute, fresh)
        return
    states = math.prod(batch)
    if states == 0:
        return
    outputs = () if fresh else results
    used = [
        _usable(array, shape, dtype, outputs, signature)
        for array, shape in zip(arrays, shapes, strict=False)
    ]
    targets = results
    if not fresh:  # as for inputs; what goes to a copy is copied back
        targets = [
            result if _in_place(result, shape) else np.empty(result.shape, dtype)
            for result, shape in zip(results, shapes[len(arrays) :], strict=True)
        ]
    used += targets
    layouts = tuple((array.shape, array.strides) for array in used)
    words = list(_job(layouts, tuple(shapes), batch, dtype.itemsize, len(arrays)))
    for k, array in enumerate(used):
        words[HEADER + k * ARRAY] = array.ctypes.data
    execute(words, states)
    for result, target in zip(results, targets, strict=True):
        if target is not result:
            result[...] = target


def fixed_job(signature, arrays, results, batch, dtype):
    """The words of a job on arrays that stay where they are, with chunks open.

    Nothing is converted, and results must not overlap what is read.
    """
    shapes = [*signature.inputs.values(), *signature.outputs.values()]
    used = [*arrays, *results]
    for name, array, shape in zip(
        [*signature.inputs, *signature.outputs], used, shapes, strict=True
    ):
        if array.dtype != dtype or not _in_place(array, shape):
            raise ArgumentError(f"{name}: expected an aligned array of {dtype}, entry by entry")
    layouts = tuple((array.shape, array.strides) for array in used)
    words = list(_job(layouts, tuple(shapes), batch, dtype.itemsize, len(arrays)))
    for k, array in enumerate(used):
        words[HEADER + k * ARRAY] = array.ctypes.data
    return words


def _halves(length):
    return slice(0, length // 2), slice(length // 2, length)


def _along(array, shape, batch, axis, piece):
    """A piece of an array along one batch axis; arrays broadcast along it stay whole."""
    own = array.ndim - len(shape)
    position = axis - (len(batch) - own)
    if position < 0 or array.shape[position] == 1:
        return array
    return array[(slice(None),) * position + (piece,)]


def _usable(array, shape, dtype, results, signature):
    """The array itself, or a copy where the kernel could not read it or would overwrite it."""
    if array.dtype != dtype:
        return array.astype(dtype, order="C")
    if not _in_place(array, shape) or _clashes(array, shape, results, signature):
        return array.copy()
    return array


def _in_place(array, shape):
    """Is it aligned, and are the entries of a state a fixed number of bytes apart?"""
    strides = array.strides[array.ndim - len(shape) :]
    one_step = all(strides[k] == strides[k + 1] * shape[k + 1] for k in range(len(shape) - 1))
    return one_step and array.flags.aligned


def _clashes(array, shape, results, signature):
    """Would results be written over entries that are still to be read?

    Exactly the same array is safe: a block of states is read whole before it is written.
    """
    return any(
        overlap(array, result)
        and not (
            array.ctypes.data == result.ctypes.data
            and array.strides == result.strides
            and array.shape == result.shape
            and shape == entry
        )
        for result, entry in zip(results, signature.outputs.values(), strict=False)
    )


def overlap(a, b):
    """Whether two arrays share an element; columns of one array do not, though their extents do."""
    try:
        return np.shares_memory(a, b, max_work=OVERLAP_WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


@lru_cache(maxsize=512)
def _job(layouts, shapes, batch, itemsize, inputs):
    """The words of a job for arrays of these (shape, strides), with addresses and chunks open."""
    steps = [
        batch_steps(shape, strides, len(entry), len(batch))
        for (shape, strides), entry in zip(layouts, shapes, strict=True)
    ]
    axes = merged_axes(batch, steps)
    if len(axes) > MAX_AXES + 1:
        raise ArgumentError(
            f"batch: expected at most {MAX_AXES + 1} separately strided axes, found {len(axes)}"
        )
    inner = max(range(len(axes)), key=lambda k: axes[k][0])
    states, rows = axes.pop(inner)
    unused = [0] * (MAX_AXES - len(axes))
    words = [states, len(axes), 0, 0, 0, 0, 0, *(length for length, _ in axes), *unused]
    for k, ((_, strides), entry) in enumerate(zip(layouts, shapes, strict=True)):
        column = strides[-1] if entry else itemsize
        outer = [along[k] for _, along in axes]
        constant = k < inputs and rows[k] == 0 and not any(outer)
        layout = READY if constant else layout_of(math.prod(entry), column, rows[k], itemsize)
        words += (0, column, rows[k], layout, *outer, *unused)
    return tuple(words)


def row_major_job(signature, batches, batch, itemsize):
    """The words of a job on row-major arrays; `batches` are the batch shapes of the inputs."""
    shapes = (*signature.inputs.values(), *signature.outputs.values())
    layouts = []
    for own, entry in zip([*batches, *[batch] * len(signature.outputs)], shapes, strict=True):
        shape = (*own, *entry)
        strides = [itemsize * math.prod(shape[k + 1 :]) for k in range(len(shape))]
        layouts.append((shape, tuple(strides)))
    return list(_job(tuple(layouts), shapes, tuple(batch), itemsize, len(signature.inputs)))


def batch_steps(shape, strides, entry_axes, batch_axes):
    """Bytes along each batch axis; 0 where the array is broadcast."""
    own = len(shape) - entry_axes
    steps = [0 if shape[k] == 1 else strides[k] for k in range(own)]
    return [0] * (batch_axes - own) + steps


def merged_axes(batch, steps):
    """Batch axes as (length, bytes along it for each array); neighbours are joined if they can."""
    axes = []
    for k, length in enumerate(batch):
        if length == 1:
            continue
        along = [each[k] for each in steps]
        if axes and all(a == b * length for a, b in zip(axes[-1][1], along, strict=True)):
            axes[-1] = (axes[-1][0] * length, along)
        else:
            axes.append((length, along))
    return axes or [(1, [0] * len(steps))]


def layout_of(entries, column, row, itemsize):
    """The layout of an array with so many bytes between entries and between states."""
    if column == itemsize and entries * itemsize >= 16:
        return ROWS
    return COLUMNS if row == itemsize else ANY


def share_out(job, lanes, threads, most):
    """The job cut into chunks of at most `most` states for so many threads to take turns at.

    A chunk is a multiple of the vector length; one thread alone takes each row at once, if it may.
    """
    states, axes = job[0], job[1]
    outer = math.prod(job[SIZES : SIZES + axes])
    chunk = min(most, states if threads == 1 else -(-states * outer // (4 * threads)))
    chunk = -(-max(chunk, 1) // lanes) * lanes
    per_row = -(-states // chunk)
    job[2:6] = chunk, per_row, per_row * outer, 0
    return word_array("q", job)
