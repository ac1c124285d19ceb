"""The public plan: the operations of Fijany's two arrays, their times, and message costs."""

from __future__ import annotations

import math
from functools import cached_property
from numbers import Real
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike

from ...checks import integer
from ...errors import ArgumentError
from ...robots.robot import Robot
from ..schedules.schedule import Schedule
from ..tasks.task_graph import TaskGraph
from .arm import Arm, given_values, numbers, planned_joints, require_planned, type_one_contact
from .chart import plan_schedule
from .closed_chain import ONE, RIGHT_HAND_SIDES, closed_chain
from .elimination import ALLOCATIONS
from .joints import TURNING
from .machine import carried_out
from .script import Do, Send
from .serial import serial_flops
from .timing import timed
from .wiring import NETWORKS, SHUFFLED, Wiring, row

MOST_LINKS = 2**14  # some seconds, and a gigabyte


def two_array_plan(
    arm: int | Robot,
    allocation: str = "second",
    word_time: float = 0,
    startup: float = 0,
    right_hand_sides: str = ONE,
    arrays: int = 2,
    processors: int | None = None,
    network: str = SHUFFLED,
) -> TwoArrayPlan:
    """Return Fijany's plan for the forward dynamics of an arm whose tip is in contact.

    Array 1 makes the block-tridiagonal A diagonal by odd-even elimination and computes Λ⁻¹; array 2
    computes bias forces, the motion without contact, the contact force and the motion with it.
    Times are in flops of one processor.

    **Arguments:**

    - `arm`: a number of links with revolute joints without rotors, 2 to 16,384; or a robot, whose
      joints may also be prismatic or spherical, and have rotors. It must be a chain whose links all
      have mass and inertia.
    - `allocation`: `"second"`: the processor of A(i) computes everything that needs it; `"first"`:
      the processor that updates block i computes everything for that (section VI.B).
    - `word_time`, `startup`: a message of w words takes `startup + w * word_time` for each link
      that it crosses, while its sender continues to compute.
    - `right_hand_sides`: the six of Λ⁻¹ on `"one array"` or on `"six arrays"`; or `"left out"`,
      since updating them changes nothing: their last block, the only one used, is constant.
    - `arrays`: 2, or 1 that computes everything.
    - `processors`: the number in each array, a power of two; by default one per link. A processor
      with several adjacent links processes them one after another. Each takes the same number, also
      a power of two, so that some may have none: of 64 processors 38 for 300 links, 8 links each.
      `plan.processors` counts those of both arrays that compute.
    - `network`: within each array: `"shuffle_exchange_neighbours"`, on which blocks move from round
      to round, or `"hypercube"`, on which they stay.

    **Returns:** a plan with `makespan`, `speedup`, `hidden`, `schedule` and `carry_out`.

    **Raises:** `px.ArgumentError` if the robot is not such a chain, or an argument is out of range.

    **Example:**

    >>> plan = px.parallel.two_array_plan(6)
    >>> plan.makespan, round(plan.speedup, 2)
    (5716, 1.85)
    """
    if isinstance(arm, Robot):
        joints = planned_joints(arm)
        links = integer("joints of the robot", len(joints), 2)
    else:
        joints, links = (TURNING,), integer("arm", arm, 2)
    if links > MOST_LINKS:
        raise ArgumentError(
            f"arm: expected at most {MOST_LINKS:,} links, since a plan has all tasks of each, "
            f"found {links:,}; with free messages every doubling adds the same time"
        )
    joints *= links // len(joints)
    most = row(len(joints))
    count = most if processors is None else integer("processors", processors)
    if count > most or count.bit_count() != 1:
        raise ArgumentError(
            f"processors: expected a power of two up to {most} for {len(joints)} links, "
            f"found {count}"
        )
    for name, value, known in (
        ("allocation", allocation, ALLOCATIONS),
        ("right_hand_sides", right_hand_sides, RIGHT_HAND_SIDES),
        ("arrays", arrays, (1, 2)),
        ("network", network, NETWORKS),
    ):
        if isinstance(value, bool) or value not in list(known):
            listed = ", ".join(repr(each) for each in known)
            raise ArgumentError(f"{name}: expected one of {listed}, found {value!r}")
    for name, time in (("word_time", word_time), ("startup", startup)):
        if isinstance(time, bool) or not isinstance(time, Real) or not 0 <= time < math.inf:
            raise ArgumentError(f"{name}: expected a time >= 0, found {time!r}")
    wiring = Wiring(network, len(joints), count)
    return TwoArrayPlan(joints, allocation, word_time, startup, right_hand_sides, arrays, wiring)


class TwoArrayPlan:
    """The work of the arrays and its times, in flops. Created by `px.parallel.two_array_plan`."""

    n: int
    allocation: str
    right_hand_sides: str
    arrays: int

    def __init__(self, joints, allocation, word_time, startup, right_hand_sides, arrays, wiring):
        self.n, self.allocation, self.right_hand_sides = len(joints), allocation, right_hand_sides
        self.arrays, self._joints = arrays, joints
        script = closed_chain(joints, allocation, right_hand_sides, arrays, wiring)
        self.timing = timed(script, word_time, startup)

    @cached_property
    def _free(self):
        """The same plan with free messages."""
        return timed(self.timing.script)

    @property
    def processors(self) -> int:
        """The number of processors that compute; a row of them may be longer than the chain."""
        wiring = self.timing.script.wiring
        return -(-self.n // wiring.share) * self.timing.script.arrays

    @property
    def makespan(self) -> float:
        """When all joint accelerations are known."""
        return self.timing.makespan

    @property
    def speedup(self) -> float:
        """The flops of one processor with the same algorithm, by block LDLᵀ along the chain, over
        the makespan. The best serial program for an arm takes fewer flops
        (docs/concepts/two_arrays.md)."""
        return self.serial_flops / self.makespan

    @property
    def serial_flops(self) -> int:
        """The flops of one processor with the same algorithm, by block LDLᵀ along the chain."""
        return serial_flops(self._joints)

    @property
    def block_sizes(self) -> tuple[int, ...]:
        """The size of each joint's block of A: the forces that hold it, 5 for a revolute joint."""
        return tuple(joint.holding for joint in self._joints)

    @property
    def ends(self) -> dict[str, float]:
        """Step of the paper, such as "I.b" -> the end of its last task."""
        return self.timing.ends()

    @property
    def slack(self) -> float:
        """How long array 2 waits for Λ⁻¹ with step II done; negative if Λ⁻¹ waits for array 2."""
        ready = max(end for part, end in self.ends.items() if part.startswith("II."))
        return self.timing.arrival("Λ⁻¹") - ready

    @property
    def exposed(self) -> float:
        """The additional time relative to free messages."""
        return self.makespan - self._free.makespan

    def communication(self, part: str | None = None) -> float:
        """The sending time of the busiest node, in total or in one step of the paper, as "I.b"."""
        return self.timing.busiest(Send, part)

    def computation(self, part: str | None = None) -> float:
        """The computing time of the busiest processor, in total or in one step of the paper."""
        return self.timing.busiest(Do, part)

    @property
    def elimination_exposed(self) -> float:
        """The additional time of step I.b relative to free messages."""
        return self.ends["I.b"] - self._free.ends()["I.b"]

    @property
    def hidden(self) -> float:
        """The share of the messages of step I.b that is sent while processors compute."""
        sent = self.communication("I.b")
        return max(0.0, 1 - self.elimination_exposed / sent) if sent else 1.0

    @cached_property
    def schedule(self) -> Schedule:
        """Every task on its processor, checked; and, if messages take time, every message on its
        sender's second processor, numbered after all first ones."""
        return plan_schedule(self.timing, self._name, self.processors, self.serial_flops)

    @property
    def tasks(self) -> TaskGraph:
        """The `TaskGraph` of the schedule."""
        return self.schedule.tasks

    def to_html(self, path: str | PathLike | None = None) -> str:
        """The schedule as a page; see `Schedule.to_html`."""
        return self.schedule.to_html(path)

    def carry_out(
        self,
        robot: Robot,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        constraint: ArrayLike,
        acceleration: ArrayLike,
        motion: ArrayLike,
        force: ArrayLike,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Run all tasks in the order of the schedule, each on the memory of its own processor.

        The contact is of type I, along the axes of the tip's frame: it fixes the acceleration of
        the tip (that of its origin relative to the ground) along the columns of `constraint`, and
        the force along those of `motion`. All six columns are orthonormal.

        **Arguments:**

        - `robot`: the robot of the plan, or any with the same joints.
        - `q`, `qd`, `tau`: positions, `(nq,)`, rates and torques, `(nv,)`.
        - `constraint`: `(6, k)`, angular part first.
        - `acceleration`: `(k,)`, along the columns of `constraint`.
        - `motion`: `(6, 6 - k)`.
        - `force`: `(6 - k,)`, along the columns of `motion`.

        **Returns:** the joint accelerations, `(nv,)`, and the force that the arm exerts at its tip,
        `(6,)`.
        """
        require_planned(robot, self._joints)
        contact = type_one_contact(constraint, acceleration, motion, force)
        arm = Arm(robot, numbers("q", q, robot.nq))
        qd, tau = numbers("qd", qd, robot.nv), numbers("tau", tau, robot.nv)
        found = carried_out(self.timing, given_values(arm, qd, tau, contact))
        return arm.after_joints([found["q̈"][i] for i in range(self.n)]), found["force"][self.n - 1]

    @property
    def _name(self):
        return f"chain of {self.n} links in contact, {self.allocation} allocation"

    def __repr__(self):
        return (
            f"<TwoArrayPlan {self._name}, on {self.processors}: makespan {self.makespan:,.0f}, "
            f"speed-up {self.speedup:.2f}, messages of step I.b {self.hidden:.0%} hidden>"
        )
