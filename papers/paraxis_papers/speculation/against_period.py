"""How errors grow with the period: their slope in logarithms, 1 where they are proportional."""

from functools import cache

import numpy as np

from paraxis.control import closed_loop

from ..document import Figure, Row, Table
from .arms import BINDER_HERZOG, DISTINCT, EXACT, PLANAR, PUMA, READINGS, arm, control, rounded
from .switched_runs import swing
from .torque_errors import torque_errors

PAPER = "Vuskovic 1990"
ARMS = (PLANAR, PUMA)
LENGTH = 2.0  # s, of a motion along which torques are compared
START = 0.1  # of it: its jerk comes at once, which no extrapolation foresees
LONG = (4e-3, 2e-3, 1e-3, 0.5e-3)
SHORT = (1e-3, 0.5e-3, 0.25e-3, 0.125e-3)  # where most policies hold the arm
FREQUENCY, DAMPING, SIZE, RATE, DURATION = 5.0, 0.7, 0.5, 2.0, 2.0
STALE = tuple(policy for policy in DISTINCT if policy != EXACT)
CONTROLLED = (BINDER_HERZOG, "binder_herzog_first_order", *READINGS)


def slope(periods, errors):
    """Of the logarithms; None where fewer than two errors are finite."""
    good = np.isfinite(errors) & (np.asarray(errors) > 0)
    if good.sum() < 2:
        return None
    x, y = np.log(np.asarray(periods)[good]), np.log(np.asarray(errors)[good])
    return float(np.polyfit(x, y, 1)[0])


@cache
def torques(name, policy):
    """The median error of torques along some motions, by period."""
    return [float(np.median(torque_errors(name, policy, LENGTH, period, START))) for period in LONG]


@cache
def positions(policy):
    """How far the controlled arm is from where exact control has it, by period; inf where lost."""
    found = []
    for period in SHORT:
        run, exact = (_run(which, period) for which in (policy, EXACT))
        found.append(float(np.abs(run.q - exact.q).max()) if not run.diverged else np.inf)
    return found


@cache
def _run(policy, period):
    law = control(PLANAR, policy, FREQUENCY, DAMPING)
    given = {"size": SIZE, "rate": RATE, "record": ("q",)}
    return closed_loop(arm(PLANAR), law, swing, period, duration=DURATION, **given)


def slope_table():
    rows = []
    for name in ARMS:
        for policy in STALE:
            errors = torques(name, policy)
            rows.append(_row(f"torques, {name}, {policy}", LONG, errors))
    for policy in CONTROLLED:
        rows.append(_row(f"control, {PLANAR}, {policy}", SHORT, positions(policy)))
    lead = (
        "The slope of the logarithm of the error over that of the period. Torques: the median of "
        f"motions of {LENGTH:g} s along which nothing is controlled, after the jolt of their first "
        f"{START:.0%}. Control: how far the planar "
        "arm is from where exact control of the same period has it, at most "
        f"(natural frequency {FREQUENCY:g} 1/s, damping ratio {DAMPING}, all joints move as "
        f"{SIZE} sin({RATE:g} t))."
    )
    return Table("Error against period", lead, rows)


def _row(quantity, periods, errors):
    found = slope(periods, errors)
    by_period = ", ".join(
        f"{period * 1e3:g} ms: " + (f"{error:.1e}" if np.isfinite(error) else "lost")
        for period, error in zip(periods, errors, strict=True)
    )
    return Row(PAPER, quantity, None, None if found is None else round(found, 1), by_period)


def slope_figure():
    chosen = (BINDER_HERZOG, *READINGS, "binder_herzog_first_order", "yamakita_one_step_ahead")
    return Figure(
        "Error of torques against period",
        f"{PUMA}, motions of {LENGTH:g} s: medians of max|Δ| / max(1, max|reference|).",
        "period, ms",
        "error",
        {
            policy: [
                (period * 1e3, rounded(error))
                for period, error in zip(LONG, torques(PUMA, policy), strict=True)
            ]
            for policy in chosen
        },
        log="xy",
    )
