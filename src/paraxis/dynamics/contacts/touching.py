"""The base of contacts: a frame, coordinates, and numbers that may differ per state."""

from abc import ABC, abstractmethod
from copy import copy
from typing import Any

import numpy as np

from ...checks import counted, one_of
from ...drivers.map import as_array
from ...errors import ArgumentError
from ...robot_functions import COORDINATES
from ...robots.coupling import movers
from ...robots.frame import Frame
from ...robots.joint import WORLD
from ...robots.robot import check_frame_name

NOT_NEGATIVE = ("friction", "stabilisation")


class Touching(ABC):
    """A contact of any form: `px.Contact`, or one created by `px.Contact.general`."""

    data: dict[str, np.ndarray]  # the given numbers

    def __init__(self, frame: str | None, coordinates: str):
        check_frame_name(frame)
        one_of(coordinates, COORDINATES, "coordinates")
        self.frame, self.coordinates, self.data = frame, coordinates, {}

    @property
    @abstractmethod
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """name -> entry shape of each number that may be given."""

    @property
    @abstractmethod
    def unknowns(self) -> int:
        """The number of forces that are unknown."""

    @property
    @abstractmethod
    def constraints(self) -> int:
        """The number of accelerations that are prescribed."""

    @property
    @abstractmethod
    def numbers(self) -> tuple:
        """The numbers that are the same in all states."""

    @abstractmethod
    def form(self, frame: Frame, values: dict[str, Any]) -> Any:
        """Its equations over generic scalars, with nested lists for the numbers given."""

    def give(self, **values):
        """Store values that are not None, as arrays of their expected shapes."""
        for name, value in values.items():
            if value is not None:
                array = np.array(as_array(value, name, self.shapes[name]), float)
                self.data[name] = not_negative(name, array) if name in NOT_NEGATIVE else array

    def with_data(self, data):
        """The same contact with other numbers, and only these."""
        other = copy(self)
        other.data = data
        return other

    @property
    def identity(self):
        """Everything that determines its equations, except its frame's position and its numbers."""
        return self.numbers, self.coordinates, tuple(self.data)

    def frame_of(self, robot):
        """Its frame, which joints of the robot must be able to move as required."""
        frame = robot.tool() if self.frame is None else robot.frame(self.frame)
        if frame.body == WORLD:
            raise ArgumentError(
                f"contact: frame {frame.name!r} is fixed to the world, so no joint can move it"
            )
        moving = degrees_of_freedom(robot, robot.path(frame.body, most=self.constraints))
        if self.constraints > moving:  # joints that follow others add none
            moving = degrees_of_freedom(robot, robot.path(frame.body))
        if self.constraints > moving:
            raise ArgumentError(
                f"contact of frame {frame.name!r}: {self.constraints} constraints are more than "
                f"the {counted(moving, 'degree of freedom')} that can move the frame"
            )
        return frame

    def __repr__(self):
        where = "the tool" if self.frame is None else repr(self.frame)
        given = "".join(f", {name}" for name in self.data)
        return f"<Contact of {where}: {self._kind}{given}>"

    @property
    def _kind(self):
        return counted(self.constraints, "constraint")


def degrees_of_freedom(robot, joints):
    """The degrees of freedom of joints, given by index, some of which may follow others."""
    return sum(robot.joints[i].nv for i in movers(robot, joints))


def not_negative(name, array):
    if (array < 0).any():
        raise ArgumentError(f"{name}: expected numbers >= 0, found {array.min()}")
    return array
