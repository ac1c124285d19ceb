"""CORDIC tasks as a task graph, from which a pipeline is balanced."""

from ...parallel.tasks.task_graph import TaskGraph
from ..tasks.tasks import Constant, Input, entry

NAMES = {  # the paper's
    "rotate": "CIRC1",
    "vector": "CIRC2",
    "root": "HYPE2",
    "mean": "HYPE2",
    "multiply": "LIN1",
    "divide": "LIN2",
    "add": "LIN1",
}


def task_name(number):
    """T1, T2, ..."""
    return f"T{number + 1}"


def input_name(tasks, source):
    """A name such as pose[0,3]."""
    return entry(source.name, tasks.inputs[source.name], source.index)


def output_name(tasks, name, index):
    """A name such as q[2]."""
    return entry(name, tasks.outputs[name][0], index)


def task_graph(tasks):
    """The TaskGraph, with weight 1 for each processor and 0 for each input and output; and the
    values along its edges, (before, after) -> ports, as px.pipeline takes them."""
    weights, values, labels, groups = {}, {}, {}, {}
    readers = [(task_name(k), task.operands.values()) for k, task in enumerate(tasks.tasks)]
    readers += [
        (output_name(tasks, name, index), [operand])
        for name, (_, operands) in tasks.outputs.items()
        for index, operand in enumerate(operands)
        if not isinstance(operand.source, Constant)
    ]
    sources = [operand.source for _, operands in readers for operand in operands]
    for source in sources:
        if isinstance(source, Input):
            weights[input_name(tasks, source)] = 0
    for number, task in enumerate(tasks.tasks):
        weights[task_name(number)] = 1
        labels[task_name(number)] = task.note or task.kind
        groups[task_name(number)] = NAMES[task.kind]
    for reader, operands in readers:
        weights.setdefault(reader, 0)
        for operand in operands:
            source = operand.source
            if isinstance(source, Input):
                values[input_name(tasks, source), reader] = ("word",)
            elif not isinstance(source, Constant):
                edge = (task_name(source.task), reader)
                values[edge] = tuple(dict.fromkeys((*values.get(edge, ()), source.port)))
    return TaskGraph(weights, values, tasks.name, labels, groups, unit="cycles"), values
