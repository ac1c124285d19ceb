"""A recursion under a policy: reads that are cut take values of earlier control steps.

What is carried from step to step are entries, scalars of variables with an age: scalar 0 of omega
of link 2, one step old. Constants are not carried, nor variables that nobody reads late. Torques
that are applied late, or extrapolated, are entries too.
"""

from typing import NamedTuple

from ..algorithms import coupled_newton_euler
from ..algorithms.coupled_newton_euler import FORWARD
from ..errors import ArgumentError
from ..graph.variables import trace_variables
from ..robot.model import Model
from ..scalar import equal, select
from ..spatial import Spatial, Vector
from .policies import Read

TORQUE = "torque"
AHEAD = {"q": "q_ahead", "qd": "qd_ahead", "qdd": "qdd_ahead"}


class Entry(NamedTuple):
    """Scalar k of a variable of a link, as it was so many control steps ago."""

    variable: str
    link: int
    k: int
    age: int


class Torques(NamedTuple):
    """What a step gives: torques, entries for the next step, what each joint transmits."""

    torques: list
    entries: list
    reactions: list


class StaleRecursion:
    """Newton-Euler of a robot under a policy. `entries` are what it carries, in order."""

    def __init__(self, robot, policy):
        self.robot, self.policy = robot, policy
        inputs = {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv}
        self.system = trace_variables(
            lambda q, qd, qdd: coupled_newton_euler.inverse_dynamics(Model(robot), q, qd, qdd),
            inputs,
        )
        self.cuts = self._cut_reads()
        self.entries = tuple(self._entries())

    def owner(self, variable):
        """The link whose processor computes a variable."""
        name, i = variable
        return self.robot.joints[i].parent if name == "end_acceleration" else i

    @property
    def reads(self):
        """Every (variable, reader) of the recursion."""
        return [
            (variable, reader)
            for reader in self.system.variables
            for variable in self.system.reads(reader)
        ]

    def _cut_reads(self):
        """(variable, reader) -> the cut that it goes by, where it is one of another age than 0."""
        found, matched = {}, set()
        for variable, reader in self.reads:
            read = Read(variable[0], self.owner(variable), reader[0], self.owner(reader))
            matched |= {cut for cut in self.policy.cuts if cut.matches(read)}
            cut = self.policy.cut_of(read)
            if cut is not None and cut.ages != (0,):
                found[variable, reader] = cut
        for cut in self.policy.cuts:
            if self.policy.strict and cut not in matched:
                raise ArgumentError(f"{cut}: expected a read of this robot, found none it matches")
        return found

    @property
    def uncertain(self):
        """Are there reads that may meet several ages?"""
        return any(len(cut.ages) > 1 for cut in self.cuts.values())

    def _entries(self):
        oldest = {}
        for (variable, _), cut in self.cuts.items():
            oldest[variable] = max(oldest.get(variable, 0), max(cut.ages) + cut.order)
        for variable, most in oldest.items():
            for k in self.system.changing(variable):
                yield from (Entry(*variable, k, age) for age in range(1, most + 1))
        kept = self.policy.output_age + self.policy.output_order
        for i in range(self.robot.nv):
            yield from (Entry(TORQUE, i, 0, age) for age in range(1, kept + 1))

    # -- in a trace ---------------------------------------------------------------------------

    def exact(self, builder, joints):
        """The torques; the entries are as they would be if nothing had ever changed."""
        torques, values = self._run(builder, joints)
        entries = [self._now(entry, values, torques) for entry in self.entries]
        return Torques(torques, entries, self._reactions(values))

    def step(self, builder, joints, past, ages=None):
        """The torques to be applied, and what goes with them.

        `joints` has q, qd and qdd, and those foreseen where the policy looks ahead; `past` the
        entries' scalars; `ages` for each link the age that its reads meet, where that may be one of
        several.
        """
        old = dict(zip(self.entries, past, strict=True))
        torques, values = self._run(builder, joints, old, ages)
        following = []
        for entry in self.entries:
            younger = entry._replace(age=entry.age - 1)
            following.append(old[younger] if younger.age else self._now(entry, values, torques))
        late, order = self.policy.output_age, self.policy.output_order
        applied = []
        for i, torque in enumerate(torques):
            series = [torque, *(old[Entry(TORQUE, i, 0, a)] for a in range(1, late + order + 1))]
            applied.append(_predicted(series, late, order, late + 1))
        return Torques(applied, following, self._reactions(values))

    def _reactions(self, values):
        both = [(values["moment", i], values["force", i]) for i in range(self.robot.n)]
        return [Spatial(Vector(*moment), Vector(*force)) for moment, force in both]

    @staticmethod
    def _now(entry, values, torques):
        if entry.variable == TORQUE:
            return torques[entry.link]
        return values[entry.variable, entry.link][entry.k]

    def _run(self, builder, joints, old=None, ages=None):
        """Torques and all variables; reads that are cut are given old values, if there are any."""
        values = {}
        for reader in self.system.variables:
            given = self._given(reader, joints, values, old, ages)
            values[reader] = self.system.evaluate(builder, reader, given)
        of_torques = self._given(None, joints, values, None, None)
        return self.system.evaluate(builder, None, of_torques), values

    def _given(self, reader, joints, values, old, ages):
        """What a reader is given for each entry of its definition."""
        stale = old is not None
        names = AHEAD if stale and self.policy.ahead and reader[0] in FORWARD else {}

        def given(entry):
            name, k = entry
            if isinstance(name, str):
                return joints[names.get(name, name)][k]
            cut = self.cuts.get((name, reader)) if stale else None
            if cut is None:
                return values[name][k]
            most = max(cut.ages) + cut.order
            series = [values[name][k], *(old[Entry(*name, k, age)] for age in range(1, most + 1))]
            value = _predicted(series, cut.ages[-1], cut.order, cut.ages[-1])
            for age in cut.ages[:-1]:
                met = equal(ages[self.owner(reader)], float(age))
                value = select(met, _predicted(series, age, cut.order, age), value)
            return value

        return given


def _predicted(series, age, order, steps):
    """The value of an age; or, on the line through it and the one before, so many steps later."""
    if not order:
        return series[age]
    return series[age] + (series[age] - series[age + 1]) * float(steps)
