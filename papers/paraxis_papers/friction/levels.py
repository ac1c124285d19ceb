"""How many levels friction adds to the streamlined inverse dynamics of the PUMA 560."""

from dataclasses import replace
from functools import cache

from paraxis import streamlined_tasks
from paraxis.robots import Friction, JournalBearing
from paraxis.robots.friction import NO_FRICTION

from ..counts.arms import puma
from ..document import Row, Table
from ..schedules.levels import shortest
from .counts import DRIVE

PROCESSORS = range(1, 9)
JOURNAL = Friction(JournalBearing(0.1, 0.08, 0.15))  # its numbers change no count
LOSSES = {"bearings and transmissions": JOURNAL, "transmissions": NO_FRICTION}

LEAD = (
    "Section 4.5 proposes friction as further subtasks of three operations. Here all joints of the "
    "PUMA 560 have transmissions with an efficiency curve of lines, and journal bearings, or none "
    "for bearings whose friction is small."
)


def levels_with_friction():
    """Levels on one to eight processors."""
    rows = [_row(what, p) for what in LOSSES for p in PROCESSORS]
    plain, both, gears = (puma_tasks(what) for what in (None, *LOSSES))
    return Table(
        "Levels with friction",
        LEAD,
        rows,
        (
            f"Subtasks: {len(plain)} without friction, {len(both)} with that of bearings and "
            f"transmissions, {len(gears)} with that of transmissions.",
            f"Of what bearings add, {_reactions(plain, both)} are subtasks of Table 4.1: they make "
            "reactions that no torque needs.",
            "A square root or a division is one operation; comparing and choosing are free.",
        ),
    )


@cache
def puma_tasks(what):
    """Of the arm with such losses, or None."""
    arm = puma(6)
    if what is None:
        return streamlined_tasks(arm)
    drive, friction = DRIVE["linear"], LOSSES[what]
    joints = [replace(each, friction=friction, transmission=drive) for each in arm.joints]
    return streamlined_tasks(replace(arm, joints=joints, warn=False), friction=True)


def _row(what, processors):
    best, plain = shortest(puma_tasks(what), processors), shortest(puma_tasks(None), processors)
    proof = "fewer are impossible" if best.optimal else f"{best.bound} or more are needed"
    added = best.makespan - plain.makespan
    note = (
        f"{plain.makespan} without friction, so {added} more; {proof}; {best.efficiency:.0%} busy"
    )
    number = f"{processors} {'processor' if processors == 1 else 'processors'}"
    return Row("Paraxis", f"{what}: {number}", None, best.makespan, note)


def _reactions(plain, lossy):
    """How many subtasks with a number in the table are only there with friction."""
    return sum("+" not in name for name in set(lossy.names) - set(plain.names))
