"""The motion that a controller is to follow, in the forms in which one may give it."""

import numpy as np

from ..errors import ArgumentError
from ..graph.node import Node
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
        self.traced = not isinstance(given, Trajectory)
        if isinstance(given, Trajectory):
            if given.n != n:
                raise ArgumentError(f"trajectory: expected {n} joints, found {given.n}")
        elif not callable(given):
            self.given = _standing(given, n)
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
        return np.stack(self.given(t), axis=-2)


def _standing(posture, n):
    """The motion of a robot that stays where it is."""
    try:
        values = np.asarray(posture, float)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (n,) or not np.isfinite(values).all():
        raise ArgumentError(
            f"trajectory: expected a px.Trajectory, a function of t that returns q, qd and qdd, or "
            f"a posture of {n} numbers, found {posture!r}"
        )
    still = [0.0] * n
    return lambda t: (values.tolist(), still, still)
