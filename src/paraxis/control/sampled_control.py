"""`px.control.closed_loop`: robots under sampled control, thousands of runs compiled together."""

import math
from dataclasses import dataclass

import numpy as np

from ..checks import one_of, quoted
from ..drivers.iterate import whole
from ..errors import SimulationWarning, warn
from ..robots.robot import a_robot
from ..simulation.run import warn_of_missing
from ..simulation.simulator import positive
from ..simulation.stiffness import stiffest
from ..targets.compiling import one_call
from ..targets.target import target_named
from .loop_body import NOT_YET, RECORDED
from .loop_run import LoopRun
from .scenarios import scenarios

RECORDS = (*RECORDED, "reference")
PLANT_STEP = 1e-3  # s: between samples the plant takes steps of at most that


@dataclass(frozen=True, eq=False, repr=False)
class ClosedLoop:
    """Runs of robots under control. Axes of the batch are those of the runs.

    error: the worst of each run, the largest difference of a joint from what is desired, at any
    step of the plant; infinite where the state was lost. diverged_at: the time when a run's error
    first passed the bound or its state was not finite; NaN where neither happened.

    Records, where asked for, are at samples and at the end: time first, then the batch. A run that
    has fewer than others repeats its last.
    """

    error: np.ndarray  # (...)
    diverged_at: np.ndarray  # (...), s
    t: np.ndarray | None = None  # (records,), or (records, ...) where times differ by run; s
    q: np.ndarray | None = None  # (records, ..., n)
    qd: np.ndarray | None = None
    tau: np.ndarray | None = None  # likewise: what the motors hold from then on
    reference: np.ndarray | None = None  # (records, ..., 3, n): the desired q, qd, qdd

    @property
    def diverged(self):
        """Which runs were lost."""
        return self.diverged_at == self.diverged_at  # not NaN, in arrays of any kind

    def __repr__(self):
        runs, lost = math.prod(self.error.shape), int(self.diverged.sum())
        text = f"{runs} run{'s' * (runs != 1)}, {lost} diverged"
        kept = self.error[~self.diverged]
        text += f", worst error of the others {float(kept.max()):.3g}" if lost < runs else ""
        return f"<ClosedLoop: {text}>"


def closed_loop(
    robot,
    controller,
    trajectory,
    period,
    *,
    duration=None,
    q0=None,
    qd0=None,
    delay=0.0,
    jitter=0.0,
    missed=0.0,
    encoder=None,
    switch_at=0.0,
    bound=1.0,
    plant_step=PLANT_STEP,
    record=(),
    every=1,
    seed=0,
    target=None,
    **keywords,
):
    """Runs of a robot under sampled control; returns .error, .diverged_at and the records.

    controller: of `px.control.computed_torque`, `px.control.feed_forward` or `px.control.pd`.
    trajectory: a px.trajectories.Trajectory; a function of t, written with px functions, that
    returns the desired q, qd and qdd; or a posture (n,). period: seconds between samples. The
    motors hold their torques from one computation to the next; the plant, which is exact, goes on
    by RK4 in steps of at most `plant_step`.

    q0, qd0 (..., n): where runs begin, by default on the trajectory. duration: by default that of
    the trajectory. delay: seconds from a sample to its torques, up to a whole period. jitter: each
    period is longer or shorter by up to this share of it, evenly distributed. missed: the
    probability that a control step does not happen, or which do not, as (samples, ...) of bools;
    the torques stay and nothing is computed. encoder: the width of an encoder's line, to which
    measured positions are rounded, 2π/4096 say (rates are measured as they are: real drives do
    worse). switch_at: until then the controller is exact, whatever its policy, and old values are
    those of its steps. bound: the error (rad or m) at which a run has diverged. Runs go on
    after that.

    period, delay, jitter, missed, switch_at and bound may be arrays, one number a run; gains and
    encoder (..., n). Other keywords are parameters of the plant, as mass=(..., n) (px.payload makes
    some), or settings that a function of a trajectory takes, with the batch as first axes. All
    broadcast to one batch. record: some of "q", "qd", "tau", (records, ..., n), and "reference",
    (records, ..., 3, n), the desired q, qd and qdd; at every `every`-th sample. Chance (jitter,
    missed, ages) depends on `seed` and the place of a run in the batch.

    target: "cpu" or "cuda"; by default a GPU if any array is on one, of CuPy, PyTorch or JAX. Then
    the results are such arrays there; the checks before the first step wait for what was given,
    the steps are queued on the current stream and waited for only if a progress bar is watched.
    With "cuda" and no such array, arrays come and go as NumPy's.
    """
    given = {"period": period, "delay": delay, "jitter": jitter, "missed": missed}
    given |= {"encoder": encoder, "switch_at": switch_at, "bound": bound, "q0": q0, "qd0": qd0}
    place = target_named(target, given | keywords)
    with one_call(f"closed_loop of {quoted(a_robot(robot).name)}"), place.stream():
        runs = scenarios(robot, controller, trajectory, duration, given, keywords, place)
        _warn_of_other_joints(robot, controller)
        record, every = _records(record), whole(every, "every", least=1)
        plant_step = positive(plant_step, "plant_step")
        loop = LoopRun(runs, record, every if record else 0, whole(seed, "seed"))
        if robot.has_losses:
            _warn_if_stiff(runs, loop.start["q"], plant_step)
        finals, records = loop.run(plant_step)
        if robot.has_bearings:
            warn_of_missing(*(place.in_main_memory(finals[name]) for name in ("missing", "when")))
        error, when, xp = finals["worst"], finals["diverged"], place.arrays
        error = xp.where(xp.isfinite(error), error, math.inf)
        when = xp.where(when == NOT_YET, math.nan, when)
        records = {name: place.given_back(array) for name, array in records.items()}
        return ClosedLoop(place.given_back(error), place.given_back(when), **records)


def _records(record):
    names = (record,) if isinstance(record, str) else tuple(record)
    for name in names:
        one_of(name, RECORDS, "record")
    return tuple(dict.fromkeys(names))


def _warn_of_other_joints(robot, controller):
    """A wrong model is a use; one of another robot, with as many joints by chance, is not."""
    pairs = zip(robot.joint_names, controller.robot.joint_names, strict=True)
    for own, other in pairs:
        if own != other:
            warn(
                f"controller: expected a model of the robot that moves, with its joint "
                f"{quoted(own)}, found {quoted(other)} of {quoted(controller.robot.name)}",
                SimulationWarning,
            )
            return


def _warn_if_stiff(runs, q, plant_step):
    step = min(plant_step, runs.arrays["period"].max())
    parameters = {name: runs.arrays[name] for name in runs.parameters}
    found = stiffest(runs.robot, q, step, parameters, runs.place)
    if found is not None:
        factor, joint = found
        warn(
            f"plant: the friction of joint {quoted(joint.name)} near rest is too stiff for steps "
            f"of {step:g} s and will make it shake: expected plant_step <= {step / factor:.2g}, or "
            f"smoothing >= {joint.friction.smoothing * factor:.2g}",
            SimulationWarning,
        )
