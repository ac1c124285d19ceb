"""`px.closed_loop`: robots under sampled control, thousands of runs in one compiled loop."""

import math
from dataclasses import dataclass

import numpy as np

from ..backends.llvm.iterate_kernel import FEW, compile_loop
from ..drivers.iterate import Plan, whole
from ..drivers.map import as_array, broadcast_shapes
from ..errors import ArgumentError
from ..functions import check_parameters
from ..program import work
from ..robot.model import PARAMETERS
from ..robot.robot import a_robot
from ..simulation.bodies import setting_input
from ..simulation.progress import Progress
from ..simulation.remembered import identified, remembered_kernel
from ..simulation.settings import as_settings
from ..simulation.simulator import in_pieces
from .controller import Controller
from .loop_body import FLAGS, NOT_YET, LoopBody
from .reference import Reference

RECORDS = ("q", "qd", "reference", "tau")
PLANT_STEP = 1e-3  # s: between samples the plant takes steps of at most that
CHUNK = 2**22  # numbers of single runs that are made at once
ROUNDING = 1e-9  # of a period: so much too early is at the end


@dataclass(frozen=True, eq=False, repr=False)
class ClosedLoop:
    """Runs of robots under control. Axes of the batch are those of the runs.

    error: the worst of each run, the largest difference of a joint from what is desired, at any
    step of the plant; infinite where the state was lost. diverged_at: the time when a run's error
    first passed the bound or its state was not finite; NaN where neither happened. Records, where
    asked for, are at the samples: time first, then the batch.
    """

    error: np.ndarray  # (...)
    diverged_at: np.ndarray  # (...), s
    t: np.ndarray  # (records, ...), s
    q: np.ndarray | None = None  # (records, ..., n)
    qd: np.ndarray | None = None
    reference: np.ndarray | None = None  # (records, ..., 3, n): the desired q, qd, qdd
    tau: np.ndarray | None = None  # (records, ..., n), from the sample on (or from the delay on)
    interrupted: bool = False

    @property
    def diverged(self):
        """Which runs were lost."""
        return ~np.isnan(self.diverged_at)

    def __repr__(self):
        runs, lost = self.error.size, int(self.diverged.sum())
        text = f"{runs} run{'s' * (runs != 1)}, {lost} diverged"
        kept = self.error[~self.diverged]
        text += f", worst error of the others {kept.max():.3g}" if lost < runs and runs else ""
        return f"<ClosedLoop: {text}{', interrupted' if self.interrupted else ''}>"


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
    broadcast to one batch. record: some of "q", "qd", "reference", "tau", at every `every`-th
    sample. Chance (jitter, missed, ages) is drawn from `seed`.
    """
    request = _ClosedLoop(robot, controller, trajectory, keywords)
    times = {"period": period, "delay": delay, "jitter": jitter, "missed": missed}
    times |= {"switch": switch_at, "bound": bound, "encoder": encoder}
    request.begin(q0, qd0, duration, times)
    return request.run(plant_step, _records(record), whole(every, "every", least=1), seed)


def _records(record):
    names = (record,) if isinstance(record, str) else tuple(record)
    for name in names:
        if name not in RECORDS:
            raise ArgumentError(f"record: expected some of {RECORDS}, found {name!r}")
    return names


class _ClosedLoop:
    def __init__(self, robot, controller, trajectory, keywords):
        a_robot(robot)
        if not isinstance(controller, Controller):
            raise ArgumentError(
                f"controller: expected one of px.computed_torque, px.feed_forward or px.pd, found "
                f"{type(controller).__name__}"
            )
        if controller.robot.nv != robot.nv:
            raise ArgumentError(
                f"controller: expected one for {robot.nv} joints, found {controller.robot.nv}"
            )
        self.robot, self.controller = robot, controller
        self.parameters = {name: keywords.pop(name) for name in PARAMETERS if name in keywords}
        check_parameters("forward_dynamics", tuple(self.parameters))
        self.given_settings = keywords
        self.reference = Reference(trajectory, robot.nv, keywords)

    # -- what is given, as arrays -----------------------------------------------------------------

    def begin(self, q0, qd0, duration, times):
        n, controller = self.robot.nv, self.controller
        arrays = {"kp": (controller.kp, (n,)), "kd": (controller.kd, (n,))}
        for name, value in self.parameters.items():
            shape = tuple(self.robot.n if k == "n" else k for k in PARAMETERS[name])
            arrays[name] = as_array(value, name, shape), shape
        explicit = self._explicit_misses(times)
        for name, value in times.items():
            if value is not None:
                shape = (n,) if name == "encoder" and np.ndim(value) else ()
                arrays[name] = as_array(value, name, shape), shape
        for name, value in (("q0", q0), ("qd0", qd0)):
            if value is not None:
                arrays[name] = as_array(value, name, (n,)), (n,)
        batches = {name: a.shape[: a.ndim - len(shape)] for name, (a, shape) in arrays.items()}
        if explicit is not None:
            batches["missed"] = explicit.shape[1:]
        if self.given_settings:  # their batch is not known by their shape
            known = broadcast_shapes(batches)
            self.settings = self._settings(known)
            for name, value in self.settings.items():
                batches[name] = np.shape(value)[: len(known)] if np.ndim(value) else ()
        else:
            self.settings = {}
        self.batch = broadcast_shapes(batches)
        self.arrays = {name: array.astype(float) for name, (array, _) in arrays.items()}
        self.misses_given = explicit
        self._check_times(times, duration)

    def _settings(self, known):
        """Settings decide the batch too, where nothing else does."""
        sizes = {np.shape(value) for value in self.given_settings.values() if np.ndim(value)}
        batch = known if known or not sizes else max(sizes, key=len)
        return as_settings(self.given_settings, batch)

    @staticmethod
    def _explicit_misses(times):
        """Control steps that are missed, (samples, ...), if they are given one by one."""
        value = np.asarray(times["missed"])
        if value.dtype != bool:
            return None
        if not value.ndim:
            raise ArgumentError("missed: expected (samples, ...) of bools, found one")
        times["missed"] = None
        return value

    def _check_times(self, times, duration):
        self._require("period", lambda x: (x > 0) & (x < math.inf), "seconds > 0")
        period = self.arrays["period"]
        self._require("delay", lambda x: (x >= 0) & (x < period), "seconds >= 0, below the period")
        self._require("jitter", lambda x: (x >= 0) & (x < 1), "a share of the period in [0, 1)")
        self._require("missed", lambda x: (x >= 0) & (x <= 1), "a probability")
        self._require("bound", lambda x: x > 0, "an error > 0")
        self._require("encoder", lambda x: (x > 0) & (x < math.inf), "the width of a line > 0")
        self._require("switch", lambda x: ~np.isnan(x), "seconds")
        for name in ("q0", "qd0", "kp", "kd"):
            self._require(name, np.isfinite, "finite numbers")
        if duration is None:
            duration = self.reference.duration
        if duration is None:
            raise ArgumentError(
                "duration: expected seconds, as the trajectory has no end; found none"
            )
        good = isinstance(duration, int | float | np.number) and 0 < duration < math.inf
        if not good or isinstance(duration, bool):
            raise ArgumentError(f"duration: expected seconds > 0, found {duration!r}")
        self.duration = float(duration)

    def _require(self, name, test, expected):
        if name not in self.arrays:
            return
        good = test(self.arrays[name])
        if not np.all(good):
            shown = "switch_at" if name == "switch" else name
            worst = np.broadcast_to(self.arrays[name], np.shape(good))[~good].flat[0]
            raise ArgumentError(f"{shown}: expected {expected}, found {worst}")

    # -- the loop ---------------------------------------------------------------------------------

    def run(self, plant_step, record, every, seed):
        body = self._body()
        samples, pieces = self._samples(body, plant_step)
        flags = step_flags(samples, pieces, every)
        group = sum(pieces) * every  # steps from record to record
        loop = self._loop(body, record)
        carried, held = self._start(body)
        chance = np.random.default_rng(seed)
        count = len(flags) // group
        outputs = {"at": (), "state": (2, self.robot.nv), "torque": (self.robot.nv,)}
        outputs["reference"] = (3, self.robot.nv)
        recorded = {
            name: np.empty((count, *self.batch, *outputs[name])) for name in loop.plan.record
        }
        done, interrupted = 0, False
        t = np.zeros(self.batch)
        with Progress("closed loop", len(flags)) as progress:
            try:
                for begin, end in self._chunks(body, len(flags), group):
                    changing, t = self._changing(body, flags[begin:end], pieces, begin, t, chance)
                    out = {name: a[begin // group : end // group] for name, a in recorded.items()}
                    iteration = loop.start(end - begin, group, out, **carried, **held, **changing)
                    for _ in in_pieces(iteration):
                        progress.at(begin + iteration.done)
                    carried, done = iteration.state, end
            except KeyboardInterrupt:
                interrupted = True
        kept = {name: array[: done // group] for name, array in recorded.items()}
        return self._result(carried, kept, record, interrupted)

    def _body(self):
        missed = self.misses_given is not None or self.arrays["missed"].any()
        return LoopBody(
            self.robot,
            self.controller,
            self.reference,
            tuple(self.parameters),
            {name: np.shape(a)[len(self.batch) :] for name, a in self.settings.items()},
            delayed=bool(self.arrays["delay"].any()),
            jittered=bool(self.arrays["jitter"].any()),
            misses=bool(missed),
            encoded="encoder" in self.arrays,
            switched=bool((self.arrays["switch"] > 0).any() and self.controller.entries),
        )

    def _samples(self, body, plant_step):
        """How many control steps there are, and in how many steps each takes its two parts."""
        arrays = self.arrays
        if not 0 < plant_step < math.inf:
            raise ArgumentError(f"plant_step: expected seconds > 0, found {plant_step!r}")
        shortest = arrays["period"] * (1 - arrays["jitter"])
        longest = arrays["period"] * (1 + arrays["jitter"])
        samples = math.ceil(self.duration / shortest.min() - ROUNDING)
        late = longest * (1 - arrays["delay"] / arrays["period"])
        parts = [_steps_in(late.max(), plant_step)]
        if body.delayed:
            early = longest * (arrays["delay"] / arrays["period"])
            parts.insert(0, _steps_in(early.max(), plant_step))
        return samples, parts

    def _loop(self, body, record):
        names = {"q": "state", "qd": "state", "reference": "reference", "tau": "torque"}
        outputs = tuple(dict.fromkeys(["at", *(names[name] for name in record)]))
        identity, make = identified("", body.graph, self.controller)
        for_few = math.prod(self.batch) <= FEW
        plan = Plan(body.inputs, body.outputs, body.carry, body.per_step, outputs)
        known, key = self.robot._functions, ("closed_loop", identity, outputs, for_few)
        if key not in known:
            known[key] = compile_loop(identity, make, plan, work, for_few=for_few)
        return known[key]

    def _start(self, body):
        """What is carried, as it is at the beginning, and what is held."""
        arrays, n = self.arrays, self.robot.nv
        held = {setting_input(name): array for name, array in self.settings.items()}
        first = held | {"kp": arrays["kp"], "kd": arrays["kd"]}
        wanted = self._first_motion(held)
        if not self.reference.traced:
            first["desired"] = wanted
        q = arrays.get("q0", wanted[..., 0, :])
        qd = arrays.get("qd0", wanted[..., 1, :])
        identity, make = identified("", body.start_graph, self.controller)
        made = remembered_kernel(self.robot, identity, make)(q=q, qd=qd, **first)
        made = made if isinstance(made, tuple) else (made,)
        carried = {"q": q, "qd": qd, "t": 0.0, "worst": 0.0, "diverged": NOT_YET, "held": made[0]}
        carried |= {"pending": made[0]} if body.delayed else {}
        carried |= {"past": made[1]} if len(made) > 1 else {}
        for name, value in carried.items():
            carried[name] = np.broadcast_to(value, self.batch + body.inputs[name])
        held |= {
            name: arrays[name] for name in (*body.held_inputs, *body.parameters) if name in arrays
        }
        # so that rounding adds no sample at the end
        held["duration"] = self.duration - ROUNDING * arrays["period"]
        if "encoder" in held and held["encoder"].shape[-1:] != (n,):
            held["encoder"] = held["encoder"][..., None] * np.ones(n)
        return carried, held

    def _first_motion(self, settings):
        """Where the desired motion begins, (..., 3, n)."""
        if not self.reference.traced:
            return self.reference.sampled(0.0)
        from ..graph.trace import trace

        shapes = {"t": ()} | {
            setting_input(k): np.shape(a)[len(self.batch) :] for k, a in self.settings.items()
        }

        def first(t, **arrays):
            given = {name: arrays[setting_input(name)] for name in self.settings}
            return [list(part) for part in self.reference.at(t, given)]

        identity, make = identified("", lambda: trace(first, shapes, "reference"), self.controller)
        return remembered_kernel(self.robot, identity, make)(t=0.0, **settings)

    # -- what changes from step to step -----------------------------------------------------------

    def _chunks(self, body, steps, group):
        """Spans of steps, so that what changes for each run need not be there for all at once."""
        numbers = 3 * self.robot.nv * max(1, math.prod(self.batch))
        alone = set(body.per_step) <= {"flags"} or (
            self._shares_times
            and body.per_step[1:]
            in (
                ("desired",),
                ("desired", "ahead"),
            )
        )
        length = steps if alone else max(1, CHUNK // numbers // group) * group
        return [(begin, min(begin + length, steps)) for begin in range(0, steps, length)]

    @property
    def _shares_times(self):
        """Do all runs take their samples at the same times?"""
        arrays = self.arrays
        return (
            arrays["period"].size == 1 and arrays["delay"].size == 1 and not arrays["jitter"].any()
        )

    def _changing(self, body, flags, pieces, begin, t, chance):
        """The inputs of some steps, and the time after them."""
        ticks = flags[:, FLAGS.index("tick")] != 0
        arrays, axes = {"flags": flags}, (1,) * len(self.batch)
        sample = np.cumsum(ticks) - 1  # of each step, among those of this span; -1 before the first
        count = int(ticks.sum())

        def drawn(draw):
            """A number for each run and control step, for all its steps; 1 in steps before any."""
            return np.concatenate([np.ones((1, *self.batch)), draw])[sample + 1]

        if body.jittered:
            even = chance.uniform(-1.0, 1.0, (count, *self.batch))
            arrays["stretch"] = drawn(1.0 + self.arrays["jitter"] * even)
        if body.misses:
            arrays["missed"] = drawn(self._missed(count, chance))
        if body.uncertain:
            arrays["age"] = self._ages(count, chance)[np.maximum(sample, 0)]
        if not self.reference.traced:
            early, late = flags[:, FLAGS.index("early")], flags[:, FLAGS.index("late")]
            early, late = early.reshape(-1, *axes), late.reshape(-1, *axes)
            period, delay = self.arrays["period"], self.arrays["delay"]
            lengths = early * delay + late * (period - delay)
            lengths = lengths * arrays.get("stretch", 1.0)
            if self._shares_times:
                lengths, t = lengths.reshape(len(flags)), np.reshape(t, -1)[0]
            ends = t + np.cumsum(lengths, axis=0)
            starts = ends - lengths
            arrays["desired"] = self.reference.sampled(starts)
            if body.looks_ahead:
                arrays["ahead"] = self.reference.sampled(starts + self.arrays["period"])
            t = ends[-1]
        return arrays, t

    def _missed(self, count, chance):
        if self.misses_given is None:
            return chance.uniform(size=(count, *self.batch)) < self.arrays["missed"]
        begin = getattr(self, "_ticks_done", 0)
        self._ticks_done = begin + count
        given = self.misses_given[begin : begin + count]
        rest = np.zeros((count - len(given), *given.shape[1:]), bool)
        return np.broadcast_to(np.concatenate([given, rest]), (count, *self.batch))

    def _ages(self, count, chance):
        ages = sorted({age for cut in self.controller.recursion.cuts.values() for age in cut.ages})
        return chance.choice(np.array(ages, float), (max(count, 1), *self.batch, self.robot.nv))

    # -- results ----------------------------------------------------------------------------------

    def _result(self, carried, recorded, record, interrupted):
        error, when = carried["worst"], carried["diverged"]
        error = np.where(np.isfinite(error), error, math.inf)
        diverged_at = np.where(when == NOT_YET, math.nan, when)
        places = {"q": ("state", 0), "qd": ("state", 1), "reference": ("reference", None)}
        places["tau"] = ("torque", None)
        kept = {}
        for name in record:
            source, row = places[name]
            kept[name] = recorded[source] if row is None else recorded[source][..., row, :]
        t = recorded["at"]
        if self._shares_times and t.ndim > 1:
            t = t.reshape(len(t), -1)[:, 0]
        return ClosedLoop(error, diverged_at, t, **kept, interrupted=interrupted)


def step_flags(samples, pieces, every):
    """The flags (steps, 4) of all steps; every `every`-th sample ends a group of records.

    Before the first sample stand steps that do nothing, so that records are of samples; after the
    last stands one that only looks.
    """
    one = np.zeros((sum(pieces), len(FLAGS)))
    tick, apply, early, late = range(len(FLAGS))
    one[0, tick] = 1.0
    if len(pieces) == 1:
        one[0, apply] = 1.0
        one[:, late] = 1.0 / pieces[0]
    else:
        one[: pieces[0], early] = 1.0 / pieces[0]
        one[pieces[0], apply] = 1.0
        one[pieces[0] :, late] = 1.0 / pieces[1]
    nothing = np.zeros((sum(pieces) * every - 1, len(FLAGS)))
    last = np.zeros((1, len(FLAGS)))
    left = -samples % every  # so that the last sample is of a group
    more = np.zeros((left * sum(pieces), len(FLAGS)))
    return np.concatenate([nothing, np.tile(one, (samples, 1)), more, last])


def _steps_in(length, longest):
    return max(1, math.ceil(length / longest - ROUNDING))
