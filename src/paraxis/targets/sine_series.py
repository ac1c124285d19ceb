"""The numbers by which sines and cosines are computed, on every target.

The angle is brought to [-pi/4, pi/4] by subtracting a multiple of pi/2; then one polynomial each.
"""

import math
from fractions import Fraction

import numpy as np

LARGE = {"double": 131072.0, "float": 131072.0}
MAGIC = {"double": 1.5 * 2**52, "float": 1.5 * 2**23}  # adding it rounds to an integer

# sin(r) = r + r^3 S(r^2), cos(r) = 1 - r^2/2 + r^4 C(r^2) on [-pi/4, pi/4]: minimax
# coefficients, lowest power first, as in the public-domain Cephes library.
SINE = {
    "double": (
        -1.66666666666666307295e-1,
        8.33333333332211858878e-3,
        -1.98412698295895385996e-4,
        2.75573136213857245213e-6,
        -2.50507477628578072866e-8,
        1.58962301576546568060e-10,
    ),
    "float": (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4),
}
COSINE = {
    "double": (
        4.16666666666665929218e-2,
        -1.38888888888730564116e-3,
        2.48015872888517045348e-5,
        -2.75573141792967388112e-7,
        2.08757008419747316778e-9,
        -1.13585365213876817300e-11,
    ),
    "float": (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5),
}
# pi/2 to 160 bits, as a fraction: enough for three doubles.
HALF_PI = Fraction(0x3243F6A8885A308D313198A2E03707344A4093822299F31D, 1 << 189)


def parts_of_half_pi(element, count=3):
    """pi/2 as a sum of `count` numbers of the element type, largest first."""
    kind, rest, parts = {"double": np.float64, "float": np.float32}[element], HALF_PI, []
    for _ in range(count):
        part = float(kind(float(rest)))
        parts.append(part)
        rest -= Fraction(part)
    return parts


def short_parts_of_half_pi(element):
    """The same of which all but the last have so few bits that their product with any number of
    quarter turns below LARGE is exact."""
    kind = {"double": np.float64, "float": np.float32}[element]
    bits, count = {"double": (36, 3), "float": (7, 5)}[element]
    rest, parts = HALF_PI, []
    for _ in range(count - 1):
        unit = Fraction(2) ** (math.frexp(float(rest))[1] - bits)
        part = rest // unit * unit
        parts.append(float(part))
        rest -= part
    return [*parts, float(kind(float(rest)))]
