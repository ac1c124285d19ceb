"""`px.simulation.Limits`: how a simulation keeps joints within the limits of their description.

Where it does not, a warning names the joint that is farthest beyond: the recorded states are
checked, all of them in an ordinary run. Of long runs of many robots a sample is, evenly spread in
time and over the batch, so that the check costs next to nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..checks import one_of, quoted
from ..errors import ArgumentError, RobotWarning, warn
from ..robots.joint import SINGLE
from .names import robot_name

SECONDS = 0.01  # the default time constant of soft stops
MOST = 1 << 16  # positions that are looked at
ROUNDING = 1e-6  # of a joint's range: so far beyond it may be a controller that holds it at the end
UNITS = {"prismatic": "m"}


@dataclass(frozen=True)
class Limits:
    """How a simulation enforces limits of positions, velocities and torques.

    **Arguments:**

    - `stops`: `"soft"`, springs with dampers; `"hard"`, impulses at the end of the step in which a
      joint reaches its limit; or None.
    - `time_constant`: of soft stops, T in s: their stiffness is m / T², where m is the inertia that
      the stop feels, typical of random postures. By default 0.01 s, or as much longer as dt needs.
    - `damping_ratio`: of soft stops, ζ: their damping is 2 ζ m / T. 1 is critical damping.
    - `stiffness`, `damping`: of soft stops, N m/rad and N m s/rad (N/m and N s/m), one number or
      one per entry of qd, instead of those above. Where only the stiffness is given, the damping
      follows from it and the damping ratio.
    - `restitution`: of hard stops, the rate after an impact over that before it, 0 to 1.
    - `velocity`: whether motors stop driving beyond the velocity limits. They can still brake, and
      what other forces do is not limited.
    - `torque`: whether torques of motors are clipped at the effort limits.

    **Raises:** `px.ArgumentError` if an argument is out of its range, or one of soft stops is given
    for hard ones, or the other way round.

    **Example:**

    >>> import dataclasses
    >>> rod = px.robots.planar(1)
    >>> joint = dataclasses.replace(rod.joints[0], lower=-0.5, upper=0.5)
    >>> robot = px.Robot("stopped rod", [joint], rod.inertias, rod.frames)
    >>> hard = px.simulation.Limits(stops="hard", restitution=0.5)
    >>> run = px.simulate(robot, [0.4], [0.0], dt=1e-3, steps=3000, limits=hard, every=500)
    >>> run.q[:, 0]  # falls, bounces and comes to rest at its stop
    array([ 0.4  , -0.281, -0.494, -0.5  , -0.5  , -0.5  , -0.5  ])
    """

    stops: str | None = "soft"
    time_constant: float | None = None
    damping_ratio: float = 1.0
    stiffness: float | Sequence[float] | None = None
    damping: float | Sequence[float] | None = None
    restitution: float = 0.0
    velocity: bool = True
    torque: bool = True

    def __post_init__(self):
        if self.stops is not None:
            one_of(self.stops, ("soft", "hard"), "stops")
        if self.time_constant is not None:
            self._set("time_constant", _number("time_constant", self.time_constant, above=True))
        self._set("damping_ratio", _number("damping_ratio", self.damping_ratio))
        self._set("restitution", _number("restitution", self.restitution))
        if self.restitution > 1.0:
            raise ArgumentError(f"restitution: expected 0 to 1, found {self.restitution:g}")
        for name in ("stiffness", "damping"):
            value = getattr(self, name)
            if isinstance(value, np.ndarray | list | tuple):
                self._set(name, tuple(_number(name, each) for each in value))
            elif value is not None:
                self._set(name, _number(name, value))
        for name in ("velocity", "torque"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                found = quoted(getattr(self, name))
                raise ArgumentError(f"{name}: expected True or False, found {found}")
        self._require_own()

    def _require_own(self):
        """Raise if an argument has no effect."""
        default = {"time_constant": None, "damping_ratio": 1.0, "stiffness": None, "damping": None}
        given = [name for name, value in default.items() if getattr(self, name) != value]
        if self.stops != "soft" and given:
            raise ArgumentError(f"{given[0]}: is for stops='soft' only, found {self.stops!r}")
        if self.stops != "hard" and self.restitution:
            raise ArgumentError(f"restitution: is for stops='hard' only, found {self.stops!r}")
        if self.time_constant is not None and self.stiffness is not None:
            raise ArgumentError("time_constant and stiffness cannot be combined; give one of them")

    def _set(self, name, value):
        object.__setattr__(self, name, value)

    @property
    def seconds(self) -> float:
        """The time constant of soft stops, as long as dt allows it."""
        return SECONDS if self.time_constant is None else self.time_constant

    def spread(self, name, nv):
        """The stiffness or damping of every entry of qd, None where it follows from inertias."""
        value = getattr(self, name)
        if not isinstance(value, tuple):
            return (value,) * nv
        if len(value) != nv:
            raise ArgumentError(
                f"limits: {name}: expected one number or {nv}, one per degree of freedom, found "
                f"{len(value)}"
            )
        return value


def _number(name, value, above=False):
    """A finite number that is not below zero."""
    good = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not good or not (0 < value < math.inf if above else 0 <= value < math.inf):
        expected = "a number > 0" if above else "a number >= 0"
        raise ArgumentError(f"{name}: expected {expected}, found {quoted(value)}")
    return float(value)


SIMULATED = "stops at joint limits are off. limits=True turns them on"


def warn_of_limits(robot, run, reason=SIMULATED):
    """Warn once of the joint that is farthest beyond its limits; `reason` says why, and what to
    do."""
    limits = position_limits(robot)
    if limits is None:
        return
    lower, upper = limits
    t, q, robots = (run.t, run.q, 1) if run.q.size <= MOST else sample(run)
    # Counted, since `any` would take longer than the rest for a single state.
    if np.count_nonzero(q < lower) or np.count_nonzero(q > upper):
        warn(_words(robot, t, q, robots, reason), RobotWarning)


@lru_cache(maxsize=64)
def position_limits(robot):
    """The least and largest positions that are no reason to warn; None where any is good.

    Equal limits are how URDF writes that none were given.
    """
    lower, upper = bounds(robot)
    free = ~(lower < upper)
    lower[free], upper[free] = -np.inf, np.inf
    if np.isinf(lower).all() and np.isinf(upper).all():
        return None
    span = upper - lower
    slack = ROUNDING * np.where(np.isfinite(span), span, np.minimum(abs(lower), abs(upper)))
    slack = np.where(np.isfinite(slack), slack, 0.0)
    return lower - slack, upper + slack


def bounds(robot):
    """The limits of every number of q; joints with a quaternion or in a plane have none."""
    limited = [joint.kind in SINGLE or joint.kind == "universal" for joint in robot.joints]
    sides = []
    for side, none in (("lower", -np.inf), ("upper", np.inf)):
        each = zip(robot.joints, limited, strict=True)
        values = [[float(getattr(j, side)) if has else none] * j.nq for j, has in each]
        sides.append(np.array([value for own in values for value in own]))
    return sides


def sample(run):
    """Times and positions of some records, the last among them, and every how many-th robot."""
    records, *batch, n = run.q.shape
    of_record = n * math.prod(batch)
    robots = -(-of_record // MOST) if batch else 1
    every = max(1, records * of_record // robots // MOST)
    q = run.q[::-every][::-1]
    return run.t[::-every][::-1], q[:, ::robots] if batch else q, robots


def _words(robot, t, q, robots, reason):
    """The warning about positions q (records, ..., n) at times t, of every `robots`-th robot."""
    lower, upper = bounds(robot)
    lowest, highest = position_limits(robot)
    outside = (q < lowest) | (q > highest)
    beyond = np.where(outside, np.maximum(lower - q, q - upper), 0.0)
    when, *index, j = worst = np.unravel_index(np.argmax(beyond), beyond.shape)
    joint = [joint for joint in robot.joints for _ in range(joint.nq)][j]
    unit = UNITS.get(joint.kind, "rad")
    left = np.argmax(outside[(slice(None), *index, j)])
    others = int(outside.any(axis=tuple(range(q.ndim - 1))).sum()) - 1
    who = f"joint {quoted(joint.name)}"
    if index:
        index[0] *= robots
        who += f" of {robot_name(index)}"
    also = f" (other joints beyond theirs: {others})" if others else ""
    return (
        f"{who} leaves its range of {joint.lower:g} to {joint.upper:g} {unit} at {t[left]:g} s and "
        f"is {beyond[worst]:.3g} {unit} beyond it at {t[when]:g} s{also}: {reason}; if it does not "
        f"matter, warnings.simplefilter('ignore', px.RobotWarning) silences this"
    )
