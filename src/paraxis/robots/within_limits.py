"""Random states of a robot, within the limits of its joints."""

import math
from collections.abc import Sequence

import numpy as np

from ..errors import ArgumentError
from .joint import LIMITED
from .quaternions import quaternion_places
from .robot import Robot, a_robot

# how far positions are spread where a joint has no limits
TURN = math.pi  # rad, to either side
SLIDE = 1.0  # m, to either side
SPEED = 1.0  # rad/s or m/s, to either side


def random_states(
    robot: Robot,
    shape: int | Sequence[int] = (),
    seed: int | np.random.Generator | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Random positions and velocities within the limits of a robot, uniformly distributed.

    **Arguments:**

    - `robot`: a `px.Robot`.
    - `shape`: the batch shape: of how many states. By default a single one.
    - `seed`: an integer, for the same states every time, or a `np.random.Generator`. By default
      they differ from call to call.

    **Returns:** q, `(*shape, nq)`, and qd, `(*shape, nv)`.

    - Between the limits of a joint, both of positions and of velocity, where it has them.
    - Without them: angles from -π to π; distances, also of planar and free joints, from -1 to 1 m;
      velocities from -1 to 1 rad/s or m/s. A joint with one limit of two gets as wide a range,
      beginning there.
    - Quaternions are uniformly distributed over all rotations.
    - Closed loops are open there: `px.kinematics.close` closes them.

    **Raises:** `px.ArgumentError` if `robot` is not a Robot.

    **Example:**

    >>> robot = px.load("ur5")
    >>> q, qd = px.robots.random_states(robot, (1000,), seed=0)
    >>> q.shape, qd.shape
    ((1000, 6), (1000, 6))
    >>> bool((q <= robot.upper).all())
    True
    """
    robot = a_robot(robot)
    rng = np.random.default_rng(seed)
    shape = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    low, high = _ranges(robot)
    q = rng.uniform(low, high, (*shape, robot.nq))
    for _, place in quaternion_places(robot):
        four = rng.normal(size=(*shape, 4))
        q[..., place] = four / np.linalg.norm(four, axis=-1, keepdims=True)
    fastest = np.where(np.isinf(robot.velocity_limit), SPEED, robot.velocity_limit)
    return q, rng.uniform(-fastest, fastest, (*shape, robot.nv))


def ranges_of(robot: Robot, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and highest numbers of q, qd or tau within the limits of a robot.

    Of a quaternion they are 0 and 1, of numbers from which `quaternions_of` makes one.
    """
    if name in ("q", "q0"):
        low, high = _ranges(robot)
        for _, place in quaternion_places(robot):
            low[place], high[place] = 0.0, 1.0
        return low, high
    if name in ("qd", "qd0"):
        fastest = np.where(np.isinf(robot.velocity_limit), SPEED, robot.velocity_limit)
        return -fastest, fastest
    if name == "tau" and np.isfinite(robot.effort_limit).all():
        return -robot.effort_limit, robot.effort_limit
    raise ArgumentError(
        f"{name}: there are no limits in the robot's description; give [lowest, highest]"
    )


def quaternions_of(numbers: np.ndarray) -> np.ndarray:
    """Unit quaternions from numbers `(..., 4)` between 0 and 1, of which three are used.

    Uniformly distributed over all rotations where the numbers are (Shoemake, 1992).
    """
    u, a, b = numbers[..., 0], 2 * math.pi * numbers[..., 1], 2 * math.pi * numbers[..., 2]
    inner, outer = np.sqrt(1 - u), np.sqrt(u)
    return np.stack(
        [inner * np.sin(a), inner * np.cos(a), outer * np.sin(b), outer * np.cos(b)], -1
    )


def _ranges(robot):
    """Finite ends for every number of q."""
    low, high, spread = robot.lower.copy(), robot.upper.copy(), []
    for joint in robot.joints:
        if joint.kind == "planar":
            spread += [SLIDE, SLIDE, TURN]
        else:
            turns = joint.kind in LIMITED and joint.kind != "prismatic"
            spread += [TURN if turns else SLIDE] * joint.nq
    wide = 2 * np.array(spread)
    neither = np.isinf(low) & np.isinf(high)
    low[neither], high[neither] = -wide[neither] / 2, wide[neither] / 2
    low = np.where(np.isinf(low), high - wide, low)
    high = np.where(np.isinf(high), low + wide, high)
    return low, high
