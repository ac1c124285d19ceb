"""The Standard Task Graph format of Kasahara's group.

The first number is how many tasks there are. Then follows a row for each: its number, its time,
how many predecessors it has, and their numbers. Row 0 is a dummy before all others and the last
row one after all others; neither takes time, and neither becomes a task here. Lines that begin
with # are remarks. The variant with communication costs is not read.

Written files number the tasks from 1, each after its predecessors.
"""

import re
from os import PathLike
from pathlib import Path

from ...errors import ArgumentError, TaskError
from .task_graph import TaskGraph

WIDTH = 10  # of a number's field, after a space; longer numbers widen it
DIGITS = 18  # at most, of a number


def read(path):
    """The TaskGraph in a file; names are the numbers, as text."""
    if not isinstance(path, (str, PathLike)):
        raise ArgumentError(f"path: expected that of an STG file, found {path!r}")
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or no path can be that
        raise TaskError(f"{path}: expected a file in STG format: {error}") from None
    rows = _rows(path, text)
    where, count = next(rows, (1, ()))
    if len(count) != 1 or count[0] < 0:
        raise TaskError(f"{path}, line {where}: expected the number of tasks, found {_said(count)}")
    tasks = count[0]
    weights, edges = {}, []
    number = -1
    for number, (where, row) in enumerate(rows):
        place = f"{path}, line {where}"
        if number > tasks + 1:
            raise TaskError(f"{place}: expected the end after task {tasks + 1}, found {_said(row)}")
        before = _predecessors(place, number, row, tasks)
        if 1 <= number <= tasks:
            weights[str(number)] = row[1]
            edges += ((str(first), str(number)) for first in before if first)
        elif row[1]:
            raise TaskError(f"{place}: expected a dummy of time 0, found time {row[1]}")
    if number < tasks + 1:
        raise TaskError(
            f"{path}, line {where}: expected {tasks + 2} rows, tasks 0 to {tasks + 1}, found the "
            f"end after {number + 1}"
        )
    try:
        return TaskGraph(weights, edges, Path(path).stem)
    except TaskError as error:
        raise TaskError(f"{path}: {error}") from None


def write(tasks, path=None):
    """The text of a file; written if a path is given."""
    for name, weight in zip(tasks.names, tasks.weights, strict=True):
        if weight != int(weight):
            raise TaskError(f"task {name}: expected a whole weight for STG, found {weight}")
        if weight >= 10**DIGITS:
            raise TaskError(
                f"task {name}: expected a weight of {DIGITS} digits at most for STG, found {weight}"
            )
    number = {task: k for k, task in enumerate(tasks.order, 1)}
    last = sorted(number[task] for task in tasks.order if not tasks.successors[task])
    rows = [(len(tasks),), (0, 0, 0)]
    for task in tasks.order:
        before = sorted(number[first] for first in tasks.predecessors[task]) or [0]
        rows.append((number[task], int(tasks.weights[task]), len(before), *before))
    rows.append((len(tasks) + 1, 0, len(last or [0]), *(last or [0])))
    lines = ["".join(f" {each:{WIDTH}}" for each in row) for row in rows]
    lines += [
        f"# {' '.join(str(tasks.name).split())}",
        f"# CP Length           : {int(tasks.span)}",
        f"# Parallelism         : {tasks.parallelism:.6f}",
    ]
    text = "\n".join(lines) + "\n"
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def _rows(path, text):
    """(line number, its numbers) of the lines that are no remarks."""
    for where, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#") or not line.strip():
            continue
        for word in line.split():
            place = f"{path}, line {where}"
            if not re.fullmatch("-?[0-9]+", word):
                raise TaskError(f"{place}: expected whole numbers, found {word[:40]!r}")
            if len(word.lstrip("-")) > DIGITS:
                raise TaskError(
                    f"{place}: expected numbers of {DIGITS} digits at most, found {word[:40]}"
                )
        yield where, tuple(int(word) for word in line.split())


def _predecessors(place, number, row, tasks):
    """Of a row that is found to be right."""
    if len(row) < 3:
        raise TaskError(
            f"{place}: expected a task's number, its time and how many predecessors it has, found "
            f"{_said(row)}"
        )
    if row[2] < 0:
        raise TaskError(f"{place}: expected a number of predecessors >= 0, found {row[2]}")
    if len(row) != 3 + row[2]:
        raise TaskError(f"{place}: expected {row[2]} predecessors, found {len(row) - 3}")
    if row[0] != number:
        raise TaskError(f"{place}: expected task {number}, found task {row[0]}")
    if row[1] < 0:
        raise TaskError(f"{place}: expected a time >= 0 for task {number}, found {row[1]}")
    if number == 0 and row[2]:
        raise TaskError(f"{place}: expected no predecessors of task 0, found {row[2]}")
    for first in row[3:]:
        if not 0 <= first <= tasks:
            raise TaskError(f"{place}: expected predecessors from 0 to {tasks}, found {first}")
    return row[3:]


def _said(row):
    return " ".join(map(str, row[:12])) + (" ..." if len(row) > 12 else "") or "nothing"
