"""What the text of every kernel begins with: sines, and rows that a warp copies together.

A warp is the threads that copy together: 32 on a GPU. Another compiler may define LANES and the
rest itself before this text, with a single lane, and run one thread after another.
"""

from ..c import TYPES
from .sines import sines

PACKET = 16  # bytes that a thread copies at once
ALIGNED = 64  # bytes that memory writes at once: if it gets fewer, it has to read the others first

GPU = """
#ifndef LANES
#define LANES 32
#define LANE (threadIdx.x % LANES)
#define THREADS blockDim.x
#define PACKET {packet}
#define SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#define COPY_PACKET(to, from) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" \\
    :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory")
#define COPY_ITEM(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], {item};" \\
    :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory")
#define ARRIVED() asm volatile("cp.async.wait_all;" ::: "memory"); __syncwarp()
#define TOGETHER() __syncwarp()
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
        for (int k = LANE; k < count; k += LANES) tile[k] = rows[k];
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

/* How many numbers an address lies behind the last one at which memory begins to be written. */
static __device__ __forceinline__ int behind(const {real} *address)
{{
    return (int)((unsigned long long)address / sizeof({real})) & (ALIGNED - 1);
}}

/* The next `width` entries of a long row, from `row` on. What is written begins and ends where
   memory does, but at the ends of the row: so those in the tile are as far behind as in memory, and
   what stands over waits for the next. */
static __device__ __forceinline__ void part_out(
    {real} *row, const {real} *tile, const int width, const bool is_first, const bool is_last)
{{
    const int before = behind(row);
    const int begin = is_first ? before : 0, end = is_last ? width + before : width;
    for (int k = LANE; k < (is_last ? width + ALIGNED - 1 : width); k += LANES)
        if (k >= begin && k < end) row[k - before] = tile[k];
}}

/* Such parts of all rows of a warp, which lie `apart`, those of the tile a `pitch`. */
static __device__ __forceinline__ void chunk_out({real} *rows, const {real} *tile, int count,
    const int apart, const int width, const int pitch, const bool is_first, const bool is_last)
{{
    if (count == LANES) {{
#pragma unroll 4
        for (int row = 0; row < LANES; row++)
            part_out(rows + (long long)row * apart, tile + row * pitch, width, is_first, is_last);
    }} else {{
#pragma unroll 1
        for (int row = 0; row < count; row++)
            part_out(rows + (long long)row * apart, tile + row * pitch, width, is_first, is_last);
    }}
}}

/* What stands over of a thread's row. */
static __device__ __forceinline__ void carry({real} *row, int before, const int width)
{{
#pragma unroll
    for (int k = 0; k < ALIGNED - 1; k++)
        if (k < before) row[k] = row[k + width];
}}
"""


def prologue(dtype):
    """The text for numbers of this type."""
    real = TYPES[dtype]
    double = dtype == "float64"
    size = 8 if double else 4
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
