"""Optimal control for the arrays of another framework: its signature, and a solver as a function of
arrays with a gradient."""

from collections.abc import Callable
from typing import Any

from ..errors import ArgumentError
from ..optimal.arguments import GUESSES, checked_arrays
from ..optimal.gradients import Point, gradient
from ..optimal.solver import Solver
from ..targets.target import CPU
from .description import described


def solve_of(framework: str, run: Callable) -> Callable:
    """`solve` of a framework, in which `run(solver, arrays, options)` returns what is found.
    `arrays` are by name, `options` those of `Solver.solve`."""

    def solve(
        solver: Solver,
        x0: Any,
        us: Any = None,
        xs: Any = None,
        *,
        iterations: int = 100,
        tolerance: float = 1e-9,
        constraint_tolerance: float = 1e-6,
        **parameters: Any,
    ) -> tuple[Any, Any, Any, Any]:
        """Solve optimal control problems, with a gradient with respect to `x0` and parameters.

        **Arguments:**

        - `solver`: made by `px.optimal_control`.
        - `x0`, `us`, `xs`, `iterations`, `tolerance`, `constraint_tolerance`, `parameters`: as of
          its `solve`. Guesses `us` and `xs` have no gradient: optima do not depend on them.

        **Returns:** `(xs, us, cost, solved)`: states `(..., N + 1, nx)`, controls `(..., N, nu)`,
        costs `(...)`, and which problems are solved, `(...)`. The gradient by `x0` is over the nx
        numbers.

        **Raises:** `px.ArgumentError` if arguments do not fit together.

        The gradient is that of the optimum, by the implicit function theorem, see
        `px.optimal.Solver.gradient`; it costs about as much as an iteration or two. It is NaN, with
        a warning, for problems that are not solved, and 0 for problems whose cotangents are all 0.
        It has no derivatives itself, and there is no forward mode.
        """
        if not isinstance(solver, Solver):
            raise ArgumentError(
                f"solve: expected a solver (px.optimal_control makes them), found "
                f"{type(solver).__name__}"
            )
        guesses = {name: guess for name, guess in (("us", us), ("xs", xs)) if guess is not None}
        options = {"iterations": iterations, "tolerance": tolerance}
        options |= {"constraint_tolerance": constraint_tolerance}
        return run(solver, {"x0": x0} | guesses | parameters, options)

    return described(solve, framework)


class Solved:
    """A solver as a function of arrays, which keeps what its gradient needs as arrays, too."""

    def __init__(self, solver, options):
        self.solver, self.options = solver, options

    def check(self, arrays, target=CPU):
        """Raise if these arguments do not fit."""
        checked_arrays(self.solver.problem, self.solver.horizon, target, arrays)

    @property
    def constraints(self):
        """Where there are constraints -> the shape of their multipliers, of one problem."""
        problem, horizon = self.solver.problem, self.solver.horizon
        stage, end = problem.stage.constraints, problem.terminal.constraints
        return ({"stage": (horizon, stage)} if stage else {}) | ({"end": (end,)} if end else {})

    def forward(self, arrays):
        """(xs, us, cost, solved) and what is kept, (xs, us, solved, *multipliers)."""
        found = self.solver.solve(**arrays, **self.options)
        kept = found.xs, found.us, found.solved, *found.multipliers.values()
        return (found.xs, found.us, found.cost, found.solved), kept

    def backward(self, arrays, kept, bars, wanted):
        """name -> cotangent of an argument, from those of "xs", "us" and "cost" that there are."""
        xs, us, solved, *multipliers = kept
        arguments = {name: each for name, each in arrays.items() if name not in GUESSES}
        multipliers = dict(zip(self.constraints, multipliers, strict=True))
        point = Point(arguments, xs, us, multipliers, solved)
        return gradient(self.solver, point, bars, wanted)
