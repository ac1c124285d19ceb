"""Arrays on a GPU: of CuPy, PyTorch or JAX, exchanged through DLPack.

Nothing is copied. Work is queued on the stream that the library of the arrays uses: the current
stream of CuPy or PyTorch; JAX does not expose its streams and synchronises through DLPack.
"""

from collections import deque
from contextlib import contextmanager, nullcontext

import numpy as np

from ...errors import ArgumentError

CUDA_MEMORY = (2, 13)  # kDLCUDA, kDLCUDAManaged
_HELD = deque()  # (event, arrays of JAX) of kernels that may be at work


def on_a_gpu(value):
    """Whether it is an array in the memory of a GPU."""
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
            found = _described(value) if own_number is None else f"one on GPU {own_number}"
            raise ArgumentError(f"{name}: expected an array {where}, as {first} is, found {found}")
        if own_library != library and number is not None:
            raise ArgumentError(
                f"{name}: expected an array of {library}, as {first} is, found one of {own_library}"
            )
    if number is None:
        raise ArgumentError(f"{first}: expected an array on a GPU, found {_described(values[0])}")
    return library, number


def _home(value):
    """The library of an array, and the number of its GPU; None for main memory."""
    library = type(value).__module__.partition(".")[0]
    number = _device(value)[1] if on_a_gpu(value) else None
    return {"jaxlib": "jax"}.get(library, library), number


def _described(value):
    kind, (_, number) = type(value), _home(value)
    where = "in main memory" if number is None else f"on GPU {number}"
    return f"{kind.__module__}.{kind.__name__} {where}"


class Family:
    """Arrays of the device's own module, taken as they are."""

    def __init__(self, on, number=0):
        self.device, self.number = on, number

    def stream(self):
        return nullcontext()

    def taken(self, values):
        return list(values)

    def places(self, out):
        """The arrays given for results, or None."""
        if out is None:
            return None
        given = out if isinstance(out, tuple | list) else (out,)
        for array in given:
            if not self._is_own(array):
                raise ArgumentError(f"out: expected {self._own_name}, found {_described(array)}")
        return self.taken(given)

    def _is_here(self, array):
        """Whether it is on the GPU of the inputs."""
        return _home(array)[1] == self.number

    _own_name = "an array like the inputs"

    def _is_own(self, array):
        return isinstance(array, self.device.arrays.ndarray)

    def given_back(self, array):
        return array


class CuPyArrays(Family):
    """CuPy's arrays, and those of any other library that speaks DLPack."""

    _own_name = "an array of CuPy on the GPU of the inputs"

    def stream(self):
        return self.device.arrays.cuda.Device(self.number)

    def _is_own(self, array):
        return super()._is_own(array) and self._is_here(array)

    def taken(self, values):
        cupy = self.device.arrays
        return [v if isinstance(v, cupy.ndarray) else cupy.from_dlpack(v) for v in values]


class TorchTensors(Family):
    """PyTorch's tensors. Those that want a gradient belong to `paraxis.torch`."""

    _own_name = "a tensor of PyTorch on the GPU of the inputs"

    def __init__(self, on, number):
        super().__init__(on, number)
        import torch

        self.torch = torch

    def stream(self):
        return self._current()

    @contextmanager
    def _current(self):
        cuda, current = self.device.arrays.cuda, self.torch.cuda.current_stream(self.number)
        with cuda.Device(self.number), _stream(cuda, current.cuda_stream, self.number):
            yield

    def taken(self, values):
        return [self._one(value) for value in values]

    def _one(self, tensor):
        if tensor.requires_grad:
            if self.torch.is_grad_enabled():
                raise ArgumentError(
                    "a tensor requires grad: use paraxis.torch, whose functions support gradients, "
                    "or call tensor.detach() first"
                )
            tensor = tensor.detach()
        return self.device.arrays.from_dlpack(tensor)

    def _is_own(self, array):
        return isinstance(array, self.torch.Tensor) and self._is_here(array)

    def given_back(self, array):
        return self.torch.from_dlpack(array)


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

    def places(self, out):
        if out is not None:
            raise ArgumentError("out cannot be set for arrays of JAX, which are immutable")
        return None

    def given_back(self, array):
        import jax

        return jax.dlpack.from_dlpack(array)


def _stream(cuda, handle, number):
    """CuPy's view of a stream that is another's."""
    if hasattr(cuda.Stream, "from_external"):  # since CuPy 14
        return cuda.Stream.from_external(_Handle(handle))
    return cuda.ExternalStream(handle, number)


class _Handle:
    """A stream as CUDA's libraries for Python hand it to each other."""

    def __init__(self, handle):
        self._handle = handle

    def __cuda_stream__(self):
        return 0, self._handle  # 0: the version of this protocol
