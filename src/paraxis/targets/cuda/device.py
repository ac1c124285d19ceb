"""The GPU, through CuPy: its arrays, its streams, and kernels compiled from text."""

import ctypes
import re
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

import numpy as np

from ...compiling import compiling
from ...errors import ArgumentError, MissingPackageError
from .. import store

OPTIONS = ("--std=c++17",)
FAST = ("--ftz=true", "--prec-div=false", "--prec-sqrt=false")  # sines are our own, and fast
VERBOSE = ("--ptxas-options=-v",)
LESS_EFFORT = ("--ptxas-options=-O1",)
FEW_REGISTERS = 32  # that ptxas leaves a thread when it gives up
NO_GPU = (
    "target 'cuda': found no GPU; it needs an NVIDIA GPU with its driver, and the extra "
    "paraxis[cuda]"
)
USUAL_SHARED = 48 << 10  # bytes; a block gets more only on request
LOCAL_SIZE, NUM_REGS, MAX_SHARED = 3, 4, 8  # CU_FUNC_ATTRIBUTE_...


@cache
def device() -> "Device":
    """The GPU, or an error that explains what is missing."""
    try:
        import cupy
    except ImportError:
        raise MissingPackageError(
            "target 'cuda' needs CuPy, which is not installed: pip install 'paraxis[cuda]'"
        ) from None
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise ArgumentError(f"{NO_GPU} ({error})") from None
    if not count:
        raise ArgumentError(NO_GPU)
    return CuPyDevice(cupy)


class Device(Protocol):
    """The interface of a GPU for kernels and memory; tests have a stand-in for one.

    `arrays` is the array module; `description` is what compiled code depends on: the kind of GPU,
    and the compiler; `number` is that of the current GPU; `start` is the address of cuLaunchKernel,
    or None where native code cannot call it.
    """

    arrays: Any

    @property
    def start(self) -> int | None: ...

    @property
    def description(self) -> Any: ...

    @property
    def number(self) -> int: ...

    @property
    def most_shared(self) -> int:
        """Bytes of shared memory that a block may have; none where lanes run one by one."""
        ...

    def binary(self, text: str, fast_math: bool = False, size: str = "usual") -> bytes:
        """Machine code from CUDA C++."""
        ...

    def code(self, parts: tuple, make: Callable[[], tuple[dict, bytes]]) -> tuple[dict, bytes]:
        """(description, machine code) under the key `parts`: from the disk cache, or `make()`."""
        ...

    def loaded(self, parts: tuple, make: Callable[[], tuple[dict, bytes]], load: Callable) -> Any:
        """`load(device, description, machine code)`, called once for the current GPU."""
        ...

    def load(self, binary: bytes, name: str) -> Callable:
        """The kernel of that name: `launcher(blocks, threads, arguments, shared)`."""
        ...

    def address(self, array: Any) -> int: ...

    def in_main_memory(self, array: Any) -> np.ndarray:
        """A copy as a NumPy array, once it is computed."""
        ...

    def wait(self) -> None:
        """Wait until all work queued on the current stream is done."""
        ...


class CuPyDevice:
    """The current GPU, through CuPy."""

    def __init__(self, cupy):
        self.arrays = cupy

    @property
    def start(self):
        return cu_launch_kernel()

    @property
    def description(self):
        return self.architecture, self.arrays.cuda.nvrtc.getVersion()

    @property
    def number(self):
        return self.arrays.cuda.runtime.getDevice()

    @property
    def most_shared(self):
        return self.arrays.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]

    @property
    def architecture(self):
        return f"sm_{self.arrays.cuda.Device().compute_capability}"

    def binary(self, text, fast_math=False, size="usual"):
        return compile_text(text, self.architecture, fast_math, size)

    def code(self, parts, make):
        return store.code(("cuda", *parts, self.description), make)

    def loaded(self, parts, make, load):

        def here(description, binary, *_):
            return load(self, description, binary)

        return store.get(("cuda", *parts, self.description), make, here, self, self.number)

    def load(self, binary, name):
        module = self.arrays.cuda.function.Module()
        module.load(binary)
        return Launcher(self.arrays.cuda.driver, module, module.get_function(name))

    def address(self, array):
        return array.data.ptr

    def in_main_memory(self, array):
        return self.arrays.asnumpy(array)

    def wait(self):
        self.arrays.cuda.get_current_stream().synchronize()


@cache
def cu_launch_kernel() -> int | None:
    """The address of the CUDA driver's launch function; None without such a driver."""
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        return ctypes.cast(driver.cuLaunchKernel, ctypes.c_void_p).value
    except (OSError, AttributeError):
        return None


class Launcher:
    """A kernel: `launcher(blocks, threads, arguments, shared)` on the current stream.

    Arguments are arrays or integers, which the kernel takes as long long.
    """

    def __init__(self, driver, module, function):
        self._driver, self._module, self.function = driver, module, function
        self._allowed = set()

    @property
    def registers(self):
        """Registers per thread."""
        return self._attribute(NUM_REGS)

    @property
    def spilled(self):
        """Bytes per thread that are spilled to memory."""
        return self._attribute(LOCAL_SIZE)

    def allow(self, shared):
        """Allow blocks this much shared memory, in bytes, if it exceeds the default."""
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

    On kernels with very many operations ptxas gives up at its usual level and keeps nearly all
    values in memory. It is asked at a lower one for a "long" text, and for others where it did so:
    from how many operations on depends on the kernel and on the dtype. On a "wide" text, with very
    many results, the compiler before it takes minutes.
    """
    options = (f"--gpu-architecture={architecture}", *OPTIONS)
    options += FAST if fast_math else ()
    if not architecture.startswith("sm_"):
        return _compiled(text, options)[0]
    if size == "long":
        return _compiled(text, (*options, *LESS_EFFORT))[0]
    if size == "wide" and _nvrtc().getVersion() >= (13, 0):
        options += ("--Ofast-compile=mid",)
    binary, log = _compiled(text, (*options, *VERBOSE))
    if not gave_up(log):
        return binary
    other, its_log = _compiled(text, (*options, *VERBOSE, *LESS_EFFORT))
    return other if 2 * spilled_bytes(its_log) < spilled_bytes(log) else binary


def gave_up(log):
    """Whether ptxas says that it keeps values of a kernel in memory though registers are free."""
    few = any(int(used) <= FEW_REGISTERS for used in re.findall(r"Used (\d+) registers", log))
    return few and spilled_bytes(log) > 0


def spilled_bytes(log):
    """That the kernels of a text write to memory and read there, by what ptxas says."""
    return sum(map(int, re.findall(r"(\d+) bytes spill", log)))


def _nvrtc():
    from cupy.cuda import nvrtc

    return nvrtc


def _compiled(text, options):
    """(machine code or PTX, what the compilers say)."""
    nvrtc = _nvrtc()
    program = nvrtc.createProgram(text, "paraxis.cu", (), ())
    try:
        with compiling("compiling"):
            nvrtc.compileProgram(program, options)
        made = nvrtc.getPTX if "=compute_" in options[0] else nvrtc.getCUBIN
        return made(program), nvrtc.getProgramLog(program)
    except nvrtc.NVRTCError:
        raise RuntimeError(f"NVRTC: {nvrtc.getProgramLog(program)}") from None
    finally:
        nvrtc.destroyProgram(program)
