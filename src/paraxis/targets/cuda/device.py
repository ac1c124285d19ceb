"""The GPU, through CuPy: its arrays, its streams, and kernels made from text."""

from functools import cache

import numpy as np

from ...errors import ArgumentError, MissingPackageError
from .. import store

OPTIONS = ("--std=c++17",)
FAST = ("--ftz=true", "--prec-div=false", "--prec-sqrt=false")  # sines are our own, and fast
NO_GPU = (
    "target 'cuda': expected a GPU, found none; needed are one of NVIDIA's with its driver, "
    "and the extra paraxis[cuda]"
)
USUAL_SHARED = 48 << 10  # bytes; a block gets more only when it is asked for
LOCAL_SIZE, NUM_REGS, MAX_SHARED = 3, 4, 8  # CU_FUNC_ATTRIBUTE_...


@cache
def device():
    """The GPU, or an error that says what is missing."""
    try:
        import cupy
    except ImportError:
        raise MissingPackageError(
            "target 'cuda': expected CuPy, which is not installed: pip install 'paraxis[cuda]'"
        ) from None
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise ArgumentError(f"{NO_GPU} ({error})") from None
    if not count:
        raise ArgumentError(NO_GPU)
    return Device(cupy)


class Device:
    """What drivers need of a GPU. `arrays` is the array module."""

    def __init__(self, cupy):
        self.arrays = cupy

    @property
    def description(self):
        """What compiled code depends on: the kind of GPU, and the compiler."""
        return self.architecture, self.arrays.cuda.nvrtc.getVersion()

    @property
    def number(self):
        """Of the GPU that is current."""
        return self.arrays.cuda.runtime.getDevice()

    @property
    def architecture(self):
        return f"sm_{self.arrays.cuda.Device().compute_capability}"

    def binary(self, text, fast_math=False, size="usual"):
        """Machine code for the GPU at hand."""
        return compile_text(text, self.architecture, fast_math, size)

    def code(self, parts, make):
        """(description, machine code) for this kind of GPU: kept on disk, or from `make()`."""
        return store.code(("cuda", *parts, self.description), make)

    def loaded(self, parts, make, load):
        """`load(device, description, machine code)`, once for the GPU that is current."""

        def here(description, binary, *_):
            return load(self, description, binary)

        return store.get(("cuda", *parts, self.description), make, here, self, self.number)

    def load(self, binary, name):
        """The kernel of that name, to be launched."""
        module = self.arrays.cuda.function.Module()
        module.load(binary)
        return Launcher(self.arrays.cuda.driver, module, module.get_function(name))

    def address(self, array):
        return array.data.ptr

    def in_main_memory(self, array):
        """A copy as NumPy's array, once it is computed."""
        return self.arrays.asnumpy(array)

    def wait(self):
        """Until all that is queued on the current stream is done."""
        self.arrays.cuda.get_current_stream().synchronize()


class Launcher:
    """A kernel: `launcher(blocks, threads, arguments, shared)` on the current stream.

    Arguments are arrays or integers, which the kernel takes as long long.
    """

    def __init__(self, driver, module, function):
        self._driver, self._module, self.function = driver, module, function
        self._allowed = set()

    @property
    def registers(self):
        """Of a thread."""
        return self._attribute(NUM_REGS)

    @property
    def spilled(self):
        """Bytes a thread keeps in memory because registers do not hold them."""
        return self._attribute(LOCAL_SIZE)

    def allow(self, shared):
        """Let blocks have so many bytes of shared memory, where that is more than is usual."""
        if shared > USUAL_SHARED and shared not in self._allowed:
            self._driver.funcSetAttribute(self.function.ptr, MAX_SHARED, shared)
            self._allowed.add(shared)

    def _attribute(self, which):
        return self._driver.funcGetAttribute(which, self.function.ptr)

    def __call__(self, blocks, threads, arguments, shared=0):
        self.allow(shared)
        given = [np.int64(a) if isinstance(a, int) else a for a in arguments]
        self.function((blocks,), (threads,), given, shared_mem=shared)


def compile_text(text, architecture, fast_math=False, size="usual"):
    """Machine code ("sm_90") or PTX ("compute_90") from CUDA C++, by NVRTC. Needs no GPU.

    On a "long" text, of kernels with very many operations, ptxas gives up at its usual level and
    keeps nearly all values in memory. On a "wide" one, with very many results, the compiler before
    it takes minutes.
    """
    from cupy.cuda import nvrtc

    program = nvrtc.createProgram(text, "paraxis.cu", (), ())
    options = (f"--gpu-architecture={architecture}", *OPTIONS)
    options += FAST if fast_math else ()
    if size == "long" and architecture.startswith("sm_"):
        options += ("--ptxas-options=-O1",)
    if size == "wide" and nvrtc.getVersion() >= (13, 0):
        options += ("--Ofast-compile=mid",)
    try:
        nvrtc.compileProgram(program, options)
        return nvrtc.getCUBIN(program) if architecture.startswith("sm_") else nvrtc.getPTX(program)
    except nvrtc.NVRTCError:
        raise RuntimeError(f"NVRTC: {nvrtc.getProgramLog(program)}") from None
    finally:
        nvrtc.destroyProgram(program)
