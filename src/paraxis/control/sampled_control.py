"""`px.control.closed_loop`: robots under sampled control, thousands of runs compiled together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import counted, one_of, quoted
from ..compiling import one_call
from ..drivers.iterate import integer_like
from ..errors import SimulationWarning, warn
from ..robots.robot import Robot, a_robot
from ..simulation.run import warn_of_missing
from ..simulation.simulator import positive
from ..simulation.stiffness import named, stiffest
from ..targets.target import target_named
from ..trajectories.trajectory import Trajectory
from .controller import Controller, Motion
from .loop_body import NOT_YET, RECORDED
from .loop_run import LoopRun
from .scenarios import scenarios

RECORDS = (*RECORDED, "reference")
PLANT_STEP = 1e-3  # s: the longest step of the plant between samples


@dataclass(frozen=True, eq=False, repr=False)
class ClosedLoop:
    """Runs of robots under control; the axes of the batch are the runs.

    - `error`: the largest error of each run, `(...)`: the largest `px.difference` of a joint from
      the desired motion, at any step of the plant, rad or m; infinite if the state became
      non-finite.
    - `diverged_at`: the time when a run's error first exceeded the bound or its state became
      non-finite, `(...)`, s; NaN if neither happened.
    - `t`, `q`, `qd`, `tau`, `reference`: records, if requested, at samples and at the end: times,
      positions and rates, the torques held by the motors from then on, and the desired
      `reference.q`, `.qd` and `.qdd`. Axes are records, then the batch; a run with fewer records
      than others repeats its last one.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> controller = px.control.computed_torque(robot, kp=100.0, kd=20.0)
    >>> run = px.control.closed_loop(
    ...     robot, controller, [0.3, 0.4], 0.01, duration=1.0, q0=[0.2, 0.4], record="q"
    ... )
    >>> run.error, run.diverged_at
    (array(0.1), array(nan))
    >>> run.q[[0, 50, 100], 0]  # rad, at 0, 0.5 and 1 s
    array([0.2  , 0.296, 0.3  ])
    """

    error: np.ndarray  # (...)
    diverged_at: np.ndarray  # (...)
    t: np.ndarray | None = None  # (records,), or (records, ...) if times differ by run
    q: np.ndarray | None = None  # (records, ..., nq)
    qd: np.ndarray | None = None  # (records, ..., nv)
    tau: np.ndarray | None = None  # (records, ..., nv)
    reference: Motion | None = None  # arrays (records, ..., nq) and twice (records, ..., nv)

    @property
    def diverged(self) -> np.ndarray:
        """Which runs diverged, (...) of bool."""
        return self.diverged_at == self.diverged_at  # not NaN, in arrays of any kind

    def __repr__(self):
        runs, lost = math.prod(self.error.shape), int(self.diverged.sum())
        text = f"{counted(runs, 'run')}, {lost} diverged"
        kept = self.error[~self.diverged]
        text += f", worst error of the others {float(kept.max()):.3g}" if lost < runs else ""
        return f"<ClosedLoop: {text}>"


def closed_loop(
    robot: Robot,
    controller: Controller | Callable,
    trajectory: Trajectory | Callable | ArrayLike,
    period: ArrayLike,
    *,
    duration: float | None = None,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
    delay: ArrayLike = 0.0,
    delay_samples: int = 0,
    jitter: ArrayLike = 0.0,
    missed: ArrayLike = 0.0,
    encoder: ArrayLike | None = None,
    switch_at: ArrayLike = 0.0,
    bound: ArrayLike = 1.0,
    plant_step: float = PLANT_STEP,
    record: str | Sequence[str] = (),
    every: int = 1,
    seed: int = 0,
    index: ArrayLike | None = None,
    target: str | None = None,
    **keywords: ArrayLike,
) -> ClosedLoop:
    """Simulate a batch of runs of a robot under sampled control.

    The motors hold their torques from one computation to the next; the plant is integrated by RK4
    in steps of at most `plant_step`. Arguments of shape `(...)` are one number or one per run; all
    of them, and gains `(..., nv)`, broadcast to one batch. Random numbers (for jitter, missed steps
    and uncertain ages) depend on `seed` and on the index of a run in the batch.

    **Arguments:**

    - `robot`: the simulated robot.
    - `controller`: a result of `px.control.computed_torque`, `px.control.feed_forward` or
      `px.control.pd`; or any other controller that can be traced: a function of (t, q, qd), or one
      with memory, such as `px.control.PID`, whose `dt` is the period. Its arguments `goal`,
      `goal_rate` and `goal_acceleration`, if they have no value, are those of the trajectory.
    - `trajectory`: the desired motion: a `px.trajectories.Trajectory`; a function of t, written
      with px functions, that returns q, qd and qdd; or a posture `(nq,)`.
    - `period`: the time between samples, `(...)`, s.
    - `duration`: the duration of the runs, s; by default that of the trajectory.
    - `q0`, `qd0`: initial states, `(..., nq)` and `(..., nv)`; by default on the trajectory.
    - `delay`: the time from a sample to its torques, `(...)`, s; at most the shortest period.
    - `delay_samples`: an additional delay of torques in samples: 1 for torques that are computed
      during one period and applied at the beginning of the next, with the values of the policy
      `"pipelined"`. Until then, the torques of the first sample are held.
    - `jitter`: each period is longer or shorter by up to this share of it, `(...)`, uniformly
      distributed.
    - `missed`: the probability that a control step is missed, `(...)`, or bools `(samples, ...)`
      that say which ones are missed; a missed step computes nothing and the torques stay.
    - `encoder`: the resolution to which measured positions are rounded, one number or `(..., nq)`,
      such as 2π/4096. Rates are measured exactly, unlike in real drives. It is not available for
      robots with planar, spherical or free joints, whose positions encoders do not read.
    - `switch_at`: until this time, `(...)`, s, the controller is exact, whatever its policy; stale
      values are then those of exact steps.
    - `bound`: the error above which a run counts as diverged, `(...)`, rad or m. The run continues.
    - `plant_step`: the longest step of the plant, s.
    - `record`: some of `"q"`, `"qd"`, `"tau"` and `"reference"`.
    - `every`: record every `every`-th sample.
    - `seed`: the seed of the random numbers, an integer.
    - `index`: the numbers of the runs, `(...)`, on which random numbers depend; by default their
      index in the batch. With those of a larger study, parts of it get the same random numbers as
      the whole.
    - `target`: `"cpu"` or `"cuda"`; by default a GPU if any array is on one (CuPy, PyTorch or JAX).
    - `keywords`: parameters of the plant, such as `mass=(..., n)` (`px.payload` makes some), or
      settings that the controller or the function of the trajectory takes, with the batch as first
      axes.

    **Returns:** a `px.control.ClosedLoop` with `.error`, `.diverged_at` and the records. If any
    array is on a GPU, so are the results: the checks before the first step wait for the arrays, but
    steps are queued asynchronously on the current stream, unless a progress bar is visible. With
    `target="cuda"` and no such array, the results are NumPy arrays.

    **Raises:** `px.ArgumentError` if a number is out of range or shapes do not broadcast.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> controller = px.control.computed_torque(robot, kp=100.0, kd=20.0, policy="hamilton")
    >>> periods = [0.005, 0.01, 0.02, 0.05]  # s, one for each run
    >>> runs = px.control.closed_loop(
    ...     robot, controller, [0.3, 0.4], periods, duration=5.0, q0=[0.31, 0.4]
    ... )
    >>> runs.diverged
    array([False, False,  True,  True])
    """
    given: dict[str, Any] = {"period": period, "delay": delay, "jitter": jitter, "missed": missed}
    given |= {"encoder": encoder, "switch_at": switch_at, "bound": bound, "q0": q0, "qd0": qd0}
    device = target_named(target, given | keywords)
    with one_call(f"closed_loop of {quoted(a_robot(robot).name)}"), device.stream():
        runs = scenarios(robot, controller, trajectory, duration, given, keywords, device, index)
        _warn_of_other_joints(robot, runs.controller)
        record, every = _records(record), integer_like(every, "every", least=1)
        plant_step = positive(plant_step, "plant_step")
        late = integer_like(delay_samples, "delay_samples")
        loop = LoopRun(runs, record, every if record else 0, integer_like(seed, "seed"), late)
        if robot.has_losses:
            _warn_if_stiff(runs, loop.start["q"], plant_step)
        finals, records = loop.run(plant_step)
        if robot.has_bearings:
            warn_of_missing(*(device.in_main_memory(finals[name]) for name in ("missing", "when")))
        error, when, xp = finals["worst"], finals["diverged"], device.arrays
        error = xp.where(xp.isfinite(error), error, math.inf)
        when = xp.where(when == NOT_YET, math.nan, when)
        records = {name: _given_back(record, device) for name, record in records.items()}
        return ClosedLoop(device.given_back(error), device.given_back(when), **records)


def _given_back(record, device):
    if isinstance(record, Motion):
        return Motion(*map(device.given_back, record))
    return device.given_back(record)


def _records(record):
    names = (record,) if isinstance(record, str) else tuple(record)
    for name in names:
        one_of(name, RECORDS, "record")
    return tuple(dict.fromkeys(names))


def _warn_of_other_joints(robot, controller):
    """A model may be wrong on purpose, but a robot with other joints is hardly intended."""
    pairs = zip(robot.joint_names, controller.robot.joint_names, strict=True)
    for own, other in pairs:
        if own != other:
            warn(
                f"controller: it was made for robot {quoted(controller.robot.name)} with joint "
                f"{quoted(other)}, but the simulated robot has joint {quoted(own)} there",
                SimulationWarning,
            )
            return


def _warn_if_stiff(runs, q, plant_step):
    step = min(plant_step, runs.arrays["period"].max())
    parameters = {name: runs.arrays[name] for name in runs.parameters}
    found = stiffest(runs.robot, q, step, parameters, runs.target)
    if found is not None:
        factor, joint = found
        warn(
            f"plant: the friction of {named(joint)} near rest is too stiff for steps "
            f"of {step:g} s and will make it shake; use plant_step <= {step / factor:.2g}, or "
            f"smoothing >= {joint.friction.smoothing * factor:.2g}",
            SimulationWarning,
        )
