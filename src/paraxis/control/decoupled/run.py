"""The result of inverse dynamics on unsynchronised threads."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...targets.cpu.free_running import Log


@dataclass(frozen=True, eq=False, repr=False)
class UnsynchronisedRun:
    """Torques as they would have been applied, and the ages of the data used for them.

    - `groups`: the links of each thread.
    - `period`: the time between samples, s.
    - `torque`: the torques in effect when the next sample came, `(samples, n)`, N m or N.
    - `exact`: inverse dynamics of the same samples, `(samples, n)`.
    - `error`: max|torque - exact| / max(1, max|exact|) per sample, `(samples,)`.
    - `torque_age`: `(samples, n)`: the age in samples of the oldest joint values on which a torque
      depends, directly or indirectly; a torque of age 0 is exact.
    - `ages`: (reader, read) -> counts: in how many passes a group used values of another group that
      were 0, 1, 2, ... samples old.
    - `passes`: how many passes each group completed while a sample was the latest, `(samples,
      groups)`.
    - `overtaken`: how often a group read values while they were being overwritten, and kept its
      previous ones, `(groups,)`.
    """

    groups: list[list[int]]
    period: float  # s
    torque: np.ndarray  # (samples, n)
    exact: np.ndarray  # (samples, n)
    error: np.ndarray  # (samples,)
    torque_age: np.ndarray  # (samples, n) of int
    ages: dict[tuple[int, int], np.ndarray]
    passes: np.ndarray  # (samples, groups)
    overtaken: np.ndarray  # (groups,)

    @classmethod
    def of(
        cls, groups: list[list[int]], period: float, logs: Sequence[Log], exact: np.ndarray
    ) -> "UnsynchronisedRun":
        """The run from the Log of each group and the exact torques."""
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
    def passes_per_second(self) -> np.ndarray:
        """The rate of each group."""
        return self.passes.sum(axis=0) / (len(self.passes) * self.period)

    @property
    def median_age(self) -> dict[tuple[int, int], int]:
        """(reader, read) -> the median age, in samples, of the values that were used."""
        return {
            pair: int(np.searchsorted(counts.cumsum(), counts.sum() / 2))
            for pair, counts in self.ages.items()
            if len(counts)
        }

    @property
    def largest_age(self) -> int:
        """The largest age, in samples, of a value that a group used of another."""
        return max((len(counts) - 1 for counts in self.ages.values() if len(counts)), default=0)

    def __repr__(self):
        rates = ", ".join(f"{rate / 1e3:.0f}" for rate in self.passes_per_second)
        exact = (self.torque_age == 0).all(axis=1).mean()
        return (
            f"<UnsynchronisedRun: {len(self.torque)} samples of {self.period * 1e6:g} µs, "
            f"{rates} thousand passes per second; {self._ages_in_words()}"
            f"{exact:.1%} of samples exact, error at most {self.error.max():.1e}, "
            f"median {np.median(self.error):.1e}>"
        )

    def _ages_in_words(self):
        middles = sorted(set(self.median_age.values()))
        if not middles:
            return ""
        span = str(middles[0]) if len(middles) == 1 else f"{middles[0]} to {middles[-1]}"
        return f"median age of values {span} samples, at most {self.largest_age}; "
