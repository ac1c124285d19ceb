"""The quickest profile along a path: two sweeps over a grid of the path.

With x = ṡ² and u = s̈, limits are lines in the plane of u and x (limit_lines.py). On a grid where u
is constant in each interval, x changes by 2 u Δs. A sweep backward finds the largest x at each
place from which the end can still be reached at rest; a sweep forward accelerates as much as the
limits and these allow (Pham and Pham 2018). Limits hold at both ends of each interval.
"""

import numpy as np

from ..errors import ArgumentError
from .limit_lines import LimitLines
from .limits import MET, Limits
from .path_grid import Grid
from .piecewise import PiecewisePolynomial

FRICTION_ROUNDS, PEAK_ROUNDS = 30, 10  # at most
SETTLED = 1e-4  # a change of the duration that ends them, relative
AT_MOST_SLOWER = 16  # a factor of x from round to round
SLOWEST = 1e-12  # an x, of the square of the length, that is as good as standing still


def fastest_profile(robot, path, max_velocity, max_acceleration, max_torque):
    """The profile s(t) of the quickest motion from rest to rest; checked by who asks."""
    n = path.coefficients.shape[-1]
    limits = Limits.of(robot, n, max_velocity, max_acceleration, max_torque)
    if not np.isfinite((limits.acceleration, limits.torque)).any():
        raise ArgumentError(
            "limits: give max_acceleration or max_torque; otherwise accelerations are unbounded"
        )
    grid = Grid(path)
    lines = LimitLines(robot, grid, limits)
    x, u = sweeps(grid, lines)
    if robot.has_losses:
        x, u = _with_friction(grid, lines, x, u)
    quick = profile(grid, x, u)
    for _ in range(PEAK_ROUNDS):
        if lines.take_peaks_of(x, u) < MET:
            break
        if robot.has_losses:
            lines.take_friction_near(x, u)
        x, u = sweeps(grid, lines)
        slower = profile(grid, x, u)
        if slower.length > 1.2 * quick.length:  # to stretch it all costs less
            break
        quick = slower
    return quick


def _with_friction(grid, lines, x, u):
    """The same with friction, which depends on the motion found."""
    near, duration = x, np.inf
    for _ in range(FRICTION_ROUNDS):
        lines.take_friction_near(near, u)
        x, u = sweeps(grid, lines)
        before, duration = duration, profile(grid, x, u).length
        # friction taken at a much greater speed stops the motion: less is tried before rest
        near = np.maximum(x, near / AT_MOST_SLOWER)
        if abs(duration - before) < SETTLED * duration and (near == x).all():
            break
    return x, u


def sweeps(grid, lines):
    """x at every place and u in every interval, as large as can be."""
    slowest = SLOWEST * grid.s[-1] ** 2
    reach = _reach(grid, lines, slowest)
    x, u = np.zeros(len(grid.s)), np.zeros(len(grid.step))
    x[0] = reach[0] if grid.starts_at_rest else 0.0
    for i, (A, B, C) in enumerate(zip(lines.A, lines.B, lines.C, strict=True)):
        to_next, up = 2 * grid.step[i], A / abs(A).max(initial=1e-300) > 1e-12
        if not grid.steady[i]:
            allowed = ((C - B * x[i])[up] / A[up]).min(initial=np.inf)
            u[i] = min(allowed, (reach[i + 1] - x[i]) / to_next)
        x[i + 1] = max(x[i] + to_next * u[i], min(slowest, reach[i + 1]))
        u[i] = (x[i + 1] - x[i]) / to_next
        if np.isinf(x[i + 1]):
            share = grid.s[i] / grid.s[-1]
            raise ArgumentError(
                f"limits: at {share:.1%} of the path no joint that moves has a limit; give one "
                f"for each joint"
            )
    return x, u


def _reach(grid, lines, slowest):
    """The largest x at each place from which the end can be reached at rest."""
    reach = np.zeros(len(grid.s))
    reach[-1] = lines.most[-1] if grid.ends_at_rest else 0.0
    for i in reversed(range(len(grid.step))):
        A, B, C, to_next = lines.A[i], lines.B[i], lines.C[i], 2 * grid.step[i]
        if grid.steady[i]:
            bound = min(reach[i + 1], _largest_without_u(B, C))
        else:
            bound = _largest(
                np.append(A, [to_next, -to_next]),
                np.append(B, [1.0, -1.0]),
                np.append(C, [reach[i + 1], 0.0]),
            )
        reach[i] = min(max(bound, slowest), lines.most[i])
    return reach


def _largest(A, B, C):
    """The largest x for which some u keeps A u + B x <= C, if there is one.

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


def profile(grid, x, u):
    """The profile with these x and u.

    It passes over the rounding errors around a place where a joint turns back. There u jumps
    because friction does, and u of one side with the direction of the other may need any torque.
    """
    rate = np.sqrt(x)
    start, end = rate[:-1], rate[1:]
    first, last = grid.s[:-1] + grid.skipped[:-1], grid.s[1:] - grid.skipped[1:]
    whole = (first == grid.s[:-1]) & (last == grid.s[1:])
    way = np.where(whole, grid.step, last - first)
    end = np.where(whole, end, np.sqrt(np.maximum(x[:-1] + 2 * u * way, 0.0)))
    powers = np.stack([first, start, u / 2], axis=-1)
    return PiecewisePolynomial(np.cumsum([0.0, *(2 * way / (start + end))]), powers[..., None])
