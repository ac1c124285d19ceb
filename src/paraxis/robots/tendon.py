"""Fixed tendons: lengths that are sums of joint positions, with springs and friction along them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..checks import did_you_mean, listing, quoted
from ..errors import RobotError
from .friction import NO_FRICTION, Friction
from .pose import floats
from .spring import coefficients, number_or_numbers


@dataclass(frozen=True, slots=True)
class Tendon:
    """A tendon over several joints. Its length is a sum of their positions, each times a number.

    **Arguments:**

    - `name`: of the tendon.
    - `arms`: {joint name: arm}: how much longer the tendon is per radian or metre of the joint.
      Joints have one degree of freedom; some may follow others. They are kept as pairs.
    - `stiffness`: of the spring along it, N/m. A sequence k1, k2, ... is of a spring whose tension
      is k1 x + k2 x² + ..., with x how far it is stretched (negative: compressed).
    - `rest`: the length at which the spring exerts no force, or two lengths (low, high) between
      which it exerts none.
    - `friction`: a `px.robots.Friction` along the tendon, which has no bearings.

    **Example:**

    >>> rods = px.robots.planar(2).with_gravity([0, 0, 0])
    >>> tendon = px.robots.Tendon("cable", {"joint1": 0.05, "joint2": -0.05}, stiffness=1000.0)
    >>> robot = px.Robot("cabled", rods.joints, rods.inertias, rods.frames, tendons=[tendon])
    >>> px.spring_torques(robot, [[0.1, 0.1], [0.1, 0.0]])  # slack, then 5 mm long
    array([[ 0.  , -0.  ],
           [ 0.25, -0.25]])
    """

    name: str
    arms: Mapping[str, float] | Sequence[tuple[str, float]]
    stiffness: float | Sequence[float] = 0.0
    rest: float | Sequence[float] = 0.0
    friction: Friction = NO_FRICTION

    def __post_init__(self):
        what, set_ = f"tendon {quoted(self.name)}", object.__setattr__
        try:
            arms = dict(self.arms)
            pairs = len(self.arms)
        except (TypeError, ValueError):
            found = type(self.arms).__name__
            raise RobotError(
                f"{what} arms: expected a mapping of joint names, found {found}"
            ) from None
        if len(arms) < pairs:
            raise RobotError(f"{what} arms: a joint is named twice")
        if not arms:
            raise RobotError(f"{what}: expected at least one joint")
        numbers = floats(tuple(arms.values()), len(arms), f"{what} arms")
        set_(self, "arms", tuple(zip(arms, numbers, strict=True)))  # which has a hash
        set_(self, "stiffness", number_or_numbers(self.stiffness, f"{what} stiffness"))
        rest = number_or_numbers(self.rest, f"{what} rest")
        rest = rest if isinstance(rest, tuple) else (rest, rest)
        if len(rest) != 2 or rest[0] > rest[1]:
            raise RobotError(f"{what} rest: expected a length, or (low, high), found {self.rest}")
        set_(self, "rest", rest)
        if not isinstance(self.friction, Friction) or self.friction.bearings:
            raise RobotError(f"{what} friction: expected a Friction without bearings")

    @property
    def has_spring(self) -> bool:
        """Whether its spring ever exerts a force."""
        return any(coefficients(self.stiffness))

    @property
    def has_losses(self) -> bool:
        """Whether it has friction."""
        return self.friction != NO_FRICTION

    def renamed(self, names) -> "Tendon":
        """The same with other names, `names(name)`, of itself and of its joints."""
        arms = [(names(joint), arm) for joint, arm in self.arms]
        return replace(self, name=names(self.name), arms=arms)

    def held(self, positions: Mapping[str, float]) -> "Tendon | None":
        """The same over the other joints while these are held; None if none is left."""
        arms = [(joint, arm) for joint, arm in self.arms if joint not in positions]
        length = sum(arm * positions.get(joint, 0.0) for joint, arm in self.arms)
        rest = tuple(each - length for each in self.rest)
        return replace(self, arms=arms, rest=rest) if arms else None

    @property
    def numbers(self) -> tuple[float, ...]:
        """All numbers that its forces depend on, but for its arms; for digests."""
        stiffness = coefficients(self.stiffness)
        return (float(len(stiffness)), *stiffness, *self.rest, *self.friction.numbers)


def check_tendons(robot, may_have):
    """Raise unless every tendon runs over joints of the robot, of one of the kinds `may_have`."""
    joints = {joint.name: joint for joint in robot.joints}
    names = [tendon.name for tendon in robot.tendons if isinstance(tendon, Tendon)]
    for tendon in robot.tendons:
        if not isinstance(tendon, Tendon):
            raise RobotError(f"tendons: expected a Tendon, found {type(tendon).__name__}")
        what = f"tendon {quoted(tendon.name)}"
        if names.count(tendon.name) > 1:
            raise RobotError(f"{what}: the name is used twice")
        over = [name for name, _ in tendon.arms]
        for name in over:
            if name not in joints:
                raise RobotError(
                    f"{what}: there is no joint {quoted(name)}{did_you_mean(name, joints)}"
                )
        wrong = [name for name in over if joints[name].kind not in may_have]
        if wrong:
            raise RobotError(f"{what}: joints {listing(wrong)} have several degrees of freedom")
