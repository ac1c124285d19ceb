"""`px.simulate`: robots moving in time, all steps compiled into one kernel."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from .. import api
from ..checks import did_you_mean, one_of, quoted
from ..drivers.iterate import integer_like
from ..drivers.map import broadcast_shapes
from ..dynamics.contacts.contact import Contact
from ..errors import ArgumentError, RobotError, TraceError
from ..robot_functions import check_parameters
from ..robots.model import PARAMETERS
from ..robots.quaternions import require_unit_quaternions
from ..robots.refusals import single_joints
from ..robots.robot import Robot, a_robot
from ..robots.rows import rows_of
from ..robots.scales import joint_scales
from ..targets.compiling import one_call
from ..targets.target import CPU, target_of
from . import bodies
from .adaptive import MOST_ATTEMPTS, Steps, attempt, require_enough_attempts
from .called_controller import CalledController
from .controllers import traced_torques
from .limits import warn_of_limits
from .losses import Losses
from .progress import Progress, in_pieces
from .run import NEVER, Run, interruption, warn_about, warn_of_missing, warn_of_singular
from .settings import as_settings, require_takes
from .steps import IMPLICIT, RULES
from .stiffness import warn_if_stiff
from .touch import Touch

METHODS = (*RULES, "adaptive")


def simulate(
    robot: Robot,
    q0: ArrayLike,
    qd0: ArrayLike,
    tau: ArrayLike | None = None,
    controller: Callable | None = None,
    *,
    dt: float,
    steps: int,
    contact: Contact | Sequence[Contact] | None = None,
    method: str = "rk4",
    every: int = 1,
    tolerance: float = 1e-9,
    max_step: float | None = None,
    max_attempts: int = MOST_ATTEMPTS,
    **keywords: ArrayLike,
) -> Run:
    """Move a batch of robots through `steps` steps of `dt` seconds.

    Torques come from `tau` or from `controller`; with neither, the joints are free. They are
    torques on the motors' shafts, as `input` of `px.motor_torques`; without a transmission these
    are the joint torques. Joints are not stopped at their limits: recorded positions beyond them
    give one `px.RobotWarning` per call.

    **Arguments:**

    - `robot`: the robot, whose friction and transmissions take part. Closed loops are kept closed
      by their `stabilisation`.
    - `q0`, `qd0`: initial positions `(..., nq)` and rates `(..., nv)`, rad or m, and per second:
      one robot per state of the batch.
    - `tau`: constant torques, `(..., nv)`, or torques per step, `(steps, ..., nv)`, with one axis
      more than the batch; N m or N.
    - `controller`: a function `controller(t, q, qd)` that returns n torques; it is called at every
      stage of a step. Written with px functions or array arithmetic, it is compiled with the
      physics. Any other callable runs as Python, on the whole batch at once, with a warning.
    - `dt`: seconds per step. With `"adaptive"`, the interval in which steps are chosen.
    - `steps`: number of steps.
    - `contact`: a `px.Contact` that stays where it is, or a list of them. Contacts are bilateral:
      they never release. Without an anchor, a stabilised contact in world coordinates is anchored
      where each robot begins. Once it is singular, the robot's states are NaN from the next step
      on.
    - `method`: `"rk4"`, `"semi_implicit_euler"` or `"adaptive"` (Dormand and Prince's fifth order,
      with steps of its own for each robot).
    - `every`: record the state after every `every`-th step; a divisor of `steps`.
    - `tolerance`: of adaptive steps: the error of a coordinate x per step is at most
      tolerance * (1 + abs(x)), where the 1 is a radian or, for a prismatic joint, the length of
      the robot.
    - `max_step`: longest adaptive step in seconds. Steps are as long as the tolerance allows, so a
      torque that comes and goes within one can be missed: choose `max_step` no longer than the
      shortest such torque lasts.
    - `max_attempts`: adaptive steps, rejected ones included, that a robot may take in one `dt`. If
      it needs more, its states are NaN from there on; `.out_of_attempts_at` is the time it reached.
    - `keywords`: parameters of the robot, one set per robot, as `mass=(..., n)`. Others are
      settings that the controller takes by these names, with the batch as first axes (1 where
      robots share them, or a single number for all): gains per robot, say, without recompiling.

    **Returns:** a `px.simulation.Run` with the recorded states `.t`, `.q` and `.qd`, in float64,
    the first of which is the initial state; in contact or with closed loops, also the forces
    `.force` and `.loop_force`, as of `px.constrained_forward_dynamics`, and the `.drift`.

    **Raises:** `px.ArgumentError` if arguments do not fit together, if `q0` leaves a loop open
    (`px.kinematics.close` closes it), or if `qd0` moves a frame against its contact or opens a loop
    (`px.project_velocity` makes rates that do not). Ctrl-C raises
    `px.Interrupted`, a KeyboardInterrupt, whose `.partial` is the Run so far.

    Friction has the smooth direction of motion that `px.robots.Friction` describes, which is stiff
    where a joint comes to rest: `"adaptive"` takes the steps it needs, and `"rk4"` warns if `dt` is
    too long. `"semi_implicit_euler"` takes friction at the rates after the step, so that stiff
    friction does not limit `dt`; but the rest of the motion does, and it is of first order.

    If arrays are on a GPU (CuPy, PyTorch or JAX), all of them must be, and so are those of the
    Run; the controller must be traceable. Steps are queued asynchronously on the current stream, so
    only `.failed_at` shows which robots failed, and only `.q` which joints are beyond their limits.
    Adaptive steps, a visible progress bar, and checks of friction and contacts do wait.
    """
    target = target_of({"q0": q0, "qd0": qd0, "tau": tau} | keywords)
    parameters = {name: keywords.pop(name) for name in PARAMETERS if name in keywords}
    request = _Simulation(target, robot, method, dt, steps, every, tolerance, parameters, contact)
    request.limit_attempts(max_step, max_attempts)
    if keywords and controller is None:
        raise ArgumentError(
            f"{next(iter(keywords))}: without a controller, keywords must be parameters of the "
            f"robot: {', '.join(PARAMETERS)}{did_you_mean(next(iter(keywords)), PARAMETERS)}"
        )
    with one_call(f"simulate of {quoted(robot.name)}"), target.stream():
        request.begin(q0, qd0)
        request.settings = as_settings(keywords, request.batch, target)
        if tau is not None and controller is not None:
            raise ArgumentError("tau and controller cannot be combined; give one of them")
        if controller is not None and not callable(controller):
            found = type(controller).__name__
            raise ArgumentError(f"controller: expected a function of (t, q, qd), found {found}")
        if controller is not None:
            require_takes(controller, request.settings)
        if robot.has_losses and method == "rk4":
            # with loops open joints come to rest sooner, so that it errs on the safe side
            tree = robot.without_loops()
            warn_if_stiff(tree, request.q, request.dt, request.parameters, target)
        try:
            traced = controller and traced_torques(controller, robot.nv)
            kernel, arrays = request.compiled(tau, traced)
        except TraceError as reason:
            if controller is None:
                raise RobotError(
                    f"the dynamics of robot {quoted(robot.name)} cannot be compiled: {reason}; "
                    f"look for a mass, inertia or length that is far too small or too large"
                ) from reason
            if target is not CPU:
                raise ArgumentError(
                    f"controller: on a GPU it must be traceable, but tracing it failed: {reason}"
                ) from reason
            given = request.batch, robot.nv, request.settings, reason
            run = request.run_python(CalledController(controller, *given))
        else:
            run = request.run(kernel, arrays)
        if run.interrupted:
            raise interruption(run.given_back(target), request.steps * request.dt)
        if target is CPU or robot.has_bearings:
            warn_of_missing(*map(target.in_main_memory, (request.missing, request.when)))
        if request.touch and request.touch.contacts:
            warn_of_singular(run, request.rank, request.touch.unknowns, target)
        if target is CPU:
            warn_about(run, request.max_attempts)
            warn_of_limits(robot, run)
        return run.given_back(target)


class _Simulation:
    """The request of one call: arguments checked, states, records and results on the way."""

    settings: dict[str, np.ndarray]  # of the controller

    def __init__(self, target, robot, method, dt, steps, every, tolerance, parameters, contact):
        if a_robot(robot).has_bearings and any(joint.coupling for joint in robot.joints):
            single_joints(robot, "a simulation of bearings")
        self.target, self.arrays = target, target.arrays
        one_of(method, METHODS, "method")
        check_parameters("forward_dynamics", tuple(parameters))
        self.robot, self.method, self.parameters = robot, method, parameters
        self.dt, self.tolerance = positive(dt, "dt"), positive(tolerance, "tolerance")
        self.steps, self.every = integer_like(steps, "steps"), integer_like(every, "every", least=1)
        if self.steps % self.every:
            raise ArgumentError(
                f"every: expected a divisor of the {self.steps} steps, found {self.every}"
            )
        self.touch = None
        if contact is not None or robot.loops:
            self.touch = Touch(robot, contact, method, parameters, target)

    def limit_attempts(self, max_step, max_attempts):
        """How many adaptive steps there may be in a dt, and how long each."""
        if max_step is not None and self.method != "adaptive":
            raise ArgumentError(
                f"max_step is for method 'adaptive' only; all steps of {self.method!r} are dt long"
            )
        self.max_attempts = integer_like(max_attempts, "max_attempts", least=1)
        unbounded = max_step is None or max_step == math.inf
        self.max_step = math.inf if unbounded else positive(max_step, "max_step")
        require_enough_attempts(self.dt, self.max_step, self.max_attempts)

    def begin(self, q0, qd0):
        """The states it starts from, as whole arrays, recorded first."""
        (nq, nv), target, xp = (self.robot.nq, self.robot.nv), self.target, self.arrays
        q0, qd0 = target.array(q0, "q0", (nq,)), target.array(qd0, "qd0", (nv,))
        shapes = bodies.state_shapes(self.robot, False, self.parameters, None, self.touch)
        batches = {"q0": q0.shape[:-1], "qd0": qd0.shape[:-1]}
        for name, value in self.parameters.items():
            self.parameters[name] = target.array(value, name, shapes[name])
        for name, array in (self.parameters | self.contact_arrays).items():
            batches[name] = array.shape[: array.ndim - len(shapes[name])]
        self.batch = broadcast_shapes(batches)
        self.q = xp.broadcast_to(q0, (*self.batch, nq)).astype(float)
        self.qd = xp.broadcast_to(qd0, (*self.batch, nv)).astype(float)
        records = self.steps // self.every + 1
        sizes = {"q": (nq,), "qd": (nv,)}
        self.records = {
            name: target.empty((records,), self.batch, size) for name, size in sizes.items()
        }
        self.records["q"][0], self.records["qd"][0] = self.q, self.qd
        if target is CPU:
            require_unit_quaternions(self.robot, self.q, "q0")
        self.missing = self.when = xp.zeros(self.batch)
        self.out_of_attempts_at = None  # adaptive steps have one
        self.started = xp.isfinite(self.q).all(-1) & xp.isfinite(self.qd).all(-1)
        if self.touch:
            self.touch.hold(self.q, self.qd)

    @property
    def contact_arrays(self):
        return self.touch.arrays if self.touch else {}

    @property
    def setting_arrays(self):
        return {bodies.setting_input(key): array for key, array in self.settings.items()}

    @property
    def setting_shapes(self):
        return {key: array.shape[len(self.batch) :] for key, array in self.settings.items()}

    # -- torques ---------------------------------------------------------------------------------

    def given_torques(self, tau):
        """The array of constant torques, or of those of each step."""
        self.changing = False
        if tau is None:
            return {}
        tau = self.target.array(tau, "tau", (self.robot.nv,))
        own, axes = tau.shape[:-1], len(self.batch)
        self.changing = changing = len(own) == axes + 1
        try:
            if np.broadcast_shapes(own[changing:], self.batch) != self.batch:
                raise ValueError
        except ValueError:
            found = f"found {tau.shape}"
            raise ArgumentError(
                f"tau: expected shape {(*self.batch, self.robot.nv)}, or one axis more for torques "
                f"per step, {found}"
            ) from None
        if changing and own[0] != self.steps:
            raise ArgumentError(f"tau: expected torques for {self.steps} steps, found {own[0]}")
        return {"tau": tau}

    # -- compiled --------------------------------------------------------------------------------

    def run(self, kernel, arrays):
        if self.method == "adaptive":
            return self._run_adaptive(kernel, arrays)
        arrays |= {"step": self.arrays.zeros(self.batch), "dt": self.dt}
        out = {name: array[1:] for name, array in self.records.items()}
        iteration = kernel.start(self.steps, self.every, out, **arrays)
        interrupted = False
        with Progress("simulating", self.steps) as progress:
            try:
                for _ in in_pieces(iteration, progress):
                    progress.at(iteration.done)
            except KeyboardInterrupt:
                interrupted = True
        self._keep_balance(iteration.state)
        # The steps after which the state was finite. It is no number where not even the first was:
        # an input that no output uses but that is NaN spoils all of them.
        good = self.arrays.fmax(iteration.state["step"], 0.0).astype(int)
        failed_at = self.arrays.where(good < iteration.done, good + 1, NEVER)
        return self._finished(iteration.done, failed_at, interrupted)

    def _run_adaptive(self, kernel, arrays):
        """Interval by interval; each robot takes as many steps in one as it needs."""
        xp, torques = self.arrays, arrays.get("tau")
        each = 1 if self.changing else self.every  # torques change between intervals
        own = Steps(self.dt * each, self.max_step, self.law is not None)
        arrays |= {"t": xp.zeros(self.batch), "h": xp.full(self.batch, own.first)}
        arrays |= {"least": own.least, "longest": own.longest, "tolerance": self.tolerance}
        failed_at = xp.full(self.batch, NEVER)
        given_up = xp.full(self.batch, math.nan)  # when
        done, interrupted = 0, False
        with Progress("simulating", self.steps) as progress:
            try:
                while done < self.steps:
                    arrays |= {"tau": torques[done]} if self.changing else {}
                    end = (done + each) * self.dt
                    iteration = kernel.start(self.max_attempts * each, **arrays, end=end)
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
        self._keep_balance(arrays)
        self.out_of_attempts_at = given_up
        return self._finished(done, failed_at, interrupted)

    def compiled(self, tau, controller):
        """The iterate kernel, from this process, from disk, or made; and the arrays it takes."""
        robot, method, names = self.robot, self.method, tuple(self.parameters)
        torques, settings = self.given_torques(tau), self.setting_shapes
        law = bodies.law_of(robot, controller, settings)
        given = robot, method, self.changing, bool(torques), names
        if law or self.touch:
            body, plan = bodies.repeated(*given, tuple(settings.items()), law, self.touch)
        else:
            body, plan = bodies.repeated_alone(*given)
        kernel = self.target.iterate(body, plan, states=math.prod(self.batch))
        self.law, self.torques = law, torques
        arrays = {"q": self.q, "qd": self.qd, **torques, **self.parameters}
        arrays |= self.contact_arrays | self.setting_arrays
        if robot.has_bearings:
            arrays |= {"missing": self.missing, "when": self.when}
        return kernel, arrays

    # -- in Python -------------------------------------------------------------------------------

    def run_python(self, torques):
        """The same steps with a controller that wants floats."""
        if self.method == "adaptive" and self.batch:
            raise ArgumentError(
                f"controller: it cannot be traced, and method 'adaptive' then works for a single "
                f"robot only, found a batch of {self.batch}; use 'rk4' or one call per robot"
            )
        torques.begin(self.q, self.qd)
        dynamics = self._dynamics()
        applied = []  # in the states that are recorded

        def accelerations(t, q, qd):
            q, qd = np.stack(q, -1), np.stack(qd, -1)
            tau = torques(t, q, qd)
            if self.touch and len(applied) * self.every == done:
                applied.append(tau)
            return columns(dynamics(t, q, qd, tau))

        state, done, interrupted = (columns(self.q), columns(self.qd)), 0, False
        failed_at, own = np.full(self.batch, NEVER), Steps(self.dt, self.max_step, True)
        h = own.first
        self.out_of_attempts_at = np.full(self.batch, np.nan) if self.method == "adaptive" else None
        with Progress("simulating", self.steps) as progress, np.errstate(all="ignore"):
            try:
                while done < self.steps:
                    t = done * self.dt
                    if self.method == "adaptive":
                        *state, h = self._to(accelerations, t, t + self.dt, *state, h, own)
                    else:
                        state = RULES[self.method](accelerations, self.robot, t, *state, self.dt)
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
                    accelerations(done * self.dt, *state)
                self.law, self.torques = None, {"tau": np.stack(applied)}
        return self._finished(done, failed_at, interrupted)

    def _dynamics(self):
        """Accelerations as a function of (t, q, qd, tau), arrays."""
        robot, parameters = self.robot, self.parameters
        if self.touch:
            kernel = self.touch.kernel(("qdd",), with_tau=True)
            held = parameters | self.contact_arrays
            return lambda t, q, qd, tau: kernel(q=q, qd=qd, tau=tau, **held)
        if not robot.has_losses:
            ratios = np.array(rows_of(robot).ratios)
            return lambda t, q, qd, tau: api.forward_dynamics(
                robot, q, qd, tau * ratios, **parameters
            )
        implicit = self.method in IMPLICIT
        kernel = Losses(robot, parameters).kernel(implicit)
        further = parameters | {"dt": self.dt} if implicit else parameters

        def dynamics(t, q, qd, tau):
            qdd, missing = kernel(q=q, qd=qd, motor=tau, **further)
            more = missing > self.missing
            self.when = np.where(more, t, self.when)
            self.missing = np.where(more, missing, self.missing)
            return qdd

        return dynamics

    def _to(self, accelerations, t, end, q, qd, h, own):
        """Adaptive steps of one robot until `end`."""
        units = joint_scales(rows_of(self.robot)).tolist()
        for _ in range(self.max_attempts):
            if h <= own.least:
                break
            state = t, q, qd, h
            t, q, qd, h = attempt(
                accelerations, self.robot, *state, end, own.longest, self.tolerance, units
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

    def _keep_balance(self, state):
        if "missing" in state:
            self.missing, self.when = state["missing"], state["when"]

    def _finished(self, done, failed_at, interrupted):
        count = done // self.every + 1
        failed_at = self.arrays.where(self.started, failed_at, 0)
        t = self.arrays.arange(count) * (self.every * self.dt)
        q, qd = (self.records[name][:count] for name in ("q", "qd"))
        found = {}
        if self.touch is not None:
            found = self._forces(t, q, qd) | {"drift": self.touch.drift(q, qd)}
        given_up = self.out_of_attempts_at
        return Run(t, q, qd, failed_at, interrupted, out_of_attempts_at=given_up, **found)

    def _forces(self, t, q, qd):
        """Of contacts and loops, in recorded states, under the torques of the steps that begin
        there."""
        arrays = self.parameters | self.contact_arrays | self.torques
        if self.law is not None:
            arrays |= self.setting_arrays | {"t": t.reshape(-1, *[1] * len(self.batch))}
        elif self.changing:
            tau = self.torques["tau"]
            last = tau[-1:] if len(tau) else self.arrays.full((1, *tau.shape[1:]), math.nan)
            arrays["tau"] = self.arrays.concatenate([tau, last])[:: self.every][: len(t)]
        torques = "tau" in arrays, self.law, self.setting_shapes
        names = self.touch.forces
        results = self.touch.kernel(names, *torques)(q=q, qd=qd, **arrays)
        several = results if isinstance(results, tuple) else (results,)
        found = dict(zip(names, several, strict=True))
        self.rank = found.pop("rank", None)
        if "force" in found:
            found["force"] = self.touch.as_given(found["force"])
        return found


def columns(array):
    return [array[..., j] for j in range(array.shape[-1])]


def positive(value, what):
    """A finite number above zero."""
    good = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not good or not 0 < value <= sys.float_info.max:
        raise ArgumentError(f"{what}: expected a number > 0, found {quoted(value)}")
    return float(value)
