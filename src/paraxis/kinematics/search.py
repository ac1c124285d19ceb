"""The numerical search: damped least squares from several starts, on a whole batch of poses.

It goes in rounds of a few compiled steps (rounds.py). Poses that are reached leave the batch: after
each of the first rounds, and later after several, when few are left and looking takes longer than
stepping. Of a pose that is never reached the best that was met is kept, and improved at the end.
What is done for a pose depends on that pose alone.
"""

import math
from functools import cached_property
from numbers import Real
from typing import NamedTuple

import numpy as np

from ..api import trace
from ..errors import ArgumentError
from ..physics.inverse_kinematics.damped_least_squares import UNBOUNDED
from ..physics.inverse_kinematics.reaching import AIMS, Reach
from ..physics.inverse_kinematics.singularity import evenness
from ..robots.model import Model
from ..robots.rows import rows_of
from ..robots.scales import reach
from ..targets.target import CPU
from .improving import Improving
from .limits import Limits
from .moving import places_of
from .rounds import FAR, STARTS, Rounds
from .starts import Starts

# Rounds between looks at what is reached; few poses are left after the early ones.
EARLY, LATE = (1, 1, 2), (4, *[1 + STARTS] * 7)
ROUNDS = sum(EARLY + LATE)
PIECE = 1 << 15  # poses at a time in early rounds, so that they stay in the cache
SINGULAR = 1e-6  # a singular value of J, over the largest, that counts as none
SAMPLE = 4  # postures that tell how many freedoms a frame has
DOUBTFUL = 10.0  # times the root of the tolerance: one that may be none at the pose itself
POLISH = 32  # steps from an error of the tolerance to one of rounding, at a singular pose


class Search:
    """Inverse kinematics, on a target, of all frames of a robot at once, with its loops closed.

    The goal is their "pose", or of that only the "position" or the "rotation". Only the joints of
    the indices `moving` may move.
    """

    def __init__(self, robot, goal, moving, target):
        aim, frames, rows = AIMS[goal], len(robot.frames), rows_of(robot)
        self._nq, self._model = robot.nq, Model(rows)
        self._length = self.length = characteristic_length(robot)
        velocities = places_of(robot, moving, "nv")
        self._reach = Reach(rows.frames, velocities, self._length, aim, rows.loops)
        self._target, self._arrays = target, target.arrays
        limits = Limits(robot, self._length)
        self._limits = limits.at(target)
        self._starts = Starts(robot, goal, limits, self._length, ROUNDS, target)
        stay = np.delete(np.arange(robot.nq), places_of(robot, moving, "nq"))
        bounds = [UNBOUNDED if k in stay else each for k, each in enumerate(limits.bounds)]
        counts = [k in range(2)[aim.distances] for k in range(2)]
        pairs = [counts] * frames + [(True, True)] * len(rows.loops)
        given = self._model, frames, self._reach, bounds, pairs, stay.tolist(), target
        self._rounds = Rounds(*given)
        both = (1.0, 1.0 / self._length)
        scales = both[aim.distances] * frames + both * len(rows.loops)
        given = self._model, frames, self._reach, bounds, scales, self._rounds.error, target
        self._improving = Improving(*given)
        self._stay = target.put(stay) if len(stay) else None

    def solve(self, goals, start, given, near, sought):
        """q (N, nq) for goals (N, frames, 4, 4), the best that was found, and its errors, each
        (N,).

        The first error is measured as `near` does, the second in metres and radians. Only for the
        goals whose numbers are `sought`; for others all are NaN. Joints that may not move stay
        where they are at `start` (N, nq), which is the first start if it was `given`.
        """
        xp, count = self._arrays, len(goals)
        none = xp.full(count, math.nan)
        results = Results(xp.full((count, self._nq), math.nan), none, none.copy())
        q0 = start if given else None
        results.error[sought] = results.plain[sought] = math.inf
        left, together = [], PIECE if self._target is CPU else max(1, count)
        for first in range(0, len(sought), together):
            piece = self._begin(goals, start, given, sought[first : first + together])
            left.append(self._searched(0, EARLY, piece, near, q0, results))
        if left:
            everything = [xp.concatenate(arrays) for arrays in zip(*left, strict=True)]
            given = sum(EARLY), LATE, Sought(*everything), near, q0, results
            never = self._searched(*given)
            if len(never.number):
                results.q[never.number] = never.best
                results.error[never.number] = never.least
                never = never.number
                starts = None if q0 is None else q0[never]
                self._improve(never, goals[never], starts, near.per_length, results)
        return results

    def _improve(self, numbers, goals, q0, per_length, results):
        """Go on from the best that was met for some poses, none of which was reached."""
        start = None if q0 is None else self._within(q0)  # which no round has looked at
        found = self._improving.improved(results.q[numbers], goals, start, per_length)
        best, results.error[numbers], results.plain[numbers] = found
        results.q[numbers] = self._limits.unwound(best, q0)

    def _within(self, q):
        """q within its limits, but for joints that may not move."""
        inside = self._limits.within(q)
        if self._stay is not None:
            inside[..., self._stay] = q[..., self._stay]
        return inside

    def _moved(self, q, goals, steps):
        """Where some steps lead, that none leaves early."""
        return self._rounds.run(1, Near(0.0, 1.0), steps, q=q, goal=goals)[0]["q"]

    def singular(self, goals, q, tolerance):
        """Which solutions q (N, n), NaN where none, lose a freedom that the frame has elsewhere.

        A stretched elbow is off by the root of the error that is left: 1e-8, and it looks bent
        by 1e-4. So where that may be the case the error is first made as small as it gets.
        """
        least = self._least(q)
        doubtful = self._arrays.flatnonzero(least < DOUBTFUL * tolerance**0.5)
        if not len(doubtful):
            return least < SINGULAR
        least[doubtful] = self._least(self._moved(q[doubtful], goals[doubtful], POLISH))
        return least < SINGULAR

    @cached_property
    def _least(self):
        """The least singular value of J over the largest, of those that are not zero everywhere."""

        def values(q):
            return evenness(self._model, q, self._reach)

        some = self._starts.postures[:SAMPLE].tolist()
        freedoms = max(sum(value >= SINGULAR for value in values(q)) for q in some)
        least = trace(lambda q: values(q)[freedoms - 1], q=self._nq)
        return least.compile(self._target.name)

    def _begin(self, goals, start, given, numbers):
        goals, xp = goals[numbers], self._arrays
        count = len(goals)
        q = self._within(start[numbers]) if given else start[numbers]
        return Sought(
            number=numbers,
            goal=goals,
            centre=self._starts.centre_of(goals),
            q=q,
            best=q,
            anew=xp.full(count, 0.0 if given else 1.0),
            before=xp.full(count, FAR),
            least=xp.full(count, math.inf),
            plain=xp.full(count, math.inf),
        )

    def _searched(self, first, looks, sought, near, q0, results):
        """Write the results of rounds from the `first` on, and return what is still sought; `looks`
        are the rounds between which poses that are reached leave."""
        xp = self._arrays
        for rounds in looks:
            if not len(sought.number):
                break
            attempts = self._started(sought, range(first, first + rounds))
            starts = None
            if rounds > 1:
                starts = xp.zeros((len(sought.number), STARTS, self._nq))
                starts[:, : rounds - 1] = attempts[:, 1:]
            carried = {name: getattr(sought, name) for name in CARRIED_ON}
            carried["q"] = xp.where(sought.anew[:, None] > 0, attempts[:, 0], sought.q)
            carried["anew"] = xp.zeros(len(sought.number))
            after, reached = self._rounds.run(
                rounds, near, starts=starts, goal=sought.goal, **carried
            )
            there, on = xp.flatnonzero(reached), xp.flatnonzero(~reached)
            numbers = sought.number[there]
            start = None if q0 is None else q0[numbers]
            results.q[numbers] = self._limits.unwound(after["best"][there], start)
            results.error[numbers] = after["least"][there]
            results.plain[numbers] = after["plain"][there]
            sought = sought._replace(**{name: after[name] for name in CARRIED_ON})
            sought = Sought(*(array[on] for array in sought))
            first += rounds
        return sought

    def _started(self, sought, attempts):
        """Where they start in some rounds, (N, rounds, nq)."""
        start = self._starts.start(sought.centre, attempts)
        if self._stay is not None:
            start[..., self._stay] = sought.q[:, None, self._stay]
        return start


class Near(NamedTuple):
    """How near is near enough: angles, and distances times per_length, up to the tolerance."""

    tolerance: float
    per_length: float

    @classmethod
    def of(cls, tolerance, default, length):
        """A given tolerance, in rad and m, or else a default, in rad and shares of a length."""
        if tolerance is None:
            return cls(default, 1 / length)
        number = isinstance(tolerance, Real) and not isinstance(tolerance, bool)
        if not number or not 0 < tolerance < math.inf:
            raise ArgumentError(f"tolerance: expected a number > 0, found {tolerance!r}")
        return cls(float(tolerance), 1.0)


class Results(NamedTuple):
    q: np.ndarray
    error: np.ndarray  # as Near measures it
    plain: np.ndarray  # the same in metres and radians


class Sought(NamedTuple):
    """Poses that are not reached yet: arrays with one entry for each."""

    number: np.ndarray  # which of all poses it is
    goal: np.ndarray
    centre: np.ndarray  # which starts it has
    q: np.ndarray
    best: np.ndarray  # the q with the least error that was met
    anew: np.ndarray  # does it begin from its next start? 1 or 0
    before: np.ndarray  # the error after the last round, FAR at a start
    least: np.ndarray  # of all errors after rounds
    plain: np.ndarray  # the same in metres and radians


CARRIED_ON = ("q", "best", "anew", "before", "least", "plain")


def open_by(xp, off, per_length=1.0):
    """The larger of an angle and a distance times per_length, of chords and distances (..., 2)."""
    angles = 2 * xp.arcsin(xp.minimum(off[..., 0] / 2, 1.0))
    return xp.maximum(angles, off[..., 1] * per_length)


def characteristic_length(robot):
    """Half of how far its frames get from the root, roughly: to compare angles and distances.

    A metre where nothing has a length.
    """
    return max(reach(robot, frame) for frame in robot.frames) / 2 or 1.0
