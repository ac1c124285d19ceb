"""A Program as a pipeline: its inputs and outputs are tasks too, and actual values flow.

Values between the operations of a Program need delay lines, and so do inputs that are used late and
results that are early. Every relevant entry of an input or output therefore becomes a task of
weight 0. If a task computes several values, each has its own line. Free values (constants, sign
changes, sines taken as given) are computed by each user.
"""

import math

import numpy as np

from ...drivers import map as map_driver
from ...errors import ArgumentError
from ...graph.graph import size
from ...graph.operations import OPS
from ..tasks.task_graph import TaskGraph


class StreamTasks(TaskGraph):
    """The tasks of a Program with its inputs and outputs around them.

    `values` and `functions` are the arguments of `px.pipeline` and `Pipeline.simulate` with these
    names. `inputs` and `outputs` map entries, such as ("q", 0), to tasks, `constants` maps the
    other outputs to their values.
    """

    def __init__(self, tasks):
        self.program, graph = tasks.program, tasks.program.graph
        label = {index: f"%{line}" for index, line in graph.lines.items()}
        read = [node for node in graph.nodes if node.op == "input"]
        self.inputs = {node.value: _entry("input", graph.inputs, *node.value) for node in read}
        maker = {node.index: self.inputs[node.value] for node in read}
        maker |= {index: tasks.names[task] for index, task in tasks.task_of.items()}
        recipes = {
            task: Recipe(task, nodes, maker, label)
            for task, nodes in zip(tasks.names, tasks.operations, strict=True)
        }
        self.outputs, self.constants = {}, {}
        for name, (_, nodes) in graph.outputs.items():
            for k, node in enumerate(nodes):
                task = _entry("output", self.program.outputs, name, k)
                recipe = Recipe(task, [node], maker, label)
                if recipe.takes:
                    self.outputs[name, k], recipes[task] = task, recipe
                else:
                    self.constants[name, k] = recipe()
        weights = dict.fromkeys(self.inputs.values(), 0)
        weights |= dict(zip(tasks.names, tasks.weights, strict=True))
        weights |= dict.fromkeys(self.outputs.values(), 0)
        edges = [(first, then) for then, recipe in recipes.items() for first in recipe.takes]
        super().__init__(weights, edges, tasks.name, tasks.labels, tasks.groups)
        wanted = _wanted(recipes)
        for task in tasks.names:
            recipes[task].gives = tuple(wanted[task])
        self.functions = recipes
        self.values = {  # only if a task has more than one
            (first, then): tuple(values)
            for then, recipe in recipes.items()
            for first, values in recipe.takes.items()
            if len(wanted[first]) > 1
        }


def _entry(kind, shapes, name, k):
    """A name such as input q[2]."""
    return f"{kind} {name}[{k}]" if shapes[name] else f"{kind} {name}"


def _wanted(recipes):
    """task -> its values that are used by others."""
    wanted = {}
    for recipe in recipes.values():
        for first, values in recipe.takes.items():
            wanted.setdefault(first, {}).update(values)
    return wanted


class Recipe:
    """How a task computes its values from those of others, by ordinary operations.

    Values are given by their labels: `takes` maps its predecessors to the values it needs of each;
    `gives` is the list of requested values.
    """

    def __init__(self, task, results, maker, label):
        self.takes, self.gives = {}, tuple(label[node.index] for node in results)
        seen, ahead = {}, list(results)
        while ahead:
            node = ahead.pop()
            first = maker.get(node.index, task)
            if first != task:
                self.takes.setdefault(first, {})[label[node.index]] = None
            elif node.index not in seen:
                seen[node.index] = node
                ahead.extend(node.args)
        self.steps = [  # arguments before users
            (label[index], seen[index], [label[a.index] for a in seen[index].args])
            for index in sorted(seen)
        ]

    def __call__(self, *arguments):
        known = {}
        # A task of constants has no inputs, and its arguments are ignored.
        for values, argument in zip(self.takes.values(), arguments, strict=bool(self.takes)):
            known |= argument if len(values) > 1 else dict.fromkeys(values, argument)
        for own, node, needed in self.steps:
            if node.op == "const":
                known[own] = node.value
            else:
                known[own] = OPS[node.op].meaning(*(known[value] for value in needed))
        if len(self.gives) == 1:
            return known[self.gives[0]]
        return {value: known[value] for value in self.gives}


def evaluate(pipeline, arrays):
    """The result of `Program.evaluate`, by streaming the states of a batch through a pipeline."""
    tasks = pipeline.tasks
    if not isinstance(tasks, StreamTasks):
        raise ArgumentError(
            f"pipeline of {tasks.name}: only a pipeline of a Program can be evaluated; "
            "use simulate(items, functions) for other tasks"
        )
    graph = tasks.program.graph
    batch, states = _states(graph, arrays)
    of_constants = {task: None for task, recipe in tasks.functions.items() if not recipe.takes}
    items = [
        of_constants | {task: state[entry] for entry, task in tasks.inputs.items()}
        for state in states
    ]
    done = pipeline.simulate(items, tasks.functions).results if items else []
    results = {}
    for name, (shape, nodes) in graph.outputs.items():
        poisoned = graph.poisoned(name)
        results[name] = np.empty((len(states), len(nodes)))
        for state, made, row in zip(states, done, results[name], strict=True):
            bad = not all(
                math.isfinite(state[name, k]) for name, entries in graph.unused for k in entries
            )
            for k in range(len(nodes)):
                task = tasks.outputs.get((name, k))
                row[k] = tasks.constants[name, k] if task is None else made[task]
                if bad and poisoned[k]:
                    row[k] = math.nan
        results[name] = results[name].reshape(batch + shape)
    return next(iter(results.values())) if len(results) == 1 else results


def _states(graph, arrays):
    """The batch shape, and for each state a dict: entry, such as ("q", 0), -> number."""
    signature = map_driver.Signature(graph.inputs, {})
    given = [
        map_driver.as_array(array, name, shape)
        for array, (name, shape) in zip(
            signature.bind((), arrays), graph.inputs.items(), strict=True
        )
    ]
    batch = map_driver.broadcast_batch(signature, given)
    rows = [
        np.broadcast_to(array, batch + shape).reshape(-1, size(shape))
        for array, shape in zip(given, graph.inputs.values(), strict=True)
    ]
    entries = [(name, k) for name, shape in graph.inputs.items() for k in range(size(shape))]
    table = np.concatenate(rows, axis=1).astype(float)
    return batch, [dict(zip(entries, row, strict=True)) for row in table.tolist()]
