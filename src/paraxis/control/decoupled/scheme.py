"""`px.control.unsynchronised`: inverse dynamics by threads that do not wait for each other."""

import math
from numbers import Real

import numpy as np

from ...api import inverse_dynamics
from ...checks import shown
from ...drivers.map import as_array
from ...errors import ArgumentError
from ...passes.count import count
from ...robots.robot import a_robot
from ...targets.cpu.free_running import compile_free_running
from .link_groups import LinkGroups
from .run import UnsynchronisedRun


def unsynchronised(robot, groups=2):
    """Inverse dynamics on threads, one a group of links, without synchronisation.

    Vuskovic's decoupled Newton-Euler: every thread computes its links' torques from the newest
    joint values and from what it finds of the other links, of whatever sample that is. What comes
    back is called with a motion, `scheme(q, qd, qdd, period)`, and runs through it in real time.

    groups: how many, of consecutive links; or a list of links for each, as [[0, 1, 2], [3, 4, 5]].
    """
    a_robot(robot)
    return Unsynchronised(robot, LinkGroups(robot, groups))


class Unsynchronised:
    """Call it with q, qd, qdd (samples, n) and the period of the samples in seconds."""

    def __init__(self, robot, groups):
        self.robot, self._groups = robot, groups
        self._kernel = compile_free_running(groups.bodies)

    @property
    def groups(self):
        """The links of each group."""
        return [list(links) for links in self._groups.links]

    def __call__(self, q, qd, qdd, period):
        """Run through the motion, a sample every `period` seconds; an `UnsynchronisedRun`.

        It takes as long as the motion, and all cores that the threads can get. What groups find
        before others have computed anything is of sample 0.
        """
        joints = _checked(self.robot, q=q, qd=qd, qdd=qdd)
        if isinstance(period, bool) or not isinstance(period, Real) or not 0 < period < math.inf:
            raise ArgumentError(f"period: expected seconds above zero, found {period!r}")
        found = self._groups.found_at_first(*(array[0] for array in joints))
        logs = self._kernel(self._groups.given(*joints), found, float(period))
        exact = inverse_dynamics(self.robot, *joints)
        return UnsynchronisedRun.of(self.groups, float(period), logs, exact)

    def __repr__(self):
        parts = []
        for g, (links, body) in enumerate(zip(self.groups, self._groups.bodies, strict=True)):
            found, flops = self._groups.values_found(g), count(body.graph).flops
            parts.append(f"links {links}: {flops} flops, {found} values of others")
        return f"<Unsynchronised {shown(self.robot.name)}: {'; '.join(parts)}>"


def _checked(robot, **arrays):
    shapes = {"q": (robot.nq,), "qd": (robot.nv,), "qdd": (robot.nv,)}
    joints = []
    for name, value in arrays.items():
        array = as_array(value, name, shapes[name])
        if array.ndim != 2 or not len(array):
            expected = f"(samples, {shapes[name][0]})"
            raise ArgumentError(f"{name}: expected shape {expected}, found {array.shape}")
        if not np.isfinite(array).all():
            raise ArgumentError(f"{name}: expected finite numbers, found others")
        joints.append(np.asarray(array, float))
    lengths = [len(array) for array in joints]
    if len(set(lengths)) != 1:
        raise ArgumentError(f"q, qd, qdd: expected as many samples of each, found {lengths}")
    return joints
