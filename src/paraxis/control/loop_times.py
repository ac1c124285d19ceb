"""The timing of a closed loop: samples, delays and jitter, cut into steps of the plant.

Runs are grouped in parties with the same number of steps per control period, so that all runs of a
party sample at the same step, and fast runs do not wait for slow ones.
"""

import math

import numpy as np

from ..targets.target import CPU
from . import chance
from .scenarios import TIMES

AT_ONCE = 2**22  # numbers of single steps and runs generated at once
MORE_ON_A_GPU = 16  # times as many, as its memory is faster
ROUNDING = 1e-9  # of a period: times this close to the end count as the end


def parties(scenarios, plant_step):
    """(numbers of runs, steps per period before torques are applied, steps after that) of each."""
    arrays, runs = scenarios.arrays, len(scenarios.numbers)
    delay, longest = (
        np.minimum(length, scenarios.duration)
        for length in (arrays["delay"], arrays["period"] * (1 + arrays["jitter"]))
    )
    early = _steps_in(delay, plant_step) * delay.any()
    late = _steps_in(longest - delay, plant_step)
    both = np.stack(np.broadcast_arrays(early, late), -1).astype(int)
    kinds, party = np.unique(both, axis=0, return_inverse=True)
    party = np.broadcast_to(party.ravel(), runs)
    return [(np.flatnonzero(party == k), *kind) for k, kind in enumerate(kinds.tolist())]


def _steps_in(length, longest):
    return np.maximum(1, np.ceil(length / longest - ROUNDING))


class LoopTimes:
    """The steps of a party.

    Records are made of steps that begin with a sample, at the last step of a group. The first group
    therefore begins with steps that do nothing, and after the end there is one that only records.

    Times shared by all runs are computed in main memory, others where the loop is computed.
    """

    def __init__(self, party, early, late, every, seed):
        self.party, self.early, self.late, self.seed = party, early, late, seed
        self.target = CPU if self.alike else party.target
        self.xp, put = self.target.arrays, self.target.put
        self.at_once = AT_ONCE * (1 if self.target is CPU else MORE_ON_A_GPU)
        self.times = {name: put(party.arrays[name]) for name in TIMES if name in party.arrays}
        self.index = put(party.index)
        self.per_period = early + late
        self.last = self._samples() * self.per_period
        self.group = self.per_period * every if every else 1
        self.records = -(-self.last // self.group) + 1
        self.steps = self.records * self.group

    def _samples(self):
        """The largest number of control periods that any run begins."""
        duration, period = self.party.duration, self.party.arrays["period"]
        about = math.ceil(max(1.0, duration / period.min() - ROUNDING))
        if not self.jittery:
            return about
        begin, start = 0, self.xp.zeros_like(self.times["period"])
        at_once = max(1, min(about, self.at_once // len(self.party.numbers)))
        while self._goes_on(start).any():
            samples = np.arange(begin, begin + at_once + 1)
            _, starts = self._periods(samples, start)
            begun = self._goes_on(starts[:-1]).any(axis=1)
            begin, start = begin + int(begun.sum()), starts[-1]
        return begin

    def _goes_on(self, t):
        """Whether the runs are not yet over, at times (..., runs)."""
        duration = self.party.duration
        return t < duration - ROUNDING * self.xp.minimum(self.times["period"], duration)

    @property
    def jittery(self):
        return bool(self.party.arrays["jitter"].any())

    @property
    def alike(self):
        """Whether all runs sample and compute at the same times, and use the same ages."""
        if self.party.controller.uncertain:
            return False
        arrays, given = self.party.arrays, self.party.missed_steps
        each = [arrays[name] for name in ("period", "delay")] + ([] if given is None else [given.T])
        by_chance = [arrays[name] for name in ("jitter", "missed") if name in arrays]
        return all(len(array) == 1 for array in each) and not any(map(np.any, by_chance))

    def spans(self, body):
        """Successive pieces of the loop: the changing inputs of a number of steps each."""
        width = sum(math.prod(shape) for shape in body.changing.values())
        width *= 1 if self.alike else len(self.party.numbers)
        length = max(1, self.at_once // width // self.group) * self.group
        start = self.xp.zeros_like(self.times["period"])
        for begin in range(0, self.steps, length):
            end = min(begin + length, self.steps)
            index = np.arange(begin, end + 1) - (self.group - 1)
            sample, step = np.divmod(np.clip(index, 0, self.last), self.per_period)
            samples = np.arange(sample[0], sample[-1] + 1)
            lengths, starts = self._periods(samples, start)
            idle = (index < 0) | (index >= self.last)
            start, put = starts[-1], self.target.put
            sample, step, idle = put(sample - samples[0]), put(step)[:, None], put(idle)[:, None]
            edges = starts[sample] + self._since(step, lengths[sample])
            edges = self.xp.minimum(edges, self.party.duration)
            yield self._changing(body, samples, sample[:-1], step[:-1], edges, idle[:-1])

    def _periods(self, samples, start):
        """The lengths and starts of control periods, (samples, runs), 1 if shared.

        A period that is longer than the whole run ends with it.
        """
        xp, duration = self.xp, self.party.duration
        period, jitter = self.times["period"], self.times["jitter"]
        evenly = self.target.put(samples)[:, None] * period
        if not self.jittery:
            return xp.broadcast_to(xp.minimum(period, duration), evenly.shape), evenly
        drawn = self._drawn(chance.JITTER, samples)[..., 0]
        lengths = period * (1 + jitter * (2 * drawn - 1))
        before = xp.concatenate([xp.broadcast_to(start, (1, lengths.shape[1])), lengths[:-1]])
        starts = xp.where(jitter > 0, xp.cumsum(before, axis=0), evenly)
        return xp.minimum(lengths, duration), starts

    def _drawn(self, stream, samples, each=1):
        """Numbers in [0, 1), (samples, runs, each)."""
        return chance.uniform(
            self.seed, stream, self.target.put(samples), self.index, each, self.xp
        )

    def _since(self, step, length):
        """The time from a sample to the beginning of a step in its period."""
        if not self.early:
            return step / self.late * length
        delay = self.xp.minimum(self.times["delay"], self.party.duration)
        after = delay + (step - self.early) / self.late * (length - delay)
        return self.xp.where(step < self.early, step / self.early * delay, after)

    def _changing(self, body, samples, sample, step, edges, idle):
        times, reference, target = self.times, self.party.reference, self.target
        t = edges[:-1]
        goes_on = self._goes_on(t) & ~idle
        begins = (step == 0) & goes_on
        made = {"t": t, "h": edges[1:] - t, "tick": begins & self._met(samples)[sample]}
        if body.delayed:
            made["apply"] = ((step == self.early) | (times["delay"] == 0)) & goes_on
        if body.controller.uncertain:
            made["age"] = self._ages(samples)[sample]
        if not reference.traced:
            made["desired"] = reference.sampled(t, target=target)
            if body.looks_ahead:
                made["ahead"] = reference.sampled(t + times["period"], target=target)
        return {name: array.astype(float, copy=False) for name, array in made.items()}

    def _met(self, samples):
        """Which control steps are not missed, (samples, runs), 1 if shared."""
        given = self.party.missed_steps
        if given is not None:
            after = np.zeros((1, given.shape[1]), bool)  # none missed beyond those given
            met = ~np.concatenate([given, after])[np.minimum(samples, len(given))]
            return self.target.put(met)
        if not self.party.arrays["missed"].any():
            return self.xp.ones((len(samples), 1), bool)
        return self._drawn(chance.MISSED, samples)[..., 0] >= self.times["missed"]

    def _ages(self, samples):
        """The age used by each link, (samples, runs, n): each of the policy's is equally likely."""
        cuts = self.party.controller.recursion.cuts.values()
        ages = np.array(sorted({age for cut in cuts for age in cut.ages}), float)
        drawn = self._drawn(chance.AGE, samples, self.party.robot.n)
        return self.target.put(ages)[(drawn * len(ages)).astype(int)]
