"""What the text of every kernel begins with: sines, and rows that a warp copies together.

A warp is the threads that copy together: 32 on a GPU. Another compiler may define LANES and the
rest itself before this text, with a single lane, and run one thread after another.
"""

from ..c import SUFFIX, TYPES
from ..llvm.trig import COSINE, LARGE, SINE, parts_of_half_pi
from ..number import digits

MAGIC = {"float64": 1.5 * 2**52, "float32": 1.5 * 2**23}  # adding it rounds to a whole number
PACKET = 16  # bytes that a thread copies at once

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
"""

SINES = """
/* Sine and cosine of an angle of at most {large}: brought to [-pi/4, pi/4] by subtracting a
   multiple of pi/2 written as three numbers, then a polynomial each; the quadrant swaps and signs
   them. */
static __device__ __forceinline__ void sine_cosine({real} x, {real} *s, {real} *c)
{{
    const {real} scaled = fma{f}(x, {two_over_pi}, {magic});
    const {real} turns = scaled - {magic};
    const {real} r = fma{f}(-turns, {p2}, fma{f}(-turns, {p1}, fma{f}(-turns, {p0}, x)));
    const {real} z = r * r;
    const {real} sine = fma{f}(r * z, {sine}, r);
    const {real} cosine = fma{f}(fma{f}({cosine}, z, -{half}), z, {one});
    const unsigned quadrant = (unsigned)BITS(scaled);
    const {real} first = quadrant & 1 ? cosine : sine, second = quadrant & 1 ? sine : cosine;
    *s = FROM_BITS(BITS(first) ^ (word)(quadrant & 2) << {shift});
    *c = FROM_BITS(BITS(second) ^ (word)((quadrant + 1) & 2) << {shift});
}}

/* The same angle within a turn; for large ones, which are rare. */
static __device__ __noinline__ {real} within_a_turn({real} x)
{{
    return atan2{f}(sin{f}(x), cos{f}(x));
}}
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

/* A few columns of long rows: `width` entries of each, rows `apart` entries from each other. */
static __device__ __forceinline__ void columns_out(
    {real} *rows, const {real} *tile, int count, const int width, const int apart)
{{
    if (count == LANES) {{
#pragma unroll 8
        for (int row = 0; row < LANES; row++)
            for (int k = LANE; k < width; k += LANES)
                rows[(long long)row * apart + k] = tile[row * (width | 1) + k];
    }} else {{
#pragma unroll 1
        for (int row = 0; row < count; row++)
            for (int k = LANE; k < width; k += LANES)
                rows[(long long)row * apart + k] = tile[row * (width | 1) + k];
    }}
}}
"""


def prologue(dtype):
    """The text for numbers of this type."""
    real, f = TYPES[dtype], SUFFIX[dtype]

    def number(value):
        return f"({digits(value, dtype)}{f})" if value < 0 else digits(value, dtype) + f

    def polynomial(coefficients):
        text = number(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            text = f"fma{f}({text}, z, {number(coefficient)})"
        return text

    double = dtype == "float64"
    p0, p1, p2 = map(number, parts_of_half_pi(real))
    gpu = GPU.format(
        packet=PACKET // (8 if double else 4),
        item=8 if double else 4,
        bits="__double_as_longlong(x)" if double else "__float_as_int(x)",
        from_bits="__longlong_as_double(x)" if double else "__int_as_float(x)",
        integer="long long" if double else "int",
        real=real,
        quartet="" if double else "typedef float4 quartet;\n",
        packet_type="couple" if double else "quartet",
    )
    sines = SINES.format(
        real=real,
        f=f,
        large=digits(LARGE[real], dtype),
        two_over_pi=number(0.6366197723675814),
        magic=number(MAGIC[dtype]),
        p0=p0,
        p1=p1,
        p2=p2,
        sine=polynomial(SINE[real]),
        cosine=polynomial(COSINE[real]),
        half=number(0.5),
        one=number(1.0),
        shift=62 if double else 30,
    )
    return gpu + sines + ROWS.format(real=real)
