"""What threads that did not wait for each other leave behind."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False, repr=False)
class UnsynchronisedRun:
    """Torques as they would have been applied, and how old the data was that they came of.

    torque: those in place when the next sample came. exact: inverse dynamics of the same samples.
    error: max|torque - exact| / max(1, max|exact|) of each sample. torque_age: how many samples
    before this one the oldest joint values were that went into each torque, by whatever way; where
    that is 0 the torque is exact. ages: a dict (reader, read) -> array of counts: in how many
    passes a group used values of another that were 0, 1, 2, ... samples old. passes: how many of
    each group ended while a sample was the latest. overtaken: how often a group found values being
    written anew, and kept its own.
    """

    groups: list
    period: float
    torque: np.ndarray  # (samples, n)
    exact: np.ndarray  # (samples, n)
    error: np.ndarray  # (samples,)
    torque_age: np.ndarray  # (samples, n)
    ages: dict
    passes: np.ndarray  # (samples, groups)
    overtaken: np.ndarray  # (groups,)

    @classmethod
    def of(cls, groups, period, logs, exact):
        """From the Log of each group, and the exact torques."""
        samples = np.arange(len(exact))
        torque, origin = np.empty_like(exact), np.empty_like(exact)
        ages = {}
        for g, (links, log) in enumerate(zip(groups, logs, strict=True)):
            last = np.maximum.accumulate(np.where(log.passes, samples, -1))
            at_first = np.concatenate([exact[0, links], np.zeros(len(links))])
            kept = np.where(last[:, None] < 0, at_first, log.kept[last])
            torque[:, links], origin[:, links] = np.split(kept, 2, axis=1)
            for h, counts in log.ages.items():
                ages[g, h] = np.trim_zeros(counts, "b")
        error = abs(torque - exact).max(axis=1) / np.maximum(1, abs(exact).max(axis=1))
        return cls(
            groups,
            period,
            torque,
            exact,
            error,
            (samples[:, None] - origin).astype(int),
            ages,
            np.stack([log.passes for log in logs], axis=1),
            np.array([log.overtaken for log in logs]),
        )

    @property
    def passes_per_second(self):
        """Of each group."""
        return self.passes.sum(axis=0) / (len(self.passes) * self.period)

    @property
    def median_age(self):
        """(reader, read) -> the age in the middle, in samples, of all values so used."""
        return {
            pair: int(np.searchsorted(counts.cumsum(), counts.sum() / 2))
            for pair, counts in self.ages.items()
            if len(counts)
        }

    @property
    def largest_age(self):
        """In samples, of values that a group used of another."""
        return max((len(counts) - 1 for counts in self.ages.values() if len(counts)), default=0)

    def __repr__(self):
        rates = ", ".join(f"{rate / 1e3:.0f}" for rate in self.passes_per_second)
        exact = (self.torque_age == 0).all(axis=1).mean()
        return (
            f"<UnsynchronisedRun: {len(self.torque)} samples of {self.period * 1e6:g} µs, "
            f"{rates} thousand passes a second; {self._ages_in_words()}"
            f"{exact:.1%} of samples exact, error at most {self.error.max():.1e}, "
            f"{np.median(self.error):.1e} in the middle>"
        )

    def _ages_in_words(self):
        middles = sorted(set(self.median_age.values()))
        if not middles:
            return ""
        span = str(middles[0]) if len(middles) == 1 else f"{middles[0]} to {middles[-1]}"
        return f"values {span} samples old in the middle, at most {self.largest_age}; "
