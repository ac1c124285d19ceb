"""The goal of a law: a posture, values per step, a trajectory, a function of t, or another law."""

import numpy as np

from ...checks import counted, quoted
from ...drivers.map import in_main_memory
from ...errors import ArgumentError
from ...graph.node import Node
from ...robots.joint import LIMITED
from ...robots.quaternions import require_unit_quaternions
from ...simulation.memory import has_memory
from ...trajectories.traced_motion import motion_at, numbers_of, piece_count
from ...trajectories.trajectory import Trajectory
from ..controller import Motion
from .law import STATE, Law, Part, names_of

MOST_PIECES = 64  # of a trajectory: all are compiled, and one is selected


class Goal:
    """The desired Motion at a time. Rates and accelerations that are not given are None, for zero.

    settings, shapes, per_step: the arguments by name of the law that has this goal. part: another
    law that computes it, or None.
    """

    def __init__(self, robot, given, rate=None, per_step=()):
        self.robot, self.part = robot, None
        self.settings, self.shapes, self.names = {}, {}, ()
        self.per_step = tuple(per_step)
        self._trajectory = self._function = None
        self._has_rate = False
        if isinstance(given, Trajectory):
            self._of_trajectory(given)
        elif is_controller(given):
            self.part = Part(given, "goal")
        elif callable(given):
            self._function, self.names = given, names_of(given, 1) or ()
        else:
            self._of_posture(given, rate)
            rate = None
        if rate is not None:
            raise ArgumentError(
                "goal_rate: only a goal that is an array, or given per step, takes this"
            )
        for name in self.per_step:
            if name not in self.names:
                raise ArgumentError(
                    f"per_step: expected some of {self.names or 'no'} names, found {quoted(name)}"
                )

    def _of_posture(self, given, rate):
        robot = self.robot
        self.names = ("goal",)
        self.shapes = {"goal": (robot.nq,)}
        if given is not None:
            self.settings["goal"] = numbers_of_entries(given, robot.nq, "goal")
            if robot.nq != robot.nv:
                require_unit_quaternions(robot, self.settings["goal"], "goal")
        if rate is not None or "goal_rate" in self.per_step:
            self.names, self._has_rate = ("goal", "goal_rate"), True
            self.shapes["goal_rate"] = (robot.nv,)
        if rate is not None:
            self.settings["goal_rate"] = numbers_of_entries(rate, robot.nv, "goal_rate")

    def _of_trajectory(self, trajectory):
        robot = self.robot
        others = [joint for joint in robot.joints if joint.kind not in LIMITED]
        if others:
            raise ArgumentError(
                f"goal: a px.trajectories.Trajectory does not support joint "
                f"{quoted(others[0].name)} ({others[0].kind}); give a function of t that "
                f"returns q, qd and qdd"
            )
        if trajectory.n != robot.nq:
            expected = counted(robot.nq, "joint")
            raise ArgumentError(f"goal: expected a trajectory of {expected}, found {trajectory.n}")
        pieces = piece_count(trajectory)
        if pieces > MOST_PIECES:
            raise ArgumentError(
                f"goal: a trajectory of {pieces} pieces is too long to compile, the limit is "
                f"{MOST_PIECES}; give its values per step: per_step=('goal',), and "
                f"goal=trajectory(dt * np.arange(steps))[0] in the call of px.simulate"
            )
        self._trajectory = trajectory
        own = {f"goal_{name}": array for name, array in numbers_of(trajectory).items()}
        self.settings = own
        self.shapes = {name: array.shape for name, array in own.items()}
        self.names = tuple(own)

    def at(self, t, q, qd, memory, dt, given):
        """The Motion, and the memory of the law that computes it."""
        if self.part is not None:
            goal, after = self.part(t, q, qd, memory, dt, given)
            if isinstance(goal, tuple) and len(goal) == 3:
                return Motion(*map(_array, goal)), after
            return Motion(_array(goal), None, None), after
        if self._trajectory is not None:
            if isinstance(t, Node):
                numbers = {name: given[f"goal_{name}"] for name in numbers_of(self._trajectory)}
                return Motion(*map(_array, motion_at(self._trajectory, t, numbers))), {}
            return Motion(*self._trajectory(np.asarray(t, float))), {}
        if self._function is not None:
            own = {name: given[name] for name in self.names if name in given}
            return self._motion(self._function(t, **own)), {}
        return Motion(given["goal"], given.get("goal_rate") if self._has_rate else None, None), {}

    def _motion(self, result):
        if not isinstance(result, tuple) or len(result) != 3:
            raise ArgumentError(
                "goal: expected a function of t that returns q, qd and qdd, as a tuple of three"
            )
        return Motion(*map(_array, result))


def is_controller(given):
    """Whether it takes t, q and qd, rather than t alone."""
    if isinstance(given, Law) or has_memory(given):
        return True
    return callable(given) and (names_of(given, 1) or ())[:2] == STATE[1:]


def _array(values):
    return np.asanyarray(values) if not isinstance(values, np.ndarray) else values


def numbers_of_entries(value, size, name):
    in_main_memory(value, name)
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected numbers, found {value!r}") from None
    if array.ndim == 0:
        array = np.full(size, float(array))
    if array.shape[-1] != size:
        raise ArgumentError(
            f"{name}: expected a number or shape (..., {size}), found {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name}: expected finite numbers, found {value!r}")
    return array
