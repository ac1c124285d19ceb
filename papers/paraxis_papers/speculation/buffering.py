"""Yamakita's scheme: does buffering alone diverge, and does looking one step ahead help?"""

from functools import cache

import numpy as np

from ..document import Row, Table
from .arms import PLANAR, rounded
from .figures_6_and_7 import only_lost, share
from .frozen_posture import periods
from .speeds import ARMS, PERIODS, lengths, torques
from .switched_runs import PERIODS as SWITCHED_PERIODS
from .switched_runs import lost, outcomes, run

PAPER = "Yamakita 1991"
BUFFERED, AHEAD = "yamakita_buffered", "yamakita_one_step_ahead"
MIDDLE = 2  # of the periods of the runs that are switched


def torque_ratio(name, speed):
    """How large torque errors are with a look ahead over those without, the median motion."""
    ahead, buffered = (torques(name, policy, speed, PERIODS[1]) for policy in (AHEAD, BUFFERED))
    return float(np.median(ahead / buffered))


def closer():
    """Of the conditions in which both hold: in which share the look ahead brings the arm nearer."""
    ahead, buffered = outcomes(PLANAR, AHEAD), outcomes(PLANAR, BUFFERED)
    both = ~ahead.lost & ~buffered.lost
    return float(np.mean(ahead.error[both] < buffered.error[both]))


@cache
def lost_joints():
    """The share of lost runs in which each joint was the farthest off when they were lost."""
    found = run(PLANAR, BUFFERED, MIDDLE, record=("q", "reference"))
    off = np.abs(found.q - found.reference.q)
    runs = np.flatnonzero(found.diverged)
    at = np.searchsorted(found.t, found.diverged_at[runs]).clip(max=len(found.t) - 1)
    return np.bincount(np.argmax(off[at, runs], -1), minlength=off.shape[-1]) / len(runs)


def buffering_table():
    joints = lost_joints()
    rows = [
        Row(PAPER, f"share lost, {policy}", None, share(lost(policy)), "of the planar arm's runs")
        for policy in (BUFFERED, AHEAD)
    ]
    for this, other in ((BUFFERED, AHEAD), (AHEAD, BUFFERED)):
        which = only_lost(this, other, PLANAR)
        row = Row(PAPER, f"{this} lost, {other} held", None, share(which), "share of conditions")
        rows.append(row)
    note = "share of the conditions in which both hold: the look ahead brings the arm nearer"
    rows.append(Row(PAPER, "control, nearer", None, round(closer(), 2), note))
    for name in ARMS:
        for speed in lengths():
            note = "torque errors with the look ahead over those without, median"
            ratio = round(torque_ratio(name, speed), 2)
            rows.append(Row(PAPER, f"torques, {name}, {speed}", None, ratio, note))
    for policy in (BUFFERED, AHEAD):
        middle = rounded(np.median(periods(PLANAR, policy)) * 1e3)
        rows.append(Row(PAPER, f"safe period, ms, {policy}", None, middle, "frozen posture"))
    for i, each in enumerate(joints):
        period = SWITCHED_PERIODS[MIDDLE] * 1e3
        note = f"share of lost runs in which it is the farthest off, period {period:g} ms"
        rows.append(Row(PAPER, f"{BUFFERED}, joint {i + 1}", None, round(float(each), 2), note))
    lead = (
        "Buffering between blocks lets values of several steps ago in; one step ahead has forward "
        "blocks work for the next sample, from what is desired then and the error of now. That "
        "makes torques along a motion better. The error of now is as old as before, and it is this "
        "that decides whether the arm is held."
    )
    return Table("Buffering, and one step ahead", lead, rows)
