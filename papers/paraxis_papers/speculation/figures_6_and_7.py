"""Figures 6 and 7: where Binder and Herzog's scheme is lost and Hamilton's holds."""

from itertools import pairwise

import numpy as np

from ..document import Figure, Row, Table
from ..printed import printed
from .arms import (
    BINDER_HERZOG,
    COMPARED,
    DISTINCT,
    PAPER,
    PLANAR,
    READINGS,
    ROTOR,
    ROTORS,
    TABLE_1,
    WEIGHTLESS,
    rounded,
)
from .switched_runs import (
    DAMPINGS,
    DURATION,
    FREQUENCIES,
    PERIODS,
    RATES,
    SIZES,
    conditions,
    lost,
    run,
)

ARMS = (PLANAR, WEIGHTLESS, ROTORS)
EDGES = (0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.8)  # of period x natural frequency
DRAWN = 160  # points of a figure, and all of an arm that shakes
SHAKES, OFF_THE_PAGE = 0.01, 1.5  # rad off


def share(which):
    """Of the conditions, to a hundredth."""
    return round(float(np.mean(which)), 2)


def span(which):
    """From where to where period x natural frequency goes there, but for a twentieth each side."""
    return tuple(rounded(x) for x in np.quantile(conditions().turn[which], (0.05, 0.95)))


def only_lost(this, other, name):
    """Conditions in which one policy is lost and another holds."""
    return lost(this, name) & ~lost(other, name)


def lost_table():
    rows = []
    for name in ARMS:
        for policy in DISTINCT if name == PLANAR else COMPARED:
            by_period = ", ".join(
                f"{period * 1e3:g} ms: {each.mean():.0%}"
                for period, each in zip(PERIODS, lost(policy, name), strict=True)
            )
            row = Row("Paraxis", f"{name}, {policy}", None, share(lost(policy, name)), by_period)
            rows.append(row)
    lead = (
        f"The share of {conditions().turn.size:,} conditions in which the arm is lost: a joint is "
        f"more than 1 rad off within {DURATION:g} s. Control is exact until "
        f"{printed('hamilton')['switch_at']} s, as in Figures 6 and 7, of which no other condition "
        "is printed."
    )
    return Table("Figures 6 and 7: how often the arm is lost", lead, rows, _drawn_from())


def _drawn_from():
    def text(ends, unit):
        return f"{ends[0]:g} to {ends[1]:g}{unit}"

    return (
        "Drawn at random, evenly in their logarithms: natural frequency "
        f"{text(FREQUENCIES, ' 1/s')} (kp is its square), damping ratio {text(DAMPINGS, '')}; all "
        f"joints move as a sin(wt), a {text(SIZES, ' rad')}, w {text(RATES, ' 1/s')}. Each period "
        "has as many runs.",
        f"The arm: rods of 1 m and 1 kg. With rotors each joint also turns {ROTOR:g} kg m², as "
        "geared arms do; what a rotor needs depends on no other link and is never old.",
    )


def region_table():
    """Period x natural frequency at which one is lost and the other not."""
    rows = []
    for name in ARMS:
        for reading in READINGS:
            pairs = (BINDER_HERZOG, reading), (reading, BINDER_HERZOG)
            for this, other in pairs:
                which = only_lost(this, other, name)
                note = "nowhere"
                if which.any():
                    low, high = span(which)
                    note = f"{which.sum()} runs, nine of ten at {low:g} to {high:g}"
                rows.append(
                    Row(PAPER, f"{name}: {this} lost, {other} held", None, share(which), note)
                )
    lead = (
        "The share of conditions in which one scheme loses the arm and another holds it, and the "
        "period × natural frequency at which it does. Gains and period count together: the loop of "
        "a still arm depends on this product and on the damping ratio."
    )
    return Table("Figures 6 and 7: regions", lead, rows)


def lost_figure():
    """How often the arm is lost over period x natural frequency."""
    turn = conditions().turn
    curves = {
        policy: [
            (rounded(np.sqrt(low * high)), share(lost(policy)[(turn >= low) & (turn < high)]))
            for low, high in pairwise(EDGES)
        ]
        for policy in COMPARED
    }
    return Figure(
        "Lost runs over period × natural frequency",
        f"The share lost, of the {PLANAR}'s runs between {', '.join(f'{e:g}' for e in EDGES)}.",
        "period × natural frequency",
        "share lost",
        curves,
        log="x",
    )


# -- one of the conditions, drawn as the figures are -----------------------------------------------


def example():
    """(period, run) of the condition in the middle of those where only Binder and Herzog's is lost.

    In the middle by period x natural frequency, among swings of about 1 rad and the rate 1/s, with
    which 1.57 s is a turning point.
    """
    c = conditions()
    held = np.logical_and.reduce([~lost(reading) for reading in READINGS])
    found = np.argwhere(lost(BINDER_HERZOG) & held)
    middle = np.median(np.log(c.turn[tuple(found.T)]))
    off = [
        abs(np.log(c.turn[*at]) - middle) + abs(np.log(c.rate[*at])) + abs(np.log(c.size[*at]))
        for at in found
    ]
    return tuple(int(k) for k in found[int(np.argmin(off))])


def example_figures():
    return [
        _figure(6, BINDER_HERZOG, "is lost"),
        _figure(7, TABLE_1, "holds, under the same conditions"),
    ]


def _figure(number, policy, outcome):
    k, which = example()
    c, switch = conditions(), printed("hamilton")["switch_at"]
    found = run(PLANAR, policy, k, slice(which, which + 1), record=("q", "reference"))
    t, actual, desired = found.t, found.q[:, 0, -1], found.reference.q[:, 0, -1]
    off = np.abs(actual - desired)
    gone = ~(off < OFF_THE_PAGE)
    shown = np.arange(len(t)) < (np.argmax(gone) if gone.any() else len(t))
    some = np.arange(len(t)) % round(len(t) / DRAWN) == 0
    some[-1] = True
    drawn = shown & (some | (off > SHAKES))
    edge = rounded(max(np.abs(actual[shown]).max(), np.abs(desired).max()))
    curves = {
        "actual": _points(t[drawn], actual[drawn]),
        "desired": _points(t[some], desired[some]),
        f"stale from {switch} s": [(switch, -edge), (switch, edge)],
    }
    lead = (
        f"`{policy}` {outcome}: period {PERIODS[k] * 1e3:g} ms, natural frequency "
        f"{c.frequency[k, which]:.1f} 1/s, damping ratio {c.damping[k, which]:.2f}, so period × "
        f"natural frequency is {c.turn[k, which]:.3f}; all joints move as "
        f"{c.size[k, which]:.2f} rad × sin({c.rate[k, which]:.2f} t)."
    )
    title = f"Figure {number}: the last joint of the planar arm"
    return Figure(title, lead, "s", "rad", curves, dashed=("desired", f"stale from {switch} s"))


def _points(t, values):
    return [(round(float(a), 3), round(float(b), 3) + 0.0) for a, b in zip(t, values, strict=True)]
