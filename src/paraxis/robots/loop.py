"""Closed loops: two frames of a robot that are held together, besides the joints of its tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ..checks import did_you_mean, listing, quoted
from ..errors import RobotError
from ..scalar import maximum, sqrt
from ..spatial import ZERO3, Matrix, Vector, cross
from .check import warn_of
from .directions import INDEPENDENT, checked_directions
from .frame import Frame
from .joint import WORLD, checked_axis
from .pose import clean, floats

ALL = tuple(tuple(float(i == j) for j in range(6)) for i in range(6))
HALF_TURN = 1e-12  # cos² of half the angle, below which the axis is lost in rounding
HELD = 1e-6  # m or rad: what a loop may be open by where nothing can close it any more


@dataclass(frozen=True, slots=True)
class Loop:
    """Two frames of a robot that are held together: what closes a loop of bodies.

    `Loop.connect`, `Loop.weld` and `Loop.hinge` make the usual ones.

    **Arguments:**

    - `name`: of the loop.
    - `first`, `second`: each a `px.robots.Frame`, on different bodies; one may be on the world.
    - `constraint`: directions `(6, nc)` along the axes of `second`, angular part first, along which
      `first` may not move relative to `second`. Each is a rotation or a translation; the rotations
      are none, all, or those across one axis. By default all six.
    - `stabilisation`: a frequency ω in rad/s, or (ω, ζ), with which simulations close what opens:
      errors decay as on a spring of that frequency and damping ratio; ζ is 1 unless given.

    **Raises:** `px.RobotError` if directions are not as above, or not independent.

    **Example:**

    >>> robot = px.robots.planar(4)  # its tip is tied to its base: a rhombus
    >>> tip, base = robot.frame("tip"), robot.frame("base")
    >>> linkage = robot.with_loops(px.robots.Loop.hinge("closed", tip, base, axis=(0, 1, 0)))
    >>> closed = px.kinematics.close(linkage, [1.0, -1.0, -2.0, -1.0])
    >>> bool(closed.solved)
    True
    >>> closed.q
    array([ 1.009, -1.047, -2.095, -1.047])
    """

    name: str
    first: Frame
    second: Frame
    constraint: Sequence[Sequence[float]] = ALL
    stabilisation: Sequence[float] | float = (50.0, 1.0)

    def __post_init__(self):
        what = f"loop {quoted(self.name)}"
        for frame in (self.first, self.second):
            if not isinstance(frame, Frame):
                raise RobotError(
                    f"{what}: expected two Frames (robot.frame(name) is one), found "
                    f"{type(frame).__name__}"
                )
        directions = _rotations_or_translations(self.constraint, f"{what} constraint")
        object.__setattr__(self, "constraint", directions)
        given = self.stabilisation
        pair = (given, 1.0) if np.ndim(given) == 0 else tuple(given)
        pair = floats(pair, 2, f"{what} stabilisation")
        if min(pair) < 0:
            raise RobotError(f"{what} stabilisation: expected numbers >= 0, found {pair}")
        object.__setattr__(self, "stabilisation", pair)

    @classmethod
    def connect(cls, name: str, first: Frame, second: Frame) -> Loop:
        """Return a loop that holds the origins of both frames together: a ball joint."""
        return cls(name, first, second, [row[3:] for row in ALL])

    @classmethod
    def weld(cls, name: str, first: Frame, second: Frame) -> Loop:
        """Return a loop that holds `first` where `second` is, and turned as it is."""
        return cls(name, first, second)

    @classmethod
    def hinge(
        cls, name: str, first: Frame, second: Frame, axis: Sequence[float] = (0, 0, 1)
    ) -> Loop:
        """Return a loop that lets the frames turn only about an `axis`, the same in both."""
        axis = checked_axis(axis, f"loop {quoted(name)}")
        across = np.linalg.svd(np.array([axis]))[2][1:]  # rows orthogonal to it
        if 1.0 in map(abs, axis):
            across = np.eye(3)[[k for k in range(3) if not axis[k]]]
        directions = np.zeros((6, 5))
        directions[:3, :2], directions[3:, 2:] = clean(across.T), np.eye(3)
        return cls(name, first, second, directions.tolist())

    @property
    def constraints(self) -> int:
        """The number of constraint directions."""
        return len(self.constraint[0])

    @property
    def kind(self) -> str:
        """What it does, in a word."""
        turns, moves = (np.linalg.matrix_rank(part) for part in self._parts)
        kinds = {(0, 3): "connect", (3, 3): "weld", (2, 3): "hinge"}
        return kinds.get((int(turns), int(moves)), "loop")

    @property
    def free_axis(self) -> tuple[float, ...] | None:
        """The axis about which the frames may turn, if there is just one."""
        turns, _ = self._parts
        _, sizes, axes = np.linalg.svd(turns.T)
        return tuple(clean(axes[2]).tolist()) if (sizes > INDEPENDENT).sum() == 2 else None

    @property
    def _parts(self):
        """The rotations and the translations among the directions, as columns."""
        directions = np.array(self.constraint)
        turns = directions[:3].any(axis=0)
        return directions[:3, turns], directions[3:, ~turns]

    @property
    def identity(self) -> tuple:
        """What decides its equations; names do not."""
        return self.first.identity, self.second.identity, self.constraint, self.stabilisation

    def carried(self, place) -> Loop:
        """The same loop with frames that `place(frame)` gives."""
        return replace(self, first=place(self.first), second=place(self.second))

    def error(self, turn: Matrix, way: Vector) -> list:
        """How far it is open along each direction, over generic scalars: rad (a chord) or m.

        `turn` and `way` are the rotation of `first` in `second`, and its origin there. Zero where
        the loop is closed; its slope there is that of the relative motion along the directions.
        """
        axis = self.free_axis
        if axis is None:  # the chord of the whole turn, as in pose_error
            twice_sine, trace = ZERO3, 0.0
            for unit, column in zip(np.eye(3).tolist(), turn.T, strict=True):
                twice_sine = twice_sine + cross(Vector(*unit), column)
                trace = trace + Vector(*unit) @ column
            half, sine = (trace + 1.0) * 0.25, twice_sine * 0.5
        else:  # that of the turn which takes the axis to where it should be
            turned = turn @ Vector(*axis)
            half, sine = (turned @ Vector(*axis) + 1.0) * 0.5, cross(Vector(*axis), turned)
        chord = sine * (1.0 / sqrt(maximum(half, HALF_TURN)))
        return [
            sum((a * b for a, b in zip(column, (*chord, *way), strict=True) if a), 0.0)
            for column in zip(*self.constraint, strict=True)
        ]


def _rotations_or_translations(given: ArrayLike, what):
    """Directions that can be integrated: six rows, a column per direction."""
    matrix = checked_directions(given, what, RobotError)
    turns, moves = matrix[:3].any(axis=0), matrix[3:].any(axis=0)
    if (turns & moves).any() or turns.sum() == 1:
        raise RobotError(
            f"{what}: expected directions that are rotations or translations, with no "
            "rotation, all three, or two across the axis that is left free"
        )
    return tuple(map(tuple, matrix.tolist()))


def check_loops(robot):
    """Raise unless loops are between different bodies, and torques can act as they should."""
    name = f"robot {quoted(robot.name)}"
    for loop in robot.loops:
        what = f"loop {quoted(getattr(loop, 'name', loop))}"
        if not isinstance(loop, Loop):
            raise RobotError(f"{what}: expected a Loop, found {type(loop).__name__}")
        for frame in (loop.first, loop.second):
            if not isinstance(frame.body, int) or not WORLD <= frame.body < robot.n:
                raise RobotError(
                    f"{what}: frame {quoted(frame.name)} is on body {frame.body!r}, but {name} has "
                    f"bodies 0 to {robot.n - 1}"
                )
        if loop.first.body == loop.second.body:
            raise RobotError(
                f"{what}: frames {quoted(loop.first.name)} and {quoted(loop.second.name)} are on "
                "the same body, so that nothing closes"
            )
    names = Counter(loop.name for loop in robot.loops)
    for twice in (each for each, count in names.items() if count > 1):
        raise RobotError(f"loop {quoted(twice)}: the name is used twice")
    if robot.independent is not None:
        _check_independent(robot, name)


def _check_independent(robot, name):
    if not robot.loops:
        raise RobotError(f"{name}: independent joints are those of a robot with loops; it has none")
    for each in robot.independent:
        if each not in robot.joint_names:
            raise RobotError(
                f"independent: {name} has no joint {quoted(each)}; it has "
                f"{listing(robot.joint_names)}{did_you_mean(each, robot.joint_names)}"
            )
        coupling = robot.joint(each).coupling
        if coupling is not None:
            raise RobotError(
                f"independent: joint {quoted(each)} follows {listing(coupling.leaders)}, "
                "which must be named instead"
            )
    others = [j for j in robot.joints if j.name not in robot.independent and j.coupling is None]
    dependent, held = sum(j.nv for j in others), sum(loop.constraints for loop in robot.loops)
    if dependent > held:
        raise RobotError(
            f"independent: {listing([j.name for j in others])} have {dependent} degrees of freedom "
            f"together, more than the {held} constraints of the loops of {name} can move; name "
            "more joints"
        )


def loops_and_independent(robot, place, joint_names=None):
    """The fields `loops` and `independent` of a robot whose bodies were renumbered.

    `place(frame)` is the frame as it is now, or None if its body is gone; `joint_names` are those
    of the joints that are left. Loops that no longer connect two bodies are left out, with a
    warning unless they hold as they are.
    """
    kept, sentences = [], []
    for loop in robot.loops:
        first, second = place(loop.first), place(loop.second)
        if first is None or second is None:
            sentences.append(f"loop {quoted(loop.name)} is left out, because a body of it is gone")
            continue
        if first.body != second.body:
            kept.append(replace(loop, first=first, second=second))
            continue
        seen = second.pose.inverse() @ first.pose
        open_by = max(map(abs, loop.error(Matrix(*seen.rotation), Vector(*seen.translation))))
        if open_by > HELD:
            sentences.append(
                f"loop {quoted(loop.name)} is left out, because no joint moves one of its frames "
                f"against the other any more; they are held {open_by:.3g} m or rad apart"
            )
    warn_of(f"robot {quoted(robot.name)}", sentences)
    independent = robot.independent
    if independent is not None and joint_names is not None:
        independent = tuple(each for each in independent if each in joint_names)
    return {"loops": tuple(kept), "independent": independent if kept else None}
