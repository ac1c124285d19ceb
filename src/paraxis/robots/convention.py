"""How another program writes the states of a robot, to and from how Paraxis does.

Programs differ in the order of joints, in that of a quaternion, in the axes along which the
velocity of a free body is given, and in whether an angle is one number or a cosine and a sine.
Most of that is an order of numbers; the rest is done joint by joint. A joint that follows another
here may have numbers of its own there. Arrays are NumPy's, with any batch shape in front.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import ArrayLike

from ..checks import listing, quoted
from ..errors import ArgumentError, RobotError
from .coupling import slope, value
from .joint import REVOLUTE, SIZES
from .robot import Robot, a_robot

SAME = "same"  # as here
W_FIRST = "w first"  # quaternions w, x, y, z; linear velocities of a free body along the world's
COSINE = "cosine"  # the cosine and sine of an angle, in place of it


@dataclass(frozen=True, slots=True)
class Written:
    """Where another program writes the state of a joint, from `q` and `v` on, and how.

    `q` and `v` are None for a joint that follows another there too, and has no numbers.
    """

    name: str
    kind: str
    q: int | None
    v: int | None
    how: str = SAME


@dataclass(frozen=True, slots=True)
class Follower:
    """A joint with numbers there but not here, where it follows others.

    `terms`: of each leader, where its position and its velocity are, and a polynomial.
    """

    there: Written
    terms: Sequence[tuple[int, int, Sequence[float]]]

    def position(self, q):
        return sum(value(polynomial, q[..., at]) for at, _, polynomial in self.terms)

    def slopes(self, q):
        """Of each leader, where its velocity is, how far the joint goes as it does, and how that
        changes."""
        for at, v, polynomial in self.terms:
            first = slope(polynomial)
            yield v, value(first, q[..., at]), value(slope(first), q[..., at])


class Convention:
    """How another program writes the states of a robot.

    Made by `px.robots.mujoco_convention` and `px.robots.pinocchio_convention`. The methods `from_`
    take what that program writes and return what Paraxis does; those with `to_` do the reverse.
    All take arrays with any batch shape in front, which broadcast.

    - `nq`, `nv`: how many numbers positions and velocities have there.

    **Example:**

    >>> brick = px.robots.Inertia(1.0, about_com=(0.01, 0.02, 0.03, 0.0, 0.0, 0.0))
    >>> robot = px.Robot("brick", [px.robots.Joint("base", "free")], [brick])
    >>> convention = px.robots.mujoco_convention(robot)
    >>> turned = [0.0, 0.0, 0.0, 0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]  # a quarter turn about z
    >>> convention.to_velocity(turned, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])  # along y of the world
    array([-0.,  1.,  0.,  0.,  0.,  0.])
    """

    def __init__(self, robot: Robot, written: Sequence[Written], program: str, rest: ArrayLike, nv):
        """`rest` is a position of that program: of joints that this robot does not have."""
        self.robot, self.program, self._rest = a_robot(robot), program, np.array(rest, dtype=float)
        self.nq, self.nv = len(self._rest), nv
        found = _by_joint(robot, written, program)
        q_ends = [*accumulate((joint.nq for joint in robot.joints), initial=0)]
        v_ends = [*accumulate((joint.nv for joint in robot.joints), initial=0)]
        q_order, v_order = [], []
        self._angles, self._free = [], []  # (place here, place there); (place of q, of v) here
        self._followers = []
        places = {
            joint.name: (q, v)
            for joint, q, v in zip(robot.joints, q_ends[:-1], v_ends[:-1], strict=True)
        }
        for k, (joint, there) in enumerate(zip(robot.joints, found, strict=True)):
            if joint.coupling is not None:
                if there.q is not None:
                    terms = [(*places[name], own) for name, own in joint.coupling.terms]
                    self._followers.append(Follower(there, terms))
                continue
            own = [*range(joint.nq)]
            if there.how == W_FIRST:
                own = [*own[:-4], joint.nq - 3, joint.nq - 2, joint.nq - 1, joint.nq - 4]
                if joint.kind == "free":
                    self._free.append((q_ends[k], v_ends[k]))
            elif there.how == COSINE:
                self._angles.append((q_ends[k + 1] - 1, there.q + joint.nq - 1))
            q_order += [there.q + i for i in own]
            v_order += [there.v + i for i in range(joint.nv)]
        self._q_order, self._v_order = np.array(q_order), np.array(v_order)

    def __repr__(self) -> str:
        return f"<Convention of {self.program} for {quoted(self.robot.name)}>"

    # -- to Paraxis ----------------------------------------------------------

    def from_position(self, position: ArrayLike) -> np.ndarray:
        """q, from a position of the other program, (..., nq)."""
        given = _array(position, self.nq, "position")
        q = given[..., self._q_order]
        for here, there in self._angles:
            q[..., here] = np.arctan2(given[..., there + 1], given[..., there])
        return q

    def from_velocity(self, position: ArrayLike, velocity: ArrayLike) -> np.ndarray:
        """qd, from a position and a velocity of the other program."""
        return self._turned(self._q(position), self._v(velocity, "velocity"), back=True)

    def from_acceleration(
        self, position: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike
    ) -> np.ndarray:
        """qdd, from a position, velocity and acceleration of the other program."""
        q = self._q(position)
        qd = self._turned(q, self._v(velocity, "velocity"), back=True)
        qdd = self._turned(q, self._v(acceleration, "acceleration"), back=True)
        return self._carried(qd, qdd, -1)

    def from_force(self, position: ArrayLike, force: ArrayLike) -> np.ndarray:
        """tau, from a position and joint forces of the other program."""
        q = self._q(position)
        tau = self._turned(q, self._v(force, "force"), back=True)
        given = _array(force, self.nv, "force")
        for each in self._followers:  # through its leaders
            tau = _spread(tau, q)
            for v, first, _ in each.slopes(q):
                tau[..., v] += first * given[..., each.there.v]
        return tau

    # -- from Paraxis --------------------------------------------------------

    def to_position(self, q: ArrayLike) -> np.ndarray:
        """A position of the other program, from q; joints that the robot lacks are at rest."""
        q = _array(q, self.robot.nq, "q")
        position = np.empty((*q.shape[:-1], self.nq), q.dtype)
        position[...] = self._rest
        position[..., self._q_order] = q
        for here, there in self._angles:
            position[..., there] = np.cos(q[..., here])
            position[..., there + 1] = np.sin(q[..., here])
        for each in self._followers:
            angle, at = each.position(q), each.there.q
            if each.there.how == COSINE:
                position[..., at], position[..., at + 1] = np.cos(angle), np.sin(angle)
            else:
                position[..., at] = angle
        return position

    def to_velocity(self, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        """A velocity of the other program, from q and qd; 0 for joints that the robot lacks."""
        q, qd = _array(q, self.robot.nq, "q"), _array(qd, self.robot.nv, "qd")
        there = self._placed(self._turned(q, qd))
        for each in self._followers:
            there = _spread(there, q)
            rates = (first * qd[..., v] for v, first, _ in each.slopes(q))
            there[..., each.there.v] = sum(rates)
        return there

    def to_acceleration(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> np.ndarray:
        """An acceleration of the other program, from q, qd and qdd."""
        q, qd = _array(q, self.robot.nq, "q"), _array(qd, self.robot.nv, "qd")
        qdd = self._carried(qd, _array(qdd, self.robot.nv, "qdd"), 1)
        there = self._placed(self._turned(q, qdd))
        for each in self._followers:
            there = _spread(_spread(there, q), qd)
            parts = (
                first * qdd[..., v] + second * qd[..., v] * qd[..., v]
                for v, first, second in each.slopes(q)
            )
            there[..., each.there.v] = sum(parts)
        return there

    def to_force(self, q: ArrayLike, tau: ArrayLike) -> np.ndarray:
        """Joint forces of the other program, from q and tau; 0 for joints that follow others."""
        q, tau = _array(q, self.robot.nq, "q"), _array(tau, self.robot.nv, "tau")
        return self._placed(self._turned(q, tau))

    # -- parts ---------------------------------------------------------------

    def _q(self, position):
        """q, where something depends on it."""
        return self.from_position(position) if self._free or self._followers else None

    def _v(self, given, what):
        return _array(given, self.nv, what)[..., self._v_order]

    def _placed(self, numbers):
        there = np.zeros((*numbers.shape[:-1], self.nv), numbers.dtype)
        there[..., self._v_order] = numbers
        return there

    def _turned(self, q, numbers, back=False):
        """Linear parts of free joints turned from the axes of the body to the world's, or back."""
        if not self._free:
            return numbers
        numbers = _spread(numbers, q)
        for at_q, at_v in self._free:
            x, y, z, w = np.moveaxis(q[..., at_q + 3 : at_q + 7], -1, 0)
            axis = np.stack([x, y, z], axis=-1)
            axis = -axis if back else axis
            linear = numbers[..., at_v : at_v + 3]
            aside = 2 * np.cross(axis, linear)
            numbers[..., at_v : at_v + 3] = linear + w[..., None] * aside + np.cross(axis, aside)
        return numbers

    def _carried(self, qd, qdd, sign):
        """Accelerations of free joints with (1) or without (-1) the turning of their axes."""
        if not self._free:
            return qdd
        qdd = _spread(qdd, qd)
        for _, v in self._free:
            qdd[..., v : v + 3] += sign * np.cross(qd[..., v + 3 : v + 6], qd[..., v : v + 3])
        return qdd


def _by_joint(robot, written, program):
    """Of each joint of the robot, how and where it is written.

    Joints have their names in common, but for floating bases: each program has its own for those.
    """
    by_name = {each.name: each for each in written}
    bases = [joint.name for joint in robot.joints if joint.kind == "free"]
    free = [each for each in written if each.kind == "free"]
    if len(bases) == len(free) == 1:
        by_name.setdefault(bases[0], free[0])
    lacking = [name for name in robot.joint_names if name not in by_name]
    if lacking:
        raise RobotError(
            f"robot {quoted(robot.name)}: expected joints that the {program} model has, found "
            f"{listing(lacking)}; it has {listing([each.name for each in written])}"
        )
    found = [by_name[name] for name in robot.joint_names]
    for joint, there in zip(robot.joints, found, strict=True):
        if joint.kind != there.kind and not {joint.kind, there.kind} <= {*REVOLUTE}:
            raise RobotError(
                f"joint {quoted(joint.name)}: expected the kind that it has in the {program} "
                f"model, {there.kind}, found {joint.kind}"
            )
    return found


def written_alike(robot, how):
    """Written for each joint of a robot, in its own order, and how many numbers that makes."""
    written, nq, nv = [], 0, 0
    for joint in a_robot(robot).joints:
        written.append(Written(joint.name, joint.kind, nq, nv, how.get(joint.kind, SAME)))
        nq, nv = nq + SIZES[joint.kind][0], nv + SIZES[joint.kind][1]
    return written, nq, nv


def _spread(numbers, other):
    """A copy in the batch shape of both."""
    shape = np.broadcast_shapes(numbers.shape[:-1], other.shape[:-1])
    return np.broadcast_to(numbers, (*shape, numbers.shape[-1])).copy()


def _array(given, size, what):
    """An array of floats whose last axis has that size."""
    try:
        array = np.asarray(given)
        array = array if np.issubdtype(array.dtype, np.floating) else array.astype(float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what}: expected an array of numbers, found {given!r}") from None
    if array.shape[-1:] != (size,):
        raise ArgumentError(f"{what}: expected shape (..., {size}), found {array.shape}")
    return array
