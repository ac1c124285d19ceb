"""The functions that a study's file can name, over batches of its variables.

A variable that stays is an option: both are numbers of the same name. Classes and not closures, so
that they travel to workers as what they are made from.
"""

from __future__ import annotations

from functools import cached_property
from inspect import signature
from typing import Any, ClassVar

import numpy as np

from .. import api
from ..checks import did_you_mean, listing, one_of, quoted
from ..errors import ArgumentError
from ..robot_functions import FUNCTIONS as OF_ROBOTS
from ..robot_functions import input_shapes, parameter_shapes
from ..robots.model import PARAMETERS
from ..robots.robot import Robot


class StudyFunction:
    """A function of a robot, and of `takes`, by name; those without a default are needed."""

    takes: ClassVar[dict[str, Any]] = {}  # name -> default
    needs: tuple[str, ...] = ()
    words: tuple[str, ...] = ()  # those whose values are words
    integers: tuple[str, ...] = ()

    def __init__(self, robot: Robot, variables: tuple[str, ...], options: dict[str, Any]):
        self.robot = robot
        known = (*self.needs, *self.takes)
        for name in (*variables, *options):
            if name not in known:
                raise ArgumentError(
                    f"{name}: {self.name} takes {listing(known, 30)}{did_you_mean(name, known)}"
                )
            if name in variables and name in options:
                raise ArgumentError(f"{name}: it is a variable of the space, and an option as well")
        for name in self.needs:
            if name not in variables and name not in options:
                raise ArgumentError(f"{name}: {self.name} needs it, as a variable or an option")
        self.options = {**self.takes, **options}
        for name, value in self.options.items():
            if name in options and isinstance(value, str) != (name in self.words):
                kind = "a word" if name in self.words else "a number"
                raise ArgumentError(f"{name}: expected {kind}, found {value!r}")
            if name in options and not isinstance(value, str | int | float):
                raise ArgumentError(f"{name}: expected one value, found {quoted(value)}")

    @property
    def name(self) -> str:
        """As files call it."""
        return next(name for name, kind in FUNCTIONS.items() if kind is type(self))

    def __call__(self, *, index: np.ndarray, **variables: Any) -> Any:
        given = {**self.options, **variables}
        for name in self.words:
            if not isinstance(given[name], str | None):
                raise ArgumentError(f"{name}: expected words, found numbers")
        _check_numbers(given, self.words)
        for name in self.integers:
            if (np.asarray(given[name]) % 1 != 0).any():
                raise ArgumentError(f"{name}: expected integers, found others")
        if not (np.asarray(given.get("mass_scale", 1.0)) > 0).all():
            raise ArgumentError("mass_scale: expected numbers > 0, found others")
        return self.results(index, **given)

    def results(self, index: np.ndarray, **given: Any) -> Any:
        """Of states with these numbers; every other value is a number, a word or an array."""
        raise NotImplementedError


class ClosedLoop(StudyFunction):
    """Computed-torque control with stale data along sines, as in an atlas."""

    needs = ("period",)
    words = ("policy",)
    takes: ClassVar[dict[str, Any]] = {
        "kp": 100.0,
        "kd": None,
        "policy": "exact",
        "speed": 1.0,
        "payload": 0.0,
    }
    takes |= {"mass_scale": 1.0, "delay": 0.0, "jitter": 0.0, "missed": 0.0, "duration": 3.0}
    takes |= {"bound": 1.0, "seed": 0}
    integers = ("seed",)

    def results(self, index, *, period, kp, kd, policy, speed, payload, mass_scale, **given):
        from ..control.atlas.motion import at_speed, swaying
        from ..control.controller import computed_torque
        from ..control.sampled_control import closed_loop
        from ..dynamics.loads import payload as load

        kp = np.asarray(kp, float)
        kd = 2 * np.sqrt(kp) if kd is None else np.asarray(kd, float)
        joints = np.ones(self.robot.nv)
        controller = computed_torque(
            self.robot, kp[..., None] * joints, kd[..., None] * joints, policy
        )
        plant = load(self.robot, np.asarray(payload, float))
        scale = np.asarray(mass_scale, float)
        plant["mass"] = plant["mass"] * scale[..., None]
        plant["inertia"] = plant["inertia"] * scale[..., None, None]
        duration, seed = float(given.pop("duration")), int(given.pop("seed"))
        ones = np.ones(len(index))
        found = closed_loop(
            self.robot,
            controller,
            at_speed(swaying(self.robot)),
            ones * period,
            duration=duration,
            seed=seed,
            index=index,
            speed=ones * speed,
            **plant,
            **given,
        )
        return {"error": found.error, "diverged_at": found.diverged_at, "diverged": found.diverged}


class SafePeriod(StudyFunction):
    """The largest safe sampling period at a posture."""

    words = ("policy",)
    takes: ClassVar[dict[str, Any]] = {
        "kp": 100.0,
        "kd": None,
        "policy": "exact",
        "payload": 0.0,
        "missed_in_a_row": 0.0,
    }
    integers = ("missed_in_a_row",)

    def results(self, index, *, kp, kd, policy, payload, missed_in_a_row):
        from ..control.controller import computed_torque
        from ..control.safe_periods import safe_period
        from ..dynamics.loads import payload as load

        columns = np.broadcast_arrays(kp, payload, missed_in_a_row, np.zeros(len(index)))[:3]
        rates = 2 * np.sqrt(columns[0]) if kd is None else np.broadcast_to(kd, len(index))
        periods, unstable = np.empty(len(index)), np.empty(len(index))
        for k, (gain, mass, missed) in enumerate(zip(*columns, strict=True)):
            found = safe_period(
                self.robot,
                computed_torque(self.robot, gain, rates[k], policy),
                self._posture,
                missed_in_a_row=int(missed),
                **(load(self.robot, mass) if mass else {}),
            )
            periods[k] = 0.0 if found.period is None else found.period
            unstable[k] = found.unstable
        return {"period": periods, "unstable": unstable}

    @cached_property
    def _posture(self):
        from ..control.atlas.motion import swaying

        q, *_ = swaying(self.robot)(0.0)
        return np.asarray(q, float)


class Reaching(StudyFunction):
    """Which positions of the tool, along world axes, inverse kinematics reaches."""

    needs = ("x", "y", "z")
    words = ("frame",)
    takes: ClassVar[dict[str, Any]] = {"frame": None}  # by default the tool

    def results(self, index, *, x, y, z, frame):
        from ..kinematics.solve import inverse_kinematics

        goals = np.stack(np.broadcast_arrays(x, y, z, np.zeros(len(index)))[:3], -1)
        found = inverse_kinematics(self.robot, position=goals, frame=frame)
        return {"q": found.q, "solved": found.solved, "error": found.error}


class Simulation(StudyFunction):
    """Where robots are after some steps without torques, from where they begin."""

    needs = ("q0",)
    takes: ClassVar[dict[str, Any]] = {"qd0": None, "dt": 1e-3, "steps": 1000.0, "mass_scale": 1.0}
    integers = ("steps",)

    def results(self, index, *, q0, qd0, dt, steps, mass_scale):
        from ..simulation.limits import Limits
        from ..simulation.once import simulate

        masses = np.array(api.parameter_values(self.robot, "mass"))
        inertias = np.array(api.parameter_values(self.robot, "inertia"))
        scale = np.broadcast_to(np.asarray(mass_scale, float), len(index))
        qd0 = np.zeros((len(index), self.robot.nv)) if qd0 is None else qd0
        run = simulate(
            self.robot,
            q0,
            qd0,
            dt=float(dt),
            steps=int(steps),
            every=int(steps),
            limits=Limits(),  # as ever, but without the notice that they act
            mass=scale[:, None] * masses,
            inertia=scale[:, None, None] * inertias,
        )
        return {"q": run.q[-1], "qd": run.qd[-1], "failed_at": run.failed_at}


class Scheduling(StudyFunction):
    """The lengths of schedules of inverse dynamics on several processors."""

    needs = ("processors",)
    words = ("method", "of")
    takes: ClassVar[dict[str, Any]] = {"method": "list", "of": "inverse_dynamics"}
    integers = ("processors",)

    def results(self, index, *, processors, method, of):
        from ..parallel.schedules.scheduling import schedule
        from ..parallel.tasks.task_graph import TaskGraph

        tasks = TaskGraph.from_program(api.program(self.robot, of))
        found = [
            schedule(tasks, int(count), method=method)
            for count in np.broadcast_to(processors, len(index))
        ]
        return {
            "makespan": np.array([each.makespan for each in found], float),
            "bound": np.array([each.bound for each in found], float),
            "speedup": np.array([each.speedup for each in found], float),
        }


def _check_numbers(given, words=()):
    for name, value in given.items():
        if isinstance(value, str) and name not in words:
            raise ArgumentError(f"{name}: expected numbers, found {quoted(value)}")


FUNCTIONS = {
    "closed_loop": ClosedLoop,
    "safe_period": SafePeriod,
    "inverse_kinematics": Reaching,
    "simulate": Simulation,
    "schedule": Scheduling,
}


class OfRobot:
    """A function of `px.functions()`; variables are its inputs, and parameters of the robot."""

    def __init__(
        self, robot: Robot, name: str, variables: tuple[str, ...], frame: str | None = None
    ):
        self.robot, self.name, self.frame = robot, name, frame
        if frame is not None:
            if "frame" not in signature(getattr(api, name)).parameters:
                raise ArgumentError(f"frame: {name} is not about a frame; leave it out")
            if not isinstance(frame, str):
                raise ArgumentError(f"frame: expected a word, found {quoted(frame)}")
        inputs = OF_ROBOTS[name].inputs
        known = (*inputs, *PARAMETERS)
        for each in variables:
            if each not in known:
                raise ArgumentError(
                    f"{each}: {name} takes {listing(known, 30)}{did_you_mean(each, known)}"
                )
        for each in inputs:
            if each not in variables:
                raise ArgumentError(f"{each}: {name} needs it as a variable of the space")

    def __call__(self, **variables: np.ndarray) -> dict[str, np.ndarray]:
        _check_numbers(variables)
        frame = {} if self.frame is None else {"frame": self.frame}
        found = getattr(api, self.name)(self.robot, **variables, **frame)
        several = found if isinstance(found, tuple) else (found,)
        outputs = getattr(found, "_fields", OF_ROBOTS[self.name].outputs)
        return dict(zip(outputs, several, strict=True))


def function_of(robot: Robot, name: str, variables: tuple[str, ...], options: dict) -> Any:
    """The function of that name over batches of these variables."""
    if name in FUNCTIONS:
        return FUNCTIONS[name](robot, variables, options)
    for each in options:
        one_of(each, ("frame",), f"options of {name}")
    return OfRobot(robot, name, variables, **options)


def shapes_of(robot: Robot, name: str) -> dict[str, tuple[int, ...]]:
    """The shapes of variables that are no numbers."""
    if name in FUNCTIONS:
        return {"q0": (robot.nq,), "qd0": (robot.nv,)}
    return input_shapes(robot, name) | parameter_shapes(robot, PARAMETERS)
