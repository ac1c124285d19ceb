"""What the text of every kernel begins with: sines, and rows that a warp copies together.

A warp is the threads that copy together: 32 on a GPU. Another compiler may define LANES and the
rest itself before this text, with a single lane, and run one thread after another.
"""

from ...source.c import SIZES, TYPES
from .sines import sines

PACKET = 16  # bytes that a thread copies at once
ALIGNED = 64  # bytes that memory writes at once: if it gets fewer, it has to read the others first

GPU = """
#ifndef LANES
#define LANES 32
#define LANE (threadIdx.x % LANES)
#define WARP __shfl_sync(~0u, threadIdx.x / LANES, 0)  /* known to be the same for all lanes */
#define THREADS blockDim.x
#define PACKET {packet}
#define SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#define COPY_PACKET(to, from) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" \\
    :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory")
#define COPY_ITEM(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], {item};" \\
    :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory")
#define ARRIVED() asm volatile("cp.async.wait_all;" ::: "memory"); __syncwarp()
#define TOGETHER() __syncwarp()
#define ALL_TOGETHER() asm volatile("bar.sync 0;" ::: "memory")
#define BITS(x) {bits}
#define FROM_BITS(x) {from_bits}
typedef {integer} word;
typedef {real}2 couple;
{quartet}typedef {packet_type} packet;
#endif
#define ALIGNED {aligned}
"""

ROWS = """
/* The rows of a warp's states, which follow each other in memory, to its tile: `count` numbers of
   the `all` that a full tile has. */
static __device__ __forceinline__ void rows_in(
    {real} *tile, const {real} *rows, int count, const int all)
{{
    if (count == all) {{
#pragma unroll
        for (int j = 0; j < all; j += LANES * PACKET) {{
            const int k = j + (int)LANE * PACKET;
            if (k < all) COPY_PACKET(tile + k, rows + k);
        }}
    }} else {{
#pragma unroll 1
        for (int k = (int)LANE; k < count; k += LANES) COPY_ITEM(tile + k, rows + k);
    }}
}}

/* And back. */
static __device__ __forceinline__ void rows_out(
    {real} *rows, const {real} *tile, int count, const int all)
{{
    if (count == all) {{
#pragma unroll
        for (int j = 0; j < all; j += LANES * PACKET) {{
            const int k = j + (int)LANE * PACKET;
            if (k < all) *(packet *)(rows + k) = *(const packet *)(tile + k);
        }}
    }} else {{
#pragma unroll 1
        for (int k = LANE; k < count; k += LANES) rows[k] = tile[k];
    }}
}}

/* How many numbers an address lies behind the last multiple of what memory writes at once. */
static __device__ __forceinline__ int behind(const {real} *address)
{{
    return (int)((unsigned long long)address / sizeof({real})) & (ALIGNED - 1);
}}

/* The packet at `k` of the next `width` entries of a long row, which begin at `to`. In the tile
   they are as far behind a beginning as in memory, so that packets of the one are packets of the
   other; before the first entry of a row and behind its last there is something else. */
static __device__ __forceinline__ void packet_out(
    {real} *to, const {real} *row, int k, const int width, const bool is_first, const bool is_last)
{{
    const int before = behind(to);
    const int begin = is_first ? before : 0, end = is_last ? width + before : width;
    to -= before;
    if ((!is_first || k >= begin) && (!is_last || k + PACKET <= end))
        *(packet *)(to + k) = *(const packet *)(row + k);
    else
        for (int j = k; j < k + PACKET; j++)
            if (j >= begin && j < end) to[j] = row[j];
}}

/* The next `width` entries of the warp's long rows, which lie `apart` in memory, a `pitch` in the
   tile. They are written as far as memory writes at once; what stands over waits for the next. */
static __device__ __forceinline__ void chunk_out({real} *rows, const {real} *tile, int count,
    const int apart, const int pitch, const int width, const bool is_first, const bool is_last)
{{
    const int each = (is_last ? width + ALIGNED + PACKET - 2 : width) / PACKET;
    const int power = each <= 4 ? 4 : each <= 8 ? 8 : each <= 16 ? 16 : 32;
    const int threads = power < LANES ? power : LANES;  /* for a row */
    TOGETHER();
#pragma unroll 4
    for (int row = LANE / threads; row < LANES; row += LANES / threads)
        for (int k = LANE % threads; k < each; k += threads)
            if (row < count)
                packet_out(rows + (long long)row * apart, tile + row * pitch, k * PACKET, width,
                    is_first, is_last);
    TOGETHER();
}}

/* What stands over of a thread's row, and some more, which is written over. */
static __device__ __forceinline__ void carry({real} *row, const int width)
{{
#pragma unroll
    for (int k = 0; k < ALIGNED; k += PACKET)
        *(packet *)(row + k) = *(const packet *)(row + k + width);
}}
"""


def prologue(dtype):
    """The text for numbers of this type."""
    real, size, double = TYPES[dtype], SIZES[dtype], dtype == "float64"
    gpu = GPU.format(
        packet=PACKET // size,
        aligned=ALIGNED // size,
        item=size,
        bits="__double_as_longlong(x)" if double else "__float_as_int(x)",
        from_bits="__longlong_as_double(x)" if double else "__int_as_float(x)",
        integer="long long" if double else "int",
        real=real,
        quartet="" if double else "typedef float4 quartet;\n",
        packet_type="couple" if double else "quartet",
    )
    return gpu + sines(dtype) + ROWS.format(real=real)
