"""How fast errors of a control loop grow from step to step, as a function of the period.

The growth is found from eigenvalues of the loop's linear maps: near a posture; at points of a
motion, each treated as if it lasted; or over a complete cycle of a periodic motion. If a control
step may be one of several (uncertain ages, missed steps), it is found from bounds of their joint
spectral radius; a factor is then a step that is executed, with the missed ones after it.
"""

import math

import numpy as np

from ..checks import quoted
from ..errors import ArgumentError
from ..robots.rows import rows_of
from .controller import Motion
from .few_entries import with_few_entries
from .joint_spectral_radius import joint_spectral_radius, radius_below
from .linear_loop import LinearLoop
from .reference import Reference
from .resting_place import resting_place
from .returning import gaps_after
from .spectral_radius import spectral_radii

ONE = 1.0 - 1e-9  # larger values cannot be told from one because of rounding
NO_RATE = 1e-13  # relative to the fastest: slower ones are rounding errors
PRECISION, ROUGH = 1e-4, 1e-2  # relative, of a period: if growth is cheap to compute, and if not
MANY, FEW = 12, 4  # periods to try per decade, likewise
POINTS = 50  # of a motion that are examined
POINTS_OF_SEVERAL = 10  # the same if joint spectral radii are bounded
MOST_PRODUCTS = 2000  # for a bound: it only matters near the limit
MOST_STEPS = 10_000  # in a cycle
FEWEST_STEPS = 4
AT_ONCE = 2**21  # numbers in a batch of maps of a cycle


class Growth:
    """The growth of errors near a posture or at points of a motion; `linear` is a LinearLoop.

    Subclasses have `where(period)`, the Linearised at their points (points,), and a `method`.
    delay_share: the share of the period taken by computation. missed_in_a_row: how many
    consecutive control steps may be missed.
    """

    points = 1
    posture = None  # where the robot rests, (nq,), if it rests

    def __init__(self, linear: LinearLoop, delay_share: float, missed_in_a_row: int):
        self.linear = linear
        self.delay_share, self.missed_in_a_row = delay_share, missed_in_a_row
        self._order: list[int] = []  # of points: recently unstable ones first
        self._units = None  # shared by all points, so that their maps can be multiplied

    @property
    def switches(self):
        """Whether a control step may be one of several."""
        return bool(self.missed_in_a_row) or len(self.linear.ages) > 1

    def _balanced(self, law):
        """A Linearised in units that make its numbers similar, so that units do not matter."""
        if self._units is None:
            self._units = law.balancing_units()
        return law.in_units(self._units)

    # -- periods to look at -----------------------------------------------------------------------

    def periods(self, shortest, longest):
        per_decade = MANY if self.points == 1 and not self.switches else FEW
        count = 1 + math.ceil(per_decade * math.log10(longest / shortest))
        return np.geomspace(shortest, longest, max(count, 2)).tolist()

    def between(self, shorter, longer):
        """A period in between; None if the two are close enough."""
        near = ROUGH if self.switches else PRECISION
        return (shorter + longer) / 2 if longer - shorter > near * shorter else None

    def rates(self):
        """The rates of exact control in continuous time, 1/s: slowest, fastest, and least damping.

        The last is the decay rate of the most persistent errors. Rates that are zero up to rounding
        are ignored.
        """
        where = self.where(0.0)
        loop = where.rates(where.A + where.B @ where.settled())
        found = np.linalg.eigvals(loop).ravel()
        fastest = abs(found).max() or 1.0

        def least(rates):
            return rates[rates > NO_RATE * fastest].min(initial=fastest)

        return least(abs(found)), fastest, least(-found.real)

    # -- growth -----------------------------------------------------------------------------------

    def maps(self, where, period, decay=0.0):
        """The possible maps of a control step, (choices, points, m, m), times exp(decay t).

        t is the time that the step takes.
        """
        holds = bool(self.missed_in_a_row or self.delay_share)
        steps = [where.steps(period, self.delay_share * period, holds)]
        for _ in range(self.missed_in_a_row):
            # Missed ones come after the step, so that nothing reads the torques held at first.
            steps.append(where.missed(period) @ steps[-1])
        times = period * np.arange(1, len(steps) + 1)
        with np.errstate(over="ignore", invalid="ignore"):  # an overflow means that errors grow
            return np.concatenate(
                [np.exp(decay * t) * each for t, each in zip(times, steps, strict=True)]
            )

    def _sets(self, period, decay=0.0):
        """The possible maps of a control step, (choices, m, m), as a function of the point."""
        where = self.where(period)
        if self.switches:  # bounds are expensive, so entries are reduced at each point
            return lambda k: self.maps(with_few_entries(where.only(k)), period, decay)[:, 0]
        maps = self.maps(where, period, decay)
        return lambda k: maps[:, k]

    def bounds(self, period):
        """A lower and an upper bound of the growth per step, at the worst point."""
        at = self._sets(period)
        each = [_bounds(at(point)) for point in range(self.points)]
        return max(lower for lower, _ in each), max(upper for _, upper in each)

    def falls(self, period, decay):
        """Whether errors decay at least as fast as exp(-decay t); None if bounds cannot decide."""
        at, undecided = self._sets(period, decay), False
        self._order = self._order or list(range(self.points))
        for point in list(self._order):
            verdict = _below_one(at(point))
            if verdict is False:
                self._order.remove(point)
                self._order.insert(0, point)
                return False
            undecided |= verdict is None
        return None if undecided else True


def _bounds(maps):
    if not np.isfinite(maps).all():
        return math.inf, math.inf
    if len(maps) > 1:
        lower, upper, _ = joint_spectral_radius(maps)
        if lower < ONE <= upper and _below_one(maps):
            upper = ONE  # plain stability matters most and gets more work
        return lower, upper
    radius = float(spectral_radii(maps)[0])
    return radius, radius


def _below_one(maps):
    if len(maps) > 1:
        if not np.isfinite(maps).all():
            return False
        return radius_below(maps, ONE, MOST_PRODUCTS)
    return bool(spectral_radii(maps)[0] < ONE)


class NearPosture(Growth):
    """Near where the robot comes to rest under control of a posture (nq,)."""

    def __init__(self, linear, delay_share, missed_in_a_row, posture):
        super().__init__(linear, delay_share, missed_in_a_row)
        self.posture = resting_place(linear, posture)
        q, still = self.posture[None], np.zeros((1, linear.robot.nv))
        desired = Motion(posture[None], still, still).row
        tau, past = linear.exact((q, still), desired)
        there = linear.linearised((q, still), tau, (q, still), desired, desired, past)
        self._there = with_few_entries(self._balanced(there))

    @property
    def method(self):
        return f"{'joint ' * self.switches}spectral radius at a posture"

    def where(self, period):
        return self._there


class AlongMotion(Growth):
    """At points of a motion, each treated as if it lasted."""

    def __init__(
        self,
        linear: LinearLoop,
        delay_share: float,
        missed_in_a_row: int,
        reference: Reference,
        duration: float,
    ):
        super().__init__(linear, delay_share, missed_in_a_row)
        self.reference, self.duration = reference, duration
        self.points = POINTS_OF_SEVERAL if self.switches else POINTS

    @property
    def method(self):
        kind = f"{'joint ' * self.switches}spectral radius"
        return f"{kind} at {self.points} points of a motion"

    def where(self, period):
        times = np.linspace(0.0, self.duration, self.points)
        return self._balanced(self._linearised(times, period))

    def _in_motion(self, t):
        return np.clip(t, 0.0, self.duration)

    def _linearised(self, t, period):
        """At control steps at times t: the law is linearised at t, the plant half a step later."""
        linear, entries = self.linear, self.linear.controller.entries

        def desired(times):
            sampled = self.reference.sampled(self._in_motion(times))
            return Motion.of(linear.robot, sampled)[:2], sampled

        state, now = desired(t)
        between, middle = desired(t + period / 2)
        _, ahead = desired(t + period)
        tau, _ = linear.exact(between, middle)
        past = np.empty((len(t), len(entries)))
        for age in sorted({entry.age for entry in entries}):
            _, values = linear.exact(*desired(t - age * period))
            columns = [k for k, entry in enumerate(entries) if entry.age == age]
            past[:, columns] = values[:, columns]
        return linear.linearised(between, tau, state, now, ahead, past)


class AroundMotion(AlongMotion):
    """Over a complete cycle of a motion, per step on average.

    Steps divide the cycle evenly: a period that does not divide the duration is replaced by the
    nearest one that does.
    """

    method = "spectral radius of a periodic motion"

    def __init__(self, linear, delay_share, missed_in_a_row, reference, duration):
        super().__init__(linear, delay_share, missed_in_a_row, reference, duration)
        self._require_return()

    def _require_return(self):
        begin, end = self.reference.sampled(np.array([0.0, self.duration]))
        for part, gaps in enumerate(gaps_after(self.linear.robot, begin, end, self.duration)):
            if gaps.any():
                joint = rows_of(self.linear.robot).own_rows[abs(gaps).argmax()]
                raise ArgumentError(
                    f"periodic: the motion does not return to its start after {self.duration:g} s: "
                    f"{('positions', 'rates')[part]} differ by up to {abs(gaps).max():.3g}, at "
                    f"joint {quoted(joint.name)}"
                )

    def _in_motion(self, t):
        return np.mod(t, self.duration)

    def _count(self, period):
        return min(max(round(self.duration / period), FEWEST_STEPS), MOST_STEPS)

    def periods(self, shortest, longest):
        counts = {self._count(period) for period in super().periods(shortest, longest)}
        return [self.duration / count for count in sorted(counts, reverse=True)]

    def between(self, shorter, longer):
        count = (self._count(shorter) + self._count(longer)) // 2
        near = count == self._count(longer) or super().between(shorter, longer) is None
        return None if near else self.duration / count

    def bounds(self, period):
        count = self._count(period)
        period = self.duration / count
        size = 2 * self.linear.robot.nv + len(self.linear.controller.entries)
        whole, logarithm = None, 0.0
        for steps in np.array_split(np.arange(count), math.ceil(count * size**2 / AT_ONCE)):
            law = self._balanced(self._linearised(period * steps, period))
            maps = self.maps(law, period)[0]
            if whole is not None:
                maps = np.concatenate([whole[None], maps])
            whole, more = _product(maps)
            logarithm += more
        radius = float(spectral_radii(whole[None])[0])
        radius = math.exp((math.log(radius) + logarithm) / count) if radius else 0.0
        return radius, radius

    def falls(self, period, decay):
        _, radius = self.bounds(period)
        return radius < ONE * math.exp(-decay * period)


def _product(maps):
    """The product of maps in the order of time, the last on the left.

    It is returned as a matrix of size one and the logarithm of its scale, because long products
    overflow.
    """
    logarithm = 0.0
    while len(maps) > 1:
        odd, pairs = maps[len(maps) & ~1 :], maps[: len(maps) & ~1]
        maps = np.concatenate([pairs[1::2] @ pairs[::2], odd])
        size = abs(maps).max(axis=(-1, -2))
        if not np.isfinite(size).all():
            return np.full(maps.shape[1:], np.inf), 0.0
        size = np.where(size > 0, size, 1.0)
        maps = maps / size[:, None, None]
        logarithm += np.log(size).sum()
    return maps[0], logarithm
