"""Safe periods of an arm that keeps its posture: the linear loop, as far as it tells."""

from functools import cache

import numpy as np

from paraxis.control import safe_period

from ..document import Row, Table
from .arms import (
    BINDER_HERZOG,
    COMPARED,
    DISTINCT,
    NO_ROTORS,
    PAPER,
    PLANAR,
    PUMA,
    READINGS,
    ROTORS,
    STALE,
    STANFORD,
    UR5,
    arm,
    control,
    rounded,
)
from .motions import postures

FREQUENCY = 10.0  # 1/s, critically damped
COUNTS = {PLANAR: 6, ROTORS: 4, UR5: 4, NO_ROTORS: 2, PUMA: 3, STANFORD: 2}  # of postures
POLICIES = {PLANAR: DISTINCT, PUMA: COMPARED}  # of other arms those that are compared
FEW = 4  # postures of arms with ever lighter links
LIGHTER = (1.0, 0.25, 0.1, 0.03)  # weight of a link over that of the one before it
SHORTEST = {3: 5e-5, 6: 4e-3}  # s, by the number of joints: all are safe there
LONGEST = 0.2  # s
NEAR_ZERO = 1e-3  # period x natural frequency, where 1 - spectral radius is looked at


@cache
def found(name, policy, k, delay_share=0.0):
    """The SafePeriod at the k-th posture."""
    law = control(name, policy, FREQUENCY)
    posture = postures(name if name in COUNTS else PLANAR, count(name))[k]
    shortest = SHORTEST[arm(name).n]
    ends = {"shortest": shortest, "longest": LONGEST}
    return safe_period(arm(name), law, posture, delay_share=delay_share, **ends)


def count(name):
    """How many postures an arm is looked at in."""
    return COUNTS.get(name, FEW)


def periods(name, policy, delay_share=0.0):
    """At each posture, in s; torques come so much of a period after their sample."""
    return np.array([found(name, policy, k, delay_share).period for k in range(count(name))])


def ratios(name, reading):
    """How many times longer a reading's safe period is than Binder and Herzog's, by posture."""
    return periods(name, reading) / periods(name, BINDER_HERZOG)


def posture_table():
    rows = []
    for name in COUNTS:
        for policy in POLICIES.get(name, STALE):
            each = periods(name, policy) * 1e3
            note = f"ms; {rounded(each.min()):g} to {rounded(each.max()):g} by posture"
            if policy in READINGS:
                longer = int((ratios(name, policy) > 1).sum())
                note += f"; longer than {BINDER_HERZOG}'s at {longer} of {len(each)} postures"
            middle = rounded(np.median(each))
            rows.append(Row(PAPER, f"{name}, {policy}", None, middle, note))
    lead = (
        "The largest period at which the linear loop is stable, at postures drawn at random, "
        f"medians in ms; natural frequency {FREQUENCY:g} 1/s, critically damped. The paper says "
        "that both schemes are stable with a frozen posture, its own with much more to spare."
    )
    return Table("Frozen posture: safe periods", lead, rows)


def coupling_table():
    """What decides which is safer: the weight that hangs on each link."""
    rows = []
    for lighter in LIGHTER:
        base = periods(lighter, BINDER_HERZOG) * 1e3
        for reading in READINGS:
            ratio = ratios(lighter, reading)
            note = (
                f"{rounded(ratio.min()):g} to {rounded(ratio.max()):g} by posture; "
                f"{BINDER_HERZOG}'s is {rounded(np.median(base)):g} ms"
            )
            what = f"each link weighs {lighter:g} of the one before, {reading}"
            rows.append(Row("Paraxis", what, None, rounded(np.median(ratio)), note))
    lead = (
        f"The planar arm with links that get lighter: a reading's safe period over that of "
        f"`{BINDER_HERZOG}`, medians. Where a link carries others as heavy as itself Hamilton's is "
        "safer; where it carries little, or turns a rotor of its own, Binder and Herzog's is."
    )
    return Table("Frozen posture: what decides", lead, rows)


def rate_of_decay(name, policy):
    """1 - spectral radius over period x natural frequency, for a short period: the slowest."""
    period = NEAR_ZERO / FREQUENCY
    radii = [found(name, policy, k).spectral_radius(period) for k in range(count(name))]
    return (1 - max(radii)) / NEAR_ZERO


def marginal_table():
    rows = [
        Row(PAPER, f"{name}, {policy}", None, round(rate_of_decay(name, policy), 2), "")
        for name in (PLANAR, PUMA)
        for policy in COMPARED
    ]
    lead = (
        "The paper calls both schemes marginally stable and does not say by what. 1 − spectral "
        f"radius over period × natural frequency, at {NEAR_ZERO:g}, the worst posture: errors "
        "decay by so much in a period, as under exact control, and as fast as the gains ask. The "
        "spectral radius tends to 1 with the period, but from below, and for `exact` as well."
    )
    return Table("Frozen posture: short periods", lead, rows)
