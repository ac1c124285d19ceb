"""Static friction under a smooth direction of motion.

A simulated joint has the direction q̇ / √(q̇² + smoothing²). It reaches 1 only where Stribeck's curve
has already fallen, so the two together would peak below `static`, and a joint that must hold would
run away. The excess of static over Coulomb friction is therefore raised until the peak is `static`;
Coulomb friction, to which the curve falls, stays what it is.
"""

import math
from dataclasses import replace

CUTS = 100  # of a third of the interval around the peak: to the last digits


def with_full_peak(joint):
    """The joint, its `static` such that its smooth friction peaks at the one it has."""
    friction = joint.friction
    if friction.static == friction.coulomb:
        return joint
    raised = friction.coulomb + raised_excess(friction)
    return replace(joint, friction=replace(friction, static=raised))


def raised_excess(friction):
    """The largest excess with which smooth friction exceeds `static` at no rate.

    At a rate v with direction d it is `static` with an excess of (static/d − coulomb)·(1 + (v/w)²),
    w the Stribeck velocity. The least of these over all rates does for every one; they fall to
    it, and rise after it.
    """
    smoothing, swift = friction.smoothing, friction.stribeck_velocity

    def excess(exponent):
        v = math.exp(exponent)
        direction = v / math.hypot(v, smoothing)
        return (friction.static / direction - friction.coulomb) * (1 + (v / swift) ** 2)

    low = math.log(min(smoothing, swift) / 2)  # the peak is beyond
    high = math.log(max(smoothing, swift) * 1e6)
    for _ in range(CUTS):
        third = (high - low) / 3
        if excess(low + third) < excess(high - third):
            high -= third
        else:
            low += third
    return excess((low + high) / 2)
