"""`px.control.simulated_safe_period`: the largest sampling period at which simulated runs converge.

Nothing is linearised here: runs that begin slightly apart are simulated with the nonlinear plant,
to see whether they converge or diverge from each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..api import difference, integrate
from ..drivers.map import in_main_memory
from ..errors import ArgumentError
from ..robots.model import PARAMETERS
from ..robots.robot import Robot
from ..robots.rows import rows_of
from ..robots.scales import joint_scales
from ..simulation.simulator import positive
from ..simulation.stiffness import named, stiffest
from ..trajectories.trajectory import Trajectory
from .checks import share_of_period
from .controller import Controller, Motion
from .reference import Reference
from .sampled_control import PLANT_STEP, closed_loop

AT_ONCE = 12  # periods simulated together
SAMPLES = 300  # per run, at least
REFINEMENTS = 2  # of the interval between the last stable and the first unstable period
LOST_IN_ROUNDING = 1e-6  # relative to the first distance: nearer runs have converged
FAR = 100  # times the first distance: runs this far apart have diverged
SET_HERE = {"q0", "qd0", "record", "delay"}  # arguments of px.control.closed_loop
DIRECTIONS = 3  # in which runs begin apart


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedPeriod:
    """The largest period at which runs converged, and the next at which they did not; in s.

    - `period`: the largest period at which they converged; None if they did not at the shortest.
    - `unstable`: the next one; infinite if they converged at all periods up to the longest.
    - `shortest`, `longest`: the range of periods examined.
    """

    period: float | None
    unstable: float
    shortest: float
    longest: float

    def __repr__(self):
        if self.period is None:
            text = f"none: runs diverge even at {self.shortest:.3g} s"
        elif math.isinf(self.unstable):
            text = f"all up to {self.longest:.3g} s"
        else:
            text = f"{self.period:.4g} s, but not {self.unstable:.4g} s"
        return f"<SimulatedPeriod {text}>"


def simulated_safe_period(
    robot: Robot,
    controller: Controller,
    trajectory: Trajectory | Callable | ArrayLike,
    *,
    shortest: float,
    longest: float,
    duration: float,
    amplitude: float = 1e-6,
    delay_share: float = 0.0,
    **keywords: Any,
) -> SimulatedPeriod:
    """Return the largest period at which simulated runs that begin slightly apart converge.

    This checks `px.control.safe_period` by simulation. As there, the first interval of stable
    periods counts. A large amplitude shows how large the region of stability is.

    **Arguments:**

    - `robot`, `controller`, `trajectory`: as for `px.control.closed_loop`.
    - `shortest`, `longest`: the range of periods to examine, s.
    - `duration`: the simulated time, s (at least 300 samples are simulated). It must be long enough
      for errors to decay under good control, which otherwise hide growing errors.
    - `amplitude`: the initial distance of runs: in positions, rad, or shares of the robot's length
      for prismatic joints; in rates, as much per period, so that stale data differ too. With dry
      friction it must be large enough to overcome it, because smaller errors do not change.
    - `delay_share`: the share of the period taken by computation, 0 to 1.
    - `keywords`: arguments of `px.control.closed_loop`, except `q0`, `qd0`, `record` and `delay`.

    **Returns:** a result with the largest safe `.period` and the next one examined, `.unstable`.

    **Raises:** `px.ArgumentError` if arguments do not fit together, or friction near rest is too
    stiff for the steps of the plant.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> controller = px.control.computed_torque(robot, kp=100.0, kd=20.0)
    >>> found = px.control.simulated_safe_period(
    ...     robot, controller, [0.3, 0.4], shortest=0.01, longest=0.2, duration=20.0
    ... )
    >>> print(f"{found.period:.3f} s is stable, {found.unstable:.3f} s is not")
    0.099 s is stable, 0.100 s is not
    """
    shortest, longest = positive(shortest, "shortest"), positive(longest, "longest")
    if shortest >= longest:
        raise ArgumentError(f"longest: expected more than shortest, {shortest} s, found {longest}")
    delay_share = share_of_period(delay_share, "delay_share")
    for name in SET_HERE & keywords.keys():
        raise ArgumentError(f"{name}: simulated_safe_period sets it for closed_loop; leave it out")
    for name, value in keywords.items():
        in_main_memory(value, name)
    lasting = positive(duration, "duration"), positive(amplitude, "amplitude")
    apart = _Apart((robot, controller, trajectory), *lasting, delay_share, keywords)
    if robot.has_losses:
        _require_steps_that_stand_friction(robot, apart.begin[0], longest, keywords)
    count = 1 + math.ceil(AT_ONCE * math.log10(longest / shortest))
    periods = np.geomspace(shortest, longest, max(2, count))
    safe, unsafe = None, math.inf
    for begin in range(0, len(periods), AT_ONCE):
        some = periods[begin : begin + AT_ONCE]
        together = apart.come_together(some)
        first = int(np.argmin(together)) if not together.all() else len(some)
        safe = float(some[first - 1]) if first else safe
        if first < len(some):
            unsafe = float(some[first])
            break
    for _ in range(REFINEMENTS):
        if safe is None or math.isinf(unsafe):
            break
        some = np.linspace(safe, unsafe, AT_ONCE + 2)
        together = apart.come_together(some[1:-1])
        first = 1 + (int(np.argmin(together)) if not together.all() else AT_ONCE)
        safe, unsafe = float(some[first - 1]), float(some[first])
    return SimulatedPeriod(safe, unsafe, shortest, longest)


def _require_steps_that_stand_friction(robot, q, longest, keywords):
    """Friction too stiff for the plant's steps makes joints shake, and runs meaningless."""
    step = min(positive(keywords.get("plant_step", PLANT_STEP), "plant_step"), longest)
    parameters = {name: np.asarray(keywords[name]) for name in keywords if name in PARAMETERS}
    found = stiffest(robot, q, step, parameters)
    if found is None:
        return
    factor, joint = found
    raise ArgumentError(
        f"plant_step: the friction of {named(joint)} near rest is too stiff for steps "
        f"of {step:g} s; use plant_step <= {step / factor:.2g}, or smoothing >= "
        f"{joint.friction.smoothing * factor:.2g} in its px.robots.Friction instead of "
        f"{joint.friction.smoothing:g} (docs/howto/dynamics/friction.md)"
    )


class _Apart:
    """Runs that begin apart, at several periods."""

    def __init__(self, given, duration, amplitude, delay_share, conditions):
        robot, _, trajectory = self.given = given
        self.duration, self.amplitude = duration, amplitude
        self.delay_share, self.conditions = delay_share, conditions
        random = np.random.default_rng(1)
        directions = random.normal(size=(DIRECTIONS, robot.nv))
        self.scales = joint_scales(rows_of(robot))
        largest = np.abs(directions).max(-1, keepdims=True)
        self.offsets = self.scales * (amplitude * directions / largest)
        begin = Reference(trajectory, robot).sampled(np.zeros(1))[0]
        self.begin = Motion.of(robot, begin)[:2]

    def come_together(self, periods):
        """At which of some periods they converge."""
        length = max(self.duration, SAMPLES * periods.max())
        q0, qd0 = self.begin
        # One batch per initial state: runs of the same index get the same random numbers.
        runs = [
            closed_loop(
                *self.given,
                periods,
                q0=integrate(self.given[0], q0, apart),
                qd0=qd0 + apart / periods[:, None],
                duration=length,
                delay=self.delay_share * periods,
                record="q",
                **self.conditions,
            )
            for apart in (np.zeros_like(qd0), *self.offsets)
        ]
        t, q = runs[0].t, np.stack([run.q for run in runs], axis=2)
        t = np.broadcast_to(t.reshape(len(t), -1), q.shape[:2])
        return np.array([self._together(t[:, k], q[:, k], length) for k in range(len(periods))])

    def _together(self, t, q, length):
        """Whether the runs at one period are nearer in the last quarter than in the one before.

        They must also not be much farther apart than at first: diverged runs may stay as far
        apart as the arm allows.
        """
        if not np.isfinite(q).all():
            return False
        apart = difference(self.given[0], q[:, :1], q[:, 1:])
        distance = (np.abs(apart) / self.scales).max((1, 2))
        before = distance[(t >= 0.5 * length) & (t < 0.75 * length)].max()
        last = distance[t >= 0.75 * length].max()
        nearest = LOST_IN_ROUNDING * self.amplitude
        return bool(last <= max(min(before * (1 - 1e-9), FAR * self.amplitude), nearest))
