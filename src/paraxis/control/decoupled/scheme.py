"""`px.control.unsynchronised`: inverse dynamics by threads that do not wait for each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from ...api import inverse_dynamics
from ...checks import shown
from ...drivers.map import as_array
from ...errors import ArgumentError
from ...passes.count import count
from ...robots.refusals import single_joints, unsprung
from ...robots.robot import Robot
from ...targets.cpu.free_running import compile_free_running
from .link_groups import LinkGroups
from .run import UnsynchronisedRun


def unsynchronised(robot: Robot, groups: int | Sequence[Sequence[int]] = 2) -> Unsynchronised:
    """Return inverse dynamics on threads, one per group of links, without synchronisation.

    Vuskovic's decoupled Newton-Euler: every thread computes the torques of its links from the
    newest joint values and the latest available values of other links, of whatever sample.

    **Arguments:**

    - `robot`: the robot.
    - `groups`: the number of groups of consecutive links; or a list of links per group, such as
      `[[0, 1, 2], [3, 4, 5]]`.

    **Returns:** a scheme that is called with a motion, `scheme(q, qd, qdd, period)`, and runs
    through it in real time.

    **Raises:** `px.ArgumentError` if groups do not contain every link exactly once.

    **Example:**

    >>> robot = px.robots.planar(4)
    >>> scheme = px.control.unsynchronised(robot, groups=2)
    >>> move = px.trajectories.quintic(np.zeros(4), np.ones(4), duration=0.1).sample(dt=1e-3)
    >>> run = scheme(move.q, move.qd, move.qdd, 1e-3)
    >>> run.torque.shape, run.torque_age.shape  # samples, joints
    ((101, 4), (101, 4))
    """
    what = "unsynchronised inverse dynamics"
    unsprung(single_joints(robot, what), what)
    return Unsynchronised(robot, LinkGroups(robot, groups))


class Unsynchronised:
    """Inverse dynamics on unsynchronised threads; made by `px.control.unsynchronised`."""

    def __init__(self, robot: Robot, groups: LinkGroups):
        self.robot, self._groups = robot, groups
        self._kernel = compile_free_running(groups.bodies)

    @property
    def groups(self) -> list[list[int]]:
        """The links of each group."""
        return [list(links) for links in self._groups.links]

    def __call__(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, period: float
    ) -> UnsynchronisedRun:
        """Run through a motion in real time, one sample every `period` seconds.

        A call takes as long as the motion, and occupies a core per thread as far as available.
        Until a group has computed its first values, others use its values of sample 0.

        **Arguments:**

        - `q`, `qd`, `qdd`: the motion, `(samples, n)`, rad or m, and per second.
        - `period`: the time between samples, s.

        **Returns:** an `UnsynchronisedRun` with torques and the ages of the data used for them.

        **Raises:** `px.ArgumentError` if a shape is wrong or a number is not finite.
        """
        joints = _checked(self.robot, q=q, qd=qd, qdd=qdd)
        if isinstance(period, bool) or not isinstance(period, Real) or not 0 < period < math.inf:
            raise ArgumentError(f"period: expected a number > 0 in seconds, found {period!r}")
        found = self._groups.found_at_first(*(array[0] for array in joints))
        logs = self._kernel(self._groups.given(*joints), found, float(period))
        exact = inverse_dynamics(self.robot, *joints)
        return UnsynchronisedRun.of(self.groups, float(period), logs, exact)

    def __repr__(self):
        parts = []
        for g, (links, body) in enumerate(zip(self.groups, self._groups.bodies, strict=True)):
            found, flops = self._groups.values_found(g), count(body.graph).flops
            parts.append(f"links {links}: {flops} flops, {found} values from others")
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
            raise ArgumentError(f"{name}: expected finite numbers, found NaN or infinite ones")
        joints.append(np.asarray(array, float))
    lengths = [len(array) for array in joints]
    if len(set(lengths)) != 1:
        raise ArgumentError(f"q, qd, qdd: expected equal numbers of samples, found {lengths}")
    return joints
