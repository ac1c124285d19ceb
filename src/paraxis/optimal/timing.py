"""How long a controller takes, as its own thread sees it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """How long ticks of a controller took, in seconds.

    - `ticks`: how many were measured.
    - `mean`, `worst`: of a whole tick.
    - `control_mean`, `control_worst`: until the control is known, before the next plan is made.

    **Example:**

    >>> def cost(q, qd, u):
    ...     return 0.1 * qd @ qd + 0.01 * u @ u
    ...
    >>> def at_the_end(q, qd):
    ...     return 1e4 * (q[0] - np.pi / 2) ** 2 + 100 * qd @ qd
    ...
    >>> rod = px.robots.planar(1)
    >>> solver = px.optimal_control(rod, cost, 50, dt=0.02, terminal=at_the_end)
    >>> mpc = solver.mpc([-np.pi / 2, 0.0])
    >>> run = mpc.run(steps=20)
    >>> run.timing.ticks, run.timing.mean < 1.0  # s per tick; it prints as a sentence
    (19, True)
    """

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
