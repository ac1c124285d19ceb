"""The Standard Task Graph format of Kasahara's group.

The first number is the number of tasks. A row follows for each: its number, its time, its number of
predecessors, and their numbers. Row 0 is a dummy before all others and the last row one after all
others; neither takes time, and neither becomes a task here. Some files, including the group's own
robot.stg, count the two dummies too: they are recognised because they end two rows earlier, in a
row that has no time and follows exactly the tasks without other successors. Lines that begin with #
are comments. The variant with communication costs is not supported.

Written files number the tasks from 1, each after its predecessors.

Files are untrusted: the size of a file, and that of every number in it, is limited.
"""

import re
from os import PathLike
from pathlib import Path

from ...checks import counted, shown
from ...errors import ArgumentError, TaskError

WIDTH = 10  # of a number's field, after a space; longer numbers widen it
DIGITS = 18  # of a number, at most
MOST_BYTES = 64 * 2**20
MOST_NUMBERS = 4_000_000  # as edges they take about a gigabyte


def read(path):
    """The weights, edges and name of the tasks in a file. Tasks are named by their numbers."""
    if not isinstance(path, (str, PathLike)):
        raise ArgumentError(f"path: expected the path of an STG file, found {path!r}")
    file = shown(path, 300)
    rows = _rows(file, _text(path, file))
    where, count = next(rows, (1, ()))
    if len(count) != 1 or count[0] < 0:
        raise TaskError(f"{file}, line {where}: expected the number of tasks, found {_said(count)}")
    last = count[0] + 1  # the number of the dummy after all others
    weights, predecessors = [], []
    for number, (where, row) in enumerate(rows):
        place = f"{file}, line {where}"
        if number > last:
            raise TaskError(f"{place}: expected the end after task {last}, found {_said(row)}")
        predecessors.append(_predecessors(place, number, row, last - 1))
        weights.append(row[1])
        if number in (0, last) and row[1]:
            raise TaskError(f"{place}: expected a dummy of time 0, found time {row[1]}")
    if len(weights) == last - 1 and _ends_in_a_dummy(weights, predecessors):
        last -= 2  # the count includes the dummies
    if len(weights) <= last:
        raise TaskError(
            f"{file}, line {where}: expected {counted(last + 1, 'row')}, tasks 0 to {last}, found "
            f"the end after {len(weights)}"
        )
    edges = [
        (str(first), str(number))
        for number in range(1, last)
        for first in predecessors[number]
        if first
    ]
    return {str(number): weights[number] for number in range(1, last)}, edges, Path(path).stem


def _text(path, file):
    try:
        with open(path, "rb") as opened:
            data = opened.read(MOST_BYTES + 1)
        text = data.decode("utf-8")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or not a valid path
        raise TaskError(f"{file}: cannot be read as an STG file: {error}") from None
    if len(data) > MOST_BYTES:
        raise TaskError(f"{file}: the file is larger than {MOST_BYTES // 2**20} MB")
    return text


def _ends_in_a_dummy(weights, predecessors):
    """Whether the last row takes no time, and follows just the tasks without other successors."""
    last = len(weights) - 1
    if last < 1 or weights[last]:
        return False
    followed = {first for each in predecessors[:last] for first in each}
    return {*predecessors[last]} == {*range(last)} - followed


def write(tasks, path=None):
    """The text of a file, also written if a path is given."""
    for name, weight in zip(tasks.names, tasks.weights, strict=True):
        if weight != int(weight):
            raise TaskError(f"task {name}: expected an integer weight for STG, found {weight}")
        if weight >= 10**DIGITS:
            raise TaskError(
                f"task {name}: expected a weight of at most {DIGITS} digits for STG, found {weight}"
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
    """(line number, its numbers) of the lines that are not comments."""
    found = 0
    for where, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#") or not line.strip():
            continue
        words = line.split()
        found += len(words)
        if found > MOST_NUMBERS:
            raise TaskError(f"{path}: the file has more than {MOST_NUMBERS:,} numbers")
        for word in words:
            place = f"{path}, line {where}"
            if not re.fullmatch("-?[0-9]+", word):
                raise TaskError(f"{place}: expected integers, found {word[:40]!r}")
            if len(word.lstrip("-")) > DIGITS:
                raise TaskError(
                    f"{place}: expected numbers of at most {DIGITS} digits, found {word[:40]}"
                )
        yield where, tuple(map(int, words))


def _predecessors(place, number, row, tasks):
    """The predecessors in a row, after checks."""
    if len(row) < 3:
        raise TaskError(
            f"{place}: expected a task's number, its time and how many predecessors it has, found "
            f"{_said(row)}"
        )
    if row[2] < 0:
        raise TaskError(f"{place}: expected a predecessor count >= 0, found {row[2]}")
    if len(row) != 3 + row[2]:
        expected = counted(row[2], "predecessor")
        raise TaskError(f"{place}: expected {expected}, found {len(row) - 3}")
    if row[0] != number:
        raise TaskError(f"{place}: expected task {number}, found task {row[0]}")
    if row[1] < 0:
        raise TaskError(f"{place}: expected a time >= 0 for task {number}, found {row[1]}")
    if number == 0 and row[2]:
        raise TaskError(f"{place}: expected task 0 to have no predecessors, found {row[2]}")
    for first in row[3:]:
        if not 0 <= first <= tasks:
            raise TaskError(f"{place}: expected predecessors from 0 to {tasks}, found {first}")
    return row[3:]


def _said(row):
    return " ".join(map(str, row[:12])) + (" ..." if len(row) > 12 else "") or "nothing"
