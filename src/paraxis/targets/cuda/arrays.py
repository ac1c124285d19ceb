"""Arrays on a GPU: of CuPy, PyTorch or JAX.

Kernels over batches (map.py) read CuPy's arrays and PyTorch's tensors where they are, and have
results made by the library of the inputs. Everything else takes arrays of CuPy, exchanged through
DLPack. Nothing is copied. Work is queued on the stream that the library of the arrays uses: the
current stream of CuPy or PyTorch; JAX does not expose its streams and synchronises through DLPack.
"""

from collections import deque
from contextlib import contextmanager, nullcontext

import numpy as np

from ...drivers.device_map import BOUNDARY, Described
from ...errors import ArgumentError

CUDA_MEMORY = (2, 13)  # kDLCUDA, kDLCUDAManaged
_HELD = deque()  # (event, arrays of JAX) of kernels that may be at work


def on_a_gpu(value):
    """Whether a value is an array on a GPU."""
    if isinstance(value, np.ndarray) or not hasattr(value, "__dlpack_device__"):
        return False
    return _device(value)[0] in CUDA_MEMORY


def _device(value):
    """(kind of memory, number of the device), from DLPack."""
    try:
        kind, number = value.__dlpack_device__()
    except (TypeError, ValueError, RuntimeError, BufferError, AttributeError):
        return None, None  # such as a traced value, or an array on several devices
    return int(kind), int(number)


def family_of(values, names, on):
    """The Family of these arrays, which must all be of one library and on one GPU."""
    if on.arrays is np:  # a stand-in for a GPU, on the CPU
        return Family(on)
    library, number = together(values, names) if values else ("cupy", on.number)
    families = {"cupy": CuPyArrays, "torch": TorchTensors, "jax": JaxArrays}
    return families.get(library, CuPyArrays)(on, number)


def together(values, names):
    """(library, number of the GPU) of all the arrays, or an error that names one elsewhere."""
    (first, *others), (library, number) = names, _home(values[0])
    for name, value in zip(others, values[1:], strict=True):
        own_library, own_number = _home(value)
        if own_number != number:
            where = "in main memory" if number is None else f"on GPU {number}"
            found = _kind_of(value) if own_number is None else f"one on GPU {own_number}"
            raise ArgumentError(f"{name}: expected an array {where}, as {first} is, found {found}")
        if own_library != library and number is not None:
            raise ArgumentError(
                f"{name}: expected an array of {library}, as {first} is, found one of {own_library}"
            )
    if number is None:
        raise ArgumentError(f"{first}: expected an array on a GPU, found {_kind_of(values[0])}")
    return library, number


def _home(value):
    """The library of an array, and the number of its GPU; None for main memory."""
    library = type(value).__module__.partition(".")[0]
    number = _device(value)[1] if on_a_gpu(value) else None
    return {"jaxlib": "jax"}.get(library, library), number


def _kind_of(value):
    kind, (_, number) = type(value), _home(value)
    where = "in main memory" if number is None else f"on GPU {number}"
    return f"{kind.__module__}.{kind.__name__} {where}"


class Family:
    """Arrays of the device's own module, taken as they are.

    What is `in_text` tells remembered.py how to read an array {x}: all that a plan depends on but
    where the array is, then that; the number of its GPU; and the stream that work is queued on.
    """

    described_in_text = "{x}.__class__, {x}.shape, {x}.strides, {x}.dtype"
    address_in_text = "{x}.ctypes.data"
    number_in_text = stream_in_text = "0"

    def names_in_text(self):
        """What the text calls by name: `here()` is the number of the current GPU, `on(number)` the
        context in which another one is."""
        return {"here": int, "on": nullcontext}

    def __init__(self, on, number=0):
        self.device, self.number = on, number

    def stream(self):
        return nullcontext()

    def taken(self, values):
        return list(values)

    def places(self, out):
        """The arrays given for results, or None."""
        return self._places(out, self.taken)

    def own_places(self, out):
        """The same, as `own` returns arrays."""
        return self._places(out, lambda given: self.own(given, ["out"] * len(given)))

    def _places(self, out, take):
        if out is None:
            return None
        given = out if isinstance(out, tuple | list) else (out,)
        for array in given:
            if not self._is_own(array):
                raise ArgumentError(f"out: expected {self._own_name}, found {_kind_of(array)}")
        return take(given)

    def _is_here(self, array):
        """Whether it is on the GPU of the inputs."""
        return _home(array)[1] == self.number

    _own_name = "an array like the inputs"

    def _is_own(self, array):
        return isinstance(array, self.device.arrays.ndarray)

    def given_back(self, array):
        return array

    def own(self, values, names):
        """The arrays as kernels over batches read them, and the methods below take them."""
        return self.taken(values)

    def described(self, array):
        on_boundary = self.address(array) % BOUNDARY == 0
        return Described(array.shape, array.strides, array.dtype, on_boundary)

    def address(self, array):
        return self.device.address(array)

    def converted(self, array, dtype):
        return array.astype(dtype)

    def copied(self, array):
        return array.copy()

    def whole(self, array, shape):
        """A copy in C order of an array that is broadcast to this shape."""
        module = self.device.arrays
        return module.ascontiguousarray(module.broadcast_to(array, shape))

    def maker(self, results):
        """A function that makes new arrays, which are described so, each time it is called."""
        empty = self.device.arrays.empty

        def new():
            return [
                empty(shape, dtype) if order is None else empty(shape, dtype).transpose(order)
                for shape, dtype, order in made
            ]

        made = [_allocation(result) for result in results]
        return new

    def returned(self, array):
        """A result that `maker` made, as the caller gets it."""
        return self.given_back(array)


def _allocation(result):
    """(shape, dtype, order) of a new array in C order whose axes in that order are the result's;
    None for an order that changes nothing."""
    outward = sorted(range(result.ndim), key=lambda k: (-result.strides[k], k))
    if outward == [*range(result.ndim)]:
        return result.shape, result.dtype, None
    order = tuple(outward.index(k) for k in range(result.ndim))
    return tuple(result.shape[k] for k in outward), result.dtype, order


class CuPyArrays(Family):
    """CuPy's arrays, and those of any other library that speaks DLPack."""

    described_in_text = f"{Family.described_in_text}, {{x}}.data.device_id"
    address_in_text = "{x}.data.ptr"
    number_in_text = "{x}.data.device_id"
    stream_in_text = "current().ptr"

    _own_name = "an array of CuPy on the GPU of the inputs"

    def names_in_text(self):
        cuda = self.device.arrays.cuda
        return {
            "here": cuda.runtime.getDevice,
            "on": cuda.Device,
            "current": cuda.get_current_stream,
        }

    def stream(self):
        return self.device.arrays.cuda.Device(self.number)

    def _is_own(self, array):
        return super()._is_own(array) and self._is_here(array)

    def taken(self, values):
        cupy = self.device.arrays
        return [v if isinstance(v, cupy.ndarray) else cupy.from_dlpack(v) for v in values]


class TorchTensors(Family):
    """PyTorch's tensors. Those that want a gradient belong to `paraxis.torch`."""

    described_in_text = (
        "{x}.__class__, {x}.shape, {x}.stride(), {x}.dtype, {x}.device, {x}.is_neg(), "
        "{x}.requires_grad and tracked()"
    )
    address_in_text = "{x}.data_ptr()"
    number_in_text = "{x}.get_device()"
    stream_in_text = "current(number)"

    _own_name = "a tensor of PyTorch on the GPU of the inputs"

    def __init__(self, on, number):
        super().__init__(on, number)
        import torch

        self.torch = torch

    def names_in_text(self):
        cuda = self.device.arrays.cuda
        return {
            "here": cuda.runtime.getDevice,
            "on": cuda.Device,
            "current": self._current_stream,
            "tracked": self.torch.is_grad_enabled,
        }

    @property
    def _current_stream(self):
        """Of the number of a GPU: the handle of the stream that PyTorch uses there."""
        return self.torch._C._cuda_getCurrentRawStream  # current_stream makes an object, in 2 us

    @property
    def _place(self):
        return self.torch.device("cuda", self.number)

    def stream(self):
        return self._current()

    @contextmanager
    def _current(self):
        cuda, current = self.device.arrays.cuda, self._current_stream(self.number)
        with cuda.Device(self.number), _stream(cuda, current, self.number):
            yield

    def taken(self, values):
        return [self.device.arrays.from_dlpack(self._without_gradient(v)) for v in values]

    def _without_gradient(self, tensor):
        if not tensor.requires_grad:
            return tensor
        if self.torch.is_grad_enabled():
            raise ArgumentError(
                "a tensor requires grad: use paraxis.torch, whose functions support gradients, "
                "or call tensor.detach() first"
            )
        return tensor.detach()

    def own(self, values, names):
        return [self._one(value, name) for value, name in zip(values, names, strict=True)]

    def own_places(self, out):
        for tensor in out if isinstance(out, tuple | list) else (out,):
            if isinstance(tensor, self.torch.Tensor) and tensor.is_neg():
                raise ArgumentError(
                    "out: the tensor is the negative of what its memory holds (tensor.is_neg()); "
                    "use another tensor, such as torch.empty_like(tensor)"
                )
        return super().own_places(out)

    def _one(self, tensor, name):
        """The tensor, or a copy if it is the negative of what its memory holds."""
        if tensor.layout != self.torch.strided:
            raise ArgumentError(
                f"{name}: expected a dense tensor, found one of layout {tensor.layout}; call "
                "tensor.to_dense() first"
            )
        if not hasattr(np, _name(tensor.dtype)):
            raise ArgumentError(
                f"{name}: expected numbers of a type that NumPy has, found {tensor.dtype}; "
                "convert the tensor first, such as by tensor.float()"
            )
        self._without_gradient(tensor)
        return tensor.resolve_neg()

    def _is_own(self, array):
        return isinstance(array, self.torch.Tensor) and self._is_here(array)

    def given_back(self, array):
        return self.torch.from_dlpack(array)

    def described(self, tensor):
        dtype = np.dtype(_name(tensor.dtype))
        strides = tuple(dtype.itemsize * step for step in tensor.stride())
        on_boundary = self.address(tensor) % BOUNDARY == 0
        return Described(tuple(tensor.shape), strides, dtype, on_boundary)

    def address(self, tensor):
        return tensor.data_ptr()

    def converted(self, tensor, dtype):
        return tensor.to(self._dtype(dtype))

    def copied(self, tensor):
        return tensor.clone(memory_format=self.torch.contiguous_format)

    def whole(self, tensor, shape):
        return tensor.expand(shape).contiguous()

    def maker(self, results):
        empty, device = self.torch.empty_strided, self._place

        def new():
            return [
                empty(shape, strides, dtype=dtype, device=device) for shape, strides, dtype in made
            ]

        made = [
            (
                result.shape,
                tuple(step // result.itemsize for step in result.strides),
                self._dtype(result.dtype),
            )
            for result in results
        ]
        return new

    def _dtype(self, dtype):
        return getattr(self.torch, dtype.name)

    def returned(self, tensor):
        return tensor


def _name(dtype):
    """The name of a type of PyTorch, which is NumPy's too where NumPy has the type."""
    return str(dtype).removeprefix("torch.")


class JaxArrays(Family):
    """JAX's arrays, which are immutable.

    JAX works on streams of its own: memory of an array that it releases may be used again at
    once. So arrays are held until the kernels that read them are done.
    """

    def __init__(self, on, number):
        super().__init__(on, number)
        self._taken = []

    def stream(self):
        return self._until_done()

    @contextmanager
    def _until_done(self):
        cuda = self.device.arrays.cuda
        with cuda.Device(self.number):
            yield
            if self._taken:
                done = cuda.Event(disable_timing=True)
                done.record()
                _HELD.append((done, self._taken))
                self._taken = []
            self._let_go()

    def _let_go(self):
        while _HELD:
            done, arrays = _HELD.popleft()
            if not done.done:
                _HELD.appendleft((done, arrays))
                return

    def taken(self, values):
        self._taken += values
        return [self.device.arrays.from_dlpack(value) for value in values]

    def _places(self, out, take):
        if out is not None:
            raise ArgumentError("out cannot be set for JAX arrays, which are immutable")
        return None

    def given_back(self, array):
        import jax

        if not _is_compact(array):  # a part of a larger one, which JAX does not take
            array = self.device.arrays.ascontiguousarray(array)
        return jax.dlpack.from_dlpack(array)


def _is_compact(array):
    """Whether its entries fill their memory, in any order of the axes."""
    filled = array.itemsize
    for step, length in sorted(zip(array.strides, array.shape, strict=True)):
        if length > 1:
            if step != filled:
                return False
            filled *= length
    return True


def _stream(cuda, handle, number):
    """A stream of another library, as CuPy sees it."""
    if hasattr(cuda.Stream, "from_external"):  # since CuPy 14
        return cuda.Stream.from_external(_Handle(handle))
    return cuda.ExternalStream(handle, number)


class _Handle:
    """A stream as CUDA's libraries for Python hand it to each other."""

    def __init__(self, handle):
        self._handle = handle

    def __cuda_stream__(self):
        return 0, self._handle  # 0: the version of this protocol
