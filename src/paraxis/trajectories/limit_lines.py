"""Limits of a motion along a path, as lines in the plane of x = ṡ² and u = s̈.

A joint moves with q̇ = q' ṡ and q̈ = q' u + q'' x, and its dynamic torque is a u + b x + c: limits of
accelerations and torques are lines, those of velocities bound x. Losses are no lines. What they
leave of a torque's limit is taken where that limit is met, at the x of a motion found before.
"""

import numpy as np

from ..api import inverse_dynamics
from .limits import drive_torques

LEAST = 1e-6  # of a limit that is left to move, where rest takes it all


class LimitLines:
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
        # between these the drives can bring the dynamic torque: without losses, their own limits
        self.bounds = {side: still + side * limits.torque for side in (1, -1)}
        self._make_lines()

    def take_losses_near(self, x, u):
        """What losses leave of the torques' limits, for motion with x at the places."""
        x, most = np.stack([x[:-1], x[1:]])[..., None], 4 * abs(u).max()
        for side, bounds in self.bounds.items():
            with np.errstate(divide="ignore", invalid="ignore"):
                u = (bounds - self.gravity - self.of_x * x) / self.of_u  # where each is met
            u = np.clip(np.nan_to_num(u), -most, most)
            for j in np.flatnonzero(np.isfinite(self.limits.torque)):
                bounds[..., j] = self._bound(side, j, x, u[..., j, None])
        self._make_lines()

    def take_peaks_of(self, x, u):
        """Leave less where losses are greater within an interval than at its ends.

        As they are where a joint turns back. Returns the greatest excess over a limit, relative.
        """
        grid, share = self.grid, np.linspace(0, 1, 11)[1:-1, None]
        q, dq, ddq = grid.path(grid.s[:-1] + share * grid.step)
        x = (x[:-1] + share * np.diff(x))[..., None]
        torques = drive_torques(self.robot, q, dq * np.sqrt(x), dq * u[:, None] + ddq * x)
        worst = 0.0
        for side, bounds in self.bounds.items():
            excess = np.maximum((side * torques - self.limits.torque).max(0), 0.0)
            worst = max(worst, (excess / self.limits.torque).max())
            bounds -= side * excess
        self._make_lines()
        return worst

    def _bound(self, side, j, x, u):
        """The dynamic torque of joint j with which its drive is at its limit, from one nearby."""
        grid, limit = self.grid, self.limits.torque[j]
        qd, qdd = grid.dq * np.sqrt(x), grid.dq * u + grid.ddq * x
        drive = side * drive_torques(self.robot, grid.q, qd, qdd)[..., j]
        dynamic = side * (self.gravity + self.of_u * u + self.of_x * x)[..., j]
        # most losses grow with the load: in proportion, unless they are the greater part
        loaded = (dynamic > 0.1 * limit) & (drive > 0.1 * limit)
        scaled = dynamic * limit / np.where(loaded, drive, 1.0)
        return side * np.where(loaded, scaled, limit - drive + dynamic)

    def _make_lines(self):
        grid, limits = self.grid, self.limits
        rooms = [side * (bounds - self.gravity) for side, bounds in self.bounds.items()]
        limited = np.isfinite(limits.torque)
        rooms = [
            np.maximum(np.divide(room, limits.torque, out=np.ones_like(room), where=limited), LEAST)
            for room in rooms
        ]
        lines = []
        for end in (0, 1):
            for a, b, limit, (above, below) in (
                (grid.dq, grid.ddq, limits.acceleration, np.ones((2, 2, 1, 1))),
                (self.of_u, self.of_x, limits.torque, rooms),
            ):
                a, b = a[end] / limit, b[end] / limit
                if end:  # x there is x + 2 u Δs
                    a = a + 2 * grid.step[:, None] * b
                lines += [(a, b, above[end] + 0 * a), (-a, -b, below[end] + 0 * a)]
        self.A, self.B, self.C = (np.concatenate(part, -1) for part in zip(*lines, strict=True))
