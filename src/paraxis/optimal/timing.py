"""How long a controller takes, as its own thread sees it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Of ticks, in seconds: `mean` and `worst`, and the same until the control is known."""

    ticks: int
    mean: float
    worst: float
    control_mean: float
    control_worst: float

    def __str__(self) -> str:
        if not self.ticks:
            return "no ticks yet"
        mean, worst, control, slowest = (
            f"{1e6 * each:,.0f} us"
            for each in (self.mean, self.worst, self.control_mean, self.control_worst)
        )
        ticks = f"{self.ticks:,} tick{'s' if self.ticks > 1 else ''}"
        return f"{ticks}: {mean} on average, {worst} at worst; control after {control}, {slowest}"


class Clock:
    """Adds up the times of ticks, in nanoseconds."""

    def __init__(self):
        self.ticks = self.total = self.worst = self.control = self.slowest = 0

    def add(self, until_control, whole):
        self.ticks += 1
        self.total += whole
        self.control += until_control
        if whole > self.worst:
            self.worst = whole
        if until_control > self.slowest:
            self.slowest = until_control

    @property
    def timing(self):
        ticks = max(self.ticks, 1)
        seconds = self.total / ticks, self.worst, self.control / ticks, self.slowest
        return Timing(self.ticks, *(1e-9 * each for each in seconds))
