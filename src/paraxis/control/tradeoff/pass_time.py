"""How long a control loop takes on some processors: the shortest known period, and a bound.

Every processor has the measured joint values. All other values that a processor reads from another
are sent, including values for the next control step.

If torques are applied late, and nothing else is stale, whole sets of torques can be computed at a
time: the processors form as many teams, taking turns, as there are control steps in which a set may
be computed.
"""

from typing import NamedTuple

from ...parallel.schedules.repeated_schedule import LINKS, repeated_schedule
from ..stale_policies import TORQUE


class PassTime(NamedTuple):
    """Times in flops."""

    period: float  # of the shortest schedule found
    bound: float  # no schedule is shorter

    @property
    def optimal(self):
        return self.period <= self.bound


def pass_time(program, processors, latency=0, network=LINKS):
    """The PassTime of a Speculation.

    latency: the latency of a message, in flops.
    """
    latency = in_whole_flops(latency)
    found = repeated_schedule(program, program.carry, processors, latency, network)
    stages = stages_of(program)
    teams = min(stages, processors)
    if teams == 1:
        return PassTime(found.period, found.bound)
    # Teams of one send no messages. Larger ones would wait for each other on a bus.
    size = processors // teams if network == LINKS or not latency else 1
    team = repeated_schedule(program, program.carry, size, latency, network)
    period = min(found.period, team.period / teams)
    work = program.count().flops
    return PassTime(period, max(work / processors, found.bound / stages))


def in_whole_flops(latency):
    """As an int if it is one: bounds of integer times are integers."""
    return int(latency) if float(latency).is_integer() else latency


def stages_of(program):
    """In how many control steps a set of torques may be computed; 1 if other values are stale."""
    late = {ages for (variable, *_), ages in program.reads.items() if variable == TORQUE}
    others = {ages for (variable, *_), ages in program.reads.items() if variable != TORQUE}
    if others <= {(0,)} and len(late) == 1 and not any(cut.order for cut in program.policy.cuts):
        return 1 + min(late.pop())
    return 1
