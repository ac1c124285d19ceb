"""The names of tasks on a page: short names for their bars, and descriptions in words.

Task names are written for code: `%12 mul` is a line of a Program, `omega[3].x` a marked value,
`301` Dhanaraj's subtask 1 of link 3.
"""

import re
from collections import Counter
from typing import NamedTuple

from ..tasks.operations import known_values
from ..tasks.task_graph import ProgramTasks

SIGNS = {"mul": "×", "add": "+", "sub": "−", "div": "÷", "sqrt": "√"}
KINDS = {"mul": "product", "add": "sum", "sub": "difference", "div": "quotient"}
KINDS |= {"sqrt": "square root", "sin": "sine", "cos": "cosine"}
VALUES = {
    "omega": "angular velocity",
    "omega_dot": "angular acceleration",
    "alpha": "angular acceleration",
    "com_acceleration": "acceleration of the centre of mass",
    "lambda": "λ, the matrix of angular acceleration",
    "tau": "joint torque",
    "qdd": "joint acceleration",
}
LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MARKED = re.compile(r"([A-Za-z_]\w*)\[(\d+)\](?:\.(\w+))?")


class Called(NamedTuple):
    """For each task, in order: the text of its bar, its description, and other shown details."""

    bars: list
    words: list
    labels: list


def called(tasks):
    """The displayed names of a task graph."""
    labels = [str(tasks.labels.get(name, "")) for name in tasks.names]
    names = [str(name) for name in tasks.names]
    numbered = [re.fullmatch(r"\d+(\+\d+)?", name) is not None for name in names]
    if isinstance(tasks, ProgramTasks) and not any(numbered):
        return _of_program(tasks, names, labels)
    words = [
        (label or f"task {name}") if number else name
        for name, label, number in zip(names, labels, numbered, strict=True)
    ]
    more = [
        f"task {name}" * bool(label) if number else label
        for name, label, number in zip(names, labels, numbered, strict=True)
    ]
    return Called(names, words, more)


def _of_program(tasks, names, labels):
    goals = _goals(tasks.program.graph)
    bars, words, more = [], [], []
    for name, label, operations in zip(names, labels, tasks.operations, strict=True):
        if not name.startswith("%"):
            bars.append(_short(name, operations))
            words.append(value_words(name))
            more.append(f"{name}: {label}")
            continue
        goal = goals.get(operations[-1].index)
        kind = _kind([node.op for node in operations])
        bars.append(SIGNS.get(operations[0].op, kind) if len(operations) == 1 else kind)
        words.append(f"{kind} for {value_words(goal)}" if goal else kind)
        more.append(name if len(operations) == 1 else f"{name}: {label}")
    return Called(bars, words, more)


def _short(name, operations):
    """For a narrow bar: torques as τ₀, an operation as its sign."""
    found = re.fullmatch(r"tau\[(\d+)\]", name)
    if found:
        return "τ" + found[1].translate(LOW)
    return SIGNS.get(operations[0].op, name) if len(operations) == 1 else name


def value_words(name):
    """A description such as 'angular velocity of link 3, x'."""
    found = MARKED.fullmatch(name)
    if not found:
        return name
    value, number, part = found.groups()
    if value in ("tau", "qdd"):
        return f"{VALUES[value]} {number}"
    words = VALUES.get(value, value.replace("_", " "))
    return f"{words} of link {number}" + (f", {part}" if part else "")


def _kind(ops):
    counts = Counter(ops)
    if len(ops) == 1:
        return KINDS.get(ops[0], ops[0])
    if counts == {"sin": 1, "cos": 1}:
        return "sine and cosine"
    return f"{len(ops)} operations"


def _goals(graph):
    """node index -> the name of the first named value to which it leads."""
    goals = dict(known_values(graph))
    for node in reversed(graph.nodes):
        if node.index in goals:
            for a in node.args:
                goals.setdefault(a.index, goals[node.index])
    return goals
