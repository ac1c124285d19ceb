"""The pose of one frame in another: a constant rotation and translation, in floats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..checks import counted, quoted
from ..errors import RobotError

# A right angle written in floats leaves cosines of about 6e-17; anything this small is such a
# leftover, while angles typed with few digits (1.5708) leave 1e-6 and are kept as they are.
LEFTOVER = 4e-16

NO_NUMBERS = (str, bytes, bool, np.bool_)  # though float() takes them


def clean(matrix, leftover=LEFTOVER):
    """Round entries within a few rounding errors of 0, 1 and -1 to those values."""
    matrix = np.array(matrix, dtype=float)
    for value in (0.0, 1.0, -1.0):
        matrix[abs(matrix - value) < leftover] = value
    return matrix


def floats(values, count, what):
    """`values` as a tuple of `count` finite floats, or an error that names `what`."""
    if _are_floats(values, count):  # nearly always, and a million times for a long chain
        return values
    try:
        if isinstance(values, str) or any(isinstance(v, NO_NUMBERS) for v in values):
            raise TypeError("text")
        result = tuple(float(v) for v in values)
    except (TypeError, ValueError, OverflowError):
        if count == 1:
            raise RobotError(f"{what}: expected a number, found {quoted(values[0])}") from None
        raise RobotError(f"{what}: expected {count} numbers, found {quoted(values)}") from None
    if len(result) != count:
        raise RobotError(f"{what}: expected {counted(count, 'number')}, found {len(result)}")
    for v in result:
        if not math.isfinite(v):
            raise RobotError(f"{what}: expected finite numbers, found {v}")
    return result


def _are_floats(values, count):
    return (
        type(values) is tuple
        and len(values) == count
        and {*map(type, values)} == {float}
        and all(map(math.isfinite, values))
    )


def freeze(thing, **sizes):
    """Turn members of a frozen dataclass into floats (size 1) or tuples of floats, or raise.

    They may be lists that the caller changes later, or text.
    """
    for name, count in sizes.items():
        value = getattr(thing, name)
        what = f"{type(thing).__name__} {name}"
        numbers = floats((value,) if count == 1 else value, count, what)
        object.__setattr__(thing, name, numbers[0] if count == 1 else numbers)


@dataclass(frozen=True, slots=True)
class Pose:
    """The pose of a child frame in a parent frame: takes child to parent coordinates.

    `rotation` is the rows of a 3x3 rotation matrix, `translation` `(3,)` in m. `Pose.of` takes
    arrays and removes rounding errors from right angles.

    **Example:**

    >>> pose = px.robots.Pose.from_rpy((1.0, 0.0, 0.5), (0.0, 0.0, np.pi / 2))
    >>> pose.matrix
    array([[ 0. , -1. ,  0. ,  1. ],
           [ 1. ,  0. ,  0. ,  0. ],
           [ 0. ,  0. ,  1. ,  0.5],
           [ 0. ,  0. ,  0. ,  1. ]])
    >>> pose.inverse().translation
    (0.0, 1.0, -0.5)
    """

    rotation: Sequence[Sequence[float]] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    translation: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self):
        rows = tuple(floats(row, 3, "Pose rotation row") for row in self.rotation)
        if len(rows) != 3:
            raise RobotError(f"Pose rotation: expected 3 rows, found {len(rows)}")
        object.__setattr__(self, "rotation", rows)
        freeze(self, translation=3)

    @classmethod
    def of(cls, rotation: ArrayLike, translation: ArrayLike, what: str = "pose") -> Pose:
        """A checked pose from a 3x3 rotation matrix and a translation, `(3,)`.

        `px.RobotError` names `what` if they are not valid.
        """
        matrix = np.asarray(rotation, dtype=float)
        if matrix.shape != (3, 3) or not np.isfinite(matrix).all():
            raise RobotError(f"{what}: expected a finite 3x3 rotation, found {rotation!r}")
        skewness = abs(matrix @ matrix.T - np.eye(3)).max()
        if skewness > 1e-6 or np.linalg.det(matrix) < 0:
            raise RobotError(f"{what}: the rotation is not orthonormal and right-handed")
        if skewness > 1e-14:  # typed with few digits: the nearest rotation is what was meant
            u, _, v = np.linalg.svd(matrix)
            matrix = u @ v
        rows = tuple(tuple(float(v) for v in row) for row in clean(matrix))
        return cls(rows, floats(translation, 3, f"{what} translation"))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, what: str = "pose") -> Pose:
        """A pose from a 4x4 homogeneous matrix."""
        matrix = np.asarray(matrix, dtype=float)
        if matrix.shape != (4, 4) or (matrix[3] != (0, 0, 0, 1)).any():
            found = f"shape {matrix.shape}" if matrix.shape != (4, 4) else f"last row {matrix[3]}"
            raise RobotError(
                f"{what}: expected a Pose or a 4x4 matrix with last row 0 0 0 1, found {found}"
            )
        return cls.of(matrix[:3, :3], matrix[:3, 3], what)

    @classmethod
    def from_rpy(
        cls, xyz: ArrayLike = (0, 0, 0), rpy: ArrayLike = (0, 0, 0), what: str = "origin"
    ) -> Pose:
        """A pose as in URDF: translation (m), and roll, pitch, yaw (rad) about fixed axes."""
        roll, pitch, yaw = floats(rpy, 3, f"{what} rpy")
        turns = [_turn(2, yaw), _turn(1, pitch), _turn(0, roll)]
        return cls.of(turns[0] @ turns[1] @ turns[2], floats(xyz, 3, f"{what} xyz"), what)

    @property
    def matrix(self) -> np.ndarray:
        """The 4x4 homogeneous matrix."""
        m = np.eye(4)
        m[:3, :3], m[:3, 3] = self.rotation, self.translation
        return m

    @property
    def rpy(self) -> tuple[float, float, float]:
        """Roll, pitch and yaw (rad) about fixed axes, as `from_rpy` takes them."""
        r = np.array(self.rotation)
        yaw = math.atan2(r[1, 0], r[0, 0])
        # what each angle leaves gives the next: near a pitch of π/2 roll and yaw are hardly
        # determined one by one, but together they are
        r = _turn(2, yaw).T @ r
        pitch = math.atan2(-r[2, 0], r[0, 0])
        r = _turn(1, pitch).T @ r
        return math.atan2(r[2, 1], r[2, 2]), pitch, yaw

    def __matmul__(self, other: Pose) -> Pose:
        """The pose `other`, given in this frame, in the parent of this frame."""
        return Pose.from_matrix(self.matrix @ other.matrix)

    def inverse(self) -> Pose:
        """The pose of the parent frame in the child frame."""
        r, p = np.array(self.rotation), np.array(self.translation)
        back = -r.T @ p
        back[abs(back) < LEFTOVER * np.linalg.norm(p)] = 0.0
        return Pose.of(r.T, back)


HERE = Pose()  # of a frame in itself


def _turn(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    m = np.eye(3)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    m[j, j], m[j, k], m[k, j], m[k, k] = c, -s, s, c
    return clean(m)


def turn_about(axis, angle):
    """The pose of a frame turned about a coordinate axis (0, 1, 2)."""
    return Pose.of(_turn(axis, angle), (0, 0, 0))
