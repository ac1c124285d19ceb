"""`px.control.safe_period`: the largest sampling period at which a stale controller is stable.

Predictions here are linear: near a posture or along a motion. `px.control.simulated_safe_period`
simulates the nonlinear loop; the two are independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ..drivers.iterate import integer_like
from ..drivers.map import as_array
from ..errors import ArgumentError
from ..robot_functions import check_parameters, input_shapes
from ..robots.refusals import open_tree
from ..robots.robot import Robot
from ..simulation.simulator import positive
from ..trajectories.trajectory import Trajectory
from .checks import check_controller, is_number, share_of_period
from .controller import Controller
from .growth import AlongMotion, AroundMotion, Growth, NearPosture
from .linear_loop import LinearLoop
from .one_thread import on_one_thread
from .reference import Reference

SHORTEST, LONGEST = 1e-5, 1e2  # periods examined, times the loop's fastest and slowest rate
SHORTEST_OF_SEVERAL = 1e-3  # if joint spectral radii are bounded
SEEN = 1e-7  # approximate 1 - spectral radius at the shortest period: less is lost in rounding
MOST_CHOICES = 256  # of ages in a control step


@dataclass(frozen=True, eq=False, repr=False)
class SafePeriod:
    """The largest safe period and how it was found; times in s.

    - `period`: every examined period up to it is stable, as far as the linear loop shows; None if
      even the shortest is not.
    - `unstable`: the shortest examined period that is shown to be unstable; infinite if there is
      none up to the longest. It is next to `period` unless ages are uncertain or steps are missed:
      then periods in between (if `period` is None, all below `unstable`) are neither proved stable
      nor shown to be unstable.
    - `shortest`, `longest`: the range of periods examined.
    - `method`: the criterion.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> controller = px.control.computed_torque(robot, kp=100.0, kd=20.0)
    >>> found = px.control.safe_period(robot, controller, [0.3, 0.4])
    >>> print(f"stable up to {found.period:.4f} s, {found.rate:.1f} Hz")
    stable up to 0.1002 s, 10.0 Hz
    >>> [round(found.spectral_radius(period), 3) for period in (0.01, 0.05, 0.1)]
    [0.92, 0.694, 0.994]
    """

    period: float | None
    unstable: float
    shortest: float
    longest: float
    method: str
    _growth: Growth = field(repr=False)

    def spectral_radius(self, period: float) -> float:
        """Return the asymptotic factor by which errors grow per control step in the worst case.

        It is the upper bound if ages are uncertain or steps are missed (see `bounds`).
        """
        return self.bounds(period)[1]

    @on_one_thread
    def bounds(self, period: float) -> tuple[float, float]:
        """Return a lower and an upper bound of the spectral radius; equal if all steps are alike.

        If steps are missed, a step counts together with the missed ones after it.
        """
        return self._growth.bounds(positive(period, "period"))

    @property
    def bounded(self) -> bool:
        """Whether only bounds are known, as ages are uncertain or steps are missed."""
        return self._growth.switches

    @property
    def posture(self) -> np.ndarray | None:
        """The posture `(nq,)` at rest: off the desired one if the model's weight is wrong.

        It is None along a motion.
        """
        return self._growth.posture

    @property
    def margin(self) -> float | None:
        """1 - spectral radius at the period: the share by which errors shrink per step."""
        return None if self.period is None else 1.0 - self.spectral_radius(self.period)

    @property
    def rate(self) -> float | None:
        """The lowest safe sampling rate in Hz."""
        return None if self.period is None else 1.0 / self.period

    def __repr__(self):
        shown = self.bounded and self.shortest < self.unstable < math.inf
        if self.period is not None:
            text = f"{self.period:.4g} s ({_hertz(self.rate)})"
        elif shown or math.isinf(self.unstable):
            text = f"none proved, from {self.shortest:.3g} s up"
        else:
            text = f"none: unstable even at {self.shortest:.3g} s"
        if math.isinf(self.unstable):
            text += f", nothing unstable found up to {self.longest:.3g} s"
        elif shown:
            text += f", shown unstable from {self.unstable:.4g} s, undecided in between"
        return f"<SafePeriod {text}; {self.method}>"


def _hertz(rate):
    return f"{rate:.4g} Hz" if rate < 9999.5 else f"{rate:,.0f} Hz"


@on_one_thread
def safe_period(
    robot: Robot,
    controller: Controller,
    trajectory: Trajectory | Callable | ArrayLike,
    *,
    periodic: bool = False,
    duration: float | None = None,
    delay_share: float = 0.0,
    missed_in_a_row: int = 0,
    decay: float = 0.0,
    shortest: float | None = None,
    longest: float | None = None,
    **parameters: ArrayLike,
) -> SafePeriod:
    """Return the largest sampling period at which a robot under a controller is stable.

    The loop is linearised about a posture or along a trajectory. At a posture, the criterion is the
    spectral radius of the map from control step to control step; along a trajectory, the largest
    one over its points, each treated as if it lasted; with `periodic`, that of a complete cycle
    (the monodromy matrix), per step on average. Uncertain ages (`px.control.policy("vuskovic",
    age=(1, 2))`) and missed steps may occur in any order. The criterion is then the joint spectral
    radius: its upper bound proves stability, its lower bound shows instability.

    Periods are tried upward from the shortest, several per decade, until one is unstable; longer
    ones are not examined. Encoders, torque limits and jitter are not included; see
    `px.control.closed_loop` for these. Of friction only viscous friction is included, because it is
    linear. Coulomb and static friction, friction of bearings, and losses of gears are left out,
    also of the compensation by a controller.

    **Arguments:**

    - `robot`: the simulated robot.
    - `controller`: a controller with one set of gains.
    - `trajectory`: as for `px.control.closed_loop`; a posture is `(nq,)`.
    - `periodic`: whether the trajectory is a cycle; periods that divide the duration are examined.
    - `duration`: the duration of the trajectory, s, if it has none of its own.
    - `delay_share`: the share of the period taken by computation, 0 to 1.
    - `missed_in_a_row`: how many consecutive control steps may be missed.
    - `decay`: errors must fall at least as fast as exp(-decay t) in the long run, 1/s.
    - `shortest`, `longest`: the range of periods to examine, s; by default from 1e-5 (1e-3 with
      bounds) of the fastest time constant of the exact loop, but not too short to show its slowest,
      to 100 times its slowest.
    - `parameters`: parameters of the plant, such as `mass=(n,)` (`px.payload` makes some), if it
      differs from the controller's model. The posture is then where the robot comes to rest under
      control.

    **Returns:** a `px.control.SafePeriod`.

    **Raises:** `px.ArgumentError` if arguments do not fit together, or the controller cannot hold
    the robot near the posture.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> for policy in ("exact", "hamilton"):
    ...     controller = px.control.computed_torque(robot, kp=100.0, kd=20.0, policy=policy)
    ...     found = px.control.safe_period(robot, controller, [0.3, 0.4])
    ...     print(f"{policy}: {found.period:.4f} s")
    ...
    exact: 0.1002 s
    hamilton: 0.0110 s
    """
    conditions = delay_share, missed_in_a_row
    growth = _growth(robot, controller, trajectory, parameters, periodic, duration, *conditions)
    if not is_number(decay) or not 0 <= decay < math.inf:
        raise ArgumentError(f"decay: expected a rate >= 0 in 1/s, found {decay!r}")
    if None in (shortest, longest):
        slowest, fastest, damping = growth.rates()
        least = SHORTEST_OF_SEVERAL if growth.switches else SHORTEST
        shortest = max(least / fastest, SEEN / damping) if shortest is None else shortest
        longest = LONGEST / slowest if longest is None else longest
    shortest, longest = positive(shortest, "shortest"), positive(longest, "longest")
    if shortest >= longest:
        raise ArgumentError(f"longest: expected more than shortest, {shortest} s, found {longest}")
    periods = growth.periods(shortest, longest)
    period, unstable = _edges(growth, decay, periods)
    return SafePeriod(period, unstable, periods[0], periods[-1], growth.method, growth)


def _edges(growth, decay, periods):
    """The last period of the first stable ones, and the first one known to be unstable."""
    known = {}

    def falls(period):
        if period not in known:
            known[period] = growth.falls(period, decay)
        return known[period]

    # In a very short step errors hardly change, and bounds cannot decide: these are skipped.
    told = next((k for k, period in enumerate(periods) if falls(period) is not None), None)
    if told is None:
        return None, math.inf
    stable, _ = _edge(lambda period: falls(period) is True, periods[told:], growth.between)
    later = [period for period in sorted({*periods, *known}) if period >= (stable or 0.0)]
    return stable, _edge(lambda period: falls(period) is not False, later, growth.between)[1]


def _edge(holds, periods, between):
    """The last period at which a condition holds, and the first at which it fails, close together.

    The former is None if it fails at the first period; the latter is infinite if it never fails.
    """
    last, first = None, math.inf
    for period in periods:
        if not holds(period):
            first = period
            break
        last = period
    while last is not None and first < math.inf and (middle := between(last, first)) is not None:
        if holds(middle):
            last = middle
        else:
            first = middle
    return last, first


def _growth(
    robot, controller, trajectory, parameters, periodic, duration, delay_share, missed_in_a_row
):
    """The checked arguments, as a Growth."""
    check_controller(open_tree(robot, "control"), controller)
    if controller.kp.ndim > 1 or controller.kd.ndim > 1:
        raise ArgumentError("controller: expected one set of gains, found a batch of gains")
    conditions = (
        share_of_period(delay_share, "delay_share"),
        integer_like(missed_in_a_row, "missed_in_a_row"),
    )
    linear = LinearLoop(robot, controller, _plant_parameters(robot, parameters))
    if len(linear.ages) > MOST_CHOICES:
        raise ArgumentError(
            f"policy: expected at most {MOST_CHOICES} combinations of ages per control step, found "
            f"{len(linear.ages)}"
        )
    if periodic and (missed_in_a_row or len(linear.ages) > 1):
        raise ArgumentError(
            "periodic cannot be combined with uncertain ages or missed_in_a_row, because bounds "
            "over all orders within a cycle are not implemented; without periodic, points of the "
            "cycle are examined one by one"
        )
    reference = Reference(trajectory, robot)
    if reference.posture is not None:
        if periodic:
            raise ArgumentError("periodic: expected a cyclic trajectory, found a posture")
        return NearPosture(linear, *conditions, reference.posture)
    length = reference.duration if duration is None else duration
    if length is None:
        raise ArgumentError("duration: give it in seconds, because the trajectory has no end")
    kind = AroundMotion if periodic else AlongMotion
    return kind(linear, *conditions, reference, positive(length, "duration"))


def _plant_parameters(robot, given):
    """One array each, of the robot itself: no batch."""
    check_parameters("forward_dynamics", tuple(given))
    shapes, arrays = input_shapes(robot, "forward_dynamics", tuple(given)), {}
    for name, value in given.items():
        arrays[name] = as_array(value, name, shapes[name]).astype(float)
        if arrays[name].shape != shapes[name]:
            raise ArgumentError(
                f"{name}: expected shape {shapes[name]}, found {arrays[name].shape}"
            )
    return arrays
