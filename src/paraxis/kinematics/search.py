"""The numerical search: damped least squares from several starts, on a whole batch of poses.

It goes in rounds of a few compiled steps. After each, poses that are reached leave the batch; those
whose error fell go on from where they are; the others begin anew from their next start. What is
done for a pose depends on that pose alone.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..algorithms.damped_least_squares import damped_step
from ..algorithms.singularity import evenness
from ..api import trace
from ..robot.model import Model
from .limits import Limits
from .starts import Starts

STEPS = 8  # a round
ROUNDS = 64
EARLY = 4  # rounds, after which few are left
PIECE = 1 << 15  # poses at a time in early rounds, so that they stay in the cache
FELL = 0.25  # the error after a round, over that before, with which a pose goes on
UNREAD = (0.0, 0.0)  # chord and way before the first step
SINGULAR = 1e-6  # a singular value of J, over the largest, that counts as none
SAMPLE = 4  # postures that tell how many freedoms a frame has
DOUBTFUL = 10.0  # times the root of the tolerance: one that may be none at the pose itself
POLISH = 32  # steps from an error of the tolerance to one of rounding, at a singular pose
FAR = 1.0  # the error that a start is taken to have


class Search:
    """Inverse kinematics of a chain `robot`, all of whose joints move its only frame."""

    def __init__(self, robot):
        (self._frame,) = robot.frames
        self._n, self._model = robot.n, Model(robot)
        self._length = characteristic_length(robot, self._frame)
        self.limits = Limits(robot, self._length)
        ranges = self.limits.low, self.limits.high
        self._starts = Starts(robot, self._frame.name, *ranges, self._length, ROUNDS)

    def solve(self, goals, q0, tolerance, sought):
        """q (N, n) for goals (N, 4, 4), and the least error met (N,).

        Only for the poses whose numbers are `sought`; q is NaN where there is no solution, and the
        error where none was sought. The first start is q0 (N, n), unless that is None.
        """
        results = Results(np.full((len(goals), self._n), np.nan), np.full(len(goals), np.nan))
        results.error[sought] = np.inf
        early, late = range(EARLY), range(EARLY, ROUNDS)
        left = []
        for first in range(0, len(sought), PIECE):
            piece = self._begin(goals, q0, sought[first : first + PIECE])
            left.append(self._rounds(early, piece, tolerance, q0, results))
        if left:
            self._rounds(late, Sought.joined(left), tolerance, q0, results)
        return results

    def singular(self, goals, q, tolerance):
        """Which solutions q (N, n), NaN where none, lose a freedom that the frame has elsewhere.

        A stretched elbow is off by the root of the error that is left: 1e-8 m, and it looks bent
        by 1e-4. So where that may be the case the error is first made as small as it gets.
        """
        least = self._least(q)
        doubtful = np.flatnonzero(least < DOUBTFUL * tolerance**0.5)
        polished, _ = self._steps(
            steps=POLISH, q=q[doubtful], goal=goals[doubtful], tolerance=0.0, off=UNREAD
        )
        least[doubtful] = self._least(polished["q"])
        return least < SINGULAR

    @cached_property
    def _least(self):
        """The least singular value of J over the largest, of those that are not zero everywhere."""

        def values(q):
            return evenness(self._model, q, self._frame, self._length)

        some = self._starts.postures[:SAMPLE].tolist()
        freedoms = max(sum(value >= SINGULAR for value in values(q)) for q in some)
        return trace(lambda q: values(q)[freedoms - 1], q=self._n).compile()

    def _begin(self, goals, q0, numbers):
        goals = goals[numbers]
        anew, error = np.full(len(goals), q0 is None), np.full(len(goals), FAR)
        q = np.empty((len(goals), self._n)) if q0 is None else self.limits.within(q0[numbers])
        return Sought(numbers, goals, self._starts.centre_of(goals), q, anew, error)

    def _rounds(self, rounds, sought, tolerance, q0, results):
        """Write the results of some rounds, and return what is still sought."""
        for attempt in rounds:
            if not len(sought.number):
                break
            anew = sought.anew
            sought.q[anew] = self._starts.start(sought.centre[anew], attempt)
            final, _ = self._steps(
                steps=STEPS, q=sought.q, goal=sought.goal, tolerance=tolerance, off=UNREAD
            )
            sought.q, error = final["q"], _error(*final["off"].T)
            least = results.error[sought.number]
            results.error[sought.number] = np.minimum(least, error)
            reached = error <= tolerance
            numbers = sought.number[reached]
            near = None if q0 is None else q0[numbers]
            results.q[numbers] = self.limits.unwound(sought.q[reached], near)
            sought.anew = ~(error < FELL * sought.error)
            sought.error = np.where(sought.anew, FAR, error)
            sought = sought.where(~reached)
        return sought

    @cached_property
    def _steps(self):
        """What it says of the error is that of the last q but one, unless q stays as it is."""

        def step(q, goal, tolerance, off):
            moved, distance, done = damped_step(
                self._model, q, goal, self._frame, self._length, self.limits.bounds, tolerance
            )
            return {"q_next": moved, "off_next": list(distance), "done": done}

        program = trace(step, q=self._n, goal=(4, 4), tolerance=(), off=2)
        return program.compile_loop(carry={"q": "q_next", "off": "off_next"}, until="done")


def _error(chord, way):
    """The larger of angle and way."""
    return np.maximum(2 * np.arcsin(np.minimum(chord / 2, 1.0)), way)


class Results(NamedTuple):
    q: np.ndarray
    error: np.ndarray


@dataclass
class Sought:
    """Poses that are not reached yet: arrays with one entry for each."""

    number: np.ndarray  # which of all poses it is
    goal: np.ndarray
    centre: np.ndarray  # which starts it has
    q: np.ndarray
    anew: np.ndarray  # does it begin from its next start?
    error: np.ndarray  # after the last round, FAR at a start

    def where(self, kept):
        return Sought(*(array[kept] for array in vars(self).values()))

    @staticmethod
    def joined(several):
        columns = zip(*(vars(each).values() for each in several), strict=True)
        return Sought(*map(np.concatenate, columns))


def characteristic_length(robot, frame):
    """Half of how far the frame gets from the root, roughly: by it, turns and ways are compared.

    A metre where nothing has a length.
    """
    parts = [joint.placement.translation for joint in robot.joints] + [frame.pose.translation]
    reach = np.linalg.norm(parts, axis=-1).sum()
    for joint in robot.joints:
        limits = [abs(limit) for limit in (joint.lower, joint.upper) if np.isfinite(limit)]
        reach += 0.0 if joint.is_revolute else max(limits, default=0.0)
    return float(reach) / 2 or 1.0
