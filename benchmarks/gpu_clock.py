"""The GPU of a benchmark: how time is taken on it, what it is, and how fast it copies."""

import platform
import statistics
from functools import cached_property
from importlib import import_module
from itertools import pairwise

COPIED = (1 << 30, 2 << 30, 4 << 30)  # bytes of the array that is copied
# compute capability -> fused multiply-adds a cycle of a multiprocessor, float32 and float64
LANES = {"80": (64, 32), "90": (128, 64), "100": (128, 64)}
COPY = """
extern "C" __global__ void copy(const float4 *__restrict__ from, float4 *__restrict__ to)
{
    const long long first = blockIdx.x * (long long)blockDim.x * EACH + threadIdx.x;
    float4 kept[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) kept[k] = from[first + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < EACH; k++) to[first + k * blockDim.x] = kept[k];
}
"""
EACH = (1, 2, 4)  # packets of 16 bytes that a thread copies


class Gpu:
    """`arrays` is the module whose arrays live there."""

    @cached_property
    def arrays(self):
        import cupy

        return cupy

    def seconds(self, run, patience=0.1):
        """The median over several runs, by the GPU's own clock.

        Runs are queued ahead of the clock, so that it never waits for Python.
        """
        cuda = self.arrays.cuda
        run()
        start, stop = cuda.Event(), cuda.Event()
        start.record(), run(), stop.record()
        stop.synchronize()
        once = cuda.get_elapsed_time(start, stop) * 1e-3
        repeat = max(5, min(25, int(patience / max(once, 1e-9))))
        marks = [cuda.Event() for _ in range(repeat + 1)]
        run(), run()
        marks[0].record()
        for mark in marks[1:]:
            run()
            mark.record()
        marks[-1].synchronize()
        passed = [cuda.get_elapsed_time(*pair) for pair in pairwise(marks)]
        return statistics.median(passed) * 1e-3

    def wait(self):
        self.arrays.cuda.Device().synchronize()

    def to_host(self, array):
        return self.arrays.asnumpy(array)

    def to_device(self, array):
        return self.arrays.asarray(array)

    def to_host_into(self, array, target):
        array.get(out=target)

    def pinned(self, array):
        """A copy in memory that does not move, which is transferred faster."""
        import cupyx

        copy = cupyx.empty_pinned(array.shape, array.dtype)
        copy[...] = array
        return copy

    def free(self):
        """Give all memory that is not used back."""
        self.arrays.get_default_memory_pool().free_all_blocks()

    def copy_bandwidth(self):
        """Bytes per second, read and written, of the fastest way to copy, and of every other."""
        cupy = self.arrays
        found = {}
        for size in COPIED:
            source, target = cupy.zeros(size, "u1"), cupy.empty(size, "u1")

            def memcpy(source=source, target=target, size=size):
                stream = cupy.cuda.get_current_stream()
                target.data.copy_from_device_async(source.data, size, stream)

            found[f"memcpy, {size >> 30} GiB"] = 2 * size / self.seconds(memcpy)
            for each in EACH:
                kernel = cupy.RawKernel(COPY, "copy", (f"-DEACH={each}",))
                blocks = size // (16 * 256 * each)

                def run(kernel=kernel, blocks=blocks, source=source, target=target):
                    kernel((blocks,), (256,), (source, target))

                name = f"kernel, {each} packets a thread, {size >> 30} GiB"
                found[name] = 2 * size / self.seconds(run)
            del source, target
            self.free()
        return {"best": max(found.values()), "ways": found}

    def peak(self, dtype):
        """Operations per second at the highest clock, a fused multiply-add being two; or None."""
        here = self.arrays.cuda.Device()
        lanes, clock = LANES.get(here.compute_capability), here.attributes.get("ClockRate")
        if lanes is None or clock is None:
            return None
        cycles = here.attributes["MultiProcessorCount"] * clock * 1e3
        return 2 * cycles * lanes[dtype == "float64"]

    def about(self):
        """The device and the versions of everything that matters."""
        cupy = self.arrays
        runtime = cupy.cuda.runtime
        here = cupy.cuda.Device()
        versions = {"python": platform.python_version()}
        for name in ("numpy", "cupy", "jax", "torch", "paraxis"):
            try:
                versions[name] = import_module(name).__version__
            except ImportError:
                continue
        return {
            "device": runtime.getDeviceProperties(here.id)["name"].decode(),
            "driver": runtime.driverGetVersion(),
            "runtime": runtime.runtimeGetVersion(),
            "nvrtc": list(cupy.cuda.nvrtc.getVersion()),
            "compute_capability": here.compute_capability,
            "multiprocessors": here.attributes["MultiProcessorCount"],
            "clock_mhz": here.attributes.get("ClockRate", 0) / 1e3,
            "memory_gib": round(here.mem_info[1] / 2**30, 1),
            "versions": versions,
        }
