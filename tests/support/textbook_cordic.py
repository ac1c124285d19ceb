"""CORDIC as textbooks print it: one vector, Python's integers, a loop for each mode.

It shares no line with the package but the digits γ, which are a choice. A difference has all bits
of what is taken away inverted, as in hardware, and is one too small: `less`.
"""

import math

CIRCULAR, HYPERBOLIC = "circular", "hyperbolic"


def textbook(cordic, mode, direction, x, y, z):
    """Words x, y, z behind the last iteration, None where they need not agree."""
    run = {
        ("circular", "rotate"): rotate_circular,
        ("circular", "vector"): vector_circular,
        ("linear", "rotate"): rotate_linear,
        ("linear", "vector"): vector_linear,
        ("hyperbolic", "rotate"): rotate_hyperbolic,
        ("hyperbolic", "vector"): vector_hyperbolic,
    }[mode, direction]
    found = run(cordic, x, y, z)
    half = 1 << cordic.word - 1
    if found is None or any(not -half <= each < half for each in found):
        return None
    return found


def less(a, b):
    return a - b - 1


def rounded(value, bits):
    """Without its last bits, to the nearest."""
    return (value + (1 << bits - 1)) >> bits if bits else value


def micro_rotation(mode, shift, up, x, y):
    across, along = y >> shift, x >> shift
    if up:
        return (less(x, across) if mode == CIRCULAR else x + across), y + along
    return (x + across if mode == CIRCULAR else less(x, across)), less(y, along)


def turned(cordic, mode, direction, places, x, y, z):
    """All micro-rotations; z has so many places for one radian, or half turn."""
    shifts, i = [], 0 if mode == CIRCULAR else 1
    while len(shifts) < cordic.iterations:
        shifts += [i, i] if mode == HYPERBOLIC and i in (4, 13, 40) else [i]
        i += 1
    for i, shift in enumerate(shifts[: cordic.iterations]):
        angle = math.atan(2.0**-shift) / math.pi if mode == CIRCULAR else math.atanh(2.0**-shift)
        step = math.floor(angle * 2.0**places + 0.5)
        up = z >= 0 if direction == "rotate" else y < 0
        x, y = micro_rotation(mode, shift, up, x, y)
        z = z - step if up else z + step
        if cordic.compensation == "interleaved":
            digit = cordic.table(mode).digits[i]
            x, y = x + digit * (x >> i), y + digit * (y >> i)
    for i, digit in cordic.table(mode).scalings:
        x, y = (v + (v >> i) if digit > 0 else less(v, v >> i) for v in (x, y))
    return x, y, z


def without_gain(cordic, mode, value):
    """A length and how many places were added to it."""
    if cordic.compensation != "multiply":
        return value, 0
    bits = cordic.iterations + cordic.guard
    return value * math.floor(2.0**bits / cordic.table(mode).gain + 0.5), bits


def rotate_circular(cordic, x, y, z, direction="rotate"):
    guard, word = cordic.guard, cordic.word
    quarter, half = 1 << word - 2, 1 << word - 1
    behind = x < 0 if direction == "vector" else not -quarter <= z < quarter
    if behind:
        x, y = -x, -y
        z = z - half if z >= 0 else z + half
    x, y, z = x << guard, y << guard, z << guard
    x, y, z = turned(cordic, CIRCULAR, direction, word + guard - 1, x, y, z)
    (x, bits), (y, _) = without_gain(cordic, CIRCULAR, x), without_gain(cordic, CIRCULAR, y)
    z = (rounded(z, guard) + half) % (2 * half) - half
    return rounded(x, guard + bits), rounded(y, guard + bits), z


def vector_circular(cordic, x, y, z):
    return rotate_circular(cordic, x, y, z, "vector") if x or y else None


def rotate_linear(cordic, x, y, z):
    """y + x z with z = Σ ± 2^(2 - i)."""
    n, guard, fraction = cordic.iterations, cordic.guard, cordic.word - 3
    spare = max(n - 2 - fraction, 0)  # so that the last step of z is a whole number
    total, z = y << guard, z << spare
    for i in range(1, n + 1):
        step, part = 1 << fraction + spare + 2 - i, (x << 2 + guard) >> i
        total, z = (total + part, z - step) if z >= 0 else (less(total, part), z + step)
    return x, rounded(total, guard), rounded(z, spare)


def vector_linear(cordic, x, y, z):
    n, guard, fraction = cordic.iterations, cordic.guard, cordic.word - 3
    given = x
    if x < 0:
        x, y = -x, -y
    if x == 0 or abs(y) >= 4 * x:
        return None
    far = cordic.word - x.bit_length()
    x, y = x << far + 2 + guard, y << far + guard
    behind = max(n - 2, fraction + guard)
    z <<= behind - fraction
    for i in range(1, n + 1):
        step, part = 1 << behind + 2 - i, x >> i
        y, z = (y + part, z - step) if y < 0 else (less(y, part), z + step)
    return given, rounded(y, far + guard), rounded(z, behind - fraction)


def rotate_hyperbolic(cordic, x, y, z):
    guard, fraction = cordic.guard, cordic.word - 3
    one = 1 << fraction + guard
    x, y, z = x << guard, y << guard, z << guard
    # e^z = 2^k e^(z - k ln 2), and e^z is what x + y is multiplied by.
    eighths = rounded(z, fraction + guard - 8) if fraction + guard >= 8 else z * 256 // one
    k = rounded(eighths * 369, 16)  # 369 / 256 is about 1 / ln 2
    u = (x + y) << k if k >= 0 else (x + y) >> -k
    v = (x - y) >> k if k >= 0 else (x - y) << -k
    z -= k * math.floor(math.log(2) * one + 0.5)
    x, y, z = turned(cordic, HYPERBOLIC, "rotate", fraction + guard, (u + v) >> 1, (u - v) >> 1, z)
    (x, bits), (y, _) = without_gain(cordic, HYPERBOLIC, x), without_gain(cordic, HYPERBOLIC, y)
    return rounded(x, guard + bits), rounded(y, guard + bits), rounded(z, guard)


def vector_hyperbolic(cordic, x, y, z):
    guard, fraction = cordic.guard, cordic.word - 3
    u, v = x + y, x - y
    if u <= 0 or v <= 0:
        return None
    # Both about as long as can be, by an even number of shifts together.
    far_u, far_v = (cordic.word + 1 - each.bit_length() for each in (u, v))
    if (far_u - far_v) % 2:
        far_u, far_v = (far_u - 1, far_v) if far_u % 2 else (far_u, far_v - 1)
    u, v, far = u << far_u, v << far_v, (far_u + far_v) // 2
    one = 1 << fraction + guard
    z = (z << guard) + (far_v - far_u) // 2 * math.floor(math.log(2) * one + 0.5)
    x, y = (u + v) << guard, (u - v) << guard
    x, y, z = turned(cordic, HYPERBOLIC, "vector", fraction + guard, x, y, z)
    (x, bits), (y, _) = without_gain(cordic, HYPERBOLIC, x), without_gain(cordic, HYPERBOLIC, y)
    drop = guard + bits + 1 + far
    return rounded(x, drop), rounded(y, drop), rounded(z, guard)
