"""The quickest profile along a path: reachability on a grid of the path.

With x = ṡ² and u = s̈, a joint moves with q̇ = q' ṡ and q̈ = q' u + q'' x, and its torque is a u + b x
+ c: limits of accelerations and torques are lines in the plane of u and x, those of velocities
bound x. On a grid where u is constant in each interval, x changes by 2 u Δs. A sweep backward finds
the largest x at each place from which the end can still be reached at rest; a sweep forward
accelerates as much as limits and these allow (Pham and Pham 2018). Limits hold at both ends of each
interval.

Friction is no line. It is taken as constant at each place, first that of slow motion, then that of
the profile found before.
"""

from itertools import pairwise

import numpy as np

from ..api import inverse_dynamics
from ..errors import ArgumentError
from .limits import Limits, drive_torques
from .piecewise import PiecewisePolynomial

INTERVALS = 1000  # over a path, at least
FRICTION_ROUNDS, SETTLED = 30, 1e-5  # at most; when the duration changes by less, relative
GRADE, NEAREST = 0.02, 1e-4  # steps where the path begins at rest: of the distance, of a piece
NEARLY = 1 - 1e-6  # of a limit that friction and gravity may take at rest


def fastest_profile(robot, path, max_velocity, max_acceleration, max_torque):
    """The profile s(t) of the quickest motion from rest to rest; checked by who asks."""
    n = path.coefficients.shape[-1]
    limits = Limits.of(robot, n, max_velocity, max_acceleration, max_torque)
    if not np.isfinite((limits.acceleration, limits.torque)).any():
        raise ArgumentError("limits: expected one of acceleration or torque, found none")
    grid = _Grid(path)
    dynamics = _Dynamics(robot, grid, limits)
    x, u = _sweeps(grid, dynamics)
    profile = _profile(grid, x, u)
    for _ in range(FRICTION_ROUNDS if robot.has_losses else 0):
        before = profile.length
        dynamics.take_friction_of(x, u)
        x, u = _sweeps(grid, dynamics)
        profile = _profile(grid, x, u)
        if abs(profile.length - before) < SETTLED * before:
            break
    return profile


class _Grid:
    """Places on the path, and its derivatives at both ends of each interval between them."""

    def __init__(self, path):
        knots = path.knots if len(path.knots) > 2 else np.array([0.0, 0.5, 1.0]) * path.length
        speed = abs(path((knots[:-1] + knots[1:]) / 2)[1]).max()
        if speed == 0:
            raise ArgumentError("trajectory: expected one that moves, found one that stands still")
        # where the path itself begins or ends at rest, ṡ need not be 0 for the joints to be
        ends = abs(path(knots[[0, -1]])[1]).max(-1)
        self.starts_at_rest, self.ends_at_rest = ends < 1e-9 * speed
        count = max(2, -(-INTERVALS // (len(knots) - 1)))
        shares = [np.linspace(0.0, 1.0, count + 1)] * (len(knots) - 1)
        if self.starts_at_rest:
            shares[0] = _graded(count)
        if self.ends_at_rest:
            shares[-1] = 1 - _graded(count)[::-1]
        pieces = [
            (a + (b - a) * share)[:-1]
            for (a, b), share in zip(pairwise(knots), shares, strict=True)
        ]
        self.s = np.concatenate([*pieces, knots[-1:]])
        self.step = np.diff(self.s)
        inside = np.stack([np.nextafter(self.s[:-1], self.s[1:]), np.nextafter(self.s[1:], 0)])
        self.q, self.dq, self.ddq = path(inside)  # (2, intervals, n)
        self.steady = np.zeros(len(self.step), bool)  # intervals with u = 0
        self.steady[0], self.steady[-1] = self.starts_at_rest, self.ends_at_rest


def _graded(count):
    """From 0 to 1 in steps that are short near 0, where x grows without bound."""
    places = [0.0, NEAREST]
    while places[-1] < 1:
        places.append(places[-1] + min(GRADE * places[-1], 1 / count))
    return np.array(places) / places[-1]


class _Dynamics:
    """The limits as lines A u + B x <= C of each interval, and the largest x at each place."""

    def __init__(self, robot, grid, limits):
        self.robot, self.grid, self.limits = robot, grid, limits
        with np.errstate(divide="ignore"):
            most = ((limits.velocity / abs(grid.dq)) ** 2).min(-1)  # (2, intervals)
        self.most = np.minimum(np.append(most[0], np.inf), np.append(np.inf, most[1]))
        q, still = grid.q, np.zeros_like(grid.q)
        self.gravity = inverse_dynamics(robot, q, still, still)
        self.of_u = inverse_dynamics(robot, q, still, grid.dq) - self.gravity
        self.of_x = inverse_dynamics(robot, q, grid.dq, grid.ddq) - self.gravity
        self.friction = still
        if robot.has_losses:
            slow = np.full(len(grid.step), 1e-12)
            self.take_friction_of(np.append(slow, slow[-1:]), 0 * slow)
        self._make_lines()

    def take_friction_of(self, x, u):
        """Friction of the motion with these x at the places and u in the intervals."""
        grid = self.grid
        x = np.stack([x[:-1], x[1:]])[..., None]
        qd, qdd = grid.dq * np.sqrt(x), grid.dq * u[:, None] + grid.ddq * x
        dynamic = self.gravity + self.of_u * u[:, None] + self.of_x * x
        self.friction = drive_torques(self.robot, grid.q, qd, qdd) - dynamic
        self._make_lines()

    def _make_lines(self):
        grid, limits = self.grid, self.limits
        lines = []
        for end in (0, 1):
            constant = (self.gravity + self.friction)[end] / limits.torque
            constant = np.clip(constant, -NEARLY, NEARLY)
            for a, b, c in (
                (grid.dq[end] / limits.acceleration, grid.ddq[end] / limits.acceleration, 0.0),
                (self.of_u[end] / limits.torque, self.of_x[end] / limits.torque, constant),
            ):
                if end:  # x there is x + 2 u Δs
                    a = a + 2 * grid.step[:, None] * b
                lines += [(a, b, 1 - c + 0 * a), (-a, -b, 1 + c + 0 * a)]
        self.A, self.B, self.C = (np.concatenate(part, -1) for part in zip(*lines, strict=True))


def _sweeps(grid, dynamics):
    """x at every place and u in every interval, as large as can be."""
    A, B, C, most = dynamics.A, dynamics.B, dynamics.C, dynamics.most
    count = len(grid.step)
    reach = np.zeros(count + 1)  # the largest x from which the end can be reached
    reach[-1] = most[-1] if grid.ends_at_rest else 0.0
    for i in reversed(range(count)):
        if grid.steady[i]:
            bound = min(reach[i + 1], _largest_without_u(B[i], C[i]))
        else:
            to_next = 2 * grid.step[i]
            bound = _largest(
                np.append(A[i], [to_next, -to_next]),
                np.append(B[i], [1.0, -1.0]),
                np.append(C[i], [reach[i + 1], 0.0]),
            )
        reach[i] = min(bound, most[i])
    x, u = np.zeros(count + 1), np.zeros(count)
    x[0] = reach[0] if grid.starts_at_rest else 0.0
    for i in range(count):
        if not grid.steady[i]:
            to_next, up = 2 * grid.step[i], A[i] > 1e-12 * abs(A[i]).max()
            allowed = ((C[i] - B[i] * x[i])[up] / A[i][up]).min(initial=np.inf)
            u[i] = max(min(allowed, (reach[i + 1] - x[i]) / to_next), -x[i] / to_next)
        x[i + 1] = max(x[i] + 2 * grid.step[i] * u[i], 0.0)  # below only by rounding
    return x, u


def _largest(A, B, C):
    """The largest x for which some u keeps A u + B x <= C, where u = x = 0 does.

    Every line that bounds u from above with every one that bounds it from below bounds x alone.
    """
    above, below, neither = A > 0, A < 0, A == 0
    slope = np.outer(A[above], B[below]) - np.outer(B[above], A[below])
    room = np.outer(A[above], C[below]) - np.outer(C[above], A[below])
    steep = slope > 1e-14 * (np.outer(A[above], abs(B[below])) + np.outer(abs(B[above]), -A[below]))
    paired = (room[steep] / slope[steep]).min(initial=np.inf)
    return min(paired, _largest_without_u(B[neither], C[neither]))


def _largest_without_u(B, C):
    rising = B > 1e-300  # a quotient that stays finite
    return (C[rising] / B[rising]).min(initial=np.inf)


def _profile(grid, x, u):
    wrong = np.flatnonzero(~np.isfinite(x))
    if wrong.size:
        share = grid.s[wrong[0]] / grid.s[-1]
        raise ArgumentError(
            f"limits: expected one for each joint, found none at {share:.1%} of the path"
        )
    rate = np.sqrt(x)
    times = 2 * grid.step / (rate[:-1] + rate[1:])
    powers = np.stack([grid.s[:-1], rate[:-1], u / 2], axis=-1)
    return PiecewisePolynomial(np.cumsum([0.0, *times]), powers[..., None])
