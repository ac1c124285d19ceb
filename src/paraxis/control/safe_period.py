"""`px.safe_period`: the largest sampling period at which a stale controller is stable.

What is predicted here is linear: near a posture or along a motion. What really happens, in the
nonlinear loop, is for `px.simulated_safe_period`; neither knows of the other.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from ..drivers.iterate import whole
from ..drivers.map import as_array
from ..errors import ArgumentError
from ..functions import check_parameters
from ..robot.model import PARAMETERS
from ..robot.robot import a_robot
from ..simulation.simulator import positive
from .controller import Controller
from .joint_spectral_radius import joint_spectral_radius, radius_below
from .linear_loop import LinearLoop
from .reference import Reference

SHORTEST, LONGEST = 1e-4, 1e2  # periods looked at, times the loop's fastest rate
PER_DECADE = 12
PRECISION = 1e-4  # of the period
MOST_CHOICES = 256  # of ages
MOST_POINTS = 20_000  # control steps along a motion
EQUILIBRIUM = 1e-10  # of an acceleration
NEWTON_STEPS = 50


@dataclass(frozen=True, eq=False, repr=False)
class SafePeriod:
    """The largest safe period and how it was found.

    period: up to it every period is stable, as far as the linear loop tells; None where even the
    shortest that was looked at is not. unstable: the next longer period that was found not to be
    proved stable, infinite where there is none up to `longest`. margin: 1 - spectral radius at
    `period`. method: what was looked at.
    """

    period: float | None
    unstable: float
    shortest: float
    longest: float
    method: str
    _radius: object = field(repr=False)

    def spectral_radius(self, period):
        """By how much errors are multiplied a control step, at worst, in the long run.

        Of an upper bound where ages or misses are arbitrary (see `bounds`).
        """
        return self.bounds(period)[1]

    def bounds(self, period):
        """A lower and an upper bound of the spectral radius; equal where there is one map."""
        return self._radius(positive(period, "period"))

    @property
    def margin(self):
        return None if self.period is None else 1.0 - self.spectral_radius(self.period)

    @property
    def rate(self):
        """The lowest safe sampling rate in Hz."""
        return None if self.period is None else 1.0 / self.period

    def __repr__(self):
        if self.period is None:
            said = f"none: not even {self.shortest:.3g} s is stable"
        elif math.isinf(self.unstable):
            said = f"all up to {self.longest:.3g} s"
        else:
            said = f"{self.period:.4g} s ({self.rate:.4g} Hz), not {self.unstable:.4g} s"
        return f"<SafePeriod {said}; {self.method}>"


def safe_period(
    robot,
    controller,
    trajectory,
    *,
    periodic=False,
    duration=None,
    delay=0.0,
    missed=0,
    margin=0.0,
    shortest=None,
    longest=None,
    **parameters,
):
    """The largest sampling period at which a robot under a controller is stable, as a SafePeriod.

    The loop is linearised about a posture (n,), or along a trajectory (as of `px.closed_loop`;
    `duration` where it has none). At a posture the spectral radius of the map from control step to
    control step decides; along a trajectory the largest over its points, each as if it lasted, or,
    with periodic=True, that of the whole way round (the monodromy matrix), a step on average. Ages
    that are uncertain (px.policy("vuskovic", age=(1, 2))) and up to `missed` control steps missed
    in a row may come in any order: then bounds of the joint spectral radius decide, the upper one
    for what is safe.

    delay: the share of the period, in [0, 1), that computation takes. margin: asks for a spectral
    radius of at most 1 - margin. shortest, longest: the periods to look at, by default 1e-4 to 1e2
    divided by the fastest rate of the exact loop. Keywords are parameters of the plant, as
    mass=(n,), where it is another than the controller knows.

    The first interval of stable periods is what counts: beyond an unstable one nothing is looked
    for. Quantisation, torque limits and jitter are no part of it: `px.closed_loop` has them.
    """
    loop = _Loop(robot, controller, trajectory, parameters, periodic, duration, delay, missed)
    if not isinstance(margin, int | float) or not 0 <= margin < 1:
        raise ArgumentError(f"margin: expected a number in [0, 1), found {margin!r}")
    fastest = loop.fastest_rate() if shortest is None or longest is None else None
    shortest = SHORTEST / fastest if shortest is None else positive(shortest, "shortest")
    longest = LONGEST / fastest if longest is None else positive(longest, "longest")
    if shortest >= longest:
        raise ArgumentError(f"longest: expected more than {shortest} s, found {longest}")
    if loop.moves:
        longest = min(longest, loop.duration / 2)
        shortest = max(shortest, loop.duration / MOST_POINTS)
    period, unstable = _first_interval(loop.is_safe, shortest, longest, margin)
    return SafePeriod(period, unstable, shortest, longest, loop.method, loop.bounds)


def _first_interval(is_safe, shortest, longest, margin):
    """The end of the first interval of safe periods, found by stepping and halving."""
    count = 1 + math.ceil(PER_DECADE * math.log10(longest / shortest))
    safe = None
    for period in np.geomspace(shortest, longest, count).tolist():
        if not is_safe(period, margin):
            break
        safe = period
    else:
        return safe, math.inf
    unsafe = period
    while safe is not None and unsafe - safe > PRECISION * safe:
        middle = (safe + unsafe) / 2
        if is_safe(middle, margin):
            safe = middle
        else:
            unsafe = middle
    return safe, unsafe


class _Loop:
    """The maps of a loop as functions of the period."""

    def __init__(
        self, robot, controller, trajectory, parameters, periodic, duration, delay, missed
    ):
        a_robot(robot)
        if not isinstance(controller, Controller) or controller.robot.nv != robot.nv:
            raise ArgumentError(
                f"controller: expected one of px.computed_torque, px.feed_forward or px.pd for "
                f"{robot.nv} joints, found {controller!r}"
            )
        if controller.kp.ndim > 1 or controller.kd.ndim > 1:
            raise ArgumentError("controller: expected one set of gains, found a batch of them")
        check_parameters("forward_dynamics", tuple(parameters))
        given = {}
        for name, value in parameters.items():
            shape = tuple(robot.n if k == "n" else k for k in PARAMETERS[name])
            given[name] = as_array(value, name, shape).astype(float)
            if given[name].shape != shape:
                raise ArgumentError(f"{name}: expected shape {shape}, found {given[name].shape}")
        if not isinstance(delay, int | float) or not 0 <= delay < 1:
            raise ArgumentError(f"delay: expected a share of the period in [0, 1), found {delay!r}")
        self.robot, self.delay = robot, float(delay)
        self.missed = whole(missed, "missed")
        self.linear = LinearLoop(robot, controller, given)
        self.reference = Reference(trajectory, robot.nv)
        self.posture = self.reference.posture
        self.periodic = periodic
        if self.moves:
            length = self.reference.duration if duration is None else duration
            if length is None:
                raise ArgumentError("duration: expected seconds, as the trajectory has no end")
            self.duration = positive(length, "duration")
        elif periodic:
            raise ArgumentError("periodic: expected a trajectory to go round, found a posture")
        if len(self.linear.ages) > MOST_CHOICES:
            raise ArgumentError(
                f"policy: expected at most {MOST_CHOICES} choices of ages in a control step, found "
                f"{len(self.linear.ages)}"
            )
        if periodic and self.switches:
            raise ArgumentError(
                "periodic: expected ages that are certain and missed=0, as bounds over all orders "
                "of a whole way round are not made; without periodic its points are looked at"
            )
        self._still = None if self.moves else self._at_rest()

    @property
    def moves(self):
        return self.posture is None

    @property
    def switches(self):
        """May a control step be one of several?"""
        return bool(self.missed) or len(self.linear.ages) > 1

    @property
    def method(self):
        where = "a posture" if not self.moves else "points of a trajectory"
        where = "a periodic trajectory" if self.periodic else where
        kind = "joint spectral radius" if self.switches else "spectral radius"
        return f"{kind} at {where}" if not self.periodic else f"{kind} of {where}"

    # -- where it is linearised -------------------------------------------------------------------

    def _at_rest(self):
        """Linearised where the loop rests, which is the posture unless the model is wrong."""
        linear, n = self.linear, self.robot.nv
        still = np.zeros(n)
        desired = np.stack([self.posture, still, still])
        q = self.posture.copy()
        for _ in range(NEWTON_STEPS):
            tau, past = linear.exact((q, still), desired)
            off = linear.accelerations((q, still), tau)
            if abs(off).max() <= EQUILIBRIUM * max(1.0, abs(tau).max()):
                break
            slope, push = linear.plant_slopes((q, still), tau)
            law = linear.linearised((q, still), tau, (q, still), desired, desired, past)
            by_q = (slope + push @ law.settled())[:, :n]
            q = q - np.linalg.solve(by_q, off)
        else:
            raise ArgumentError(
                f"controller: expected one that holds the robot near the posture, found none of "
                f"{NEWTON_STEPS} steps from it at rest"
            )
        return linear.linearised((q, still), tau, (q, still), desired, desired, past)

    def _along(self, period):
        """Linearised at the control steps of a motion, in the order of time."""
        count = math.ceil(self.duration / period - 1e-9)
        t = period * np.arange(count)
        linear = self.linear
        desired, middle, ahead = (self.reference.sampled(each) for each in self._times(t, period))
        state = desired[..., 0, :], desired[..., 1, :]
        between = middle[..., 0, :], middle[..., 1, :]
        tau, _ = linear.exact(between, middle)
        entries = linear.controller.entries
        past = np.empty((count, len(entries)))
        for age in sorted({entry.age for entry in entries}):
            earlier = self.reference.sampled(self._wrapped(t - age * period))
            _, values = linear.exact((earlier[..., 0, :], earlier[..., 1, :]), earlier)
            columns = [j for j, entry in enumerate(entries) if entry.age == age]
            past[:, columns] = values[:, columns]
        return linear.linearised(between, tau, state, desired, ahead, past)

    def _times(self, t, period):
        return self._wrapped(t), self._wrapped(t + period / 2), self._wrapped(t + period)

    def _wrapped(self, t):
        return np.mod(t, self.duration) if self.periodic else np.clip(t, 0.0, self.duration)

    # -- maps -------------------------------------------------------------------------------------

    def maps(self, period):
        """The maps that a control step may be: (choices, m, m), or (choices, steps, m, m)."""
        where = self._along(period) if self.moves else self._still
        holds = bool(self.missed or self.delay)
        steps = where.steps(period, self.delay * period, holds)
        if not self.missed:
            return steps
        miss, after = where.missed(period), [steps]
        for _ in range(self.missed):
            after.append(after[-1] @ miss)
        return np.concatenate(after)

    def bounds(self, period):
        """A lower and an upper bound of the spectral radius."""
        maps = self.maps(period)
        if not np.isfinite(maps).all():
            return math.inf, math.inf
        if self.periodic:
            radius = _radius_of_product(maps[0])
            return radius, radius
        if not self.switches:
            radius = float(abs(np.linalg.eigvals(maps[0])).max())
            return radius, radius
        if not self.moves:
            found = joint_spectral_radius(maps)
            return found.lower, found.upper
        each = [joint_spectral_radius(maps[:, k]) for k in range(maps.shape[1])]
        return max(found.lower for found in each), max(found.upper for found in each)

    def is_safe(self, period, margin):
        """Is the spectral radius, or its upper bound, below 1 - margin?"""
        if not self.switches:
            return self.bounds(period)[1] < 1.0 - margin
        maps = self.maps(period)
        if not np.isfinite(maps).all():
            return False
        sets = np.moveaxis(maps, 1, 0) if self.moves else maps[None]
        return all(radius_below(each, 1.0 - margin) for each in sets)

    def fastest_rate(self):
        """Of the exact loop in continuous time, in 1/s: the scale of the periods looked at."""
        where = self._still if not self.moves else self._along(self.duration / 8)
        n = self.robot.nv
        slope = where.A + where.B @ where.settled()
        whole_loop = np.zeros((*slope.shape[:-2], 2 * n, 2 * n))
        whole_loop[..., :n, n:] = np.eye(n)
        whole_loop[..., n:, :] = slope
        return max(float(abs(np.linalg.eigvals(whole_loop)).max()), 1e-3)


def _radius_of_product(maps):
    """The spectral radius of a product of maps, per map."""
    product, size = np.eye(maps.shape[-1]), 0.0
    for each in maps:
        product = each @ product
        largest = abs(product).max()
        if not 0 < largest < math.inf:
            return 0.0 if largest == 0 else math.inf
        product, size = product / largest, size + math.log(largest)
    radius = float(abs(np.linalg.eigvals(product)).max())
    return math.exp((math.log(radius) + size) / len(maps)) if radius else 0.0
