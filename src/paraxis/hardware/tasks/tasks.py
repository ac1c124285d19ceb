"""A function as tasks of CORDIC processors: each task is one pass through one processor.

A processor takes x, y and z and returns X, Y and Z. Over the reals, by kind of task:

    rotate      X = x cos z - y sin z, Y = y cos z + x sin z    circular rotation, CIRC1
    vector      X = sqrt(x² + y²), Z = z + atan2(y, x)          circular vectoring, CIRC2
    root        X = sqrt(x² - y²), where x >= |y|               hyperbolic vectoring, HYPE2
    mean        X = sqrt(x y), where x, y >= 0                  the same with (x + y)/2, (x - y)/2
    multiply    Y = y + x z                                     linear rotation, LIN1
    divide      Z = z + y / x                                   linear vectoring, LIN2
    add         Y = y + x, of numbers or of angles              linear, LIN1

Values are numbers or angles. Sign changes and powers of two are wires and cost no task.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ...checks import counted, shown
from ...errors import ArgumentError


@dataclass(frozen=True)
class Input:
    """Entry `index`, in row-major order, of the input array `name`.

    **Example:**

    >>> px.hardware.Input("q", 2)
    Input(name='q', index=2)
    """

    name: str
    index: int


@dataclass(frozen=True)
class Constant:
    """A number known when the tasks are created."""

    value: float


@dataclass(frozen=True)
class Result:
    """The result of a task, by its index in the list, at its port "X", "Y" or "Z"."""

    task: int
    port: str


@dataclass(frozen=True)
class Operand:
    """sign · 2**shift · source; an angle is never shifted."""

    source: Input | Constant | Result
    sign: int = 1
    shift: int = 0

    def __neg__(self):
        return Operand(self.source, -self.sign, self.shift)


@dataclass(frozen=True)
class Task:
    """One pass through a processor; `angle` is whether an `add` is of angles rather than numbers.

    Ports that its kind does not use are None. `note` is a readable name of the result.
    """

    kind: str
    x: Operand | None = None
    y: Operand | None = None
    z: Operand | None = None
    angle: bool = False
    note: str = ""

    @property
    def operands(self) -> dict[str, Operand]:
        """Port -> Operand, for the ports in use."""
        ports = {"x": self.x, "y": self.y, "z": self.z}
        return {port: operand for port, operand in ports.items() if operand is not None}


def _rotate(x, y, z):
    return {"X": x * np.cos(z) - y * np.sin(z), "Y": y * np.cos(z) + x * np.sin(z)}


def _root(x, y):
    return {"X": np.where(x >= abs(y), np.sqrt(abs(x - y) * abs(x + y)), np.nan)}


def _mean(x, y):
    right = (x >= 0) & (y >= 0)
    return {"X": np.where(right, np.sqrt(abs(x)) * np.sqrt(abs(y)), np.nan)}


MEANINGS = {
    "rotate": _rotate,
    "vector": lambda x, y, z: {"X": np.hypot(x, y), "Z": z + np.arctan2(y, x)},
    "root": _root,
    "mean": _mean,
    "multiply": lambda x, y, z: {"Y": y + x * z},
    "divide": lambda x, y, z: {"Z": z + y / x},
    "add": lambda x, y: {"Y": y + x},
}


@dataclass(frozen=True, eq=False)
class CordicTasks:
    """A function as CORDIC tasks, each after those on which it depends.

    `inputs` maps a name to a shape, `outputs` a name to (shape, Operands in row-major order);
    `angles` are the Inputs that are angles.
    """

    name: str
    inputs: dict[str, tuple[int, ...]]
    tasks: tuple[Task, ...]
    outputs: dict[str, tuple[tuple[int, ...], list[Operand]]]
    angles: frozenset[Input] = field(default_factory=frozenset)

    def is_angle(self, source):
        """Whether an Input or a Result is an angle; for a Constant its port decides."""
        if isinstance(source, Input):
            return source in self.angles
        if isinstance(source, Result):
            task = self.tasks[source.task]
            return task.angle or (task.kind == "vector" and source.port == "Z")
        return False

    @cached_property
    def counts(self) -> dict[str, int]:
        """Kind -> number of tasks."""
        found = Counter(task.kind for task in self.tasks)
        return {kind: found[kind] for kind in MEANINGS if found[kind]}

    @cached_property
    def levels(self) -> list[int]:
        """For each task, the length in tasks of the longest path from the inputs through it."""
        levels: list[int] = []
        for task in self.tasks:
            levels.append(1 + max(self._level(o, levels) for o in task.operands.values()))
        return levels

    @property
    def stages(self) -> int:
        """The length in tasks of the longest path from inputs to outputs."""
        return max(self.levels, default=0)

    @staticmethod
    def _level(operand, levels):
        return levels[operand.source.task] if isinstance(operand.source, Result) else 0

    # -- evaluation --------------------------------------------------------------------------------

    def evaluate(self, /, **arrays: ArrayLike) -> dict[str, np.ndarray]:
        """The outputs in float64, for arrays of shape batch + entry shape; NaN if a result does
        not exist, such as the root of a negative number."""
        given = self.given(arrays)
        results = self.results(given)
        batch = np.broadcast_shapes(*(array.shape[:-1] for array in given.values()))
        return {
            name: np.stack(
                [np.broadcast_to(_value(operand, given, results), batch) for operand in operands],
                axis=-1,
            ).reshape(batch + shape)
            for name, (shape, operands) in self.outputs.items()
        }

    def results(self, given):
        """Result -> array, in float64, of all tasks for the inputs `given`."""
        results = {}
        with np.errstate(divide="ignore", invalid="ignore"):
            for number, task in enumerate(self.tasks):
                ports = {port: _value(o, given, results) for port, o in task.operands.items()}
                for port, value in MEANINGS[task.kind](**ports).items():
                    results[Result(number, port)] = value
        return results

    def given(self, arrays):
        """name -> array of shape batch + (entries,)."""
        if arrays.keys() != self.inputs.keys():
            raise ArgumentError(
                f"inputs of {self.name}: expected {list(self.inputs)}, found {list(arrays)}"
            )
        given = {}
        for name, shape in self.inputs.items():
            array = np.asarray(arrays[name], float)
            batch = array.shape[: array.ndim - len(shape)]
            if array.shape != batch + shape:
                expected = ", ".join(["...", *map(str, shape)])
                raise ArgumentError(
                    f"{name}: expected an array of shape ({expected}), found {array.shape}"
                )
            given[name] = array.reshape(batch + (math.prod(shape),))
        return given

    # -- text --------------------------------------------------------------------------------------

    def __repr__(self):
        return f"<CordicTasks {shown(self.name)}: {self.summary}>"

    @property
    def summary(self) -> str:
        """The numbers of tasks of each kind, and of stages, in one line."""
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.counts.items())
        total = f"{counted(len(self.tasks), 'task')} in {counted(self.stages, 'stage')}"
        return total + (f" ({kinds})" if kinds else "")

    def __str__(self):
        """One line per task, with its stage from zero, and one line per output."""
        lines = [f"{shown(self.name)}: {self.summary}"]
        for number, (task, level) in enumerate(zip(self.tasks, self.levels, strict=True), 1):
            ports = ", ".join(f"{port}={self.shown(o)}" for port, o in task.operands.items())
            line = f"{level - 1:>4}  T{number:<3} {task.kind}({ports})"
            lines.append(f"{line}  # {task.note}" if task.note else line)
        for name, (shape, operands) in self.outputs.items():
            for index, operand in enumerate(operands):
                lines.append(f"      {entry(name, shape, index)} = {self.shown(operand)}")
        return "\n".join(lines)

    def shown(self, operand):
        """An operand as in `-2 T3.X`: tasks count from one, entries of arrays from zero."""
        source, factor = operand.source, ""
        if operand.shift:
            factor = f"{2**operand.shift} " if operand.shift > 0 else f"1/{2**-operand.shift} "
        if isinstance(source, Input):
            text = entry(source.name, self.inputs[source.name], source.index)
        elif isinstance(source, Result):
            text = f"T{source.task + 1}.{source.port}"
        else:
            text = f"{source.value:.6g}"
        return ("-" if operand.sign < 0 else "") + factor + text


def entry(name, shape, index):
    """An entry of an array in words: `pose[0,3]`."""
    place = ",".join(str(int(k)) for k in np.unravel_index(index, shape)) if shape else ""
    return f"{name}[{place}]" if place else name


def _value(operand, given, results):
    source = operand.source
    if isinstance(source, Input):
        found = given[source.name][..., source.index]
    else:
        found = source.value if isinstance(source, Constant) else results[source]
    return operand.sign * np.ldexp(found, operand.shift)
