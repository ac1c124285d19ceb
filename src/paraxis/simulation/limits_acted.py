"""In how many steps limits acted, and the notice that they are on, once per robot."""

from dataclasses import dataclass

import numpy as np

from ..checks import quoted
from ..errors import SimulationWarning, warn
from ..targets.blocks import is_lazy
from .names import robot_name

_SAID: set = set()  # digests of robots whose limits were mentioned, in this process


@dataclass(frozen=True, eq=False, repr=False)
class LimitsActed:
    """In how many steps the limits of a robot acted.

    Arrays are `(..., nv)`, one entry per degree of freedom, 0 where it has no limit.

    - `stops`: steps that began with the joint at a soft stop, or in which it hit a hard one.
    - `motors`: steps that began with less torque than was asked for, because of the effort limit or
      the velocity limit.
    - `steps`: how many steps there were.

    **Example:**

    >>> import dataclasses
    >>> rod = px.robots.planar(1)
    >>> joint = dataclasses.replace(rod.joints[0], lower=-0.5, upper=0.5)
    >>> robot = px.Robot("stopped rod", [joint], rod.inertias, rod.frames)
    >>> soft = px.simulation.Limits()
    >>> run = px.simulate(robot, [0.4], [0.0], dt=1e-3, steps=1000, limits=soft)
    >>> run.limits.stops  # how many of the 1000 steps began at the stop
    array([601])
    """

    stops: np.ndarray  # (..., nv)
    motors: np.ndarray  # (..., nv)
    steps: int

    def __repr__(self):
        if is_lazy(self.stops):
            return "<LimitsActed: not computed>"
        at, short = (int((each > 0).any(-1).sum()) for each in (self.stops, self.motors))
        robots = "robot" if at == 1 else "robots"
        return f"<LimitsActed: {at} {robots} at stops, {short} with limited torques>"


def limits_acted(stops, counts, steps, arrays=np):
    """The same from counts (..., len(stops.acts)) of `Stops.noted`, summed over the steps."""
    counts, found = arrays.where(counts == counts, counts, 0.0), {}  # NaN of robots that failed
    for kind in ("stop", "motor"):
        of_row = {row: k for k, (own, _, row) in enumerate(stops.acts) if own == kind}
        none = arrays.zeros(counts.shape[:-1])
        each = [counts[..., of_row[i]] if i in of_row else none for i in range(stops.robot.nv)]
        found[kind] = arrays.stack(each, -1).astype(int)
    return LimitsActed(found["stop"], found["motor"], steps)


def mention_limits(stops, acted, counted=" (run.limits)"):
    """Say once per robot, and process, that limits acted which nobody asked for."""
    robot = stops.robot
    which = [name for name in ("stops", "motors") if getattr(acted, name).any()]
    if not which or robot.digest in _SAID:
        return
    _SAID.add(robot.digest)
    warn(
        f"robot {quoted(robot.name)}: limits of its description acted: "
        f"{'; '.join(_words(stops, acted, name) for name in which)}{counted}. limits=False "
        f"simulates without them, limits=px.simulation.Limits() with them and without this notice, "
        f"which comes once per robot",
        SimulationWarning,
    )


def _words(stops, acted, name):
    """Which joint was limited in most steps, of which robot."""
    counts = getattr(acted, name)
    *index, row = worst = np.unravel_index(np.argmax(counts), counts.shape)
    joint = next(joint for _, joint, own in stops.acts if own == row)
    of_robot = f" of {robot_name(index)}" if index else ""
    others = int((counts > 0).reshape(-1, counts.shape[-1]).any(0).sum()) - 1
    also = f", and {others} other{'s' if others > 1 else ''} as well" if others else ""
    what = "was at its stop" if name == "stops" else "got less torque than asked for"
    return (
        f"joint {quoted(joint)}{of_robot} {what} in {int(counts[worst])} of {acted.steps} steps"
        f"{also}"
    )
