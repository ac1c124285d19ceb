"""When a closed loop does what: samples, delays and lateness, cut into steps of the plant.

Runs go in parties that take as many steps in a control period, so that all of a party sample at the
same step; a party of quick runs is not held up by slow ones.
"""

import math

import numpy as np

from . import chance

AT_ONCE = 2**22  # numbers of single steps and runs that are made at once
ROUNDING = 1e-9  # of a period: what is so near the end is there


def parties(scenarios, plant_step):
    """(numbers of runs, steps before torques are applied in a period, steps after that) of each."""
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

    Records are of steps that begin with a sample, and are made at the last step of a group; so
    there are steps before the first sample that do nothing, and one after the end that only looks.
    """

    def __init__(self, party, early, late, every, seed):
        self.party, self.early, self.late, self.seed = party, early, late, seed
        self.per_period = early + late
        self.last = self._samples() * self.per_period
        self.group = self.per_period * every if every else 1
        self.records = -(-self.last // self.group) + 1
        self.steps = self.records * self.group

    def _samples(self):
        """How many control periods the run that has the most begins."""
        arrays, duration = self.party.arrays, self.party.duration
        period, jitter = arrays["period"], arrays["jitter"]
        about = math.ceil(max(1.0, duration / period.min() - ROUNDING))
        if not jitter.any():
            return about
        begin, start = 0, np.zeros_like(period)
        at_once = max(1, min(about, AT_ONCE // len(self.party.numbers)))
        while self._goes_on(start).any():
            samples = np.arange(begin, begin + at_once + 1)
            _, starts = self._periods(samples, start)
            begun = self._goes_on(starts[:-1]).any(axis=1)
            begin, start = begin + int(begun.sum()), starts[-1]
        return begin

    def _goes_on(self, t):
        """Is it not yet the end, at times (..., runs)?"""
        duration = self.party.duration
        return t < duration - ROUNDING * np.minimum(self.party.arrays["period"], duration)

    @property
    def alike(self):
        """Do all runs sample and compute at the same times?"""
        arrays, given = self.party.arrays, self.party.missed_steps
        each = [arrays[name] for name in ("period", "delay")] + ([] if given is None else [given.T])
        by_chance = [arrays[name] for name in ("jitter", "missed") if name in arrays]
        return all(len(array) == 1 for array in each) and not any(map(np.any, by_chance))

    def spans(self, body):
        """Pieces of the loop, one after another: the changing inputs of so many steps each."""
        alike = self.alike and not body.controller.uncertain
        width = sum(math.prod(shape) for shape in body.changing.values())
        width *= 1 if alike else len(self.party.numbers)
        length = max(1, AT_ONCE // width // self.group) * self.group
        start = np.zeros_like(self.party.arrays["period"])
        for begin in range(0, self.steps, length):
            end = min(begin + length, self.steps)
            place = np.arange(begin, end + 1) - (self.group - 1)
            sample, step = np.divmod(np.clip(place, 0, self.last), self.per_period)
            samples = np.arange(sample[0], sample[-1] + 1)
            lengths, starts = self._periods(samples, start)
            start, sample = starts[-1], sample - samples[0]
            edges = starts[sample] + self._since(step[:, None], lengths[sample])
            edges = np.minimum(edges, self.party.duration)
            ends = (place < 0) | (place >= self.last)
            yield self._changing(body, samples, sample[:-1], step[:-1], edges, ends[:-1])

    def _periods(self, samples, start):
        """The lengths of control periods and when they begin, (samples, runs), 1 where shared.

        One that is longer than all there is ends with it.
        """
        arrays, duration = self.party.arrays, self.party.duration
        period, jitter = arrays["period"], arrays["jitter"]
        evenly = samples[:, None] * period
        if not jitter.any():
            return np.broadcast_to(np.minimum(period, duration), evenly.shape), evenly
        drawn = chance.uniform(self.seed, chance.JITTER, samples, self.party.numbers)[..., 0]
        lengths = period * (1 + jitter * (2 * drawn - 1))
        before = np.concatenate([np.broadcast_to(start, (1, lengths.shape[1])), lengths[:-1]])
        starts = np.where(jitter > 0, np.cumsum(before, axis=0), evenly)
        return np.minimum(lengths, duration), starts

    def _since(self, step, length):
        """The time from a sample to the beginning of a step of its period."""
        if not self.early:
            return step / self.late * length
        delay = np.minimum(self.party.arrays["delay"], self.party.duration)
        after = delay + (step - self.early) / self.late * (length - delay)
        return np.where(step < self.early, step / self.early * delay, after)

    def _changing(self, body, samples, sample, step, edges, idle):
        arrays, reference = self.party.arrays, self.party.reference
        t, step = edges[:-1], step[:, None]
        goes_on = self._goes_on(t) & ~idle[:, None]
        begins = (step == 0) & goes_on
        made = {"t": t, "h": np.diff(edges, axis=0), "tick": begins & self._met(samples)[sample]}
        if body.delayed:
            made["apply"] = ((step == self.early) | (arrays["delay"] == 0)) & goes_on
        if body.controller.uncertain:
            made["age"] = self._ages(samples)[sample]
        if not reference.traced:
            made["desired"] = reference.sampled(t)
            if body.looks_ahead:
                made["ahead"] = reference.sampled(t + arrays["period"])
        return {name: array.astype(float, copy=False) for name, array in made.items()}

    def _met(self, samples):
        """Which control steps are not missed, (samples, runs), 1 where shared."""
        missed, given = self.party.arrays.get("missed"), self.party.missed_steps
        if given is not None:
            after = np.zeros((1, given.shape[1]), bool)  # none after those that are given
            return ~np.concatenate([given, after])[np.minimum(samples, len(given))]
        if not missed.any():
            return np.ones((len(samples), 1), bool)
        drawn = chance.uniform(self.seed, chance.MISSED, samples, self.party.numbers)
        return drawn[..., 0] >= missed

    def _ages(self, samples):
        """What age each link meets, (samples, runs, n): each that the policy knows alike."""
        cuts = self.party.controller.recursion.cuts.values()
        ages = np.array(sorted({age for cut in cuts for age in cut.ages}), float)
        n = self.party.robot.nv
        drawn = chance.uniform(self.seed, chance.AGE, samples, self.party.numbers, n)
        return ages[(drawn * len(ages)).astype(int)]
