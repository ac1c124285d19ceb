"""Joints that carry a frame along a path of poses.

Continuation from given joint values, so that the joints cannot jump: from one point a Runge-Kutta
step of q' = J⁺ v comes close to the next, and Newton's method on the pose finishes it. J⁺ is the
pseudo-inverse: more joints than needed move as little as possible, and fewer can follow only some
paths. The exact q' and q'' at each point define a curve of fifth powers between points, and steps
are as short as it takes to keep that curve on the path, with its direction and its curvature: a
curve that is right to a nanometre may still bend wildly if it is short, and next to a singularity
it is.
"""

import numpy as np

from ..api import bias_acceleration, forward_kinematics, jacobian
from ..errors import ArgumentError
from ..robots.rows import rows_of
from ..robots.scales import joint_scales, length_scale
from .piecewise import PiecewisePolynomial
from .polyline import rotation_vector

# Radians, and shares of the robot's length:
ON_PATH = 1e-9  # how far the curve may be off between places
SOLVED = 1e-12  # how far off the places themselves may be, if rounding asks for it
# The same, and of the path's own length, of its derivatives over the whole path:
SAME_DIRECTION, SAME_BEND = 1e-6, 1e-3
FIRST, SHORTEST = 1 / 16, 1e-6  # steps, as shares of the path
BETWEEN = np.array([0.12, 0.28, 0.5, 0.72, 0.88])  # of a step: where a curve is farthest off
DEPENDENT = 1e-9  # singular values below this share of the largest are none
SMALLEST = 1e-200  # in place of a rate of nothing


class _Lost(Exception):
    """No joint values near those before have this pose."""


def follow(robot, frame, poses, q0, turns, name):
    """The path q(s) over a Polyline that starts where q0 has the frame.

    With `turns` false only the frame's origin follows. `name` is who asks, for the error.
    """
    chase = _Chase(robot, frame, poses, turns)
    places, found = [0.0], [(q0, *chase.derivatives(0.0, q0))]
    step, shortest = FIRST * poses.length, SHORTEST * poses.length
    for end in poses.breaks[1:]:
        while places[-1] < end:
            s = places[-1]
            # two steps rather than one and a sliver
            left = end - s
            ahead = end if left <= step else s + min(step, left / 2)
            try:
                there = chase.advance(s, found[-1], ahead)
                off = chase.largest_error((s, ahead), (found[-1], there))
            except _Lost:
                off = np.inf
            if off <= 1:
                places.append(ahead)
                found.append(there)
                step = 2 * (ahead - s) if off < 1 / 100 else step
            elif ahead - s < shortest:
                raise chase.cannot_go_on(name, s, found[-1][0])
            else:
                step = (ahead - s) / 2
    return _curve(places, found)


def _curve(places, found):
    """The curve through (q, q', q'') at each of the places."""
    return PiecewisePolynomial.quintic(places, *map(np.array, zip(*found, strict=True)))


class _Chase:
    """One frame of a robot after a path of poses."""

    def __init__(self, robot, frame, poses, turns):
        self.robot, self.frame, self.poses = robot, frame, poses
        self.rows = slice(None) if turns else slice(3, None)
        self.units = np.repeat([1.0, length_scale(robot)], 3)[self.rows]  # of twists
        self.joint_units = joint_scales(rows_of(robot))  # of joint values
        fast, _ = poses.limited_parts
        way = poses.length if fast == (1,) else length_scale(robot)
        self.extent = np.repeat([1.0, way], 3)[self.rows]  # of the whole path: its turn, its way

    def jacobian(self, q):
        """J in units of the robot: singular values, and which motion is least, depend on them."""
        J = jacobian(self.robot, q, self.frame)[self.rows]
        return J * (self.joint_units / self.units[:, None])

    def error(self, s, q):
        """The difference to the pose at s: rotation and translation, along the world's axes."""
        wanted, have = self.poses(s)[0], forward_kinematics(self.robot, q, self.frame)
        turn = rotation_vector(wanted[:3, :3] @ have[:3, :3].T)
        return np.concatenate([turn, wanted[:3, 3] - have[:3, 3]])[self.rows] / self.units

    def rate(self, s, q):
        """q' = J⁺ v."""
        v = self.poses(s)[1][self.rows] / self.units
        return self.joint_units * (np.linalg.pinv(self.jacobian(q), DEPENDENT) @ v)

    def derivatives(self, s, q):
        """q' and q'' = J⁺ (a - J̇ q'), with what the change of J⁺ adds where joints are to spare."""
        _, v, a = self.poses(s)
        J = self.jacobian(q)
        inverse = np.linalg.pinv(J, DEPENDENT)
        dx = inverse @ (v[self.rows] / self.units)  # q', in units of the joints
        dq = self.joint_units * dx
        bias = bias_acceleration(self.robot, q, dq, self.frame)
        ddx = inverse @ ((a - bias)[self.rows] / self.units)
        if np.linalg.matrix_rank(J, DEPENDENT * np.linalg.norm(J, 2)) == len(q):
            return dq, self.joint_units * ddx  # none to spare
        small = 1e-6 / max(abs(dx).max(), SMALLEST)
        J_rate = (self.jacobian(q + small * dq) - self.jacobian(q - small * dq)) / (2 * small)
        spare = J_rate.T @ (inverse.T @ dx)
        return dq, self.joint_units * (ddx + spare - inverse @ (J @ spare))

    def advance(self, s, here, ahead):
        """q, q' and q'' at `ahead`, from those at s."""
        q, k1, _ = here
        h, middle = ahead - s, (s + ahead) / 2
        k2 = self.rate(middle, q + h / 2 * k1)
        k3 = self.rate(middle, q + h / 2 * k2)
        k4 = self.rate(ahead, q + h * k3)
        q = self.solved(ahead, q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
        return q, *self.derivatives(ahead, q)

    def solved(self, s, q):
        """The joint values near q that have the pose at s, as nearly as rounding lets them."""
        left = self.error(s, q)
        for _ in range(8):
            closer = q + self.joint_units * (np.linalg.pinv(self.jacobian(q), DEPENDENT) @ left)
            still_left = self.error(s, closer)
            if abs(left).max() < SOLVED and not abs(still_left).max() < abs(left).max() / 4:
                return q
            q, left = closer, still_left
        if abs(left).max() < 10 * SOLVED:
            return q
        raise _Lost

    def largest_error(self, places, found):
        """How far the curve between two places is off the path, over what is allowed."""
        start, end = places
        between = BETWEEN * (end - start)
        q, dq, ddq = _curve([0.0, end - start], found)(between)
        wanted = [self.poses(start + s)[1:] for s in between]
        v, a = (np.array(part)[:, self.rows] for part in zip(*wanted, strict=True))
        J = jacobian(self.robot, q, self.frame)[:, self.rows]
        bias = bias_acceleration(self.robot, q, dq, self.frame)[:, self.rows]
        off = [self.error(start + s, at) for s, at in zip(between, q, strict=True)]
        turned = (np.einsum("kij,kj->ki", J, dq) - v) * (self.poses.length / self.extent)
        bent = (np.einsum("kij,kj->ki", J, ddq) + bias - a) * (self.poses.length**2 / self.extent)
        parts = ((off, ON_PATH), (turned, SAME_DIRECTION), (bent, SAME_BEND))
        return max(abs(np.array(part)).max() / allowed for part, allowed in parts)

    def cannot_go_on(self, name, s, q):
        values = np.linalg.svd(self.jacobian(q), compute_uv=False)
        where = " ".join(f"{x:.4g}" for x in self.poses(s)[0][:3, 3])
        joints = " ".join(f"{x:.4g}" for x in q)
        return ArgumentError(
            f"{name}: the joints cannot follow this path beyond {s / self.poses.length:.1%} of its "
            f"length, where the frame is at ({where}) and q = ({joints}): it is singular there "
            f"(singular values of the Jacobian from {values[0]:.2g} to {values[-1]:.1g}), out of "
            f"reach, or needs more joints"
        )
