"""Joints that follow others: their positions are polynomials of those of their leaders."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..checks import listing, quoted
from ..errors import RobotError
from .pose import floats

COUPLINGS = ("followed", "independent")  # what a description's couplings may become


@dataclass(frozen=True, slots=True)
class Coupling:
    """The position of a joint as a polynomial of that of another.

    **Arguments:**

    - `leader`: the name of the joint that it follows, of one degree of freedom.
    - `coefficients`: c0, c1, c2, ...: the position is c0 + c1 q + c2 q² + ... where the leader is
      at q.
    """

    leader: str
    coefficients: Sequence[float] = (0.0, 1.0)

    def __post_init__(self):
        count = len(self.coefficients)
        own = floats(tuple(self.coefficients), count, f"coupling to joint {quoted(self.leader)}")
        object.__setattr__(self, "coefficients", own)


def value(coefficients, x):
    """Of a polynomial."""
    total = 0.0
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total


def slope(coefficients):
    """The coefficients of the derivative."""
    return tuple(k * coefficient for k, coefficient in enumerate(coefficients))[1:]


def check_couplings(robot, may_lead):
    """Raise unless every follower has a leader of one of the kinds `may_lead` that follows none."""
    joints = {joint.name: joint for joint in robot.joints}
    for joint in robot.joints:
        if joint.coupling is None:
            continue
        what, leader = f"joint {quoted(joint.name)}", joint.coupling.leader
        if joint.kind not in may_lead:
            raise RobotError(f"{what}: a {joint.kind} joint cannot follow another")
        if leader not in joints or leader == joint.name:
            raise RobotError(f"{what}: there is no joint {quoted(leader)} to follow")
        if joints[leader].kind not in may_lead or joints[leader].coupling is not None:
            leaders = [j.name for j in robot.joints if j.kind in may_lead and j.coupling is None]
            raise RobotError(
                f"{what}: joint {quoted(leader)} cannot be followed, because it follows another or "
                f"has several degrees of freedom; those that can are {listing(leaders)}"
            )
