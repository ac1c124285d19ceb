"""A controller and a plant, step by step.

The plant need not be what the controller believes: it may have other masses, and be disturbed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..body import Body
from ..checks import integer
from ..drivers.map import broadcast_shapes
from ..errors import ArgumentError
from ..graph.splice import splice
from ..graph.trace import trace
from ..simulation.simulator import Simulator
from .quadratic import dot
from .systems import RobotSystem
from .timing import Timing

NEARLY = 1e-9  # of a step of time, by which two may differ


@dataclass(frozen=True)
class ClosedLoop:
    """A controller and its plant, tick by tick; time is the first axis, as in a `Run`.

    - `xs`: the states at ticks and after the last one, `(steps + 1, ..., nx)`; `q`, `qd` of robots.
    - `us`: what the controller returned, `(steps, ..., nu)`.
    - `cost`: the cost of the stage at each tick, `(steps, ...)`.
    - `refused`: how many ticks kept the plan before, `(...)`.
    - `timing`: of the ticks, a `px.optimal.Timing`.
    - `positions`: of a robot, how many entries of a state are positions: nq.

    **Example:**

    >>> def cost(q, qd, u):
    ...     return 0.1 * qd @ qd + 0.01 * u @ u
    ...
    >>> def at_the_end(q, qd):
    ...     return 1e4 * (q[0] - np.pi / 2) ** 2 + 100 * qd @ qd
    ...
    >>> rod = px.robots.planar(1)
    >>> solver = px.optimal_control(rod, cost, 50, dt=0.02, terminal=at_the_end)
    >>> mpc = solver.mpc([-np.pi / 2, 0.0])
    >>> run = mpc.run(steps=50)  # with the model itself as the plant
    >>> run.q.shape, run.us.shape
    ((51, 1), (50, 1))
    >>> run.q[[0, 25, 50], 0]
    array([-1.571, -0.203,  0.772])
    """

    xs: Any
    us: Any
    cost: Any
    refused: Any
    timing: Timing
    positions: int | None = None  # of a robot: nq

    @property
    def q(self) -> Any:
        """Positions, (steps + 1, ..., nq), of a robot."""
        return self.xs[..., : self._nq("q")]

    @property
    def qd(self) -> Any:
        """Rates, (steps + 1, ..., nv), of a robot."""
        return self.xs[..., self._nq("qd") :]

    def _nq(self, name):
        if self.positions is None:
            raise AttributeError(f"a closed loop of a Program has no {name}; use xs")
        return self.positions

    def __repr__(self) -> str:
        return (
            f"<ClosedLoop of {len(self.us)} ticks, {self.us.shape[1:-1]} problems: {self.timing}>"
        )


def closed_loop(controller, plant, steps, x0, disturbance, changing):
    steps, target = integer("steps", steps), controller.target
    problem, batch, xp = controller.problem, controller.batch, target.arrays
    system, dtype = problem.system, controller.dtype
    changing = {name: _per_tick(value, name, steps) for name, value in changing.items()}
    if disturbance is not None:
        disturbance = _per_tick(disturbance, "disturbance", steps)
        target.array(disturbance, "disturbance", (system.nu,))
    with target.stream():
        follow = _plant(controller, plant, x0)
        states = xp.empty((steps + 1, *batch, system.nx), dtype)
        controls = xp.empty((steps, *batch, system.nu), dtype)
        costs = _stage_costs(controller, steps)
        before = target.taken(controller.refused, "refused")
        states[0] = follow.state()
        for k in range(steps):
            u = controller.tick(
                target.given_back(states[k]), **{name: each[k] for name, each in changing.items()}
            )
            controls[k] = target.taken(u, "u")
            applied = controls[k] if disturbance is None else controls[k] + disturbance[k]
            follow.advance(applied)
            states[k + 1] = follow.state()
        cost = costs(states[:-1], controls, changing)
        refused = target.taken(controller.refused, "refused") - before
    back = target.given_back
    positions = system.robot.nq if isinstance(system, RobotSystem) else None
    given = back(states), back(controls), back(cost), back(refused)
    return ClosedLoop(*given, controller.timing, positions)


def _per_tick(value, name, steps):
    value = value if hasattr(value, "shape") else np.asarray(value, float)
    if value.ndim == 0 or len(value) != steps:
        found = value.shape
        raise ArgumentError(
            f"{name}: expected a value for each of the {steps} ticks as the first axis, found "
            f"shape {found}"
        )
    return value


# -- plants ----------------------------------------------------------------------------------------


def _plant(controller, plant, x0):
    if isinstance(plant, Simulator):
        if x0 is not None:
            raise ArgumentError("x0: a Simulator begins where it was reset")
        return _Simulated(controller, plant)
    if plant is not None and not callable(plant):
        raise ArgumentError(
            f"plant: expected a px.Simulator, a function of (x, u) or None, found "
            f"{type(plant).__name__}"
        )
    return _Stepped(controller, plant, x0)


class _Simulated:
    """Robots of a Simulator."""

    def __init__(self, controller, simulator):
        system, target = controller.problem.system, controller.target
        if not isinstance(system, RobotSystem):
            raise ArgumentError("plant: a Simulator needs a controller of a robot")
        if simulator.batch != controller.batch:
            raise ArgumentError(
                f"plant: expected robots of batch shape {controller.batch}, found "
                f"{simulator.batch}; reset the Simulator with that batch shape"
            )
        of_plan = system.dt if controller.ahead else simulator.dt
        count = round(of_plan / simulator.dt)
        if not count or abs(count * simulator.dt - of_plan) > NEARLY * of_plan:
            raise ArgumentError(
                f"plant: expected a dt that divides that of the plan, {of_plan}, found "
                f"{simulator.dt}"
            )
        self._simulator, self._target, self._count = simulator, target, count
        kernel = target.map(Body(torques_graph, system), controller.dtype)
        self._torques = lambda x, u: kernel(target.given_back(x), target.given_back(u))

    def state(self):
        q, qd, _ = self._simulator.arrays_now
        return self._target.arrays.concatenate([q, qd], -1)

    def advance(self, u):
        self._simulator.step(self._torques(self.state(), u), self._count)


class _Stepped:
    """A function from states and controls to the next states."""

    def __init__(self, controller, step, x0):
        self._target, self._controller = controller.target, controller
        self._state = controller.given["x0"].reshape(*controller.batch, -1)
        if x0 is not None:
            nx = controller.problem.system.nx
            x0 = controller.target.array(x0, "x0", (nx,))
            broadcast_shapes({"x0": x0.shape[:-1], "the problems": controller.batch})
            self._state = controller.target.arrays.broadcast_to(x0, (*controller.batch, nx))
        self._step = step or self._by_model(controller)

    def state(self):
        return self._state

    def advance(self, u):
        back = self._target.given_back
        state = self._step(back(self._state), back(u))
        if state is None:
            raise ArgumentError("plant: expected a function (x, u) -> x, found None as its result")
        state = self._target.array(state, "plant", ())
        if tuple(state.shape) != tuple(self._state.shape):
            raise ArgumentError(
                f"plant: expected states of shape {tuple(self._state.shape)}, found "
                f"{tuple(state.shape)}"
            )
        self._state = state

    def _by_model(self, controller):
        """The model itself, with the first of parameters per step."""
        problem, back = controller.problem, controller.target.given_back
        kernel = controller.target.map(Body(step_graph, problem.system), controller.dtype)

        def step(x, u):
            given = {name: back(controller.now(name)) for name in problem.system.own_inputs}
            return kernel(x, u, **given)

        return step


def step_graph(system):
    """x, u and parameters of the system -> the next x."""
    shapes = {"x": (system.nx,), "u": (system.nu,)} | system.own_inputs
    return trace(lambda x, u, **given: {"x'": system.step(x, u, given)}, shapes, "step")


def torques_graph(system):
    """x, u -> the torques of the motors."""
    nq = system.robot.nq
    shapes = {"x": (system.nx,), "u": (system.nu,)}
    return trace(lambda x, u: {"tau": system.motors(x[:nq], x[nq:], u)}, shapes, "motors")


# -- costs -----------------------------------------------------------------------------------------


def cost_graph(objective):
    """x, u and parameters -> the cost without constraints."""
    graph = objective.graph

    def run(**arrays):
        found = splice(graph, [arrays[name] for name in graph.inputs])
        cost = dict(zip(graph.outputs, found, strict=True))["cost"]
        return {"cost": 0.5 * dot(cost, cost) if graph.outputs["cost"][0] else cost}

    return trace(run, graph.inputs, "cost")


def _stage_costs(controller, steps):
    """The function of states, controls and changing parameters that returns what ticks cost."""
    problem, target, batch = controller.problem, controller.target, controller.batch
    kernel = target.map(Body(cost_graph, problem.stage), controller.dtype)
    first = {name: controller.now(name).copy() for name in problem.stage.parameters}

    def costs(states, controls, changing):
        """Parameters that tick k is given act from tick k + 1 on."""
        xp, back, given = target.arrays, target.given_back, {}
        for name, array in first.items():
            shape = array.shape[len(batch) :]
            if name not in changing:
                given[name] = back(array)
                continue
            later = target.taken(changing[name], name)[: steps - 1]
            if name in problem.per_step:
                later = later[(..., 0, *[slice(None)] * len(shape))]
            whole = xp.empty((steps, *batch, *shape), controller.dtype)
            whole[0] = array
            whole[1:] = later.reshape(
                len(later), *[1] * (whole.ndim - later.ndim), *later.shape[1:]
            )
            given[name] = back(whole)
        known = {"x": back(states), "u": back(controls)} | given
        return target.taken(kernel(**{name: known[name] for name in kernel.inputs}), "cost")

    return costs
