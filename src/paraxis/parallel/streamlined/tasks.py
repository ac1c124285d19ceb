"""Dhanaraj's streamlined tasks: the inverse dynamics of a robot in subtasks of three operations.

His steps (steps.py, friction_steps.py) are traced for the given robot. The remaining operations of
a step, without those on zeros and ones and those that no torque needs, are divided into as few
subtasks as possible. They take the last of the numbers that Table 4.1 has for the step, following
his numbering; subtasks beyond the table are called 3+1, 3+2, ... for link 3. Dependencies are those
of the operations.
"""

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from ...errors import ArgumentError
from ...graph.trace import trace
from ...passes.count import COUNTED
from ...physics.friction.motor_torques import directions
from ...programs import Program
from ...robots.branching import require_chain
from ...robots.model import Model
from ...robots.refusals import open_tree, single_joints, unsprung
from ...robots.robot import Robot
from ...robots.rows import rows_of
from ..tasks.task_graph import ProgramTasks, TaskGraph
from .friction_steps import motor_torque
from .steps import inverse_dynamics
from .table import MAKES, UNIT, general_arm, task_name

OPERATIONS = 3  # in a subtask


def streamlined_tasks(robot: Robot, customised: bool = True, friction: bool = False) -> TaskGraph:
    """Return the subtasks of a robot's inverse dynamics by Dhanaraj's scheme, each of weight 1.

    **Arguments:**

    - `robot`: a `px.Robot`.
    - `customised`: whether the subtasks are those of this particular robot. If false, they are
      those of the general arm of his tables, with the same number of links and kinds of joints.
    - `friction`: whether to continue to the torques of the motors, `input` of `px.motor_torques`,
      which adds the subtasks of bearings and transmissions. A square root or a division counts as
      one operation; comparisons, selections and absolute values are free, like sign changes.

    **Returns:** a `px.TaskGraph`. Task 301 is subtask 1 of link 3 in his Table 4.1; task 3+1 is one
    that is not in the table: twists other than 0 and 90 degrees, inertia tensors with products,
    rotors and branches need some. A joint of several degrees of freedom has as many links, the last
    of which has the mass (docs/howto/models/joints.md); the terms of its turning axes are not in
    the table either.

    **Raises:** `px.ArgumentError` if `friction` is given with `customised=False`, or the scheme
    does not support a joint: coupled or helical, or of several degrees of freedom in the general
    arm.

    **Example:**

    >>> tasks = px.streamlined_tasks(px.load("puma560"))
    >>> tasks.work, tasks.span, round(tasks.parallelism, 2)
    (155, 28, 5.54)
    """
    if not isinstance(robot, Robot):
        raise ArgumentError(f"robot: expected a Robot, found {type(robot).__name__}")
    open_tree(robot, "a table of streamlined tasks")
    unsprung(robot, "a table of streamlined tasks", losses=friction)
    if customised:
        return _customised(robot, friction)
    if friction:
        raise ArgumentError(
            "friction needs customised=True: the tables of the general arm have no subtasks for "
            "friction"
        )
    require_chain(Model(single_joints(robot, "the table of a general arm")), "general arm")
    return general_arm([joint.kind for joint in robot.joints])


@dataclass
class _Step:
    """A step of a link: its subtasks in the table, and its remaining operations."""

    link: int
    numbers: tuple
    extra: str | None
    start: int  # the first node that can be its own
    operations: list = field(default_factory=list)


def _customised(robot, friction):
    rows, steps = rows_of(robot), []
    if rows.followers:
        single_joints(robot, "a table of streamlined tasks")

    def run(q, qd, qdd):
        nodes = q[0].builder.nodes

        def step(link, *numbers, extra=None):
            steps.append(_Step(link + 1, numbers, extra, len(nodes)))

        model = Model(rows)
        step(0, extra="turning of axes")
        accelerations = model.rows_accelerations(qd, qdd)
        tau, reactions = inverse_dynamics(model, q, qd, accelerations, step)
        tau = model.joint_torques(qd, tau)
        if not friction:
            return {"tau": tau}
        each = zip(rows.joints, tau, reactions, qd, directions(qd, qdd), strict=True)
        return {"input": [motor_torque(*joint, partial(step, i)) for i, joint in enumerate(each)]}

    shapes = {"q": (robot.nq,), "qd": (robot.nv,), "qdd": (robot.nv,)}
    graph = trace(run, shapes, "motor_torques" if friction else "inverse_dynamics")
    for node in graph.nodes:
        if not _is_free(node):
            later = bisect_right(steps, node.index, key=lambda step: step.start)
            steps[later - 1].operations.append(node)
    name = f"{robot.name}, streamlined" + (" with friction" if friction else "")
    return _tasks(name, Program.of(graph), steps)


def _tasks(name, program, steps):
    operations, labels, groups = {}, {}, {}
    beyond = defaultdict(lambda: count(1))  # link -> numbers of subtasks beyond the table
    for step in steps:
        packed = _packed(step.operations)
        own = step.numbers[max(0, len(step.numbers) - len(packed)) :]
        named = [(task_name(step.link, number), MAKES[number]) for number in own]
        for _ in packed[len(own) :]:
            makes = step.extra or MAKES[step.numbers[-1]]
            named.append((f"{step.link}+{next(beyond[step.link])}", makes))
        for (task, makes), nodes in zip(named, packed, strict=True):
            operations[task] = tuple(nodes)
            labels[task], groups[task] = f"link {step.link}: {makes}", f"link {step.link}"
    maker = {node.index: task for task, nodes in operations.items() for node in nodes}
    for node in program.graph.results:
        chosen_from = list(_sources(node)) if _is_free(node) else ()
        if len(chosen_from) > 1:  # of values of several steps: computed where the last one is
            last = maker[max(source.index for source in chosen_from)]
            operations[last] += (node,)
    edges = {
        (maker[source.index], task)
        for task, nodes in operations.items()
        for node in nodes
        for source in _sources(node)
        if maker[source.index] != task
    }
    ones = dict.fromkeys(operations, 1)
    parts = tuple(operations.values())
    return ProgramTasks(ones, sorted(edges), name, labels, groups, UNIT, program, parts)


def _is_free(node):
    """Constants, inputs, signs, selections; sines and cosines of the joints are given."""
    if node.op in ("sin", "cos"):
        return next(_sources(node), None) is None
    return node.op in ("const", "input", "neg") or "logic" in COUNTED[node.op]


def _sources(node):
    """The operations whose results a node takes, directly, with another sign, or selected."""
    for each in node.args:
        if _is_free(each):
            yield from _sources(each)
        else:
            yield each


def _packed(operations):
    """Operations of a step in as few subtasks as possible.

    Dependent operations stay together if that takes no more subtasks: then no subtask waits for
    another of its step. Otherwise they are taken in the order in which they are written.
    """
    whole = []
    for group in _connected(operations):
        room = [each for each in whole if len(each) + len(group) <= OPERATIONS]
        if room:
            room[0].extend(group)
        else:
            whole.append(group)
    rows = [operations[k : k + OPERATIONS] for k in range(0, len(operations), OPERATIONS)]
    fits = len(whole) <= len(rows) and all(len(each) <= OPERATIONS for each in whole)
    return whole if fits else rows


def _connected(operations):
    """Groups of dependent operations."""
    groups = []
    for node in operations:
        taken = {source.index for source in _sources(node)}
        apart, joined = [], []
        for group in groups:
            if taken.isdisjoint(each.index for each in group):
                apart.append(group)
            else:
                joined += group
        groups = [*apart, [*joined, node]]
    return groups
