"""Tangent of a vector of angles.

The angle is brought to [-pi/4, pi/4] as for sines (trig.py), but what rounding takes from it is
kept: a tangent shows it. Sine and cosine are sums of two numbers, and so is nothing lost but the
last rounding of their quotient. Lanes of large angles, or of none, are done by the C library.
"""

import math

from ...sine_series import COSINE, LARGE, SINE, parts_of_half_pi
from .vectors import define


def _tangent(code, x):
    element = code.lanes.element
    n, quadrant = code.rounded(x, 2 / math.pi)
    first, second, third = parts_of_half_pi(element)
    back = code.neg(n)
    rest = code.fma(back, first, x)  # exact
    product = code.mul(back, second)
    r, lost = code.any_two_sum(rest, product)
    lost = code.add(lost, code.fma(back, second, code.neg(product)))
    r, lost = code.two_sum(r, code.fma(back, third, lost))
    z = code.mul(r, r)
    lost_of_z = code.fma(r, r, code.neg(z))
    less = code.fma(code.neg(code.mul(z, z)), code.polynomial(COSINE[element], z), code.mul(z, 0.5))
    less = code.add(less, code.fma(r, lost, code.mul(lost_of_z, 0.5)))
    cosine = code.two_sum(1.0, code.neg(less))
    beyond = code.mul(code.mul(r, z), code.polynomial(SINE[element], z))
    sine = code.two_sum(r, code.fma(lost, cosine[0], beyond))
    odd = code.integer("icmp ne", code.integer("and", quadrant, 1), 0)
    above = [code.select(odd, code.neg(c), s) for s, c in zip(sine, cosine, strict=True)]
    below = [code.select(odd, s, c) for s, c in zip(sine, cosine, strict=True)]
    value = code.select(code.compare("oeq", x, 0.0), x, code.quotient(above, below))
    return value, code.compare("olt", code.abs(x), LARGE[element])


def define_tangent(module, lanes):
    """Add `V @tangent(V)`: within 1.5 ulp (1.41 found in 3.7 million)."""
    return define(module, "tangent", lanes, 1, _tangent, singly="tan")
