"""`px.simulation.Ground`: what simulated robots may touch, where, and by which law."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from operator import index

from ...checks import integer, one_of, quoted
from ...errors import ArgumentError
from .points import ContactPoint
from .scene import Box, HeightField, Plane, Sphere, number, numbers

PIECES = (Plane, Box, Sphere, HeightField)
LAWS = ("hard", "soft")
OF_THE_OTHER = {  # what has no effect by a law, and by which it has
    "hard": ("soft", ("solref", "solimp", "impratio")),
    "soft": ("hard", ("restitution_speed", "correction")),
}


@dataclass(frozen=True)
class Ground:
    """The ground under a simulated robot, and obstacles: contact that opens and closes.

    **Arguments:**

    - `points`: the `px.simulation.ContactPoint`s of the robot, of which each may touch the piece
      of the scene that is nearest to it; `px.simulation.contact_points` makes them from collision
      shapes.
    - `scene`: a `Plane`, `Box`, `Sphere` or `HeightField`, or several. By default the plane z = 0.
    - `pairs`: pairs (i, j) of indices of points whose spheres may touch each other.
    - `friction`: the coefficient of friction, of points that have none of their own.
    - `restitution`: of the velocity of approach, from 0 to 1; only of the hard law.
    - `restitution_speed`: approaches slower than this do not bounce, m/s; only of the hard law.
    - `law`: `"hard"`, Coulomb friction between rigid bodies, or `"soft"`, MuJoCo's convex soft
      contact.
    - `sweeps`: the largest number of Gauss-Seidel sweeps per step.
    - `tolerance`: sweeps end when none of them changes a contact by more than this, m/s.
    - `correction`: the fraction of a penetration that a step of the hard law may remove.
    - `solref`, `solimp`, `impratio`: of the soft law, as in MuJoCo.

    **Raises:** `px.ArgumentError` if anything is not valid, or has no effect by this law.

    **Example:**

    >>> ball = px.robots.Inertia(1.0, about_com=(0.004, 0.004, 0.004, 0.0, 0.0, 0.0))
    >>> joint, frame = px.robots.Joint("base", "free"), px.robots.Frame("ball", 0)
    >>> robot = px.Robot("ball", [joint], [ball], [frame])
    >>> point = px.simulation.ContactPoint("ball", radius=0.1)
    >>> ground = px.simulation.Ground([point], friction=0.8, restitution=0.7)
    >>> q0 = [0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0]  # half a metre up
    >>> run = px.simulate(robot, q0, np.zeros(6), ground=ground, dt=1e-3, steps=2000, every=400)
    >>> run.q[:, 2]  # height of its centre: it bounces
    array([0.5  , 0.261, 0.193, 0.12 , 0.1  , 0.1  ])
    """

    points: Sequence[ContactPoint]
    scene: Sequence[Plane | Box | Sphere | HeightField] | Plane | Box | Sphere | HeightField = (
        Plane(),
    )
    pairs: Sequence[tuple[int, int]] = ()
    friction: float = 0.8
    restitution: float = 0.0
    restitution_speed: float = 0.1
    law: str = "hard"
    sweeps: int = 30
    tolerance: float = 1e-5
    correction: float = 0.2
    solref: Sequence[float] = (0.02, 1.0)
    solimp: Sequence[float] = (0.9, 0.95, 0.001, 0.5, 2.0)
    impratio: float = 1.0

    def __post_init__(self):
        def keep(name, value):
            object.__setattr__(self, name, value)

        keep("points", _several(self.points, (ContactPoint,), "points"))
        keep("scene", _several(self.scene, PIECES, "scene"))
        keep("pairs", _pairs(self.pairs, self.points))
        if not self.points or not (self.scene or self.pairs):
            raise ArgumentError(
                "Ground: expected points, and a scene or pairs of points that may touch"
            )
        keep("friction", number(self.friction, "Ground friction", least=0.0))
        keep("restitution", number(self.restitution, "Ground restitution", least=0.0, most=1.0))
        speed = number(self.restitution_speed, "Ground restitution_speed", least=0.0)
        keep("restitution_speed", speed)
        one_of(self.law, LAWS, "Ground law")
        keep("sweeps", integer("Ground sweeps", self.sweeps))
        keep("tolerance", number(self.tolerance, "Ground tolerance", least=0.0))
        keep("correction", number(self.correction, "Ground correction", least=0.0, most=1.0))
        keep("solref", _solref(self.solref))
        keep("solimp", _solimp(self.solimp))
        keep("impratio", number(self.impratio, "Ground impratio", above=0.0))
        self._require_own()

    def _require_own(self):
        """Raise if an argument has no effect."""
        if self.law == "soft" and self.restitution:
            raise ArgumentError(
                "Ground: the soft law has no restitution; contacts bounce by the damping of solref"
            )
        law, names = OF_THE_OTHER[self.law]
        defaults = {each.name: each.default for each in fields(self)}
        for name in names:
            if getattr(self, name) != defaults[name]:
                raise ArgumentError(f"Ground {name}: is for law={law!r} only, found {self.law!r}")


def require_coefficients(ground, name, shape, contacts):
    """Raise where `friction` or `restitution` of each robot has not the shape that it must have."""
    if name == "restitution" and ground.law == "soft":
        raise ArgumentError(
            "restitution: the soft law has none; contacts bounce by the damping of solref"
        )
    if name == "friction" and shape[-1:] != (contacts,):
        raise ArgumentError(
            f"friction: expected a coefficient per contact, shape (..., {contacts}), found "
            f"{shape}; np.repeat(friction[..., None], {contacts}, -1) makes it from one per robot"
        )


def require_in_range(name, values):
    """Raise where a coefficient of an array is none."""
    most = 1.0 if name == "restitution" else sys.float_info.max
    wrong = (values < 0.0) | (values > most)  # what is no number spoils only its robot
    if wrong.any():
        bounds = ">= 0 and <= 1" if name == "restitution" else ">= 0"
        raise ArgumentError(f"{name}: expected numbers {bounds}, found {values[wrong][0]:g}")


def _several(given, kinds, what):
    """A tuple of things of these kinds, of which one may be given by itself."""
    several = (given,) if isinstance(given, kinds) else given
    try:
        several = tuple(several)
    except TypeError:
        several = (given,)
    for each in several:
        if not isinstance(each, kinds):
            names = " or ".join(kind.__name__ for kind in kinds)
            raise ArgumentError(f"Ground {what}: expected a {names}, found {quoted(each)}")
    return several


def _pairs(given, points):
    try:
        pairs = tuple((index(a), index(b)) for a, b in given)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"Ground pairs: expected pairs of indices of points, found {quoted(given)}"
        ) from None
    for pair in pairs:
        if not all(0 <= k < len(points) for k in pair) or pair[0] == pair[1]:
            raise ArgumentError(
                f"Ground pairs: expected indices of two of {len(points)} points, found {pair}"
            )
        if points[pair[0]].radius + points[pair[1]].radius == 0.0:
            raise ArgumentError(
                f"Ground pairs: points {pair[0]} and {pair[1]} have no radius, so that they never "
                f"touch"
            )
    return pairs


def _solref(given):
    both = numbers(given, 2, "Ground solref")
    if not (min(both) > 0.0 or max(both) < 0.0):
        raise ArgumentError(
            f"Ground solref: expected a time constant and a damping ratio, both > 0, or stiffness "
            f"and damping, both < 0, found {both}"
        )
    return both


def _solimp(given):
    numbers_of = numbers(given, 5, "Ground solimp")
    low, high, width, middle, power = numbers_of
    if not (0.0 < low < 1.0 and 0.0 < high < 1.0 and width > 0.0 and 0.0 < middle < 1.0):
        raise ArgumentError(
            f"Ground solimp: expected (dmin, dmax, width, midpoint, power) with dmin, dmax and "
            f"midpoint between 0 and 1 and width > 0, found {numbers_of}"
        )
    if power < 1.0:
        raise ArgumentError(f"Ground solimp: expected a power >= 1, found {power:g}")
    return numbers_of
