"""`px.control.stale_data_tradeoff`: when stale data are worth it, on which hardware.

Stale data shorten the critical path of a control loop and save messages, at a cost in stability and
accuracy. Which effect prevails depends on processors and messages. Loop times are taken from
schedules, safe periods from the linear loop, and tracking errors from simulation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike

from ...checks import integer, one_of, shown
from ...errors import ArgumentError
from ...parallel.schedules.repeated_schedule import LINKS, NETWORKS
from ...parallel.written import written
from ...robots.robot import Robot
from ...simulation.progress import Progress
from ...simulation.simulator import positive
from ..atlas.asked import certain_policies, critical_gains, cyclic_motion
from ..atlas.atlas import StabilityAtlas
from ..atlas.motion import checked_motion
from ..atlas.rows import rising
from ..controller import Motion, computed_torque
from ..one_thread import on_one_thread
from ..safe_periods import safe_period
from ..sampled_control import closed_loop
from ..speculation import speculate
from ..stale_policies import EXACT, Policy
from .pass_time import pass_time

POLICIES = ("exact", "binder_herzog", "hamilton", "hamilton_one_step", "pipelined")
FLOP_TIME = 45e-6  # s: an 8086, after Dhanaraj's 0.135 ms for 3 flops
LATENCIES = (0, 10, 50)  # flops
POSTURES = 4  # of the motion that are examined
MOST_STEPS = 10_000_000  # of a simulated run


@dataclass(frozen=True, eq=False, repr=False)
class StaleDataTradeoff:
    """The results of each policy on each hardware; created by `px.control.stale_data_tradeoff`.

    Arrays have the axes (networks, processors, latencies, policies); policy 0 is exact control.

    - `robot`: the robot.
    - `networks`, `policies`: their names.
    - `processors`: the numbers of processors, increasing.
    - `latencies`: latencies of a message, flops, increasing.
    - `flop_time`: the time of a multiplication or addition, s.
    - `loop_time`: the shortest schedule found, flops; `loop_bound`: a lower bound of all schedules.
    - `safe_period`: up to which the linear loop is stable, `(policies,)`, s; 0 if never.
    - `error`: the largest error of a joint, rad or m.
    - `diverged`: whether the simulated run diverged.
    - `kp`, `kd`: gains, `(nv,)`.
    """

    robot: Robot
    networks: tuple[str, ...]
    processors: np.ndarray
    latencies: np.ndarray
    policies: tuple[str, ...]
    flop_time: float
    loop_time: np.ndarray
    loop_bound: np.ndarray
    safe_period: np.ndarray
    error: np.ndarray
    diverged: np.ndarray
    kp: np.ndarray = field(repr=False)
    kd: np.ndarray = field(repr=False)

    @property
    def period(self) -> np.ndarray:
        """The sampling period, s, which is the duration of a pass of the loop."""
        return self.loop_time * self.flop_time

    @property
    def stable(self) -> np.ndarray:
        """Whether the period is a safe period of the policy, and the simulation stayed bounded."""
        return (self.period <= self.safe_period) & ~self.diverged

    @property
    def rate_gain(self) -> np.ndarray:
        """The rate relative to that of exact control on the same hardware, both as scheduled."""
        return self.loop_time[..., :1] / self.loop_time

    @property
    def proved_gain(self) -> np.ndarray:
        """A lower bound of the rate relative to exact control with any schedule."""
        return self.loop_bound[..., :1] / self.loop_time

    @property
    def slowest(self) -> np.ndarray:
        """The longest flop time, s, at which each loop would be stable."""
        return self.safe_period / self.loop_time

    @property
    def most_accurate(self) -> np.ndarray:
        """(networks, processors, latencies): the stable policy with the least error, or -1."""
        return self._least(self.error)

    @property
    def fastest(self) -> np.ndarray:
        """(networks, processors, latencies): the stable policy with the highest rate, or -1."""
        return self._least(self.loop_time)

    def _least(self, values):
        least = np.where(self.stable, values, np.inf).argmin(-1)
        return np.where(self.stable.any(-1), least, -1)

    def answer(self, processors: int, latency: float, network: str = LINKS) -> str:
        """Return the answer for one kind of hardware, in a sentence."""
        at = self._index(processors, latency, network)
        hardware, fastest, accurate = self._hardware(at), self.fastest[at], self.most_accurate[at]
        if fastest < 0:
            return f"With {hardware}: no policy is stable at {self.flop_time:g} s per flop."
        if fastest == accurate == 0:
            return f"With {hardware}: exact control; stale data are not worth it."
        least, exact = self.error[at][accurate], self.error[at][0]
        error = f"{least:.2g} where exact control has {exact:.2g}"
        if not self.stable[at][0]:
            error = f"{least:.2g}; exact control is not stable"
        return (
            f"With {hardware}: {self._rated(at, fastest)}; {self._named(accurate)} has the least "
            "error" + (f", {error}." if accurate else ".")
        )

    def _rated(self, at, k):
        fastest = f"{self._named(k)} has the highest rate"
        if k == 0:
            return fastest
        gain, proved = self.rate_gain[at][k], self.proved_gain[at][k]
        sure = f"at least {proved:.2f} x is proved" if proved > 1 else "not proved"
        return f"{fastest}, {gain:.2f} x that of exact control ({sure})"

    def _named(self, k):
        return self.policies[k] if k else "exact control"

    @property
    def conclusion(self) -> str:
        """The answer for the robot, over all hardware, in a sentence or two."""
        kinds, faster, nearer = self.fastest.size, self.fastest > 0, self.most_accurate > 0
        if not self.stable.any():
            return f"No policy is stable on any of {kinds} kinds of hardware."
        if not (faster | nearer).any():
            return f"Exact control; stale data are worth it on none of {kinds} kinds of hardware."
        proved = np.take_along_axis(self.proved_gain, self.fastest[..., None], -1)[..., 0] > 1
        text = (
            f"Stale data have the highest rate on {faster.sum()} of {kinds} kinds of hardware "
            f"(proved on {(faster & proved).sum()}) and the least error on {nearer.sum()}."
        )
        gains = np.take_along_axis(self.rate_gain, self.fastest[..., None], -1)[..., 0]
        at = np.unravel_index(np.where(faster, gains, 0).argmax(), faster.shape)
        if not faster[at]:
            return text
        policy = self.policies[self.fastest[at]]
        return (
            f"{text} They gain most with {self._hardware(at)}: {policy} runs at {gains[at]:.2f} x "
            "the rate of exact control."
        )

    @property
    def answers(self) -> list[str]:
        """The answers for all hardware."""
        return [
            self.answer(p, latency, network)
            for network in self.networks
            for p in self.processors.tolist()
            for latency in self.latencies.tolist()
        ]

    def to_html(
        self, path: str | PathLike | None = None, atlas: StabilityAtlas | None = None
    ) -> str:
        """Return an interactive page of it, also written to `path` if given; `atlas` goes first."""
        from .page import page

        return written(page(self, atlas), path)

    def _repr_html_(self):
        from .page import framed

        return framed(self)

    def _index(self, processors, latency, network):
        one_of(network, self.networks, "network")
        places = []
        for name, value, known in (
            ("processors", processors, self.processors),
            ("latency", latency, self.latencies),
        ):
            if value not in known:
                raise ArgumentError(f"{name}: expected one of {known.tolist()}, found {value!r}")
            places.append(int(np.flatnonzero(known == value)[0]))
        return self.networks.index(network), *places

    def _hardware(self, at):
        network, processors, latency = at
        count = int(self.processors[processors])
        many = "1 processor" if count == 1 else f"{count} processors"
        sent = f"a message latency of {self.latencies[latency]:g} flops"
        return f"{many} and {sent}" + (" on a bus" if self.networks[network] != LINKS else "")

    def __repr__(self):
        faster, nearer = ((each > 0).sum() for each in (self.fastest, self.most_accurate))
        return (
            f"<StaleDataTradeoff of {shown(self.robot.name)}: of {self.fastest.size} kinds of "
            "hardware, "
            f"stale data have the highest rate on {faster} and the least error on {nearer}, at "
            f"{self.flop_time:g} s per flop>"
        )


@on_one_thread
def stale_data_tradeoff(
    robot: Robot,
    kp: ArrayLike = 100.0,
    kd: ArrayLike | None = None,
    policies: str | Policy | Sequence[str | Policy] = POLICIES,
    *,
    processors: int | Sequence[int] | None = None,
    latency: float | Sequence[float] = LATENCIES,
    networks: str | Sequence[str] = NETWORKS,
    flop_time: float = FLOP_TIME,
    motion: Callable | None = None,
    cycle: float | None = None,
    bound: float = 1.0,
) -> StaleDataTradeoff:
    """Return the effects of stale data on given hardware: rate, stability and tracking error.

    A pass of the control loop is scheduled on each number of processors, with messages, including
    values for the next pass. The sampling period is the length of the schedule, and the torques are
    applied at its end. The largest safe period is that of the linear loop at some postures of the
    motion, as by `px.control.safe_period`, and the tracking error is that of
    `px.control.closed_loop` along the motion.

    **Arguments:**

    - `robot`: the robot.
    - `kp`, `kd`: gains, as for `px.control.stability_atlas`.
    - `policies`: names, or `px.control.policy(...)`; exact control is always included.
    - `processors`: one or several numbers of processors; by default 1, and 1, 2 and 4 per link.
    - `latency`: one or several latencies of a message between two processors, in flops.
    - `networks`: `"links"`, where every two processors have a link, `"bus"`, where messages queue
      for one bus, or both.
    - `flop_time`: the time of a multiplication or addition, s; by default 45 us, the value for an
      8086 in Dhanaraj's thesis.
    - `motion`, `cycle`: the desired motion, as for `px.control.stability_atlas`; a run lasts one
      and a half cycles.
    - `bound`: the error above which a run counts as diverged, rad or m.

    **Returns:** a `StaleDataTradeoff`, with arrays over networks, processors, latencies and
    policies, a sentence `answer(processors, latency)` for given hardware, and a `conclusion` for
    the robot.

    **Raises:** `px.ArgumentError` if arguments do not fit together.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> tradeoff = px.control.stale_data_tradeoff(
    ...     robot, policies=["hamilton"], processors=2, latency=10, networks="links"
    ... )
    >>> tradeoff.rate_gain[0, 0, 0]  # exact control and hamilton
    array([1.  , 1.32])
    >>> tradeoff.stable[0, 0, 0]
    array([ True,  True])
    """
    kp, kd = critical_gains(robot, kp, kd)
    chosen = _with_exact(certain_policies(policies))
    motion, cycle = cyclic_motion(robot, motion, cycle)
    reference = checked_motion(robot, motion, cycle)
    counts = _processors(robot, processors)
    latencies = rising(latency, "latency", least=0.0)
    names = tuple(networks) if isinstance(networks, list | tuple) else (networks,)
    for name in names:
        one_of(name, NETWORKS, "network")
    if not names or len({*names}) < len(names):
        raise ArgumentError(f"networks: expected one or more distinct names, found {networks!r}")
    flop_time, bound = positive(flop_time, "flop_time"), positive(bound, "bound")
    shape = len(names), len(counts), len(latencies), len(chosen)
    loop_time, loop_bound, error = (np.empty(shape) for _ in range(3))
    diverged, safe = np.empty(shape, bool), np.empty(len(chosen))
    t = np.arange(POSTURES) * cycle / POSTURES
    postures = Motion.of(robot, reference.sampled(t)).q
    with Progress("stale-data trade-off", len(chosen)) as progress:
        for k, policy in enumerate(chosen):
            found = _loop_times(speculate(robot, policy), names, counts, latencies)
            loop_time[..., k], loop_bound[..., k] = found
            progress.at(k + 0.5)
            law = computed_torque(robot, kp, kd, policy)
            safe[k] = min(
                safe_period(robot, law, q, delay_share=1.0).period or 0.0 for q in postures
            )
            period, duration = loop_time[..., k] * flop_time, 1.5 * cycle
            if period.max() > duration:
                raise ArgumentError(
                    f"flop_time: expected at most {duration / loop_time[..., k].max():.3g} s, with "
                    f"which a control step of policy {policy.name} lasts as long as the run of "
                    f"{duration:g} s, found {flop_time:g}"
                )
            if duration / period.min() > MOST_STEPS:
                least = duration / loop_time[..., k].min() / MOST_STEPS
                raise ArgumentError(
                    f"flop_time: expected at least {least:.3g} s, with which the run of "
                    f"{duration:g} s has {MOST_STEPS:,} control steps of policy {policy.name}, "
                    f"found {flop_time:g}; a shorter one gives the same comparison with smaller "
                    "errors"
                )
            times = {"duration": duration, "delay": period, "bound": bound}
            run = closed_loop(robot, law, motion, period, **times)
            error[..., k], diverged[..., k] = run.error, run.diverged
            progress.at(k + 1)
    return StaleDataTradeoff(
        robot,
        names,
        counts,
        latencies,
        tuple(policy.name for policy in chosen),
        flop_time,
        loop_time,
        loop_bound,
        safe,
        error,
        diverged,
        kp,
        kd,
    )


def _loop_times(program, networks, counts, latencies):
    """(networks, processors, latencies) of the shortest schedules found, and of lower bounds.

    A schedule is also valid for more processors, for faster messages, and from a bus for links.
    """
    shape = len(networks), len(counts), len(latencies)
    time, least = np.empty(shape), np.empty(shape)
    for n, network in enumerate(networks):
        for p, processors in enumerate(counts.tolist()):
            for k, latency in enumerate(latencies.tolist()):
                used = network if latency else LINKS  # free messages do not queue
                time[n, p, k], least[n, p, k] = pass_time(program, processors, latency, used)
    time = np.minimum.accumulate(time, axis=1)
    time = np.minimum.accumulate(time[..., ::-1], axis=2)[..., ::-1]
    if LINKS in networks:
        time[networks.index(LINKS)] = time.min(axis=0)
    least = np.maximum.accumulate(least[:, ::-1], axis=1)[:, ::-1]
    return time, np.maximum.accumulate(least, axis=2)


def _with_exact(chosen):
    return [EXACT, *(policy for policy in chosen if policy != EXACT)]


def _processors(robot, given):
    if given is None:
        given = sorted({1, robot.n, 2 * robot.n, 4 * robot.n})
    several = [given] if np.isscalar(given) else list(given)
    counts = [integer("processors", each) for each in several]
    if not counts or sorted(set(counts)) != counts:
        raise ArgumentError(f"processors: expected increasing integers, found {given!r}")
    return np.array(counts)
