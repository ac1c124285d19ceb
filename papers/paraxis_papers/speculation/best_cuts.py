"""The search that no paper did: which values are best stale, if the linear loop is to be stable."""

from functools import cache

from paraxis.control import best_cut

from ..document import Row, Table
from .arms import arm, rounded
from .equal_hardware import ARMS, DRAWN, FREQUENCY
from .motions import postures


@cache
def best(name):
    """On the hardware of the figures, at the first of the postures; critically damped."""
    robot = arm(name)
    gains = FREQUENCY**2, 2 * FREQUENCY
    given = {"posture": postures(name, 1)[0], "network": DRAWN.network}
    return best_cut(robot, DRAWN.per_link * robot.n, DRAWN.latency, *gains, **given)


def best_table():
    rows = []
    for name in ARMS:
        found = best(name)
        proved = rounded(found.proved_gain, 3)
        note = (
            f"{found.policy.name}; {proved:g} against the bound of exact control; loop time "
            f"{rounded(found.loop_time, 3):g} flops, at least "
            f"{rounded(found.loop_bound, 3):g}; safe period {rounded(found.safe_period * 1e3):g} "
            f"ms; best of {found.searched}, of which {found.scheduled} were scheduled, as others "
            "could not win"
        )
        rows.append(Row("Paraxis", f"{name}, {DRAWN}", None, rounded(found.gain, 3), note))
    lead = (
        "The longest flop time at which the loop is stable, over that of exact control, of the "
        "best of a set of cuts: at any subset of the joints, for what goes outward, inward or "
        "both, the backward block of a link reading its forward block of this step or of "
        "the one before; and the papers' policies. Links are counted from 0; a cut at link k is "
        "between it and the one before. Torques come a period after their sample, and stability is "
        "that of the linear loop at one posture."
    )
    return Table("At equal hardware: the best cut", lead, rows)
