"""Limits of joints in a simulation, over generic scalars: stops, and what motors can bring.

*Soft stops* are a spring and a damper beyond the limit. Damping sets in over a small width, so that
the torque is continuous, and a stop never pulls:

    torque = -max(0, k x + d min(x / width, 1) q̇),   x how far the joint is beyond its limit

with k = m / T² and d = 2 ζ m / T, m the inertia that the stop feels (felt_inertia.py). *Hard stops*
act between steps (impacts.py).

*Torques* of motors are clipped at the effort limit, which is one at the joint: a motor behind a
transmission is clipped at the limit over the ratio, before losses. A *velocity limit* is one of the
motor, too: beyond it the motor can still brake, but what it drives with fades to zero within 5 % of
the limit, or what it would gain in a step if that is more. What others do to the joint, as gravity,
is not limited: a real arm that is dropped is not held by its rated speed either.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..checks import quoted
from ..errors import ArgumentError
from ..physics.configuration import integrate
from ..robots.joint import LIMITED
from ..robots.robot import Robot
from ..robots.rows import rows_of
from ..robots.scales import joint_scales
from ..scalar import less, less_equal, maximum, minimum, select
from .felt_inertia import felt_inertia
from .impacts import impact
from .limits import Limits

WIDTH = 1e-3  # of a radian, of the robot's length or of a shorter range: there damping sets in
FADE = 0.05  # of the velocity limit: within so much beyond it a motor no longer drives
MARGIN = 1.5  # by which steps are shorter than the longest stable ones


@dataclass(frozen=True)
class Stop:
    """The ends of the range of one number of q."""

    joint: str
    place: int  # in q
    row: int  # in qd
    lower: float
    upper: float
    scale: float  # a radian, or the length of the robot
    inertia: float  # that it feels, kg m² or kg
    stiffness: float | None  # N m/rad or N/m, where it is given
    damping: float | None

    @property
    def width(self):
        return WIDTH * min(self.scale, self.upper - self.lower)

    def beyond(self, x):
        """How far a position is beyond the range: above zero beyond the upper limit, below zero
        beyond the lower one, else zero."""
        over = maximum(x - self.upper, 0.0) if math.isfinite(self.upper) else 0.0
        under = minimum(x - self.lower, 0.0) if math.isfinite(self.lower) else 0.0
        return over + under

    def side(self, x):
        """1 at or beyond the upper limit, -1 at or beyond the lower one, else 0."""
        return select(less_equal(self.upper, x), 1.0, select(less_equal(x, self.lower), -1.0, 0.0))


@dataclass(frozen=True)
class Motor:
    """What a motor can bring."""

    joint: str
    row: int
    ratio: float
    torque: float  # at the joint; infinite where there is no limit, as is the velocity
    velocity: float
    inertia: float  # that it moves at least, in a step


@dataclass(frozen=True)
class Stops:
    """The limits that a simulation keeps to, as `stops_of` finds them; parts may be empty."""

    robot: Robot
    limits: Limits
    stops: tuple[Stop, ...]
    motors: tuple[Motor, ...]
    stiffest: float

    @property
    def identity(self):
        """All that its graphs depend on: a robot's digest knows no limits."""
        return self.robot, self.limits, self.stops, self.motors, self.stiffest

    @property
    def hard(self):
        """Whether `after` has something to do."""
        return self.limits.stops == "hard" and bool(self.stops)

    @property
    def soft(self):
        return self.limits.stops == "soft" and bool(self.stops)

    # -- within a step -----------------------------------------------------------------------------

    def acting(self, q, qd, tau, dt=None):
        """Torques of motors within their limits, and joint torques of soft stops beside them."""
        return self.clipped(tau, qd, dt), self.torques(q, qd, dt)

    def clipped(self, tau, qd, dt=None):
        """Torques on the motors' shafts, within what these can bring at rates qd."""
        tau = list(tau)
        for motor in self.motors:
            torque, rate = tau[motor.row], qd[motor.row]
            if math.isfinite(motor.torque):
                most = motor.torque / abs(motor.ratio)
                torque = minimum(maximum(torque, -most), most)
            if math.isfinite(motor.velocity):
                torque = _driving(motor, torque, rate, dt)
            tau[motor.row] = torque
        return tau

    def torques(self, q, qd, dt=None):
        """Joint torques (nv) of soft stops, in steps of dt where they have a fixed length."""
        torques = [0.0] * self.robot.nv
        if not self.soft:
            return torques
        by_inertia = self._by_inertia(dt)
        for stop in self.stops:
            x, rate = stop.beyond(q[stop.place]), qd[stop.row]
            stiffness, damping = self._coefficients(stop, *by_inertia)
            setting_in = minimum(abs(x) * (1.0 / stop.width), 1.0)
            push = x * stiffness + setting_in * rate * damping
            outward = select(less(0.0, x), maximum(push, 0.0), minimum(push, 0.0))
            torques[stop.row] = -outward
        return torques

    def _by_inertia(self, dt):
        """Stiffness and damping per inertia."""
        T, ratio = self.limits.seconds, self.limits.damping_ratio
        if dt is not None:
            T = maximum(dt * self.steps_per_time_constant, T)
        slowness = 1.0 / T
        return slowness * slowness, slowness * (2.0 * ratio)

    def _coefficients(self, stop, stiffness, damping):
        k = stiffness * stop.inertia if stop.stiffness is None else stop.stiffness
        if stop.damping is not None:
            return k, stop.damping
        if stop.stiffness is not None:
            return k, 2.0 * self.limits.damping_ratio * math.sqrt(k * stop.inertia)
        return k, damping * stop.inertia

    @property
    def steps_per_time_constant(self):
        """The least time constant over dt.

        An explicit step is stable while 2 d dt + k dt² < 4 m (semi-implicit Euler; Runge and
        Kutta's rule allows more), where the stiffest posture stands for m.
        """
        ratio = self.limits.damping_ratio
        return MARGIN * (ratio * self.stiffest + 0.5 * math.sqrt(self.stiffest))

    def require_stable(self, dt):
        """Raise if a stiffness, damping or time constant that was chosen needs shorter steps.

        The default time constant grows with dt instead, as MuJoCo's does.
        """
        if not self.soft:
            return
        if self.limits.time_constant is not None:
            least = self.steps_per_time_constant * dt
            if self.limits.time_constant < least:
                raise ArgumentError(
                    f"limits: time_constant {self.limits.time_constant:g} s is too short for dt "
                    f"{dt:g}, which needs {least:.2g} s or more; {_ALTERNATIVES}"
                )
        for stop in self.stops:
            if stop.stiffness is None and stop.damping is None:
                continue
            k, d = self._coefficients(stop, *self._by_inertia(dt))
            load = MARGIN * self.stiffest * dt * (2.0 * d + k * dt) / stop.inertia
            if load > 4.0:
                raise ArgumentError(
                    f"limits: stiffness {k:g} and damping {d:.3g} of joint {quoted(stop.joint)} "
                    f"are too large for dt {dt:g}: its stop feels {stop.inertia:g} kg m² (or kg); "
                    f"{_ALTERNATIVES}"
                )

    # -- after a step ------------------------------------------------------------------------------

    def after(self, q, qd, before, dt, inverse):
        """The state after a step, with the impulses of hard stops that were reached in it, and of
        every stop whether it was.

        `before` are the rates at its beginning, `inverse` is M⁻¹ at its end, by rows.
        """
        given = self.stops, q, qd, before, dt, inverse, self.limits.restitution
        qd, moved, hit, held = impact(*given)
        q = list(integrate(self.robot, q, moved))
        for stop, held_here in zip(self.stops, held, strict=True):
            x = q[stop.place]
            q[stop.place] = select(held_here, x - stop.beyond(x), x)
        return q, qd, hit

    # -- what acted --------------------------------------------------------------------------------

    @property
    def acts(self):
        """What `noted` counts: ("stop" or "motor", name of a joint, index in qd)."""
        stops = [("stop", stop.joint, stop.row) for stop in self.stops]
        return (*stops, *(("motor", motor.joint, motor.row) for motor in self.motors))

    def noted(self, q, tau, clipped, hit=None):
        """Of everything in `acts`: 1 if it acts at these positions and torques, else 0.

        `hit`: of hard stops, what `after` returns.
        """
        if hit is None:
            hit = [less(0.0, abs(stop.beyond(q[stop.place]))) for stop in self.stops]
        rows = [motor.row for motor in self.motors]
        lack = [_differ(tau[k], clipped[k]) for k in rows]
        return [select(acts, 1.0, 0.0) for acts in (*hit, *lack)]


_ALTERNATIVES = "use a shorter dt, method 'adaptive', or stops='hard'"


def _driving(motor, torque, rate, dt):
    """What is left of a torque beyond the velocity limit: all of it brakes, none of it drives."""
    excess, fade = maximum(abs(rate) - motor.velocity, 0.0), FADE * motor.velocity
    if dt is not None:  # so that it does not fall to zero and come back from step to step
        fade = maximum(abs(torque) * (abs(motor.ratio) / motor.inertia) * dt, fade)
    left = maximum(1.0 - excess / fade, 0.0)
    drives = less(0.0, torque * rate * math.copysign(1.0, motor.ratio))
    return select(drives, torque * left, torque)


def _differ(a, b):
    return less(0.0, abs(a - b))


# -- of a robot ------------------------------------------------------------------------------------


def stops_of(robot: Robot, limits: "bool | Limits" = True) -> Stops | None:
    """The limits of a robot that a simulation keeps to; None if there are none.

    Limits of joints that follow others hold for those, as in `robot.lower`, `robot.upper` and
    `robot.velocity_limit`. A position limit counts where lower < upper, those of velocity and
    effort where they are above zero: URDF files write zeros where none are known. Free joints have
    none. Torques are limited by the `torque_limit` of the transmission, else by `max_effort`.
    """
    limits = as_limits(limits)
    return None if limits is None else _stops_of(robot, limits)


@lru_cache(maxsize=64)
def _stops_of(robot, limits):
    places = _places(robot) if limits.stops else []
    felt = felt_inertia(robot, tuple(row for _, _, row in places))
    scales = joint_scales(rows_of(robot)) if places else ()
    stiffness = limits.spread("stiffness", robot.nv)
    damping = limits.spread("damping", robot.nv)
    stops = tuple(
        Stop(
            joint,
            place,
            row,
            float(robot.lower[place]),
            float(robot.upper[place]),
            float(scales[row]),
            felt.typical[k],
            stiffness[row],
            damping[row],
        )
        for k, (joint, place, row) in enumerate(places)
    )
    motors = _motors(robot, limits)
    if not stops and not motors:
        return None
    return Stops(robot, limits, stops, motors, felt.stiffest)


def as_limits(limits):
    """The Limits that an argument asks for, or None."""
    if isinstance(limits, Limits):
        return limits
    if isinstance(limits, bool | np.bool_):
        return Limits() if limits else None
    raise ArgumentError(
        f"limits: expected True, False or px.simulation.Limits(...), found {quoted(limits)}"
    )


def _places(robot):
    """(joint, index in q, index in qd) of every number that has limits."""
    found, place, row = [], 0, 0
    for joint in robot.joints:
        for k in range(joint.nq if joint.kind in LIMITED else 0):
            lower, upper = robot.lower[place + k], robot.upper[place + k]
            if lower < upper and (math.isfinite(lower) or math.isfinite(upper)):
                found.append((joint.name, place + k, row + k))
        place, row = place + joint.nq, row + joint.nv
    return found


def _motors(robot, limits):
    """Those that have a limit."""
    found, ratios, row = [], rows_of(robot).ratios, 0
    for joint in robot.joints:
        for k in range(row, row + joint.nv) if joint.kind != "free" else ():
            torque = _positive(effort_limit(joint)) if limits.torque else math.inf
            velocity = _positive(float(robot.velocity_limit[k])) if limits.velocity else math.inf
            if math.isfinite(torque) or math.isfinite(velocity):
                found.append((joint.name, k, ratios[k], torque, velocity))
        row += joint.nv
    swift = tuple(k for _, k, _, _, velocity in found if math.isfinite(velocity))
    felt = felt_inertia(robot, swift)
    least = {k: m / felt.stiffest for k, m in zip(swift, felt.typical, strict=True)}
    return tuple(Motor(*each, least.get(each[1], 1.0)) for each in found)


def effort_limit(joint):
    """What its drive can bring at the joint: of the transmission, or else of the description."""
    limit = joint.transmission.torque_limit
    return limit if math.isfinite(limit) else joint.max_effort


def _positive(limit):
    return float(limit) if limit > 0 else math.inf
