"""The public plan: inverse dynamics on p processors, each with a block of joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...checks import integer, listing, one_of, quoted
from ...errors import ArgumentError
from ...physics.base_frame_newton_euler import torques
from ...physics.configuration import neutral
from ...physics.parts.orders import p_fold, shuffled_p_fold
from ...robots.model import Model
from ...robots.refusals import open_tree, unsprung
from ...robots.robot import Robot
from ...robots.rows import rows_of
from .network import Delivery, Network
from .optimal_order import optimal
from .p_fold_machine import PFoldMachine, PFoldStep
from .recurrence import delivered
from .tour import Tour

ORDERS = {each.__name__: each for each in (p_fold, shuffled_p_fold, optimal)}


def p_fold_plan(robot: Robot, processors: int, order: str = "p_fold") -> PFoldPlan:
    """Return Lee and Chang's plan for inverse dynamics on p processors (1988).

    In base coordinates inverse dynamics consists of six recurrences, one of rotations and five of
    sums, and of local equations of every joint. Each processor has a block of joints; recurrences
    are solved by blocks (algorithm PFP): within each, then over their ends, then inside again.

    A tree is traversed along the tour that enters and leaves each of its bodies, a chain directly.

    **Arguments:**

    - `robot`: a tree of any joints. Closed loops, couplings and springs are not supported.
    - `processors`: the number of processors, from 1; those beyond the number of joints are idle.
    - `order`: `"p_fold"`; or `"shuffled_p_fold"`, in which the ends of blocks move by inverse
      shuffles, for networks that shuffle, which requires a power of two of processors. `"optimal"`
      solves recurrences in the fewest possible steps, found by search, for up to 12 joints in a
      row.

    **Returns:** a plan with `steps`, `messages`, `joints`, `on` and `carry_out`.

    **Raises:** `px.ArgumentError` if the robot has closed loops, couplings or springs, or an
    argument is out of range.

    **Example:**

    >>> plan = px.parallel.p_fold_plan(px.load("puma560"), processors=3)
    >>> len(plan.steps)
    48
    """
    what = "the p-fold plan"
    unsprung(open_tree(robot, what), what)
    rows = rows_of(robot)
    if rows.followers:
        names = listing([rows.joints[k].name for k in rows.followers])
        raise ArgumentError(
            f"robot {quoted(robot.name)}: {what} does not support coupled or helical joints, found "
            f'{names}; px.load(..., couplings="independent") lets coupled joints move '
            "independently"
        )
    if not robot.n:
        raise ArgumentError(f"robot {quoted(robot.name)} has no joints; {what} needs at least one")
    one_of(order, ORDERS, "order")
    return PFoldPlan(robot, integer("processors", processors), order)


class PFoldPlan:
    """The work of each processor, and its messages. Created by `px.parallel.p_fold_plan`."""

    robot: Robot
    processors: int
    order: str

    def __init__(self, robot, processors, order):
        self.robot, self.processors, self.order = robot, processors, order
        self._model = Model(rows_of(robot))
        self._tour = Tour(self._model.robot)
        self._recorded = self._machine()
        nothing = [0.0] * robot.nv
        torques(self._recorded, self._model, neutral(robot), nothing, nothing)

    def _machine(self):
        return PFoldMachine(self._tour, ORDERS[self.order], self.processors)

    @property
    def steps(self) -> list[PFoldStep]:
        """The `PFoldStep`s, with `value`, `done` and `messages`. In each, a processor evaluates one
        equation of one joint, or applies the operator of a recurrence once."""
        return list(self._recorded.steps)

    @property
    def joints(self) -> list[list[str]]:
        """For each processor the names of its joints. A joint of several degrees of freedom has one
        row for each of them, and is listed by these."""
        names = [joint.name for joint in self._model.robot.joints]
        homes = self._recorded.homes
        return [[names[i] for i in homes if homes[i] == k] for k in range(self.processors)]

    @property
    def messages(self) -> int:
        """The number of messages; each carries one rotation (9 words) or one vector (3)."""
        return sum(len(step.messages) for step in self._recorded.steps)

    @property
    def operations(self) -> int:
        """The number of equations of joints and of applications of operators, in total."""
        return sum(len(step.done) for step in self._recorded.steps)

    def on(self, network: Network, per_hop: float = 1.0, startup: float = 0.0) -> Delivery:
        """Send the messages through a network: the `Delivery` of all steps together.

        `per_hop` and `startup` are times, as for `Network.deliver`.
        """
        sent = (step.messages for step in self._recorded.steps)
        return delivered(network, self.processors, sent, per_hop, startup)

    def carry_out(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> np.ndarray:
        """The torques, computed step by step as planned.

        **Arguments:**

        - `q`: `(nq,)`; `qd`, `qdd`: `(nv,)`. Traced arrays also work, so that
          `px.trace(plan.carry_out, q=nq, qd=nv, qdd=nv)` is a Program.

        **Returns:** `(nv,)`, as from `px.inverse_dynamics`.
        """
        sizes = {"q": self.robot.nq, "qd": self.robot.nv, "qdd": self.robot.nv}
        given = dict(zip(sizes, map(np.asanyarray, (q, qd, qdd)), strict=True))
        for name, value in given.items():
            if value.shape != (sizes[name],):
                raise ArgumentError(f"{name}: expected shape ({sizes[name]},), found {value.shape}")
        model, rates = self._model, given["qd"]
        accelerations = model.rows_accelerations(rates, given["qdd"])
        tau = torques(self._machine(), model, given["q"], rates, accelerations)
        return np.array(model.joint_torques(rates, tau))

    def __str__(self):
        """A line for each value: its steps, operations and messages."""
        totals = {}
        for step in self._recorded.steps:
            total = totals.setdefault(step.value, [0, 0, 0])
            counts = (1, len(step.done), len(step.messages))
            total[:] = map(sum, zip(total, counts, strict=True))
        lines = [f"{'value':6}{'steps':>7}{'operations':>12}{'messages':>10}"]
        lines += [f"{name:6}{s:7}{done:12}{sent:10}" for name, (s, done, sent) in totals.items()]
        return "\n".join([repr(self), *lines])

    def __repr__(self):
        return (
            f"<PFoldPlan of {self.robot.name}, {self.order} on {self.processors}: "
            f"{len(self._recorded.steps)} steps, {self.operations} operations, "
            f"{self.messages} messages>"
        )
