"""`px.Contact`: how a frame of a robot touches its environment."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...drivers.map import as_array, in_main_memory
from ...errors import ArgumentError
from ...physics.contact.contact_forms import SplitForm
from ...robots.directions import checked_directions, require_independent
from ...robots.frame import Frame
from ...robots.pose import Pose
from .directions import complement, duals
from .general import GeneralContact
from .touching import Touching, not_negative

A_POSE = 1e-6  # tolerance of the entries of an anchor


class Contact(Touching):
    """A frame that is held in some directions and free to move in the others.

    The frame's acceleration and the force that the robot exerts on the environment, both at the
    frame's origin, angular part first, are

        V̇ = H G_F + W G_C,    F = H K_F + W K_C

    with directions of motion H and of constraint W. In a contact of type I, G_C and K_F are given;
    in one of type II, K_F = coupling K_C + force. Directions need not be orthonormal: G_F and G_C
    are the coefficients of V̇, and K_F = Hᵀ F and K_C = Wᵀ F, so that forces of constraint do no
    work along H. V̇ is the rate of `px.jacobian` q̇ in the same coordinates. Contacts are bilateral:
    they never release.

    `Contact.pinned`, `Contact.welded` and `Contact.sliding` create common contacts,
    `Contact.general` any other. The numbers of a contact may differ per state: their batch shapes
    broadcast with those of states.

    **Arguments:**

    - `frame`: the name of the frame; by default the tool.
    - `motion`: H, `(6, nf)`, directions as columns; by default the orthogonal complement of W.
    - `constraint`: W, `(6, nc)`; by default the orthogonal complement of H. One of the two must be
      given.
    - `acceleration`: G_C, `(..., nc)`, rad/s² or m/s²; by default zero. Requires `constraint`.
    - `force`: K_F, `(..., nf)`, N m or N; by default zero. Requires `motion`.
    - `coupling`: `(..., nf, nc)`, of type II. Requires `motion`.
    - `coordinates`: `"world"` for directions along the axes of the world, `"body"` along those of
      the frame.
    - `stabilisation`: a frequency ω in rad/s, or `(ω, ζ)`, with which errors of a simulation decay:
      it demands the acceleration -2 ζ ω (velocity) - ω² (distance from `anchor`) along the
      constraint directions; ζ is 1 unless given.
    - `anchor`: the pose at which the frame is held, `(..., 4, 4)` or a `Pose`; without one, only
      velocities are corrected. Requires `stabilisation`.

    **Raises:** `px.ArgumentError` if directions are dependent or not 6 in total, or arguments do
    not fit together.

    **Example:**

    >>> robot = px.load("ur5")
    >>> q, still = np.array([0.3, -1.2, 1.5, -1.8, -1.5, 0.0]), np.zeros(6)
    >>> wall = px.Contact.pinned("tool0")
    >>> motion = px.constrained_forward_dynamics(robot, q, still, still, wall)
    >>> motion.acceleration[3:]  # m/s²: the tool does not move
    array([-0.,  0., -0.])
    >>> table = px.Contact.sliding("tool0", normal=(0, 0, 1), friction=0.3)
    >>> px.Contact("tool0", constraint=np.eye(6)[:, 3:4]).constraints  # held along x only
    1
    """

    smoothing: float | None = None  # m/s, of a contact with friction, which fades below this speed

    def __init__(
        self,
        frame: str | None = None,
        motion: ArrayLike | None = None,
        constraint: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        force: ArrayLike | None = None,
        coupling: ArrayLike | None = None,
        coordinates: str = "world",
        stabilisation: ArrayLike | None = None,
        anchor: ArrayLike | Pose | None = None,
    ):
        super().__init__(frame, coordinates)
        self._set_directions(motion, constraint)
        if constraint is None and acceleration is not None:
            raise ArgumentError("acceleration: requires the constraint directions")
        for name, value in (("force", force), ("coupling", coupling)):
            if motion is None and value is not None:
                raise ArgumentError(f"{name}: requires the motion directions")
        if stabilisation is not None and acceleration is not None:
            raise ArgumentError(
                "stabilisation cannot be combined with acceleration: it is for contacts that stay "
                "where they are"
            )
        if anchor is not None and stabilisation is None:
            raise ArgumentError("anchor: has no effect without stabilisation; give both")
        self.give(
            acceleration=acceleration,
            force=force,
            coupling=coupling,
            stabilisation=_with_damping(stabilisation),
            anchor=anchor.matrix if isinstance(anchor, Pose) else anchor,
        )
        _check_anchor(self.data.get("anchor"))

    def _set_directions(self, motion, constraint):
        H = None if motion is None else _directions(motion, "motion")
        W = None if constraint is None else _directions(constraint, "constraint")
        if H is None and W is None:
            raise ArgumentError("contact: give motion or constraint directions, or both")
        self.motion = complement(W) if H is None else H
        self.constraint = complement(H) if W is None else W
        if self.constraint.shape[1] == 0:
            raise ArgumentError("motion: expected at most 5 directions; 6 leave no constraint")
        both = np.column_stack([self.motion, self.constraint])
        if both.shape[1] != 6:
            raise ArgumentError(
                f"motion and constraint: expected 6 directions together, found {both.shape[1]}"
            )
        require_independent(both, "motion and constraint", ArgumentError)

    # -- common contacts -------------------------------------------------------------------------

    @classmethod
    def pinned(cls, frame: str | None = None, **options: Any) -> Contact:
        """Return a contact that holds the frame's origin; the frame may turn about it.

        Options are `acceleration`, `coordinates`, `stabilisation` and `anchor` of `px.Contact`.
        """
        return cls(frame, constraint=np.eye(6)[:, 3:], **options)

    @classmethod
    def welded(cls, frame: str | None = None, **options: Any) -> Contact:
        """Return a contact in which the frame neither turns nor moves; options as for `pinned`."""
        return cls(frame, constraint=np.eye(6), **options)

    @classmethod
    def sliding(
        cls,
        frame: str | None = None,
        normal: ArrayLike = (0, 0, 1),
        friction: ArrayLike | None = None,
        direction: ArrayLike | None = None,
        smoothing: float = 1e-3,
        **options: Any,
    ) -> Contact:
        """Return a contact that keeps the frame's origin in a plane, with or without friction.

        With friction, the robot drags the plane along with μ times the pressure N = -normal · F.
        The contact is bilateral: if N < 0, a real one would have released.

        **Arguments:**

        - `frame`: the name of the frame; by default the tool.
        - `normal`: the plane's normal, `(3,)`, pointing to the robot's side.
        - `friction`: the coefficient of friction μ, `(...)`; by default none.
        - `direction`: the direction in which the frame slides, `(..., 3)`; by default that of its
          velocity in the plane. Requires `friction`.
        - `smoothing`: without a `direction`, the speed in m/s below which friction fades; it should
          be small compared with sliding speeds.
        - `options`: further arguments of `px.Contact`.

        **Raises:** `px.ArgumentError` if the normal is zero, friction is negative, or `direction`
        is not in the plane.
        """
        normal = as_array(normal, "normal", (3,)).astype(float)
        length = np.linalg.norm(normal)
        if normal.ndim != 1 or not 0 < length < np.inf:
            raise ArgumentError(f"normal: expected a direction of 3 numbers, found {normal}")
        axis = np.concatenate([np.zeros(3), normal / length])[:, None]
        turns = np.eye(6)[:, :3]
        tangents = complement(np.column_stack([turns, axis]))
        motion = np.column_stack([tangents, turns])
        if direction is not None:
            options["coupling"] = _drag(friction, direction, tangents[3:])
        contact = cls(frame, motion=motion, constraint=axis, **options)
        contact.give(friction=friction if direction is None else None)
        if contact.data.get("friction") is not None:
            contact.smoothing = _speed(smoothing)
        return contact

    @staticmethod
    def general(
        frame: str | None,
        M1: ArrayLike,
        M2: ArrayLike,
        k1: ArrayLike | None = None,
        k2: ArrayLike | None = None,
        coordinates: str = "world",
    ) -> GeneralContact:
        """Return a contact in Lathrop's form: V̇ = M1 Ω + k1 and F = M2 Ω + k2, six unknowns Ω.

        **Arguments:**

        - `frame`: the name of the frame, or None for the tool.
        - `M1`: `(6, 6)`, the same in all states.
        - `M2`: `(..., 6, 6)`.
        - `k1`, `k2`: `(..., 6)`; by default zero.
        - `coordinates`: `"world"` or `"body"`, as for `px.Contact`.

        **Raises:** `px.ArgumentError` if M1 and M2 together have a rank below 6.
        """
        return GeneralContact(frame, M1, M2, k1, k2, coordinates)

    # -- for algorithms --------------------------------------------------------------------------

    @property
    def constraints(self) -> int:
        """The number of constraint directions."""
        return self.constraint.shape[1]

    unknowns = constraints

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        nf, nc = self.motion.shape[1], self.constraint.shape[1]
        return {
            "acceleration": (nc,),
            "force": (nf,),
            "coupling": (nf, nc),
            "friction": (),
            "stabilisation": (2,),
            "anchor": (4, 4),
        }

    @cached_property
    def numbers(self) -> tuple:
        return self.motion.tobytes(), self.constraint.tobytes(), self.smoothing

    def form(self, frame: Frame, values: dict[str, Any]) -> SplitForm:
        along, across = duals(self.motion, self.constraint)
        values = {"acceleration": [0.0] * self.constraints} | values
        if "friction" in values:
            values["friction"] = values["friction"], self.smoothing
        return SplitForm(frame, self.coordinates, across.T.tolist(), along.T.tolist(), **values)


def _directions(given, what):
    return checked_directions(as_array(given, what, ()), what, ArgumentError)


def _speed(smoothing):
    speed = as_array(smoothing, "smoothing", ())
    if speed.ndim or not 0 < speed < np.inf:
        raise ArgumentError(f"smoothing: expected a speed > 0 in m/s, found {smoothing!r}")
    return float(speed)


def _with_damping(stabilisation):
    """(ω, ζ), critically damped if only ω is given."""
    in_main_memory(stabilisation, "stabilisation")
    one = stabilisation is not None and np.ndim(stabilisation) == 0
    return (stabilisation, 1.0) if one else stabilisation


def _drag(friction, direction, tangents):
    """The coupling (..., 5, 1) of a contact that slides in a direction along a plane."""
    if friction is None:
        raise ArgumentError("direction: requires friction")
    friction = not_negative("friction", as_array(friction, "friction", ()))
    direction = as_array(direction, "direction", (3,))
    along = direction @ tangents
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    if not (length > 0).all():
        found = "one normal to it" if direction.any(axis=-1).all() else "zeros"
        raise ArgumentError(f"direction: expected a direction in the plane, found {found}")
    drag = -friction[..., None] * along / length
    return np.concatenate([drag, np.zeros((*drag.shape[:-1], 3))], -1)[..., None]


def _check_anchor(poses):
    """Reject matrices that are not poses; NaN passes, and only affects its own state."""
    if poses is None:
        return
    turn = poses[..., :3, :3]
    off = [abs(turn @ np.swapaxes(turn, -1, -2) - np.eye(3)), abs(poses[..., 3, :] - (0, 0, 0, 1))]
    if any((each > A_POSE).any() for each in off) or (np.linalg.det(turn) < 0).any():
        raise ArgumentError("anchor: expected poses (rotation, position, last row 0 0 0 1)")
