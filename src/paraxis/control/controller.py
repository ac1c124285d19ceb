"""Control laws: torques from the measured state and the desired motion, once per control step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import quoted, shown
from ..drivers.map import in_main_memory
from ..errors import ArgumentError
from ..physics.configuration import carried_along, difference, integrate, seen_from
from ..physics.friction.motor_torques import directions, with_losses
from ..physics.friction.shared_friction import driven_rows
from ..robots.refusals import open_tree, single_joints, unsprung
from ..robots.robot import Robot, a_robot
from ..robots.rows import rows_of
from ..scalar import maximum, minimum
from ..spatial import ZERO
from .stale_policies import EXACT, Cut, Policy
from .stale_policies import policy as as_policy
from .stale_recursion import Entry, StaleRecursion


class Motion(NamedTuple):
    """Positions, velocities and accelerations of the joints: lists of scalars, or arrays."""

    q: Any
    qd: Any
    qdd: Any

    @classmethod
    def of(cls, robot, numbers):
        """The Motion in all its numbers in one row, which may be the last axis of an array."""
        ends = (0, robot.nq, robot.nq + robot.nv, robot.nq + 2 * robot.nv)
        if isinstance(numbers, list):
            return cls(*(numbers[a:b] for a, b in pairwise(ends)))
        return cls(*(numbers[..., a:b] for a, b in pairwise(ends)))

    @property
    def row(self):
        """All its numbers in one row: a list of scalars, or an array along its last axis."""
        if isinstance(self.q, np.ndarray):
            return np.concatenate(self, axis=-1)
        return [*self.q, *self.qd, *self.qdd]


@dataclass(frozen=True, eq=False, repr=False)
class Controller:
    """A control law with its gains and the robot model that it uses.

    Made by `px.control.computed_torque`, `px.control.feed_forward` and `px.control.pd`.

    - `robot`: the model that the controller uses.
    - `law`: "computed_torque", "feed_forward" or "pd".
    - `kp`, `kd`: gains, `(..., nv)`: one set, or one per run of `px.control.closed_loop`.
    - `recursion`: inverse dynamics with stale values; None for a law without a model.
    - `compensate_friction`: whether motor torques include friction at the desired rates.
    - `torque_limit`: the largest torques, `(nv,)`, N m or N, or None.

    **Example:**

    >>> controller = px.control.computed_torque(px.robots.planar(2), kp=100.0, kd=20.0)
    >>> controller.law, controller.kp, controller.policy.name
    ('computed_torque', array([100., 100.]), 'exact')
    """

    robot: Robot
    law: str
    kp: np.ndarray  # (..., nv)
    kd: np.ndarray  # (..., nv)
    recursion: StaleRecursion | None  # inverse dynamics under its policy; None without a model
    compensate_friction: bool = False
    torque_limit: np.ndarray | None = None  # (nv,), at the joint side of a transmission

    @property
    def policy(self) -> Policy:
        """The policy, which says which of its values are stale."""
        return self.recursion.policy if self.recursion else EXACT

    @property
    def uncertain(self) -> bool:
        """Whether some reads may use several ages."""
        return self.recursion is not None and self.recursion.uncertain

    @property
    def identity(self) -> tuple:
        """Everything that determines what it computes, except its gains."""
        policy = self.policy.cuts, self.policy.ahead
        return self.robot, self.law, policy, self.compensate_friction, self.torque_limit

    @property
    def entries(self) -> Sequence[Entry]:
        """The values carried from control step to control step."""
        return self.recursion.entries if self.recursion else ()

    # -- in a trace ------------------------------------------------------------------------------

    def first(self, builder, state, desired, gains):
        """The torques of exact control, and the initial entries."""
        return self._torques(builder, state, desired, None, gains, None, None)

    def step(self, builder, state, desired, ahead, gains, past, ages):
        """The motor torques, and the entries of the next step.

        state: measured q and qd. desired, ahead: the desired Motions now and one step later.
        gains: kp and kd.
        """
        return self._torques(builder, state, desired, ahead, gains, past, ages)

    def _torques(self, builder, state, desired, ahead, gains, past, ages):
        (q, qd), (kp, kd) = state, gains
        off = difference(self.robot, q, desired.q)
        wanted = seen_from(self.robot, q, desired.q, desired.qd)
        slow = [a - b for a, b in zip(wanted, qd, strict=True)]
        push = [p * x + d * v for p, x, d, v in zip(kp, off, kd, slow, strict=True)]
        if self.law == "pd":
            return self._on_motors(push, desired, None), []
        joints = self._joints(q, qd, desired, push)
        if past is None:
            made = self.recursion.exact(builder, joints._asdict())
        else:
            given = joints._asdict()
            if self.policy.ahead:
                given |= _named_ahead(self._foreseen(ahead, off, slow, push))
            made = self.recursion.step(builder, given, past, ages)
        torques = made.torques
        if self.law == "feed_forward":
            torques = [a + b for a, b in zip(torques, push, strict=True)]
        return self._on_motors(torques, desired, made.reactions), made.entries

    def _joints(self, q, qd, desired, push):
        """The arguments of inverse dynamics."""
        if self.law == "feed_forward":
            return desired
        wanted, rising = (seen_from(self.robot, q, desired.q, each) for each in desired[1:])
        turning = carried_along(self.robot, qd, wanted)  # with the axes in which they are expressed
        each = zip(rising, turning, push, strict=True)
        return Motion(q, qd, [a - b + c for a, b, c in each])

    def _foreseen(self, ahead, off, slow, push):
        """The same one step later: the motion desired then, with the present errors."""
        q = integrate(self.robot, ahead.q, [-x for x in off])
        wanted = seen_from(self.robot, q, ahead.q, ahead.qd)
        qd = [a - b for a, b in zip(wanted, slow, strict=True)]
        return self._joints(q, qd, ahead, push)

    def _on_motors(self, torques, desired, reactions):
        """Motor torques from joint torques: with losses if they are compensated, within limits."""
        ratios = rows_of(self.robot).ratios
        if self.compensate_friction:
            signs, rows = directions(desired.qd, desired.qdd), driven_rows(self.robot)
            loads = reactions if self.robot.has_bearings else [ZERO] * self.robot.nv
            motors = with_losses(rows, desired.qd, torques, loads, signs).input
            torques = [torque * ratio for torque, ratio in zip(motors, ratios, strict=True)]
        if self.torque_limit is not None:
            each = zip(torques, self.torque_limit.tolist(), strict=True)
            torques = [maximum(minimum(torque, limit), -limit) for torque, limit in each]
        return [torque * (1 / ratio) for torque, ratio in zip(torques, ratios, strict=True)]

    def __repr__(self):
        stale = "" if self.policy is EXACT else f", {self.policy.name}"
        return f"<Controller {self.law} of {shown(self.robot.name)}{stale}>"


def _named_ahead(motion):
    return {f"{name}_ahead": values for name, values in motion._asdict().items()}


def computed_torque(
    robot: Robot,
    kp: ArrayLike,
    kd: ArrayLike,
    policy: str | Policy | Sequence[Cut] = "exact",
    *,
    compensate_friction: bool = False,
    torque_limit: ArrayLike | str | None = None,
) -> Controller:
    """Return computed-torque control: tau = inverse dynamics of (q, qd, qdd* + kd ė + kp e).

    e = q* - q and ė = qd* - qd are the errors with respect to the desired motion q*. For joints of
    several degrees of freedom, e is `px.difference(robot, q, q*)`, and the desired velocity and
    acceleration are transformed to the axes of the body at its actual orientation (Bullo and
    Murray, 1995), so that the errors of these joints decay like those of other joints. The law
    assumes that every degree of freedom is actuated, including those of a floating base. For a
    passive base, use `px.control.pd` with zero gains there, or your own controller in
    `px.simulate`.

    **Arguments:**

    - `robot`: the model that the controller uses. To study model errors, pass another robot than
      the one that the closed loop simulates, such as `robot.with_payload(...)`.
    - `kp`, `kd`: gains, 1/s² and 1/s: one number, one per degree of freedom, or `(..., nv)` for one
      set per run.
    - `policy`: which values of the recursion are stale, as for `px.control.speculate`.
    - `compensate_friction`: whether motor torques include friction at the desired rates.
    - `torque_limit`: one number or one per degree of freedom, N m or N, or `"robot"` for the limits
      in its description.

    **Returns:** a `px.control.Controller`.

    **Raises:** `px.ArgumentError` if gains or limits have a wrong shape or the policy is unknown.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> controller = px.control.computed_torque(robot, kp=100.0, kd=20.0, policy="hamilton")
    >>> run = px.control.closed_loop(
    ...     robot, controller, [0.3, 0.4], 0.01, duration=2.0, q0=[0.2, 0.3], record="q"
    ... )
    >>> run.q[[0, 20, 200]]
    array([[0.2  , 0.3  ],
           [0.292, 0.324],
           [0.3  , 0.4  ]])
    """
    return _made("computed_torque", robot, kp, kd, policy, compensate_friction, torque_limit)


def feed_forward(
    robot: Robot,
    kp: ArrayLike,
    kd: ArrayLike,
    policy: str | Policy | Sequence[Cut] = "exact",
    *,
    compensate_friction: bool = False,
    torque_limit: ArrayLike | str | None = None,
) -> Controller:
    """Return feed-forward control: tau = inverse dynamics of the desired motion + kp e + kd ė.

    e = q* - q and ė = qd* - qd are the errors with respect to the desired motion q*.

    **Arguments:**

    - `robot`: the model that the controller uses.
    - `kp`, `kd`: gains, N m/rad and N m s/rad (N/m and N s/m for prismatic joints): one number, one
      per degree of freedom, or `(..., nv)` for one set per run.
    - `policy`, `compensate_friction`, `torque_limit`: as for `px.control.computed_torque`.

    **Returns:** a `px.control.Controller`.

    **Raises:** the same errors as `px.control.computed_torque`.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> move = px.trajectories.quintic([0.0, 0.0], [1.0, 0.5], duration=1.0)
    >>> controller = px.control.feed_forward(robot, kp=100.0, kd=20.0)
    >>> run = px.control.closed_loop(robot, controller, move, 1e-3)
    >>> print(f"{run.error:.4f} rad")
    0.0005 rad
    """
    return _made("feed_forward", robot, kp, kd, policy, compensate_friction, torque_limit)


def pd(
    robot: Robot, kp: ArrayLike, kd: ArrayLike, *, torque_limit: ArrayLike | str | None = None
) -> Controller:
    """Return proportional-derivative control without a model: tau = kp e + kd ė.

    e = q* - q and ė = qd* - qd are the errors with respect to the desired motion q*, as for
    `px.control.computed_torque`.

    **Arguments:**

    - `robot`: the robot, which determines the number of joints and their limits.
    - `kp`, `kd`: gains, N m/rad and N m s/rad (N/m and N s/m for prismatic joints): one number, one
      per degree of freedom, or `(..., nv)` for one set per run.
    - `torque_limit`: as for `px.control.computed_torque`.

    **Returns:** a `px.control.Controller`.

    **Raises:** `px.ArgumentError` if gains or limits have a wrong shape.

    **Example:**

    >>> robot = px.robots.planar(2).with_gravity([0, 0, 0])
    >>> controller = px.control.pd(robot, kp=100.0, kd=20.0)
    >>> run = px.control.closed_loop(
    ...     robot, controller, [0.5, 0.0], 1e-3, duration=3.0, q0=[0.0, 0.0], record="q"
    ... )
    >>> run.q[-1]
    array([ 0.5, -0. ])
    """
    return _made("pd", robot, kp, kd, EXACT, False, torque_limit)


def _made(law, robot, kp, kd, policy, compensate_friction, torque_limit):
    open_tree(robot, f"the law {law!r}")
    if law != "pd":
        unsprung(robot, f"the law {law!r}", losses=compensate_friction)
    if compensate_friction and robot.has_bearings:
        # the recursion only computes loads of the bearings of links
        single_joints(robot, "compensation of the friction of bearings")
    gains = gains_of(robot, kp, "kp"), gains_of(robot, kd, "kd")
    recursion = None if law == "pd" else StaleRecursion(robot, as_policy(policy))
    limit = limit_of(robot, torque_limit)
    return Controller(robot, law, *gains, recursion, bool(compensate_friction), limit)


def gains_of(robot, value, name):
    """One number per degree of freedom, with leading batch axes if any."""
    in_main_memory(value, name)
    try:
        gains = np.asarray(value, float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected numbers, found {value!r}") from None
    if gains.ndim == 0:
        gains = np.full(a_robot(robot).nv, float(gains))
    if gains.shape[-1] != robot.nv:
        raise ArgumentError(
            f"{name}: expected a number or shape (..., {robot.nv}), one per {_entry(robot)}, found "
            f"{gains.shape}"
        )
    if not np.isfinite(gains).all():
        raise ArgumentError(f"{name}: expected finite numbers, found {value!r}")
    return gains


def _entry(robot):
    """What a gain belongs to."""
    return "joint" if robot.n == robot.nv else "degree of freedom"


def limit_of(robot, value, name="torque_limit"):
    if value is None:
        return None
    if isinstance(value, str) and value == "robot":
        rows = rows_of(robot).own_rows
        for joint in rows:
            if not np.isfinite(joint.max_effort):
                raise ArgumentError(
                    f"{name}: the robot's description has no limit for joint "
                    f"{quoted(joint.name)}; give numbers, one per joint, instead of 'robot'"
                )
        return np.array([joint.max_effort for joint in rows])
    limit = None if isinstance(value, str) else gains_of(robot, value, name)
    if limit is None or limit.ndim > 1 or not (limit > 0).all():
        raise ArgumentError(
            f"{name}: expected a number > 0, one per joint, or 'robot', found {value!r}"
        )
    return limit
