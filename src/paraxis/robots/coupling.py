"""Joints that follow others: their positions are sums of polynomials, one of each leader's."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..checks import listing, quoted
from ..errors import RobotError
from .pose import floats

COUPLINGS = ("followed", "independent")  # what a description's couplings may become


@dataclass(frozen=True, slots=True)
class Coupling:
    """The position of a joint as a polynomial of that of another, or a linear sum of several.

    **Arguments:**

    - `leader`: the name of the joint that it follows, of one degree of freedom, or several names.
    - `coefficients`: c0, c1, c2, ...: the position is c0 + c1 q + c2 q² + ... where the leader is
      at q. Of several leaders, c0 and then one number each: c0 + c1 q1 + c2 q2 + ...

    **Example:**

    >>> left = px.robots.Joint("left", "prismatic", axis=(1, 0, 0))
    >>> right = px.robots.Joint(
    ...     "right", "prismatic", axis=(-1, 0, 0), coupling=px.robots.Coupling("left")
    ... )
    >>> gripper = px.Robot("gripper", [left, right], [px.robots.Inertia(0.1)] * 2)
    >>> gripper.n, gripper.nq, px.mass_matrix(gripper, [0.0])  # one drive moves both fingers
    (2, 1, array([[0.2]]))
    """

    leader: str | Sequence[str]
    coefficients: Sequence[float] = (0.0, 1.0)

    def __post_init__(self):
        if not isinstance(self.leader, str):
            names = tuple(self.leader) if isinstance(self.leader, list | tuple) else ()
            if not names or not all(isinstance(name, str) for name in names):
                raise RobotError(
                    f"coupling: expected the name of a joint, or several, found {self.leader!r}"
                )
            object.__setattr__(self, "leader", names)
        what = f"coupling to joint {listing(self.leaders)}"
        given = tuple(self.coefficients) if np.ndim(self.coefficients) == 1 else ()
        if not given:
            raise RobotError(
                f"{what}: expected the coefficients c0, c1, ..., found {self.coefficients!r}"
            )
        if not isinstance(self.leader, str) and len(given) != len(self.leader) + 1:
            raise RobotError(
                f"{what}: expected {len(self.leader) + 1} coefficients, a constant and one per "
                f"joint, found {len(given)}"
            )
        object.__setattr__(self, "coefficients", floats(given, len(given), what))

    @property
    def leaders(self) -> tuple[str, ...]:
        """The names of the joints that it follows."""
        return (self.leader,) if isinstance(self.leader, str) else tuple(self.leader)

    @property
    def terms(self) -> tuple[tuple[str, tuple[float, ...]], ...]:
        """Leaders and polynomials, one of each leader's position, that add up to the position."""
        if isinstance(self.leader, str):
            return ((self.leader, tuple(self.coefficients)),)
        constant, *factors = self.coefficients
        offsets = constant, *[0.0] * (len(factors) - 1)
        each = zip(self.leader, offsets, factors, strict=True)
        return tuple((leader, (offset, factor)) for leader, offset, factor in each)

    @property
    def is_linear(self) -> bool:
        """Whether it has no term beyond the first power."""
        return not isinstance(self.leader, str) or len(self.coefficients) <= 2

    def renamed(self, names) -> "Coupling":
        """The same with other names, `names(name)`, of the leaders."""
        if isinstance(self.leader, str):
            return replace(self, leader=names(self.leader))
        return replace(self, leader=tuple(map(names, self.leader)))


def coupled_position(coupling, at):
    """The position of a joint whose leaders are at these positions, `at(name)`."""
    total = 0.0
    for leader, polynomial in coupling.terms:
        total = total + value(polynomial, at(leader))
    return total


def value(coefficients, x):
    """Of a polynomial."""
    total = 0.0
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total


def slope(coefficients):
    """The coefficients of the derivative."""
    return tuple(k * coefficient for k, coefficient in enumerate(coefficients))[1:]


def movers(robot, joints):
    """Of joints by index, those that move by themselves, and the leaders of those that follow."""
    found = set()
    for i in joints:
        own = robot.joints[i].coupling
        found |= {i} if own is None else {robot.joint_index(name) for name in own.leaders}
    return found


def check_couplings(robot, may_lead):
    """Raise unless every follower has leaders of the kinds `may_lead`, that follow none."""
    joints = {joint.name: joint for joint in robot.joints}
    for joint in robot.joints:
        if joint.coupling is None:
            continue
        what = f"joint {quoted(joint.name)}"
        if joint.kind not in may_lead:
            raise RobotError(f"{what}: a {joint.kind} joint cannot follow another")
        if len({*joint.coupling.leaders}) < len(joint.coupling.leaders):
            raise RobotError(f"{what}: a leader is named twice")
        for leader in joint.coupling.leaders:
            if leader not in joints or leader == joint.name:
                raise RobotError(f"{what}: there is no joint {quoted(leader)} to follow")
            if joints[leader].kind not in may_lead or joints[leader].coupling is not None:
                able = [j.name for j in robot.joints if j.kind in may_lead and j.coupling is None]
                raise RobotError(
                    f"{what}: joint {quoted(leader)} cannot be followed, because it follows "
                    f"another or has several degrees of freedom; those that can are {listing(able)}"
                )
