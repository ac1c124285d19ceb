"""Whether stale data are worth it: one answer for each arm, over much hardware."""

from functools import cache

from paraxis.control import stale_data_tradeoff

from ..document import Row, Table
from .arms import COMPARED, PLANAR, PUMA, STANFORD, UR5, arm

ARMS = (PLANAR, PUMA, STANFORD, UR5)
PER_LINK = (1, 2, 4)  # processors
LATENCIES = (0, 10, 50)  # flops


@cache
def tradeoff(name):
    """Over links and over a bus."""
    robot = arm(name)
    processors = [each * robot.n for each in PER_LINK]
    return stale_data_tradeoff(robot, policies=COMPARED, processors=processors, latency=LATENCIES)


def answer_table():
    rows = []
    for name in ARMS:
        found = tradeoff(name)
        quantity = f"{name}: kinds of hardware, of {found.fastest.size}, with a higher rate"
        better = int((found.fastest > 0).sum())
        rows.append(Row("Paraxis", quantity, None, better, found.conclusion))
    lead = (
        f"One answer for each arm, by `px.control.stale_data_tradeoff`: {_listed(PER_LINK)} "
        f"processors per link, messages of {_listed(LATENCIES)} flops, over links and over a bus, "
        f"{found.flop_time * 1e6:g} µs per flop; policies {_listed(COMPARED)}. A loop takes as "
        "long as its schedule, and only policies count that are stable at that period, by the "
        "linear loop at postures of a motion and in simulation along it. Proved means that no "
        "schedule of exact control is as short."
    )
    return Table("At equal hardware: when stale data are worth it", lead, rows)


def _listed(values):
    *most, last = map(str, values)
    return f"{', '.join(most)} and {last}"
