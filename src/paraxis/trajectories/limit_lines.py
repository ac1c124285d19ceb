"""Limits of a motion along a path, as lines in the plane of x = ṡ² and u = s̈.

A joint moves with q̇ = q' ṡ and q̈ = q' u + q'' x, and its dynamic torque is a u + b x + c: limits of
accelerations and torques are lines, and those of velocities bound x. Along a path each joint moves
in the direction of q', so that the torque limit behind a transmission is one number. Friction is
not a line: it is linearised near a motion found before, the part that grows with speed by its
tangent, √x ≈ √x₀/2 + x/(2√x₀), and the part of bearings that depends on u likewise.
"""

import numpy as np

from ..physics.friction.transmission_inverse import torque_at_joint
from .limits import MET, drive_torques
from .loaded import axes, inverse_dynamics, motor_torques
from .smooth_pieces import CREEP

SIDES = (1, -1)  # of a torque's limit: above and below
SPARE = 1e-6  # of a limit, left where it would be passed
INSIDE = (
    1e-7  # of an interval: there the direction of joints that start, stop or turn is no rounding
)


class LimitLines:
    """The limits as lines A u + B x <= C of each interval, and the largest x at each place."""

    def __init__(self, robot, grid, limits):
        self.robot, self.grid, self.limits = robot, grid, limits
        self.axes = axes(robot)
        with np.errstate(divide="ignore"):
            most = ((limits.velocity / abs(grid.dq)) ** 2).min(-1)  # (2, intervals)
        self.most = np.minimum(np.append(most[0], np.inf), np.append(np.inf, most[1]))
        q, still = grid.q, np.zeros_like(grid.q)
        self.gravity = inverse_dynamics(robot, q, still, still)
        self.of_u = inverse_dynamics(robot, q, still, grid.dq) - self.gravity
        self.of_x = inverse_dynamics(robot, q, grid.dq, grid.ddq) - self.gravity
        self.bounds = {
            side: _at_joints(self.axes, grid.direction, side * limits.torque) for side in SIDES
        }
        # with friction, of which nothing is known yet
        self.constant = dict.fromkeys(SIDES, self.gravity)
        self.rise, self.slope = dict.fromkeys(SIDES, self.of_u), self.of_x
        self._make_lines()

    def take_friction_near(self, x, u):
        """Friction as it is for motion with x at the places, where a torque's limit is met."""
        low, high = self._allowed(x, u)
        x = np.stack([x[:-1], x[1:]])[..., None]
        viscous = self.grid.dq * [axis.friction.viscous for axis in self.axes]
        # at the ends, where x stays 0, the tangent would be upright
        slope = np.divide(viscous, 2 * np.sqrt(x), out=np.zeros_like(viscous), where=x > 0)
        for side, bounds in self.bounds.items():
            with np.errstate(divide="ignore", invalid="ignore"):
                met = (bounds - self.constant[side] - self.slope * x) / self.rise[side]
            met = np.clip(np.nan_to_num(met), low, high)
            friction, rise = self._friction(x, met)
            self.rise[side] = self.of_u + rise
            self.constant[side] = self.gravity + friction - rise * met - slope * x
        self.slope = self.of_x + slope
        self._make_lines()

    def take_peaks_of(self, x, u):
        """Leave less where torques are greater within an interval than at its ends.

        Returns the greatest excess over a limit, relative.
        """
        grid, share = self.grid, np.linspace(INSIDE, 1 - INSIDE, 11)[:, None]
        q, dq, ddq = grid.path(grid.s[:-1] + share * grid.step)
        x = (x[:-1] + share * np.diff(x))[..., None]
        torques = drive_torques(self.robot, q, dq * np.sqrt(x), dq * u[:, None] + ddq * x)
        worst = 0.0
        for side, bounds in self.bounds.items():
            excess = (side * torques / self.limits.torque).max(0) - 1
            worst = max(worst, excess.max())
            bounds -= side * np.where(excess > MET, (excess + SPARE) * self.limits.torque, 0.0)
        self._make_lines()
        return worst

    def _friction(self, x, u):
        """Of each joint at x (..., 1), with a u of its own (..., n); and its derivative by u."""
        grid = self.grid
        qd = grid.direction * np.maximum(abs(grid.dq) * np.sqrt(x), CREEP)

        def with_one(u):
            return motor_torques(self.robot, grid.q, qd, grid.dq * u + grid.ddq * x).joint_friction

        friction, rise = with_one(np.zeros_like(x)), np.zeros_like(u)
        for j, joint in enumerate(self.axes):
            if joint.friction.bearings:  # others do not feel u
                own = u[..., j, None]
                small = 1e-6 * np.maximum(grid.s[-1], abs(own))  # s̈ is measured as s is
                friction[..., j], ahead = (with_one(v)[..., j] for v in (own, own + small))
                rise[..., j] = (ahead - friction[..., j]) / small[..., 0]
        return friction, rise

    def _allowed(self, x, u):
        """The least and the greatest u (intervals, 1) at x; at least what was found.

        A limit that would be met beyond others is none of the motion's concern.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            met = (self.C - self.B * x[:-1, None]) / self.A
        low = np.where(self.A < 0, met, -np.inf).max(-1)
        high = np.where(self.A > 0, met, np.inf).min(-1)
        return np.minimum(low, u)[:, None], np.maximum(high, u)[:, None]

    def _make_lines(self):
        grid, limits = self.grid, self.limits
        limited = np.isfinite(limits.torque)
        rooms = []
        for side, bounds in self.bounds.items():
            room = side * (bounds - self.constant[side])
            rooms.append(np.divide(room, limits.torque, out=np.ones_like(room), where=limited))
        lines = []
        for side, room in zip(SIDES, rooms, strict=True):
            for a, b, limit, c in (
                (grid.dq, grid.ddq, limits.acceleration, np.ones_like(room)),
                (self.rise[side], self.slope, limits.torque, room),
            ):
                a, b = side * a / limit, side * b / limit
                # at the end of an interval x is x + 2 u Δs
                lines += [(a[0], b[0], c[0]), (a[1] + 2 * grid.step[:, None] * b[1], b[1], c[1])]
        self.A, self.B, self.C = (np.concatenate(part, -1) for part in zip(*lines, strict=True))


def _at_joints(axes, direction, limits):
    """What drives at their limits (n,) bring to joints that move in `direction` (..., n)."""
    brought = np.empty_like(direction)
    for j, (joint, limit) in enumerate(zip(axes, limits, strict=True)):
        gear, sign = joint.transmission, np.sign(limit)
        # a joint that stands is held until it runs back against the drive
        for way, moving in ((1, 1.0), (-1, -1.0), (0, -sign)):
            at_joint = limit
            if np.isfinite(limit):
                at_joint = torque_at_joint(gear, limit / gear.ratio, moving)
            brought[direction[..., j] == way, j] = at_joint
    return brought
