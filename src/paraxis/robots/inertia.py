"""The inertia of a body: mass, centre of mass, and inertia about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import RobotError
from .numbers import array_of
from .pose import Pose, floats, freeze


@dataclass(frozen=True, slots=True)
class Inertia:
    """The mass of a body and how it is distributed.

    **Arguments:**

    - `mass`: kg.
    - `com`: the centre of mass in the body frame, `(3,)`, m.
    - `about_com`: (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) about the centre of mass, along the axes of the
      body frame, kg m². `Inertia.of` also takes 3 numbers or a 3x3 matrix.

    **Example:**

    >>> rod = px.robots.Inertia(3.0, (0.5, 0.0, 0.0), (0.0, 0.25, 0.25, 0.0, 0.0, 0.0))
    >>> rod.matrix
    array([[0.  , 0.  , 0.  ],
           [0.  , 0.25, 0.  ],
           [0.  , 0.  , 0.25]])
    >>> rod.seen_from(px.robots.Pose(translation=(0.0, 0.0, 1.0))).com
    (0.5, 0.0, 1.0)
    >>> px.robots.Inertia.of(1.0, (0, 0, 0), (1.0, 1.0, 3.0)).implausible()
    'principal moments 1 + 1 < 3 violate the triangle inequality'
    """

    mass: float = 0.0
    com: Sequence[float] = (0.0, 0.0, 0.0)
    about_com: Sequence[float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def __post_init__(self):
        freeze(self, mass=1, com=3, about_com=6)

    @classmethod
    def of(cls, mass: float, com: ArrayLike, about_com: ArrayLike, what: str = "link") -> Inertia:
        """A checked inertia. `about_com` may be 3 numbers (a diagonal), 6, or a 3x3 matrix.

        `px.RobotError` names `what` if a number is not valid.
        """
        (mass,) = floats((mass,), 1, f"{what} mass")
        if mass < 0:
            raise RobotError(f"{what} mass: expected a number >= 0, found {mass}")
        values: Any = np.asarray(about_com, dtype=object)
        if values.shape == (3,):
            values = [*values, 0.0, 0.0, 0.0]
        elif values.shape == (3, 3):
            m = np.array(values, dtype=float)
            if np.isfinite(m).all() and abs(m - m.T).max() > 1e-9 * abs(m).max():
                raise RobotError(f"{what} inertia: the matrix is not symmetric")
            values = six_of(m)
        if np.ndim(values) != 1 or len(values) != 6:
            raise RobotError(
                f"{what} inertia: expected 3, 6 or 3x3 numbers, found shape {np.shape(values)}"
            )
        return cls(mass, floats(com, 3, f"{what} com"), floats(values, 6, f"{what} inertia"))

    @property
    def matrix(self) -> np.ndarray:
        """The 3x3 inertia about the centre of mass."""
        return matrix_of(np.array(self.about_com))

    def seen_from(self, pose: Pose) -> Inertia:
        """The same body in another frame, in which `pose` is the pose of this body's frame."""
        r = np.array(pose.rotation)
        com = r @ np.array(self.com) + np.array(pose.translation)
        return Inertia.of(self.mass, com, r @ self.matrix @ r.T)

    def __add__(self, other: Inertia) -> Inertia:
        """Two bodies given in the same frame, welded together."""
        mass = self.mass + other.mass
        if mass == 0.0:
            return Inertia.of(0.0, (0, 0, 0), self.matrix + other.matrix)
        c1, c2 = np.array(self.com), np.array(other.com)
        com = (self.mass * c1 + other.mass * c2) / mass
        total = self.matrix + other.matrix
        for part, c in ((self, c1 - com), (other, c2 - com)):
            total = total + swing(part.mass, c)
        return Inertia.of(mass, com, total)

    def implausible(self) -> str | None:
        """Why no solid body can have this inertia, in words, or None if one can."""
        principal, slack = _principal(self.mass, np.array(self.com), np.array(self.about_com))
        if principal[0] < -slack:
            return f"a principal moment of inertia is negative ({principal[0]:.3g})"
        if principal[0] + principal[1] < principal[2] - slack:
            a, b, c = principal
            return f"principal moments {a:.3g} + {b:.3g} < {c:.3g} violate the triangle inequality"
        return None

    def is_massless(self) -> bool:
        """Whether it has neither mass nor inertia."""
        return self.mass == 0.0 and not any(self.about_com)


NOTHING = Inertia()


def welded(body, part):
    """Their sum; if one is massless, exactly the other, without rounding."""
    if part.is_massless():
        return body
    return part if body.is_massless() else body + part


def implausible_bodies(bodies):
    """The indices of those that no solid body can have."""
    n = len(bodies)
    principal, slack = _principal(
        np.fromiter((body.mass for body in bodies), float, n),
        array_of((body.com for body in bodies), n, 3),
        array_of((body.about_com for body in bodies), n, 6),
    )
    a, b, c = principal.T
    return np.flatnonzero((a < -slack) | (a + b < c - slack))


# -- arrays of moments of inertia, with any batch shape in front -------------------------------


def _principal(mass, com, about_com):
    """The principal moments in ascending order, and how much of them may be rounding."""
    principal = np.linalg.eigvalsh(matrix_of(about_com))
    # moments far below those about the body's origin are leftovers of rounding, not a shape
    return principal, 1e-6 * abs(principal).max(-1) + 1e-12 * mass * np.vecdot(com, com)


def matrix_of(six):
    """(Ixx, Iyy, Izz, Ixy, Ixz, Iyz) as a 3x3 matrix."""
    return six[..., np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])]


def six_of(matrix):
    """The reverse."""
    return matrix[..., (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]


def swing(mass, arm):
    """The moment of inertia of a point mass at the end of an arm."""
    outer = arm[..., :, None] * arm[..., None, :]
    square = np.vecdot(arm, arm)[..., None, None]
    return np.expand_dims(mass, (-1, -2)) * (square * np.eye(3) - outer)
