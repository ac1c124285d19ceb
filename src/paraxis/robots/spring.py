"""A spring of a joint: it pulls the joint towards a reference position."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import RobotError
from .pose import floats


@dataclass(frozen=True, slots=True)
class Spring:
    """A spring that acts on a joint, beside its motor.

    **Arguments:**

    - `stiffness`: N m/rad, or N/m. A sequence k1, k2, ... is of a spring whose torque is
      k1 x + k2 x² + ..., with x how far the joint is from its reference.
    - `reference`: the position of the joint at which the spring exerts no torque, rad or m; of a
      joint with several numbers in q, these numbers. By default zero, without any rotation.

    The spring of a spherical joint pulls along the rotation vector that leads to its reference, the
    short way round; that of a free or planar joint also pulls its body to the reference's point,
    with the same stiffness in N/m. Then x is the length of the vector, each of its own.

    **Example:**

    >>> spring = px.robots.Spring(stiffness=20.0, reference=0.1)  # N m/rad, rad
    >>> joint = px.robots.Joint("hinge", "revolute", axis=(0, 1, 0), spring=spring)
    >>> robot = px.Robot("door", [joint], [px.robots.Inertia(1.0, (0.5, 0.0, 0.0))])
    >>> px.spring_torques(robot, [[0.0], [0.1], [0.2]])
    array([[-2.],
           [ 0.],
           [ 2.]])
    """

    stiffness: float | Sequence[float]
    reference: float | Sequence[float] = 0.0

    def __post_init__(self):
        object.__setattr__(self, "stiffness", number_or_numbers(self.stiffness, "Spring stiffness"))
        object.__setattr__(self, "reference", number_or_numbers(self.reference, "Spring reference"))


def number_or_numbers(value, what):
    """A finite number as a float, or a sequence of such as a tuple."""
    if isinstance(value, str):
        raise RobotError(f"{what}: expected a number or several, found {value!r}")
    try:
        several = tuple(value)
    except TypeError:
        return floats((value,), 1, what)[0]
    if not several:
        raise RobotError(f"{what}: expected a number or several, found none")
    return floats(several, len(several), what)


def coefficients(stiffness):
    """k1, k2, ... of a stiffness."""
    return stiffness if isinstance(stiffness, tuple) else (stiffness,)
