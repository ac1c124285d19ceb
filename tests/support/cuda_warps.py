"""The text of CUDA kernels run on the CPU by warps: 32 threads that wait for each other, as do the
warps of a block and the blocks of a cluster.

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
static thread_local struct { unsigned x; } threadIdx, blockIdx;
static struct { unsigned x; } blockDim, gridDim;
static unsigned char *px_shared[CLUSTER];
static pthread_barrier_t px_warps[CLUSTER][32], px_blocks[CLUSTER], px_cluster;
#define BLOCK (blockIdx.x % CLUSTER)
#define SHARED(name) unsigned char *const name = px_shared[BLOCK]
#define TOGETHER() pthread_barrier_wait(&px_warps[BLOCK][threadIdx.x / LANES])
#define ARRIVED() TOGETHER()
#define ALL_TOGETHER() pthread_barrier_wait(&px_blocks[BLOCK])
#define CLUSTER_TOGETHER() pthread_barrier_wait(&px_cluster)
#define __cluster_dims__(...)
static inline REAL *of_block(REAL *at, int block)
{
    return (REAL *)((unsigned char *)at - px_shared[BLOCK] + px_shared[block]);
}
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
    for (long long b = 0; b < blocks; b += CLUSTER) {
        std::vector<std::thread> all;
        for (long long t = 0; t < CLUSTER * threads; t++)
            all.emplace_back([=] {
                blockIdx.x = (unsigned)(b + t / threads), threadIdx.x = (unsigned)(t % threads);
                px_call(kernel, given, std::index_sequence_for<A...>());
            });
        for (auto &each : all) each.join();
    }
}

extern "C" void px_launch(long long blocks, long long threads, void **given, long long shared)
{
    const long long page = 4096, room = (shared + page - 1) / page * page;
    void *memory[CLUSTER];
    for (int b = 0; b < CLUSTER; b++) {
        memory[b] =
            mmap(0, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect((char *)memory[b] + room, page, PROT_NONE);
        px_shared[b] = (unsigned char *)memory[b] + room - shared;
        memset(px_shared[b], 0xff, shared);
        for (int warp = 0; warp < threads / LANES; warp++)
            pthread_barrier_init(&px_warps[b][warp], 0, LANES);
        pthread_barrier_init(&px_blocks[b], 0, threads);
    }
    pthread_barrier_init(&px_cluster, 0, CLUSTER * threads);
    px_run(KERNEL, blocks, threads, given);
    for (int b = 0; b < CLUSTER; b++) munmap(memory[b], room + page);
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
