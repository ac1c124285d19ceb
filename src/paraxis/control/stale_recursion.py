"""A recursion under a policy: cut reads take values of earlier control steps.

Entries are carried from step to step: scalars of variables with an age, such as scalar 0 of omega
of link 2, one step old. Constants are not carried, nor are variables that are never read late.
Torques that are applied late, or extrapolated, are also entries.

A link is the body of a joint, whatever its number of degrees of freedom. Of the rows of a joint in
the recursion (robots/rows.py), one sends the link's variables, and the intermediate values of the
others belong to the link as well. A link that follows another is an ordinary link; the motor of its
leader reads its moment.
"""

from functools import partial
from typing import NamedTuple

from ..errors import ArgumentError
from ..graph.variables import trace_variables
from ..physics import coupled_newton_euler
from ..physics.coupled_newton_euler import FORWARD
from ..physics.parts.ties import ties_of
from ..robots.model import Model
from ..robots.refusals import open_tree, unsprung
from ..robots.rows import rows_of
from ..scalar import equal, select
from ..spatial import Spatial, Vector
from .stale_policies import MOTOR, TORQUE, Read

AHEAD = {"q": "q_ahead", "qd": "qd_ahead", "qdd": "qdd_ahead"}


class Entry(NamedTuple):
    """Scalar k of a variable of a link, from `age` control steps ago."""

    variable: str
    link: int
    k: int
    age: int


class Torques(NamedTuple):
    """The results of a step: torques, entries for the next step, and the loads of each joint."""

    torques: list
    entries: list
    reactions: list


class StaleRecursion:
    """Newton-Euler of a robot under a policy. `entries` are the carried values, in order."""

    def __init__(self, robot, policy):
        self.robot, self.policy = unsprung(open_tree(robot), "this recursion"), policy
        inputs = {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv}
        rows = rows_of(robot)
        self.system = trace_variables(partial(_inverse_dynamics, rows), inputs, _link_of(rows))
        self._driven = [i for i, joint in enumerate(robot.joints) for _ in range(joint.nv)]
        self.cuts = self._cut_reads()
        self.entries = tuple(self._entries())

    def owner(self, variable):
        """The link whose processor computes a variable."""
        name, i = variable
        if name in (TORQUE, MOTOR):
            return self._driven[i]
        return self.robot.joints[i].parent if name == "end_acceleration" else i

    @property
    def reads(self):
        """Every (variable, reader) of the recursion; finally the motors read their torques."""
        between = [
            (variable, reader)
            for reader in self.system.variables
            for variable in self.system.reads(reader)
        ]
        return between + [((TORQUE, i), (MOTOR, i)) for i in range(self.robot.nv)]

    def _cut_reads(self):
        """(reader, variable) -> its cut, if that changes anything."""
        found, matched = {}, set()
        for variable, reader in self.reads:
            read = Read(variable[0], self.owner(variable), reader[0], self.owner(reader))
            matched |= {cut for cut in self.policy.cuts if cut.matches(read)}
            cut = self.policy.cut_of(read)
            if cut is not None and not cut.changes_nothing:
                found[variable, reader] = cut
        for cut in self.policy.cuts:
            if self.policy.strict and cut not in matched:
                raise ArgumentError(f"{cut}: it matches no read of this robot")
        return found

    @property
    def uncertain(self):
        """Whether some reads may use several ages."""
        return any(len(cut.ages) > 1 for cut in self.cuts.values())

    def _entries(self):
        oldest = {}
        for (variable, _), cut in self.cuts.items():
            oldest[variable] = max(oldest.get(variable, 0), max(cut.ages) + cut.order)
        for variable, most in oldest.items():
            scalars = [0] if variable[0] == TORQUE else self.system.changing(variable)
            for k in scalars:
                yield from (Entry(*variable, k, age) for age in range(1, most + 1))

    # -- in a trace ---------------------------------------------------------------------------

    def exact(self, builder, joints):
        """The torques, and entries as if nothing had ever changed."""
        values = self._run(builder, joints)
        entries = [values[entry.variable, entry.link][entry.k] for entry in self.entries]
        return Torques(self._torques(values), entries, self._reactions(values))

    def step(self, builder, joints, past, ages=None):
        """The torques to be applied, and the other results of a step.

        `joints` has q, qd and qdd, and their predictions if the policy looks ahead; `past` has the
        scalars of the entries; `ages` has for each link the age that its reads use, if it may be
        one of several.
        """
        old = dict(zip(self.entries, past, strict=True))
        values = self._run(builder, joints, old, ages)
        following = []
        for entry in self.entries:
            younger = entry._replace(age=entry.age - 1)
            now = values[entry.variable, entry.link][entry.k]
            following.append(old[younger] if younger.age else now)
        applied = [
            self._read((TORQUE, i), 0, (MOTOR, i), values, old, ages) for i in range(self.robot.nv)
        ]
        return Torques(applied, following, self._reactions(values))

    def _torques(self, values):
        return [values[TORQUE, i][0] for i in range(self.robot.nv)]

    def _reactions(self, values):
        both = [(values["moment", i], values["force", i]) for i in range(self.robot.n)]
        return [Spatial(Vector(*moment), Vector(*force)) for moment, force in both]

    def _run(self, builder, joints, old=None, ages=None):
        """All variables, including torques; cut reads take stale values, if there are any."""
        values = {}
        for reader in self.system.variables:
            given = self._given(reader, joints, values, old, ages)
            values[reader] = self.system.evaluate(builder, reader, given)
        of_torques = self._given(None, joints, values, None, None)
        torques = self.system.evaluate(builder, None, of_torques)
        return values | {(TORQUE, i): [torque] for i, torque in enumerate(torques)}

    def _given(self, reader, joints, values, old, ages):
        """The arguments of a reader, for each entry of its definition."""
        foresees = old is not None and self.policy.ahead and reader[0] in FORWARD

        def given(entry):
            name, k = entry
            if isinstance(name, str):
                return joints[AHEAD[name] if foresees else name][k]
            return self._read(name, k, reader, values, old, ages)

        return given

    def _read(self, variable, k, reader, values, old, ages):
        """A scalar of a variable as a reader gets it."""
        cut = self.cuts.get((variable, reader)) if old is not None else None
        if cut is None:
            return values[variable][k]
        most = max(cut.ages) + cut.order
        series = [values[variable][k]]
        series += [old[Entry(*variable, k, age)] for age in range(1, most + 1)]
        further = 1 if variable[0] == TORQUE else 0  # torques from stale data are late already
        aged = {age: _predicted(series, age, cut.order, age + further) for age in cut.ages}
        value = aged.pop(cut.ages[-1])
        for age, other in aged.items():
            value = select(equal(ages[self.owner(reader)], float(age)), other, value)
        return value


def _inverse_dynamics(rows, q, qd, qdd):
    """Newton-Euler of the rows, as torques of the joints that do not follow others."""
    model = Model(rows)
    ties = ties_of(model, q)
    rates = ties.rates(qd)
    accelerations = model.rows_accelerations(rates, ties.accelerations(qd, qdd))
    tau = coupled_newton_euler.inverse_dynamics(model, ties.q, rates, accelerations)
    return ties.torques(model.joint_torques(rates, tau))


def _link_of(rows):
    """Where variables of links are marked: as `link_of` of trace_variables."""
    last = {group[-1]: link for link, group in enumerate(rows.groups)}
    first = {group[0]: link for link, group in enumerate(rows.groups)}  # the row at the joint

    def link_of(name, row):
        return (first if name == "end_acceleration" else last).get(row)

    return link_of


def _predicted(series, age, order, steps):
    """The value of an age; or its linear extrapolation with the one before, by some steps."""
    if not order:
        return series[age]
    return series[age] + (series[age] - series[age + 1]) * float(steps)
