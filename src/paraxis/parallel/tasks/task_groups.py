"""The groups by which tasks are distinguished in a picture."""

from dataclasses import fields

from ...passes.count import COUNTED, Count
from .task_graph import ProgramTasks

KINDS = [field.name for field in fields(Count)]


def groups_of(tasks):
    """name -> its group. Operations of a Program without groups are grouped by kind."""
    if tasks.groups or not isinstance(tasks, ProgramTasks):
        return tasks.groups
    parts = zip(tasks.names, tasks.operations, strict=True)
    return {name: _kinds(operations) for name, operations in parts}


def _kinds(operations):
    """Text such as 'mul, add', by the names under which operations are counted."""
    kinds = {kind for node in operations for kind in COUNTED[node.op]}
    return ", ".join(sorted(kinds, key=KINDS.index))
