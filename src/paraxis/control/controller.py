"""Control laws: torques from what was measured and what is desired, once a control step."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..checks import quoted, shown
from ..drivers.map import in_main_memory
from ..errors import ArgumentError
from ..physics.friction.motor_torques import directions, with_losses
from ..robots.model import Model
from ..robots.robot import Robot, a_robot
from ..scalar import maximum, minimum
from .stale_policies import EXACT
from .stale_policies import policy as as_policy
from .stale_recursion import StaleRecursion


class Motion(NamedTuple):
    """Positions, rates and accelerations of the joints."""

    q: list
    qd: list
    qdd: list


@dataclass(frozen=True, eq=False, repr=False)
class Controller:
    """A control law with its gains, for robots that are as its `robot` describes them.

    Made by `px.control.computed_torque`, `px.control.feed_forward` and `px.control.pd`. Gains are
    (..., n): one set, or one a run of `px.control.closed_loop`.
    """

    robot: Robot
    law: str
    kp: np.ndarray
    kd: np.ndarray
    recursion: StaleRecursion | None  # inverse dynamics under its policy; a law without has none
    compensate_friction: bool = False
    torque_limit: np.ndarray | None = None  # (n,), on the joints' side of a transmission

    @property
    def policy(self):
        """Which of its values are old."""
        return self.recursion.policy if self.recursion else EXACT

    @property
    def uncertain(self):
        """Are there reads that may meet several ages?"""
        return self.recursion is not None and self.recursion.uncertain

    @property
    def form(self):
        """All that decides what it computes, but for its gains."""
        limit = None if self.torque_limit is None else self.torque_limit.tolist()
        policy = f"{self.policy.cuts} {self.policy.ahead}"
        return f"{self.robot.digest} {self.law} {policy} {self.compensate_friction} {limit}"

    @property
    def entries(self):
        """What it carries from control step to control step."""
        return self.recursion.entries if self.recursion else ()

    # -- in a trace ------------------------------------------------------------------------------

    def first(self, builder, state, desired, gains):
        """The torques of exact control, and the entries to begin with."""
        return self._torques(builder, state, desired, None, gains, None, None)

    def step(self, builder, state, desired, ahead, gains, past, ages):
        """The motors' torques and the entries of the next step.

        state: q and qd as they were measured. desired, ahead: the Motions that are wanted now and a
        control step later. gains: kp and kd.
        """
        return self._torques(builder, state, desired, ahead, gains, past, ages)

    def _torques(self, builder, state, desired, ahead, gains, past, ages):
        (q, qd), (kp, kd) = state, gains
        off = [a - b for a, b in zip(desired.q, q, strict=True)]
        slow = [a - b for a, b in zip(desired.qd, qd, strict=True)]
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
        """What inverse dynamics is asked for."""
        if self.law == "feed_forward":
            return desired
        return Motion(q, qd, [a + b for a, b in zip(desired.qdd, push, strict=True)])

    def _foreseen(self, ahead, off, slow, push):
        """The same a step later: what is desired then, with the errors of now."""
        q = [a - b for a, b in zip(ahead.q, off, strict=True)]
        qd = [a - b for a, b in zip(ahead.qd, slow, strict=True)]
        return self._joints(q, qd, ahead, push)

    def _on_motors(self, torques, desired, reactions):
        """Of torques at the joints: with losses if they are compensated, within limits."""
        ratios = self.robot.ratios
        if self.compensate_friction:
            ways = directions(desired.qd, desired.qdd)
            model = Model(self.robot)
            motors = with_losses(model, desired.qd, torques, reactions, ways).input
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


def computed_torque(robot, kp, kd, policy="exact", *, compensate_friction=False, torque_limit=None):
    """Computed-torque control: tau = inverse dynamics of (q, qd, v), v = qdd* + kd ė + kp e.

    e = q* - q and ė = qd* - qd are the errors against the desired motion; kp (1/s²) and kd (1/s)
    are numbers, one a joint, or (..., n) for runs with gains of their own. `policy` says which
    values of the recursion are old (`px.control.speculate`). `robot` is what the controller knows:
    give it another than the closed loop moves, robot.with_payload(...) say, for a wrong model. With
    compensate_friction the motors also bring what friction takes at the desired rates.
    torque_limit: a number, one a joint, or "robot" for those of its description.
    """
    return _made("computed_torque", robot, kp, kd, policy, compensate_friction, torque_limit)


def feed_forward(robot, kp, kd, policy="exact", *, compensate_friction=False, torque_limit=None):
    """Feed-forward control: tau = inverse dynamics of the desired motion + kp e + kd ė.

    Gains are in N m/rad and N m s/rad (N/m and N s/m where a joint slides); the rest is as of
    `px.control.computed_torque`.
    """
    return _made("feed_forward", robot, kp, kd, policy, compensate_friction, torque_limit)


def pd(robot, kp, kd, *, torque_limit=None):
    """Proportional and derivative control without a model: tau = kp e + kd ė.

    Gains and limits as of `px.control.feed_forward`.
    """
    return _made("pd", robot, kp, kd, EXACT, False, torque_limit)


def _made(law, robot, kp, kd, policy, compensate_friction, torque_limit):
    a_robot(robot)
    gains = _gains(robot, kp, "kp"), _gains(robot, kd, "kd")
    recursion = None if law == "pd" else StaleRecursion(robot, as_policy(policy))
    limit = _limit(robot, torque_limit)
    return Controller(robot, law, *gains, recursion, bool(compensate_friction), limit)


def _gains(robot, value, name):
    """One number a joint, with a batch before it if there is one."""
    in_main_memory(value, name)
    try:
        gains = np.asarray(value, float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected numbers, found {value!r}") from None
    if gains.ndim == 0:
        gains = np.full(robot.nv, float(gains))
    if gains.shape[-1] != robot.nv:
        raise ArgumentError(
            f"{name}: expected a number or shape (..., {robot.nv}), one a joint, found "
            f"{gains.shape}"
        )
    if not np.isfinite(gains).all():
        raise ArgumentError(f"{name}: expected finite numbers, found {value!r}")
    return gains


def _limit(robot, value):
    if value is None:
        return None
    if isinstance(value, str) and value == "robot":
        for joint in robot.joints:
            if not np.isfinite(joint.max_effort):
                raise ArgumentError(
                    f"torque_limit: expected a limit of every joint in the robot's description, "
                    f"found none of joint {quoted(joint.name)}; numbers, one a joint, may be given"
                )
        return np.array([joint.max_effort for joint in robot.joints])
    limit = None if isinstance(value, str) else _gains(robot, value, "torque_limit")
    if limit is None or limit.ndim > 1 or not (limit > 0).all():
        raise ArgumentError(
            f"torque_limit: expected numbers > 0, one or one a joint, or 'robot', found {value!r}"
        )
    return limit
