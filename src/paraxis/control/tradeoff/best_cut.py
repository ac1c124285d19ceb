"""`px.control.best_cut`: which values are best stale on given hardware, if the loop is stable.

Of all cuts in a structured set, the best is the one that the slowest hardware can run: the one with
the largest ratio of safe period to loop time; with several postures, the smallest of its safe
periods counts. Two bounds avoid work without discarding any cut that could win. A cut can only win
if its loop is stable at the period given by the best flop time so far and its loop time. If it is
unstable with the lower bound of its loop time, it is not scheduled; if it is unstable with its
scheduled loop time, its safe period is not searched for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from ...api import neutral
from ...checks import counted, integer, one_of, quoted, shown
from ...drivers.map import in_main_memory
from ...errors import ArgumentError
from ...parallel.schedules.repeated_schedule import LINKS, NETWORKS, pass_bound
from ...physics.coupled_newton_euler import BACKWARD, FORWARD
from ...robots.quaternions import require_unit_quaternions
from ...robots.robot import Robot
from ...simulation.progress import Progress
from ..atlas.asked import critical_gains
from ..atlas.rows import rising
from ..controller import computed_torque
from ..one_thread import on_one_thread
from ..safe_periods import safe_period
from ..speculation import speculate
from ..stale_policies import EXACT, TO_BACKWARD, Cut, Policy, policy
from .pass_time import PassTime, in_whole_flops, pass_time, stages_of

OUTWARD, INWARD, BOTH = WAYS = "outward", "inward", "both"
NAMED = ("hamilton", "hamilton_one_step", "pipelined")  # policies of the papers outside the set
MOST_JOINTS = 10  # between links: each additional one doubles the number of cuts
LONGER = 100.0  # times a stable period: the longest one examined


@dataclass(frozen=True, eq=False, repr=False)
class BestCut:
    """The best of the cuts that were searched; created by `px.control.best_cut`.

    - `robot`: the robot.
    - `policy`: for `px.control.computed_torque`, `px.control.speculate` and similar functions.
    - `slowest`: the longest flop time, s, at which the loop is stable.
    - `exact_slowest`: the same for exact control, as scheduled; `exact_limit`: its largest possible
      value, if a schedule of exact control were as short as its lower bound.
    - `loop_time`, `loop_bound`: the loop time of the best cut and its lower bound, in flops.
    - `safe_period`: its safe period, s: the smallest over the postures.
    - `postures`: the number of postures.
    - `searched`: the number of policies compared; `scheduled`: of these, the scheduled ones.
    """

    robot: Robot
    policy: Policy
    slowest: float
    exact_slowest: float
    exact_limit: float
    loop_time: float
    loop_bound: float
    safe_period: float
    postures: int
    searched: int
    scheduled: int

    @property
    def gain(self) -> float:
        """The factor by which hardware may be slower than for exact control, both as scheduled."""
        return self.slowest / self.exact_slowest

    @property
    def proved_gain(self) -> float:
        """A lower bound of this factor over all schedules of exact control."""
        return self.slowest / self.exact_limit

    def __repr__(self):
        proved, gain = self.proved_gain, ""
        if self.policy.name != "exact":
            sure = f"at least {proved:.2f} x is proved" if proved > 1 else "not proved"
            gain = f", {self.gain:.2f} x that of exact control ({sure})"
        return (
            f"<BestCut of {shown(self.robot.name)}: {self.policy.name} is stable up to "
            f"{self.slowest * 1e6:.3g} µs per flop{gain}; "
            f"loop time {self.loop_time:g} flops (bound {self.loop_bound:g}), safe period "
            f"{self.safe_period:.3g} s at {counted(self.postures, 'posture')}; best of "
            f"{self.searched} policies, {self.scheduled} of them "
            "scheduled>"
        )


@on_one_thread
def best_cut(
    robot: Robot,
    processors: int,
    latency: float,
    kp: ArrayLike = 100.0,
    kd: ArrayLike | None = None,
    *,
    posture: ArrayLike | None = None,
    network: str = LINKS,
) -> BestCut:
    """Return the cut of a robot's control loop that the slowest hardware can run.

    A loop takes as long as its schedule, and its torques are applied at the end. It counts as
    stable if the linear loop is stable at each of the postures, up to that period
    (`px.control.safe_period`). The best cut has the largest flop time at which its loop is still
    stable.

    These cuts are searched: any subset of the joints between links, cut for all variables that go
    outward, inward, or both; the backward block of a link reads its forward block of this step or
    of the one before. These include the policies of Binder and Herzog and of Yamakita; exact
    control, both readings of Hamilton's, and a pipeline of two stages are compared too. Not
    searched are cuts of single variables of a joint, ages of more than one step, and combinations
    of different kinds of cuts at different joints.

    **Arguments:**

    - `robot`: the robot, with at most 10 joints between links.
    - `processors`, `latency`, `network`: the hardware, as for `px.control.stale_data_tradeoff`.
    - `kp`, `kd`: gains, as for `px.control.stability_atlas`.
    - `posture`: the posture at which the loop has to be stable, `(nq,)`, or several, `(k, nq)`, at
      all of which it has to be; by default `px.neutral`.

    **Returns:** a `BestCut`.

    **Raises:** `px.ArgumentError` if arguments do not fit together, or exact control is not stable
    at any period.

    **Example:**

    >>> best = px.control.best_cut(px.robots.planar(3), processors=3, latency=10)
    >>> best.policy.name, best.loop_time  # flops
    ('inward_at_2', 37)
    >>> round(best.gain, 2)  # relative to exact control
    1.18
    """
    kp, kd = critical_gains(robot, kp, kd)
    processors = integer("processors", processors)
    one_of(network, NETWORKS, "network")
    latency, *others = rising(latency, "latency", least=0.0).tolist()
    if others:
        raise ArgumentError(f"latency: expected one number of flops, found {1 + len(others)}")
    latency = in_whole_flops(latency)
    postures = _postures(robot, neutral(robot) if posture is None else posture)
    search = _Search(robot, (kp, kd), postures, (processors, latency, network))
    candidates = structured_cuts(robot)
    with Progress("best cut", len(candidates)) as progress:
        for k, candidate in enumerate(candidates, 1):
            search.look_at(candidate)
            progress.at(k)
    best = search.best
    return BestCut(
        robot,
        best.policy,
        best.slowest,
        search.exact.slowest,
        search.exact.safe / search.exact.time.bound,
        best.time.period,
        best.time.bound,
        best.safe,
        len(postures),
        len(candidates),
        search.scheduled,
    )


def structured_cuts(robot: Robot) -> Sequence[Policy]:
    """All policies that are compared, first those of the papers, which bound the others."""
    inner = [(link, joint.parent) for link, joint in enumerate(robot.joints) if joint.parent >= 0]
    if len(inner) > MOST_JOINTS:
        raise ArgumentError(
            f"robot {quoted(robot.name)}: best_cut compares all subsets of at most {MOST_JOINTS} "
            f"joints between links, found {len(inner)}; use px.control.stale_data_tradeoff to "
            "compare policies by name"
        )
    found = [EXACT, *map(policy, NAMED), Policy("within_links", (TO_BACKWARD,))]
    for count in range(len(inner), 0, -1):
        for joints in combinations(inner, count):
            where = "_".join(str(link) for link, _ in joints)
            for way in WAYS:
                cuts = tuple(cut for pair in joints for cut in _cuts(*pair, way))
                found.append(Policy(f"{way}_at_{where}", cuts))
                found.append(Policy(f"{way}_at_{where}_and_within_links", (*cuts, TO_BACKWARD)))
    return found


def _cuts(link, parent, way):
    """The cuts of the joint between a link and its parent."""
    if way != INWARD:
        yield Cut(FORWARD, link=link, of_link=parent)
    if way != OUTWARD:
        yield Cut(BACKWARD, link=parent, of_link=link)


@dataclass(frozen=True)
class _Found:
    policy: Policy
    time: PassTime
    safe: float

    @property
    def slowest(self):
        return self.safe / self.time.period


class _Search:
    def __init__(self, robot, gains, postures, hardware):
        self.robot, self.gains, self.postures, self.hardware = robot, gains, postures, hardware
        self.exact = self.best = None
        self.scheduled = 0

    def look_at(self, candidate):
        program = speculate(self.robot, candidate)
        law = computed_torque(self.robot, *self.gains, candidate)
        if self.best is not None:
            processors, latency, _ = self.hardware
            least = pass_bound(program, processors, latency) / stages_of(program)
            if not self._stable(law, least * self.best.slowest):
                return
        self.scheduled += 1
        time = pass_time(program, *self.hardware)
        if self.best is not None and not self._stable(law, time.period * self.best.slowest):
            return
        safe = self._safe(law)
        found = _Found(candidate, time, safe)
        if self.exact is None:  # the first one examined
            if not safe:
                raise ArgumentError(
                    "kp, kd: exact control is not stable at any period with these gains, so "
                    "there is nothing to compare with; choose others"
                )
            self.exact = found
        if self.best is None or found.slowest > self.best.slowest:
            self.best = found

    def _stable(self, law, period):
        """Whether it is stable at one period; if not, its safe period is shorter."""
        ends = {"shortest": period, "longest": LONGER * period}
        return all(found.period is not None for found in self._each(law, **ends))

    def _safe(self, law):
        """The longest period up to which the loop is stable at all postures; 0 if there is none."""
        return min(found.period or 0.0 for found in self._each(law))

    def _each(self, law, **ends):
        """The safe periods at the postures."""
        for posture in self.postures:
            yield safe_period(self.robot, law, posture, delay_share=1.0, **ends)


def _postures(robot, given):
    """One posture or several, as (k, nq)."""
    in_main_memory(given, "posture")
    try:
        postures = np.atleast_2d(np.asarray(given, float))
    except (TypeError, ValueError):
        postures = np.empty(0)
    good = postures.ndim == 2 and len(postures) and postures.shape[1] == robot.nq
    if not good or not np.isfinite(postures).all():
        raise ArgumentError(
            f"posture: expected {counted(robot.nq, 'number')}, (nq,), or several such rows, "
            f"(k, nq), found {given!r}"
        )
    require_unit_quaternions(robot, postures, "posture")
    return postures
