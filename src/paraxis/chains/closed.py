"""A long chain whose last link touches its environment: Fijany's five steps on rows of links.

The sweeps along the links are those of the open chain, one inward and one outward. Between them is
all that contact asks for, on the rows' ends alone: the acceleration of the last link without
contact, how it answers to a force (Λ⁻¹), the force, and the rows joined anew under it.
"""

from dataclasses import dataclass

import numpy as np

from ..robots.seat import align_z
from ..targets.cpu.map import lanes_of
from ..targets.cpu.threads import available
from ..targets.exclusive import exclusive
from .forward_rows import ArticulatedRows
from .inverse_rows import NewtonEulerRows
from .numbers import chain_of
from .rows import Cut, cuts
from .serial import explain_undefined


@dataclass(frozen=True)
class TipState:
    """The pose and motion of a frame on the last link, and its response to forces.

    Six numbers are along the axes of the world or of the frame, as they were asked for.
    """

    pose: np.ndarray  # (4, 4) in the world
    velocity: np.ndarray  # (6,)
    acceleration: np.ndarray  # (6,) without contact: the rate of the velocity's coordinates
    mobility: np.ndarray  # (6, 6): Λ⁻¹
    carry: np.ndarray  # (6, 6): a force on the frame to that on the last link


class ClosedChain:
    """One state at a time: `open` it, then `close` it with the force that the tip exerts."""

    def __init__(self, robot, frame, coordinates):
        self._robot, self._in_world = robot, coordinates == "world"
        self._chain = chain = chain_of(robot)
        possible = (cut for cut in cuts(chain.n, lanes_of("float64").count) if chain.bears(cut))
        cut = next(possible, Cut(chain.n, rows=1, lanes=1, steps=chain.n))
        self._own = cut.own
        self._forward, self._motion = ArticulatedRows(chain, cut), NewtonEulerRows(chain, cut)
        self._state, self._still = np.zeros((4, cut.padded)), np.zeros(cut.padded)
        upright = align_z(np.array(robot.joints[-1].axis))
        self._turn = upright.T @ np.array(frame.pose.rotation)
        self._place = upright.T @ np.array(frame.pose.translation)
        self.lock = exclusive()  # its memory serves one caller at a time

    def open(self, q, qd, tau):
        """The TipState without contact."""
        threads = available()
        self._state[:3, self._own] = q, qd, tau
        W, r, ω, v = self._tip(*self._state[:2], threads)
        self._forward.inward(*self._state[:3], threads)
        α, a = self._forward.join().reshape(2, 3)
        if np.isfinite(self._state[:3]).all() and not np.isfinite([α, a]).all():
            explain_undefined(self._chain, *self._state[:3, self._own])
        axes = W @ self._turn
        own = self._turn.T  # the last link's coordinates to those of the frame
        out = axes if self._in_world else np.eye(3)
        spin, moved = own @ ω, own @ (v + np.cross(ω, self._place))
        swept = np.cross(ω, np.cross(ω, self._place)) + np.cross(α, self._place)
        linear = own @ (a + swept) + axes.T @ np.array(self._robot.gravity)
        if not self._in_world:  # coordinates that turn with the frame
            linear = linear - np.cross(spin, moved)
        carry = self._carry(out @ own)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = axes, r + W @ self._place
        return TipState(
            pose,
            np.concatenate([out @ spin, out @ moved]),
            np.concatenate([out @ own @ α, out @ linear]),
            carry.T @ self._forward.answers() @ carry,
            carry,
        )

    def close(self, tip, force, qdd):
        """Write the accelerations with the tip exerting this force."""
        self._forward.join(pull=-(tip.carry @ force))
        self._forward.outward(*self._state[:2], self._state[3], available())
        qdd[...] = self._state[3, self._own]

    def _carry(self, turn):
        """`turn` takes the last link's coordinates to those of the contact."""
        x, y, z = self._place
        arm = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        carry = np.zeros((6, 6))
        carry[:3, :3] = carry[3:, 3:] = turn.T
        carry[:3, 3:] = arm @ turn.T
        return carry

    def _tip(self, q, qd, threads):
        """The pose of the last link in the world, and its motion along its own axes."""
        spans = self._motion.spans(q, qd, self._still, threads)
        W, r = self._chain.root, np.array(self._robot.base.translation)
        ω, v = np.zeros(3), np.zeros(3)
        for turn, step, rate, speed, _ in zip(*spans, strict=True):
            back = turn.reshape(3, 3).T
            r, v = r + W @ step, back @ (v + np.cross(ω, step)) + speed
            W, ω = W @ back.T, back @ ω + rate
        return W, r, ω, v
