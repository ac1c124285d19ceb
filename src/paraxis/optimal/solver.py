"""`px.optimal.Solver`: problems of one kind, solved in any number, on a CPU or a GPU."""

from __future__ import annotations

import math
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .. import api
from ..checks import quoted
from ..compiling import one_call
from ..drivers.iterate import integer_like
from ..errors import ArgumentError, SimulationWarning, warn
from ..robots.quaternions import require_unit_quaternions
from ..simulation.limits import warn_of_limits
from ..simulation.progress import Progress
from ..simulation.simulator import positive
from ..targets.target import CPU, target_of
from .arguments import as_batch, as_rows, checked_arrays, shapes_of, timed
from .course import Course
from .gradients import gradient
from .mpc import MPC
from .sampling import Sampling
from .search import Search
from .solution import Solution
from .status import Status
from .systems import GRAVITY, RobotSystem
from .work import Work

if TYPE_CHECKING:
    from ..targets.source.files import Exported

FEW = 16  # problems, below which it is not worth it to gather those that still run
GENTLE = 0.3  # rad/s or m/s: a smoothing of dry friction that searches cope with
QUEUED = 4  # rounds that a GPU is given at once; then it is known which problems still run

UNBOUNDED = (
    "nothing in the problem bounds positions. An inequality does, such as "
    "inequality=lambda q: np.concatenate([q - highest, lowest - q])"
)


class Trajectories(NamedTuple):
    """Positions as a run has them, time first."""

    t: np.ndarray
    q: np.ndarray


class Solver:
    """A solver that is compiled once: `px.optimal_control` makes one.

    **Example:**

    >>> def cost(q, qd, u):
    ...     return 0.1 * qd @ qd + 0.01 * u @ u
    ...
    >>> def at_the_end(q, qd):
    ...     return 1e4 * (q[0] - np.pi / 2) ** 2 + 100 * qd @ qd
    ...
    >>> rod = px.robots.planar(1)
    >>> solver = px.optimal_control(rod, cost, 50, dt=0.02, terminal=at_the_end)
    >>> starts = np.array([[-np.pi / 2, 0.0], [0.0, 0.0], [0.5, 1.0]])  # three problems at once
    >>> plans = solver.solve(starts)
    >>> plans.us.shape, plans.cost
    ((3, 50, 1), array([67.136, 24.262, 10.056]))
    """

    def __init__(self, problem, horizon, dtype, threads=None):
        self.problem, self.horizon, self.dtype, self.threads = problem, horizon, dtype, threads

    @property
    def parameters(self) -> dict[str, tuple[int, ...]]:
        """name -> shape of what `solve` takes besides states and controls."""
        return dict(self.problem.parameters)

    def solve(
        self,
        x0: ArrayLike,
        us: ArrayLike | None = None,
        xs: ArrayLike | None = None,
        *,
        iterations: int = 100,
        tolerance: float = 1e-9,
        constraint_tolerance: float = 1e-6,
        **parameters: ArrayLike,
    ) -> Solution:
        """The optimal controls from the state `x0`, for every problem of a batch.

        **Arguments:**

        - `x0`: `(..., nx)`, for a robot positions and rates; its device is used for everything.
        - `us`: `(..., N, nu)`, a first guess of the controls. By default a robot's motors hold it
          against gravity, and other controls are zero.
        - `xs`: `(..., N + 1, nx)`, a first guess of the states, for `"sqp"` only; x0 by default.
        - `iterations`: the largest number of rounds; in each a problem accepts or rejects a step.
        - `tolerance`: a problem is solved if another step would reduce its cost by less than this,
          relatively.
        - `constraint_tolerance`: the largest violation of constraints that is allowed, in their
          units.
        - `parameters`: `(..., *shape)`, or `(..., N + 1, *shape)` if they are per step.

        **Returns:** a `px.optimal.Solution`, whose `status` shows which problems are solved.
        Problems that are not solved do not affect the others.

        **Raises:** `px.ArgumentError` if an array is missing or has the wrong shape.
        """
        iterations = integer_like(iterations, "iterations")
        tolerance = positive(tolerance, "tolerance")
        constraint_tolerance = positive(constraint_tolerance, "constraint_tolerance")
        given = {"x0": x0, "us": us, "xs": xs} | parameters
        target = self.target(given)
        self.warn_of_idle_controls()
        with one_call(f"optimal control{self.problem.subject}"), target.stream():
            batch, arrays = self.arrays(target, given)
            work = Work(
                self.problem, self.horizon, math.prod(batch), target, self.dtype, self.threads
            )
            self.begin(work, arrays)
            found, history = _searched(work, iterations, tolerance, constraint_tolerance)
            names = "x0", *self.problem.parameters
            kept = {name: target.array(given[name], name, ()).copy() for name in names}
            solution = self._solution(target, batch, found, kept, history)
        if target is CPU:
            self._warn_of_dry_friction(solution)
        return solution

    def gradient(
        self,
        solution: Solution,
        xs_bar: ArrayLike | None = None,
        us_bar: ArrayLike | None = None,
        cost_bar: ArrayLike | None = None,
        *,
        wrt: str | list[str] | None = None,
        tangent: bool = False,
    ) -> dict[str, Any]:
        """The gradient of a function of a solution with respect to x0 and parameters.

        It is computed at the optimum by the implicit function theorem, independently of the search.
        It is as accurate as the solution, so solve with a small `tolerance`. Controls at their
        limits and active constraints are assumed to stay so.

        **Arguments:**

        - `solution`: a result of `solve`.
        - `xs_bar`, `us_bar`, `cost_bar`: the derivatives of the function with respect to `.xs`,
          `.us` and `.cost`, of their shapes; None for those on which it does not depend.
        - `wrt`: names of arguments of `solve`, by default `"x0"` and all parameters.
        - `tangent`: whether the gradient with respect to `x0` is over the tangent space,
          `(..., ndx)`, rather than over the nx entries of a state.

        **Returns:** name -> gradient, of the shape of the argument. If problems share an argument,
        its gradient is the sum over them. It is NaN, with a warning, for problems that are not
        solved or whose solution is not a strict optimum; problems on which the function does not
        depend contribute zero.

        **Raises:** `px.ArgumentError` if shapes or names do not fit.
        """
        if getattr(solution, "problem", None) is not self.problem:
            raise ArgumentError("solution: expected a result of solve() of this solver")
        if xs_bar is None and us_bar is None and cost_bar is None:
            raise ArgumentError("gradient: give xs_bar, us_bar or cost_bar")
        bars = {"xs": xs_bar, "us": us_bar, "cost": cost_bar}
        return gradient(self, solution, bars, wrt, tangent)

    def export(
        self,
        folder: str | PathLike,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        *,
        iterations: int = 10,
        problems: Mapping[str, ArrayLike] | None = None,
    ) -> Exported:
        """Write the solver as C99 to a folder: header, source and a self-test.

        The code solves one problem at a time, as `solve` does, in memory provided by the caller: it
        allocates nothing and has no globals. `NAME_solve` searches, and `NAME_tick` is for
        real-time control: feedback, then one iteration.

        **Arguments:**

        - `folder`: where to write.
        - `name`: the prefix of all names, by default that of the system.
        - `dtype`: `"float64"` or `"float32"`; by default that of this solver.
        - `iterations`: the largest number of rounds in the self-test.
        - `problems`: the problems of the self-test, by name as for `solve`: `"x0"` of shape
          `(problems, nx)` and all parameters. By default random ones: states near the neutral one,
          parameters of the robot as they are, and others between 0.5 and 1.5.

        **Returns:** the `paths` of the files, the command that `build`s the self-test, and `test`,
        the command that runs it.

        **Raises:** `px.ArgumentError` if a name is not valid in C, a file cannot be written, or all
        problems are so sensitive to rounding that they test nothing.
        """
        from .exported.files import export  # here, because few solvers are exported

        return export(self, folder, name, dtype or self.dtype, iterations, problems)

    def mpc(
        self,
        x0: ArrayLike,
        us: ArrayLike | None = None,
        xs: ArrayLike | None = None,
        *,
        iterations: int = 1,
        first_iterations: int = 100,
        shift: bool = True,
        **parameters: ArrayLike,
    ) -> MPC:
        """Model-predictive control from the state `x0`, for every problem of a batch.

        The first plan is solved for at once; each tick then takes a fixed number of iterations.

        **Arguments:**

        - `x0`, `us`, `xs`, `parameters`: as for `solve`; parameters may change at every tick.
        - `iterations`: the number of iterations per tick.
        - `first_iterations`: the largest number of rounds for the first plan; `status` has its
          outcome.
        - `shift`: whether ticks are `dt` apart, so that the plan is shifted by a step per tick;
          with `shift=False` ticks may be closer together.

        **Returns:** a `px.optimal.MPC`: `u = mpc.tick(x)`.

        **Raises:** `px.ArgumentError` if an array is missing or has the wrong shape, if a first
        trajectory is not finite, or if there are constraints other than limits of controls.
        """
        return MPC(self, x0, us, xs, iterations, first_iterations, shift, parameters)

    def sampling(
        self,
        x0: ArrayLike,
        us: ArrayLike | None = None,
        *,
        samples: int = 1024,
        method: str = "mppi",
        noise: ArrayLike | None = None,
        correlation: float = 0.0,
        temperature: float = 0.1,
        elites: int | None = None,
        iterations: int = 1,
        seed: int = 0,
        shift: bool = True,
        **parameters: ArrayLike,
    ) -> Sampling:
        """Control by random samples around a plan, for every problem of a batch: no derivatives.

        **Arguments:**

        - `x0`: `(..., nx)`, of the batch of robots; its device is used for everything.
        - `us`: `(..., N, nu)`, the first plan; by default as for `solve`.
        - `samples`: the number of samples per problem and iteration.
        - `method`: `"mppi"`, which weighs all samples by their costs, or `"cem"`, the cross-entropy
          method, which samples again around the mean of the best, and finally takes the best one.
        - `noise`: the standard deviation of controls, a number or `(nu,)`; by default a sixth of
          the range between their limits.
        - `correlation`: the number of steps after which the correlation of noise falls to 1/e; with
          0, steps are independent. A body with large inertia hardly moves under noise that
          changes at every step.
        - `temperature`: of MPPI, in units of the difference between the median cost and the least:
          the lower, the more the best sample counts.
        - `elites`: for the cross-entropy method: the number of best samples, by default a tenth.
        - `iterations`: the number of iterations per tick.
        - `seed`: the same seed gives the same results to the bit.
        - `shift`: whether ticks are `dt` apart, so that the plan is shifted by a step per tick.
        - `parameters`: as for `solve`; they may change at every tick.

        **Returns:** a `px.optimal.Sampling`: `u = sampling.tick(x)`.

        **Raises:** `px.ArgumentError` if arguments do not fit together, or if there are constraints
        other than limits of controls.
        """
        given = x0, us, samples, method, noise, correlation, temperature, elites, iterations
        return Sampling(self, *given, seed, shift, parameters)

    def warn_of_idle_controls(self):
        """Searches that must stall."""
        if self.problem.idle:
            warn(
                "optimal control: a control of the last step costs nothing and nothing depends on "
                "it, so that no problem can be solved; add a term such as 1e-6 * (u @ u) to the "
                "cost, or a terminal cost",
                SimulationWarning,
            )

    def _warn_of_dry_friction(self, solution):
        """It is often why a search does not end: torques almost jump where a joint reverses."""
        robot = getattr(self.problem.system, "robot", None)
        unsolved = np.isin(solution.status, (Status.OUT_OF_ITERATIONS, Status.STALLED))
        if robot is None or not unsolved.any():
            return
        sharp = [
            joint
            for joint in robot.joints
            if joint.friction.static and joint.friction.smoothing < GENTLE
        ]
        if sharp:
            first = sharp[0]
            warn(
                f"optimal control{self.problem.subject}: {unsolved.sum()} of {unsolved.size} "
                f"problems not solved, perhaps because the dry friction of joint "
                f"{quoted(first.name)} almost jumps when the joint reverses; use a Friction with "
                f"smoothing={GENTLE:g} instead of {first.friction.smoothing:g} in the model of the "
                f"solver, or robot.without_friction(), or more iterations",
                SimulationWarning,
            )

    # -- arrays ------------------------------------------------------------------------------------

    def target(self, given):
        """The target on whose device these arrays are."""
        target = target_of({name: value for name, value in given.items() if value is not None})
        if target is not CPU and self.threads is not None:
            raise ArgumentError("threads cannot be set for target 'cuda'")
        return target

    def arrays(self, target, given):
        """The batch shape, and arrays by name with the batch as one axis, time before it."""
        problem, system = self.problem, self.problem.system
        arrays = checked_arrays(problem, self.horizon, target, given)
        if target is CPU and isinstance(system, RobotSystem):
            require_unit_quaternions(system.robot, arrays["x0"][..., : system.robot.nq], "x0")
        shapes = shapes_of(problem, self.horizon)
        return as_rows(target, arrays, shapes, timed(problem), self.dtype)

    def begin(self, work, arrays):
        """Trajectories to start from."""
        problem, here, xp = self.problem, work.here, work.target.arrays
        work.connect({name: arrays[name] for name in problem.parameters})
        here.x[0] = arrays["x0"]
        if problem.feasible or "xs" not in arrays:
            here.x[...] = arrays["x0"]
        else:
            here.x[1:] = arrays["xs"][1:]
        here.u[...] = arrays["us"] if "us" in arrays else self.resting(work.target, arrays)
        if problem.limits is not None:
            low, high = (work.target.put(np.array(each, self.dtype)) for each in problem.limits)
            here.u[...] = xp.clip(here.u, low, high)

    def resting(self, target, arrays):
        """Controls that hold a robot against gravity, or zero."""
        system = self.problem.system
        if not isinstance(system, RobotSystem) or system.actuation is not None:
            return 0.0
        robot, x0 = system.robot, arrays["x0"]
        own = {name: arrays[name] for name in system.parameters if name in GRAVITY}
        q = x0[:, : robot.nq]
        torques = api.gravity_torques(robot, target.given_back(q), **own)
        torques = target.taken(torques, "torques")[:, list(system.driven)]
        return torques

    def _solution(self, target, batch, found, arguments, history):
        """Arrays of the caller's library, time after the batch."""
        system = self.problem.system

        def whole(array, timed=False):
            return target.given_back(as_batch(target, array, batch, timed))

        timed = {"xs", "us", "gains", "costates"}
        multipliers = found.pop("multipliers")
        fields = {name: whole(array, name in timed) for name, array in found.items()}
        multipliers = {name: whole(each, name == "stage") for name, each in multipliers.items()}
        arguments = {name: target.given_back(each) for name, each in arguments.items()}
        found = Solution(
            **fields,
            multipliers=multipliers,
            arguments=arguments,
            history=history,
            problem=self.problem,
        )
        if target is CPU and isinstance(system, RobotSystem) and not self.problem.stage.constraints:
            q = np.moveaxis(found.q, -2, 0)
            warn_of_limits(system.robot, Trajectories(system.dt * np.arange(len(q)), q), UNBOUNDED)
        return found

    def __repr__(self) -> str:
        problem = self.problem
        name = (
            quoted(problem.system.robot.name)
            if isinstance(problem.system, RobotSystem)
            else "a Program"
        )
        return (
            f"<Solver of {name}: {problem.method}, horizon {self.horizon}, "
            f"{problem.system.nu} controls, {self.dtype}>"
        )


def _searched(work, iterations, tolerance, constraint_tolerance):
    """Search until all problems are done, and what is found then, by names of a Solution."""
    xp, target, count = work.target.arrays, work.target, work.count
    search, rows = Search(work, tolerance, constraint_tolerance), xp.arange(count)
    found: dict[str, Any] = {}
    course, at_once = Course(target, count), 1 if target is CPU else QUEUED
    if not count:
        iterations = 0
    with Progress("optimal control", iterations) as progress, np.errstate(all="ignore"):
        if count:
            search.begin()
        for k in range(1, iterations + 1):
            search.round()
            course.add(search, rows)
            progress.at(k)
            if k % at_once and k < iterations:
                continue
            running = search.running
            count = int(running.sum())
            if not count:
                break
            if count <= search.work.count // 2 and search.work.count >= FEW:
                _put(found, search, rows)
                kept = xp.nonzero(running)[0]
                rows, search = rows[kept], search.of(kept)
    search.end()
    _put(found, search, rows)
    return found, course.history()


def _put(found, search, rows):
    """Write what is found of the problems of these rows."""
    here = search.work.here
    search.constraints.look(search.work.now)
    results = {
        "xs": here.x,
        "us": here.u,
        "gains": here.law["K"],
        "costates": here.costates,
        "cost": search.cost,
        "residual": here.tally("steepest"),
        "gap": here.tally("widest"),
        "violation": search.constraints.violation,
        "status": search.status,
        "iterations": search.iterations,
    }
    timed = ("xs", "us", "gains", "costates")
    multipliers = found.setdefault("multipliers", {})
    for name, array in results.items():
        _put_array(found, name, array, rows, 1 if name in timed else 0)
    for name, array in search.constraints.pulls():
        _put_array(multipliers, name, array, rows, 1 if name == "stage" else 0)


def _put_array(found, name, array, rows, axis):
    if name not in found:
        found[name] = array.copy()
    elif axis:
        found[name][:, rows] = array
    else:
        found[name][rows] = array
