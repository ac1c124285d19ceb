"""A run of simulated robots that records their states: compiled with fixed or adaptive steps, or
with a controller that wants floats.

A run begins in the state of a `px.Simulator` and leaves it in that of its end.
"""

import math

import numpy as np

from ..body import Body
from ..errors import ArgumentError
from ..robots.rows import rows_of
from ..robots.scales import joint_scales
from .adaptive import Steps, attempt
from .bodies import ALWAYS, PER_STEP, Step, acceleration_graph
from .limits_acted import limits_acted
from .names import memory_input, setting_input
from .progress import Progress, in_pieces
from .run import NEVER, Run
from .setup import Setup
from .steps import RULES


class RecordedRun:
    """`steps` steps of a simulator, recorded after every `every`-th.

    `settings` are arrays by name, those of `changing` with the steps as first axis; `tau` are
    torques, always or per step, or None.
    """

    def __init__(self, simulator, steps, every, settings, tau=None, changing=()):
        self.simulator, self.steps, self.every = simulator, steps, every
        self.settings, self.tau, self.changing = settings, tau, changing
        self.robot, self.target = simulator.robot, simulator.target
        self.arrays, self.batch = simulator.target.arrays, simulator.batch
        self.dt, self.touch, self.step = simulator.dt, simulator.touch, None
        self.missing = self.when = self.arrays.zeros(self.batch)
        self.out_of_attempts_at = self.rank = self.worst = self.acted = None
        self.q, self.qd, count = simulator.arrays_now
        self.begin = count.copy()  # steps since robots were reset
        self.records = self._places({"q": (self.robot.nq,), "qd": (self.robot.nv,)})
        self.records["q"][0], self.records["qd"][0] = self.q, self.qd
        xp = self.arrays
        self.started = xp.isfinite(self.q).all(-1) & xp.isfinite(self.qd).all(-1)

    def _places(self, shapes):
        """Arrays for records."""
        count, dtype = self.steps // self.every + 1, self.simulator.dtype
        return {k: self.target.empty((count,), self.batch, x, dtype) for k, x in shapes.items()}

    # -- compiled --------------------------------------------------------------------------------

    def compiled(self, step):
        """Whatever its torques come from; raises TraceError where the step cannot be traced."""
        self.step = step
        kernel = self.simulator.kernel(step)
        arrays = {"q": self.q, "qd": self.qd, **self.simulator.given}
        arrays |= {} if self.tau is None else {"tau": self.tau}
        arrays |= {setting_input(name): array for name, array in self.settings.items()}
        arrays |= self.touch.arrays if self.touch else {}
        arrays |= self._constants()
        memory = self.simulator.memory
        arrays |= {memory_input(name): array for name, array in memory.items()}
        arrays |= self.simulator.of_ground
        arrays |= {name: self._begun(name, shape) for name, shape in step.tallies.items()}
        for name in step.recorded:
            if name not in self.records:
                self.records |= self._places({name: step.recorded[name]})
                self.records[name][0] = arrays.get(name, 0.0)
        return self._adaptive(kernel, arrays) if step.adaptive else self._fixed(kernel, arrays)

    def _constants(self):
        """Numbers that a controller reads and that are inputs."""
        constants = self.step.law.constants if self.step.law else {}
        return {name: self.target.put(array) for name, array in constants.items()}

    def _begun(self, name, shape):
        """A tally as it is when the run begins: those of the run at zero, impulses as they are."""
        if name == "impulses" and name in self.simulator.tallies:
            return self.simulator.tallies[name][0]
        return self.arrays.zeros((*self.batch, *shape), self.simulator.dtype)

    def _fixed(self, kernel, arrays):
        arrays |= {"step": self.begin, "dt": self.dt}
        out = {name: array[1:] for name, array in self.records.items()}
        iteration = kernel.start(self.steps, self.every, out, **arrays)
        interrupted = False
        with Progress("simulating", self.steps) as progress:
            try:
                for _ in in_pieces(iteration, progress):
                    progress.at(iteration.done)
            except KeyboardInterrupt:
                interrupted = True
        state = {name: self.target.taken(x, name) for name, x in iteration.state.items()}
        self._keep_tallies(state)
        # The steps after which the state was finite. It is no number where not even the first was:
        # an input that no output uses but that is NaN spoils all of them.
        good = self.arrays.fmax(state["step"] - self.begin, 0.0).astype(int)
        failed_at = self.arrays.where(good < iteration.done, good + 1, NEVER)
        self.simulator.arrive(state["q"], state["qd"], state["step"])
        for name, array in self.simulator.memory.items():
            array[...] = state[memory_input(name)]
        return self._finished(iteration.done, failed_at, interrupted)

    def _adaptive(self, kernel, arrays):
        """Interval by interval; each robot takes as many steps in one as it needs."""
        xp, torques, simulator = self.arrays, arrays.get("tau"), self.simulator
        changing = self.step.tau == PER_STEP
        each = 1 if changing else self.every  # torques change between intervals
        own = Steps(self.dt * each, simulator.max_step, self.step.law is not None)
        begin = self.begin * self.dt
        arrays |= {"t": begin, "h": xp.full(self.batch, own.first)}
        arrays |= {"least": own.least, "longest": own.longest, "tolerance": simulator.tolerance}
        failed_at = xp.full(self.batch, NEVER)
        given_up = xp.full(self.batch, math.nan)  # when
        done, interrupted = 0, False
        with Progress("simulating", self.steps) as progress:
            try:
                while done < self.steps:
                    arrays |= {"tau": torques[done]} if changing else {}
                    end = (self.begin + (done + each)) * self.dt
                    iteration = kernel.start(simulator.max_attempts * each, **arrays, end=end)
                    for _ in in_pieces(iteration, progress):
                        progress.at(done)
                    final, done = iteration.state, done + each
                    lost = final["t"] < end
                    given_up = xp.where(lost & ~iteration.finished, final["t"], given_up)
                    failed_at = xp.where(lost & (failed_at == NEVER), done, failed_at)
                    for name in ("q", "qd"):
                        final[name] = xp.where(lost[..., None], math.nan, final[name])
                    final["h"] = xp.where(lost, 0.0, final["h"])  # no further attempt
                    arrays |= final
                    self._record(done, final["q"], final["qd"])
            except KeyboardInterrupt:
                interrupted = True
        self._keep_tallies(arrays)
        self.out_of_attempts_at = given_up
        simulator.arrive(arrays["q"], arrays["qd"], self.begin + done)
        return self._finished(done, failed_at, interrupted)

    # -- in Python -------------------------------------------------------------------------------

    def in_python(self, torques):
        """The same steps with a controller that wants floats: a CalledController."""
        simulator = self.simulator
        if simulator.method == "adaptive" and self.batch:
            raise ArgumentError(
                f"controller: it cannot be traced, and method 'adaptive' then works for a single "
                f"robot only, found a batch of {self.batch}; use 'rk4' or one call per robot"
            )
        if self.changing and self.steps:
            torques.at_step({name: self.settings[name][0] for name in self.changing})
        torques.begin(self.q, self.qd)
        dynamics = self._dynamics()
        applied = []  # in the states that are recorded
        start = self._common_begin()

        def accelerations(t, q, qd):
            q, qd = np.stack(q, -1), np.stack(qd, -1)
            tau = torques(t, q, qd)
            if self.touch and len(applied) * self.every == done:
                applied.append(tau)
            return columns(dynamics(t, q, qd, tau))

        state, done, interrupted = (columns(self.q), columns(self.qd)), 0, False
        failed_at, own = np.full(self.batch, NEVER), Steps(self.dt, simulator.max_step, True)
        h, adaptive = own.first, simulator.method == "adaptive"
        self.out_of_attempts_at = np.full(self.batch, np.nan) if adaptive else None
        with Progress("simulating", self.steps) as progress, np.errstate(all="ignore"):
            try:
                while done < self.steps:
                    t = (start + done) * self.dt
                    torques.at_step({name: self.settings[name][done] for name in self.changing})
                    if torques.memory is not None:
                        torques.sample(t, *(np.stack(each, -1) for each in state))
                    if adaptive:
                        *state, h = self._to(accelerations, t, t + self.dt, *state, h, own)
                    else:
                        rule = RULES[simulator.method]
                        state = rule(accelerations, self.robot, t, *state, self.dt)
                    done += 1
                    q, qd = np.stack(state[0], -1), np.stack(state[1], -1)
                    good = np.isfinite(q).all(-1) & np.isfinite(qd).all(-1)
                    failed_at = np.where(good | (failed_at != NEVER), failed_at, done)
                    self._record(done, q, qd)
                    progress.at(done)
            except KeyboardInterrupt:
                interrupted = True
            if self.touch:
                if len(applied) * self.every == done:  # no step begins in the last state
                    accelerations((start + done) * self.dt, *state)
                self.step = Step(*self._under(PER_STEP))
                self.tau = np.stack(applied)
        lasting = np.where(failed_at == NEVER, done, failed_at - 1)
        simulator.arrive(np.stack(state[0], -1), np.stack(state[1], -1), self.begin + lasting)
        for name, array in (torques.memory or {}).items():
            simulator.memory[name][...] = array
        return self._finished(done, failed_at, interrupted, called=True)

    def _common_begin(self):
        """The steps that all robots have done: a controller in Python has one time for all."""
        counts = np.unique(self.begin)
        if len(counts) > 1:
            raise ArgumentError(
                "controller: it cannot be traced, so all robots must have been reset at the same "
                "time; reset them together, or write a controller that can be traced"
            )
        return float(counts[0]) if len(counts) else 0.0

    def _dynamics(self):
        """Accelerations as a function of (t, q, qd, tau), arrays."""
        simulator = self.simulator
        step = Step(*self._under(ALWAYS), simulator.stops)
        kernel = self.target.map(Body(acceleration_graph, step))
        held = simulator.given | (self.touch.arrays if self.touch else {})
        held |= {} if step.adaptive else {"dt": self.dt}

        def dynamics(t, q, qd, tau):
            qdd, missing = kernel(q=q, qd=qd, tau=tau, **held)
            more = missing > self.missing
            self.when = np.where(more, t, self.when)
            self.missing = np.where(more, missing, self.missing)
            return qdd

        return dynamics

    def _under(self, tau):
        """What a Step of given torques is made from."""
        simulator = self.simulator
        return self.robot, simulator.method, tuple(simulator.given), tau, None, self.touch

    def _to(self, accelerations, t, end, q, qd, h, own):
        """Adaptive steps of one robot until `end`."""
        units, simulator = joint_scales(rows_of(self.robot)).tolist(), self.simulator
        for _ in range(simulator.max_attempts):
            if h <= own.least:
                break
            state = t, q, qd, h
            t, q, qd, h = attempt(
                accelerations, self.robot, *state, end, own.longest, simulator.tolerance, units
            )
            if t >= end:
                return q, qd, h
        else:
            self.out_of_attempts_at = np.array(t)
        return [math.nan] * len(q), [math.nan] * len(qd), 0.0

    # -- results ---------------------------------------------------------------------------------

    def _record(self, done, q, qd):
        if done % self.every == 0:
            self.records["q"][done // self.every] = q
            self.records["qd"][done // self.every] = qd

    def _keep_tallies(self, state):
        if "missing" in state:
            self.missing, self.when = state["missing"], state["when"]
        self.worst, self.acted = state.get("worst"), state.get("acted")
        if "impulses" in state:
            known = self.simulator.tallies  # which steps and the State write and read in place
            known.setdefault("impulses", state["impulses"][None].copy())[0] = state["impulses"]

    def _finished(self, done, failed_at, interrupted, called=False):
        count = done // self.every + 1
        failed_at = self.arrays.where(self.started, failed_at, 0)
        t = self.arrays.arange(count) * (self.every * self.dt)
        q, qd = (self.records[name][:count] for name in ("q", "qd"))
        found = {}
        if self.touch is not None:
            found = self._forces(t, q, qd, called) | {"drift": self.touch.drift(q, qd)}
        for name in ("impulses", "residual"):
            if name in self.records:
                found[name] = self.records[name][:count]
        if self.acted is not None:
            found["limits"] = limits_acted(self.simulator.stops, self.acted, done, self.arrays)
        found |= {"out_of_attempts_at": self.out_of_attempts_at, "setup": self._setup(called)}
        return Run(t, q, qd, failed_at, interrupted, **found)

    def _setup(self, called):
        """What was simulated. Torques of controllers that remember, are called with floats or have
        a setting per step are not known any more."""
        simulator, step = self.simulator, self.step
        known = not (called or self.changing) and (step.law is None or not step.law.memory)
        arrays = {} if self.tau is None else {"tau": self.tau}
        if known and step.law is not None:
            arrays = {setting_input(name): array for name, array in self.settings.items()}
            arrays |= self._constants() | {"begin": self.begin}
        return Setup(simulator, step if known else None, arrays, self.every)

    def _forces(self, t, q, qd, called):
        """Of contacts and loops, in recorded states, under the torques of the steps that begin
        there."""
        arrays = self.simulator.given | self.touch.arrays
        if self.step.law is not None:
            arrays |= self._constants()
            arrays |= {setting_input(name): array for name, array in self.settings.items()}
            arrays |= {"t": t.reshape(-1, *[1] * len(self.batch)) + self.begin * self.dt}
        elif called:
            arrays["tau"] = self.tau[: len(t)]
        elif self.step.tau == PER_STEP:
            last = self.tau[-1:]
            if not len(self.tau):
                last = self.arrays.full((1, *self.tau.shape[1:]), math.nan)
            arrays["tau"] = self.arrays.concatenate([self.tau, last])[:: self.every][: len(t)]
        elif self.tau is not None:
            arrays["tau"] = self.tau
        names = self.touch.forces
        results = self.touch.kernel(names, self.step)(q=q, qd=qd, **arrays)
        several = results if isinstance(results, tuple) else (results,)
        found = dict(zip(names, several, strict=True))
        self.rank = found.pop("rank", None)
        if "force" in found:
            found["force"] = self.touch.as_given(found["force"])
        return found


def columns(array):
    return [array[..., j] for j in range(array.shape[-1])]
