"""`px.control.best_cut`: which values are best stale on given hardware, if the loop is stable.

Of all cuts of a structured set, the one that the slowest hardware can run: whose safe period is the
most times its loop time. Two bounds spare work without giving up any cut that could win. A cut wins
only if its loop is stable at the best flop time so far, times its loop time; so one that is not
stable at that flop time, times the bound of its loop time, is not scheduled, and one that is not
stable with its schedule has its safe period not looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from ...checks import integer, one_of, quoted, shown
from ...errors import ArgumentError
from ...parallel.schedules.repeated_schedule import LINKS, NETWORKS, pass_bound
from ...physics.coupled_newton_euler import BACKWARD, FORWARD
from ...robots.robot import Robot
from ...simulation.progress import Progress
from ..atlas.asked import critical_gains
from ..atlas.rows import rising
from ..controller import computed_torque
from ..one_thread import on_one_thread
from ..reference import Reference
from ..safe_periods import safe_period
from ..speculation import speculate
from ..stale_policies import EXACT, TO_BACKWARD, Cut, Policy, policy
from .pass_time import PassTime, in_whole_flops, pass_time, stages_of

OUTWARD, INWARD, BOTH = WAYS = "outward", "inward", "both"
NAMED = ("hamilton", "hamilton_one_step", "pipelined")  # the papers' that are not in the set
MOST_JOINTS = 10  # between links: each one more doubles the number of cuts
LONGER = 100.0  # times a period that is stable: how much longer ones are looked at


@dataclass(frozen=True, eq=False, repr=False)
class BestCut:
    """The best of the cuts that were searched; made by `px.control.best_cut`.

    - `policy`: for `px.control.computed_torque`, `px.control.speculate` and the like.
    - `slowest`: the longest flop time, s, at which the loop is stable.
    - `exact_slowest`: the same of exact control, as scheduled; `exact_limit`: what it could be if
      a schedule of exact control were as short as its bound.
    - `loop_time`, `loop_bound`: of the best, in flops.
    - `searched`: how many policies were compared; `scheduled` of them, as others could not win.
    """

    robot: Robot
    policy: Policy
    slowest: float
    exact_slowest: float
    exact_limit: float
    loop_time: float
    loop_bound: float
    safe_period: float
    searched: int
    scheduled: int

    @property
    def gain(self) -> float:
        """How many times slower hardware may be than for exact control, both as scheduled."""
        return self.slowest / self.exact_slowest

    @property
    def proved_gain(self) -> float:
        """At least so many times slower than for any schedule of exact control."""
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
            f"{self.safe_period:.3g} s; best of {self.searched} policies, {self.scheduled} of them "
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

    A loop takes as long as its schedule, and its torques come at the end. It is stable if the
    linear loop at the posture is, up to that period (`px.control.safe_period`). The flop time at
    which that is just so is the larger the better.

    The cuts searched: any subset of the joints between links, cut for all variables that go
    outward, inward, or both; the backward block of a link reads its forward block of this step or
    of the one before. The policies of Binder and Herzog and of Yamakita are among these; exact
    control, both readings of Hamilton's, and a pipeline of two stages are compared too. Which
    variables of a joint are cut, ages of more than a step, and cuts that differ from joint to joint
    in their way, are not searched.

    **Arguments:**

    - `robot`: the robot, with at most 10 joints between links.
    - `processors`, `latency`, `network`: the hardware, as of `px.control.stale_data_tradeoff`.
    - `kp`, `kd`: gains, as of `px.control.stability_atlas`.
    - `posture`: where the loop is to be stable, `(nq,)`; by default zero.

    **Returns:** a `BestCut`.

    **Raises:** `px.ArgumentError` if arguments do not fit together, or exact control is stable at
    no period.
    """
    kp, kd = critical_gains(robot, kp, kd)
    processors = integer("processors", processors)
    one_of(network, NETWORKS, "network")
    latency, *others = rising(latency, "latency", least=0.0).tolist()
    if others:
        raise ArgumentError(f"latency: expected one number of flops, found {1 + len(others)}")
    latency = in_whole_flops(latency)
    reference = Reference(np.zeros(robot.nq) if posture is None else posture, robot)
    search = _Search(robot, (kp, kd), reference.posture, (processors, latency, network))
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
        len(candidates),
        search.scheduled,
    )


def structured_cuts(robot: Robot) -> Sequence[Policy]:
    """All policies that are compared: those of the papers first, which bound the others."""
    inner = [(link, joint.parent) for link, joint in enumerate(robot.joints) if joint.parent >= 0]
    if len(inner) > MOST_JOINTS:
        raise ArgumentError(
            f"robot {quoted(robot.name)}: best_cut compares all subsets of at most {MOST_JOINTS} "
            f"joints between links, found {len(inner)}; px.control.stale_data_tradeoff compares "
            "policies that you name"
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
    """Of the joint between a link and its parent."""
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
    def __init__(self, robot, gains, posture, hardware):
        self.robot, self.gains, self.posture, self.hardware = robot, gains, posture, hardware
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
        safe = safe_period(self.robot, law, self.posture, delay_share=1.0).period or 0.0
        found = _Found(candidate, time, safe)
        if self.exact is None:  # the first that is looked at
            if not safe:
                raise ArgumentError(
                    "kp, kd: exact control is stable at no period with these gains, so there is "
                    "nothing to compare with; choose others"
                )
            self.exact = found
        if self.best is None or found.slowest > self.best.slowest:
            self.best = found

    def _stable(self, law, period):
        """At one period: what is not stable there has a shorter safe period."""
        ends = {"shortest": period, "longest": LONGER * period}
        found = safe_period(self.robot, law, self.posture, delay_share=1.0, **ends)
        return found.period is not None
