"""Slow, fast and very fast motion of the Stanford arm and the PUMA: torques, and control."""

from functools import cache

import numpy as np

from paraxis.control import closed_loop

from ..document import Row, Table
from ..printed import printed
from .arms import COMPARED, DISTINCT, EXACT, PUMA, STANFORD, arm, control, rounded
from .motions import MOTIONS, ends, quintic
from .torque_errors import torque_errors

PAPER = "Binder 1986"
ARMS = (STANFORD, PUMA)
PERIODS = (2e-3, 5e-3, 10e-3)
FREQUENCY = 10.0
PLANT_STEP = 5e-3
NOTICEABLE = 0.05  # of a torque


def lengths():
    """What is called slow, fast and very fast -> seconds."""
    return printed("hamilton")["motions"]


def torques(name, policy, speed, period):
    return torque_errors(name, policy, float(lengths()[speed]), period)


def tracking(name, policy, speed, period):
    """The worst error of each motion under control."""
    return _tracking(name, policy, speed)[PERIODS.index(period)]


@cache
def _tracking(name, policy, speed):
    """(periods, motions)."""
    length, batch = float(lengths()[speed]), (len(PERIODS), MOTIONS)
    settings = {"length": np.full(batch, length)}
    for end, each in ends(name).items():
        settings[end] = np.broadcast_to(each, batch + each.shape[1:])
    plant = {"duration": length, "plant_step": PLANT_STEP}
    law, period = control(name, policy, FREQUENCY), np.array(PERIODS)[:, None]
    return closed_loop(arm(name), law, quintic, period, **plant, **settings).error


def torque_table():
    rows = []
    for name in ARMS:
        for speed, length in lengths().items():
            for policy in DISTINCT:
                if policy != EXACT:
                    each = [torques(name, policy, speed, period) for period in PERIODS]
                    rows.append(_row(f"{name}, {speed} ({length} s), {policy}", each))
    lead = (
        f"Errors of torques along {MOTIONS} quintic motions between postures drawn at random, "
        "max|Δ| / max(1, max|reference|) of states: the median of the worst of each motion at "
        f"{PERIODS[1] * 1e3:g} ms. Notes: other periods, and in brackets the worst motion. Nothing "
        "is controlled by these torques."
    )
    return Table("Slow, fast, very fast: torques", lead, rows)


def tracking_table():
    rows = []
    for name in ARMS:
        for speed, length in lengths().items():
            for policy in COMPARED:
                each = [tracking(name, policy, speed, period) for period in PERIODS]
                rows.append(_row(f"{name}, {speed} ({length} s), {policy}", each))
    lead = (
        "The same motions under computed-torque control, critically damped with a natural "
        f"frequency of {FREQUENCY:g} 1/s: how far a joint is off at worst, rad or m. Medians, and "
        "in brackets the worst motion."
    )
    return Table("Slow, fast, very fast: control", lead, rows)


def _row(quantity, errors):
    notes = [
        f"{period * 1e3:g} ms: {_text(np.median(each))} ({_text(each.max())})"
        for period, each in zip(PERIODS, errors, strict=True)
    ]
    middle = np.median(errors[1])
    measured = rounded(middle) if np.isfinite(middle) else None
    return Row(PAPER, quantity, None, measured, ", ".join(notes))


def _text(error):
    return f"{rounded(error):g}" if error < 1 else "1 or more"
