"""Sine and cosine of an angle, together, as CUDA C++."""

from ...number import digits
from ...sine_series import COSINE, LARGE, MAGIC, SINE, parts_of_half_pi
from ...source.c import SUFFIX, TYPES

# sin(r) = r + r^3 S(r^2), cos(r) = 1 + r^2 C(r^2) on [-pi/2, pi/2], lowest power first: of least
# error at worst, 5e-9. Fewer instructions than by quarters, as in float32 a multiply-add costs no
# more than choosing or changing a sign; within 1.5e-7, about what rounding an angle does.
SINE_OF_HALF = (-1.66666571e-01, 8.33301719e-03, -1.98066081e-04, 2.60003903e-06)
COSINE_OF_HALF = (-4.99999995e-01, 4.16666407e-02, -1.38884034e-03, 2.47618783e-05, -2.60769582e-07)

QUARTER_TURNS = """
/* Sine and cosine of an angle of at most {large}: brought to [-pi/4, pi/4] by subtracting a
   multiple of pi/2 written as three numbers, then a polynomial each; the quadrant swaps and signs
   them. */
static __device__ __forceinline__ void sine_cosine({real} x, {real} *s, {real} *c)
{{
    const {real} scaled = fma{f}(x, {inverse}, {magic});
    const {real} turns = scaled - {magic};
    const {real} r = fma{f}(-turns, {p2}, fma{f}(-turns, {p1}, fma{f}(-turns, {p0}, x)));
    const {real} z = r * r;
    const {real} sine = fma{f}(r * z, {sine}, r);
    const {real} cosine = fma{f}(fma{f}({cosine}, z, -{half}), z, {one});
    const unsigned quadrant = (unsigned)BITS(scaled);
    const {real} first = quadrant & 1 ? cosine : sine, second = quadrant & 1 ? sine : cosine;
    *s = FROM_BITS(BITS(first) ^ (word)(quadrant & 2) << 62);
    *c = FROM_BITS(BITS(second) ^ (word)((quadrant + 1) & 2) << 62);
}}
"""

HALF_TURNS = """
/* Sine and cosine of an angle of at most {large}: brought to [-pi/2, pi/2] by subtracting a
   multiple of pi written as two numbers, then a polynomial each; an odd multiple turns signs. */
static __device__ __forceinline__ void sine_cosine({real} x, {real} *s, {real} *c)
{{
    const {real} scaled = fma{f}(x, {inverse}, {magic});
    const {real} turns = scaled - {magic};
    const {real} r = fma{f}(-turns, {p1}, fma{f}(-turns, {p0}, x));
    const {real} z = r * r;
    const {real} sine = fma{f}(r * z, {sine}, r);
    const {real} cosine = fma{f}({cosine}, z, {one});
    const word sign = (word)((unsigned)BITS(scaled) << 31);
    *s = FROM_BITS(BITS(sine) ^ sign);
    *c = FROM_BITS(BITS(cosine) ^ sign);
}}
"""

WITHIN_A_TURN = """
/* The same angle within a turn; for large ones, which are rare. */
static __device__ __noinline__ {real} within_a_turn({real} x)
{{
    return atan2{f}(sin{f}(x), cos{f}(x));
}}
"""


def sines(dtype):
    """The text for numbers of this type."""
    real, f = TYPES[dtype], SUFFIX[dtype]

    def number(value):
        return f"({digits(value, dtype)}{f})" if value < 0 else digits(value, dtype) + f

    def polynomial(coefficients):
        text = number(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            text = f"fma{f}({text}, z, {number(coefficient)})"
        return text

    parts, by_quarters = parts_of_half_pi(real), dtype == "float64"
    if not by_quarters:
        parts = [2 * part for part in parts]
    text = (QUARTER_TURNS if by_quarters else HALF_TURNS) + WITHIN_A_TURN
    return text.format(
        real=real,
        f=f,
        large=digits(LARGE[real], dtype),
        inverse=number(1 / parts[0]),
        magic=number(MAGIC[real]),
        p0=number(parts[0]),
        p1=number(parts[1]),
        p2=number(parts[2]),
        sine=polynomial(SINE[real] if by_quarters else SINE_OF_HALF),
        cosine=polynomial(COSINE[real] if by_quarters else COSINE_OF_HALF),
        half=number(0.5),
        one=number(1.0),
    )


def fused_operations(dtype):
    """Multiply-adds of a sine with its cosine."""
    return sines(dtype).count(f"fma{SUFFIX[dtype]}(")
