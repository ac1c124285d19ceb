"""`px.control.safe_period`: the largest sampling period at which a stale controller is stable.

What is predicted here is linear: near a posture or along a motion. What really happens, in the
nonlinear loop, is for `px.control.simulated_safe_period`; neither knows of the other.
"""

import math
from dataclasses import dataclass, field

from ..drivers.iterate import whole
from ..drivers.map import as_array
from ..errors import ArgumentError
from ..robot_functions import check_parameters, input_shapes
from ..robots.robot import a_robot
from ..simulation.simulator import positive
from .checks import check_controller, is_number, share_of_period
from .growth import AlongMotion, AroundMotion, Growth, NearPosture
from .linear_loop import LinearLoop
from .one_thread import on_one_thread
from .reference import Reference

SHORTEST, LONGEST = 1e-5, 1e2  # periods looked at, times the loop's fastest and slowest rate
SHORTEST_OF_SEVERAL = 1e-3  # where joint spectral radii are to be bounded
SEEN = 1e-7  # 1 - spectral radius, about, at the shortest period: less drowns in rounding
MOST_CHOICES = 256  # of ages in a control step


@dataclass(frozen=True, eq=False, repr=False)
class SafePeriod:
    """The largest safe period and how it was found.

    period: up to it every period that was looked at is stable, as far as the linear loop tells;
    None where even the shortest is not. unstable: the shortest of those looked at that is shown not
    to be; infinite where none is, up to the longest. The two are next to each other unless ages are
    uncertain or steps are missed: then what is in between is neither proved stable nor shown not to
    be, and so is everything below `unstable` where period is None. shortest, longest: the periods
    that were looked at. method: what was looked at there.
    """

    period: float | None
    unstable: float
    shortest: float
    longest: float
    method: str
    _growth: Growth = field(repr=False)

    def spectral_radius(self, period):
        """By how much errors are multiplied a control step, at worst, in the long run.

        Its upper bound where ages are uncertain or steps are missed (see `bounds`).
        """
        return self.bounds(period)[1]

    @on_one_thread
    def bounds(self, period):
        """A lower and an upper bound of the spectral radius; equal where each step is the same.

        Where steps are missed it is of a step that happens, with those missed after it.
        """
        return self._growth.bounds(positive(period, "period"))

    @property
    def bounded(self):
        """Is the spectral radius known by bounds only, as ages are uncertain or steps missed?"""
        return self._growth.switches

    @property
    def posture(self):
        """Where the robot rests (n,): off the desired posture if its weight is not well known.

        None along a motion.
        """
        return self._growth.posture

    @property
    def margin(self):
        """1 - spectral radius at the period: what is left of each error a step is less by that."""
        return None if self.period is None else 1.0 - self.spectral_radius(self.period)

    @property
    def rate(self):
        """The lowest safe sampling rate in Hz."""
        return None if self.period is None else 1.0 / self.period

    def __repr__(self):
        shown = self.bounded and self.shortest < self.unstable < math.inf
        if self.period is not None:
            said = f"{self.period:.4g} s ({_hertz(self.rate)})"
        elif shown or math.isinf(self.unstable):
            said = f"none proved, from {self.shortest:.3g} s up"
        else:
            said = f"none: not even {self.shortest:.3g} s is stable"
        if math.isinf(self.unstable):
            said += f", nothing unstable found up to {self.longest:.3g} s"
        elif shown:
            said += f", shown unstable from {self.unstable:.4g} s, between is not known"
        return f"<SafePeriod {said}; {self.method}>"


def _hertz(rate):
    return f"{rate:.4g} Hz" if rate < 9999.5 else f"{rate:,.0f} Hz"


@on_one_thread
def safe_period(
    robot,
    controller,
    trajectory,
    *,
    periodic=False,
    duration=None,
    delay_share=0.0,
    missed_in_a_row=0,
    decay=0.0,
    shortest=None,
    longest=None,
    **parameters,
):
    """The largest sampling period at which a robot under a controller is stable, as a SafePeriod.

    The loop is linearised about a posture (n,), or along a trajectory (as of
    `px.control.closed_loop`; `duration` where it has none). At a posture the spectral radius of the
    map from control step to control step decides; along a trajectory the largest over points of it,
    each as if it lasted; with periodic=True that of the whole way round (the monodromy matrix), a
    step on average, for periods that divide the duration. Ages that are uncertain
    (px.control.policy("vuskovic", age=(1, 2))) and up to `missed_in_a_row` control steps that do
    not happen may come in any order: then bounds of the joint spectral radius decide, the upper one
    for what is safe, the lower one for what is not.

    delay_share: of the period, from 0 to 1, that computation takes. decay (1/s): asks that errors
    fall at least as fast as exp(-decay t), in the long run. shortest, longest: the periods to look
    at, by default from 1e-5 (or, where bounds decide, 1e-3) of the exact loop's fastest time, but
    no less than shows in its slowest, to 100 of its slowest. Other keywords are parameters of the
    plant, as mass=(n,) (px.payload makes some), where it is another than the controller knows; the
    posture is then where the robot comes to rest under control.

    Periods are tried from the shortest up, some a decade, until one is not stable; beyond it
    nothing is looked for. Encoders, torque limits and jitter are no part of it:
    `px.control.closed_loop` has them. Nor is dry friction: of what a robot loses, viscous friction
    alone is linear, and Coulomb and static friction, that of bearings and losses of gears are left
    out, also of what a controller compensates.
    """
    conditions = delay_share, missed_in_a_row
    growth = _growth(robot, controller, trajectory, parameters, periodic, duration, *conditions)
    if not is_number(decay) or not 0 <= decay < math.inf:
        raise ArgumentError(f"decay: expected a rate in 1/s, at least 0, found {decay!r}")
    if None in (shortest, longest):
        slowest, fastest, damping = growth.rates()
        least = SHORTEST_OF_SEVERAL if growth.switches else SHORTEST
        shortest = max(least / fastest, SEEN / damping) if shortest is None else shortest
        longest = LONGEST / slowest if longest is None else longest
    shortest, longest = positive(shortest, "shortest"), positive(longest, "longest")
    if shortest >= longest:
        raise ArgumentError(f"longest: expected more than {shortest} s, found {longest}")
    periods = growth.periods(shortest, longest)
    period, unstable = _edges(growth, decay, periods)
    return SafePeriod(period, unstable, periods[0], periods[-1], growth.method, growth)


def _edges(growth, decay, periods):
    """The last period of the first that are stable, and the first known to be not."""
    known = {}

    def falls(period):
        if period not in known:
            known[period] = growth.falls(period, decay)
        return known[period]

    # In a very short step errors hardly change, and bounds cannot tell which way: passed over.
    told = next((k for k, period in enumerate(periods) if falls(period) is not None), None)
    if told is None:
        return None, math.inf
    stable, _ = _edge(lambda period: falls(period) is True, periods[told:], growth.between)
    later = [period for period in sorted({*periods, *known}) if period >= (stable or 0.0)]
    return stable, _edge(lambda period: falls(period) is not False, later, growth.between)[1]


def _edge(holds, periods, between):
    """The last period at which something holds, and the first at which it does not, close to it.

    None where it does not hold at the first, infinite where it does at all.
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
    """What is given, checked, as a Growth."""
    check_controller(a_robot(robot), controller)
    if controller.kp.ndim > 1 or controller.kd.ndim > 1:
        raise ArgumentError("controller: expected one set of gains, found a batch of them")
    conditions = (
        share_of_period(delay_share, "delay_share"),
        whole(missed_in_a_row, "missed_in_a_row"),
    )
    linear = LinearLoop(robot, controller, _plant_parameters(robot, parameters))
    if len(linear.ages) > MOST_CHOICES:
        raise ArgumentError(
            f"policy: expected at most {MOST_CHOICES} choices of ages in a control step, found "
            f"{len(linear.ages)}"
        )
    if periodic and (missed_in_a_row or len(linear.ages) > 1):
        raise ArgumentError(
            "periodic: expected ages that are certain and missed_in_a_row=0, as bounds over all "
            "orders of a whole way round are not made; without periodic its points are looked at"
        )
    reference = Reference(trajectory, robot)
    if reference.posture is not None:
        if periodic:
            raise ArgumentError("periodic: expected a trajectory to go round, found a posture")
        return NearPosture(linear, *conditions, reference.posture)
    length = reference.duration if duration is None else duration
    if length is None:
        raise ArgumentError("duration: expected seconds, as the trajectory has no end; found none")
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
