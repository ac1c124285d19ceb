"""`px.Contact`: how a frame of a robot touches its environment."""

from functools import cached_property

import numpy as np

from ...drivers.map import as_array, in_main_memory
from ...errors import ArgumentError
from ...physics.contact.contact_forms import SplitForm
from ...robots.pose import Pose
from .directions import as_directions, complement, duals, require_independent
from .general import GeneralContact
from .touching import Touching, not_negative

A_POSE = 1e-6  # how far from a pose the entries of an anchor may be


class Contact(Touching):
    """A frame that is held in some directions and free in the others.

    Its acceleration and the force that the robot exerts on the environment, both of the frame's
    origin, angular part first, are

        V̇ = H G_F + W G_C,    F = H K_F + W K_C

    with `motion` H (6, nf) and `constraint` W (6, nc), directions as columns, along the axes of the
    world or, with coordinates="body", along the frame's own. Either may be left out: it is then the
    orthogonal complement of the other. Type I: `acceleration` G_C (..., nc) and `force` K_F
    (..., nf) are given, by default zero. Type II: K_F = coupling K_C + force, with `coupling`
    (..., nf, nc). What is given along directions needs these to be given, too. Batch shapes of all
    such numbers broadcast with those of states.

    Directions need not be orthonormal: G_F and G_C are the coefficients of V̇, and K_F = Hᵀ F and
    K_C = Wᵀ F, so that forces of constraint do no work along H. V̇ is the rate of `px.jacobian` q̇ in
    the same coordinates.

    `stabilisation`, a frequency ω in rad/s or (ω, ζ), lets errors of a simulation die out: it
    demands the acceleration -2 ζ ω (velocity) - ω² (distance from `anchor`) along the constraint
    directions; ζ is 1 unless given. The anchor is the pose (..., 4, 4) at which the frame is held;
    without one, only velocities are errors.
    """

    smoothing = None  # m/s, of a contact with friction: slower than this, it fades

    def __init__(
        self,
        frame=None,
        motion=None,
        constraint=None,
        acceleration=None,
        force=None,
        coupling=None,
        coordinates="world",
        stabilisation=None,
        anchor=None,
    ):
        super().__init__(frame, coordinates)
        self._set_directions(motion, constraint)
        if constraint is None and acceleration is not None:
            raise ArgumentError("acceleration: expected constraint directions with it, found none")
        for name, value in (("force", force), ("coupling", coupling)):
            if motion is None and value is not None:
                raise ArgumentError(f"{name}: expected motion directions with it, found none")
        if stabilisation is not None and acceleration is not None:
            raise ArgumentError(
                "stabilisation: expected a contact that stays, found one with an acceleration"
            )
        if anchor is not None and stabilisation is None:
            raise ArgumentError("anchor: expected a stabilisation with it, found none")
        self.give(
            acceleration=acceleration,
            force=force,
            coupling=coupling,
            stabilisation=_with_damping(stabilisation),
            anchor=anchor.matrix if isinstance(anchor, Pose) else anchor,
        )
        _check_anchor(self.data.get("anchor"))

    def _set_directions(self, motion, constraint):
        H = None if motion is None else as_directions(motion, "motion")
        W = None if constraint is None else as_directions(constraint, "constraint")
        if H is None and W is None:
            raise ArgumentError("contact: expected motion or constraint directions, found neither")
        self.motion = complement(W) if H is None else H
        self.constraint = complement(H) if W is None else W
        if self.constraint.shape[1] == 0:
            raise ArgumentError("motion: expected at most 5 directions, as 6 constrain nothing")
        both = np.column_stack([self.motion, self.constraint])
        if both.shape[1] != 6:
            raise ArgumentError(
                f"motion and constraint: expected 6 directions together, found {both.shape[1]}"
            )
        require_independent(both, "motion and constraint")

    # -- what people do --------------------------------------------------------------------------

    @classmethod
    def pinned(cls, frame=None, **options):
        """The frame's origin stays where it is, and the frame may turn about it."""
        return cls(frame, constraint=np.eye(6)[:, 3:], **options)

    @classmethod
    def welded(cls, frame=None, **options):
        """The frame neither turns nor moves."""
        return cls(frame, constraint=np.eye(6), **options)

    @classmethod
    def sliding(
        cls,
        frame=None,
        normal=(0, 0, 1),
        friction=None,
        direction=None,
        smoothing=1e-3,
        **options,
    ):
        """The frame's origin stays in a plane, whose `normal` points to the robot's side of it.

        With `friction`, a coefficient (...), the robot drags the plane along with that many times
        the pressure N = -normal · F: in the `direction` (..., 3) in which the frame slides or, by
        default, along its velocity in the plane, fading below `smoothing` (m/s): small beside the
        rates at which the robot slides. The contact is bilateral: where N < 0 a real one would have
        released.
        """
        normal = as_array(normal, "normal", (3,)).astype(float)
        length = np.linalg.norm(normal)
        if normal.ndim != 1 or not 0 < length < np.inf:
            raise ArgumentError(f"normal: expected a direction of 3 numbers, found {normal}")
        axis = np.concatenate([np.zeros(3), normal / length])[:, None]
        turns = np.eye(6)[:, :3]
        tangents = complement(np.column_stack([turns, axis]))
        directions = {"motion": np.column_stack([tangents, turns]), "constraint": axis}
        if direction is not None:
            options["coupling"] = _drag(friction, direction, tangents[3:])
        contact = cls(frame, **directions, **options)
        contact.give(friction=friction if direction is None else None)
        if contact.data.get("friction") is not None:
            contact.smoothing = _speed(smoothing)
        return contact

    @staticmethod
    def general(frame, M1, M2, k1=None, k2=None, coordinates="world"):
        """Lathrop's form: V̇ = M1 Ω + k1 and F = M2 Ω + k2, with six unknowns Ω.

        M1 is (6, 6), M2 (..., 6, 6), k1 and k2 (..., 6), by default zero.
        """
        return GeneralContact(frame, M1, M2, k1, k2, coordinates)

    # -- for those who compute with it -----------------------------------------------------------

    @property
    def constraints(self):
        return self.constraint.shape[1]

    unknowns = constraints

    @property
    def shapes(self):
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
    def numbers(self):
        return str([self.motion.tolist(), self.constraint.tolist(), self.smoothing])

    def form(self, frame, values):
        along, across = duals(self.motion, self.constraint)
        values = {"acceleration": [0.0] * self.constraints} | values
        if "friction" in values:
            values["friction"] = values["friction"], self.smoothing
        return SplitForm(frame, self.coordinates, across.T.tolist(), along.T.tolist(), **values)


def _speed(smoothing):
    speed = as_array(smoothing, "smoothing", ())
    if speed.ndim or not 0 < speed < np.inf:
        raise ArgumentError(f"smoothing: expected a speed > 0 in m/s, found {smoothing!r}")
    return float(speed)


def _with_damping(stabilisation):
    """(ω, ζ), critically damped where only ω is given."""
    in_main_memory(stabilisation, "stabilisation")
    one = stabilisation is not None and np.ndim(stabilisation) == 0
    return (stabilisation, 1.0) if one else stabilisation


def _drag(friction, direction, tangents):
    """The coupling (..., 5, 1) of a contact that slides in a direction along a plane."""
    if friction is None:
        raise ArgumentError("direction: expected friction with it, found none")
    friction = not_negative("friction", as_array(friction, "friction", ()))
    direction = as_array(direction, "direction", (3,))
    along = direction @ tangents
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    if not (length > 0).all():
        found = "one across it" if direction.any(axis=-1).all() else "zeros"
        raise ArgumentError(f"direction: expected one along the plane, found {found}")
    drag = -friction[..., None] * along / length
    return np.concatenate([drag, np.zeros((*drag.shape[:-1], 3))], -1)[..., None]


def _check_anchor(poses):
    """Refuse matrices that are no poses; those that are no numbers spoil their own states only."""
    if poses is None:
        return
    turn = poses[..., :3, :3]
    off = [abs(turn @ np.swapaxes(turn, -1, -2) - np.eye(3)), abs(poses[..., 3, :] - (0, 0, 0, 1))]
    if any((each > A_POSE).any() for each in off) or (np.linalg.det(turn) < 0).any():
        raise ArgumentError("anchor: expected rotations and places, found another 4x4 matrix")
