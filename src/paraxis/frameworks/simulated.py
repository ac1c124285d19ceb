"""`simulate` for the arrays of another framework: its signature and docstring."""

from collections.abc import Callable
from typing import Any

from ..errors import ArgumentError
from ..robots.robot import Robot, a_robot
from ..simulation.ground.ground import Ground
from ..simulation.limits import Limits
from .description import described

NOT_DIFFERENTIABLE = ("contact", "tolerance", "max_step", "max_attempts")


def simulate_of(framework: str, run: Callable) -> Callable:
    """`simulate` of a framework, in which `run(robot, arrays, controller, per_step, options)`
    returns recorded positions and rates. `arrays` are by name, `per_step` the names of settings."""

    def simulate(
        robot: Robot,
        q0: Any,
        qd0: Any,
        tau: Any = None,
        controller: Callable | None = None,
        *,
        dt: float,
        steps: int,
        ground: Ground | None = None,
        limits: bool | Limits = True,
        method: str | None = None,
        per_step: dict[str, Any] | None = None,
        every: int = 1,
        checkpoint: int | None = None,
        **keywords: Any,
    ) -> tuple[Any, Any]:
        """Simulate robots, with a gradient with respect to every array.

        **Arguments:**

        - `robot`: the robot. Closed loops are not supported.
        - `q0`, `qd0`: initial positions `(..., nq)` and rates `(..., nv)`.
        - `tau`, `controller`, `dt`, `steps`: as of `px.simulate`. The controller must be traceable.
        - `ground`, `limits`, `per_step`, `every`, `keywords`: as of `px.simulate`.
        - `method`: `"rk4"` or `"semi_implicit_euler"`.
        - `checkpoint`: as of `px.simulation.differentiable`: keep the state before every
          `checkpoint`-th step, and compute the steps between again for the gradient.

        **Returns:** `(q, qd)`, the recorded states, `(records, ..., nq)` and `(records, ..., nv)`,
        the initial one first. The gradient by `q0` is over the numbers of q.

        **Raises:** `px.ArgumentError` if arguments do not fit together, or have no gradient.

        The gradient costs three to six times as much as the run. It has no derivatives itself, and
        there is no forward mode.
        """
        for name in NOT_DIFFERENTIABLE:
            if name in keywords:
                raise ArgumentError(f"{name}: paraxis.{framework}.simulate does not support it")
        arrays = {"q0": q0, "qd0": qd0} | ({} if tau is None else {"tau": tau}) | keywords
        per_step = per_step or {}
        options: dict[str, Any]
        options = {"dt": dt, "steps": steps, "every": every, "checkpoint": checkpoint}
        options |= {"ground": ground, "limits": limits, "method": method}
        return run(a_robot(robot), arrays | per_step, controller, tuple(per_step), options)

    return described(simulate, framework)
