"""What tasks are told apart by in a picture."""

from dataclasses import fields

from ...passes.count import COUNTED, Count
from .task_graph import ProgramTasks

KINDS = [field.name for field in fields(Count)]


def groups_of(tasks):
    """name -> its group. Operations of a Program without groups go by what they compute."""
    if tasks.groups or not isinstance(tasks, ProgramTasks):
        return tasks.groups
    parts = zip(tasks.names, tasks.operations, strict=True)
    return {name: _kinds(operations) for name, operations in parts}


def _kinds(operations):
    """As in 'mul, add', by the names that operations are counted under."""
    kinds = {kind for node in operations for kind in COUNTED[node.op]}
    return ", ".join(sorted(kinds, key=KINDS.index))
