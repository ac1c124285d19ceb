"""Arcsine and arccosine of vectors.

asin(s) = s + s z R(z) with z = s^2 up to s = 1/2. Beyond, asin(x) = pi/2 - 2 asin(s) with
s^2 = (1 - x) / 2, which is exact; what the root s is rounded by is found and added.
"""

from ...sine_series import parts_of_half_pi
from .vectors import define

# R on [0, 1/4], lowest power first: the polynomial that is exact at Chebyshev's points. It is
# within 2^-57 and 2^-30.
ARCSINE = {
    "double": (
        0.16666666666666669,
        0.07499999999998433,
        0.04464285714635543,
        0.030381944138531247,
        0.02237217294214989,
        0.017352392720869973,
        0.013971212973552933,
        0.011479177415184906,
        0.01032281435018578,
        0.005457506718640357,
        0.017400879442694025,
        -0.014851887071247209,
        0.02875785136742157,
    ),
    "float": (0.16666666, 0.07500094, 0.044599403, 0.031100662, 0.017149238, 0.033690847),
}


def _parts(code, x):
    """(|x| > 1/2, s, what is beyond s in asin(s))."""
    size = code.abs(x)
    is_large = code.compare("ogt", size, 0.5)
    square = code.mul(code.sub(1.0, size), 0.5)
    root = code.call("sqrt", square)
    lost = code.div(code.fma(code.neg(root), root, square), code.add(root, root))
    lost = code.select(code.compare("oeq", root, 0.0), 0.0, lost)
    s = code.select(is_large, root, size)
    z = code.select(is_large, square, code.mul(size, size))
    beyond = code.mul(code.mul(s, z), code.polynomial(ARCSINE[code.lanes.element], z))
    return is_large, s, code.select(is_large, code.add(beyond, lost), beyond)


def _arcsine(code, x):
    first, second = parts_of_half_pi(code.lanes.element, 2)
    is_large, s, beyond = _parts(code, x)
    large = code.add(code.fma(-2.0, s, first), code.fma(-2.0, beyond, second))
    return code.call("copysign", code.select(is_large, large, code.add(s, beyond)), x)


def define_arcsine(module, lanes):
    """Add `V @arcsine(V)`: within 1.6 ulp (1.51 found in 4.2 million)."""
    return define(module, "arcsine", lanes, 1, _arcsine)


def _arccosine(code, x):
    first, second = parts_of_half_pi(code.lanes.element, 2)
    is_large, s, beyond = _parts(code, x)
    small = code.sub(first, code.add(x, code.sub(code.call("copysign", beyond, x), second)))
    half = code.add(s, beyond)
    right = code.add(half, half)
    left = code.fma(-2.0, code.add(s, code.sub(beyond, second)), 2 * first)
    large = code.select(code.compare("olt", x, 0.0), left, right)
    return code.select(is_large, large, small)


def define_arccosine(module, lanes):
    """Add `V @arccosine(V)`: within 0.9 ulp (0.78 found in 4.2 million)."""
    return define(module, "arccosine", lanes, 1, _arccosine)
