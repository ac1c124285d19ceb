"""The result of a solver: trajectories, control laws around them, and their quality."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import ArgumentError
from .problem import Problem
from .status import Status
from .systems import RobotSystem

if TYPE_CHECKING:
    from ..scene.scene import Scene


class History(NamedTuple):
    """The course of a search, with an entry per round, `(rounds,)`.

    - `done`: the number of problems that are finished.
    - `least`, `median`, `largest`: the costs of all problems.

    **Example:**

    >>> def cost(q, qd, u):
    ...     return 0.1 * qd @ qd + 0.01 * u @ u
    ...
    >>> def at_the_end(q, qd):
    ...     return 1e4 * (q[0] - np.pi / 2) ** 2 + 100 * qd @ qd
    ...
    >>> rod = px.robots.planar(1)
    >>> solver = px.optimal_control(rod, cost, 50, dt=0.02, terminal=at_the_end)
    >>> history = solver.solve([-np.pi / 2, 0.0]).history
    >>> len(history.least), bool(history.least[-1] < history.least[0])  # rounds; the cost fell
    (6, True)
    """

    done: np.ndarray
    least: np.ndarray
    median: np.ndarray
    largest: np.ndarray


@dataclass(frozen=True)
class Solution:
    """The best trajectories that a search found: N steps, and any batch shape `...`.

    Arrays are of the library of the arguments.

    - `xs`: states, `(..., N + 1, nx)`; `us`: controls, `(..., N, nu)`.
    - `cost`: `(...)`.
    - `gains`: K, `(..., N, nu, ndx)`: near the trajectory, u + K (x - xs) is the optimal
      control, within its limits.
    - `residual`: the largest derivative of the cost with respect to a control that is not at its
      limit; `gap`: the largest distance between a state and the step that leads to it; `violation`:
      the largest violation of a constraint.
    - `status`: a `px.optimal.Status` as an integer, 0 where the problem is solved; `solved`:
      whether it is.
    - `iterations`: the steps that were accepted.
    - `costates`: the derivative of the remaining cost with respect to the state, `(..., N + 1,
      ndx)`.
    - `multipliers`: of the constraints, "stage" `(..., N, k)` and "end" `(..., k)`, inequalities
      first.
    - `arguments`: x0 and parameters, as they were given.
    - `history`: a `px.optimal.History` of the search.
    - `problem`: what was solved.

    **Example:**

    >>> def cost(q, qd, u):
    ...     return 0.1 * qd @ qd + 0.01 * u @ u
    ...
    >>> def at_the_end(q, qd):
    ...     return 1e4 * (q[0] - np.pi / 2) ** 2 + 100 * qd @ qd
    ...
    >>> rod = px.robots.planar(1)
    >>> solver = px.optimal_control(rod, cost, 50, dt=0.02, terminal=at_the_end)
    >>> plan = solver.solve([-np.pi / 2, 0.0])
    >>> bool(plan.solved), plan.xs.shape, plan.gains.shape
    (True, (51, 2), (50, 1, 2))
    >>> plan.q[[0, 25, 50], 0]  # rad: hanging, halfway, upright
    array([-1.571,  0.129,  1.569])
    >>> plan.to_html("swing_up.html")
    """

    xs: Any
    us: Any
    cost: Any
    gains: Any
    residual: Any
    gap: Any
    violation: Any
    status: Any
    iterations: Any
    costates: Any
    multipliers: dict[str, Any]
    arguments: dict[str, Any]
    history: History
    problem: Problem

    @property
    def solved(self) -> Any:
        return self.status == 0

    @property
    def q(self) -> Any:
        """Positions, (..., N + 1, nq), of a robot."""
        return self.xs[..., : self._nq("q")]

    @property
    def qd(self) -> Any:
        """Rates, (..., N + 1, nv), of a robot."""
        return self.xs[..., self._nq("qd") :]

    def _nq(self, name):
        if not isinstance(self.problem.system, RobotSystem):
            raise AttributeError(f"a Solution of a Program has no {name}; use xs")
        return self.problem.system.robot.nq

    def _repr_html_(self) -> str | None:
        """An animation of the robots, in a notebook; None for the solution of a Program."""
        if not isinstance(self.problem.system, RobotSystem):
            return None
        return self.as_scene()._repr_html_()

    def as_scene(self, title: str | None = None) -> Scene:
        """The scene of `px.show(solution)`: an animation of the robots of all problems."""
        system = self.problem.system
        if not isinstance(system, RobotSystem):
            raise ArgumentError("show: a Solution of a Program has no robot to show")
        from ..scene.motion import Motion, host  # here, because few solutions are drawn
        from ..scene.scene import Scene

        robot, (nq, nv) = system.robot, (system.robot.nq, system.robot.nv)
        arrays = {"q": host(self.q, "q", nq), "qd": host(self.qd, "qd", nv)}
        arrays = {name: np.moveaxis(array, -2, 0) for name, array in arrays.items()}
        times = system.dt * np.arange(len(arrays["q"]))
        return Scene(robot, Motion.of(robot, t=times, **arrays), title)

    def to_html(self, path: str | PathLike) -> None:
        """Write a page with the search, its costs, and trajectories, to a file."""
        from .page import solution_page  # here, because few solutions are drawn

        Path(path).write_text(solution_page(self), encoding="utf-8")

    def __repr__(self) -> str:
        status = np.atleast_1d(np.asarray(self.status))
        counts = {each.name: int((status == each).sum()) for each in Status}
        shown = ", ".join(f"{n} {name.lower()}" for name, n in counts.items() if n)
        shown = shown or "no problems"
        batch = self.status.shape
        return f"<Solution {batch}: {shown}; horizon {self.us.shape[-2]}>"
