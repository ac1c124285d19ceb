"""The transmission between a motor and its joint: a ratio, and losses that depend on the load."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..checks import quoted
from ..errors import RobotError
from .pose import floats, freeze

INTERPOLATIONS = ("linear", "cubic")


@dataclass(frozen=True, slots=True)
class Transmission:
    """A gear box. Its torques are those at its output, the joint; its rotor turns with the motor.

    **Arguments:**

    - `ratio`: the speed of the motor over that of the joint.
    - `efficiency`: a number in (0, 1], or a table of (load, efficiency). Loads are ascending
      fractions of `rated_torque`, and efficiencies do not fall with them; below and above the
      table the first and last ones hold.
    - `interpolation`: "linear" or monotone "cubic", between the rows of the table.
    - `break_away`: the torque that moves it without load, N m or N.
    - `rotor_inertia`: about the motor's own shaft, kg m²; the joint feels ratio² times as much.
    - `torque_limit`: N m or N.
    - `rated_torque`: the torque at load 1, N m or N; by default the torque limit.

    **Example:**

    >>> gear = px.robots.Transmission(ratio=100.0, efficiency=0.8, rotor_inertia=1e-4)
    >>> gear.reflected_inertia
    1.0
    >>> robot = px.robots.planar(1).with_drives({"joint1": {"transmission": gear}})
    >>> px.motor_torques(robot, [0.0], [[1.0], [-1.0]], [0.0]).input  # raising, lowering: N m
    array([[0.061],
           [0.039]])
    """

    ratio: float = 1.0
    efficiency: float | Sequence[Sequence[float]] = 1.0
    interpolation: str = "linear"
    break_away: float = 0.0
    rotor_inertia: float = 0.0
    torque_limit: float = math.inf
    rated_torque: float | None = None

    def __post_init__(self):
        freeze(self, ratio=1, break_away=1, rotor_inertia=1)
        if self.ratio == 0:
            raise _wrong("ratio", "a number other than 0", self.ratio)
        if math.isinf(1.0 / self.ratio):
            raise _wrong("ratio", "a number whose inverse is finite", self.ratio)
        for name in ("break_away", "rotor_inertia"):
            if getattr(self, name) < 0:
                raise _wrong(name, "a number >= 0", getattr(self, name))
        if math.isinf(self.reflected_inertia):
            raise _wrong("rotor_inertia", "a finite ratio² times it", self.rotor_inertia)
        self._freeze_limit("torque_limit")
        if self.rated_torque is not None:
            self._freeze_limit("rated_torque")
        if self.interpolation not in INTERPOLATIONS:
            raise _wrong("interpolation", " or ".join(INTERPOLATIONS), quoted(self.interpolation))
        object.__setattr__(self, "efficiency", _checked_efficiency(self.efficiency))
        if isinstance(self.efficiency, tuple) and math.isinf(self.rated):
            raise RobotError(
                "Transmission efficiency: a table needs rated_torque or torque_limit, as its loads "
                "are fractions of that torque"
            )

    def _freeze_limit(self, name):
        value = getattr(self, name)
        if isinstance(value, float) and value == math.inf:  # no limit
            return
        freeze(self, **{name: 1})
        if getattr(self, name) <= 0:
            raise _wrong(name, "a number > 0", value)

    @property
    def rated(self) -> float:
        """The torque at which the load is 1."""
        return self.torque_limit if self.rated_torque is None else self.rated_torque

    @property
    def reflected_inertia(self) -> float:
        """The inertia of the rotor as the joint feels it."""
        return self.ratio * self.ratio * self.rotor_inertia

    @property
    def is_ideal(self) -> bool:
        """Whether it has no losses."""
        return self.efficiency == 1.0 and self.break_away == 0.0

    @property
    def numbers(self) -> tuple[float, ...]:
        """All numbers that its torques depend on, for digests."""
        table = self.efficiency if isinstance(self.efficiency, tuple) else ((self.efficiency,),)
        rated = self.rated if isinstance(self.efficiency, tuple) else 0.0
        kind, rows = float(INTERPOLATIONS.index(self.interpolation)), float(len(table))
        return (self.ratio, self.break_away, rated, kind, rows, *sum(table, ()))


def _wrong(name, expected, found):
    return RobotError(f"Transmission {name}: expected {expected}, found {found}")


def _checked_efficiency(efficiency):
    what = "Transmission efficiency"
    if isinstance(efficiency, np.ndarray):
        efficiency = efficiency.tolist()
    is_table = isinstance(efficiency, tuple | list)
    if is_table:
        rows = [floats(row, 2, f"{what} row {k}") for k, row in enumerate(efficiency, start=1)]
        if len(rows) < 2:
            raise RobotError(f"{what}: expected a number or at least 2 rows, found {len(rows)}")
    else:
        rows = [(0.0, *floats((efficiency,), 1, what))]
    for load, value in rows:
        if not 0 < value <= 1:
            raise RobotError(f"{what}: expected numbers in (0, 1], found {value}")
        if load < 0:
            raise RobotError(f"{what}: expected loads >= 0, found {load}")
    for (load, value), (next_load, next_value) in pairwise(rows):
        if next_load <= load:
            raise RobotError(f"{what}: expected ascending loads, found {next_load} after {load}")
        if next_value < value:
            raise RobotError(
                f"{what}: expected efficiencies that do not fall with the load, found {next_value} "
                f"after {value}"
            )
    return tuple(rows) if is_table else value


IDEAL = Transmission()
