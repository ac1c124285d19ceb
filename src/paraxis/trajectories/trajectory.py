"""A trajectory: where the joints are at any time, and how they move."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import counted
from ..drivers.map import in_main_memory
from ..errors import ArgumentError
from ..robots.robot import Robot
from . import given
from .joint_range import check_range
from .loaded import with_load
from .piecewise import PiecewisePolynomial
from .smooth_pieces import CREEP, SmoothPieces
from .time_optimal import fastest_profile
from .time_scaling import smallest_stretch

AT_REST = 1e-9  # a rate at the end, of the largest on the way there, that is none


class Samples(NamedTuple):
    """A trajectory at several times.

    - `t`: the times, `(samples,)`, s.
    - `q`, `qd`, `qdd`: positions, rates and accelerations, `(samples, n)`, rad or m, and per
      second.
    """

    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


class Leg(NamedTuple):
    """A smooth path q(s) of the joints, and a profile s(t), the distance along it over time."""

    path: PiecewisePolynomial
    profile: PiecewisePolynomial

    def __call__(self, t):
        """q, qd and qdd at the times t (...) since its start."""
        s, sd, sdd = self.profile(t)
        under_way = ((t > 0) & (t < self.profile.length))[..., None]
        sd = np.where(under_way, np.maximum(sd, CREEP), sd)  # rounding turns nothing back
        return self._along_path(s, sd, sdd)

    def inside(self, piece, t):
        """The same by the given pieces of the profile: at a piece's ends what it itself has."""
        s, sd, sdd = self.profile.of_piece(piece, t)
        return self._along_path(s, np.maximum(sd, CREEP), sdd)

    def _along_path(self, s, sd, sdd):
        q, dq, ddq = self.path(np.clip(s[..., 0], 0.0, self.path.length))
        return q, dq * sd, dq * sdd + ddq * sd**2


class Trajectory:
    """Joint positions, rates and accelerations over time: one leg after another.

    Made by `px.trajectories.quintic`, `px.trajectories.trapezoidal`, `px.trajectories.via_points`,
    `px.trajectories.cartesian_line` and `px.trajectories.cartesian_via_points`. Call it with times
    `t` `(...)` in s to get `q`, `qd` and `qdd`, each `(..., n)`. Before time 0 and after `duration`
    the joints stay at its ends. Where accelerations jump, the value after the jump holds: a joint
    that has come to rest has no acceleration at `duration`, though it may have braked until then.

    **Example:**

    >>> robot = px.load("ur5")
    >>> move = px.trajectories.quintic(np.zeros(6), [1.0, -1.0, 0.5, 0.0, 0.0, 0.0], 5.0)
    >>> quick = move.scaled(robot)  # until a joint or a motor is at its limit
    >>> quick.duration < move.duration
    True
    >>> samples = quick.sample(dt=0.01)
    >>> px.inverse_dynamics(robot, samples.q, samples.qd, samples.qdd).shape[1]
    6
    """

    def __init__(self, legs: Iterable[Leg], robot: Robot | None = None):
        self.legs = tuple(legs)
        if robot is not None:
            check_range(robot, self)

    @property
    def n(self) -> int:
        """The number of joints."""
        return self.legs[0].path.coefficients.shape[-1]

    @cached_property
    def starts(self) -> np.ndarray:
        """When each leg begins, and when the last one ends."""
        return np.cumsum([0.0, *(leg.profile.length for leg in self.legs)])

    @property
    def duration(self) -> float:
        """In seconds."""
        return float(self.starts[-1])

    @property
    def knots(self) -> np.ndarray:
        """The times between which accelerations do not jump."""
        *starts, end = self.starts
        legs = zip(self.legs, starts, strict=True)
        return np.concatenate([*(leg.profile.knots[:-1] + start for leg, start in legs), [end]])

    @cached_property
    def smooth_pieces(self) -> SmoothPieces:
        """Its pieces without a jump or a turn inside, in which peaks are searched for."""
        return SmoothPieces(self)

    @cached_property
    def comes_to_rest(self) -> np.ndarray:
        """Which joints (n,) have no rate at the end, except for rounding."""
        last = self.legs[-1]
        _, on_the_way, _ = last(np.linspace(0.0, last.profile.length, 16)[1:-1])
        _, at_end, _ = last(np.array(last.profile.length))
        return abs(at_end) <= AT_REST * abs(on_the_way).max()

    def __call__(self, t: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q, qd and qdd at the times t (...), each (..., n)."""
        t = np.asarray(in_main_memory(t, "t"), float)
        if np.isnan(t).any():
            raise ArgumentError("t: expected times in seconds, found nan")
        which = np.searchsorted(self.starts[1:-1], t, "right")
        motion = np.empty((3, *t.shape, self.n))
        for k, leg in enumerate(self.legs):
            here = which == k
            motion[:, here] = leg(t[here] - self.starts[k])
        motion[1:, (t >= self.duration)[..., None] & self.comes_to_rest] = 0.0
        return tuple(motion)

    def sample(
        self,
        *,
        dt: float | None = None,
        samples: int | None = None,
        times: ArrayLike | None = None,
    ) -> Samples:
        """Return `.t`, `.q`, `.qd` and `.qdd` at several times; give one of the arguments.

        **Arguments:**

        - `dt`: sample every `dt` seconds until the end is reached.
        - `samples`: number of samples evenly spread from start to end, at least 2.
        - `times`: sample at these times, `(samples,)`, s.

        **Returns:** `Samples`, times `(samples,)` and the motion at each, `(samples, n)`.

        **Raises:** `px.ArgumentError` unless exactly one argument is given.
        """
        options = {"dt": dt, "samples": samples, "times": times}
        found = [name for name, value in options.items() if value is not None]
        if len(found) != 1:
            listed = " and ".join(found) or "none"
            raise ArgumentError(f"sample: expected one of dt, samples or times, found {listed}")
        if dt is not None:
            dt = given.positive("dt", dt)
            steps = math.ceil(self.duration / dt - 1e-9)  # rounding adds no step
            times = dt * np.arange(steps + 1)
            times[-1] = max(times[-1], self.duration)
        elif samples is not None:
            if isinstance(samples, bool) or not isinstance(samples, Integral) or samples < 2:
                raise ArgumentError(f"samples: expected an integer >= 2, found {samples!r}")
            times = np.linspace(0.0, self.duration, int(samples))
        times = given.array("times", times, 1)
        return Samples(times, *self(times))

    def stretched(self, factor: float) -> Trajectory:
        """Return the same path, taking `factor` times as long."""
        factor = given.positive("factor", factor)
        return Trajectory(Leg(path, profile.stretched(factor)) for path, profile in self.legs)

    def scaled(
        self,
        robot: Robot,
        *,
        max_velocity: ArrayLike | None = None,
        max_acceleration: ArrayLike | None = None,
        max_torque: ArrayLike | None = None,
        **parameters: ArrayLike,
    ) -> Trajectory:
        """Return the trajectory, evenly stretched or compressed until it just meets the limits.

        **Arguments:**

        - `robot`: the robot that moves.
        - `max_velocity`, `max_acceleration`: one number or one per joint, rad/s or m/s, and per
          second. By default velocities are limited by the robot's, accelerations not at all.
        - `max_torque`: of the drives, friction included (see `px.motor_torques`), on the joint's
          side of a transmission; one number or one per joint, N m or N; by default the robot's.
        - `parameters`: parameters of the robot during the motion, such as a load:
          `**px.payload(robot, mass=2.0)`.

        **Returns:** the quickest such Trajectory.

        **Raises:** `px.ArgumentError` if there is no limit, or a torque that even the slowest
        motion needs is beyond its limit.
        """
        robot = with_load(robot, parameters)
        factor = smallest_stretch(robot, self, max_velocity, max_acceleration, max_torque)
        return self.stretched(factor)

    def fastest(
        self,
        robot: Robot,
        *,
        max_velocity: ArrayLike | None = None,
        max_acceleration: ArrayLike | None = None,
        max_torque: ArrayLike | None = None,
        **parameters: ArrayLike,
    ) -> Trajectory:
        """Return the same path from rest to rest in the shortest time within the limits.

        Everywhere along the path some joint is at a limit of velocity, acceleration or torque, as
        closely as the grid of the search allows; accelerations may jump. Arguments, result and
        errors are those of `scaled`.
        """
        robot = with_load(robot, parameters)
        limits = max_velocity, max_acceleration, max_torque
        quick = Trajectory(
            Leg(path, fastest_profile(robot, path, *limits)) for path, _ in self.legs
        )
        quick = quick.stretched(smallest_stretch(robot, quick, *limits))
        if robot.has_losses and self.comes_to_rest.all() and not self(0.0)[1].any():
            # static friction where joints turn back may leave the search less than its own profile
            try:
                own = self.stretched(smallest_stretch(robot, self, *limits))
            except ArgumentError:  # only quick motion keeps within the limits
                return quick
            return min(quick, own, key=lambda each: each.duration)
        return quick

    def __repr__(self):
        return f"<Trajectory: {counted(self.n, 'joint')}, {self.duration:.4g} s>"
