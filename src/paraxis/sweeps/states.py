"""Sampled states of a robot: positions with rotations among them."""

from __future__ import annotations

from typing import Any

from ..robots.quaternions import quaternion_places
from ..robots.robot import Robot
from ..robots.within_limits import quaternions_of
from .sampling import Sampled
from .space import Region

POSITIONS = ("q", "q0", "q1")


class States(Sampled):
    """A Sampled space in which the quaternions of q are uniformly distributed rotations."""

    def __init__(
        self, robot: Robot, count: int, ranges: dict, method: str = "random", seed: int = 0
    ):
        super().__init__(count, ranges, method, seed)
        self._places = [place for _, place in quaternion_places(robot)]

    def values(self, region: Region) -> dict[str, Any]:
        values = super().values(region)
        for name in POSITIONS:
            for place in self._places if name in values else ():
                values[name][:, place] = quaternions_of(values[name][:, place])
        return values

    @property
    def identity(self) -> tuple:
        places = [(place.start, place.stop) for place in self._places]
        return (*super().identity, places)
