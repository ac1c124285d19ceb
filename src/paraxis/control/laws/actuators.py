"""Actuators: from a controller's command to motor torques, as in MuJoCo.

A command is limited to `command_range`, optionally passes through a first-order lag and a delay,
and becomes a force by the actuator's law. The force is limited to `force_range`, and acts on the
joint through the gear: length = gear q, torque = gear force.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ... import api
from ...checks import quoted
from ...drivers.iterate import integer_like
from ...errors import ArgumentError
from ...robots.refusals import single_joints
from ...robots.robot import Robot, a_robot
from ...robots.rows import rows_of
from ...scalar import exp, maximum, minimum
from ...simulation.simulator import positive
from .goal import numbers_of_entries
from .law import Law, Part, joined
from .rates import through_line

MOTOR, POSITION, VELOCITY = "motor", "position servo", "velocity servo"


def motor(
    robot: Robot,
    command: Callable | None = None,
    *,
    gear: ArrayLike = 1.0,
    command_range: ArrayLike | None = None,
    force_range: ArrayLike | None = None,
    time_constant: float | None = None,
    delay: int = 0,
    stall: ArrayLike | None = None,
    no_load_speed: ArrayLike | None = None,
) -> Law:
    """Return motors whose force is their command, like MuJoCo's `motor`.

    The inertia of a motor, MuJoCo's `armature`, belongs to the robot: `rotor_inertia` of
    `px.robots.Joint` or of its `px.robots.Transmission`.

    **Arguments:**

    - `robot`: the robot, whose joints have one degree of freedom each; one motor per joint.
    - `command`: a controller that returns one number per joint; by default the setting `u`, which
      is passed to `px.simulate` as `u=...`.
    - `gear`: the gear ratio of each motor: the joint's torque is gear times the force, and the
      motor's speed is gear times the joint's rate.
    - `command_range`, `force_range`: minimum and maximum, `(2,)` or `(nv, 2)`, like MuJoCo's
      `ctrlrange` and `forcerange`.
    - `time_constant`: the time constant of a first-order lag, s: the force in a step is that of the
      lagged command before the step (MuJoCo's `dyntype="filterexact"`, without `actearly`).
    - `delay`: the number of samples from a command to its effect.
    - `stall`, `no_load_speed`: for a motor whose force decreases with speed: when driving, it is
      limited to stall (1 - speed / no_load_speed); when braking, to stall. Give both or neither.

    **Returns:** a controller for `px.simulate`, with memory if there is a lag or a delay.

    **Raises:** `px.ArgumentError` if numbers are out of range.

    **Example:**

    >>> robot = px.robots.planar(1).with_gravity([0, 0, 0])
    >>> drive = px.control.motor(robot, gear=50.0, force_range=[-0.1, 0.1])
    >>> run = px.simulate(robot, [0.0], [0.0], controller=drive, u=[1.0], dt=1e-3, steps=100)
    >>> run.qd[-1]  # rad/s: 5 N m for 0.1 s on 1/3 kg m²
    array([1.5])
    """
    if (stall is None) != (no_load_speed is None):
        raise ArgumentError("stall and no_load_speed must be given together")
    curve = {}
    if stall is not None:
        curve = {"stall": _above_zero(robot, stall, "stall")}
        curve["no_load_speed"] = _above_zero(robot, no_load_speed, "no_load_speed")

    def force(u, length, rate, given):
        if not curve:
            return u
        most, share = given["stall"], rate / given["no_load_speed"]
        upper = minimum(most * (1.0 - share), most)
        lower = maximum(-most * (1.0 + share), -most)
        return minimum(maximum(u, minimum(lower, upper)), maximum(upper, lower))

    ranges = command_range, force_range
    return _actuated(robot, MOTOR, command, force, curve, gear, ranges, time_constant, delay)


def position_servo(
    robot: Robot,
    command: Callable | None = None,
    *,
    kp: ArrayLike = 1.0,
    kv: ArrayLike | None = None,
    damping_ratio: ArrayLike | None = None,
    gear: ArrayLike = 1.0,
    command_range: ArrayLike | None = None,
    force_range: ArrayLike | None = None,
    time_constant: float | None = None,
    delay: int = 0,
) -> Law:
    """Return position servos: force = kp (command - length) - kv rate, like MuJoCo's `position`.

    **Arguments:**

    - `robot`: the robot, whose joints have one degree of freedom each; one servo per joint.
    - `command`: a controller that returns one position per joint (times the gear); by default the
      setting `u`.
    - `kp`, `kv`: gains, one number, one per joint, or `(..., nv)` for one set per robot. They are
      settings.
    - `damping_ratio`: instead of `kv`: 1 for critical damping of the joint's inertia at q = 0
      (MuJoCo's `dampratio`: kv = 2 damping_ratio √(kp M / gear²), where M is the diagonal of the
      mass matrix there).
    - `gear`, `command_range`, `force_range`, `time_constant`, `delay`: as for `px.control.motor`.

    **Returns:** a controller for `px.simulate`, with memory if there is a lag or a delay.

    **Raises:** `px.ArgumentError` if numbers are out of range.

    **Example:**

    >>> robot = px.robots.planar(1).with_gravity([0, 0, 0])
    >>> servo = px.control.position_servo(robot, kp=50.0, damping_ratio=1.0)
    >>> run = px.simulate(robot, [0.0], [0.0], controller=servo, u=[0.5], dt=1e-3, steps=2000)
    >>> run.q[-1]
    array([0.5])
    """
    gains = {"kp": _gain(robot, kp, "kp")}
    if kv is not None and damping_ratio is not None:
        raise ArgumentError("kv and damping_ratio cannot be combined; give one of them")
    if damping_ratio is not None:
        ratio = _gain(robot, damping_ratio, "damping_ratio")
        inertia = np.diagonal(api.mass_matrix(robot, np.zeros(robot.nq)))
        ratios = _not_zero(robot, gear)
        gains["kv"] = 2.0 * ratio * np.sqrt(gains["kp"] * inertia / ratios**2)
    else:
        gains["kv"] = _gain(robot, 0.0 if kv is None else kv, "kv")

    def force(u, length, rate, given):
        return given["kp"] * (u - length) - given["kv"] * rate

    ranges = command_range, force_range
    return _actuated(robot, POSITION, command, force, gains, gear, ranges, time_constant, delay)


def velocity_servo(
    robot: Robot,
    command: Callable | None = None,
    *,
    kv: ArrayLike = 1.0,
    gear: ArrayLike = 1.0,
    command_range: ArrayLike | None = None,
    force_range: ArrayLike | None = None,
    time_constant: float | None = None,
    delay: int = 0,
) -> Law:
    """Return velocity servos: force = kv (command - rate), like MuJoCo's `velocity`.

    **Arguments:**

    - `robot`: the robot, whose joints have one degree of freedom each; one servo per joint.
    - `command`: a controller that returns one rate per joint (times the gear); by default the
      setting `u`.
    - `kv`: gains, one number, one per joint, or `(..., nv)` for one set per robot. They are
      settings.
    - `gear`, `command_range`, `force_range`, `time_constant`, `delay`: as for `px.control.motor`.

    **Returns:** a controller for `px.simulate`, with memory if there is a lag or a delay.

    **Raises:** `px.ArgumentError` if numbers are out of range.

    **Example:**

    >>> robot = px.robots.planar(1).with_gravity([0, 0, 0])
    >>> servo = px.control.velocity_servo(robot, kv=10.0)
    >>> run = px.simulate(robot, [0.0], [0.0], controller=servo, u=[2.0], dt=1e-3, steps=1000)
    >>> run.qd[-1]
    array([2.])
    """
    gains = {"kv": _gain(robot, kv, "kv")}

    def force(u, length, rate, given):
        return given["kv"] * (u - rate)

    ranges = command_range, force_range
    return _actuated(robot, VELOCITY, command, force, gains, gear, ranges, time_constant, delay)


def _actuated(robot, title, command, force, gains, gear, ranges, time_constant, delay):
    single_joints(a_robot(robot), f"the actuator {title!r}")
    n = robot.nv
    part = None if command is None else Part(command, "command")
    ratios, delay = _not_zero(robot, gear), integer_like(delay, "delay")
    lag = None if time_constant is None else positive(time_constant, "time_constant")
    names = ("command_range", "force_range")
    bounds = [_range(given, n, name) for given, name in zip(ranges, names, strict=True)]
    initial = {"activation": np.zeros(n)} if lag else {}
    initial |= {"line": np.zeros((delay, n))} if delay else {}
    to_motors = ratios / np.array(rows_of(robot).ratios)

    def act(t, q, qd, memory, dt, given):
        following = {}
        if part is None:
            u = given["u"]
        else:
            u, after = part(t, q, qd, memory.get("command"), dt, given)
            u = np.asanyarray(u)
            if part.structure:
                following["command"] = after
        u = _within(u, bounds[0])
        if delay:
            u, following["line"] = through_line(u, memory["line"])
        if lag:
            before = memory["activation"]
            following["activation"] = before + (u - before) * (1.0 - exp(dt * (-1.0 / lag)))
            u = before
        made = _within(force(u, q * ratios, qd * ratios, given), bounds[1])
        return made * to_motors, following

    parts = {} if part is None else {"command": part}
    shapes = {name: (n,) for name in gains} | ({"u": (n,)} if part is None else {})
    own = ("u",) if part is None else ()
    return joined(act, title, parts, initial, gains, shapes, dt=lag is not None, names=own)


def _within(value, bounds):
    if bounds is None:
        return value
    return minimum(maximum(value, bounds[..., 0]), bounds[..., 1])


def _range(given, n, name):
    if given is None:
        return None
    try:
        bounds = np.broadcast_to(np.asarray(given, float), (n, 2))
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{name}: expected minimum and maximum, shape (2,) or ({n}, 2), found {quoted(given)}"
        ) from None
    if not (bounds[:, 0] < bounds[:, 1]).all():
        raise ArgumentError(f"{name}: expected a minimum below the maximum, found {given!r}")
    return bounds


def _gain(robot, value, name):
    gains = numbers_of_entries(value, a_robot(robot).nv, name)
    if (gains < 0).any():
        raise ArgumentError(f"{name}: expected numbers >= 0, found {value!r}")
    return gains


def _above_zero(robot, value, name):
    numbers = numbers_of_entries(value, a_robot(robot).nv, name)
    if not (numbers > 0).all():
        raise ArgumentError(f"{name}: expected numbers > 0, found {value!r}")
    return numbers


def _not_zero(robot, gear):
    ratios = numbers_of_entries(gear, a_robot(robot).nv, "gear")
    if ratios.ndim != 1 or (ratios == 0).any():
        raise ArgumentError(f"gear: expected a nonzero number, or one per joint, found {gear!r}")
    return ratios
