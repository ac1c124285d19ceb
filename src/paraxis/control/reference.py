"""The motion that a controller follows, in any of its possible forms."""

from dataclasses import dataclass

import numpy as np

from ..body import Body
from ..checks import counted, quoted
from ..drivers.map import in_main_memory
from ..errors import ArgumentError, ParaxisError
from ..graph.arrays import traced_array
from ..graph.node import Node
from ..graph.outline import Outline
from ..graph.trace import trace
from ..robots.joint import LIMITED
from ..robots.quaternions import require_unit_quaternions
from ..simulation.names import setting_input
from ..simulation.settings import require_takes
from ..targets.target import CPU
from ..trajectories.traced_motion import motion_at, numbers_of, piece_count
from ..trajectories.trajectory import Trajectory
from .controller import Motion

PARTS = Motion._fields
MOST_PIECES = 16  # of a Trajectory that is compiled; longer ones are sampled on demand


class Reference:
    """A desired motion of a robot's joints: a Trajectory, a function of t, or a posture.

    traced: whether it is a function of traced time, compiled into the loop. `settings`: the names
    of its other arguments. numbers: name -> array, of a posture or a Trajectory; like settings,
    they are inputs of the compiled code, so that new values do not recompile.
    """

    def __init__(self, given, robot, settings=()):
        self.robot, self.settings = robot, tuple(settings)
        self.sizes = Motion(robot.nq, robot.nv, robot.nv)
        self.posture = None  # (nq,), if it is constant
        self.duration = None  # in seconds, if it ends
        self.traced, self.numbers = True, {}
        self._identity, self._outlines = None, {}  # the latter of a function
        if isinstance(given, Trajectory):
            _check_joints(given, robot)
            self.duration, self._trajectory = given.duration, given
            self.traced = piece_count(given) <= MOST_PIECES
            if self.traced:
                self.numbers = numbers_of(given)
            shapes = {name: array.shape for name, array in self.numbers.items()}
            self._identity = "trajectory", given.comes_to_rest, shapes
            self._function = lambda t, **numbers: motion_at(given, t, numbers)
        elif callable(given):
            require_takes(given, self.settings, "trajectory", ("t",))
            self._function = given
        else:
            self.posture, still = _posture(given, robot), [0.0] * robot.nv
            self.numbers, self._identity = {"posture": self.posture}, ("posture",)
            self._function = lambda t, posture: (posture, still, still)
        if self.settings and self._function is not given:
            raise ArgumentError(
                f"{self.settings[0]}: not a parameter of the robot; settings require a "
                f"trajectory that is a function and takes them"
            )

    def identity_with(self, shapes):
        """Everything that determines the graph, given the shapes of settings by name.

        A function is called to find out, as its result may have changed since it was last called.
        """
        return self._identity or ("function", self._outline(shapes))

    def _outline(self, shapes):
        """The traced function, recorded once; later calls must give the same."""
        key = tuple(shapes.items())
        if key not in self._outlines:

            def motion(t, **arrays):
                given = {name: arrays[setting_input(name)] for name in shapes}
                return self._called(t, given).row

            first, again = (Outline(motion, _inputs(shapes)) for _ in range(2))
            if first.digest != again.digest:
                raise ArgumentError(
                    "trajectory: the function must return the same motion at every call, but its "
                    "result changes from call to call"
                )
            self._outlines[key] = first
        return self._outlines[key]

    def at(self, t, settings):
        """The Motion at a traced time."""
        if self._identity is not None:
            return self._called(t, settings)
        law = self._outline({name: _shape(value) for name, value in settings.items()})
        given = {setting_input(name): each for name, each in settings.items()}
        return Motion.of(self.robot, law(t=t, **given))

    def _called(self, t, settings):
        given = {name: traced_array(value) for name, value in settings.items()}
        try:
            result = self._function(t, **given)
        except ParaxisError:
            raise
        except Exception as error:
            raise ArgumentError(
                f"trajectory: expected a function of t written with px functions; tracing it "
                f"raised {type(error).__name__}: {error}"
            ) from error
        if not isinstance(result, (tuple, list)) or len(result) != len(PARTS):
            several = isinstance(result, (tuple, list))
            found = counted(len(result), "part") if several else f"a {_kind(result)}"
            raise ArgumentError(
                f"trajectory: expected a function of t that returns q, qd and qdd, found {found}"
            )
        each = zip(result, PARTS, strict=True)
        return Motion(*(self._scalars(part, name) for part, name in each))

    def _scalars(self, part, name):
        values = list(part) if isinstance(part, (list, tuple, np.ndarray)) else [part]
        values = [value.item() if isinstance(value, np.generic) else value for value in values]
        others = [value for value in values if not isinstance(value, Node | int | float)]
        if others or len(values) != getattr(self.sizes, name):
            found = f"a {_kind(others[0])}" if others else len(values)
            raise ArgumentError(
                f"trajectory: expected a function of t that returns q, qd and qdd, "
                f"{_numbers(self.sizes)}, found {found} for {name}"
            )
        return values

    def sampled(self, t, settings=None, target=CPU):
        """The Motion at times `(...)`, all its numbers in one row, `(..., nq + 2 nv)`, on a target.

        Settings, if any, have the last axis of the times as their first; by default they are its
        own numbers.
        """
        if not self.traced:
            return target.put(Motion(*self._trajectory(target.fetched(t))).row)
        if settings is None:
            settings = {name: target.put(array[None]) for name, array in self.numbers.items()}
        shapes = {name: value.shape[1:] for name, value in settings.items()}
        given = {setting_input(name): value for name, value in settings.items()}
        return self._kernel(shapes, target)(t=target.put(t), **given)

    def _kernel(self, shapes, target):
        return target.map(Body(_motion_graph, _Shaped(self, shapes)))


@dataclass(frozen=True)
class _Shaped:
    """A reference with settings of these shapes, which determine its graph."""

    reference: Reference
    shapes: dict

    @property
    def identity(self):
        return self.reference.sizes, self.reference.identity_with(self.shapes), self.shapes


def _motion_graph(shaped):
    def motion(t, **arrays):
        settings = {name: arrays[setting_input(name)] for name in shaped.shapes}
        return shaped.reference.at(t, settings).row

    return trace(motion, _inputs(shaped.shapes), "motion")


def _inputs(shapes):
    return {"t": ()} | {setting_input(name): shape for name, shape in shapes.items()}


def _shape(value):
    """The shape of nested lists."""
    return (len(value), *_shape(value[0])) if isinstance(value, (list, tuple)) else ()


def _kind(value):
    return "number" if isinstance(value, Node) else type(value).__name__


def _check_joints(trajectory, robot):
    others = [joint for joint in robot.joints if joint.kind not in LIMITED]
    if others:
        raise ArgumentError(
            f"trajectory: px.trajectories does not support joint {quoted(others[0].name)} "
            f"({others[0].kind}); give a function of t that returns q, qd and qdd"
        )
    if trajectory.n != robot.nq:
        expected = counted(robot.nq, "joint")
        raise ArgumentError(f"trajectory: expected {expected}, found {trajectory.n}")


def _numbers(sizes):
    if sizes.q == sizes.qd:
        return f"each of {counted(sizes.q, 'number')}"
    return f"of {sizes.q}, {sizes.qd} and {sizes.qdd} numbers"


def _posture(given, robot):
    in_main_memory(given, "trajectory")
    try:
        values = np.asarray(given, float)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (robot.nq,) or not np.isfinite(values).all():
        raise ArgumentError(
            f"trajectory: expected a px.trajectories.Trajectory, a function of t that returns q, "
            f"qd and qdd, or a posture of {counted(robot.nq, 'number')}, found {given!r}"
        )
    require_unit_quaternions(robot, values, "trajectory")
    return values
