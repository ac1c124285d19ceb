"""The text of CUDA kernels run on the CPU by warps: 32 threads that wait for each other, as do the
warps of a block.

Slower than cuda_on_cpu, and nearer to a GPU: packets must be aligned, shared memory is as large as
was asked for, full of NaN at the beginning, and has a page behind it that must not be touched.
"""

import numpy as np
from support.cuda_on_cpu import CpuDevice

LANES = """
#include <pthread.h>
#include <sys/mman.h>
#include <thread>
#include <vector>
#define LANES 32
#define LANE (threadIdx.x % LANES)
#define WARP (threadIdx.x / LANES)
static thread_local struct { unsigned x; } threadIdx;
static struct { unsigned x; } blockIdx, blockDim, gridDim;
static unsigned char *px_shared;
static pthread_barrier_t px_warps[32], px_block;
#define SHARED(name) unsigned char *const name = px_shared
#define TOGETHER() pthread_barrier_wait(&px_warps[threadIdx.x / LANES])
#define ARRIVED() TOGETHER()
#define ALL_TOGETHER() pthread_barrier_wait(&px_block)
struct alignas(2 * sizeof(REAL)) couple { REAL x, y; };
struct alignas(4 * sizeof(REAL)) quartet { REAL x, y, z, w; };
#define PACKET (16 / (int)sizeof(REAL))
template <int bytes> struct px_packet { typedef couple type; };
template <> struct px_packet<4> { typedef quartet type; };
typedef px_packet<sizeof(REAL)>::type packet;
#define COPY_PACKET(to, from) (*(packet *)(to) = *(const packet *)(from))
#define COPY_ITEM(to, from) (*(to) = *(from))
"""

RUN = """
template <class... A>
static void px_run(void (*kernel)(A...), long long blocks, long long threads, void **given)
{
    blockDim.x = (unsigned)threads;
    gridDim.x = (unsigned)blocks;
    for (long long b = 0; b < blocks; b++) {
        blockIdx.x = (unsigned)b;
        std::vector<std::thread> all;
        for (long long t = 0; t < threads; t++)
            all.emplace_back([=] {
                threadIdx.x = (unsigned)t;
                px_call(kernel, given, std::index_sequence_for<A...>());
            });
        for (auto &each : all) each.join();
    }
}

extern "C" void px_launch(long long blocks, long long threads, void **given, long long shared)
{
    const long long page = 4096, room = (shared + page - 1) / page * page;
    void *memory = mmap(0, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect((char *)memory + room, page, PROT_NONE);
    px_shared = (unsigned char *)memory + room - shared;
    memset(px_shared, 0xff, shared);
    for (int warp = 0; warp < threads / LANES; warp++)
        pthread_barrier_init(&px_warps[warp], 0, LANES);
    pthread_barrier_init(&px_block, 0, threads);
    px_run(KERNEL, blocks, threads, given);
    munmap(memory, room + page);
}
"""
FLAGS = "-pthread -fsanitize=alignment -fsanitize-undefined-trap-on-error"


class WarpDevice(CpuDevice):
    description, lanes, run, flags = "warps on the cpu", LANES, RUN, FLAGS


def placed(shape, dtype, offset):
    """An array of NaN that begins `offset` bytes behind a multiple of 64, and what is around it."""
    item, count = np.dtype(dtype).itemsize, int(np.prod(shape))
    field = np.full(count + 256 // item, np.nan, dtype)
    start = (-field.ctypes.data % 64 + offset) // item + 64 // item
    return field[start : start + count].reshape(shape), field
