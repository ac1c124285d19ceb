"""Groups of links, and the straight-line code of each group.

Within a group every value belongs to the current pass. Reads between groups that Vuskovic's policy
cuts become entries, which are sent by the group that computes them and read by the other. Values
that the policy does not cut (gravity, which depends on the poses of the links) are computed by each
group itself.

Every variable is sent with its origin: the sample of the oldest joint values on which it depends.
A torque whose origin is its own sample is exact.
"""

from dataclasses import replace
from functools import cached_property
from numbers import Integral

import numpy as np

from ...errors import ArgumentError
from ...graph.evaluate import evaluate
from ...graph.graph import Graph
from ...graph.node import Builder
from ...graph.trace import trace
from ...scalar import minimum
from ...targets.cpu.team import MOST
from ...targets.cpu.text.free_running import FreeBody
from ..stale_policies import vuskovic
from ..stale_recursion import TORQUE, StaleRecursion

ORIGIN = "origin"  # in place of the number of a scalar


def divided(n, groups):
    """Lists of links: as given, or a number of lists of consecutive links, of about equal size."""
    if isinstance(groups, Integral) and not isinstance(groups, bool):
        if not 1 <= groups <= n:
            raise ArgumentError(f"groups: expected 1 to {n}, at most one per link, found {groups}")
        lists = [part.tolist() for part in np.array_split(range(n), groups)]
    else:
        lists = _listed(n, groups)
    if len(lists) > MOST:
        raise ArgumentError(f"groups: expected at most {MOST} threads, found {len(lists)}")
    return lists


def _listed(n, groups):
    try:
        lists = [list(group) for group in groups]
    except TypeError:
        raise ArgumentError(
            f"groups: expected a number, or a list of links for each, found {groups!r}"
        ) from None
    seen = {}
    for k, group in enumerate(lists):
        if not group:
            raise ArgumentError(f"groups: expected links in each, but group {k} is empty")
        for link in group:
            if not isinstance(link, Integral) or isinstance(link, bool) or not 0 <= link < n:
                raise ArgumentError(
                    f"group {k}: expected links of 0 to {n - 1} (the robot's joints in order), "
                    f"found {link!r}"
                )
            if link in seen:
                raise ArgumentError(
                    f"groups: expected every link once, found link {link} in group {seen[link]} "
                    f"and in group {k}"
                )
            seen[link] = k
    missing = sorted(set(range(n)) - seen.keys())
    if missing:
        raise ArgumentError(f"groups: expected every link once, but links {missing} are in none")
    return lists


class LinkGroups:
    """The groups of a robot's links. `bodies` are run by the threads."""

    def __init__(self, robot, groups):
        self.links = divided(robot.n, groups)
        self._home = {link: g for g, links in enumerate(self.links) for link in links}
        self._recursion = StaleRecursion(robot, vuskovic())
        system = self._recursion.system
        torques = {(TORQUE, i): (scalar,) for i, scalar in enumerate(system.results)}
        self.system = replace(system, variables=system.variables | torques)

    def home(self, variable):
        """The group that computes a variable."""
        return self._home[self._recursion.owner(variable)]

    def is_found(self, variable, reader, group):
        """Whether a group, for a reader, uses the received value of a variable."""
        return self.home(variable) != group and (variable, reader) in self._recursion.cuts

    @cached_property
    def _plans(self):
        return [_Plan(self, g) for g in range(len(self.links))]

    @cached_property
    def _records(self):
        """For each group the entries that it sends, after the number of the sample."""
        records = []
        for g in range(len(self.links)):
            wanted = [v for plan in self._plans for v in plan.found if self.home(v) == g]
            records.append([e for v in dict.fromkeys(wanted) for e in self.entries(v)])
        return records

    def entries(self, variable):
        """The entries that are sent of a variable."""
        return [(variable, k) for k in (ORIGIN, *self.system.changing(variable))]

    @cached_property
    def bodies(self):
        bodies = []
        for plan, sent in zip(self._plans, self._records, strict=True):
            reads = {
                h: tuple(1 + self._records[h].index(entry) for entry in entries)
                for h, entries in plan.found_of.items()
            }
            bodies.append(FreeBody(plan.graph(sent), reads))
        return bodies

    def values_found(self, g):
        """The number of values that a group receives from others per pass, without origins."""
        return sum(k != ORIGIN for _, k in self._plans[g].entries)

    def given(self, q, qd, qdd):
        """For each group its joint values, one row per sample."""
        joints = {"q": q, "qd": qd, "qdd": qdd}
        return [
            np.stack([joints[name][:, k] for name, k in plan.joints], axis=-1)
            for plan in self._plans
        ]

    def found_at_first(self, q, qd, qdd):
        """The initially received values of each group, as if sample 0 had always held."""
        recursion, inputs = self._recursion, {"q": len(q), "qd": len(qd), "qdd": len(qdd)}

        def first(**joints):
            return recursion.exact(joints["q"][0].builder, joints)[1]

        values = {}
        if recursion.entries:
            graph = trace(first, {name: (length,) for name, length in inputs.items()})
            scalars = evaluate(graph, {"q": q, "qd": qd, "qdd": qdd})["result"]
            for entry, scalar in zip(recursion.entries, scalars, strict=True):
                values[(entry.variable, entry.link), entry.k] = scalar
        return [[values.get(entry, 0.0) for entry in plan.entries] for plan in self._plans]


class _Plan:
    """What one group computes, and from which values."""

    def __init__(self, groups, g):
        self.groups, self.g = groups, g
        system = groups.system
        needed, found = set(), set()
        for reader in reversed(system.variables):
            if reader in needed or groups.home(reader) == g:
                needed.add(reader)
                for variable in system.reads(reader):
                    into = found if groups.is_found(variable, reader, g) else needed
                    into.add(variable)
        self.computed = [v for v in system.variables if v in needed]
        self.found = [v for v in system.variables if v in found]
        self.found_of = {}  # another group -> the entries received from it
        for h in sorted({groups.home(v) for v in self.found}):
            here = [v for v in self.found if groups.home(v) == h]
            self.found_of[h] = [entry for v in here for entry in groups.entries(v)]
        self.entries = [entry for entries in self.found_of.values() for entry in entries]
        taken = (
            node.value for v in self.computed for node in system.needs(v) if node.op == "input"
        )
        self.joints = list(dict.fromkeys(e for e in taken if isinstance(e[0], str)))

    def graph(self, sent):
        """The operations of a pass; `sent` are the entries read by others."""
        builder = Builder()
        sample = builder.input("sample", 0)
        found = {entry: builder.input("found", k) for k, entry in enumerate(self.entries)}
        joints = {entry: builder.input("given", k) for k, entry in enumerate(self.joints)}
        values, origins = {}, {}
        for reader in self.computed:
            values[reader] = self._scalars(builder, reader, joints, found, values)
            origins[reader] = self._origin(reader, sample, found, origins)

        def value(entry):
            variable, k = entry
            return origins[variable] if k == ORIGIN else values[variable][k]

        torques = [(TORQUE, i) for i in self.groups.links[self.g]]
        kept = [*(values[t][0] for t in torques), *(origins[t] for t in torques)]
        outputs = {"kept": kept} | ({"sent": [sample, *map(value, sent)]} if sent else {})
        inputs = {"sample": (), "given": (len(joints),)}
        inputs |= {"found": (len(found),)} if found else {}
        outputs = {name: ((len(nodes),), tuple(nodes)) for name, nodes in outputs.items()}
        return Graph(inputs, outputs, name=f"group_{self.g}")

    def _scalars(self, builder, reader, joints, found, values):
        def given(entry):
            variable, k = entry
            if isinstance(variable, str):
                return joints[entry]
            taken = self.groups.is_found(variable, reader, self.g)
            return found[entry] if taken else values[variable][k]

        return self.groups.system.evaluate(builder, reader, given)

    def _origin(self, reader, sample, found, origins):
        oldest = sample
        for variable in self.groups.system.reads(reader):
            taken = self.groups.is_found(variable, reader, self.g)
            oldest = minimum(oldest, found[variable, ORIGIN] if taken else origins[variable])
        return oldest
