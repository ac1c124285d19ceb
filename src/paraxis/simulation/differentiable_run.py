"""`px.simulation.differentiable`: a run that knows its gradient."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .. import api
from ..checks import did_you_mean, one_of, quoted
from ..compiling import one_call
from ..drivers.iterate import integer_like
from ..errors import ArgumentError, SimulationWarning, TraceError, warn
from ..physics.configuration import neutral
from ..robots.model import PARAMETERS
from ..robots.quaternions import require_unit_quaternions
from ..robots.refusals import open_tree
from ..robots.robot import Robot, a_robot
from ..targets.target import CPU, Cpu, Cuda, target_of
from .adjoint import Adjoint, lengths_of
from .adjoint_ground import LEFT
from .adjoint_step import COUNT, kept_of
from .ground.ground import Ground
from .limits import Limits, warn_of_limits
from .limits_acted import limits_acted, mention_limits
from .names import memory_input, setting_input
from .run import NEVER, Run, warn_about, warn_of_missing, warn_of_unsolved
from .settings import require_callable
from .simulator import OF_GROUND, Simulator
from .stiffness import warn_if_stiff

UNSETTLED = 1e-2  # relative change of a cotangent of impulses, beyond which it was not found


def differentiable(
    robot: Robot,
    q0: ArrayLike,
    qd0: ArrayLike,
    tau: ArrayLike | None = None,
    controller: Callable | None = None,
    *,
    dt: float,
    steps: int,
    ground: Ground | None = None,
    limits: bool | Limits = True,
    method: str | None = None,
    per_step: dict[str, ArrayLike] | None = None,
    every: int = 1,
    checkpoint: int | None = None,
    **keywords: ArrayLike,
) -> DifferentiableRun:
    """Simulate as `px.simulate` does, and keep what the gradient of the run needs.

    **Arguments:**

    - `robot`, `q0`, `qd0`, `tau`, `controller`: as of `px.simulate`. The controller must be
      traceable. Closed loops are not supported.
    - `dt`, `steps`, `ground`, `limits`, `per_step`, `every`, `keywords`: as of `px.simulate`.
    - `method`: `"rk4"` or `"semi_implicit_euler"`.
    - `checkpoint`: keep the state before every `checkpoint`-th step, and compute the steps between
      again for the gradient; 1 keeps all states. By default all are kept if they are recorded
      anyway (`every=1`) or take at most 512 MB, and about √steps of them otherwise.

    **Returns:** a `px.simulation.DifferentiableRun`: `.t`, `.q`, `.qd` and `.failed_at` of a Run,
    and `.gradient(q_bar, qd_bar)`.

    **Raises:** `px.ArgumentError` if arguments do not fit together or something has no gradient.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> run = px.simulation.differentiable(robot, np.zeros(2), np.zeros(2), dt=1e-2, steps=50)
    >>> last = np.zeros_like(run.q)
    >>> last[-1, 0] = 1.0  # the number is the angle of joint 1 at the end
    >>> run.gradient(last)["q0"]
    array([0.587, 0.264])
    """
    per_step = per_step or {}
    given = {"q0": q0, "qd0": qd0} | ({} if tau is None else {"tau": tau}) | keywords | per_step
    target = target_of(given)
    with target.stream():
        # copies: the gradient is that of this run, whatever becomes of the caller's arrays
        arrays = {name: target.array(value, name, ()).copy() for name, value in given.items()}
        shapes = {name: array.shape for name, array in arrays.items()}
        simulated = Simulated(
            robot,
            shapes,
            controller,
            tuple(per_step),
            dt=dt,
            steps=steps,
            ground=ground,
            limits=limits,
            method=method,
            every=every,
            checkpoint=checkpoint,
            target=target,
        )
        return DifferentiableRun(simulated, arrays)


class Simulated:
    """A differentiable run of arrays of known shapes, by the names of arguments.

    Everything is checked when it is made, and nothing is computed. `per_step` names the settings
    of the controller that have the steps as their first axis.
    """

    def __init__(
        self,
        robot: Robot,
        shapes: dict[str, tuple[int, ...]],
        controller: Callable | None = None,
        per_step: tuple[str, ...] = (),
        *,
        dt: float,
        steps: int,
        ground: Ground | None = None,
        limits: bool | Limits = True,
        method: str | None = None,
        every: int = 1,
        checkpoint: int | None = None,
        dtype: DTypeLike = "float64",
        target: Cpu | Cuda = CPU,
    ):
        require_differentiable(a_robot(robot), method)
        steps, every = integer_like(steps, "steps"), integer_like(every, "every", least=1)
        if steps % every:
            raise ArgumentError(f"every: expected a divisor of the {steps} steps, found {every}")
        if checkpoint is not None:
            checkpoint = integer_like(checkpoint, "checkpoint", least=1)
        simulator = Simulator(
            robot, dt=dt, method=method, ground=ground, limits=limits, dtype=dtype
        )
        self.simulator, self.robot, self.shapes, self.target = simulator, robot, shapes, target
        self.of_robot = tuple(name for name in PARAMETERS if name in shapes)
        of_ground = OF_GROUND if ground is not None else ()
        self.parameters = (*self.of_robot, *(name for name in of_ground if name in shapes))
        others = ("q0", "qd0", "tau", *self.parameters)
        self.settings = tuple(name for name in shapes if name not in others)
        _require_one_law(shapes, controller, self.settings)
        try:
            step = self._checked(controller, per_step, steps)
        except TraceError as reason:
            raise ArgumentError(
                f"controller: to be differentiated it must be traceable, but tracing it failed: "
                f"{reason}"
            ) from reason
        self.batch, self.streamed = simulator.batch or (), step.plan.per_step
        numbers = sum(math.prod(step.inputs[name]) for name in kept_of(step))
        size = simulator.dtype.itemsize * math.prod(self.batch) * numbers
        lengths = lengths_of(steps, every, checkpoint, size)
        dtype = simulator.dtype.name
        self.adjoint = Adjoint(step, lengths, simulator.dt, self.batch, dtype, target)

    def _checked(self, controller, per_step, steps):
        """The Step, as the Simulator makes it for arrays of these shapes."""
        robot, simulator = self.robot, self.simulator
        blank = {name: np.broadcast_to(0.0, shape) for name, shape in self.shapes.items()}
        simulator.target = CPU
        q0 = CPU.array(blank["q0"], "q0", (robot.nq,))
        somewhere = np.broadcast_to(neutral(robot), q0.shape)
        parameters = {name: blank[name] for name in self.parameters}
        simulator._begin(somewhere, blank["qd0"], parameters, ("q0", "qd0"))
        held = {name: blank[name] for name in self.settings if name not in per_step}
        per_step = {name: blank[name] for name in per_step}
        drive = simulator.driven_by(controller, blank.get("tau"), steps, per_step, held)
        self.defaults = {
            name: each for name, each in drive.settings.items() if name not in self.settings
        }
        return simulator.step_under(drive)

    # -- arrays ------------------------------------------------------------------------------------

    def input_of(self, name):
        """The input of the step that an argument becomes."""
        if name in self.settings:
            return setting_input(name)
        return {"q0": "q", "qd0": "qd"}.get(name, name)

    def inputs(self, arrays):
        """The arrays by names of inputs of the step, the state with the whole batch."""
        xp, step = self.target.arrays, self.adjoint.step
        given = {self.input_of(name): array for name, array in arrays.items()}
        for name in ("q", "qd"):
            given[name] = xp.broadcast_to(given[name], (*self.batch, given[name].shape[-1]))
        own = {memory_input(name): first for name, first in self.simulator.memory.items()}
        own |= {setting_input(name): np.asarray(x) for name, x in self.defaults.items()}
        own |= step.law.constants if step.law else {}
        given |= {name: self.target.put(array) for name, array in own.items()}
        if step.ground:  # sweeps begin at rest
            given["impulses"] = xp.zeros((*self.batch, *step.inputs["impulses"]))
        return given

    def forward(self, arrays):
        """(records, kept, run) of arrays by names of arguments, with the warnings of a run."""
        given, robot, simulator = self.inputs(arrays), self.robot, self.simulator
        if self.target is CPU:
            require_unit_quaternions(robot, given["q"], "q0")
            if robot.has_losses and simulator.method == "rk4":
                own = {name: given[name] for name in self.of_robot}
                warn_if_stiff(robot, given["q"], simulator.dt, own, self.target)
        with one_call(f"simulation of {quoted(robot.name)}"):
            records, kept, last = self.adjoint.forward(given)
        return records, kept, self._run(given, records, last)

    def _run(self, given, records, last):
        lengths, xp, simulator = self.adjoint.lengths, self.target.arrays, self.simulator
        good = xp.fmax(last[COUNT], 0.0).astype(int)
        failed_at = xp.where(good < lengths.steps, good + 1, NEVER)
        started = xp.isfinite(given["q"]).all(-1) & xp.isfinite(given["qd"]).all(-1)
        t = xp.arange(lengths.records) * (lengths.every * simulator.dt)
        run = Run(t, records["q"], records["qd"], xp.where(started, failed_at, 0))
        if self.target is CPU:
            warn_about(run, simulator.method, simulator.dt)
            if "missing" in last:
                warn_of_missing(last["missing"], last["when"])
            if "acted" in last and simulator.limits is True:
                acted = limits_acted(simulator.stops, last["acted"], lengths.steps)
                mention_limits(simulator.stops, acted)
            if simulator.stops is None or simulator.stops.limits.stops is None:
                warn_of_limits(self.robot, run)
            if "worst" in last:
                warn_of_unsolved(simulator.ground, last["worst"])
        return run

    def backward(self, arrays, records, kept, bars, wanted):
        """name of an argument -> its cotangent, of the argument's shape."""
        others = tuple(self.input_of(name) for name in wanted if name not in ("q0", "qd0"))
        with one_call(f"the gradient of a simulation of {quoted(self.robot.name)}"):
            found = self.adjoint.backward(self.inputs(arrays), records, kept, bars, others)
        if LEFT in found and self.target is CPU:
            warn_of_unsettled(found[LEFT], self.simulator.ground)
        return {
            name: self._summed(found[self.input_of(name)], self.shapes[name]) for name in wanted
        }

    def _summed(self, array, shape):
        """A cotangent per robot, summed over the robots that share the value."""
        extra = array.ndim - len(shape)
        if extra:
            array = array.sum(axis=tuple(range(extra)))
        axes = tuple(k for k, size in enumerate(shape) if size != array.shape[k])
        return array.sum(axis=axes, keepdims=True) if axes else array


class DifferentiableRun:
    """Recorded states of simulated robots, and the gradient of any number that they decide.

    - `t`, `q`, `qd`, `failed_at`: as of `px.simulation.Run`.

    **Example:**

    >>> robot = px.robots.planar(1)
    >>> given = {"tau": np.array([2.0]), "mass": np.array([1.0])}
    >>> run = px.simulation.differentiable(robot, [0.0], [0.0], dt=1e-2, steps=20, **given)
    >>> end = np.zeros_like(run.q)
    >>> end[-1] = 1.0
    >>> gradient = run.gradient(end, wrt=["tau", "mass"])
    >>> gradient["tau"], gradient["mass"]  # rad per N m, rad per kg
    (array([0.06]), array([-0.163]))
    """

    def __init__(self, simulated, arrays):
        self._simulated, self._arrays = simulated, arrays
        self._records, self._kept, run = simulated.forward(arrays)
        run = run.given_back(simulated.target)
        self.t, self.q, self.qd, self.failed_at = run.t, run.q, run.qd, run.failed_at

    def gradient(
        self,
        q_bar: ArrayLike | None = None,
        qd_bar: ArrayLike | None = None,
        *,
        wrt: str | list[str] | None = None,
        tangent: bool = False,
    ) -> dict[str, np.ndarray]:
        """The gradient of a number, from how it moves with recorded states.

        **Arguments:**

        - `q_bar`, `qd_bar`: the derivatives of the number with respect to `.q` and `.qd`, of their
          shapes; None where it does not depend on them.
        - `wrt`: names of arguments, by default all that were given as arrays: `"q0"`, `"qd0"`,
          `"tau"`, parameters and settings.
        - `tangent`: whether the gradient by `q0` is over the tangent space, `(..., nv)`, and not
          over the nq numbers of q.

        **Returns:** name -> gradient, of the shape of the argument. Arguments that robots share
        have the sum over robots.

        **Raises:** `px.ArgumentError` if shapes or names do not fit.
        """
        simulated, target = self._simulated, self._simulated.target
        wanted = [*simulated.shapes] if wrt is None else [wrt] if isinstance(wrt, str) else [*wrt]
        for name in wanted:
            if name not in simulated.shapes and name in (*PARAMETERS, *OF_GROUND):
                raise ArgumentError(
                    f"wrt: {name} was not given to px.simulation.differentiable; give {name}=..., "
                    f"even if its values are the usual ones"
                )
            one_of(name, simulated.shapes, "wrt")
        bars = {}
        with target.stream():
            for name, value in (("q", q_bar), ("qd", qd_bar)):
                if value is not None:
                    shape = self._records[name].shape
                    array = target.array(value, f"{name}_bar", ())
                    if array.shape != shape:
                        raise ArgumentError(
                            f"{name}_bar: expected shape {shape}, that of .{name}, found "
                            f"{array.shape}"
                        )
                    bars[name] = array
            if not bars:
                raise ArgumentError("gradient: give q_bar, qd_bar or both")
            found = simulated.backward(self._arrays, self._records, self._kept, bars, wanted)
            if tangent and "q0" in found:
                found["q0"] = self._over_tangent(found["q0"])
            return {name: target.given_back(array) for name, array in found.items()}

    def _over_tangent(self, by_numbers):
        """From a gradient over the numbers of q0 to one over the velocities that move it."""
        robot, q = self._simulated.robot, self._arrays["q0"]
        moved = api.program(robot, "integrate").vjp(["v"])
        still = self._simulated.target.arrays.zeros(robot.nv)
        return self._simulated.target.map(moved)(q, still, by_numbers)


def require_differentiable(robot, method):
    """Raise where a step has no gradient."""
    if method == "adaptive":
        raise ArgumentError(
            "method 'adaptive' has no gradient, as steps of other lengths may follow from other "
            "states; use 'rk4' or 'semi_implicit_euler'"
        )
    open_tree(robot, "the gradient of a simulation")


def warn_of_unsettled(left, ground):
    """Warn of robots whose gradient through contact was not found."""
    far = left > UNSETTLED
    if far.any():
        warn(
            f"gradient: through the contacts of {far.sum()} of {far.size} robots it was not found "
            f"within the sweeps of a step (relative change {float(np.nanmax(left)):.1g}); give the "
            f"Ground more than {ground.sweeps} sweeps",
            SimulationWarning,
        )


def _require_one_law(shapes, controller, settings):
    if "tau" in shapes and controller is not None:
        raise ArgumentError("tau and controller cannot be combined; give one of them")
    if controller is not None:
        require_callable(controller)
    if controller is None and settings:
        raise ArgumentError(
            f"{settings[0]}: without a controller, keywords must be parameters of the robot: "
            f"{', '.join(PARAMETERS)}{did_you_mean(settings[0], PARAMETERS)}"
        )
