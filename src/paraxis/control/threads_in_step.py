"""`px.control.threaded_loop`: a control loop closed over real threads, one per group of links.

Binder and Herzog's assumption, one processor per link, for any policy: a thread computes the
variables and torques of its links. It waits for values of other links in the same control step; it
has stale values since the step before. A step ends when all threads are done, and a step that takes
longer than the period is missed, because its torques would be late.

The threads and the times are real; the robot is simulated between steps.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..checks import counted
from ..errors import ArgumentError
from ..graph.trace import trace
from ..parallel.methods.plan import arrival
from ..parallel.schedules.schedule import Schedule
from ..parallel.tasks.task_graph import TaskGraph
from ..programs import Program
from ..robots.refusals import single_joints
from ..robots.robot import Robot
from ..simulation.plant import Plant
from ..simulation.simulator import positive
from ..simulation.steps import rk4
from ..trajectories.trajectory import Trajectory
from .checks import check_controller
from .controller import Controller, Motion
from .decoupled.link_groups import divided
from .reference import Reference
from .stale_policies import TORQUE

ROUNDING = 1e-9  # of a period: times this close to the end count as the end
PLANT_STEP = 1e-3  # s
WARM_UP = 20  # untimed passes
MOST_STEPS = 1_000_000  # each returns to Python, so that this takes minutes


@dataclass(frozen=True, eq=False, repr=False)
class ThreadedLoop:
    """A run of `px.control.threaded_loop`. Arrays have one row per sample.

    - `groups`: the links of each thread.
    - `period`: between samples, s.
    - `t`: the times of samples, `(samples,)`, s.
    - `q`, `qd`: positions `(samples, nq)` and rates `(samples, nv)`, rad or m, and per second.
    - `tau`: the torques in effect from a sample on, `(samples, nv)`, N m or N, computed from the
      previous sample.
    - `error`: the largest error of a joint, rad or m; infinite if values overflowed.
    - `missed`: which control steps took longer than the period, `(samples,)` of bool; their torques
      are discarded.
    - `pass_time`: the time taken by each control step, `(samples,)`, s.
    - `values_sent`: how many values the threads send each other within a step.
    """

    groups: list[list[int]]
    period: float
    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    tau: np.ndarray
    error: float
    missed: np.ndarray
    pass_time: np.ndarray
    values_sent: int

    def __repr__(self):
        threads, took = counted(len(self.groups), "thread"), np.median(self.pass_time)
        return (
            f"<ThreadedLoop: {len(self.t)} steps of {self.period * 1e6:g} µs on {threads}, "
            f"{float(f'{took * 1e6:.3g}'):,g} µs per step, "
            f"{int(self.missed.sum())} missed, {self.values_sent} values sent within a step; "
            f"{self._how_far_off()}>"
        )

    def _how_far_off(self):
        if np.isfinite(self.error):
            return f"error {self.error:.2g}"
        last = self.t[np.isfinite(self.q).all(-1)][-1]
        return f"diverged: joint values overflowed after {last:.3g} s"


def threaded_loop(
    robot: Robot,
    controller: Controller,
    trajectory: Trajectory | Callable | ArrayLike,
    period: float,
    *,
    duration: float | None = None,
    groups: int | Sequence[Sequence[int]] = 2,
    plant_step: float = PLANT_STEP,
) -> ThreadedLoop:
    """Run a controller on threads, one per group of links, in closed loop with a simulated robot.

    Torques are applied one period after their sample. If no step is missed, the run equals that of
    `px.control.closed_loop` with `delay=period`; otherwise, that with `missed=run.missed`.

    **Arguments:**

    - `robot`: the simulated robot.
    - `controller`: a controller with one set of gains; its policy says which values are stale.
    - `trajectory`, `duration`: as for `px.control.closed_loop`.
    - `period`: the time between samples, s. A control step that takes longer is missed.
    - `groups`: as for `px.control.unsynchronised`.
    - `plant_step`: the longest step of the simulated robot, s.

    **Returns:** a `ThreadedLoop`.

    **Raises:** `px.ArgumentError` if arguments do not fit together, a run has more than a million
    steps, the policy looks ahead or has uncertain ages, or the robot has bearings.

    **Example:**

    >>> robot = px.robots.planar(4)
    >>> controller = px.control.computed_torque(robot, kp=100.0, kd=20.0, policy="hamilton")
    >>> move = px.trajectories.quintic(np.zeros(4), np.full(4, 0.1), duration=0.2)
    >>> run = px.control.threaded_loop(robot, controller, move, 2e-3)
    >>> run.missed.shape  # which control steps took longer than the period
    (100,)
    """
    check_controller(single_joints(robot), controller)
    if robot.has_bearings:
        raise ArgumentError(
            "robot: bearings whose friction depends on their loads are not supported here; "
            "use px.control.closed_loop"
        )
    period, plant_step = positive(period, "period"), positive(plant_step, "plant_step")
    law = _ThreadedLaw(controller, groups)
    reference = Reference(trajectory, robot)
    length = reference.duration if duration is None else duration
    if length is None:
        raise ArgumentError("duration: give it in seconds, because the trajectory has no end")
    if period > positive(length, "duration"):
        raise ArgumentError(
            f"period: expected at most the duration, {length:g} s, found {period:g}"
        )
    if length / min(period, plant_step) > MOST_STEPS:
        raise ArgumentError(
            f"duration: expected at most {MOST_STEPS:,} steps of the loop and of the simulated "
            f"robot, found {length:g} s with a period of {period:g} s and a plant_step of "
            f"{plant_step:g} s"
        )
    samples = math.ceil(length / period - ROUNDING)
    t = period * np.arange(samples)
    rows = reference.sampled(t)
    begin = Motion.of(robot, rows[0])
    q, qd = begin.q, begin.qd
    held, past = law.first(q, qd, rows[0])
    for _ in range(WARM_UP):  # waking threads, and first accesses to memory, are slow
        law(q, qd, rows[0], past)
    plant = _Plant(robot, period, plant_step)
    found: dict[str, list] = {name: [] for name in ("q", "qd", "tau", "took")}
    pending = held
    for row in rows:
        held, begun = pending, time.perf_counter()
        made = law(q, qd, row, past)
        took = time.perf_counter() - begun
        if took <= period:
            pending, past = made
        for name, value in (("q", q), ("qd", qd), ("tau", held), ("took", took)):
            found[name].append(value)
        q, qd = plant(q, qd, held)
    took, desired = np.array(found.pop("took")), Motion.of(robot, rows).q
    arrays = {name: np.array(values) for name, values in found.items()}
    error = float(np.nan_to_num(np.abs(arrays["q"] - desired), nan=np.inf, posinf=np.inf).max())
    return ThreadedLoop(
        law.groups,
        period,
        t,
        **arrays,
        error=error,
        missed=took > period,
        pass_time=took,
        values_sent=law.values_sent,
    )


class _Plant:
    """The robot under torques that are held for a period, by RK4 as in `px.control.closed_loop`."""

    def __init__(self, robot, period, plant_step):
        self.steps = math.ceil(period / plant_step - ROUNDING)
        self.length, plant = period / self.steps, Plant(robot)

        def step(q, qd, tau, length):
            def accelerations(t, q, qd):
                return plant.accelerations(q, qd, tau)[0]

            q, qd = rk4(accelerations, robot, 0.0, q, qd, length)
            return {"q_next": q, "qd_next": qd}

        shapes = {"q": (robot.nq,), "qd": (robot.nv,), "tau": (robot.nv,), "length": ()}
        self._kernel = Program.of(trace(step, shapes, "plant")).compile(threads=1)

    def __call__(self, q, qd, tau):
        for _ in range(self.steps):
            q, qd = self._kernel(q, qd, tau, self.length)
        return q, qd


class _ThreadedLaw:
    """A controller's step as a kernel with one thread per group of links."""

    def __init__(self, controller, groups):
        robot = controller.robot
        if controller.policy.ahead or controller.uncertain:
            raise ArgumentError(
                f"controller: policy {controller.policy.name!r} looks ahead or has uncertain ages, "
                "which threaded_loop does not support; use px.control.closed_loop or "
                "px.control.unsynchronised"
            )
        if controller.kp.ndim > 1 or controller.kd.ndim > 1:
            raise ArgumentError("controller: expected one set of gains, found a batch of gains")
        self.controller, self.groups = controller, divided(robot.n, groups)
        shapes = {"q": (robot.nq,), "qd": (robot.nv,), "desired": (robot.nq + 2 * robot.nv,)}
        entries = len(controller.entries)
        past = {"past": (entries,)} if entries else {}
        self._first = Program.of(trace(self._traced_first, shapes, "first"))
        program = Program.of(trace(self._traced_step, shapes | past, "step"))
        tasks = TaskGraph.from_program(program, latency=1)
        places = self._places(tasks)
        self.values_sent = len(
            {
                (first, places[then])
                for then, before in enumerate(tasks.predecessors)
                for first in before
                if places[first] != places[then]
            }
        )
        starts = _as_soon_as_possible(tasks, places)
        self._kernel = Schedule(tasks, len(self.groups), starts, places).compile()

    def first(self, q, qd, desired):
        made = self._first.evaluate(q=q, qd=qd, desired=desired)
        return (made["tau"], made["past_next"]) if self.controller.entries else (made, None)

    def __call__(self, q, qd, desired, past):
        made = self._kernel(q, qd, desired, *([] if past is None else [past]))
        return made if past is not None else (made, None)

    def _traced_first(self, q, qd, desired):
        return self._outputs(self.controller.first(*self._given(q, qd, desired)))

    def _traced_step(self, q, qd, desired, past=()):
        builder, state, wanted, gains = self._given(q, qd, desired)
        past = list(past)
        return self._outputs(self.controller.step(builder, state, wanted, None, gains, past, None))

    def _given(self, q, qd, desired):
        gains = self.controller.kp.tolist(), self.controller.kd.tolist()
        return q[0].builder, (q, qd), Motion.of(self.controller.robot, desired), gains

    @staticmethod
    def _outputs(made):
        torques, entries = made
        return {"tau": torques} | ({"past_next": entries} if entries else {})

    def _places(self, tasks):
        """The group of each task: that of the first of its links' results that depends on it."""
        home = {link: g for g, links in enumerate(self.groups) for link in links}
        recursion = self.controller.recursion
        owner = recursion.owner if recursion else lambda variable: variable[1]
        outputs = tasks.program.graph.outputs
        results = [((TORQUE, i), node) for i, node in enumerate(outputs["tau"][1])]
        results += [
            ((entry.variable, entry.link), node)
            for entry, node in zip(
                self.controller.entries, outputs.get("past_next", ((), ()))[1], strict=True
            )
        ]
        place = {}
        for variable, node in results:
            place.setdefault(node.index, home[owner(variable)])
        for node in reversed(tasks.program.graph.nodes):
            for each in node.args:
                place.setdefault(each.index, place.get(node.index, 0))
        return tuple(place.get(nodes[-1].index, 0) for nodes in tasks.operations)


def _as_soon_as_possible(tasks, places):
    starts, free = [0] * len(tasks), {}
    for task in tasks.order:
        ready = [arrival(tasks, k, task, starts, places) for k in tasks.predecessors[task]]
        starts[task] = max([free.get(places[task], 0), *ready])
        free[places[task]] = starts[task] + tasks.weights[task]
    return tuple(starts)
