"""The search that no paper did: which values are best stale, if the linear loop is to be stable."""

from functools import cache
from itertools import product

from paraxis.control import best_cut

from ..document import Row, Table
from .arms import arm, rounded
from .equal_hardware import ARMS, FREQUENCY, Hardware
from .motions import postures

MACHINES = (Hardware(1, 10), Hardware(4, 10))
POSTURES = 4  # of each arm, at random


@cache
def best(name, hardware):
    """The best cut on some hardware, stable at all postures; critically damped."""
    robot = arm(name)
    machine = hardware.per_link * robot.n, hardware.latency
    gains = FREQUENCY**2, 2 * FREQUENCY
    given = {"posture": postures(name, POSTURES), "network": hardware.network}
    return best_cut(robot, *machine, *gains, **given)


def best_table():
    rows = []
    for hardware, name in product(MACHINES, ARMS):
        found = best(name, hardware)
        proved = rounded(found.proved_gain, 3)
        note = (
            f"{found.policy.name}; {proved:g} against the bound of exact control; loop time "
            f"{rounded(found.loop_time, 3):g} flops, at least "
            f"{rounded(found.loop_bound, 3):g}; safe period {rounded(found.safe_period * 1e3):g} "
            f"ms; best of {found.searched}, of which {found.scheduled} were scheduled, as others "
            "could not win"
        )
        rows.append(Row("Paraxis", f"{name}, {hardware}", None, rounded(found.gain, 3), note))
    lead = (
        "The longest flop time at which the loop is stable, over that of exact control, of the "
        "best of a set of cuts: at any subset of the joints, for what goes outward, inward or "
        "both, the backward block of a link reading its forward block of this step or of "
        "the one before; and the papers' policies. Links are counted from 0; a cut at link k is "
        "between it and the one before. Torques come a period after their sample, and stability is "
        f"that of the linear loop at each of {POSTURES} postures. What is above 1 against the "
        "bound is proved: no schedule of exact control is stable on hardware so slow."
    )
    return Table("At equal hardware: the best cut", lead, rows)
