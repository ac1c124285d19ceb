"""The motion that a controller is to follow, in the forms in which one may give it."""

from functools import cached_property

import numpy as np

from ..errors import ArgumentError
from ..graph.node import Node
from ..graph.trace import trace
from ..program import Program
from ..simulation.controllers import as_objects
from ..trajectories.trajectory import Trajectory
from .controller import Motion

PARTS = ("q", "qd", "qdd")


class Reference:
    """A desired motion of n joints.

    traced: is it a function of traced time, compiled into the loop? Else it is a Trajectory, which
    is sampled at the times when it is needed. `settings` are the names of what else it takes.
    """

    def __init__(self, given, n, settings=()):
        self.given, self.n, self.settings = given, n, tuple(settings)
        self.posture = None  # where the robot stands, if that is all it shall do
        self.traced = not isinstance(given, Trajectory)
        if isinstance(given, Trajectory):
            if given.n != n:
                raise ArgumentError(f"trajectory: expected {n} joints, found {given.n}")
        elif not callable(given):
            self.posture = _posture(given, n)
            self.given = lambda t: (self.posture.tolist(), [0.0] * n, [0.0] * n)
        if self.settings and not callable(given):
            raise ArgumentError(
                f"{self.settings[0]}: there is no function of a trajectory that takes it, and it "
                f"is no parameter of the robot"
            )

    @property
    def duration(self):
        """In seconds, if it has one."""
        return None if self.traced else self.given.duration

    def at(self, t, settings):
        """The Motion at a traced time."""
        given = {name: as_objects(value) for name, value in settings.items()}
        result = self.given(t, **given)
        if not isinstance(result, (tuple, list)) or len(result) != len(PARTS):
            raise ArgumentError("trajectory: expected a function of t that returns q, qd, qdd")
        return Motion(
            *(self._scalars(part, name) for part, name in zip(result, PARTS, strict=True))
        )

    def _scalars(self, part, name):
        values = list(part) if isinstance(part, (list, tuple, np.ndarray)) else [part]
        values = [value.item() if isinstance(value, np.generic) else value for value in values]
        good = all(isinstance(value, Node | int | float) for value in values)
        if not good or len(values) != self.n:
            raise ArgumentError(f"trajectory: expected {self.n} numbers for {name}, found {part!r}")
        return values

    def sampled(self, t):
        """The Motion at times (...) as arrays (..., 3, n)."""
        if not self.traced:
            return np.stack(self.given(t), axis=-2)
        return self._kernel(np.asarray(t, float))

    @cached_property
    def _kernel(self):
        return Program(trace(lambda t: list(map(list, self.at(t, {}))), {"t": ()})).compile()


def _posture(posture, n):
    """A posture as an array."""
    try:
        values = np.asarray(posture, float)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (n,) or not np.isfinite(values).all():
        raise ArgumentError(
            f"trajectory: expected a px.Trajectory, a function of t that returns q, qd and qdd, or "
            f"a posture of {n} numbers, found {posture!r}"
        )
    return values
