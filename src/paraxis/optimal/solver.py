"""`px.optimal.Solver`: problems of one kind, solved in any number, on a CPU or a GPU."""

from __future__ import annotations

import math
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .. import api
from ..checks import did_you_mean, listing, quoted
from ..drivers.iterate import integer_like
from ..drivers.map import broadcast_shapes
from ..errors import ArgumentError
from ..robots.quaternions import require_unit_quaternions
from ..simulation.limits import warn_of_limits
from ..simulation.progress import Progress
from ..simulation.simulator import positive
from ..targets.compiling import one_call
from ..targets.target import CPU, target_of
from .search import RUNNING, Search, Status
from .solution import History, Solution
from .systems import GRAVITY, RobotSystem
from .work import Work

if TYPE_CHECKING:
    from ..targets.source.files import Exported

FEW = 16  # problems, below which it is not worth it to gather those that still run


UNBOUNDED = (
    "nothing in the problem bounds positions. An inequality does, such as "
    "inequality=lambda q: np.concatenate([q - highest, lowest - q])"
)


class Trajectories(NamedTuple):
    """Positions as a run has them, time first."""

    t: np.ndarray
    q: np.ndarray


class Solver:
    """A solver that is compiled once: `px.optimal_control` makes one."""

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
        """The best controls from the state `x0`, for every problem of a batch.

        **Arguments:**

        - `x0`: `(..., nx)`, for a robot positions and rates; it decides the device.
        - `us`: `(..., N, nu)`, a first guess of the controls. By default a robot's motors hold it
          against gravity, and other controls are zero.
        - `xs`: `(..., N + 1, nx)`, a first guess of the states, for `"sqp"` only; x0 by default.
        - `iterations`: the most rounds of a problem; one is a step that is taken or refused.
        - `tolerance`: a problem is solved where another step would gain less than that, relative to
          its cost.
        - `constraint_tolerance`: how far constraints may be violated, in their units.
        - `parameters`: `(..., *shape)`, and `(..., N + 1, *shape)` of those per step.

        **Returns:** a `px.optimal.Solution`. Problems that are not solved say so in its `status`,
        and do not change what others find.

        **Raises:** `px.ArgumentError` if an array is missing or has the wrong shape.
        """
        iterations = integer_like(iterations, "iterations")
        tolerance = positive(tolerance, "tolerance")
        constraint_tolerance = positive(constraint_tolerance, "constraint_tolerance")
        given = {"x0": x0, "us": us, "xs": xs} | parameters
        target = target_of({name: value for name, value in given.items() if value is not None})
        with one_call("optimal control"), target.stream():
            batch, arrays = self._arrays(target, given)
            work = Work(
                self.problem, self.horizon, math.prod(batch), target, self.dtype, self.threads
            )
            self._begin(work, arrays)
            found, history = _searched(work, iterations, tolerance, constraint_tolerance)
            return self._solution(target, batch, found, history)

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

        It solves one problem at a time, as `solve` does, with memory that the caller brings:
        nothing is allocated and nothing is global. `NAME_solve` searches, and `NAME_tick` is for
        control in real time: feedback, then one iteration.

        **Arguments:**

        - `folder`: where to write.
        - `name`: the beginning of all names, by default after the system.
        - `dtype`: `"float64"` or `"float32"`; by default that of this solver.
        - `iterations`: the most rounds of the self-test.
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

    # -- arrays ------------------------------------------------------------------------------------

    def _arrays(self, target, given):
        """The batch shape, and arrays by name with the batch as one axis, time before it."""
        problem, horizon = self.problem, self.horizon
        system, xp = problem.system, target.arrays
        shapes = {"x0": (system.nx,), "us": (horizon, system.nu), "xs": (horizon + 1, system.nx)}
        if given["xs"] is not None and problem.feasible:
            raise ArgumentError(
                "xs: only method 'sqp' begins with states; others follow from x0 and us"
            )
        timed = {"us", "xs", *problem.per_step}
        for name, shape in problem.parameters.items():
            shapes[name] = (horizon + 1, *shape) if name in problem.per_step else shape
        for name in given:
            if name not in shapes:
                raise ArgumentError(
                    f"{name}: expected only parameters {listing([*problem.parameters])}"
                    f"{did_you_mean(name, problem.parameters)}"
                )
        arrays, batches = {}, {}
        for name, shape in shapes.items():
            if given.get(name) is None:
                if name not in ("us", "xs"):
                    raise ArgumentError(f"{name}: is missing; expected shape (..., {shape})")
                continue
            arrays[name] = target.array(given[name], name, shape)
            batches[name] = arrays[name].shape[: arrays[name].ndim - len(shape)]
        if target is CPU and isinstance(system, RobotSystem):
            require_unit_quaternions(system.robot, arrays["x0"][..., : system.robot.nq], "x0")
        batch = broadcast_shapes(batches)
        count = math.prod(batch)
        for name, array in arrays.items():
            shape = shapes[name]
            whole = xp.broadcast_to(array, (*batch, *shape)).reshape(count, *shape)
            whole = xp.moveaxis(whole, 1, 0) if name in timed else whole
            arrays[name] = xp.ascontiguousarray(whole, self.dtype)
        return batch, arrays

    def _begin(self, work, arrays):
        """Trajectories to start from."""
        problem, here, xp = self.problem, work.here, work.target.arrays
        work.connect({name: arrays[name] for name in problem.parameters})
        here.x[0] = arrays["x0"]
        if problem.feasible or "xs" not in arrays:
            here.x[...] = arrays["x0"]
        else:
            here.x[1:] = arrays["xs"][1:]
        here.u[...] = arrays["us"] if "us" in arrays else self._resting(work, arrays)
        if problem.limits is not None:
            low, high = (work.target.put(np.array(each, self.dtype)) for each in problem.limits)
            here.u[...] = xp.clip(here.u, low, high)

    def _resting(self, work, arrays):
        """Controls that hold a robot against gravity, or zero."""
        system = self.problem.system
        if not isinstance(system, RobotSystem) or system.actuation is not None:
            return 0.0
        robot, x0 = system.robot, arrays["x0"]
        own = {name: arrays[name] for name in system.parameters if name in GRAVITY}
        q = x0[:, : robot.nq]
        torques = api.gravity_torques(robot, work.target.given_back(q), **own)
        torques = work.target.taken(torques, "torques")[:, list(system.driven)]
        return torques

    def _solution(self, target, batch, found, history):
        """Arrays of the caller's library, time after the batch."""
        system, xp = self.problem.system, target.arrays

        def whole(array, timed=False):
            array = xp.moveaxis(array, 0, 1) if timed else array
            whole = xp.ascontiguousarray(array)
            return target.given_back(whole.reshape((*batch, *array.shape[1:])))

        timed = {"xs", "us", "gains", "costates"}
        multipliers = found.pop("multipliers")
        fields = {name: whole(array, name in timed) for name, array in found.items()}
        multipliers = {name: whole(each, name == "stage") for name, each in multipliers.items()}
        found = Solution(**fields, multipliers=multipliers, history=history, problem=self.problem)
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
    xp = work.target.arrays
    search, rows = Search(work, tolerance, constraint_tolerance), xp.arange(work.count)
    found: dict[str, Any] = {}
    costs, history = xp.full(work.count, np.nan), []
    if not work.count:
        iterations = 0
    if iterations:
        search.begin()
    with Progress("optimal control", iterations) as progress:
        for k in range(iterations):
            search.round()
            running = search.running
            count = int(running.sum())
            costs[rows] = search.cost
            history.append((len(costs) - count, *_spread(xp, costs)))
            progress.at(k + 1)
            if not count:
                break
            if count <= work.count // 2 and work.count >= FEW:
                _put(found, search, rows)
                kept = xp.nonzero(running)[0]
                rows, search = rows[kept], search.of(kept)
                work = search.work
    left = search.status == RUNNING
    search.status = xp.where(left, int(Status.OUT_OF_ITERATIONS), search.status)
    _put(found, search, rows)
    return found, History(*np.array(history).reshape(-1, 4).T)


def _spread(xp, costs):
    """The least, median and largest of those that are finite."""
    finite = xp.isfinite(costs)
    count = int(finite.sum())
    if not count:
        return (np.nan,) * 3
    ordered = xp.sort(xp.where(finite, costs, np.inf))
    return tuple(float(ordered[k]) for k in (0, count // 2, count - 1))


def _put(found, search, rows):
    """Write what is found of the problems of these rows."""
    work, here = search.work, search.work.here
    results = {
        "xs": here.x,
        "us": here.u,
        "gains": here.law["K"],
        "costates": here.costates,
        "cost": search.cost,
        "residual": here.tally("steepest"),
        "gap": here.tally("widest"),
        "violation": search.violations(),
        "status": search.status,
        "iterations": search.iterations,
    }
    timed = ("xs", "us", "gains", "costates")
    multipliers = found.setdefault("multipliers", {})
    for name, array in results.items():
        _put_array(found, name, array, rows, 1 if name in timed else 0)
    for name, array in work.multipliers.items():
        _put_array(multipliers, name, array, rows, 1 if name == "stage" else 0)


def _put_array(found, name, array, rows, axis):
    if name not in found:
        found[name] = array.copy()
    elif axis:
        found[name][:, rows] = array
    else:
        found[name][rows] = array
