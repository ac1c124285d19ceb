"""The size and duration of a study, estimated before it begins."""

from __future__ import annotations

from dataclasses import dataclass

from ..checks import counted


@dataclass(frozen=True)
class Estimate:
    """The size and duration of a study, extrapolated from a few states.

    - `states`, `blocks`: their numbers.
    - `bytes`: the size of the results.
    - `seconds`: the computing time in one process like this one; None if it was not measured.
    - `per_block`: the seconds per block.

    **Example:**

    >>> def energy(speed, mass):
    ...     return {"energy": 0.5 * mass * speed**2}
    ...
    >>> space = px.sweeps.product(speed=np.arange(100.0), mass=[1.0, 2.0])
    >>> estimate = px.sweeps.estimate(energy, space)
    >>> estimate.states, estimate.bytes
    (200, 1600)
    """

    states: int
    blocks: int
    bytes: int
    seconds: float | None
    per_block: float | None

    def __str__(self) -> str:
        states, blocks = counted(self.states, "state"), counted(self.blocks, "block")
        text = f"{states} in {blocks}, {size_text(self.bytes)}"
        if self.seconds is None or self.per_block is None:
            return text
        each = duration_text(self.per_block)
        return f"{text}; {each} per block, {duration_text(self.seconds)} in one process"


def size_text(count: float) -> str:
    """Bytes as people write them."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            return f"{count:.3g} {unit}"
        count /= 1000
    raise AssertionError


def duration_text(seconds: float) -> str:
    """A time as people write it."""
    if seconds < 1.0:
        return f"{1000 * seconds:.3g} ms"
    if seconds < 120.0:
        return f"{seconds:.3g} s"
    minutes = seconds / 60
    if minutes < 120:
        return f"{minutes:.3g} min"
    hours = minutes / 60
    return f"{hours:.3g} h" if hours < 72 else f"{hours / 24:.3g} days"
