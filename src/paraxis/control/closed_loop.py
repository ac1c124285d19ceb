"""`px.closed_loop`: robots under sampled control, thousands of runs in one compiled loop."""

import warnings
from dataclasses import dataclass

import numpy as np

from ..backends.llvm.iterate_kernel import FEW, compile_loop
from ..drivers.iterate import Plan, whole
from ..errors import ArgumentError, SimulationWarning
from ..program import work
from ..robot.text import quoted
from ..simulation.bodies import setting_input
from ..simulation.losses import feels_reactions
from ..simulation.progress import Progress, in_pieces
from ..simulation.remembered import identified, remembered_kernel
from ..simulation.run import warn_of_missing
from ..simulation.simulator import positive
from ..simulation.stiffness import stiffest
from .loop_body import NOT_YET, RECORDED, LoopBody
from .loop_times import LoopTimes, parties
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
        return ~np.isnan(self.diverged_at)

    def __repr__(self):
        runs, lost = self.error.size, int(self.diverged.sum())
        text = f"{runs} run{'s' * (runs != 1)}, {lost} diverged"
        kept = self.error[~self.diverged]
        text += f", worst error of the others {kept.max():.3g}" if kept.size else ""
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
    **keywords,
):
    """Runs of a robot under sampled control; returns .error, .diverged_at and the records.

    controller: of `px.computed_torque`, `px.feed_forward` or `px.pd`. trajectory: a px.Trajectory;
    a function of t, written with px functions, that returns the desired q, qd and qdd; or a posture
    (n,). period: seconds between samples. The motors hold their torques from one computation to the
    next; the plant, which is exact, goes on by RK4 in steps of at most `plant_step`.

    q0, qd0 (..., n): where runs begin, by default on the trajectory. duration: by default that of
    the trajectory. delay: seconds from a sample to its torques, below the period. jitter: each
    period is longer or shorter by up to this share of it, evenly distributed. missed: the
    probability that a control step does not happen, or which do not, as (samples, ...) of bools;
    the torques stay and nothing is computed. encoder: the width of an encoder's line, to which
    measured positions are rounded (rates are measured as they are). switch_at: until then the
    controller is exact, whatever its policy. bound: the error (rad or m) at which a run has
    diverged. Runs go on after that.

    period, delay, jitter, missed, switch_at and bound may be arrays, one number a run; gains and
    encoder (..., n). Other keywords are parameters of the plant, as mass=(..., n) (px.payload makes
    some), or settings that a function of a trajectory takes, with the batch as first axes. All
    broadcast to one batch. record: some of "q", "qd", "tau", "reference", at every `every`-th
    sample. Chance (jitter, missed, ages) depends on `seed` and the place of a run in the batch.
    """
    given = {"period": period, "delay": delay, "jitter": jitter, "missed": missed}
    given |= {"encoder": encoder, "switch_at": switch_at, "bound": bound, "q0": q0, "qd0": qd0}
    runs = scenarios(robot, controller, trajectory, duration, given, keywords)
    record, every = _records(record), whole(every, "every", least=1)
    plant_step = positive(plant_step, "plant_step")
    loop = _Loop(runs, record, every if record else 0, whole(seed, "seed"))
    if robot.has_losses:
        _warn_if_stiff(runs, loop.start["q"], plant_step)
    result = loop.run(plant_step)
    if feels_reactions(robot):
        warn_of_missing(*(loop.finals[name].reshape(runs.batch) for name in ("missing", "when")))
    return result


def _records(record):
    names = (record,) if isinstance(record, str) else tuple(record)
    for name in names:
        if name not in RECORDS:
            raise ArgumentError(f"record: expected some of {RECORDS}, found {name!r}")
    return names


def _warn_if_stiff(runs, q, plant_step):
    step = min(plant_step, runs.arrays["period"].max())
    found = stiffest(runs.robot, q, step, {name: runs.arrays[name] for name in runs.parameters})
    if found is not None:
        factor, joint = found
        warnings.warn(
            f"plant: the friction of joint {quoted(joint.name)} near rest is too stiff for steps "
            f"of {step:g} s and will make it shake: expected plant_step <= {step / factor:.2g}, or "
            f"smoothing >= {joint.friction.smoothing * factor:.2g}",
            SimulationWarning,
            stacklevel=3,
        )


class _Loop:
    """Scenarios on their way; `every` is 0 where nothing is recorded."""

    def __init__(self, runs, record, every, seed):
        self.runs, self.record, self.every, self.seed = runs, record, every, seed
        arrays = runs.arrays
        self.body = LoopBody(
            runs.robot,
            runs.controller,
            runs.reference,
            runs.parameters,
            tuple((name, array.shape[1:]) for name, array in runs.settings.items()),
            delayed=bool(arrays["delay"].any()),
            encoded="encoder" in arrays,
            switched=bool((arrays["switch_at"] > 0).any() and runs.controller.entries),
        )
        self.outputs = tuple(RECORDED[name] for name in record if name in RECORDED)
        self.start = self._start()
        self.finals = {name: np.empty_like(array) for name, array in self.start.items()}

    def _start(self):
        """What is carried, (runs, ...), as it is at the beginning."""
        runs, arrays = self.runs, self.runs.arrays
        desired = runs.reference.sampled(np.zeros(1), runs.settings)
        q, qd = arrays.get("q0", desired[:, 0]), arrays.get("qd0", desired[:, 1])
        measured = np.rint(q / arrays["encoder"]) * arrays["encoder"] if self.body.encoded else q
        identity, make = identified("", self.body.start_graph, runs.controller)
        made = remembered_kernel(runs.robot, identity, make)(
            q=measured, qd=qd, desired=desired, kp=arrays["kp"], kd=arrays["kd"]
        )
        held, past = made if self.body.controller.entries else (made, None)
        first = {"q": q, "qd": qd, "held": held, "pending": held, "past": past}
        first |= {"worst": 0.0, "diverged": NOT_YET, "missing": 0.0, "when": 0.0}
        count = (len(runs.numbers),)
        return {
            name: np.array(np.broadcast_to(first[name], count + shape))
            for name, shape in self.body.carried.items()
        }

    def run(self, plant_step):
        runs, recorded, done = self.runs, [], 0
        each = parties(runs, plant_step)
        code = self._compiled(max((len(numbers) for numbers, *_ in each), default=0))
        times = [
            LoopTimes(runs.part(numbers), *steps, self.every, self.seed) for numbers, *steps in each
        ]
        with Progress("closed loop", sum(own.steps for own in times)) as progress:
            for own in times:
                recorded.append(self._run_party(code, own, lambda k, n=done: progress.at(n + k)))
                done += own.steps
        error, when = (self.finals[name].reshape(runs.batch) for name in ("worst", "diverged"))
        return ClosedLoop(
            np.where(np.isfinite(error), error, np.inf),
            np.where(when == NOT_YET, np.nan, when),
            **self._recorded([numbers for numbers, *_ in each], recorded),
        )

    def _compiled(self, most):
        body, known = self.body, self.runs.robot._functions
        identity, make = identified("", body.graph, body.controller)
        key = ("closed_loop", identity, self.outputs, most <= FEW)
        if key not in known:
            plan = Plan(body.inputs, body.outputs, body.carry, tuple(body.changing), self.outputs)
            known[key] = compile_loop(identity, make, plan, work, for_few=most <= FEW)
        return known[key]

    def _run_party(self, code, times, progress):
        """All steps of a party; returns its records by their outputs, and `t`."""
        party, group = times.party, times.group
        carried = {name: array[party.numbers] for name, array in self.start.items()}
        held = {name: party.arrays[name] for name in self.body.held if name in party.arrays}
        held |= {setting_input(name): array for name, array in party.settings.items()}
        shape = times.records, len(party.numbers), self.runs.robot.nv
        records, t, done = {name: np.empty(shape) for name in self.outputs}, [], 0
        for changing in times.spans(self.body):
            steps = len(changing["t"])
            span = slice(done // group, (done + steps) // group)
            out = {name: array[span] for name, array in records.items()}
            iteration = code.start(steps, group, out, **carried, **held, **changing)
            for _ in in_pieces(iteration):
                progress(done + iteration.done)
            carried, done = iteration.state, done + steps
            if self.every:
                t.append(changing["t"][group - 1 :: group])
        for name, array in carried.items():
            self.finals[name][party.numbers] = array
        return records | ({"t": np.concatenate(t)} if t else {})

    def _recorded(self, numbers, recorded):
        """What was asked for, of all parties together, with the axes of the batch."""
        if not self.every:
            return {}
        runs, joined = self.runs, recorded[0] if len(recorded) == 1 else _joined(numbers, recorded)
        t = joined["t"]
        kept = {name: joined[RECORDED[name]] for name in self.record if name in RECORDED}
        if "reference" in self.record:
            kept["reference"] = runs.reference.sampled(t, runs.settings)
        count, runs_of_all = len(t), (len(t), len(runs.numbers))
        for name, array in kept.items():
            entry = array.shape[2:]
            kept[name] = np.broadcast_to(array, runs_of_all + entry).reshape(
                count, *runs.batch, *entry
            )
        shared = t.shape[1] == 1
        return kept | {"t": t[:, 0] if shared else t.reshape(count, *runs.batch)}


def _joined(numbers, recorded):
    """Records of parties as one, (records, runs, ...); shorter ones go on with their last."""
    most, runs = max(len(each["t"]) for each in recorded), sum(map(len, numbers))
    joined = {name: np.empty((most, runs, *array.shape[2:])) for name, array in recorded[0].items()}
    for own, each in zip(numbers, recorded, strict=True):
        for name, array in each.items():
            joined[name][: len(array), own] = array
            joined[name][len(array) :, own] = array[-1]
    return joined
